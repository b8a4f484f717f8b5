//! The prime field of 2^64 - 2^32 + 1 elements, and its square.
#![allow(clippy::suspicious_arithmetic_impl)] // a + b is a - (p - b)

use super::{Binomial, Field, Radicand};
use crate::lanes::Lanes;
use crate::mac::MacField;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use zeroize::DefaultIsZeroes;

/// An element of F_p for p = 2^64 - 2^32 + 1: an integer below p.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[repr(transparent)]
pub struct Goldilocks(u64);

impl DefaultIsZeroes for Goldilocks {}

/// The field of p^2 elements, `Goldilocks[X] / (X^2 - 7)`.
pub type Goldilocksx2 = Binomial<Goldilocks, 2>;

/// 2^32 - 1, what 2^64 is congruent to.
const EPSILON: u64 = u32::MAX as u64;

impl Goldilocks {
    /// p.
    pub const MODULUS: u64 = 0xffff_ffff_0000_0001;

    /// `x` modulo p.
    #[inline(always)]
    pub const fn new(x: u64) -> Self {
        Self::difference(x, Self::MODULUS)
    }

    /// The integer from 0 to p - 1.
    #[inline(always)]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// `a - b`, from -p to p - 1, modulo p.
    #[inline(always)]
    const fn difference(a: u64, b: u64) -> Self {
        let (difference, borrow) = a.overflowing_sub(b);
        Self(difference.wrapping_sub(EPSILON & mask(borrow)))
    }

    /// `x` modulo p.
    #[inline(always)]
    const fn reduce(x: u128) -> Self {
        let (low, middle, high) = (x as u64, (x >> 64) as u64 & EPSILON, (x >> 96) as u64);
        // 2^96 = -1 and 2^64 = 2^32 - 1. Where the first wraps around it is far from zero, the second far from 2^64.
        let (difference, borrow) = low.overflowing_sub(high);
        let (sum, carry) = difference.wrapping_sub(EPSILON & mask(borrow)).overflowing_add(middle * EPSILON);
        Self::new(sum.wrapping_add(EPSILON & mask(carry)))
    }
}

/// All ones where `bit` is set, without a branch.
#[inline(always)]
const fn mask(bit: bool) -> u64 {
    (bit as u64).wrapping_neg()
}

impl Field for Goldilocks {
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);
    const BITS: u32 = 64;
    const NAME: &'static str = "goldilocks";

    fn invert(self) -> Self {
        super::power(self, (Self::MODULUS - 2).into())
    }
    fn to_word(self) -> u128 {
        self.0.into()
    }
    fn from_word(word: u128) -> Option<Self> {
        (word < Self::MODULUS.into()).then_some(Self(word as u64))
    }

    const SAMPLE: usize = 2;
    /// Reduces 128 bits, at a distance below 2^-64 from uniform.
    #[inline(always)]
    fn sample(words: &[u64]) -> Self {
        Self::reduce(u128::from(words[1]) << 64 | u128::from(words[0]))
    }
    fn place(bit: u32) -> Self {
        Self(1 << bit)
    }
    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self(self.0 & mask)
    }
}

impl Radicand<2> for Goldilocks {
    const RADICAND: Self = Self(7);
    const NAME: &'static str = "goldilocks^2";
}

impl Lanes<Goldilocks> for Goldilocks {}
impl MacField<Goldilocks> for Goldilocks {}
impl Lanes<Goldilocks> for Goldilocksx2 {}
impl MacField<Goldilocks> for Goldilocksx2 {}

impl Add for Goldilocks {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::difference(self.0, Self::MODULUS - other.0)
    }
}

impl Sub for Goldilocks {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::difference(self.0, other.0)
    }
}

impl Mul for Goldilocks {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self::reduce(u128::from(self.0) * u128::from(other.0))
    }
}

impl Neg for Goldilocks {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::difference(0, self.0)
    }
}

super::assign_and_sum!(Goldilocks);

#[cfg(test)]
mod tests {
    use super::super::laws;
    use super::*;
    use proptest::prelude::*;

    const SAMPLES: [Goldilocks; 10] = [
        Goldilocks(0),
        Goldilocks(1),
        Goldilocks(2),
        Goldilocks(7),
        Goldilocks(EPSILON),
        Goldilocks(1 << 32),
        Goldilocks(1 << 63),
        Goldilocks(0x0123_4567_89ab_cdef),
        Goldilocks(Goldilocks::MODULUS - 1),
        Goldilocks(Goldilocks::MODULUS - 2),
    ];

    #[test]
    fn laws() {
        laws::field(&SAMPLES);
        let squares = laws::tuples(&SAMPLES);
        laws::field::<Goldilocksx2>(&squares);
        laws::extension::<Goldilocks, Goldilocksx2>(&SAMPLES, &squares);
    }

    proptest! {
        #[test]
        fn reductions_agree(x: u128) {
            prop_assert_eq!(Goldilocks::reduce(x).to_word(), x % u128::from(Goldilocks::MODULUS));
        }
    }

    #[test]
    fn edges_of_the_reduction() {
        let p = u128::from(Goldilocks::MODULUS);
        for high in
            [0, 1, 1 << 31, 1 << 32, EPSILON - 1, EPSILON, Goldilocks::MODULUS, u64::MAX - 1, u64::MAX]
        {
            for low in [0, 1, EPSILON, 1 << 32, Goldilocks::MODULUS - 1, Goldilocks::MODULUS, u64::MAX] {
                let x = u128::from(high) << 64 | u128::from(low);
                assert_eq!(Goldilocks::reduce(x).to_word(), x % p);
            }
            assert_eq!(Goldilocks::new(high).to_word(), u128::from(high) % p);
        }
    }

    #[test]
    fn both_halves_are_canonical() {
        let p = u128::from(Goldilocks::MODULUS);
        assert_eq!(Goldilocksx2::from_word(p), None);
        assert_eq!(Goldilocksx2::from_word(p << 64), None);
        assert_eq!(Goldilocksx2::from_word((p - 1) << 64 | (p - 1)), Some(-Binomial([Goldilocks(1); 2])));
    }
}
