// The trees of tiles in a row, a workgroup for each tile, level by level in place: node y of tree g of a tile at y*width + g,
// and its children there and in the second half of the level. Each party's text says what becomes of the sums of left nodes.
struct Parameters { first: u32, width: u32, depth: u32, to: u32, salt: vec2<u32>, keys: u32, opens: u32 }
var<immediate> p: Parameters;
@group(0) @binding(1) var<storage, read> keys: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> nodes: array<vec4<u32>>;
const TILE = 4096u;
const THREADS = 128u;
// The bits of leaves that are kept.
const PINNED = vec4(0xfffffffeu, 0xffffffffu, 0xffffffffu, 0xffffffffu);
const ALL = vec4(0xffffffffu);

// Summands of the sums of left nodes, of trees one after the other, again and again.
var<workgroup> sums: array<vec4<u32>, 256>;

// H(x) = AES(f(x)) + f(x), where f exchanges the halves and adds them.
fn mingled(x: vec4<u32>) -> vec4<u32> { return vec4(x.z, x.w, x.x ^ x.z, x.y ^ x.w); }

// A node of a level, by its place.
struct Node { level: u32, node: u32, tree: u32 }
fn node_at(level: u32, i: u32) -> Node { return Node(level, i / p.width, i % p.width); }
// All ones where two numbers are equal, without a branch.
fn equal(a: u32, b: u32) -> vec4<u32> {
  let differs = a ^ b;
  return vec4(((differs | (0u - differs)) >> 31u) - 1u);
}

@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) l: u32) {
  let tile = p.first + group.x;
  let base = p.to + group.x * TILE;
  begin(base, tile, l);
  for (var level = 2u; level <= p.depth; level++) {
    storageBarrier();
    workgroupBarrier();
    let parents = p.width << (level - 1u);
    let key = p.keys + group.x * (p.depth - 1u) + level - 2u;
    let keep = select(ALL, PINNED, vec4(level == p.depth));
    // A thread's nodes with even numbers, and those with odd ones, are of one tree each, or of one in all.
    var even = vec4(0u);
    var odd = vec4(0u);
    for (var i = 2u * l; i < parents; i += 2u * THREADS) {
      let first = node_at(level - 1u, i);
      let second = node_at(level - 1u, i + 1u);
      let x = known(nodes[base + i], tile, first);
      let y = known(nodes[base + i + 1u], tile, second);
      let mx = mingled(x);
      let my = mingled(y);
      let h = encrypted(State(mx, my), key);
      let keep_x = keep & grows(tile, first);
      let keep_y = keep & grows(tile, second);
      let a = (h.low ^ mx) & keep_x;
      let b = (h.high ^ my) & keep_y;
      nodes[base + i] = a;
      nodes[base + i + 1u] = b;
      nodes[base + parents + i] = a ^ (x & keep_x);
      nodes[base + parents + i + 1u] = b ^ (y & keep_y);
      even ^= a;
      odd ^= b;
    }
    sums[2u * l] = even;
    sums[2u * l + 1u] = odd;
    workgroupBarrier();
    for (var n = THREADS; n >= p.width; n >>= 1u) {
      if (l < n) { sums[l] ^= sums[l + n]; }
      workgroupBarrier();
    }
    if (l < p.width) { end_level(tile, Node(level, 0u, l), sums[l], keep); }
  }
  storageBarrier();
  workgroupBarrier();
  for (var i = l; i < TILE; i += THREADS) { end(base + i, tile, node_at(p.depth, i)); }
}
