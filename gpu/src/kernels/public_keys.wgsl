// The key schedule of public keys, each `every` blocks of `raw` from the first on: 11 round keys each, a thread to a key.
struct Parameters { count: u32, every: u32 }
var<immediate> p: Parameters;
@group(0) @binding(1) var<storage, read_write> keys: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> raw: array<vec4<u32>>;
@group(0) @binding(9) var<storage, read> columns: array<u32>;

// The substituted byte of `word` at this shift.
fn substituted(word: u32, shift: u32) -> u32 { return ((columns[(word >> shift) & 0xffu] >> 8u) & 0xffu) << shift; }

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= p.count) { return; }
  var key = raw[id.x * p.every];
  keys[11u * id.x] = key;
  var constant = 1u;
  for (var round = 1u; round <= 10u; round++) {
    let word = (key.w >> 8u) | (key.w << 24u);
    key.x ^= substituted(word, 0u) ^ substituted(word, 8u) ^ substituted(word, 16u) ^ substituted(word, 24u) ^ constant;
    key.y ^= key.x;
    key.z ^= key.y;
    key.w ^= key.z;
    keys[11u * id.x + round] = key;
    constant = (constant << 1u) ^ ((constant >> 7u) * 0x11bu);
  }
}
