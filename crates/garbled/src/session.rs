//! Sessions of the systems that garble.

use crate::garble::seeds::Seeds;
use crate::garble::{exchange, privacy_free};
use crate::{jko, stack};
use volery_channel::channel::Channel;
use volery_channel::error::{Disagreement, Error, Result};
use volery_channel::random::Random;
use volery_circuit::Shape;
use volery_circuit::stream::{ClauseSource, ClauseStream, Source, Stream};
use volery_primitives::hash::Construction;
use volery_primitives::{F2, Field};
use volery_proof::binary::{Binary, EXPANSION_BITS, GROUP_BITS};
use volery_proof::clauses::Evaluation;
use volery_proof::method::Choices;
use volery_proof::options::{Options, Security};
use volery_proof::report::Report;
use volery_proof::run::{Agreement, Outcome, ProofRun, enough, fresh, open_without_correlations};
use volery_proof::setting::Setting;
use volery_proof::system::{ProofOfClauses, ProofSystem, System};
use volery_proof::verdict::Accepted;
use volery_proof::witness::Reread;

/// How circuits are garbled.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Garbling {
    /// The hash of the gates; both parties must agree on it.
    pub construction: Construction,
}

impl Choices for Garbling {
    fn system(&self) -> System {
        System::JKO
    }
}

/// How clauses are garbled and stacked.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Stacking {
    /// The hash of the gates; both parties must agree on it.
    pub construction: Construction,
    /// How the seeds are transferred; both parties must agree on it.
    pub seeds: Seeds,
}

impl Choices for Stacking {
    fn system(&self) -> System {
        System::STACK
    }
}

/// The security of a proof with so many ANDs, if that is enough.
fn security(options: &Options, system: System, construction: Construction, gates: u64) -> Result<Security> {
    let (asked, statistical) = (options.asked_security(Binary::facts().security())?, exchange::security());
    enough(asked, statistical, || format!("{system} gives {statistical}: ask for fewer"))?;
    let hash = privacy_free::security(construction, gates);
    let computational = GROUP_BITS.min(EXPANSION_BITS).min(hash).min(exchange::search_bits()) as u32;
    Ok(Security { computational, statistical })
}

/// An agreement of both parties, and its worth.
struct Agreed {
    parameters: String,
    statement: [u8; 32],
    outcome: Outcome,
}

impl Agreed {
    /// Agrees on a proof by JKO.
    fn by_jko(options: &Options, terms: &jko::Terms<'_>, statement: [u8; 32]) -> Result<Self> {
        terms.check()?;
        let (gates, hash) = (terms.gates(), terms.construction);
        let security = security(options, System::JKO, hash, gates.mul)?;
        let outcome = Outcome::of(System::JKO, gates, security);
        Ok(Self { parameters: hash.name().into(), statement, outcome })
    }

    /// Agrees on a proof by a stack.
    fn by_stack(options: &Options, terms: &stack::Terms<'_>, statement: [u8; 32]) -> Result<Self> {
        terms.check()?;
        let (gates, hash) = (terms.gates(), terms.construction);
        let security = security(options, System::STACK, hash, gates.mul)?;
        let parameters = format!("{}, seeds by {}", hash.name(), terms.seeds.name());
        Ok(Self { parameters, statement, outcome: Outcome::of(System::STACK, gates, security) })
    }

    /// Opens a run on it.
    fn open<'r>(
        &self,
        channel: &'r mut Channel,
        random: &'r mut Random,
        options: &Options,
    ) -> Result<ProofRun<'r>> {
        let system = self.outcome.system;
        let agreement = &Agreement {
            protocol: system.name(),
            field: F2::NAME,
            lanes: 0,
            parameters: &self.parameters,
            statement: self.statement,
        };
        let otherwise = Disagreement::Garbling;
        open_without_correlations(channel, random, options, system, agreement, otherwise)
    }
}

fn jko_terms<'a>(options: &'a Options, shape: &'a Shape) -> jko::Terms<'a> {
    let Options { arch, method, progress, .. } = options;
    let Garbling { construction } = method.of();
    jko::Terms { arch: *arch, construction, shape, progress: progress.as_deref() }
}

/// [`jko`].
pub struct Jko;

impl ProofSystem<F2> for Jko {
    fn system(&self) -> System {
        System::JKO
    }

    fn prove(
        &self,
        statement: &dyn Source<F2>,
        witness: &dyn Reread<F2>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        let stream = &Stream::new(statement);
        let (shape, digest) = Binary::clear().settle(stream, options.statement)?;
        let values = Binary::clear().inputs(stream, witness.read(), shape.inputs_by_gates() as usize)?;
        let terms = jko_terms(options, &shape);
        let agreed = Agreed::by_jko(options, &terms, digest)?;
        agreed.open(channel, &mut fresh(options)?, options)?.prove(|run| {
            let prover = jko::Prover::new(run.channel, terms, values, run.random)?;
            run.begin();
            prover.prove(run.channel, stream, run.random)?;
            Ok(agreed.outcome)
        })
    }

    fn verify(
        &self,
        statement: &dyn Source<F2>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        let stream = &Stream::new(statement);
        let (shape, digest) = Binary::clear().settle(stream, options.statement)?;
        let terms = jko_terms(options, &shape);
        let agreed = Agreed::by_jko(options, &terms, digest)?;
        agreed.open(channel, &mut fresh(options)?, options)?.verify(options, |run| {
            let verifier = jko::Verifier::new(run.channel, terms, run.random)?;
            run.begin();
            let accepted = verifier.verify(run.channel, stream, run.random)?;
            Ok((accepted, agreed.outcome))
        })
    }
}

fn stack_terms<'a>(options: &'a Options, shapes: &'a [Shape]) -> stack::Terms<'a> {
    let Stacking { construction, seeds } = options.method.of();
    let (threads, fixed_work) = (options.threads.get(), options.fixed_work);
    let (arch, progress) = (options.arch, options.progress.as_deref());
    stack::Terms { arch, construction, seeds, shapes, threads, fixed_work, progress }
}

/// [`stack`].
pub struct Stack;

/// The error of a stack of nothing.
fn without_clauses() -> Error {
    Error::invalid(
        "stack proves one of several clauses: call `prove_one_of` and `verify_one_of`, or take jko",
    )
}

impl ProofSystem<F2> for Stack {
    fn system(&self) -> System {
        System::STACK
    }

    fn prove(&self, _: &dyn Source<F2>, _: &dyn Reread<F2>, _: &mut Channel, _: &Options) -> Result<Report> {
        Err(without_clauses())
    }

    fn verify(&self, _: &dyn Source<F2>, _: &mut Channel, _: &Options) -> Result<(Accepted, Report)> {
        Err(without_clauses())
    }

    fn clauses(&self) -> Option<&dyn ProofOfClauses<F2>> {
        Some(self)
    }
}

impl ProofOfClauses<F2> for Stack {
    fn prove_one_of(
        &self,
        clauses: &dyn ClauseSource<F2>,
        chosen: usize,
        witness: &dyn Reread<F2>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        let clauses = &ClauseStream::new(clauses);
        let (shapes, statement) = Binary::clear().settle_clauses(clauses, options)?;
        let counts: Vec<_> = shapes.iter().map(|shape| shape.inputs_by_gates() as usize).collect();
        let evaluation = Evaluation { clauses, shapes: &shapes, counts: &counts, products: false };
        let values = Binary::clear().clause_values(&evaluation, chosen, witness, options.fixed_work)?;
        let terms = stack_terms(options, &shapes);
        let agreed = Agreed::by_stack(options, &terms, statement)?;
        agreed.open(channel, &mut fresh(options)?, options)?.prove(|run| {
            let prover = stack::Prover::new(run.channel, terms, (chosen, &values), run.random)?;
            run.begin();
            prover.prove(run.channel, clauses, run.random)?;
            Ok(agreed.outcome)
        })
    }

    fn verify_one_of(
        &self,
        clauses: &dyn ClauseSource<F2>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        let clauses = &ClauseStream::new(clauses);
        let (shapes, statement) = Binary::clear().settle_clauses(clauses, options)?;
        let terms = stack_terms(options, &shapes);
        let agreed = Agreed::by_stack(options, &terms, statement)?;
        agreed.open(channel, &mut fresh(options)?, options)?.verify(options, |run| {
            let verifier = stack::Verifier::new(run.channel, terms, run.random)?;
            run.begin();
            let accepted = verifier.verify(run.channel, clauses, run.random)?;
            Ok((accepted, agreed.outcome))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_vole::ot::softspoken::Depth;

    /// Each challenge that a transcript makes can be searched for offline, that of the transfers' check too.
    #[test]
    fn every_check_enters_the_minimum() {
        for construction in Construction::ALL {
            for gates in [0, 1, 1 << 10, 1 << 40] {
                let worth = security(&Options::default(), System::JKO, construction, gates).unwrap();
                let bounds = [
                    GROUP_BITS,
                    EXPANSION_BITS,
                    privacy_free::security(construction, gates),
                    // Of all that a prover may search for.
                    -((-Depth::Eight.security()).exp2() + 2.0 * (-128f64).exp2()).log2(),
                ];
                let least = bounds.into_iter().fold(f64::INFINITY, f64::min);
                assert_eq!(worth.computational, least as u32, "{construction:?}, {gates}");
                // Nobody needs more work than it takes to try as often as chance lets one through.
                assert!(worth.computational <= worth.statistical);
            }
        }
    }
}
