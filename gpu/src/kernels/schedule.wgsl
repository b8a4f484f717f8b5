// Rows of each plane as they stand after so many rounds: row r by n*r columns to the right.
fn shifted(v: vec4<u32>, n: u32) -> vec4<u32> {
  var out = v & vec4(0xffu);
  for (var r = 1u; r < 4u; r++) {
    let k = (n * r) & 3u;
    let mask = 0x11u * ((1u << k) - 1u);
    let row = (v >> vec4(8u * r)) & vec4(0xffu);
    out |= (((row << vec4(k)) & vec4(0xffu & ~mask)) | ((row >> vec4(4u - k)) & vec4(mask))) << vec4(8u * r);
  }
  return out;
}
// Puts the keys of a round of one of the blocks on both.
fn put(s: State, round: u32, key: u32, second: bool) {
  let half = select(vec4(0x0f0f0f0fu), vec4(0xf0f0f0f0u), second);
  let low = s.low & half;
  let high = s.high & half;
  let at = KEY * key + 2u * round;
  let n = select(round & 3u, 0u, round == 10u);
  keys[at] = shifted(select(low | (low << vec4(4u)), low | (low >> vec4(4u)), second), n);
  keys[at + 1u] = shifted(select(high | (high << vec4(4u)), high | (high >> vec4(4u)), second), n);
}
// The last column of each row, rotated by a row, as the first.
fn turned(v: vec4<u32>) -> vec4<u32> {
  let last = (v & vec4(0x88888888u)) >> vec4(3u);
  return (last >> vec4(8u)) | (last << vec4(24u));
}
fn summed(v: vec4<u32>) -> vec4<u32> {
  let t = v ^ ((v << vec4(1u)) & vec4(0xeeeeeeeeu));
  return t ^ ((t << vec4(2u)) & vec4(0xccccccccu));
}
// Expands two keys into number `key` and, if there are two, the next.
fn schedule(raw: State, key: u32, two: bool) {
  var s = transposed(raw);
  var constant = 1u;
  for (var round = 0u; round <= 10u; round++) {
    if (round > 0u) {
      let t = substituted(s);
      // Into row 0 and column 0 of both blocks.
      let low = (vec4(constant) >> vec4(0u, 1u, 2u, 3u)) & vec4(1u);
      let high = (vec4(constant) >> vec4(4u, 5u, 6u, 7u)) & vec4(1u);
      s = State(summed(s.low ^ turned(t.low) ^ (low * 0x11u)), summed(s.high ^ turned(t.high) ^ (high * 0x11u)));
      constant = (constant << 1u) ^ ((constant >> 7u) * 0x11bu);
    }
    put(s, round, key, false);
    if (two) { put(s, round, key + 1u, true); }
  }
}
