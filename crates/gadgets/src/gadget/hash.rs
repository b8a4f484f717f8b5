//! Hash functions of messages that come piece by piece.
//!
//! What is built on a hash function, such as [`hmac`](super::hmac), is written once over [`Hash`].

pub(super) mod fips_180;

use super::Bytes;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::F2;

/// A hash function in the middle of its message: by default, at the begin.
///
/// A copy goes on from the same place, so that messages with a common begin need not pay for it twice.
pub trait Hash<B: Backend<F = F2>>: Clone + Default {
    /// Bytes of the message that are taken up at once.
    const BLOCK: usize;
    /// Bytes of a digest.
    const DIGEST: usize;

    /// Appends `piece` to the message. Full blocks are taken up at once.
    ///
    /// # Errors
    /// Those of the backend.
    fn update(&mut self, b: &mut B, piece: &Bytes<B::Wire>) -> Result<()>;

    /// The digest of the message, [`Hash::DIGEST`] bytes.
    ///
    /// # Errors
    /// Those of the backend.
    fn finish(self, b: &mut B) -> Result<Bytes<B::Wire>>;

    /// The digest of `message`.
    ///
    /// # Errors
    /// Those of the backend.
    fn digest(b: &mut B, message: &Bytes<B::Wire>) -> Result<Bytes<B::Wire>> {
        let mut hash = Self::default();
        hash.update(b, message)?;
        hash.finish(b)
    }
}
