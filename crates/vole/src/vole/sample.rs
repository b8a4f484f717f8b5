//! A tile's work on shares, to measure its time on this machine.

use super::lpn::{Params, TILE};
use super::single_point::{Fixed, Prover, fix};
use volery_primitives::F128;
use volery_primitives::aes::Aes128;
use volery_primitives::arch::{Arch, advise_huge_pages, encode, weigh};

/// A tile of trees with a code, whose shares nobody uses. It does the prover's work, which is more than the
/// verifier's.
pub trait Sample {
    /// Fixes the trees of a tile, and adds them to their check.
    fn fix(&mut self);

    /// Grows the trees again, and adds the encoded secret.
    fn draw(&mut self);
}

/// A table as long as the secret of `params`, in such memory as a secret has.
pub(super) fn table<R: Copy>(params: Params, row: R) -> Vec<R> {
    let mut table = Vec::with_capacity(params.secret);
    advise_huge_pages(&mut table);
    table.resize(params.secret, row);
    table
}

/// The work of one tile of a set over F_2.
pub struct Bits {
    arch: Arch,
    trees: Prover,
    fixed: Fixed,
    matrix: Aes128,
    table: Vec<F128>,
    macs: Vec<F128>,
    chi: Vec<F128>,
    rows: Vec<F128>,
}

impl Bits {
    /// The work of a tile of the set `params`; the shares that it starts from do not matter.
    pub fn new(arch: Arch, params: Params) -> Self {
        Self {
            arch,
            trees: Prover::new(arch, params, F128(1)),
            fixed: Fixed::default(),
            matrix: Aes128::new(arch, F128(2)),
            table: table(params, F128(3)),
            macs: vec![F128(5); params.trees_per_tile() * params.depth],
            chi: vec![F128(7); TILE],
            rows: vec![F128::default(); TILE],
        }
    }
}

impl Sample for Bits {
    fn fix(&mut self) {
        fix(&self.trees.forest(), 0, &self.macs, &self.macs, &mut self.rows, &mut self.fixed);
        self.trees.keep(&self.fixed);
        std::hint::black_box(weigh(self.arch, &self.chi, &self.rows));
    }

    fn draw(&mut self) {
        self.trees.regrow(0, &mut self.rows);
        encode(&self.matrix, 0, &self.table, &mut self.rows);
    }
}
