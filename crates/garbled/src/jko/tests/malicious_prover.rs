//! Provers that answer although they have nothing to answer with.

use super::*;
use crate::garble::exchange::answer;
use crate::garble::material::{Receiving, Source};
use crate::garble::privacy_free::Inputs;
use subtle::Choice;
use volery_primitives::Field;

/// Evaluates with `values` whatever they are, and answers whatever was opened; `chosen` is what it
/// chose in the transfers.
fn cheat(circuit: &Arbitrary, chosen: &[F2], values: &[F2]) -> Outcome<Accepted> {
    let shape = Shape::of(circuit).unwrap();
    let terms = terms(&shape);
    let (sender, receiver) = ideal::deal(chosen, 5);
    both(
        |channel| {
            let session = terms.session(channel);
            let mut salt = [F128::ZERO];
            channel.recv_words(&mut salt)?;
            let (labels, _received) = receiver.receive(channel)?;
            let mut material = Receiving::new(channel);
            let source: (u64, &mut dyn Source) = (shape.mul_by_gates(), &mut material);
            let key = session.key(salt[0]);
            let inputs = Inputs { labels: &labels, values };
            let output = Evaluator::evaluate(&key, 0, circuit, inputs, source, None, &Pool::ALONE)?;
            answer(channel, &session.sid, output, &mut random(2), |_, _| Ok(Choice::from(1)))
        },
        |channel| {
            let verifier = Verifier { terms, session: terms.session(channel), transfers: sender };
            verifier.verify(channel, circuit, &mut random(4))
        },
        None,
    )
}

#[test]
fn an_answer_without_a_witness() {
    for seed in 0..20 {
        let circuit = Arbitrary::new(seed, 4, 30);
        for values in strings(4) {
            let verdict = cheat(&circuit, &values, &values).verified;
            match verdict {
                Ok(_) => assert!(circuit.holds(&values), "circuit {seed}, {values:?}"),
                Err(error) => {
                    assert!(matches!(error, Error::Rejected(_)), "{error}");
                    assert!(!circuit.holds(&values), "circuit {seed}, {values:?}");
                }
            }
        }
    }
}

/// A prover that chose one string, which does not satisfy, and evaluates with another, which does.
#[test]
fn values_that_were_not_chosen() {
    let circuit = Arbitrary::new(3, 4, 20);
    let holds = strings(4).find(|values| circuit.holds(values)).unwrap();
    for chosen in strings(4).filter(|chosen| !circuit.holds(chosen)) {
        assert!(matches!(cheat(&circuit, &chosen, &holds).verified, Err(Error::Rejected(_))), "{chosen:?}");
    }
}
