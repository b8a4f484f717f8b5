//! The kernels over the square of F_{2^61-1} in plain Rust. Sums of products are reduced once for as
//! many as fit 128 bits.

use super::f61::{PRODUCTS, product};
use crate::aes::Aes128;
use crate::arch::f61::Gate;
use crate::arch::f61x2::Row;
use crate::field::{Binomial, Extension, F61, F61x2, Field};
use crate::mac;

/// Elements whose sums of products are not reduced on the way: each counts twice in a coordinate.
const BATCH: usize = PRODUCTS / 2;

/// Sums of products, in each coordinate.
#[derive(Clone, Copy, Default)]
struct Sums([u128; 2]);

impl Sums {
    /// Adds a·b.
    #[inline(always)]
    fn add(&mut self, a: F61x2, b: F61x2) {
        // X^2 is -1.
        self.0[0] += product(a.0[0], b.0[0]) + product(a.0[1], -b.0[1]);
        self.0[1] += product(a.0[0], b.0[1]) + product(a.0[1], b.0[0]);
    }

    /// Adds a·b for b of the prime field.
    #[inline(always)]
    fn add_scaled(&mut self, a: F61x2, b: F61) {
        self.0[0] += product(a.0[0], b);
        self.0[1] += product(a.0[1], b);
    }

    #[inline(always)]
    fn reduce(self) -> F61x2 {
        Binomial([F61::reduce(self.0[0]), F61::reduce(self.0[1])])
    }
}

#[inline(always)]
fn square_product(a: F61x2, b: F61x2) -> F61x2 {
    let mut sums = Sums::default();
    sums.add(a, b);
    sums.reduce()
}

pub(in crate::arch) fn encode_tagged(matrix: &Aes128, first: u64, table: &[Row], rows: &mut [Row]) {
    mac::portable::encode(matrix, first, table, rows);
}

pub(in crate::arch) fn weigh(chi: &[F61x2], rows: &[Row]) -> (F61x2, F61x2) {
    let mut total = (F61x2::ZERO, F61x2::ZERO);
    for (chi, rows) in chi.chunks(BATCH).zip(rows.chunks(BATCH)) {
        let mut sums = [Sums::default(); 2];
        for (&chi, row) in chi.iter().zip(rows) {
            sums[0].add(chi, row.mac);
            sums[1].add_scaled(chi, row.value);
        }
        total.0 += sums[0].reduce();
        total.1 += sums[1].reduce();
    }
    total
}

pub(in crate::arch) fn dot(a: &[F61x2], b: &[F61x2]) -> F61x2 {
    let mut total = F61x2::ZERO;
    for (a, b) in a.chunks(BATCH).zip(b.chunks(BATCH)) {
        let mut sums = Sums::default();
        for (&a, &b) in a.iter().zip(b) {
            sums.add(a, b);
        }
        total += sums.reduce();
    }
    total
}

pub(in crate::arch) fn inner_product(a: &[Row], b: &[Row]) -> (F61x2, F61x2, F61) {
    let mut total = (F61x2::ZERO, F61x2::ZERO, F61::ZERO);
    for (a, b) in a.chunks(BATCH).zip(b.chunks(BATCH)) {
        let (mut macs, mut cross, mut values) = (Sums::default(), Sums::default(), 0);
        for (a, b) in a.iter().zip(b) {
            macs.add(a.mac, b.mac);
            cross.add_scaled(b.mac, a.value);
            cross.add_scaled(a.mac, b.value);
            values += product(a.value, b.value);
        }
        total.0 += macs.reduce();
        total.1 += cross.reduce();
        total.2 += F61::reduce(values);
    }
    total
}

pub(in crate::arch) fn linear(factors: &[F61], rows: &[Row]) -> Row {
    let mut total = Row::ZERO;
    for (factors, rows) in factors.chunks(PRODUCTS).zip(rows.chunks(PRODUCTS)) {
        let (mut values, mut macs) = (0, Sums::default());
        for (&factor, row) in factors.iter().zip(rows) {
            values += product(factor, row.value);
            macs.add_scaled(row.mac, factor);
        }
        total = total + Row { value: F61::reduce(values), mac: macs.reduce() };
    }
    total
}

pub(in crate::arch) fn add_products(a: &[F61x2], b: &[F61x2], sums: &mut [F61x2]) {
    for ((&a, &b), sum) in a.iter().zip(b).zip(sums) {
        *sum += square_product(a, b);
    }
}

pub(in crate::arch) fn add_scaled(a: &[F61x2], factors: &[F61], sums: &mut [F61x2]) {
    for ((a, &factor), sum) in a.iter().zip(factors).zip(sums) {
        *sum += a.scale(factor);
    }
}

pub(in crate::arch) fn products(gates: &[Gate<Row>], constant: &mut [F61x2], linear: &mut [F61x2]) {
    for (([a, b, c], constant), linear) in gates.iter().zip(constant).zip(linear) {
        *constant = square_product(a.mac, b.mac);
        let mut cross = Sums::default();
        cross.add_scaled(a.mac, b.value);
        cross.add_scaled(b.mac, a.value);
        *linear = cross.reduce() - c.mac;
    }
}

pub(in crate::arch) fn verifier_sums(chi: &[F61x2], gates: &[Gate<F61x2>]) -> (F61x2, F61x2) {
    let mut total = (F61x2::ZERO, F61x2::ZERO);
    for (chi, gates) in chi.chunks(BATCH).zip(gates.chunks(BATCH)) {
        let mut sums = [Sums::default(); 2];
        for (&chi, &[a, b, c]) in chi.iter().zip(gates) {
            sums[0].add(chi, square_product(a, b));
            sums[1].add(chi, c);
        }
        total.0 += sums[0].reduce();
        total.1 += sums[1].reduce();
    }
    total
}

pub(in crate::arch) fn correct(keys: &mut [F61x2], corrections: &[F61], delta: F61x2) {
    for (key, &correction) in keys.iter_mut().zip(corrections) {
        *key += delta.scale(correction);
    }
}
