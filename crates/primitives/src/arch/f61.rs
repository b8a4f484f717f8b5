//! The kernels over F_{2^61-1} where values and MACs are both of it: as
//! [`MacField`](crate::mac::MacField) specifies.

use super::{Arch, Level, dispatch, portable};
use crate::aes::Aes128;
use crate::field::{F61, F128};
use crate::lanes::Pair;
use crate::mac::{Holes, Tagged};

/// Values are elements of the same field.
pub(crate) use self::{add_products as add_scaled, dot as combine};

/// A value and its MAC: the two halves of a lane of 128 bits.
pub(crate) type Row = Tagged<F61, F61>;

/// Vectors that are multiplied lane by lane, or a vector and one factor for all.
pub(crate) type Factors<'a> = Pair<'a, F61, F61>;

/// A party's shares of `[a, b, c]`, the wires of a multiplication.
pub(crate) type Gate<T> = [T; 3];

pub(crate) fn grow_leaves(key: &Aes128, parents: &mut [F128], leaves: &mut [F61]) {
    assert_eq!(leaves.len(), 2 * parents.len());
    dispatch!(key.arch(), f61::grow_leaves(key, parents, leaves))
}

pub(crate) fn sum_rows(arch: Arch, nodes: &[F61], sums: &mut [F61]) {
    assert!(!sums.is_empty() && nodes.len().is_multiple_of(sums.len()));
    dispatch!(arch, f61::sum_rows(nodes, sums))
}

pub(crate) fn puncture(arch: Arch, leaves: &[F61], holes: Holes<Row>, rows: &mut [Row]) {
    let trees = holes.row.len();
    assert_eq!((leaves.len(), holes.left.len(), holes.right.len()), (rows.len(), trees, trees));
    assert!(trees > 0 && rows.len().is_multiple_of(2 * trees));
    dispatch!(arch, f61::puncture(leaves, holes, rows))
}

pub(crate) fn encode_keys(matrix: &Aes128, first: u64, table: &[F61], rows: &mut [F61]) {
    check_encoding(first, table.len());
    dispatch!(matrix.arch(), f61::encode_keys(matrix, first, table, rows))
}

pub(crate) fn encode_tagged(matrix: &Aes128, first: u64, table: &[Row], rows: &mut [Row]) {
    check_encoding(first, table.len());
    dispatch!(matrix.arch(), f61::encode_tagged(matrix, first, table, rows))
}

pub(super) fn check_encoding(first: u64, size: usize) {
    assert!(first.is_multiple_of(2) && size > 0 && size <= 1 << 26);
}

pub(crate) fn sample_all(arch: Arch, blocks: &[F128], out: &mut [F61]) {
    assert!(2 * blocks.len() >= out.len());
    dispatch!(arch, f61::sample_all(blocks, out))
}

pub(crate) fn weigh(arch: Arch, chi: &[F61], rows: &[Row]) -> (F61, F61) {
    assert_eq!(chi.len(), rows.len());
    dispatch!(arch, f61::weigh(chi, rows))
}

pub(crate) fn dot(arch: Arch, a: &[F61], b: &[F61]) -> F61 {
    assert_eq!(a.len(), b.len());
    dispatch!(arch, f61::dot(a, b))
}

pub(crate) fn inner_product(arch: Arch, a: &[Row], b: &[Row]) -> (F61, F61, F61) {
    assert_eq!(a.len(), b.len());
    dispatch!(arch, f61::inner_product(a, b))
}

pub(crate) fn linear(arch: Arch, factors: &[F61], rows: &[Row]) -> Row {
    assert_eq!(factors.len(), rows.len());
    dispatch!(arch, f61::linear(factors, rows))
}

pub(crate) fn add_products(arch: Arch, a: &[F61], b: &[F61], sums: &mut [F61]) {
    assert_eq!((a.len(), b.len()), (sums.len(), sums.len()));
    dispatch!(arch, f61::add_products(a, b, sums))
}

pub(crate) fn add_sums(arch: Arch, products: &[Factors<'_>], others: &[Factors<'_>], sums: &mut [F61]) {
    check_lanes(products, others, sums);
    dispatch!(arch, f61::add_sums(products, others, sums))
}

pub(crate) fn set_sums(arch: Arch, products: &[Factors<'_>], others: &[Factors<'_>], sums: &mut [F61]) {
    check_lanes(products, others, sums);
    dispatch!(arch, f61::set_sums(products, others, sums))
}

fn check_lanes(products: &[Factors<'_>], others: &[Factors<'_>], sums: &[F61]) {
    for (a, b) in products.iter().chain(others) {
        assert!(a.len() == sums.len() && (b.len() == sums.len() || b.len() == 1));
    }
}

pub(crate) fn products(arch: Arch, gates: &[Gate<Row>], constant: &mut [F61], linear: &mut [F61]) {
    assert_eq!((gates.len(), gates.len()), (constant.len(), linear.len()));
    dispatch!(arch, f61::products(gates, constant, linear))
}

pub(crate) fn verifier_sums(arch: Arch, chi: &[F61], gates: &[Gate<F61>]) -> (F61, F61) {
    assert_eq!(chi.len(), gates.len());
    dispatch!(arch, f61::verifier_sums(chi, gates))
}

pub(crate) fn correct(arch: Arch, keys: &mut [F61], corrections: &[F61], delta: F61) {
    assert_eq!(keys.len(), corrections.len());
    dispatch!(arch, f61::correct(keys, corrections, delta))
}
