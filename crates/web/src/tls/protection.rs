//! Records as they are protected (RFC 8446 section 5.2) by AES-128-GCM (SP 800-38D) and ChaCha20-Poly1305 (RFC 8439
//! section 2.8).
//!
//! A tag of either is the sum of a hash of all that it covers, under a key of its own, and of a **pad**: GHASH under H, and
//! a block of the key stream; or Poly1305 under r, and s, both from one block. So whoever has the key of the hash has
//! the pad of each record's tag, and the tag fits where that is what the key stream has for it.

use super::keys::Secret;
use super::record::{HEAD, MOST_CONTENT, Record, TAG};
use super::suite::Suite;
use crate::error::Why;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes128Gcm, Nonce};
use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use ghash::GHash;
use ghash::universal_hash::UniversalHash;
use poly1305::Poly1305;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// Bytes of a key of a hash: of H, or of r.
pub(crate) const HASH_KEY: usize = 16;

/// The key and the base of nonces of one direction, between two changes of keys.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub(crate) struct Keys {
    #[zeroize(skip)]
    suite: Suite,
    /// The key, and zeros behind it.
    key: [u8; 32],
    iv: [u8; 12],
}

impl Keys {
    /// Derives them from a traffic secret (section 7.3).
    pub(crate) fn new(suite: Suite, secret: &Secret) -> Self {
        let (mut key, mut iv) = ([0; 32], [0; 12]);
        secret.expand_to(b"key", &mut key[..suite.key()]);
        secret.expand_to(b"iv", &mut iv);
        Self { suite, key, iv }
    }

    fn nonce(&self, sequence: u64) -> Zeroizing<[u8; 12]> {
        let mut nonce = Zeroizing::new(self.iv);
        for (byte, number) in nonce[4..].iter_mut().zip(sequence.to_be_bytes()) {
            *byte ^= number;
        }
        nonce
    }

    fn aes(&self) -> aes::Aes128 {
        aes::Aes128::new_from_slice(&self.key[..Suite::Aes128.key()]).expect("a key")
    }

    fn gcm(&self) -> Aes128Gcm {
        Aes128Gcm::from(self.aes())
    }

    /// The key stream of ChaCha20 for a record, from block 0 on.
    fn chacha20(&self, sequence: u64) -> ChaCha20 {
        ChaCha20::new_from_slices(&self.key, &*self.nonce(sequence)).expect("a key and a nonce")
    }

    /// The inner plaintext of a protected record: content, type and padding.
    ///
    /// # Errors
    /// `Tag` where its tag does not fit.
    pub(crate) fn open(&self, sequence: u64, record: &Record<'_>) -> Result<Zeroizing<Vec<u8>>, Why> {
        match self.suite {
            Suite::Aes128 => {
                let nonce = Nonce::try_from(&self.nonce(sequence)[..]).expect("a nonce");
                let payload = Payload { msg: record.fragment(), aad: &record.head() };
                self.gcm().decrypt(&nonce, payload).map(Zeroizing::new).map_err(|_| Why::Tag)
            }
            Suite::ChaCha20 => {
                let tag = self.poly1305(sequence, &record.head(), record.ciphertext());
                if !bool::from(tag.ct_eq(&record.tag())) {
                    return Err(Why::Tag);
                }
                Ok(self.chacha20_sum(sequence, record.ciphertext()))
            }
        }
    }

    /// A text with ChaCha20's key stream for a record added.
    fn chacha20_sum(&self, sequence: u64, text: &[u8]) -> Zeroizing<Vec<u8>> {
        let mut text = Zeroizing::new(text.to_vec());
        let mut cipher = self.chacha20(sequence);
        cipher.seek(self.suite.block());
        cipher.apply_keystream(&mut text);
        text
    }

    /// The tag of ChaCha20-Poly1305 for a record with this head and ciphertext.
    fn poly1305(&self, sequence: u64, head: &[u8; HEAD], ciphertext: &[u8]) -> [u8; TAG] {
        let block = self.stream(sequence, 0);
        poly1305(block.first_chunk().expect("half a block"), head, ciphertext)
    }

    /// The key of the hash that a record's tag is made of: of GHASH, for all records the same, or of Poly1305.
    pub(crate) fn hash_key(&self, sequence: u64) -> [u8; HASH_KEY] {
        match self.suite {
            Suite::Aes128 => {
                let mut block = aes::Block::default();
                self.aes().encrypt_block(&mut block);
                block.into()
            }
            Suite::ChaCha20 => *self.stream(sequence, 0).first_chunk().expect("a longer block"),
        }
    }

    /// A block of the key stream of a record, by its number.
    pub(crate) fn stream(&self, sequence: u64, number: u32) -> Zeroizing<Vec<u8>> {
        let mut stream = Zeroizing::new(vec![0; self.suite.block()]);
        match self.suite {
            Suite::Aes128 => {
                let mut block = aes::Block::default();
                block[..12].copy_from_slice(&*self.nonce(sequence));
                block[12..].copy_from_slice(&number.to_be_bytes());
                self.aes().encrypt_block(&mut block);
                stream.copy_from_slice(&block);
            }
            Suite::ChaCha20 => {
                let mut cipher = self.chacha20(sequence);
                cipher.seek(u64::from(number) * self.suite.block() as u64);
                cipher.apply_keystream(&mut stream);
            }
        }
        stream
    }

    /// A record with this content, type and so much padding.
    pub(crate) fn seal(&self, sequence: u64, kind: u8, content: &[u8], padding: usize) -> Vec<u8> {
        let text = Zeroizing::new([content, &[kind], &vec![0; padding]].concat());
        let length = (text.len() + TAG) as u16;
        let [upper, lower] = length.to_be_bytes();
        let head = [23, 3, 3, upper, lower];
        let sealed = match self.suite {
            Suite::Aes128 => {
                let nonce = Nonce::try_from(&self.nonce(sequence)[..]).expect("a nonce");
                self.gcm().encrypt(&nonce, Payload { msg: &text, aad: &head }).expect("a short record")
            }
            Suite::ChaCha20 => {
                let ciphertext = self.chacha20_sum(sequence, &text);
                [&ciphertext[..], &self.poly1305(sequence, &head, &ciphertext)].concat()
            }
        };
        [&head[..], &sealed].concat()
    }

    #[cfg(test)]
    pub(crate) fn parts(&self) -> (&[u8], [u8; 12]) {
        (&self.key[..self.suite.key()], self.iv)
    }
}

impl Suite {
    /// The begin of the block before those of a record's text, as its tag has it where `hash_key` is the key of its hash: of
    /// AES the pad, and of ChaCha20 that key and the pad.
    pub(crate) fn before_text(self, record: &Record<'_>, hash_key: &[u8; HASH_KEY]) -> Vec<u8> {
        let (head, ciphertext, tag) = (record.head(), record.ciphertext(), record.tag());
        match self {
            Self::Aes128 => {
                let hash = ghash(hash_key, &head, ciphertext);
                hash.iter().zip(tag).map(|(hash, tag)| hash ^ tag).collect()
            }
            Self::ChaCha20 => {
                let mut key = [0; 32];
                key[..HASH_KEY].copy_from_slice(hash_key);
                let [hash, tag] = [poly1305(&key, &head, ciphertext), tag].map(u128::from_le_bytes);
                [*hash_key, tag.wrapping_sub(hash).to_le_bytes()].concat()
            }
        }
    }
}

/// GHASH of a record with this head and ciphertext.
fn ghash(key: &[u8; HASH_KEY], head: &[u8], ciphertext: &[u8]) -> [u8; TAG] {
    let mut hash = GHash::new(&(*key).into());
    let lengths = [head.len(), ciphertext.len()].map(|length| (8 * length as u64).to_be_bytes());
    [head, ciphertext, lengths.as_flattened()].iter().for_each(|part| hash.update_padded(part));
    hash.finalize().into()
}

/// Poly1305 of a record with this head and ciphertext, by r and s: where s is zero, the hash alone.
fn poly1305(key: &[u8; 32], head: &[u8], ciphertext: &[u8]) -> [u8; TAG] {
    let mut hash = Poly1305::new(&(*key).into());
    let lengths = [head.len(), ciphertext.len()].map(|length| (length as u64).to_le_bytes());
    [head, ciphertext, lengths.as_flattened()].iter().for_each(|part| hash.update_padded(part));
    hash.finalize().into()
}

/// The content of an inner plaintext, and its type (section 5.4).
pub(crate) fn content(inner: &[u8]) -> Result<(u8, &[u8]), Why> {
    if inner.len() > MOST_CONTENT + 1 {
        return Err(Why::ContentLength(inner.len()));
    }
    let at = inner.iter().rposition(|byte| *byte != 0).ok_or(Why::NoType)?;
    Ok((inner[at], &inner[..at]))
}

#[cfg(test)]
mod tests;
