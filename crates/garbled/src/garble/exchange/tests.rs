//! Steps 4 to 6 alone: what a prover may answer, and when.

use super::*;
use volery_channel::error::Rejection;
use volery_channel::random::Random;
use volery_channel::testing::{Outcome, both};
use volery_vole::ot::committing::ideal;

const SID: [u8; 32] = [3; 32];
const Y: F128 = F128(0x0123_4567_89ab_cdef);

/// A verifier of session `sid` that expects Y.
fn verify(channel: &mut Channel, sid: &[u8; 32]) -> Result<()> {
    let secret = Secret::random(&mut Random::from_seed(&[1; 32]));
    let opening = ideal::deal(&[], 1).0.open();
    let answer = open(channel, sid, (&secret, &opening), Y)?;
    if answer.is_right() { Ok(()) } else { Err(Error::Rejected(Rejection::GarbledOutput)) }
}

/// The outcome with a prover that commits to one pair of value and nonce for session `of`, and answers with
/// another pair.
fn cheat(of: [u8; 32], before: (F128, u8), after: (F128, u8)) -> Outcome<()> {
    let prover = |channel: &mut Channel| {
        channel.send(&commitment(&of, before.0, &[before.1; 32]))?;
        let _ = (Secret::recv(channel)?, Opening::recv(channel)?);
        channel.send_words(&[after.0])?;
        channel.send(&[after.1; 32])
    };
    both(prover, |channel| verify(channel, &SID), None)
}

#[test]
fn the_right_value_committed_to_is_accepted_and_nothing_else() {
    cheat(SID, (Y, 5), (Y, 5)).verified.unwrap();
    let wrong = F128(Y.0 ^ 1 << 100);
    for (what, of, before, after) in [
        ("a value that is known only after the opening", SID, (wrong, 5), (Y, 5)),
        ("the same with another nonce", SID, (F128::ZERO, 5), (Y, 0)),
        ("another nonce", SID, (Y, 5), (Y, 6)),
        ("a wrong value", SID, (wrong, 5), (wrong, 5)),
        ("the right value first, then a wrong one", SID, (Y, 5), (wrong, 5)),
        ("a commitment of another session", [4; 32], (Y, 5), (Y, 5)),
    ] {
        let error = cheat(of, before, after).verified.unwrap_err();
        assert!(matches!(error, Error::Rejected(_)), "{what}: {error}");
    }
}

/// The prover's message before the opening is as long whatever comes, and it says nothing after
/// a check that failed.
#[test]
fn an_answer_comes_only_after_a_check_that_passed() {
    for passes in [true, false] {
        let outcome = both(
            |channel| {
                let random = &mut Random::from_seed(&[2; 32]);
                answer(channel, &SID, Y, random, |_, _| Ok(Choice::from(u8::from(passes))))
            },
            |channel| verify(channel, &SID),
            None,
        );
        assert_eq!(outcome.verified.is_ok(), passes);
        let lengths: Vec<usize> = outcome.from_prover.iter().map(Vec::len).collect();
        assert_eq!(lengths, if passes { vec![32, 16, 32] } else { vec![32] });
        match outcome.proved {
            Ok(()) => assert!(passes),
            Err(error) => assert!(matches!(error, Error::Misbehaved(Misbehaviour::Garbling))),
        }
    }
}

/// The verifier says nothing before it is committed to.
#[test]
fn the_opening_comes_after_the_commitment() {
    let outcome = both(|_| Ok(()), |channel| verify(channel, &SID), None);
    assert!(matches!(outcome.verified, Err(Error::Io { .. })));
    assert!(outcome.from_verifier.is_empty());
}

/// Equal answers of two proofs are committed to by strings that say nothing of them.
#[test]
fn commitments_hide() {
    let mut seen = std::collections::HashSet::new();
    for seed in 0..20 {
        let outcome = both(
            |channel| {
                let random = &mut Random::from_seed(&[seed; 32]);
                answer(channel, &SID, Y, random, |_, _| Ok(Choice::from(1)))
            },
            |channel| verify(channel, &SID),
            None,
        );
        outcome.verified.unwrap();
        assert!(seen.insert(outcome.from_prover[0].clone()));
    }
}
