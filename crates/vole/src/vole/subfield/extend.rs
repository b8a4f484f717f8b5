//! The extension over any field, over F_2 with MACs of 64 bits.
//!
//! What iterations are, and when they are made ready, says [`crate::vole::extend`]; here is where shares come
//! from, and whose the coins are.
//!
//! | from | message | bytes | when |
//! |---|---|---|---|
//! | | set-up of SoftSpoken (k = 8) and of `base` | their own | once |
//! | | M shares by `base` and their check; the iterations of smaller sets that lead to the one asked for | their own | once |
//! | prover | corrections of t·h transfers, their check | SoftSpoken's | while the base of the next iteration is set aside |
//! | verifier | corrections of a tile's trees | `single_point` | up to half of the draws |
//! | prover | the tile's seed | 16 | as they are taken up, up to 3/4 |
//! | prover | x | b' | at 3/4 |
//! | verifier | commitment to V | 32 | in answer |
//! | prover | V | b' | at 7/8 |
//! | verifier | opening | 32 | in answer; read before the next iteration |
//!
//! **Over F_2** MACs have 64 bits, and less of Δ could be searched for: so nothing of it may be in the trees, as it is
//! in those of `binary`, and they are these. The first M shares are rows of 64 bits of SoftSpoken (k = 8), whose check
//! passes before the verifier's first correction; they are so cheap that each set starts from them. The noise is one in
//! every tree, as the sets over F_2 have it, and no share: an iteration takes k + r shares.
//!
//! An iteration takes k + t + r shares of the one before it: the secret of the code, the noise of each tree,
//! and the masks of the check, each used once. Its transfers are SoftSpoken's under a Δ' of their own,
//! checked before the verifier's first correction. The sets form a chain, `seed` → `tiny` → `l2` → `mid` or
//! `wan`, of which the set-up runs as much as it takes.
//!
//! Public keys, of the trees' hashes and of the code's matrix, come from the transcript after all that the
//! prover has said: at a draw's start both parties know the same of its stream, while coins of the
//! verifier may be under way.
//!
//! The prover reveals something that depends on MACs of an iteration only after its trees' check has passed,
//! and never anything but V of the check before. What an abort leaks: `base`, SoftSpoken and `single_point`
//! say; Δ, or the witness's masks, end with the session.

mod prover;
#[cfg(test)]
mod tests;
pub mod traffic;
mod verifier;

pub use prover::Prover;
pub use verifier::Verifier;

use super::super::extend::derive;
use super::super::extend::iterations::Matrix;
use super::super::lpn::{Params, Sets};
use volery_channel::channel::{Channel, Party};
use volery_primitives::arch::Arch;
use volery_primitives::hash::Digest;
use volery_primitives::{F128, Field};

impl Sets {
    /// The sets that a set-up runs one after the other, `target` last: over F_2 it alone.
    pub fn chain(self, target: Params) -> Vec<Params> {
        if self == Self::F2 {
            return vec![target];
        }
        let steps =
            [self.seed, self.tiny, self.l2].into_iter().take_while(|step| step.outputs() < target.outputs());
        steps.chain([target]).collect()
    }
}

/// The identifier of an iteration whose preparation starts here; see the module's header.
fn identifier(channel: &mut Channel) -> [u8; 32] {
    channel.challenge(Party::Prover, "svole iteration")
}

/// The public key of the trees' hashes.
fn forest_key(id: &[u8; 32]) -> F128 {
    derive("volery svole v1, trees", id)
}

/// The public matrix of an iteration, whose trees are checked, and the identifier that it comes from, which
/// is that of its trees.
fn code(arch: Arch, id: [u8; 32]) -> ([u8; 32], Matrix) {
    (id, Matrix::new(arch, derive("volery svole v1, matrix", &id)))
}

/// The verifier's commitment to V, which `salt` opens.
fn commitment<E: Field>(id: &[u8; 32], sum: E, salt: &[u8; 32]) -> [u8; 32] {
    let sum = sum.to_integer().to_bytes();
    Digest::new("volery svole v1, check of trees").field(id).field(&sum[..E::DIGESTED]).field(salt).finish()
}
