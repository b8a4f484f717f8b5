//! Estimates of a session's traffic, from the size of its statement alone.
//!
//! Every message of a session has a length that both sides know beforehand. Each protocol says what
//! its messages carry, beside the table of them; here this is put together. The tests hold the sums
//! against proofs, to the byte.

use crate::correlations::{EXCHANGED, PROBES};
use volery_channel::channel::{Carried, HANDSHAKE};

/// The traffic of a session of one statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Before the first gate: but shares straight from transfers, which are drawn there too where both
    /// parties chose them for the size of the statement, stand in the total alone.
    pub setup: Carried,
    /// The traffic in all.
    pub total: Carried,
}

impl Estimate {
    /// The traffic of a session whose parts besides the handshake are these: before the first gate, and from
    /// there on.
    pub fn of(setup: Carried, online: Carried) -> Self {
        let setup = HANDSHAKE + setup;
        Self { setup, total: setup + online }
    }

    /// The traffic where the correlations were chosen by measurements of the parties, and of a link whose
    /// bandwidth neither knew.
    pub fn measured(self) -> Self {
        self.beginning(EXCHANGED + PROBES)
    }

    /// The traffic where the correlations were chosen by measurements, and one party knew the bandwidth.
    pub fn measured_but_for_bandwidth(self) -> Self {
        self.beginning(EXCHANGED)
    }

    fn beginning(self, more: Carried) -> Self {
        Self { setup: self.setup + more, total: self.total + more }
    }
}
