//! AES-128 in counter mode as a pseudorandom generator.

use crate::aes::Aes128;
use crate::arch::Arch;
use crate::field::F128;

/// The seed of a generator: a key, and a nonce that stands beside the number of each block.
///
/// Where coefficients come of a public challenge, an adversary may know some challenges beforehand, and choose
/// n bits such that what they weigh cancels for n/128 of these. Of 2^128 challenges each would be one of
/// them with n/128 times the probability that is hoped for. So a challenge gives a nonce too: of 2^192 seeds
/// some 2^64 agree with any bits by chance, and beside these what can be arranged for is nothing.
#[derive(Clone, Copy)]
pub struct Seed {
    key: F128,
    nonce: u64,
}

impl Seed {
    /// The seed that a challenge gives.
    pub fn of_challenge(challenge: &[u8; 32]) -> Self {
        let (words, _) = challenge.as_chunks::<8>();
        let [low, high, nonce] = [0, 1, 2].map(|i| u64::from_le_bytes(words[i]));
        Self { key: F128(u128::from(low) | u128::from(high) << 64), nonce }
    }

    /// Two of one challenge, which have no block in common.
    pub fn two_of_challenge(challenge: &[u8; 32]) -> [Self; 2] {
        Self::of_challenge(challenge).split()
    }

    /// The key and the nonce.
    pub fn parts(self) -> (F128, u64) {
        (self.key, self.nonce)
    }

    /// N seeds of this one, no two of which have a block in common.
    pub fn split<const N: usize>(self) -> [Self; N] {
        let bits = N.next_power_of_two().ilog2();
        core::array::from_fn(|i| Self { nonce: self.nonce << bits | i as u64, ..self })
    }
}

/// The seed with the key, and zero for the nonce.
impl From<F128> for Seed {
    fn from(key: F128) -> Self {
        Self { key, nonce: 0 }
    }
}

/// A generator whose output is a function of the seed alone: block i is `AES_key(nonce·2^64 + i)`.
pub struct Prg {
    key: Aes128,
    nonce: u64,
    counter: u64,
}

impl Prg {
    /// A generator from `seed`, at its first block.
    pub fn new(arch: Arch, seed: impl Into<Seed>) -> Self {
        let Seed { key, nonce } = seed.into();
        Self { key: Aes128::new(arch, key), nonce, counter: 0 }
    }

    /// The generator without its next `blocks`.
    pub fn skip(self, blocks: u64) -> Self {
        Self { counter: self.counter + blocks, ..self }
    }

    /// Fills `out` with the next blocks.
    ///
    /// # Panics
    /// After 2^64 blocks.
    pub fn fill(&mut self, out: &mut [F128]) {
        self.key.counter(u128::from(self.nonce) << 64 | u128::from(self.counter), out);
        self.counter += out.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;

    #[test]
    fn pieces_equal_the_whole() {
        let mut whole = [F128::ZERO; 100];
        Prg::new(Arch::detect(), F128(7)).fill(&mut whole);
        let mut pieces = [F128::ZERO; 100];
        let mut prg = Prg::new(Arch::PORTABLE, F128(7));
        let (a, b) = pieces.split_at_mut(33);
        prg.fill(a);
        prg.fill(b);
        assert_eq!(whole, pieces);
        Prg::new(Arch::detect(), F128(7)).skip(60).fill(&mut pieces[..40]);
        assert_eq!(whole[60..], pieces[..40]);
    }

    #[test]
    fn a_challenge_names_a_key_and_a_nonce() {
        let challenge = core::array::from_fn(|i| i as u8);
        let blocks = |challenge: [u8; 32], skipped| {
            let mut blocks = [F128::ZERO; 3];
            Prg::new(Arch::detect(), Seed::of_challenge(&challenge)).skip(skipped).fill(&mut blocks);
            blocks
        };
        let key = F128::from_bytes(*challenge.first_chunk().unwrap());
        let mut expected = [F128::ZERO; 3];
        Aes128::new(Arch::PORTABLE, key).counter((0x1716_1514_1312_1110 << 64) + (1 << 63), &mut expected);
        assert_eq!(blocks(challenge, 1 << 63), expected);
        let [first, second] = Seed::two_of_challenge(&challenge);
        assert_eq!((first.nonce, second.nonce), (0x2e2c_2a28_2624_2220, 0x2e2c_2a28_2624_2221));
        for byte in 0..24 {
            let mut another = challenge;
            another[byte] ^= 1;
            assert_ne!(blocks(another, 1 << 63), expected, "byte {byte}");
        }
    }
}
