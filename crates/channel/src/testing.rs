//! A proof with both parties in one process, for tests.

pub mod secrets;

use crate::channel::{Channel, Flip, Party, Tape, pipe, side_by_side};
use crate::error::Result;
use std::time::Duration;

/// Longer than any test waits for a peer that still works.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The outcome of a proof on both sides, and the messages of each.
pub struct Outcome<T> {
    /// The prover's result.
    pub proved: Result<()>,
    /// The verifier's result.
    pub verified: Result<T>,
    /// The messages of the prover.
    pub from_prover: Vec<Vec<u8>>,
    /// The messages of the verifier.
    pub from_verifier: Vec<Vec<u8>>,
}

/// Runs the two ends, with a bit flipped on the way where asked. Each closes its link when it ends.
pub fn both<T>(
    prover: impl FnOnce(&mut Channel) -> Result<()> + Send,
    verifier: impl FnOnce(&mut Channel) -> Result<T>,
    flip: Option<(Party, Flip)>,
) -> Outcome<T> {
    let (here, there) = pipe(TIMEOUT);
    let of = |party| flip.filter(|(from, _)| *from == party).map(|(_, flip)| flip);
    let (here, from_prover) = Tape::new(here, of(Party::Prover));
    let (there, from_verifier) = Tape::new(there, of(Party::Verifier));
    let prover = || {
        let mut channel = Channel::new(Party::Prover, here);
        prover(&mut channel).and_then(|()| channel.flush())
    };
    let verifier = || {
        let mut channel = Channel::new(Party::Verifier, there);
        verifier(&mut channel).and_then(|verdict| channel.flush().map(|()| verdict))
    };
    let (proved, verified) = side_by_side(prover, verifier);
    let (from_prover, from_verifier) = (from_prover.messages(), from_verifier.messages());
    Outcome { proved, verified, from_prover, from_verifier }
}
