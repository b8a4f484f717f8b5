// A prover's trees: next to its path a tree has siblings that are given, and on it zero, but for the leaf at its end. Where
// the path is shows in no address and no branch.
@group(0) @binding(3) var<storage, read> siblings: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> sides: array<u32>;

fn sibling(tile: u32, level: u32, g: u32) -> vec4<u32> {
  return siblings[(tile * (p.depth + 1u) + level - 1u) * p.width + g];
}
fn apart(tile: u32, level: u32, g: u32, hole: vec4<u32>) -> Children {
  let side = (sides[tile * p.width + g] >> (level - 1u)) & 1u;
  let given = sibling(tile, level, g);
  let swapped = (given ^ hole) & vec4(0u - side);
  return Children(given ^ swapped, hole ^ swapped);
}
fn roots(base: u32, tile: u32, first: u32) {
  for (var g = first; g < min(first + 2u, p.width); g++) {
    let pair = apart(tile, 1u, g, vec4(0u));
    nodes[base + g] = pair.left;
    nodes[base + p.width + g] = pair.right;
  }
}
fn children(grown: Children, place: Place, level: u32) -> Children {
  let path = ~sides[place.tile * p.width + place.tree] & ((1u << (level - 1u)) - 1u);
  let last = sibling(place.tile, p.depth + 1u, place.tree);
  let hole = last & vec4(select(0u, 0xffffffffu, level == p.depth));
  let given = apart(place.tile, level, place.tree, hole);
  // All ones where the node is on the path.
  let differs = path ^ place.node;
  let here = vec4(((differs | (0u - differs)) >> 31u) - 1u);
  return Children(
    grown.left ^ ((grown.left ^ given.left) & here),
    grown.right ^ ((grown.right ^ given.right) & here));
}
