//! Functions on many lanes at a time: see [`crate::waves`].

mod bits;
mod device;
mod elements;

use super::{Commitments, Prover};
use crate::more_than_counted;
use crate::polynomial::Lower;
use crate::waves::{Drawn, Fresh, Mapping, Tags, Waved};
use volery_channel::error::Result;

impl<M: Commitments> Prover<'_, M> {
    /// The lies among the next `shares` shares of a map, behind as many as were handed out `before`.
    #[cfg(test)]
    fn lies_within(&self, before: &mut u64, shares: usize) -> Vec<usize> {
        let from = *before;
        *before += shares as u64;
        let within = from..*before;
        let lies = self.lies_in_waves.iter().filter(|lie| within.contains(lie));
        lies.map(|lie| (lie - from) as usize).collect()
    }

    /// Adds polynomials of a map to those of the open batch, which does not end the earlier for them: blocks of a map
    /// are used up.
    fn vanish_in_map(&mut self, vanishing: Vec<Lower<M::E>>) {
        let pending = M::polynomials(self);
        vanishing.into_iter().for_each(|lower| pending.push(lower));
    }
}

/// Draws turns: sends what is due of those that were drawn early, then draws what may be sent, and at last what
/// further threads can begin with.
fn draw_turns<M: Commitments + Waved<Tag: Sync>>(
    prover: &mut Prover<'_, M>,
    mapping: &mut Mapping<'_, Tags<M>>,
) -> Result<()> {
    let (ahead, on_device) = (prover.vole.ahead(), mapping.is_on_device());
    for _ in 0..mapping.due(ahead) {
        M::hear_before_block(prover)?;
        prover.vole.early().expect("it has drawn early").send(&mut prover.channel)?;
        M::pass_block(&mut prover.kept);
    }
    mapping.draw(ahead, |spare| {
        M::hear_before_block(prover)?;
        let (shares, rows) = if on_device {
            let (shares, tile) = prover.vole.begin_tile(&mut prover.channel)?;
            (shares, Fresh::Tile(tile))
        } else {
            let (shares, rows) = prover.vole.begin_block(&mut prover.channel, spare)?;
            (shares, Fresh::Task(rows))
        };
        if shares == 0 {
            return Err(prover.steps.fail(more_than_counted()));
        }
        M::pass_block(&mut prover.kept);
        Ok(Drawn { shares, rows, ends_batch: M::ends_batch(&prover.kept, 0) })
    })?;
    let Some(early) = prover.vole.early() else { return Ok(()) };
    let mut unsent = mapping.unsent();
    mapping.draw_early(early.shares(), |spare| {
        let (shares, rows) = early.begin_block(spare);
        unsent += 1;
        Ok(Drawn { shares, rows: Fresh::Task(rows), ends_batch: M::ends_batch(&prover.kept, unsent) })
    })
}
