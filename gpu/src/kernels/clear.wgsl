// A prover's first walk, in the clear: a bit for each lane. A thread has 32 lanes. The corrections of shares are put where
// zeroes are, a word behind their places, as the bits of shares are.
@group(0) @binding(2) var<storage, read_write> values: array<u32>;
@group(0) @binding(3) var<storage, read> witness: array<u32>;
@group(0) @binding(4) var<storage, read> bits: array<u32>;
@group(0) @binding(5) var<storage, read_write> corrections: array<atomic<u32>>;

fn ones(count: i32) -> u32 { return select((1u << (u32(count) & 31u)) - 1u, 0xffffffffu, count >= 32); }

var<private> w: u32;
var<private> count: i32;
var<private> base: i32;

fn wire_on(slot: u32) -> u32 { return values[slot * p.words + w]; }
// An operand, where a step before may have made it.
fn handed(was: u32, slot: u32, before: vec4<u32>, made: u32) -> u32 { return select(was, made, slot == before.y); }
// What a step makes of its operands.
fn done(step: vec4<u32>, x: u32, y: u32) -> u32 {
  let out = step.y * p.words + w;
  var made = 0u;
  switch step.x {
    case ADD { made = x ^ y; }
    case CONSTANT { made = 0u - step.z; }
    case MUL, WITNESS {
      var value = x & y;
      if (step.x == WITNESS) { value = witness[step.z * p.words + w]; }
      made = values[out];
      let from_lane = clamp(p.from_share - base, 0, 32);
      let to_lane = clamp(p.to_share - base, 0, count);
      if (from_lane < to_lane) {
        let mask = ones(to_lane) & ~ones(from_lane);
        let at = u32(base + 32);
        let word = at >> 5u;
        let shift = at & 31u;
        // The bits of the next word, if any: a shift by 32 is none.
        let behind = select(0u, bits[word + 1u] << ((32u - shift) & 31u), shift > 0u);
        let wrong = (value ^ ((bits[word] >> shift) | behind)) & mask;
        atomicOr(&corrections[word], wrong << shift);
        if (shift > 0u) { atomicOr(&corrections[word + 1u], wrong >> (32u - shift)); }
        made = (made & ~mask) | (value & mask);
      }
      base += i32(p.lanes);
    }
    default { return made; }
  }
  values[out] = made;
  return made;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  w = id.x;
  if (w >= p.words) { return; }
  count = clamp(i32(p.lanes) - 32 * i32(w), 0, 32);
  base = p.base + 32 * i32(w);
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
}
