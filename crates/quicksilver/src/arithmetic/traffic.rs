//! Bytes of the messages of [`super`], but for those of the VOLE.

use super::super::traffic::check;
use super::BLOCKS;
use volery_channel::channel::Carried;
use volery_circuit::Size;
use volery_primitives::{Field, MacField};
use volery_proof::over::cover;
use volery_proof::verdict::{by_transcript, section};
use volery_vole::vole::vope::Masks;

/// The blocks of shares that a statement draws.
pub struct Blocks {
    /// The blocks with commitments.
    number: u64,
    shares: u64,
    /// The blocks with commitments to a tape, and the shares before and behind these.
    tape: (u64, u64),
    /// The lengths of further blocks, drawn where the last one has too few shares left for the masks.
    masks: Vec<u64>,
    /// The length that blocks grow to.
    longest: usize,
}

impl Blocks {
    /// Blocks for a statement of this size whose lengths `next` gives by the shares drawn before, all as long
    /// as the `longest` after so many shares.
    pub fn cover(size: Size, masks: Masks, longest: usize, next: impl Fn(usize) -> usize) -> Self {
        // A challenge to bilinear forms, and to a tape, ends the section with its batch.
        let before = size.commitments - size.late;
        let ends = size.matrices > 0 || size.clauses > 0;
        let used = size.late + if ends { sections(0, before, longest) } else { before };
        let cover = |used: u64| cover(used, longest, &next);
        let (number, shares) = cover(used);
        let tape = (cover(before).0, sections(0, before, longest));
        let mut drawn = shares;
        let masks = masks.blocks(shares - used, || {
            let block = next(drawn as usize) as u64;
            drawn += block;
            block
        });
        Self { number, shares, tape, masks, longest }
    }

    /// The batches with a coin, where the statement ends none early but for its tape.
    fn batches(&self, size: Size) -> u64 {
        let each = BLOCKS as u64;
        if size.late == 0 {
            return self.number.div_ceil(each);
        }
        let (blocks, shares) = self.tape;
        // What comes late begins in the last block of the tape, or behind it.
        let whole = if shares % self.longest as u64 == 0 { blocks } else { blocks - 1 };
        blocks.div_ceil(each) + self.number.div_ceil(each) - whole / each
    }

    /// The number of blocks, those for masks included.
    pub fn number(&self) -> u64 {
        self.number + self.masks.len() as u64
    }

    /// The shares of all blocks, those for masks included.
    pub fn shares(&self) -> u64 {
        self.shares + self.masks.iter().sum::<u64>()
    }
}

/// The shares of all sections up to the one that holds `commitments` commitments behind `shares` shares, in
/// blocks that grow to `longest`.
fn sections(mut shares: u64, commitments: u64, longest: usize) -> u64 {
    let commitments = shares + commitments;
    if commitments > longest as u64 {
        // Those of the first blocks end where the longest begin, each of which is one.
        return commitments.next_multiple_of(longest as u64);
    }
    while shares < commitments {
        let left = longest - shares as usize % longest;
        shares += section(shares as usize, left) as u64;
    }
    shares
}

/// The traffic of a proof of this size over `blocks`. Matrix products are taken for the last gate of their
/// batch and of the statement: the rest of a section that a batch leaves unused by ending early otherwise,
/// and its coins, are not counted.
pub fn proof<B: Field, E: MacField<B>>(blocks: &Blocks, size: Size) -> Carried {
    let before = sections(0, size.commitments - size.late, blocks.longest);
    let corrections = B::bytes_of(sections(before, size.late, blocks.longest));
    let coins = if by_transcript::<E>() {
        0
    } else {
        // The vectors of each product of matrices; and the coefficients of a batch more for
        // each that others follow.
        let matrices = 16 * size.matrices + 32 * size.matrices.saturating_sub(1);
        // The seed of each epoch, and the coefficients of the batch that ends for it.
        let epochs = 48 * size.epochs;
        32 * blocks.batches(size) + matrices + epochs + if size.clauses > 0 { 16 } else { 0 }
    };
    Carried { prover: corrections, verifier: coins } + check(size, E::BYTES as u64)
}
