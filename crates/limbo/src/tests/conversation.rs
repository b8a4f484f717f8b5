//! Proofs over a channel.

use super::*;
use volery_channel::channel::{Flip, Party};
use volery_channel::testing::{Outcome, both};
use volery_circuit::Clear;
use volery_statements::Network;

fn network() -> (Network, Shape, Vec<F2>) {
    let network = Network::new(700).unwrap();
    let shape = Shape::of(&network).unwrap();
    let values = Clear::inputs(&network, network.witness([3; 32]), shape.inputs_by_gates() as usize).unwrap();
    (network, shape, values.to_vec())
}

fn converse(
    terms: &Terms,
    circuit: &Network,
    values: &[F2],
    flip: Option<(Party, Flip)>,
) -> Outcome<[u64; 2]> {
    both(
        |channel| prove::<Bits>(channel, terms, circuit, values, &mut random(1)),
        |channel| {
            let (_accepted, _) = verify::<Bits>(channel, terms, circuit, &mut random(2))?;
            Ok([channel.traffic().sent, channel.traffic().received])
        },
        flip,
    )
}

/// The prover's bytes are those of a file; the verifier sends a commitment and an opening for each challenge,
/// all commitments first.
#[test]
fn a_conversation_carries_what_the_header_says() {
    let (network, shape, values) = network();
    for parameters in [small(16, 11), parameters(64, 4, 64, 7, Challenges::Identical)] {
        for threads in [1, 2] {
            let terms = Terms { threads, ..terms(&parameters, &shape) };
            let Outcome { proved, verified, from_prover, from_verifier } =
                converse(&terms, &network, &values, None);
            proved.unwrap();
            let challenges = parameters.rounds(700) as u64 + 2;
            assert_eq!(verified.unwrap(), [64 * challenges, parameters.proof_bytes(&Bits::demand(&shape))]);
            let lengths: Vec<usize> = from_verifier.iter().map(Vec::len).collect();
            assert_eq!(lengths[0], 32 * challenges as usize);
            assert!(
                lengths[1..].iter().all(|length| *length == 32) && lengths.len() == 1 + challenges as usize
            );
            // Salt and h_1, the rounds, h_3, the openings, and two tiles.
            assert_eq!(from_prover.len() as u64, challenges + 3);
            assert_eq!(from_prover[0].len(), 64);
        }
    }
}

#[test]
fn a_bit_flipped_anywhere_ends_in_an_error() {
    let (network, shape, values) = network();
    let parameters = small(16, 11);
    let terms = terms(&parameters, &shape);
    let honest = converse(&terms, &network, &values, None);
    for (message, sent) in honest.from_prover.iter().enumerate() {
        for bit in [0, 8 * sent.len() / 2 + 3, 8 * sent.len() - 5] {
            let flip = Some((Party::Prover, Flip { message, bit }));
            let outcome = converse(&terms, &network, &values, flip);
            assert!(outcome.verified.is_err(), "message {message}, bit {bit}");
        }
    }
    // A prover says no more after a coin that is not the one that was committed to.
    for (message, sent) in honest.from_verifier.iter().enumerate() {
        for bit in [0, 100, 8 * sent.len() - 1] {
            let flip = Some((Party::Verifier, Flip { message, bit }));
            let outcome = converse(&terms, &network, &values, flip);
            assert!(matches!(outcome.proved, Err(Error::Misbehaved(_))), "message {message}, bit {bit}");
            assert!(outcome.verified.is_err());
            let said = if message == 0 { bit / 256 + 1 } else { message };
            assert_eq!(outcome.from_prover.len(), said, "message {message}, bit {bit}");
        }
    }
}

#[test]
fn values_that_do_not_satisfy_are_rejected() {
    let (network, shape, _) = network();
    let parameters = small(16, 11);
    let terms = terms(&parameters, &shape);
    // A witness of another network's inputs is as good as any: all satisfy. So the circuit is another.
    let values: Vec<F2> = network.witness([3; 32]).collect();
    let outcome = both(
        |channel| prove::<Bits>(channel, &terms, &network.variant(1), &values, &mut random(1)),
        |channel| verify::<Bits>(channel, &terms, &network, &mut random(2)).map(drop),
        None,
    );
    assert!(matches!(outcome.verified, Err(Error::Rejected(_))));
}
