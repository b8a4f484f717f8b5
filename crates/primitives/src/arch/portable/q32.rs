//! The kernels over F_{2^32-5} in plain Rust. Sums of products are reduced once.

use crate::aes::Aes128;
use crate::arch::q32::{Row, Sum};
use crate::field::{Binomial, Q32, Q32x2};
use crate::mac;

pub(in crate::arch) fn encode_keys(matrix: &Aes128, first: u64, table: &[Q32x2], rows: &mut [Q32x2]) {
    mac::encode(matrix, first, table, rows);
}

pub(in crate::arch) fn encode_tagged(matrix: &Aes128, first: u64, table: &[Row], rows: &mut [Row]) {
    mac::encode(matrix, first, table, rows);
}

pub(in crate::arch) fn linear(factors: &[Q32], rows: &[Row]) -> Row {
    let mut sums = [Sum::default(); 3];
    for (&factor, row) in factors.iter().zip(rows) {
        sums[0].add(factor, row.value);
        sums[1].add(factor, row.mac.0[0]);
        sums[2].add(factor, row.mac.0[1]);
    }
    let [value, low, high] = sums.map(Sum::reduce);
    Row { value, mac: Binomial([low, high]) }
}

pub(in crate::arch) fn combine(factors: &[Q32], a: &[Q32x2]) -> Q32x2 {
    let mut sums = [Sum::default(); 2];
    for (&factor, a) in factors.iter().zip(a) {
        sums[0].add(factor, a.0[0]);
        sums[1].add(factor, a.0[1]);
    }
    Binomial(sums.map(Sum::reduce))
}
