//! The field of two elements.
#![allow(clippy::suspicious_arithmetic_impl)] // + is xor, * is and

use super::Field;
use crate::bits;
use crate::integer::U256;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use zeroize::DefaultIsZeroes;

/// An element of F_2: a bit, added by xor and multiplied by and.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[repr(transparent)]
pub struct F2(u8);

impl DefaultIsZeroes for F2 {}

impl F2 {
    /// The lowest bit of `word`.
    #[inline(always)]
    pub const fn low_bit(word: u128) -> Self {
        Self((word & 1) as u8)
    }

    /// The canonical encoding: [`Field::to_integer`].
    #[inline(always)]
    pub const fn to_word(self) -> u128 {
        self.0 as u128
    }

    /// The bit as a `bool`. Branching on it makes time depend on it: for public values only.
    #[inline(always)]
    pub const fn to_bool(self) -> bool {
        self.0 == 1
    }

    /// All ones where this bit is one, zero where it is zero: the constant-time select.
    #[inline(always)]
    pub fn mask(self) -> u128 {
        let half = u128::from(bits::mask(self.0.into()));
        half << 64 | half
    }
}

impl From<bool> for F2 {
    #[inline(always)]
    fn from(bit: bool) -> Self {
        Self(bit as u8)
    }
}

impl Field for F2 {
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);
    const BITS: u32 = 1;
    const BINARY: bool = true;
    const NAME: &'static str = "f2";

    fn invert(self) -> Self {
        self
    }
    #[inline(always)]
    fn to_integer(self) -> U256 {
        self.to_word().into()
    }
    #[inline(always)]
    fn from_integer(integer: U256) -> Option<Self> {
        (integer < 2).then_some(Self(integer.low() as u8))
    }

    fn bytes_of(count: u64) -> u64 {
        count.div_ceil(8)
    }
    fn encode_all(elements: &[Self], bytes: &mut [u8]) {
        bits::pack(elements, bytes);
    }
    fn decode_all(bytes: &[u8], elements: &mut [Self]) -> bool {
        bits::unpack(bytes, elements)
    }

    const SAMPLE: usize = 1;
    fn sample(words: &[u64]) -> Self {
        Self::low_bit(words[0].into())
    }
    fn place(_: u32) -> Self {
        Self::ONE
    }
    fn masked(self, mask: u64) -> Self {
        Self(self.0 & mask as u8)
    }
}

impl Add for F2 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl Sub for F2 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + other
    }
}

impl Mul for F2 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Neg for F2 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self
    }
}

super::assign_and_sum!(F2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_select() {
        assert_eq!(F2::ONE.mask(), u128::MAX);
        assert_eq!(F2::ZERO.mask(), 0);
        assert_eq!(F2::low_bit(6), F2::ZERO);
    }
}
