//! The prover's end.

use super::super::single_point::{self, Corrections, Scratch};
use super::super::{base, macs, values, with_coefficients};
use super::{code, commitment, forest_key, identifier};
use crate::channel::Channel;
use crate::error::{Error, Misbehaviour, Result};
use crate::ot::softspoken::{Depth, Receiver};
use crate::random::Random;
use crate::vole::extend::heard::Heard;
use crate::vole::extend::iterations::{End, Id, Iteration, Iterations, Next};
use crate::vole::extend::{Base, Schedule, Start};
use crate::vole::lpn::{Params, Sets, TILE};
use core::marker::PhantomData;
use subtle::ConstantTimeEq;
use volery_primitives::aes::Aes128;
use volery_primitives::arch::Arch;
use volery_primitives::secret::verdict;
use volery_primitives::{Field, MacField, Tagged};
use zeroize::Zeroizing;

/// The prover's end of the extension.
pub type Prover<B, E> = Iterations<FieldProver<B, E>>;

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
        let mut starts = sets.chain(target).into_iter().map(|params| Start::over(params, degree));
        let transfers = Receiver::new(channel, arch, Depth::Eight, random)?;
        let mut first = base::Prover::<B, E>::new(channel, arch, random)?;
        let random = Random::from_seed(&random.bytes());
        let end = FieldProver { arch, transfers, random, scratch: Scratch::new(), field: PhantomData };
        let mut base = Base::new(starts.next().expect("a chain is not empty"), Zeroizing::default());
        base.collect(&first.extend(channel, base.start.consumed())?);
        Self::run(channel, end, base, starts, Schedule::over(target, degree))
    }
}

/// What the prover needs in all iterations.
pub struct FieldProver<B, E: Field> {
    arch: Arch,
    transfers: Receiver,
    random: Random,
    scratch: Scratch<E>,
    field: PhantomData<B>,
}

impl<B: Field, E: MacField<B>> End for FieldProver<B, E> {
    type Share = Tagged<B, E>;
    type Trees = single_point::Prover<B, E>;
    type Check = Heard<Corrections<E>, E>;

    fn trees(&mut self, channel: &mut Channel, params: Params, _: Option<Id>) -> (Id, Self::Trees) {
        let id = identifier(channel);
        (id, single_point::Prover::new(self.arch, params, forest_key(&id)))
    }

    fn transfer(&mut self, channel: &mut Channel, base: &mut Base<Tagged<B, E>>) -> Result<()> {
        let mut rows = Zeroizing::default();
        self.transfers.extend(channel, &mut rows)?;
        if base.collect_transfers(&rows) { self.transfers.check(channel) } else { Ok(()) }
    }

    fn receive(&mut self, channel: &mut Channel, next: &mut Next<Self>, due: [usize; 2]) -> Result<()> {
        let params = next.base.start.params;
        next.check.receive(channel, due, |channel| {
            let mut corrections = Corrections::expected(params);
            channel.recv_words(&mut corrections.levels)?;
            channel.recv_elements(&mut corrections.leaves)?;
            Ok(corrections)
        })
    }

    /// Takes up corrections, tosses the coin of each tile, and adds it to the check.
    fn advance(
        &mut self,
        channel: &mut Channel,
        next: &mut Next<Self>,
        rows: &mut [Tagged<B, E>],
    ) -> Result<()> {
        for tile in next.check.taken..next.fixed {
            self.receive(channel, next, [tile + 1, 0])?;
            let corrections = next.check.take();
            let (transfers, noise) = (next.base.transfers(tile), next.base.shares(tile));
            next.trees.fix(transfers, noise, &corrections, &mut self.scratch, rows);
            let seed = self.random.word();
            channel.send_coin(&[seed])?;
            assert_eq!(rows.len(), TILE);
            with_coefficients(self.arch, seed, rows, |chi, rows| {
                next.check.add(E::weigh(self.arch, chi, rows));
            });
        }
        Ok(())
    }

    /// Sends x, the sum of the noise behind the masks.
    fn exchange(&mut self, channel: &mut Channel, next: &mut Next<Self>) -> Result<()> {
        channel.send_elements(&[next.check.sums.1 + values(next.base.masks())])
    }

    /// Receives the commitment, unless it is here already, and sends V.
    fn open(&mut self, channel: &mut Channel, next: &mut Next<Self>) -> Result<()> {
        self.receive(channel, next, [0, 1])?;
        channel.send_elements(&[sum(next)])
    }

    /// The commitment must have been to V; then all leaves are right.
    fn finish(&mut self, channel: &mut Channel, next: &mut Next<Self>) -> Result<(Id, Aes128)> {
        self.receive(channel, next, [0, 2])?;
        let [committed, opening] = [0, 1].map(|exchange| next.check.answers[exchange]);
        if !verdict(committed.ct_eq(&commitment(&next.id, sum(next), &opening))) {
            return Err(Error::Misbehaved(Misbehaviour::Trees));
        }
        channel.release_peer();
        Ok(code(self.arch, next.id))
    }

    fn expand(&mut self, iteration: &Iteration<Self>, rows: &mut [Tagged<B, E>]) {
        iteration.trees.regrow(iteration.tile, &mut self.scratch, rows);
        E::encode_tagged(&iteration.matrix, iteration.output(), &iteration.table, rows);
    }
}

/// V.
fn sum<B: Field, E: MacField<B>>(next: &Next<FieldProver<B, E>>) -> E {
    next.check.sums.0 + macs(next.base.masks())
}
