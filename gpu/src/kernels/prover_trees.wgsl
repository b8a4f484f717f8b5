// A prover's trees: next to its path a tree has siblings, and on it zero, but for the leaf at its end. Where the path is shows
// in no address and no branch: a level is written with zeroes for both children of the path, which are known when it is read.
// Where siblings are to be opened, the sums over their sides stand in their places.
@group(0) @binding(3) var<storage, read_write> siblings: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> sides: array<u32>;
// Of each tree, the sibling of the level that was grown last, the leaf on the path, and the sum of all siblings so far, which
// is that of the nodes that are known of the level.
var<workgroup> sibling: array<vec4<u32>, 64>;
var<workgroup> hole: array<vec4<u32>, 64>;
var<workgroup> known_sum: array<vec4<u32>, 64>;

fn side(tile: u32, grown: Node) -> u32 { return (sides[tile * p.width + grown.tree] >> (grown.level - 1u)) & 1u; }
// The number in its level of the node on the path.
fn on_path(tile: u32, grown: Node) -> u32 { return ~sides[tile * p.width + grown.tree] & ((1u << grown.level) - 1u); }
fn place(tile: u32, level: u32, g: u32) -> u32 { return (tile * (p.depth + 1u) + level - 1u) * p.width + g; }

fn begin(base: u32, tile: u32, l: u32) {
  if (l < p.width) {
    nodes[base + l] = vec4(0u);
    nodes[base + p.width + l] = vec4(0u);
    let given = siblings[place(tile, 1u, l)];
    sibling[l] = given;
    known_sum[l] = given;
  }
}
fn known(x: vec4<u32>, tile: u32, here: Node) -> vec4<u32> {
  let next_to_path = on_path(tile, here) ^ (1u << (here.level - 1u));
  return x | (sibling[here.tree] & equal(here.node, next_to_path));
}
fn grows(tile: u32, here: Node) -> vec4<u32> { return ~equal(here.node, on_path(tile, here)); }
fn end_level(tile: u32, grown: Node, left: vec4<u32>, keep: vec4<u32>) {
  let g = grown.tree;
  let at = place(tile, grown.level, g);
  var given = siblings[at];
  if (p.opens == 1u) {
    given = (given ^ left ^ (known_sum[g] & vec4(0u - side(tile, grown)))) & keep;
    siblings[at] = given;
  }
  sibling[g] = given;
  if (grown.level == p.depth) {
    if (p.opens == 1u) {
      // All leaves of the tree but this one, and one: what Delta leaves of the sum of a level.
      siblings[at + p.width] = (known_sum[g] & PINNED) ^ given ^ vec4(1u, 0u, 0u, 0u);
    }
    hole[g] = siblings[at + p.width];
  }
  known_sum[g] ^= given;
}
fn end(at: u32, tile: u32, here: Node) {
  nodes[at] = known(nodes[at], tile, here) | (hole[here.tree] & equal(here.node, on_path(tile, here)));
}
