//! Functions on many lanes at a time: see [`crate::waves`].

use super::{Commitments, Verifier};
use crate::waves::{Done, Mapping, Piece, Rows, SumsOf, Turn};
use crate::{challenge, more_than_counted};
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_channel::pool::Task;
use volery_circuit::stream::Map;
use volery_primitives::arch::{add_where, verifier_column_sums};
use volery_primitives::{F2, F128};
use volery_vole::macs::BitMacs;
use zeroize::Zeroizing;

impl Verifier<'_, BitMacs> {
    /// Executes a function on many lanes at a time, if it can be.
    pub(super) fn map(&mut self, map: Map<'_, F2, F128>) -> Result<Option<Zeroizing<Vec<F128>>>> {
        // A half hands the channel on by sections.
        let begun = match self.lengths {
            Some(_) => None,
            None => Mapping::begin(&mut self.kept.lines, map, *self.one),
        };
        let Some(mut mapping) = begun else { return Ok(None) };
        // Products that are asserted belong to the batch that is open.
        self.take_asserted()?;
        while mapping.left() > 0 {
            if self.slots.are_used_up() {
                self.steps.begin()?;
                self.turns(&mut mapping)?;
                self.steps.end();
            } else {
                self.rest_of_block(&mut mapping);
            }
        }
        mapping.settle_all(&mut |done| self.take_walked(done));
        mapping.count(&mut self.gates);
        Ok(Some(mapping.end()))
    }

    /// Walks over all blocks that the map takes whole, turn by turn: receives a turn's corrections, which go on
    /// the keys at once, draws its challenge, and hands out the walk. Then opens the block in which the map
    /// ends. Fig. 4, 4 to 7.
    fn turns(&mut self, mapping: &mut Mapping<'_>) -> Result<()> {
        BitMacs::end_batch(self)?;
        // What was left of the last block, if anything, is used no more.
        self.done = self.block.len();
        loop {
            mapping.draw((self.vole.ahead(), 0), |spare| {
                if let Some(feed) = &mut self.feed {
                    feed()?;
                }
                let (shares, rows) = self.vole.begin_block(&mut self.channel, spare)?;
                if shares == 0 { Err(self.steps.fail(more_than_counted())) } else { Ok((shares, rows)) }
            })?;
            let Some(turn) = mapping.next_turn_if(|_| true) else { break };
            let corrections = self.corrections_of(&turn)?;
            let [products, _] = challenge(&mut self.channel);
            self.committed += turn.shares as u64;
            let (arch, mut at) = (self.arch, 0);
            let corrected = move |rows: Task<Rows>, one| {
                let mut rows = rows.wait();
                let bytes = rows.len().div_ceil(8);
                add_where(arch, &corrections[at..at + bytes], one, &mut rows);
                at += bytes;
                rows
            };
            let by: (_, _, SumsOf) = (arch, &self.pool.clone(), verifier_column_sums);
            mapping.hand_out(by, (turn, products), corrected, &mut |done| self.take_walked(done));
            self.report_without(mapping.inputs());
        }
        if let Some(rows) = mapping.last_block() {
            let length = rows.len();
            *self.block.rows_mut() = rows;
            self.receive_corrections(0..length)?;
            self.slots.begin(length);
            (self.done, self.open) = (0, true);
        }
        Ok(())
    }

    /// Receives the corrections of a turn, those of each block from a new byte on.
    fn corrections_of<R>(&mut self, turn: &Turn<R>) -> Result<Vec<u8>> {
        let ends = turn.blocks.iter().filter_map(|(pieces, _)| pieces.last()).map(|piece| piece.shares.end);
        let mut corrections = vec![0; ends.clone().map(|end| end.div_ceil(8)).sum()];
        self.channel.recv(&mut corrections)?;
        let mut at = 0;
        for end in ends {
            at += end.div_ceil(8);
            if !end.is_multiple_of(8) && corrections[at - 1] >> (end % 8) != 0 {
                return Err(Error::Misbehaved(Misbehaviour::FurtherBits));
            }
        }
        Ok(corrections)
    }

    /// Walks over what is left of the open block, whose products go into slots.
    fn rest_of_block(&mut self, mapping: &mut Mapping<'_>) {
        mapping.settle_all(&mut |done| self.take_walked(done));
        let (from, count) = (self.done + self.slots.next(), self.slots.left());
        for Piece { wave: number, shares: of } in mapping.pieces(count) {
            let shares = &self.block.rows(from + of.start)[..of.len()];
            mapping.walk_into((&mut self.slots, &mut self.openings), (self.arch, number), shares);
        }
    }

    /// Takes what a task has done.
    fn take_walked(&mut self, done: &Done) {
        self.add_products(&done.sums);
        self.weighing.pass_over(done.products);
        self.openings.absorb_all(&done.asserted);
    }
}
