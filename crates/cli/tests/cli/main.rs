//! The command line as its users meet it: real processes, real sockets, no fixed ports.

mod circuits;
mod clauses;
#[cfg(unix)]
mod docs;
mod fields;
mod kit;
mod misuse;
mod output;
mod peers;
mod proofs;
mod sessions;
mod tables;
mod wolverine;
