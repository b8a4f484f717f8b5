//! The verifier's side.

use super::super::batch::Openings;
use super::{SLOTS, by_transcript, ends_batch};
use crate::channel::{Channel, Party};
use crate::circuit::{Backend, nothing_asserted};
use crate::error::{Error, Result};
use crate::random::Random;
use crate::vole::subfield::{Coefficients, Delta, Key, same};
use crate::vole::{BoxedVole, Shares};
use crate::zk::{Accepted, Gates};
use core::fmt::Display;
use core::sync::atomic::{AtomicU64, Ordering};
use subtle::ConstantTimeEq;
use volery_primitives::arch::Arch;
use volery_primitives::{F128, Field, MacField};
use zeroize::Zeroizing;

/// A multiplication: left operand, right operand, product.
type Triple<E> = [E; 3];

/// Verifies the circuit that is pushed into it.
pub struct Verifier<'a, B: Field, E: MacField<B>> {
    channel: &'a mut Channel,
    vole: BoxedVole<Key<E>>,
    delta: &'a Delta<B, E>,
    arch: Arch,
    /// Of its coins.
    random: Random,
    block: Shares<Key<E>>,
    /// Those of its shares that the prover committed by, and whose slots were weighed.
    done: usize,
    corrections: Vec<B>,
    /// Slots for the next shares, each of which is the product beforehand; and the next slot to use.
    slots: Zeroizing<Vec<Triple<E>>>,
    next: usize,
    /// Blocks drawn for this statement.
    drawn: usize,
    /// The block is not at its end.
    open: bool,
    /// The batch's coin, and the coefficients that follow from it.
    coin: Option<(F128, Coefficients<B>)>,
    /// Σ χ·k_a·k_b and Σ χ·k_c over all blocks so far.
    sums: Zeroizing<(E, E)>,
    openings: Openings,
    gates: Gates,
    /// Shares that the prover committed by, as far as their slots were weighed.
    committed: u64,
    progress: Option<&'a AtomicU64>,
}

impl<'a, B: Field, E: MacField<B>> Verifier<'a, B, E> {
    /// A verification over `channel` with shares from `vole` under `delta`; `random` is for its coins.
    pub fn new(
        channel: &'a mut Channel,
        vole: BoxedVole<Key<E>>,
        arch: Arch,
        delta: &'a Delta<B, E>,
        random: &mut Random,
    ) -> Self {
        Self {
            channel,
            vole,
            delta,
            arch,
            random: Random::from_seed(&random.bytes()),
            block: Shares::default(),
            done: 0,
            corrections: Vec::new(),
            slots: Zeroizing::new(Vec::with_capacity(SLOTS)),
            next: 0,
            drawn: 0,
            open: false,
            coin: None,
            sums: Zeroizing::default(),
            openings: Openings::new(),
            gates: Gates::default(),
            committed: 0,
            progress: None,
        }
    }

    /// Stores the number of multiplications so far in `progress`, if any, once a block.
    pub fn report_to(mut self, progress: Option<&'a AtomicU64>) -> Self {
        self.progress = progress;
        self
    }

    /// Receives what remains and decides; gives the VOLE back for the next statement. The prover is not told here.
    ///
    /// # Errors
    /// `Rejected` or `Misbehaved` where a check fails; `Invalid` where the circuit asserted nothing; link errors.
    pub fn finish(mut self) -> Result<(Accepted, Gates, BoxedVole<Key<E>>)> {
        if self.gates.assert == 0 {
            return Err(nothing_asserted());
        }
        self.end_block()?;
        self.end_batch()?;
        // Fig. 4, 3.
        let masks = E::DEGREE as usize;
        if self.block.len() - self.done < masks {
            self.vole.block(self.channel, &mut self.block)?;
            self.done = 0;
        }
        let mask = E::pack(&self.block.rows(self.done)[..masks]);
        let consistent = self.vole.check(self.channel);
        // A failed check must not look different to the peer before its last message has been read.
        if let Err(error @ Error::Io { .. }) = consistent {
            return Err(error);
        }
        let mut sent = [E::ZERO; 2];
        self.channel.recv_elements(&mut sent)?;
        let openings: [u8; 32] = self.channel.recv_array()?;
        let [u, v] = sent;

        // Fig. 4, 7c: W = Σ χ·B + B* = U + V·Δ, where B = k_a·k_b − k_c·Δ.
        let delta = self.delta.value();
        let w = self.sums.0 - self.sums.1 * delta + mask;
        let products_hold = same(w, u + v * delta);
        // Fig. 4, 8.
        let assertions_hold = self.openings.digest().ct_eq(&openings);
        let vole = consistent?;
        if !products_hold {
            return Err(Error::Rejected("the check of the multiplications failed"));
        }
        if !bool::from(assertions_hold) {
            return Err(Error::Rejected("an asserted value is not what the statement demands"));
        }
        self.gates.mul = self.committed - self.gates.inputs;
        Ok((Accepted(()), self.gates, vole))
    }

    /// The key of the value that the prover commits to by the next share. Fig. 4, 4.
    fn commit(&mut self) -> Result<Key<E>> {
        let one = self.delta.value();
        let slot = self.slot()?;
        let key = slot[2];
        *slot = [key, one, key];
        self.gates.inputs += 1;
        Ok(Key(key))
    }

    #[inline(always)]
    fn slot(&mut self) -> Result<&mut Triple<E>> {
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
        self.weigh();
        if self.done == self.block.len() {
            self.end_block()?;
            self.next_block()?;
        }
        let keys = &self.block.rows(self.done)[..SLOTS.min(self.block.len() - self.done)];
        self.slots.resize(keys.len(), [E::ZERO; 3]);
        self.slots.iter_mut().zip(keys).for_each(|(slot, key)| slot[2] = *key);
        Ok(())
    }

    /// Draws the next block and receives its corrections, which go on the keys at once. Then its batch has a challenge.
    /// Fig. 4, 4 to 6.
    fn next_block(&mut self) -> Result<()> {
        self.vole.block(self.channel, &mut self.block)?;
        (self.drawn, self.done, self.open) = (self.drawn + 1, 0, true);
        self.corrections.resize(self.block.len(), B::ZERO);
        self.channel.recv_elements(&mut self.corrections)?;
        E::correct(self.arch, self.block.rows_mut(), &self.corrections, self.delta.value());
        if self.coin.is_none() {
            let seed = if by_transcript::<E>() {
                let seed = self.channel.challenge(Party::Prover, "quicksilver batch");
                F128::from_bytes(*seed.first_chunk().expect("32 bytes"))
            } else {
                self.random.word()
            };
            self.coin = Some((seed, Coefficients::new(self.arch, seed)));
        }
        Ok(())
    }

    /// Weighs the slots used. Fig. 4, 7.
    fn weigh(&mut self) {
        let used = &self.slots[..core::mem::take(&mut self.next)];
        if used.is_empty() {
            return;
        }
        let (_, coefficients) = self.coin.as_mut().expect("tossed before the block's first slot");
        let mut chi = [E::ZERO; SLOTS];
        let chi = &mut chi[..used.len()];
        coefficients.fill(self.arch, chi);
        let (products, keys) = E::verifier_sums(self.arch, chi, used);
        self.sums.0 += products;
        self.sums.1 += keys;
        self.done += used.len();
        self.committed += used.len() as u64;
    }

    /// Ends the block, and the batch with it where it is its last one.
    fn end_block(&mut self) -> Result<()> {
        self.weigh();
        if !core::mem::take(&mut self.open) {
            return Ok(());
        }
        if self.corrections[self.done..].iter().any(|correction| *correction != B::ZERO) {
            return Err(Error::Misbehaved("it corrects shares that commit to nothing"));
        }
        if let Some(progress) = self.progress {
            progress.store(self.committed - self.gates.inputs, Ordering::Relaxed);
        }
        if ends_batch::<E>(self.drawn - 1) {
            self.end_batch()?;
        }
        Ok(())
    }

    /// Ends the batch: its coin is told.
    fn end_batch(&mut self) -> Result<()> {
        match self.coin.take() {
            Some((seed, _)) if !by_transcript::<E>() => {
                self.channel.send_words(&[seed])?;
                self.channel.flush()
            }
            _ => Ok(()),
        }
    }
}

impl<B: Field, E: MacField<B>> Backend for Verifier<'_, B, E> {
    type F = B;
    type Wire = Key<E>;

    #[inline(always)]
    fn constant(&mut self, c: B) -> Key<E> {
        Key(self.delta.value().scale(c))
    }
    #[inline(always)]
    fn add(&mut self, a: Key<E>, b: Key<E>) -> Key<E> {
        self.gates.add += 1;
        Key(a.0 + b.0)
    }
    #[inline(always)]
    fn scale(&mut self, a: Key<E>, c: B) -> Key<E> {
        Key(a.0.scale(c))
    }
    #[inline]
    fn witness(&mut self) -> Result<Key<E>> {
        self.commit()
    }
    fn hint(&mut self, _: &[Key<E>], _: impl FnOnce(&[B]) -> B) -> Result<Key<E>> {
        self.commit()
    }
    #[inline(always)]
    fn mul(&mut self, a: Key<E>, b: Key<E>) -> Result<Key<E>> {
        let slot = self.slot()?;
        let c = slot[2];
        *slot = [a.0, b.0, c];
        Ok(Key(c))
    }
    #[inline]
    fn assert_zero(&mut self, a: Key<E>, _: &dyn Display) -> Result<()> {
        self.openings.absorb(&a.0);
        self.gates.assert += 1;
        Ok(())
    }
}
