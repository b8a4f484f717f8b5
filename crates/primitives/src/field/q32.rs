//! The prime field of 2^32 - 5 elements, and its square.

use super::prime::{Modulus, Prime};
use super::{Binomial, Radicand};
use crate::arch::{Arch, q32};
use crate::lanes::Lanes;
use crate::mac::{MacField, Tagged};

/// An element of F_q for q = 2^32 - 5, the largest prime of 32 bits: an integer below q.
pub type Q32 = Prime<P32>;

/// The field of q^2 elements, `Q32[X] / (X^2 + 1)`.
pub type Q32x2 = Binomial<Q32, 2>;

/// The prime q = 2^32 - 5.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct P32;

impl Modulus for P32 {
    type Word = u32;
    const MODULUS: u32 = 5u32.wrapping_neg();
    const BITS: u32 = 32;
    const NAME: &'static str = "q32";

    #[inline(always)]
    fn reduce(product: u64) -> Q32 {
        Q32::new(product)
    }
}

impl Q32 {
    /// `x` modulo q.
    #[inline(always)]
    pub const fn new(x: u64) -> Self {
        // The first fold is below 6·2^32, the second at most 2^32 + 24.
        Self::settle(Self::fold(Self::fold(x)))
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
        Prime(less.wrapping_add(Self::MODULUS as u64 & negative) as u32)
    }
}

impl Radicand<2> for Q32 {
    // q = 3 mod 4, so that -1 is no square.
    const RADICAND: Self = Prime(Self::MODULUS - 1);
    const NAME: &'static str = "q32^2";
    const WORDS: usize = 2;

    /// The digits of 128 bits scaled to q^2, at a distance below 2^-64 from uniform.
    #[inline(always)]
    fn draw(words: &[u64]) -> [Self; 2] {
        Self::digits(words)
    }

    /// Folds each product, and reduces each sum of two.
    #[inline(always)]
    fn multiply(a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
        // The integer b may be q.
        let folded = |a: Self, b: u32| Self::fold(u64::from(a.0) * u64::from(b));
        let (low, high) = (
            folded(a[0], b[0].0) + folded(a[1], Self::MODULUS - b[1].0),
            folded(a[0], b[1].0) + folded(a[1], b[0].0),
        );
        // Both are below 12·2^32, and fold to at most 2^32 + 54.
        [Self::settle(Self::fold(low)), Self::settle(Self::fold(high))]
    }
}

impl Lanes<Q32> for Q32x2 {
    fn dot(arch: Arch, a: &[Self], b: &[Self]) -> Self {
        q32::dot(arch, a, b)
    }
    fn combine(arch: Arch, factors: &[Q32], a: &[Self]) -> Self {
        q32::combine(arch, factors, a)
    }
    crate::arch::prime::prime_lanes!(Q32: add_products add_scaled);
}

type Row = Tagged<Q32, Q32x2>;

impl MacField<Q32> for Q32x2 {
    type Tag = crate::mac::Tagged<Q32, Self>;

    fn weigh(arch: Arch, chi: &[Self], rows: &[Row]) -> (Self, Self) {
        q32::weigh(arch, chi, rows)
    }
    fn inner_product(arch: Arch, a: &[Row], b: &[Row]) -> (Self, Self, Q32) {
        q32::inner_product(arch, a, b)
    }
    fn linear(arch: Arch, factors: &[Q32], rows: &[Row]) -> Row {
        q32::linear(arch, factors, rows)
    }
    crate::mac::portable_macs!(Q32: grow_leaves sum_generated);
    crate::arch::prime::prime_macs!(
        Q32: sum_rows puncture encode_keys encode_tagged sample_all products verifier_sums correct
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;

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
        // Products over the extension by their definition, on coordinates that make the sums
        // largest and smallest.
        let edges = [Q32::ZERO, Q32::ONE, -Q32::ONE];
        for [a, b, c, d] in (0..81).map(|i| [i % 3, i / 3 % 3, i / 9 % 3, i / 27].map(|j: usize| edges[j])) {
            assert_eq!(Binomial([a, b]) * Binomial([c, d]), Binomial([a * c - b * d, a * d + b * c]));
        }
    }
}
