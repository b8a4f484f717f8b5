//! The field of 2^128 elements, F_2[X] / (X^128 + X^7 + X^2 + X + 1).
#![allow(clippy::suspicious_arithmetic_impl)] // + is xor

use super::{Extension, F2, Field};
use crate::arch::xor;
use crate::check::CheckField;
use crate::integer::U256;
use core::iter::Sum;
use core::ops::{Add, AddAssign, BitXor, BitXorAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use zeroize::DefaultIsZeroes;

/// An element of F_{2^128}: bit i of the word is the coefficient of X^i.
///
/// The same 128 bits serve as a block of AES, a column of 128 packed bits, or a row of a bit matrix: kernels
/// over slices of them read their operands so. `*` is the portable constant-time product, for the odd single
/// multiplication; sums of products go through [`crate::bits`] and [`crate::arch`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[repr(transparent)]
pub struct F128(pub u128);

impl DefaultIsZeroes for F128 {}

/// X^7 + X^2 + X + 1, what X^128 is congruent to.
pub(crate) const REDUCTION: u128 = 0x87;

impl F128 {
    /// The element X.
    pub const X: Self = Self(2);

    /// The lowest bit.
    #[inline(always)]
    pub const fn bit0(self) -> F2 {
        F2::low_bit(self.0)
    }

    /// The canonical encoding: [`Field::to_integer`].
    #[inline(always)]
    pub const fn to_word(self) -> u128 {
        self.0
    }

    /// The 16 bytes of the element, least significant first.
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }

    /// The element of 16 bytes, least significant first.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_le_bytes(bytes))
    }

    /// `Σ coordinates[i] · X^i`: [`Extension::pack`] over every subfield, at its degree or below.
    ///
    /// # Panics
    /// Where there are more than 128.
    pub fn pack(coordinates: &[Self]) -> Self {
        assert!(coordinates.len() <= 128, "{} coordinates do not fit F_2^128", coordinates.len());
        coordinates.iter().rev().fold(Self::ZERO, |sum, &c| {
            let carry = F2::low_bit(sum.0 >> 127).mask();
            Self((sum.0 << 1) ^ (carry & REDUCTION)) + c
        })
    }

    /// The element reduced from the 256-bit polynomial `high · X^128 + low`.
    pub const fn reduce(low: u128, high: u128) -> Self {
        // X^128 = X^7 + X^2 + X + 1: fold the high half in; at most 7 bits stick out, and fold once more.
        let out = (high >> 127) ^ (high >> 126) ^ (high >> 121);
        let folded = high ^ (high << 1) ^ (high << 2) ^ (high << 7);
        Self(low ^ folded ^ out ^ (out << 1) ^ (out << 2) ^ (out << 7))
    }
}

/// The carry-less product of a 32-bit and a 64-bit polynomial, in constant time.
///
/// Integer products of operands with holes: where one bit in four may be set, at most 8 partial products meet
/// in a position, and their carries stay within the holes.
const fn clmul32(a: u32, b: u64) -> u128 {
    const HOLES: u128 = 0x1111_1111_1111_1111_1111_1111_1111_1111;
    const fn every_fourth(x: u64, from: u32) -> u128 {
        x as u128 & (HOLES << from)
    }
    let a = a as u64;
    let mut sum = 0;
    let mut i = 0;
    while i < 4 {
        // Positions congruent to i mod 4 come from the pairs (j, i - j).
        let row = (every_fourth(a, 0) * every_fourth(b, i))
            ^ (every_fourth(a, 1) * every_fourth(b, (i + 3) % 4))
            ^ (every_fourth(a, 2) * every_fourth(b, (i + 2) % 4))
            ^ (every_fourth(a, 3) * every_fourth(b, (i + 1) % 4));
        sum |= row & (HOLES << i);
        i += 1;
    }
    sum
}

/// The product of two polynomials of 64 bits.
pub(super) const fn clmul64(a: u64, b: u64) -> u128 {
    clmul32(a as u32, b) ^ (clmul32((a >> 32) as u32, b) << 32)
}

/// The unreduced product of two elements, as (low, high) halves.
pub(crate) const fn clmul128(a: u128, b: u128) -> (u128, u128) {
    let (a0, a1, b0, b1) = (a as u64, (a >> 64) as u64, b as u64, (b >> 64) as u64);
    let low = clmul64(a0, b0);
    let high = clmul64(a1, b1);
    let middle = clmul64(a0 ^ a1, b0 ^ b1) ^ low ^ high;
    (low ^ (middle << 64), high ^ (middle >> 64))
}

impl Field for F128 {
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);
    const BITS: u32 = 128;
    const BINARY: bool = true;
    const NAME: &'static str = "f128";

    fn invert(self) -> Self {
        super::binary::inverse(self)
    }
    #[inline(always)]
    fn to_integer(self) -> U256 {
        self.0.into()
    }
    #[inline(always)]
    fn from_integer(integer: U256) -> Option<Self> {
        (integer.high() == 0).then_some(Self(integer.low()))
    }

    const SAMPLE: usize = 2;
    #[inline(always)]
    fn sample(words: &[u64]) -> Self {
        Self(u128::from(words[1]) << 64 | u128::from(words[0]))
    }
    fn place(bit: u32) -> Self {
        Self(1 << bit)
    }
    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self(self.0 & (u128::from(mask) << 64 | u128::from(mask)))
    }
}

impl From<F2> for F128 {
    #[inline(always)]
    fn from(bit: F2) -> Self {
        Self(bit.to_word())
    }
}

impl Extension<F2> for F128 {
    const DEGREE: u32 = 128;

    #[inline(always)]
    fn scale(self, scalar: F2) -> Self {
        Self(self.0 & scalar.mask())
    }

    fn pack(coordinates: &[Self]) -> Self {
        Self::pack(coordinates)
    }
}

impl CheckField for F128 {
    const UNIT: Self = Self::ONE;
    const SIZE_BITS: u32 = 128;
    const ENCODED: usize = 16;
    const LABEL: &'static str = Self::NAME;
    const WORDS: usize = Self::SAMPLE;

    #[inline(always)]
    fn uniform(words: &[u64]) -> Self {
        Self::sample(words)
    }
    fn inverse(self) -> Self {
        self.invert()
    }
    #[inline(always)]
    fn keep(self, mask: u64) -> Self {
        self.masked(mask)
    }
    #[inline]
    fn write(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_bytes());
    }
    #[inline]
    fn read(bytes: &[u8]) -> Option<Self> {
        Some(Self::from_bytes(bytes.try_into().expect("16 bytes")))
    }
    fn point(index: u32) -> Self {
        super::power(Self::X, index.into())
    }
    crate::arch::binary::binary_kernels!();
}

impl Add for F128 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        xor(self, other)
    }
}

impl Sub for F128 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + other
    }
}

impl Neg for F128 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self
    }
}

impl Mul for F128 {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let (low, high) = clmul128(self.0, other.0);
        Self::reduce(low, high)
    }
}

impl BitXor for F128 {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl BitXorAssign for F128 {
    #[inline(always)]
    fn bitxor_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

super::assign_and_sum!(F128);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The product by the definition: shift, reduce, add.
    fn schoolbook(a: F128, b: F128) -> F128 {
        let mut sum = 0u128;
        let mut shifted = a.0;
        for i in 0..128 {
            sum ^= if b.0 >> i & 1 == 1 { shifted } else { 0 };
            shifted = (shifted << 1) ^ if shifted >> 127 == 1 { REDUCTION } else { 0 };
        }
        F128(sum)
    }

    /// GHASH and POLYVAL live in the same field up to a map: an outside implementation must agree.
    /// POLYVAL's product is a·b·X^-128 modulo X^128 + X^127 + X^126 + X^121 + 1, our polynomial reversed.
    fn through_polyval(a: F128, b: F128) -> F128 {
        use polyval::hazmat::FieldElement;
        let reversed = |x: F128| FieldElement::from(x.0.reverse_bits().to_le_bytes());
        let product: [u8; 16] = (reversed(a) * reversed(b)).into();
        // rev(a)·rev(b)·X^-128 there is X^-1-shifted here: dot(rev a, rev b) = rev(a·b·X).
        F128(u128::from_le_bytes(product).reverse_bits())
    }

    proptest! {
        #[test]
        fn products_agree(a: u128, b: u128) {
            let (a, b) = (F128(a), F128(b));
            prop_assert_eq!(a * b, schoolbook(a, b));
            prop_assert_eq!(through_polyval(a, b), a * b * F128::X);
        }
    }

    #[test]
    fn reduction_of_the_top_power() {
        assert_eq!(F128::reduce(0, 1), F128(REDUCTION));
        assert_eq!(F128(1 << 127) * F128::X, F128(REDUCTION));
    }
}
