//! Arrays that are read and written at a secret index.

mod store;

pub use store::Store;

use super::{Bit, Word};
use core::fmt::Display;
use std::borrow::Cow;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::F2;

/// Words of N bits, of public number.
#[derive(Clone)]
pub struct Array<W, const N: usize>(Vec<Word<W, N>>);

impl<W: Copy, const N: usize> Array<W, N> {
    /// The next `len` words of the witness in order.
    ///
    /// # Errors
    /// Those of [`Backend::witness`].
    pub fn witness<B: Backend<F = F2, Wire = W>>(b: &mut B, len: usize) -> Result<Self> {
        (0..len).map(|_| Word::witness(b)).collect()
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the array has no words.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The words in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Word<W, N>> + DoubleEndedIterator {
        self.0.iter()
    }

    /// Whether `index` is below the number of words: M ANDs or fewer.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn contains<B: Backend<F = F2, Wire = W>, const M: usize>(
        &self,
        b: &mut B,
        index: &Word<W, M>,
    ) -> Result<Bit<W>> {
        let len = self.len() as u128;
        if M < 128 && len >> M > 0 {
            return Ok(Bit::Public(true));
        }
        index.less_than(b, &Word::public(len))
    }

    /// The word at `index`, and demands that there is one, under the name `{name}: index below {len}`: (len -
    /// 1)·N ANDs, and those of [`Array::contains`].
    ///
    /// # Errors
    /// Those of [`Backend::mul`] and [`Backend::assert_zero`].
    pub fn read<B: Backend<F = F2, Wire = W>, const M: usize>(
        &self,
        b: &mut B,
        index: &Word<W, M>,
        name: impl Display,
    ) -> Result<Word<W, N>> {
        self.assert_contains(b, index, &name)?;
        self.read_unchecked(b, index)
    }

    /// The word at `index`, and some word where there is none: (len - 1)·N ANDs, and zero
    /// where the array is empty.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn read_unchecked<B: Backend<F = F2, Wire = W>, const M: usize>(
        &self,
        b: &mut B,
        index: &Word<W, M>,
    ) -> Result<Word<W, N>> {
        if let Some(at) = public_place(index) {
            return Ok(self.0.get(at).copied().unwrap_or(Word::public(0)));
        }
        // Each bit of the index halves the words that are left.
        let mut words = Cow::Borrowed(&self.0[..]);
        for &bit in index.bits() {
            if words.len() < 2 {
                break;
            }
            let halves = words.chunks(2).map(|pair| match pair {
                [low, high] => Word::select(b, bit, high, low),
                _ => Ok(pair[0]),
            });
            words = Cow::Owned(halves.collect::<Result<_>>()?);
        }
        Ok(words.first().copied().unwrap_or(Word::public(0)))
    }

    /// Puts `word` at `index`, and demands that there is such a place, under the name
    /// `{name}: index below {len}`: len·(N + 1) ANDs, and those of [`Array::contains`].
    ///
    /// # Errors
    /// Those of [`Backend::mul`] and [`Backend::assert_zero`].
    pub fn write<B: Backend<F = F2, Wire = W>, const M: usize>(
        &mut self,
        b: &mut B,
        index: &Word<W, M>,
        word: &Word<W, N>,
        name: impl Display,
    ) -> Result<()> {
        self.assert_contains(b, index, &name)?;
        self.write_where(b, Bit::Public(true), index, word)
    }

    /// Puts `word` at `index` where `enable` is one: len·(N + 1) ANDs. Where there is no such place, `enable`
    /// has to be zero, or `word` is put somewhere.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn write_where<B: Backend<F = F2, Wire = W>, const M: usize>(
        &mut self,
        b: &mut B,
        enable: Bit<W>,
        index: &Word<W, M>,
        word: &Word<W, N>,
    ) -> Result<()> {
        if let Some(at) = public_place(index) {
            if let Some(old) = self.0.get_mut(at) {
                *old = Word::select(b, enable, word, old)?;
            }
            return Ok(());
        }
        let places = self.decode(b, enable, index)?;
        for (old, place) in self.0.iter_mut().zip(places) {
            *old = Word::select(b, place, word, old)?;
        }
        Ok(())
    }

    /// Bits that say of each place whether it is the index's, and `enable` is one: len - 1 ANDs.
    fn decode<B: Backend<F = F2, Wire = W>, const M: usize>(
        &self,
        b: &mut B,
        enable: Bit<W>,
        index: &Word<W, M>,
    ) -> Result<Vec<Bit<W>>> {
        let mut places = vec![enable; self.len().min(1)];
        let levels = self.len().next_power_of_two().ilog2() as usize;
        for (i, &bit) in index.bits().iter().enumerate().take(levels).rev() {
            // Places 2^i apart are told apart so far.
            let count = self.len().div_ceil(1 << i);
            let mut finer = Vec::with_capacity(count + 1);
            for &place in &places {
                if finer.len() + 1 < count {
                    let high = place.and(b, bit)?;
                    finer.extend([high.xor(b, place), high]);
                } else {
                    finer.push(place);
                }
            }
            places = finer;
        }
        Ok(places)
    }

    fn assert_contains<B: Backend<F = F2, Wire = W>, const M: usize>(
        &self,
        b: &mut B,
        index: &Word<W, M>,
        name: impl Display,
    ) -> Result<()> {
        let contains = self.contains(b, index)?;
        contains.assert_true(b, format_args!("{name}: index below {}", self.len()))
    }
}

/// The place that a public index names.
fn public_place<W: Copy, const M: usize>(index: &Word<W, M>) -> Option<usize> {
    index.bits().iter().enumerate().try_fold(0, |at, (i, bit)| match bit {
        Bit::Public(false) => Some(at),
        // Beyond every array.
        Bit::Public(true) if i >= usize::BITS as usize => Some(usize::MAX),
        Bit::Public(true) => Some(at | 1 << i),
        Bit::Wire(_) => None,
    })
}

impl<W, const N: usize> FromIterator<Word<W, N>> for Array<W, N> {
    fn from_iter<I: IntoIterator<Item = Word<W, N>>>(words: I) -> Self {
        Self(words.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Evaluation, ands, bit_value, evaluation, secret, value};
    use proptest::prelude::*;

    fn check<const M: usize>(len: u128, index: Word<F2, M>, at: u128) {
        let b: &mut Evaluation = &mut evaluation();
        let mut array: Array<_, 9> = (0..len).map(|i| secret(300 + i)).collect();
        assert_eq!(bit_value(array.contains(b, &index).unwrap()), at < len);
        let read = array.read(b, &index, "numbers");
        if at >= len {
            let written = array.write(b, &index, &secret(1), "numbers").unwrap_err().to_string();
            let read = read.err().unwrap().to_string();
            for refused in [read, written] {
                assert!(refused.contains(&format!(": numbers: index below {len} ")), "{refused}");
            }
            array.write_where(b, Bit::Wire(false.into()), &index, &secret(1)).unwrap();
            assert!(array.iter().zip(300..).all(|(&word, expected)| value(word) == expected));
            return;
        }
        assert_eq!(value(read.unwrap()), 300 + at);
        array.write(b, &index, &secret(7), "numbers").unwrap();
        for (i, &word) in array.iter().enumerate() {
            assert_eq!(value(word), if i as u128 == at { 7 } else { 300 + i as u128 });
        }
    }

    #[test]
    fn all_small_arrays() {
        for len in 0..20 {
            for at in 0..32 {
                check(len, secret::<5>(at), at);
                check(len, Word::<_, 5>::public(at), at);
                check(len, secret::<64>(at), at);
                check(len, secret::<3>(at), at % 8);
            }
        }
    }

    proptest! {
        #[test]
        fn wide_indices(len in 1..70u128, at: u128) {
            check(len, secret::<128>(at), at);
            check(len, secret::<64>(at), at & u128::from(u64::MAX));
        }
    }

    #[test]
    fn ands_are_pinned() {
        let read = |len| {
            ands(move |b| {
                let array = Array::<_, 8>::witness(b, len)?;
                let index = Word::<_, 16>::witness(b)?;
                array.read_unchecked(b, &index).map(drop)
            })
        };
        let write = |len| {
            ands(move |b| {
                let mut array = Array::<_, 8>::witness(b, len)?;
                let (index, word) = (Word::<_, 16>::witness(b)?, Word::witness(b)?);
                let enable = Bit::witness(b)?;
                array.write_where(b, enable, &index, &word)
            })
        };
        assert_eq!([1, 2, 33, 64].map(read), [0, 8, 32 * 8, 63 * 8]);
        assert_eq!([1, 2, 33, 64].map(write), [8, 1 + 16, 32 + 33 * 8, 63 + 64 * 8]);
        let public = ands(|b| {
            let mut array = Array::<_, 8>::witness(b, 64)?;
            let word = Word::witness(b)?;
            array.write(b, &Word::<_, 64>::public(5), &word, "array")?;
            array.read(b, &Word::<_, 64>::public(9), "array").map(drop)
        });
        assert_eq!(public, 0);
    }
}
