//! The command line as its users meet it: real processes, real sockets, no fixed ports.

mod aiger;
mod circuits;
mod clauses;
mod clusters;
mod devices;
mod fields;
mod keys;
mod kit;
mod misuse;
mod model;
mod output;
mod peers;
mod primes;
mod programs;
mod proofs;
mod r1cs;
mod rooms;
mod sessions;
mod sieve;
mod vacuous;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod web;
mod wolverine;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_volery");
