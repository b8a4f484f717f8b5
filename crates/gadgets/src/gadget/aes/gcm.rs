//! Galois/counter mode (SP 800-38D) with nonces of 12 bytes and tags of 16.

use super::ghash::ghash;
use super::{Aes128, BLOCK};
use crate::gadget::Bytes;
use volery_channel::error::{Error, Result};
use volery_circuit::Backend;
use volery_primitives::F2;

/// AES-128-GCM under one key.
#[derive(Clone)]
pub struct Gcm<W> {
    cipher: Aes128<W>,
    /// The key of GHASH.
    hash: Bytes<W>,
}

impl<W: Copy> Gcm<W> {
    /// Expands `key`, 16 bytes: 6,400 ANDs.
    ///
    /// # Errors
    /// `Invalid` where the key has another length; those of [`Backend::mul`].
    pub fn new<B: Backend<F = F2, Wire = W>>(b: &mut B, key: &Bytes<W>) -> Result<Self> {
        let cipher = Aes128::new(b, key)?;
        let hash = cipher.encrypt(b, &Bytes::public(&[0; BLOCK]))?;
        Ok(Self { cipher, hash })
    }

    /// The plaintext of `ciphertext`, and the tag of 16 bytes that it has with the `associated` data
    /// under `nonce`: as in the clear, the plaintext means something only where the caller finds or
    /// asserts that the tag is right.
    ///
    /// 5,120 ANDs for each block, full or not, and as many for the tag; and for its hash some √(2n) products
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
    ) -> Result<(Bytes<W>, Bytes<W>)> {
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
    ) -> Result<(Bytes<W>, Bytes<W>)> {
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
    ) -> Result<Bytes<W>> {
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
