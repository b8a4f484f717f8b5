//! The extension over F_2, with the trees of `single_point`. What iterations are says [`super`].
//!
//! | from | message | bytes | when |
//! |---|---|---|---|
//! | | set-up of SoftSpoken with k = 8, M shares, its check; for `wan` an iteration of `l2` | its own | once |
//! | verifier | corrections of a tile's trees for the next iteration | 16·h·(trees of a tile) | up to 5/8 of the draws |
//! | prover | x of the check of these trees | 16 | at 7/8 of the draws |
//! | verifier | digest of the check | 32 | in answer; read before the next iteration |
//!
//! An iteration takes k + t·h + 128 shares of the one before it: the secret of the code, those by which trees
//! are walked, and the masks of the check. Where its trees are checked both parties pass a checkpoint: the
//! public keys of the code's matrix and of the next trees' hash come from there.
//!
//! The verifier reveals something that depends on Δ first in its corrections; by then SoftSpoken's check has
//! passed. What an abort leaks: to a prover that cheats in SoftSpoken, see there; to a verifier that cheats in
//! its corrections, one predicate of a few noisy places (`single_point`). Either way Δ, or the witness's
//! masks, end with the session.

#[cfg(test)]
mod tests;

use super::heard::Heard;
use super::iterations::{Buffers, Checked, End, Id, Iterations, Matrix, Next, Workers, first_output};
use super::on_device::OnDevice;
use super::{Base, CHI, Schedule, Start, derive};
use crate::ot::softspoken::{Depth, Receiver, Sender};
use crate::vole::device::{Expander, Expanding, Held};
use crate::vole::lpn::Params;
use crate::vole::{Delta, Key, Mac, empty, single_point};
use std::sync::Arc;
use subtle::ConstantTimeEq;
use volery_channel::channel::{Channel, Party};
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_channel::pool::Tasks;
use volery_channel::random::Random;
use volery_primitives::arch::{Arch, dot, encode, weigh};
use volery_primitives::hash::Digest;
use volery_primitives::prg::{Prg, Seed};
use volery_primitives::secret::verdict;
use volery_primitives::{F128, Field};
use zeroize::Zeroizing;

/// The statistical security of the consistency checks in bits, for one transcript: that of the set-up's
/// check, next to which the trees' (2^-128) does not count.
pub const SECURITY: f64 = 121.0;

/// The prover's end of the extension.
pub type Prover = Iterations<BitProver>;

impl Prover {
    /// Sets up with the set `params`, the first iteration ready.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    pub fn new(channel: &mut Channel, arch: Arch, params: Params, random: &mut Random) -> Result<Self> {
        let mut receiver = Receiver::new(channel, arch, Depth::Eight, random)?;
        let mut starts = params.chain().into_iter().map(Start::bits);
        let mut base = Base::new(starts.next().expect("a chain is not empty"));
        let mut rows = Zeroizing::default();
        receiver.expect(base.start.consumed() as u64);
        while !base.is_full() {
            receiver.extend(channel, &mut rows)?;
            base.collect(&rows);
        }
        receiver.check(channel)?;
        Self::run(channel, BitProver { arch }, base, starts, Schedule::new(params))
    }
}

/// The prover's state in all iterations.
pub struct BitProver {
    arch: Arch,
}

/// The state of the prover's check of trees.
#[derive(Default)]
pub struct Heeded {
    /// Each tile's corrections, with the seed of its coefficients.
    heard: Heard<(Vec<F128>, Seed), F128>,
    fixing: Tasks<Buffers<BitProver>>,
}

/// The memory besides its rows that a tile of the prover takes. It goes from task to task, as rows do: memory that one
/// thread asks for and another gives back makes all wait for the allocator's locks.
#[derive(Default)]
pub struct FixMemory {
    shares: Zeroizing<Vec<F128>>,
    /// The tile's trees as they are kept.
    fixed: single_point::Fixed,
    /// Summands of the sums of the check.
    sums: Zeroizing<Vec<F128>>,
}

/// Fills `memory` with `words`.
fn refill(memory: &mut Zeroizing<Vec<F128>>, words: &[F128]) {
    empty(memory, words.len());
    memory.extend_from_slice(words);
}

impl End for BitProver {
    type Share = Mac;
    type Trees = single_point::Prover;
    type Scratch = FixMemory;
    type Check = Heeded;

    fn trees(&mut self, channel: &mut Channel, params: Params, code: Option<Id>) -> (Id, Self::Trees) {
        let id = identifier(channel, code);
        (id, single_point::Prover::new(self.arch, params, forest_key(&id)))
    }

    fn receive(&mut self, channel: &mut Channel, next: &mut Next<Self>, due: [usize; 2]) -> Result<()> {
        let params = next.base.start.params;
        next.check.heard.receive(channel, due, |channel| {
            let mut corrections = vec![F128::ZERO; params.trees_per_tile() * params.depth];
            channel.recv_words(&mut corrections)?;
            Ok((corrections, coefficients(channel)))
        })
    }

    fn advance(
        &mut self,
        channel: &mut Channel,
        next: &mut Next<Self>,
        workers: &mut Workers<Self>,
    ) -> Result<()> {
        for tile in next.check.heard.taken..next.fixed {
            self.receive(channel, next, [tile + 1, 0])?;
            let (corrections, seed) = next.check.heard.take();
            if let Some(device) = &mut next.on_device {
                device.open(&corrections, next.base.shares(tile), seed)?;
                continue;
            }
            let (arch, forest, mut buffers) = (self.arch, next.trees.forest(), workers.buffers());
            refill(&mut buffers.scratch.shares, next.base.shares(tile));
            let fix = move || {
                let Buffers { rows: leaves, scratch: FixMemory { shares, fixed, sums } } = &mut buffers;
                single_point::fix(&forest, tile, shares, &corrections, leaves, fixed);
                refill(sums, &[F128::ZERO; 2]);
                with_coefficients(arch, seed, leaves, |chi, leaves| {
                    let (macs, values) = weigh(arch, chi, leaves);
                    sums[0] += macs;
                    sums[1] += values;
                });
                buffers
            };
            next.check.fixing.push(workers.pool.run(fix));
            let ahead = workers.pool.ahead();
            Self::gather(next, workers, ahead);
        }
        Ok(())
    }

    fn gather(next: &mut Next<Self>, workers: &mut Workers<Self>, ahead: usize) {
        while let Some(buffers) = next.check.fixing.next_beyond(ahead) {
            let FixMemory { fixed, sums, .. } = &buffers.scratch;
            next.trees.keep(fixed);
            next.check.heard.add((sums[0], sums[1]));
            workers.take_back(buffers);
        }
    }

    /// Sends x = φ ⊕ u*.
    fn exchange(&mut self, channel: &mut Channel, next: &mut Next<Self>) -> Result<()> {
        if let Some(device) = &mut next.on_device {
            let (weighed, sides) = device.weighed()?;
            next.trees.keep_all(weighed.siblings, sides);
            next.check.heard.add((*weighed.leaves, *weighed.values));
        }
        let bits = next.base.masks().iter().map(|share| F128::from(share.bit0()));
        let values = F128::pack(&Zeroizing::new(bits.collect::<Vec<F128>>()));
        channel.send_words(&[next.check.heard.sums.1 + values])
    }

    /// Checks the verifier's answer: the digest of Σ χ·MAC ⊕ MAC*.
    fn finish(&mut self, channel: &mut Channel, next: &mut Next<Self>) -> Result<(Id, Matrix)> {
        self.receive(channel, next, [0, 1])?;
        let expected = check_digest(&next.id, next.check.heard.sums.0 + F128::pack(next.base.masks()));
        if !verdict(expected.ct_eq(&next.check.heard.answers[0])) {
            return Err(Error::Misbehaved(Misbehaviour::Trees));
        }
        Ok(code(channel, self.arch))
    }

    fn expand(iteration: &Checked<Self>, tile: usize, buffers: &mut Buffers<Self>) {
        iteration.trees.regrow(tile, &mut buffers.rows);
        encode(&iteration.matrix.cipher, first_output(tile), &iteration.table, &mut buffers.rows);
    }

    const BY_DEVICES: bool = true;

    fn grow(trees: &Self::Trees, device: &Arc<dyn Expander>) -> Result<Option<OnDevice>> {
        OnDevice::begin(device, &trees.sown()).map(Some)
    }

    fn hold(
        iteration: &Checked<Self>,
        device: &Arc<dyn Expander>,
        trees: Option<OnDevice>,
    ) -> Result<Arc<dyn Held>> {
        let Checked { matrix, table, trees: others } = iteration;
        OnDevice::hold(trees, device, &others.sown(), (matrix.key, table))
    }

    fn collect(base: &mut Base<F128>, rows: Box<dyn Expanding>) -> Result<()> {
        rows.wait(&mut |rows| {
            base.collect(rows);
        })
    }
}

/// The verifier's end of the extension.
pub type Verifier = Iterations<BitVerifier>;

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
        let mut starts = params.chain().into_iter().map(Start::bits);
        let mut base = Base::new(starts.next().expect("a chain is not empty"));
        let mut rows = Zeroizing::default();
        sender.expect(base.start.consumed() as u64);
        while !base.is_full() {
            sender.extend(channel, &mut rows)?;
            base.collect(&rows);
        }
        // From here on the verifier says what depends on Δ.
        drop(sender.check(channel)?);
        let end = BitVerifier { arch, delta, random: Random::from_seed(&random.bytes()) };
        Self::run(channel, end, base, starts, Schedule::new(params).in_time())
    }
}

/// The verifier's state in all iterations.
pub struct BitVerifier {
    arch: Arch,
    delta: Zeroizing<F128>,
    random: Random,
}

/// The state of the verifier's check of trees.
#[derive(Default)]
pub struct Check {
    /// The number of tiles whose planting was started.
    begun: usize,
    /// The number of tiles whose corrections were sent.
    sent: usize,
    /// Tasks that plant tiles, with the corrections that they make.
    planting: Tasks<Buffers<BitVerifier>>,
    /// Tasks that combine the leaves of tiles for the check.
    weighing: Tasks<Buffers<BitVerifier>>,
    /// Σ χ·key over the leaves of the tiles so far.
    sum: Zeroizing<F128>,
}

/// The memory besides its rows that a tile of the verifier takes, as [`FixMemory`].
#[derive(Default)]
pub struct PlantMemory {
    shares: Zeroizing<Vec<F128>>,
    corrections: Zeroizing<Vec<F128>>,
    /// A summand of the sum of the check.
    sum: Zeroizing<Vec<F128>>,
}

impl BitVerifier {
    /// Starts planting the tiles before number `end`.
    fn plant(next: &mut Next<Self>, workers: &mut Workers<Self>, end: usize) {
        for tile in next.check.begun..end.min(next.base.start.params.tiles()) {
            let (trees, mut buffers) = (next.trees.clone(), workers.buffers());
            refill(&mut buffers.scratch.shares, next.base.shares(tile));
            let plant = move || {
                let Buffers { rows, scratch: PlantMemory { shares, corrections, .. } } = &mut buffers;
                empty(corrections, shares.len());
                trees.plant(tile, shares, rows, corrections);
                buffers
            };
            next.check.planting.push(workers.pool.run(plant));
            next.check.begun = tile + 1;
        }
    }
}

impl End for BitVerifier {
    type Share = Key;
    type Trees = Arc<single_point::Verifier>;
    type Scratch = PlantMemory;
    type Check = Check;

    fn trees(&mut self, channel: &mut Channel, params: Params, code: Option<Id>) -> (Id, Self::Trees) {
        let id = identifier(channel, code);
        let (key, seed) = (forest_key(&id), self.random.word());
        (id, Arc::new(single_point::Verifier::new(self.arch, params, key, *self.delta, seed)))
    }

    /// Sends corrections, and adds each tile to the check.
    fn advance(
        &mut self,
        channel: &mut Channel,
        next: &mut Next<Self>,
        workers: &mut Workers<Self>,
    ) -> Result<()> {
        let ahead = workers.pool.ahead();
        for tile in next.check.sent..next.planted {
            if let Some(device) = &mut next.on_device {
                channel.send_words(&device.corrections(next.base.shares(tile))?)?;
                next.check.sent = tile + 1;
                device.weigh(coefficients(channel))?;
                continue;
            }
            Self::plant(next, workers, tile + 1 + ahead);
            let mut buffers = next.check.planting.next().expect("planted above");
            channel.send_words(&buffers.scratch.corrections)?;
            next.check.sent = tile + 1;
            let (arch, seed) = (self.arch, coefficients(channel));
            let weigh = move || {
                let Buffers { rows: leaves, scratch: PlantMemory { sum, .. } } = &mut buffers;
                refill(sum, &[F128::ZERO]);
                with_coefficients(arch, seed, leaves, |chi, leaves| sum[0] += dot(arch, chi, leaves));
                buffers
            };
            next.check.weighing.push(workers.pool.run(weigh));
            Self::gather(next, workers, ahead);
        }
        Ok(())
    }

    fn gather(next: &mut Next<Self>, workers: &mut Workers<Self>, ahead: usize) {
        while let Some(buffers) = next.check.weighing.next_beyond(ahead) {
            *next.check.sum += buffers.scratch.sum[0];
            workers.take_back(buffers);
        }
    }

    /// Answers the prover's x by the digest of Σ χ·key ⊕ key* ⊕ x·Δ.
    fn exchange(&mut self, channel: &mut Channel, next: &mut Next<Self>) -> Result<()> {
        if let Some(device) = &mut next.on_device {
            let (weighed, _) = device.weighed()?;
            *next.check.sum += *weighed.leaves;
        }
        let mut x = [F128::ZERO];
        channel.recv_words(&mut x)?;
        let sum = *next.check.sum + F128::pack(next.base.masks()) + x[0] * *self.delta;
        channel.send(&check_digest(&next.id, sum))
    }

    fn finish(&mut self, channel: &mut Channel, _: &mut Next<Self>) -> Result<(Id, Matrix)> {
        Ok(code(channel, self.arch))
    }

    fn expand(iteration: &Checked<Self>, tile: usize, buffers: &mut Buffers<Self>) {
        iteration.trees.regrow(tile, &mut buffers.rows);
        encode(&iteration.matrix.cipher, first_output(tile), &iteration.table, &mut buffers.rows);
    }

    const BY_DEVICES: bool = true;

    fn grow(trees: &Self::Trees, device: &Arc<dyn Expander>) -> Result<Option<OnDevice>> {
        OnDevice::begin(device, &trees.sown()).map(Some)
    }

    fn hold(
        iteration: &Checked<Self>,
        device: &Arc<dyn Expander>,
        trees: Option<OnDevice>,
    ) -> Result<Arc<dyn Held>> {
        let Checked { matrix, table, trees: others } = iteration;
        OnDevice::hold(trees, device, &others.sown(), (matrix.key, table))
    }

    fn collect(base: &mut Base<F128>, rows: Box<dyn Expanding>) -> Result<()> {
        rows.wait(&mut |rows| {
            base.collect(rows);
        })
    }
}

/// The identifier of trees: that of the code of the iteration before, which is of the same checkpoint, if
/// there is one.
fn identifier(channel: &mut Channel, code: Option<[u8; 32]>) -> [u8; 32] {
    code.unwrap_or_else(|| channel.checkpoint("lpn set-up"))
}

/// The public key of the hash of the trees that `id` names.
fn forest_key(id: &[u8; 32]) -> F128 {
    derive("volery lpn v1, trees", id)
}

/// The public matrix of an iteration, whose trees are checked, and the identifier that it comes from.
fn code(channel: &mut Channel, arch: Arch) -> (Id, Matrix) {
    let id = channel.checkpoint("lpn iteration");
    (id, Matrix::new(arch, derive("volery lpn v1, matrix", &id)))
}

/// The seed of a tile's coefficients, drawn right after its corrections are sent or received.
fn coefficients(channel: &mut Channel) -> Seed {
    Seed::of_challenge(&channel.challenge(Party::Verifier, "lpn tile"))
}

/// Calls `fold` on the leaves of a tile with their coefficients.
fn with_coefficients(arch: Arch, seed: Seed, leaves: &[F128], mut fold: impl FnMut(&[F128], &[F128])) {
    let mut prg = Prg::new(arch, seed);
    let mut chi = [F128::ZERO; CHI];
    for leaves in leaves.chunks(CHI) {
        prg.fill(&mut chi);
        fold(&chi, leaves);
    }
}

/// The digest that ends the check of the trees that `id` names.
fn check_digest(id: &[u8; 32], sum: F128) -> [u8; 32] {
    Digest::new("volery lpn v1, check of trees").field(id).field(&sum.to_bytes()).finish()
}
