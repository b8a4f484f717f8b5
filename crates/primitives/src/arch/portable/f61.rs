//! The kernels over F_{2^61-1} in plain Rust. Sums of products are reduced once for as many as fit 128 bits.

use super::encrypt;
use crate::aes::Aes128;
use crate::arch::f61::{Factors, Gate, Row};
use crate::field::{F61, F128};
use crate::hash::feed_forward;
use crate::mac::{self, Holes};

/// Products of 122 bits that a sum of 128 bits holds.
pub(super) const PRODUCTS: usize = 64;

pub(in crate::arch) fn grow_leaves(key: &Aes128, parents: &mut [F128], leaves: &mut [F61]) {
    feed_forward(parents, |blocks| encrypt(key, blocks));
    let (left, right) = leaves.split_at_mut(parents.len());
    for ((block, left), right) in parents.iter().zip(left).zip(right) {
        (*left, *right) = (F61::new(block.0 as u64), F61::new((block.0 >> 64) as u64));
    }
}

pub(in crate::arch) fn sum_rows(nodes: &[F61], sums: &mut [F61]) {
    sums.fill(F61::default());
    for row in nodes.chunks_exact(sums.len()) {
        sums.iter_mut().zip(row).for_each(|(sum, node)| *sum += *node);
    }
}

pub(in crate::arch) fn puncture(leaves: &[F61], holes: Holes<Row>, rows: &mut [Row]) {
    mac::portable::puncture(leaves, holes, rows);
}

pub(in crate::arch) fn encode_keys(matrix: &Aes128, first: u64, table: &[F61], rows: &mut [F61]) {
    mac::portable::encode(matrix, first, table, rows);
}

pub(in crate::arch) fn encode_tagged(matrix: &Aes128, first: u64, table: &[Row], rows: &mut [Row]) {
    mac::portable::encode(matrix, first, table, rows);
}

pub(in crate::arch) fn sample_all(blocks: &[F128], out: &mut [F61]) {
    for (block, out) in blocks.iter().zip(out.chunks_mut(2)) {
        out.iter_mut().zip([block.0, block.0 >> 64]).for_each(|(out, word)| *out = F61::new(word as u64));
    }
}

#[inline(always)]
pub(super) fn product(a: F61, b: F61) -> u128 {
    u128::from(a.get()) * u128::from(b.get())
}

pub(in crate::arch) fn weigh(chi: &[F61], rows: &[Row]) -> (F61, F61) {
    let mut total = (F61::default(), F61::default());
    for (chi, rows) in chi.chunks(PRODUCTS).zip(rows.chunks(PRODUCTS)) {
        let mut sums = (0, 0);
        for (&chi, row) in chi.iter().zip(rows) {
            sums.0 += product(chi, row.mac);
            sums.1 += product(chi, row.value);
        }
        total.0 += F61::reduce(sums.0);
        total.1 += F61::reduce(sums.1);
    }
    total
}

pub(in crate::arch) fn dot(a: &[F61], b: &[F61]) -> F61 {
    let batches = a.chunks(PRODUCTS).zip(b.chunks(PRODUCTS));
    batches.map(|(a, b)| F61::reduce(a.iter().zip(b).map(|(&a, &b)| product(a, b)).sum())).sum()
}

pub(in crate::arch) fn inner_product(a: &[Row], b: &[Row]) -> (F61, F61, F61) {
    let mut total = (F61::default(), F61::default(), F61::default());
    // The middle sum has two products of each pair.
    for (a, b) in a.chunks(PRODUCTS / 2).zip(b.chunks(PRODUCTS / 2)) {
        let mut sums = (0, 0, 0);
        for (a, b) in a.iter().zip(b) {
            sums.0 += product(a.mac, b.mac);
            sums.1 += product(a.value, b.mac) + product(b.value, a.mac);
            sums.2 += product(a.value, b.value);
        }
        total.0 += F61::reduce(sums.0);
        total.1 += F61::reduce(sums.1);
        total.2 += F61::reduce(sums.2);
    }
    total
}

pub(in crate::arch) fn linear(factors: &[F61], rows: &[Row]) -> Row {
    let mut total = Row::ZERO;
    for (factors, rows) in factors.chunks(PRODUCTS).zip(rows.chunks(PRODUCTS)) {
        let mut sums = (0, 0);
        for (&factor, row) in factors.iter().zip(rows) {
            sums.0 += product(factor, row.value);
            sums.1 += product(factor, row.mac);
        }
        total = total + Row { value: F61::reduce(sums.0), mac: F61::reduce(sums.1) };
    }
    total
}

pub(in crate::arch) fn add_products(a: &[F61], b: &[F61], sums: &mut [F61]) {
    for ((&a, &b), sum) in a.iter().zip(b).zip(sums) {
        *sum = F61::reduce(product(a, b) + u128::from(sum.get()));
    }
}

pub(in crate::arch) fn add_sums(products: &[Factors<'_>], others: &[Factors<'_>], sums: &mut [F61]) {
    add_sums_from(0, [products, others], sums);
}

/// Sets `sums` to the sums of products that [`add_sums`] would add.
pub(in crate::arch) fn set_sums(products: &[Factors<'_>], others: &[Factors<'_>], sums: &mut [F61]) {
    sums.fill(F61::default());
    add_sums(products, others, sums);
}

/// [`add_sums`] for the sums of the lanes from `first` on.
pub(in crate::arch) fn add_sums_from(first: usize, of: [&[Factors<'_>]; 2], sums: &mut [F61]) {
    for (lane, sum) in (first..).zip(sums) {
        for factors in of.into_iter().flat_map(|factors| factors.chunks(PRODUCTS - 1)) {
            let total: u128 =
                factors.iter().map(|(a, b)| product(a[lane], b[if b.len() == 1 { 0 } else { lane }])).sum();
            *sum = F61::reduce(total + u128::from(sum.get()));
        }
    }
}

pub(in crate::arch) fn products(gates: &[Gate<Row>], constant: &mut [F61], linear: &mut [F61]) {
    for (([a, b, c], constant), linear) in gates.iter().zip(constant).zip(linear) {
        *constant = a.mac * b.mac;
        *linear = F61::reduce(product(a.value, b.mac) + product(b.value, a.mac)) - c.mac;
    }
}

pub(in crate::arch) fn verifier_sums(chi: &[F61], gates: &[Gate<F61>]) -> (F61, F61) {
    let mut total = (F61::default(), F61::default());
    for (chi, gates) in chi.chunks(PRODUCTS).zip(gates.chunks(PRODUCTS)) {
        let mut sums = (0, 0);
        for (&chi, &[a, b, c]) in chi.iter().zip(gates) {
            sums.0 += product(chi, a * b);
            sums.1 += product(chi, c);
        }
        total.0 += F61::reduce(sums.0);
        total.1 += F61::reduce(sums.1);
    }
    total
}

pub(in crate::arch) fn correct(keys: &mut [F61], corrections: &[F61], delta: F61) {
    for (key, &correction) in keys.iter_mut().zip(corrections) {
        *key += correction * delta;
    }
}
