//! Fields that claims about products are checked over, in bulk.
//!
//! They may be wider than the 128 bits of [`crate::Field`]: a check whose challenge can be searched offline
//! needs 2^160 elements. Kernels that a field has none of its own for are the portable ones here, which are
//! also their specification.

mod odd;
pub(crate) mod portable;

use crate::arch::Arch;
use core::fmt::Debug;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use zeroize::DefaultIsZeroes;

/// A finite field of 2^40 elements and more, whose elements have one canonical encoding of a fixed number of
/// bytes. [`Default`] is zero.
///
/// Every operation takes the same time whatever the operands.
pub trait CheckField:
    DefaultIsZeroes
    + Eq
    + Debug
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + Sum
    + 'static
{
    /// The neutral element of multiplication.
    const UNIT: Self;
    /// log2 of the number of elements, rounded down.
    const SIZE_BITS: u32;
    /// The bytes of an encoded element.
    const ENCODED: usize;
    /// The name in options and reports.
    const LABEL: &'static str;
    /// The 64-bit words of randomness that [`CheckField::uniform`] takes, at most
    /// [`MOST_WORDS`](crate::MOST_WORDS).
    const WORDS: usize;

    /// The element that uniform `words`, [`CheckField::WORDS`] of them, make: uniform within a statistical
    /// distance of 2^-60, and none is likelier than one in 2^[`CheckField::SIZE_BITS`].
    ///
    /// # Panics
    /// Where there are fewer.
    fn uniform(words: &[u64]) -> Self;

    /// `1/self`, and zero for zero.
    fn inverse(self) -> Self;

    /// `self` where `mask` is all ones, zero where it is zero.
    fn keep(self, mask: u64) -> Self;

    /// Writes the canonical encoding, least significant byte first.
    ///
    /// # Panics
    /// Where `bytes` is not [`CheckField::ENCODED`] long.
    fn write(self, bytes: &mut [u8]);

    /// The element that `bytes` encode, or `None` where the encoding is not canonical.
    ///
    /// # Panics
    /// Where `bytes` is not [`CheckField::ENCODED`] long.
    fn read(bytes: &[u8]) -> Option<Self>;

    /// Place number `index` to evaluate polynomials at: distinct for all `index` from 1 to 2^16, and neither
    /// zero nor one. X^index in a field of characteristic two; in others the integer `index + 1`, whose
    /// digits in base p are the coordinates over the prime field of p elements.
    fn point(index: u32) -> Self;

    /// `out[i] = a[i] · b[i]`.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn multiply(arch: Arch, a: &[Self], b: &[Self], out: &mut [Self]);

    /// `out[i] = a[i] · factor`.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn scale_all(arch: Arch, a: &[Self], factor: Self, out: &mut [Self]);

    /// `Σ a[i] · b[i]`.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn dot_product(arch: Arch, a: &[Self], b: &[Self]) -> Self;

    /// `out[i] = Σ_v factors[v] · a[k·i + v]` for the k factors, and zeros behind the end of `a`:
    /// one step of folding.
    ///
    /// # Panics
    /// Where there are no factors, or `out.len()` is not `a.len()` divided by their number, rounded up.
    fn fold(arch: Arch, a: &[Self], factors: &[Self], out: &mut [Self]);
}

/// The kernels of [`CheckField`] that a field has none of its own for, by the portable ones: compiled here
/// once, not again by each crate that checks over the field.
macro_rules! portable_checks {
    ($($kernel:ident)*) => { $(crate::check::portable_checks!(@$kernel);)* };
    (@multiply) => {
        fn multiply(_: crate::arch::Arch, a: &[Self], b: &[Self], out: &mut [Self]) {
            assert_eq!((a.len(), b.len()), (out.len(), out.len()));
            crate::check::portable::multiply(a, b, out);
        }
    };
    (@scale_all) => {
        fn scale_all(_: crate::arch::Arch, a: &[Self], factor: Self, out: &mut [Self]) {
            assert_eq!(a.len(), out.len());
            crate::check::portable::scale_all(a, factor, out);
        }
    };
    (@dot_product) => {
        fn dot_product(_: crate::arch::Arch, a: &[Self], b: &[Self]) -> Self {
            assert_eq!(a.len(), b.len());
            crate::check::portable::dot_product(a, b)
        }
    };
    (@fold) => {
        fn fold(_: crate::arch::Arch, a: &[Self], factors: &[Self], out: &mut [Self]) {
            assert_eq!(out.len(), a.len().div_ceil(factors.len()));
            crate::check::portable::fold(a, factors, out);
        }
    };
}
pub(crate) use portable_checks;
