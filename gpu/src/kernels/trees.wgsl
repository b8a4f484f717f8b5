// The trees of tiles, a workgroup for each tile, level by level in place: node y of tree g of a tile at y*width + g.
struct Parameters { first: u32, width: u32, depth: u32, at: u32, salt: vec2<u32>, keys: u32, unused: u32 }
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read> keys: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> nodes: array<vec4<u32>>;
// The numbers of tiles, of which those from the first on are these.
@group(0) @binding(5) var<storage, read> numbers: array<u32>;
const TILE = 4096u;
const THREADS = 256u;

// H(x) = AES(f(x)) + f(x), where f exchanges the halves and adds them.
fn mingled(x: vec4<u32>) -> vec4<u32> { return vec4(x.z, x.w, x.x ^ x.z, x.y ^ x.w); }

fn grow(x: vec4<u32>, h: vec4<u32>, keep: vec4<u32>, place: Place, level: u32) -> Children {
  return children(Children(h & keep, (h ^ x) & keep), place, level);
}
struct Children { left: vec4<u32>, right: vec4<u32> }
struct Place { tile: u32, node: u32, tree: u32 }

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) l: u32) {
  let base = p.at + group.x * TILE;
  let tile = numbers[p.first + group.x];
  for (var g = 2u * l; g < p.width; g += 2u * THREADS) { roots(base, tile, g); }
  for (var level = 2u; level <= p.depth; level++) {
    storageBarrier();
    let parents = p.width << (level - 1u);
    let key = p.keys + group.x * (p.depth - 1u) + level - 2u;
    let keep = vec4(select(0xffffffffu, 0xfffffffeu, level == p.depth), vec3(0xffffffffu));
    for (var i = 2u * l; i < parents; i += 2u * THREADS) {
      let x = nodes[base + i];
      let y = nodes[base + i + 1u];
      let mx = mingled(x);
      let my = mingled(y);
      let h = encrypted(State(mx, my), key);
      let a = grow(x, h.low ^ mx, keep, Place(tile, i / p.width, i % p.width), level);
      let b = grow(y, h.high ^ my, keep, Place(tile, (i + 1u) / p.width, (i + 1u) % p.width), level);
      nodes[base + i] = a.left;
      nodes[base + parents + i] = a.right;
      nodes[base + i + 1u] = b.left;
      nodes[base + parents + i + 1u] = b.right;
    }
  }
}
