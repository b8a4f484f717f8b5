//! The prover's end.

use super::super::single_point::{self, Corrections, Scratch};
use super::super::{base, macs, values, with_coefficients};
use super::*;
use crate::error::{Error, Misbehaviour, Result};
use crate::ot::softspoken::{Depth, Receiver};
use crate::random::Random;
use crate::vole::extend::Schedule;
use crate::vole::{BoxedVole, Shares, Vole};
use std::collections::VecDeque;
use subtle::ConstantTimeEq;

/// The prover's end of the extension.
pub struct Prover<B: Field, E: MacField<B>> {
    ground: Ground,
    params: Params,
    schedule: Schedule,
    /// The iteration that is drawn from, and how many of its tiles were handed out.
    iteration: Iteration<B, E>,
    draws: usize,
    /// Of how many draws of this iteration the verifier's messages were received; negative where they
    /// belong to the one before.
    heard: isize,
    next: Next<B, E>,
    scratch: Scratch<E>,
}

/// What all iterations use.
struct Ground {
    arch: Arch,
    transfers: Receiver,
    random: Random,
}

impl Ground {
    /// Draws transfers for `base`, all that are missing or one chunk of them, and proves them
    /// consistent when all are there.
    fn transfer<R: DefaultIsZeroes>(
        &mut self,
        channel: &mut Channel,
        base: &mut Base<R>,
        all: bool,
    ) -> Result<()> {
        let mut rows = Zeroizing::default();
        while !base.has_transfers() {
            self.transfers.extend(channel, &mut rows)?;
            if base.collect_transfers(&rows) {
                self.transfers.check(channel)?;
            }
            if !all {
                break;
            }
        }
        Ok(())
    }
}

/// An iteration whose trees are checked.
struct Iteration<B: Field, E: MacField<B>> {
    matrix: Aes128,
    table: Zeroizing<Vec<Tagged<B, E>>>,
    trees: single_point::Prover<B, E>,
    tile: usize,
}

impl<B: Field, E: MacField<B>> Iteration<B, E> {
    /// Expands the next tile.
    fn expand(&mut self, scratch: &mut Scratch<E>, rows: &mut [Tagged<B, E>]) {
        self.trees.regrow(self.tile, scratch, rows);
        E::encode_tagged(&self.matrix, (self.tile * TILE) as u64, &self.table, rows);
        self.tile += 1;
    }
}

/// The next iteration, as far as it is ready.
struct Next<B: Field, E: MacField<B>> {
    id: [u8; 32],
    base: Base<Tagged<B, E>>,
    trees: single_point::Prover<B, E>,
    /// Corrections that were received and not taken up yet.
    received: VecDeque<Corrections<E>>,
    /// Tiles whose corrections are taken up.
    fixed: usize,
    /// Σ χ·MAC and Σ χ·value over their leaves.
    sums: Zeroizing<(E, E)>,
    /// The verifier's commitment to its V, and the opening.
    commitment: Option<[u8; 32]>,
    opening: Option<[u8; 32]>,
}

impl<B: Field, E: MacField<B>> Prover<B, E> {
    /// Sets up with the set `target` of `sets`, the first iteration ready.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    pub fn new(
        channel: &mut Channel,
        arch: Arch,
        sets: Sets,
        target: Params,
        random: &mut Random,
    ) -> Result<Self> {
        let degree = E::DEGREE as usize;
        let transfers = Receiver::new(channel, arch, Depth::Eight, random)?;
        let mut first = base::Prover::<B, E>::new(channel, arch, random)?;
        let mut ground = Ground { arch, transfers, random: Random::from_seed(&random.bytes()) };
        let mut scratch = Scratch::new();
        let mut rows = Zeroizing::new(vec![Tagged::ZERO; TILE]);
        let mut before: Option<Iteration<B, E>> = None;
        for params in sets.chain(target) {
            let mut base = Base::new(params, degree, Zeroizing::default());
            match &mut before {
                None => {
                    base.collect(&first.extend(channel, params.consumed_over(degree))?);
                }
                Some(iteration) => {
                    while !base.is_full() {
                        iteration.expand(&mut scratch, &mut rows);
                        base.collect(&rows);
                    }
                }
            }
            ground.transfer(channel, &mut base, true)?;
            let mut next = Next::new(channel, arch, base);
            for tiles in 1..=params.tiles() {
                next.receive(channel)?;
                next.fix(channel, &mut ground, tiles, &mut scratch, &mut rows)?;
            }
            next.challenge(channel)?;
            next.answer(channel)?;
            before = Some(next.finish(channel, arch)?);
        }
        let iteration = before.expect("a chain is not empty");
        let next = Next::new(channel, arch, Base::new(target, degree, Zeroizing::default()));
        let schedule = Schedule::over(target, degree);
        Ok(Self { ground, params: target, schedule, iteration, draws: 0, heard: 0, next, scratch })
    }

    /// Does this draw's part for the next iteration; `rows` is free to use.
    fn prepare(&mut self, channel: &mut Channel, rows: &mut [Tagged<B, E>]) -> Result<()> {
        if self.schedule.sets_aside(self.draws) {
            self.iteration.expand(&mut self.scratch, rows);
            let full = self.next.base.collect(rows);
            self.ground.transfer(channel, &mut self.next.base, full)?;
        }
        self.draws += 1;
        let fixed = self.schedule.fixed(self.draws);
        self.next.fix(channel, &mut self.ground, fixed, &mut self.scratch, rows)?;
        if self.draws == self.schedule.checked() {
            self.next.challenge(channel)?;
        }
        if self.draws == self.schedule.opened() {
            self.next.answer(channel)?;
        }
        if self.draws.is_multiple_of(HAND_OVER) || self.draws == self.schedule.checked() {
            channel.flush()?;
        }
        Ok(())
    }

    /// Ends the check of the trees of the next iteration, and goes on to it.
    fn turn(&mut self, channel: &mut Channel) -> Result<()> {
        let degree = E::DEGREE as usize;
        let done = core::mem::take(&mut self.iteration.table);
        let following = Next::new(channel, self.ground.arch, Base::new(self.params, degree, done));
        let next = core::mem::replace(&mut self.next, following);
        self.iteration = next.finish(channel, self.ground.arch)?;
        self.heard -= self.draws as isize;
        self.draws = 0;
        Ok(())
    }
}

impl<B: Field, E: MacField<B>> Next<B, E> {
    fn new(channel: &mut Channel, arch: Arch, base: Base<Tagged<B, E>>) -> Self {
        let id = iteration(channel);
        let trees = single_point::Prover::new(arch, base.params, forest_key(&id));
        let (received, sums) = (VecDeque::new(), Zeroizing::default());
        Self { id, base, trees, received, fixed: 0, sums, commitment: None, opening: None }
    }

    /// Receives the corrections of the next tile.
    fn receive(&mut self, channel: &mut Channel) -> Result<()> {
        let mut corrections = Corrections::expected(self.base.params);
        channel.recv_words(&mut corrections.levels)?;
        channel.recv_elements(&mut corrections.leaves)?;
        self.received.push_back(corrections);
        Ok(())
    }

    /// Takes up the corrections of the tiles up to `fixed`, which were received, tosses the coin of each, and
    /// adds it to the check.
    fn fix(
        &mut self,
        channel: &mut Channel,
        ground: &mut Ground,
        fixed: usize,
        scratch: &mut Scratch<E>,
        rows: &mut [Tagged<B, E>],
    ) -> Result<()> {
        while self.fixed < fixed {
            let corrections = self.received.pop_front().expect("received in time, says the schedule");
            let (transfers, noise) = (self.base.transfers(self.fixed), self.base.noise(self.fixed));
            self.trees.fix(transfers, noise, &corrections, scratch, rows);
            let seed = ground.random.word();
            channel.send_words(&[seed])?;
            assert_eq!(rows.len(), TILE);
            with_coefficients(ground.arch, seed, rows, |chi, rows| {
                let (macs, values) = E::weigh(ground.arch, chi, rows);
                self.sums.0 += macs;
                self.sums.1 += values;
            });
            self.fixed += 1;
        }
        Ok(())
    }

    /// Sends x, the sum of the noise behind the masks.
    fn challenge(&mut self, channel: &mut Channel) -> Result<()> {
        channel.send_elements(&[self.sums.1 + values(self.base.masks())])
    }

    /// V.
    fn sum(&self) -> E {
        self.sums.0 + macs(self.base.masks())
    }

    /// Receives the commitment, unless it is here already, and sends V.
    fn answer(&mut self, channel: &mut Channel) -> Result<()> {
        self.receive_commitment(channel)?;
        channel.send_elements(&[self.sum()])
    }

    fn receive_commitment(&mut self, channel: &mut Channel) -> Result<()> {
        if self.commitment.is_none() {
            self.commitment = Some(channel.recv_array()?);
        }
        Ok(())
    }

    /// Receives the opening, unless it is here already.
    fn receive_opening(&mut self, channel: &mut Channel) -> Result<()> {
        if self.opening.is_none() {
            self.opening = Some(channel.recv_array()?);
        }
        Ok(())
    }

    /// The commitment must have been to V; then all leaves are right.
    fn finish(mut self, channel: &mut Channel, arch: Arch) -> Result<Iteration<B, E>> {
        self.receive_opening(channel)?;
        let equal = match (&self.commitment, &self.opening) {
            (Some(sent), Some(opening)) => sent.ct_eq(&commitment(&self.id, self.sum(), opening)),
            _ => unreachable!("both were received"),
        };
        if !bool::from(equal) {
            return Err(Error::Misbehaved(Misbehaviour::Trees));
        }
        let (matrix, table) = (matrix(arch, &self.id), self.base.into_table());
        Ok(Iteration { matrix, table, trees: self.trees, tile: 0 })
    }
}

impl<B: Field, E: MacField<B>> Vole for Prover<B, E> {
    type Share = Tagged<B, E>;

    fn block(&mut self, channel: &mut Channel, block: &mut Shares<Tagged<B, E>>) -> Result<()> {
        if self.draws == self.schedule.draws() {
            self.turn(channel)?;
        }
        while self.heard + self.lag() as isize <= self.draws as isize {
            self.receive(channel)?;
        }
        block.rows_mut().resize(TILE, Tagged::ZERO);
        self.prepare(channel, block.rows_mut())?;
        self.iteration.expand(&mut self.scratch, block.rows_mut());
        Ok(())
    }

    fn lag(&self) -> usize {
        self.schedule.lag()
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
            self.next.receive_commitment(channel)?;
        }
        if draws == self.schedule.opened() {
            self.next.receive_opening(channel)?;
        }
        Ok(())
    }

    fn check(mut self: Box<Self>, channel: &mut Channel) -> Result<BoxedVole<Tagged<B, E>>> {
        // The verifier is ahead. Every iteration that was drawn from was checked before.
        while self.heard < self.draws as isize {
            self.receive(channel)?;
        }
        Ok(self)
    }
}
