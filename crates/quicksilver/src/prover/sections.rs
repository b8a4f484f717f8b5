//! Over any field, over F_2 with short MACs: corrections go out by sections of a block, and where E is short a
//! batch waits for the verifier's coin.

use super::products::{Batch, OnDevice, Products};
use super::{Commitments, Lengths, Prover};
use crate::arithmetic::{BLOCKS, Sections, WAITING, slots};
use crate::polynomial::{Pending, Sums};
use crate::slots::{Memory, Weighing};
use crate::waves::{ElementsOnDevice, Maps, Rows, Tags, WideWaves};
use crate::{challenge, single_challenge};
use std::collections::VecDeque;
use volery_channel::error::Result;
use volery_channel::pool::{Spare, Tasks};
use volery_circuit::stream::Map;
use volery_primitives::prg::Seed;
use volery_primitives::{F128, Field, MacField, Tag as _};
use volery_proof::verdict::by_transcript;
use volery_vole::macs::{FieldMacs, Macs, Values};

/// The prover's state of its commitments.
pub struct Kept<B: Field, E: MacField<B>> {
    pub(super) sections: Sections<B>,
    /// Whether the corrections of the section were sent.
    pub(super) sent: bool,
    /// Blocks of this statement for which the verifier's messages were received.
    heard: usize,
    /// Batches without a challenge; the last one may still grow.
    waiting: VecDeque<Batch<E>>,
    /// Empty batches, whose memory is used again.
    spare: Vec<Batch<E>>,
    slots: Spare<Memory<E::Tag>>,
    pub(super) weighing: Weighing<Products<E>, E>,
    /// The functions that were mapped.
    pub(crate) maps: Maps<Tags<FieldMacs<B, E>>>,
    /// Sums of polynomials that tasks are computing.
    polynomials: Tasks<Sums<E>>,
    /// The device that walks over a map, with the products of batches without a challenge.
    pub(super) device: Option<ElementsOnDevice>,
}

impl<B: Field, E: MacField<B>> Default for Kept<B, E> {
    fn default() -> Self {
        Self {
            sections: Sections::default(),
            sent: false,
            heard: 0,
            waiting: VecDeque::new(),
            spare: Vec::new(),
            slots: Spare::default(),
            weighing: Weighing::default(),
            maps: Maps::default(),
            polynomials: Tasks::default(),
            device: None,
        }
    }
}

impl<B: Field, E: MacField<B>> Kept<B, E> {
    /// The batch that still grows.
    pub(super) fn batch(&mut self) -> &mut Batch<E> {
        if self.waiting.back().is_none_or(|batch| batch.last.is_some()) {
            self.waiting.push_back(self.spare.pop().unwrap_or_default());
        }
        self.waiting.back_mut().expect("pushed where there was none")
    }
}

impl<B: Field, E: MacField<B>> Commitments for FieldMacs<B, E> {
    type Kept = Kept<B, E>;

    fn next_slots(prover: &mut Prover<'_, Self>) -> Result<()> {
        prover.take_up();
        if prover.done == prover.kept.sections.end() {
            prover.end_section()?;
            prover.next_section()?;
        }
        let left = prover.kept.sections.end() - prover.done;
        assert!(left > 0, "a block of shares");
        let count = left.min(slots(&prover.pool));
        prover.slots.begin_empty(count);
        Ok(())
    }

    #[inline(always)]
    fn fill_slots(prover: &mut Prover<'_, Self>) {
        if !prover.slots.are_filled() {
            prover.fill_slots();
        }
    }

    /// Leaves the slot empty where it can: the product with one is zero as a polynomial, A₀ and A₁, so that
    /// the correction is all there is to send.
    #[inline(always)]
    fn commit(prover: &mut Prover<'_, Self>, value: B) -> E::Tag {
        if prover.slots.are_filled() {
            return prover.commit_as(value, |_| Self::constant(B::ONE));
        }
        let number = prover.done + prover.slots.next();
        let share = prover.block.row(number);
        prover.kept.sections.corrections_from(number)[0] = value - share.value();
        prover.slots.leave_empty(1);
        Self::corrected(share, value)
    }

    fn commit_some(prover: &mut Prover<'_, Self>, values: &[B], wires: &mut [E::Tag]) -> usize {
        if prover.slots.are_filled() {
            wires[0] = Self::commit(prover, values[0]);
            return 1;
        }
        let number = prover.done + prover.slots.next();
        let count = prover.slots.left().min(wires.len());
        let shares = prover.block.rows(number)[..count].iter().zip(&values[..count]);
        let corrections = prover.kept.sections.corrections_from(number).iter_mut();
        for (((share, value), correction), wire) in shares.zip(corrections).zip(wires) {
            *correction = *value - share.value();
            *wire = Self::corrected(*share, *value);
        }
        prover.slots.leave_empty(count);
        count
    }

    /// Sends those of a section that is used up, which ends when the next one begins: polynomials until then are
    /// of its batch.
    fn hand_over(prover: &mut Prover<'_, Self>) -> Result<()> {
        if prover.kept.sent || prover.done + prover.slots.next() < prover.kept.sections.end() {
            return Ok(());
        }
        prover.take_up();
        prover.send_corrections()?;
        prover.channel.dispatch()
    }

    fn end_batch(prover: &mut Prover<'_, Self>) -> Result<()> {
        prover.end_section()?;
        prover.close_batch()
    }

    /// Ends section and batch. The section's other shares stay unused.
    fn end_early(prover: &mut Prover<'_, Self>) -> Result<()> {
        Self::end_batch(prover)?;
        prover.done = prover.kept.sections.end();
        Ok(())
    }

    fn end_turn(prover: &mut Prover<'_, Self>) -> Result<()> {
        prover.end_section()?;
        prover.lengths.iter_mut().for_each(Lengths::end_turn);
        Ok(())
    }

    fn widen(kept: &mut Kept<B, E>, wide: WideWaves) {
        kept.maps.wide = Some(wide);
    }

    fn map(prover: &mut Prover<'_, Self>, map: Map<'_, B, E::Tag>) -> Result<Option<Rows<E::Tag>>> {
        prover.map_elements(map)
    }

    fn polynomials<'p>(prover: &'p mut Prover<'_, Self>) -> &'p mut Pending<E> {
        &mut prover.kept.batch().polynomials
    }

    fn settle(prover: &mut Prover<'_, Self>, ahead: usize) {
        let Prover { kept, failed, .. } = prover;
        for batch in &mut kept.waiting {
            batch.polynomials.settle(ahead, |failure| failed.note(failure));
        }
    }

    fn challenge(prover: &mut Prover<'_, Self>, what: &'static str) -> Result<Seed> {
        if by_transcript::<E>() {
            return Ok(single_challenge(&mut prover.channel, what));
        }
        Self::catch_up(prover)?;
        Ok(F128::from_bytes(prover.channel.recv_array()?).into())
    }

    fn hear_before_block(prover: &mut Prover<'_, Self>) -> Result<()> {
        prover.hear((prover.kept.sections.drawn + 1).saturating_sub(prover.vole.lag()))
    }

    fn pass_block(kept: &mut Kept<B, E>) {
        kept.sections.drawn += 1;
    }

    fn ends_batch(kept: &Kept<B, E>, ahead: usize) -> Option<bool> {
        (!by_transcript::<E>()).then(|| (kept.sections.drawn + ahead).is_multiple_of(BLOCKS))
    }

    fn weigh_all(prover: &mut Prover<'_, Self>) {
        while let Some(weighed) = prover.kept.weighing.last(prover.committed) {
            prover.sums.add(&weighed);
        }
        for weighed in prover.kept.polynomials.by_ref() {
            prover.sums.add_all(&weighed);
        }
    }

    fn catch_up(prover: &mut Prover<'_, Self>) -> Result<()> {
        prover.hear(prover.kept.sections.drawn)?;
        prover.weigh(prover.kept.sections.drawn)
    }
}

impl<B: Field, E: MacField<B>> Prover<'_, FieldMacs<B, E>> {
    /// Opens the next section, with a block of its own where the last one is used up.
    fn next_section(&mut self) -> Result<()> {
        if self.kept.sections.end() == self.block.len() {
            FieldMacs::draw(self)?;
            self.done = 0;
        }
        self.kept.sections.follow(self.done, self.block.len(), self.lengths.as_ref());
        (self.open, self.kept.sent) = (true, false);
        Ok(())
    }

    /// Fills the slots used, each of which is that of a witness element.
    #[cold]
    #[inline(never)]
    fn fill_slots(&mut self) {
        let shares = self.block.rows(self.done);
        let corrections = self.kept.sections.corrections_from(self.done).iter();
        self.slots.fill(corrections.zip(shares).map(|(correction, share)| {
            let wire = FieldMacs::<B, E>::corrected(*share, share.value() + *correction);
            [wire, FieldMacs::<B, E>::constant(B::ONE), wire]
        }));
    }

    /// Computes the corrections of the used slots, and their products' share in the check. Fig. 4, 5.
    fn take_up(&mut self) {
        let count = self.slots.next();
        if count > 0 && self.slots.are_filled() {
            let (_, memory) = self.slots.take(self.kept.slots.take().unwrap_or_default());
            let used = &memory[..count];
            let shares = self.block.rows(self.done);
            let corrections = self.kept.sections.corrections_from(self.done).iter_mut();
            for ((correction, slot), share) in corrections.zip(used).zip(shares) {
                *correction = slot[2].value() - share.value();
            }
            let spare = self.kept.batch().spare();
            let products = spare.or_else(|| self.kept.weighing.spare()).unwrap_or_default();
            let spare = self.kept.slots.clone();
            self.kept.batch().extend((self.arch, &self.pool), (count, memory), &spare, products);
        } else {
            self.slots.end();
            if count > 0 {
                self.kept.batch().pass_over(count);
            }
        }
        self.done += count;
        self.committed += count as u64;
    }

    /// Sends the section's corrections, unless they were sent. Fig. 4, 5.
    fn send_corrections(&mut self) -> Result<()> {
        if core::mem::replace(&mut self.kept.sent, true) {
            return Ok(());
        }
        self.channel.send_elements(&self.kept.sections.corrections)
    }

    /// Ends the section, all of whose corrections are sent.
    pub(super) fn end_section(&mut self) -> Result<()> {
        self.take_up();
        if !core::mem::take(&mut self.open) {
            return Ok(());
        }
        self.kept.sections.corrections_from(self.done).fill(B::ZERO);
        self.send_corrections()?;
        if let Some(lengths) = &mut self.lengths {
            lengths.end_section(self.done - self.kept.sections.start());
            self.kept.sections.cut(self.done);
        }
        self.report();
        if self.kept.sections.ends_batch::<E>(self.block.len()) { self.close_batch() } else { Ok(()) }
    }

    /// Closes the batch, all of whose corrections were sent. Fig. 4, 6.
    pub(super) fn close_batch(&mut self) -> Result<()> {
        self.coefficients = 0;
        let waiting = &mut self.kept.waiting;
        let Some(batch) = waiting.back_mut().filter(|batch| batch.last.is_none()) else { return Ok(()) };
        batch.last = Some(self.kept.sections.drawn - 1);
        if by_transcript::<E>() {
            let seeds = challenge(&mut self.channel);
            let mut batch = waiting.pop_back().expect("the last one");
            batch.polynomials.settle(0, |failure| self.failed.note(failure));
            let by = (self.arch, &self.pool);
            let kept = &mut self.kept;
            batch.weigh(by, seeds, (&mut kept.weighing, &mut kept.polynomials), &mut self.sums);
            self.kept.spare.push(batch);
        }
        self.make_room()
    }

    /// Receives the coins of the oldest batches while too many coefficients wait: within the lag each block
    /// may have a batch of them. These batches have ended, and a party that waits flushes what it has sent
    /// first. So the verifier has all that it needs for these coins, and sends each before it waits for
    /// anything else.
    fn make_room(&mut self) -> Result<()> {
        while self.kept.waiting.iter().map(|batch| batch.polynomials.coefficients()).sum::<usize>() > WAITING
        {
            let first = self.kept.waiting.front().and_then(|batch| batch.last).expect("it has ended");
            self.hear(first + 1)?;
            self.weigh(first + 1)?;
        }
        Ok(())
    }

    /// Takes what the device of a map has come to. Coins of batches that have ended are on their way; the products of the
    /// open one wait here.
    pub(super) fn leave_device(&mut self) -> Result<ElementsOnDevice> {
        let ended = self.kept.waiting.iter().filter(|batch| !batch.on_device.is_empty());
        if let Some(last) = ended.filter_map(|batch| batch.last).max() {
            self.hear(last + 1)?;
            self.weigh(last + 1)?;
        }
        let mut device = self.kept.device.take().expect("a map under way");
        if let Some(open) = self.kept.waiting.back_mut() {
            open.take_from_device(|| device.products())?;
        }
        self.sums.add(&device.sums()?);
        Ok(device)
    }

    /// Receives all that the verifier sends for its first `blocks` blocks, in its order.
    fn hear(&mut self, blocks: usize) -> Result<()> {
        while self.kept.heard < blocks {
            self.weigh(self.kept.heard)?;
            self.vole.receive(&mut self.channel)?;
            self.kept.heard += 1;
        }
        Ok(())
    }

    /// Receives the coins of the batches that end before block number `block`. Fig. 4, 7.
    fn weigh(&mut self, block: usize) -> Result<()> {
        let ended = |batch: &Batch<E>| batch.last.is_some_and(|last| last < block);
        while self.kept.waiting.front().is_some_and(ended) {
            let mut batch = self.kept.waiting.pop_front().expect("the first one");
            batch.polynomials.settle(0, |failure| self.failed.note(failure));
            let mut seeds = [F128::ZERO; 2];
            self.channel.recv_words(&mut seeds)?;
            let by = (self.arch, &self.pool);
            let (kept, seeds) = (&mut self.kept, seeds.map(Seed::from));
            if E::BY_DEVICES {
                for OnDevice { first, count } in batch.on_device.drain(..) {
                    kept.device.as_mut().expect("a map under way").weigh(seeds[0], first as u64)?;
                    kept.weighing.pass_over(count as u64);
                }
            }
            batch.weigh(by, seeds, (&mut kept.weighing, &mut kept.polynomials), &mut self.sums);
            self.kept.spare.push(batch);
        }
        Ok(())
    }
}
