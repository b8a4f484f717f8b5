//! Benches as their users meet them: real processes, real sockets, no fixed ports.

#[cfg(unix)]
mod docs;
// As the tests of `volery` run it; those of sessions between two processes have no place here.
#[allow(dead_code)]
#[path = "../../../cli/tests/cli/kit.rs"]
mod kit;
mod measured;
mod misuse;
mod published;
mod rows;
mod statements;
mod systems;
mod tables;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_volery-bench");
