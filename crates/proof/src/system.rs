//! Proof systems, as a session sees them.

use crate::analysis::Analysis;
use crate::options::Options;
use crate::reading::Sink;
use crate::report::Report;
use crate::verdict::Accepted;
use crate::witness::Reread;
use core::fmt;
use core::str::FromStr;
use std::io::{Read, Write};
use volery_channel::channel::Channel;
use volery_channel::error::{Error, Result};
use volery_circuit::Size;
use volery_circuit::stream::{ClauseSource, Source};
use volery_primitives::Field;

/// A proof system over statements of `F`: all that is known of it above its own room. What its values are
/// authenticated by, if anything, is its own affair.
pub trait ProofSystem<F: Field>: Sync {
    /// The name and the facts of the system.
    fn system(&self) -> System;

    /// Proves that `witness` satisfies `statement`, as `volery::prove` says.
    ///
    /// # Errors
    /// As for `volery::prove`.
    fn prove(
        &self,
        statement: &dyn Source<F>,
        witness: &dyn Reread<F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report>;

    /// Verifies `statement`, as `volery::verify` says.
    ///
    /// # Errors
    /// As for `volery::verify`.
    fn verify(
        &self,
        statement: &dyn Source<F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)>;

    /// Cost and soundness of its proofs over correlations, with what `options` say.
    ///
    /// # Errors
    /// `Invalid` where it takes none, or the options make no sense.
    fn analysis(&self, _: &Options) -> Result<Box<dyn Analysis>> {
        Err(Error::invalid(format!("{} takes no correlations", self.system())))
    }

    /// Several proofs on one set-up, if it can.
    fn prove_many<'c>(&self, _: &'c mut Channel, _: Options) -> Option<Box<dyn ProvesMany<F> + 'c>> {
        None
    }

    /// The verifier's side of [`ProofSystem::prove_many`].
    fn verify_many<'c>(&self, _: &'c mut Channel, _: Options) -> Option<Box<dyn VerifiesMany<F> + 'c>> {
        None
    }

    /// Proofs that are files, if it makes some.
    fn files(&self) -> Option<&dyn ProofFiles<F>> {
        None
    }

    /// Proofs of one of several clauses, if it has any of its own.
    fn clauses(&self) -> Option<&dyn ProofOfClauses<F>> {
        None
    }
}

/// A prover's end of several proofs.
pub trait ProvesMany<F: Field> {
    /// Sets up before the first statement is known: see `volery::ProverSession::prepare`.
    ///
    /// # Errors
    /// As for `volery::prove`.
    fn prepare(&mut self, name: [u8; 32], size: Size) -> Result<()>;

    /// Names the next statement by its digest, and says its size where that is known.
    fn name_next(&mut self, digest: [u8; 32], size: Option<Size>);

    /// The link, for what is said between two statements.
    fn channel(&mut self) -> &mut Channel;

    /// Has the next statement hand so many wires on ([`Crossings::outgoing`](volery_circuit::Crossings::outgoing)): each
    /// one behind it takes all of them ([`incoming`](volery_circuit::Crossings::incoming)), until one hands on others.
    ///
    /// # Errors
    /// `Invalid` where the system has no wires that are worth anything behind their statement.
    fn carry(&mut self, _wires: usize) -> Result<()> {
        Err(no_carried())
    }

    /// Checks the next statement in the clear, with the wires that it takes, whatever options say.
    ///
    /// # Errors
    /// As for [`check`](crate::witness::check).
    fn check(&mut self, statement: &dyn Source<F>, witness: &dyn Reread<F>) -> Result<()>;

    /// Proves the next statement.
    ///
    /// # Errors
    /// As for `volery::prove`.
    fn prove(&mut self, statement: &dyn Source<F>, witness: &dyn Reread<F>) -> Result<Report>;
}

/// A verifier's end of several proofs.
pub trait VerifiesMany<F: Field> {
    /// Sets up before the first statement is known: see `volery::VerifierSession::prepare`.
    ///
    /// # Errors
    /// As for `volery::verify`.
    fn prepare(&mut self, name: [u8; 32], size: Size) -> Result<()>;

    /// Names the next statement by its digest, and says its size where that is known.
    fn name_next(&mut self, digest: [u8; 32], size: Option<Size>);

    /// The link, for what is said between two statements.
    fn channel(&mut self) -> &mut Channel;

    /// Has the next statement hand so many wires on ([`Crossings::outgoing`](volery_circuit::Crossings::outgoing)): each
    /// one behind it takes all of them ([`incoming`](volery_circuit::Crossings::incoming)), until one hands on others.
    ///
    /// # Errors
    /// `Invalid` where the system has no wires that are worth anything behind their statement.
    fn carry(&mut self, _wires: usize) -> Result<()> {
        Err(no_carried())
    }

    /// Verifies the next statement.
    ///
    /// # Errors
    /// As for `volery::verify`.
    fn verify(&mut self, statement: &dyn Source<F>) -> Result<(Accepted, Report)>;
}

/// A system whose proofs are files.
pub trait ProofFiles<F: Field> {
    /// Proves a statement to a file: see `volery::prove_to`.
    ///
    /// # Errors
    /// As for `volery::prove_to`.
    fn prove_to(
        &self,
        source: &dyn Source<F>,
        witness: &dyn Reread<F>,
        out: &mut dyn Write,
        options: &Options,
    ) -> Result<Report>;

    /// Proves a statement to a file that can be written to anew: see `volery::prove_to_file`. By default the
    /// proof is kept until it is whole.
    ///
    /// # Errors
    /// As for `volery::prove_to_file`.
    fn prove_to_file(
        &self,
        source: &dyn Source<F>,
        witness: &dyn Reread<F>,
        mut out: &mut dyn Sink,
        options: &Options,
    ) -> Result<Report> {
        self.prove_to(source, witness, &mut out, options)
    }

    /// Verifies a file: see `volery::verify_from`.
    ///
    /// # Errors
    /// As for `volery::verify_from`.
    fn verify_from(
        &self,
        source: &dyn Source<F>,
        proof: &mut (dyn Read + Send),
        options: &Options,
    ) -> Result<(Accepted, Report)>;
}

/// A system that knows disjunctions.
pub trait ProofOfClauses<F: Field> {
    /// Proves one of several clauses: see `volery::prove_one_of`.
    ///
    /// # Errors
    /// As for `volery::prove_one_of`.
    fn prove_one_of(
        &self,
        clauses: &dyn ClauseSource<F>,
        chosen: usize,
        witness: &dyn Reread<F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report>;

    /// Verifies one of several clauses: see `volery::verify_one_of`.
    ///
    /// # Errors
    /// As for `volery::verify_one_of`.
    fn verify_one_of(
        &self,
        clauses: &dyn ClauseSource<F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)>;

    /// Proves several claims at once: see `volery::prove_each_of_over`.
    ///
    /// # Errors
    /// As for `volery::prove_each_of_over`; here that it proves one claim at a time.
    fn prove_each_of(
        &self,
        _: &dyn ClauseSource<F>,
        _: &[Claim<'_, F>],
        _: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        Err(one_claim(options.system()))
    }

    /// Verifies so many claims at once: see `volery::verify_each_of_over`.
    ///
    /// # Errors
    /// As for `volery::verify_each_of_over`; here that it proves one claim at a time.
    fn verify_each_of(
        &self,
        _: &dyn ClauseSource<F>,
        _: usize,
        _: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        Err(one_claim(options.system()))
    }
}

/// The error of wires that a statement hands on by a system that has none.
fn no_carried() -> Error {
    Error::invalid(format!(
        "no wires go from one statement to the next by this system: take {}, or prove each by itself",
        System::QUICKSILVER
    ))
}

/// The clause of a claim, by its number, and what it holds for.
pub type Claim<'w, F> = (usize, &'w dyn Reread<F>);

/// The error of a system that proves no claims by the same clauses together.
pub fn one_claim(system: System) -> Error {
    Error::invalid(format!(
        "{system} proves one of several clauses once: prove each claim by itself, or take {}",
        System::QUICKSILVER
    ))
}

/// A proof system, by what is known of it whatever it runs over: options, estimates and reports ask for these
/// facts, and not which system it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct System(&'static Facts);

/// The facts of a proof system.
#[derive(Debug, PartialEq, Eq)]
pub struct Facts {
    /// The name on the wire, in options and in reports.
    pub name: &'static str,
    /// Whether it runs over F_2 alone.
    pub bits_only: bool,
    /// The settings that it is over by name, where these are not all.
    pub over: &'static [&'static str],
    /// Whether it takes correlations, which are chosen for a statement, and stay for the next one.
    pub correlated: bool,
    /// Whether it proves polynomials as such, and not gate by gate.
    pub polynomials: bool,
    /// Whether it checks products by triples, in one of several ways.
    pub triples: bool,
    /// Whether it garbles circuits.
    pub garbles: bool,
    /// Whether it proves one of several clauses at about the price of the largest.
    pub clauses: bool,
    /// Whether it proves one of several clauses, and nothing else.
    pub of_clauses: bool,
    /// Whether it simulates parties.
    pub simulates: bool,
    /// Whether its proof may be a file.
    pub files: bool,
    /// Whether its proof may be told to a verifier over a link.
    pub talks: bool,
}

impl Facts {
    /// The facts of a system of which nothing special is known.
    pub const fn named(name: &'static str) -> Self {
        Self {
            name,
            bits_only: false,
            over: &[],
            correlated: false,
            polynomials: false,
            triples: false,
            garbles: false,
            clauses: false,
            of_clauses: false,
            simulates: false,
            files: false,
            talks: true,
        }
    }

    /// The facts of a system over F_2 of which nothing else is known.
    pub const fn of_bits(name: &'static str) -> Self {
        Self { bits_only: true, over: &["f2"], ..Self::named(name) }
    }
}

/// The settings over which there are systems for comparison, and files.
const FEW: [&str; 4] = ["f2", "f61", "f61x2", "f65537"];

impl System {
    /// Commitments by correlations, a bit for each AND: `volery-quicksilver`. Over any field.
    pub const QUICKSILVER: Self =
        Self(&Facts { correlated: true, polynomials: true, clauses: true, ..Facts::named("quicksilver") });
    /// A garbled circuit, 128 bits for each AND: `volery-garbled`. Over F_2.
    pub const JKO: Self = Self(&Facts { garbles: true, ..Facts::of_bits("jko") });
    /// Stacked garbled circuits, 128 bits for each AND of the largest of several clauses:
    /// `volery-garbled`. Over F_2.
    pub const STACK: Self =
        Self(&Facts { garbles: true, clauses: true, of_clauses: true, ..Facts::of_bits("stack") });
    /// MPC in the head, a bit or an element for each multiplication and repetition, in a conversation or a
    /// file: `volery-limbo`. Over F_2, 2^61 − 1 and 65537, and as `volery::Limbo` over any field.
    pub const LIMBO: Self =
        Self(&Facts { over: &FEW, simulates: true, files: true, ..Facts::named("limbo") });
    /// Commitments by correlations, and triples that check products, 7 bits for each AND, or 2 to 4 elements
    /// for each multiplication: `volery-wolverine`. Over F_2, 2^61 − 1, 65537 and the prime of its paper's
    /// lattices, and as `volery::Wolverine` over any field.
    pub const WOLVERINE: Self = Self(&Facts {
        over: &["f2", "f61", "f61x2", "f65537", "q32"],
        correlated: true,
        triples: true,
        ..Facts::named("wolverine")
    });

    /// Commitments by correlations that the prover deals to itself, 9 to 15 bits for each AND, in a file:
    /// `volery-quicksilver`. Over F_2.
    pub const VOLEITH: Self =
        Self(&Facts { polynomials: true, files: true, talks: false, ..Facts::of_bits("voleith") });

    /// All that are registered.
    pub const ALL: [Self; 6] =
        [Self::QUICKSILVER, Self::JKO, Self::STACK, Self::LIMBO, Self::WOLVERINE, Self::VOLEITH];
    /// The systems among them that talk to a verifier over a link.
    pub const TALKING: [Self; 5] = [Self::QUICKSILVER, Self::JKO, Self::STACK, Self::LIMBO, Self::WOLVERINE];

    /// The system of these facts.
    pub const fn of(facts: &'static Facts) -> Self {
        Self(facts)
    }

    /// The facts of the system.
    pub const fn facts(self) -> &'static Facts {
        self.0
    }

    /// The name on the wire, in options and in reports.
    pub const fn name(self) -> &'static str {
        self.0.name
    }
}

impl Default for System {
    fn default() -> Self {
        Self::QUICKSILVER
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for System {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|system| system.name() == name);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::invalid(format!("there is no proof system `{name}`; there are {names}"))
        })
    }
}
