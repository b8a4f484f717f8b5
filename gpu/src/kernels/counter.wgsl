// Generators' output: `each` blocks of each seed, which are the cipher under its key on the numbers from zero on, beside its
// nonce. A thread has four blocks.
struct Parameters { count: u32, each: u32 }
var<immediate> p: Parameters;
@group(0) @binding(1) var<storage, read> keys: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> blocks: array<vec4<u32>>;
// A key and a nonce to each.
@group(0) @binding(3) var<storage, read> seeds: array<vec4<u32>>;

@compute @workgroup_size(1024)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
  fill_table(l);
  for (var i = 4u * id.x; i < min(4u * id.x + 4u, p.count); i += 2u) {
    // Of one seed: each has an even number of blocks, or is the only one.
    let seed = i / p.each;
    let number = i % p.each;
    let nonce = seeds[2u * seed + 1u].xy;
    let made = public_encrypted(Two(vec4(number, 0u, nonce), vec4(number + 1u, 0u, nonce)), 11u * seed, l);
    blocks[i] = made.first;
    if (i + 1u < p.count) { blocks[i + 1u] = made.second; }
  }
}
