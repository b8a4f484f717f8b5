//! Over F_2: a batch is one block of the VOLE, and its corrections are bits of one message.

use super::{Commitments, Lengths, Prover};
use crate::challenge;
use crate::polynomial::Pending;
use crate::slots::{Memory, Weighing, weigh};
use crate::waves::{Maps, Tags, WideWaves};
use core::mem;
use core::ops::Range;
use volery_channel::error::Result;
use volery_circuit::stream::Map;
use volery_primitives::arch::prover_sums;
use volery_primitives::bits::pack_corrections;
use volery_primitives::prg::Prg;
use volery_primitives::{F2, F128};
use volery_vole::macs::BitMacs;
use zeroize::Zeroizing;

/// The prover's state of its batches.
#[derive(Default)]
pub struct Kept {
    polynomials: Pending<F128>,
    /// The slots of the section that is open, in a half of a proof.
    section: Range<usize>,
    pub(super) weighing: Weighing<Memory<F128>, F128>,
    /// The functions that were mapped.
    pub(crate) maps: Maps<Tags<BitMacs>>,
}

impl Commitments for BitMacs {
    type Kept = Kept;

    fn next_slots(prover: &mut Prover<'_, Self>) -> Result<()> {
        if prover.lengths.is_some() {
            return prover.next_section();
        }
        Self::end_batch(prover)?;
        Self::draw(prover)?;
        prover.slots.begin(prover.block.len());
        (prover.done, prover.open) = (0, true);
        Ok(())
    }

    /// Sends the batch's corrections and only then draws its challenge. Fig. 4, 5 to 7.
    fn end_batch(prover: &mut Prover<'_, Self>) -> Result<()> {
        if !mem::take(&mut prover.open) {
            assert!(prover.kept.polynomials.is_empty(), "polynomials belong to a batch");
            return Ok(());
        }
        if prover.lengths.is_some() {
            prover.end_section()?;
        } else {
            prover.send_corrections(0..prover.block.len())?;
        }
        let [products, polynomials] = challenge(&mut prover.channel);
        if let Some(drain) = &mut prover.drain {
            drain()?;
        }
        let Prover { arch, pool, sums, slots, kept: Kept { weighing, .. }, .. } = prover;
        let (arch, (count, used)) = (*arch, slots.take(weighing.spare().unwrap_or_default()));
        weighing.begin(pool, (count, used), move |used| weigh(arch, products, &used[..count], prover_sums));
        while let Some(weighed) = weighing.next_beyond(pool.ahead()) {
            sums.add(&weighed);
        }
        Self::settle(prover, 0);
        let mut coefficients = Prg::new(prover.arch, polynomials);
        prover.kept.polynomials.weigh::<F2>(prover.arch, |chi| coefficients.fill(chi), &mut prover.sums);
        prover.coefficients = 0;
        prover.done = count;
        prover.vole.skip(prover.block.len() - count);
        prover.committed += count as u64;
        prover.report();
        Ok(())
    }

    fn end_turn(prover: &mut Prover<'_, Self>) -> Result<()> {
        prover.end_section()?;
        prover.lengths.iter_mut().for_each(Lengths::end_turn);
        Ok(())
    }

    fn widen(kept: &mut Kept, wide: WideWaves) {
        kept.maps.wide = Some(wide);
    }

    fn map(prover: &mut Prover<'_, Self>, map: Map<'_, F2, F128>) -> Result<Option<Zeroizing<Vec<F128>>>> {
        prover.map_bits(map)
    }

    fn polynomials<'p>(prover: &'p mut Prover<'_, Self>) -> &'p mut Pending<F128> {
        &mut prover.kept.polynomials
    }

    fn settle(prover: &mut Prover<'_, Self>, ahead: usize) {
        let Prover { kept, failed, .. } = prover;
        kept.polynomials.settle(ahead, |failure| failed.note(failure));
    }

    fn weigh_all(prover: &mut Prover<'_, Self>) {
        while let Some(weighed) = prover.kept.weighing.last(prover.committed) {
            prover.sums.add(&weighed);
        }
    }
}

impl Prover<'_, BitMacs> {
    /// Sends corrections of these shares of the block, zero where one is not used. Fig. 4, 5.
    fn send_corrections(&mut self, shares: Range<usize>) -> Result<()> {
        let used = &self.slots.used()[shares.start..];
        let mut bytes = pack_corrections(&self.block.rows(shares.start)[..used.len()], used);
        bytes.resize(shares.len().div_ceil(8), 0);
        self.channel.send(&bytes)
    }

    /// Opens the next section of a half, in the next block where this one is used up.
    fn next_section(&mut self) -> Result<()> {
        self.end_section()?;
        if !self.open || self.slots.used().len() == self.block.len() {
            BitMacs::end_batch(self)?;
            BitMacs::draw(self)?;
            self.slots.begin(self.block.len());
            (self.done, self.open) = (0, true);
        }
        let start = self.slots.used().len();
        let length = self.lengths.as_ref().expect("a half").next(self.block.len() - start);
        self.kept.section = start..start + length;
        self.slots.limit(start + length);
        Ok(())
    }

    /// Sends the corrections of the section, if one is open. Its other shares are the next one's.
    fn end_section(&mut self) -> Result<()> {
        let section = mem::take(&mut self.kept.section);
        if section.is_empty() {
            return Ok(());
        }
        let used = self.slots.used().len();
        self.send_corrections(section.clone())?;
        self.slots.limit(used);
        self.lengths.iter_mut().for_each(|lengths| lengths.end_section(used - section.start));
        Ok(())
    }
}
