//! `volery bench`: what proofs take, both parties on this machine.
//!
//! Imports go one way here, too:
//! ```text
//! args  fields              what is typed, and types of what is named
//! bench                     what a bench is
//! plan                      what all benches of proofs do
//! algebra … vole, tables    the benches; `membership` uses the nodes of `merkle`, `shards`
//!                           circuits of `generated`
//! table                     a row for each
//! ```
//! The program is [`main`], and nothing else is an interface: what is hidden is for `tests/`. So there are no
//! tests here, for which all proofs would be compiled once more.
#![forbid(unsafe_code)]

mod algebra;
#[doc(hidden)]
pub mod applications;
mod args;
mod bench;
mod convert;
mod fields;
#[doc(hidden)]
pub mod garbled;
#[doc(hidden)]
pub mod generated;
mod holes;
mod limbo;
#[doc(hidden)]
pub mod membership;
mod memory;
#[doc(hidden)]
pub mod merkle;
mod network;
mod plan;
mod processor;
mod sha256;
mod shards;
mod snippets;
#[doc(hidden)]
pub mod table;
#[doc(hidden)]
pub mod tables;
mod vole;
mod web;

use args::Typed;
use bench::{Bench, Run, Takes};
use clap::error::ErrorKind;
use serde_json::json;
use std::ffi::OsStr;
use std::process::ExitCode;
use std::time::Instant;
use table::BENCHES;
use volery_cli::failure::Result;
use volery_cli::print;
use volery_cli::program::{self, Program};
use volery_cli::report::Asked;

/// Runs the program, from the command line to the exit code.
pub fn main() -> ExitCode {
    program::main::<Typed>()
}

impl Program for Typed {
    const HELP: &'static str = "`volery bench --help`";

    fn asked(&self) -> Asked {
        let bench = self.name.as_deref().and_then(|name| table::find(name).ok());
        match bench.filter(|bench| bench.takes != Takes::NoProof) {
            Some(bench) => {
                let run = self.run_of(bench, Instant::now());
                Asked::proof(None, &self.protocol, run.system(), run.field())
            }
            None => Asked::default(),
        }
    }

    fn asked_by(_: &OsStr) -> Asked {
        Asked::default()
    }

    fn misuse(kind: ErrorKind, _: &OsStr, option: &str) -> Option<String> {
        let unnamed = kind == ErrorKind::MissingRequiredArgument && option == "<NAME>";
        unnamed.then(|| "bench: what to measure is missing: `volery bench --list` shows what there is".into())
    }

    fn stop() {
        tables::stop();
    }

    fn run(&self, started: Instant) -> Result<()> {
        if self.list {
            return list(self.output.json);
        }
        self.run_of(table::find(self.name.as_deref().unwrap_or_default())?, started).run()
    }
}

impl Typed {
    fn run_of(&self, bench: &'static Bench, started: Instant) -> Run<'_> {
        Run { bench, typed: self, started, table: &BENCHES }
    }
}

fn list(json: bool) -> Result<()> {
    if json {
        let benches = BENCHES.each_ref().map(|bench| json!({"name": bench.name, "what": bench.says}));
        print::result(json!({"benches": benches}))
    } else {
        print::result(print::table(&BENCHES.each_ref().map(|bench| (bench.name, bench.says.to_owned()))))
    }
}
