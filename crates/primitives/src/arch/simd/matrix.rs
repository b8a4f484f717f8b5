//! Tiles of matrix products. The sums of two vectors for each row stay in registers, of which x86-64 has sixteen.

use super::Simd;
use crate::arch::matrix::{COLUMNS, ORIGIN, ROWS, Tile};
use crate::field::F128;

/// A vector with `number` in every half.
#[inline(always)]
unsafe fn splat<V: Simd>(number: f64) -> V {
    let bits = u128::from(number.to_bits());
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe { V::splat(F128(bits << 64 | bits)) }
}

#[inline(always)]
pub(in super::super) unsafe fn add_tile<V: Simd>(a: &[[f64; ROWS]], b: &[[f64; COLUMNS]], sums: &mut Tile) {
    let width = 2 * V::LANES;
    // SAFETY: the caller upholds the condition of `Simd`; two vectors divide a row.
    unsafe {
        let origin = splat::<V>(ORIGIN);
        for first in (0..COLUMNS).step_by(2 * width) {
            let mut all = [[origin; 2]; ROWS];
            for (a, b) in a.iter().zip(b) {
                let b = b.as_ptr().add(first);
                let b = [V::load(b.cast()), V::load(b.add(width).cast())];
                for i in 0..ROWS {
                    let a = splat::<V>(a[i]);
                    all[i] = [all[i][0].add_product(a, b[0]), all[i][1].add_product(a, b[1])];
                }
            }
            for (sums, all) in sums.iter_mut().zip(all) {
                for (half, sum) in all.into_iter().enumerate() {
                    let to = sums.as_mut_ptr().add(first + half * width).cast();
                    V::load(to).add(sum.sub(origin)).store(to);
                }
            }
        }
    }
}
