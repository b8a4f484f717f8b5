//! Cheats on Wolverine: over F_2, in two blocks, with coins of the verifier and without.

use super::{assert_replay_fails, assert_survives};
use crate::kit::{
    ABC, Session, both, by_wolverine, disagreements, network, only_bytes_differ, preimage, run, run_honestly,
    seeded,
};
use volery::CheckedBy::{Buckets, Interpolation, Sacrifice};
use volery::channel::{Channel, Flip, Party, Playback};
use volery::circuit::Arithmetic;
use volery::error::{Disagreement, Rejection, Sides};
use volery::{
    Checked, CheckedBy, Correlations, Error, F61, F61x2, Options, Over, prove_over, verify, verify_over,
};

const EIGHT: Correlations = Correlations::SOFTSPOKEN8;
const TINY: Correlations = Correlations::TINY;

/// Settings of the party with this seed.
fn options(seed: u8, correlations: Correlations, non_interactive: bool, block: u64) -> Options {
    Options {
        non_interactive,
        seed: Some([seed; 32]),
        ..by_wolverine(None, block).with_correlations(correlations)
    }
}

/// A bit of each message in turn. The verifier's verdict may stand where only the verdict was changed. So few
/// gates that nothing is sent for an iteration of `tiny` that never comes, which nobody would look at.
#[test]
#[ignore = "slow"]
fn a_flipped_bit_in_any_message() {
    for (correlations, one_way, gates, block) in
        [(EIGHT, false, 1100, 600), (TINY, false, 1100, 600), (EIGHT, true, 700, 600), (TINY, true, 20, 12)]
    {
        let (network, witness) = network(gates);
        let options = options(1, correlations, one_way, block);
        let options = Options { statement: Some([3; 32]), check: false, ..options };
        let honest = run_honestly(&network, &witness, &options);
        assert_eq!(honest.verified.unwrap().1.of::<Checked>().unwrap().blocks, 2);
        for (party, messages) in [
            (Party::Prover, honest.from_prover.messages()),
            (Party::Verifier, honest.from_verifier.messages()),
        ] {
            for (message, bytes) in messages.iter().enumerate() {
                // The terms that both must agree on follow the hello.
                let bits =
                    if message == 2 { vec![0, 77, 120, 255] } else { vec![message * 37 % (8 * bytes.len())] };
                for bit in bits {
                    let flip = Some((party, Flip { message, bit }));
                    let Session { proved, verified, .. } =
                        run((&network, &witness, &options), (&network, &options), flip);
                    let case =
                        format!("{correlations}, message {message} of the {}, bit {bit}", party.name());
                    assert!(proved.is_err(), "{case}");
                    let last = message == messages.len() - 1;
                    assert_eq!(verified.is_ok(), last && party == Party::Verifier, "{case}");
                    // Checks find it, but for what is compared at the end.
                    assert_eq!(only_bytes_differ(&verified), last && party == Party::Prover, "{case}");
                }
            }
        }
    }
}

/// Many bits of what a prover says of its triples and after: their products, the differences, the sum of a
/// block, the check of its shares and the digest.
#[test]
fn a_flipped_bit_anywhere_in_an_opening() {
    assert_flipped_bits_are_refused(29);
}

#[test]
#[ignore = "slow"]
fn more_flipped_bits_in_an_opening() {
    assert_flipped_bits_are_refused(13);
}

fn assert_flipped_bits_are_refused(step: usize) {
    let (network, witness) = network(20);
    let options = options(1, EIGHT, false, 600);
    let honest = run_honestly(&network, &witness, &options).from_prover.messages();
    let mut flipped = 0;
    // The last is what is compared at the end.
    for message in honest.len() - 8..honest.len() - 1 {
        for bit in (0..8 * honest[message].len()).step_by(step) {
            let mut said = honest.clone();
            said[message][bit / 8] ^= 1 << (bit % 8);
            let mut channel = Channel::new(Party::Verifier, Playback::new(said.concat()));
            let verified = verify(&network, &mut channel, &options).map(drop);
            assert!(!only_bytes_differ(&verified), "{message}, {bit}");
            let error = verified.unwrap_err();
            assert!(matches!(error, Error::Rejected(_) | Error::Misbehaved(_)), "{message}, {bit}: {error}");
            flipped += 1;
        }
    }
    assert!(flipped > 1300 / step, "{flipped}");
}

/// The verifier's nonce, its base transfers and its coins are others.
#[test]
fn a_replayed_transcript() {
    let (network, witness) = network(700);
    for (correlations, one_way) in [(EIGHT, false), (TINY, false), (EIGHT, true)] {
        assert_replay_fails(&network, &witness, |seed| options(seed, correlations, one_way, 600));
    }
}

/// A prover of another statement gets past the handshake and all checks of products, and no further.
#[test]
fn a_prover_of_another_statement() {
    let (statement, witness) = preimage(b"abc", ABC);
    let (other, _) = preimage(b"abc", &ABC.replace("15ad", "15ac"));
    for (block, one_way) in [(None, false), (Some(10_000), false), (None, true)] {
        let options = |seed| Options {
            statement: Some(other.digest()),
            non_interactive: one_way,
            seed: Some([seed; 32]),
            ..by_wolverine(None, block)
        };
        let session = run((statement.source(), &witness, &options(1)), (other.source(), &options(2)), None);
        let error = session.verified.map(drop).unwrap_err();
        assert!(matches!(error, Error::Rejected(Rejection::Assertions)), "{error}");
        assert!(matches!(session.proved.unwrap_err(), Error::Rejected(_)));
    }
}

/// Asserts that both parties end with this disagreement, each naming its own first.
#[track_caller]
fn assert_disagreed(session: Session, on: fn(Sides<String>) -> Disagreement) {
    let [proved, verified] = disagreements(session.proved, session.verified);
    let (Disagreement::System(Sides { ours, theirs }) | Disagreement::Checking(Sides { ours, theirs })) =
        proved.clone()
    else {
        panic!("{proved}")
    };
    assert_ne!(ours, theirs);
    assert_eq!(proved, on(Sides { ours: ours.clone(), theirs: theirs.clone() }));
    assert_eq!(verified, on(Sides { ours: theirs, theirs: ours }));
}

#[test]
fn a_disagreement_on_what_is_checked() {
    let (network, witness) = network(10);
    let usual = by_wolverine(None, None).with_correlations(EIGHT);
    let block = |block: u64| by_wolverine(None, block).with_correlations(EIGHT);
    for (one, other) in [
        (usual.clone(), block(600)),
        (block(599), block(600)),
        (Options { security: Some(41), ..block(600) }, block(600)),
        (Options { non_interactive: true, ..block(600) }, block(600)),
    ] {
        for (one, other) in [(&one, &other), (&other, &one)] {
            let session = run((&network, &witness, one), (&network, other), None);
            assert_disagreed(session, Disagreement::Checking);
        }
    }
    // What is usual may be said.
    let said = Options { security: Some(40), ..by_wolverine(Buckets, 3 << 18) };
    assert!(run((&network, &witness, &said), (&network, &usual), None).verified.is_ok());
    let quicksilver = seeded(1).with_correlations(EIGHT);
    assert_disagreed(run((&network, &witness, &quicksilver), (&network, &usual), None), Disagreement::System);
}

#[test]
fn a_disagreement_on_the_check() {
    let network = Arithmetic::<F61>::new(10).unwrap();
    let witness: Vec<F61> = network.witness([7; 32]).collect();
    let by = |proving: &Options, verifying: &Options| {
        both(
            |channel| prove_over::<Over<F61, F61x2>>(&network, witness.clone(), channel, proving),
            |channel| verify_over::<Over<F61, F61x2>>(&network, channel, verifying),
            None,
        )
    };
    for check in [Buckets, Sacrifice, Interpolation] {
        for other in CheckedBy::ALL {
            let session = by(&by_wolverine(check, None), &by_wolverine(other, None));
            if check == other {
                assert!(session.verified.is_ok());
            } else {
                assert_disagreed(session, Disagreement::Checking);
            }
        }
    }
    // Whoever asks for more of a check that gives it anyway needs no consent.
    let more = Options { security: Some(90), ..by_wolverine(Interpolation, None) };
    assert!(by(&by_wolverine(None, None), &more).verified.is_ok());
}

/// A peer that stops in the midst of a message, or goes on with anything: by turns.
#[test]
fn peers_that_close_or_talk_nonsense() {
    assert_peers_survived(|number| &BEHIND[number % 2..][..1]);
}

/// A peer that stops in the midst of each message, and one that goes on with anything.
#[test]
#[ignore = "slow"]
fn peers_that_close_and_talk_nonsense() {
    assert_peers_survived(|_| &BEHIND);
}

/// The bytes of nonsense that follow the half of a message.
const BEHIND: [usize; 2] = [0, 100_000];

fn assert_peers_survived(behind: impl Fn(usize) -> &'static [usize]) {
    let (network, witness) = network(100);
    for (correlations, one_way) in [(EIGHT, false), (TINY, true)] {
        let options = |seed| options(seed, correlations, one_way, 60);
        let honest = run_honestly(&network, &witness, &options(1));
        let [from_prover, from_verifier] =
            [honest.from_prover, honest.from_verifier].map(|record| record.messages());
        for number in 0..from_prover.len().max(from_verifier.len()) {
            let cut = |messages: &[Vec<u8>], nonsense: usize| {
                let number = number.min(messages.len() - 1);
                let mut said = messages[..number].concat();
                said.extend_from_slice(&messages[number][..messages[number].len() / 2]);
                said.extend((0..nonsense as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8));
                said
            };
            for &nonsense in behind(number) {
                let said = [&from_prover, &from_verifier].map(|messages| cut(messages, nonsense));
                assert_survives(&network, &witness, &said[0], &said[1], options);
            }
        }
    }
}
