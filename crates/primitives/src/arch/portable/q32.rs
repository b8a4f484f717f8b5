//! The kernels over F_{2^32-5} in plain Rust. Sums of products are reduced once.

use crate::arch::q32::{Row, Sum};
use crate::field::{Binomial, Q32, Q32x2};

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

/// Sums of products over the square, in each coordinate.
#[derive(Clone, Copy, Default)]
struct Sums([Sum; 2]);

impl Sums {
    /// Adds a·b.
    #[inline(always)]
    fn add(&mut self, a: Q32x2, b: Q32x2) {
        // X^2 is -1.
        self.0[0].add(a.0[0], b.0[0]);
        self.0[0].add(a.0[1], -b.0[1]);
        self.0[1].add(a.0[0], b.0[1]);
        self.0[1].add(a.0[1], b.0[0]);
    }

    /// Adds a·b for b of the prime field.
    #[inline(always)]
    fn add_scaled(&mut self, a: Q32x2, b: Q32) {
        self.0[0].add(a.0[0], b);
        self.0[1].add(a.0[1], b);
    }

    #[inline(always)]
    fn reduce(self) -> Q32x2 {
        Binomial(self.0.map(Sum::reduce))
    }
}

pub(in crate::arch) fn inner_product(a: &[Row], b: &[Row]) -> (Q32x2, Q32x2, Q32) {
    let (mut macs, mut cross, mut values) = (Sums::default(), Sums::default(), Sum::default());
    for (a, b) in a.iter().zip(b) {
        macs.add(a.mac, b.mac);
        cross.add_scaled(b.mac, a.value);
        cross.add_scaled(a.mac, b.value);
        values.add(a.value, b.value);
    }
    (macs.reduce(), cross.reduce(), values.reduce())
}

pub(in crate::arch) fn weigh(chi: &[Q32x2], rows: &[Row]) -> (Q32x2, Q32x2) {
    let mut sums = [Sums::default(); 2];
    for (&chi, row) in chi.iter().zip(rows) {
        sums[0].add(chi, row.mac);
        sums[1].add_scaled(chi, row.value);
    }
    (sums[0].reduce(), sums[1].reduce())
}

pub(in crate::arch) fn dot(a: &[Q32x2], b: &[Q32x2]) -> Q32x2 {
    let mut sums = Sums::default();
    for (&a, &b) in a.iter().zip(b) {
        sums.add(a, b);
    }
    sums.reduce()
}

pub(in crate::arch) fn combine(factors: &[Q32], a: &[Q32x2]) -> Q32x2 {
    let mut sums = [Sum::default(); 2];
    for (&factor, a) in factors.iter().zip(a) {
        sums[0].add(factor, a.0[0]);
        sums[1].add(factor, a.0[1]);
    }
    Binomial(sums.map(Sum::reduce))
}
