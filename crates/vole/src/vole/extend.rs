//! VOLE extension: many shares from few, by learning parity with noise, expanded as they are drawn.
//!
//! Wolverine (Weng, Yang, Katz, Wang, S&P 2021), section IV and figure 8, with the sets of [`super::lpn`].
//! **k = m + x·Δ** holds for each share that goes in and so for each that comes out: output j is the sum of
//! ten shares of the secret and leaf j, on either side. Here is what is alike over all fields, with the
//! parties' parts as a trait, `iterations::End`; messages, checks and what an abort leaks stand in `binary`
//! for F_2, and in [`super::subfield::extend`] for any other field, and for F_2 with MACs of
//! 64 bits.
//!
//! An **iteration** has n outputs in tiles of 4096. The interactive part fixes and checks all its trees
//! beforehand; what is kept is a root (verifier) or the siblings of a path (prover) of each, and a tile is
//! grown again, encoded and handed to the gates while it is in cache. No array of n outputs exists.
//!
//! Iterations chain: the first outputs of one are the secret, the noise of the trees or what they are walked
//! by, and the check's masks of the next, each used once, and they never leave this room. The next iteration
//! is made ready while this one is drawn (`schedule`): the verifier sends corrections during the first draws,
//! the prover takes them up a quarter of an iteration later, and the check follows. So a slow link carries
//! the corrections all the while, and the stream waits for no refill while a round trip is shorter than an
//! eighth of an iteration. Public keys, of the trees' hashes and of the code's matrix, come from the
//! transcript, so that no two iterations share a matrix, a hash key, a secret, noise or masks.
//!
//! The prover reveals something that depends on an iteration's outputs only after the check of its trees has
//! passed. A statement may end anywhere: the prover then receives what is under way, its length being known,
//! for the next one.

mod base;
mod binary;
pub(super) mod heard;
pub(super) mod iterations;
pub(super) mod on_device;
mod schedule;
pub mod traffic;

pub(super) use base::{Base, Start};
pub use binary::{Prover, SECURITY, Verifier};
pub use schedule::Schedule;

use volery_primitives::F128;
use volery_primitives::hash::Digest;

/// The tile's coefficients drawn at a time.
pub(super) const CHI: usize = 256;

/// A public key for the use that `context` names, from an identifier of the transcript.
pub(super) fn derive(context: &'static str, id: &[u8; 32]) -> F128 {
    F128::from_bytes(Digest::new(context).field(id).finish())
}
