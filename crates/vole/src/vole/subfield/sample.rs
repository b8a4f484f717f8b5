//! A tile's work on shares of a field: see [`crate::vole::sample`].

use super::single_point::{Corrections, Prover, Scratch, fix};
use crate::vole::lpn::{Params, TILE};
use crate::vole::sample::{Sample, table};
use volery_primitives::aes::Aes128;
use volery_primitives::arch::Arch;
use volery_primitives::{F128, Field, MacField, Tag as _};

/// The work of one tile of a set over the field `B`.
pub struct Elements<B: Field, E: MacField<B>> {
    arch: Arch,
    trees: Prover<B, E>,
    matrix: Aes128,
    table: Vec<E::Tag>,
    macs: Vec<F128>,
    noise: Vec<E::Tag>,
    corrections: Corrections<E>,
    scratch: Scratch<E>,
    chi: Vec<E>,
    rows: Vec<E::Tag>,
}

impl<B: Field, E: MacField<B>> Elements<B, E> {
    /// The work of a tile of the set `params`; the shares that it starts from do not matter.
    pub fn new(arch: Arch, params: Params) -> Self {
        let (one, width) = (E::Tag::new(B::ONE, E::ONE), params.trees_per_tile());
        Self {
            arch,
            trees: Prover::new(arch, params, F128(1)),
            matrix: Aes128::new(arch, F128(2)),
            table: table(params, one),
            macs: vec![F128(5); width * params.depth],
            noise: vec![one; width],
            corrections: Corrections::expected(params),
            scratch: Scratch::default(),
            chi: vec![E::ONE; TILE],
            rows: vec![one; TILE],
        }
    }
}

impl<B: Field, E: MacField<B>> Sample for Elements<B, E> {
    fn fix(&mut self) {
        let shares = (&self.macs[..], &self.noise[..]);
        let forest = self.trees.forest();
        let fixed = fix(&forest, 0, shares, &self.corrections, &mut self.scratch, &mut self.rows);
        self.trees.keep(&fixed);
        std::hint::black_box(E::weigh(self.arch, &self.chi, &self.rows));
    }

    fn draw(&mut self) {
        self.trees.regrow(0, &mut self.scratch, &mut self.rows);
        E::encode_tagged(&self.matrix, 0, &self.table, &mut self.rows);
    }
}
