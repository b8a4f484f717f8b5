//! `volery serve`: a verifier that many provers use, for months; and `volery results`: its verdicts.
//!
//! Imports go one way:
//! ```text
//! args  limited  log  store             what is typed, links with an end, what is told, what is kept
//! config  metrics                       what the file says, what is counted
//! admission                             who may begin a session now
//! session                               one peer, from its first word to the verdict
//! service                               all of them, and signals
//! results                               what was kept
//! ```
//! The program is [`main`], and nothing else is an interface: what is hidden is for `tests/`.
#![forbid(unsafe_code)]

mod admission;
mod args;
mod config;
mod limited;
mod log;
mod metrics;
mod results;
mod service;
mod session;
#[doc(hidden)]
pub mod store;

use args::{Typed, Verb};
use clap::error::ErrorKind;
use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use volery_cli::failure::Result;
use volery_cli::program::{self, Program};
use volery_cli::report::Asked;

/// Whether `text` is a valid file of a service, at `path`. For fuzzing.
#[doc(hidden)]
pub fn makes_sense(path: &Path, text: &str) -> bool {
    config::Config::from_text(path, text).is_ok_and(|config| !config.lines().is_empty())
}

/// Runs the program, from the command line to the exit code.
pub fn main() -> ExitCode {
    program::main::<Typed>()
}

impl Program for Typed {
    const HELP: &'static str = "`volery serve --help`, or `volery results --help`";

    fn asked(&self) -> Asked {
        Asked::default()
    }

    fn asked_by(_: &OsStr) -> Asked {
        Asked::default()
    }

    fn misuse(kind: ErrorKind, word: &OsStr, option: &str) -> Option<String> {
        let missing = kind == ErrorKind::MissingRequiredArgument;
        if missing && option == "<CONFIG>" && word == "serve" {
            return Some(
                "serve: the file that says how is missing: docs/serve.md has one to begin with".into(),
            );
        }
        (missing && option == "<DATABASE>")
            .then(|| "results: the database is missing: it is the `database` of the service's file".into())
    }

    fn hears_signals(&self) -> bool {
        matches!(&self.verb, Verb::Serve(typed) if !typed.check)
    }

    fn run(&self, _: Instant) -> Result<()> {
        match &self.verb {
            Verb::Serve(typed) => service::serve(typed),
            Verb::Results(typed) => results::results(typed),
        }
    }
}
