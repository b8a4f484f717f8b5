//! Why a run ended without a verdict.

use core::fmt;
use volery::error::{Error, Rejection};

/// The longest of what a worker says of a failure, in bytes.
pub(super) const LONGEST_WHY: usize = 512;

/// The party or the cause that ended a run, or an attempt at a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A link or a process was lost at a time at which that tells the peer nothing.
    Lost,
    /// The verifier was not convinced.
    Rejected,
    /// The peer misbehaved, or wants something else.
    Peer,
    /// The fault is in this party's statement, values or settings.
    Own,
    /// The witness does not satisfy the statement.
    Unsatisfied,
    /// Somebody asked for it.
    Interrupted,
    /// A bug.
    Bug,
}

impl Fault {
    const ALL: [Self; 7] =
        [Self::Lost, Self::Rejected, Self::Peer, Self::Own, Self::Unsatisfied, Self::Interrupted, Self::Bug];

    pub(super) fn code(self) -> u8 {
        Self::ALL.iter().position(|fault| *fault == self).expect("one of all") as u8
    }

    pub(super) fn of_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

/// Why a run ended without a verdict, or with a bad one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abort {
    /// The shard in which it happened, where it was one.
    pub shard: Option<usize>,
    /// The party or the cause at fault.
    pub fault: Fault,
    /// Whether the peer may have failed in a try to cheat: see
    /// [`Error::counts_against_peer`](volery::Error::counts_against_peer).
    pub counts_against_peer: bool,
    /// The reason in words, without any private value.
    pub why: String,
}

impl Abort {
    /// An end by this fault, outside of any shard.
    pub fn new(fault: Fault, why: impl Into<String>) -> Self {
        Self { shard: None, fault, counts_against_peer: false, why: cut(why.into()) }
    }

    /// The end by `error`.
    pub(super) fn of(error: &Error) -> Self {
        let counts = error.counts_against_peer();
        let fault = match error {
            Error::Io { .. } | Error::Abandoned { .. } => Fault::Lost,
            Error::Rejected(_) => Fault::Rejected,
            Error::Misbehaved(_) | Error::Disagreed(_) => Fault::Peer,
            Error::Invalid(_) | Error::Device(_) => Fault::Own,
            Error::Unsatisfied(_) => Fault::Unsatisfied,
            // The enum may grow: an arm that nobody has thought of here is a mistake of ours.
            _ => Fault::Bug,
        };
        Self { counts_against_peer: counts, ..Self::new(fault, error.to_string()) }
    }

    /// The end as the other coordinator's, whose loss ends the run.
    pub(super) fn of_peer(self) -> Self {
        let fault = if self.fault == Fault::Lost { Fault::Peer } else { self.fault };
        Self { fault, ..self }
    }

    /// The end in this shard.
    pub(super) fn in_shard(self, shard: usize) -> Self {
        Self { shard: Some(shard), ..self }
    }

    /// The end that a prover hears of where a check has failed.
    pub(super) fn rejected() -> Self {
        Self::of(&Error::Rejected(Rejection::ByVerifier))
    }

    /// Whether it costs no more than the attempt at a shard.
    pub(super) fn is_lost(&self) -> bool {
        self.fault == Fault::Lost
    }

    /// The end where it ends the run: who left after a coin, and nobody goes on with it, has been rejected.
    pub(super) fn convicting(self) -> Self {
        let abandoned = self.is_lost() && self.counts_against_peer;
        Self { fault: if abandoned { Fault::Rejected } else { self.fault }, ..self }
    }
}

impl fmt::Display for Abort {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.shard {
            Some(shard) => write!(f, "shard {shard}: {}", self.why),
            None => f.write_str(&self.why),
        }
    }
}

impl core::error::Error for Abort {}

/// The beginning of a text.
pub(super) fn cut(mut why: String) -> String {
    let mut end = why.len().min(LONGEST_WHY);
    while !why.is_char_boundary(end) {
        end -= 1;
    }
    why.truncate(end);
    why
}
