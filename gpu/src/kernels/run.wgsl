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
var<immediate> p: Parameters;
// Kind, slot of the result, operands.
@group(0) @binding(1) var<storage, read> steps: array<vec4<u32>>;
const ADD = 0u;
const CONSTANT = 1u;
const MUL = 2u;
const WITNESS = 3u;
const ASSERT = 4u;
// What a step without a result is said to put it on, and a step that does nothing.
const NOWHERE = 0xffffffffu;
const NOTHING = vec4(5u, NOWHERE, 0u, 0u);

// Four steps at a time: their operands are read at once, and what one of them makes is handed to those behind it.
fn step_at(i: u32) -> vec4<u32> {
  if (i < p.end) { return steps[i]; }
  return NOTHING;
}
