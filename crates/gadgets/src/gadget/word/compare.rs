//! Differences and comparisons of unsigned integers.

use super::{Bit, Word};
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::F2;

impl<W: Copy, const N: usize> Word<W, N> {
    /// `self - other` modulo 2^N: N - 1 ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn sub<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Self> {
        // ¬x is -x - 1, so that ¬(¬x + y) is x - y.
        let sum = self.not(b).add(b, other)?;
        Ok(sum.not(b))
    }

    /// `-self` modulo 2^N: N - 2 ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn neg<B: Backend<F = F2, Wire = W>>(&self, b: &mut B) -> Result<Self> {
        self.not(b).add(b, &Self::public(1))
    }

    /// `-self` modulo 2^N where `bit` is one, `self` where it is zero: N - 1 ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn neg_where<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, bit: Bit<W>) -> Result<Self> {
        // x ⊕ 11…1 + 1, or x ⊕ 00…0 + 0.
        let mut carry = bit;
        let mut out = self.0;
        for (i, out) in out.iter_mut().enumerate() {
            let x = out.xor(b, bit);
            *out = x.xor(b, carry);
            if i + 1 < N {
                carry = x.and(b, carry)?;
            }
        }
        Ok(Self(out))
    }

    /// Whether the words are equal: N - 1 ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn equal<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Bit<W>> {
        self.xor(b, other).is_zero(b)
    }

    /// Whether the word is zero: N - 1 ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn is_zero<B: Backend<F = F2, Wire = W>>(&self, b: &mut B) -> Result<Bit<W>> {
        self.0.iter().try_fold(Bit::Public(true), |zero, bit| {
            let unset = bit.not(b);
            zero.and(b, unset)
        })
    }

    /// `self < other`: N ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn less_than<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Bit<W>> {
        // The borrow of self - other.
        self.0.iter().zip(other.0).try_fold(Bit::Public(false), |borrow, (x, y)| {
            let unset = x.not(b);
            Bit::majority(b, unset, y, borrow)
        })
    }

    /// `self ≤ other`: N ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn at_most<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Bit<W>> {
        Ok(other.less_than(b, self)?.not(b))
    }

    /// The smaller of the two: 2N ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn min<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Self> {
        let less = self.less_than(b, other)?;
        Self::select(b, less, self, other)
    }

    /// The larger of the two: 2N ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn max<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Self> {
        let less = self.less_than(b, other)?;
        Self::select(b, less, other, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{OfTwo, ands, bit_value, evaluation, secret, value};
    use proptest::prelude::*;
    use volery_circuit::stream::Handle;

    fn check<const N: usize>(x: u128, y: u128) {
        let b = &mut evaluation();
        let mask = u128::MAX >> (128 - N);
        let (x, y) = (x & mask, y & mask);
        let (wires, public) = ((secret::<N>(x), secret::<N>(y)), (Word::public(x), Word::public(y)));
        for (left, right) in [wires, public, (wires.0, public.1), (public.0, wires.1)] {
            assert_eq!(value(left.sub(b, &right).unwrap()), x.wrapping_sub(y) & mask);
            assert_eq!(value(left.neg(b).unwrap()), x.wrapping_neg() & mask);
            for negative in [false, true] {
                let expected = if negative { x.wrapping_neg() & mask } else { x };
                let bit = Bit::Wire(negative.into());
                assert_eq!(value(left.neg_where(b, bit).unwrap()), expected);
            }
            assert_eq!(bit_value(left.equal(b, &right).unwrap()), x == y);
            assert_eq!(bit_value(left.is_zero(b).unwrap()), x == 0);
            assert_eq!(bit_value(left.less_than(b, &right).unwrap()), x < y);
            assert_eq!(bit_value(left.at_most(b, &right).unwrap()), x <= y);
            assert_eq!(value(left.min(b, &right).unwrap()), x.min(y));
            assert_eq!(value(left.max(b, &right).unwrap()), x.max(y));
        }
        assert!(matches!(public.0.less_than(b, &public.1), Ok(Bit::Public(_))));
    }

    #[test]
    fn all_small_words() {
        for (x, y) in (0..256).map(|both| (both & 15, both >> 4)) {
            check::<1>(x, y);
            check::<3>(x, y);
            check::<4>(x, y);
        }
    }

    proptest! {
        #[test]
        fn words_of_many_widths(x: u128, y: u128) {
            check::<9>(x, y);
            check::<32>(x, y);
            check::<64>(x, y);
            check::<128>(x, y);
            check::<64>(x, x);
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
        assert_eq!(count(|b, x, y| x.sub(b, &y).map(drop)), 31);
        assert_eq!(count(|b, x, _| x.neg(b).map(drop)), 30);
        assert_eq!(count(|b, x, y| x.neg_where(b, y.bits()[0]).map(drop)), 31);
        assert_eq!(count(|b, x, y| x.equal(b, &y).map(drop)), 31);
        assert_eq!(count(|b, x, _| x.is_zero(b).map(drop)), 31);
        assert_eq!(count(|b, x, y| x.less_than(b, &y).map(drop)), 32);
        assert_eq!(count(|b, x, y| x.at_most(b, &y).map(drop)), 32);
        assert_eq!(count(|b, x, y| x.min(b, &y).map(drop)), 64);
        assert_eq!(count(|b, x, y| x.max(b, &y).map(drop)), 64);
        // A bound of 2^6 leaves the bits from the seventh on.
        assert_eq!(count(|b, x, _| x.less_than(b, &Word::public(64)).map(drop)), 25);
    }
}
