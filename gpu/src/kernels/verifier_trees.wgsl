// A verifier's trees: the first nodes come from a cipher, each level sums to one secret, and the sums of left nodes are said.
@group(0) @binding(3) var<storage, read_write> said: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> secret: array<vec4<u32>>;

fn begin(base: u32, tile: u32, l: u32) {
  for (var g = 2u * l; g < p.width; g += 2u * THREADS) {
    let number = tile * p.width + g;
    let made = encrypted(State(vec4(number, 0u, p.salt), vec4(number + 1u, 0u, p.salt)), 1u);
    root(base, tile, g, made.low);
    if (g + 1u < p.width) { root(base, tile, g + 1u, made.high); }
  }
}
fn root(base: u32, tile: u32, g: u32, made: vec4<u32>) {
  nodes[base + g] = made;
  nodes[base + p.width + g] = made ^ secret[0];
  end_level(tile, Node(1u, 0u, g), made, ALL);
}
fn known(x: vec4<u32>, tile: u32, here: Node) -> vec4<u32> { return x; }
fn grows(tile: u32, here: Node) -> vec4<u32> { return ALL; }
fn end_level(tile: u32, grown: Node, left: vec4<u32>, keep: vec4<u32>) {
  said[(tile * p.depth + grown.level - 1u) * p.width + grown.tree] = left;
}
fn end(at: u32, tile: u32, here: Node) {}
