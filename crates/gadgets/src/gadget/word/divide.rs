//! Quotients and remainders of unsigned integers.
//!
//! Division without restoring: where R is the dividend's prefix less what the quotient's bits so far account
//! for, each step computes only R - d, from the R - d of the step before, to which it adds d twice, less d
//! once, where that was negative. One addition for each bit, and no selection but one at the end.
//!
//! The prefix of i bits is below 2^i, so that i + 1 bits of R - d say its sign, unless d has a one above
//! them; and then the quotient's bit is zero. So additions are as wide as the prefix is long, half as wide on
//! average as the words.

use super::{Bit, Word};
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::F2;

impl<W: Copy, const N: usize> Word<W, N> {
    /// `⌊self / divisor⌋` and `self mod divisor`: N(N + 1)/2 + 4N - 4 ANDs, 652 where N is 32; fewer where
    /// the divisor is public, and none where that is a power of two.
    ///
    /// Divided by zero, the quotient is 2^N - 1 and the remainder `self`.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn div_rem<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, divisor: &Self) -> Result<(Self, Self)> {
        if let Some(power) = divisor.public_power() {
            return Ok((self.shift_right(power), self.low_bits(power)));
        }
        let (quotient, difference) = self.divide(b, divisor)?;
        // Of the last step R - d is left, to which d is given back where that is negative.
        let mut remainder = Self::public(0);
        let negative = quotient.0.first().map_or(Bit::Public(false), |bit| bit.not(b));
        let mut carry = Bit::Public(false);
        let length = divisor.length();
        for (i, &rest) in difference[..length].iter().enumerate() {
            let back = negative.and(b, divisor.0[i])?;
            remainder.0[i] = rest.xor(b, back).xor(b, carry);
            if i + 1 < length {
                carry = Bit::majority(b, rest, back, carry)?;
            }
        }
        Ok((quotient, remainder))
    }

    /// `⌊self / divisor⌋`, as by [`Word::div_rem`]: 2N - 1 ANDs fewer.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn div<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, divisor: &Self) -> Result<Self> {
        match divisor.public_power() {
            Some(power) => Ok(self.shift_right(power)),
            None => Ok(self.divide(b, divisor)?.0),
        }
    }

    /// The quotient, and the low bits of the last R - d.
    fn divide<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, divisor: &Self) -> Result<(Self, Vec<Bit<W>>)> {
        let length = divisor.length();
        // Whether the divisor has a one above bit i.
        let mut above = [Bit::Public(false); N];
        for i in (0..N.saturating_sub(1)).rev() {
            above[i] = above[i + 1].or(b, divisor.0[i + 1])?;
        }
        let mut quotient = Self::public(0);
        // R - d, by its low bits and its sign; whether the next step subtracts d.
        let mut difference = vec![Bit::Public(false); N + 1];
        let mut subtract = Bit::Public(true);
        for (i, above) in above.into_iter().enumerate() {
            difference.rotate_right(1);
            difference[0] = self.0[N - 1 - i];
            let width = length.min(i + 1);
            let mut carry = subtract;
            for (j, bit) in difference[..=width].iter_mut().enumerate() {
                let addend = divisor.0.get(j).map_or(subtract, |d| d.xor(b, subtract));
                let sum = bit.xor(b, addend).xor(b, carry);
                if j < width {
                    carry = Bit::majority(b, *bit, addend, carry)?;
                }
                *bit = sum;
            }
            let small = above.not(b);
            subtract = difference[width].not(b).and(b, small)?;
            quotient.0[N - 1 - i] = subtract;
        }
        Ok((quotient, difference))
    }

    /// The exponent of a public power of two.
    fn public_power(&self) -> Option<usize> {
        let one = self.0.iter().position(|bit| !matches!(bit, Bit::Public(false)))?;
        (self.is_public() && one + 1 == self.length()).then_some(one)
    }

    /// The bits of a divisor that a remainder may have: all where the divisor is secret, and so may be zero.
    fn length(&self) -> usize {
        let top = self.0.iter().rposition(|bit| matches!(bit, Bit::Public(true)));
        top.filter(|_| self.is_public()).map_or(N, |top| top + 1)
    }

    /// `self` modulo 2^`count`.
    fn low_bits(&self, count: usize) -> Self {
        Self(core::array::from_fn(|i| if i < count { self.0[i] } else { Bit::Public(false) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{OfTwo, ands, evaluation, secret, value};
    use proptest::prelude::*;
    use volery_circuit::stream::Handle;

    fn check<const N: usize>(x: u128, y: u128) {
        let b = &mut evaluation();
        let mask = u128::MAX >> (128 - N);
        let (x, y) = (x & mask, y & mask);
        let quotient = x.checked_div(y).unwrap_or(mask);
        let remainder = x.checked_rem(y).unwrap_or(x);
        let (wires, public) = ((secret::<N>(x), secret::<N>(y)), (Word::public(x), Word::public(y)));
        for (left, right) in [wires, public, (wires.0, public.1), (public.0, wires.1)] {
            let (q, r) = left.div_rem(b, &right).unwrap();
            assert_eq!((value(q), value(r)), (quotient, remainder), "{x} / {y}");
            assert_eq!(value(left.div(b, &right).unwrap()), quotient);
            let folds = left.is_public() && right.is_public();
            assert!(!folds || (q.is_public() && r.is_public()));
        }
    }

    #[test]
    fn all_small_words() {
        for (x, y) in (0..1024).map(|both| (both & 31, both >> 5)) {
            check::<1>(x, y);
            check::<2>(x, y);
            check::<4>(x, y);
            check::<5>(x, y);
        }
    }

    fn check_widths(x: u128, y: u128, by: u32) {
        check::<9>(x, y);
        check::<32>(x, y >> (by % 32));
        check::<64>(x, y >> (64 + by % 64));
        check::<128>(x, y >> by);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn words_of_many_widths(x: u128, y: u128, by in 0..128u32) {
            check_widths(x, y, by);
        }
    }

    proptest! {
        #[test]
        #[ignore = "slow"]
        fn more_words_of_many_widths(x: u128, y: u128, by in 0..128u32) {
            check_widths(x, y, by);
        }
    }

    #[test]
    fn ands_are_pinned() {
        let count = |gate: OfTwo<Word<Handle, 32>>| {
            ands(|b| {
                let (x, y) = (Word::witness(b)?, Word::witness(b)?);
                gate(b, x, y)
            })
        };
        assert_eq!(count(|b, x, y| x.div_rem(b, &y).map(drop)), 652);
        assert_eq!(count(|b, x, y| x.div(b, &y).map(drop)), 589);
        assert_eq!(count(|b, x, _| x.div_rem(b, &Word::public(10)).map(drop)), 117);
        assert_eq!(count(|b, x, _| x.div_rem(b, &Word::public(16)).map(drop)), 0);
    }
}
