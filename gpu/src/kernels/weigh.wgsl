// The sums of the check of trees, tile by tile, a workgroup for each: of the leaves times their coefficients, and of the
// coefficients of leaves whose bit 0 is one.
struct Parameters { leaves: u32, to: u32 }
var<immediate> p: Parameters;
@group(0) @binding(1) var<storage, read> leaves: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> chi: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> weighed: array<vec4<u32>>;
const TILE = 4096u;
const THREADS = 256u;
var<workgroup> products: array<vec4<u32>, 256>;
var<workgroup> values: array<vec4<u32>, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) l: u32) {
  var sum = Wide(vec4(0u), vec4(0u));
  var value = vec4(0u);
  for (var i = l; i < TILE; i += THREADS) {
    let leaf = leaves[(p.leaves + group.x) * TILE + i];
    let weight = chi[group.x * TILE + i];
    sum = with_product(sum, weight, leaf);
    value ^= weight & vec4(0u - (leaf.x & 1u));
  }
  products[l] = reduced(sum);
  values[l] = value;
  for (var n = THREADS / 2u; n > 0u; n >>= 1u) {
    workgroupBarrier();
    if (l < n) {
      products[l] ^= products[l + n];
      values[l] ^= values[l + n];
    }
  }
  if (l == 0u) {
    weighed[2u * (p.to + group.x)] = products[0];
    weighed[2u * (p.to + group.x) + 1u] = values[0];
  }
}
