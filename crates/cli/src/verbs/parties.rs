//! `prove` and `verify`: one party in this process.

use crate::verbs::args::{Prove, Verify};
use crate::verbs::disjunction;
use crate::verbs::file::{self, OUT, PROOF};
use crate::verbs::given::{claim, reach, statement};
use crate::verbs::session::{CHECKING, Counted, Session};
use std::time::Instant;
use volery::System;
use volery::channel::Party;
use volery_cli::failure::Result;
use volery_cli::fields::{Field, Stated, Visitor};
use volery_cli::progress::Progress;
use volery_cli::report::Outcome;
use volery_cli::settings::{Settings, system_of_party};
use volery_cli::values::{Known, Reader};

/// `volery prove`.
pub(crate) fn prove(typed: &Prove, started: Instant) -> Result<()> {
    let field = Field::asked(typed.protocol.field.as_deref())?;
    let system = system_of_party(&typed.protocol, typed.out.as_ref().map(|_| OUT))?;
    match &typed.out {
        Some(path) => field.visit(file::Prove { typed, path, system, started }),
        None if disjunction::stated(field, &typed.public, system) => {
            disjunction::prove(typed, system, started)
        }
        None => field.visit(ToPeer { typed, system, started }),
    }
}

/// `volery verify`.
pub(crate) fn verify(typed: &Verify, started: Instant) -> Result<()> {
    let field = Field::asked(typed.protocol.field.as_deref())?;
    let system = system_of_party(&typed.protocol, typed.proof.as_ref().map(|_| PROOF))?;
    match &typed.proof {
        Some(path) => field.visit(file::Verify { typed, path, system, started }),
        None if disjunction::stated(field, &typed.public, system) => {
            disjunction::verify(typed, system, started)
        }
        None => field.visit(FromPeer { typed, system, started }),
    }
}

/// Proves a statement as a whole to a peer.
struct ToPeer<'t> {
    typed: &'t Prove,
    system: System,
    started: Instant,
}

impl Visitor for ToPeer<'_> {
    type Output = Result<()>;

    fn visit<S: Stated>(self) -> Result<()> {
        let Self { typed, system, started } = self;
        let settings = Settings::<S>::of(system, &typed.protocol, &typed.output)?;
        let settings = settings.over(typed.hint.bandwidth.as_deref())?.fixed_work(typed.fixed_work)?;
        let reach = reach(&typed.peer)?;
        let (statement, witness) = claim::<S::Program>(&typed.public, &typed.private)?;
        let known = Known::<S::Program>(&witness);
        if !typed.no_check {
            let _announced = Progress::announce(CHECKING, settings.quiet);
            volery::check(&statement, known)?;
        }
        // The check has walked every gate, and who leaves it out wants no other walk in its place; but for
        // the bound.
        let count = match settings.system() {
            system if system.facts().correlated => settings.correlations().is_none() || S::BOUND_BY_SIZE,
            _ => !typed.no_check,
        };
        let counted = count.then(|| Counted::of::<S>(&statement, &settings, Party::Prover)).transpose()?;
        let mut session = Session::open(&settings, &reach, Party::Prover, statement.digest(), counted)?;
        let (channel, options) = (&mut session.channel, &session.options);
        let report = volery::prove_over::<S>(statement.source(), known, channel, options)?;
        drop(session);
        let mut outcome = Outcome::new::<S>(Some(Party::Prover), &[report], started);
        outcome.threads = settings.threads();
        outcome.print(settings.json)
    }
}

/// Verifies a statement as a whole that a peer proves.
struct FromPeer<'t> {
    typed: &'t Verify,
    system: System,
    started: Instant,
}

impl Visitor for FromPeer<'_> {
    type Output = Result<()>;

    fn visit<S: Stated>(self) -> Result<()> {
        let Self { typed, system, started } = self;
        let settings = Settings::<S>::of(system, &typed.protocol, &typed.output)?;
        let settings = settings.over(typed.hint.bandwidth.as_deref())?;
        let reach = reach(&typed.peer)?;
        let statement = statement::<S::Program>(&typed.public, &mut Reader::default())?;
        // A malformed file is found before anybody waits.
        let counted = Counted::of::<S>(&statement, &settings, Party::Verifier)?;
        let digest = statement.digest();
        let mut session = Session::open(&settings, &reach, Party::Verifier, digest, Some(counted))?;
        let (channel, options) = (&mut session.channel, &session.options);
        let (_accepted, report) = volery::verify_over::<S>(statement.source(), channel, options)?;
        drop(session);
        let mut outcome = Outcome::new::<S>(Some(Party::Verifier), &[report], started);
        outcome.threads = settings.threads();
        outcome.print(settings.json)
    }
}
