//! The service as its provers and operators meet it: real processes, real sockets, no fixed ports.
#![cfg(unix)]

mod cli;
mod config;
mod kit;
mod limits;
mod load;
#[cfg(feature = "postgres")]
mod postgres;
mod sessions;
mod signals;
mod verdicts;
mod web;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_volery-serve");
