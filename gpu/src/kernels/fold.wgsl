// A walk under MACs or keys, once the challenge is known: a thread has a lane. Of a product nothing is kept but its part of
// two sums.
@group(0) @binding(2) var<storage, read_write> wires: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> shares: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> corrections: array<u32>;
@group(0) @binding(5) var<storage, read> chi: array<vec4<u32>>;
// The share of the public value one.
@group(0) @binding(6) var<storage, read> one: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> sums: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> asserted: array<vec4<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let lane = id.x;
  if (lane >= p.lanes) { return; }
  var share = p.base + i32(lane);
  var zeroes = p.asserted + lane;
  var first = Wide(vec4(0u), vec4(0u));
  var second = first;
  for (var i = p.first; i < p.end; i++) {
    let step = steps[i];
    let out = step.y * p.lanes + lane;
    let a = step.z * p.lanes + lane;
    switch step.x {
      case ADD { wires[out] = wires[a] ^ wires[step.w * p.lanes + lane]; }
      case CONSTANT { wires[out] = one[0] & vec4(0u - step.z); }
      case MUL, WITNESS {
        if (p.from_share <= share && share < p.to_share) {
          let number = u32(share);
          let wrong = (corrections[(number >> 5u) + 1u] >> (number & 31u)) & 1u;
          let made = shares[number] ^ (one[0] & vec4(0u - wrong));
          if (step.x == MUL) {
            let x = wires[a];
            let y = wires[step.w * p.lanes + lane];
            first = with_product(first, chi[number], reduced(product(x, y)));
            second = with_product(second, chi[number], lower(x, y, made));
          }
          wires[out] = made;
        }
        share += i32(p.lanes);
      }
      case ASSERT {
        asserted[zeroes] = wires[a];
        zeroes += p.lanes;
      }
      default {}
    }
  }
  sums[2u * lane] ^= reduced(first);
  sums[2u * lane + 1u] ^= reduced(second);
}
