//! Parties of a proof, both in one process.

use crate::channel::{Channel, Flip, Party, Playback, Tape, pipe, side_by_side};
use crate::error::{Error, Misbehaviour, Result};
use crate::garble::Secret;
use crate::ot::committing::Opening;
use std::time::Duration;

/// A timeout longer than any test waits for a peer that still works.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The outcome of a proof on both sides, and the messages of each.
pub(crate) struct Outcome<T> {
    pub(crate) proved: Result<()>,
    pub(crate) verified: Result<T>,
    pub(crate) from_prover: Vec<Vec<u8>>,
    pub(crate) from_verifier: Vec<Vec<u8>>,
}

/// Runs the two ends, with a bit flipped on the way where asked. Each closes its link when it ends.
pub(crate) fn both<T>(
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

impl<T> Outcome<T> {
    /// Demands that the prover committed itself, and that it answered where the verifier was `honest`, and
    /// otherwise stayed silent and failed as always.
    pub(crate) fn assert_answered(self, honest: bool, case: &str) {
        let lengths: Vec<usize> = self.from_prover.iter().map(Vec::len).collect();
        if honest {
            assert!(self.proved.is_ok() && self.verified.is_ok(), "{case}");
            assert_eq!(lengths, [32, 16, 32], "{case}");
            return;
        }
        assert_eq!(lengths, [32], "{case}");
        assert!(self.verified.is_err(), "{case}");
        let error = self.proved.unwrap_err();
        assert!(matches!(error, Error::Misbehaved(Misbehaviour::Garbling)), "{case}: {error}");
    }
}

/// The messages of an honest verifier in step 5: S, Δ and K.
pub(crate) fn revealed(secret: &Secret, opening: &Opening) -> Vec<Vec<u8>> {
    let (tape, said) = Tape::new(Playback::new(vec![]), None);
    let mut channel = Channel::new(Party::Verifier, tape);
    secret.send(&mut channel).expect("a tape takes everything");
    opening.send(&mut channel).expect("a tape takes everything");
    said.messages()
}
