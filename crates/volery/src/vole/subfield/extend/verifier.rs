//! The verifier's end.

use super::super::single_point::{self, Scratch};
use super::super::{Delta, Key, base, same, with_coefficients};
use super::{code, commitment, forest_key, identifier};
use crate::channel::Channel;
use crate::error::{Error, Misbehaviour, Result};
use crate::ot::softspoken::{Depth, Sender};
use crate::random::Random;
use crate::vole::extend::iterations::{End, Id, Iteration, Iterations, Next};
use crate::vole::extend::{Base, Schedule, Start};
use crate::vole::lpn::{Params, Sets, TILE};
use core::marker::PhantomData;
use volery_primitives::aes::Aes128;
use volery_primitives::arch::Arch;
use volery_primitives::{F128, Field, MacField};
use zeroize::Zeroizing;

/// The verifier's end of the extension.
pub type Verifier<B, E> = Iterations<FieldVerifier<B, E>>;

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
        let mut starts = sets.chain(target).into_iter().map(|params| Start::over(params, degree));
        let offset = Zeroizing::new(F128(random.word().0 | 1));
        let transfers = Some(Sender::new(channel, arch, Depth::Eight, *offset, random)?);
        let mut first = base::Verifier::<B, E>::new(channel, arch, delta, random)?;
        let (delta, random) = (Zeroizing::new(delta.value()), Random::from_seed(&random.bytes()));
        let (scratch, field) = (Scratch::new(), PhantomData);
        let end = FieldVerifier { arch, delta, transfers, offset, random, scratch, field };
        let mut base = Base::new(starts.next().expect("a chain is not empty"), Zeroizing::default());
        base.collect(&first.extend(channel, base.start.consumed())?);
        Self::run(channel, end, base, starts, Schedule::over(target, degree).in_time())
    }
}

/// What the verifier needs in all iterations.
pub struct FieldVerifier<B, E: Field> {
    arch: Arch,
    delta: Zeroizing<E>,
    /// Gone where its check has failed.
    transfers: Option<Sender>,
    /// Δ' of the transfers.
    offset: Zeroizing<F128>,
    random: Random,
    scratch: Scratch<E>,
    field: PhantomData<B>,
}

/// What the check of trees is at.
#[derive(Default)]
pub struct Check<E: Field> {
    /// Tiles whose corrections are sent, and those that are in the check.
    sent: usize,
    weighed: usize,
    /// Σ χ·key over the leaves of the latter, and at last V.
    sum: Zeroizing<E>,
    /// Opens the commitment to V.
    opening: [u8; 32],
}

impl<B: Field, E: MacField<B>> End for FieldVerifier<B, E> {
    type Share = Key<E>;
    type Trees = single_point::Verifier<B, E>;
    type Check = Check<E>;

    fn trees(&mut self, channel: &mut Channel, params: Params, _: Option<Id>) -> (Id, Self::Trees) {
        let id = identifier(channel);
        let (key, seed) = (forest_key(&id), self.random.word());
        (id, single_point::Verifier::new(self.arch, params, key, *self.offset, seed))
    }

    fn transfer(&mut self, channel: &mut Channel, base: &mut Base<E>) -> Result<()> {
        let mut rows = Zeroizing::default();
        let mut sender = self.transfers.take().expect("a session ends with its first failed check");
        sender.extend(channel, &mut rows)?;
        let full = base.collect_transfers(&rows);
        self.transfers = Some(if full { sender.check(channel)? } else { sender });
        Ok(())
    }

    /// Sends corrections; receives the coins of those that the prover has taken up, and adds these tiles to
    /// the check.
    fn advance(&mut self, channel: &mut Channel, next: &mut Next<Self>, _: &mut [E]) -> Result<()> {
        for tile in next.check.sent..next.planted {
            let (transfers, noise) = (next.base.transfers(tile), next.base.shares(tile));
            let corrections = next.trees.plant(tile, transfers, noise, &mut self.scratch);
            channel.send_words(&corrections.levels)?;
            channel.send_elements(&corrections.leaves)?;
            next.check.sent += 1;
        }
        for tile in next.check.weighed..next.fixed {
            let seed = F128::from_bytes(channel.recv_array()?);
            next.trees.regrow(tile, &mut self.scratch);
            assert_eq!(self.scratch.leaves.len(), TILE);
            with_coefficients(self.arch, seed, &self.scratch.leaves, |chi, leaves| {
                *next.check.sum += E::dot(self.arch, chi, leaves);
            });
            next.check.weighed += 1;
        }
        Ok(())
    }

    /// Answers x by a commitment to V.
    fn exchange(&mut self, channel: &mut Channel, next: &mut Next<Self>) -> Result<()> {
        let mut x = [E::ZERO];
        channel.recv_elements(&mut x)?;
        let check = &mut next.check;
        *check.sum = *check.sum + E::pack(next.base.masks()) - x[0] * *self.delta;
        check.opening = self.random.bytes();
        channel.send(&commitment(&next.id, *check.sum, &check.opening))
    }

    /// Opens the commitment where the prover's V is this one.
    fn open(&mut self, channel: &mut Channel, next: &mut Next<Self>) -> Result<()> {
        let mut v = [E::ZERO];
        channel.recv_elements(&mut v)?;
        if !same(v[0], *next.check.sum) {
            return Err(Error::Misbehaved(Misbehaviour::Noise));
        }
        channel.send(&next.check.opening)
    }

    fn finish(&mut self, _: &mut Channel, next: &mut Next<Self>) -> Result<(Id, Aes128)> {
        Ok(code(self.arch, next.id))
    }

    fn expand(&mut self, iteration: &Iteration<Self>, rows: &mut [E]) {
        iteration.trees.regrow(iteration.tile, &mut self.scratch);
        rows.copy_from_slice(&self.scratch.leaves);
        E::encode_keys(&iteration.matrix, iteration.output(), &iteration.table, rows);
    }
}
