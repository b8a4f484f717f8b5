//! `prove` and `verify`: one party in this process.

use crate::verbs::args::{Prove, Verify};
use crate::verbs::cluster::worker;
use crate::verbs::disjunction;
use crate::verbs::file::{self, OUT, PROOF};
use crate::verbs::given::{claim, field, statement, way};
use crate::verbs::program;
use crate::verbs::proofs;
use crate::verbs::service;
use crate::verbs::session::{CHECKING, Counted, Session};
use std::path::{Path, PathBuf};
use std::time::Instant;
use volery::channel::Party;
use volery::{AnyStatement, System};
use volery_cli::args::Protocol;
use volery_cli::failure::{Failure, Result};
use volery_cli::progress::Progress;
use volery_cli::settings::{Settings, system_of_party};
use volery_cli::values::Reader;

/// `volery prove`.
pub(crate) fn prove(typed: &Prove, started: Instant) -> Result<()> {
    if let Some(name) = &typed.statement {
        return service::prove(typed, name, started);
    }
    if let Some(path) = &typed.run.program {
        return program::prove(typed, path, started);
    }
    let field = field(&typed.protocol, &typed.public)?;
    let system = system_of_party(&typed.protocol, Some(field), typed.out.as_ref().map(|_| OUT))?;
    let settings = Settings::of(field, system, &typed.protocol, &typed.output)?;
    let settings = &settings.over(typed.hint.bandwidth.as_deref())?.fixed_work(typed.fixed_work)?;
    for_files(&typed.protocol, typed.out.as_deref())?;
    if typed.one_shard.shard.is_some() {
        return worker::prove(typed, settings, started);
    }
    match &typed.out {
        Some(path) => file::prove(typed, path, settings, started),
        None if disjunction::stated(field, &typed.public, system) => {
            disjunction::prove(typed, settings, started)
        }
        None if typed.fixed_work && !system.facts().of_clauses => Err(Failure::usage(format_args!(
            "--fixed-work: {system} has no clauses to hide in a statement that is proved as a whole: leave it out"
        ))),
        None => to_peer(typed, settings, started),
    }
}

/// `volery verify`.
pub(crate) fn verify(typed: &Verify, started: Instant) -> Result<()> {
    if let Some(path) = &typed.run.program {
        return program::verify(typed, path, started);
    }
    let field = field(&typed.protocol, &typed.public)?;
    let system = system_of_party(&typed.protocol, Some(field), typed.proof.first().map(|_| PROOF))?;
    let settings = Settings::of(field, system, &typed.protocol, &typed.output)?;
    let settings = settings.over(typed.hint.bandwidth.as_deref())?;
    for_files(&typed.protocol, typed.proof.first().map(PathBuf::as_path))?;
    if let Some(option) = typed.protocol.simulation.in_file().filter(|_| !typed.proof.is_empty()) {
        return Err(Failure::usage(format_args!(
            "{option}: the file says what its proof was made with: leave it out, and demand what it has to \
             be worth by --security"
        )));
    }
    if typed.one_shard.shard.is_some() {
        return worker::verify(typed, &settings, started);
    }
    match typed.proof.first() {
        Some(_) if proofs::are_many(&typed.proof) => proofs::verify(typed, &settings, started),
        Some(path) => file::verify(typed, path, &settings, started),
        None if disjunction::stated(field, &typed.public, system) => {
            disjunction::verify(typed, &settings, started)
        }
        None => from_peer(typed, &settings, started),
    }
}

/// Refuses what is for files where there is none.
fn for_files(typed: &Protocol, file: Option<&Path>) -> Result<()> {
    match typed.simulation.of_file().filter(|_| file.is_none()) {
        None => Ok(()),
        Some(option) => Err(Failure::usage(format_args!(
            "{option}: over a link both sides say what parties are simulated, and this is for files: leave \
             it out, or give --out or --proof"
        ))),
    }
}

/// Proves a statement as a whole to a peer.
fn to_peer(typed: &Prove, settings: &Settings, started: Instant) -> Result<()> {
    let way = way(&typed.peer)?;
    let claim = claim(settings.field, &typed.public, &typed.private, Reader::waiting(settings.timeout))?;
    is_proved_by(settings.system(), claim.statement())?;
    // A witness of circom was checked when it was read.
    if !typed.no_check && !typed.private.is_checked() {
        let _announced = Progress::announce(CHECKING, settings.quiet);
        claim.check()?;
    }
    let statement = claim.statement();
    let counted = Counted::for_prover(statement, settings, typed.no_check)?;
    let mut session = Session::open(settings, &way, Party::Prover, statement.digest(), counted)?;
    let report = claim.prove(&mut session.channel, &session.options)?;
    let mut outcome = session.close(settings, report, started)?;
    outcome.warnings = statement.warnings();
    outcome.print(settings.json)
}

/// Refuses a statement that `system` does not prove over a link, before anybody waits.
fn is_proved_by(system: System, statement: &dyn AnyStatement) -> Result<()> {
    if !statement.is_over_two() || system == System::QUICKSILVER {
        return Ok(());
    }
    Err(Failure::usage(format_args!(
        "--system: a statement over two fields is proved over a link by {}, and not by {system}: leave it out, or \
         make a proof file, by {OUT} and {PROOF}",
        System::QUICKSILVER
    )))
}

/// Verifies a statement as a whole that a peer proves.
fn from_peer(typed: &Verify, settings: &Settings, started: Instant) -> Result<()> {
    let way = way(&typed.peer)?;
    let statement = statement(settings.field, &typed.public, &mut Reader::waiting(settings.timeout))?;
    is_proved_by(settings.system(), &*statement)?;
    // A malformed file is found before anybody waits.
    let counted = Counted::of(&|| statement.count(), settings, Party::Verifier)?;
    let mut session = Session::open(settings, &way, Party::Verifier, statement.digest(), Some(counted))?;
    let (_accepted, report) = statement.verify(&mut session.channel, &session.options)?;
    let mut outcome = session.close(settings, report, started)?;
    outcome.warnings = statement.warnings();
    outcome.print(settings.json)
}
