//! Vectors of elements of an extension, lane by lane: what polynomials in values under MACs are computed in.

use crate::arch::{self, Arch};
use crate::field::{Extension, F2, F128, Field};

/// An extension with kernels on vectors.
///
/// Each method is the portable kernel, and the specification of those that a field replaces by faster ones.
/// Time depends on lengths only.
pub trait Lanes<B: Field>: Extension<B> {
    /// `sums[i] += a[i]·b[i]`.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn add_products(_: Arch, a: &[Self], b: &[Self], sums: &mut [Self]) {
        assert_eq!((a.len(), b.len()), (sums.len(), sums.len()));
        a.iter().zip(b).zip(sums).for_each(|((&a, &b), sum)| *sum += a * b);
    }

    /// `sums[i] += a[i]·factors[i]`.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn add_scaled(_: Arch, a: &[Self], factors: &[B], sums: &mut [Self]) {
        assert_eq!((a.len(), factors.len()), (sums.len(), sums.len()));
        a.iter().zip(factors).zip(sums).for_each(|((a, &factor), sum)| *sum += a.scale(factor));
    }

    /// `Σ a·b`.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn dot(_: Arch, a: &[Self], b: &[Self]) -> Self {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b).map(|(&a, &b)| a * b).sum()
    }

    /// `Σ a·factor`.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn combine(_: Arch, factors: &[B], a: &[Self]) -> Self {
        assert_eq!(a.len(), factors.len());
        a.iter().zip(factors).map(|(a, &factor)| a.scale(factor)).sum()
    }
}

impl Lanes<F2> for F128 {
    fn add_products(arch: Arch, a: &[Self], b: &[Self], sums: &mut [Self]) {
        arch::add_products(arch, a, b, sums);
    }
    fn add_scaled(arch: Arch, a: &[Self], factors: &[F2], sums: &mut [Self]) {
        arch::add_scaled(arch, a, factors, sums);
    }
    fn combine(arch: Arch, factors: &[F2], a: &[Self]) -> Self {
        arch::combine(arch, factors, a)
    }
    fn dot(arch: Arch, a: &[Self], b: &[Self]) -> Self {
        arch::dot(arch, a, b)
    }
}
