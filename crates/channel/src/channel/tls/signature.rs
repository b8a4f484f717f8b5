//! Signatures by the key of a party outside of links (Ed25519, RFC 8032), which others can check at any time.
//!
//! A signature is over the bytes of its purpose, a zero, and the message. A purpose begins with `volery `,
//! and what TLS 1.3 has signed with 64 blanks (RFC 8446, section 4.4.3): so no signature of a link is one of
//! these, and none of one purpose one of another.

use super::{Identity, SecretKey, provider};
use crate::error::{Error, Result};
use rustls::SignatureScheme;

/// The bytes of a signature.
pub const SIGNATURE: usize = 64;

/// The begin of every purpose.
const BEGIN: &str = "volery ";

/// The signed bytes.
///
/// # Panics
/// Where the purpose is none: it is written in a program.
fn signed(purpose: &str, message: &[u8]) -> Vec<u8> {
    assert!(purpose.starts_with(BEGIN) && !purpose.contains('\0'), "{purpose:?} is no purpose");
    [purpose.as_bytes(), &[0], message].concat()
}

impl SecretKey {
    /// Signs a message for a purpose.
    ///
    /// # Errors
    /// `Invalid` where this machine lacks what the cryptography needs.
    ///
    /// # Panics
    /// Where the purpose does not begin with `volery `, or has a zero.
    pub fn sign(&self, purpose: &str, message: &[u8]) -> Result<[u8; SIGNATURE]> {
        let signer = self.signing().choose_scheme(&[SignatureScheme::ED25519]);
        let signer = signer.expect("an Ed25519 key");
        let failed = |why: rustls::Error| Error::invalid(format!("the key does not sign: {why}"));
        let signature = signer.sign(&signed(purpose, message)).map_err(failed)?;
        Ok(signature.try_into().expect("64 bytes"))
    }
}

impl Identity {
    /// Whether a signature of a message for a purpose is by the key of this identity.
    ///
    /// # Errors
    /// `Invalid` where this machine lacks what the cryptography needs.
    ///
    /// # Panics
    /// Where the purpose does not begin with `volery `, or has a zero.
    pub fn has_signed(self, purpose: &str, message: &[u8], signature: &[u8; SIGNATURE]) -> Result<bool> {
        let algorithms = provider()?.signature_verification_algorithms;
        let found = algorithms.mapping.iter().find(|(scheme, _)| *scheme == SignatureScheme::ED25519);
        let algorithm =
            found.and_then(|(_, algorithms)| algorithms.first()).expect("the provider has Ed25519");
        Ok(algorithm.verify_signature(&self.to_bytes(), &signed(purpose, message), signature).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_of_one_key_purpose_and_message() {
        let (key, other) = (SecretKey::generate().unwrap(), SecretKey::generate().unwrap());
        let signature = key.sign("volery test 1", b"message").unwrap();
        let holds = |identity: Identity, purpose: &str, message: &[u8], signature: &[u8; SIGNATURE]| {
            identity.has_signed(purpose, message, signature).unwrap()
        };
        let identity = key.identity();
        assert!(holds(identity, "volery test 1", b"message", &signature));
        assert!(!holds(other.identity(), "volery test 1", b"message", &signature));
        assert!(!holds(identity, "volery test 2", b"message", &signature));
        assert!(!holds(identity, "volery test 1", b"massage", &signature));
        assert!(!holds(identity, "volery test ", b"1\0message", &signature));
        for place in [0, 31, 32, 63] {
            let mut changed = signature;
            changed[place] ^= 1;
            assert!(!holds(identity, "volery test 1", b"message", &changed));
        }
        // Bytes that are no point of the curve are nobody's key.
        assert!(!holds(Identity::from_bytes([0xff; 32]), "volery test 1", b"message", &signature));
    }

    #[test]
    #[should_panic(expected = "is no purpose")]
    fn nothing_is_signed_as_in_a_handshake() {
        let _ = SecretKey::generate().unwrap().sign(&" ".repeat(64), b"TLS 1.3, server CertificateVerify");
    }
}
