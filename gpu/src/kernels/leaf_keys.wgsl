// The keys of the hashes of levels 2 and on of tiles, and of their leaves: the cipher under key 1 on the number of a tile and
// a slot's.
struct Parameters { tiles: u32, first: u32, levels: u32, to: u32 }
var<immediate> p: Parameters;
@group(0) @binding(1) var<storage, read_write> keys: array<vec4<u32>>;
// The numbers of tiles, of which those from the first on are these.
@group(0) @binding(2) var<storage, read> numbers: array<u32>;
const LEAVES = 64u;

fn block(i: u32) -> vec4<u32> {
  let tile = numbers[p.first + min(i / p.levels, p.tiles - 1u)];
  let level = i % p.levels;
  let slot = select(2u + level, LEAVES, level + 1u == p.levels);
  return vec4((tile << 8u) | slot, tile >> 24u, 0u, 0u);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = 2u * id.x;
  let count = p.tiles * p.levels;
  if (i >= count) { return; }
  schedule(encrypted(State(block(i), block(i + 1u)), 1u), p.to + i, i + 1u < count);
}
