//! The one error of the library, its arms by whose fault it is. Why is data: an enum for each arm with causes
//! of the library's own, so that nobody has to read a message to decide something.

mod disagreement;
mod misbehaviour;
mod rejection;

pub use disagreement::{Disagreement, Sides};
pub use misbehaviour::Misbehaviour;
pub use rejection::Rejection;

use std::io;

/// The error that ends a session. After any of these the session is dead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The link to the peer failed, closed or stayed silent.
    #[error("{doing}: {source}")]
    Io {
        /// The activity that failed, in words ("waiting for the peer").
        doing: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The link failed, closed or stayed silent when the peer could foresee the verdict: after this party had
    /// sent a coin that decides on the peer's messages, or opened a secret. Nothing tells this from a peer
    /// that did not like the coin and left to try again: so it is to be counted as a rejection.
    #[error(
        "{doing}: {source}: by then the {peer} could foresee whether it would be found out, so that this \
         counts against it"
    )]
    Abandoned {
        /// The party that left, or stayed silent: `prover` or `verifier`.
        peer: &'static str,
        /// The activity that failed, in words ("waiting for the peer").
        doing: &'static str,
        /// The error of the operating system.
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
    /// A device that works for this party failed, or has no memory for what it is to do.
    #[error("{0}")]
    Device(String),
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

    /// Whether the error may come from an attempt to cheat, by the peer or by the author of a proof file: a
    /// service that lets peers come back counts these. It is false where a link fails when that tells the
    /// peer nothing, where the two sides were started differently, and for errors of this party's own.
    pub fn counts_against_peer(&self) -> bool {
        match self {
            Self::Rejected(why) => !matches!(why, Rejection::ByVerifier | Rejection::NotRecorded),
            Self::Misbehaved(_) | Self::Abandoned { .. } => true,
            _ => false,
        }
    }

    /// Whether the link ended, at whatever time.
    pub fn is_of_link(&self) -> bool {
        matches!(self, Self::Io { .. } | Self::Abandoned { .. })
    }

    /// Makes an I/O error an [`Error::Io`] that says what was being done.
    pub fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_against_the_peer() {
        let source = || io::ErrorKind::UnexpectedEof.into();
        let link = Error::Io { doing: "waiting for the peer", source: source() };
        let left = Error::Abandoned { peer: "prover", doing: "waiting for the peer", source: source() };
        assert!(left.to_string().contains("by then the prover could foresee"), "{left}");
        assert!(link.is_of_link() && left.is_of_link());
        let counted = [
            left,
            Error::Misbehaved(Misbehaviour::Trees),
            Error::Rejected(Rejection::Products),
            Error::Rejected(Rejection::MisbehavedAfterCoin(Misbehaviour::UnusedShares)),
        ];
        assert!(counted.iter().all(Error::counts_against_peer));
        let roles = Disagreement::Roles { both: "prover" };
        let others = [
            link,
            Error::Disagreed(roles),
            Error::Rejected(Rejection::ByVerifier),
            Error::invalid("no"),
            Error::Unsatisfied("a".into()),
            Error::Device("gone".into()),
        ];
        assert!(!others.iter().any(Error::counts_against_peer));
    }
}
