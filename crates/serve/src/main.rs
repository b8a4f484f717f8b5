//! `volery serve` and `volery results`, as a program of its own.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    volery_serve::main()
}
