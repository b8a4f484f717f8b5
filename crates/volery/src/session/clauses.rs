//! One of several clauses by QuickSilver: over a tape.

use super::correlated::{ProverEnd, QUICKSILVER, VerifierEnd};
use super::{
    Binary, Direct, ForProver, ForVerifier, Options, Over, ProofOfClauses, ProvesMany, Registered, Report,
    Reread, Setting, Stream, VerifiesMany,
};
use crate::channel::Channel;
use crate::circuit::stream::{ClauseSource, ClauseStream, Source};
use crate::circuit::{Alternatives, Branch, Clause, Clauses, Clear, OneOf, Shape, clauses as of_clauses};
use crate::error::Result;
use crate::zk::Accepted;
use crate::zk::quicksilver::branch::Plan;
use crate::zk::quicksilver::{Prover, Verifier, arithmetic};
use core::iter::repeat_n;
use volery_primitives::{F2, Field, MacField};

/// [`crate::zk::quicksilver::branch`].
pub(super) struct OnTape;

/// Clauses as they are pushed.
pub(super) struct Pushed<'s, F: Field> {
    pub(super) clauses: &'s ClauseStream<'s, F>,
    pub(super) plan: &'s Plan<'s>,
}

impl Direct<Binary> for Pushed<'_, F2> {
    fn push_to_prover(&self, prover: &mut Prover<'_>) -> Result<()> {
        prover.one_of(self.plan, self.clauses)
    }
    fn push_to_verifier(&self, verifier: &mut Verifier<'_>) -> Result<()> {
        verifier.one_of(self.plan, self.clauses)
    }
}

impl<B: Field, E: MacField<B>> Direct<Over<B, E>> for Pushed<'_, B>
where
    Over<B, E>: Registered,
{
    fn push_to_prover(&self, prover: &mut arithmetic::Prover<'_, B, E>) -> Result<()> {
        prover.one_of(self.plan, self.clauses)
    }
    fn push_to_verifier(&self, verifier: &mut arithmetic::Verifier<'_, B, E>) -> Result<()> {
        verifier.one_of(self.plan, self.clauses)
    }
}

/// The options of a session whose statement has this name, and is planned so.
fn planned<S: Setting>(options: &Options, statement: [u8; 32], plan: &Plan<'_>) -> Options {
    let options = QUICKSILVER.named(options.clone());
    let size = plan.size_over::<S::Macs>();
    Options { statement: Some(statement), size: Some(size), check: false, ..options }
}

impl<S: Setting> ProofOfClauses<S> for OnTape {
    fn prove_one_of(
        &self,
        clauses: &dyn ClauseSource<S::F>,
        chosen: usize,
        witness: &dyn Reread<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        let all: &dyn Source<S::F> = &OneOf(clauses);
        let clauses = &ClauseStream::new(clauses);
        let (shapes, statement) = settle_clauses(clauses, options)?;
        let plan = &Plan::new(&shapes, options.threads.get())?;
        if options.method.drawing().is_some_and(|drawing| drawing.fixed_work) {
            (0..clauses.count()).filter(|clause| *clause != chosen).for_each(|clause| {
                evaluate_in_vain(clauses, clause, witness.read());
            });
        }
        let count = shapes[chosen].size().commitments as usize;
        let values = Clear::commitments(&Clause::new(clauses, chosen), witness.read(), count)?;
        let tape = values.iter().copied().chain(repeat_n(S::F::ZERO, plan.slots() - count));
        let pushed = S::compiled().on_tape(clauses, plan);
        let options = planned::<S>(options, statement, plan);
        ProverEnd::<S>::new(channel, options).prove(ForProver::by(all, &*pushed), &tape)
    }

    fn verify_one_of(
        &self,
        clauses: &dyn ClauseSource<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        let all: &dyn Source<S::F> = &OneOf(clauses);
        let clauses = &ClauseStream::new(clauses);
        let (shapes, statement) = settle_clauses(clauses, options)?;
        let plan = &Plan::new(&shapes, options.threads.get())?;
        let pushed = S::compiled().on_tape(clauses, plan);
        let options = planned::<S>(options, statement, plan);
        VerifierEnd::<S>::new(channel, options).verify(ForVerifier::by(all, &*pushed))
    }
}

/// Evaluates a clause in the clear on a witness of another, with zeros behind it, whatever comes of it: the
/// work that the chosen clause takes.
pub(super) fn evaluate_in_vain<F: Field>(
    clauses: &ClauseStream<'_, F>,
    clause: usize,
    witness: Stream<'_, F>,
) {
    let endless: Stream<'_, F> = Box::new(witness.chain(core::iter::repeat(F::ZERO)));
    let mut clear = Clear::new(endless);
    // Assertions are collected, so that none ends it.
    let _ = clauses.run(clause, &mut Branch::collecting(&mut clear));
}

/// The gates of the clauses, and the name of all: the given one, or that of their gates.
pub(super) fn settle_clauses<F: Field>(
    clauses: &ClauseStream<'_, F>,
    options: &Options,
) -> Result<(Vec<Shape>, [u8; 32])> {
    match options.statement {
        Some(digest) => Ok((of_clauses::shapes(clauses)?, digest)),
        None => of_clauses::fingerprint(clauses),
    }
}
