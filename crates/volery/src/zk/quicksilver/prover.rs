//! The prover's side.

mod polynomial;

use super::MASKS;
use super::batch::{ASSERTED, Batch, challenge};
use super::polynomial::{Pending, Rows, Sums, degree_of_check};
use crate::channel::Channel;
use crate::circuit::{Backend, nothing_asserted, witness_ended, witness_unread};
use crate::error::{Error, Result};
use crate::vole::{BoxedVole, Mac, Shares, vope};
use crate::zk::{Gates, Openings, Steps};
use core::fmt::Display;
use core::sync::atomic::{AtomicU64, Ordering};
use volery_primitives::arch::{Arch, Triple, prover_sums};
use volery_primitives::bits::Bits;
use volery_primitives::prg::Prg;
use volery_primitives::{Extension, F2, F128, Field};
use zeroize::Zeroizing;

/// Proves the circuit that is pushed into it.
pub struct Prover<'a> {
    channel: &'a mut Channel,
    vole: BoxedVole<Mac>,
    witness: Box<dyn Iterator<Item = F2> + 'a>,
    arch: Arch,
    steps: Steps,
    block: Shares<Mac>,
    batch: Batch,
    /// Σ χ·A₀ and Σ χ·A₁ over all batches so far.
    sums: Zeroizing<(F128, F128)>,
    /// The polynomials of this batch, their number of coefficients, and the sums of those before.
    pending: Pending<F128>,
    coefficients: usize,
    polynomials: Sums<F128>,
    rows: [Rows<F128>; 2],
    openings: Openings,
    gates: Gates,
    /// Shares that were committed by, in batches that have ended.
    committed: u64,
    /// The first assertion that failed; the peer learns of it at the end.
    failed: Option<String>,
    progress: Option<&'a AtomicU64>,
}

impl<'a> Prover<'a> {
    /// A proof over `channel` with shares from `vole`, whose witness is read from `witness`.
    pub fn new(
        channel: &'a mut Channel,
        vole: BoxedVole<Mac>,
        arch: Arch,
        witness: impl IntoIterator<Item = F2, IntoIter: 'a>,
    ) -> Self {
        Self {
            channel,
            vole,
            witness: Box::new(witness.into_iter()),
            arch,
            steps: Steps::default(),
            block: Shares::default(),
            batch: Batch::default(),
            sums: Zeroizing::default(),
            pending: Pending::default(),
            coefficients: 0,
            polynomials: Sums::default(),
            rows: Default::default(),
            openings: Openings::new(ASSERTED),
            gates: Gates::default(),
            committed: 0,
            failed: None,
            progress: None,
        }
    }

    /// Stores the number of multiplications so far in `progress`, if any, once a batch.
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
    pub fn finish(mut self) -> Result<(Gates, BoxedVole<Mac>)> {
        if self.gates.assert == 0 {
            return Err(nothing_asserted());
        }
        if self.witness.next().is_some() {
            return Err(witness_unread());
        }
        self.end_batch()?;
        self.steps.begin()?;
        if let Some(name) = self.failed {
            return Err(Error::Unsatisfied(name));
        }
        self.polynomials.add(&[self.sums.0, self.sums.1]);
        let degree = degree_of_check(self.gates.degree) - 1;
        let lines = self.lines(vope::lines(degree))?;
        let opened = self.polynomials.masked(&vope::polynomial(degree, &lines));
        let vole = self.vole.check(self.channel)?;
        // Fig. 4, 7b and 8.
        self.channel.send_words(&opened)?;
        self.channel.send(&self.openings.digest())?;
        self.gates.mul = self.committed - self.gates.inputs;
        Ok((self.gates, vole))
    }

    /// Lines over the extension from shares that commit to nothing. Fig. 4, 3.
    fn lines(&mut self, count: usize) -> Result<Zeroizing<Vec<(F128, F128)>>> {
        let mut unused = self.batch.used().len();
        let mut lines = Zeroizing::new(Vec::with_capacity(count));
        for _ in 0..count {
            if self.block.len() - unused < MASKS {
                self.vole.block(self.channel, &mut self.block)?;
                unused = 0;
            }
            let masks = &self.block.rows(unused)[..MASKS];
            let values = Zeroizing::new(masks.iter().map(|mac| F128::from(mac.bit0())).collect::<Vec<_>>());
            lines.push((F128::pack(masks), F128::pack(&values)));
            unused += MASKS;
        }
        Ok(lines)
    }

    /// Commits to `value` by the next share. Fig. 4, 4.
    fn commit(&mut self, value: F2) -> Result<Mac> {
        let one = Mac::constant(1);
        let slot = self.slot()?;
        let wire = F128(slot[2].0 & !1 | value.to_word());
        *slot = [wire, one.0, wire];
        self.gates.inputs += 1;
        Ok(Mac(wire))
    }

    /// Commits to `value` as the product of `a` and `b`, which it is where the prover is honest. Fig. 4, 5.
    #[inline(always)]
    pub(super) fn multiply(&mut self, a: Mac, b: Mac, value: F2) -> Result<Mac> {
        let slot = self.slot()?;
        // The share with its value, bit 0, corrected.
        let c = F128(slot[2].0 & !1 | value.to_word());
        *slot = [a.0, b.0, c];
        Ok(Mac(c))
    }

    #[inline(always)]
    fn slot(&mut self) -> Result<&mut Triple> {
        if self.batch.is_used_up() {
            self.next_batch()?;
        }
        Ok(self.batch.slot())
    }

    #[cold]
    #[inline(never)]
    fn next_batch(&mut self) -> Result<()> {
        self.end_batch()?;
        self.steps.begin()?;
        self.vole.block(self.channel, &mut self.block)?;
        self.batch.open(self.block.rows(0));
        self.steps.end();
        Ok(())
    }

    /// Sends the batch's corrections and only then draws its challenge. Fig. 4, 5 to 7.
    fn end_batch(&mut self) -> Result<()> {
        if !self.batch.close() {
            return Ok(());
        }
        self.steps.begin()?;
        let committed = self.block.rows(0).chunks(64).zip(self.batch.used().chunks(64));
        let corrections = committed.map(|(shares, slots)| {
            let bits = shares.iter().zip(slots).map(|(share, slot)| (share.0 ^ slot[2].0) as u64 & 1);
            bits.enumerate().fold(0, |word, (i, bit)| word | bit << i)
        });
        let corrections = Bits::from_words(self.block.len(), corrections);
        let mut bytes = Vec::with_capacity(self.block.len() / 8 + 8);
        corrections.write_bytes(&mut bytes);
        self.channel.send(&bytes)?;
        let [gates, polynomials] = challenge(self.channel);
        self.batch.weigh(gates, self.arch, &mut self.sums, prover_sums);
        let mut prg = Prg::new(self.arch, polynomials);
        self.pending.weigh::<F2>(self.arch, |chi| prg.fill(chi), &mut self.polynomials);
        self.coefficients = 0;
        self.committed += self.batch.used().len() as u64;
        if let Some(progress) = self.progress {
            progress.store(self.committed - self.gates.inputs, Ordering::Relaxed);
        }
        self.steps.end();
        Ok(())
    }
}

impl Backend for Prover<'_> {
    type F = F2;
    type Wire = Mac;

    #[inline(always)]
    fn constant(&mut self, c: F2) -> Mac {
        Mac::constant(c.to_word())
    }
    #[inline(always)]
    fn add(&mut self, a: Mac, b: Mac) -> Mac {
        self.gates.add += 1;
        Mac(a.0 ^ b.0)
    }
    #[inline(always)]
    fn scale(&mut self, a: Mac, c: F2) -> Mac {
        Mac(a.0.scale(c))
    }
    #[inline]
    fn witness(&mut self) -> Result<Mac> {
        let value = self.witness.next().ok_or_else(|| self.steps.fail(witness_ended()))?;
        self.commit(value)
    }
    fn hint(&mut self, of: &[Mac], f: impl Fn(&[F2]) -> F2 + Send + Sync + 'static) -> Result<Mac> {
        let values: Zeroizing<Vec<F2>> = Zeroizing::new(of.iter().map(|wire| wire.value()).collect());
        self.commit(f(&values))
    }
    fn hints(
        &mut self,
        of: &[Mac],
        count: usize,
        f: impl Fn(&[F2]) -> Vec<F2> + Send + Sync + 'static,
    ) -> Result<Vec<Mac>> {
        let values: Zeroizing<Vec<F2>> = Zeroizing::new(of.iter().map(|wire| wire.value()).collect());
        let values = Zeroizing::new(f(&values));
        assert_eq!(values.len(), count);
        values.iter().map(|value| self.commit(*value)).collect()
    }
    #[inline(always)]
    fn mul(&mut self, a: Mac, b: Mac) -> Result<Mac> {
        self.multiply(a, b, a.value() * b.value())
    }
    #[inline]
    fn assert_zero(&mut self, a: Mac, name: impl Display) -> Result<()> {
        if a.value() != F2::ZERO && self.failed.is_none() {
            self.failed = Some(name.to_string());
        }
        self.openings.absorb(&a.0);
        self.gates.assert += 1;
        Ok(())
    }
}
