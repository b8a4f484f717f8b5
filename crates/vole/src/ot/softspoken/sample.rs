//! A chunk's work on rows, to measure its time on this machine.

use super::{BLOCK, Chunk, Depth, Expansion, LONGEST_CHUNK, Role, Row, Rows, pprf};
use core::mem;
use std::sync::Arc;
use volery_primitives::F128;
use volery_primitives::arch::Arch;
use zeroize::Zeroizing;

/// A chunk of rows that nobody uses.
pub struct Sample<R: Row> {
    expansion: Expansion<R>,
    rows: Rows<R>,
}

impl<R: Row> Sample<R> {
    /// The rows of a chunk.
    pub const ROWS: usize = BLOCK * LONGEST_CHUNK;

    /// A sample with trees of this depth; their leaves do not matter.
    pub fn new(arch: Arch, depth: Depth) -> Self {
        let leaves = pprf::Leaves::new(vec![F128(1); depth.trees(R::COLUMNS) << depth.bits()]);
        Self {
            expansion: Expansion::of(arch, depth, [0; 32], (Role::Receiver, leaves)),
            rows: Zeroizing::default(),
        }
    }

    /// Computes as much as a party does for the rows of a chunk.
    pub fn run(&mut self) {
        let (chunk, chi) = (Arc::new(self.expansion.expand(LONGEST_CHUNK)), vec![F128(3); LONGEST_CHUNK]);
        self.expansion.fold(chunk.clone(), move |chunk, arch| chunk.fold(arch, &chi));
        let rows = mem::take(&mut self.rows);
        self.rows = self.expansion.transpose(chunk, rows, Chunk::transpose).1.wait();
    }
}
