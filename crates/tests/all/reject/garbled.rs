//! Cheats on the systems that garble.

use crate::kit::{Ones, Session, network, only_bytes_differ, run, run_one_of, seeded};
use std::num::NonZeroUsize;
use volery::channel::{Channel, Flip, Party, Playback, Recording, Tape};
use volery::error::{Disagreement, Misbehaviour};
use volery::{
    Construction, Error, Options, Report, Result, Seeds, Stacking, System, prove, prove_one_of, verify,
    verify_one_of,
};

/// A statement with its witness, under a system.
#[derive(Clone, Copy, Debug)]
enum Proof {
    Jko,
    Stack(Seeds),
}

impl Proof {
    const ALL: [Self; 3] = [Self::Jko, Self::Stack(Seeds::Tree), Self::Stack(Seeds::Each)];

    /// The settings of the party with this seed.
    fn options(self, seed: u8) -> Options {
        match self {
            Self::Jko => Options { method: System::JKO.into(), ..seeded(seed) },
            Self::Stack(seeds) => {
                let stacking = Stacking { seeds, ..Stacking::default() };
                Options { method: stacking.into(), ..seeded(seed) }
            }
        }
    }

    fn clauses() -> Ones {
        Ones(vec![5, 9, 2])
    }

    fn run(self, flip: Option<(Party, Flip)>) -> Session {
        let (proving, verifying) = (self.options(1), self.options(2));
        match self {
            Self::Jko => {
                let (network, witness) = network(40);
                run((&network, &witness, &proving), (&network, &verifying), flip)
            }
            Self::Stack(_) => {
                run_one_of((&Self::clauses(), 2, &proving), (&Self::clauses(), &verifying), flip)
            }
        }
    }

    /// The prover of [`Proof::run`] alone, to whom a peer says `bytes`; and how many messages it says itself.
    fn prove_to(self, bytes: Vec<u8>) -> (Result<Report>, usize) {
        let (tape, said) = Tape::new(Playback::new(bytes), None);
        let mut channel = Channel::new(Party::Prover, tape);
        let options = self.options(1);
        let proved = match self {
            Self::Jko => {
                let (network, witness) = network(40);
                prove(&network, witness, &mut channel, &options)
            }
            Self::Stack(_) => {
                let clauses = Self::clauses();
                prove_one_of(&clauses, 2, clauses.witness(2), &mut channel, &options)
            }
        };
        (proved, said.messages().len())
    }

    /// The verifier alone, by its seed; and how many messages it says itself.
    fn verify_from(self, bytes: Vec<u8>, seed: u8) -> (Result<Report>, usize) {
        let (tape, said) = Tape::new(Playback::new(bytes), None);
        let mut channel = Channel::new(Party::Verifier, tape);
        let options = self.options(seed);
        let verified = match self {
            Self::Jko => verify(&network(40).0, &mut channel, &options),
            Self::Stack(_) => verify_one_of(&Self::clauses(), &mut channel, &options),
        };
        (verified.map(|(_, report)| report), said.messages().len())
    }
}

fn lengths(record: &Recording) -> Vec<usize> {
    record.messages().iter().map(Vec::len).collect()
}

/// Flips a bit of each message in turn. The verifier's verdict may stand where only the verdict was
/// changed. And from the salt on the prover takes whatever it is sent until its commitment, says as much as
/// ever, and then nothing.
#[test]
fn a_flipped_bit_in_any_message() {
    for proof in Proof::ALL {
        let honest = proof.run(None);
        assert!(honest.proved.is_ok() && honest.verified.is_ok(), "{proof:?}");
        let [said, told] = [&honest.from_prover, &honest.from_verifier].map(lengths);
        // Two of the hello, points, the salt, ciphertexts, material, S, Δ, K and the verdict.
        assert_eq!(told.len(), 10, "{proof:?}");
        for (party, messages) in [(Party::Prover, said.len()), (Party::Verifier, told.len())] {
            for message in 0..messages {
                // In the hello: the role, the nonce.
                let bits: &[usize] = if message < 2 { &[0, 8 * 160 + 3] } else { &[77] };
                for &bit in bits {
                    let session = proof.run(Some((party, Flip { message, bit })));
                    let case = format!("{proof:?}, message {message} of the {}, bit {bit}", party.name());
                    assert!(session.proved.is_err(), "{case}");
                    let verdict = party == Party::Verifier && message == messages - 1;
                    assert_eq!(session.verified.is_ok(), verdict, "{case}");
                    // Checks find it, but for what is compared at the end.
                    let end = party == Party::Prover && message == messages - 1;
                    assert_eq!(only_bytes_differ(&session.verified), end, "{case}");
                    if party == Party::Verifier && (3..9).contains(&message) {
                        assert_eq!(lengths(&session.from_prover), said[..said.len() - 3], "{case}");
                        let error = session.proved.unwrap_err();
                        let known = matches!(error, Error::Misbehaved(Misbehaviour::Garbling));
                        assert!(known, "{case}: {error}");
                    }
                }
            }
        }
    }
}

/// A peer that is killed after any of its messages, or amid one: an error on the other side.
#[test]
fn a_peer_that_ends() {
    for proof in Proof::ALL {
        let honest = proof.run(None);
        let [said, told] = [honest.from_prover, honest.from_verifier].map(|record| record.messages());
        // Y, its nonce and the end come after the verifier's secret.
        let opened = said.len() - 3;
        for messages in 0..said.len() {
            let heard = said[..messages].concat();
            let amid = [&heard, &said[messages][..said[messages].len() / 2]].concat();
            for bytes in [heard, amid] {
                let error = proof.verify_from(bytes, 2).0.unwrap_err();
                // Once the verifier has opened its secret, which it does after the commitment, the prover
                // knows whether its answer would be right.
                let as_it_should = match error {
                    Error::Io { .. } => messages < opened,
                    Error::Abandoned { peer: "prover", .. } => messages >= opened,
                    _ => false,
                };
                assert!(as_it_should, "{proof:?}, {messages} messages: {error}");
            }
        }
        for messages in 0..told.len() {
            let heard = told[..messages].concat();
            let amid = [&heard, &told[messages][..told[messages].len() / 2]].concat();
            for bytes in [heard, amid] {
                let error = proof.prove_to(bytes).0.unwrap_err();
                assert!(matches!(error, Error::Io { .. }), "{proof:?}, {messages} messages: {error}");
            }
        }
        // The playback itself works.
        proof.verify_from(said.concat(), 2).0.unwrap();
        proof.prove_to(told.concat()).0.unwrap();
    }
}

/// Messages that a party sends only after it has received others: the order that soundness and zero knowledge
/// stand on.
#[test]
fn the_order_of_messages() {
    for proof in Proof::ALL {
        let honest = proof.run(None);
        let [said, told] = [honest.from_prover, honest.from_verifier].map(|record| record.messages());
        // But for the digest at the end.
        let all = said.len() - 1;
        let tells = |heard: usize| proof.verify_from(said[..heard].concat(), 2).1;
        let says = |heard: usize| proof.prove_to(told[..heard].concat()).1;
        // No salt before the choices are fixed by d, the last before the commitment.
        assert_eq!(tells(all - 4), 3, "{proof:?}");
        // Salt, ciphertexts and material before the commitment; nothing of S, Δ and K.
        assert_eq!(tells(all - 3), 6, "{proof:?}");
        // S, Δ and K after it.
        assert_eq!(tells(all - 2), 9, "{proof:?}");
        // The prover has fixed its choices before the salt, commits after all material, and answers after K.
        assert_eq!([3, 5, 6, 8, 9].map(says), [all - 3, all - 3, all - 2, all - 2, all + 1], "{proof:?}");
    }
}

/// Messages of a prover convince nobody again.
#[test]
fn a_replayed_transcript() {
    for proof in Proof::ALL {
        let honest = proof.run(None);
        let said = honest.from_prover.messages().concat();
        for seed in 3..6 {
            let error = proof.verify_from(said.clone(), seed).0.unwrap_err();
            assert!(matches!(error, Error::Misbehaved(_) | Error::Rejected(_)), "{proof:?}: {error}");
        }
    }
}

#[test]
fn peers_that_talk_nonsense() {
    for proof in Proof::ALL {
        let honest = proof.run(None);
        let nonsense = |record: &Recording, until: usize| {
            let tail = (0..60_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8);
            let messages = record.messages();
            messages[..until].concat().into_iter().chain(tail).collect::<Vec<u8>>()
        };
        for until in [0, 2, 3, 6, 9] {
            assert!(
                proof.verify_from(nonsense(&honest.from_prover, until), 2).0.is_err(),
                "{proof:?}, {until}"
            );
            assert!(proof.prove_to(nonsense(&honest.from_verifier, until)).0.is_err(), "{proof:?}, {until}");
        }
    }
}

/// A prover that lies about its clauses gets past the handshake, and no further.
#[test]
fn a_prover_of_other_clauses() {
    let (honest, other) = (Ones(vec![4, 9]), Ones(vec![3, 10]));
    let proof = Proof::Stack(Seeds::Tree);
    let session = run_one_of((&other, 0, &proof.options(1)), (&honest, &proof.options(2)), None);
    for error in [session.proved.err(), session.verified.err()] {
        let error = error.unwrap();
        assert!(matches!(error, Error::Disagreed(Disagreement::Statement(_))), "{error}");
    }
    // With a longest clause of the same size, so that all messages fit.
    let other = Ones(vec![3, 9]);
    let [proving, verifying] = [1, 2].map(|seed| Options { statement: Some([7; 32]), ..proof.options(seed) });
    for chosen in [0, 1] {
        let session = run_one_of((&other, chosen, &proving), (&honest, &verifying), None);
        assert!(session.proved.is_err() && session.verified.is_err(), "clause {chosen}");
    }
    assert!(run_one_of((&honest, 0, &proving), (&honest, &verifying), None).verified.is_ok());
}

/// A prover of another circuit is refused.
#[test]
fn a_prover_of_another_circuit() {
    let [proving, verifying] =
        [1, 2].map(|seed| Options { statement: Some([7; 32]), ..Proof::Jko.options(seed) });
    let ((small, witness), (large, _)) = (network(40), network(41));
    let session = run((&small, &witness, &proving), (&large, &verifying), None);
    assert!(session.proved.is_err() && session.verified.is_err());
}

#[test]
fn a_disagreement_on_the_way_of_garbling() {
    let by = |stacking: Stacking| Options { method: stacking.into(), ..seeded(1) };
    let stack = |construction, seeds| by(Stacking { construction, seeds });
    let clauses = Proof::clauses();
    let ours = stack(Construction::MultiInstance, Seeds::Tree);
    for theirs in
        [stack(Construction::Tweakable, Seeds::Tree), stack(Construction::MultiInstance, Seeds::Each)]
    {
        let session = run_one_of((&clauses, 0, &ours), (&clauses, &theirs), None);
        for error in [session.proved.err(), session.verified.err()] {
            let error = error.unwrap();
            assert!(matches!(error, Error::Disagreed(Disagreement::Garbling(_))), "{error}");
        }
    }
    // The number of threads and the prover's way of working are each party's own.
    let (construction, seeds) = (Construction::MultiInstance, Seeds::Tree);
    let own = Options { fixed_work: true, ..by(Stacking { construction, seeds }) };
    let own = Options { threads: NonZeroUsize::new(3).unwrap(), ..own };
    for chosen in 0..3 {
        assert!(run_one_of((&clauses, chosen, &own), (&clauses, &ours), None).verified.is_ok());
    }
}

#[test]
fn a_witness_that_does_not_satisfy_is_found_before_a_byte_is_sent() {
    let clauses = Proof::clauses();
    let mut witness = clauses.witness(1);
    witness[3] = false.into();
    let options = Proof::Stack(Seeds::Tree).options(1);
    let mut channel = Channel::new(Party::Prover, Playback::new(vec![]));
    let error = prove_one_of(&clauses, 1, witness, &mut channel, &options).unwrap_err();
    assert!(matches!(&error, Error::Unsatisfied(name) if name == "product"), "{error}");
    let error = prove_one_of(&clauses, 3, vec![], &mut channel, &options).unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error}");
    assert_eq!(channel.traffic().sent, 0);
}
