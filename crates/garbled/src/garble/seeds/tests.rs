//! Seeds that the two parties agree on, and what a prover gets by other choices.

use super::*;
use volery_channel::random::Random;
use volery_primitives::arch::Arch;
use volery_primitives::hash::Construction;

const SESSION: Session =
    Session { sid: [7; 32], arch: Arch::PORTABLE, construction: Construction::MultiInstance };

fn secret(seed: u8) -> Secret {
    Secret::random(&mut Random::from_seed(&[seed; 32]))
}

fn chosen(pairs: &[[F128; 2]], choices: &[F2]) -> Vec<F128> {
    assert_eq!(pairs.len(), choices.len());
    pairs.iter().zip(choices).map(|(pair, choice)| pair[usize::from(choice.to_bool())]).collect()
}

/// The clauses whose seed the prover has.
fn known(theirs: &Handed, ours: &Handed) -> Vec<usize> {
    (0..ours.seeds.len()).filter(|&clause| theirs.seeds[clause] == ours.seeds[clause]).collect()
}

#[test]
fn all_seeds_but_one_and_the_key_of_retrieval() {
    for seeds in Seeds::ALL {
        for clauses in 1..=9 {
            let (ours, pairs) = seeds.offer(&SESSION, &secret(1), clauses);
            assert_eq!(pairs.len(), seeds.transfers(clauses));
            assert_eq!(ours.seeds.len(), clauses);
            for own in 0..clauses {
                let messages = chosen(&pairs, &seeds.choices(clauses, own).collect::<Vec<_>>());
                let theirs = seeds.take(&SESSION, clauses, own, &messages);
                let others: Vec<usize> = (0..clauses).filter(|clause| *clause != own).collect();
                assert_eq!(known(&theirs, &ours), others, "{seeds:?}, {own} of {clauses}");
                assert_eq!(theirs.retrieval, ours.retrieval, "{seeds:?}, {own} of {clauses}");
            }
        }
    }
}

#[test]
fn the_number_of_transfers() {
    assert_eq!([1, 2, 3, 4, 5, 8, 9, 1000].map(|m| Seeds::Tree.transfers(m)), [0, 1, 2, 2, 3, 3, 4, 10]);
    assert_eq!([1, 2, 3, 1000].map(|m| Seeds::Each.transfers(m)), [0, 2, 3, 1000]);
}

/// No seed is that of another clause, secret or session, nor one of the messages that go with the choice.
#[test]
fn seeds_are_their_own() {
    let mut all = std::collections::HashSet::new();
    let other = Session { sid: [8; 32], ..SESSION };
    for seeds in Seeds::ALL {
        for (session, secret) in [(&SESSION, secret(1)), (&other, secret(1)), (&SESSION, secret(2))] {
            let (held, pairs) = seeds.offer(session, &secret, 5);
            assert!(held.seeds.iter().all(|seed| all.insert(*seed)));
            assert!(all.insert(held.retrieval));
            if seeds == Seeds::Tree {
                assert!(pairs.iter().flatten().all(|sum| all.insert(*sum)));
            }
        }
    }
}

/// A prover whose bits name a leaf of no clause has all seeds, and not the key of retrieval.
#[test]
fn a_punctured_leaf_of_no_clause() {
    for clauses in [3, 5, 6, 7, 9] {
        let (ours, pairs) = Seeds::Tree.offer(&SESSION, &secret(1), clauses);
        for leaf in clauses..clauses.next_power_of_two() {
            let choices = Seeds::Tree.choices(clauses, leaf).collect::<Vec<_>>();
            let theirs = Seeds::Tree.take(&SESSION, clauses, leaf, &chosen(&pairs, &choices));
            assert_eq!(known(&theirs, &ours), (0..clauses).collect::<Vec<_>>(), "{leaf} of {clauses}");
            assert_ne!(theirs.retrieval, ours.retrieval, "{leaf} of {clauses}");
            // What is missing is this leaf's part of it.
            let mut leaves = Zeroizing::new(vec![secret(1).root(&SESSION)]);
            for level in 0..depth(clauses) {
                leaves = tree(&SESSION).children(level, &leaves);
            }
            let dummies = leaves.split_off(clauses);
            let rest = Handed::of_leaves(&SESSION, Zeroizing::new(vec![dummies[leaf - clauses]]), 0);
            let others = dummies.iter().copied().filter(|dummy| *dummy != dummies[leaf - clauses]).collect();
            let others = Handed::of_leaves(&SESSION, Zeroizing::new(others), 0);
            assert_eq!(others.retrieval ^ rest.retrieval, ours.retrieval);
        }
    }
}

/// A prover lacks some leaf whatever bits it chooses: one whose sibling's side it did not get on any level.
#[test]
fn every_choice_in_a_tree_misses_one_leaf() {
    for clauses in [2, 4, 8] {
        let choices: std::collections::HashSet<Vec<bool>> =
            (0..clauses).map(|own| Seeds::Tree.choices(clauses, own).map(F2::to_bool).collect()).collect();
        assert_eq!(choices.len(), clauses, "each string of bits is the choice of one leaf");
        assert_eq!(1 << Seeds::Tree.transfers(clauses), clauses);
    }
}

/// One by one: whoever takes all seeds lacks the proof of retrieval, and whoever takes it
/// twice lacks two seeds.
#[test]
fn all_seeds_and_several_proofs_of_retrieval() {
    for clauses in 2..=9 {
        let (ours, pairs) = Seeds::Each.offer(&SESSION, &secret(1), clauses);
        let all = chosen(&pairs, &vec![F2::from(false); clauses]);
        assert_eq!(all, ours.seeds.to_vec());
        assert!(!all.contains(&ours.retrieval));
        for twice in 0..clauses {
            let other = (twice + 1) % clauses;
            let mut choices = Seeds::Each.choices(clauses, twice).collect::<Vec<_>>();
            choices[other] = F2::from(true);
            let theirs = Seeds::Each.take(&SESSION, clauses, twice, &chosen(&pairs, &choices));
            assert_eq!(theirs.retrieval, ours.retrieval);
            assert_eq!(known(&theirs, &ours).len(), clauses - 2);
        }
    }
}
