//! The kernels over binary fields that products are checked over: as [`CheckField`] specifies.

use super::{Arch, Level, dispatch, portable};
use crate::check::CheckField;
use crate::field::{F48, F64, F96, F128, F160, REDUCTION};

/// How elements lie in memory, as 128-bit lanes see it.
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
pub(crate) enum Shape {
    /// Two to a lane: at most 64 bits.
    Half,
    /// One to a lane: from 65 to 128 bits.
    Whole,
    /// One to two lanes: 160 bits.
    Pair,
}

/// The field of polynomials over F_2 modulo X^d + tail, where d is [`CheckField::SIZE_BITS`].
///
/// # Safety
/// An element is 8, 16 or 32 bytes as its shape says, without padding: bit i of them is the coefficient of
/// X^i. They are an element where all bits from d on are zero.
pub(crate) unsafe trait Binary: CheckField {
    /// The polynomial of lower degree that X^d is congruent to.
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
    const TAIL: u64;
    /// How it lies in memory.
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
    const SHAPE: Shape;
}

// SAFETY: a transparent `u64`.
unsafe impl Binary for F48 {
    const TAIL: u64 = Self::TAIL;
    const SHAPE: Shape = Shape::Half;
}

// SAFETY: a transparent `u64`.
unsafe impl Binary for F64 {
    const TAIL: u64 = Self::TAIL;
    const SHAPE: Shape = Shape::Half;
}

// SAFETY: a transparent `u128`.
unsafe impl Binary for F96 {
    const TAIL: u64 = Self::TAIL;
    const SHAPE: Shape = Shape::Whole;
}

// SAFETY: a transparent `u128`.
unsafe impl Binary for F128 {
    const TAIL: u64 = REDUCTION as u64;
    const SHAPE: Shape = Shape::Whole;
}

// SAFETY: four `u64`, least significant first.
unsafe impl Binary for F160 {
    const TAIL: u64 = Self::TAIL;
    const SHAPE: Shape = Shape::Pair;
}

pub(crate) fn multiply<F: Binary>(arch: Arch, a: &[F], b: &[F], out: &mut [F]) {
    assert_eq!((a.len(), b.len()), (out.len(), out.len()));
    dispatch!(arch, binary::multiply(a, b, out))
}

pub(crate) fn scale_all<F: Binary>(arch: Arch, a: &[F], factor: F, out: &mut [F]) {
    assert_eq!(a.len(), out.len());
    dispatch!(arch, binary::scale_all(a, factor, out))
}

pub(crate) fn dot_product<F: Binary>(arch: Arch, a: &[F], b: &[F]) -> F {
    assert_eq!(a.len(), b.len());
    dispatch!(arch, binary::dot_product(a, b))
}

pub(crate) fn fold<F: Binary>(arch: Arch, a: &[F], factors: &[F], out: &mut [F]) {
    assert_eq!(out.len(), a.len().div_ceil(factors.len()));
    dispatch!(arch, binary::fold(a, factors, out))
}

/// The kernels of [`CheckField`] in a binary field.
macro_rules! binary_kernels {
    () => {
        fn multiply(arch: crate::arch::Arch, a: &[Self], b: &[Self], out: &mut [Self]) {
            crate::arch::binary::multiply(arch, a, b, out);
        }
        fn scale_all(arch: crate::arch::Arch, a: &[Self], factor: Self, out: &mut [Self]) {
            crate::arch::binary::scale_all(arch, a, factor, out);
        }
        fn dot_product(arch: crate::arch::Arch, a: &[Self], b: &[Self]) -> Self {
            crate::arch::binary::dot_product(arch, a, b)
        }
        fn fold(arch: crate::arch::Arch, a: &[Self], factors: &[Self], out: &mut [Self]) {
            crate::arch::binary::fold(arch, a, factors, out);
        }
    };
}
pub(crate) use binary_kernels;
