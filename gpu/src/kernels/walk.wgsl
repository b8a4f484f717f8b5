// A walk over elements under MACs or keys: a thread has a lane. Where a share was are then the parts of its product, for the
// check. A run is some steps of a function on the lanes of a wave, whose commitments take consecutive shares of a turn.
struct Parameters {
  lanes: u32,
  // The steps, and where asserted wires are put, and the polynomials of asserted products.
  first: u32,
  end: u32,
  asserted: u32,
  vanishing: u32,
  // The share of lane 0 of the first commitment, which may be before the run, and the shares of the run.
  base: i32,
  from_share: i32,
  to_share: i32,
}
var<immediate> p: Parameters;
// Kind, slot of the result, operands.
@group(0) @binding(1) var<storage, read> steps: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> wires: array<Row>;
@group(0) @binding(3) var<storage, read_write> rows: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> corrections: array<vec2<u32>>;
// Constants and public factors.
@group(0) @binding(5) var<storage, read> constants: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> asserted: array<Row>;
@group(0) @binding(8) var<storage, read_write> vanishing: array<vec2<u32>>;
const ADD = 0u;
const CONSTANT = 1u;
const MUL = 2u;
const WITNESS = 3u;
const ASSERT = 4u;
const SCALE = 5u;
const ASSERT_PRODUCT = 6u;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let lane = id.x;
  if (lane >= p.lanes) { return; }
  var share = p.base + i32(lane);
  var zeroes = p.asserted + lane;
  var polynomials = p.vanishing + lane;
  for (var i = p.first; i < p.end; i++) {
    let step = steps[i];
    let out = step.y * p.lanes + lane;
    let a = step.z * p.lanes + lane;
    switch step.x {
      case ADD { wires[out] = plus(wires[a], wires[step.w * p.lanes + lane]); }
      case SCALE { wires[out] = times(wires[a], constants[step.w]); }
      case CONSTANT { wires[out] = constant(constants[step.z]); }
      case MUL, WITNESS {
        if (p.from_share <= share && share < p.to_share) {
          let number = u32(share);
          if (step.x == MUL) {
            wires[out] = multiplied(number, wires[a], wires[step.w * p.lanes + lane]);
          } else {
            wires[out] = taken(number, a);
            rows[number] = vec4(0u);
          }
        }
        share += i32(p.lanes);
      }
      case ASSERT {
        asserted[zeroes] = wires[a];
        zeroes += p.lanes;
      }
      case ASSERT_PRODUCT {
        vanish(polynomials, wires[a], wires[step.w * p.lanes + lane], wires[out]);
        polynomials += PARTS * p.lanes;
      }
      default {}
    }
  }
}
