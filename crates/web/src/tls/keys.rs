//! The key schedule of TLS 1.3 in the clear (RFC 8446 section 7).

use super::protection::Keys;
use super::suite::Suite;
use hmac::{Hmac, KeyInit, Mac};
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

    /// HKDF-Expand-Label of as many bytes as a digest has, at most.
    pub(crate) fn expand_to(&self, label: &[u8], bytes: &mut [u8]) {
        let mut code = self.code();
        code.update(&label_info(label, &[], bytes.len() as u16));
        code.update(&[1]);
        let all: Zeroizing<[u8; 32]> = Zeroizing::new(code.finalize().into_bytes().into());
        bytes.copy_from_slice(&all[..bytes.len()]);
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
    pub(crate) fn application(&self, suite: Suite, finished_hash: &[u8; 32]) -> [Keys; 2] {
        self.traffic(finished_hash).each_ref().map(|secret| Keys::new(suite, secret))
    }

    /// The traffic secrets of content of the client and of the server.
    pub(crate) fn traffic(&self, finished_hash: &[u8; 32]) -> [Secret; 2] {
        [b"c ap traffic", b"s ap traffic"].map(|label| self.master.expand_label(label, finished_hash))
    }
}

#[cfg(test)]
mod tests;
