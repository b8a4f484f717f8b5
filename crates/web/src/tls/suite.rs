//! Cipher suites of TLS 1.3 (RFC 8446 appendix B.4), of those with SHA-256.

use core::fmt::{self, Display};
use core::str::FromStr;

/// A cipher suite.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Suite {
    /// TLS_AES_128_GCM_SHA256, which each server has that follows RFC 8446 (section 9.1).
    #[default]
    Aes128,
    /// TLS_CHACHA20_POLY1305_SHA256.
    ChaCha20,
}

impl Suite {
    /// All suites.
    pub const ALL: [Self; 2] = [Self::Aes128, Self::ChaCha20];

    /// The number in hellos.
    pub const fn number(self) -> u16 {
        match self {
            Self::Aes128 => 0x1301,
            Self::ChaCha20 => 0x1303,
        }
    }

    /// The suite of this number.
    pub(crate) fn of_number(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|suite| suite.number() == number)
    }

    /// The name in RFC 8446.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aes128 => "TLS_AES_128_GCM_SHA256",
            Self::ChaCha20 => "TLS_CHACHA20_POLY1305_SHA256",
        }
    }

    /// Bytes of a key.
    pub(crate) const fn key(self) -> usize {
        match self {
            Self::Aes128 => 16,
            Self::ChaCha20 => 32,
        }
    }

    /// Bytes of a block of the key stream.
    pub(crate) const fn block(self) -> usize {
        match self {
            Self::Aes128 => 16,
            Self::ChaCha20 => 64,
        }
    }

    /// The number of the first block that encrypts the text. The one before it is what the tag is made by.
    pub(crate) const fn first_block(self) -> u32 {
        match self {
            Self::Aes128 => 2,
            Self::ChaCha20 => 1,
        }
    }
}

impl Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Suite {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let suite = Self::ALL.into_iter().find(|suite| suite.name() == name);
        suite.ok_or_else(|| format!("{name:?} is no suite: choose from {}", names(&Self::ALL)))
    }
}

/// The names of suites, in their order.
pub(crate) fn names(suites: &[Suite]) -> String {
    suites.iter().map(|suite| suite.name()).collect::<Vec<_>>().join(", ")
}
