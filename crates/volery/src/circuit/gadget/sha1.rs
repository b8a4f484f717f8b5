//! SHA-1 of a string of public length (FIPS 180-4), for what was signed or named by it. Collisions are known:
//! it commits nobody to anything.

use super::hash::Hash;
use super::hash::fips_180::{BLOCK, Blocks, Word32, bytes_of, choose, majority};
use super::{Bytes, Word};
use crate::circuit::Backend;
use crate::error::Result;
use volery_primitives::F2;

/// The initial chaining value, FIPS 180-4 section 5.3.1.
const INITIAL: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

/// The constant of each twenty rounds, FIPS 180-4 section 4.2.1.
const ROUND: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// The SHA-1 digest of `message`, 20 bytes: 10,955 ANDs or fewer for each block of 64 bytes.
///
/// # Errors
/// Those of [`Backend::mul`].
pub fn sha1<B: Backend<F = F2>>(b: &mut B, message: &Bytes<B::Wire>) -> Result<Bytes<B::Wire>> {
    Sha1::digest(b, message)
}

/// SHA-1 of a message that comes piece by piece ([`Hash`]): holds one block.
#[derive(Clone)]
pub struct Sha1<W> {
    state: [Word32<W>; 5],
    blocks: Blocks<W>,
}

impl<W: Copy> Sha1<W> {
    /// The digest of the empty message, to be continued.
    pub fn new() -> Self {
        Self { state: INITIAL.map(|word| Word::public(word.into())), blocks: Blocks::new() }
    }
}

impl<W: Copy> Default for Sha1<W> {
    fn default() -> Self {
        Self::new()
    }
}

impl<B: Backend<F = F2>> Hash<B> for Sha1<B::Wire> {
    const BLOCK: usize = BLOCK;
    const DIGEST: usize = 20;

    fn update(&mut self, b: &mut B, piece: &Bytes<B::Wire>) -> Result<()> {
        self.blocks.update(piece, |block| compress(b, &mut self.state, block))
    }

    fn finish(mut self, b: &mut B) -> Result<Bytes<B::Wire>> {
        self.blocks.finish(|block| compress(b, &mut self.state, block))?;
        Ok(bytes_of(&self.state))
    }
}

/// One compression, FIPS 180-4 section 6.1.2.
fn compress<B: Backend<F = F2>>(
    b: &mut B,
    state: &mut [Word32<B::Wire>; 5],
    block: &[Word32<B::Wire>; 16],
) -> Result<()> {
    *state = b.scope(|b| {
        let mut state = *state;
        rounds(b, &mut state, block)?;
        Ok(state)
    })?;
    Ok(())
}

/// The rounds, and what they are added to.
fn rounds<B: Backend<F = F2>>(
    b: &mut B,
    state: &mut [Word32<B::Wire>; 5],
    block: &[Word32<B::Wire>; 16],
) -> Result<()> {
    // The last 16 words of the message schedule, W_t at index t mod 16.
    let mut schedule = *block;
    let mut s = *state;
    for t in 0..80 {
        if t >= 16 {
            let [x, y, z, first] = [3, 8, 14, 16].map(|by| schedule[(t - by) % 16]);
            schedule[t % 16] = x.xor(b, &y).xor(b, &z).xor(b, &first).rotate_left(1);
        }
        let [a, b0, c, d, e] = s;
        let mixed = match t / 20 {
            0 => choose(b, &b0, &c, &d)?,
            2 => majority(b, &b0, &c, &d)?,
            _ => b0.xor(b, &c).xor(b, &d),
        };
        let constant = Word::public(ROUND[t / 20].into());
        let sum = Word::sum(b, &[a.rotate_left(5), mixed, e, constant, schedule[t % 16]])?;
        s = [sum, a, b0.rotate_left(30), c, d];
    }
    for (sum, word) in state.iter_mut().zip(&s) {
        *sum = sum.add(b, word)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::gadget::bits_of;
    use crate::circuit::stream::Streamed;
    use crate::circuit::{Circuit, Clear, Shape};
    use sha1::Digest;

    struct Preimage {
        length: usize,
        digest: [u8; 20],
    }

    impl<B: Backend<F = F2>> Circuit<B> for Preimage {
        fn run(&self, b: &mut B) -> Result<()> {
            let message = Bytes::witness(b, self.length)?;
            sha1(b, &message)?.assert_equal(b, &self.digest, "digest")
        }
    }

    fn check(message: &[u8], digest: [u8; 20]) -> Result<()> {
        let mut clear = Clear::new(bits_of(message));
        Streamed(&Preimage { length: message.len(), digest }).run(&mut clear)?;
        clear.finish()
    }

    /// The examples that NIST publishes with FIPS 180-4.
    #[test]
    fn published_vectors() {
        let vectors: [(&str, [u32; 5]); 2] = [
            ("abc", [0xa999_3e36, 0x4706_816a, 0xba3e_2571, 0x7850_c26c, 0x9cd0_d89d]),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                [0x8498_3e44, 0x1c3b_d26e, 0xbaae_4aa1, 0xf951_29e5, 0xe546_70f1],
            ),
        ];
        for (message, digest) in vectors {
            let digest = digest.map(u32::to_be_bytes).concat().try_into().unwrap();
            check(message.as_bytes(), digest).unwrap();
        }
    }

    #[test]
    fn all_paddings_agree_with_an_outside_implementation() {
        for length in [0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 200] {
            let message: Vec<u8> = (0..length).map(|i| (i * 37 + 11) as u8).collect();
            let mut digest: [u8; 20] = sha1::Sha1::digest(&message).into();
            check(&message, digest).unwrap();
            digest[17] ^= 2;
            let refused = check(&message, digest).unwrap_err().to_string();
            assert!(refused.contains(" digest[17] does not hold"), "{refused}");
        }
    }

    /// One compression of a secret block from a secret chaining value.
    struct Compress;

    impl<B: Backend<F = F2>> Circuit<B> for Compress {
        fn run(&self, b: &mut B) -> Result<()> {
            let mut state = [Word::public(0); 5];
            let mut block = [Word::public(0); 16];
            for word in state.iter_mut().chain(&mut block) {
                *word = Word::witness(b)?;
            }
            compress(b, &mut state, &block)
        }
    }

    #[test]
    fn ands_are_pinned() {
        assert_eq!(Shape::of::<F2>(&Compress).unwrap().mul, 10_955);
        let ands = |length| Shape::of::<F2>(&Preimage { length, digest: [0; 20] }).unwrap().mul;
        assert_eq!([0, 32, 55, 64].map(ands), [0, 10_334, 10_509, 19_077]);
    }
}
