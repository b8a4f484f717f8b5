//! Links between two parties, and what each needs beside them: errors, randomness, threads. No promises: use
//! `volery`.
//!
//! A protocol borrows a [`channel::Channel`] by `&mut`, draws from a [`random::Random`] of its own, hands work
//! to a [`pool::Pool`], and ends in an [`error::Error`] that says whose fault it was. Nothing here knows a
//! circuit, a correlation or a proof.
//!
//! ```text
//!   protocol ── messages ──▶ Channel (transcript, counters) ── bytes ──▶ Link (TCP, TLS, pipe, tape) ──▶ peer
//! ```
#![forbid(unsafe_code)]

pub mod channel;
pub mod error;
pub mod file;
pub mod pool;
pub mod random;
#[doc(hidden)]
pub mod testing;
