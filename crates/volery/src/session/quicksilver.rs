//! QuickSilver, as a session over a VOLE has it.

use super::analysis::Analysis;
use super::clauses::OnTape;
use super::correlated::{OverVole, Proved, Secrets, Verified, Work};
use super::correlations::{Choice, Correlations, Use};
use super::facts::SettingFacts;
use super::setting::{Passing, ProverEnds, VerifierEnds};
use super::{Estimate, Options, ProofOfClauses, Proposition, Reread, Setting, System};
use crate::channel::Channel;
use crate::circuit::{Shape, Size};
use crate::error::Result;
use crate::vole::BoxedVole;
use crate::zk::quicksilver::traffic::masks;
use crate::zk::quicksilver::{KeyCommitments as _, ProverUnder, degree_of_check};

/// [`crate::zk::quicksilver`].
pub(super) struct Quicksilver;

/// Cost and soundness over a setting.
struct Analysed(&'static dyn SettingFacts);

impl Analysis for Analysed {
    fn setting(&self) -> &'static dyn SettingFacts {
        self.0
    }

    fn purpose(&self) -> Use {
        Use::Proof
    }

    fn size(&self, shape: &Shape) -> Size {
        self.0.size(shape)
    }

    fn shares(&self, size: Size) -> u64 {
        size.commitments
    }

    fn drawn(&self, size: Size) -> u64 {
        // One more at least is for masks: where commitments fill their blocks, theirs is drawn with them.
        size.commitments + 1
    }

    fn masks(&self, size: Size) -> u64 {
        masks(size, self.0.degree()).in_all()
    }

    fn degree_of_check(&self, size: Size) -> u64 {
        degree_of_check(size.degree) as u64
    }

    fn statistical_bits(&self, correlations: Correlations, size: Size) -> u32 {
        self.0.statistical_bits(correlations, size)
    }

    fn traffic(&self, choice: Choice, shape: &Shape) -> Estimate {
        let size = self.size(shape);
        self.0.traffic(choice.correlations, size, choice.expects(size.commitments))
    }
}

impl<S: Setting> OverVole<S> for Quicksilver {
    fn system(&self) -> System {
        System::QUICKSILVER
    }

    fn clauses(&self) -> Option<&'static dyn ProofOfClauses<S>> {
        Some(&OnTape)
    }

    fn analysis(&self, _: &Options) -> Result<Box<dyn Analysis>> {
        Ok(Box::new(Analysed(S::facts())))
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
        let prover = ProverUnder::<S::Macs>::new(channel, vole, work.options.arch, witness.read());
        let mut prover = prover.share_work(work.pool).report_to(work.progress());
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
        let verifier = S::Macs::verifier(channel, vole, work.options.arch, delta, random);
        let mut verifier = verifier.share_work(work.pool).report_to(work.progress());
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
