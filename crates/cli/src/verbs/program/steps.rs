//! `prove --program` and `verify --program` where control is secret: row by row.

use super::ending;
use super::exchange::{self, Accepts};
use super::load::{Loaded, MOST_CLAIMED};
use super::proof::{in_the_clear, output, private, told};
use crate::verbs::args::{Hint, Prove, Verify};
use crate::verbs::given::way;
use crate::verbs::session::{Counted, Session};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use volery::channel::Party;
use volery::circuit::stream::{Source, Stream};
use volery::{F61, Over, System};
use volery_cli::args::{Output, Protocol};
use volery_cli::failure::{Failure, Result};
use volery_cli::fields;
use volery_cli::partial::nameless;
use volery_cli::settings::{Settings, system};
use volery_cli::values::Reader;
use volery_processor::{Claim, Run, Steps};

/// The number that rows are rounded up to, unless a number is asked for: it hides a run's exact length.
const ROUNDED: u64 = 4096;

/// The most rows that can be asked for: all are counted before the peer is there.
const MOST_ROWS: u64 = 1 << 32;

/// `volery prove --program`.
pub(super) fn prove(typed: &Prove, path: &Path, started: Instant) -> Result<()> {
    let settings = &settings(&typed.protocol, &typed.output, &typed.hint)?;
    let way = way(&typed.peer)?;
    let mut reader = Reader::waiting(settings.timeout);
    let loaded = Loaded::of(path, &typed.run.ways, &mut reader)?;
    let demand = ending::demand(typed.run.exit.as_deref())?;
    let output = output(&typed.run, &mut reader)?;
    let private = private(typed, &mut reader)?;
    let locate = |address| loaded.place(address);
    let run = Run::new(&loaded.program, loaded.inputs(), &locate);
    let demanded = (demand, output.as_ref().map(|output| &output[..]));
    let ended = in_the_clear(&run, &loaded, &private, demanded, settings.quiet)?;
    let claim = Claim { private: 0, ..ended.claim };
    let steps = run.steps(&claim, 0)?;
    let asked = asked(&loaded)?;
    let most = asked.unwrap_or(MOST_CLAIMED);
    // Before anybody is there: what it takes depends on the private input.
    let choices = steps.choose(&private, most, &nameless)?;
    let rows = asked.unwrap_or(choices.rows().next_multiple_of(ROUNDED));
    let steps = steps.in_rows(rows);
    let counted = counted(&steps, settings, Party::Prover)?;
    let digest = run.digest_of_rows(&claim, &steps);
    let options = settings.options(digest, Some(counted.size))?;
    let mut reached = way.link(settings.timeout)?;
    exchange::tell(reached.link.as_mut(), &run.digest_of_steps(), &claim, rows)?;
    let mut session = Session::over(reached, Party::Prover, options, Some(counted), settings.quiet);
    let source: &dyn Source<F61> = &steps;
    let witness = steps.witness(&private, &choices);
    let report = volery::prove_over::<Over<F61>>(source, witness, &mut session.channel, &session.options)?;
    let mut outcome = told(session.close(settings, report, started)?, &claim, rows);
    outcome.more("cells", json!(steps.cells()), steps.cells().to_string());
    outcome.print(settings.json)
}

/// `volery verify --program`.
pub(super) fn verify(typed: &Verify, path: &Path, started: Instant) -> Result<()> {
    let settings = &settings(&typed.protocol, &typed.output, &typed.hint)?;
    let way = way(&typed.peer)?;
    let mut reader = Reader::waiting(settings.timeout);
    let loaded = Loaded::of(path, &typed.run.ways, &mut reader)?;
    let exit = ending::demand(typed.run.exit.as_deref())?;
    let output = output(&typed.run, &mut reader)?;
    let locate = |address| loaded.place(address);
    let gone = Arc::<AtomicBool>::default();
    let run = Run::new(&loaded.program, loaded.inputs(), &locate).until(gone.clone());
    let rows = asked(&loaded)?.unwrap_or(MOST_CLAIMED);
    let mut reached = way.link(settings.timeout)?;
    let accepts = Accepts {
        digest: run.digest_of_steps(),
        exit,
        output: output.as_ref().map(|output| &output[..]),
        most: [0, loaded.inputs().output],
        rows,
    };
    let (claim, rows) = exchange::hear(reached.link.as_mut(), &accepts)?;
    let ready = || {
        let steps = run.steps(&claim, rows)?;
        let counted = counted(&steps, settings, Party::Verifier)?;
        let options = settings.options(run.digest_of_rows(&claim, &steps), Some(counted.size))?;
        Ok((steps, options, counted))
    };
    let (steps, options, counted) = exchange::go_on(reached.link.as_mut(), &gone, ready)?;
    let mut session = Session::over(reached, Party::Verifier, options, Some(counted), settings.quiet);
    let source: &dyn Source<F61> = &steps;
    let (_accepted, report) =
        volery::verify_over::<Over<F61>>(source, &mut session.channel, &session.options)?;
    let mut outcome = told(session.close(settings, report, started)?, &claim, rows);
    outcome.more("cells", json!(steps.cells()), steps.cells().to_string());
    outcome.print(settings.json)
}

/// The rows that `--max-cycles` asks for.
fn asked(loaded: &Loaded) -> Result<Option<u64>> {
    match loaded.cycles {
        Some(rows) if rows > MOST_ROWS => Err(Failure::usage(format_args!(
            "--max-cycles: {rows} rows, and {MOST_ROWS} is the most of a run with secret control, which is filled \
             up to that number"
        ))),
        rows => Ok(rows),
    }
}

/// How it is to be proved.
fn settings(protocol: &Protocol, output: &Output, hint: &Hint) -> Result<Settings> {
    let field = fields::named(protocol.field.as_deref().unwrap_or(fields::ARITHMETIC))?;
    if field.name() != fields::ARITHMETIC {
        return Err(Failure::usage(format_args!(
            "--field: a run with secret control is over {}: leave it out, or give --public-control",
            fields::ARITHMETIC
        )));
    }
    let system = system(protocol, System::default())?;
    if system != System::default() {
        return Err(Failure::usage(format_args!(
            "--system: {system} has no memory such as a run with secret control takes: leave it out, or give \
             --public-control"
        )));
    }
    Settings::of(field, system, protocol, output)?.over(hint.bandwidth.as_deref())
}

fn counted(statement: &Steps, settings: &Settings, party: Party) -> Result<Counted> {
    Counted::of(&|| Stream::new(statement as &dyn Source<F61>).count(), settings, party)
}
