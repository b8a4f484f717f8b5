//! Identity of a peer: its public key, as people read it to each other.

use bech32::primitives::decode::CheckedHrpstring;
use bech32::{Bech32m, Hrp};
use core::fmt;
use core::str::FromStr;

/// The prefix of every identity, before the `1` that ends it in Bech32m.
const PREFIX: Hrp = Hrp::parse_unchecked("volery");
/// The bytes of a SubjectPublicKeyInfo (RFC 8410) before an Ed25519 key.
const SPKI: [u8; 12] = [0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0];

/// The Ed25519 public key of a party. As text it is `volery1` and 58 letters and digits, of which six are a
/// checksum (Bech32m, BIP 350): one mistyped letter never gives another identity.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity([u8; 32]);

impl Identity {
    /// The public key in 32 bytes, as RFC 8032 encodes it.
    pub const fn to_bytes(self) -> [u8; 32] {
        self.0
    }

    /// The identity with this public key, which may be nobody's.
    pub const fn from_bytes(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// The key that a raw public key in TLS holds, if it is an Ed25519 key.
    pub(super) fn from_spki(spki: &[u8]) -> Option<Self> {
        spki.strip_prefix(&SPKI)?.try_into().ok().map(Self)
    }

    /// The key as a raw public key in TLS.
    pub(super) fn to_spki(self) -> Vec<u8> {
        [&SPKI[..], &self.0].concat()
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(&bech32::encode::<Bech32m>(PREFIX, &self.0).expect("32 bytes are short enough"))
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Identity {
    type Err = NoIdentity;

    fn from_str(text: &str) -> Result<Self, NoIdentity> {
        if !text.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("volery1")) {
            return Err(NoIdentity::Prefix);
        }
        let checked = CheckedHrpstring::new::<Bech32m>(text).map_err(|_| NoIdentity::Checksum)?;
        let mut key = [0; 32];
        if checked.byte_iter().len() != key.len() {
            return Err(NoIdentity::Checksum);
        }
        key.iter_mut().zip(checked.byte_iter()).for_each(|(to, byte)| *to = byte);
        Ok(Self(key))
    }
}

/// Why text is no identity.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoIdentity {
    /// The text does not begin as an identity.
    #[error("an identity begins with volery1, as `volery key show` prints it")]
    Prefix,
    /// A letter is wrong or missing.
    #[error("a letter of this identity is wrong, or missing: copy all of it once more")]
    Checksum,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back_and_mistakes_are_found() {
        let identity = Identity([7; 32]);
        let text = identity.to_string();
        assert_eq!((text.len(), &text[..7]), (65, "volery1"));
        assert_eq!(text.parse(), Ok(identity));
        assert_eq!(text.to_uppercase().parse(), Ok(identity));
        for at in 7..text.len() {
            let mut wrong = text.clone().into_bytes();
            wrong[at] = if wrong[at] == b'q' { b'p' } else { b'q' };
            let wrong = String::from_utf8(wrong).unwrap();
            assert_eq!(wrong.parse::<Identity>(), Err(NoIdentity::Checksum), "{wrong}");
        }
        for wrong in ["", "volery", "vol", "volerÿ1qqqq", "bc1qqqqqq"] {
            assert_eq!(wrong.parse::<Identity>(), Err(NoIdentity::Prefix), "{wrong}");
        }
        for short in [&text[..64], &text[..8]] {
            assert_eq!(short.parse::<Identity>(), Err(NoIdentity::Checksum), "{short}");
        }
        // A checksum that fits, over too few bytes.
        let short = bech32::encode::<Bech32m>(PREFIX, &[7; 31]).unwrap();
        assert_eq!(short.parse::<Identity>(), Err(NoIdentity::Checksum));
    }

    #[test]
    fn raw_keys_come_back() {
        let spki = Identity([9; 32]).to_spki();
        assert_eq!(Identity::from_spki(&spki), Some(Identity([9; 32])));
        assert_eq!(Identity::from_spki(&spki[..43]), None);
        assert_eq!(Identity::from_spki(&[&spki[..], &[0]].concat()), None);
    }
}
