//! The kernels where values and MACs are both of F_{2^61-1}.

use super::{LANES, PRODUCTS, Sum, load, negated, part, splat, store, thirds};
use crate::arch::f61::{Factors, Gate, Row};
use crate::arch::portable::f61 as portable;
use crate::field::F61;
use core::arch::x86_64::*;

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(in crate::arch::x86_64) fn weigh(chi: &[F61], rows: &[Row]) -> (F61, F61) {
    let mut total = (F61::default(), F61::default());
    for (chi, rows) in chi.chunks(LANES * PRODUCTS).zip(rows.chunks(LANES * PRODUCTS)) {
        let ((chi, last_chi), (rows, last_rows)) = (chi.as_chunks(), rows.as_chunks());
        let mut sums = [Sum::zero(); 2];
        for (chi, rows) in chi.iter().zip(rows) {
            let ([chi], [first, second]) = (load(chi), load(rows));
            let [value, mac] = part(first, second);
            sums[0].add(chi, mac);
            sums[1].add(chi, value);
        }
        let last = portable::weigh(last_chi, last_rows);
        total.0 += sums[0].total() + last.0;
        total.1 += sums[1].total() + last.1;
    }
    total
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(in crate::arch::x86_64) fn dot(a: &[F61], b: &[F61]) -> F61 {
    if a.len() < LANES {
        return portable::dot(a, b);
    }
    let mut total = F61::default();
    for (a, b) in a.chunks(LANES * PRODUCTS).zip(b.chunks(LANES * PRODUCTS)) {
        let ((a, last_a), (b, last_b)) = (a.as_chunks(), b.as_chunks());
        let mut sum = Sum::zero();
        for (a, b) in a.iter().zip(b) {
            let ([a], [b]) = (load(a), load(b));
            sum.add(a, b);
        }
        total += sum.total() + portable::dot(last_a, last_b);
    }
    total
}

/// Rows whose sums are not reduced on the way, where two that are merged take turns.
const BATCH: usize = LANES * PRODUCTS / 2;

/// A lane is a value or a MAC: products with the other operand as it stands, and with its
/// values and MACs swapped.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(in crate::arch::x86_64) fn inner_product(a: &[Row], b: &[Row]) -> (F61, F61, F61) {
    if a.len() < LANES {
        return portable::inner_product(a, b);
    }
    let mut total = (F61::default(), F61::default(), F61::default());
    for (a, b) in a.chunks(BATCH).zip(b.chunks(BATCH)) {
        let ((a, last_a), (b, last_b)) = (a.as_chunks(), b.as_chunks());
        let mut sums = [Sum::zero(); 4];
        for (a, b) in a.iter().zip(b) {
            let ([a0, a1], [b0, b1]) = (load::<2, _>(a), load::<2, _>(b));
            sums[0].add(a0, b0);
            sums[1].add(a0, _mm512_shuffle_epi32::<0b01_00_11_10>(b0));
            sums[2].add(a1, b1);
            sums[3].add(a1, _mm512_shuffle_epi32::<0b01_00_11_10>(b1));
        }
        let last = portable::inner_product(last_a, last_b);
        let [values, macs] = sums[0].merged(sums[2]).totals();
        total.0 += macs + last.0;
        total.1 += sums[1].merged(sums[3]).total() + last.1;
        total.2 += values + last.2;
    }
    total
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(in crate::arch::x86_64) fn linear(factors: &[F61], rows: &[Row]) -> Row {
    if rows.len() < LANES {
        return portable::linear(factors, rows);
    }
    let (first, second) =
        (_mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0), _mm512_set_epi64(7, 7, 6, 6, 5, 5, 4, 4));
    let mut total = Row::ZERO;
    for (factors, rows) in factors.chunks(BATCH).zip(rows.chunks(BATCH)) {
        let ((factors, last_factors), (rows, last_rows)) = (factors.as_chunks(), rows.as_chunks());
        let mut sums = [Sum::zero(); 2];
        for (factors, rows) in factors.iter().zip(rows) {
            let ([factors], [x0, x1]) = (load(factors), load(rows));
            sums[0].add(x0, _mm512_permutexvar_epi64(first, factors));
            sums[1].add(x1, _mm512_permutexvar_epi64(second, factors));
        }
        let [value, mac] = sums[0].merged(sums[1]).totals();
        let sum = Row { value, mac };
        total = total + sum + portable::linear(last_factors, last_rows);
    }
    total
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(in crate::arch::x86_64) fn add_products(a: &[F61], b: &[F61], sums: &mut [F61]) {
    let ((a, last_a), (b, last_b)) = (a.as_chunks(), b.as_chunks());
    let (sums, last_sums) = sums.as_chunks_mut();
    for ((a, b), sums) in a.iter().zip(b).zip(sums) {
        let ([a], [b], [start]) = (load(a), load(b), load(sums));
        let mut sum = Sum::from(start);
        sum.add(a, b);
        store(sums, sum.lanes());
    }
    add_last_products(last_a, last_b, last_sums);
}

/// The portable kernel as it stands: with the instructions of this one the compiler makes vectors of a few
/// elements, which take ten times as long.
#[inline(never)]
fn add_last_products(a: &[F61], b: &[F61], sums: &mut [F61]) {
    portable::add_products(a, b, sums);
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(in crate::arch::x86_64) fn add_sums(products: &[Factors<'_>], others: &[Factors<'_>], sums: &mut [F61]) {
    if products.len() + others.len() <= PRODUCTS {
        return both::<true>([products, others], sums);
    }
    for factors in [products, others].into_iter().flat_map(|factors| factors.chunks(PRODUCTS)) {
        both::<true>([factors, &[]], sums);
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(in crate::arch::x86_64) fn set_sums(products: &[Factors<'_>], others: &[Factors<'_>], sums: &mut [F61]) {
    if products.len() + others.len() <= PRODUCTS {
        return both::<false>([products, others], sums);
    }
    let (first, rest) = products.split_at(products.len().min(PRODUCTS));
    both::<false>([first, &[]], sums);
    add_sums(rest, others, sums);
}

/// The sums of as many as one holds, added to what there is or not: to reduce one takes as long as three
/// products.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn both<const ADDS: bool>(both: [&[Factors<'_>]; 2], sums: &mut [F61]) {
    let whole = sums.len() - sums.len() % LANES;
    let (vectors, last) = sums.as_chunks_mut();
    for (i, lanes) in vectors.iter_mut().enumerate() {
        let mut sum = if ADDS { Sum::from(load::<1, _>(lanes)[0]) } else { Sum::zero() };
        for factors in both {
            for (a, b) in factors {
                let [a] = load(&a.as_chunks().0[i]);
                let b = match b {
                    [factor] => splat(factor.get()),
                    vectors => load::<1, _>(&vectors.as_chunks().0[i])[0],
                };
                sum.add(a, b);
            }
        }
        store(lanes, sum.lanes());
    }
    if !ADDS {
        last.fill(F61::default());
    }
    add_last_sums(whole, both, last);
}

/// See [`add_last_products`].
#[inline(never)]
fn add_last_sums(first: usize, of: [&[Factors<'_>]; 2], sums: &mut [F61]) {
    portable::add_sums_from(first, of, sums);
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(in crate::arch::x86_64) fn products(gates: &[Gate<Row>], constant: &mut [F61], linear: &mut [F61]) {
    let (gates, last) = gates.as_chunks();
    let (constant, last_constant) = constant.as_chunks_mut();
    let (linear, last_linear) = linear.as_chunks_mut();
    for ((gates, constant), linear) in gates.iter().zip(constant).zip(linear) {
        let [x0, x1, x2, x3, x4, x5] = load(gates);
        let ([a0, b0, c0], [a1, b1, c1]) = (thirds::<2>([x0, x1, x2]), thirds::<2>([x3, x4, x5]));
        let ([wa, ma], [wb, mb], [_, mc]) = (part(a0, a1), part(b0, b1), part(c0, c1));
        let mut square = Sum::zero();
        square.add(ma, mb);
        store(constant, square.lanes());
        let mut cross = Sum::from(negated(mc));
        cross.add(wa, mb);
        cross.add(wb, ma);
        store(linear, cross.lanes());
    }
    portable::products(last, last_constant, last_linear);
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(in crate::arch::x86_64) fn verifier_sums(chi: &[F61], gates: &[Gate<F61>]) -> (F61, F61) {
    let mut total = (F61::default(), F61::default());
    for (chi, gates) in chi.chunks(LANES * PRODUCTS).zip(gates.chunks(LANES * PRODUCTS)) {
        let ((chi, last_chi), (gates, last_gates)) = (chi.as_chunks(), gates.as_chunks());
        let mut sums = [Sum::zero(); 2];
        for (chi, gates) in chi.iter().zip(gates) {
            let [chi] = load(chi);
            let [a, b, c] = thirds::<1>(load(gates));
            let mut product = Sum::zero();
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
pub(in crate::arch::x86_64) fn correct(keys: &mut [F61], corrections: &[F61], delta: F61) {
    let (keys, last_keys) = keys.as_chunks_mut();
    let (corrections, last) = corrections.as_chunks();
    for (keys, corrections) in keys.iter_mut().zip(corrections) {
        let ([key], [correction]) = (load(keys), load(corrections));
        let mut sum = Sum::from(key);
        sum.add(correction, splat(delta.get()));
        store(keys, sum.lanes());
    }
    portable::correct(last_keys, last, delta);
}
