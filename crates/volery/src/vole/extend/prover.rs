//! The prover's end.

use super::super::lpn::{Params, TILE};
use super::super::{BoxedVole, Mac, Shares, Vole, single_point};
use super::{Base, Code, HAND_OVER, Schedule, check_digest, coefficients, forest_key, with_coefficients};
use crate::channel::Channel;
use crate::error::{Error, Misbehaviour, Result};
use crate::ot::softspoken::{Depth, Receiver};
use crate::random::Random;
use std::collections::VecDeque;
use subtle::ConstantTimeEq;
use volery_primitives::arch::{Arch, weigh};
use volery_primitives::{F128, Field};
use zeroize::Zeroizing;

/// The prover's end of the extension.
pub struct Prover {
    arch: Arch,
    params: Params,
    schedule: Schedule,
    checkpoint: [u8; 32],
    code: Code,
    trees: single_point::Prover,
    /// Tiles of this iteration that are expanded, and how many of them were handed out.
    tile: usize,
    draws: usize,
    /// The draws whose messages of the verifier were received; negative where some of the last
    /// iteration are missing.
    heard: isize,
    next: Next,
}

/// The next iteration, as far as it is ready.
struct Next {
    base: Base,
    trees: single_point::Prover,
    /// Corrections that were received and not taken up yet, each with the seed of the tile's coefficients.
    received: VecDeque<(Vec<F128>, F128)>,
    /// Tiles whose corrections are taken up.
    fixed: usize,
    /// Σ χ·MAC and Σ χ·value over their leaves.
    sums: Zeroizing<(F128, F128)>,
    /// The verifier's answer to x.
    answer: Option<[u8; 32]>,
}

impl Prover {
    /// Sets up with the set `params`, the first iteration ready.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    pub fn new(channel: &mut Channel, arch: Arch, params: Params, random: &mut Random) -> Result<Self> {
        let mut receiver = Receiver::new(channel, arch, Depth::Eight, random)?;
        let mut base = Base::new(params, Zeroizing::default());
        let mut rows = Zeroizing::default();
        loop {
            receiver.extend(channel, &mut rows)?;
            if base.collect(&rows) {
                break;
            }
        }
        receiver.check(channel)?;
        let checkpoint = channel.checkpoint("lpn set-up");
        let mut next = Next::new(arch, base, &checkpoint);
        let mut leaves = Zeroizing::new(vec![F128::ZERO; TILE]);
        for tile in 1..=params.tiles() {
            next.receive(channel)?;
            next.fix(arch, tile, &mut leaves);
        }
        next.challenge(channel)?;
        next.receive_answer(channel)?;
        next.check(&checkpoint)?;

        let checkpoint = channel.checkpoint("lpn iteration");
        let code = Code::new(arch, &checkpoint, next.base.into_table());
        let trees = next.trees;
        let next = Next::new(arch, Base::new(params, Zeroizing::default()), &checkpoint);
        let schedule = Schedule::new(params);
        Ok(Self { arch, params, schedule, checkpoint, code, trees, tile: 0, draws: 0, heard: 0, next })
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
        self.next.fix(self.arch, self.schedule.fixed(self.draws), rows);
        if self.draws == self.schedule.checked() {
            self.next.challenge(channel)?;
        }
        if self.draws.is_multiple_of(HAND_OVER) || self.draws == self.schedule.checked() {
            channel.flush()?;
        }
        Ok(())
    }

    /// Checks the trees of the next iteration, and goes on to it.
    fn turn(&mut self, channel: &mut Channel) -> Result<()> {
        self.next.check(&self.checkpoint)?;
        self.checkpoint = channel.checkpoint("lpn iteration");
        let done = Base::new(self.params, core::mem::take(&mut self.code.table));
        let next = core::mem::replace(&mut self.next, Next::new(self.arch, done, &self.checkpoint));
        self.code = Code::new(self.arch, &self.checkpoint, next.base.into_table());
        self.trees = next.trees;
        self.heard -= self.draws as isize;
        (self.tile, self.draws) = (0, 0);
        Ok(())
    }
}

impl Next {
    fn new(arch: Arch, base: Base, checkpoint: &[u8; 32]) -> Self {
        let trees = single_point::Prover::new(arch, base.params, forest_key(checkpoint));
        let received = VecDeque::new();
        Self { base, trees, received, fixed: 0, sums: Zeroizing::default(), answer: None }
    }

    /// Receives the corrections of the next tile.
    fn receive(&mut self, channel: &mut Channel) -> Result<()> {
        let params = self.base.params;
        let mut corrections = vec![F128::ZERO; params.trees_per_tile() * params.depth];
        channel.recv_words(&mut corrections)?;
        self.received.push_back((corrections, coefficients(channel)));
        Ok(())
    }

    /// Takes up the corrections of the tiles up to `fixed`, which were received, and adds each to the check.
    fn fix(&mut self, arch: Arch, fixed: usize, leaves: &mut [F128]) {
        while self.fixed < fixed {
            let (corrections, seed) = self.received.pop_front().expect("received in time, says the schedule");
            self.trees.fix(self.base.tree_shares(self.fixed), &corrections, leaves);
            with_coefficients(arch, seed, leaves, |chi, leaves| {
                let (macs, values) = weigh(arch, chi, leaves);
                self.sums.0 += macs;
                self.sums.1 += values;
            });
            self.fixed += 1;
        }
    }

    /// Sends x = φ ⊕ u*.
    fn challenge(&mut self, channel: &mut Channel) -> Result<()> {
        let (_, values) = self.base.masks();
        channel.send_words(&[self.sums.1 + values])
    }

    /// Receives the verifier's answer.
    fn receive_answer(&mut self, channel: &mut Channel) -> Result<()> {
        self.answer = Some(channel.recv_array()?);
        Ok(())
    }

    /// The answer must be the digest of Σ χ·MAC ⊕ MAC*.
    fn check(&self, checkpoint: &[u8; 32]) -> Result<()> {
        let (masks, _) = self.base.masks();
        let expected = check_digest(checkpoint, self.sums.0 + masks);
        match &self.answer {
            Some(answer) if bool::from(expected.ct_eq(answer)) => Ok(()),
            _ => Err(Error::Misbehaved(Misbehaviour::Trees)),
        }
    }
}

impl Vole for Prover {
    type Share = Mac;

    fn block(&mut self, channel: &mut Channel, block: &mut Shares<Mac>) -> Result<()> {
        while self.heard + self.lag() as isize <= self.draws as isize {
            self.receive(channel)?;
        }
        if self.draws == self.schedule.draws() {
            self.turn(channel)?;
        }
        block.rows_mut().resize(TILE, F128::ZERO);
        self.prepare(channel, block.rows_mut())?;
        self.expand(block.rows_mut());
        Ok(())
    }

    fn lag(&self) -> usize {
        self.schedule.slack()
    }

    fn receive(&mut self, channel: &mut Channel) -> Result<()> {
        self.heard += 1;
        // Nothing belongs to the last draws of an iteration.
        let Ok(draws) = usize::try_from(self.heard) else { return Ok(()) };
        let tiles = self.schedule.planted(draws) - self.schedule.planted(draws.saturating_sub(1));
        for _ in 0..tiles {
            self.next.receive(channel)?;
        }
        if draws == self.schedule.checked() {
            self.next.receive_answer(channel)?;
        }
        Ok(())
    }

    fn check(mut self: Box<Self>, channel: &mut Channel) -> Result<BoxedVole<Mac>> {
        // The verifier is ahead. Every iteration that was drawn from was checked before.
        while self.heard < self.draws as isize {
            self.receive(channel)?;
        }
        Ok(self)
    }
}
