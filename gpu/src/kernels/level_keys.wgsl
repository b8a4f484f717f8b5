// The keys of the hashes of levels 2 and on of tiles in a row: the cipher under key 0 on the number of a tile and a level's.
struct Parameters { tiles: u32, first: u32, levels: u32, to: u32 }
var<immediate> p: Parameters;
@group(0) @binding(1) var<storage, read_write> keys: array<vec4<u32>>;

fn block(i: u32) -> vec4<u32> {
  let tile = p.first + i / p.levels;
  return vec4((tile << 8u) | (2u + i % p.levels), tile >> 24u, 0u, 0u);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = 2u * id.x;
  let count = p.tiles * p.levels;
  if (i >= count) { return; }
  schedule(encrypted(State(block(i), block(i + 1u)), 0u), p.to + i, i + 1u < count);
}
