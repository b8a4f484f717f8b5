//! VOLE extension over any field: many shares from few, expanded as they are drawn.
//!
//! Wolverine, figure 8, in the manner of [`crate::vole::extend`], whose schedule, lazy expansion and chaining
//! of iterations hold here too: the interactive part fixes and checks all trees of an iteration beforehand, a
//! tile is grown again when it is drawn, and the next iteration is made ready meanwhile. What differs is
//! where shares come from and whose the coins are.
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
pub(crate) mod traffic;
mod verifier;

pub use prover::Prover;
pub use verifier::Verifier;

use super::super::extend::{HAND_OVER, derive};
use super::super::lpn::{Params, Sets, TILE};
use crate::channel::{Channel, Party};
use volery_primitives::aes::Aes128;
use volery_primitives::arch::Arch;
use volery_primitives::hash::Digest;
use volery_primitives::{F128, Field, MacField, Tagged};
use zeroize::{DefaultIsZeroes, Zeroize, Zeroizing};

impl Sets {
    /// The sets to run one after the other, the last of which is `target`.
    pub(crate) fn chain(self, target: Params) -> Vec<Params> {
        let steps =
            [self.seed, self.tiny, self.l2].into_iter().take_while(|step| step.outputs() < target.outputs());
        steps.chain([target]).collect()
    }
}

/// An identifier of the iteration that is made ready from here on; see the module's header.
fn iteration(channel: &mut Channel) -> [u8; 32] {
    channel.challenge(Party::Prover, "svole iteration")
}

/// The public key of the trees' hashes.
fn forest_key(id: &[u8; 32]) -> F128 {
    derive("volery svole v1, trees", id)
}

fn matrix(arch: Arch, id: &[u8; 32]) -> Aes128 {
    Aes128::new(arch, derive("volery svole v1, matrix", id))
}

/// The verifier's commitment to its V, of which `salt` is the opening.
fn commitment<E: Field>(id: &[u8; 32], sum: E, salt: &[u8; 32]) -> [u8; 32] {
    let word = sum.to_word().to_le_bytes();
    Digest::new("volery svole v1, check of trees").field(id).field(&word).field(salt).finish()
}

/// The shares and transfers from which an iteration starts, in the order in which they are used.
struct Base<R: DefaultIsZeroes> {
    params: Params,
    degree: usize,
    shares: Zeroizing<Vec<R>>,
    transfers: Zeroizing<Vec<F128>>,
}

impl<R: DefaultIsZeroes> Base<R> {
    /// Nothing yet, in memory that an earlier iteration has done with, if any.
    fn new(params: Params, degree: usize, mut shares: Zeroizing<Vec<R>>) -> Self {
        shares.zeroize();
        let consumed = params.consumed_over(degree);
        if shares.capacity() < consumed {
            shares.reserve_exact(consumed);
        }
        let transfers = Zeroizing::new(Vec::with_capacity(params.trees * params.depth));
        Self { params, degree, shares, transfers }
    }

    /// Takes what is still missing from `shares`; whether all is there.
    fn collect(&mut self, shares: &[R]) -> bool {
        let missing = self.params.consumed_over(self.degree) - self.shares.len();
        self.shares.extend_from_slice(&shares[..missing.min(shares.len())]);
        self.is_full()
    }

    /// Whether all shares are there.
    fn is_full(&self) -> bool {
        self.shares.len() == self.params.consumed_over(self.degree)
    }

    /// Takes what is still missing from `transfers`; whether all is there.
    fn collect_transfers(&mut self, transfers: &[F128]) -> bool {
        let missing = self.params.trees * self.params.depth - self.transfers.len();
        self.transfers.extend_from_slice(&transfers[..missing.min(transfers.len())]);
        self.has_transfers()
    }

    /// Whether all transfers are there.
    fn has_transfers(&self) -> bool {
        self.transfers.len() == self.params.trees * self.params.depth
    }

    /// The masks of the check.
    fn masks(&self) -> &[R] {
        &self.shares[self.params.secret..][..self.degree]
    }

    /// The shares of the noise of a tile's trees.
    fn noise(&self, tile: usize) -> &[R] {
        let trees = self.params.trees_per_tile();
        &self.shares[self.params.secret + self.degree + trees * tile..][..trees]
    }

    /// The transfers behind the corrections of a tile, level by level.
    fn transfers(&self, tile: usize) -> &[F128] {
        let length = self.params.trees_per_tile() * self.params.depth;
        &self.transfers[length * tile..][..length]
    }

    /// What remains when the trees are checked: the shares of the secret.
    fn into_table(mut self) -> Zeroizing<Vec<R>> {
        self.shares[self.params.secret..].zeroize();
        self.shares.truncate(self.params.secret);
        self.shares
    }
}
