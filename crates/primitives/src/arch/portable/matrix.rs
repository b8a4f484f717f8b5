//! Sums of products of integers, in plain Rust: rows also for instruction sets that let a compiler take more of them at
//! a time.

use crate::arch::matrix::{COLUMNS, ORIGIN, ROWS, Tile};

/// Columns that are summed at a time, for which registers are enough.
const TOGETHER: usize = 4;

#[inline(always)]
pub(in super::super) fn add_row(factor: i64, row: &[i64], sums: &mut [i64]) {
    for (sum, value) in sums.iter_mut().zip(row) {
        *sum = sum.wrapping_add(factor.wrapping_mul(*value));
    }
}

#[inline(always)]
pub(in super::super) fn add_masked_row(factor: i64, row: &[i64], mask: &[i64], sums: &mut [i64]) {
    for ((sum, value), mask) in sums.iter_mut().zip(row).zip(mask) {
        *sum = sum.wrapping_add(factor.wrapping_mul(*value & *mask));
    }
}

pub(in super::super) fn add_tile(a: &[[f64; ROWS]], b: &[[f64; COLUMNS]], sums: &mut Tile) {
    for first in (0..COLUMNS).step_by(TOGETHER) {
        let mut all = [[ORIGIN; TOGETHER]; ROWS];
        for (a, b) in a.iter().zip(b) {
            for (all, a) in all.iter_mut().zip(a) {
                for (sum, b) in all.iter_mut().zip(&b[first..]) {
                    *sum += a * b;
                }
            }
        }
        for (sums, all) in sums.iter_mut().zip(all) {
            for (sum, one) in sums[first..].iter_mut().zip(all) {
                *sum = sum.wrapping_add_unsigned(one.to_bits().wrapping_sub(ORIGIN.to_bits()));
            }
        }
    }
}
