//! `prove --program` and `verify --program`.

use super::ending;
use super::exchange::{self, Accepts};
use super::load::{self, Loaded, MOST_INPUT};
use super::steps;
use crate::verbs::args::{Hint, Prove, Proved, Verify};
use crate::verbs::given::way;
use crate::verbs::session::{CHECKING, Counted, Session};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use volery::channel::Party;
use volery::circuit::stream::{Source, Stream};
use volery::{F2, System};
use volery_cli::args::{Output, Protocol};
use volery_cli::failure::{Failure, Fault, Result};
use volery_cli::fields;
use volery_cli::print::{grouped, hex};
use volery_cli::progress::Progress;
use volery_cli::report::Outcome;
use volery_cli::settings::{Settings, system};
use volery_cli::values::Reader;
use volery_processor::{Claim, Claimed, Demand, Ended, Nobody, Run};
use zeroize::Zeroizing;

/// The most bytes of a claimed private input, where nothing is said: each takes its verifier a microsecond
/// before anything is proved, and some tens of them where the program does much with it.
const MOST_CLAIMED_INPUT: u32 = 1 << 20;

/// `volery prove --program`.
pub(crate) fn prove(typed: &Prove, path: &Path, started: Instant) -> Result<()> {
    if typed.out.is_some() {
        return Err(Failure::usage(
            "--out: a run of a program is proved to a verifier: give --listen or --connect",
        ));
    }
    if !typed.run.ways.public_control {
        return steps::prove(typed, path, started);
    }
    let settings = &settings(&typed.protocol, &typed.output, &typed.hint)?;
    let way = way(&typed.peer)?;
    let mut reader = Reader::waiting(settings.timeout);
    let loaded = Loaded::of(path, &typed.run.ways, &mut reader)?;
    let demand = ending::demand(typed.run.exit.as_deref())?;
    let output = output(&typed.run, &mut reader)?;
    let private = private(typed, &mut reader)?;
    let locate = |address| loaded.place(address);
    let run = Run::new(&loaded.program, loaded.inputs(), &locate);
    let ended =
        in_the_clear(&run, &loaded, &private, (demand, output.as_deref().map(|v| &v[..])), settings.quiet)?;
    let statement = run.claimed(ended.claim);
    // It also tells whether control is public, before anybody waits.
    let counted = counted(&statement, settings, Party::Prover)?;
    let options = settings.options(statement.digest(), Some(counted.size))?;
    let mut reached = way.link(settings.timeout)?;
    exchange::tell(reached.link.as_mut(), &run.digest(), statement.claim(), 0)?;
    let mut session = Session::over(reached, Party::Prover, options, Some(counted), settings.quiet);
    let source: &dyn Source<F2> = &statement;
    let report = volery::prove(source, statement.witness(&private), &mut session.channel, &session.options)?;
    claimed(session.close(settings, report, started)?, statement.claim(), ended.cycles).print(settings.json)
}

/// `volery verify --program`.
pub(crate) fn verify(typed: &Verify, path: &Path, started: Instant) -> Result<()> {
    if !typed.proof.is_empty() {
        return Err(Failure::usage(
            "--proof: a run of a program is verified from a prover: give --listen or --connect",
        ));
    }
    if !typed.run.ways.public_control {
        return steps::verify(typed, path, started);
    }
    let settings = &settings(&typed.protocol, &typed.output, &typed.hint)?;
    let way = way(&typed.peer)?;
    let mut reader = Reader::waiting(settings.timeout);
    let loaded = Loaded::of(path, &typed.run.ways, &mut reader)?;
    let exit = ending::demand(typed.run.exit.as_deref())?;
    let output = output(&typed.run, &mut reader)?;
    let most =
        load::size("--max-private-input", typed.claim.max_private_input.as_deref(), MOST_CLAIMED_INPUT)?;
    let locate = |address| loaded.place(address);
    let (inputs, gone) = (loaded.inputs_of_claim(), Arc::<AtomicBool>::default());
    let run = Run::new(&loaded.program, inputs, &locate).until(gone.clone());
    let mut reached = way.link(settings.timeout)?;
    let accepts = Accepts {
        digest: run.digest(),
        exit,
        output: output.as_ref().map(|output| &output[..]),
        most: [most as usize, inputs.output],
        rows: 0,
    };
    let (claim, _) = exchange::hear(reached.link.as_mut(), &accepts)?;
    let statement = run.claimed(claim);
    let ready = || {
        counted(&statement, settings, Party::Verifier)
            .map_err(|why| match why {
                // What both know of the run speaks against what is claimed.
                why if why.unsatisfied => Failure { fault: Fault::Rejected, ..why },
                why if statement.is_too_long() => {
                    Failure { fault: Fault::Peer, ..why }.at("what the prover claims")
                }
                why => why,
            })
            .and_then(|counted| Ok((settings.options(statement.digest(), Some(counted.size))?, counted)))
    };
    let (options, counted) = exchange::go_on(reached.link.as_mut(), &gone, ready)?;
    let mut session = Session::over(reached, Party::Verifier, options, Some(counted), settings.quiet);
    let source: &dyn Source<F2> = &statement;
    let (_accepted, report) = volery::verify(source, &mut session.channel, &session.options)?;
    claimed(session.close(settings, report, started)?, statement.claim(), statement.cycles())
        .print(settings.json)
}

/// How it is to be proved.
fn settings(protocol: &Protocol, output: &Output, hint: &Hint) -> Result<Settings> {
    let field = fields::boolean("a run under public control", protocol.field.as_deref())?;
    let system = system(protocol, System::default())?;
    if system.facts().of_clauses {
        return Err(Failure::usage(format_args!(
            "--system: {system} is for one of several clauses, and a run is one statement: leave it out"
        )));
    }
    Settings::of(field, system, protocol, output)?.over(hint.bandwidth.as_deref())
}

/// The run, which ends as `demand` and the output demanded say.
pub(super) fn in_the_clear(
    run: &Run<'_>,
    loaded: &Loaded,
    private: &[u8],
    (demand, output): (Demand, Option<&[u8]>),
    quiet: bool,
) -> Result<Ended> {
    let announced = Progress::announce(CHECKING, quiet);
    let ended = run.in_the_clear(private, &mut Nobody)?;
    drop(announced);
    let unmet = |why: String| Failure { unsatisfied: true, ..Failure::usage(why) };
    if !demand.is_met_by(ended.claim.end) {
        return Err(unmet(format!(
            "the program ends at {} by {}, and {} was demanded by --exit",
            loaded.place(ended.pc),
            ending::told(ended.claim.end),
            ending::demanded(demand)
        )));
    }
    if output.is_some_and(|expected| expected != ended.claim.output) {
        return Err(unmet("the program gives out something else than --output".into()));
    }
    Ok(ended)
}

/// The private input.
pub(super) fn private(typed: &Prove, reader: &mut Reader) -> Result<Zeroizing<Vec<u8>>> {
    match &typed.input.private_input {
        Some(text) => reader.bytes("--private-input", text, MOST_INPUT),
        None => Ok(Zeroizing::default()),
    }
}

/// The bytes that the program has to give out, where that was said.
pub(super) fn output(run: &Proved, reader: &mut Reader) -> Result<Option<Zeroizing<Vec<u8>>>> {
    run.output.as_ref().map(|text| reader.bytes("--output", text, MOST_INPUT)).transpose()
}

fn counted(statement: &Claimed<'_>, settings: &Settings, party: Party) -> Result<Counted> {
    Counted::of(&|| Stream::new(statement as &dyn Source<F2>).count(), settings, party)
}

/// Has `outcome` tell what was claimed.
fn claimed(outcome: Outcome, claim: &Claim, cycles: u64) -> Outcome {
    let mut outcome = told(outcome, claim, cycles);
    outcome.more("private_input", json!(claim.private), format!("{} bytes", grouped(claim.private as u64)));
    outcome
}

/// Has `outcome` tell how a run ended, and after how many cycles.
pub(super) fn told(mut outcome: Outcome, claim: &Claim, cycles: u64) -> Outcome {
    for (name, value) in ending::json(claim.end) {
        let words = value.as_str().map_or_else(|| value.to_string(), Into::into).replace("null", "-");
        outcome.more(name, value, words);
    }
    outcome.more("output", json!(hex(&claim.output)), ending::bytes(&claim.output));
    outcome.more("cycles", json!(cycles), grouped(cycles));
    outcome
}
