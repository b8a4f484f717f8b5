//! Common parts of SHA-1 and SHA-256 (FIPS 180-4): words of 32 bits, the padded blocks of a message, Ch and
//! Maj.

use crate::gadget::{Bit, Bytes, Word};
use core::array;
use volery_channel::error::Result;
use volery_circuit::{Backend, Wires};
use volery_primitives::F2;

pub(in super::super) type Word32<W> = Word<W, 32>;

/// Bytes of a block.
pub(in super::super) const BLOCK: usize = 64;

/// The blocks of a message that comes piece by piece: holds less than one.
#[derive(Clone)]
pub(in super::super) struct Blocks<W> {
    pending: Vec<Word<W, 8>>,
    /// Bytes of the message so far.
    length: u64,
}

impl<W: Copy> Blocks<W> {
    /// The blocks of the empty message.
    pub(in super::super) fn new() -> Self {
        Self { pending: Vec::with_capacity(BLOCK), length: 0 }
    }

    /// Appends `piece` to the message, and hands each block that is full to `compress`.
    pub(in super::super) fn update(
        &mut self,
        piece: &Bytes<W>,
        mut compress: impl FnMut(&[Word32<W>; 16]) -> Result<()>,
    ) -> Result<()> {
        self.length += piece.len() as u64;
        for &byte in piece.iter() {
            self.pending.push(byte);
            if self.pending.len() == BLOCK {
                compress(&words_of(&self.pending))?;
                self.pending.clear();
            }
        }
        Ok(())
    }

    /// Pads the message (section 5.1.1), and gives its last blocks to `compress`.
    pub(in super::super) fn finish(
        mut self,
        compress: impl FnMut(&[Word32<W>; 16]) -> Result<()>,
    ) -> Result<()> {
        let bits = (8 * self.length).to_be_bytes();
        let zeros = (2 * BLOCK - 1 - bits.len() - self.pending.len()) % BLOCK;
        let padding = [&[0x80][..], &vec![0; zeros], &bits].concat();
        self.update(&Bytes::public(&padding), compress)
    }
}

impl<W: Copy> Wires<W> for Blocks<W> {
    fn each(&self, take: &mut dyn FnMut(W)) {
        self.pending.each(take);
    }
}

/// The words of a block.
///
/// # Panics
/// Where `bytes` are more or fewer than one.
pub(in super::super) fn block_of<W: Copy>(bytes: &Bytes<W>) -> [Word32<W>; 16] {
    let bytes: Vec<_> = bytes.iter().copied().collect();
    assert_eq!(bytes.len(), BLOCK);
    words_of(&bytes)
}

/// The words of the bytes of a block, of each the most significant first.
fn words_of<W: Copy>(bytes: &[Word<W, 8>]) -> [Word32<W>; 16] {
    array::from_fn(|word| Word::new(array::from_fn(|i| bytes[4 * word + 3 - i / 8].bits()[i % 8])))
}

/// The bytes of `words`, of each the most significant first.
pub(in super::super) fn bytes_of<W: Copy>(words: &[Word32<W>]) -> Bytes<W> {
    let bytes_of = |word: &Word32<W>| {
        let bits = *word.bits();
        [24, 16, 8, 0].map(|low| Word::new(array::from_fn(|i| bits[low + i])))
    };
    words.iter().flat_map(bytes_of).collect()
}

/// Ch, section 4.1: 32 ANDs.
pub(in super::super) fn choose<B: Backend<F = F2>>(
    b: &mut B,
    bits: &Word32<B::Wire>,
    yes: &Word32<B::Wire>,
    no: &Word32<B::Wire>,
) -> Result<Word32<B::Wire>> {
    let mut out = *bits.bits();
    for (i, bit) in out.iter_mut().enumerate() {
        *bit = bit.select(b, yes.bits()[i], no.bits()[i])?;
    }
    Ok(Word::new(out))
}

/// Maj, section 4.1: 32 ANDs.
pub(in super::super) fn majority<B: Backend<F = F2>>(
    b: &mut B,
    x: &Word32<B::Wire>,
    y: &Word32<B::Wire>,
    z: &Word32<B::Wire>,
) -> Result<Word32<B::Wire>> {
    let mut out = *x.bits();
    for (i, bit) in out.iter_mut().enumerate() {
        *bit = Bit::majority(b, *bit, y.bits()[i], z.bits()[i])?;
    }
    Ok(Word::new(out))
}
