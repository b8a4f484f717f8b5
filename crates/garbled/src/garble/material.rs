//! The ciphertexts of a garbled circuit on their way: one block for each AND, in the order of the gates.

use volery_channel::channel::Channel;
use volery_channel::error::{Error, Result};
use volery_primitives::{F2, F128};

/// Blocks that travel together.
pub const PIECE: usize = 1024;

/// A destination of the material that a garbler makes. Every piece but the last has [`PIECE`] blocks.
pub trait Sink {
    /// Takes the next piece.
    ///
    /// # Errors
    /// Link errors, or `Invalid` where there is more of it than was counted.
    fn take(&mut self, blocks: &[F128]) -> Result<()>;
}

/// A source of the material that an evaluator reads.
pub trait Source {
    /// Fills `blocks` with the next piece, which is of [`PIECE`] blocks or the last.
    ///
    /// # Errors
    /// Link errors.
    fn give(&mut self, blocks: &mut [F128]) -> Result<()>;
}

/// The error of a circuit that is not the one that was counted.
pub fn miscounted() -> Error {
    Error::invalid(
        "the statement has other gates than when they were counted: it must push the same ones each time",
    )
}

/// A sink that sends the material to the peer.
pub struct Sending<'a>(pub &'a mut Channel);

impl Sink for Sending<'_> {
    fn take(&mut self, blocks: &[F128]) -> Result<()> {
        self.0.send_words(blocks)
    }
}

/// A source that receives the material from the peer, and keeps its digest.
pub struct Receiving<'a> {
    channel: &'a mut Channel,
    digest: Digested,
}

impl<'a> Receiving<'a> {
    /// A source of the material in the next messages.
    pub fn new(channel: &'a mut Channel) -> Self {
        Self { channel, digest: Digested::new() }
    }

    /// The digest of what was received.
    pub fn digest(self) -> [u8; 32] {
        self.digest.finish()
    }
}

impl Source for Receiving<'_> {
    fn give(&mut self, blocks: &mut [F128]) -> Result<()> {
        self.channel.recv_words(blocks)?;
        self.digest.take(blocks)
    }
}

/// A sink that digests the material.
pub struct Digested {
    hasher: blake3::Hasher,
    bytes: Vec<u8>,
}

impl Digested {
    /// The digest of no block yet.
    #[expect(clippy::new_without_default, reason = "a digest has a beginning, not a default")]
    pub fn new() -> Self {
        Self {
            hasher: blake3::Hasher::new_derive_key("volery garbling v1, material"),
            bytes: Vec::with_capacity(16 * PIECE),
        }
    }

    /// The digest, which does not depend on how blocks come in pieces.
    pub fn finish(self) -> [u8; 32] {
        self.hasher.finalize().into()
    }
}

impl Sink for Digested {
    fn take(&mut self, blocks: &[F128]) -> Result<()> {
        self.bytes.clear();
        // Byte by byte, as iterators would have it, takes as long as the garbling.
        for block in blocks {
            self.bytes.extend_from_slice(&block.to_bytes());
        }
        self.hasher.update(&self.bytes);
        Ok(())
    }
}

/// A sink that adds the material to a stack, or only pretends to, in the same time.
pub struct Stacking<'a> {
    stack: core::slice::IterMut<'a, F128>,
    mask: u128,
}

impl<'a> Stacking<'a> {
    /// A sink onto `stack`, from its first block on. Where `counts` is false, each block stays as it is, in
    /// the same time.
    pub fn onto(stack: &'a mut [F128], counts: bool) -> Self {
        Self { stack: stack.iter_mut(), mask: F2::from(counts).mask() }
    }
}

impl Sink for Stacking<'_> {
    fn take(&mut self, blocks: &[F128]) -> Result<()> {
        if self.stack.len() < blocks.len() {
            return Err(miscounted());
        }
        for (block, sum) in blocks.iter().zip(&mut self.stack) {
            sum.0 ^= block.0 & self.mask;
        }
        Ok(())
    }
}

/// A source of material that lies in memory.
pub struct Held<'a>(pub &'a [F128]);

impl Source for Held<'_> {
    fn give(&mut self, blocks: &mut [F128]) -> Result<()> {
        let (piece, rest) = self.0.split_at_checked(blocks.len()).ok_or_else(miscounted)?;
        blocks.copy_from_slice(piece);
        self.0 = rest;
        Ok(())
    }
}
