//! The command line of volery.
#![forbid(unsafe_code)]

mod verbs;

use std::process::ExitCode;

fn main() -> ExitCode {
    volery_cli::program::main::<verbs::Typed>()
}
