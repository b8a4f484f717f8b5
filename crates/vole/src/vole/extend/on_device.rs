//! The trees of the next iteration where a device grows them, with what waits for it: it is told of some tiles at a time.

use crate::vole::device::{Expander, Forest, Growing, Held, Weighed};
use crate::vole::lpn::Params;
use crate::vole::single_point::sides_of;
use core::mem;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_primitives::F128;
use volery_primitives::prg::Seed;
use zeroize::Zeroizing;

/// The tiles that a device is told of at a time.
const AT_ONCE: usize = 512;

/// The trees of an iteration on a device.
pub struct OnDevice {
    device: Arc<dyn Expander>,
    growing: Box<dyn Growing>,
    params: Params,
    /// The sums: at a verifier of all tiles, once they were waited for; at a prover of tiles that wait.
    sums: Zeroizing<Vec<F128>>,
    /// The sides of all trees, and how many the device was told of.
    sides: Zeroizing<Vec<u32>>,
    told: usize,
    /// The seeds of tiles that wait.
    seeds: Vec<Seed>,
    /// The tiles that are told of, or wait.
    tiles: usize,
}

impl OnDevice {
    /// Begins to grow the trees.
    pub(super) fn begin(device: &Arc<dyn Expander>, forest: &Forest<'_>) -> Result<Self> {
        Ok(Self {
            device: device.clone(),
            growing: device.grow(forest)?,
            params: forest.params,
            sums: Zeroizing::default(),
            sides: Zeroizing::default(),
            told: 0,
            seeds: Vec::new(),
            tiles: 0,
        })
    }

    /// The corrections of the next tile under `keys`, at a verifier.
    pub(super) fn corrections(&mut self, keys: &[F128]) -> Result<Vec<F128>> {
        if self.sums.is_empty() {
            self.sums = self.growing.sums()?;
        }
        let sums = &self.sums[self.tiles * keys.len()..][..keys.len()];
        Ok(sums.iter().zip(keys).map(|(sum, key)| *sum ^ *key).collect())
    }

    /// Adds the next tile to the check.
    pub(super) fn weigh(&mut self, seed: Seed) -> Result<()> {
        self.seeds.push(seed);
        self.tiles += 1;
        if self.seeds.len() == AT_ONCE || self.tiles == self.params.tiles() {
            let seeds = mem::take(&mut self.seeds);
            if !self.sides.is_empty() {
                self.growing.open(&mem::take(&mut self.sums), &self.sides[self.told..])?;
                self.told = self.sides.len();
            }
            self.growing.weigh(&seeds)?;
        }
        Ok(())
    }

    /// Takes up the corrections of the next tile, which `macs` open, and adds it to the check, at a prover.
    pub(super) fn open(&mut self, corrections: &[F128], macs: &[F128], seed: Seed) -> Result<()> {
        if self.sums.capacity() == 0 {
            // What had to move would leave a copy behind.
            let tiles = AT_ONCE.min(self.params.tiles());
            self.sums.reserve_exact(tiles * macs.len());
            let trees = self.params.trees - self.sides.len();
            self.sides.reserve_exact(trees);
        }
        self.sums.extend(corrections.iter().zip(macs).map(|(correction, mac)| *correction ^ *mac));
        self.sides.extend(sides_of(self.params, macs));
        self.weigh(seed)
    }

    /// The sums of the check, and the sides of a prover's siblings, once all tiles are weighed.
    pub(super) fn weighed(&mut self) -> Result<(Weighed, Zeroizing<Vec<u32>>)> {
        self.sums = Zeroizing::default();
        Ok((self.growing.weighed()?, mem::take(&mut self.sides)))
    }

    /// Has `device` hold an iteration with this matrix and secret, and with these trees, if they are there, or `others`.
    pub(super) fn hold(
        trees: Option<Self>,
        device: &Arc<dyn Expander>,
        others: &Forest<'_>,
        (matrix, table): (F128, &[F128]),
    ) -> Result<Arc<dyn Held>> {
        let grown = trees.filter(|trees| Arc::ptr_eq(&trees.device, device)).map(|trees| trees.growing);
        grown.map_or_else(|| device.grow(others), Ok)?.hold(matrix, table)
    }
}
