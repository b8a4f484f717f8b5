//! Integers of 256 bits: what encodings of elements are, least significant bit first.

use crate::bits::mask;
use crate::field::F128;
use core::fmt::{self, Display};
use core::hash::{Hash, Hasher};
use core::ops::{BitAnd, BitOr, BitOrAssign, BitXor, Shl, Shr};
use zeroize::DefaultIsZeroes;

/// An unsigned integer of 256 bits.
///
/// Operators and comparisons for equality take the same time whatever the operands, but for the distances of
/// shifts; comparisons for order and what is written in digits do not.
#[derive(Clone, Copy, Eq, PartialOrd, Ord, Debug, Default)]
pub struct U256 {
    // Compared in this order.
    high: u128,
    low: u128,
}

impl DefaultIsZeroes for U256 {}

impl U256 {
    /// The integer 0.
    pub const ZERO: Self = Self::new(0, 0);
    /// 2^256 − 1.
    pub const MAX: Self = Self::new(u128::MAX, u128::MAX);

    /// `high · 2^128 + low`.
    #[inline(always)]
    pub const fn new(low: u128, high: u128) -> Self {
        Self { high, low }
    }

    /// `Σ limbs[i] · 2^(64·i)`.
    #[inline(always)]
    pub const fn from_limbs([a, b, c, d]: [u64; 4]) -> Self {
        Self { low: (b as u128) << 64 | a as u128, high: (d as u128) << 64 | c as u128 }
    }

    /// Four words of 64 bits, the lowest first.
    #[inline(always)]
    pub const fn limbs(self) -> [u64; 4] {
        [self.low as u64, (self.low >> 64) as u64, self.high as u64, (self.high >> 64) as u64]
    }

    /// The lowest 128 bits.
    #[inline(always)]
    pub const fn low(self) -> u128 {
        self.low
    }

    /// The bits from 128 on.
    #[inline(always)]
    pub const fn high(self) -> u128 {
        self.high
    }

    /// The integer as a word, where it is below 2^128.
    pub fn word(self) -> Option<u128> {
        (self.high == 0).then_some(self.low)
    }

    /// The integer as 64 bits, or the largest such one where it is larger.
    pub fn saturated(self) -> u64 {
        self.word().and_then(|word| word.try_into().ok()).unwrap_or(u64::MAX)
    }

    /// The integer where it is below 2^128, or the largest such one. Takes the same time for all.
    #[inline(always)]
    pub fn capped(self) -> u128 {
        let above = self.high as u64 | (self.high >> 64) as u64;
        let above = mask((above | above.wrapping_neg()) >> 63);
        self.low | u128::from(above) << 64 | u128::from(above)
    }

    /// 2^`bits` − 1, for at most 256.
    #[inline(always)]
    pub const fn ones(bits: u32) -> Self {
        match bits {
            0 => Self::ZERO,
            1..=128 => Self::new(u128::MAX >> (128 - bits), 0),
            _ => Self::new(u128::MAX, u128::MAX >> (256 - bits)),
        }
    }

    /// Bit `i`, in the lowest place; zero from 256 on.
    #[inline(always)]
    pub fn bit(self, i: u32) -> u64 {
        (self >> i).low as u64 & 1
    }

    /// The bits up to the highest that is one. Time may depend on it.
    pub const fn length(self) -> u32 {
        if self.high == 0 { 128 - self.low.leading_zeros() } else { 256 - self.high.leading_zeros() }
    }

    /// `self + other` modulo 2^256, and whether it is more.
    #[inline(always)]
    pub const fn overflowing_add(self, other: Self) -> (Self, bool) {
        let (low, carry) = self.low.overflowing_add(other.low);
        let (high, first) = self.high.overflowing_add(other.high);
        let (high, second) = high.overflowing_add(carry as u128);
        (Self { high, low }, first | second)
    }

    /// `self - other` modulo 2^256, and whether it is negative.
    #[inline(always)]
    pub const fn overflowing_sub(self, other: Self) -> (Self, bool) {
        let (low, borrow) = self.low.overflowing_sub(other.low);
        let (high, first) = self.high.overflowing_sub(other.high);
        let (high, second) = high.overflowing_sub(borrow as u128);
        (Self { high, low }, first | second)
    }

    /// `self · factor + addend` modulo 2^256, and what is above.
    #[inline(always)]
    pub const fn mul_add(self, factor: u64, addend: u64) -> (Self, u64) {
        let mut limbs = self.limbs();
        let mut carry = addend;
        let mut i = 0;
        while i < 4 {
            let sum = limbs[i] as u128 * factor as u128 + carry as u128;
            (limbs[i], carry) = (sum as u64, (sum >> 64) as u64);
            i += 1;
        }
        (Self::from_limbs(limbs), carry)
    }

    /// The quotient by any divisor but zero, and the remainder, bit by bit. Time may depend on the divisor alone.
    pub fn divided(self, divisor: Self) -> Option<(Self, Self)> {
        if divisor == Self::ZERO {
            return None;
        }
        let (mut quotient, mut rest) = (Self::ZERO, Self::ZERO);
        for place in (0..256).rev() {
            let beyond = rest.bit(255);
            rest = rest << 1 | Self::from(self.bit(place));
            let (less, below) = rest.overflowing_sub(divisor);
            // What is shifted out is more than any divisor.
            let taken = beyond | u64::from(!below);
            let all = mask(taken);
            let all = Self::from_limbs([all; 4]);
            rest = (less & all) | (rest & (all ^ Self::MAX));
            quotient |= Self::from(taken) << place;
        }
        Some((quotient, rest))
    }

    /// The quotient and the remainder. Time may depend on them.
    pub fn div_rem(self, divisor: u64) -> (Self, u64) {
        let (mut limbs, mut rest) = (self.limbs(), 0);
        for limb in limbs.iter_mut().rev() {
            let part = u128::from(rest) << 64 | u128::from(*limb);
            *limb = (part / u128::from(divisor)) as u64;
            rest = (part % u128::from(divisor)) as u64;
        }
        (Self::from_limbs(limbs), rest)
    }

    /// The integer, rounded.
    pub const fn to_f64(self) -> f64 {
        self.high as f64 * (u128::MAX as f64) + self.low as f64
    }

    /// 32 bytes, the least significant first.
    #[inline(always)]
    pub const fn to_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        let (low, high) = bytes.split_at_mut(16);
        low.copy_from_slice(&self.low.to_le_bytes());
        high.copy_from_slice(&self.high.to_le_bytes());
        bytes
    }

    /// The integer of at most 32 bytes, the least significant first.
    ///
    /// # Panics
    /// Where there are more.
    #[inline(always)]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        assert!(bytes.len() <= 32, "an integer of {} bytes", bytes.len());
        // Bytes that are stored one by one to be read as a word would be waited for, and stay behind.
        let mut limbs = [0; 4];
        for (limb, bytes) in limbs.iter_mut().zip(bytes.chunks(8)) {
            for (i, byte) in bytes.iter().enumerate() {
                *limb |= u64::from(*byte) << (8 * i);
            }
        }
        Self::from_limbs(limbs)
    }
}

impl PartialEq for U256 {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        (self.high ^ other.high) | (self.low ^ other.low) == 0
    }
}

impl Hash for U256 {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.limbs().hash(state);
    }
}

impl From<F128> for U256 {
    #[inline(always)]
    fn from(word: F128) -> Self {
        word.0.into()
    }
}

impl From<u128> for U256 {
    #[inline(always)]
    fn from(low: u128) -> Self {
        Self { high: 0, low }
    }
}

impl From<u64> for U256 {
    #[inline(always)]
    fn from(word: u64) -> Self {
        u128::from(word).into()
    }
}

impl PartialEq<u128> for U256 {
    fn eq(&self, other: &u128) -> bool {
        *self == Self::from(*other)
    }
}

impl PartialOrd<u128> for U256 {
    fn partial_cmp(&self, other: &u128) -> Option<core::cmp::Ordering> {
        self.partial_cmp(&Self::from(*other))
    }
}

impl Shr<u32> for U256 {
    type Output = Self;
    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        let Self { low, high } = self;
        match by {
            0 => self,
            1..128 => Self { low: low >> by | high << (128 - by), high: high >> by },
            128..256 => Self { low: high >> (by - 128), high: 0 },
            _ => Self::ZERO,
        }
    }
}

impl Shl<u32> for U256 {
    type Output = Self;
    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        let Self { low, high } = self;
        match by {
            0 => self,
            1..128 => Self { low: low << by, high: high << by | low >> (128 - by) },
            128..256 => Self { low: 0, high: low << (by - 128) },
            _ => Self::ZERO,
        }
    }
}

impl BitAnd for U256 {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self { low: self.low & other.low, high: self.high & other.high }
    }
}

impl BitOr for U256 {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self { low: self.low | other.low, high: self.high | other.high }
    }
}

impl BitOrAssign for U256 {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl BitXor for U256 {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self { low: self.low ^ other.low, high: self.high ^ other.high }
    }
}

/// The largest power of ten in 64 bits.
const TENS: u64 = 10_u64.pow(19);

/// Prints decimal digits.
impl Display for U256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(word) = self.word() {
            return Display::fmt(&word, f);
        }
        let (mut rest, mut parts) = (*self, vec![]);
        while rest != Self::ZERO {
            let (quotient, part) = rest.div_rem(TENS);
            parts.push(part);
            rest = quotient;
        }
        let first = parts.pop().unwrap_or(0);
        let digits = parts.iter().rev().map(|part| format!("{part:019}"));
        f.pad_integral(true, "", &core::iter::once(first.to_string()).chain(digits).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_are_as_their_own(a: u128, b: u128, by in 0_u32..128) {
            let [x, y] = [a, b].map(U256::from);
            prop_assert_eq!(x >> by, a >> by);
            prop_assert_eq!((x << by).low(), a << by);
            prop_assert_eq!((x << by) >> by, x);
            prop_assert_eq!((x << (by + 128)) >> (by + 128), a << by >> by);
            prop_assert_eq!([x & y, x | y, x ^ y].map(U256::low), [a & b, a | b, a ^ b]);
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            prop_assert_eq!(x.to_string(), a.to_string());
            let (sum, over) = x.overflowing_add(y);
            let carried = (a.wrapping_add(b), a.checked_add(b).is_none());
            prop_assert_eq!(((sum.low(), sum.high() == 1), over), (carried, false));
            prop_assert_eq!(sum.overflowing_sub(y), (x, false));
            prop_assert_eq!(x.overflowing_sub(y).1, a < b);
            prop_assert_eq!(U256::from_bytes(&a.to_le_bytes()), x);
        }

        #[test]
        fn bytes_and_limbs_are_read_back(low: u128, high: u128) {
            let x = U256::new(low, high);
            prop_assert_eq!(U256::from_bytes(&x.to_bytes()), x);
            prop_assert_eq!(U256::from_limbs(x.limbs()), x);
            let (quotient, rest) = x.div_rem(TENS);
            prop_assert_eq!(quotient.mul_add(TENS, rest), (x, 0));
            prop_assert_eq!(x.divided(TENS.into()), Some((quotient, rest.into())));
            for place in [1, 127, 128, 255] {
                let power = U256::from(1_u64) << place;
                prop_assert_eq!(x.divided(power), Some((x >> place, x & U256::ones(place))));
            }
            let odd = high | 1;
            let (quotient, rest) = (low / odd, low % odd);
            prop_assert_eq!(U256::from(low).divided(odd.into()), Some((quotient.into(), rest.into())));
            prop_assert_eq!(x.divided(U256::ZERO), None);
            prop_assert_eq!(x.divided(x), (x != U256::ZERO).then_some((1_u64.into(), U256::ZERO)));
        }
    }

    #[test]
    fn digits_of_the_largest() {
        let digits = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
        assert_eq!(U256::MAX.to_string(), digits);
        assert_eq!((U256::from(1_u64) << 128).to_string(), "340282366920938463463374607431768211456");
        assert_eq!((U256::MAX.length(), U256::ZERO.length()), (256, 0));
        assert_eq!([0, 1, 128, 129, 256].map(|bits| U256::ones(bits).length()), [0, 1, 128, 129, 256]);
        assert_eq!(U256::MAX.saturated(), u64::MAX);
        let capped = [5, u64::MAX].map(|low| U256::from_limbs([low, 0, 1, 0]).capped());
        assert_eq!((capped, U256::from(7_u64).capped()), ([u128::MAX; 2], 7));
        assert_eq!((U256::from(1_u64) << 255).capped(), u128::MAX);
    }
}
