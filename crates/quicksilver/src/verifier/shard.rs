//! Verifications of shards: wires that come in, and those that go out.

use super::{Commitments, KeyEnds, Verifier};
use crate::crossing::{Open, Outgoing};
use volery_channel::error::Result;
use volery_circuit::Crossings;
use volery_circuit::crossing::no_shard;
use volery_proof::verdict::{Accepted, Gates};
use volery_vole::macs::Macs;
use volery_vole::vole::BoxedVole;
use zeroize::Zeroizing;

/// The verdict of a verifier that accepted a shard, and the wires that go out.
type Given<M> = (Accepted, Gates, BoxedVole<<M as Macs>::Key>, KeyEnds<M>);

impl<M: Commitments> Verifier<'_, M> {
    /// Makes the verification that of a shard, in attempt number `attempt`; `salt` is fresh.
    pub fn for_shard(
        self,
        incoming: KeyEnds<M>,
        outgoing: Outgoing,
        (attempt, salt): (u32, [u8; 32]),
    ) -> Self {
        Self { shard: Some((Open::of_verifier(incoming, outgoing, attempt), Zeroizing::new(salt))), ..self }
    }

    /// Ends a shard as [`Verifier::finish`] ends a statement, and gives what goes out.
    ///
    /// # Errors
    /// As for [`Verifier::finish`], but that a shard may assert nothing; `Invalid` where other wires cross than
    /// were announced; `Misbehaved` as [`crate::crossing`] says.
    pub fn finish_shard(self) -> Result<Given<M>> {
        let (_, decided, given) = self.end()?;
        let (accepted, gates, vole) = decided?;
        Ok((accepted, gates, vole, given.ok_or_else(no_shard)?))
    }
}

impl<M: Commitments> Crossings for Verifier<'_, M> {
    fn incoming(&mut self, count: usize) -> Result<Vec<M::E>> {
        let incoming = match &mut self.shard {
            Some((shard, _)) => shard.crossing.incoming(count),
            None => Err(no_shard()),
        };
        incoming.map_err(|why| self.steps.fail(why))
    }
    fn outgoing(&mut self, wires: &[M::E]) -> Result<()> {
        let outgoing = match &mut self.shard {
            Some((shard, _)) => shard.crossing.outgoing(wires),
            None => Err(no_shard()),
        };
        outgoing.map_err(|why| self.steps.fail(why))
    }
}
