//! The prime field of 2^16 + 1 elements, and its fourth power.

use super::{Binomial, Field, Radicand};
use crate::lanes::Lanes;
use crate::mac::MacField;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use zeroize::DefaultIsZeroes;

/// An element of F_p for the Fermat prime p = 65537: an integer below p.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[repr(transparent)]
pub struct F65537(u32);

impl DefaultIsZeroes for F65537 {}

/// The field of p^4 elements, `F65537[X] / (X^4 - 3)`.
pub type F65537x4 = Binomial<F65537, 4>;

impl F65537 {
    /// p.
    pub const MODULUS: u32 = (1 << 16) + 1;

    /// `x` modulo p.
    #[inline(always)]
    pub const fn new(x: u32) -> Self {
        // 2^16 = -1.
        Self::settle((x & 0xffff) as i32 - (x >> 16) as i32)
    }

    /// The integer from 0 to p - 1.
    #[inline(always)]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The element of an integer from -p to p - 1.
    #[inline(always)]
    const fn settle(x: i32) -> Self {
        // All ones where it is negative.
        let negative = x >> 31;
        Self((x + (Self::MODULUS as i32 & negative)) as u32)
    }

    /// The integer part of `p·fraction/2^128`, whose fractional part is left in place: the next digit in base p.
    #[inline(always)]
    const fn digit(fraction: &mut u128) -> Self {
        let (rest, carry) = (*fraction << 16).overflowing_add(*fraction);
        let digit = (*fraction >> 112) as u32 + carry as u32;
        *fraction = rest;
        Self(digit)
    }
}

impl Field for F65537 {
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);
    const BITS: u32 = 17;
    const NAME: &'static str = "f65537";

    fn invert(self) -> Self {
        super::power(self, (Self::MODULUS - 2).into())
    }
    fn to_word(self) -> u128 {
        self.0.into()
    }
    fn from_word(word: u128) -> Option<Self> {
        (word < Self::MODULUS.into()).then_some(Self(word as u32))
    }

    const SAMPLE: usize = 2;
    /// Scales 128 bits to p, at a distance below 2^-111 from uniform.
    #[inline(always)]
    fn sample(words: &[u64]) -> Self {
        Self::digit(&mut (u128::from(words[1]) << 64 | u128::from(words[0])))
    }
    fn place(bit: u32) -> Self {
        Self(1 << bit)
    }
    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self(self.0 & mask as u32)
    }
}

impl Radicand<4> for F65537 {
    // A generator of the multiplicative group, whose order 4 divides.
    const RADICAND: Self = Self(3);
    const NAME: &'static str = "f65537^4";
    const WORDS: usize = 2;

    /// Scales 128 bits to p^4, at a distance below 2^-63 from uniform; the digits in base p are the coordinates.
    #[inline(always)]
    fn draw(words: &[u64]) -> [Self; 4] {
        let mut fraction = u128::from(words[1]) << 64 | u128::from(words[0]);
        let mut digits = [Self(0); 4];
        for digit in digits.iter_mut().rev() {
            *digit = Self::digit(&mut fraction);
        }
        digits
    }
}

impl Lanes<F65537> for F65537x4 {}
impl MacField<F65537> for F65537x4 {}

impl Add for F65537 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::settle((self.0 + other.0) as i32 - Self::MODULUS as i32)
    }
}

impl Sub for F65537 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::settle(self.0 as i32 - other.0 as i32)
    }
}

impl Mul for F65537 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // (p - 1)^2 = 2^32 has 33 bits.
        let product = u64::from(self.0) * u64::from(other.0);
        Self::settle((product & 0xffff) as i32 - (product >> 16) as i32)
    }
}

impl Neg for F65537 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::settle(-(self.0 as i32))
    }
}

super::assign_and_sum!(F65537);

#[cfg(test)]
mod tests {
    use super::super::laws;
    use super::*;

    const SAMPLES: [F65537; 8] = [
        F65537(0),
        F65537(1),
        F65537(2),
        F65537(3),
        F65537(256),
        F65537(65_535),
        F65537(65_536),
        F65537(0x6789),
    ];

    #[test]
    fn laws() {
        laws::field(&SAMPLES);
        let fourths = laws::tuples(&SAMPLES);
        laws::field::<F65537x4>(&fourths);
        laws::extension::<F65537, F65537x4>(&SAMPLES, &fourths);
    }

    #[test]
    fn edges_of_the_reduction() {
        for x in [0, 65_536, 65_537, 65_538, 1 << 31, u32::MAX - 1, u32::MAX] {
            assert_eq!(F65537::new(x).get(), x % F65537::MODULUS);
        }
    }

    /// The digits by the definition, on 128-bit words whose multiples by p^4 are multiplied out in halves.
    #[test]
    fn samples_are_digits() {
        let p = u128::from(F65537::MODULUS);
        for (low, high) in
            [(0, 0), (u64::MAX, u64::MAX), (1, 1 << 63), (0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210)]
        {
            let mut rest = (u128::from(low), u128::from(high));
            let element = F65537x4::sample(&[low, high]);
            for digit in element.0.iter().rev() {
                let low = rest.0 * p;
                let high = rest.1 * p + (low >> 64);
                rest = (low & u128::from(u64::MAX), high & u128::from(u64::MAX));
                assert_eq!(digit.to_word(), high >> 64);
            }
            assert_eq!(F65537::sample(&[low, high]), element.0[3]);
        }
    }
}
