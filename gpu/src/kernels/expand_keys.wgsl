// The key schedule: `raw` has keys, of which each thread expands two, from number `start` on, into `keys`, from number `to` on.
struct Parameters { count: u32, start: u32, to: u32, unused: u32 }
var<immediate> p: Parameters;
@group(0) @binding(1) var<storage, read_write> keys: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> raw: array<vec4<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = 2u * id.x;
  if (i >= p.count) { return; }
  schedule(State(raw[p.start + i], raw[p.start + min(i + 1u, p.count - 1u)]), p.to + i, i + 1u < p.count);
}
