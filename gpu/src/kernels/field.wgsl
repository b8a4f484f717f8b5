// The field of 2^128 elements: products of polynomials by those of integers with holes, in three classes of places, of which
// six at most meet in one.
struct Wide { low: vec4<u32>, high: vec4<u32> }
fn product16(a: u32, b: u32) -> u32 {
  let a0 = a & 0x9249u; let a1 = a & 0x2492u; let a2 = a & 0x4924u;
  let b0 = b & 0x9249u; let b1 = b & 0x2492u; let b2 = b & 0x4924u;
  let c0 = (a0 * b0) ^ (a1 * b2) ^ (a2 * b1);
  let c1 = (a0 * b1) ^ (a1 * b0) ^ (a2 * b2);
  let c2 = (a0 * b2) ^ (a1 * b1) ^ (a2 * b0);
  return (c0 & 0x49249249u) | (c1 & 0x92492492u) | (c2 & 0x24924924u);
}
fn product32(a: u32, b: u32) -> vec2<u32> {
  let low = product16(a & 0xffffu, b & 0xffffu);
  let high = product16(a >> 16u, b >> 16u);
  let middle = product16((a ^ (a >> 16u)) & 0xffffu, (b ^ (b >> 16u)) & 0xffffu) ^ low ^ high;
  return vec2(low ^ (middle << 16u), high ^ (middle >> 16u));
}
fn product64(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
  let low = product32(a.x, b.x);
  let high = product32(a.y, b.y);
  let middle = product32(a.x ^ a.y, b.x ^ b.y) ^ low ^ high;
  return vec4(low.x, low.y ^ middle.x, high.x ^ middle.y, high.y);
}
fn product(a: vec4<u32>, b: vec4<u32>) -> Wide {
  let low = product64(a.xy, b.xy);
  let high = product64(a.zw, b.zw);
  let middle = product64(a.xy ^ a.zw, b.xy ^ b.zw) ^ low ^ high;
  return Wide(vec4(low.xy, low.zw ^ middle.xy), vec4(high.xy ^ middle.zw, high.zw));
}
fn with_product(sum: Wide, a: vec4<u32>, b: vec4<u32>) -> Wide {
  let c = product(a, b);
  return Wide(sum.low ^ c.low, sum.high ^ c.high);
}
fn left(h: vec4<u32>, n: u32) -> vec4<u32> {
  return (h << vec4(n)) | (vec4(0u, h.xyz) >> vec4(32u - n));
}
// X^128 = X^7 + X^2 + X + 1
fn reduced(a: Wide) -> vec4<u32> {
  let h = a.high;
  let out = (h.w >> 31u) ^ (h.w >> 30u) ^ (h.w >> 25u);
  let folded = a.low ^ h ^ left(h, 1u) ^ left(h, 2u) ^ left(h, 7u);
  return vec4(folded.x ^ out ^ (out << 1u) ^ (out << 2u) ^ (out << 7u), folded.yzw);
}
