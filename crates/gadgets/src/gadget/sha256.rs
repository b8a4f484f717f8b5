//! SHA-256 of a string of public length (FIPS 180-4).
//!
//! Padding and the initial chaining value are public constants of the circuit. Were they witness, as
//! they are inputs of the compression circuits in circulation, the prover could choose a chaining value
//! and so need no preimage.

mod elements;
mod gates;
mod holes;
#[cfg(test)]
mod tests;

pub use elements::sha256_of_elements;
pub use gates::Gates;
pub use holes::Holes;

use super::hash::Hash;
use super::hash::fips_180::{BLOCK, Blocks, Word32, bytes_of};
use super::{Bytes, Word};
use core::marker::PhantomData;
use volery_channel::error::Result;
use volery_circuit::{Backend, Polynomials, Wires};
use volery_primitives::F2;

/// The initial chaining value, FIPS 180-4 section 5.3.3.
pub(super) const INITIAL: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// The round constants, FIPS 180-4 section 4.2.2.
#[rustfmt::skip]
const ROUND: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

/// The rotations that Σ₀ adds.
const UPPER_0: [usize; 3] = [2, 13, 22];
/// The rotations that Σ₁ adds.
const UPPER_1: [usize; 3] = [6, 11, 25];
/// The rotations that σ₀ adds, and the shift that it adds to them.
const LOWER_0: ([usize; 2], usize) = ([7, 18], 3);
/// The rotations that σ₁ adds, and the shift that it adds to them.
const LOWER_1: ([usize; 2], usize) = ([17, 19], 10);

/// The SHA-256 digest of `message`, 32 bytes: 22,271 ANDs or fewer for each block of 64 bytes.
///
/// # Errors
/// Those of [`Backend::mul`].
pub fn sha256<B: Backend<F = F2>>(b: &mut B, message: &Bytes<B::Wire>) -> Result<Bytes<B::Wire>> {
    Sha256::<_, Gates>::digest(b, message)
}

/// The SHA-256 digest of `message`, 32 bytes, with holes: 5,888 committed bits or fewer for each block of 64
/// bytes, in polynomials of a degree up to 10.
///
/// # Errors
/// Those of [`Polynomials::product`].
pub fn sha256_with_holes<B: Polynomials<F = F2>>(
    b: &mut B,
    message: &Bytes<B::Wire>,
) -> Result<Bytes<B::Wire>> {
    Sha256::<_, Holes>::digest(b, message)
}

/// A way to compute the compression function.
pub trait Compression<B: Backend<F = F2>> {
    /// The name of the function of one block, where it is recorded.
    const BLOCK: &'static str;

    /// The next chaining value: one compression, FIPS 180-4 section 6.2.2.
    ///
    /// # Errors
    /// Those of the backend.
    fn compress(
        b: &mut B,
        state: &[Word<B::Wire, 32>; 8],
        block: &[Word<B::Wire, 32>; 16],
    ) -> Result<[Word<B::Wire, 32>; 8]>;
}

/// SHA-256 of a message that comes piece by piece ([`Hash`]): holds one block. `C` says how to compress it.
pub struct Sha256<W, C = Gates> {
    state: [Word32<W>; 8],
    blocks: Blocks<W>,
    compression: PhantomData<C>,
}

impl<W: Copy> Sha256<W> {
    /// The digest of the empty message, to be continued gate by gate.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<W: Copy> Sha256<W, Holes> {
    /// The digest of the empty message, to be continued with holes.
    pub fn with_holes() -> Self {
        Self::default()
    }
}

impl<W: Copy, C> Default for Sha256<W, C> {
    fn default() -> Self {
        Self { state: initial(), blocks: Blocks::new(), compression: PhantomData }
    }
}

impl<W: Copy, C> Clone for Sha256<W, C> {
    fn clone(&self) -> Self {
        Self { state: self.state, blocks: self.blocks.clone(), compression: PhantomData }
    }
}

impl<W: Copy, C> Wires<W> for Sha256<W, C> {
    fn each(&self, take: &mut dyn FnMut(W)) {
        self.state.each(take);
        self.blocks.each(take);
    }
}

impl<B: Backend<F = F2>, C: Compression<B>> Hash<B> for Sha256<B::Wire, C> {
    const BLOCK: usize = BLOCK;
    const DIGEST: usize = 32;

    fn update(&mut self, b: &mut B, piece: &Bytes<B::Wire>) -> Result<()> {
        self.blocks.update(piece, |block| {
            self.state = C::compress(b, &self.state, block)?;
            Ok(())
        })
    }

    fn finish(mut self, b: &mut B) -> Result<Bytes<B::Wire>> {
        self.blocks.finish(|block| {
            self.state = C::compress(b, &self.state, block)?;
            Ok(())
        })?;
        Ok(bytes_of(&self.state))
    }
}

/// The chaining value after `block`, which is the first: SHA-256 but for the padding. Among blocks, which
/// have one length, collisions are as hard to find as of the compression function.
///
/// # Errors
/// Those of [`Compression::compress`].
pub(super) fn sha256_of_block<B: Backend<F = F2>, C: Compression<B>>(
    b: &mut B,
    block: &[Word32<B::Wire>; 16],
) -> Result<[Word32<B::Wire>; 8]> {
    C::compress(b, &initial(), block)
}

fn initial<W: Copy>() -> [Word32<W>; 8] {
    INITIAL.map(|word| Word::public(word.into()))
}
