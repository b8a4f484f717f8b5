//! The verifier's end.

use super::super::lpn::{Params, TILE};
use super::super::{BoxedVole, Delta, Key, Shares, Vole, single_point};
use super::{Base, Code, HAND_OVER, Schedule, check_digest, coefficients, forest_key, with_coefficients};
use crate::channel::Channel;
use crate::error::Result;
use crate::ot::softspoken::{Depth, Sender};
use crate::random::Random;
use volery_primitives::arch::{Arch, dot};
use volery_primitives::{F128, Field};
use zeroize::Zeroizing;

/// The verifier's end of the extension.
pub struct Verifier {
    arch: Arch,
    params: Params,
    schedule: Schedule,
    delta: Zeroizing<F128>,
    random: Random,
    checkpoint: [u8; 32],
    pub(super) code: Code,
    trees: single_point::Verifier,
    /// Tiles of this iteration that are expanded, and how many of them were handed out.
    tile: usize,
    draws: usize,
    next: Next,
}

/// The next iteration, as far as it is ready.
struct Next {
    base: Base,
    trees: single_point::Verifier,
    /// Tiles whose corrections are sent.
    planted: usize,
    /// Σ χ·key over their leaves.
    sum: Zeroizing<F128>,
}

impl Verifier {
    /// Sets up under `delta` with the set `params`, the first iteration ready.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    pub fn new(
        channel: &mut Channel,
        arch: Arch,
        params: Params,
        delta: &Delta,
        random: &mut Random,
    ) -> Result<Self> {
        let delta = Zeroizing::new(delta.value());
        let mut sender = Sender::new(channel, arch, Depth::Eight, *delta, random)?;
        let mut base = Base::new(params, Zeroizing::default());
        let mut rows = Zeroizing::default();
        loop {
            sender.extend(channel, &mut rows)?;
            if base.collect(&rows) {
                break;
            }
        }
        // From here on the verifier says what depends on Δ.
        drop(sender.check(channel)?);
        let checkpoint = channel.checkpoint("lpn set-up");
        let mut random = Random::from_seed(&random.bytes());
        let mut next = Next::new(arch, base, &checkpoint, *delta, &mut random);
        let mut leaves = Zeroizing::new(vec![F128::ZERO; TILE]);
        next.plant(channel, arch, params.tiles(), &mut leaves)?;
        next.answer(channel, *delta, &checkpoint)?;

        let checkpoint = channel.checkpoint("lpn iteration");
        let code = Code::new(arch, &checkpoint, next.base.into_table());
        let trees = next.trees;
        let base = Base::new(params, Zeroizing::default());
        let next = Next::new(arch, base, &checkpoint, *delta, &mut random);
        let schedule = Schedule::new(params);
        Ok(Self { arch, params, schedule, delta, random, checkpoint, code, trees, tile: 0, draws: 0, next })
    }

    /// Expands the next tile of this iteration.
    fn expand(&mut self, rows: &mut [F128]) {
        self.trees.regrow(self.tile, rows);
        self.code.encode(self.tile, rows);
        self.tile += 1;
    }

    /// Does this draw's part for the next iteration; `rows` is free to use.
    fn prepare(&mut self, channel: &mut Channel, rows: &mut [F128]) -> Result<()> {
        if self.schedule.sets_aside(self.draws) {
            self.expand(rows);
            self.next.base.collect(rows);
        }
        self.draws += 1;
        self.next.plant(channel, self.arch, self.schedule.planted(self.draws), rows)?;
        if self.draws == self.schedule.checked() {
            self.next.answer(channel, *self.delta, &self.checkpoint)?;
        }
        if self.draws.is_multiple_of(HAND_OVER) || self.draws == self.schedule.checked() {
            channel.flush()?;
        }
        Ok(())
    }

    /// Goes on to the next iteration, which is ready.
    fn turn(&mut self, channel: &mut Channel) {
        self.checkpoint = channel.checkpoint("lpn iteration");
        let done = Base::new(self.params, core::mem::take(&mut self.code.table));
        let following = Next::new(self.arch, done, &self.checkpoint, *self.delta, &mut self.random);
        let next = core::mem::replace(&mut self.next, following);
        self.code = Code::new(self.arch, &self.checkpoint, next.base.into_table());
        self.trees = next.trees;
        (self.tile, self.draws) = (0, 0);
    }
}

impl Next {
    fn new(arch: Arch, base: Base, checkpoint: &[u8; 32], delta: F128, random: &mut Random) -> Self {
        let trees =
            single_point::Verifier::new(arch, base.params, forest_key(checkpoint), delta, random.word());
        Self { base, trees, planted: 0, sum: Zeroizing::default() }
    }

    /// Sends the corrections of the tiles up to `planted`, and adds each to the check.
    fn plant(
        &mut self,
        channel: &mut Channel,
        arch: Arch,
        planted: usize,
        leaves: &mut [F128],
    ) -> Result<()> {
        let mut corrections = Vec::new();
        while self.planted < planted {
            corrections.clear();
            self.trees.plant(self.planted, self.base.tree_shares(self.planted), leaves, &mut corrections);
            channel.send_words(&corrections)?;
            let seed = coefficients(channel);
            with_coefficients(arch, seed, leaves, |chi, leaves| *self.sum += dot(arch, chi, leaves));
            self.planted += 1;
        }
        Ok(())
    }

    /// Answers the prover's x by the digest of Σ χ·key ⊕ key* ⊕ x·Δ.
    fn answer(&mut self, channel: &mut Channel, delta: F128, checkpoint: &[u8; 32]) -> Result<()> {
        let mut x = [F128::ZERO];
        channel.recv_words(&mut x)?;
        let (masks, _) = self.base.masks();
        channel.send(&check_digest(checkpoint, *self.sum + masks + x[0] * delta))
    }
}

impl Vole for Verifier {
    type Share = Key;

    fn block(&mut self, channel: &mut Channel, block: &mut Shares<Key>) -> Result<()> {
        if self.draws == self.schedule.draws() {
            self.turn(channel);
        }
        block.rows_mut().resize(TILE, F128::ZERO);
        self.prepare(channel, block.rows_mut())?;
        self.expand(block.rows_mut());
        Ok(())
    }

    fn check(self: Box<Self>, _: &mut Channel) -> Result<BoxedVole<Key>> {
        // Every iteration that was drawn from was checked before.
        Ok(self)
    }
}
