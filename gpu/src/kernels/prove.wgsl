// What a prover makes of a share: the correction is what is committed to without the share's value.
@group(0) @binding(7) var<storage, read> witness: array<vec2<u32>>;

fn constant(value: vec2<u32>) -> Row { return vec4(value, 0u, 0u); }
fn committed(number: u32, value: vec2<u32>) -> Row {
  let row = rows[number];
  corrections[number] = difference(value, row.xy);
  return vec4(value, row.zw);
}
fn taken(number: u32, element: u32) -> Row { return committed(number, witness[element]); }
// The coefficients of a product of which the third is to be the value: m*n, and x*n + y*m - the MAC of that.
fn constant_part(x: Row, y: Row) -> vec2<u32> { return product(x.zw, y.zw); }
fn linear_part(x: Row, y: Row, made: Row) -> vec2<u32> {
  return difference(sum(product(x.xy, y.zw), product(y.xy, x.zw)), made.zw);
}
fn multiplied(number: u32, x: Row, y: Row) -> Row {
  let made = committed(number, product(x.xy, y.xy));
  rows[number] = vec4(constant_part(x, y), linear_part(x, y, made));
  return made;
}
// Both coefficients, and by how much the product is off.
const PARTS = 3u;
fn vanish(at: u32, x: Row, y: Row, z: Row) {
  vanishing[at] = constant_part(x, y);
  vanishing[at + p.lanes] = linear_part(x, y, z);
  vanishing[at + 2u * p.lanes] = difference(product(x.xy, y.xy), z.xy);
}
