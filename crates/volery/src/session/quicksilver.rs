//! QuickSilver, as a session over a VOLE has it.

use super::clauses::OnTape;
use super::correlated::{OverVole, Proved, Secrets, Verified, Work};
use super::setting::{Passing, ProverEnds, VerifierEnds};
use super::{ProofOfClauses, Proposition, Reread, Setting, System};
use crate::channel::Channel;
use crate::error::Result;
use crate::vole::BoxedVole;
use crate::zk::quicksilver::{KeyCommitments as _, ProverUnder};

/// [`crate::zk::quicksilver`].
pub(super) struct Quicksilver;

impl<S: Setting> OverVole<S> for Quicksilver {
    fn system(&self) -> System {
        System::QUICKSILVER
    }

    fn clauses(&self) -> Option<&'static dyn ProofOfClauses<S>> {
        Some(&OnTape)
    }

    fn prove(
        &self,
        channel: &mut Channel,
        vole: BoxedVole<S::Mac>,
        work: &Work<'_>,
        witness: &dyn Reread<S::F>,
        statement: &Proposition<'_, S>,
        shard: Option<Passing<ProverEnds<S>>>,
    ) -> Result<Proved<S>> {
        let prover = ProverUnder::<S::Macs>::new(channel, vole, work.arch, witness.read());
        let mut prover = prover.share_work(work.pool).report_to(work.progress);
        let (gates, vole, given) = match shard {
            Some(Passing { incoming, outgoing, attempt }) => {
                let mut prover = prover.for_shard(incoming, outgoing, attempt);
                statement.push_to_prover(&mut prover)?;
                let (gates, vole, given) = prover.finish_shard()?;
                (gates, vole, Some(given))
            }
            None => {
                statement.push_to_prover(&mut prover)?;
                let (gates, vole) = prover.finish()?;
                (gates, vole, None)
            }
        };
        Ok(Proved { gates, details: None, vole, given })
    }

    fn verify(
        &self,
        channel: &mut Channel,
        vole: BoxedVole<S::Key>,
        work: &Work<'_>,
        Secrets { delta, random }: Secrets<'_, S>,
        statement: &Proposition<'_, S>,
        shard: Option<Passing<VerifierEnds<S>>>,
    ) -> Result<Verified<S>> {
        // The salt of a shard is the first that is drawn.
        let shard = shard.map(|shard| (shard, random.bytes()));
        let verifier = S::Macs::verifier(channel, vole, work.arch, delta, random);
        let mut verifier = verifier.share_work(work.pool).report_to(work.progress);
        let (accepted, gates, vole, given) = match shard {
            Some((Passing { incoming, outgoing, attempt }, salt)) => {
                let mut verifier = verifier.for_shard(incoming, outgoing, (attempt, salt));
                statement.push_to_verifier(&mut verifier)?;
                let (accepted, gates, vole, given) = verifier.finish_shard()?;
                (accepted, gates, vole, Some(given))
            }
            None => {
                statement.push_to_verifier(&mut verifier)?;
                let (accepted, gates, vole) = verifier.finish()?;
                (accepted, gates, vole, None)
            }
        };
        Ok(Verified { accepted, gates, details: None, vole, given })
    }
}
