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
    /// The link failed, closed or stayed silent after this party had told what lets the peer foresee whether
    /// it will be found out: a coin that decides on what the peer has said, or a secret that was opened.
    /// Nothing tells this from a peer that did not like the coin and went to try again: so it is to be
    /// counted as a rejection, and nobody may come back for free.
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

    /// Whether the peer, or whoever made a proof file, may have failed here in a try at what it should not be
    /// able to do: for a service to count, which lets peers come back. False where a link fails at a time at
    /// which that tells the peer nothing, or the two sides were started differently, and for what this party
    /// did wrong itself or hears of itself.
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

    /// Turns an I/O error into an [`Error::Io`] that says what was being done.
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
        ];
        assert!(!others.iter().any(Error::counts_against_peer));
    }
}
