// The trees of tiles whose leaves are elements, a workgroup for each tile, level by level in place: node y of tree g of a
// tile at y*width + g. Both leaves of a node are of one hash.
struct Parameters { first: u32, width: u32, depth: u32, at: u32, salt: vec2<u32>, keys: u32, unused: u32 }
var<immediate> p: Parameters;
@group(0) @binding(1) var<storage, read> keys: array<vec4<u32>>;
// Nodes in the first half of a tile, and then rows in all of it.
@group(0) @binding(2) var<storage, read_write> nodes: array<vec4<u32>>;
// The numbers of tiles, of which those from the first on are these.
@group(0) @binding(5) var<storage, read> numbers: array<u32>;
const TILE = 4096u;
const HALF = 2048u;
const THREADS = 256u;

// H(x) = AES(f(x)) + f(x), where f exchanges the halves and adds them.
fn mingled(x: vec4<u32>) -> vec4<u32> { return vec4(x.z, x.w, x.x ^ x.z, x.y ^ x.w); }
fn hashed(x: vec4<u32>, y: vec4<u32>, key: u32) -> State {
  let mx = mingled(x);
  let my = mingled(y);
  let h = encrypted(State(mx, my), key);
  return State(h.low ^ mx, h.high ^ my);
}
struct Children { left: vec4<u32>, right: vec4<u32> }
struct Place { tile: u32, node: u32, tree: u32 }
fn place(tile: u32, i: u32) -> Place { return Place(tile, i / p.width, i % p.width); }

fn put_leaves(base: u32, i: u32, h: vec4<u32>, node: Place) {
  nodes[base + i] = leaf(reduced(h.xy), node, 0u);
  nodes[base + HALF + i] = leaf(reduced(h.zw), node, 1u);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) l: u32) {
  let base = p.at + group.x * TILE;
  let tile = numbers[p.first + group.x];
  let first_key = p.keys + group.x * (p.depth - 1u);
  for (var g = 2u * l; g < p.width; g += 2u * THREADS) { roots(base, tile, g); }
  for (var level = 2u; level < p.depth; level++) {
    storageBarrier();
    let parents = p.width << (level - 1u);
    for (var i = 2u * l; i < parents; i += 2u * THREADS) {
      let x = nodes[base + i];
      let y = nodes[base + i + 1u];
      let h = hashed(x, y, first_key + level - 2u);
      let a = children(Children(h.low, h.low ^ x), place(tile, i), level);
      let b = children(Children(h.high, h.high ^ y), place(tile, i + 1u), level);
      nodes[base + i] = a.left;
      nodes[base + parents + i] = a.right;
      nodes[base + i + 1u] = b.left;
      nodes[base + parents + i + 1u] = b.right;
    }
  }
  storageBarrier();
  for (var i = 2u * l; i < HALF; i += 2u * THREADS) {
    let h = hashed(nodes[base + i], nodes[base + i + 1u], first_key + p.depth - 2u);
    put_leaves(base, i, h.low, place(tile, i));
    put_leaves(base, i + 1u, h.high, place(tile, i + 1u));
  }
}
