// AES-128 on blocks that are public, under keys that are, by a table: of each byte, what it adds to its column in a round. Each
// bank of a workgroup's memory has a copy, so that threads of a group do not wait for each other.
@group(0) @binding(9) var<storage, read> columns: array<u32>;
const COPIES = 32u;
var<workgroup> table: array<u32, 8192>;

// So many threads of a group share the table, for which there is room but once or a few times.
const THREADS = 1024u;

// To be called by all threads of a group, of which this is number l.
fn fill_table(l: u32) {
  for (var i = l; i < 256u * COPIES; i += THREADS) { table[i] = columns[i / COPIES]; }
  workgroupBarrier();
}
fn looked_up(bytes: vec4<u32>, copy: u32) -> vec4<u32> {
  let at = (bytes & vec4(0xffu)) * COPIES + copy;
  return vec4(table[at.x], table[at.y], table[at.z], table[at.w]);
}
fn turned_by(v: vec4<u32>, bits: u32) -> vec4<u32> { return (v << vec4(bits)) | (v >> vec4(32u - bits)); }
fn next_round(s: vec4<u32>, key: vec4<u32>, copy: u32) -> vec4<u32> {
  return looked_up(s, copy)
    ^ turned_by(looked_up(s.yzwx >> vec4(8u), copy), 8u)
    ^ turned_by(looked_up(s.zwxy >> vec4(16u), copy), 16u)
    ^ turned_by(looked_up(s.wxyz >> vec4(24u), copy), 24u)
    ^ key;
}
// Without the mixing of columns: an entry's second byte is the substituted one.
fn last_round(s: vec4<u32>, key: vec4<u32>, copy: u32) -> vec4<u32> {
  let a = (looked_up(s, copy) >> vec4(8u)) & vec4(0xffu);
  let b = looked_up(s.yzwx >> vec4(8u), copy) & vec4(0xff00u);
  let c = (looked_up(s.zwxy >> vec4(16u), copy) << vec4(8u)) & vec4(0xff0000u);
  let d = (looked_up(s.wxyz >> vec4(24u), copy) << vec4(16u)) & vec4(0xff000000u);
  return (a | b | c | d) ^ key;
}
struct Two { first: vec4<u32>, second: vec4<u32> }
// Two blocks encrypted under the round keys that begin at `key`, by the thread of a group with number l.
fn public_encrypted(blocks: Two, key: u32, l: u32) -> Two {
  let copy = l % COPIES;
  var s = Two(blocks.first ^ keys[key], blocks.second ^ keys[key]);
  for (var round = 1u; round < 10u; round++) {
    let by = keys[key + round];
    s = Two(next_round(s.first, by, copy), next_round(s.second, by, copy));
  }
  let by = keys[key + 10u];
  return Two(last_round(s.first, by, copy), last_round(s.second, by, copy));
}
