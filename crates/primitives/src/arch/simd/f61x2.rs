//! The code over the square of F_{2^61-1}: three words to a row, of which the first two are a lane.

use super::Simd;
use super::f61::{fold, settle};
use super::trees::{ENCODED, INDEX_BLOCKS, draw_offsets};
use crate::aes::Aes128;
use crate::arch::WEIGHT;
use crate::arch::f61x2::Row;
use crate::field::{F61, F128};

#[inline(always)]
pub(in crate::arch) unsafe fn encode_tagged<V: Simd>(
    matrix: &Aes128,
    first: u64,
    table: &[Row],
    rows: &mut [Row],
) {
    let mut block = first as u128 * WEIGHT as u128 / 4;
    let mut blocks = [F128(0); INDEX_BLOCKS];
    for rows in rows.chunks_mut(ENCODED) {
        // SAFETY: the caller upholds the condition of `Simd` and that the offsets fit 32 bits. A row and an
        // entry are three words, of which a lane covers two.
        unsafe {
            let offsets = draw_offsets::<V, _>(matrix, block, table, &mut blocks);
            for (j, row) in rows.iter_mut().enumerate() {
                let row: *mut F61 = core::ptr::from_mut(row).cast();
                let (mut sum, mut last) = (V::One::load(row.cast()), (*row.add(2)).get());
                for i in 0..WEIGHT {
                    let entry = table.as_ptr().byte_add(*offsets.add(WEIGHT * j + i) as usize);
                    sum = sum.add(V::One::load(entry.cast()));
                    // Volatile as in the code over 2^61 - 1.
                    last += entry.cast::<F61>().add(2).read_volatile().get();
                    if i == 6 {
                        // Eight elements fill 64 bits.
                        sum = fold(sum);
                        last = F61::new(last).get();
                    }
                }
                settle(fold(sum)).store(row.cast());
                *row.add(2) = F61::new(last);
            }
        }
        block += INDEX_BLOCKS as u128;
    }
}
