//! Transposes of bit matrices.

use super::Simd;
use crate::field::F128;

#[inline(always)]
pub(in super::super) unsafe fn transpose<V: Simd>(columns: &[F128], rows: &mut [F128]) {
    let (blocks, rows) = (rows.len() / 128, rows.as_mut_ptr());
    // SAFETY: the caller upholds the condition of `Simd` and that the lengths are equal multiples of 128.
    unsafe {
        let whole = blocks - blocks % V::LANES;
        for block in (0..whole).step_by(V::LANES) {
            transpose_at::<V>(block, columns, rows);
        }
        for block in whole..blocks {
            transpose_at::<V::One>(block, columns, rows);
        }
    }
}

/// Swaps the upper right with the lower left quarter of a square of 2·J bits, in each of its
/// copies along the lanes.
#[inline(always)]
pub(super) unsafe fn swap<V: Simd, const J: u32>(upper: &mut V, lower: &mut V) {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        // The low J bits of every 2·J.
        let low = V::splat(F128(u128::MAX / ((1u128 << J) + 1)));
        let moved = upper.shr::<J>().xor(*lower).and(low);
        *upper = upper.xor(moved.shl::<J>());
        *lower = lower.xor(moved);
    }
}

/// Transposes `LANES` squares of 128 x 128 bits, from block `block` on: rounds for squares of 128 down to 2
/// bits, in passes that keep 8 vectors in registers.
#[inline(always)]
unsafe fn transpose_at<V: Simd>(block: usize, columns: &[F128], rows: *mut F128) {
    let blocks = columns.len() / 128;
    // SAFETY: the caller upholds the condition of `Simd`; block + LANES <= blocks, so that column p is read
    // within p·blocks..(p+1)·blocks, and the rows written are those of the blocks block..block+LANES.
    unsafe {
        let mut m = [V::splat(F128(0)); 128];
        for i in 0..16 {
            let at = |t: usize| i + 16 * t;
            let mut x = [m[0]; 8];
            for (t, x) in x.iter_mut().enumerate() {
                *x = V::load(columns.as_ptr().add(at(t) * blocks + block));
            }
            for t in 0..4 {
                (x[t], x[t + 4]) = (x[t].low_halves(x[t + 4]), x[t].high_halves(x[t + 4]));
            }
            let [x0, x1, x2, x3, x4, x5, x6, x7] = &mut x;
            swap::<V, 32>(x0, x2);
            swap::<V, 32>(x1, x3);
            swap::<V, 32>(x4, x6);
            swap::<V, 32>(x5, x7);
            swap::<V, 16>(x0, x1);
            swap::<V, 16>(x2, x3);
            swap::<V, 16>(x4, x5);
            swap::<V, 16>(x6, x7);
            for (t, x) in x.into_iter().enumerate() {
                m[at(t)] = x;
            }
        }
        for i in (0..128).step_by(16).flat_map(|i| [i, i + 1]) {
            let at = |t: usize| i + 2 * t;
            let mut x: [V; 8] = core::array::from_fn(|t| m[at(t)]);
            let [x0, x1, x2, x3, x4, x5, x6, x7] = &mut x;
            swap::<V, 8>(x0, x4);
            swap::<V, 8>(x1, x5);
            swap::<V, 8>(x2, x6);
            swap::<V, 8>(x3, x7);
            swap::<V, 4>(x0, x2);
            swap::<V, 4>(x1, x3);
            swap::<V, 4>(x4, x6);
            swap::<V, 4>(x5, x7);
            swap::<V, 2>(x0, x1);
            swap::<V, 2>(x2, x3);
            swap::<V, 2>(x4, x5);
            swap::<V, 2>(x6, x7);
            for (t, x) in x.into_iter().enumerate() {
                m[at(t)] = x;
            }
        }
        for (i, pair) in m.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let [upper, lower] = pair;
            swap::<V, 1>(upper, lower);
            upper.scatter(rows.add(128 * block + 2 * i), 128);
            lower.scatter(rows.add(128 * block + 2 * i + 1), 128);
        }
    }
}
