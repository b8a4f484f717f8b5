//! Over F_2: a batch is one block of the VOLE, and its corrections are bits of one message.

use super::{Commitments, Lengths, Turn, Verifier};
use crate::challenge;
use crate::polynomial::Keys;
use crate::slots::weigh;
use core::mem;
use core::ops::Range;
use volery_channel::channel::Channel;
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_channel::random::Random;
use volery_circuit::stream::Map;
use volery_circuit::stream::straight::Lines;
use volery_primitives::arch::{Arch, add_where, verifier_sums};
use volery_primitives::bits::Bits;
use volery_primitives::prg::Prg;
use volery_primitives::{F2, F128};
use volery_vole::macs::BitMacs;
use volery_vole::vole::{BoxedVole, Delta, Key};
use zeroize::Zeroizing;

/// The verifier's state of a batch.
pub struct Kept {
    /// The corrections of the batch, or of the section where this is a half.
    corrections: Bits,
    /// The slots of the section that is open, in a half.
    section: Range<usize>,
    polynomials: Vec<Keys<F128>>,
    /// The functions that were mapped.
    pub(super) lines: Lines<F2>,
}

impl Default for Kept {
    fn default() -> Self {
        Self { corrections: Bits::zeroes(0), section: 0..0, polynomials: Vec::new(), lines: Lines::default() }
    }
}

impl<'a> Verifier<'a, BitMacs> {
    /// A verification over `channel` with shares from `vole` under `delta`.
    pub fn new(channel: &'a mut Channel, vole: BoxedVole<Key>, arch: Arch, delta: &'a Delta) -> Self {
        Self::over(Turn::with(channel), vole, arch, delta, Kept::default())
    }

    /// A half of a verification, whose turn is still to come.
    pub(crate) fn half(vole: BoxedVole<Key>, arch: Arch, delta: &'a Delta) -> Self {
        Self::half_over(vole, arch, delta, Kept::default())
    }

    /// Receives corrections of these shares of the block, which go on the keys at once. Fig. 4, 5.
    pub(super) fn receive_corrections(&mut self, shares: Range<usize>) -> Result<()> {
        let mut bytes = vec![0; shares.len().div_ceil(8)];
        self.channel.recv(&mut bytes)?;
        let corrections = &mut self.kept.corrections;
        // A section may end within a byte.
        let spare = bytes.len() * 8 - shares.len();
        if bytes.last().is_some_and(|last| last.checked_shr(8 - spare as u32).unwrap_or(0) != 0) {
            return Err(Error::Misbehaved(Misbehaviour::FurtherBits));
        }
        *corrections = Bits::zeroes(shares.len());
        corrections.read_bytes(&bytes);
        add_where(self.arch, &bytes, *self.one, &mut self.block.rows_mut()[shares]);
        Ok(())
    }

    /// Opens the next section of a half, in the next block where this one is used up, and receives its
    /// corrections.
    fn next_section(&mut self) -> Result<()> {
        self.end_section()?;
        if !self.open || self.slots.used().len() == self.block.len() {
            BitMacs::end_batch(self)?;
            self.vole.block(&mut self.channel, &mut self.block)?;
            self.slots.begin(self.block.len());
            (self.done, self.open) = (0, true);
        }
        let start = self.slots.used().len();
        let length = self.lengths.as_ref().expect("a half").next(self.block.len() - start);
        self.kept.section = start..start + length;
        self.slots.limit(start);
        self.receive_corrections(start..start + length)?;
        self.slots.limit(start + length);
        Ok(())
    }

    /// Ends the section, if one is open. The next section takes its other shares.
    fn end_section(&mut self) -> Result<()> {
        let section = mem::take(&mut self.kept.section);
        if section.is_empty() {
            return Ok(());
        }
        let used = self.slots.used().len();
        self.slots.limit(used);
        if !self.kept.corrections.zero_from(used - section.start) {
            return Err(Error::Misbehaved(Misbehaviour::UnusedShares));
        }
        self.lengths.iter_mut().for_each(|lengths| lengths.end_section(used - section.start));
        Ok(())
    }
}

impl Commitments for BitMacs {
    type Kept = Kept;

    fn verifier<'a>(
        channel: &'a mut Channel,
        vole: BoxedVole<Key>,
        arch: Arch,
        delta: &'a Delta,
        _: &mut Random,
    ) -> Verifier<'a, Self> {
        Verifier::<Self>::new(channel, vole, arch, delta)
    }

    /// Draws the next block and receives its corrections, which go on the keys at once. Fig. 4, 4 and 5.
    fn next_slots(verifier: &mut Verifier<'_, Self>) -> Result<()> {
        if verifier.lengths.is_some() {
            return verifier.next_section();
        }
        Self::end_batch(verifier)?;
        if let Some(feed) = &mut verifier.feed {
            feed()?;
        }
        verifier.vole.block(&mut verifier.channel, &mut verifier.block)?;
        let length = verifier.block.len();
        verifier.receive_corrections(0..length)?;
        verifier.slots.begin(length);
        (verifier.done, verifier.open) = (0, true);
        Ok(())
    }

    /// Draws the batch's challenge, after all its corrections. Fig. 4, 6 and 7.
    fn end_batch(verifier: &mut Verifier<'_, Self>) -> Result<()> {
        if !mem::take(&mut verifier.open) {
            assert!(verifier.kept.polynomials.is_empty(), "polynomials belong to a batch");
            return Ok(());
        }
        if verifier.lengths.is_some() {
            verifier.end_section()?;
        } else if !verifier.kept.corrections.zero_from(verifier.slots.used().len()) {
            return Err(Error::Misbehaved(Misbehaviour::UnusedShares));
        }
        let [products, polynomials] = challenge(&mut verifier.channel);
        let arch = verifier.arch;
        verifier.done = verifier.weigh_products(move |used| weigh(arch, products, used, verifier_sums));
        let mut coefficients = Prg::new(verifier.arch, polynomials);
        for keys in verifier.kept.polynomials.drain(..) {
            verifier.sums.weigh::<F2>(verifier.arch, &keys, |chi| coefficients.fill(chi));
        }
        verifier.coefficients = 0;
        verifier.vole.skip(verifier.block.len() - verifier.done);
        verifier.report();
        Ok(())
    }

    fn map(
        verifier: &mut Verifier<'_, Self>,
        map: Map<'_, F2, F128>,
    ) -> Result<Option<Zeroizing<Vec<F128>>>> {
        verifier.map(map)
    }

    fn end_turn(verifier: &mut Verifier<'_, Self>) -> Result<()> {
        verifier.end_section()?;
        verifier.lengths.iter_mut().for_each(Lengths::end_turn);
        Ok(())
    }

    fn add(verifier: &mut Verifier<'_, Self>, polynomials: Keys<F128>) {
        verifier.kept.polynomials.push(polynomials);
    }
}
