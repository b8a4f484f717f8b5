//! Provers that take other seeds than an honest one, or answer without a witness.

use super::super::garbling::{self, Which};
use super::*;
use crate::garble::exchange::answer;
use crate::garble::material::{Held, PIECE};
use crate::garble::privacy_free::{Evaluator, Inputs};
use crate::garble::{Secret, seeds};
use subtle::Choice;
use volery_primitives::F128;

/// A prover that answers whatever it was opened.
struct Cheat<'a> {
    clauses: &'a Several,
    terms: Terms<'a>,
    /// The choices in the transfers of seeds.
    of_seeds: Vec<F2>,
    /// The leaf, or the clause, that it treats as the one whose seed it gave up.
    given_up: usize,
    /// The clause that it evaluates, if it does not garble all.
    own: Option<usize>,
    values: Vec<F2>,
}

/// A hint to the prover from somebody who knows the verifier's secret.
type Handed<'h> = &'h (dyn Fn(&Secret, &Session, &mut seeds::Handed) + Sync);

impl Cheat<'_> {
    /// The verifier's verdict.
    fn run(&self, handed: Handed) -> Result<Accepted> {
        let Self { clauses, terms, .. } = *self;
        let values = padded(&terms, &self.values);
        let mut choices = self.of_seeds.clone();
        choices.extend(values.iter());
        let (sender, receiver) = ideal::deal(&choices, 5);
        let outcome = both(
            |channel| self.prove(channel, receiver, &values, handed),
            |channel| dealt_verifier(channel, terms, sender).verify(channel, clauses, &mut random(4)),
            None,
        );
        outcome.proved.unwrap();
        outcome.verified
    }

    fn prove(
        &self,
        channel: &mut Channel,
        transfers: committing::Receiver,
        values: &[F2],
        handed: Handed,
    ) -> Result<()> {
        let Self { clauses, terms, given_up, own, .. } = *self;
        let session = terms.session(channel);
        let mut salt = [F128::ZERO];
        channel.recv_words(&mut salt)?;
        let key = session.key(salt[0]);
        let (messages, _received) = transfers.receive(channel)?;
        let (of_seeds, of_inputs) = messages.split_at(self.of_seeds.len());
        let mut held = terms.seeds.take(&session, terms.clauses(), given_up, of_seeds);
        // That of the verifier, whose randomness is known here.
        handed(&Secret::random(&mut random(4)), &session, &mut held);
        let which = match own {
            Some(own) => Which::AllBut(own),
            None => Which::All,
        };
        let mut stack = vec![F128::ZERO; terms.material()];
        let mut output = garbling::garble(&terms, &key, clauses, which, &held.seeds, &mut stack)?;
        let mut labels = of_inputs.to_vec();
        for ((label, value), pair) in
            labels.iter_mut().zip(values).zip(garbling::labels(&terms, &key, which, &held.seeds).iter())
        {
            *label ^= pair[usize::from(value.to_bool())];
        }
        for piece in stack.chunks_mut(PIECE) {
            let mut received = vec![F128::ZERO; piece.len()];
            channel.recv_words(&mut received)?;
            piece.iter_mut().zip(received).for_each(|(sum, block)| *sum ^= block);
        }
        if let Some(own) = own {
            let (count, gates) =
                (terms.shapes[own].inputs_by_gates() as usize, terms.shapes[own].mul_by_gates());
            let inputs = Inputs { labels: &labels[..count], values: &values[..count] };
            let mut source = Held(&stack[..gates as usize]);
            let circuit = volery_circuit::Clause::new(clauses, own);
            output ^=
                Evaluator::evaluate(&key, own, &circuit, inputs, (gates, &mut source), None, &Pool::ALONE)?;
        } else {
            assert!(stack.iter().all(|block| *block == F128::ZERO), "it garbled what the verifier did");
        }
        answer(channel, &session.sid, output ^ held.retrieval, &mut random(2), |_, _| Ok(Choice::from(1)))
    }
}

fn nothing(_: &Secret, _: &Session, _: &mut seeds::Handed) {}

fn rejected(verdict: Result<Accepted>) -> bool {
    match verdict {
        Ok(_) => false,
        Err(error) => {
            assert!(matches!(error, Error::Rejected(_)), "{error}");
            true
        }
    }
}

#[test]
fn an_answer_without_a_witness() {
    for count in 1..=5 {
        let (clauses, shapes) = clauses(count);
        for seeds in Seeds::ALL {
            for own in 0..count {
                for values in strings(clauses.0[own].inputs()) {
                    let terms = terms(&shapes, seeds);
                    let of_seeds = seeds.choices(count, own).collect::<Vec<_>>();
                    let holds = clauses.0[own].holds(&values);
                    let cheat =
                        Cheat { clauses: &clauses, terms, of_seeds, given_up: own, own: Some(own), values };
                    assert_eq!(rejected(cheat.run(&nothing)), !holds, "{own} of {count}, {seeds:?}");
                }
            }
        }
    }
}

/// A prover that garbles all clauses as the verifier does, so that all it lacks is the proof of retrieval.
#[test]
fn all_seeds_one_by_one() {
    for count in 2..=5 {
        let (clauses, shapes) = clauses(count);
        let cheat = Cheat {
            clauses: &clauses,
            terms: terms(&shapes, Seeds::Each),
            of_seeds: vec![F2::ZERO; count],
            given_up: 0,
            own: None,
            values: vec![],
        };
        // Without it, with a seed for it, and with nothing for it.
        assert!(rejected(cheat.run(&nothing)));
        assert!(rejected(cheat.run(&|_, _, held| held.retrieval = held.seeds[1])));
        assert!(rejected(cheat.run(&|_, _, held| held.retrieval = F128::ZERO)));
        assert!(!rejected(cheat.run(&|secret, session, held| held.retrieval = secret.retrieval(session))));
    }
}

/// A prover that garbles all clauses, by the seeds of a tree some of whose leaves belong to no clause.
#[test]
fn all_seeds_of_a_tree() {
    for count in [3, 5, 6, 7] {
        let (clauses, shapes) = clauses(count);
        for leaf in count..count.next_power_of_two() {
            let cheat = Cheat {
                clauses: &clauses,
                terms: terms(&shapes, Seeds::Tree),
                of_seeds: Seeds::Tree.choices(count, leaf).collect::<Vec<_>>(),
                given_up: leaf,
                own: None,
                values: vec![],
            };
            assert!(rejected(cheat.run(&nothing)), "leaf {leaf} of {count} clauses");
            assert!(rejected(cheat.run(&|_, _, held| held.retrieval = F128::ZERO)));
            let right: Handed = &|secret, session, held| {
                held.retrieval = Seeds::Tree.offer(session, secret, count).0.retrieval;
            };
            assert!(!rejected(cheat.run(right)));
        }
    }
}

/// A prover that takes the proof of retrieval twice lacks two seeds. It gets nowhere with that, whatever its
/// values satisfy; and if it were given either of the two, it would still have to satisfy the other clause,
/// so that it has to satisfy both.
#[test]
fn the_proof_of_retrieval_twice() {
    let count = 4;
    let (clauses, shapes) = clauses(count);
    let mut seen = std::collections::HashSet::new();
    for (one, other) in [(0, 1), (1, 2), (3, 0), (2, 3)] {
        let longest = clauses.0[one].inputs().max(clauses.0[other].inputs());
        for values in strings(longest) {
            let mut of_seeds = Seeds::Each.choices(count, one).collect::<Vec<_>>();
            of_seeds[other] = F2::ONE;
            for own in [one, other] {
                let holds = clauses.0[own].holds(&values);
                let cheat = Cheat {
                    clauses: &clauses,
                    terms: terms(&shapes, Seeds::Each),
                    of_seeds: of_seeds.clone(),
                    given_up: one,
                    own: Some(own),
                    values: values.clone(),
                };
                assert!(rejected(cheat.run(&nothing)), "{one} and {other}, {values:?}");
                let handed = one + other - own;
                let given: Handed = &|secret, session, held| {
                    held.seeds[handed] = secret.seed(session, handed);
                };
                assert_eq!(rejected(cheat.run(given)), !holds, "{own}, with the seed of {handed}");
                seen.insert((holds, clauses.0[handed].holds(&values)));
            }
        }
    }
    assert_eq!(seen.len(), 4, "values that satisfy both, one and none");
}
