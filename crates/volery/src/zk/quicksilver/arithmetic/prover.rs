//! The prover's side.

use super::super::batch::Openings;
use super::{BLOCKS, SLOTS, by_transcript, ends_batch};
use crate::channel::{Channel, Party};
use crate::circuit::{Backend, nothing_asserted, witness_ended, witness_unread};
use crate::error::{Error, Result};
use crate::vole::subfield::{Coefficients, macs, values};
use crate::vole::{BoxedVole, Shares};
use crate::zk::Gates;
use core::fmt::Display;
use core::sync::atomic::{AtomicU64, Ordering};
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
    block: Shares<Tagged<B, E>>,
    /// Those of its shares that were committed by, and whose slots were taken up.
    done: usize,
    /// A correction for each share of the block.
    corrections: Vec<B>,
    /// Slots for the next shares, each of which is the product beforehand; and the next slot to use.
    slots: Zeroizing<Vec<Triple<B, E>>>,
    next: usize,
    /// Blocks drawn for this statement, and those whose messages of the verifier were received.
    drawn: usize,
    heard: usize,
    /// The block's corrections are still to be sent.
    open: bool,
    /// Batches without a challenge, of which the last may still grow.
    waiting: VecDeque<Products<E>>,
    /// Room for others.
    spare: Vec<Products<E>>,
    /// Σ χ·A₀ and Σ χ·A₁ over all batches that have one.
    sums: Zeroizing<(E, E)>,
    openings: Openings,
    gates: Gates,
    /// Shares that were committed by, as far as their slots were taken up.
    committed: u64,
    /// The first assertion that failed; the peer learns of it at the end.
    failed: Option<String>,
    progress: Option<&'a AtomicU64>,
}

/// The products of a batch.
struct Products<E: Field> {
    /// The last of its blocks, once it is known.
    last: Option<usize>,
    length: usize,
    /// A₀ and A₁ of each, and room for more.
    constant: Zeroizing<Vec<E>>,
    linear: Zeroizing<Vec<E>>,
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
            block: Shares::default(),
            done: 0,
            corrections: Vec::new(),
            slots: Zeroizing::new(Vec::with_capacity(SLOTS)),
            next: 0,
            drawn: 0,
            heard: 0,
            open: false,
            waiting: VecDeque::new(),
            spare: Vec::new(),
            sums: Zeroizing::default(),
            openings: Openings::new(),
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

    /// Sends what remains, and gives the VOLE back for the next statement. The verdict is the caller's to wait for.
    ///
    /// # Errors
    /// `Unsatisfied` where an assertion failed, and then the proof is not completed; `Invalid` where the circuit
    /// asserted nothing or left a part of the witness unread; link errors.
    pub fn finish(mut self) -> Result<(Gates, BoxedVole<Tagged<B, E>>)> {
        if self.gates.assert == 0 {
            return Err(nothing_asserted());
        }
        if self.witness.next().is_some() {
            return Err(witness_unread());
        }
        self.end_block()?;
        self.end_batch();
        if let Some(name) = self.failed {
            return Err(Error::Unsatisfied(name));
        }
        // Fig. 4, 3: A₀* + A₁*·Δ = B* from shares that commit to nothing.
        let masks = E::DEGREE as usize;
        if self.block.len() - self.done < masks {
            self.draw()?;
            self.done = 0;
        }
        self.hear(self.drawn)?;
        self.weigh(self.drawn)?;
        let masks = &self.block.rows(self.done)[..masks];
        let u = self.sums.0 + macs(masks);
        let v = self.sums.1 + values(masks);
        let vole = self.vole.check(self.channel)?;
        // Fig. 4, 7b and 8.
        self.channel.send_elements(&[u, v])?;
        self.channel.send(&self.openings.digest())?;
        self.gates.mul = self.committed - self.gates.inputs;
        Ok((self.gates, vole))
    }

    /// Commits to `value` by the next share. Fig. 4, 4.
    fn commit(&mut self, value: B) -> Result<Tagged<B, E>> {
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
        if self.next == self.slots.len() {
            self.next_slots()?;
        }
        let slot = &mut self.slots[self.next];
        self.next += 1;
        Ok(slot)
    }

    #[cold]
    #[inline(never)]
    fn next_slots(&mut self) -> Result<()> {
        self.take_up();
        if self.done == self.block.len() {
            self.end_block()?;
            self.draw()?;
            self.done = 0;
            self.corrections.resize(self.block.len(), B::ZERO);
            self.open = true;
        }
        let shares = &self.block.rows(self.done)[..SLOTS.min(self.block.len() - self.done)];
        self.slots.resize(shares.len(), [Tagged::ZERO; 3]);
        self.slots.iter_mut().zip(shares).for_each(|(slot, share)| slot[2] = *share);
        Ok(())
    }

    /// Computes the corrections of the slots used, and what their products add to the check. Fig. 4, 5.
    fn take_up(&mut self) {
        let used = &self.slots[..core::mem::take(&mut self.next)];
        if used.is_empty() {
            return;
        }
        let shares = self.block.rows(self.done);
        let corrections = self.corrections[self.done..].iter_mut();
        for ((correction, slot), share) in corrections.zip(used).zip(shares) {
            *correction = slot[2].value - share.value;
        }
        self.done += used.len();
        self.committed += used.len() as u64;
        if self.waiting.back().is_none_or(|batch| batch.last.is_some()) {
            let blocks = if by_transcript::<E>() { 1 } else { BLOCKS };
            let room = || Products::new(blocks * self.block.len());
            self.waiting.push_back(self.spare.pop().unwrap_or_else(room));
        }
        let batch = self.waiting.back_mut().expect("pushed where there was none");
        batch.extend(self.arch, used);
    }

    /// Draws the next block, after the messages of the verifier that come before those which the VOLE needs for it.
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

    /// Sends the block's corrections. Fig. 4, 5.
    fn end_block(&mut self) -> Result<()> {
        self.take_up();
        if !core::mem::take(&mut self.open) {
            return Ok(());
        }
        self.corrections[self.done..].fill(B::ZERO);
        self.channel.send_elements(&self.corrections)?;
        if let Some(progress) = self.progress {
            progress.store(self.committed - self.gates.inputs, Ordering::Relaxed);
        }
        if ends_batch::<E>(self.drawn - 1) {
            self.end_batch();
        }
        Ok(())
    }

    /// The batch, all of whose corrections are sent, grows no more. Fig. 4, 6.
    fn end_batch(&mut self) {
        let Some(batch) = self.waiting.back_mut().filter(|batch| batch.last.is_none()) else { return };
        batch.last = Some(self.drawn - 1);
        if by_transcript::<E>() {
            let seed = self.channel.challenge(Party::Prover, "quicksilver batch");
            let mut batch = self.waiting.pop_back().expect("the last one");
            batch.weigh(self.arch, F128::from_bytes(*seed.first_chunk().expect("32 bytes")), &mut self.sums);
            self.spare.push(batch);
        }
    }

    /// Receives the coins of the batches that end before block number `block`. Fig. 4, 7.
    fn weigh(&mut self, block: usize) -> Result<()> {
        while self.waiting.front().and_then(|batch| batch.last).is_some_and(|last| last < block) {
            let mut batch = self.waiting.pop_front().expect("the first one");
            let seed = F128::from_bytes(self.channel.recv_array()?);
            batch.weigh(self.arch, seed, &mut self.sums);
            self.spare.push(batch);
        }
        Ok(())
    }
}

impl<E: Field> Products<E> {
    /// None yet, with room for so many: what has to move would leave a copy behind. Batches of a VOLE whose blocks grow
    /// may take more.
    fn new(room: usize) -> Self {
        let [constant, linear] = [(); 2].map(|()| Zeroizing::new(vec![E::ZERO; room]));
        Self { last: None, length: 0, constant, linear }
    }

    /// Adds those of some slots.
    fn extend<B: Field>(&mut self, arch: Arch, triples: &[Triple<B, E>])
    where
        E: MacField<B>,
    {
        let range = self.length..self.length + triples.len();
        for sums in [&mut self.constant, &mut self.linear] {
            if sums.len() < range.end {
                let mut longer = vec![E::ZERO; 2 * range.end];
                longer[..self.length].copy_from_slice(&sums[..self.length]);
                *sums = Zeroizing::new(longer);
            }
        }
        E::products(arch, triples, &mut self.constant[range.clone()], &mut self.linear[range.clone()]);
        self.length = range.end;
    }

    /// Adds them to `sums` with the coefficients of `seed`, and is empty again.
    fn weigh<B: Field>(&mut self, arch: Arch, seed: F128, sums: &mut (E, E))
    where
        E: MacField<B>,
    {
        let mut coefficients = Coefficients::<B>::new(arch, seed);
        let mut chi = [E::ZERO; SLOTS];
        let [constant, linear] = [&self.constant, &self.linear].map(|sums| sums[..self.length].chunks(SLOTS));
        for (constant, linear) in constant.zip(linear) {
            let chi = &mut chi[..constant.len()];
            coefficients.fill(arch, chi);
            sums.0 += E::dot(arch, chi, constant);
            sums.1 += E::dot(arch, chi, linear);
        }
        (self.last, self.length) = (None, 0);
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
        let value = self.witness.next().ok_or_else(witness_ended)?;
        self.commit(value)
    }
    fn hint(&mut self, of: &[Tagged<B, E>], f: impl FnOnce(&[B]) -> B) -> Result<Tagged<B, E>> {
        let values: Zeroizing<Vec<B>> = Zeroizing::new(of.iter().map(|wire| wire.value).collect());
        self.commit(f(&values))
    }
    #[inline(always)]
    fn mul(&mut self, a: Tagged<B, E>, b: Tagged<B, E>) -> Result<Tagged<B, E>> {
        self.multiply(a, b, a.value * b.value)
    }
    #[inline]
    fn assert_zero(&mut self, a: Tagged<B, E>, name: &dyn Display) -> Result<()> {
        if a.value != B::ZERO && self.failed.is_none() {
            self.failed = Some(name.to_string());
        }
        self.openings.absorb(&a.mac);
        self.gates.assert += 1;
        Ok(())
    }
}
