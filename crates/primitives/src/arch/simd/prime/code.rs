//! The code: rows that each add up ten entries of a table.

use super::Halves;
use crate::aes::Aes128;
use crate::arch::WEIGHT;
use crate::arch::prime::Coordinates;
use crate::arch::simd::Simd;
use crate::arch::simd::trees::{ENCODED, INDEX_BLOCKS, draw_offsets};
use crate::field::F128;
use crate::mac::Tagged;

#[inline(always)]
pub(in crate::arch) unsafe fn encode_keys<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(
    matrix: &Aes128,
    first: u64,
    table: &[E],
    rows: &mut [E],
) {
    // SAFETY: the caller's.
    unsafe { encode::<V, B, E>(matrix, first, table, rows) }
}

#[inline(always)]
pub(in crate::arch) unsafe fn encode_tagged<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(
    matrix: &Aes128,
    first: u64,
    table: &[Tagged<B, E>],
    rows: &mut [Tagged<B, E>],
) {
    // SAFETY: the caller's.
    unsafe { encode::<V, B, Tagged<B, E>>(matrix, first, table, rows) }
}

/// The code on entries that are made of elements of `B`: what fills lanes is added up lane by lane, the rest
/// one by one.
#[inline(always)]
unsafe fn encode<V: Simd, B: Halves, T>(matrix: &Aes128, first: u64, table: &[T], rows: &mut [T]) {
    let mut block = first as u128 * WEIGHT as u128 / 4;
    let mut blocks = [F128(0); INDEX_BLOCKS];
    for rows in rows.chunks_mut(ENCODED) {
        // SAFETY: the caller upholds the condition of `Simd`, that the offsets fit 32 bits, and that an entry
        // is made of elements.
        unsafe {
            let offsets = draw_offsets::<V, _>(matrix, block, table, &mut blocks);
            for (j, row) in rows.iter_mut().enumerate() {
                encode_row::<V::One, B, T>(table.as_ptr(), offsets.add(WEIGHT * j), row);
            }
        }
        block += INDEX_BLOCKS as u128;
    }
}

/// Adds to a row of elements the entries at ten offsets in bytes.
#[inline(always)]
unsafe fn encode_row<V: Simd, B: Halves, T>(table: *const T, offsets: *const u32, row: &mut T) {
    let row: *mut B = core::ptr::from_mut(row).cast();
    // An entry is one lane, or one element more or less.
    let (lane, last) = const {
        let elements = size_of::<T>() / size_of::<B>();
        assert!(elements.abs_diff(B::TO_A_LANE) <= 1);
        (elements >= B::TO_A_LANE, elements != B::TO_A_LANE)
    };
    let at = if lane { B::TO_A_LANE } else { 0 };
    // SAFETY: the caller's.
    unsafe {
        let (mut heap, mut pile) = (B::empty::<V>(), B::pile(B::ZERO));
        if lane {
            B::heap(&mut heap, row);
        }
        if last {
            pile += B::pile(*row.add(at));
        }
        for i in 0..WEIGHT {
            let entry: *const B = table.byte_add(*offsets.add(i) as usize).cast();
            if lane {
                B::heap(&mut heap, entry);
            }
            if last {
                // Of plain reads the compiler makes gathers, which take more than twice as long.
                pile += B::pile(entry.add(at).read_volatile());
            }
        }
        if lane {
            B::settle(heap, row);
        }
        if last {
            *row.add(at) = B::settle_pile(pile);
        }
    }
}
