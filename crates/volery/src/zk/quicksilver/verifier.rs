//! The verifier's side.

mod polynomial;

use super::MASKS;
use super::batch::{ASSERTED, Batch, challenge};
use super::polynomial::{KeySums, Keys, Rows, degree_of_check};
use crate::channel::Channel;
use crate::circuit::{Backend, nothing_asserted};
use crate::error::{Error, Misbehaviour, Rejection, Result};
use crate::vole::{BoxedVole, Delta, Key, Shares, vope};
use crate::zk::{Accepted, Gates, Openings, Steps};
use core::fmt::Display;
use core::sync::atomic::{AtomicU64, Ordering};
use subtle::ConstantTimeEq;
use volery_primitives::arch::{Arch, Triple, verifier_sums};
use volery_primitives::bits::Bits;
use volery_primitives::prg::Prg;
use volery_primitives::{Extension, F2, F128, Field};
use zeroize::Zeroizing;

#[cfg(doc)]
use crate::vole::Mac;

/// Verifies the circuit that is pushed into it.
pub struct Verifier<'a> {
    channel: &'a mut Channel,
    vole: BoxedVole<Key>,
    delta: &'a Delta,
    /// The key of the public value one: Δ with bit 0 cleared, as the prover's [`Mac::constant`] has it.
    one: Zeroizing<F128>,
    arch: Arch,
    steps: Steps,
    block: Shares<Key>,
    corrections: Bits,
    batch: Batch,
    /// Σ χ·k_a·k_b and Σ χ·k_c over all batches so far.
    sums: Zeroizing<(F128, F128)>,
    /// The polynomials of this batch, their number of coefficients for the prover, and the
    /// sums of those before.
    pending: Vec<Keys<F128>>,
    coefficients: usize,
    polynomials: KeySums<F128>,
    rows: [Rows<F128>; 2],
    openings: Openings,
    gates: Gates,
    /// Shares that the prover committed by, in batches that have ended.
    committed: u64,
    progress: Option<&'a AtomicU64>,
}

impl<'a> Verifier<'a> {
    /// A verification over `channel` with shares from `vole` under `delta`.
    pub fn new(channel: &'a mut Channel, vole: BoxedVole<Key>, arch: Arch, delta: &'a Delta) -> Self {
        Self {
            channel,
            vole,
            delta,
            one: Zeroizing::new(F128(delta.value().0 ^ 1)),
            arch,
            steps: Steps::default(),
            block: Shares::default(),
            corrections: Bits::zeroes(0),
            batch: Batch::default(),
            sums: Zeroizing::default(),
            pending: Vec::new(),
            coefficients: 0,
            polynomials: KeySums::default(),
            rows: Default::default(),
            openings: Openings::new(ASSERTED),
            gates: Gates::default(),
            committed: 0,
            progress: None,
        }
    }

    /// Stores the number of multiplications so far in `progress`, if any, once a batch.
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
    pub fn finish(mut self) -> Result<(Accepted, Gates, BoxedVole<Key>)> {
        if self.gates.assert == 0 {
            return Err(nothing_asserted());
        }
        self.end_batch()?;
        self.steps.begin()?;
        let degree = degree_of_check(self.gates.degree);
        let mask = vope::value(degree - 1, &self.lines(vope::lines(degree - 1))?);
        let consistent = self.vole.check(self.channel);
        // A failed check must not look different to the peer before its last message has been read.
        if let Err(error @ Error::Io { .. }) = consistent {
            return Err(error);
        }
        let mut opened = vec![F128::ZERO; degree];
        self.channel.recv_words(&mut opened)?;
        let openings: [u8; 32] = self.channel.recv_array()?;

        // Fig. 4, 7c, and fig. 5, 5c: W = Σ χ·B + B*, where B = k_a·k_b + k_c·Δ for products.
        let delta = self.delta.value();
        self.polynomials.add(2, self.sums.0 + self.sums.1 * delta);
        let (w, at_delta) = self.polynomials.against(delta, mask, &opened);
        let products_hold = w.to_bytes().ct_eq(&at_delta.to_bytes());
        // Fig. 4, 8.
        let assertions_hold = self.openings.digest().ct_eq(&openings);
        let vole = consistent?;
        if !bool::from(products_hold) {
            return Err(Error::Rejected(Rejection::ProductsAndPolynomials));
        }
        if !bool::from(assertions_hold) {
            return Err(Error::Rejected(Rejection::Assertions));
        }
        self.gates.mul = self.committed - self.gates.inputs;
        Ok((Accepted(()), self.gates, vole))
    }

    /// Lines over the extension at Δ, from shares that commit to nothing. Fig. 4, 3.
    fn lines(&mut self, count: usize) -> Result<Zeroizing<Vec<F128>>> {
        let mut unused = self.batch.used().len();
        let mut lines = Zeroizing::new(Vec::with_capacity(count));
        for _ in 0..count {
            if self.block.len() - unused < MASKS {
                self.vole.block(self.channel, &mut self.block)?;
                unused = 0;
            }
            lines.push(F128::pack(&self.block.rows(unused)[..MASKS]));
            unused += MASKS;
        }
        Ok(lines)
    }

    /// The key of the value that the prover commits to by the next share. Fig. 4, 4.
    fn commit(&mut self) -> Result<Key> {
        let one = *self.one;
        let slot = self.slot()?;
        let key = slot[2];
        *slot = [key, one, key];
        self.gates.inputs += 1;
        Ok(Key(key))
    }

    #[inline(always)]
    fn slot(&mut self) -> Result<&mut Triple> {
        if self.batch.is_used_up() {
            self.next_batch()?;
        }
        Ok(self.batch.slot())
    }

    /// Draws the next block and receives its corrections, which go on the keys at once. Fig. 4, 4 and 5.
    #[cold]
    #[inline(never)]
    fn next_batch(&mut self) -> Result<()> {
        self.end_batch()?;
        self.steps.begin()?;
        self.vole.block(self.channel, &mut self.block)?;
        let mut bytes = vec![0; self.block.len().div_ceil(8)];
        self.channel.recv(&mut bytes)?;
        self.corrections = Bits::zeroes(self.block.len());
        self.corrections.read_bytes(&bytes);
        self.batch.open(self.block.rows(0));
        for (slots, word) in self.batch.all().chunks_mut(64).zip(self.corrections.words()) {
            for (i, slot) in slots.iter_mut().enumerate() {
                slot[2] += self.one.scale(F2::low_bit((word >> i).into()));
            }
        }
        self.steps.end();
        Ok(())
    }

    /// Draws the batch's challenge, whose corrections have all arrived. Fig. 4, 6 and 7.
    fn end_batch(&mut self) -> Result<()> {
        if !self.batch.close() {
            return Ok(());
        }
        self.steps.begin()?;
        if !self.corrections.zero_from(self.batch.used().len()) {
            return Err(Error::Misbehaved(Misbehaviour::UnusedShares));
        }
        let [gates, polynomials] = challenge(self.channel);
        self.batch.weigh(gates, self.arch, &mut self.sums, verifier_sums);
        let mut prg = Prg::new(self.arch, polynomials);
        for keys in self.pending.drain(..) {
            self.polynomials.weigh::<F2>(self.arch, &keys, |chi| prg.fill(chi));
        }
        self.coefficients = 0;
        self.committed += self.batch.used().len() as u64;
        if let Some(progress) = self.progress {
            progress.store(self.committed - self.gates.inputs, Ordering::Relaxed);
        }
        self.steps.end();
        Ok(())
    }
}

impl Backend for Verifier<'_> {
    type F = F2;
    type Wire = Key;

    #[inline(always)]
    fn constant(&mut self, c: F2) -> Key {
        Key(self.one.scale(c))
    }
    #[inline(always)]
    fn add(&mut self, a: Key, b: Key) -> Key {
        self.gates.add += 1;
        Key(a.0 ^ b.0)
    }
    #[inline(always)]
    fn scale(&mut self, a: Key, c: F2) -> Key {
        Key(a.0.scale(c))
    }
    #[inline]
    fn witness(&mut self) -> Result<Key> {
        self.commit()
    }
    fn hint(&mut self, _: &[Key], _: impl Fn(&[F2]) -> F2 + Send + Sync + 'static) -> Result<Key> {
        self.commit()
    }
    #[inline(always)]
    fn mul(&mut self, a: Key, b: Key) -> Result<Key> {
        let slot = self.slot()?;
        let c = slot[2];
        *slot = [a.0, b.0, c];
        Ok(Key(c))
    }
    #[inline]
    fn assert_zero(&mut self, a: Key, _: impl Display) -> Result<()> {
        self.openings.absorb(&a.0);
        self.gates.assert += 1;
        Ok(())
    }
}
