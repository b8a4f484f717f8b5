//! SHA-1 of a string of public length (FIPS 180-4), for what was signed or named by it. Collisions are known:
//! it commits nobody to anything.

mod gates;
mod holes;
#[cfg(test)]
mod tests;

use super::hash::Hash;
use super::hash::fips_180::{BLOCK, Blocks, Word32, bytes_of};
use super::{Bytes, Gates, Word};
use core::marker::PhantomData;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::F2;

/// The initial chaining value, FIPS 180-4 section 5.3.1.
const INITIAL: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

/// The constant of each twenty rounds, FIPS 180-4 section 4.2.1.
const ROUND: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

const ROUNDS: usize = 80;

/// The SHA-1 digest of `message`, 20 bytes: 10,955 ANDs or fewer for each block of 64 bytes.
///
/// # Errors
/// Those of [`Backend::mul`].
pub fn sha1<B: Backend<F = F2>>(b: &mut B, message: &Bytes<B::Wire>) -> Result<Bytes<B::Wire>> {
    Sha1::<_, Gates>::digest(b, message)
}

/// A way to compute the compression function of SHA-1: by [`Gates`], or with [`Holes`](super::Holes).
pub trait Sha1Compression<B: Backend<F = F2>> {
    /// The next chaining value: one compression, FIPS 180-4 section 6.1.2.
    ///
    /// # Errors
    /// Those of the backend.
    fn compress_sha1(
        b: &mut B,
        state: &[Word<B::Wire, 32>; 5],
        block: &[Word<B::Wire, 32>; 16],
    ) -> Result<[Word<B::Wire, 32>; 5]>;
}

/// SHA-1 of a message that comes piece by piece ([`Hash`]): holds one block. `C` says how to compress it.
pub struct Sha1<W, C = Gates> {
    state: [Word32<W>; 5],
    blocks: Blocks<W>,
    compression: PhantomData<C>,
}

impl<W: Copy> Sha1<W> {
    /// The digest of the empty message, to be continued gate by gate.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<W: Copy, C> Default for Sha1<W, C> {
    fn default() -> Self {
        let state = INITIAL.map(|word| Word::public(word.into()));
        Self { state, blocks: Blocks::new(), compression: PhantomData }
    }
}

impl<W: Copy, C> Clone for Sha1<W, C> {
    fn clone(&self) -> Self {
        Self { state: self.state, blocks: self.blocks.clone(), compression: PhantomData }
    }
}

impl<B: Backend<F = F2>, C: Sha1Compression<B>> Hash<B> for Sha1<B::Wire, C> {
    const BLOCK: usize = BLOCK;
    const DIGEST: usize = 20;

    fn update(&mut self, b: &mut B, piece: &Bytes<B::Wire>) -> Result<()> {
        self.blocks.update(piece, |block| {
            self.state = C::compress_sha1(b, &self.state, block)?;
            Ok(())
        })
    }

    fn finish(mut self, b: &mut B) -> Result<Bytes<B::Wire>> {
        self.blocks.finish(|block| {
            self.state = C::compress_sha1(b, &self.state, block)?;
            Ok(())
        })?;
        Ok(bytes_of(&self.state))
    }
}

/// W_t, of the message schedule whose last 16 words are `schedule`, W_t at index t mod 16.
fn expand<B: Backend<F = F2>>(b: &mut B, schedule: &[Word32<B::Wire>; 16], t: usize) -> Word32<B::Wire> {
    let [x, y, z, first] = [3, 8, 14, 16].map(|by| schedule[(t - by) % 16]);
    x.xor(b, &y).xor(b, &z).xor(b, &first).rotate_left(1)
}
