//! Proof systems as such: all that they share above the commitments of their values, and below their names.
//! No promises: use `volery`.
//!
//! A system proves statements of a field ([`ProofSystem`]), on options ([`Options`]) and with a verdict
//! ([`Accepted`]) and a report ([`Report`]) as any other. One over a VOLE leaves to a session ([`ProverEnd`],
//! [`VerifierEnd`]) the choice of correlations and their set-up, says what its proofs cost and are worth
//! ([`Analysis`]), and has its own part at the gates.
//!
//! ```text
//!   options, statement ─▶ settle ─▶ handshake ─▶ correlations ─▶ set-up ─▶ gates (a system) ─▶ verdict ─▶ report
//! ```
#![forbid(unsafe_code)]

pub mod analysis;
pub mod binary;
mod calibration;
pub mod clauses;
pub mod clear;
pub mod correlations;
pub mod device;
pub mod estimate;
pub mod facts;
pub mod file;
pub mod method;
pub mod openings;
pub mod options;
pub mod over;
pub mod reading;
pub mod report;
pub mod run;
pub mod session;
pub mod setting;
pub mod share;
pub mod system;
#[doc(hidden)]
pub mod testing;
pub mod verdict;
pub mod witness;

pub use analysis::Analysis;
pub use binary::{Binary, BitCorrelations};
pub use correlations::{Choice, Correlations};
pub use estimate::Estimate;
pub use facts::SettingFacts;
pub use method::{Choices, Method};
pub use options::{Options, Security};
pub use over::{FieldCorrelations, Over};
pub use report::{Details, Report};
pub use run::{Agreement, Outcome, ProofRun};
pub use session::{ProverEnd, VerifierEnd};
pub use setting::Setting;
pub use system::{ProofSystem, System};
pub use verdict::{Accepted, Gates};
pub use witness::{Reread, Stream};
