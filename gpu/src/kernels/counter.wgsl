// The cipher under key 0 on the numbers from zero on, beside a nonce.
struct Parameters { count: u32, unused: u32, nonce: vec2<u32> }
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read> keys: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> blocks: array<vec4<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = 2u * id.x;
  if (i >= p.count) { return; }
  let made = encrypted(State(vec4(i, 0u, p.nonce), vec4(i + 1u, 0u, p.nonce)), 0u);
  blocks[i] = made.low;
  if (i + 1u < p.count) { blocks[i + 1u] = made.high; }
}
