//! Stacks of all sizes, each clause in turn; and what they carry.

use super::*;
use crate::garble::trial::bytes_of_transfers;

/// Every clause of up to eight, in every way of working: accepted where the values satisfy it.
#[test]
#[ignore = "slow"]
fn accepted_where_the_clause_is_satisfied_and_nowhere_else() {
    for count in 1..=8 {
        let (clauses, shapes) = clauses(count);
        for seeds in Seeds::ALL {
            for construction in Construction::ALL {
                for (threads, fixed_work) in [(1, false), (1, true), (3, false), (3, true)] {
                    let terms = Terms { construction, threads, fixed_work, ..terms(&shapes, seeds) };
                    for chosen in 0..count {
                        for holds in [true, false] {
                            let values = values(&clauses.0[chosen], holds);
                            let outcome = prove_dealt(terms, &clauses, (chosen, &values));
                            let case = format!(
                                "{chosen} of {count}, {seeds:?}, {}, {threads} threads, fixed work: {fixed_work}",
                                construction.name()
                            );
                            assert_eq!(outcome.verified.is_ok(), holds, "{case}");
                            assert_eq!(outcome.proved.is_ok(), holds, "{case}");
                        }
                    }
                }
            }
        }
    }
}

/// All messages of the protocol, and the bytes of the headers of this system and of the transfers; the
/// verdict is not yet said here.
#[test]
fn whole_proofs_carry_what_the_header_says() {
    for (count, chosen) in [(1, 0), (2, 1), (3, 0), (8, 5)] {
        let (clauses, shapes) = clauses(count);
        for seeds in Seeds::ALL {
            for holds in [true, false] {
                let terms = terms(&shapes, seeds);
                let values = values(&clauses.0[chosen], holds);
                let outcome = both(
                    |channel| {
                        let prover = Prover::new(channel, terms, (chosen, &values), &mut random(1))?;
                        prover.prove(channel, &clauses, &mut random(2))
                    },
                    |channel| {
                        let verifier = Verifier::new(channel, terms, &mut random(3))?;
                        let _: Accepted = verifier.verify(channel, &clauses, &mut random(4))?;
                        Ok(channel.traffic().sent + channel.traffic().received)
                    },
                    None,
                );
                assert_eq!(outcome.proved.is_ok(), holds);
                if !holds {
                    assert!(outcome.verified.is_err());
                    continue;
                }
                let of_seeds = match (seeds, count) {
                    (Seeds::Each, 1) => 0,
                    (Seeds::Each, _) => count,
                    (Seeds::Tree, _) => count.next_power_of_two().ilog2() as usize,
                };
                let inputs = clauses.0.iter().map(Arbitrary::inputs).max().unwrap();
                let ands = shapes.iter().map(|shape| shape.mul).max().unwrap() as usize;
                let n = of_seeds + inputs;
                let expected = bytes_of_transfers(n) + 16 + 32 * n + 16 * ands + 32 + 80 + 48;
                assert_eq!(outcome.verified.unwrap(), expected as u64, "{seeds:?}, {count} clauses");
            }
        }
    }
}

/// Whichever clause holds, the prover's messages are as many and as long, and it says nothing of
/// its choice in the open.
#[test]
fn the_prover_says_as_much_whichever_clause_is_its() {
    let (clauses, shapes) = clauses(5);
    for seeds in Seeds::ALL {
        let mut said = std::collections::HashSet::new();
        for chosen in 0..5 {
            let values = values(&clauses.0[chosen], true);
            let outcome = prove_dealt(terms(&shapes, seeds), &clauses, (chosen, &values));
            assert!(outcome.verified.is_ok());
            let lengths: Vec<usize> = outcome.from_prover.iter().map(Vec::len).collect();
            assert_eq!(lengths, [32, 16, 32]);
            // With the same verifier it is the same answer.
            said.insert(outcome.from_prover[1].clone());
        }
        assert_eq!(said.len(), 1);
    }
}

#[test]
fn no_clauses_and_clauses_that_assert_nothing_are_refused() {
    for shapes in [vec![], vec![Shape { assert: 1, ..Shape::default() }, Shape::default()]] {
        let refused = both(
            |channel| Prover::new(channel, terms(&shapes, Seeds::Tree), (0, &[]), &mut random(1)).map(drop),
            |channel| Verifier::new(channel, terms(&shapes, Seeds::Tree), &mut random(1)).map(drop),
            None,
        );
        assert!(matches!(refused.proved, Err(Error::Invalid(_))));
        assert!(matches!(refused.verified, Err(Error::Invalid(_))));
        assert!(refused.from_prover.is_empty() && refused.from_verifier.is_empty());
    }
}
