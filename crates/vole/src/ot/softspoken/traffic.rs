//! Bytes of the messages of [`super`], where the receiver is the prover.

use super::{BLOCK, Depth, FIRST_CHUNK, LONGEST_CHUNK};
use crate::ot::{base, pprf};
use volery_channel::channel::Carried;
use volery_primitives::F128;
use volery_primitives::bits::Row as _;

/// The trees of a set-up: as many of a depth as rows have bits for.
#[derive(Clone, Copy)]
pub struct Trees {
    /// The depth.
    pub depth: Depth,
    /// The bits of a row.
    pub columns: usize,
}

impl From<Depth> for Trees {
    /// The trees for rows of 128 bits.
    fn from(depth: Depth) -> Self {
        Self { depth, columns: F128::COLUMNS }
    }
}

impl Trees {
    const fn number(self) -> usize {
        self.depth.trees(self.columns)
    }
}

/// The set-up: base transfers, whose receiver is the verifier, and the trees.
pub fn set_up(trees: impl Into<Trees>) -> Carried {
    let trees = trees.into();
    base::traffic(trees.columns as u64)
        + Carried::by_prover(pprf::traffic(trees.depth.bits(), trees.number()))
}

/// The chunks that hold `rows` rows, and their check, where `expected` or more may be expected.
pub fn rows(trees: impl Into<Trees>, rows: u64, expected: Option<u64>) -> Carried {
    checked(trees, Chunks::cover(rows, expected).blocks)
}

/// Chunks of `blocks` blocks in all, and their check.
pub fn checked(trees: impl Into<Trees>, blocks: u64) -> Carried {
    // The check masks with a block of its own.
    chunks(trees, blocks + 1) + Carried::by_prover(48)
}

/// Chunks of `blocks` blocks in all.
pub(crate) fn chunks(trees: impl Into<Trees>, blocks: u64) -> Carried {
    Carried::by_prover(16 * (trees.into().number() as u64 - 1) * blocks)
}

/// The chunks that hold some number of rows.
pub struct Chunks {
    /// The number of blocks.
    pub blocks: u64,
    /// The blocks of the chunk after these.
    next: u64,
    /// The number of blocks that are expected.
    expected: u64,
}

impl Chunks {
    /// Chunks drawn from the beginning until they have `rows` rows, where no more than `expected` are
    /// expected.
    pub fn cover(rows: u64, expected: Option<u64>) -> Self {
        let (block, longest) = (BLOCK as u64, LONGEST_CHUNK as u64);
        let (mut blocks, mut next) = (0, FIRST_CHUNK as u64);
        while block * blocks < rows {
            if blocks >= longest {
                let chunk = block * longest;
                blocks += (rows - block * blocks).div_ceil(chunk) * longest;
            } else {
                blocks += next;
                next = blocks.min(longest);
            }
        }
        let expected = expected.map_or(0, |rows| rows.div_ceil(block));
        // All chunks but the last that is expected are as long as they were without.
        if blocks > expected && block * expected >= rows {
            blocks = expected;
        }
        Self { blocks, next, expected }
    }

    /// The rows of the next chunk.
    pub fn next_rows(&mut self) -> u64 {
        let mut chunk = self.next;
        self.next = (2 * chunk).min(LONGEST_CHUNK as u64);
        if self.expected > self.blocks {
            chunk = chunk.min(self.expected - self.blocks);
        }
        self.blocks += chunk;
        chunk * BLOCK as u64
    }
}
