//! The ciphers of the suites, by gates.

use crate::tls::Suite;
use volery::F2;
use volery::circuit::gadget::{Bytes, ChaCha20, Gcm, SubBytes};
use volery::circuit::stream::{Handle, Recorder};

/// The cipher of a direction under its key. `S` says how to substitute bytes of AES.
pub(super) enum Cipher<S> {
    Aes128(Box<Gcm<Handle, S>>),
    ChaCha20(Box<ChaCha20<Handle>>),
}

impl<S: for<'r> SubBytes<Recorder<'r, F2>>> Cipher<S> {
    pub(super) fn new(b: &mut Recorder<'_, F2>, suite: Suite, key: &Bytes<Handle>) -> volery::Result<Self> {
        match suite {
            Suite::Aes128 => Gcm::expand(b, key).map(|gcm| Self::Aes128(gcm.into())),
            Suite::ChaCha20 => ChaCha20::new(key).map(|cipher| Self::ChaCha20(cipher.into())),
        }
    }

    /// The blocks of the key stream for `nonce` of these numbers.
    pub(super) fn blocks(
        &self,
        b: &mut Recorder<'_, F2>,
        nonce: &Bytes<Handle>,
        numbers: &[u32],
    ) -> volery::Result<Vec<Bytes<Handle>>> {
        match self {
            Self::Aes128(gcm) => gcm.stream(nonce)?.blocks(b, numbers),
            Self::ChaCha20(cipher) => cipher.blocks(b, nonce, numbers),
        }
    }
}
