//! Functions on many lanes at a time: see [`crate::waves`].

use super::{Commitments, Prover};
use crate::waves::{Clear, Done, Mapping, Piece, SumsOf};
use crate::{challenge, more_than_counted};
use core::mem;
use volery_channel::error::Result;
use volery_channel::pool::Pool;
use volery_circuit::stream::Map;
use volery_circuit::witness_ended;
use volery_primitives::arch::{Arch, prover_column_sums};
use volery_primitives::{F2, F128, Field};
use volery_vole::macs::{BitMacs, Macs};
use volery_vole::vole::Shares;
use zeroize::Zeroizing;

/// A map, with its waves in the clear.
struct Walks<'m> {
    mapping: Mapping<'m>,
    /// The waves that have begun, and have not ended.
    clear: Vec<Option<Clear>>,
    /// The number of the first assertion that has failed, in the order of calls.
    failed: Option<u64>,
    /// The shares that were corrected so far.
    #[cfg(test)]
    corrected: u64,
}

impl Prover<'_, BitMacs> {
    /// Executes a function on many lanes at a time, if it can be.
    pub(super) fn map(&mut self, map: Map<'_, F2, F128>) -> Result<Option<Zeroizing<Vec<F128>>>> {
        let one = BitMacs::constant(F2::ONE);
        // A half hands the channel on by sections.
        let begun =
            if self.lengths.is_some() { None } else { Mapping::begin(&mut self.kept.functions, map, one) };
        let Some(mapping) = begun else { return Ok(None) };
        // Products that are asserted belong to the batch that is open.
        self.take_asserted()?;
        let mut walks = Walks {
            clear: (0..mapping.waves()).map(|_| None).collect(),
            mapping,
            failed: None,
            #[cfg(test)]
            corrected: 0,
        };
        while walks.mapping.left() > 0 {
            if self.slots.are_used_up() {
                self.steps.begin()?;
                self.whole_block(&mut walks)?;
                self.steps.end();
            } else {
                self.rest_of_block(&mut walks)?;
            }
        }
        let Walks { mut mapping, failed, .. } = walks;
        let by = self.walked_by();
        mapping.settle_all((by.0, &by.1, by.2), &mut |done| self.take_walked(done));
        if let (Some(number), None) = (failed, &self.failed) {
            self.failed = Some(mapping.name(number));
        }
        mapping.count(&mut self.gates);
        Ok(Some(mapping.end()))
    }

    /// Draws a block. Where the map takes all of it, it is a batch of its own: sends its corrections, draws its
    /// challenge, and hands out the second walk. Fig. 4, 4 to 7.
    fn whole_block(&mut self, walks: &mut Walks<'_>) -> Result<()> {
        BitMacs::end_batch(self)?;
        let mut block = Shares::default();
        *block.rows_mut() = walks.mapping.spare();
        self.vole.block(&mut self.channel, &mut block)?;
        if block.is_empty() {
            return Err(self.steps.fail(more_than_counted()));
        }
        if walks.mapping.left() < block.len() as u64 {
            self.slots.begin(block.len());
            (self.block, self.done, self.open) = (block, 0, true);
            return Ok(());
        }
        // What was left of the last block, if anything, is used no more.
        self.done = self.block.len();
        let mut shares = mem::take(block.rows_mut());
        let mut corrections = vec![0; shares.len().div_ceil(8)];
        let pieces = walks.mapping.pieces(shares.len());
        for Piece { wave, shares: of } in &pieces {
            self.walk_in_clear(walks, *wave, &mut shares[of.clone()], (&mut corrections, of.start))?;
        }
        self.channel.send(&corrections)?;
        let [products, _] = challenge(&mut self.channel);
        if let Some(drain) = &mut self.drain {
            drain()?;
        }
        self.committed += shares.len() as u64;
        let by = self.walked_by();
        let take = &mut |done: &Done| self.take_walked(done);
        walks.mapping.add((by.0, &by.1, by.2), (pieces, shares, products), take);
        self.report_without(walks.mapping.inputs());
        Ok(())
    }

    /// Walks over what is left of the open block, whose products go into slots.
    fn rest_of_block(&mut self, walks: &mut Walks<'_>) -> Result<()> {
        let by = self.walked_by();
        walks.mapping.settle_all((by.0, &by.1, by.2), &mut |done| self.take_walked(done));
        let (from, count) = (self.done + self.slots.next(), self.slots.left());
        for Piece { wave: number, shares: of } in walks.mapping.pieces(count) {
            let mut shares = Zeroizing::new(self.block.rows(from + of.start)[..of.len()].to_vec());
            let mut corrections = vec![0; shares.len().div_ceil(8)];
            self.walk_in_clear(walks, number, &mut shares, (&mut corrections, 0))?;
            walks.mapping.walk_into((&mut self.slots, &mut self.openings), (self.arch, number), &shares);
        }
        Ok(())
    }

    /// Walks on in the clear, and corrects `shares`. The corrections go where `to` says. Fig. 4, 4 and 5.
    fn walk_in_clear(
        &mut self,
        walks: &mut Walks<'_>,
        wave: usize,
        shares: &mut [F128],
        (bits, at): (&mut [u8], usize),
    ) -> Result<()> {
        let Walks { mapping, clear, failed, .. } = walks;
        let mut walk = match clear[wave].take() {
            Some(walk) => walk,
            None => {
                let arguments = mapping.arguments(wave);
                let begun = Clear::new(&mapping.line, mapping.lanes(wave), arguments, &mut self.witness);
                begun.ok_or_else(|| self.steps.fail(witness_ended()))?
            }
        };
        walk.walk(shares, bits, at);
        #[cfg(test)]
        {
            let count = shares.len() as u64;
            for lie in self
                .lies_in_waves
                .iter()
                .filter(|lie| (walks.corrected..walks.corrected + count).contains(lie))
            {
                let lie = (lie - walks.corrected) as usize;
                shares[lie].0 ^= 1;
                bits[(at + lie) / 8] ^= 1 << ((at + lie) % 8);
            }
            walks.corrected += count;
        }
        if let Some(number) = walk.failed() {
            *failed = Some(failed.map_or(number, |first| first.min(number)));
        }
        clear[wave] = Some(walk).filter(|walk| !walk.is_done());
        Ok(())
    }

    /// The kernels and threads that walk, and how products are summed.
    fn walked_by(&self) -> (Arch, Pool, SumsOf) {
        (self.arch, self.pool.clone(), prover_column_sums)
    }

    /// Takes what a task has done.
    fn take_walked(&mut self, done: &Done) {
        self.sums.add(&done.sums);
        self.kept.weighing.pass_over(done.products);
        self.openings.absorb_all(&done.asserted);
    }
}
