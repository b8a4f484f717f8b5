//! The prover's side.

mod polynomial;
mod products;

use super::super::batch::{ASSERTED, challenge};
use super::super::polynomial::{Sums, degree_of_check};
use super::{BLOCKS, SLOTS, ends_batch};
use crate::channel::Channel;
use crate::circuit::{Backend, nothing_asserted, witness_ended, witness_unread};
use crate::error::{Error, Result};
use crate::vole::subfield::{macs, values};
use crate::vole::{BoxedVole, Shares, vope};
use crate::zk::{Gates, Openings, Steps, by_transcript, section};
use core::fmt::Display;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};
use products::Batch;
use std::collections::VecDeque;
use volery_primitives::arch::Arch;
use volery_primitives::{F128, Field, MacField, Tagged};
use zeroize::Zeroizing;

/// A multiplication: left operand, right operand, product.
type Triple<B, E> = [Tagged<B, E>; 3];

/// Proves the circuit that is pushed into it.
pub struct Prover<'a, B: Field, E: MacField<B>> {
    channel: &'a mut Channel,
    vole: BoxedVole<Tagged<B, E>>,
    witness: Box<dyn Iterator<Item = B> + 'a>,
    arch: Arch,
    steps: Steps,
    block: Shares<Tagged<B, E>>,
    /// Those of its shares that were committed by, and whose slots were taken up.
    done: usize,
    /// A correction for each share of a section, which is where it begins and ends in the block.
    corrections: Vec<B>,
    section: Range<usize>,
    /// Shares of all sections so far.
    sectioned: usize,
    /// Slots, of which the first `filled` are for the next shares, each of which is the product beforehand;
    /// and the next slot to use.
    slots: Zeroizing<Vec<Triple<B, E>>>,
    filled: usize,
    next: usize,
    /// Blocks drawn for this statement, and those whose messages of the verifier were received.
    drawn: usize,
    heard: usize,
    /// The section's corrections are still to be sent.
    open: bool,
    /// Batches without a challenge, of which the last may still grow.
    waiting: VecDeque<Batch<E>>,
    /// Room for others.
    spare: Vec<Batch<E>>,
    /// The products, as polynomials of degree two, and the polynomials of all batches that have one.
    sums: Sums<E>,
    /// Coefficients of polynomials in this batch.
    coefficients: usize,
    openings: Openings,
    gates: Gates,
    /// Shares that were committed by, as far as their slots were taken up.
    committed: u64,
    /// The first assertion that failed; the peer learns of it at the end.
    failed: Option<String>,
    progress: Option<&'a AtomicU64>,
}

impl<'a, B: Field, E: MacField<B>> Prover<'a, B, E> {
    /// A proof over `channel` with shares from `vole`, whose witness is read from `witness`.
    pub fn new(
        channel: &'a mut Channel,
        vole: BoxedVole<Tagged<B, E>>,
        arch: Arch,
        witness: impl IntoIterator<Item = B, IntoIter: 'a>,
    ) -> Self {
        Self {
            channel,
            vole,
            witness: Box::new(witness.into_iter()),
            arch,
            steps: Steps::default(),
            block: Shares::default(),
            done: 0,
            corrections: Vec::new(),
            section: 0..0,
            sectioned: 0,
            slots: Zeroizing::new(vec![[Tagged::ZERO; 3]; SLOTS]),
            filled: 0,
            next: 0,
            drawn: 0,
            heard: 0,
            open: false,
            waiting: VecDeque::new(),
            spare: Vec::new(),
            sums: Sums::default(),
            coefficients: 0,
            openings: Openings::new(ASSERTED),
            gates: Gates::default(),
            committed: 0,
            failed: None,
            progress: None,
        }
    }

    /// Stores the number of multiplications so far in `progress`, if any, once a block.
    pub fn report_to(mut self, progress: Option<&'a AtomicU64>) -> Self {
        self.progress = progress;
        self
    }

    /// Sends what remains, and gives the VOLE back for the next statement. The verdict is the
    /// caller's to wait for.
    ///
    /// # Errors
    /// `Unsatisfied` where an assertion failed, and then the proof is not completed; `Invalid` where the
    /// circuit asserted nothing, left a part of the witness unread or met with an error before; link errors.
    pub fn finish(mut self) -> Result<(Gates, BoxedVole<Tagged<B, E>>)> {
        if self.gates.assert == 0 {
            return Err(nothing_asserted());
        }
        if self.witness.next().is_some() {
            return Err(witness_unread());
        }
        self.steps.begin()?;
        self.end_section()?;
        self.close_batch();
        if let Some(name) = self.failed {
            return Err(Error::Unsatisfied(name));
        }
        let degree = degree_of_check(self.gates.degree) - 1;
        let lines = self.lines(vope::lines(degree))?;
        self.catch_up()?;
        let opened = self.sums.masked(&vope::polynomial(degree, &lines));
        let vole = self.vole.check(self.channel)?;
        // Fig. 4, 7b and 8.
        self.channel.send_elements(&opened)?;
        self.channel.send(&self.openings.digest())?;
        self.gates.mul = self.committed - self.gates.inputs;
        Ok((self.gates, vole))
    }

    /// Commits to `value` by the next share. Fig. 4, 4.
    fn commit_to(&mut self, value: B) -> Result<Tagged<B, E>> {
        let slot = self.slot()?;
        let wire = Tagged { value, mac: slot[2].mac };
        *slot = [wire, Tagged { value: B::ONE, mac: E::ZERO }, wire];
        self.gates.inputs += 1;
        Ok(wire)
    }

    /// Commits to `value` as the product of `a` and `b`, which it is where the prover is honest. Fig. 4, 5.
    #[inline(always)]
    pub(super) fn multiply(&mut self, a: Tagged<B, E>, b: Tagged<B, E>, value: B) -> Result<Tagged<B, E>> {
        let slot = self.slot()?;
        let c = Tagged { value, mac: slot[2].mac };
        *slot = [a, b, c];
        Ok(c)
    }

    #[inline(always)]
    fn slot(&mut self) -> Result<&mut Triple<B, E>> {
        if self.next == self.filled {
            self.next_slots()?;
        }
        let slot = &mut self.slots[self.next];
        self.next += 1;
        Ok(slot)
    }

    #[cold]
    #[inline(never)]
    fn next_slots(&mut self) -> Result<()> {
        self.steps.begin()?;
        self.take_up();
        if self.done == self.section.end {
            self.end_section()?;
            self.next_section()?;
        }
        let shares = &self.block.rows(self.done)[..SLOTS.min(self.section.end - self.done)];
        assert!(!shares.is_empty(), "a block of shares");
        self.filled = shares.len();
        self.slots.iter_mut().zip(shares).for_each(|(slot, share)| slot[2] = *share);
        self.steps.end();
        Ok(())
    }

    /// Opens the next section, with a block of its own where the last one is used up.
    fn next_section(&mut self) -> Result<()> {
        if self.section.end == self.block.len() {
            self.draw()?;
            self.section = 0..0;
        }
        let start = self.section.end;
        let length = section(self.sectioned, self.block.len() - start);
        self.section = start..start + length;
        self.sectioned += length;
        self.corrections.resize(length, B::ZERO);
        (self.done, self.open) = (start, true);
        Ok(())
    }

    /// Computes the corrections of the slots used, and what their products add to the check. Fig. 4, 5.
    fn take_up(&mut self) {
        let slots = core::mem::take(&mut self.slots);
        let used = &slots[..core::mem::take(&mut self.next)];
        if !used.is_empty() {
            let shares = self.block.rows(self.done);
            let corrections = self.corrections[self.done - self.section.start..].iter_mut();
            for ((correction, slot), share) in corrections.zip(used).zip(shares) {
                *correction = slot[2].value - share.value;
            }
            self.done += used.len();
            self.committed += used.len() as u64;
            let arch = self.arch;
            self.batch().extend(arch, used);
        }
        self.slots = slots;
        self.filled = 0;
    }

    /// The batch that may still grow.
    fn batch(&mut self) -> &mut Batch<E> {
        if self.waiting.back().is_none_or(|batch| batch.last.is_some()) {
            let blocks = if by_transcript::<E>() { 1 } else { BLOCKS };
            let room = || Batch::new(blocks * self.block.len());
            self.waiting.push_back(self.spare.pop().unwrap_or_else(room));
        }
        self.waiting.back_mut().expect("pushed where there was none")
    }

    /// Lines over the extension from shares that commit to nothing, of the last section or of
    /// further blocks. Fig. 4, 3.
    fn lines(&mut self, count: usize) -> Result<Zeroizing<Vec<(E, E)>>> {
        let masks = E::DEGREE as usize;
        let mut lines = Zeroizing::new(Vec::with_capacity(count));
        for _ in 0..count {
            if self.block.len() - self.done < masks {
                self.draw()?;
                self.done = 0;
            }
            let masks = &self.block.rows(self.done)[..masks];
            lines.push((macs(masks), values(masks)));
            self.done += masks.len();
        }
        Ok(lines)
    }

    /// Draws the next block, after the messages of the verifier that come before those which
    /// the VOLE needs for it.
    fn draw(&mut self) -> Result<()> {
        self.hear((self.drawn + 1).saturating_sub(self.vole.lag()))?;
        self.vole.block(self.channel, &mut self.block)?;
        self.drawn += 1;
        Ok(())
    }

    /// Receives all that the verifier sends until it has drawn its first `blocks`, in its order.
    fn hear(&mut self, blocks: usize) -> Result<()> {
        while self.heard < blocks {
            self.weigh(self.heard)?;
            self.vole.receive(self.channel)?;
            self.heard += 1;
        }
        Ok(())
    }

    /// Receives all that the verifier has sent by now.
    fn catch_up(&mut self) -> Result<()> {
        self.hear(self.drawn)?;
        self.weigh(self.drawn)
    }

    /// Sends the section's corrections. Fig. 4, 5.
    fn end_section(&mut self) -> Result<()> {
        self.take_up();
        if !core::mem::take(&mut self.open) {
            return Ok(());
        }
        self.corrections[self.done - self.section.start..].fill(B::ZERO);
        self.channel.send_elements(&self.corrections)?;
        if let Some(progress) = self.progress {
            progress.store(self.committed - self.gates.inputs, Ordering::Relaxed);
        }
        if ends_batch::<E>(self.drawn - 1, self.section.end == self.block.len()) {
            self.close_batch();
        }
        Ok(())
    }

    /// Ends the batch, and its last section with it, whose other shares stay unused. Fig. 4, 6.
    fn end_batch(&mut self) -> Result<()> {
        self.steps.begin()?;
        self.end_section()?;
        self.close_batch();
        self.done = self.section.end;
        self.steps.end();
        Ok(())
    }

    /// The batch, all of whose corrections were sent, grows no more.
    fn close_batch(&mut self) {
        self.coefficients = 0;
        let Some(batch) = self.waiting.back_mut().filter(|batch| batch.last.is_none()) else { return };
        batch.last = Some(self.drawn - 1);
        if by_transcript::<E>() {
            let seeds = challenge(self.channel);
            let mut batch = self.waiting.pop_back().expect("the last one");
            batch.weigh(self.arch, seeds, &mut self.sums);
            self.spare.push(batch);
        }
    }

    /// Receives the coins of the batches that end before block number `block`. Fig. 4, 7.
    fn weigh(&mut self, block: usize) -> Result<()> {
        while self.waiting.front().and_then(|batch| batch.last).is_some_and(|last| last < block) {
            let mut batch = self.waiting.pop_front().expect("the first one");
            let mut seeds = [F128::ZERO; 2];
            self.channel.recv_words(&mut seeds)?;
            batch.weigh(self.arch, seeds, &mut self.sums);
            self.spare.push(batch);
        }
        Ok(())
    }
}

impl<B: Field, E: MacField<B>> Backend for Prover<'_, B, E> {
    type F = B;
    type Wire = Tagged<B, E>;

    #[inline(always)]
    fn constant(&mut self, c: B) -> Tagged<B, E> {
        Tagged { value: c, mac: E::ZERO }
    }
    #[inline(always)]
    fn add(&mut self, a: Tagged<B, E>, b: Tagged<B, E>) -> Tagged<B, E> {
        self.gates.add += 1;
        a + b
    }
    #[inline(always)]
    fn scale(&mut self, a: Tagged<B, E>, c: B) -> Tagged<B, E> {
        a.scale(c)
    }
    #[inline]
    fn witness(&mut self) -> Result<Tagged<B, E>> {
        let value = self.witness.next().ok_or_else(|| self.steps.fail(witness_ended()))?;
        self.commit_to(value)
    }
    fn hint(
        &mut self,
        of: &[Tagged<B, E>],
        f: impl Fn(&[B]) -> B + Send + Sync + 'static,
    ) -> Result<Tagged<B, E>> {
        let values: Zeroizing<Vec<B>> = Zeroizing::new(of.iter().map(|wire| wire.value).collect());
        self.commit_to(f(&values))
    }
    fn hints(
        &mut self,
        of: &[Tagged<B, E>],
        count: usize,
        f: impl Fn(&[B]) -> Vec<B> + Send + Sync + 'static,
    ) -> Result<Vec<Tagged<B, E>>> {
        let values: Zeroizing<Vec<B>> = Zeroizing::new(of.iter().map(|wire| wire.value).collect());
        let values = Zeroizing::new(f(&values));
        assert_eq!(values.len(), count);
        values.iter().map(|value| self.commit_to(*value)).collect()
    }
    fn linear(&mut self, factors: &[B], wires: &[Tagged<B, E>]) -> Tagged<B, E> {
        self.gates.add += wires.len().saturating_sub(1) as u64;
        E::linear(self.arch, factors, wires)
    }
    #[inline(always)]
    fn mul(&mut self, a: Tagged<B, E>, b: Tagged<B, E>) -> Result<Tagged<B, E>> {
        self.multiply(a, b, a.value * b.value)
    }
    #[inline]
    fn assert_zero(&mut self, a: Tagged<B, E>, name: impl Display) -> Result<()> {
        if a.value != B::ZERO && self.failed.is_none() {
            self.failed = Some(name.to_string());
        }
        self.openings.absorb(&a.mac);
        self.gates.assert += 1;
        Ok(())
    }
}
