//! Sessions of the systems that garble.

use super::binary::{Binary, EXPANSION_BITS, GROUP_BITS};
use super::clauses::{Evaluation, settle_clauses};
use super::single::{Single, settle};
use super::system::ProofOfClauses;
use super::{
    ForProver, ForVerifier, Options, ProofSystem, Report, Reread, Security, Setting, Stated, System,
};
use crate::channel::Channel;
use crate::circuit::stream::ClauseStream;
use crate::circuit::{Clear, Shape};
use crate::error::{Disagreement, Error, Result};
use crate::garble::exchange;
use crate::garble::privacy_free;
use crate::garble::seeds::Seeds;
use crate::zk::{Accepted, Gates, jko, recv_end, recv_verdict, stack, tell};
use volery_primitives::hash::Construction;
use volery_primitives::{F2, Field};

/// How clauses are garbled and stacked.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Stacking {
    /// The hash of the gates; both parties must agree on it.
    pub construction: Construction,
    /// How the seeds are transferred; both parties must agree on it.
    pub seeds: Seeds,
    /// Whether the prover does the same work whichever clause holds, which takes more than twice
    /// as long: for a verifier that could tell by the time it takes.
    pub fixed_work: bool,
}

/// The security of a proof with so many ANDs, if that is enough.
fn security(options: &Options, system: System, construction: Construction, gates: u64) -> Result<Security> {
    let (asked, statistical) = (options.asked_security(Binary::SECURITY)?, exchange::security());
    if statistical < asked {
        return Err(Error::invalid(format!(
            "{asked} bits of statistical security were asked for, and {system} gives {statistical}: ask for fewer"
        )));
    }
    let hash = privacy_free::security(construction, gates);
    let computational = GROUP_BITS.min(EXPANSION_BITS).min(hash).min(exchange::search_bits()) as u32;
    Ok(Security { computational, statistical })
}

/// Opens a proof by `system` with this hash and these parameters, on this statement with so many gates.
fn open<'c>(
    channel: &'c mut Channel,
    options: &Options,
    (system, construction): (System, Construction),
    parameters: &str,
    (statement, gates): ([u8; 32], Gates),
) -> Result<Single<'c>> {
    let security = security(options, system, construction, gates.mul)?;
    let agreed = (Disagreement::Garbling as fn(_) -> _, parameters);
    Single::open(channel, options, (system, F2::NAME), agreed, (statement, gates), security)
}

fn jko_terms<'a>(options: &'a Options, shape: &'a Shape) -> jko::Terms<'a> {
    let Options { arch, method, progress, .. } = options;
    let construction = method.construction().unwrap_or_default();
    jko::Terms { arch: *arch, construction, shape, progress: progress.as_deref() }
}

/// [`jko`].
pub(super) struct Jko;

impl ProofSystem<Binary> for Jko {
    fn system(&self) -> System {
        System::JKO
    }

    fn prove(
        &self,
        statement: ForProver<'_, Binary>,
        witness: &dyn Reread<F2>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        let (shape, digest) = settle(&statement.stream, options)?;
        let values = Clear::inputs(&statement.stream, witness.read(), shape.inputs_by_gates() as usize)?;
        let terms = jko_terms(options, &shape);
        let hash = terms.construction;
        terms.check()?;
        let mut run = open(channel, options, (System::JKO, hash), hash.name(), (digest, terms.gates()))?;
        let prover = jko::Prover::new(run.channel, terms, values, &mut run.random)?;
        run.begin();
        prover.prove(run.channel, &statement.stream, &mut run.random)?;
        recv_verdict(run.channel)?;
        Ok(run.report())
    }

    fn verify(
        &self,
        statement: ForVerifier<'_, Binary>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        let (shape, digest) = settle(&statement.stream, options)?;
        let terms = jko_terms(options, &shape);
        let hash = terms.construction;
        terms.check()?;
        let mut run = open(channel, options, (System::JKO, hash), hash.name(), (digest, terms.gates()))?;
        let verdict = jko::Verifier::new(run.channel, terms, &mut run.random).and_then(|verifier| {
            run.begin();
            verifier.verify(run.channel, &statement.stream, &mut run.random)
        });
        let verdict = recv_end(run.channel, verdict);
        let verdict = options.recorded(verdict, |_| run.report());
        let accepted = tell(run.channel, verdict)?;
        Ok((accepted, run.report()))
    }
}

fn stacking(options: &Options) -> Stacking {
    options.method.stacking().copied().unwrap_or_default()
}

fn stack_terms<'a>(options: &'a Options, shapes: &'a [Shape]) -> stack::Terms<'a> {
    let Stacking { construction, seeds, fixed_work } = stacking(options);
    let threads = options.threads.get();
    let (arch, progress) = (options.arch, options.progress.as_deref());
    stack::Terms { arch, construction, seeds, shapes, threads, fixed_work, progress }
}

/// Opens a proof of one of several clauses.
fn open_stack<'c>(
    channel: &'c mut Channel,
    options: &Options,
    terms: &stack::Terms<'_>,
    statement: [u8; 32],
) -> Result<Single<'c>> {
    let parameters = format!("{}, seeds by {}", terms.construction.name(), terms.seeds.name());
    open(channel, options, (System::STACK, terms.construction), &parameters, (statement, terms.gates()))
}

/// [`stack`].
pub(super) struct Stack;

/// The error of a stack of nothing.
fn without_clauses() -> Error {
    Error::invalid(
        "stack proves one of several clauses: call `prove_one_of` and `verify_one_of`, or take jko",
    )
}

impl ProofSystem<Binary> for Stack {
    fn system(&self) -> System {
        System::STACK
    }

    fn prove(
        &self,
        _: ForProver<'_, Binary>,
        _: &dyn Reread<F2>,
        _: &mut Channel,
        _: &Options,
    ) -> Result<Report> {
        Err(without_clauses())
    }

    fn verify(&self, _: ForVerifier<'_, Binary>, _: &mut Channel, _: &Options) -> Result<(Accepted, Report)> {
        Err(without_clauses())
    }

    fn clauses(&self) -> Option<&dyn ProofOfClauses<Binary>> {
        Some(self)
    }
}

impl ProofOfClauses<Binary> for Stack {
    fn prove_one_of(
        &self,
        clauses: Stated<'_, Binary>,
        chosen: usize,
        witness: &dyn Reread<F2>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        let clauses = &ClauseStream::new(clauses.source);
        let (shapes, statement) = settle_clauses(clauses, options)?;
        let counts: Vec<_> = shapes.iter().map(|shape| shape.inputs_by_gates() as usize).collect();
        let values = Evaluation { clauses, shapes: &shapes, counts: &counts, products: false }.values(
            chosen,
            witness,
            stacking(options).fixed_work,
        )?;
        let terms = stack_terms(options, &shapes);
        terms.check()?;
        let mut run = open_stack(channel, options, &terms, statement)?;
        let prover = stack::Prover::new(run.channel, terms, (chosen, &values), &mut run.random)?;
        run.begin();
        prover.prove(run.channel, clauses, &mut run.random)?;
        recv_verdict(run.channel)?;
        Ok(run.report())
    }

    fn verify_one_of(
        &self,
        clauses: Stated<'_, Binary>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        let clauses = &ClauseStream::new(clauses.source);
        let (shapes, statement) = settle_clauses(clauses, options)?;
        let terms = stack_terms(options, &shapes);
        terms.check()?;
        let mut run = open_stack(channel, options, &terms, statement)?;
        let verdict = stack::Verifier::new(run.channel, terms, &mut run.random).and_then(|verifier| {
            run.begin();
            verifier.verify(run.channel, clauses, &mut run.random)
        });
        let verdict = recv_end(run.channel, verdict);
        let verdict = options.recorded(verdict, |_| run.report());
        let accepted = tell(run.channel, verdict)?;
        Ok((accepted, run.report()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ot::softspoken::Depth;

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
