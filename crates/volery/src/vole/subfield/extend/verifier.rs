//! The verifier's end.

use super::super::single_point::{self, Scratch};
use super::super::{Delta, Key, base, same, with_coefficients};
use super::*;
use crate::error::{Error, Misbehaviour, Result};
use crate::ot::softspoken::{Depth, Sender};
use crate::random::Random;
use crate::vole::extend::Schedule;
use crate::vole::{BoxedVole, Shares, Vole};

/// The verifier's end of the extension.
pub struct Verifier<B: Field, E: MacField<B>> {
    ground: Ground<E>,
    params: Params,
    schedule: Schedule,
    /// The iteration that is drawn from, and how many of its tiles were handed out.
    iteration: Iteration<B, E>,
    draws: usize,
    next: Next<B, E>,
    scratch: Scratch<E>,
}

/// What all iterations use.
struct Ground<E: Field> {
    arch: Arch,
    delta: Zeroizing<E>,
    /// Gone where its check has failed.
    transfers: Option<Sender>,
    /// Δ' of the transfers.
    offset: Zeroizing<F128>,
    random: Random,
}

impl<E: Field> Ground<E> {
    /// Draws transfers for `base`, all that are missing or one chunk of them, and checks
    /// them when all are there.
    fn transfer<R: DefaultIsZeroes>(
        &mut self,
        channel: &mut Channel,
        base: &mut Base<R>,
        all: bool,
    ) -> Result<()> {
        let mut rows = Zeroizing::default();
        while !base.has_transfers() {
            let mut sender = self.transfers.take().expect("a session ends with its first failed check");
            sender.extend(channel, &mut rows)?;
            if base.collect_transfers(&rows) {
                sender = sender.check(channel)?;
            }
            self.transfers = Some(sender);
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
    pub(super) table: Zeroizing<Vec<E>>,
    trees: single_point::Verifier<B, E>,
    tile: usize,
}

impl<B: Field, E: MacField<B>> Iteration<B, E> {
    /// Expands the next tile.
    fn expand(&mut self, scratch: &mut Scratch<E>, rows: &mut [E]) {
        self.trees.regrow(self.tile, scratch);
        rows.copy_from_slice(&scratch.leaves);
        E::encode_keys(&self.matrix, (self.tile * TILE) as u64, &self.table, rows);
        self.tile += 1;
    }
}

/// The next iteration, as far as it is ready.
struct Next<B: Field, E: MacField<B>> {
    id: [u8; 32],
    base: Base<E>,
    trees: single_point::Verifier<B, E>,
    /// Tiles whose corrections are sent, and those that are in the check.
    planted: usize,
    weighed: usize,
    /// Σ χ·key over the leaves of the latter, and at last V.
    sum: Zeroizing<E>,
    /// Opens the commitment to V.
    opening: [u8; 32],
}

impl<B: Field, E: MacField<B>> Verifier<B, E> {
    /// Sets up under `delta` with the set `target` of `sets`, the first iteration ready.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    pub fn new(
        channel: &mut Channel,
        arch: Arch,
        sets: Sets,
        target: Params,
        delta: &Delta<B, E>,
        random: &mut Random,
    ) -> Result<Self> {
        let degree = E::DEGREE as usize;
        let offset = Zeroizing::new(F128(random.word().0 | 1));
        let transfers = Some(Sender::new(channel, arch, Depth::Eight, *offset, random)?);
        let mut first = base::Verifier::<B, E>::new(channel, arch, delta, random)?;
        let delta = Zeroizing::new(delta.value());
        let random = Random::from_seed(&random.bytes());
        let mut ground = Ground { arch, delta, transfers, offset, random };
        let mut scratch = Scratch::new();
        let mut rows = Zeroizing::new(vec![E::ZERO; TILE]);
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
            let mut next = Next::new(channel, &mut ground, base);
            next.plant(channel, params.tiles(), &mut scratch)?;
            next.weigh(channel, &ground, params.tiles(), &mut scratch)?;
            next.commit(channel, &mut ground)?;
            next.compare(channel)?;
            before = Some(next.into_iteration(arch));
        }
        let iteration = before.expect("a chain is not empty");
        let next = Next::new(channel, &mut ground, Base::new(target, degree, Zeroizing::default()));
        let schedule = Schedule::over(target, degree);
        Ok(Self { ground, params: target, schedule, iteration, draws: 0, next, scratch })
    }

    /// Does this draw's part for the next iteration; `rows` is free to use.
    fn prepare(&mut self, channel: &mut Channel, rows: &mut [E]) -> Result<()> {
        if self.schedule.sets_aside(self.draws) {
            self.iteration.expand(&mut self.scratch, rows);
            let full = self.next.base.collect(rows);
            self.ground.transfer(channel, &mut self.next.base, full)?;
        }
        self.draws += 1;
        self.next.plant(channel, self.schedule.planted(self.draws), &mut self.scratch)?;
        self.next.weigh(channel, &self.ground, self.schedule.fixed(self.draws), &mut self.scratch)?;
        if self.draws == self.schedule.checked() {
            self.next.commit(channel, &mut self.ground)?;
        }
        if self.draws == self.schedule.opened() {
            self.next.compare(channel)?;
        }
        let answered = [self.schedule.checked(), self.schedule.opened()].contains(&self.draws);
        if self.draws.is_multiple_of(HAND_OVER) || answered {
            channel.flush()?;
        }
        Ok(())
    }

    /// Goes on to the next iteration, which is ready.
    fn turn(&mut self, channel: &mut Channel) {
        let degree = E::DEGREE as usize;
        let done = core::mem::take(&mut self.iteration.table);
        let following = Next::new(channel, &mut self.ground, Base::new(self.params, degree, done));
        let next = core::mem::replace(&mut self.next, following);
        self.iteration = next.into_iteration(self.ground.arch);
        self.draws = 0;
    }

    /// The secret of the iteration that is drawn from.
    #[cfg(test)]
    pub(super) fn table(&self) -> &[E] {
        &self.iteration.table
    }
}

impl<B: Field, E: MacField<B>> Next<B, E> {
    fn new(channel: &mut Channel, ground: &mut Ground<E>, base: Base<E>) -> Self {
        let id = iteration(channel);
        let (key, seed) = (forest_key(&id), ground.random.word());
        let trees = single_point::Verifier::new(ground.arch, base.params, key, *ground.offset, seed);
        Self { id, base, trees, planted: 0, weighed: 0, sum: Zeroizing::default(), opening: [0; 32] }
    }

    /// Sends the corrections of the tiles up to `planted`.
    fn plant(&mut self, channel: &mut Channel, planted: usize, scratch: &mut Scratch<E>) -> Result<()> {
        while self.planted < planted {
            let (transfers, noise) = (self.base.transfers(self.planted), self.base.noise(self.planted));
            let corrections = self.trees.plant(self.planted, transfers, noise, scratch);
            channel.send_words(&corrections.levels)?;
            channel.send_elements(&corrections.leaves)?;
            self.planted += 1;
        }
        Ok(())
    }

    /// Receives the coins of the tiles up to `weighed`, and adds each tile to the check.
    fn weigh(
        &mut self,
        channel: &mut Channel,
        ground: &Ground<E>,
        weighed: usize,
        scratch: &mut Scratch<E>,
    ) -> Result<()> {
        while self.weighed < weighed {
            let seed = F128::from_bytes(channel.recv_array()?);
            self.trees.regrow(self.weighed, scratch);
            assert_eq!(scratch.leaves.len(), TILE);
            with_coefficients(ground.arch, seed, &scratch.leaves, |chi, leaves| {
                *self.sum += E::dot(ground.arch, chi, leaves);
            });
            self.weighed += 1;
        }
        Ok(())
    }

    /// Answers x by a commitment to V.
    fn commit(&mut self, channel: &mut Channel, ground: &mut Ground<E>) -> Result<()> {
        let mut x = [E::ZERO];
        channel.recv_elements(&mut x)?;
        let v = *self.sum + E::pack(self.base.masks()) - x[0] * *ground.delta;
        self.sum = Zeroizing::new(v);
        self.opening = ground.random.bytes();
        channel.send(&commitment(&self.id, v, &self.opening))
    }

    /// Opens the commitment where the prover's V is this one.
    fn compare(&mut self, channel: &mut Channel) -> Result<()> {
        let mut v = [E::ZERO];
        channel.recv_elements(&mut v)?;
        if !same(v[0], *self.sum) {
            return Err(Error::Misbehaved(Misbehaviour::Noise));
        }
        channel.send(&self.opening)
    }

    fn into_iteration(self, arch: Arch) -> Iteration<B, E> {
        let (matrix, table) = (matrix(arch, &self.id), self.base.into_table());
        Iteration { matrix, table, trees: self.trees, tile: 0 }
    }
}

impl<B: Field, E: MacField<B>> Vole for Verifier<B, E> {
    type Share = Key<E>;

    fn block(&mut self, channel: &mut Channel, block: &mut Shares<Key<E>>) -> Result<()> {
        if self.draws == self.schedule.draws() {
            self.turn(channel);
        }
        block.rows_mut().resize(TILE, E::ZERO);
        self.prepare(channel, block.rows_mut())?;
        self.iteration.expand(&mut self.scratch, block.rows_mut());
        Ok(())
    }

    fn check(self: Box<Self>, _: &mut Channel) -> Result<BoxedVole<Key<E>>> {
        // Every iteration that was drawn from was checked before.
        Ok(self)
    }
}
