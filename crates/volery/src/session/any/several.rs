//! Several statements on one set-up, of a setting that is named.

use super::{AnyClaim, AnyStatement, Claimed, Stated, WithProgram};
use crate::session::compiled::{find, only_single};
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_circuit::Size;
use volery_proof::options::Options;
use volery_proof::report::Report;
use volery_proof::system::{ProvesMany, VerifiesMany};
use volery_proof::verdict::Accepted;

/// A prover's end of several statements of a setting: a [`ProverSession`](crate::ProverSession), whichever it is.
pub trait AnyProofs {
    /// The link, for what is said between two statements.
    fn channel(&mut self) -> &mut Channel;
    /// Has the next statement hand wires on: see [`ProverSession::carry`](crate::ProverSession::carry).
    fn carry(&mut self, wires: usize) -> Result<()>;
    /// Checks the claim in the clear, with the wires that it takes.
    fn check(&mut self, claim: &dyn AnyClaim) -> Result<()>;
    /// Proves the claim, by the digest `name`, whose size is given where it is known.
    fn prove(&mut self, claim: &dyn AnyClaim, name: [u8; 32], size: Option<Size>) -> Result<Report>;
}

/// A verifier's end of several statements of a setting: a [`VerifierSession`](crate::VerifierSession), whichever it is.
pub trait AnyVerifications {
    /// The link, for what is said between two statements.
    fn channel(&mut self) -> &mut Channel;
    /// Has the next statement hand wires on: see [`VerifierSession::carry`](crate::VerifierSession::carry).
    fn carry(&mut self, wires: usize) -> Result<()>;
    /// Verifies the statement, by the digest `name`, whose size is given where it is known.
    fn verify(
        &mut self,
        statement: &dyn AnyStatement,
        name: [u8; 32],
        size: Option<Size>,
    ) -> Result<(Accepted, Report)>;
}

/// A prover's end over `S`.
pub(super) struct Proofs<'c, S: WithProgram>(Box<dyn ProvesMany<S::F> + 'c>);

/// A verifier's end over `S`.
pub(super) struct Verifications<'c, S: WithProgram>(Box<dyn VerifiesMany<S::F> + 'c>);

impl<'c, S: WithProgram> Proofs<'c, S> {
    pub(super) fn over(channel: &'c mut Channel, options: Options) -> Result<Self> {
        let system = options.system();
        let many = find::<S>(system)?.prove_many(channel, options);
        many.map(Self).ok_or_else(|| only_single::<S>(system))
    }
}

impl<'c, S: WithProgram> Verifications<'c, S> {
    pub(super) fn over(channel: &'c mut Channel, options: Options) -> Result<Self> {
        let system = options.system();
        let many = find::<S>(system)?.verify_many(channel, options);
        many.map(Self).ok_or_else(|| only_single::<S>(system))
    }
}

/// The claim, which is of this setting, and over one field.
fn claimed<S: WithProgram>(claim: &dyn AnyClaim) -> &Claimed<S> {
    claim.as_any().downcast_ref().expect("a claim of the session's setting, over one field")
}

impl<S: WithProgram> AnyProofs for Proofs<'_, S> {
    fn channel(&mut self) -> &mut Channel {
        self.0.channel()
    }
    fn carry(&mut self, wires: usize) -> Result<()> {
        self.0.carry(wires)
    }
    fn check(&mut self, claim: &dyn AnyClaim) -> Result<()> {
        let claim = claimed::<S>(claim);
        self.0.check(claim.stated.statement.source(), claim)
    }
    fn prove(&mut self, claim: &dyn AnyClaim, name: [u8; 32], size: Option<Size>) -> Result<Report> {
        let claim = claimed::<S>(claim);
        self.0.name_next(name, size);
        self.0.prove(claim.stated.statement.source(), claim)
    }
}

impl<S: WithProgram> AnyVerifications for Verifications<'_, S> {
    fn channel(&mut self) -> &mut Channel {
        self.0.channel()
    }
    fn carry(&mut self, wires: usize) -> Result<()> {
        self.0.carry(wires)
    }
    fn verify(
        &mut self,
        statement: &dyn AnyStatement,
        name: [u8; 32],
        size: Option<Size>,
    ) -> Result<(Accepted, Report)> {
        let stated: &Stated<S> =
            statement.as_any().downcast_ref().expect("a statement of the session's setting, over one field");
        self.0.name_next(name, size);
        self.0.verify(stated.statement.source())
    }
}
