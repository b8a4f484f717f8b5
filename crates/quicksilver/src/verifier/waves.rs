//! Functions on many lanes at a time: see [`crate::waves`].

use super::{Commitments, Verifier};
use crate::waves::{Done, Mapping, Piece, SumsOf};
use crate::{challenge, more_than_counted};
use core::mem;
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_channel::pool::Pool;
use volery_circuit::stream::Map;
use volery_primitives::arch::{Arch, add_where, verifier_column_sums};
use volery_primitives::{F2, F128};
use volery_vole::macs::BitMacs;
use volery_vole::vole::Shares;
use zeroize::Zeroizing;

impl Verifier<'_, BitMacs> {
    /// Executes a function on many lanes at a time, if it can be.
    pub(super) fn map(&mut self, map: Map<'_, F2, F128>) -> Result<Option<Zeroizing<Vec<F128>>>> {
        // A half hands the channel on by sections.
        let begun = match self.lengths {
            Some(_) => None,
            None => Mapping::begin(&mut self.kept.functions, map, *self.one),
        };
        let Some(mut mapping) = begun else { return Ok(None) };
        // Products that are asserted belong to the batch that is open.
        self.take_asserted()?;
        while mapping.left() > 0 {
            if self.slots.are_used_up() {
                self.steps.begin()?;
                self.whole_block(&mut mapping)?;
                self.steps.end();
            } else {
                self.rest_of_block(&mut mapping);
            }
        }
        let by = self.walked_by();
        mapping.settle_all((by.0, &by.1, by.2), &mut |done| self.take_walked(done));
        mapping.count(&mut self.gates);
        Ok(Some(mapping.end()))
    }

    /// Draws a block, and receives its corrections, which go on the keys at once. Where the map takes all of
    /// it, it is a batch of its own: draws its challenge, and hands out the walk. Fig. 4, 4 to 7.
    fn whole_block(&mut self, mapping: &mut Mapping<'_>) -> Result<()> {
        BitMacs::end_batch(self)?;
        if let Some(feed) = &mut self.feed {
            feed()?;
        }
        let mut block = Shares::default();
        *block.rows_mut() = mapping.spare();
        self.vole.block(&mut self.channel, &mut block)?;
        if block.is_empty() {
            return Err(self.steps.fail(more_than_counted()));
        }
        let length = block.len();
        if mapping.left() < length as u64 {
            self.block = block;
            self.receive_corrections(0..length)?;
            self.slots.begin(length);
            (self.done, self.open) = (0, true);
            return Ok(());
        }
        // What was left of the last block, if anything, is used no more.
        self.done = self.block.len();
        let mut shares = mem::take(block.rows_mut());
        let mut corrections = vec![0; length.div_ceil(8)];
        self.channel.recv(&mut corrections)?;
        if !length.is_multiple_of(8) && corrections[length / 8] >> (length % 8) != 0 {
            return Err(Error::Misbehaved(Misbehaviour::FurtherBits));
        }
        add_where(self.arch, &corrections, *self.one, &mut shares);
        let [products, _] = challenge(&mut self.channel);
        self.committed += length as u64;
        let (by, pieces) = (self.walked_by(), mapping.pieces(length));
        let take = &mut |done: &Done| self.take_walked(done);
        mapping.add((by.0, &by.1, by.2), (pieces, shares, products), take);
        self.report_without(mapping.inputs());
        Ok(())
    }

    /// Walks over what is left of the open block, whose products go into slots.
    fn rest_of_block(&mut self, mapping: &mut Mapping<'_>) {
        let by = self.walked_by();
        mapping.settle_all((by.0, &by.1, by.2), &mut |done| self.take_walked(done));
        let (from, count) = (self.done + self.slots.next(), self.slots.left());
        for Piece { wave: number, shares: of } in mapping.pieces(count) {
            let shares = &self.block.rows(from + of.start)[..of.len()];
            mapping.walk_into((&mut self.slots, &mut self.openings), (self.arch, number), shares);
        }
    }

    /// The kernels and threads that walk, and how products are summed.
    fn walked_by(&self) -> (Arch, Pool, SumsOf) {
        (self.arch, self.pool.clone(), verifier_column_sums)
    }

    /// Takes what a task has done.
    fn take_walked(&mut self, done: &Done) {
        self.add_products(&done.sums);
        self.weighing.pass_over(done.products);
        self.openings.absorb_all(&done.asserted);
    }
}
