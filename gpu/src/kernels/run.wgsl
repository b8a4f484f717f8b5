// A run: some steps of a function on the lanes of a wave, whose commitments take consecutive shares of a turn.
struct Parameters {
  lanes: u32,
  words: u32,
  // The steps, and where asserted wires are put.
  first: u32,
  end: u32,
  asserted: u32,
  // The share of lane 0 of the first commitment, which may be before the run, and the shares of the run.
  base: i32,
  from_share: i32,
  to_share: i32,
}
@group(0) @binding(0) var<uniform> p: Parameters;
// Kind, slot of the result, operands.
@group(0) @binding(1) var<storage, read> steps: array<vec4<u32>>;
const ADD = 0u;
const CONSTANT = 1u;
const MUL = 2u;
const WITNESS = 3u;
const ASSERT = 4u;
