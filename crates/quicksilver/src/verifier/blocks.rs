//! Over F_2: a batch is one block of the VOLE, and its corrections are bits of one message.

use super::waves::{self, Mapped, Taken};
use super::{Commitments, Lengths, Turn as HalfTurn, Verifier};
use crate::polynomial;
use crate::slots::weigh;
use crate::waves::{Drawn, Fill, Fresh, Keys, Mapping, Maps, Rows, SumsOf, Turn, WideWaves};
use crate::{challenge, more_than_counted};
use core::mem;
use core::ops::Range;
use volery_channel::channel::Channel;
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_channel::pool::Task;
use volery_channel::random::Random;
use volery_circuit::stream::Map;
use volery_primitives::arch::{Arch, add_where, verifier_column_sums, verifier_sums};
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
    polynomials: Vec<polynomial::Keys<F128>>,
    /// The functions that were mapped.
    pub(crate) maps: Maps<Keys<BitMacs>>,
}

impl Default for Kept {
    fn default() -> Self {
        Self { corrections: Bits::zeroes(0), section: 0..0, polynomials: Vec::new(), maps: Maps::default() }
    }
}

impl<'a> Verifier<'a, BitMacs> {
    /// A verification over `channel` with shares from `vole` under `delta`.
    pub fn new(channel: &'a mut Channel, vole: BoxedVole<Key>, arch: Arch, delta: &'a Delta) -> Self {
        Self::over(HalfTurn::with(channel), vole, arch, delta, Kept::default())
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

    fn widen(kept: &mut Kept, wide: WideWaves) {
        kept.maps.wide = Some(wide);
    }

    fn map(
        verifier: &mut Verifier<'_, Self>,
        map: Map<'_, F2, F128>,
    ) -> Result<Option<Zeroizing<Vec<F128>>>> {
        waves::map(verifier, map)
    }

    fn end_turn(verifier: &mut Verifier<'_, Self>) -> Result<()> {
        verifier.end_section()?;
        verifier.lengths.iter_mut().for_each(Lengths::end_turn);
        Ok(())
    }

    fn add(verifier: &mut Verifier<'_, Self>, polynomials: polynomial::Keys<F128>) {
        verifier.kept.polynomials.push(polynomials);
    }
}

impl Mapped for BitMacs {
    const SUMS: SumsOf<Keys<Self>> = |arch, chi, columns, _| verifier_column_sums(arch, chi, columns);

    fn maps(kept: &mut Kept) -> &mut Maps<Keys<Self>> {
        &mut kept.maps
    }

    fn is_between_blocks(verifier: &Verifier<'_, Self>) -> bool {
        verifier.slots.are_used_up()
    }

    fn end_block(verifier: &mut Verifier<'_, Self>) -> Result<()> {
        Self::end_batch(verifier)?;
        // What was left of the last block, if anything, is used no more.
        verifier.done = verifier.block.len();
        Ok(())
    }

    fn begin_block(verifier: &mut Verifier<'_, Self>, spare: Rows<F128>) -> Result<Drawn<F128>> {
        if let Some(feed) = &mut verifier.feed {
            feed()?;
        }
        let (shares, rows) = verifier.vole.begin_block(&mut verifier.channel, spare)?;
        if shares == 0 {
            return Err(verifier.steps.fail(more_than_counted()));
        }
        Ok(Drawn { shares, rows: Fresh::Task(rows), ends_batch: None })
    }

    fn take_turn(verifier: &mut Verifier<'_, Self>, turn: &Turn<Task<Rows<F128>>>) -> Result<Taken<F128>> {
        let corrections = verifier.corrections_of(turn)?;
        let seeds = challenge(&mut verifier.channel);
        let (arch, mut at) = (verifier.arch, 0);
        let correct = move |rows: &mut [F128], one| {
            let bytes = rows.len().div_ceil(8);
            add_where(arch, &corrections[at..at + bytes], one, rows);
            at += bytes;
        };
        let fill = seeds.map(|seed| -> Fill<F128> {
            let mut coefficients = Prg::new(arch, seed);
            Box::new(move |chi| coefficients.fill(chi))
        });
        Ok(Taken { correct: Box::new(correct), fill })
    }

    fn turns_on_device(
        verifier: &mut Verifier<'_, Self>,
        mapping: &mut Mapping<'_, Keys<Self>>,
    ) -> Result<()> {
        verifier.turns_on_device(mapping)
    }

    fn end_of_turn(_: &mut Verifier<'_, Self>, _: bool) -> Result<()> {
        Ok(())
    }

    fn resume(verifier: &mut Verifier<'_, Self>, rows: Rows<F128>) -> Result<()> {
        let length = rows.len();
        *verifier.block.rows_mut() = rows;
        verifier.receive_corrections(0..length)?;
        verifier.slots.begin(length);
        (verifier.done, verifier.open) = (0, true);
        Ok(())
    }
}

impl Verifier<'_, BitMacs> {
    /// Receives the corrections of a turn, those of each block from a new byte on.
    pub(super) fn corrections_of<R>(&mut self, turn: &Turn<R>) -> Result<Vec<u8>> {
        let mut corrections = vec![0; turn.lengths().map(|length| length.div_ceil(8)).sum()];
        self.channel.recv(&mut corrections)?;
        let mut at = 0;
        for length in turn.lengths() {
            at += length.div_ceil(8);
            if !length.is_multiple_of(8) && corrections[at - 1] >> (length % 8) != 0 {
                return Err(Error::Misbehaved(Misbehaviour::FurtherBits));
            }
        }
        Ok(corrections)
    }
}
