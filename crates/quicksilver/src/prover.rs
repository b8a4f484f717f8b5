//! The prover's side.

mod blocks;
mod branch;
mod memory;
mod polynomial;
mod products;
mod sections;
mod shard;
mod waves;

use super::crossing::{Ends, Open};
use super::failure::{Failure, FirstFailure, Name};
use super::memory::{Party, Remembered};
use super::polynomial::{Forms, Pending, Sums, TagVectors, degree_of_check};
use super::slots::{Slots, Triple};
use super::turns::{Lengths, Progress, Turn};
use super::waves::WideWaves;
use super::{ASSERTED, Finished, expect_degree, more_than_counted, single_challenge};
use core::fmt::Display;
use core::sync::atomic::AtomicU64;
use std::sync::Arc;
use volery_channel::channel::Channel;
use volery_channel::error::{Error, Result};
use volery_channel::pool::{Pool, Spare};
use volery_circuit::stream::Map;
use volery_circuit::{Backend, nothing_asserted, witness_ended, witness_unread};
use volery_primitives::arch::Arch;
use volery_primitives::prg::Seed;
use volery_primitives::secret::verdict;
use volery_primitives::{Extension, Field, Tagged};
use volery_proof::openings::Openings;
use volery_proof::session::Work;
use volery_proof::verdict::{Gates, Steps};
use volery_vole::macs::{Macs, Values, values};
use volery_vole::vole::device::Expander;
use volery_vole::vole::{BoxedVole, Shares, vope};
use zeroize::Zeroizing;

/// How a prover commits to values under MACs of this kind: over F_2 by whole blocks of the VOLE, over any
/// other field by sections. Each function belongs to a step of the proof, and its errors are those of the
/// link and the VOLE.
pub trait Commitments: Macs {
    /// The state of commitments besides slots.
    type Kept: Default;

    /// Opens slots for the next shares, once all are used. Fig. 4, 2 to 6.
    fn next_slots(prover: &mut Prover<'_, Self>) -> Result<()>;
    /// Fills the slots that witness elements have left empty, before another product takes one.
    #[inline(always)]
    fn fill_slots(_: &mut Prover<'_, Self>) {}
    /// Commits to `value` by the next share, which is there. Fig. 4, 4.
    #[inline(always)]
    fn commit(prover: &mut Prover<'_, Self>, value: Self::F) -> Self::Tag {
        prover.commit_as(value, |_| Self::constant(Self::F::ONE))
    }
    /// Commits to the first of `values`, one at least, as [`Commitments::commit`] does one by one, writes the wires
    /// to the beginning of `wires`, and gives their number.
    #[inline]
    fn commit_some(prover: &mut Prover<'_, Self>, values: &[Self::F], wires: &mut [Self::Tag]) -> usize {
        wires[0] = Self::commit(prover, values[0]);
        1
    }
    /// Sends corrections that are complete, so that the verifier does not wait while the prover computes.
    fn hand_over(_: &mut Prover<'_, Self>) -> Result<()> {
        Ok(())
    }
    /// Sends the corrections that are left, and ends the batch, if any is open. Fig. 4, 5 to 7.
    fn end_batch(prover: &mut Prover<'_, Self>) -> Result<()>;
    /// Ends the batch before the end of the statement.
    fn end_early(prover: &mut Prover<'_, Self>) -> Result<()> {
        Self::end_batch(prover)
    }
    /// Ends the turn of a half, with the section that is open, if any.
    fn end_turn(prover: &mut Prover<'_, Self>) -> Result<()>;
    /// Has maps take waves of as many lanes as were agreed on.
    fn widen(kept: &mut Self::Kept, wide: WideWaves);
    /// Executes a function on many lanes at a time, if it can be.
    fn map(
        prover: &mut Prover<'_, Self>,
        map: Map<'_, Self::F, Self::Tag>,
    ) -> Result<Option<Zeroizing<Vec<Self::Tag>>>>;
    /// The polynomials of the open batch.
    fn polynomials<'p>(prover: &'p mut Prover<'_, Self>) -> &'p mut Pending<Self::E>;
    /// Waits for the tasks that compute polynomials of batches without a challenge, but for the last `ahead` of each.
    fn settle(prover: &mut Prover<'_, Self>, ahead: usize);
    /// Draws one seed between two batches; `what` names its use.
    fn challenge(prover: &mut Prover<'_, Self>, what: &'static str) -> Result<Seed> {
        Ok(single_challenge(&mut prover.channel, what))
    }
    /// Receives what the verifier has sent before its messages for the next block.
    fn hear_before_block(_: &mut Prover<'_, Self>) -> Result<()> {
        Ok(())
    }
    /// Counts a block whose messages were sent.
    fn pass_block(_: &mut Self::Kept) {}
    /// Whether a batch ends with the block that is `ahead` blocks behind the last one whose messages were sent, if
    /// batches go by their number.
    fn ends_batch(_: &Self::Kept, _ahead: usize) -> Option<bool> {
        None
    }
    /// Draws the next block.
    fn draw(prover: &mut Prover<'_, Self>) -> Result<()> {
        Self::hear_before_block(prover)?;
        prover.vole.block(&mut prover.channel, &mut prover.block)?;
        Self::pass_block(&mut prover.kept);
        Ok(())
    }
    /// Adds all products to the sums, once their challenges have arrived.
    fn weigh_all(prover: &mut Prover<'_, Self>);
    /// Receives the challenges that are still to come.
    fn catch_up(_: &mut Prover<'_, Self>) -> Result<()> {
        Ok(())
    }
}

/// Proves the circuit that is pushed into it.
pub struct Prover<'a, M: Commitments> {
    channel: Turn<'a>,
    vole: BoxedVole<M::Mac>,
    witness: Box<dyn Iterator<Item = M::F> + 'a>,
    arch: Arch,
    pool: Pool,
    steps: Steps,
    block: Shares<M::Mac>,
    /// The share of the block at which the open slots begin: those before it are done.
    done: usize,
    slots: Slots<M::Tag>,
    /// Whether corrections of the slots' shares are still to be sent.
    open: bool,
    pub(super) kept: M::Kept,
    vectors: TagVectors<M>,
    /// The arithmetic of tasks, each with buffers of its own.
    in_tasks: Spare<TagVectors<M>>,
    /// The sums of products, as polynomials of degree two, and of polynomials, over all batches that have a
    /// challenge.
    sums: Sums<M::E>,
    /// Coefficients of polynomials in this batch.
    coefficients: usize,
    /// Asserted products of wires that are counted already, and not yet added to the polynomials.
    asserted: Zeroizing<Vec<Triple<M::Tag>>>,
    openings: Openings,
    gates: Gates,
    /// Shares that were used up, but for those of the open slots.
    committed: u64,
    /// The first assertion that failed; the peer learns of it at the end.
    failed: FirstFailure,
    progress: Progress<'a>,
    /// The function that writes out what was sent, where the proof is a file.
    drain: Option<Drain<'a>>,
    /// Errors that a cheating prover adds to its commitments, by their numbers.
    #[cfg(test)]
    pub(super) lies: Vec<(u64, M::F)>,
    /// The shares of a map, in the order in which they are corrected, of which a cheating prover sends wrong
    /// corrections.
    #[cfg(test)]
    pub(super) lies_in_waves: Vec<u64>,
    /// Bilinear forms that wait for a challenge.
    forms: Forms<M::F, M::Tag>,
    /// Memories and tables.
    remembered: Remembered<M::F, M::Tag, M::E>,
    /// The lengths of the sections, where this is a half of a proof.
    lengths: Option<Lengths>,
    /// The wires that cross, where this is a shard.
    shard: Option<Open<M::Tag, Wide<M>>>,
}

/// A function that writes out what was sent, where the link does not by itself.
type Drain<'a> = Box<dyn FnMut() -> Result<()> + 'a>;

impl<'a, M: Commitments> Prover<'a, M> {
    /// A proof over `channel` with shares from `vole`, whose witness is read from `witness`.
    pub fn new(
        channel: &'a mut Channel,
        vole: BoxedVole<M::Mac>,
        arch: Arch,
        witness: impl IntoIterator<Item = M::F, IntoIter: 'a>,
    ) -> Self {
        Self::over(Turn::with(channel), vole, arch, Box::new(witness.into_iter()), None)
    }

    /// A half of a proof, whose turn is still to come.
    pub(super) fn half(
        vole: BoxedVole<M::Mac>,
        arch: Arch,
        witness: impl IntoIterator<Item = M::F, IntoIter: 'a>,
    ) -> Self {
        Self::over(Turn::of_other(), vole, arch, Box::new(witness.into_iter()), Some(Lengths::default()))
    }

    fn over(
        channel: Turn<'a>,
        vole: BoxedVole<M::Mac>,
        arch: Arch,
        witness: Box<dyn Iterator<Item = M::F> + 'a>,
        lengths: Option<Lengths>,
    ) -> Self {
        Self {
            channel,
            vole,
            witness,
            arch,
            pool: Pool::default(),
            steps: Steps::default(),
            block: Shares::default(),
            done: 0,
            slots: Slots::default(),
            open: false,
            kept: M::Kept::default(),
            vectors: TagVectors::new(arch),
            in_tasks: Spare::default(),
            sums: Sums::default(),
            coefficients: 0,
            asserted: Zeroizing::default(),
            openings: Openings::new(ASSERTED),
            gates: Gates::default(),
            committed: 0,
            failed: FirstFailure::default(),
            progress: Progress::default(),
            drain: None,
            #[cfg(test)]
            lies: Vec::new(),
            #[cfg(test)]
            lies_in_waves: Vec::new(),
            forms: Forms::default(),
            remembered: Remembered::default(),
            lengths,
            shard: None,
        }
    }

    /// Makes the proof a file: calls `drain` whenever a batch was sent.
    pub(super) fn for_file(mut self, drain: impl FnMut() -> Result<()> + 'a) -> Self {
        self.drain = Some(Box::new(drain));
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

    /// Sends what remains, and gives the VOLE back for the next statement. The verdict is the
    /// caller's to wait for.
    ///
    /// # Errors
    /// `Unsatisfied` where an assertion failed, and then the proof is not completed; `Invalid` where the
    /// circuit asserted nothing, left a part of the witness unread or met with an error before; link errors.
    pub fn finish(self) -> Result<(Gates, BoxedVole<M::Mac>)> {
        self.finish_turn().map(|(gates, vole, _)| (gates, vole))
    }

    /// Ends the proof as [`Prover::finish`] does, and with it the last turn.
    ///
    /// # Errors
    /// As for [`Prover::finish`], but that a half may assert nothing.
    pub(super) fn finish_turn(self) -> Result<(Gates, BoxedVole<M::Mac>, Turn<'a>)> {
        self.end().map(|(gates, vole, turn, _)| (gates, vole, turn))
    }

    /// Ends the proof, and gives the wires that go out of a shard.
    fn end(mut self) -> Result<Ended<'a, M>> {
        self.forget_all()?;
        self.conclude()?;
        let degree = degree_of_check(self.gates.degree) - 1;
        let masks = vope::lines(degree);
        let lines = self.lines(masks + self.shard.as_ref().map_or(0, Open::lines))?;
        let (masks, lines) = lines.split_at(masks);
        M::catch_up(&mut self)?;
        M::weigh_all(&mut self);
        let opened = self.sums.masked(&vope::polynomial(degree, masks));
        let vole = self.vole.check(&mut self.channel)?;
        let given = self.shard.take().map(|shard| shard.prove(&mut self.channel, lines)).transpose()?;
        // Fig. 4, 7b and 8.
        self.channel.send_elements(&opened)?;
        self.channel.send(&self.openings.digest())?;
        self.gates.mul = self.committed - self.gates.inputs + self.gates.on_tape;
        Ok((self.gates, vole, self.channel, given))
    }

    /// Whether this prover has the channel.
    #[inline]
    pub(super) fn has_turn(&self) -> bool {
        self.channel.is_own()
    }

    /// Sends `bytes`, in this prover's turn.
    pub(super) fn say(&mut self, bytes: &[u8]) -> Result<()> {
        self.steps.begin()?;
        self.channel.send(bytes)?;
        self.steps.end();
        Ok(())
    }

    /// How much the statement has asserted by now.
    pub(super) fn asserted(&self) -> u64 {
        self.gates.assert
    }

    /// Takes the name of the first assertion that has failed, if one has.
    pub(super) fn take_failure(&mut self) -> Option<String> {
        M::settle(self, 0);
        self.failed.take()
    }

    /// Receives the channel for its next turn.
    pub(super) fn begin_turn(&mut self, turn: Turn<'a>) {
        self.channel = turn;
    }

    /// Ends the turn, and hands the channel on, once the corrections of all its commitments are sent.
    pub(super) fn end_turn(&mut self) -> Result<Turn<'a>> {
        self.take_asserted()?;
        self.steps.begin()?;
        M::end_turn(self)?;
        self.steps.end();
        Ok(self.channel.take())
    }

    /// Computes what [`Prover::finish`] would send, for a proof whose check has the degree of which `mask`
    /// has the coefficients, drawn before the first gate.
    ///
    /// # Errors
    /// As for [`Prover::finish`]; `Invalid` where the degree is another.
    pub(super) fn finish_masked(mut self, mask: &[M::E]) -> Result<Finished<Vec<M::E>>> {
        self.end_forms()?;
        self.conclude()?;
        M::catch_up(&mut self)?;
        M::weigh_all(&mut self);
        expect_degree(mask.len(), &self.gates)?;
        self.gates.mul = self.committed - self.gates.inputs + self.gates.on_tape;
        let sums = self.sums.masked(mask);
        Ok(Finished { gates: self.gates, sums, asserted: self.openings.digest() })
    }

    /// Goes on as if no assertion had failed.
    #[cfg(test)]
    pub(super) fn lie(&mut self) -> Option<String> {
        self.take_failure()
    }

    /// Ends the last batch.
    fn conclude(&mut self) -> Result<()> {
        if self.gates.assert == 0 && self.lengths.is_none() && self.shard.is_none() {
            return Err(nothing_asserted());
        }
        if self.witness.next().is_some() {
            return Err(witness_unread());
        }
        self.shard.as_ref().map_or(Ok(()), |shard| shard.crossing.check_end())?;
        self.take_asserted()?;
        self.steps.begin()?;
        M::end_batch(self)?;
        self.take_failure().map_or(Ok(()), |name| Err(Error::Unsatisfied(name)))
    }

    /// Lines over the extension from shares that commit to nothing, of the last block or of further ones.
    /// Fig. 4, 3.
    fn lines(&mut self, count: usize) -> Result<Lines<M::E>> {
        let masks = <M::E as Extension<M::F>>::degree() as usize;
        let mut lines = Zeroizing::new(Vec::with_capacity(count));
        for _ in 0..count {
            if self.block.len() - self.done < masks {
                M::draw(self)?;
                self.done = 0;
            }
            let masks = &self.block.rows(self.done)[..masks];
            let values = masks.iter().map(|share| M::value(*share).into());
            lines.push((pack::<M>(masks.iter().map(|share| M::mac(*share))), pack::<M>(values)));
            self.done += masks.len();
        }
        Ok(lines)
    }

    /// Commits to `value` by the next share. Fig. 4, 4.
    pub(super) fn commit_to(&mut self, value: M::F) -> Result<M::Tag> {
        let value = self.lied(value);
        self.find_slot()?;
        self.gates.inputs += 1;
        Ok(M::commit(self, value))
    }

    /// Commits to `values` by the next shares, as many as there are `wires`.
    pub(super) fn commit_to_all(&mut self, mut values: &[M::F], mut wires: &mut [M::Tag]) -> Result<()> {
        assert_eq!(values.len(), wires.len());
        #[cfg(test)]
        if !self.lies.is_empty() {
            for (wire, value) in wires.iter_mut().zip(values) {
                *wire = self.commit_to(*value)?;
            }
            return Ok(());
        }
        while !wires.is_empty() {
            self.find_slot()?;
            let count = M::commit_some(self, values, wires);
            self.gates.inputs += count as u64;
            (values, wires) = (&values[count..], &mut wires[count..]);
        }
        Ok(())
    }

    /// Commits to `value`, and shows that it is a bit: checked as the product of itself and itself.
    pub(super) fn commit_to_bit(&mut self, value: M::F) -> Result<M::Tag> {
        let value = self.lied(value);
        self.find_slot()?;
        M::fill_slots(self);
        self.gates.inputs += 1;
        Ok(self.commit_as(value, |wire| wire))
    }

    /// Commits to `value`, which is checked as the product of itself and the `factor`, by the next share, which
    /// is there.
    #[inline(always)]
    fn commit_as(&mut self, value: M::F, factor: impl FnOnce(M::Tag) -> M::Tag) -> M::Tag {
        let (share, slot) = self.slot();
        let wire = M::corrected(share, value);
        *slot = [wire, factor(wire), wire];
        wire
    }

    /// Adds the errors of a cheating prover to the next commitment's value.
    #[inline(always)]
    fn lied(&self, value: M::F) -> M::F {
        #[cfg(test)]
        let value =
            value + self.lies.iter().filter(|(at, _)| *at == self.gates.inputs).map(|(_, lie)| *lie).sum();
        value
    }

    /// Opens a line as zero by its MAC, where no statement asserts it. Fig. 4, 8.
    pub(super) fn open_zero(&mut self, mac: &M::E) {
        self.openings.absorb(mac);
    }

    /// Commits to `value` as the product of `a` and `b`, which it is where the prover is honest. Fig. 4, 5.
    #[inline(always)]
    pub(super) fn multiply(&mut self, a: M::Tag, b: M::Tag, value: M::F) -> Result<M::Tag> {
        self.find_slot()?;
        M::fill_slots(self);
        let (share, slot) = self.slot();
        let c = M::corrected(share, value);
        *slot = [a, b, c];
        Ok(c)
    }

    /// Makes sure that a share with a slot is open.
    #[inline(always)]
    fn find_slot(&mut self) -> Result<()> {
        if self.slots.are_used_up() { self.more_slots() } else { Ok(()) }
    }

    /// The next share, and its slot for the caller to fill. Both are open.
    #[inline(always)]
    fn slot(&mut self) -> (M::Tag, &mut Triple<M::Tag>) {
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

    /// Notes the name of a failed assertion, if it is the first.
    #[inline]
    fn note(&mut self, holds: bool, name: impl Display) {
        // A prover that has no witness ends without a proof, and says so.
        if !verdict(holds) {
            self.note_failure(|| Some(name.to_string()));
        }
    }

    /// Notes the name of a failed assertion, if there is one and it is the first. To find it out takes long.
    fn note_failure(&mut self, name: impl FnOnce() -> Option<String>) {
        let before = self.gates.assert;
        if self.failed.may_be(before)
            && let Some(name) = name()
        {
            self.failed.note(Failure { before, name: Name::Known(name) });
        }
    }
}

/// The prover's result, with its turn, and the wires that go out of a shard.
type Ended<'a, M> = (Gates, BoxedVole<<M as Macs>::Mac>, Turn<'a>, Option<TagEnds<M>>);

/// The ends of crossing wires that a prover holds.
type TagEnds<M> = Ends<<M as Values>::Tag, Wide<M>>;

/// A committed element of the extension with its MAC.
type Wide<M> = Tagged<<M as Values>::E, <M as Values>::E>;

/// m and u of each line m + u·X.
type Lines<E> = Zeroizing<Vec<(E, E)>>;

/// The element of the extension with these coordinates.
fn pack<M: Macs>(coordinates: impl Iterator<Item = M::E>) -> M::E {
    M::E::pack(&Zeroizing::new(coordinates.collect::<Vec<_>>()))
}

impl<M: Commitments> Backend for Prover<'_, M> {
    type F = M::F;
    type Wire = M::Tag;

    #[inline(always)]
    fn constant(&mut self, c: M::F) -> M::Tag {
        M::constant(c)
    }
    #[inline(always)]
    fn add(&mut self, a: M::Tag, b: M::Tag) -> M::Tag {
        self.gates.add += 1;
        a + b
    }
    #[inline(always)]
    fn scale(&mut self, a: M::Tag, c: M::F) -> M::Tag {
        M::scale(a, c)
    }
    #[inline]
    fn witness(&mut self) -> Result<M::Tag> {
        let value = self.witness.next().ok_or_else(|| self.steps.fail(witness_ended()))?;
        self.commit_to(value)
    }
    fn hint(&mut self, of: &[M::Tag], f: impl Fn(&[M::F]) -> M::F + Send + Sync + 'static) -> Result<M::Tag> {
        self.commit_to(f(&values::<M>(of)))
    }
    fn hints(
        &mut self,
        of: &[M::Tag],
        count: usize,
        f: impl Fn(&[M::F]) -> Vec<M::F> + Send + Sync + 'static,
    ) -> Result<Vec<M::Tag>> {
        let values = Zeroizing::new(f(&values::<M>(of)));
        assert_eq!(values.len(), count);
        let mut wires = vec![M::Tag::default(); count];
        self.commit_to_all(&values, &mut wires)?;
        Ok(wires)
    }
    fn linear(&mut self, factors: &[M::F], wires: &[M::Tag]) -> M::Tag {
        self.gates.add += wires.len().saturating_sub(1) as u64;
        M::linear(self.arch, factors, wires)
    }
    #[inline(always)]
    fn mul(&mut self, a: M::Tag, b: M::Tag) -> Result<M::Tag> {
        self.multiply(a, b, M::value(a) * M::value(b))
    }
    #[inline]
    fn assert_zero(&mut self, a: M::Tag, name: impl Display) -> Result<()> {
        self.note(M::value(a) == M::F::ZERO, name);
        self.openings.absorb(&M::mac(a));
        self.gates.assert += 1;
        Ok(())
    }
}
