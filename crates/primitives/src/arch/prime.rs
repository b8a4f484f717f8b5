//! The kernels over prime fields and their extensions, one template for all: as
//! [`MacField`](crate::mac::MacField) specifies.

use super::f61::check_encoding;
use super::{Arch, Level, dispatch, portable};
use crate::aes::Aes128;
use crate::field::{Extension, F128, F65537, F65537x4, Goldilocks, Goldilocksx2, Q32, Q32x2};
use crate::mac::{Holes, Tagged};

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use super::simd::prime::Halves;

/// Requirements of vectors on a prime field: none where there are no vectors.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) trait Halves: crate::field::Field {}
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl<B: crate::field::Field> Halves for B {}

/// The prime field `B`, or its extension by an N-th root.
///
/// # Safety
/// An element is N coordinates of `B`, and nothing else.
pub(crate) unsafe trait Coordinates<B: Halves, const N: usize>: Extension<B> {}

// SAFETY: an element is its one coordinate.
unsafe impl Coordinates<Goldilocks, 1> for Goldilocks {}
// SAFETY: an array of coordinates, without anything else.
unsafe impl Coordinates<Goldilocks, 2> for Goldilocksx2 {}
// SAFETY: as above.
unsafe impl Coordinates<F65537, 4> for F65537x4 {}
// SAFETY: as above.
unsafe impl Coordinates<Q32, 2> for Q32x2 {}

/// A party's shares of `[a, b, c]`, the wires of a multiplication.
pub(crate) type Gate<T> = [T; 3];

pub(crate) fn sum_rows<B: Halves, E: Coordinates<B, N>, const N: usize>(
    arch: Arch,
    nodes: &[E],
    sums: &mut [E],
) {
    assert!(!sums.is_empty() && nodes.len().is_multiple_of(sums.len()));
    dispatch!(arch, prime::sum_rows(nodes, sums))
}

pub(crate) fn puncture<B: Halves, E: Coordinates<B, N>, const N: usize>(
    arch: Arch,
    leaves: &[E],
    holes: Holes<Tagged<B, E>>,
    rows: &mut [Tagged<B, E>],
) {
    let trees = holes.row.len();
    assert_eq!((leaves.len(), holes.left.len(), holes.right.len()), (rows.len(), trees, trees));
    assert!(trees > 0 && rows.len().is_multiple_of(2 * trees));
    dispatch!(arch, prime::puncture(leaves, holes, rows))
}

pub(crate) fn encode_keys<B: Halves, E: Coordinates<B, N>, const N: usize>(
    matrix: &Aes128,
    first: u64,
    table: &[E],
    rows: &mut [E],
) {
    check_encoding(first, table.len());
    dispatch!(matrix.arch(), prime::encode_keys(matrix, first, table, rows))
}

pub(crate) fn encode_tagged<B: Halves, E: Coordinates<B, N>, const N: usize>(
    matrix: &Aes128,
    first: u64,
    table: &[Tagged<B, E>],
    rows: &mut [Tagged<B, E>],
) {
    check_encoding(first, table.len());
    dispatch!(matrix.arch(), prime::encode_tagged(matrix, first, table, rows))
}

pub(crate) fn sample_all<B: Halves, E: Coordinates<B, N>, const N: usize>(
    arch: Arch,
    blocks: &[F128],
    out: &mut [E],
) {
    assert!(2 * blocks.len() >= E::SAMPLE * out.len());
    dispatch!(arch, prime::sample_all(blocks, out))
}

pub(crate) fn weigh<B: Halves, E: Coordinates<B, N>, const N: usize>(
    arch: Arch,
    chi: &[E],
    rows: &[Tagged<B, E>],
) -> (E, E) {
    assert_eq!(chi.len(), rows.len());
    dispatch!(arch, prime::weigh(chi, rows))
}

pub(crate) fn dot<B: Halves, E: Coordinates<B, N>, const N: usize>(arch: Arch, a: &[E], b: &[E]) -> E {
    assert_eq!(a.len(), b.len());
    dispatch!(arch, prime::dot(a, b))
}

pub(crate) fn combine<B: Halves, E: Coordinates<B, N>, const N: usize>(
    arch: Arch,
    factors: &[B],
    a: &[E],
) -> E {
    assert_eq!(factors.len(), a.len());
    dispatch!(arch, prime::combine(factors, a))
}

pub(crate) fn inner_product<B: Halves, E: Coordinates<B, N>, const N: usize>(
    arch: Arch,
    a: &[Tagged<B, E>],
    b: &[Tagged<B, E>],
) -> (E, E, B) {
    assert_eq!(a.len(), b.len());
    dispatch!(arch, prime::inner_product(a, b))
}

pub(crate) fn linear<B: Halves, E: Coordinates<B, N>, const N: usize>(
    arch: Arch,
    factors: &[B],
    rows: &[Tagged<B, E>],
) -> Tagged<B, E> {
    assert_eq!(factors.len(), rows.len());
    dispatch!(arch, prime::linear(factors, rows))
}

pub(crate) fn add_products<B: Halves, E: Coordinates<B, N>, const N: usize>(
    arch: Arch,
    a: &[E],
    b: &[E],
    sums: &mut [E],
) {
    assert_eq!((a.len(), b.len()), (sums.len(), sums.len()));
    dispatch!(arch, prime::add_products(a, b, sums))
}

pub(crate) fn add_scaled<B: Halves, E: Coordinates<B, N>, const N: usize>(
    arch: Arch,
    a: &[E],
    factors: &[B],
    sums: &mut [E],
) {
    assert_eq!((a.len(), factors.len()), (sums.len(), sums.len()));
    dispatch!(arch, prime::add_scaled(a, factors, sums))
}

pub(crate) fn products<B: Halves, E: Coordinates<B, N>, const N: usize>(
    arch: Arch,
    gates: &[Gate<Tagged<B, E>>],
    constant: &mut [E],
    linear: &mut [E],
) {
    assert_eq!((gates.len(), gates.len()), (constant.len(), linear.len()));
    dispatch!(arch, prime::products(gates, constant, linear))
}

pub(crate) fn verifier_sums<B: Halves, E: Coordinates<B, N>, const N: usize>(
    arch: Arch,
    chi: &[E],
    gates: &[Gate<E>],
) -> (E, E) {
    assert_eq!(chi.len(), gates.len());
    dispatch!(arch, prime::verifier_sums(chi, gates))
}

pub(crate) fn correct<B: Halves, E: Coordinates<B, N>, const N: usize>(
    arch: Arch,
    keys: &mut [E],
    corrections: &[B],
    delta: E,
) {
    assert_eq!(keys.len(), corrections.len());
    dispatch!(arch, prime::correct(keys, corrections, delta))
}

/// The methods of [`Lanes`](crate::lanes::Lanes) over the prime field `$base` by the template.
macro_rules! prime_lanes {
    ($base:ty: all) => {
        crate::arch::prime::prime_lanes!($base: dot combine add_products add_scaled);
    };
    ($base:ty: $($kernel:ident)*) => { $(crate::arch::prime::prime_lanes!(@$kernel, $base);)* };
    (@dot, $base:ty) => {
        fn dot(arch: crate::arch::Arch, a: &[Self], b: &[Self]) -> Self {
            crate::arch::prime::dot(arch, a, b)
        }
    };
    (@combine, $base:ty) => {
        fn combine(arch: crate::arch::Arch, factors: &[$base], a: &[Self]) -> Self {
            crate::arch::prime::combine(arch, factors, a)
        }
    };
    (@add_products, $base:ty) => {
        fn add_products(arch: crate::arch::Arch, a: &[Self], b: &[Self], sums: &mut [Self]) {
            crate::arch::prime::add_products(arch, a, b, sums);
        }
    };
    (@add_scaled, $base:ty) => {
        fn add_scaled(arch: crate::arch::Arch, a: &[Self], factors: &[$base], sums: &mut [Self]) {
            crate::arch::prime::add_scaled(arch, a, factors, sums);
        }
    };
}
pub(crate) use prime_lanes;

/// The methods of [`MacField`](crate::mac::MacField) for values of the prime field `$base` by the template.
macro_rules! prime_macs {
    ($base:ty: all) => {
        crate::arch::prime::prime_macs!(
            $base: sum_rows puncture encode_keys encode_tagged sample_all weigh inner_product
            linear products verifier_sums correct
        );
    };
    ($base:ty: $($kernel:ident)*) => {
        $(crate::arch::prime::prime_macs!(@$kernel, $base, crate::mac::Tagged<$base, Self>);)*
    };
    (@sum_rows, $base:ty, $row:ty) => {
        fn sum_rows(arch: crate::arch::Arch, nodes: &[Self], sums: &mut [Self]) {
            crate::arch::prime::sum_rows(arch, nodes, sums);
        }
    };
    (@puncture, $base:ty, $row:ty) => {
        fn puncture(
            arch: crate::arch::Arch,
            leaves: &[Self],
            holes: crate::mac::Holes<crate::mac::Tagged<$base, Self>>,
            rows: &mut [$row],
        ) {
            crate::arch::prime::puncture(arch, leaves, holes, rows);
        }
    };
    (@encode_keys, $base:ty, $row:ty) => {
        fn encode_keys(matrix: &crate::aes::Aes128, first: u64, table: &[Self], rows: &mut [Self]) {
            crate::arch::prime::encode_keys(matrix, first, table, rows);
        }
    };
    (@encode_tagged, $base:ty, $row:ty) => {
        fn encode_tagged(matrix: &crate::aes::Aes128, first: u64, table: &[$row], rows: &mut [$row]) {
            crate::arch::prime::encode_tagged(matrix, first, table, rows);
        }
    };
    (@sample_all, $base:ty, $row:ty) => {
        fn sample_all(arch: crate::arch::Arch, blocks: &[crate::field::F128], out: &mut [Self]) {
            crate::arch::prime::sample_all(arch, blocks, out);
        }
    };
    (@weigh, $base:ty, $row:ty) => {
        fn weigh(arch: crate::arch::Arch, chi: &[Self], rows: &[$row]) -> (Self, Self) {
            crate::arch::prime::weigh(arch, chi, rows)
        }
    };
    (@inner_product, $base:ty, $row:ty) => {
        fn inner_product(arch: crate::arch::Arch, a: &[$row], b: &[$row]) -> (Self, Self, $base) {
            crate::arch::prime::inner_product(arch, a, b)
        }
    };
    (@linear, $base:ty, $row:ty) => {
        fn linear(arch: crate::arch::Arch, factors: &[$base], rows: &[$row]) -> $row {
            crate::arch::prime::linear(arch, factors, rows)
        }
    };
    (@products, $base:ty, $row:ty) => {
        fn products(
            arch: crate::arch::Arch,
            triples: &[[$row; 3]],
            constant: &mut [Self],
            linear: &mut [Self],
        ) {
            crate::arch::prime::products(arch, triples, constant, linear);
        }
    };
    (@verifier_sums, $base:ty, $row:ty) => {
        fn verifier_sums(arch: crate::arch::Arch, chi: &[Self], triples: &[[Self; 3]]) -> (Self, Self) {
            crate::arch::prime::verifier_sums(arch, chi, triples)
        }
    };
    (@correct, $base:ty, $row:ty) => {
        fn correct(arch: crate::arch::Arch, keys: &mut [Self], corrections: &[$base], delta: Self) {
            crate::arch::prime::correct(arch, keys, corrections, delta);
        }
    };
}
pub(crate) use prime_macs;
