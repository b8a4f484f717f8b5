//! Runs of either program, from the command line to the exit code.

use crate::failure::{Failure, Fault, Result};
use crate::misuse;
use crate::report::{self, Asked};
use crate::{child, partial, print, signals};
use clap::Parser;
use clap::error::ErrorKind;
use std::any::Any;
use std::ffi::OsStr;
use std::io::IsTerminal;
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::Instant;

/// The command line of a program, as its parser reads it.
pub trait Program: Parser {
    /// The words on where help is found, for the end of an error.
    const HELP: &'static str;

    /// The kind of the run, for the JSON object of one that fails.
    fn asked(&self) -> Asked;

    /// The kind of the run by its first word, where the command line was not understood.
    fn asked_by(word: &OsStr) -> Asked;

    /// The words for an error of the parser behind this first word, where the general words would say less.
    /// `option` is the name of the option that it is about, or empty.
    fn misuse(kind: ErrorKind, word: &OsStr, option: &str) -> Option<String>;

    /// Whether the program handles signals itself, and ends by them as it likes.
    fn hears_signals(&self) -> bool {
        false
    }

    /// Ends what must not go on alone once the process is interrupted.
    fn stop() {}

    /// Does what was asked for.
    ///
    /// # Errors
    /// Why that did not succeed.
    fn run(&self, started: Instant) -> Result<()>;
}

/// Runs the program `P` on the arguments of this process.
pub fn main<P: Program>() -> ExitCode {
    let started = Instant::now();
    std::panic::set_hook(Box::new(|panic| print::notice(bug(panic.payload(), panic.location()))));

    // Typed wrongly, too, a run that was to print JSON does.
    let json = std::env::args_os().any(|argument| argument == "--json");
    let typed = match P::try_parse() {
        Ok(typed) => typed,
        Err(error) if !error.use_stderr() => {
            return error.print().map_or(ExitCode::from(Fault::Usage as u8), |()| ExitCode::SUCCESS);
        }
        Err(error) => {
            let word = std::env::args_os().nth(1).unwrap_or_default();
            let words = |kind, option: &str| P::misuse(kind, &word, option);
            return end(&misuse::explain(&error, words, P::HELP), &P::asked_by(&word), json);
        }
    };
    let asked = typed.asked();
    if !typed.hears_signals() {
        end_by_signals::<P>(json, asked.clone());
    }
    // What is unwound is not looked at again.
    match catch_unwind(std::panic::AssertUnwindSafe(|| typed.run(started))) {
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

/// Makes an interrupt end the process, with a message.
fn end_by_signals<P: Program>(json: bool, asked: Asked) {
    signals::on_end(move || {
        let over_bar = if std::io::stderr().is_terminal() { "\r\x1b[K" } else { "" };
        let failure = Failure::new(Fault::Interrupted, "interrupted");
        print::notice(format_args!("{over_bar}volery: {}", failure.line));
        P::stop();
        // It may still write into what goes then.
        child::stop();
        partial::stop();
        if json {
            print::last_word(report::failed(&failure, &asked));
        }
        // The system closes the sockets, and the peer sees it at once.
        std::process::exit(failure.fault as i32);
    });
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
