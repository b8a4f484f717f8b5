// What a verifier makes of a share: its key has the correction, times Delta.
@group(0) @binding(7) var<storage, read> delta: array<vec2<u32>>;

fn constant(value: vec2<u32>) -> Row { return product(value, delta[0]); }
fn taken(number: u32, element: u32) -> Row {
  return sum(rows[number].xy, product(corrections[number], delta[0]));
}
// The product of keys, and the key of what was committed to, for Delta's multiple.
fn multiplied(number: u32, x: Row, y: Row) -> Row {
  let made = taken(number, 0u);
  rows[number] = vec4(product(x, y), made);
  return made;
}
// The polynomial at Delta.
const PARTS = 1u;
fn vanish(at: u32, x: Row, y: Row, z: Row) {
  vanishing[at] = difference(product(x, y), product(z, delta[0]));
}
