//! Proof systems: where it is decided whether a statement is believed.
//!
//! A system is one file or folder: its header names the relation, the messages and the paper; then come `Prover` and
//! `Verifier`, the two backends that a circuit is pushed into. Both end in `finish`, and only the verifier's makes an
//! [`Accepted`].

pub mod quicksilver;

use crate::channel::Channel;
use crate::error::{Error, Result};

/// The verdict that a statement is true. Only a check that ran to its end and held can make one.
#[must_use = "a proof is accepted only where this was returned"]
#[derive(Debug, PartialEq, Eq)]
pub struct Accepted(());

/// What a party did at the gates of one proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gates {
    /// Witness elements and hints.
    pub inputs: u64,
    /// Multiplications.
    pub mul: u64,
    /// Additions.
    pub add: u64,
    /// Assertions.
    pub assert: u64,
}

/// The verifier's last message: one byte, one for accepted, zero for anything else.
const ACCEPTED: u8 = 1;

/// Tells the prover the verdict, and nothing more.
pub(crate) fn send_verdict(channel: &mut Channel, accepted: bool) -> Result<()> {
    channel.send(&[if accepted { ACCEPTED } else { 0 }])?;
    channel.flush()
}

/// Waits for the verdict.
pub(crate) fn recv_verdict(channel: &mut Channel) -> Result<()> {
    match channel.recv_array()? {
        [ACCEPTED] => Ok(()),
        [0] => Err(Error::Rejected("the verifier did not accept")),
        [_] => Err(Error::Misbehaved("its verdict is neither yes nor no")),
    }
}
