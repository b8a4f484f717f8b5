//! The kernels over the square of F_{2^61-1}, for values of F_{2^61-1}: as [`MacField`](crate::mac::MacField)
//! specifies.
//!
//! What is linear over F_{2^61-1} goes through the kernels there, on coordinates.

use super::f61::{self, Gate};
use super::{Arch, Level, dispatch, portable};
use crate::aes::Aes128;
use crate::field::{Binomial, F61, F61x2, F128};
use crate::mac::Tagged;

/// A value and its MAC: 64-bit words, the value first.
pub(crate) type Row = Tagged<F61, F61x2>;

/// The coordinates of `elements`.
#[allow(unsafe_code)]
fn coordinates(elements: &[F61x2]) -> &[F61] {
    // SAFETY: an element is two coordinates, and nothing else.
    unsafe { core::slice::from_raw_parts(elements.as_ptr().cast(), 2 * elements.len()) }
}

#[allow(unsafe_code)]
fn coordinates_mut(elements: &mut [F61x2]) -> &mut [F61] {
    // SAFETY: as above.
    unsafe { core::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), 2 * elements.len()) }
}

/// `elements` as pairs that the code adds up, coordinate by coordinate.
#[allow(unsafe_code)]
fn pairs(elements: &[F61x2]) -> &[f61::Row] {
    // SAFETY: both are two elements of F_{2^61-1}, and nothing else.
    unsafe { core::slice::from_raw_parts(elements.as_ptr().cast(), elements.len()) }
}

#[allow(unsafe_code)]
fn pairs_mut(elements: &mut [F61x2]) -> &mut [f61::Row] {
    // SAFETY: as above.
    unsafe { core::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), elements.len()) }
}

pub(crate) fn sum_rows(arch: Arch, nodes: &[F61x2], sums: &mut [F61x2]) {
    f61::sum_rows(arch, coordinates(nodes), coordinates_mut(sums));
}

pub(crate) fn sample_all(arch: Arch, blocks: &[F128], out: &mut [F61x2]) {
    f61::sample_all(arch, blocks, coordinates_mut(out));
}

pub(crate) fn encode_keys(matrix: &Aes128, first: u64, table: &[F61x2], rows: &mut [F61x2]) {
    f61::encode_tagged(matrix, first, pairs(table), pairs_mut(rows));
}

pub(crate) fn encode_tagged(matrix: &Aes128, first: u64, table: &[Row], rows: &mut [Row]) {
    f61::check_encoding(first, table.len());
    dispatch!(matrix.arch(), f61x2::encode_tagged(matrix, first, table, rows))
}

pub(crate) fn weigh(arch: Arch, chi: &[F61x2], rows: &[Row]) -> (F61x2, F61x2) {
    assert_eq!(chi.len(), rows.len());
    dispatch!(arch, f61x2::weigh(chi, rows))
}

pub(crate) fn dot(arch: Arch, a: &[F61x2], b: &[F61x2]) -> F61x2 {
    assert_eq!(a.len(), b.len());
    dispatch!(arch, f61x2::dot(a, b))
}

pub(crate) fn inner_product(arch: Arch, a: &[Row], b: &[Row]) -> (F61x2, F61x2, F61) {
    assert_eq!(a.len(), b.len());
    dispatch!(arch, f61x2::inner_product(a, b))
}

pub(crate) fn linear(arch: Arch, factors: &[F61], rows: &[Row]) -> Row {
    assert_eq!(factors.len(), rows.len());
    dispatch!(arch, f61x2::linear(factors, rows))
}

pub(crate) fn combine(arch: Arch, factors: &[F61], a: &[F61x2]) -> F61x2 {
    let sum = f61::linear(arch, factors, pairs(a));
    Binomial([sum.value, sum.mac])
}

pub(crate) fn add_products(arch: Arch, a: &[F61x2], b: &[F61x2], sums: &mut [F61x2]) {
    assert_eq!((a.len(), b.len()), (sums.len(), sums.len()));
    dispatch!(arch, f61x2::add_products(a, b, sums))
}

pub(crate) fn add_scaled(arch: Arch, a: &[F61x2], factors: &[F61], sums: &mut [F61x2]) {
    assert_eq!((a.len(), factors.len()), (sums.len(), sums.len()));
    dispatch!(arch, f61x2::add_scaled(a, factors, sums))
}

pub(crate) fn products(arch: Arch, gates: &[Gate<Row>], constant: &mut [F61x2], linear: &mut [F61x2]) {
    assert_eq!((gates.len(), gates.len()), (constant.len(), linear.len()));
    dispatch!(arch, f61x2::products(gates, constant, linear))
}

pub(crate) fn verifier_sums(arch: Arch, chi: &[F61x2], gates: &[Gate<F61x2>]) -> (F61x2, F61x2) {
    assert_eq!(chi.len(), gates.len());
    dispatch!(arch, f61x2::verifier_sums(chi, gates))
}

pub(crate) fn correct(arch: Arch, keys: &mut [F61x2], corrections: &[F61], delta: F61x2) {
    assert_eq!(keys.len(), corrections.len());
    dispatch!(arch, f61x2::correct(keys, corrections, delta))
}
