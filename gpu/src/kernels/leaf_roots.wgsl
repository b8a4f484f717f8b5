// A verifier's trees: the first nodes come from a cipher, and each level sums to one secret.
@group(0) @binding(3) var<storage, read> secret: array<vec4<u32>>;

fn roots(base: u32, tile: u32, g: u32) {
  let number = tile * p.width + g;
  let made = encrypted(State(vec4(number, 0u, p.salt), vec4(number + 1u, 0u, p.salt)), 2u);
  nodes[base + g] = made.low;
  nodes[base + p.width + g] = made.low ^ secret[0];
  if (g + 1u < p.width) {
    nodes[base + g + 1u] = made.high;
    nodes[base + p.width + g + 1u] = made.high ^ secret[0];
  }
}
fn children(grown: Children, node: Place, level: u32) -> Children { return grown; }
fn leaf(key: vec2<u32>, node: Place, side: u32) -> vec4<u32> { return vec4(key, 0u, 0u); }
