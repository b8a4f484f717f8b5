// A prover's trees: next to its path a tree has siblings that are given, and on it zero; at its end a value and a MAC are
// added to each leaf. Where the path is shows in no address and no branch.
@group(0) @binding(3) var<storage, read> siblings: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> sides: array<u32>;
// Those of the left leaf and of the right one, tree by tree.
@group(0) @binding(6) var<storage, read> ends: array<vec4<u32>>;

fn apart(tile: u32, level: u32, g: u32) -> Children {
  let side = (sides[tile * p.width + g] >> (level - 1u)) & 1u;
  let given = siblings[(tile * (p.depth - 1u) + level - 1u) * p.width + g];
  let right = given & vec4(0u - side);
  return Children(given ^ right, right);
}
fn roots(base: u32, tile: u32, first: u32) {
  for (var g = first; g < min(first + 2u, p.width); g++) {
    let pair = apart(tile, 1u, g);
    nodes[base + g] = pair.left;
    nodes[base + p.width + g] = pair.right;
  }
}
// All ones where a node, whose children are of this level, is on the path.
fn on_path(node: Place, level: u32) -> vec4<u32> {
  let path = ~sides[node.tile * p.width + node.tree] & ((1u << (level - 1u)) - 1u);
  let differs = path ^ node.node;
  return vec4(((differs | (0u - differs)) >> 31u) - 1u);
}
fn children(grown: Children, node: Place, level: u32) -> Children {
  let given = apart(node.tile, level, node.tree);
  let here = on_path(node, level);
  return Children(
    grown.left ^ ((grown.left ^ given.left) & here),
    grown.right ^ ((grown.right ^ given.right) & here));
}
fn leaf(mac: vec2<u32>, node: Place, side: u32) -> vec4<u32> {
  let end = ends[2u * (node.tile * p.width + node.tree) + side] & on_path(node, p.depth);
  return vec4(end.xy, sum(mac, end.zw));
}
