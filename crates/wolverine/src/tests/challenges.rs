//! Challenges: whose they are, when they come, and provers that know them earlier.

use super::liar::{Before, Lies, cheat};
use super::script::{Said, script};
use super::*;
use crate::interpolation::At;
use crate::opening::{Opening, Pairs};
use crate::rows::Tiles;
use std::collections::HashSet;
use volery_channel::channel::Playback;
use volery_primitives::Tag as _;

fn word(message: &[u8]) -> F128 {
    F128::from_bytes(*message.first_chunk().unwrap())
}

/// A verifier that hears a record up to the last byte of any message, and no further, has told as many coins
/// as are due by the messages before it: a block's first one when all its corrections, further values and d
/// have arrived, and the other one when all δ have.
#[test]
fn coins_come_after_all_they_combine() {
    fn test<M: Dealt>() {
        // Three blocks, and tiles of one.
        let tiled = all_terms::<M>(4200, 20).into_iter().filter(|terms| !terms.one_way);
        for terms in all_terms::<M>(40, 8).into_iter().chain(tiled) {
            let n = if terms.block == 40 { 100 } else { 4200 };
            let (circuit, witness) = instance::<M>(n, 1);
            let run = record_honest::<M>(terms, &circuit, &witness, SEEDS);
            let script = script::<M>(&terms, n);
            let [check, opening] = terms.coins::<M>();
            let mut due = 0;
            for (i, (said, _)) in script.iter().enumerate() {
                let mut heard = run.said[..=i].concat();
                heard.pop();
                let (link, answered) = Tape::new(Playback::new(heard), None);
                // Who leaves after a coin is not taken for a link that failed.
                match verify::<M>(terms, &circuit, SEEDS, link).map(drop) {
                    Err(Error::Io { .. }) => assert_eq!(due, 0, "{said:?}, {}", terms.name()),
                    Err(Error::Abandoned { peer: "prover", .. }) => assert!(due > 0, "{}", terms.name()),
                    ended => panic!("{said:?}, {}: {ended:?}", terms.name()),
                }
                assert_eq!(answered.messages(), run.answered[..due], "{said:?}, {}", terms.name());
                let next = script.get(i + 1).map(|next| next.0);
                let last = next != Some(*said);
                due += usize::from(check && *said == Said::Triples && last);
                due += usize::from(opening && *said == Said::Right && next == Some(Said::Sum));
            }
            assert_eq!((due, run.said.len()), (run.answered.len(), script.len()));
            assert!(verify::<M>(terms, &circuit, SEEDS, Playback::new(run.said.concat())).is_ok());
        }
    }
    test::<BitMacs>();
    test::<FieldMacs<F61, F61>>();
    test::<FieldMacs<F61, F61x2>>();
    test::<FieldMacs<F256, F128>>();
}

/// Each block of one statement gets coins of its own, and so does each run.
#[test]
fn coins_are_drawn_anew() {
    fn test<M: Dealt>() {
        for terms in all_terms::<M>(10, 8) {
            let (circuit, witness) = instance::<M>(35, 1);
            let coins = [1, 2].map(|verifier| {
                let seeds = Seeds { verifier, ..SEEDS };
                record_honest::<M>(terms, &circuit, &witness, seeds).answered
            });
            let coins = coins.concat();
            let each: usize = terms.coins::<M>().map(usize::from).iter().sum();
            assert_eq!(coins.len(), 2 * 4 * each);
            assert_eq!(coins.iter().collect::<HashSet<_>>().len(), coins.len());
        }
    }
    over_every_kind!(test);
}

/// The coins of three runs for the same statement: of the one to cheat in, and of two others.
fn coins<M: Dealt>(terms: Terms, circuit: &Products<M::F>, witness: &[M::F]) -> [Vec<F128>; 3] {
    [SEEDS.verifier, 20, 21].map(|verifier| {
        let seeds = Seeds { verifier, ..SEEDS };
        let run = record_honest::<M>(terms, circuit, witness, seeds);
        run.answered.iter().map(|coin| word(coin)).collect()
    })
}

/// A lie about gate 5 that goes by the first coin of a block of `gates`.
fn lies_by_coin<M: Macs>(terms: &Terms, gates: usize, coin: F128) -> Lies<M> {
    let error = M::F::ONE;
    let mut lies = Lies { products: vec![(5, error)], ..Lies::default() };
    if terms.by == CheckedBy::Interpolation {
        let (nu, matching) = point_and_matching::<M::E>(coin, gates.div_ceil(GROUP));
        let of_group = At::new::<M::F>(nu).product[5].scale(error);
        lies.packed = vec![(0, matching.factor * of_group)];
    } else {
        let matching = matching::<M::F>(coin, terms, gates);
        let triples = 0..matching.slots.len();
        let bucket = triples.filter(|&i| matching.gate(matching.slots[i]) == Some(5));
        lies.triples = bucket.map(|i| (i, matching.factor * error)).collect();
        assert_eq!(lies.triples.len() as u64, terms.plan(gates as u64).bucket);
    }
    lies
}

/// A prover who knew the permutation, η, or ν and η could choose triples that hide a lie; those of another
/// run hide nothing.
#[test]
fn a_prover_who_knows_the_check_beforehand_is_believed() {
    fn test<M: Dealt>() {
        for terms in all_terms::<M>(64, 40).into_iter().filter(|terms| !terms.one_way) {
            let (circuit, witness) = instance::<M>(64, 1);
            let [own, others @ ..] = coins::<M>(terms, &circuit, &witness);
            let verdict = |coin| {
                let lies = lies_by_coin::<M>(&terms, 64, coin);
                cheat::<M>(terms, (&circuit, &witness), &lies, SEEDS).verdict
            };
            assert!(verdict(own[0]).is_ok(), "{}", terms.name());
            assert!(others.iter().all(|other| is_caught(&verdict(other[0]))), "{}", terms.name());
        }
    }
    over_every_kind!(test);
}

/// The coin of the first block says nothing of the second one's.
#[test]
fn a_prover_who_knows_an_earlier_coin_is_caught() {
    fn test<M: Dealt>() {
        for terms in all_terms::<M>(64, 40).into_iter().filter(|terms| !terms.one_way) {
            let (circuit, witness) = instance::<M>(128, 1);
            let coins = coins::<M>(terms, &circuit, &witness)[0].clone();
            let each = coins.len() / 2;
            let verdict = |coin| {
                let mut lies = lies_by_coin::<M>(&terms, 64, coin);
                // The same in the second block.
                let made = if terms.by == CheckedBy::Interpolation { 2 } else { terms.plan(64).triples(64) };
                lies.products[0].0 += 64;
                lies.triples.iter_mut().for_each(|lie| lie.0 += made as usize);
                lies.packed.iter_mut().for_each(|lie| lie.0 += made as usize);
                cheat::<M>(terms, (&circuit, &witness), &lies, SEEDS).verdict
            };
            assert!(verdict(coins[each]).is_ok(), "{}", terms.name());
            assert!(is_caught(&verdict(coins[0])), "{}", terms.name());
        }
    }
    over_every_kind!(test);
}

/// A prover who knew ν could choose a further value so that the polynomials agree there, and would need no
/// triple.
#[test]
fn a_prover_who_knows_the_point_beforehand_is_believed() {
    fn test<E: MacField<E>>() {
        let checking = Checking { by: Some(CheckedBy::Interpolation), block: Some(64) };
        let terms = Terms::new::<FieldMacs<E, E>>(&checking, 40, false).unwrap();
        let (circuit, witness) = instance::<FieldMacs<E, E>>(64, 1);
        let [own, others @ ..] = coins::<FieldMacs<E, E>>(terms, &circuit, &witness);
        let verdict = |coin| {
            let (nu, _) = point_and_matching::<E>(coin, 2);
            let weights = At::new::<E>(nu).product;
            let further = -(weights[5] * weights[GROUP + 7].invert());
            let lies = Lies { products: vec![(5, E::ONE)], further: vec![(7, further)], ..Lies::default() };
            cheat::<FieldMacs<E, E>>(terms, (&circuit, &witness), &lies, SEEDS).verdict
        };
        assert!(verdict(own[0]).is_ok());
        assert!(others.iter().all(|other| is_caught(&verdict(other[0]))));
    }
    test::<F61>();
}

/// θ_α under this seed: from the sums of MACs of a lone triple, whose x or whose z has the MAC one.
fn theta<E: MacField<E>>(seed: F128) -> E {
    type L<E> = FieldMacs<E, E>;
    let sum = |macs: [E; 3]| {
        let tagged = |macs: [E; 3]| {
            let mut tiles = Tiles::new();
            tiles.push(macs.map(|mac| E::Tag::new(E::ZERO, mac)));
            tiles
        };
        let mut pairs =
            Pairs { triples: tagged(macs), opened: [vec![E::ZERO], vec![E::ZERO]], ..Pairs::new() };
        pairs.matching.in_order(1, E::ONE);
        let gates = &mut tagged([E::ZERO; 3]);
        Opening::<L<E>, _>::new(Arch::detect(), seed, gates, &mut pairs).of_tags(&Pool::default())
    };
    let chi = sum([E::ZERO, E::ZERO, E::ONE]);
    -(sum([E::ONE, E::ZERO, E::ZERO]) * chi.invert())
}

/// A prover who knew θ_α could open a wrong δ_α: by t more than it is, which comes to χ·t·(b − θ_α) in the
/// sum over all and so cancels a lie by −η·e. It would need no triple.
#[test]
fn a_prover_who_knows_the_coefficients_beforehand_is_believed() {
    fn test<E: MacField<E>>()
    where
        FieldMacs<E, E>: Dealt<F = E> + Values<F = E>,
    {
        let checking = Checking { by: Some(CheckedBy::Sacrifice), block: Some(64) };
        let terms = Terms::new::<FieldMacs<E, E>>(&checking, 40, false).unwrap();
        let (circuit, witness) = instance::<FieldMacs<E, E>>(64, 1);
        let [own, others @ ..] = coins::<FieldMacs<E, E>>(terms, &circuit, &witness);
        let verdict = |coins: [F128; 2]| {
            let eta = matching::<E>(coins[0], &terms, 64).factor;
            let more = eta * (witness[2 * 5 + 1] - theta::<E>(coins[1])).invert();
            let lies = Lies { products: vec![(5, E::ONE)], left: vec![(5, more)], ..Lies::default() };
            cheat::<FieldMacs<E, E>>(terms, (&circuit, &witness), &lies, SEEDS).verdict
        };
        assert!(verdict([own[0], own[1]]).is_ok());
        for other in others {
            // It hears the first coin in time for δ.
            assert!(is_caught(&verdict([own[0], other[1]])));
            assert!(is_caught(&verdict([other[0], own[1]])));
        }
    }
    test::<F61>();
}

/// A prover that draws the transcript's challenge before the last part of any message that it combines gets
/// another one than the verifier, and is refused.
#[test]
fn the_transcripts_challenges_come_after_all_they_combine() {
    fn test<M: Dealt>() {
        for (block, n) in [(40, 30), (4200, 4200)] {
            for terms in all_terms::<M>(block, 20) {
                let (circuit, witness) = instance::<M>(n, 1);
                let [check, opening] = terms.coins::<M>().map(|coin| !coin);
                let groups = terms.by == CheckedBy::Interpolation;
                let early = [
                    (Before::Corrections, check),
                    (Before::Further, check && groups),
                    (Before::Triples, check),
                    (Before::Left, opening),
                    (Before::Right, opening),
                ];
                for (before, drawn) in early.into_iter().filter(|early| early.1) {
                    let lies = Lies { early: Some(before), ..Lies::default() };
                    let verdict = cheat::<M>(terms, (&circuit, &witness), &lies, SEEDS).verdict;
                    assert!(drawn && is_caught(&verdict), "{before:?}, {}", terms.name());
                }
                let lies = Lies::default();
                assert!(cheat::<M>(terms, (&circuit, &witness), &lies, SEEDS).verdict.is_ok());
            }
        }
    }
    test::<BitMacs>();
    test::<FieldMacs<F61, F61x2>>();
}

/// The transcript's challenges of a block change where any message before them does, in its first
/// byte or in its last one.
#[test]
fn the_transcripts_challenges_depend_on_every_byte() {
    fn test<M: Dealt>() {
        for terms in all_terms::<M>(40, 40).into_iter().filter(|terms| terms.one_way) {
            let (circuit, witness) = instance::<M>(30, 1);
            let said = record_honest::<M>(terms, &circuit, &witness, SEEDS).said;
            let script = script::<M>(&terms, 30);
            let seeds = |said: &[Vec<u8>]| {
                let mut channel = Channel::new(Party::Verifier, Playback::new(said.concat()));
                let mut seeds = [None; 2];
                for (message, (what, _)) in said.iter().zip(&script) {
                    channel.recv(&mut vec![0; message.len()]).unwrap();
                    match what {
                        Said::Triples => seeds[0] = Some(transcript_seed(&mut channel, CHECK)),
                        Said::Right => seeds[1] = Some(transcript_seed(&mut channel, OPENING)),
                        _ => {}
                    }
                }
                seeds.map(Option::unwrap)
            };
            let honest = seeds(&said);
            for (message, (what, bytes)) in script.iter().enumerate() {
                for byte in [0, bytes - 1] {
                    let mut changed = said.clone();
                    changed[message][byte] ^= 1;
                    let [check, opening] = seeds(&changed);
                    let before_check = matches!(what, Said::Corrections | Said::Further | Said::Triples);
                    assert_eq!(check != honest[0], before_check, "{what:?}");
                    let before_opening = before_check || matches!(what, Said::Left | Said::Right);
                    assert_eq!(opening != honest[1], before_opening, "{what:?}");
                }
            }
        }
    }
    test::<BitMacs>();
    test::<FieldMacs<F61, F61x2>>();
    test::<FieldMacs<F256, F128>>();
}
