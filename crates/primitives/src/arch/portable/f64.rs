//! The kernels over the field of 2^64 elements in plain Rust.

use super::encrypt;
use crate::aes::Aes128;
use crate::arch::f64::Triple;
use crate::bits::mask;
use crate::field::{F2, F64, F128};
use crate::hash::feed_forward;

pub(in super::super) use crate::mac::portable::encode;

fn mac(tag: F64) -> F64 {
    F64::new(tag.get() & !1)
}

/// The element where the lowest bit of `bit` is one, and zero where it is zero.
fn scale(element: F64, bit: u64) -> F64 {
    F64::new(element.get() & mask(bit))
}

fn scale_by(element: F64, factor: F2) -> F64 {
    scale(element, factor.to_word() as u64)
}

pub(in crate::arch) fn grow_leaves(key: &Aes128, parents: &mut [F128], leaves: &mut [F64]) {
    feed_forward(parents, |blocks| encrypt(key, blocks));
    let (left, right) = leaves.split_at_mut(parents.len());
    for ((block, left), right) in parents.iter().zip(left).zip(right) {
        (*left, *right) = (mac(F64::new(block.0 as u64)), mac(F64::new((block.0 >> 64) as u64)));
    }
}

pub(in crate::arch) fn sum_rows(nodes: &[F64], sums: &mut [F64]) {
    sums.fill(F64::default());
    for row in nodes.chunks_exact(sums.len()) {
        sums.iter_mut().zip(row).for_each(|(sum, node)| *sum += *node);
    }
}

pub(in crate::arch) fn puncture(leaves: &[F64], row: &[u64], left: &[F64], right: &[F64], rows: &mut [F64]) {
    let (trees, half) = (row.len(), rows.len() / 2);
    rows.copy_from_slice(leaves);
    for (rows, tags) in rows.chunks_exact_mut(half).zip([left, right]) {
        for (y, rows) in rows.chunks_exact_mut(trees).enumerate() {
            for g in 0..trees {
                let difference = row[g] ^ y as u64;
                let here = !(difference | difference.wrapping_neg()) >> 63;
                rows[g] += scale(tags[g], here);
            }
        }
    }
}

pub(in crate::arch) fn weigh(chi: &[F64], tags: &[F64]) -> (F64, F64) {
    let mut sums = (F64::default(), F64::default());
    for (&chi, &tag) in chi.iter().zip(tags) {
        sums.0 += chi * mac(tag);
        sums.1 += scale(chi, tag.get());
    }
    sums
}

pub(in crate::arch) fn inner_product(a: &[F64], b: &[F64]) -> (F64, F64) {
    let mut sums = (F64::default(), F64::default());
    for (&a, &b) in a.iter().zip(b) {
        sums.0 += mac(a) * mac(b);
        sums.1 += scale(mac(b), a.get()) + scale(mac(a), b.get());
    }
    sums
}

pub(in crate::arch) fn combine(factors: &[F2], a: &[F64]) -> F64 {
    factors.iter().zip(a).map(|(&factor, &a)| scale_by(a, factor)).sum()
}

pub(in crate::arch) fn add_products(a: &[F64], b: &[F64], sums: &mut [F64]) {
    for ((&a, &b), sum) in a.iter().zip(b).zip(sums) {
        *sum += a * b;
    }
}

pub(in crate::arch) fn add_scaled(a: &[F64], factors: &[F2], sums: &mut [F64]) {
    for ((&a, &factor), sum) in a.iter().zip(factors).zip(sums) {
        *sum += scale_by(a, factor);
    }
}

pub(in crate::arch) fn products(triples: &[Triple], constant: &mut [F64], linear: &mut [F64]) {
    products_of(triples.iter().copied(), constant, linear);
}

pub(in crate::arch) fn column_products(
    a: &[F64],
    b: &[F64],
    c: &[F64],
    constant: &mut [F64],
    linear: &mut [F64],
) {
    products_of(rows(a, b, c), constant, linear);
}

fn products_of(triples: impl Iterator<Item = Triple>, constant: &mut [F64], linear: &mut [F64]) {
    for (([a, b, c], constant), linear) in triples.zip(constant).zip(linear) {
        *constant = mac(a) * mac(b);
        *linear = scale(mac(b), a.get()) + scale(mac(a), b.get()) + mac(c);
    }
}

/// Triples that stand in columns.
fn rows<'a>(a: &'a [F64], b: &'a [F64], c: &'a [F64]) -> impl Iterator<Item = Triple> {
    a.iter().zip(b).zip(c).map(|((&a, &b), &c)| [a, b, c])
}

pub(in crate::arch) fn verifier_sums(chi: &[F64], triples: &[Triple]) -> (F64, F64) {
    verifier_sums_of(chi, triples.iter().copied())
}

pub(in crate::arch) fn verifier_column_sums(chi: &[F64], a: &[F64], b: &[F64], c: &[F64]) -> (F64, F64) {
    verifier_sums_of(chi, rows(a, b, c))
}

fn verifier_sums_of(chi: &[F64], triples: impl Iterator<Item = Triple>) -> (F64, F64) {
    let mut sums = (F64::default(), F64::default());
    for (&chi, [a, b, c]) in chi.iter().zip(triples) {
        sums.0 += chi * (a * b);
        sums.1 += chi * c;
    }
    sums
}

pub(in crate::arch) fn correct(keys: &mut [F64], corrections: &[F2], delta: F64) {
    for (key, &correction) in keys.iter_mut().zip(corrections) {
        *key += scale_by(delta, correction);
    }
}

pub(in crate::arch) fn add_where(bits: &[u8], delta: F64, rows: &mut [F64]) {
    for (i, row) in rows.iter_mut().enumerate() {
        *row += scale(delta, u64::from(bits[i / 8]) >> (i % 8));
    }
}

pub(in crate::arch) fn add_rows(words: &mut [F64], [out, a, b]: [usize; 3], count: usize) {
    for i in 0..count {
        words[out + i] = words[a + i] + words[b + i];
    }
}

pub(in crate::arch) fn transpose(columns: &[F128], rows: &mut [F64]) {
    let blocks = rows.len() / 128;
    for (square, rows) in rows.chunks_exact_mut(64).enumerate() {
        let (block, half) = (square / 2, square % 2);
        let mut words: [u64; 64] =
            core::array::from_fn(|p| (columns[p * blocks + block].0 >> (64 * half)) as u64);
        // Swap the off-diagonal halves of ever smaller squares.
        let mut side = 32;
        let mut low = u64::MAX >> 32;
        while side > 0 {
            for i in (0..64).filter(|i| i & side == 0) {
                let swap = (words[i] >> side ^ words[i + side]) & low;
                words[i] ^= swap << side;
                words[i + side] ^= swap;
            }
            side /= 2;
            low ^= low << side;
        }
        rows.iter_mut().zip(words).for_each(|(row, word)| *row = F64::new(word));
    }
}
