//! Common parts of the tests of garbling, and of the systems made of it: circuits at random, and both parties
//! of a proof in one process.

use crate::garble::Secret;
use volery_channel::channel::{Channel, Party, Playback, Tape};
use volery_channel::error::{Error, Misbehaviour};
use volery_channel::testing::Outcome;
use volery_vole::ot::committing::Opening;

/// Bytes of so many transfers in both directions, as the header of [`committing`](volery_vole::ot::committing)
/// says, without their ciphertexts and the opening.
pub fn bytes_of_transfers(count: usize) -> usize {
    let mut blocks = 0;
    for chunk in [8, 8, 16, 32, 64, 64] {
        if 128 * blocks < count {
            blocks += chunk;
        }
    }
    assert!(count <= 128 * 192, "longer than any test");
    8224 + 4128 + 240 * blocks + 288 + count.div_ceil(8)
}

/// The prover committed itself, and answered where the verifier was `honest`; else it said no more,
/// and failed like always.
pub fn assert_answered<T>(outcome: Outcome<T>, honest: bool, case: &str) {
    let lengths: Vec<usize> = outcome.from_prover.iter().map(Vec::len).collect();
    if honest {
        assert!(outcome.proved.is_ok() && outcome.verified.is_ok(), "{case}");
        assert_eq!(lengths, [32, 16, 32], "{case}");
        return;
    }
    assert_eq!(lengths, [32], "{case}");
    assert!(outcome.verified.is_err(), "{case}");
    let error = outcome.proved.unwrap_err();
    assert!(matches!(error, Error::Misbehaved(Misbehaviour::Garbling)), "{case}: {error}");
}

/// The messages of an honest verifier in step 5: S, Δ and K.
pub fn revealed(secret: &Secret, opening: &Opening) -> Vec<Vec<u8>> {
    let (tape, said) = Tape::new(Playback::new(vec![]), None);
    let mut channel = Channel::new(Party::Verifier, tape);
    secret.send(&mut channel).expect("a tape takes everything");
    opening.send(&mut channel).expect("a tape takes everything");
    said.messages()
}
