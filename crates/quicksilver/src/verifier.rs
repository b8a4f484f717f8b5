//! The verifier's side.

mod blocks;
mod branch;
mod device;
mod memory;
mod polynomial;
mod sections;
mod shard;
mod waves;

use super::crossing::{Ends, Open};
use super::memory::{Party, Remembered};
use super::polynomial::{Forms, KeySums, KeyVectors, Keys, degree_of_check};
use super::slots::{Memory, Slots, Triple, Weighing};
use super::turns::{Lengths, Progress, Turn};
use super::waves::WideWaves;
use super::{ASSERTED, Finished, expect_degree, more_than_counted, single_challenge};
use core::fmt::Display;
use core::sync::atomic::AtomicU64;
use std::sync::Arc;
use subtle::ConstantTimeEq;
use volery_channel::channel::Channel;
use volery_channel::error::{Error, Rejection, Result};
use volery_channel::pool::{Pool, Spare, Tasks};
use volery_channel::random::Random;
use volery_circuit::stream::Map;
use volery_circuit::{Backend, nothing_asserted};
use volery_primitives::arch::Arch;
use volery_primitives::prg::Seed;
use volery_primitives::secret::verdict;
use volery_primitives::{Extension, Field};
use volery_proof::openings::Openings;
use volery_proof::session::Work;
use volery_proof::verdict::{Accepted, Gates, Steps, earlier};
use volery_vole::macs::{Macs, Values};
use volery_vole::vole::device::Expander;
use volery_vole::vole::subfield::same;
use volery_vole::vole::{BoxedVole, Shares, vope};
use zeroize::Zeroizing;

/// How a verifier takes commitments under keys of this kind: over F_2 by whole blocks of the VOLE, over any
/// other field by sections. Each function belongs to a step of the proof, and its errors are those of the
/// link and the VOLE, and `Misbehaved`.
pub trait Commitments: Macs {
    /// The state of commitments besides slots.
    type Kept;

    /// A verification over `channel` with shares from `vole` under `delta`; `random` is for its coins, if it
    /// tosses any.
    fn verifier<'a>(
        channel: &'a mut Channel,
        vole: BoxedVole<Self::Key>,
        arch: Arch,
        delta: &'a Self::Delta,
        random: &mut Random,
    ) -> Verifier<'a, Self>;

    /// Opens slots for the next shares, once all are used. Fig. 4, 2 to 6.
    fn next_slots(verifier: &mut Verifier<'_, Self>) -> Result<()>;
    /// Fills the slots that witness elements have left empty, before another product takes one.
    #[inline(always)]
    fn fill_slots(_: &mut Verifier<'_, Self>) {}
    /// The key of the value that the prover commits to by the next share, which is there. Fig. 4, 4.
    #[inline(always)]
    fn commit(verifier: &mut Verifier<'_, Self>) -> Self::E {
        let one = *verifier.one;
        let (key, slot) = verifier.slot();
        *slot = [key, one, key];
        key
    }
    /// Writes the keys of the next commitments to the beginning of `keys`, one at least, as
    /// [`Commitments::commit`] does one by one, and gives their number.
    #[inline]
    fn commit_some(verifier: &mut Verifier<'_, Self>, keys: &mut [Self::E]) -> usize {
        keys[0] = Self::commit(verifier);
        1
    }
    /// Ends the batch, if any is open. All its corrections have arrived. Fig. 4, 6 and 7.
    fn end_batch(verifier: &mut Verifier<'_, Self>) -> Result<()>;
    /// Ends the batch before the end of the statement.
    fn end_early(verifier: &mut Verifier<'_, Self>) -> Result<()> {
        Self::end_batch(verifier)
    }
    /// Ends the turn of a half, with the section that is open, if any.
    fn end_turn(verifier: &mut Verifier<'_, Self>) -> Result<()>;
    /// Has maps take waves of as many lanes as were agreed on.
    fn widen(kept: &mut Self::Kept, wide: WideWaves);
    /// Executes a function on many lanes at a time, if it can be.
    fn map(
        verifier: &mut Verifier<'_, Self>,
        map: Map<'_, Self::F, Self::E>,
    ) -> Result<Option<Zeroizing<Vec<Self::E>>>>;
    /// Adds polynomials that are to be zero to the open batch.
    fn add(verifier: &mut Verifier<'_, Self>, polynomials: Keys<Self::E>);
    /// Adds those that are still to be computed: so many vectors, of so many lanes each. They are at once, where nothing
    /// can be done with them before the challenge.
    fn add_computed(
        verifier: &mut Verifier<'_, Self>,
        _size: [usize; 2],
        compute: impl FnOnce() -> Vec<Keys<Self::E>> + Send + 'static,
    ) {
        compute().into_iter().for_each(|polynomials| Self::add(verifier, polynomials));
    }
    /// Draws one seed between two batches; `what` names its use.
    fn challenge(verifier: &mut Verifier<'_, Self>, what: &'static str) -> Result<Seed> {
        Ok(single_challenge(&mut verifier.channel, what))
    }
}

/// Verifies the circuit that is pushed into it.
pub struct Verifier<'a, M: Commitments> {
    channel: Turn<'a>,
    vole: BoxedVole<M::Key>,
    delta: &'a M::Delta,
    /// The key of the public value one.
    one: Zeroizing<M::E>,
    arch: Arch,
    pool: Pool,
    steps: Steps,
    block: Shares<M::Key>,
    /// The share of the block at which the open slots begin: those before it are done.
    done: usize,
    slots: Slots<M::E>,
    /// Whether the slots' batch, or section, is still to be ended.
    open: bool,
    pub(super) kept: M::Kept,
    vectors: KeyVectors<M>,
    /// The arithmetic of tasks, each with buffers of its own.
    in_tasks: Spare<KeyVectors<M>>,
    weighing: Weighing<Memory<M::E>, M::E>,
    /// The sums of products, as polynomials of degree two, and of polynomials, as far as they are combined.
    sums: KeySums<M::E>,
    /// Sums of polynomials that tasks are computing.
    computing: Tasks<KeySums<M::E>>,
    /// Coefficients of the prover's polynomials in this batch.
    coefficients: usize,
    /// Asserted products of wires that are counted already, and not yet combined.
    asserted: Zeroizing<Vec<Triple<M::E>>>,
    openings: Openings,
    gates: Gates,
    /// Shares that were used up, but for those of the open slots.
    committed: u64,
    progress: Progress<'a>,
    /// The function that brings the file's next bytes to the link, where the proof is one.
    feed: Option<Feed<'a>>,
    /// Bilinear forms that wait for a challenge.
    forms: Forms<M::F, M::E>,
    /// Memories and tables.
    remembered: Remembered<M::F, M::E, M::E>,
    /// The lengths of the sections, where this is a half of a proof.
    lengths: Option<Lengths>,
    /// The wires that cross, where this is a shard, with the salt of its check.
    shard: Option<Salted<M::E>>,
}

/// The verdict of a verifier that accepted, with the VOLE for the next statement.
pub(super) type Decided<M> = (Accepted, Gates, BoxedVole<<M as Macs>::Key>);

/// The verifier's result: the turn, the verdict, and the wires that go out of a shard.
type Ended<'a, M> = (Turn<'a>, Result<Decided<M>>, Option<KeyEnds<M>>);

/// The ends of crossing wires that a verifier holds.
type KeyEnds<M> = Ends<<M as Values>::E, <M as Values>::E>;

/// The wires that cross, with the salt of their check.
type Salted<E> = (Open<E, E>, Zeroizing<[u8; 32]>);

/// A function that brings a batch's first bytes to the link, where the link does not fetch them itself.
type Feed<'a> = Box<dyn FnMut() -> Result<()> + 'a>;

impl<'a, M: Commitments> Verifier<'a, M> {
    /// A verification over `channel` with shares from `vole` under `delta`.
    fn over(
        channel: Turn<'a>,
        vole: BoxedVole<M::Key>,
        arch: Arch,
        delta: &'a M::Delta,
        kept: M::Kept,
    ) -> Self {
        Self {
            channel,
            vole,
            delta,
            one: Zeroizing::new(M::one(delta)),
            arch,
            pool: Pool::default(),
            steps: Steps::default(),
            block: Shares::default(),
            done: 0,
            slots: Slots::default(),
            open: false,
            kept,
            vectors: KeyVectors::new(arch, Arc::new(Zeroizing::new(M::delta(delta)))),
            in_tasks: Spare::default(),
            weighing: Weighing::default(),
            sums: KeySums::default(),
            computing: Tasks::default(),
            coefficients: 0,
            asserted: Zeroizing::default(),
            openings: Openings::new(ASSERTED),
            gates: Gates::default(),
            committed: 0,
            progress: Progress::default(),
            feed: None,
            forms: Forms::default(),
            remembered: Remembered::default(),
            lengths: None,
            shard: None,
        }
    }

    /// A half of a proof, whose turn is still to come.
    fn half_over(vole: BoxedVole<M::Key>, arch: Arch, delta: &'a M::Delta, kept: M::Kept) -> Self {
        let lengths = Some(Lengths::default());
        Self { lengths, ..Self::over(Turn::of_other(), vole, arch, delta, kept) }
    }

    /// Whether this verifier has the channel.
    #[inline]
    pub(super) fn has_turn(&self) -> bool {
        self.channel.is_own()
    }

    /// Receives `bytes`, in this verifier's turn.
    pub(super) fn hear(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.steps.begin()?;
        self.channel.recv(bytes)?;
        self.steps.end();
        Ok(())
    }

    /// Fails with `error`, and goes no further.
    pub(super) fn fail(&mut self, error: Error) -> Error {
        self.steps.fail(error)
    }

    /// How much the statement has asserted by now.
    pub(super) fn asserted(&self) -> u64 {
        self.gates.assert
    }

    /// Receives the channel for its next turn.
    pub(super) fn begin_turn(&mut self, turn: Turn<'a>) {
        self.channel = turn;
    }

    /// Ends the turn, and hands the channel on. All its corrections have arrived.
    pub(super) fn end_turn(&mut self) -> Result<Turn<'a>> {
        self.take_asserted()?;
        self.steps.begin()?;
        M::end_turn(self)?;
        self.steps.end();
        Ok(self.channel.take())
    }

    /// Calls `feed` before each batch, whose first bytes it is to bring to the link.
    pub(super) fn feed_by(mut self, feed: impl FnMut() -> Result<()> + 'a) -> Self {
        self.feed = Some(Box::new(feed));
        self
    }

    /// Hands out to `pool` what gates need not wait for.
    pub fn share_work(mut self, pool: &Pool) -> Self {
        self.vole.share_work(pool);
        Self { pool: pool.clone(), ..self }
    }

    /// Stores the number of multiplications so far in `progress`, if any, once a block; a half of a proof
    /// adds its new ones.
    pub fn report_to(mut self, progress: Option<&'a AtomicU64>) -> Self {
        self.progress = Progress::to(progress, self.lengths.is_some());
        self
    }

    /// Takes waves of as many lanes as were agreed on, and has a device walk over them where it can.
    pub(crate) fn in_waves(mut self, work: &Work<'_>) -> Self {
        if let Some(lanes) = work.lanes {
            let device = work.options.device.clone().filter(|device| {
                let expander: Arc<dyn Expander> = device.clone();
                self.vole.expand_by(&expander)
            });
            M::widen(&mut self.kept, WideWaves { lanes: lanes as usize, device });
        }
        self
    }

    /// Receives what remains and decides; gives the VOLE back for the next statement. The
    /// prover is not told here.
    ///
    /// # Errors
    /// `Rejected` or `Misbehaved` where a check fails; `Invalid` where the circuit asserted nothing or met
    /// with an error before; link errors.
    pub fn finish(self) -> Result<(Accepted, Gates, BoxedVole<M::Key>)> {
        if self.gates.assert == 0 {
            return Err(nothing_asserted());
        }
        self.finish_turn()?.1
    }

    /// Ends the proof as [`Verifier::finish`] does, and with it the last turn: whatever is decided, all of
    /// the prover's last messages were read.
    ///
    /// # Errors
    /// As for [`Verifier::finish`], where these messages were not all read.
    pub(super) fn finish_turn(self) -> Result<(Turn<'a>, Result<Decided<M>>)> {
        self.end().map(|(turn, decided, _)| (turn, decided))
    }

    /// Ends the proof, and gives the wires that go out of a shard.
    fn end(mut self) -> Result<Ended<'a, M>> {
        self.forget_all()?;
        self.shard.as_ref().map_or(Ok(()), |(shard, _)| shard.crossing.check_end())?;
        self.take_asserted()?;
        self.steps.begin()?;
        M::end_batch(&mut self)?;
        let degree = degree_of_check(self.gates.degree);
        let masks = vope::lines(degree - 1);
        let lines = self.lines(masks + self.shard.as_ref().map_or(0, |(shard, _)| shard.lines()))?;
        let (masks, lines) = lines.split_at(masks);
        let mask = vope::value(degree - 1, masks);
        while let Some(sums) = self.weighing.last(self.committed) {
            self.add_products(&sums);
        }
        self.gather_computed(0);
        // A failed check must not look different to a peer whose last message is still to come: its error waits.
        let consistent = match self.vole.check(&mut self.channel) {
            Err(error) if error.is_of_link() => return Err(error),
            checked => checked,
        };
        let (consistent, given) = match self.shard.take() {
            None => (consistent, None),
            Some((shard, salt)) => {
                let by = (M::delta(self.delta), &*salt);
                let given = shard.verify(&mut self.channel, lines, by, consistent.is_ok());
                let (consistent, given) = earlier(consistent, given)?;
                (consistent, Some(given))
            }
        };
        let mut opened = vec![M::E::ZERO; degree];
        let openings = self.channel.recv_elements(&mut opened).and_then(|()| self.channel.recv_array());
        let (consistent, openings): (_, [u8; 32]) = earlier(consistent, openings)?;

        // Fig. 4, 7c, and fig. 5, 5c: W = Σ χ·B + B*, where B = k_a·k_b − k_c·Δ for products.
        let (w, at_delta) = self.sums.against(M::delta(self.delta), mask, &opened);
        let products_hold = same(w, at_delta);
        // Fig. 4, 8.
        let assertions_hold = self.openings.digest().ct_eq(&openings);
        self.gates.mul = self.committed - self.gates.inputs + self.gates.on_tape;
        let decided = match consistent {
            Err(error) => Err(error),
            Ok(_) if !products_hold => Err(Error::Rejected(Rejection::ProductsAndPolynomials)),
            Ok(vole) => Accepted::only_if(verdict(assertions_hold), Rejection::Assertions)
                .map(|accepted| (accepted, self.gates, vole)),
        };
        Ok((self.channel, decided, given))
    }

    /// Computes what [`Verifier::finish`] would compare, for a proof whose check has this degree, and masks
    /// that were drawn before the first gate.
    ///
    /// # Errors
    /// As for [`Verifier::finish`]; `Invalid` where the degree is another.
    pub(super) fn finish_masked(mut self, degree: usize) -> Result<Finished<KeySums<M::E>>> {
        if self.gates.assert == 0 {
            return Err(nothing_asserted());
        }
        self.end_forms()?;
        self.take_asserted()?;
        self.steps.begin()?;
        M::end_batch(&mut self)?;
        while let Some(sums) = self.weighing.last(self.committed) {
            self.add_products(&sums);
        }
        self.gather_computed(0);
        expect_degree(degree, &self.gates)?;
        self.gates.mul = self.committed - self.gates.inputs + self.gates.on_tape;
        Ok(Finished { gates: self.gates, sums: self.sums, asserted: self.openings.digest() })
    }

    /// Adds the sums of polynomials that tasks have computed, but for the last `ahead`.
    fn gather_computed(&mut self, ahead: usize) {
        while let Some(sums) = self.computing.next_beyond(ahead) {
            self.sums.add_all(&sums);
        }
    }

    /// Lines over the extension at Δ from shares that commit to nothing, of the last block or of further ones.
    /// Fig. 4, 3.
    fn lines(&mut self, count: usize) -> Result<Zeroizing<Vec<M::E>>> {
        let masks = <M::E as Extension<M::F>>::degree() as usize;
        let mut lines = Zeroizing::new(Vec::with_capacity(count));
        for _ in 0..count {
            if self.block.len() - self.done < masks {
                self.vole.block(&mut self.channel, &mut self.block)?;
                self.done = 0;
            }
            lines.push(M::E::pack(&self.block.rows(self.done)[..masks]));
            self.done += masks;
        }
        Ok(lines)
    }

    /// The key of the value that the prover commits to by the next share. Fig. 4, 4.
    pub(super) fn commit_to(&mut self) -> Result<M::E> {
        self.find_slot()?;
        self.gates.inputs += 1;
        Ok(M::commit(self))
    }

    /// Takes a commitment, and checks that its value is a bit, as the product of itself and itself.
    pub(super) fn commit_to_bit(&mut self) -> Result<M::E> {
        self.find_slot()?;
        M::fill_slots(self);
        let (key, slot) = self.slot();
        *slot = [key, key, key];
        self.gates.inputs += 1;
        Ok(key)
    }

    /// Checks that the line with this key is zero, where no statement asserts it. Fig. 4, 8.
    pub(super) fn open_zero(&mut self, key: &M::E) {
        self.openings.absorb(key);
    }

    /// Makes sure that a share with a slot is open.
    #[inline(always)]
    fn find_slot(&mut self) -> Result<()> {
        if self.slots.are_used_up() { self.more_slots() } else { Ok(()) }
    }

    /// The key of the next share, and its slot for the caller to fill. Both are open.
    #[inline(always)]
    fn slot(&mut self) -> (M::E, &mut Triple<M::E>) {
        (self.block.row(self.done + self.slots.next()), self.slots.slot())
    }

    /// Opens further slots: one at least.
    #[cold]
    #[inline(never)]
    fn more_slots(&mut self) -> Result<()> {
        self.next_slots()?;
        if self.slots.are_used_up() { Err(self.steps.fail(more_than_counted())) } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn next_slots(&mut self) -> Result<()> {
        self.steps.begin()?;
        M::next_slots(self)?;
        self.steps.end();
        Ok(())
    }

    /// Starts a task that combines the products of the used slots into Σ χ·(k_a·k_b) and Σ χ·k_c, adds the
    /// sums of finished tasks, and gives the number of products. Fig. 4, 7.
    fn weigh_products(
        &mut self,
        weigh: impl FnOnce(&[Triple<M::E>]) -> Zeroizing<[M::E; 2]> + Send + 'static,
    ) -> usize {
        let (count, used) = self.slots.take(self.weighing.spare().unwrap_or_default());
        self.committed += count as u64;
        self.weighing.begin(&self.pool, (count, used), move |used| weigh(&used[..count]));
        while let Some(sums) = self.weighing.next_beyond(self.pool.ahead()) {
            self.add_products(&sums);
        }
        count
    }

    fn add_products(&mut self, sums: &[M::E]) {
        self.sums.add(2, sums[0] - sums[1] * M::delta(self.delta));
    }

    /// Reports the number of multiplications so far.
    fn report(&mut self) {
        self.report_without(0);
    }

    /// Reports it where so many inputs are not counted yet.
    fn report_without(&mut self, inputs: u64) {
        // Of a batch that is open inputs are counted, and no shares yet.
        let done = self.committed + self.gates.on_tape;
        self.progress.tell(done.saturating_sub(self.gates.inputs + inputs));
    }
}

impl<M: Commitments> Backend for Verifier<'_, M> {
    type F = M::F;
    type Wire = M::E;

    #[inline(always)]
    fn constant(&mut self, c: M::F) -> M::E {
        self.one.scale(c)
    }
    #[inline(always)]
    fn add(&mut self, a: M::E, b: M::E) -> M::E {
        self.gates.add += 1;
        a + b
    }
    #[inline(always)]
    fn scale(&mut self, a: M::E, c: M::F) -> M::E {
        a.scale(c)
    }
    #[inline]
    fn witness(&mut self) -> Result<M::E> {
        self.commit_to()
    }
    fn witnesses(&mut self, mut wires: &mut [M::E]) -> Result<()> {
        while !wires.is_empty() {
            self.find_slot()?;
            let count = M::commit_some(self, wires);
            self.gates.inputs += count as u64;
            wires = &mut wires[count..];
        }
        Ok(())
    }
    fn hint(&mut self, _: &[M::E], _: impl Fn(&[M::F]) -> M::F + Send + Sync + 'static) -> Result<M::E> {
        self.commit_to()
    }
    fn hints(
        &mut self,
        _: &[M::E],
        count: usize,
        _: impl Fn(&[M::F]) -> Vec<M::F> + Send + Sync + 'static,
    ) -> Result<Vec<M::E>> {
        let mut wires = vec![M::E::ZERO; count];
        self.witnesses(&mut wires)?;
        Ok(wires)
    }
    fn linear(&mut self, factors: &[M::F], wires: &[M::E]) -> M::E {
        self.gates.add += wires.len().saturating_sub(1) as u64;
        M::linear_keys(self.arch, factors, wires)
    }
    #[inline(always)]
    fn mul(&mut self, a: M::E, b: M::E) -> Result<M::E> {
        self.find_slot()?;
        M::fill_slots(self);
        let (c, slot) = self.slot();
        *slot = [a, b, c];
        Ok(c)
    }
    #[inline]
    fn assert_zero(&mut self, a: M::E, _: impl Display) -> Result<()> {
        self.openings.absorb(&a);
        self.gates.assert += 1;
        Ok(())
    }
}
