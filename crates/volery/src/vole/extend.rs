//! VOLE extension: many shares from few, by learning parity with noise, expanded as they are drawn.
//!
//! Wolverine (Weng, Yang, Katz, Wang, S&P 2021), section IV and figure 8, over F_2 with the trees of
//! `single_point` and the sets of [`super::lpn`]. **k = m + x·Δ** holds for each share that goes in and so
//! for each that comes out: output j is the sum of ten shares of the secret and leaf j, on either side.
//!
//! | from | message | bytes | when |
//! |---|---|---|---|
//! | | set-up of SoftSpoken with k = 8, M shares, its check | its own | once |
//! | verifier | corrections of a tile's trees for the next iteration | 16·h·(trees of a tile) | spread over an iteration's draws |
//! | prover | x of the check of these trees | 16 | at 7/8 of the draws |
//! | verifier | digest of the check | 32 | in answer; read before the next iteration |
//!
//! An **iteration** has n outputs in tiles of 4096. The interactive part fixes and checks all its trees
//! beforehand; what is kept is a root (verifier) or the siblings of a path (prover) of each, and a tile is
//! grown again, encoded and handed to the gates while it is in cache. No array of n outputs exists.
//!
//! Iterations chain: the first outputs of one are the secret, the tree keys and the check's masks of the
//! next, each used once, and they never leave this file. The next iteration is made ready while this one is
//! drawn (`schedule`): the verifier sends corrections during the first 5/8 of the draws, the prover takes
//! them up a quarter of an iteration later, sends x in its stream after 7/8 and reads the answer at the end.
//! So a slow link carries the corrections all the while, and the stream waits for no refill while a round
//! trip is shorter than an eighth of an iteration. Both parties then pass a checkpoint: the public keys of
//! the next trees' hash and of the code's matrix come from that point of the transcript, so that no two
//! iterations share a matrix, a hash key, a secret, noise or masks.
//!
//! The verifier reveals something that depends on Δ first in its corrections; by then SoftSpoken's check has
//! passed. The prover reveals something that depends on an iteration's outputs only after the check of its
//! trees has passed. A statement may end anywhere: the prover then receives what is under way, its length
//! being known, for the next one.
//!
//! What an abort leaks: to a prover that cheats in SoftSpoken, see there; to a verifier that cheats in its
//! corrections, one predicate of a few noisy places (`single_point`). Either way Δ, or the witness's masks,
//! end with the session.

mod prover;
mod schedule;
#[cfg(test)]
mod tests;
pub(crate) mod traffic;
mod verifier;

pub use prover::Prover;
pub(crate) use schedule::Schedule;
pub use verifier::Verifier;

use super::lpn::{CHECK_MASKS, Params, TILE};
use crate::channel::{Channel, Party};
use volery_primitives::aes::Aes128;
use volery_primitives::arch::{Arch, advise_huge_pages, encode};
use volery_primitives::hash::Digest;
use volery_primitives::prg::Prg;
use volery_primitives::{F128, Field};
use zeroize::{Zeroize, Zeroizing};

/// The statistical security of the consistency checks in bits, for one transcript: that of the set-up's
/// check, next to which the trees' (2^-128) does not count.
pub const SECURITY: f64 = 121.0;

/// Draws after which both parties hand over what they have sent: a party that never waits would otherwise
/// keep its part of the next iteration in its buffers.
pub(super) const HAND_OVER: usize = 16;

/// The tile's coefficients drawn at a time.
pub(super) const CHI: usize = 256;

/// The linear code of one iteration: the public matrix and the shares of the secret.
struct Code {
    matrix: Aes128,
    table: Zeroizing<Vec<F128>>,
}

impl Code {
    /// The matrix that `checkpoint` names, applied to the shares in `table`.
    fn new(arch: Arch, checkpoint: &[u8; 32], table: Zeroizing<Vec<F128>>) -> Self {
        Self { matrix: Aes128::new(arch, derive("volery lpn v1, matrix", checkpoint)), table }
    }

    /// Adds the encoded secret to the leaves of `tile`.
    fn encode(&self, tile: usize, leaves: &mut [F128]) {
        encode(&self.matrix, (tile * TILE) as u64, &self.table, leaves);
    }
}

/// The shares from which the next iteration starts, in the order in which they are used.
struct Base {
    params: Params,
    shares: Zeroizing<Vec<F128>>,
}

impl Base {
    /// Nothing yet, in memory that an earlier iteration has done with, if any.
    fn new(params: Params, mut shares: Zeroizing<Vec<F128>>) -> Self {
        shares.zeroize();
        if shares.capacity() < params.consumed() {
            shares.reserve_exact(params.consumed());
            advise_huge_pages(&mut shares);
        }
        Self { params, shares }
    }

    /// Takes what is still missing from `shares`; whether all is there.
    fn collect(&mut self, shares: &[F128]) -> bool {
        let missing = self.params.consumed() - self.shares.len();
        self.shares.extend_from_slice(&shares[..missing.min(shares.len())]);
        self.shares.len() == self.params.consumed()
    }

    /// The shares behind the corrections of `tile`, level by level.
    fn tree_shares(&self, tile: usize) -> &[F128] {
        let length = self.params.trees_per_tile() * self.params.depth;
        &self.shares[self.params.secret + CHECK_MASKS + length * tile..][..length]
    }

    /// The masks of the check, as one element over F_{2^128}; and the values that they carry, which only the
    /// prover's shares have.
    fn masks(&self) -> (F128, F128) {
        let masks = &self.shares[self.params.secret..][..CHECK_MASKS];
        let values: Zeroizing<Vec<F128>> =
            Zeroizing::new(masks.iter().map(|share| F128::from(share.bit0())).collect());
        (F128::pack(masks), F128::pack(&values))
    }

    /// What remains when the trees are checked: the shares of the secret.
    fn into_table(mut self) -> Zeroizing<Vec<F128>> {
        self.shares[self.params.secret..].zeroize();
        self.shares.truncate(self.params.secret);
        self.shares
    }
}

/// The public key of the hash of the trees that are made ready after `checkpoint`.
fn forest_key(checkpoint: &[u8; 32]) -> F128 {
    derive("volery lpn v1, trees", checkpoint)
}

/// A public key for the use that `context` names, from an identifier of the transcript.
pub(super) fn derive(context: &'static str, id: &[u8; 32]) -> F128 {
    F128::from_bytes(Digest::new(context).field(id).finish())
}

/// The seed of a tile's coefficients, where its corrections have just been sent or received.
fn coefficients(channel: &mut Channel) -> F128 {
    let seed = channel.challenge(Party::Verifier, "lpn tile");
    F128::from_bytes(*seed.first_chunk().expect("32 bytes"))
}

/// Runs `fold` over the leaves of a tile with their coefficients.
fn with_coefficients(arch: Arch, seed: F128, leaves: &[F128], mut fold: impl FnMut(&[F128], &[F128])) {
    let mut prg = Prg::new(arch, seed);
    let mut chi = [F128::ZERO; CHI];
    for leaves in leaves.chunks(CHI) {
        prg.fill(&mut chi);
        fold(&chi, leaves);
    }
}

/// The digest that ends the check of an iteration's trees.
fn check_digest(checkpoint: &[u8; 32], sum: F128) -> [u8; 32] {
    Digest::new("volery lpn v1, check of trees").field(checkpoint).field(&sum.to_bytes()).finish()
}
