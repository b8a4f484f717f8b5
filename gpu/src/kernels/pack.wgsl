// The lowest bits of words, 32 to a word of bits, for each row from a new word on, behind `before` words.
struct Parameters { rows: u32, lanes: u32, words: u32, before: u32 }
var<immediate> p: Parameters;
@group(0) @binding(1) var<storage, read> wide: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> bits: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= p.rows * p.words) { return; }
  let start = 32u * (id.x % p.words);
  let row = id.x / p.words * p.lanes;
  var word = 0u;
  for (var lane = start; lane < min(start + 32u, p.lanes); lane++) {
    word |= (wide[row + lane].x & 1u) << (lane - start);
  }
  bits[p.before + id.x] = word;
}
