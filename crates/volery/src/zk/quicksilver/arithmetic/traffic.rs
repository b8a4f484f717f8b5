//! What the messages of [`super`] carry, but for those of the VOLE.

use super::super::traffic::check;
use super::BLOCKS;
use crate::channel::Carried;
use crate::circuit::Size;
use crate::vole::vope::Masks;
use crate::zk::{by_transcript, section};
use volery_primitives::{Field, MacField};

/// The blocks of shares that a statement draws.
pub(crate) struct Blocks {
    /// Those with commitments.
    number: u64,
    shares: u64,
    /// The shares of further ones, where the last one has too few left for the masks.
    masks: Vec<u64>,
    /// The shares that blocks come to have.
    longest: usize,
}

impl Blocks {
    /// Blocks for a statement of this size whose lengths `next` gives by the shares drawn before, all as long
    /// as the `longest` after so many shares.
    pub(crate) fn cover(size: Size, masks: Masks, longest: usize, next: impl Fn(usize) -> usize) -> Self {
        let commitments = size.commitments;
        // A matrix product ends the section with its batch.
        let used = if size.matrices > 0 { sections(commitments, longest) } else { commitments };
        let (mut number, mut shares) = (0, 0);
        while shares < commitments.min(longest as u64) {
            shares += next(shares as usize) as u64;
            number += 1;
        }
        let more = commitments.saturating_sub(shares).div_ceil(longest as u64);
        number += more;
        shares += longest as u64 * more;
        let mut drawn = shares;
        let masks = masks.blocks(shares - used, || {
            let block = next(drawn as usize) as u64;
            drawn += block;
            block
        });
        Self { number, shares, masks, longest }
    }

    /// Their number.
    pub(crate) fn number(&self) -> u64 {
        self.number + self.masks.len() as u64
    }

    /// Their shares.
    pub(crate) fn shares(&self) -> u64 {
        self.shares + self.masks.iter().sum::<u64>()
    }
}

/// The shares of the sections that hold so many commitments, in blocks that come to be the `longest`.
fn sections(commitments: u64, longest: usize) -> u64 {
    if commitments > longest as u64 {
        // Those of the first blocks end where the longest begin, each of which is one.
        return commitments.next_multiple_of(longest as u64);
    }
    let mut shares = 0;
    while shares < commitments {
        let left = longest - shares as usize % longest;
        shares += section(shares as usize, left) as u64;
    }
    shares
}

/// A proof of a statement of this size that draws such `blocks`. Matrix products are taken for the last of
/// each batch, and of the statement: what a batch that ends early otherwise leaves unused of a section, and
/// its coins, are not counted.
pub(crate) fn proof<B: Field, E: MacField<B>>(blocks: &Blocks, size: Size) -> Carried {
    let corrections = B::BYTES as u64 * sections(size.commitments, blocks.longest);
    let coins = if by_transcript::<E>() {
        0
    } else {
        // The vectors of each product of matrices; and the coefficients of a batch more for
        // each that others follow.
        let matrices = 16 * size.matrices + 32 * size.matrices.saturating_sub(1);
        32 * blocks.number.div_ceil(BLOCKS as u64) + matrices
    };
    Carried { prover: corrections, verifier: coins } + check(size, E::BYTES as u64)
}
