//! Shifts and rotations by secret amounts, and other widths.

use super::{Bit, Word};
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::F2;

impl<W: Copy, const N: usize> Word<W, N> {
    /// `self · 2^by` modulo 2^N: N ANDs for each bit of `by` whose weight is below N. Where `by` has bits
    /// above, they cost N more, and one each but the first.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn shift_left_by<B: Backend<F = F2, Wire = W>, const M: usize>(
        &self,
        b: &mut B,
        by: &Word<W, M>,
    ) -> Result<Self> {
        self.shift_by(b, by, &Self::public(0), Self::shift_left)
    }

    /// `⌊self / 2^by⌋`: as many ANDs as [`Word::shift_left_by`].
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn shift_right_by<B: Backend<F = F2, Wire = W>, const M: usize>(
        &self,
        b: &mut B,
        by: &Word<W, M>,
    ) -> Result<Self> {
        self.shift_by(b, by, &Self::public(0), Self::shift_right)
    }

    /// The word turned by `by` bits towards the more significant end, modulo N: N ANDs for each bit of `by`
    /// whose weight is no multiple of N.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn rotate_left_by<B: Backend<F = F2, Wire = W>, const M: usize>(
        &self,
        b: &mut B,
        by: &Word<W, M>,
    ) -> Result<Self> {
        let mut turned = *self;
        let mut weight = 1 % N;
        for &bit in by.bits() {
            if weight != 0 {
                turned = Self::select(b, bit, &turned.rotate_left(weight), &turned)?;
            }
            weight = 2 * weight % N;
        }
        Ok(turned)
    }

    /// The word turned by `by` bits towards the less significant end, modulo N: as many ANDs as
    /// [`Word::rotate_left_by`].
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn rotate_right_by<B: Backend<F = F2, Wire = W>, const M: usize>(
        &self,
        b: &mut B,
        by: &Word<W, M>,
    ) -> Result<Self> {
        let mirrored = self.mirrored().rotate_left_by(b, by)?;
        Ok(mirrored.mirrored())
    }

    /// The word in M bits: its low ones where M is smaller, and zeros above where it is larger.
    #[must_use]
    pub fn resize<const M: usize>(&self) -> Word<W, M> {
        Word(core::array::from_fn(|i| self.0.get(i).copied().unwrap_or(Bit::Public(false))))
    }

    /// The word shifted by `shift` in steps of powers of two, and `empty` from N bits on.
    pub(in crate::gadget) fn shift_by<B: Backend<F = F2, Wire = W>, const M: usize>(
        &self,
        b: &mut B,
        by: &Word<W, M>,
        empty: &Self,
        shift: impl Fn(&Self, usize) -> Self,
    ) -> Result<Self> {
        let mut shifted = *self;
        let mut beyond = Bit::Public(false);
        for (i, &bit) in by.bits().iter().enumerate() {
            let weight = 1usize.checked_shl(i as u32).filter(|&weight| weight < N);
            match weight {
                Some(weight) => shifted = Self::select(b, bit, &shift(&shifted, weight), &shifted)?,
                None => beyond = beyond.or(b, bit)?,
            }
        }
        Self::select(b, beyond, empty, &shifted)
    }

    fn mirrored(&self) -> Self {
        Self(core::array::from_fn(|i| self.0[N - 1 - i]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{OfTwo, ands, evaluation, secret, value};
    use proptest::prelude::*;
    use volery_circuit::stream::Handle;

    fn check<const N: usize>(x: u128, by: u8) {
        let b = &mut evaluation();
        let mask = u128::MAX >> (128 - N);
        let x = x & mask;
        let amount = secret::<8>(by.into());
        let left = x.checked_shl(by.into()).unwrap_or(0) & mask;
        let right = x.checked_shr(by.into()).unwrap_or(0);
        let turn = u32::from(by) % N as u32;
        let turned = |left, right| (x << left | x.checked_shr(right).unwrap_or(0)) & mask;
        let word = secret::<N>(x);
        assert_eq!(value(word.shift_left_by(b, &amount).unwrap()), left);
        assert_eq!(value(word.shift_right_by(b, &amount).unwrap()), right);
        assert_eq!(value(word.rotate_left_by(b, &amount).unwrap()), turned(turn, N as u32 - turn));
        let back = (N as u32 - turn) % N as u32;
        assert_eq!(value(word.rotate_right_by(b, &amount).unwrap()), turned(back, N as u32 - back));
        let public = Word::<_, 8>::public(by.into());
        assert!(Word::<F2, N>::public(x).rotate_left_by(b, &public).unwrap().is_public());
    }

    proptest! {
        #[test]
        fn shifts_and_turns(x: u128, by: u8) {
            check::<1>(x, by);
            check::<7>(x, by);
            check::<32>(x, by);
            check::<33>(x, by);
            check::<128>(x, by);
            let word = secret::<20>(x);
            prop_assert_eq!(value(word.resize::<9>()), x & 0x1ff);
            prop_assert_eq!(value(word.resize::<50>()), x & 0xf_ffff);
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
        assert_eq!(count(|b, x, y| x.shift_left_by(b, &y.resize::<5>()).map(drop)), 5 * 32);
        assert_eq!(count(|b, x, y| x.shift_right_by(b, &y).map(drop)), 5 * 32 + 26 + 32);
        assert_eq!(count(|b, x, y| x.rotate_left_by(b, &y).map(drop)), 5 * 32);
        assert_eq!(count(|b, x, y| x.rotate_right_by(b, &y.resize::<3>()).map(drop)), 3 * 32);
    }
}
