//! Common parts of the tests of stacks: clauses of different sizes, and provers and verifiers over transfers
//! that a dealer has dealt.

mod honest;
mod malicious_prover;
mod malicious_verifier;
mod work;

use super::*;
use volery_channel::pool::Pool;
use volery_channel::random::Random;
use volery_channel::testing::{Outcome, both};
use volery_circuit::clauses::shapes;
use volery_circuit::testing::{Arbitrary, Several, strings};
use volery_primitives::{F2, Field};
use volery_proof::verdict::Accepted;
use volery_vole::ot::committing::{self, ideal};
use zeroize::Zeroizing;

fn random(seed: u8) -> Random {
    Random::from_seed(&[seed; 32])
}

fn terms(shapes: &[Shape], seeds: Seeds) -> Terms<'_> {
    Terms {
        arch: Arch::detect(),
        construction: Construction::MultiInstance,
        seeds,
        shapes,
        threads: 1,
        fixed_work: false,
        progress: None,
    }
}

/// `count` clauses, no two alike, and their shapes.
fn clauses(count: usize) -> (Several, Vec<Shape>) {
    let ands = [40, 0, 7, 1100, 64, 1, 130, 33];
    let clauses = (0..count).map(|i| {
        let i = (i + count) % 8;
        Arbitrary::new((10 * count + i) as u64, 1 + (3 * i + count) % 5, ands[i])
    });
    let clauses = Several(clauses.collect());
    let shapes = shapes(&clauses).unwrap();
    (clauses, shapes)
}

/// Values for the inputs of a circuit with which it holds, or does not.
fn values(circuit: &Arbitrary, holds: bool) -> Vec<F2> {
    strings(circuit.inputs()).find(|values| circuit.holds(values) == holds).expect("there are both")
}

/// The choices of a prover in all transfers.
fn choices(terms: &Terms, (chosen, values): (usize, &[F2])) -> Vec<F2> {
    let mut choices = terms.seeds.choices(terms.clauses(), chosen).collect::<Vec<_>>();
    choices.extend(padded(terms, values).iter());
    choices
}

fn padded(terms: &Terms, values: &[F2]) -> Zeroizing<Vec<F2>> {
    let mut padded = Zeroizing::new(values.to_vec());
    padded.resize(terms.inputs(), F2::ZERO);
    padded
}

/// A prover whose transfers a dealer has dealt.
fn dealt_prover<'t>(
    channel: &mut Channel,
    terms: Terms<'t>,
    (chosen, values): (usize, &[F2]),
    transfers: committing::Receiver,
) -> Prover<'t> {
    let values = padded(&terms, values);
    Prover { terms, session: terms.session(channel), chosen, values, transfers }
}

fn dealt_verifier<'t>(
    channel: &mut Channel,
    terms: Terms<'t>,
    transfers: committing::Sender,
) -> Verifier<'t> {
    Verifier { terms, session: terms.session(channel), transfers }
}

/// A proof over transfers from a dealer.
fn prove_dealt(terms: Terms, clauses: &Several, own: (usize, &[F2])) -> Outcome<Accepted> {
    let (sender, receiver) = ideal::deal(&choices(&terms, own), 5);
    both(
        |channel| dealt_prover(channel, terms, own, receiver).prove(channel, clauses, &mut random(2)),
        |channel| dealt_verifier(channel, terms, sender).verify(channel, clauses, &mut random(4)),
        None,
    )
}
