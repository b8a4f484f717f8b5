// The field of 2^61 - 1 elements: an element is the integer below that, in two words. No branch and no address depends on one.
fn added(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.x + b.x;
  return vec2(low, a.y + b.y + u32(low < a.x));
}
fn subtracted(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return vec2(a.x - b.x, a.y - b.y - u32(a.x < b.x));
}
// The element of an integer from -(2^61 - 1) on and below 2^61 - 1.
fn lifted(a: vec2<u32>) -> vec2<u32> {
  let negative = 0u - (a.y >> 31u);
  return added(a, vec2(negative, negative & 0x1fffffffu));
}
// The element of an integer.
fn reduced(a: vec2<u32>) -> vec2<u32> {
  // 2^61 = 1
  let folded = added(vec2(a.x, a.y & 0x1fffffffu), vec2(a.y >> 29u, 0u));
  return lifted(subtracted(folded, vec2(0xffffffffu, 0x1fffffffu)));
}
fn sum(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return lifted(subtracted(added(a, b), vec2(0xffffffffu, 0x1fffffffu)));
}
fn difference(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return lifted(subtracted(a, b)); }
fn product32(a: u32, b: u32) -> vec2<u32> {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let first = (a & 0xffffu) * (b >> 16u) + (low >> 16u);
  let second = (a >> 16u) * (b & 0xffffu) + (first & 0xffffu);
  return vec2((second << 16u) | (low & 0xffffu), (a >> 16u) * (b >> 16u) + (first >> 16u) + (second >> 16u));
}
fn product(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = product32(a.x, b.x);
  let middle = added(product32(a.x, b.y), product32(a.y, b.x));
  let high = product32(a.y, b.y);
  // high*2^64 + middle*2^32 + low, of which each part is below 2^61 or little more
  let of_high = vec2(high.x << 3u, (high.y << 3u) | (high.x >> 29u));
  let of_middle = added(
    vec2((middle.x >> 29u) | (middle.y << 3u), middle.y >> 29u),
    vec2(0u, middle.x & 0x1fffffffu));
  let of_low = added(vec2(low.x, low.y & 0x1fffffffu), vec2(low.y >> 29u, 0u));
  return reduced(added(added(of_high, of_middle), of_low));
}
