//! The kernels over the field of 2^64 elements where values are bits under MACs of it.
//!
//! MACs, keys and Δ have a lowest bit of zero. A **tag**, the prover's share, has its value there, and its
//! MAC in the upper 63 bits; tags are added like elements.

#[cfg(test)]
mod tests;

use super::f61::check_encoding;
use super::{Arch, Level, dispatch, portable};
use crate::aes::Aes128;
use crate::field::{F2, F64, F128};

/// A party's words for `[a, b, c]`, the wires of a multiplication.
pub(crate) type Triple = [F64; 3];

/// Makes two leaves of each parent's hash H(x) = π(σ(x)) ⊕ σ(x): of its low half the left one, which stand
/// first, of its high half the right one, both without their lowest bits. The parents are used up.
pub(crate) fn grow_leaves(key: &Aes128, parents: &mut [F128], leaves: &mut [F64]) {
    assert_eq!(leaves.len(), 2 * parents.len());
    dispatch!(key.arch(), f64::grow_leaves(key, parents, leaves))
}

/// Sums the nodes of each of `sums.len()` trees that stand side by side, node y of tree g at `y·trees + g`.
pub(crate) fn sum_rows(arch: Arch, nodes: &[F64], sums: &mut [F64]) {
    assert!(!sums.is_empty() && nodes.len().is_multiple_of(sums.len()));
    dispatch!(arch, f64::sum_rows(nodes, sums))
}

/// Sets `rows` to `leaves`, and adds for each tree g the tags `left[g]` and `right[g]` to the two children of
/// parent number `row[g]`. Time does not depend on which.
pub(crate) fn puncture(
    arch: Arch,
    leaves: &[F64],
    row: &[u64],
    [left, right]: [&[F64]; 2],
    rows: &mut [F64],
) {
    let trees = row.len();
    assert_eq!((leaves.len(), left.len(), right.len()), (rows.len(), trees, trees));
    assert!(trees > 0 && rows.len().is_multiple_of(2 * trees));
    dispatch!(arch, f64::puncture(leaves, row, left, right, rows))
}

/// Adds to each of `rows` ten entries of `table`, as [`crate::arch::encode`] does.
pub(crate) fn encode(matrix: &Aes128, first: u64, table: &[F64], rows: &mut [F64]) {
    check_encoding(first, table.len());
    dispatch!(matrix.arch(), f64::encode(matrix, first, table, rows))
}

/// `Σ χ·MAC` and `Σ χ·value` of tags.
pub(crate) fn weigh(arch: Arch, chi: &[F64], tags: &[F64]) -> (F64, F64) {
    assert_eq!(chi.len(), tags.len());
    dispatch!(arch, f64::weigh(chi, tags))
}

/// `Σ a·b`.
pub(crate) fn dot(arch: Arch, a: &[F64], b: &[F64]) -> F64 {
    super::binary::dot_product(arch, a, b)
}

/// `Σ m_a·m_b` and `Σ w_a·m_b + w_b·m_a` of tags with the values w and the MACs m.
pub(crate) fn inner_product(arch: Arch, a: &[F64], b: &[F64]) -> (F64, F64) {
    assert_eq!(a.len(), b.len());
    dispatch!(arch, f64::inner_product(a, b))
}

/// `Σ factor · a`.
pub(crate) fn combine(arch: Arch, factors: &[F2], a: &[F64]) -> F64 {
    assert_eq!(factors.len(), a.len());
    dispatch!(arch, f64::combine(factors, a))
}

/// `sums[i] += a[i] · b[i]`.
pub(crate) fn add_products(arch: Arch, a: &[F64], b: &[F64], sums: &mut [F64]) {
    assert_eq!((a.len(), b.len()), (sums.len(), sums.len()));
    dispatch!(arch, f64::add_products(a, b, sums))
}

/// `sums[i] += a[i] · factors[i]`.
pub(crate) fn add_scaled(arch: Arch, a: &[F64], factors: &[F2], sums: &mut [F64]) {
    assert_eq!((a.len(), factors.len()), (sums.len(), sums.len()));
    dispatch!(arch, f64::add_scaled(a, factors, sums))
}

/// `m_a·m_b` and `w_a·m_b + w_b·m_a + m_c` of tags with the values w and the MACs m: what each multiplication
/// adds to the prover's polynomial.
pub(crate) fn products(arch: Arch, triples: &[Triple], constant: &mut [F64], linear: &mut [F64]) {
    assert_eq!((triples.len(), triples.len()), (constant.len(), linear.len()));
    dispatch!(arch, f64::products(triples, constant, linear))
}

/// The [`products`] of triples that stand in columns.
pub(crate) fn column_products(arch: Arch, [a, b, c]: [&[F64]; 3], constant: &mut [F64], linear: &mut [F64]) {
    assert!([a, b, c].iter().all(|column| column.len() == constant.len()));
    assert_eq!(constant.len(), linear.len());
    dispatch!(arch, f64::column_products(a, b, c, constant, linear))
}

/// `Σ χ·(a·b)` and `Σ χ·c` of keys.
pub(crate) fn verifier_sums(arch: Arch, chi: &[F64], triples: &[Triple]) -> (F64, F64) {
    assert_eq!(chi.len(), triples.len());
    dispatch!(arch, f64::verifier_sums(chi, triples))
}

/// The [`verifier_sums`] of triples that stand in columns.
pub(crate) fn verifier_column_sums(arch: Arch, chi: &[F64], [a, b, c]: [&[F64]; 3]) -> (F64, F64) {
    assert!([a, b, c].iter().all(|column| column.len() == chi.len()));
    dispatch!(arch, f64::verifier_column_sums(chi, a, b, c))
}

/// `keys[i] += corrections[i] · delta`.
pub(crate) fn correct(arch: Arch, keys: &mut [F64], corrections: &[F2], delta: F64) {
    assert_eq!(keys.len(), corrections.len());
    dispatch!(arch, f64::correct(keys, corrections, delta))
}

/// Adds `delta` to `rows[i]` where bit i of `bits` is set; the first bit is the lowest of the first byte.
/// Time depends on the lengths alone.
pub(crate) fn add_where(arch: Arch, bits: &[u8], delta: F64, rows: &mut [F64]) {
    assert_eq!(bits.len(), rows.len().div_ceil(8));
    dispatch!(arch, f64::add_where(bits, delta, rows))
}

/// Puts the sums of the `count` words from `a` and from `b` on at `out`, which may be one of these two, and
/// overlaps with neither else.
pub(crate) fn add_rows(arch: Arch, words: &mut [F64], [out, a, b]: [usize; 3], count: usize) {
    assert!([out, a, b].iter().all(|from| from.checked_add(count).is_some_and(|end| end <= words.len())));
    dispatch!(arch, f64::add_rows(words, [out, a, b], count))
}

/// Transposes 64 columns of `B = rows.len() / 128` blocks into rows: bit p of `rows[128·b + j]` is bit j of
/// `columns[p·B + b]`.
pub(crate) fn transpose(arch: Arch, columns: &[F128], rows: &mut [F64]) {
    assert!(rows.len().is_multiple_of(128), "{} rows", rows.len());
    assert_eq!(2 * columns.len(), rows.len());
    dispatch!(arch, f64::transpose(columns, rows))
}
