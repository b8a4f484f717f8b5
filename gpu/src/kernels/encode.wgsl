// Rows: leaves, and the encoded secret, which is ten entries of the table each, at places that are public. Each thread has
// four rows, whose places are ten blocks of the cipher under the matrix's key.
struct Parameters { first: u32, rows: u32, to: u32, size: u32, leaves: u32 }
var<immediate> p: Parameters;
@group(0) @binding(1) var<storage, read> keys: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> rows: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> secret: array<vec4<u32>>;
// The numbers of tiles, of which those from the first on are these.
@group(0) @binding(4) var<storage, read> numbers: array<u32>;
// The leaves of tiles, from that number on.
@group(0) @binding(5) var<storage, read> leaves: array<vec4<u32>>;
const TILE = 4096u;

// (word*size) >> 32
fn entry(word: u32) -> vec4<u32> {
  let low = (word & 0xffffu) * (p.size & 0xffffu);
  let a = (word >> 16u) * (p.size & 0xffffu);
  let b = (word & 0xffffu) * (p.size >> 16u);
  let carry = ((low >> 16u) + (a & 0xffffu) + (b & 0xffffu)) >> 16u;
  return secret[(word >> 16u) * (p.size >> 16u) + (a >> 16u) + (b >> 16u) + carry];
}
fn two(v: vec2<u32>) -> vec4<u32> { return entry(v.x) ^ entry(v.y); }
fn four(v: vec4<u32>) -> vec4<u32> { return two(v.xy) ^ two(v.zw); }

@compute @workgroup_size(1024)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
  fill_table(l);
  let row = 4u * id.x;
  if (row >= p.rows) { return; }
  let output = numbers[p.first + row / TILE] * TILE + row % TILE;
  let block = output / 4u * 10u;
  let leaf = output - p.leaves * TILE;
  let to = p.to + row;
  let a = words(block, l);
  let b = words(block + 2u, l);
  rows[to] = leaves[leaf] ^ four(a.first) ^ four(a.second) ^ two(b.first.xy);
  let c = words(block + 4u, l);
  rows[to + 1u] = leaves[leaf + 1u] ^ two(b.first.zw) ^ four(b.second) ^ four(c.first);
  let d = words(block + 6u, l);
  rows[to + 2u] = leaves[leaf + 2u] ^ four(c.second) ^ four(d.first) ^ two(d.second.xy);
  let e = words(block + 8u, l);
  rows[to + 3u] = leaves[leaf + 3u] ^ two(d.second.zw) ^ four(e.first) ^ four(e.second);
}
fn words(block: u32, l: u32) -> Two {
  return public_encrypted(Two(vec4(block, 0u, 0u, 0u), vec4(block + 1u, 0u, 0u, 0u)), 0u, l);
}
