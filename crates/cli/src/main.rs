//! The command line of volery.
#![forbid(unsafe_code)]

mod args;
mod bench;
mod both;
mod demo;
mod disjunction;
mod doctor;
mod export;
mod failure;
mod fields;
mod file;
mod link;
mod misuse;
mod partial;
mod parties;
mod preimage;
mod print;
mod progress;
mod relations;
mod report;
mod settings;
mod values;

use args::{CircuitVerb, Typed, Verb};
use clap::Parser;
use failure::{Failure, Fault, Result};
use fields::Field;
use report::Asked;
use std::any::Any;
use std::io::IsTerminal;
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let started = Instant::now();
    std::panic::set_hook(Box::new(|panic| print::notice(bug(panic.payload(), panic.location()))));

    // Typed wrongly, too, a run that was to print JSON does.
    let json = std::env::args_os().any(|argument| argument == "--json");
    let typed = match Typed::try_parse() {
        Ok(typed) => typed,
        Err(error) if !error.use_stderr() => {
            return error.print().map_or(ExitCode::from(Fault::Usage as u8), |()| ExitCode::SUCCESS);
        }
        Err(error) => {
            let verb = std::env::args_os().nth(1).unwrap_or_default();
            return end(&misuse::explain(&error, &verb), &Asked::of(&verb), json);
        }
    };
    let asked = Asked::by(&typed.verb);
    // Without the handler Ctrl-C ends the process too, only without a word.
    let _ = ctrlc::set_handler(move || {
        let over_bar = if std::io::stderr().is_terminal() { "\r\x1b[K" } else { "" };
        let failure = Failure::new(Fault::Interrupted, "interrupted");
        print::notice(format_args!("{over_bar}volery: {}", failure.line));
        bench::stop();
        partial::stop();
        if json {
            print::last_word(report::failed(&failure, &asked));
        }
        // The system closes the sockets, and the peer sees it at once.
        std::process::exit(failure.fault as i32);
    });
    match catch_unwind(|| run(&typed.verb, started)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => end(&failure, &asked, json),
        // The hook has said why.
        Err(_) => {
            let failure = Failure::new(Fault::Bug, "a bug in volery");
            if json {
                let _ = print::result(report::failed(&failure, &asked));
            }
            ExitCode::from(failure.fault as u8)
        }
    }
}

fn run(verb: &Verb, started: Instant) -> Result<()> {
    let field = |typed: &Option<String>| Field::asked(typed.as_deref());
    match verb {
        Verb::Demo(typed) => demo::demo(typed, started),
        Verb::Prove(typed) => (field(&typed.protocol.field)?.prove)(typed, started),
        Verb::Verify(typed) => (field(&typed.protocol.field)?.verify)(typed, started),
        Verb::Check(typed) => (field(&typed.field)?.check)(typed),
        Verb::Circuit(CircuitVerb::Info(typed)) => (field(&typed.field)?.info)(typed),
        Verb::Circuit(CircuitVerb::Eval(typed)) => relations::eval(typed),
        Verb::Circuit(CircuitVerb::Export(typed)) => export::export(typed),
        Verb::Circuit(CircuitVerb::List(typed)) => relations::list(typed),
        Verb::Bench(typed) => bench::bench(typed, started),
        Verb::Doctor(typed) => doctor::doctor(typed),
    }
}

/// Says what failed, and ends with its exit code.
fn end(failure: &Failure, asked: &Asked, json: bool) -> ExitCode {
    print::notice(format_args!("volery: {}", failure.line));
    if json {
        let _ = print::result(report::failed(failure, asked));
    }
    ExitCode::from(failure.fault as u8)
}

/// The line of a panic. Only messages that are fixed in the source are shown: others may hold values.
fn bug(payload: &dyn Any, place: Option<&std::panic::Location>) -> String {
    let what = payload.downcast_ref::<&str>().copied().unwrap_or("it came to a state that cannot be");
    let place = place.map_or(String::new(), |place| format!(" at {}:{}", place.file(), place.line()));
    format!("volery: a bug in volery: {what}{place}: please report it with the command that led here")
}
