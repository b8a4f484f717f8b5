//! Strings of bytes.

use super::{Bit, Word};
use core::fmt::Display;
use core::ops::Range;
use volery_channel::error::{Error, Result};
use volery_circuit::Backend;
use volery_primitives::F2;

/// A string of bytes, of public length.
#[derive(Clone)]
pub struct Bytes<W>(Vec<Word<W, 8>>);

impl<W: Copy> Bytes<W> {
    /// The next `length` bytes of the witness, in the order of [`bits_of`].
    ///
    /// # Errors
    /// Those of [`Backend::witness`].
    pub fn witness<B: Backend<F = F2, Wire = W>>(b: &mut B, length: usize) -> Result<Self> {
        (0..length).map(|_| Word::witness(b)).collect::<Result<_>>().map(Self)
    }

    /// The string `bytes`, known to both parties.
    pub fn public(bytes: &[u8]) -> Self {
        bytes.iter().map(|&byte| Word::public(byte.into())).collect()
    }

    /// The length in bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the string has no bytes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The byte at `at`, counted from 0.
    ///
    /// # Panics
    /// Where there is none.
    pub fn byte(&self, at: usize) -> &Word<W, 8> {
        &self.0[at]
    }

    /// The bytes at `range`.
    ///
    /// # Panics
    /// Where it reaches beyond the end.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        Self(self.0[range].to_vec())
    }

    /// Concatenates the string and `other`.
    #[must_use]
    pub fn concat(&self, other: &Self) -> Self {
        Self([&self.0[..], &other.0].concat())
    }

    /// `self ⊕ other`, byte by byte.
    ///
    /// # Errors
    /// `Invalid` where the lengths differ.
    pub fn xor<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Self> {
        self.check_length(other.len(), "a string")?;
        Ok(self.0.iter().zip(&other.0).map(|(x, y)| x.xor(b, y)).collect())
    }

    /// Whether the strings are the same: an AND for each bit that is not public in both, less one.
    ///
    /// # Errors
    /// `Invalid` where the lengths differ; those of [`Backend::mul`].
    pub fn equal<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Bit<W>> {
        let mut equal = Bit::Public(true);
        for byte in self.xor(b, other)?.iter() {
            for bit in byte.bits() {
                let same = bit.not(b);
                equal = equal.and(b, same)?;
            }
        }
        Ok(equal)
    }

    /// The bytes in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Word<W, 8>> + DoubleEndedIterator {
        self.0.iter()
    }

    /// The bits of the number that the bytes print as, from its least significant: bit i is in
    /// byte `len - 1 - i / 8`.
    pub fn number(&self) -> impl Iterator<Item = Bit<W>> {
        self.0.iter().rev().flat_map(|byte| *byte.bits())
    }

    /// Demands that the string is `expected`. Bits count as in the number that the bytes print as, from its
    /// least significant: bit i, asserted as `name[i]`, is in byte `len - 1 - i / 8`.
    ///
    /// # Errors
    /// `Invalid` where the lengths differ; those of [`Backend::assert_zero`].
    pub fn assert_equal<B: Backend<F = F2, Wire = W>>(
        &self,
        b: &mut B,
        expected: &[u8],
        name: impl Display,
    ) -> Result<()> {
        self.check_length(expected.len(), &name)?;
        for (at, (word, &byte)) in self.0.iter().rev().zip(expected.iter().rev()).enumerate() {
            for (i, bit) in word.bits().iter().enumerate() {
                let expected = Bit::Public(byte >> i & 1 == 1);
                bit.assert_equal(b, expected, format_args!("{name}[{}]", 8 * at + i))?;
            }
        }
        Ok(())
    }

    fn check_length(&self, other: usize, name: impl Display) -> Result<()> {
        if other == self.len() {
            return Ok(());
        }
        let message = format!("{name} has {} bytes, and is compared with {other} bytes", self.len());
        Err(Error::invalid(message))
    }
}

impl<W> FromIterator<Word<W, 8>> for Bytes<W> {
    fn from_iter<I: IntoIterator<Item = Word<W, 8>>>(bytes: I) -> Self {
        Self(bytes.into_iter().collect())
    }
}

/// The witness that [`Bytes::witness`] reads as `bytes`: bytes in order, each from its least significant bit.
pub fn bits_of(bytes: &[u8]) -> impl Iterator<Item = F2> + Clone + '_ {
    bytes.iter().flat_map(|&byte| (0..8).map(move |i| F2::low_bit((byte >> i).into())))
}
