//! Shares straight from `base`, for statements too small for any extension: some hundred bytes and a check
//! of each block's own.

use super::{Delta, Key, Mac, base};
use crate::vole::{BoxedVole, Shares, Vole};
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_channel::random::Random;
use volery_primitives::arch::Arch;
use volery_primitives::{Field, MacField};

/// The shares of the first block. Each is twice as long as all before, up to the longest.
pub const SHORTEST: usize = 256;
/// The shares of the longest blocks.
pub const LONGEST: usize = 2048;

/// The length of the block after `drawn` shares.
pub const fn next(drawn: usize) -> usize {
    if drawn == 0 {
        SHORTEST
    } else if drawn < LONGEST {
        drawn
    } else {
        LONGEST
    }
}

/// The prover's end.
pub struct Prover<B, E> {
    base: base::Prover<B, E>,
    drawn: usize,
}

impl<B: Field, E: MacField<B>> Prover<B, E> {
    /// Sets up.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    pub fn new(channel: &mut Channel, arch: Arch, random: &mut Random) -> Result<Self> {
        Ok(Self { base: base::Prover::new(channel, arch, random)?, drawn: 0 })
    }
}

impl<B: Field, E: MacField<B>> Vole for Prover<B, E> {
    type Share = Mac<B, E>;

    fn block(&mut self, channel: &mut Channel, block: &mut Shares<Mac<B, E>>) -> Result<()> {
        let count = next(self.drawn);
        *block.rows_mut() = self.base.extend(channel, count)?;
        self.drawn += count;
        Ok(())
    }
    fn check(self: Box<Self>, _: &mut Channel) -> Result<BoxedVole<Mac<B, E>>> {
        // Each block was checked.
        Ok(self)
    }
}

/// The verifier's end.
pub struct Verifier<B: Field, E: Field> {
    base: base::Verifier<B, E>,
    drawn: usize,
}

impl<B: Field, E: MacField<B>> Verifier<B, E> {
    /// Sets up under `delta`.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    pub fn new(channel: &mut Channel, arch: Arch, delta: &Delta<B, E>, random: &mut Random) -> Result<Self> {
        Ok(Self { base: base::Verifier::new(channel, arch, delta, random)?, drawn: 0 })
    }
}

impl<B: Field, E: MacField<B>> Vole for Verifier<B, E> {
    type Share = Key<E>;

    fn block(&mut self, channel: &mut Channel, block: &mut Shares<Key<E>>) -> Result<()> {
        let count = next(self.drawn);
        *block.rows_mut() = self.base.extend(channel, count)?;
        self.drawn += count;
        Ok(())
    }
    fn check(self: Box<Self>, _: &mut Channel) -> Result<BoxedVole<Key<E>>> {
        // Each block was checked.
        Ok(self)
    }
}

#[cfg(test)]
mod tests;
