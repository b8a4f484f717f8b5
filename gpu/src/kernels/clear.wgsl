// A prover's first walk, in the clear: a bit for each lane. A thread has 32 lanes. The corrections of shares are put where
// zeroes are, a word behind their places, as the bits of shares are.
@group(0) @binding(2) var<storage, read_write> values: array<u32>;
@group(0) @binding(3) var<storage, read> witness: array<u32>;
@group(0) @binding(4) var<storage, read> bits: array<u32>;
@group(0) @binding(5) var<storage, read_write> corrections: array<atomic<u32>>;

fn ones(count: i32) -> u32 { return select((1u << (u32(count) & 31u)) - 1u, 0xffffffffu, count >= 32); }

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let w = id.x;
  if (w >= p.words) { return; }
  let count = clamp(i32(p.lanes) - 32 * i32(w), 0, 32);
  var base = p.base + 32 * i32(w);
  for (var i = p.first; i < p.end; i++) {
    let step = steps[i];
    let out = step.y * p.words + w;
    let a = step.z * p.words + w;
    switch step.x {
      case ADD { values[out] = values[a] ^ values[step.w * p.words + w]; }
      case CONSTANT { values[out] = 0u - step.z; }
      case MUL, WITNESS {
        var value = 0u;
        if (step.x == MUL) { value = values[a] & values[step.w * p.words + w]; } else { value = witness[a]; }
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
          values[out] = (values[out] & ~mask) | (value & mask);
        }
        base += i32(p.lanes);
      }
      default {}
    }
  }
}
