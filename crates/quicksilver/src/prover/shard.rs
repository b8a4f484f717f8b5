//! Proofs of shards: wires that come in, and those that go out.

use super::{Commitments, Prover, TagEnds};
use crate::crossing::{Open, Outgoing};
use volery_channel::error::Result;
use volery_circuit::Crossings;
use volery_circuit::crossing::no_shard;
use volery_proof::verdict::Gates;
use volery_vole::vole::BoxedVole;

impl<M: Commitments> Prover<'_, M> {
    /// Makes the proof that of a shard, in attempt number `attempt`.
    pub fn for_shard(self, incoming: TagEnds<M>, outgoing: Outgoing, attempt: u32) -> Self {
        Self { shard: Some(Open::of_prover(incoming, outgoing, attempt)), ..self }
    }

    /// Ends a shard as [`Prover::finish`] ends a statement, and gives what goes out, which is worth something
    /// once the verdict is heard.
    ///
    /// # Errors
    /// As for [`Prover::finish`], but that a shard may assert nothing; `Invalid` where other wires cross than
    /// were announced; `Misbehaved` as [`crate::crossing`] says.
    pub fn finish_shard(self) -> Result<(Gates, BoxedVole<M::Mac>, TagEnds<M>)> {
        let (gates, vole, _, given) = self.end()?;
        Ok((gates, vole, given.ok_or_else(no_shard)?))
    }
}

impl<M: Commitments> Crossings for Prover<'_, M> {
    fn incoming(&mut self, count: usize) -> Result<Vec<M::Tag>> {
        let incoming =
            self.shard.as_mut().ok_or_else(no_shard).and_then(|shard| shard.crossing.incoming(count));
        incoming.map_err(|why| self.steps.fail(why))
    }
    fn outgoing(&mut self, wires: &[M::Tag]) -> Result<()> {
        let outgoing =
            self.shard.as_mut().ok_or_else(no_shard).and_then(|shard| shard.crossing.outgoing(wires));
        outgoing.map_err(|why| self.steps.fail(why))
    }
}
