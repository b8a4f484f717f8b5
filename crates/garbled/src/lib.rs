//! Proofs by garbled circuits: JKO proves one circuit, and a stack one of several clauses without telling which. No
//! promises: use `volery`.
//!
//! [`garble`] turns a circuit into labels and material, and decides nothing; [`jko`] and [`stack`] say who garbles,
//! who opens what, and whether a statement is believed.
//!
//! ```text
//!   statement ─▶ garble (labels, material, seeds) ─▶ jko, stack (prover, verifier) ─▶ session
//! ```
#![forbid(unsafe_code)]

pub mod estimate;
pub mod garble;
pub mod jko;
pub mod session;
pub mod stack;
