//! The kernels where values and MACs are both of F_{2^61-1}.

use super::{LANES, PRODUCTS, Sum, load, negated, part, splat, store, thirds};
use crate::arch::f61::{Gate, Row};
use crate::arch::portable::f61 as portable;
use crate::field::F61;

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
