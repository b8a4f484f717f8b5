//! The prover's end.

use super::super::lpn::{Params, TILE};
use super::super::{Mac, Shares, Vole, single_point};
use super::{Base, Code, Schedule, check_digest, forest_key, with_coefficients};
use crate::channel::Channel;
use crate::error::{Error, Result};
use crate::ot::softspoken::{Depth, Receiver};
use crate::random::Random;
use subtle::ConstantTimeEq;
use volery_primitives::arch::{Arch, weigh};
use volery_primitives::{F128, Field};
use zeroize::Zeroizing;

/// The prover's end of the extension.
pub struct Prover {
    arch: Arch,
    params: Params,
    schedule: Schedule,
    met: [u8; 32],
    code: Code,
    trees: single_point::Prover,
    /// Tiles of this iteration that are expanded, and how many of them were handed out.
    tile: usize,
    draws: usize,
    next: Next,
}

/// The next iteration, as far as it is ready.
struct Next {
    base: Base,
    trees: single_point::Prover,
    /// Tiles whose corrections are taken up.
    fixed: usize,
    /// Σ χ·MAC and Σ χ·value over their leaves.
    sums: Zeroizing<(F128, F128)>,
}

impl Prover {
    /// Sets up with the set `params`, the first iteration ready.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    pub fn new(channel: &mut Channel, arch: Arch, params: Params, random: &mut Random) -> Result<Self> {
        let mut receiver = Receiver::new(channel, arch, Depth::Eight, random)?;
        let mut base = Base::new(params);
        let mut rows = Zeroizing::default();
        loop {
            receiver.extend(channel, &mut rows)?;
            if base.collect(&rows) {
                break;
            }
        }
        receiver.check(channel)?;
        let met = channel.meet("lpn set-up");
        let mut next = Next::new(arch, params, &met);
        next.base = base;
        let mut leaves = Zeroizing::new(vec![F128::ZERO; TILE]);
        next.fix(channel, arch, params.tiles(), &mut leaves)?;
        next.challenge(channel)?;
        next.check(channel, &met)?;

        let met = channel.meet("lpn iteration");
        let code = Code::new(arch, &met, next.base.into_table());
        let trees = next.trees;
        let next = Next::new(arch, params, &met);
        let schedule = Schedule::new(params);
        Ok(Self { arch, params, schedule, met, code, trees, tile: 0, draws: 0, next })
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
        self.next.fix(channel, self.arch, self.schedule.fixed(self.draws), rows)?;
        if self.draws == self.schedule.challenged() {
            self.next.challenge(channel)?;
        }
        Ok(())
    }

    /// Checks the trees of the next iteration, and goes on to it.
    fn turn(&mut self, channel: &mut Channel) -> Result<()> {
        self.next.check(channel, &self.met)?;
        self.met = channel.meet("lpn iteration");
        let next = core::mem::replace(&mut self.next, Next::new(self.arch, self.params, &self.met));
        self.code = Code::new(self.arch, &self.met, next.base.into_table());
        self.trees = next.trees;
        (self.tile, self.draws) = (0, 0);
        Ok(())
    }
}

impl Next {
    fn new(arch: Arch, params: Params, met: &[u8; 32]) -> Self {
        let trees = single_point::Prover::new(arch, params, forest_key(met));
        Self { base: Base::new(params), trees, fixed: 0, sums: Zeroizing::default() }
    }

    /// Takes up the corrections of the tiles up to `fixed`, and adds each to the check.
    fn fix(&mut self, channel: &mut Channel, arch: Arch, fixed: usize, leaves: &mut [F128]) -> Result<()> {
        let mut corrections = vec![];
        while self.fixed < fixed {
            let macs = self.base.tree_shares(self.fixed);
            corrections.resize(macs.len(), F128::ZERO);
            channel.recv_words(&mut corrections)?;
            self.trees.fix(macs, &corrections, leaves);
            with_coefficients(channel, arch, leaves, |chi, leaves| {
                let (macs, values) = weigh(arch, chi, leaves);
                self.sums.0 += macs;
                self.sums.1 += values;
            });
            self.fixed += 1;
        }
        Ok(())
    }

    /// Sends x = φ ⊕ u*.
    fn challenge(&mut self, channel: &mut Channel) -> Result<()> {
        let (_, values) = self.base.masks();
        channel.send_words(&[self.sums.1 + values])
    }

    /// Receives the answer, which must be the digest of Σ χ·MAC ⊕ MAC*.
    fn check(&mut self, channel: &mut Channel, met: &[u8; 32]) -> Result<()> {
        let answer: [u8; 32] = channel.recv_array()?;
        let (masks, _) = self.base.masks();
        if bool::from(check_digest(met, self.sums.0 + masks).ct_eq(&answer)) {
            Ok(())
        } else {
            Err(Error::Misbehaved("the check of its trees failed"))
        }
    }
}

impl Vole for Prover {
    type Share = Mac;

    fn block(&mut self, channel: &mut Channel, block: &mut Shares<Mac>) -> Result<()> {
        if self.draws == self.schedule.draws() {
            self.turn(channel)?;
        }
        block.words_mut().resize(TILE, F128::ZERO);
        self.prepare(channel, block.words_mut())?;
        self.expand(block.words_mut());
        Ok(())
    }

    fn finish(self: Box<Self>, channel: &mut Channel) -> Result<()> {
        // The verifier is ahead: what it has sent for an iteration that will not come is read and dropped.
        let sent = self.schedule.planted(self.draws) - self.next.fixed;
        let mut corrections = vec![F128::ZERO; self.params.trees_per_tile() * self.params.depth];
        for _ in 0..sent {
            channel.recv_words(&mut corrections)?;
        }
        if self.draws >= self.schedule.answered() {
            channel.recv_array::<32>()?;
        }
        Ok(())
    }

    fn security(&self) -> f64 {
        Depth::Eight.security()
    }
}
