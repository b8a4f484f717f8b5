//! Honest proofs, and what they carry.

mod malicious_prover;
mod malicious_verifier;

use super::*;
use crate::garble::privacy_free::{Evaluator, Garbler};
use crate::garble::trial::bytes_of_transfers;
use volery_channel::error::{Error, Result};
use volery_channel::pool::Pool;
use volery_channel::random::Random;
use volery_channel::testing::{Outcome, both};
use volery_circuit::testing::{Arbitrary, strings};
use volery_circuit::{Circuit, Clear, Shape};
use volery_primitives::F2;
use volery_proof::verdict::Accepted;
use volery_statements::Network;
use volery_vole::ot::committing::{self, ideal};

fn terms(shape: &Shape) -> Terms<'_> {
    let construction = Construction::MultiInstance;
    Terms { arch: Arch::detect(), construction, shape, progress: None }
}

fn random(seed: u8) -> Random {
    Random::from_seed(&[seed; 32])
}

/// A whole proof, and what the verifier's channel carried.
fn prove_all<C>(terms: Terms, circuit: &C, values: &[F2]) -> Outcome<u64>
where
    C: for<'g> Circuit<Evaluator<'g>> + for<'g> Circuit<Garbler<'g>> + Sync,
{
    both(
        |channel| {
            let values = Zeroizing::new(values.to_vec());
            Prover::new(channel, terms, values, &mut random(1))?.prove(channel, circuit, &mut random(2))
        },
        |channel| {
            let verifier = Verifier::new(channel, terms, &mut random(3))?;
            let _: Accepted = verifier.verify(channel, circuit, &mut random(4))?;
            Ok(channel.traffic().sent + channel.traffic().received)
        },
        None,
    )
}

/// A prover with these values whose transfers a dealer has dealt.
fn dealt<'t>(
    channel: &mut Channel,
    terms: Terms<'t>,
    values: &[F2],
    transfers: committing::Receiver,
) -> Prover<'t> {
    Prover { terms, session: terms.session(channel), values: Zeroizing::new(values.to_vec()), transfers }
}

/// A proof over transfers from a dealer.
fn prove_dealt(terms: Terms, circuit: &Arbitrary, values: &[F2]) -> Outcome<Accepted> {
    let (sender, receiver) = ideal::deal(values, 5);
    both(
        |channel| dealt(channel, terms, values, receiver).prove(channel, circuit, &mut random(2)),
        |channel| {
            let verifier = Verifier { terms, session: terms.session(channel), transfers: sender };
            verifier.verify(channel, circuit, &mut random(4))
        },
        None,
    )
}

/// The bytes are those of the headers of this system and of the transfers; the verdict is not yet said here.
#[test]
fn networks_are_accepted_and_carry_what_the_header_says() {
    for gates in [1, 5, 1023, 1024, 1025, 5000] {
        let network = Network::new(gates).unwrap();
        let shape = Shape::of(&network).unwrap();
        let values = Clear::inputs(&network, network.witness([1; 32]), shape.inputs as usize).unwrap();
        let outcome = prove_all(terms(&shape), &network, &values);
        outcome.proved.unwrap();
        assert!(outcome.from_verifier.iter().all(|message| !message.is_empty()), "{gates} gates");
        let (n, a) = (values.len(), gates as usize);
        let expected = bytes_of_transfers(n) + 16 + 32 * n + 16 * a + 32 + 80 + 48;
        assert_eq!(outcome.verified.unwrap(), expected as u64, "{gates} gates");
    }
}

#[test]
fn accepted_where_the_values_satisfy_and_nowhere_else() {
    for seed in 0..40 {
        let circuit = Arbitrary::new(seed, 1 + seed as usize % 5, 9 * seed as usize % 70);
        let shape = Shape::of(&circuit).unwrap();
        for construction in Construction::ALL {
            let terms = Terms { construction, ..terms(&shape) };
            for values in strings(circuit.inputs()) {
                let Outcome { proved, verified, .. } = prove_dealt(terms, &circuit, &values);
                assert_eq!(verified.is_ok(), circuit.holds(&values), "circuit {seed}, {values:?}");
                assert_eq!(proved.is_ok(), circuit.holds(&values), "circuit {seed}, {values:?}");
            }
        }
    }
}

/// Values that satisfy are accepted and others are not, with the transfers of the protocol too.
#[test]
fn values_that_do_not_satisfy_with_all_messages() {
    let circuit = Arbitrary::new(3, 4, 20);
    let shape = Shape::of(&circuit).unwrap();
    for holds in [true, false] {
        let values = strings(4).find(|values| circuit.holds(values) == holds).unwrap();
        let outcome = prove_all(terms(&shape), &circuit, &values);
        assert_eq!((outcome.proved.is_ok(), outcome.verified.is_ok()), (holds, holds));
    }
}

#[test]
fn no_inputs_and_no_gates() {
    struct Constant(F2);
    impl<B: volery_circuit::Backend<F = F2>> Circuit<B> for Constant {
        fn run(&self, b: &mut B) -> Result<()> {
            let constant = b.constant(self.0);
            b.assert_zero(constant, "the constant")
        }
    }
    for value in [false, true] {
        let constant = Constant(F2::from(value));
        let shape = Shape::of(&constant).unwrap();
        let outcome = prove_all(terms(&shape), &constant, &[]);
        assert_eq!(outcome.verified.is_ok(), !value);
    }
}

#[test]
fn a_circuit_that_asserts_nothing_is_refused() {
    let shape = Shape::default();
    let outcome = both(|_| Ok(()), |channel| Verifier::new(channel, terms(&shape), &mut random(1)), None);
    assert!(matches!(outcome.verified.err(), Some(Error::Invalid(_))));
    assert!(outcome.from_verifier.is_empty());
}

#[test]
fn the_error_is_that_of_the_transfers() {
    assert_eq!(crate::garble::exchange::security(), 121);
}
