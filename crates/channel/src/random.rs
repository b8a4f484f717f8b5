//! The randomness of one party.

use crate::error::{Error, Result};
use volery_primitives::F128;
use zeroize::Zeroize;

/// A stream of random bytes, expanded by BLAKE3 from a seed of the operating system. Wiped on drop.
pub struct Random(blake3::OutputReader);

impl Random {
    /// A stream from 32 fresh bytes of the operating system.
    ///
    /// # Errors
    /// `Io` where the system has no randomness to give.
    pub fn from_system() -> Result<Self> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|why| Error::io("reading the system's randomness")(why.into()))?;
        let stream = Self::from_seed(&seed);
        seed.zeroize();
        Ok(stream)
    }

    /// A stream that is a function of `seed`: for tests that must repeat, and nothing else.
    #[doc(hidden)]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("volery randomness v1");
        hasher.update(seed);
        Self(hasher.finalize_xof())
    }

    /// The next `N` bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.fill(&mut bytes);
        bytes
    }

    /// The next 128-bit word.
    pub fn word(&mut self) -> F128 {
        F128::from_bytes(self.bytes())
    }
}

impl Drop for Random {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}
