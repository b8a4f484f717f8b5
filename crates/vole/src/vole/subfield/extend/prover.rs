//! The prover's end.

use super::super::single_point::{self, Corrections, Fixed, Scratch};
use super::super::{Mac, base, macs, values, with_coefficients, words};
use super::{code, commitment, forest_key, identifier};
use crate::ot::softspoken::{Depth, Receiver};
use crate::vole::device::{Expander, Held, OriginOfElements};
use crate::vole::extend::heard::Heard;
use crate::vole::extend::iterations::{
    Buffers, Checked, End, Id, Iterations, Matrix, Next, Workers, first_output,
};
use crate::vole::extend::on_device::OnDevice;
use crate::vole::extend::{Base, Schedule, Start};
use crate::vole::lpn::{self, Params, Sets, TILE};
use core::marker::PhantomData;
use std::sync::Arc;
use subtle::ConstantTimeEq;
use volery_channel::channel::Channel;
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_channel::pool::Tasks;
use volery_channel::random::Random;
use volery_primitives::arch::Arch;
use volery_primitives::secret::verdict;
use volery_primitives::{F2, F64, Field, MacField, Tag as _};
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
        Self::from(channel, arch, (sets, target), random, |channel, random, base| {
            let mut first = base::Prover::<B, E>::new(channel, arch, random)?;
            base.collect(&first.extend(channel, base.start.consumed())?);
            Ok(())
        })
    }

    /// Sets up from first shares that `collect` puts into a base.
    fn from(
        channel: &mut Channel,
        arch: Arch,
        (sets, target): (Sets, Params),
        random: &mut Random,
        collect: impl FnOnce(&mut Channel, &mut Random, &mut Base<E::Tag>) -> Result<()>,
    ) -> Result<Self> {
        let degree = E::degree() as usize;
        let mut starts = sets.chain(target).into_iter().map(|params| Start::over::<B>(params, degree));
        let transfers = Receiver::new(channel, arch, Depth::Eight, random)?;
        let mut base = Base::new(starts.next().expect("a chain is not empty"));
        collect(channel, random, &mut base)?;
        let random = Random::from_seed(&random.bytes());
        let end = FieldProver { arch, transfers, random, field: PhantomData };
        Self::run(channel, end, base, starts, Schedule::over::<B>(target, degree))
    }
}

impl Prover<F2, F64> {
    /// Sets up over F_2 with the set `target`, the first iteration ready.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    pub fn of_bits(channel: &mut Channel, arch: Arch, target: Params, random: &mut Random) -> Result<Self> {
        Self::from(channel, arch, (Sets::F2, target), random, |channel, random, base| {
            let mut first = Receiver::<F64>::new(channel, arch, Depth::Eight, random)?;
            let mut rows = Zeroizing::default();
            first.expect(base.start.consumed() as u64);
            while !base.is_full() {
                first.extend(channel, &mut rows)?;
                base.collect(&rows);
            }
            first.check(channel)
        })
    }
}

/// The prover's state in all iterations.
pub struct FieldProver<B, E> {
    arch: Arch,
    transfers: Receiver,
    random: Random,
    field: PhantomData<(B, E)>,
}

/// The state of the prover's check of trees.
pub struct Heeded<B: Field, E: MacField<B>> {
    heard: Heard<Corrections<E>, E>,
    fixing: Tasks<FixedTile<B, E>>,
    /// Whether the verifier has received a coin of this iteration, and not yet answered all of them.
    holding: bool,
}

impl<B: Field, E: MacField<B>> Default for Heeded<B, E> {
    fn default() -> Self {
        Self { heard: Heard::default(), fixing: Tasks::default(), holding: false }
    }
}

/// The data that the prover keeps of a tile's trees, and the sum that its leaves add to the check.
type FixedTile<B, E> = (Fixed<B, E>, Zeroizing<Vec<E>>, Buffers<FieldProver<B, E>>);

impl<B: Field, E: MacField<B>> End for FieldProver<B, E> {
    type Share = Mac<B, E>;
    type Trees = single_point::Prover<B, E>;
    type Scratch = Scratch<E>;
    type Check = Heeded<B, E>;

    fn trees(&mut self, channel: &mut Channel, params: Params, _: Option<Id>) -> (Id, Self::Trees) {
        let id = identifier(channel);
        (id, single_point::Prover::new(self.arch, params, forest_key(&id)))
    }

    fn transfer(&mut self, channel: &mut Channel, base: &mut Base<E::Tag>) -> Result<()> {
        let mut rows = Zeroizing::default();
        self.transfers.extend(channel, &mut rows)?;
        if base.collect_transfers(&rows) { self.transfers.check(channel) } else { Ok(()) }
    }

    fn receive(&mut self, channel: &mut Channel, next: &mut Next<Self>, due: [usize; 2]) -> Result<()> {
        let params = next.base.start.params;
        next.check.heard.receive(channel, due, |channel| {
            let mut corrections = Corrections::expected(params);
            channel.recv_words(&mut corrections.levels)?;
            channel.recv_elements(&mut corrections.leaves)?;
            Ok(corrections)
        })
    }

    /// Uses corrections as they are due, tosses the coin of each tile, and adds the tile to the check.
    fn advance(
        &mut self,
        channel: &mut Channel,
        next: &mut Next<Self>,
        workers: &mut Workers<Self>,
    ) -> Result<()> {
        for tile in next.check.heard.taken..next.fixed {
            self.receive(channel, next, [tile + 1, 0])?;
            let corrections = next.check.heard.take();
            let seed = self.random.word();
            channel.hold_peer_for(&mut next.check.holding);
            channel.send_words(&[seed])?;
            let (arch, forest, mut buffers) = (self.arch, next.trees.forest(), workers.buffers());
            let transfers = Zeroizing::new(next.base.transfers(tile).to_vec());
            let mut noise = Zeroizing::new(next.base.shares(tile).to_vec());
            if lpn::noise::<B>() == 0 {
                noise.resize(next.base.start.params.trees_per_tile(), E::Tag::new(B::ONE, E::ZERO));
            }
            let fix = move || {
                let Buffers { rows, scratch } = &mut buffers;
                let fixed =
                    single_point::fix(&forest, tile, (&transfers, &noise), &corrections, scratch, rows);
                let mut sums = Zeroizing::new(vec![E::ZERO; 2]);
                assert_eq!(rows.len(), TILE);
                with_coefficients(arch, seed, rows, |chi, rows| {
                    let (macs, values) = E::weigh(arch, chi, rows);
                    sums[0] += macs;
                    sums[1] += values;
                });
                (fixed, sums, buffers)
            };
            next.check.fixing.push(workers.pool.run(fix));
            let ahead = workers.pool.ahead();
            Self::gather(next, workers, ahead);
        }
        Ok(())
    }

    fn gather(next: &mut Next<Self>, workers: &mut Workers<Self>, ahead: usize) {
        while let Some((fixed, sums, buffers)) = next.check.fixing.next_beyond(ahead) {
            next.trees.keep(&fixed);
            next.check.heard.add((sums[0], sums[1]));
            workers.take_back(buffers);
        }
    }

    /// Sends x, the masked sum of the noise.
    fn exchange(&mut self, channel: &mut Channel, next: &mut Next<Self>) -> Result<()> {
        channel.send_elements(&[next.check.heard.sums.1 + values(next.base.masks())])
    }

    /// Receives the verifier's commitment, unless it is here already, and sends V.
    fn open(&mut self, channel: &mut Channel, next: &mut Next<Self>) -> Result<()> {
        self.receive(channel, next, [0, 1])?;
        channel.send_elements(&[sum(next)])
    }

    /// Checks that the commitment was to V: then all leaves are right.
    fn finish(&mut self, channel: &mut Channel, next: &mut Next<Self>) -> Result<(Id, Matrix)> {
        self.receive(channel, next, [0, 2])?;
        let [committed, opening] = [0, 1].map(|exchange| next.check.heard.answers[exchange]);
        if !verdict(committed.ct_eq(&commitment(&next.id, sum(next), &opening))) {
            return Err(Error::Misbehaved(Misbehaviour::Trees));
        }
        channel.release_peer_for(&mut next.check.holding);
        Ok(code(self.arch, next.id))
    }

    fn expand(iteration: &Checked<Self>, tile: usize, buffers: &mut Buffers<Self>) {
        let Buffers { rows, scratch } = buffers;
        iteration.trees.regrow(tile, scratch, rows);
        E::encode_tagged(&iteration.matrix.cipher, first_output(tile), &iteration.table, rows);
    }

    const BY_DEVICES: bool = E::BY_DEVICES;

    fn hold(
        iteration: &Checked<Self>,
        device: &Arc<dyn Expander>,
        _: Option<OnDevice>,
    ) -> Result<Arc<dyn Held>> {
        let mut ends = Zeroizing::default();
        let (params, forest, trees) = iteration.trees.paths(&mut ends);
        let table = &words::of_tags::<B, E>(&iteration.table);
        let matrix = iteration.matrix.key;
        device.hold_elements(&OriginOfElements { params, matrix, table, forest, trees })
    }
}

/// V, the prover's sum of the check.
fn sum<B: Field, E: MacField<B>>(next: &Next<FieldProver<B, E>>) -> E {
    next.check.heard.sums.0 + macs(next.base.masks())
}
