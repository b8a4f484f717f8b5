//! Trees and their leaves over F_{2^61-1}: a lane is two elements, or a value and its MAC.
//!
//! 2^61 is one, so that a sum of up to eight elements folds to one below 2p by an addition.

use super::Simd;
use super::leaves::Leaf;
use super::trees::{ENCODED, INDEX_BLOCKS, draw_offsets};
use crate::aes::Aes128;
use crate::arch::f61::Row;
use crate::arch::{WEIGHT, portable};
use crate::field::{F61, F128};
use crate::mac::Holes;

/// A vector with `word` in every half.
#[inline(always)]
pub(super) unsafe fn splat<V: Simd>(word: u64) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe { V::splat(F128(u128::from(word) << 64 | u128::from(word))) }
}

/// Each 64-bit word modulo p, but for a p too many.
#[inline(always)]
pub(super) unsafe fn fold<V: Simd>(x: V) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe { x.and(splat(F61::MODULUS)).add(x.shr::<61>()) }
}

/// The elements of integers below 2p.
#[inline(always)]
pub(super) unsafe fn settle<V: Simd>(x: V) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        // Bit 61 of x + 1 says whether x is p or above; then x - p is x + 1 without that bit.
        let above = x.add(splat(1)).shr::<61>();
        x.add(above).and(splat(F61::MODULUS))
    }
}

impl Leaf for F61 {
    #[inline(always)]
    unsafe fn of<V: Simd>(halves: V) -> V {
        // SAFETY: the caller's.
        unsafe { settle(fold(halves)) }
    }
}

#[inline(always)]
unsafe fn sum_rows_at<V: Simd>(nodes: &[F61], g: usize, sums: &mut [F61]) {
    let trees = sums.len();
    // SAFETY: the caller upholds the condition of `Simd` and that g + 2·LANES <= trees,
    // which divides the length.
    unsafe {
        let mut sum = splat::<V>(0);
        let rows = nodes.len() / trees;
        for first in (0..rows).step_by(7) {
            for row in first..rows.min(first + 7) {
                sum = sum.add(V::load(nodes.as_ptr().add(row * trees + g).cast()));
            }
            sum = fold(sum);
        }
        settle(sum).store(sums.as_mut_ptr().add(g).cast());
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn sum_rows<V: Simd>(nodes: &[F61], sums: &mut [F61]) {
    let trees = sums.len();
    // SAFETY: the caller upholds the condition of `Simd` and that the lengths divide.
    unsafe {
        let (wide, pairs) = (trees - trees % (2 * V::LANES), trees - trees % 2);
        for g in (0..wide).step_by(2 * V::LANES) {
            sum_rows_at::<V>(nodes, g, sums);
        }
        for g in (wide..pairs).step_by(2) {
            sum_rows_at::<V::One>(nodes, g, sums);
        }
    }
    if trees % 2 == 1 {
        sums[trees - 1] = nodes.iter().skip(trees - 1).step_by(trees).copied().sum();
    }
}

#[inline(always)]
unsafe fn puncture_at<V: Simd>(leaves: *const F61, holes: Holes<Row>, rows: *mut Row, half: usize, g: usize) {
    let trees = holes.row.len();
    // SAFETY: the caller upholds the condition of `Simd`, that g + LANES <= trees and that `leaves` and
    // `rows` are valid for 2·half·trees.
    unsafe {
        let target = V::load_high(holes.row.as_ptr().add(g));
        let target = target.high_halves(target);
        let left = V::load(holes.left.as_ptr().add(g).cast());
        let right = V::load(holes.right.as_ptr().add(g).cast());
        for y in 0..half {
            let here = splat::<V>(y as u64).equal(target);
            for (at, hole) in [(y * trees + g, left), ((half + y) * trees + g, right)] {
                let mac = V::load_high(leaves.add(at).cast());
                settle(mac.add(here.and(hole))).store(rows.add(at).cast());
            }
        }
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn puncture<V: Simd>(leaves: &[F61], holes: Holes<Row>, rows: &mut [Row]) {
    let trees = holes.row.len();
    let half = rows.len() / (2 * trees);
    let (leaves, rows) = (leaves.as_ptr(), rows.as_mut_ptr());
    // SAFETY: the caller upholds the condition of `Simd` and that the lengths fit.
    unsafe {
        let whole = trees - trees % V::LANES;
        for g in (0..whole).step_by(V::LANES) {
            puncture_at::<V>(leaves, holes, rows, half, g);
        }
        for g in whole..trees {
            puncture_at::<V::One>(leaves, holes, rows, half, g);
        }
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn encode_keys<V: Simd>(
    matrix: &Aes128,
    first: u64,
    table: &[F61],
    rows: &mut [F61],
) {
    let mut block = first as u128 * WEIGHT as u128 / 4;
    let mut blocks = [F128(0); INDEX_BLOCKS];
    for rows in rows.chunks_mut(ENCODED) {
        // SAFETY: the caller upholds the condition of `Simd` and that the offsets fit 32 bits.
        unsafe {
            let offsets = draw_offsets::<V, _>(matrix, block, table, &mut blocks);
            for (j, row) in rows.iter_mut().enumerate() {
                let mut sum = row.get();
                for i in 0..WEIGHT {
                    let entry = table.as_ptr().byte_add(*offsets.add(WEIGHT * j + i) as usize);
                    // Of plain reads the compiler makes gathers, which take more than twice as long.
                    sum += entry.read_volatile().get();
                    if i == 6 {
                        // Eight elements fill 64 bits.
                        sum = (sum & F61::MODULUS) + (sum >> 61);
                    }
                }
                *row = F61::new(sum);
            }
        }
        block += INDEX_BLOCKS as u128;
    }
}

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
        // SAFETY: the caller upholds the condition of `Simd` and that the offsets fit 32 bits.
        unsafe {
            let offsets = draw_offsets::<V, _>(matrix, block, table, &mut blocks);
            for (j, row) in rows.iter_mut().enumerate() {
                let row: *mut F128 = core::ptr::from_mut(row).cast();
                let mut sum = V::One::load(row);
                for i in 0..WEIGHT {
                    let entry = table.as_ptr().byte_add(*offsets.add(WEIGHT * j + i) as usize);
                    sum = sum.add(V::One::load(entry.cast()));
                    if i == 6 {
                        // Eight elements fill 64 bits.
                        sum = fold(sum);
                    }
                }
                settle(fold(sum)).store(row);
            }
        }
        block += INDEX_BLOCKS as u128;
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn sample_all<V: Simd>(blocks: &[F128], out: &mut [F61]) {
    let whole = out.len() - out.len() % (2 * V::LANES);
    // SAFETY: the caller upholds the condition of `Simd` and that there are words enough.
    unsafe {
        for i in (0..whole).step_by(2 * V::LANES) {
            let words = V::load(blocks.as_ptr().add(i / 2));
            settle(fold(words)).store(out.as_mut_ptr().add(i).cast());
        }
    }
    portable::f61::sample_all(&blocks[whole / 2..], &mut out[whole..]);
}
