//! A chunk's work on rows, to measure its time on this machine.

use super::{BLOCK, Depth, Expansion, LONGEST_CHUNK, pprf, transpose_with};
use volery_primitives::F128;
use volery_primitives::arch::Arch;
use zeroize::Zeroizing;

/// A chunk of rows that nobody uses.
pub struct Sample {
    expansion: Expansion,
    rows: Zeroizing<Vec<F128>>,
}

impl Sample {
    /// The rows of a chunk.
    pub const ROWS: usize = BLOCK * LONGEST_CHUNK;

    /// A sample with trees of this depth; their leaves do not matter.
    pub fn new(arch: Arch, depth: Depth) -> Self {
        let leaves = pprf::Leaves::new(vec![F128(1); depth.trees() << depth.bits()]);
        Self { expansion: Expansion::of(arch, depth, [0; 32], leaves), rows: Zeroizing::default() }
    }

    /// Computes as much as a party does for the rows of a chunk.
    pub fn run(&mut self) {
        let mut chunk = self.expansion.expand(LONGEST_CHUNK);
        transpose_with(self.expansion.arch(), &mut chunk, &[], &mut self.rows);
        self.expansion.fold_columns(vec![F128(3); LONGEST_CHUNK], chunk);
    }
}
