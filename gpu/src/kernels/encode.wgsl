// Adds the encoded secret to rows: ten entries of the table each, at places that are public. Each thread has four rows,
// whose places are ten blocks of the cipher under key 0.
struct Parameters { first: u32, rows: u32, at: u32, size: u32 }
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read> keys: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> nodes: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> table: array<vec4<u32>>;
// The numbers of tiles, of which those from the first on are these.
@group(0) @binding(4) var<storage, read> numbers: array<u32>;

// (word*size) >> 32
fn entry(word: u32) -> vec4<u32> {
  let low = (word & 0xffffu) * (p.size & 0xffffu);
  let a = (word >> 16u) * (p.size & 0xffffu);
  let b = (word & 0xffffu) * (p.size >> 16u);
  let carry = ((low >> 16u) + (a & 0xffffu) + (b & 0xffffu)) >> 16u;
  return table[(word >> 16u) * (p.size >> 16u) + (a >> 16u) + (b >> 16u) + carry];
}
fn two(v: vec2<u32>) -> vec4<u32> { return entry(v.x) ^ entry(v.y); }
fn four(v: vec4<u32>) -> vec4<u32> { return two(v.xy) ^ two(v.zw); }
fn words(block: u32) -> State {
  return encrypted(State(vec4(block, 0u, 0u, 0u), vec4(block + 1u, 0u, 0u, 0u)), 0u);
}

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let row = 4u * id.x;
  if (row >= p.rows) { return; }
  let block = (numbers[p.first + row / 4096u] * 4096u + row % 4096u) / 4u * 10u;
  let at = p.at + row;
  let a = words(block);
  let b = words(block + 2u);
  nodes[at] ^= four(a.low) ^ four(a.high) ^ two(b.low.xy);
  let c = words(block + 4u);
  nodes[at + 1u] ^= two(b.low.zw) ^ four(b.high) ^ four(c.low);
  let d = words(block + 6u);
  nodes[at + 2u] ^= four(c.high) ^ four(d.low) ^ two(d.high.xy);
  let e = words(block + 8u);
  nodes[at + 3u] ^= two(d.high.zw) ^ four(e.low) ^ four(e.high);
}
