//! The key schedule of TLS 1.3 in the clear (RFC 8446 section 7), and records opened by it.

use super::record::{MOST_CONTENT, Record};
use crate::error::Why;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes128Gcm, Nonce};
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// A secret of TLS with SHA-256, 32 bytes: wiped where it ends, compared in constant time, and printed by nobody.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct Secret([u8; 32]);

impl Secret {
    /// The secret with these bytes.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes, for who has to send or commit to them.
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// HKDF-Expand-Label (section 7.1).
    fn expand_label(&self, label: &[u8], context: &[u8]) -> Self {
        let mut code = self.code();
        code.update(&label_info(label, context, 32));
        code.update(&[1]);
        Self(code.finalize().into_bytes().into())
    }

    /// HKDF-Expand-Label of fewer bytes than a digest has.
    fn expand_short<const N: usize>(&self, label: &[u8]) -> Zeroizing<[u8; N]> {
        let mut code = self.code();
        code.update(&label_info(label, &[], N as u16));
        code.update(&[1]);
        let mut all: Zeroizing<[u8; 32]> = Zeroizing::new(code.finalize().into_bytes().into());
        let short = Zeroizing::new(*all.first_chunk().expect("fewer"));
        all.zeroize();
        short
    }

    /// The traffic secret behind a KeyUpdate (section 7.2).
    #[cfg(test)]
    pub(crate) fn updated(&self) -> Self {
        self.expand_label(b"traffic upd", &[])
    }

    /// The code of a Finished message behind messages with the digest `transcript` (section 4.4.4).
    pub(crate) fn finished(&self, transcript: &[u8; 32]) -> [u8; 32] {
        let mut code = self.expand_label(b"finished", &[]).code();
        code.update(transcript);
        code.finalize().into_bytes().into()
    }

    fn code(&self) -> Hmac<Sha256> {
        <Hmac<Sha256> as KeyInit>::new_from_slice(&self.0).expect("a key of any length")
    }
}

impl ConstantTimeEq for Secret {
    fn ct_eq(&self, other: &Self) -> subtle::Choice {
        self.0.ct_eq(&other.0)
    }
}

/// The information that a label of TLS 1.3 is expanded by, but for the counter of HKDF (section 7.1).
pub(crate) fn label_info(label: &[u8], context: &[u8], length: u16) -> Vec<u8> {
    let lengths =
        [6 + label.len(), context.len()].map(|length| u8::try_from(length).expect("a label of TLS"));
    [&length.to_be_bytes(), &[lengths[0]][..], b"tls13 ", label, &[lengths[1]], context].concat()
}

/// Secrets of a session without pre-shared key, from the handshake secret down.
pub(crate) struct Schedule {
    /// The handshake traffic secrets.
    pub(crate) client_handshake: Secret,
    pub(crate) server_handshake: Secret,
    master: Secret,
}

impl Schedule {
    /// The schedule below `handshake`, the handshake secret, where h1 is `hello_hash`.
    pub(crate) fn new(handshake: &Secret, hello_hash: &[u8; 32]) -> Self {
        let derived = handshake.expand_label(b"derived", &Sha256::digest(b""));
        let mut code = derived.code();
        code.update(&[0; 32]);
        Self {
            client_handshake: handshake.expand_label(b"c hs traffic", hello_hash),
            server_handshake: handshake.expand_label(b"s hs traffic", hello_hash),
            master: Secret(code.finalize().into_bytes().into()),
        }
    }

    /// The keys of content of the client and of the server, where h2 is `finished_hash`.
    pub(crate) fn application(&self, finished_hash: &[u8; 32]) -> [Keys; 2] {
        self.traffic(finished_hash).each_ref().map(Keys::new)
    }

    /// The traffic secrets of content of the client and of the server.
    pub(crate) fn traffic(&self, finished_hash: &[u8; 32]) -> [Secret; 2] {
        [b"c ap traffic", b"s ap traffic"].map(|label| self.master.expand_label(label, finished_hash))
    }
}

/// The key and the base of nonces of one direction, between two changes of keys.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub(crate) struct Keys {
    key: [u8; 16],
    iv: [u8; 12],
}

impl Keys {
    /// Derives them from a traffic secret (section 7.3).
    pub(crate) fn new(secret: &Secret) -> Self {
        Self { key: *secret.expand_short(b"key"), iv: *secret.expand_short(b"iv") }
    }

    fn nonce(&self, sequence: u64) -> Zeroizing<[u8; 12]> {
        let mut nonce = Zeroizing::new(self.iv);
        for (byte, number) in nonce[4..].iter_mut().zip(sequence.to_be_bytes()) {
            *byte ^= number;
        }
        nonce
    }

    /// The inner plaintext of a protected record: content, type and padding.
    ///
    /// # Errors
    /// `Tag` where its tag does not fit.
    pub(crate) fn open(&self, sequence: u64, record: &Record<'_>) -> Result<Zeroizing<Vec<u8>>, Why> {
        let cipher = <Aes128Gcm as aes_gcm::KeyInit>::new_from_slice(&self.key).expect("a key");
        let nonce = Nonce::try_from(&self.nonce(sequence)[..]).expect("a nonce");
        let payload = Payload { msg: record.fragment(), aad: &record.head() };
        cipher.decrypt(&nonce, payload).map(Zeroizing::new).map_err(|_| Why::Tag)
    }

    /// The key of GHASH.
    pub(crate) fn hash_key(&self) -> [u8; 16] {
        let mut block = aes::Block::default();
        aes::Aes128::new_from_slice(&self.key).expect("a key").encrypt_block(&mut block);
        block.into()
    }

    /// A block of the key stream of a record: that of number 1 makes its tag, and those from 2 on encrypt it.
    pub(crate) fn stream(&self, sequence: u64, number: u32) -> [u8; 16] {
        let mut block = aes::Block::default();
        block[..12].copy_from_slice(&*self.nonce(sequence));
        block[12..].copy_from_slice(&number.to_be_bytes());
        aes::Aes128::new_from_slice(&self.key).expect("a key").encrypt_block(&mut block);
        block.into()
    }

    /// A record with this content, type and so much padding.
    pub(crate) fn seal(&self, sequence: u64, kind: u8, content: &[u8], padding: usize) -> Vec<u8> {
        let text = Zeroizing::new([content, &[kind], &vec![0; padding]].concat());
        let length = (text.len() + super::record::TAG) as u16;
        let head = [&[23, 3, 3][..], &length.to_be_bytes()].concat();
        let cipher = <Aes128Gcm as aes_gcm::KeyInit>::new_from_slice(&self.key).expect("a key");
        let nonce = Nonce::try_from(&self.nonce(sequence)[..]).expect("a nonce");
        let sealed = cipher.encrypt(&nonce, Payload { msg: &text, aad: &head }).expect("a short record");
        [head, sealed].concat()
    }

    #[cfg(test)]
    pub(crate) const fn parts(&self) -> ([u8; 16], [u8; 12]) {
        (self.key, self.iv)
    }
}

/// The content of an inner plaintext, and its type (section 5.4).
pub(crate) fn content(inner: &[u8]) -> Result<(u8, &[u8]), Why> {
    if inner.len() > MOST_CONTENT + 1 {
        return Err(Why::ContentLength(inner.len()));
    }
    let at = inner.iter().rposition(|byte| *byte != 0).ok_or(Why::NoType)?;
    Ok((inner[at], &inner[..at]))
}
