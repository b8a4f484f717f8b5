//! The verifier's side.

mod polynomial;

use super::super::batch::{ASSERTED, challenge};
use super::super::polynomial::{KeySums, Rows, degree_of_check};
use super::{SLOTS, ends_batch};
use crate::channel::Channel;
use crate::circuit::{Backend, nothing_asserted};
use crate::error::{Error, Misbehaviour, Rejection, Result};
use crate::random::Random;
use crate::vole::subfield::{Coefficients, Delta, Key, same};
use crate::vole::{BoxedVole, Shares, vope};
use crate::zk::{Accepted, Gates, Openings, Steps, by_transcript, section};
use core::fmt::Display;
use core::ops::Range;
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
    steps: Steps,
    block: Shares<Key<E>>,
    /// Those of its shares that the prover committed by, and whose slots were weighed.
    done: usize,
    /// A correction for each share of a section, which is where it begins and ends in the block.
    corrections: Vec<B>,
    section: Range<usize>,
    /// Shares of all sections so far.
    sectioned: usize,
    /// Slots, of which the first `filled` are for the next shares, each of which is the product beforehand;
    /// and the next slot to use.
    slots: Zeroizing<Vec<Triple<E>>>,
    filled: usize,
    next: usize,
    /// Blocks drawn for this statement.
    drawn: usize,
    /// The section is not at its end.
    open: bool,
    /// That of the batch.
    coin: Option<Coin<B>>,
    /// Coefficients of the prover's polynomials in this batch.
    coefficients: usize,
    /// Σ χ·k_a·k_b and Σ χ·k_c over all products so far, and the polynomials.
    sums: Zeroizing<(E, E)>,
    polynomials: KeySums<E>,
    rows: [Rows<E>; 2],
    openings: Openings,
    gates: Gates,
    /// Shares that the prover committed by, as far as their slots were weighed.
    committed: u64,
    progress: Option<&'a AtomicU64>,
}

/// What a batch is weighed by.
struct Coin<B> {
    seeds: [F128; 2],
    products: Coefficients<B>,
    polynomials: Coefficients<B>,
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
            steps: Steps::default(),
            block: Shares::default(),
            done: 0,
            corrections: Vec::new(),
            section: 0..0,
            sectioned: 0,
            slots: Zeroizing::new(vec![[E::ZERO; 3]; SLOTS]),
            filled: 0,
            next: 0,
            drawn: 0,
            open: false,
            coin: None,
            coefficients: 0,
            sums: Zeroizing::default(),
            polynomials: KeySums::default(),
            rows: Default::default(),
            openings: Openings::new(ASSERTED),
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

    /// Receives what remains and decides; gives the VOLE back for the next statement. The
    /// prover is not told here.
    ///
    /// # Errors
    /// `Rejected` or `Misbehaved` where a check fails; `Invalid` where the circuit asserted nothing or met
    /// with an error before; link errors.
    pub fn finish(mut self) -> Result<(Accepted, Gates, BoxedVole<Key<E>>)> {
        if self.gates.assert == 0 {
            return Err(nothing_asserted());
        }
        self.steps.begin()?;
        self.end_section()?;
        self.close_batch()?;
        let degree = degree_of_check(self.gates.degree);
        let mask = vope::value(degree - 1, &self.lines(vope::lines(degree - 1))?);
        let consistent = self.vole.check(self.channel);
        // A failed check must not look different to the peer before its last message has been read.
        if let Err(error @ Error::Io { .. }) = consistent {
            return Err(error);
        }
        let mut opened = vec![E::ZERO; degree];
        self.channel.recv_elements(&mut opened)?;
        let openings: [u8; 32] = self.channel.recv_array()?;

        // Fig. 4, 7c, and fig. 5, 5c: W = Σ χ·B + B*, where B = k_a·k_b − k_c·Δ for products.
        let delta = self.delta.value();
        self.polynomials.add(2, self.sums.0 - self.sums.1 * delta);
        let (w, at_delta) = self.polynomials.against(delta, mask, &opened);
        let products_hold = same(w, at_delta);
        // Fig. 4, 8.
        let assertions_hold = self.openings.digest().ct_eq(&openings);
        let vole = consistent?;
        if !products_hold {
            return Err(Error::Rejected(Rejection::ProductsAndPolynomials));
        }
        if !bool::from(assertions_hold) {
            return Err(Error::Rejected(Rejection::Assertions));
        }
        self.gates.mul = self.committed - self.gates.inputs;
        Ok((Accepted(()), self.gates, vole))
    }

    /// The key of the value that the prover commits to by the next share. Fig. 4, 4.
    fn commit_to(&mut self) -> Result<Key<E>> {
        let one = self.delta.value();
        let slot = self.slot()?;
        let key = slot[2];
        *slot = [key, one, key];
        self.gates.inputs += 1;
        Ok(Key(key))
    }

    #[inline(always)]
    fn slot(&mut self) -> Result<&mut Triple<E>> {
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
        self.weigh();
        if self.done == self.section.end {
            self.end_section()?;
            self.next_section()?;
        }
        let keys = &self.block.rows(self.done)[..SLOTS.min(self.section.end - self.done)];
        assert!(!keys.is_empty(), "a block of shares");
        self.filled = keys.len();
        self.slots.iter_mut().zip(keys).for_each(|(slot, key)| slot[2] = *key);
        self.steps.end();
        Ok(())
    }

    /// Opens the next section, with a block of its own where the last one is used up, and receives its
    /// corrections, which go on the keys at once. Then its batch has a challenge. Fig. 4, 4 to 6.
    fn next_section(&mut self) -> Result<()> {
        if self.section.end == self.block.len() {
            self.vole.block(self.channel, &mut self.block)?;
            self.drawn += 1;
            self.section = 0..0;
        }
        let start = self.section.end;
        let length = section(self.sectioned, self.block.len() - start);
        self.section = start..start + length;
        self.sectioned += length;
        self.corrections.resize(length, B::ZERO);
        self.done = start;
        self.channel.recv_elements(&mut self.corrections)?;
        let keys = &mut self.block.rows_mut()[self.section.clone()];
        E::correct(self.arch, keys, &self.corrections, self.delta.value());
        if self.coin.is_none() {
            let seeds = if by_transcript::<E>() {
                challenge(self.channel)
            } else {
                [self.random.word(), self.random.word()]
            };
            let [products, polynomials] = seeds.map(|seed| Coefficients::new(self.arch, seed));
            self.coin = Some(Coin { seeds, products, polynomials });
        }
        self.open = true;
        Ok(())
    }

    /// Weighs the slots used. Fig. 4, 7.
    fn weigh(&mut self) {
        let used = &self.slots[..core::mem::take(&mut self.next)];
        if !used.is_empty() {
            let coin = self.coin.as_mut().expect("tossed before the section's first slot");
            let mut chi = [E::ZERO; SLOTS];
            let chi = &mut chi[..used.len()];
            coin.products.fill(self.arch, chi);
            let (products, keys) = E::verifier_sums(self.arch, chi, used);
            self.sums.0 += products;
            self.sums.1 += keys;
            self.done += used.len();
            self.committed += used.len() as u64;
        }
        self.filled = 0;
    }

    /// Lines over the extension at Δ, from shares that commit to nothing, of the last section or of
    /// further blocks. Fig. 4, 3.
    fn lines(&mut self, count: usize) -> Result<Zeroizing<Vec<E>>> {
        let masks = E::DEGREE as usize;
        let mut lines = Zeroizing::new(Vec::with_capacity(count));
        for _ in 0..count {
            if self.block.len() - self.done < masks {
                self.vole.block(self.channel, &mut self.block)?;
                self.done = 0;
            }
            lines.push(E::pack(&self.block.rows(self.done)[..masks]));
            self.done += masks;
        }
        Ok(lines)
    }

    /// Ends the section, and the batch with it where it is its last one.
    fn end_section(&mut self) -> Result<()> {
        self.weigh();
        if !core::mem::take(&mut self.open) {
            return Ok(());
        }
        if self.corrections[self.done - self.section.start..].iter().any(|correction| *correction != B::ZERO)
        {
            return Err(Error::Misbehaved(Misbehaviour::UnusedShares));
        }
        if let Some(progress) = self.progress {
            progress.store(self.committed - self.gates.inputs, Ordering::Relaxed);
        }
        if ends_batch::<E>(self.drawn - 1, self.section.end == self.block.len()) {
            self.close_batch()?;
        }
        Ok(())
    }

    /// Ends the batch, and its last section with it, whose other shares stay unused. Fig. 4, 6.
    fn end_batch(&mut self) -> Result<()> {
        self.steps.begin()?;
        self.end_section()?;
        self.close_batch()?;
        self.done = self.section.end;
        self.steps.end();
        Ok(())
    }

    /// The coin of the batch, all of whose corrections have arrived, is told.
    fn close_batch(&mut self) -> Result<()> {
        self.coefficients = 0;
        match self.coin.take() {
            Some(coin) if !by_transcript::<E>() => {
                self.channel.send_words(&coin.seeds)?;
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
        self.commit_to()
    }
    fn hint(&mut self, _: &[Key<E>], _: impl Fn(&[B]) -> B + Send + Sync + 'static) -> Result<Key<E>> {
        self.commit_to()
    }
    fn linear(&mut self, factors: &[B], wires: &[Key<E>]) -> Key<E> {
        self.gates.add += wires.len().saturating_sub(1) as u64;
        Key(E::combine(self.arch, factors, self.rows[0].fill(wires.iter().map(|wire| wire.0))))
    }
    #[inline(always)]
    fn mul(&mut self, a: Key<E>, b: Key<E>) -> Result<Key<E>> {
        let slot = self.slot()?;
        let c = slot[2];
        *slot = [a.0, b.0, c];
        Ok(Key(c))
    }
    #[inline]
    fn assert_zero(&mut self, a: Key<E>, _: impl Display) -> Result<()> {
        self.openings.absorb(&a.0);
        self.gates.assert += 1;
        Ok(())
    }
}
