// The coefficient of degree one of a product and what was committed to: bit 0 of a MAC is the value.
fn lower(x: vec4<u32>, y: vec4<u32>, made: vec4<u32>) -> vec4<u32> {
  return (y & vec4(0u - (x.x & 1u))) ^ (x & vec4(0u - (y.x & 1u))) ^ made;
}
