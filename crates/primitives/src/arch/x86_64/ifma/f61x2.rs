//! The kernels where MACs are of the square of F_{2^61-1}.

use super::{LANES, Narrow, PRODUCTS, Sum, load, negated, part, splat, thirds};
use crate::arch::f61::Gate;
use crate::arch::f61x2::Row;
use crate::arch::portable::f61x2 as portable;
use crate::field::{Binomial, F61, F61x2, Field};
use core::arch::x86_64::*;

/// Elements of the square: their coordinates.
type Square = [__m512i; 2];

/// Elements whose sums of products are not reduced on the way: each counts twice in a coordinate.
const BATCH: usize = LANES * PRODUCTS / 2;

/// Sums of products, in each coordinate.
#[derive(Clone, Copy)]
struct Sums([Sum; 2]);

impl Sums {
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn zero() -> Self {
        Self([Sum::zero(); 2])
    }

    /// Adds a·b.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn add(&mut self, a: Square, b: Square) {
        // X^2 is -1.
        self.0[0].add(a[0], b[0]);
        self.0[0].add(a[1], negated(b[1]));
        self.0[1].add(a[0], b[1]);
        self.0[1].add(a[1], b[0]);
    }

    /// Adds a·b for b of the prime field.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn add_scaled(&mut self, a: Square, b: __m512i) {
        self.0[0].add(a[0], b);
        self.0[1].add(a[1], b);
    }

    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn lanes(self) -> Square {
        [self.0[0].lanes(), self.0[1].lanes()]
    }

    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn total(self) -> F61x2 {
        Binomial([self.0[0].total(), self.0[1].total()])
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn load_squares(from: &[F61x2; LANES]) -> Square {
    let [first, second] = load(from);
    part(first, second)
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn store_squares(to: &mut [F61x2; LANES], [low, high]: Square) {
    let first = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    let second = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    let to = to.as_mut_ptr().cast::<__m512i>();
    // SAFETY: `to` is two vectors long; the stores are unaligned.
    unsafe {
        _mm512_storeu_si512(to, _mm512_permutex2var_epi64(low, first, high));
        _mm512_storeu_si512(to.add(1), _mm512_permutex2var_epi64(low, second, high));
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(in crate::arch::x86_64) fn weigh(chi: &[F61x2], rows: &[Row]) -> (F61x2, F61x2) {
    let mut total = (F61x2::ZERO, F61x2::ZERO);
    for (chi, rows) in chi.chunks(BATCH).zip(rows.chunks(BATCH)) {
        let ((chi, last_chi), (rows, last_rows)) = (chi.as_chunks(), rows.as_chunks());
        let mut sums = [Sums::zero(); 2];
        for (chi, rows) in chi.iter().zip(rows) {
            let chi = load_squares(chi);
            let [value, low, high] = thirds::<1>(load(rows));
            sums[0].add(chi, [low, high]);
            sums[1].add_scaled(chi, value);
        }
        let last = portable::weigh(last_chi, last_rows);
        total.0 += sums[0].total() + last.0;
        total.1 += sums[1].total() + last.1;
    }
    total
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(in crate::arch::x86_64) fn dot(a: &[F61x2], b: &[F61x2]) -> F61x2 {
    if a.len() < LANES {
        return portable::dot(a, b);
    }
    let mut total = F61x2::ZERO;
    for (a, b) in a.chunks(BATCH).zip(b.chunks(BATCH)) {
        let ((a, last_a), (b, last_b)) = (a.as_chunks(), b.as_chunks());
        let mut sums = Sums::zero();
        for (a, b) in a.iter().zip(b) {
            sums.add(load_squares(a), load_squares(b));
        }
        total += sums.total() + portable::dot(last_a, last_b);
    }
    total
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(in crate::arch::x86_64) fn inner_product(a: &[Row], b: &[Row]) -> (F61x2, F61x2, F61) {
    if a.len() < LANES {
        return portable::inner_product(a, b);
    }
    let mut total = (F61x2::ZERO, F61x2::ZERO, F61::ZERO);
    for (a, b) in a.chunks(BATCH).zip(b.chunks(BATCH)) {
        let ((a, last_a), (b, last_b)) = (a.as_chunks(), b.as_chunks());
        let (mut macs, mut cross, mut values) = ([Narrow::zero(); 2], [Narrow::zero(); 2], Narrow::zero());
        for (a, b) in a.iter().zip(b) {
            let ([wa, a0, a1], [wb, b0, b1]) = (thirds::<1>(load(a)), thirds::<1>(load(b)));
            macs[0].add(a0, b0);
            cross[0].add(a0, wb);
            macs[1].add(a0, b1);
            cross[1].add(a1, wb);
            values.add(wa, wb);
            macs[0].add(a1, negated(b1));
            cross[0].add(b0, wa);
            macs[1].add(a1, b0);
            cross[1].add(b1, wa);
        }
        let last = portable::inner_product(last_a, last_b);
        total.0 += Binomial([macs[0].total(), macs[1].total()]) + last.0;
        total.1 += Binomial([cross[0].total(), cross[1].total()]) + last.1;
        total.2 += values.total() + last.2;
    }
    total
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(in crate::arch::x86_64) fn linear(factors: &[F61], rows: &[Row]) -> Row {
    if rows.len() < LANES {
        return portable::linear(factors, rows);
    }
    let mut total = Row::ZERO;
    for (factors, rows) in factors.chunks(LANES * PRODUCTS).zip(rows.chunks(LANES * PRODUCTS)) {
        let ((factors, last_factors), (rows, last_rows)) = (factors.as_chunks(), rows.as_chunks());
        let mut sums = [Sum::zero(); 3];
        for (factors, rows) in factors.iter().zip(rows) {
            let [factor] = load(factors);
            let columns = thirds::<1>(load(rows));
            for (sum, column) in sums.iter_mut().zip(columns) {
                sum.add(column, factor);
            }
        }
        let [value, low, high] = sums;
        let sum = Row { value: value.total(), mac: Binomial([low.total(), high.total()]) };
        total = total + sum + portable::linear(last_factors, last_rows);
    }
    total
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(in crate::arch::x86_64) fn add_products(a: &[F61x2], b: &[F61x2], sums: &mut [F61x2]) {
    let ((a, last_a), (b, last_b)) = (a.as_chunks(), b.as_chunks());
    let (sums, last_sums) = sums.as_chunks_mut();
    for ((a, b), sums) in a.iter().zip(b).zip(sums) {
        let [low, high] = load_squares(sums);
        let mut sum = Sums([Sum::from(low), Sum::from(high)]);
        sum.add(load_squares(a), load_squares(b));
        store_squares(sums, sum.lanes());
    }
    add_last_products(last_a, last_b, last_sums);
}

/// The portable kernel as it stands: with the instructions of this one the compiler makes vectors of a few
/// elements, which take ten times as long.
#[inline(never)]
fn add_last_products(a: &[F61x2], b: &[F61x2], sums: &mut [F61x2]) {
    portable::add_products(a, b, sums);
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(in crate::arch::x86_64) fn add_scaled(a: &[F61x2], factors: &[F61], sums: &mut [F61x2]) {
    let ((a, last_a), (factors, last_factors)) = (a.as_chunks(), factors.as_chunks());
    let (sums, last_sums) = sums.as_chunks_mut();
    for ((a, factors), sums) in a.iter().zip(factors).zip(sums) {
        let ([low, high], [factor]) = (load_squares(sums), load(factors));
        let mut sum = Sums([Sum::from(low), Sum::from(high)]);
        sum.add_scaled(load_squares(a), factor);
        store_squares(sums, sum.lanes());
    }
    add_last_scaled(last_a, last_factors, last_sums);
}

/// Runs the portable kernel, out of line for the reason of [`add_last_products`].
#[inline(never)]
fn add_last_scaled(a: &[F61x2], factors: &[F61], sums: &mut [F61x2]) {
    portable::add_scaled(a, factors, sums);
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(in crate::arch::x86_64) fn products(gates: &[Gate<Row>], constant: &mut [F61x2], linear: &mut [F61x2]) {
    let (gates, last) = gates.as_chunks();
    let (constant, last_constant) = constant.as_chunks_mut();
    let (linear, last_linear) = linear.as_chunks_mut();
    for ((gates, constant), linear) in gates.iter().zip(constant).zip(linear) {
        let [x0, x1, x2, x3, x4, x5, x6, x7, x8] = load(gates);
        let x = [thirds::<1>([x0, x1, x2]), thirds::<1>([x3, x4, x5]), thirds::<1>([x6, x7, x8])];
        let [wa, wb, _] = thirds::<1>([x[0][0], x[1][0], x[2][0]]);
        let [low_a, low_b, low_c] = thirds::<1>([x[0][1], x[1][1], x[2][1]]);
        let [high_a, high_b, high_c] = thirds::<1>([x[0][2], x[1][2], x[2][2]]);
        let (ma, mb) = ([low_a, high_a], [low_b, high_b]);
        let mut square = Sums::zero();
        square.add(ma, mb);
        store_squares(constant, square.lanes());
        let mut cross = Sums([Sum::from(negated(low_c)), Sum::from(negated(high_c))]);
        cross.add_scaled(ma, wb);
        cross.add_scaled(mb, wa);
        store_squares(linear, cross.lanes());
    }
    portable::products(last, last_constant, last_linear);
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(in crate::arch::x86_64) fn verifier_sums(chi: &[F61x2], gates: &[Gate<F61x2>]) -> (F61x2, F61x2) {
    let mut total = (F61x2::ZERO, F61x2::ZERO);
    for (chi, gates) in chi.chunks(BATCH).zip(gates.chunks(BATCH)) {
        let ((chi, last_chi), (gates, last_gates)) = (chi.as_chunks(), gates.as_chunks());
        let mut sums = [Sums::zero(); 2];
        for (chi, gates) in chi.iter().zip(gates) {
            let chi = load_squares(chi);
            let [x0, x1, x2, x3, x4, x5] = load(gates);
            let ([a0, b0, c0], [a1, b1, c1]) = (thirds::<2>([x0, x1, x2]), thirds::<2>([x3, x4, x5]));
            let (a, b, c) = (part(a0, a1), part(b0, b1), part(c0, c1));
            let mut product = Sums::zero();
            product.add(a, b);
            sums[0].add(chi, product.lanes());
            sums[1].add(chi, c);
        }
        let last = portable::verifier_sums(last_chi, last_gates);
        total.0 += sums[0].total() + last.0;
        total.1 += sums[1].total() + last.1;
    }
    total
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(in crate::arch::x86_64) fn correct(keys: &mut [F61x2], corrections: &[F61], delta: F61x2) {
    let (keys, last_keys) = keys.as_chunks_mut();
    let (corrections, last) = corrections.as_chunks();
    let factor = [splat(delta.0[0].get()), splat(delta.0[1].get())];
    for (keys, corrections) in keys.iter_mut().zip(corrections) {
        let ([low, high], [correction]) = (load_squares(keys), load(corrections));
        let mut sums = Sums([Sum::from(low), Sum::from(high)]);
        sums.add_scaled(factor, correction);
        store_squares(keys, sums.lanes());
    }
    portable::correct(last_keys, last, delta);
}
