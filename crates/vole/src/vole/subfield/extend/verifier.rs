//! The verifier's end.

use super::super::single_point::{self, Corrections, Scratch};
use super::super::{Delta, Key, base, same, with_coefficients, words};
use super::{code, commitment, forest_key, identifier};
use crate::ot::softspoken::{Depth, Sender};
use crate::vole::device::{Expander, Held, OriginOfElements};
use crate::vole::extend::iterations::{
    Buffers, Checked, End, Id, Iterations, Matrix, Next, Workers, first_output,
};
use crate::vole::extend::on_device::OnDevice;
use crate::vole::extend::{Base, Schedule, Start};
use crate::vole::lpn::{self, Params, Sets, TILE};
use core::marker::PhantomData;
use std::sync::Arc;
use volery_channel::channel::Channel;
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_channel::pool::Tasks;
use volery_channel::random::Random;
use volery_primitives::arch::Arch;
use volery_primitives::{F2, F64, F128, Field, MacField};
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
        Self::from(channel, arch, (sets, target), delta, random, |channel, random, base| {
            let mut first = base::Verifier::<B, E>::new(channel, arch, delta, random)?;
            base.collect(&first.extend(channel, base.start.consumed())?);
            Ok(())
        })
    }

    /// Sets up from first shares that `collect` puts into a base.
    fn from(
        channel: &mut Channel,
        arch: Arch,
        (sets, target): (Sets, Params),
        delta: &Delta<B, E>,
        random: &mut Random,
        collect: impl FnOnce(&mut Channel, &mut Random, &mut Base<E>) -> Result<()>,
    ) -> Result<Self> {
        let degree = E::degree() as usize;
        let mut starts = sets.chain(target).into_iter().map(|params| Start::over::<B>(params, degree));
        let offset = Zeroizing::new(F128(random.word().0 | 1));
        let transfers = Some(Sender::new(channel, arch, Depth::Eight, *offset, random)?);
        let mut base = Base::new(starts.next().expect("a chain is not empty"));
        collect(channel, random, &mut base)?;
        let (delta, random) = (Zeroizing::new(delta.value()), Random::from_seed(&random.bytes()));
        let end = FieldVerifier { arch, delta, transfers, offset, random, field: PhantomData };
        Self::run(channel, end, base, starts, Schedule::over::<B>(target, degree).in_time())
    }
}

impl Verifier<F2, F64> {
    /// Sets up over F_2 under `delta` with the set `target`, the first iteration ready.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    pub fn of_bits(
        channel: &mut Channel,
        arch: Arch,
        target: Params,
        delta: &Delta<F2, F64>,
        random: &mut Random,
    ) -> Result<Self> {
        Self::from(channel, arch, (Sets::F2, target), delta, random, |channel, random, base| {
            let mut first = Sender::<F64>::new(channel, arch, Depth::Eight, delta.value(), random)?;
            let mut rows = Zeroizing::default();
            first.expect(base.start.consumed() as u64);
            while !base.is_full() {
                first.extend(channel, &mut rows)?;
                base.collect(&rows);
            }
            // From here on the verifier says what depends on Δ.
            first.check(channel).map(drop)
        })
    }
}

/// The verifier's state in all iterations.
pub struct FieldVerifier<B, E: Field> {
    arch: Arch,
    delta: Zeroizing<E>,
    /// The transfers, or `None` once their check has failed.
    transfers: Option<Sender>,
    /// Δ' of the transfers.
    offset: Zeroizing<F128>,
    random: Random,
    field: PhantomData<B>,
}

/// Tasks on tiles: their results, and the memory that they worked in.
type Made<B, E, T> = Tasks<(T, Buffers<FieldVerifier<B, E>>)>;

/// The state of the verifier's check of trees.
pub struct Check<B: Field, E: MacField<B>> {
    /// The number of tiles whose planting was started.
    begun: usize,
    /// The numbers of tiles whose corrections were sent, and whose coins were received.
    sent: usize,
    tossed: usize,
    /// Tasks that plant tiles, with the corrections that they make.
    planting: Made<B, E, Corrections<E>>,
    /// Tasks that combine the leaves of tiles for the check.
    weighing: Made<B, E, Zeroizing<Vec<E>>>,
    /// Σ χ·key over the leaves, and in the end V.
    sum: Zeroizing<E>,
    /// The opening of the commitment to V.
    opening: [u8; 32],
}

impl<B: Field, E: MacField<B>> Default for Check<B, E> {
    fn default() -> Self {
        Self {
            begun: 0,
            sent: 0,
            tossed: 0,
            planting: Tasks::default(),
            weighing: Tasks::default(),
            sum: Zeroizing::new(E::ZERO),
            opening: [0; 32],
        }
    }
}

impl<B: Field, E: MacField<B>> FieldVerifier<B, E> {
    /// Starts planting the tiles before number `end`.
    fn plant(&self, next: &mut Next<Self>, workers: &mut Workers<Self>, end: usize) {
        for tile in next.check.begun..end.min(next.base.start.params.tiles()) {
            let (trees, mut buffers) = (next.trees.clone(), workers.buffers());
            let transfers = Zeroizing::new(next.base.transfers(tile).to_vec());
            let mut noise = Zeroizing::new(next.base.shares(tile).to_vec());
            if lpn::noise::<B>() == 0 {
                noise.resize(next.base.start.params.trees_per_tile(), *self.delta);
            }
            let plant = move || (trees.plant(tile, &transfers, &noise, &mut buffers.scratch), buffers);
            next.check.planting.push(workers.pool.run(plant));
            next.check.begun = tile + 1;
        }
    }
}

impl<B: Field, E: MacField<B>> End for FieldVerifier<B, E> {
    type Share = Key<E>;
    type Trees = Arc<single_point::Verifier<B, E>>;
    type Scratch = Scratch<E>;
    type Check = Check<B, E>;

    fn trees(&mut self, channel: &mut Channel, params: Params, _: Option<Id>) -> (Id, Self::Trees) {
        let id = identifier(channel);
        let (key, seed) = (forest_key(&id), self.random.word());
        (id, Arc::new(single_point::Verifier::new(self.arch, params, key, *self.offset, seed)))
    }

    fn transfer(&mut self, channel: &mut Channel, base: &mut Base<E>) -> Result<()> {
        let mut rows = Zeroizing::default();
        let mut sender = self.transfers.take().expect("a session ends with its first failed check");
        sender.extend(channel, &mut rows)?;
        let full = base.collect_transfers(&rows);
        self.transfers = Some(if full { sender.check(channel)? } else { sender });
        Ok(())
    }

    /// Sends corrections as they are due, receives the coins of tiles that the prover has used, and adds
    /// these tiles to the check.
    fn advance(
        &mut self,
        channel: &mut Channel,
        next: &mut Next<Self>,
        workers: &mut Workers<Self>,
    ) -> Result<()> {
        let ahead = workers.pool.ahead();
        for tile in next.check.sent..next.planted {
            self.plant(next, workers, tile + 1 + ahead);
            let (corrections, buffers) = next.check.planting.next().expect("planted above");
            channel.send_words(&corrections.levels)?;
            channel.send_elements(&corrections.leaves)?;
            next.check.sent = tile + 1;
            workers.take_back(buffers);
        }
        for tile in next.check.tossed..next.fixed {
            let seed = F128::from_bytes(channel.recv_array()?);
            next.check.tossed = tile + 1;
            let (arch, trees, mut buffers) = (self.arch, next.trees.clone(), workers.buffers());
            let weigh = move || {
                let mut sum = Zeroizing::new(vec![E::ZERO]);
                trees.regrow(tile, &mut buffers.scratch);
                let leaves = &buffers.scratch.leaves;
                assert_eq!(leaves.len(), TILE);
                with_coefficients(arch, seed, leaves, |chi, leaves| sum[0] += E::dot(arch, chi, leaves));
                (sum, buffers)
            };
            next.check.weighing.push(workers.pool.run(weigh));
            Self::gather(next, workers, ahead);
        }
        Ok(())
    }

    fn gather(next: &mut Next<Self>, workers: &mut Workers<Self>, ahead: usize) {
        while let Some((sum, buffers)) = next.check.weighing.next_beyond(ahead) {
            *next.check.sum += sum[0];
            workers.take_back(buffers);
        }
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

    /// Opens the commitment, if the prover's V is equal.
    fn open(&mut self, channel: &mut Channel, next: &mut Next<Self>) -> Result<()> {
        let mut v = [E::ZERO];
        channel.recv_elements(&mut v)?;
        if !same(v[0], *next.check.sum) {
            return Err(Error::Misbehaved(Misbehaviour::Noise));
        }
        channel.send(&next.check.opening)
    }

    fn finish(&mut self, _: &mut Channel, next: &mut Next<Self>) -> Result<(Id, Matrix)> {
        Ok(code(self.arch, next.id))
    }

    fn expand(iteration: &Checked<Self>, tile: usize, buffers: &mut Buffers<Self>) {
        let Buffers { rows, scratch } = buffers;
        iteration.trees.regrow(tile, scratch);
        rows.copy_from_slice(&scratch.leaves);
        E::encode_keys(&iteration.matrix.cipher, first_output(tile), &iteration.table, rows);
    }

    const BY_DEVICES: bool = E::BY_DEVICES;

    fn hold(
        iteration: &Checked<Self>,
        device: &Arc<dyn Expander>,
        _: Option<OnDevice>,
    ) -> Result<Arc<dyn Held>> {
        let (params, forest, trees) = iteration.trees.roots();
        let table = &words::of_elements(&iteration.table);
        let matrix = iteration.matrix.key;
        device.hold_elements(&OriginOfElements { params, matrix, table, forest, trees })
    }
}
