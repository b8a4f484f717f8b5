//! Sums over F_{2^32-5} with MACs of its square, as [`MacField`](crate::mac::MacField) specifies, which
//! are reduced once in plain Rust, too. All other kernels are those of the template.

use super::{Arch, Level, dispatch, portable};
use crate::field::{Field, Q32, Q32x2};
use crate::mac::Tagged;

/// A value and its MAC: 32-bit words, the value first.
pub(crate) type Row = Tagged<Q32, Q32x2>;

/// Elements whose products are summed at a time: each counts up to twice in a [`Sum`].
const PRODUCTS: usize = 1 << 31;

/// A sum of products of 64 bits, up to 2^32 of them.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    /// The products, modulo 2^64.
    pub(super) all: u64,
    /// The high halves of the products.
    pub(super) high: u64,
}

impl Sum {
    /// Adds a·b.
    #[inline(always)]
    pub(super) fn add(&mut self, a: Q32, b: Q32) {
        let product = u64::from(a.get()) * u64::from(b.get());
        self.all = self.all.wrapping_add(product);
        self.high += product >> 32;
    }

    /// Adds a sum.
    #[inline(always)]
    pub(super) fn merge(&mut self, other: Self) {
        self.all = self.all.wrapping_add(other.all);
        self.high += other.high;
    }

    #[inline(always)]
    pub(super) fn reduce(self) -> Q32 {
        // The sum of the low halves is below 2^64, so that it is known from what it is
        // modulo 2^64. 2^32 is 5.
        let low = self.all.wrapping_sub(self.high << 32);
        Q32::new(low) + Q32::new(5 * u64::from(Q32::new(self.high).get()))
    }
}

pub(crate) fn inner_product(arch: Arch, a: &[Row], b: &[Row]) -> (Q32x2, Q32x2, Q32) {
    assert_eq!(a.len(), b.len());
    let mut total = (Q32x2::ZERO, Q32x2::ZERO, Q32::ZERO);
    for (a, b) in a.chunks(PRODUCTS).zip(b.chunks(PRODUCTS)) {
        let sums = dispatch!(arch, q32::inner_product(a, b));
        total = (total.0 + sums.0, total.1 + sums.1, total.2 + sums.2);
    }
    total
}

pub(crate) fn weigh(arch: Arch, chi: &[Q32x2], rows: &[Row]) -> (Q32x2, Q32x2) {
    assert_eq!(chi.len(), rows.len());
    let mut total = (Q32x2::ZERO, Q32x2::ZERO);
    for (chi, rows) in chi.chunks(PRODUCTS).zip(rows.chunks(PRODUCTS)) {
        let sums = dispatch!(arch, q32::weigh(chi, rows));
        total = (total.0 + sums.0, total.1 + sums.1);
    }
    total
}

pub(crate) fn dot(arch: Arch, a: &[Q32x2], b: &[Q32x2]) -> Q32x2 {
    assert_eq!(a.len(), b.len());
    let batches = a.chunks(PRODUCTS).zip(b.chunks(PRODUCTS));
    batches.fold(Q32x2::ZERO, |sum, (a, b)| sum + dispatch!(arch, q32::dot(a, b)))
}

pub(crate) fn linear(arch: Arch, factors: &[Q32], rows: &[Row]) -> Row {
    assert_eq!(factors.len(), rows.len());
    let batches = factors.chunks(PRODUCTS).zip(rows.chunks(PRODUCTS));
    batches.fold(Row::ZERO, |sum, (factors, rows)| sum + dispatch!(arch, q32::linear(factors, rows)))
}

pub(crate) fn combine(arch: Arch, factors: &[Q32], a: &[Q32x2]) -> Q32x2 {
    assert_eq!(factors.len(), a.len());
    let batches = factors.chunks(PRODUCTS).zip(a.chunks(PRODUCTS));
    batches.fold(Q32x2::ZERO, |sum, (factors, a)| sum + dispatch!(arch, q32::combine(factors, a)))
}
