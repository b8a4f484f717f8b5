//! The paved path: statements, one channel, a verdict for each.

pub(crate) mod any;
pub(crate) mod compiled;
mod disjunction;
mod files;
mod queries;

pub use any::{
    AnyClaim, AnyProofs, AnyRelation, AnySetting, AnyStatement, AnyVerifications, InShards, setting, settings,
};
pub use compiled::{Compiled, Named, Registered};
pub use disjunction::{
    prove_each_of_over, prove_one_of, prove_one_of_over, prove_one_of_to_file, verify_each_of_over,
    verify_one_of, verify_one_of_from, verify_one_of_over,
};
pub use files::{
    prove_to, prove_to_file, prove_to_file_over, prove_to_over, read_label, verify_from, verify_from_over,
};

pub use queries::{Queries, QueryProver, QueryVerifier};

use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_circuit::Size;
use volery_circuit::stream::Source;
use volery_primitives::{F2, Field};
use volery_proof::system::{ProvesMany, VerifiesMany};
use volery_proof::{Accepted, Binary, Options, ProofSystem, Report, System};
use volery_quicksilver::session::direct::{Proposition, Provable};
use volery_quicksilver::session::{ProvesCompiled, VerifiesCompiled};

/// Proves that `witness` satisfies `circuit`, a statement over F_2, to the verifier at the other end of
/// `channel`, by the system that `options` name. For other fields see [`prove_over`], for one of several
/// clauses [`prove_one_of`].
///
/// # Errors
/// `Unsatisfied` or `Invalid` before a byte is sent, where the witness or the circuit is wrong;
/// `Disagreed` where the verifier was started with other settings; `Rejected` where it did not accept;
/// `Misbehaved`, `Io`, and `Abandoned` where it left while it was tested.
pub fn prove(
    circuit: &(impl Provable<Binary> + ?Sized),
    witness: impl IntoIterator<Item = F2> + Clone,
    channel: &mut Channel,
    options: &Options,
) -> Result<Report> {
    prove_over::<Binary>(circuit, witness, channel, options)
}

/// Proves a statement over any field, as [`prove`] does over F_2: `prove_over::<Over<F61>>(…)`.
///
/// # Errors
/// As for [`prove`]; `Invalid` where less security is offered than asked for.
pub fn prove_over<S: Named>(
    circuit: &(impl Provable<S> + ?Sized),
    witness: impl IntoIterator<Item = S::F> + Clone,
    channel: &mut Channel,
    options: &Options,
) -> Result<Report> {
    if let Some(system) = compiled::quicksilver::<S>(options.system()) {
        return system.prove_compiled(&Proposition::of(circuit), &witness, channel, options);
    }
    compiled::find::<S>(options.system())?.prove(circuit.source(), &witness, channel, options)
}

/// Proves a statement, as [`prove_over`] does, by a system that may be of no library: `options` need not
/// name it. What they choose for another system is not looked at.
///
/// # Errors
/// Those of the system.
pub fn prove_by<F: Field>(
    system: &dyn ProofSystem<F>,
    circuit: &dyn Source<F>,
    witness: impl IntoIterator<Item = F> + Clone,
    channel: &mut Channel,
    options: &Options,
) -> Result<Report> {
    system.prove(circuit, &witness, channel, options)
}

/// Verifies that the prover at the other end of `channel` knows a witness for `circuit`, a statement over
/// F_2, by the system that `options` name, and tells it the verdict. For other fields see [`verify_over`],
/// for one of several clauses [`verify_one_of`].
///
/// # Errors
/// `Rejected` where a check fails; `Misbehaved` where the prover breaks the protocol; `Disagreed` where it
/// was started with other settings; `Invalid` where the circuit is wrong; `Io`; `Abandoned` where the prover
/// left after a coin, when it could foresee the verdict: see
/// [`counts_against_peer`](crate::Error::counts_against_peer) before it may try again.
pub fn verify(
    circuit: &(impl Provable<Binary> + ?Sized),
    channel: &mut Channel,
    options: &Options,
) -> Result<(Accepted, Report)> {
    verify_over::<Binary>(circuit, channel, options)
}

/// Verifies a statement over any field, as [`verify`] does over F_2: `verify_over::<Over<F61>>(…)`.
///
/// # Errors
/// As for [`verify`]; `Invalid` where less security is offered than asked for.
pub fn verify_over<S: Named>(
    circuit: &(impl Provable<S> + ?Sized),
    channel: &mut Channel,
    options: &Options,
) -> Result<(Accepted, Report)> {
    if let Some(system) = compiled::quicksilver::<S>(options.system()) {
        return system.verify_compiled(&Proposition::of(circuit), channel, options);
    }
    compiled::find::<S>(options.system())?.verify(circuit.source(), channel, options)
}

/// Verifies a statement, as [`verify_over`] does, by a system that may be of no library: `options` need not
/// name it. What they choose for another system is not looked at.
///
/// # Errors
/// Those of the system.
pub fn verify_by<F: Field>(
    system: &dyn ProofSystem<F>,
    circuit: &dyn Source<F>,
    channel: &mut Channel,
    options: &Options,
) -> Result<(Accepted, Report)> {
    system.verify(circuit, channel, options)
}

/// Several statements, one after the other, on one set-up: the prover's side.
///
/// The set-up is made, and the correlations are chosen, for the first statement. After an error during a
/// proof the session is dead.
pub struct ProverSession<'c, S: Named = Binary>(ProverOf<'c, S>);

enum ProverOf<'c, S: Named> {
    Quicksilver(Box<dyn ProvesCompiled<S> + 'c>),
    Another(Box<dyn ProvesMany<S::F> + 'c>),
    /// A system that has no such sessions.
    Single(System),
}

/// Several statements, one after the other, on one set-up: the verifier's side.
///
/// The set-up is made, and the correlations are chosen, for the first statement. After an error
/// the session is dead.
pub struct VerifierSession<'c, S: Named = Binary>(VerifierOf<'c, S>);

enum VerifierOf<'c, S: Named> {
    Quicksilver(Box<dyn VerifiesCompiled<S> + 'c>),
    Another(Box<dyn VerifiesMany<S::F> + 'c>),
    /// A system that has no such sessions.
    Single(System),
}

impl<'c> ProverSession<'c> {
    /// A session over F_2; nothing is sent yet.
    pub fn new(channel: &'c mut Channel, options: Options) -> Self {
        Self::over(channel, options)
    }
}

impl<'c, S: Named> ProverSession<'c, S> {
    /// A session over any field; nothing is sent yet.
    pub fn over(channel: &'c mut Channel, options: Options) -> Self {
        let system = options.system();
        if let Some(system) = compiled::quicksilver::<S>(system) {
            return Self(ProverOf::Quicksilver(system.prover_session(channel, options)));
        }
        let session = compiled::find::<S>(system).ok().and_then(|found| found.prove_many(channel, options));
        Self(session.map_or(ProverOf::Single(system), ProverOf::Another))
    }

    /// Sets up before the first statement is known, which will be of about this `size`: what it takes beyond that is
    /// set up when it is there. Both parties do so, and the digest `name` has to be the same for both, as that of a
    /// statement is.
    ///
    /// # Errors
    /// As for [`prove`]; `Invalid` where the system takes single statements only.
    pub fn prepare(&mut self, name: [u8; 32], size: Size) -> Result<()> {
        match &mut self.0 {
            ProverOf::Quicksilver(session) => session.prepare(name, size),
            ProverOf::Another(session) => session.prepare(name, size),
            ProverOf::Single(system) => Err(compiled::only_single::<S>(*system)),
        }
    }

    /// Names the next statement by its digest, as [`Options::statement`] names the first.
    pub fn name_next(&mut self, digest: [u8; 32]) {
        match &mut self.0 {
            ProverOf::Quicksilver(session) => session.name_next(digest, None),
            ProverOf::Another(session) => session.name_next(digest, None),
            ProverOf::Single(_) => {}
        }
    }

    /// Has the next statement hand so many wires on ([`Crossings::outgoing`](crate::circuit::Crossings::outgoing)): each one behind
    /// it takes all of them ([`incoming`](crate::circuit::Crossings::incoming)), until one hands on others. Nothing is sent for
    /// them.
    ///
    /// # Errors
    /// `Invalid` where the system has no wires that are worth anything behind their statement.
    pub fn carry(&mut self, wires: usize) -> Result<()> {
        match &mut self.0 {
            ProverOf::Quicksilver(session) => session.carry(wires),
            ProverOf::Another(session) => session.carry(wires),
            ProverOf::Single(system) => Err(compiled::only_single::<S>(*system)),
        }
    }

    /// Proves one statement, as [`prove`] does.
    ///
    /// # Errors
    /// As for [`prove`]; `Invalid` where the system proves single statements only.
    pub fn prove(
        &mut self,
        circuit: &(impl Provable<S> + ?Sized),
        witness: impl IntoIterator<Item = S::F> + Clone,
    ) -> Result<Report> {
        match &mut self.0 {
            ProverOf::Quicksilver(session) => session.prove_compiled(&Proposition::of(circuit), &witness),
            ProverOf::Another(session) => session.prove(circuit.source(), &witness),
            ProverOf::Single(system) => Err(compiled::only_single::<S>(*system)),
        }
    }
}

impl<'c> VerifierSession<'c> {
    /// A session over F_2; nothing is sent yet.
    pub fn new(channel: &'c mut Channel, options: Options) -> Self {
        Self::over(channel, options)
    }
}

impl<'c, S: Named> VerifierSession<'c, S> {
    /// A session over any field; nothing is sent yet.
    pub fn over(channel: &'c mut Channel, options: Options) -> Self {
        let system = options.system();
        if let Some(system) = compiled::quicksilver::<S>(system) {
            return Self(VerifierOf::Quicksilver(system.verifier_session(channel, options)));
        }
        let session = compiled::find::<S>(system).ok().and_then(|found| found.verify_many(channel, options));
        Self(session.map_or(VerifierOf::Single(system), VerifierOf::Another))
    }

    /// Sets up before the first statement is known, which will be of about this `size`: what it takes beyond that is
    /// set up when it is there. Both parties do so, and the digest `name` has to be the same for both, as that of a
    /// statement is.
    ///
    /// # Errors
    /// As for [`verify`]; `Invalid` where the system takes single statements only.
    pub fn prepare(&mut self, name: [u8; 32], size: Size) -> Result<()> {
        match &mut self.0 {
            VerifierOf::Quicksilver(session) => session.prepare(name, size),
            VerifierOf::Another(session) => session.prepare(name, size),
            VerifierOf::Single(system) => Err(compiled::only_single::<S>(*system)),
        }
    }

    /// Names the next statement by its digest, as [`Options::statement`] names the first.
    pub fn name_next(&mut self, digest: [u8; 32]) {
        match &mut self.0 {
            VerifierOf::Quicksilver(session) => session.name_next(digest, None),
            VerifierOf::Another(session) => session.name_next(digest, None),
            VerifierOf::Single(_) => {}
        }
    }

    /// Has the next statement hand so many wires on ([`Crossings::outgoing`](crate::circuit::Crossings::outgoing)): each one behind
    /// it takes all of them ([`incoming`](crate::circuit::Crossings::incoming)), until one hands on others. Nothing is sent for
    /// them.
    ///
    /// # Errors
    /// `Invalid` where the system has no wires that are worth anything behind their statement.
    pub fn carry(&mut self, wires: usize) -> Result<()> {
        match &mut self.0 {
            VerifierOf::Quicksilver(session) => session.carry(wires),
            VerifierOf::Another(session) => session.carry(wires),
            VerifierOf::Single(system) => Err(compiled::only_single::<S>(*system)),
        }
    }

    /// Verifies one statement, as [`verify`] does.
    ///
    /// # Errors
    /// As for [`verify`]; `Invalid` where the system proves single statements only.
    pub fn verify(&mut self, circuit: &(impl Provable<S> + ?Sized)) -> Result<(Accepted, Report)> {
        match &mut self.0 {
            VerifierOf::Quicksilver(session) => session.verify_compiled(&Proposition::of(circuit)),
            VerifierOf::Another(session) => session.verify(circuit.source()),
            VerifierOf::Single(system) => Err(compiled::only_single::<S>(*system)),
        }
    }
}
