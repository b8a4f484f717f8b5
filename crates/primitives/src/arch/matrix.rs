//! Sums of products of integers: rows, modulo 2^64, and tiles of matrix products, which are many times as fast.
//!
//! Tiles are computed in floating-point numbers of 64 bits, of which every instruction set has vectors, and whose sums
//! stay so small that nothing is rounded. Sums begin at 1.5 · 2^52, about which numbers are 1 apart, so that the bits
//! grow by what is added. No number is infinite or subnormal, so that time depends on lengths alone.

use super::{Arch, Level, dispatch, portable};

/// Rows of a tile.
pub const ROWS: usize = 6;

/// Columns of a tile.
pub const COLUMNS: usize = 16;

/// Sums of a tile, by rows.
pub type Tile = [[i64; COLUMNS]; ROWS];

/// The magnitude that no factor of a tile passes, and no sum of some of its products.
pub const LIMIT: u64 = 1 << 51;

/// The number at which sums begin: 1.5 · 2^52, which is [`LIMIT`] away from numbers that are not 1 apart.
pub(super) const ORIGIN: f64 = 6_755_399_441_055_744.0;

/// The floating-point number that is an integer of [`LIMIT`] at most.
#[inline]
pub fn number(integer: i64) -> f64 {
    f64::from_bits(ORIGIN.to_bits().wrapping_add_signed(integer)) - ORIGIN
}

/// `sums[i][j] += Σ a[k][i]·b[k][j]`, if no sum of some of the products passes [`LIMIT`]; else anything.
///
/// # Panics
/// Where the lengths differ.
pub fn add_tile(arch: Arch, a: &[[f64; ROWS]], b: &[[f64; COLUMNS]], sums: &mut Tile) {
    assert_eq!(a.len(), b.len());
    dispatch!(arch, add_tile(a, b, sums))
}

/// `sums[i] += factor·row[i]`, modulo 2^64.
///
/// # Panics
/// Where the lengths differ.
pub fn add_row(arch: Arch, factor: i64, row: &[i64], sums: &mut [i64]) {
    assert_eq!(row.len(), sums.len());
    dispatch!(arch, add_row(factor, row, sums))
}

/// `sums[i] += factor·(row[i] & mask[i])`, modulo 2^64.
///
/// # Panics
/// Where the lengths differ.
pub fn add_masked_row(arch: Arch, factor: i64, row: &[i64], mask: &[i64], sums: &mut [i64]) {
    assert_eq!((row.len(), mask.len()), (sums.len(), sums.len()));
    dispatch!(arch, add_masked_row(factor, row, mask, sums))
}
