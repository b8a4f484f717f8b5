// Adds the parts of products to two sums of each thread, with coefficients: two of each block of the cipher under key 0.
struct Parameters { shares: u32, threads: u32, start: u32, unused: u32, nonce: vec2<u32>, padding: vec2<u32> }
var<immediate> p: Parameters;
@group(0) @binding(1) var<storage, read> keys: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> products: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> sums: array<vec4<u32>>;

fn with_share(so_far: vec4<u32>, number: u32, word: vec2<u32>) -> vec4<u32> {
  let parts = products[number];
  let chi = reduced(word);
  return vec4(sum(so_far.xy, product(chi, parts.xy)), sum(so_far.zw, product(chi, parts.zw)));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= p.threads) { return; }
  var all = sums[id.x];
  for (var share = 4u * id.x; share < p.shares; share += 4u * p.threads) {
    let block = p.start + share / 2u;
    let made = encrypted(State(vec4(block, 0u, p.nonce), vec4(block + 1u, 0u, p.nonce)), 0u);
    all = with_share(all, share, made.low.xy);
    all = with_share(all, share + 1u, made.low.zw);
    all = with_share(all, share + 2u, made.high.xy);
    all = with_share(all, share + 3u, made.high.zw);
  }
  sums[id.x] = all;
}
