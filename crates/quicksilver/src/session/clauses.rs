//! One of several clauses by QuickSilver: over a tape.

use crate::branch::{KeyReplay, Plan, Replay};
use crate::session::direct::{Direct, DirectClauses, Proposition, Stated};
use crate::session::{OverMacs, Quicksilver, prove_next, verify_next};
use crate::{ProverUnder, VerifierUnder};
use core::iter::repeat_n;
use core::marker::PhantomData;
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_circuit::stream::{ClauseSource, ClauseStream, Source};
use volery_circuit::{Alternatives, Branch, Clauses, OneOf};
use volery_primitives::Field;
use volery_proof::clauses::Evaluation;
use volery_proof::options::Options;
use volery_proof::report::Report;
use volery_proof::session::named;
use volery_proof::system::{Claim, ProofOfClauses, System};
use volery_proof::verdict::Accepted;
use volery_proof::witness::Reread;
use zeroize::Zeroizing;

/// [`crate::branch`] over `S`.
pub(super) struct OnTape<S>(PhantomData<fn() -> S>);

impl<S> OnTape<S> {
    pub(super) const OVER: Self = Self(PhantomData);
}

/// Clauses as they are pushed.
pub(super) struct Pushed<'s, S: OverMacs> {
    pub(super) clauses: &'s ClauseStream<'s, S::F>,
    pub(super) direct: Option<&'s dyn DirectClauses<S>>,
    pub(super) plan: &'s Plan<'s>,
}

/// The copy that is compiled for a system.
struct Compiled<'s, S: OverMacs> {
    clauses: &'s dyn DirectClauses<S>,
    count: usize,
}

impl<S: OverMacs> Alternatives for Compiled<'_, S> {
    fn count(&self) -> usize {
        self.count
    }
}

impl<'t, S: OverMacs> Clauses<Replay<'t, S::Macs>> for Compiled<'_, S> {
    fn run(&self, clause: usize, branch: &mut Branch<'_, Replay<'t, S::Macs>>) -> Result<()> {
        self.clauses.replay(clause, branch)
    }
}

impl<'t, S: OverMacs> Clauses<KeyReplay<'t, S::Macs>> for Compiled<'_, S> {
    fn run(&self, clause: usize, branch: &mut Branch<'_, KeyReplay<'t, S::Macs>>) -> Result<()> {
        self.clauses.replay_keys(clause, branch)
    }
}

impl<S: OverMacs> Pushed<'_, S> {
    fn compiled(&self) -> Option<Compiled<'_, S>> {
        self.direct.map(|clauses| Compiled { clauses, count: self.clauses.count() })
    }
}

impl<S: OverMacs> Direct<S> for Pushed<'_, S> {
    fn push_to_prover(&self, prover: &mut ProverUnder<'_, S::Macs>) -> Result<()> {
        match &self.compiled() {
            Some(compiled) => prover.one_of(self.plan, compiled),
            None => prover.one_of(self.plan, self.clauses),
        }
    }
    fn push_to_verifier(&self, verifier: &mut VerifierUnder<'_, S::Macs>) -> Result<()> {
        match &self.compiled() {
            Some(compiled) => verifier.one_of(self.plan, compiled),
            None => verifier.one_of(self.plan, self.clauses),
        }
    }
}

/// The options of a session whose statement has this name, and is planned so.
fn planned<S: OverMacs>(options: &Options, statement: [u8; 32], plan: &Plan<'_>) -> Options {
    let options = named(System::QUICKSILVER, options.clone());
    let size = plan.size_over::<S::Macs>();
    Options { statement: Some(statement), size: Some(size), check: false, ..options }
}

impl<S: OverMacs> ProofOfClauses<S::F> for OnTape<S> {
    fn prove_one_of(
        &self,
        clauses: &dyn ClauseSource<S::F>,
        chosen: usize,
        witness: &dyn Reread<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        prove_each_of(Stated::<S>::streamed(clauses), &[(chosen, witness)], channel, options)
    }

    fn verify_one_of(
        &self,
        clauses: &dyn ClauseSource<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        verify_each_of(Stated::<S>::streamed(clauses), 1, channel, options)
    }

    fn prove_each_of(
        &self,
        clauses: &dyn ClauseSource<S::F>,
        claims: &[Claim<'_, S::F>],
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        prove_each_of(Stated::<S>::streamed(clauses), claims, channel, options)
    }

    fn verify_each_of(
        &self,
        clauses: &dyn ClauseSource<S::F>,
        claims: usize,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        verify_each_of(Stated::<S>::streamed(clauses), claims, channel, options)
    }
}

/// Proves claims, each by one of the same clauses.
pub(super) fn prove_each_of<S: OverMacs>(
    Stated { source, direct }: Stated<'_, S>,
    claims: &[Claim<'_, S::F>],
    channel: &mut Channel,
    options: &Options,
) -> Result<Report> {
    let all: &dyn Source<S::F> = &OneOf(source);
    let clauses = &ClauseStream::new(source);
    let (shapes, statement) = S::clear().settle_clauses(clauses, options)?;
    let plan = &Plan::new(&shapes, options.threads.get())?.of_claims(claims.len())?;
    let counts: Vec<_> = shapes.iter().map(|shape| shape.size().commitments as usize).collect();
    let fixed_work = options.fixed_work;
    let evaluation = Evaluation { clauses, shapes: &shapes, counts: &counts, products: true };
    let values: Result<Vec<_>> = claims
        .iter()
        .map(|(chosen, witness)| S::clear().clause_values(&evaluation, *chosen, *witness, fixed_work))
        .collect();
    let values = &values?;
    let padded = |values: &Zeroizing<Vec<S::F>>| repeat_n(S::F::ZERO, plan.slots() - values.len());
    let tapes = values.iter().flat_map(|values| values.iter().copied().chain(padded(values)));
    let pushed = &Pushed { clauses, direct, plan };
    let options = planned::<S>(options, of_claims(statement, claims.len()), plan);
    let end = &mut Quicksilver::<S>::prover_end(channel, options);
    prove_next(end, &Proposition::by(all, pushed), &tapes)
}

/// Verifies so many claims by the same clauses.
pub(super) fn verify_each_of<S: OverMacs>(
    Stated { source, direct }: Stated<'_, S>,
    claims: usize,
    channel: &mut Channel,
    options: &Options,
) -> Result<(Accepted, Report)> {
    let all: &dyn Source<S::F> = &OneOf(source);
    let clauses = &ClauseStream::new(source);
    let (shapes, statement) = S::clear().settle_clauses(clauses, options)?;
    let plan = &Plan::new(&shapes, options.threads.get())?.of_claims(claims)?;
    let pushed = &Pushed { clauses, direct, plan };
    let options = planned::<S>(options, of_claims(statement, claims), plan);
    let end = &mut Quicksilver::<S>::verifier_end(channel, options);
    verify_next(end, &Proposition::by(all, pushed))
}

/// The name of so many claims, each by one of the clauses of this name.
fn of_claims(clauses: [u8; 32], claims: usize) -> [u8; 32] {
    if claims == 1 {
        return clauses;
    }
    let mut hasher = blake3::Hasher::new_derive_key("volery claims by one of several v1");
    hasher.update(&clauses).update(&(claims as u64).to_le_bytes());
    hasher.finalize().into()
}
