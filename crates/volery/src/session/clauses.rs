//! One of several clauses by QuickSilver: over a tape.

use super::correlated::{ProverEnd, QUICKSILVER, VerifierEnd};
use super::{
    Binary, Direct, DirectClauses, ForProver, ForVerifier, Options, Over, ProofOfClauses, ProvesMany,
    Registered, Report, Reread, Setting, Stated, Stream, VerifiesMany,
};
use crate::channel::Channel;
use crate::circuit::stream::{ClauseStream, Source};
use crate::circuit::{Alternatives, Branch, Clause, Clauses, Clear, OneOf, Shape, clauses as of_clauses};
use crate::error::Result;
use crate::zk::Accepted;
use crate::zk::quicksilver::branch::{KeyReplay, Plan, Replay};
use crate::zk::quicksilver::{Prover, Verifier, arithmetic};
use core::iter::repeat_n;
use volery_primitives::{Field, MacField};

/// [`crate::zk::quicksilver::branch`].
pub(super) struct OnTape;

/// Clauses as they are pushed.
pub(super) struct Pushed<'s, S: Setting> {
    pub(super) clauses: &'s ClauseStream<'s, S::F>,
    pub(super) direct: Option<&'s dyn DirectClauses<S>>,
    pub(super) plan: &'s Plan<'s>,
}

/// The copy that is compiled for a system.
struct Compiled<'s, S: Setting> {
    clauses: &'s dyn DirectClauses<S>,
    count: usize,
}

impl<S: Setting> Alternatives for Compiled<'_, S> {
    fn count(&self) -> usize {
        self.count
    }
}

impl<'t, S: Setting> Clauses<Replay<'t, S::Macs>> for Compiled<'_, S> {
    fn run(&self, clause: usize, branch: &mut Branch<'_, Replay<'t, S::Macs>>) -> Result<()> {
        self.clauses.replay(clause, branch)
    }
}

impl<'t, S: Setting> Clauses<KeyReplay<'t, S::Macs>> for Compiled<'_, S> {
    fn run(&self, clause: usize, branch: &mut Branch<'_, KeyReplay<'t, S::Macs>>) -> Result<()> {
        self.clauses.replay_keys(clause, branch)
    }
}

impl<S: Setting> Pushed<'_, S> {
    fn compiled(&self) -> Option<Compiled<'_, S>> {
        self.direct.map(|clauses| Compiled { clauses, count: self.clauses.count() })
    }
}

impl Direct<Binary> for Pushed<'_, Binary> {
    fn push_to_prover(&self, prover: &mut Prover<'_>) -> Result<()> {
        match &self.compiled() {
            Some(compiled) => prover.one_of(self.plan, compiled),
            None => prover.one_of(self.plan, self.clauses),
        }
    }
    fn push_to_verifier(&self, verifier: &mut Verifier<'_>) -> Result<()> {
        match &self.compiled() {
            Some(compiled) => verifier.one_of(self.plan, compiled),
            None => verifier.one_of(self.plan, self.clauses),
        }
    }
}

impl<B: Field, E: MacField<B>> Direct<Over<B, E>> for Pushed<'_, Over<B, E>>
where
    Over<B, E>: Registered,
{
    fn push_to_prover(&self, prover: &mut arithmetic::Prover<'_, B, E>) -> Result<()> {
        match &self.compiled() {
            Some(compiled) => prover.one_of(self.plan, compiled),
            None => prover.one_of(self.plan, self.clauses),
        }
    }
    fn push_to_verifier(&self, verifier: &mut arithmetic::Verifier<'_, B, E>) -> Result<()> {
        match &self.compiled() {
            Some(compiled) => verifier.one_of(self.plan, compiled),
            None => verifier.one_of(self.plan, self.clauses),
        }
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
        Stated { source, direct }: Stated<'_, S>,
        chosen: usize,
        witness: &dyn Reread<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        let all: &dyn Source<S::F> = &OneOf(source);
        let clauses = &ClauseStream::new(source);
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
        let pushed = S::compiled().on_tape(clauses, direct, plan);
        let options = planned::<S>(options, statement, plan);
        ProverEnd::<S>::new(channel, options).prove(ForProver::by(all, &*pushed), &tape)
    }

    fn verify_one_of(
        &self,
        Stated { source, direct }: Stated<'_, S>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        let all: &dyn Source<S::F> = &OneOf(source);
        let clauses = &ClauseStream::new(source);
        let (shapes, statement) = settle_clauses(clauses, options)?;
        let plan = &Plan::new(&shapes, options.threads.get())?;
        let pushed = S::compiled().on_tape(clauses, direct, plan);
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
