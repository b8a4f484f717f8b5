//! The one error of the library, its arms by whose fault it is. Why is data: an enum for each arm with causes
//! of the library's own, so that nobody has to read a message to decide something.

mod disagreement;
mod misbehaviour;
mod rejection;

pub use disagreement::{Disagreement, Sides};
pub use misbehaviour::Misbehaviour;
pub use rejection::Rejection;

use std::io;

/// What a session ends with when it does not end well. After any of these the session is dead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The link to the peer failed, closed or stayed silent.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done, in words ("waiting for the peer").
        doing: &'static str,
        /// What the operating system said.
        source: io::Error,
    },
    /// The two parties were started with different settings, and nothing secret had been sent; or a file is a
    /// proof of something else than its reader expects.
    #[error("the two sides disagree on the {0}")]
    Disagreed(Disagreement),
    /// The peer broke the message format or a consistency check of the set-up.
    #[error("the peer misbehaved: {0}")]
    Misbehaved(Misbehaviour),
    /// A check decided against the proof.
    #[error("rejected: {0}")]
    Rejected(Rejection),
    /// The caller's circuit, values or parameters make no sense.
    #[error("{0}")]
    Invalid(String),
    /// The witness at hand does not satisfy the circuit; found locally, by the prover or in the clear.
    #[error("the witness does not satisfy the statement: {0} does not hold")]
    Unsatisfied(String),
}

/// A result whose error is [`enum@Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An [`Error::Invalid`] that says `why`.
    pub fn invalid(why: impl Into<String>) -> Self {
        Self::Invalid(why.into())
    }

    /// Turns an I/O error into an [`Error::Io`] that says what was being done.
    pub fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }
}
