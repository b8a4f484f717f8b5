//! Galois/counter mode (SP 800-38D) with nonces of 12 bytes and tags of 16.

use super::ghash::ghash;
use super::{Aes128, BLOCK, Ctr, SubBytes};
use crate::gadget::{Bytes, Gates};
use volery_channel::error::{Error, Result};
use volery_circuit::Backend;
use volery_primitives::F2;

/// AES-128-GCM under one key. `S` says how to substitute bytes.
pub struct Gcm<W, S = Gates> {
    cipher: Aes128<W, S>,
    /// The key of GHASH.
    hash: Bytes<W>,
}

impl<W: Clone, S> Clone for Gcm<W, S> {
    fn clone(&self) -> Self {
        Self { cipher: self.cipher.clone(), hash: self.hash.clone() }
    }
}

impl<W: Copy> Gcm<W> {
    /// Expands `key`, 16 bytes: 6,400 ANDs.
    ///
    /// # Errors
    /// `Invalid` where the key has another length; those of [`Backend::mul`].
    pub fn new<B: Backend<F = F2, Wire = W>>(b: &mut B, key: &Bytes<W>) -> Result<Self> {
        Self::expand(b, key)
    }
}

impl<W: Copy, S> Gcm<W, S> {
    /// Expands `key`, 16 bytes: 6,400 ANDs, or with holes 1,600 committed bits.
    ///
    /// # Errors
    /// `Invalid` where the key has another length; those of the backend.
    pub fn expand<B: Backend<F = F2, Wire = W>>(b: &mut B, key: &Bytes<W>) -> Result<Self>
    where
        S: SubBytes<B>,
    {
        let cipher = Aes128::expand(b, key)?;
        let hash = cipher.encrypt(b, &Bytes::public(&[0; BLOCK]))?;
        Ok(Self { cipher, hash })
    }

    /// The key of GHASH, which with a tag and what the tag is of gives away the tag's [`Gcm::pad`]. Whoever has
    /// both can make tags for other texts under the same nonce: they may be opened only when nobody waits for such a
    /// text any more.
    pub const fn hash_key(&self) -> &Bytes<W> {
        &self.hash
    }

    /// The key stream for `nonce`, whose block of number 1 is the [`Gcm::pad`], and from number 2 on encrypts the
    /// text.
    ///
    /// # Errors
    /// `Invalid` where the nonce has not 12 bytes.
    pub fn stream(&self, nonce: &Bytes<W>) -> Result<Ctr<'_, W, S>> {
        Ctr::new(&self.cipher, nonce)
    }

    /// The sum of a tag under `nonce` and the hash of what it is of, 16 bytes: 5,120 ANDs, or with holes 1,280
    /// committed bits. Where ciphertext and [`Gcm::hash_key`] are public, so is that sum once the tag is known, and
    /// to assert it is to check the tag.
    ///
    /// # Errors
    /// `Invalid` where the nonce has not 12 bytes; those of the backend.
    pub fn pad<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, nonce: &Bytes<W>) -> Result<Bytes<W>>
    where
        S: SubBytes<B>,
    {
        Ok(self.stream(nonce)?.blocks(b, &[1])?.remove(0))
    }

    /// The plaintext of `ciphertext`, and the tag of 16 bytes that it has with the `associated` data
    /// under `nonce`: as in the clear, the plaintext means something only where the caller finds or
    /// asserts that the tag is right.
    ///
    /// 4,256 ANDs for each block, full or not, 864 more for each 256 of them, and 5,120 for the tag; and for its hash some √(2n) products
    /// of 2,187 ANDs where `associated` and `ciphertext` are public, none up to n = 2, for n blocks of both
    /// in all and one more. Where they are not, it is n products at most.
    ///
    /// # Errors
    /// `Invalid` where the nonce has not 12 bytes; those of [`Backend::mul`].
    pub fn decrypt<B: Backend<F = F2, Wire = W>>(
        &self,
        b: &mut B,
        nonce: &Bytes<W>,
        associated: &Bytes<W>,
        ciphertext: &Bytes<W>,
    ) -> Result<(Bytes<W>, Bytes<W>)>
    where
        S: SubBytes<B>,
    {
        let plaintext = self.cipher.count(b, &counter(nonce, 2)?, ciphertext)?;
        let tag = self.tag(b, nonce, associated, ciphertext)?;
        Ok((plaintext, tag))
    }

    /// The ciphertext of `plaintext`, and the tag of 16 bytes that it has with the `associated` data under
    /// `nonce`. Where the ciphertext is public, [`Gcm::decrypt`] states the same for less.
    ///
    /// # Errors
    /// `Invalid` where the nonce has not 12 bytes; those of [`Backend::mul`].
    pub fn encrypt<B: Backend<F = F2, Wire = W>>(
        &self,
        b: &mut B,
        nonce: &Bytes<W>,
        associated: &Bytes<W>,
        plaintext: &Bytes<W>,
    ) -> Result<(Bytes<W>, Bytes<W>)>
    where
        S: SubBytes<B>,
    {
        let ciphertext = self.cipher.count(b, &counter(nonce, 2)?, plaintext)?;
        let tag = self.tag(b, nonce, associated, &ciphertext)?;
        Ok((ciphertext, tag))
    }

    fn tag<B: Backend<F = F2, Wire = W>>(
        &self,
        b: &mut B,
        nonce: &Bytes<W>,
        associated: &Bytes<W>,
        ciphertext: &Bytes<W>,
    ) -> Result<Bytes<W>>
    where
        S: SubBytes<B>,
    {
        let mut blocks = Vec::new();
        for bytes in [associated, ciphertext] {
            for start in (0..bytes.len()).step_by(BLOCK) {
                let block = bytes.slice(start..bytes.len().min(start + BLOCK));
                let zeros = Bytes::public(&vec![0; BLOCK - block.len()]);
                blocks.push(block.concat(&zeros));
            }
        }
        let bits = [associated, ciphertext].map(|bytes| (8 * bytes.len() as u64).to_be_bytes());
        blocks.push(Bytes::public(&bits.concat()));
        let hash = ghash(b, &self.hash, &blocks)?;
        self.cipher.count(b, &counter(nonce, 1)?, &hash)
    }
}

/// The counter block that `nonce` and `number` make.
fn counter<W: Copy>(nonce: &Bytes<W>, number: u32) -> Result<Bytes<W>> {
    if nonce.len() != 12 {
        return Err(Error::invalid(format!("a nonce of AES-128-GCM has 12 bytes, and not {}", nonce.len())));
    }
    Ok(nonce.concat(&Bytes::public(&number.to_be_bytes())))
}
