//! QuickSilver, as sessions have it.

mod analysis;
pub mod clauses;
pub mod direct;
#[cfg(test)]
mod estimated;
mod many;
pub mod mixed;
pub mod voleith;

pub use analysis::Analysed;

use crate::session::clauses::OnTape;
use crate::session::direct::{Proposition, Stated};
use crate::sharded::{self, AcceptedShard, Crossing, Place, Run, RunDelta};
use crate::{Committed, KeyCommitments as _, ProverUnder, VerifierUnder};
use analysis::OverSetting;
use core::any::Any;
use core::marker::PhantomData;
use many::Many;
use mixed::{OfTwoFields, WithBits};
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_circuit::stream::{ShardSource, Source};
use volery_proof::analysis::Analysis;
use volery_proof::binary::Binary;
use volery_proof::options::Options;
use volery_proof::over::{Over, ShortBinary};
use volery_proof::report::Report;
use volery_proof::session::{
    Proved, ProverEnd, ProverGates, Secrets, Verified, VerifierEnd, VerifierGates, Work,
};
use volery_proof::setting::{self, Setting};
use volery_proof::system::{Claim, ProofOfClauses, ProofSystem, ProvesMany, System, VerifiesMany};
use volery_proof::verdict::Accepted;
use volery_proof::witness::Reread;
use volery_vole::vole::BoxedVole;

/// A setting whose MACs QuickSilver commits by.
pub trait OverMacs: Setting<Macs: Committed> {}

impl<S: Setting<Macs: Committed>> OverMacs for S {}

/// A setting over which statements are proved by QuickSilver as it is compiled here.
pub trait Supported: OverMacs + Registered {}

impl<S: OverMacs + Registered> Supported for S {}

/// A setting for which QuickSilver is compiled here, once, whoever uses it.
pub trait Registered: setting::Registered {
    /// Whether it runs a copy of each Rust statement that is compiled for it alone, which is fast and takes long
    /// to compile, and not its stream of gates.
    const MONOMORPHIC: bool;

    /// [`over`] it. The compiler could not see through a bound that says so: it would have to know the setting
    /// before what is compiled for it.
    fn registered_quicksilver() -> &'static (dyn Any + Sync);

    /// [`with_bits`] over it, likewise.
    fn registered_with_bits() -> Option<&'static (dyn Any + Sync)> {
        None
    }
}

/// QuickSilver over F_2 and the field of `S` together, where it is compiled for both.
pub fn with_bits<S: Supported>() -> Option<&'static dyn WithBits<S::F>> {
    let registered: &'static dyn Any = S::registered_with_bits()?;
    Some(*registered.downcast_ref::<&dyn WithBits<S::F>>().expect("its own"))
}

/// QuickSilver as it is compiled for `S`.
pub fn over<S: Supported>() -> &'static dyn QuicksilverOver<S> {
    let registered: &'static dyn Any = S::registered_quicksilver();
    *registered.downcast_ref::<&dyn QuicksilverOver<S>>().expect("its own")
}

impl Registered for Binary {
    const MONOMORPHIC: bool = true;

    // What is inlined elsewhere would be compiled there, with all of the system.
    #[inline(never)]
    fn registered_quicksilver() -> &'static (dyn Any + Sync) {
        static QUICKSILVER: &dyn QuicksilverOver<Binary> = &Quicksilver::OVER;
        &QUICKSILVER
    }
}

impl Registered for ShortBinary {
    const MONOMORPHIC: bool = true;

    #[inline(never)]
    fn registered_quicksilver() -> &'static (dyn Any + Sync) {
        static QUICKSILVER: &dyn QuicksilverOver<ShortBinary> = &Quicksilver::OVER;
        &QUICKSILVER
    }
}

macro_rules! register {
    ($($values:ident: $($macs:ident)+;)+) => {$($(
        impl Registered for Over<volery_primitives::$values, volery_primitives::$macs> {
            const MONOMORPHIC: bool = monomorphic!($values $macs);

            #[inline(never)]
            fn registered_quicksilver() -> &'static (dyn Any + Sync) {
                static QUICKSILVER: &dyn QuicksilverOver<
                    Over<volery_primitives::$values, volery_primitives::$macs>,
                > = &Quicksilver::OVER;
                &QUICKSILVER
            }

            #[inline(never)]
            fn registered_with_bits() -> Option<&'static (dyn Any + Sync)> {
                with_bits!($values $macs)
            }
        }
    )+)+};
}

macro_rules! monomorphic {
    (F61 F61) => {
        true
    };
    ($values:ident $macs:ident) => {
        false
    };
}

macro_rules! with_bits {
    (F61 $macs:ident) => {
        with_bits!(compiled F61 $macs)
    };
    (Goldilocks $macs:ident) => {
        with_bits!(compiled Goldilocks $macs)
    };
    (Bn254 $macs:ident) => {
        with_bits!(compiled Bn254 $macs)
    };
    (RuntimePrime $macs:ident) => {
        with_bits!(compiled RuntimePrime $macs)
    };
    (RuntimePrime256 $macs:ident) => {
        with_bits!(compiled RuntimePrime256 $macs)
    };
    (compiled $values:ident $macs:ident) => {{
        static WITH_BITS: &dyn WithBits<volery_primitives::$values> =
            &OfTwoFields::<volery_primitives::$values, volery_primitives::$macs>::NEW;
        Some(&WITH_BITS)
    }};
    ($values:ident $macs:ident) => {
        None
    };
}

#[cfg(not(test))]
volery_primitives::with_fields!(register);
#[cfg(not(test))]
volery_primitives::with_chosen_fields!(register);
// The tests of this crate name these; sessions over every field are tested from outside.
#[cfg(test)]
register!(F61: F61 F61x2; F65537: F65537x4; F256: F128;);

/// QuickSilver over `S`, with what it alone has: statements that are compiled for it, several claims by the same
/// clauses, and shards.
pub trait QuicksilverOver<S: OverMacs>: ProofSystem<S::F> {
    /// The prover at the gates of a statement, which may be compiled for it.
    fn prover<'g>(
        &self,
        statement: &'g Proposition<'g, S>,
        witness: &'g dyn Reread<S::F>,
    ) -> ProverGates<'g, S>;

    /// The verifier at the gates of such a statement.
    fn verifier<'g>(&self, statement: &'g Proposition<'g, S>) -> VerifierGates<'g, S>;

    /// Proves a statement, which may be compiled for it: see `volery::prove`.
    ///
    /// # Errors
    /// As for `volery::prove`.
    fn prove_compiled(
        &self,
        statement: &Proposition<'_, S>,
        witness: &dyn Reread<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report>;

    /// Verifies such a statement: see `volery::verify`.
    ///
    /// # Errors
    /// As for `volery::verify`.
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

    /// Proves several claims, each of which is that one of `clauses` holds: see `volery::prove_each_of_over`.
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

    /// Verifies so many claims: see `volery::verify_each_of_over`.
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
pub trait ProvesCompiled<S: OverMacs>: ProvesMany<S::F> {
    /// Proves the next statement.
    ///
    /// # Errors
    /// As for `volery::prove`.
    fn prove_compiled(
        &mut self,
        statement: &Proposition<'_, S>,
        witness: &dyn Reread<S::F>,
    ) -> Result<Report>;
}

/// A verifier's end of several statements, which may be compiled for QuickSilver.
pub trait VerifiesCompiled<S: OverMacs>: VerifiesMany<S::F> {
    /// Verifies the next statement.
    ///
    /// # Errors
    /// As for `volery::verify`.
    fn verify_compiled(&mut self, statement: &Proposition<'_, S>) -> Result<(Accepted, Report)>;
}

/// [`crate`] over `S`.
pub struct Quicksilver<S>(PhantomData<fn() -> S>);

impl<S: OverMacs> Quicksilver<S> {
    /// The system over `S`.
    pub const OVER: Self = Self(PhantomData);

    /// Cost and soundness.
    ///
    /// # Errors
    /// None.
    pub fn analyse(_: &Options) -> Result<Box<dyn Analysis>> {
        Ok(Box::new(OverSetting::<S>::NEW))
    }

    pub(super) fn prover_end(channel: &mut Channel, options: Options) -> ProverEnd<'_, S> {
        ProverEnd::new(System::QUICKSILVER, Self::analyse, channel, options)
    }

    pub(super) fn verifier_end(channel: &mut Channel, options: Options) -> VerifierEnd<'_, S> {
        VerifierEnd::new(System::QUICKSILVER, Self::analyse, channel, options)
    }
}

/// The prover at the gates.
pub(super) fn prover<'g, S: OverMacs>(
    channel: &'g mut Channel,
    vole: BoxedVole<S::Mac>,
    work: &'g Work<'g>,
    witness: &'g dyn Reread<S::F>,
) -> ProverUnder<'g, S::Macs> {
    let prover = ProverUnder::<S::Macs>::new(channel, vole, work.options.arch, witness.read());
    prover.share_work(work.pool).report_to(work.progress()).in_waves(work)
}

/// The verifier at the gates.
pub(super) fn verifier<'g, S: OverMacs>(
    channel: &'g mut Channel,
    vole: BoxedVole<S::Key>,
    work: &'g Work<'g>,
    Secrets { delta, random }: Secrets<'g, S>,
) -> VerifierUnder<'g, S::Macs> {
    let verifier = S::Macs::verifier(channel, vole, work.options.arch, delta, random);
    verifier.share_work(work.pool).report_to(work.progress()).in_waves(work)
}

/// Proves `statement` as the next one of a session.
pub(super) fn prove_next<S: OverMacs>(
    end: &mut ProverEnd<'_, S>,
    statement: &Proposition<'_, S>,
    witness: &dyn Reread<S::F>,
) -> Result<Report> {
    end.prove(&statement.stream, witness, Quicksilver::OVER.prover(statement, witness))
}

/// Verifies `statement` as the next one of a session.
pub(super) fn verify_next<S: OverMacs>(
    end: &mut VerifierEnd<'_, S>,
    statement: &Proposition<'_, S>,
) -> Result<(Accepted, Report)> {
    end.verify(&statement.stream, Quicksilver::OVER.verifier(statement))
}

impl<S: OverMacs> ProofSystem<S::F> for Quicksilver<S> {
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
        Some(Box::new(Many::over(Self::prover_end(channel, options))))
    }

    fn verify_many<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Option<Box<dyn VerifiesMany<S::F> + 'c>> {
        Some(Box::new(Many::over(Self::verifier_end(channel, options))))
    }

    fn clauses(&self) -> Option<&dyn ProofOfClauses<S::F>> {
        Some(const { &OnTape::<S>::OVER })
    }
}

impl<S: OverMacs> QuicksilverOver<S> for Quicksilver<S> {
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
        Box::new(Many::over(Self::prover_end(channel, options)))
    }

    fn verifier_session<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Box<dyn VerifiesCompiled<S> + 'c> {
        Box::new(Many::over(Self::verifier_end(channel, options)))
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
