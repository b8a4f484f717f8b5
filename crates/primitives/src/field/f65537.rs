//! The prime field of 2^16 + 1 elements, and its fourth power.

use super::prime::{Modulus, Prime, settle32};
use super::{Binomial, Radicand};
use crate::lanes::Lanes;
use crate::mac::MacField;

/// An element of F_p for the Fermat prime p = 65537: an integer below p.
pub type F65537 = Prime<P65537>;

/// The field of p^4 elements, `F65537[X] / (X^4 - 3)`.
pub type F65537x4 = Binomial<F65537, 4>;

/// The Fermat prime 65537.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct P65537;

impl Modulus for P65537 {
    type Word = u32;
    const MODULUS: u32 = (1 << 16) + 1;
    const BITS: u32 = 17;
    const NAME: &'static str = "f65537";

    #[inline(always)]
    fn reduce(product: u64) -> F65537 {
        // (p - 1)^2 = 2^32 has 33 bits.
        F65537::alternate(product as u32 & 0xffff, (product >> 16) as u32)
    }
}

impl F65537 {
    /// `x` modulo p.
    #[inline(always)]
    pub const fn new(x: u32) -> Self {
        Self::alternate(x & 0xffff, x >> 16)
    }

    /// `low + 2^16·high` modulo p, for integers below p.
    #[inline(always)]
    const fn alternate(low: u32, high: u32) -> Self {
        // 2^16 = -1.
        Prime(settle32(low, 0, high, Self::MODULUS))
    }
}

impl Radicand<4> for F65537 {
    // A generator of the multiplicative group, whose order 4 divides.
    const RADICAND: Self = Prime(3);
    const NAME: &'static str = "f65537^4";
    const WORDS: usize = 2;

    /// The digits of 128 bits scaled to p^4, at a distance below 2^-63 from uniform.
    #[inline(always)]
    fn draw(words: &[u64]) -> [Self; 4] {
        Self::digits(words)
    }
}

impl Lanes<F65537> for F65537x4 {
    crate::arch::prime::prime_lanes!(F65537: all);
}

impl MacField<F65537> for F65537x4 {
    type Tag = crate::mac::Tagged<F65537, Self>;

    crate::mac::portable_macs!(F65537: grow_leaves sum_generated);
    crate::arch::prime::prime_macs!(F65537: all);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_the_reduction() {
        for x in [0, 65_536, 65_537, 65_538, 1 << 31, u32::MAX - 1, u32::MAX] {
            assert_eq!(F65537::new(x).get(), x % F65537::MODULUS);
        }
    }
}
