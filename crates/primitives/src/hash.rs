//! Hashes: a domain-separated digest for protocol messages, and those made of AES for the
//! leaves of trees and gates.
//!
//! | hash | promise | for |
//! |---|---|---|
//! | [`Digest`] | random oracle (BLAKE3) | keys, commitments, checks |
//! | [`Keyed`] | random oracle under a key (BLAKE3), 32-byte inputs | nodes of GGM trees |
//! | [`Circular`] | circular correlation robust | half-tree GGM |
//! | [`Tweakable`] | tweakable circular correlation robust, two AES and one key schedule in all | few calls, many tweaks |
//! | [`GateHash`] | the same, or with multi-instance bounds, one AES and one key schedule per tweak | garbled gates |
//!
//! Plain `π(x) ⊕ x` is none of these: it is not circular robust, and stands only behind
//! [`crate::arch::fold_leaves`], whose inputs never meet a global offset.

pub mod elements;
mod gates;

pub use gates::{Construction, GateHash};

use crate::aes::Aes128;
use crate::arch::{self, Arch};
use crate::field::F128;

/// BLAKE3 over length-prefixed fields under a domain of its own.
pub struct Digest(blake3::Hasher);

impl Digest {
    /// A digest of the domain `context`: a constant of the program, used in one place.
    pub fn new(context: &'static str) -> Self {
        Self(blake3::Hasher::new_derive_key(context))
    }

    /// Absorbs one field, its length first.
    pub fn field(mut self, bytes: &[u8]) -> Self {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// Absorbs a number as one field.
    pub fn number(self, number: u64) -> Self {
        self.field(&number.to_le_bytes())
    }

    /// `N` bytes of output.
    pub fn finish<const N: usize>(self) -> [u8; N] {
        let mut out = [0; N];
        self.0.finalize_xof().fill(&mut out);
        out
    }
}

/// BLAKE3 keyed by a public 32-byte value, on inputs of one block: the hash of tree nodes.
pub struct Keyed([u8; 32]);

impl Keyed {
    /// The hash under `key`.
    pub const fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// `N` bytes of output.
    #[inline]
    pub fn hash<const N: usize>(&self, input: &[u8; 32]) -> [u8; N] {
        let mut out = [0; N];
        blake3::Hasher::new_keyed(&self.0).update(input).finalize_xof().fill(&mut out);
        out
    }
}

/// `σ(a ‖ b) = (a ⊕ b) ‖ a` on 64-bit halves, a the high one: linear, and without fixed
/// points, as is `x ⊕ σ(x)`.
#[inline(always)]
pub(crate) const fn orthomorphism(x: F128) -> F128 {
    let (a, b) = (x.0 >> 64, x.0 & u64::MAX as u128);
    F128(((a ^ b) << 64) | a)
}

/// `H(x) = π(σ(x)) ⊕ σ(x)` for one AES key π (Guo, Katz, Wang, Weng, Yu 2022): circular correlation robust.
/// The key is public, and drawn anew for each batch of trees.
pub struct Circular(Aes128);

impl Circular {
    /// The hash under the public `key`.
    pub fn new(arch: Arch, key: F128) -> Self {
        Self(Aes128::new(arch, key))
    }

    /// π.
    pub(crate) const fn permutation(&self) -> &Aes128 {
        &self.0
    }

    /// Hashes each block in place.
    pub fn apply(&self, blocks: &mut [F128]) {
        feed_forward(blocks, |blocks| self.0.encrypt(blocks));
    }

    /// The hash of each of `blocks`.
    ///
    /// # Panics
    /// Where `out` is not as long.
    pub(crate) fn hash(&self, blocks: &[F128], out: &mut [F128]) {
        arch::hash(&self.0, blocks, out);
    }
}

/// `H(x, t) = π(π(x) ⊕ t) ⊕ π(x)` for one AES key π (Guo, Katz, Wang, Yu 2020).
pub struct Tweakable(Aes128);

impl Tweakable {
    /// The hash under the public `key`.
    pub fn new(arch: Arch, key: F128) -> Self {
        Self(Aes128::new(arch, key))
    }

    /// Hashes each block in place, block i under the tweak `first + i`.
    pub fn apply(&self, first: u128, blocks: &mut [F128]) {
        const BATCH: usize = 64;
        for (batch, blocks) in blocks.chunks_mut(BATCH).enumerate() {
            self.0.encrypt(blocks);
            let mut inner = [F128(0); BATCH];
            let inner = &mut inner[..blocks.len()];
            inner.copy_from_slice(blocks);
            for (i, block) in blocks.iter_mut().enumerate() {
                *block ^= F128(first.wrapping_add((batch * BATCH + i) as u128));
            }
            self.0.encrypt(blocks);
            blocks.iter_mut().zip(inner).for_each(|(block, inner)| *block ^= *inner);
        }
    }
}

/// `x := E(σ(x)) ⊕ σ(x)`.
pub(crate) fn feed_forward(blocks: &mut [F128], encrypt: impl Fn(&mut [F128])) {
    const BATCH: usize = 64;
    for blocks in blocks.chunks_mut(BATCH) {
        let mut inputs = [F128(0); BATCH];
        let inputs = &mut inputs[..blocks.len()];
        for (input, block) in inputs.iter_mut().zip(&mut *blocks) {
            *block = orthomorphism(*block);
            *input = *block;
        }
        encrypt(blocks);
        blocks.iter_mut().zip(inputs).for_each(|(block, input)| *block ^= *input);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;

    fn samples() -> Vec<F128> {
        let mut blocks = vec![F128::ZERO; 130];
        Aes128::new(Arch::PORTABLE, F128(1)).counter(0, &mut blocks);
        blocks
    }

    /// Every construction by its formula, one block at a time.
    #[test]
    fn formulas() {
        for arch in Arch::available() {
            let pi = Aes128::new(Arch::PORTABLE, F128(5));
            let one = |key: &Aes128, x: F128| {
                let mut block = [x];
                key.encrypt(&mut block);
                block[0]
            };
            let sigma = |x: F128| F128(((x.0 >> 64 ^ x.0 & u64::MAX as u128) << 64) | x.0 >> 64);
            let samples = samples();
            let (mut circular, mut tweakable) = (samples.clone(), samples.clone());
            Circular::new(arch, F128(5)).apply(&mut circular);
            Tweakable::new(arch, F128(5)).apply(1000, &mut tweakable);
            for (i, &x) in samples.iter().enumerate() {
                assert_eq!(circular[i], one(&pi, sigma(x)) ^ sigma(x));
                let inner = one(&pi, x);
                assert_eq!(tweakable[i], one(&pi, inner ^ F128(1000 + i as u128)) ^ inner);
            }
        }
    }

    #[test]
    fn the_orthomorphism_is_one() {
        // σ and x ⊕ σ(x) are injective on a basis and its sums: their matrices over F_2 have full rank.
        for map in [|x: F128| orthomorphism(x), |x: F128| orthomorphism(x) ^ x] {
            let mut basis: Vec<u128> = (0..128).map(|i| map(F128(1 << i)).0).collect();
            let mut rank = 0;
            for bit in 0..128 {
                if let Some(pivot) = (rank..128).find(|&r| basis[r] >> bit & 1 == 1) {
                    basis.swap(rank, pivot);
                    let row = basis[rank];
                    (0..128)
                        .filter(|&r| r != rank)
                        .for_each(|r| basis[r] ^= if basis[r] >> bit & 1 == 1 { row } else { 0 });
                    rank += 1;
                }
            }
            assert_eq!(rank, 128);
        }
    }

    #[test]
    fn fields_do_not_run_together() {
        let split = |a: &[u8], b: &[u8]| Digest::new("volery test").field(a).field(b).finish::<32>();
        assert_ne!(split(b"ab", b"c"), split(b"a", b"bc"));
        assert_ne!(
            Digest::new("volery test").finish::<32>(),
            Digest::new("volery other test").finish::<32>()
        );
    }

    /// Our framing over the hash by its definition, and the hash itself against its first official vectors.
    #[test]
    fn digests_are_blake3_of_length_prefixed_fields() {
        let mut by_hand = blake3::Hasher::new_derive_key("volery test");
        for field in [&b"one"[..], &7u64.to_le_bytes()] {
            by_hand.update(&(field.len() as u64).to_le_bytes());
            by_hand.update(field);
        }
        let digest = Digest::new("volery test").field(b"one").number(7).finish::<32>();
        assert_eq!(by_hand.finalize(), digest);
        assert_eq!(blake3::keyed_hash(&[3; 32], &[9; 32]), Keyed::new([3; 32]).hash::<32>(&[9; 32]));

        let context = "BLAKE3 2019-12-27 16:29:52 test vectors context";
        assert_eq!(blake3::derive_key(context, &[])[..4], [0x2c, 0xc3, 0x97, 0x83]);
        assert_eq!(blake3::derive_key(context, &[0])[..4], [0xb3, 0xe2, 0xe3, 0x40]);
        assert_eq!(
            blake3::hash(&[]).to_hex().as_str(),
            "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
        );
    }
}
