//! The prime field of 2^64 - 2^32 + 1 elements, and its square.

use super::prime::{Modulus, Prime};
use super::{Binomial, Radicand};
use crate::bits::mask;
use crate::lanes::Lanes;
use crate::mac::MacField;

/// An element of F_p for p = 2^64 - 2^32 + 1: an integer below p.
pub type Goldilocks = Prime<P64>;

/// The field of p^2 elements, `Goldilocks[X] / (X^2 - 7)`.
pub type Goldilocksx2 = Binomial<Goldilocks, 2>;

/// The prime 2^64 - 2^32 + 1.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct P64;

/// 2^32 - 1, what 2^64 is congruent to.
const EPSILON: u64 = u32::MAX as u64;

impl Modulus for P64 {
    type Word = u64;
    const MODULUS: u64 = 0xffff_ffff_0000_0001;
    const BITS: u32 = 64;
    const NAME: &'static str = "goldilocks";

    /// The element that any `product` of 128 bits is congruent to.
    #[inline(always)]
    fn reduce(product: u128) -> Goldilocks {
        let (low, middle, high) = (product as u64, (product >> 64) as u64 & EPSILON, (product >> 96) as u64);
        // 2^96 = -1 and 2^64 = 2^32 - 1. Where the first wraps around it is far from zero, the
        // second far from 2^64.
        let (difference, borrow) = low.overflowing_sub(high);
        let (sum, carry) = difference.wrapping_sub(EPSILON & all(borrow)).overflowing_add(middle * EPSILON);
        let (difference, borrow) = sum.wrapping_add(EPSILON & all(carry)).overflowing_sub(Self::MODULUS);
        Prime(difference.wrapping_sub(EPSILON & all(borrow)))
    }

    /// Reduces 128 bits, at a distance below 2^-64 from uniform.
    #[inline(always)]
    fn sample(words: &[u64]) -> Goldilocks {
        Self::reduce(u128::from(words[1]) << 64 | u128::from(words[0]))
    }
}

impl Goldilocks {
    /// `x` modulo p. Time may depend on it: for public values only.
    #[inline(always)]
    pub const fn new(x: u64) -> Self {
        let (difference, borrow) = x.overflowing_sub(Self::MODULUS);
        Prime(difference.wrapping_sub(EPSILON & (borrow as u64).wrapping_neg()))
    }
}

/// All ones where `bit` is set, without a branch: of a borrow the compiler makes one where it can.
#[inline(always)]
fn all(bit: bool) -> u64 {
    mask(bit.into())
}

impl Radicand<2> for Goldilocks {
    const RADICAND: Self = Prime(7);
    const NAME: &'static str = "goldilocks^2";
}

impl Lanes<Goldilocks> for Goldilocks {
    crate::arch::prime::prime_lanes!(Goldilocks: all);
}

impl MacField<Goldilocks> for Goldilocks {
    type Tag = crate::mac::Tagged<Goldilocks, Self>;

    crate::mac::portable_macs!(Goldilocks: grow_leaves sum_generated);
    crate::arch::prime::prime_macs!(Goldilocks: all);
}

impl Lanes<Goldilocks> for Goldilocksx2 {
    crate::arch::prime::prime_lanes!(Goldilocks: all);
}

impl MacField<Goldilocks> for Goldilocksx2 {
    type Tag = crate::mac::Tagged<Goldilocks, Self>;

    crate::mac::portable_macs!(Goldilocks: grow_leaves sum_generated);
    crate::arch::prime::prime_macs!(Goldilocks: all);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn reductions_agree(x: u128) {
            prop_assert_eq!(P64::reduce(x).to_word(), x % u128::from(Goldilocks::MODULUS));
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
                assert_eq!(P64::reduce(x).to_word(), x % p);
            }
            assert_eq!(Goldilocks::new(high).to_word(), u128::from(high) % p);
        }
    }
}
