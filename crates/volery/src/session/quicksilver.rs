//! QuickSilver, as sessions have it.

use super::analysis::Analysis;
use super::clauses::{self, OnTape};
use super::correlated::{
    Proved, ProverEnd, ProverGates, Secrets, Verified, VerifierEnd, VerifierGates, Work,
};
use super::correlations::{Choice, Correlations, Use};
use super::direct::{Proposition, Stated};
use super::facts::SettingFacts;
use super::sharded::{self, AcceptedShard, Crossing, Place, Run, RunDelta};
use super::system::Claim;
use super::{
    Estimate, Options, ProofOfClauses, ProofSystem, ProvesMany, Report, Reread, Setting, System, VerifiesMany,
};
use crate::channel::Channel;
use crate::circuit::stream::{ShardSource, Source};
use crate::circuit::{Shape, Size};
use crate::error::Result;
use crate::vole::BoxedVole;
use crate::zk::Accepted;
use crate::zk::quicksilver::traffic::masks;
use crate::zk::quicksilver::{KeyCommitments as _, ProverUnder, VerifierUnder, degree_of_check};
use core::marker::PhantomData;

/// QuickSilver over `S`, with what it alone has: statements that are compiled for it, several claims by the same
/// clauses, and shards.
pub trait QuicksilverOver<S: Setting>: ProofSystem<S::F> {
    /// The prover at the gates of a statement, which may be compiled for it.
    fn prover<'g>(
        &self,
        statement: &'g Proposition<'g, S>,
        witness: &'g dyn Reread<S::F>,
    ) -> ProverGates<'g, S>;

    /// The verifier at the gates of such a statement.
    fn verifier<'g>(&self, statement: &'g Proposition<'g, S>) -> VerifierGates<'g, S>;

    /// Proves a statement, which may be compiled for it: see [`crate::prove`].
    ///
    /// # Errors
    /// As for [`crate::prove`].
    fn prove_compiled(
        &self,
        statement: &Proposition<'_, S>,
        witness: &dyn Reread<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report>;

    /// Verifies such a statement: see [`crate::verify`].
    ///
    /// # Errors
    /// As for [`crate::verify`].
    fn verify_compiled(
        &self,
        statement: &Proposition<'_, S>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)>;

    /// A prover's end of several statements on one set-up.
    fn prover_session<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Box<dyn ProvesCompiled<S> + 'c>;

    /// A verifier's end of several statements on one set-up.
    fn verifier_session<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Box<dyn VerifiesCompiled<S> + 'c>;

    /// Proves several claims, each of which is that one of `clauses` holds: see [`crate::prove_each_of_over`].
    ///
    /// # Errors
    /// As there.
    fn prove_claims(
        &self,
        clauses: Stated<'_, S>,
        claims: &[Claim<'_, S::F>],
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report>;

    /// Verifies so many claims: see [`crate::verify_each_of_over`].
    ///
    /// # Errors
    /// As there.
    fn verify_claims(
        &self,
        clauses: Stated<'_, S>,
        claims: usize,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)>;

    /// Proves a shard: see [`sharded::prove_shard`].
    ///
    /// # Errors
    /// As there.
    fn prove_shard(
        &self,
        at: (&Run, Place),
        shards: &dyn ShardSource<S::F>,
        incoming: Vec<Crossing>,
        witness: &dyn Reread<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Report, Vec<Crossing>)>;

    /// Verifies a shard: see [`sharded::verify_shard`].
    ///
    /// # Errors
    /// As there.
    fn verify_shard(
        &self,
        at: (&Run, Place),
        shards: &dyn ShardSource<S::F>,
        incoming: Vec<Crossing>,
        delta: &RunDelta,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(AcceptedShard, Report, Vec<Crossing>)>;
}

/// A prover's end of several statements, which may be compiled for QuickSilver.
pub trait ProvesCompiled<S: Setting>: ProvesMany<S::F> {
    /// Proves the next statement.
    ///
    /// # Errors
    /// As for [`crate::prove`].
    fn prove_compiled(
        &mut self,
        statement: &Proposition<'_, S>,
        witness: &dyn Reread<S::F>,
    ) -> Result<Report>;
}

/// A verifier's end of several statements, which may be compiled for QuickSilver.
pub trait VerifiesCompiled<S: Setting>: VerifiesMany<S::F> {
    /// Verifies the next statement.
    ///
    /// # Errors
    /// As for [`crate::verify`].
    fn verify_compiled(&mut self, statement: &Proposition<'_, S>) -> Result<(Accepted, Report)>;
}

/// [`crate::zk::quicksilver`] over `S`.
pub(super) struct Quicksilver<S>(PhantomData<fn() -> S>);

impl<S: Setting> Quicksilver<S> {
    pub(super) const OVER: Self = Self(PhantomData);

    /// Cost and soundness.
    ///
    /// # Errors
    /// None.
    pub(super) fn analyse(_: &Options) -> Result<Box<dyn Analysis>> {
        Ok(Box::new(Analysed(S::facts())))
    }

    pub(super) fn prover_end(channel: &mut Channel, options: Options) -> ProverEnd<'_, S> {
        ProverEnd::new(System::QUICKSILVER, Self::analyse, channel, options)
    }

    pub(super) fn verifier_end(channel: &mut Channel, options: Options) -> VerifierEnd<'_, S> {
        VerifierEnd::new(System::QUICKSILVER, Self::analyse, channel, options)
    }
}

/// The prover at the gates.
pub(super) fn prover<'g, S: Setting>(
    channel: &'g mut Channel,
    vole: BoxedVole<S::Mac>,
    work: &'g Work<'g>,
    witness: &'g dyn Reread<S::F>,
) -> ProverUnder<'g, S::Macs> {
    let prover = ProverUnder::<S::Macs>::new(channel, vole, work.options.arch, witness.read());
    prover.share_work(work.pool).report_to(work.progress())
}

/// The verifier at the gates.
pub(super) fn verifier<'g, S: Setting>(
    channel: &'g mut Channel,
    vole: BoxedVole<S::Key>,
    work: &'g Work<'g>,
    Secrets { delta, random }: Secrets<'g, S>,
) -> VerifierUnder<'g, S::Macs> {
    let verifier = S::Macs::verifier(channel, vole, work.options.arch, delta, random);
    verifier.share_work(work.pool).report_to(work.progress())
}

/// Proves `statement` as the next one of a session.
pub(super) fn prove_next<S: Setting>(
    end: &mut ProverEnd<'_, S>,
    statement: &Proposition<'_, S>,
    witness: &dyn Reread<S::F>,
) -> Result<Report> {
    end.prove(&statement.stream, witness, Quicksilver::OVER.prover(statement, witness))
}

/// Verifies `statement` as the next one of a session.
pub(super) fn verify_next<S: Setting>(
    end: &mut VerifierEnd<'_, S>,
    statement: &Proposition<'_, S>,
) -> Result<(Accepted, Report)> {
    end.verify(&statement.stream, Quicksilver::OVER.verifier(statement))
}

/// Several statements on one set-up.
struct Many<E>(E);

impl<S: Setting> ProvesMany<S::F> for Many<ProverEnd<'_, S>> {
    fn name_next(&mut self, digest: [u8; 32]) {
        self.0.name_next(digest);
    }

    fn prove(&mut self, statement: &dyn Source<S::F>, witness: &dyn Reread<S::F>) -> Result<Report> {
        self.prove_compiled(&Proposition::streamed(statement), witness)
    }
}

impl<S: Setting> ProvesCompiled<S> for Many<ProverEnd<'_, S>> {
    fn prove_compiled(
        &mut self,
        statement: &Proposition<'_, S>,
        witness: &dyn Reread<S::F>,
    ) -> Result<Report> {
        prove_next(&mut self.0, statement, witness)
    }
}

impl<S: Setting> VerifiesMany<S::F> for Many<VerifierEnd<'_, S>> {
    fn name_next(&mut self, digest: [u8; 32]) {
        self.0.name_next(digest);
    }

    fn verify(&mut self, statement: &dyn Source<S::F>) -> Result<(Accepted, Report)> {
        self.verify_compiled(&Proposition::streamed(statement))
    }
}

impl<S: Setting> VerifiesCompiled<S> for Many<VerifierEnd<'_, S>> {
    fn verify_compiled(&mut self, statement: &Proposition<'_, S>) -> Result<(Accepted, Report)> {
        verify_next(&mut self.0, statement)
    }
}

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

impl<S: Setting> ProofSystem<S::F> for Quicksilver<S> {
    fn system(&self) -> System {
        System::QUICKSILVER
    }

    fn prove(
        &self,
        statement: &dyn Source<S::F>,
        witness: &dyn Reread<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        self.prove_compiled(&Proposition::streamed(statement), witness, channel, options)
    }

    fn verify(
        &self,
        statement: &dyn Source<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        self.verify_compiled(&Proposition::streamed(statement), channel, options)
    }

    fn analysis(&self, options: &Options) -> Result<Box<dyn Analysis>> {
        Self::analyse(options)
    }

    fn prove_many<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Option<Box<dyn ProvesMany<S::F> + 'c>> {
        Some(Box::new(Many(Self::prover_end(channel, options))))
    }

    fn verify_many<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Option<Box<dyn VerifiesMany<S::F> + 'c>> {
        Some(Box::new(Many(Self::verifier_end(channel, options))))
    }

    fn clauses(&self) -> Option<&dyn ProofOfClauses<S::F>> {
        Some(const { &OnTape::<S>::OVER })
    }
}

impl<S: Setting> QuicksilverOver<S> for Quicksilver<S> {
    fn prover<'g>(
        &self,
        statement: &'g Proposition<'g, S>,
        witness: &'g dyn Reread<S::F>,
    ) -> ProverGates<'g, S> {
        Box::new(|channel, vole, work| {
            let mut prover = prover::<S>(channel, vole, work, witness);
            statement.push_to_prover(&mut prover)?;
            let (gates, vole) = prover.finish()?;
            Ok(Proved { gates, details: None, vole })
        })
    }

    fn verifier<'g>(&self, statement: &'g Proposition<'g, S>) -> VerifierGates<'g, S> {
        Box::new(|channel, vole, work, secrets| {
            let mut verifier = verifier::<S>(channel, vole, work, secrets);
            statement.push_to_verifier(&mut verifier)?;
            let (accepted, gates, vole) = verifier.finish()?;
            Ok(Verified { accepted, gates, details: None, vole })
        })
    }

    fn prove_compiled(
        &self,
        statement: &Proposition<'_, S>,
        witness: &dyn Reread<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        prove_next(&mut Self::prover_end(channel, options.clone()), statement, witness)
    }

    fn verify_compiled(
        &self,
        statement: &Proposition<'_, S>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        verify_next(&mut Self::verifier_end(channel, options.clone()), statement)
    }

    fn prover_session<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Box<dyn ProvesCompiled<S> + 'c> {
        Box::new(Many(Self::prover_end(channel, options)))
    }

    fn verifier_session<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Box<dyn VerifiesCompiled<S> + 'c> {
        Box::new(Many(Self::verifier_end(channel, options)))
    }

    fn prove_claims(
        &self,
        clauses: Stated<'_, S>,
        claims: &[Claim<'_, S::F>],
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        clauses::prove_each_of(clauses, claims, channel, options)
    }

    fn verify_claims(
        &self,
        clauses: Stated<'_, S>,
        claims: usize,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        clauses::verify_each_of(clauses, claims, channel, options)
    }

    fn prove_shard(
        &self,
        at: (&Run, Place),
        shards: &dyn ShardSource<S::F>,
        incoming: Vec<Crossing>,
        witness: &dyn Reread<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Report, Vec<Crossing>)> {
        sharded::prove_here::<S>(at, shards, incoming, witness, channel, options)
    }

    fn verify_shard(
        &self,
        at: (&Run, Place),
        shards: &dyn ShardSource<S::F>,
        incoming: Vec<Crossing>,
        delta: &RunDelta,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(AcceptedShard, Report, Vec<Crossing>)> {
        sharded::verify_here::<S>(at, shards, incoming, delta, channel, options)
    }
}
