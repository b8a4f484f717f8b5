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

var<private> lane: u32;
var<private> share: i32;
var<private> zeroes: u32;
var<private> first: Wide;
var<private> second: Wide;

fn wire_on(slot: u32) -> vec4<u32> { return wires[slot * p.lanes + lane]; }
// An operand, where a step before may have made it.
fn handed(was: vec4<u32>, slot: u32, before: vec4<u32>, made: vec4<u32>) -> vec4<u32> {
  return select(was, made, vec4(slot == before.y));
}
// What a step makes of its operands.
fn done(step: vec4<u32>, x: vec4<u32>, y: vec4<u32>) -> vec4<u32> {
  let out = step.y * p.lanes + lane;
  var made = vec4(0u);
  switch step.x {
    case ADD { made = x ^ y; }
    case CONSTANT { made = one[0] & vec4(0u - step.z); }
    case MUL, WITNESS {
      let is_here = p.from_share <= share && share < p.to_share;
      let number = u32(share);
      share += i32(p.lanes);
      // Else another run has it.
      if (!is_here) { return wires[out]; }
      let wrong = (corrections[(number >> 5u) + 1u] >> (number & 31u)) & 1u;
      made = shares[number] ^ (one[0] & vec4(0u - wrong));
      if (step.x == MUL) {
        first = with_product(first, chi[number], reduced(product(x, y)));
        second = with_product(second, chi[number], lower(x, y, made));
      }
    }
    case ASSERT {
      asserted[zeroes] = x;
      zeroes += p.lanes;
      return made;
    }
    default { return made; }
  }
  wires[out] = made;
  return made;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  lane = id.x;
  if (lane >= p.lanes) { return; }
  share = p.base + i32(lane);
  zeroes = p.asserted + lane;
  for (var i = p.first; i < p.end; i += 4u) {
    let a = step_at(i);
    let b = step_at(i + 1u);
    let c = step_at(i + 2u);
    let d = step_at(i + 3u);
    let xa = wire_on(a.z); let ya = wire_on(a.w);
    var xb = wire_on(b.z); var yb = wire_on(b.w);
    var xc = wire_on(c.z); var yc = wire_on(c.w);
    var xd = wire_on(d.z); var yd = wire_on(d.w);
    let made_a = done(a, xa, ya);
    xb = handed(xb, b.z, a, made_a); yb = handed(yb, b.w, a, made_a);
    xc = handed(xc, c.z, a, made_a); yc = handed(yc, c.w, a, made_a);
    xd = handed(xd, d.z, a, made_a); yd = handed(yd, d.w, a, made_a);
    let made_b = done(b, xb, yb);
    xc = handed(xc, c.z, b, made_b); yc = handed(yc, c.w, b, made_b);
    xd = handed(xd, d.z, b, made_b); yd = handed(yd, d.w, b, made_b);
    let made_c = done(c, xc, yc);
    xd = handed(xd, d.z, c, made_c); yd = handed(yd, d.w, c, made_c);
    done(d, xd, yd);
  }
  sums[2u * lane] ^= reduced(first);
  sums[2u * lane + 1u] ^= reduced(second);
}
