//! The prime field of 2^32 - 5 elements, and its square.

use super::{Binomial, Field, Radicand};
use crate::aes::Aes128;
use crate::arch::{Arch, q32};
use crate::lanes::Lanes;
use crate::mac::{MacField, Tagged};
use core::iter::Sum;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use zeroize::DefaultIsZeroes;

/// An element of F_q for q = 2^32 - 5, the largest prime of 32 bits: an integer below q.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[repr(transparent)]
pub struct Q32(u32);

impl DefaultIsZeroes for Q32 {}

/// The field of q^2 elements, `Q32[X] / (X^2 + 1)`.
pub type Q32x2 = Binomial<Q32, 2>;

impl Q32 {
    /// q.
    pub const MODULUS: u32 = 5u32.wrapping_neg();

    /// `x` modulo q.
    #[inline(always)]
    pub const fn new(x: u64) -> Self {
        // The first fold is below 6·2^32, the second at most 2^32 + 24.
        Self::settle(Self::fold(Self::fold(x)))
    }

    /// The integer from 0 to q - 1.
    #[inline(always)]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// An integer below 6·2^32 that is `x` modulo q.
    #[inline(always)]
    const fn fold(x: u64) -> u64 {
        // 2^32 = 5.
        5 * (x >> 32) + (x & 0xffff_ffff)
    }

    /// The element of an integer below 2q.
    #[inline(always)]
    const fn settle(x: u64) -> Self {
        let less = x.wrapping_sub(Self::MODULUS as u64);
        // All ones where the difference was negative.
        let negative = ((less as i64) >> 63) as u64;
        Self(less.wrapping_add(Self::MODULUS as u64 & negative) as u32)
    }

    /// The integer a·b.
    #[inline(always)]
    const fn product(a: Self, b: Self) -> u64 {
        a.0 as u64 * b.0 as u64
    }

    /// The integer part of `q·fraction/2^128`, whose fractional part is left in place: the next digit in base q.
    #[inline(always)]
    const fn digit(fraction: &mut u128) -> Self {
        let q = Self::MODULUS as u128;
        let low = (*fraction as u64) as u128 * q;
        let high = (*fraction >> 64) * q + (low >> 64);
        *fraction = high << 64 | (low as u64) as u128;
        Self((high >> 64) as u32)
    }
}

impl Field for Q32 {
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);
    const BITS: u32 = 32;
    const NAME: &'static str = "q32";

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
    /// Scales 128 bits to q, at a distance below 2^-96 from uniform. Of 64 bits the distance would be 25·2^-64.
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

impl Radicand<2> for Q32 {
    // q = 3 mod 4, so that -1 is no square.
    const RADICAND: Self = Self(Self::MODULUS - 1);
    const NAME: &'static str = "q32^2";
    const WORDS: usize = 2;

    /// Scales 128 bits to q^2, at a distance below 2^-64 from uniform; the digits in base q are the coordinates.
    #[inline(always)]
    fn draw(words: &[u64]) -> [Self; 2] {
        let mut fraction = u128::from(words[1]) << 64 | u128::from(words[0]);
        let high = Self::digit(&mut fraction);
        [Self::digit(&mut fraction), high]
    }

    /// Folds each product, and reduces each sum of two.
    #[inline(always)]
    fn multiply(a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
        let folded = |a, b| Self::fold(Self::product(a, b));
        // At most q: an integer, not an element.
        let negated = Self(Self::MODULUS - b[1].0);
        let (low, high) =
            (folded(a[0], b[0]) + folded(a[1], negated), folded(a[0], b[1]) + folded(a[1], b[0]));
        // Both are below 12·2^32, and fold to at most 2^32 + 54.
        [Self::settle(Self::fold(low)), Self::settle(Self::fold(high))]
    }
}

impl Lanes<Q32> for Q32x2 {
    fn dot(_: Arch, a: &[Self], b: &[Self]) -> Self {
        q32::dot(a, b)
    }
    fn combine(arch: Arch, factors: &[Q32], a: &[Self]) -> Self {
        q32::combine(arch, factors, a)
    }
}

type Row = Tagged<Q32, Q32x2>;

impl MacField<Q32> for Q32x2 {
    fn encode_keys(matrix: &Aes128, first: u64, table: &[Self], rows: &mut [Self]) {
        q32::encode_keys(matrix, first, table, rows);
    }
    fn encode_tagged(matrix: &Aes128, first: u64, table: &[Row], rows: &mut [Row]) {
        q32::encode_tagged(matrix, first, table, rows);
    }
    fn weigh(_: Arch, chi: &[Self], rows: &[Row]) -> (Self, Self) {
        q32::weigh(chi, rows)
    }
    fn inner_product(_: Arch, a: &[Row], b: &[Row]) -> (Self, Self, Q32) {
        q32::inner_product(a, b)
    }
    fn linear(arch: Arch, factors: &[Q32], rows: &[Row]) -> Row {
        q32::linear(arch, factors, rows)
    }
}

impl Add for Q32 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::settle(u64::from(self.0) + u64::from(other.0))
    }
}

impl Sub for Q32 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::settle(u64::from(self.0) + u64::from(Self::MODULUS) - u64::from(other.0))
    }
}

impl Mul for Q32 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self::new(Self::product(self, other))
    }
}

impl Neg for Q32 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::settle(u64::from(Self::MODULUS - self.0))
    }
}

super::assign_and_sum!(Q32);

#[cfg(test)]
mod tests {
    use super::super::laws;
    use super::*;

    const SAMPLES: [Q32; 9] = [
        Q32(0),
        Q32(1),
        Q32(2),
        Q32(5),
        Q32(1 << 31),
        Q32(0x0123_4567),
        Q32(0xfedc_ba98),
        Q32(Q32::MODULUS - 2),
        Q32(Q32::MODULUS - 1),
    ];

    #[test]
    fn laws() {
        laws::field(&SAMPLES);
        let squares = laws::tuples(&SAMPLES);
        laws::field::<Q32x2>(&squares);
        laws::extension::<Q32, Q32x2>(&SAMPLES, &squares);
    }

    #[test]
    fn edges_of_the_reduction() {
        let q = u64::from(Q32::MODULUS);
        for x in [
            0,
            q - 1,
            q,
            q + 1,
            u64::from(u32::MAX),
            1 << 32,
            q * q,
            (q - 1) * (q - 1),
            u64::MAX - 1,
            u64::MAX,
        ] {
            assert_eq!(u64::from(Q32::new(x).get()), x % q);
        }
        assert_eq!(Q32::from_word(q.into()), None);
        // Products over the extension by their definition, on coordinates that make the sums largest and smallest.
        let edges = [Q32::ZERO, Q32::ONE, -Q32::ONE];
        for [a, b, c, d] in (0..81).map(|i| [i % 3, i / 3 % 3, i / 9 % 3, i / 27].map(|j: usize| edges[j])) {
            assert_eq!(Binomial([a, b]) * Binomial([c, d]), Binomial([a * c - b * d, a * d + b * c]));
        }
    }

    /// The digits by the definition, on 128-bit words whose multiples are multiplied out in halves.
    #[test]
    fn samples_are_digits() {
        let q = u128::from(Q32::MODULUS);
        for words in [[0, 0], [u64::MAX; 2], [1, 1 << 63], [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210]] {
            let mut rest = words.map(u128::from);
            let element = Q32x2::sample(&words);
            for digit in element.0.iter().rev() {
                let low = rest[0] * q;
                let high = rest[1] * q + (low >> 64);
                rest = [low & u128::from(u64::MAX), high & u128::from(u64::MAX)];
                assert_eq!(digit.to_word(), high >> 64);
            }
            assert_eq!(Q32::sample(&words), element.0[1]);
        }
        assert_eq!(Q32x2::sample(&[0, 1 << 63]).0[1].get(), Q32::MODULUS / 2);
    }
}
