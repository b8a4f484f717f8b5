// AES-128 on two blocks at a time, under keys of `keys` (bytes.wgsl). The rows of a state are never shifted: after n
// rounds row r stands n*r columns to the left of its place, modulo four, and what mixes columns, and the keys, go by that.

// Column c of each row as its column c + n.
fn columns(v: vec4<u32>, n: u32) -> vec4<u32> {
  let mask = vec4(0x11111111u * ((1u << (4u - n)) - 1u));
  return ((v >> vec4(n)) & mask) | ((v << vec4((4u - n) & 31u)) & ~mask);
}
// Row r as row r + m, with columns so.
fn rows(v: vec4<u32>, m: u32, n: u32) -> vec4<u32> {
  return columns((v >> vec4(8u * m)) | (v << vec4(32u - 8u * m)), n & 3u);
}
// Columns mixed after so many rounds.
fn mixed(s: State, round: u32) -> State {
  let next = State(rows(s.low, 1u, round), rows(s.high, 1u, round));
  let low = s.low ^ next.low;
  let high = s.high ^ next.high;
  let doubled = State(
    vec4(high.w, low.x ^ high.w, low.y, low.z ^ high.w),
    vec4(low.w ^ high.w, high.x, high.y, high.z));
  return State(
    doubled.low ^ next.low ^ rows(low, 2u, 2u * round),
    doubled.high ^ next.high ^ rows(high, 2u, 2u * round));
}
fn with_key(s: State, at: u32) -> State {
  return State(s.low ^ keys[at], s.high ^ keys[at + 1u]);
}
// The blocks of `s` encrypted under key number `key`.
fn encrypted(s: State, key: u32) -> State {
  let at = KEY * key;
  var t = with_key(transposed(s), at);
  // Four rounds at a time, after which all rows are in their places: so all shifts are by constants.
  for (var round = 0u; round < 8u; round += 4u) {
    t = with_key(mixed(substituted(t), 1u), at + 2u * round + 2u);
    t = with_key(mixed(substituted(t), 2u), at + 2u * round + 4u);
    t = with_key(mixed(substituted(t), 3u), at + 2u * round + 6u);
    t = with_key(mixed(substituted(t), 0u), at + 2u * round + 8u);
  }
  t = with_key(mixed(substituted(t), 1u), at + 18u);
  t = substituted(t);
  // Ten rounds: rows one and three by two columns.
  let swapped = State(columns(t.low, 2u), columns(t.high, 2u));
  let odd = vec4(0xff00ff00u);
  t = State((t.low & ~odd) | (swapped.low & odd), (t.high & ~odd) | (swapped.high & odd));
  return transposed(with_key(t, at + 20u));
}
