//! Over F_2, with MACs of 64 bits: from rows of transfers, and with one as the noise.

use super::super::super::tests::*;
use super::super::super::{Delta, Key, Mac, uniform};
use super::super::{Prover, Verifier, traffic};
use super::SHORT;
use crate::ot::softspoken::Depth;
use crate::vole::cot;
use crate::vole::extend::Schedule;
use crate::vole::lpn::{Params, Sets, TILE};
use std::collections::HashSet;
use volery_channel::channel::{Party, Recording};
use volery_channel::error::{Error, Misbehaviour};
use volery_channel::random::Random;
use volery_primitives::arch::Arch;
use volery_primitives::{F2, F64, Field, Tag};

type Drawn = Session<Vec<F64>, Vec<F64>>;

/// The shares of `draws` blocks on both sides, on two instruction sets.
fn run_on([arch, other]: [Arch; 2], target: Params, draws: usize, changes: Vec<Change>) -> Drawn {
    session(
        changes,
        |channel| {
            let vole = Prover::of_bits(channel, arch, target, &mut Random::from_seed(&[1; 32]))?;
            draw(channel, Box::new(vole), draws)
        },
        |channel| {
            let random = &mut Random::from_seed(&[2; 32]);
            let vole = Verifier::of_bits(channel, other, target, &delta(9), random)?;
            draw(channel, Box::new(vole), draws)
        },
    )
}

fn run(target: Params, draws: usize, changes: Vec<Change>) -> Drawn {
    run_on([Arch::detect(); 2], target, draws, changes)
}

/// Shares are correlated, look random, and leave bit 0 of keys and of Δ to values.
fn assert_right(tags: &[F64], keys: &[F64]) {
    let delta = delta::<F2, F64>(9).value();
    assert_related::<F2, F64>(tags, keys, delta);
    assert!(keys.iter().chain([&delta]).all(|key| key.get() & 1 == 0));
    let ones = tags.iter().filter(|tag| tag.value() == F2::ONE).count();
    assert!((ones as f64 - tags.len() as f64 / 2.0).abs() <= 3.0 * (tags.len() as f64).sqrt(), "{ones}");
    let distinct = keys.iter().map(|key| key.get()).collect::<HashSet<_>>();
    assert_eq!(distinct.len(), keys.len());
}

fn assert_drawn(drawn: Drawn, draws: usize) {
    let (tags, keys) = (drawn.proved.unwrap(), drawn.verified.unwrap());
    assert_eq!(tags.len(), draws * TILE);
    assert_right(&tags, &keys);
}

#[test]
fn every_set_is_correlated() {
    let Sets { tiny, l2, mid, wan, .. } = Sets::F2;
    let refill = Schedule::over::<F2>(tiny, 64).draws() + 3;
    for (set, draws) in [(tiny, refill), (l2, 2), (mid, 2), (wan, 1)] {
        assert_drawn(run(set, draws, vec![]), draws);
    }
}

#[test]
fn shares_are_correlated_on_every_instruction_set() {
    let draws = 2 * Schedule::over::<F2>(SHORT, 64).draws() + 3;
    let all = Arch::available();
    let tags = all.iter().zip(all.iter().rev()).map(|(a, b)| {
        let drawn = run_on([*a, *b], SHORT, draws, vec![]);
        let tags = drawn.proved.as_ref().unwrap().clone();
        assert_drawn(drawn, draws);
        tags
    });
    let tags: HashSet<_> = tags.collect();
    assert_eq!(tags.len(), 1);
}

/// Straight from transfers, in blocks that grow.
#[test]
fn rows_of_transfers_are_shares() {
    for depth in [Depth::Four, Depth::Eight] {
        let arch = Arch::detect();
        let drawn = session(
            vec![],
            |channel| {
                let random = &mut Random::from_seed(&[1; 32]);
                let vole = cot::Prover::<Mac<F2, F64>>::new(channel, arch, depth, random)?;
                draw(channel, Box::new(vole), 7)
            },
            |channel| {
                let random = &mut Random::from_seed(&[2; 32]);
                let vole = cot::Verifier::<Key<F64>>::short(channel, arch, depth, &delta(9), random)?;
                draw(channel, Box::new(vole), 7)
            },
        );
        assert_right(&drawn.proved.unwrap(), &drawn.verified.unwrap());
    }
}

/// The messages of the set-up with [`SHORT`] by party: names with lengths.
fn messages() -> [Vec<(&'static str, usize)>; 2] {
    let trees = SHORT.trees_per_tile();
    let mut prover = vec![];
    // The transfers of trees, and those that are the first shares: 5 blocks.
    for trees in [16, 8] {
        prover.extend([("point", 32), ("levels", 32 * 7 * trees), ("sums", 32 * trees), ("digest", 32)]);
    }
    prover.extend([("choices", 16 * 7 * 5), ("mask", 16 * 7), ("φ", 16), ("digest", 32)]);
    prover.extend([8, 8, 16].map(|blocks| ("choices", 16 * 15 * blocks)));
    prover.extend([("mask", 16 * 15), ("φ", 16), ("digest", 32)]);
    prover.extend([("coin", 16); 16]);
    prover.extend([("x", 8), ("V", 8)]);
    let mut verifier = vec![("points", 64 * 128), ("points", 64 * 64)];
    let tile = [("levels", 16 * trees * (SHORT.depth - 1)), ("leaves", 8 * trees * 3)];
    verifier.extend([tile; 16].as_flattened());
    verifier.extend([("commitment", 32), ("opening", 32)]);
    [prover, verifier]
}

fn lengths(said: &Recording) -> Vec<usize> {
    said.messages().iter().map(Vec::len).collect()
}

#[test]
fn messages_are_those_of_the_tables() {
    let drawn = run(SHORT, 0, vec![]);
    for (said, expected) in drawn.messages.iter().zip(messages()) {
        assert_eq!(lengths(said), expected.iter().map(|message| message.1).collect::<Vec<_>>());
    }
}

/// The set-up's traffic is foretold, but for the sets that tests have.
#[test]
fn set_ups_are_foretold() {
    let Sets { tiny, l2, mid, wan, .. } = Sets::F2;
    for set in [tiny, l2, mid, wan] {
        let drawn = run(set, 0, vec![]);
        let said = drawn.messages.each_ref().map(|said| lengths(said).iter().sum::<usize>() as u64);
        let foretold = traffic::set_up::<F2, F64>(set);
        assert_eq!(said, [foretold.prover, foretold.verifier], "{}", set.name);
    }
}

/// A flipped bit is caught by either, or changes nothing.
#[test]
fn messages_are_checked() {
    for (party, messages) in [Party::Prover, Party::Verifier].into_iter().zip(messages()) {
        for (message, (name, _)) in messages.into_iter().enumerate() {
            let many = ["coin", "levels", "leaves"].contains(&name);
            if many && !message.is_multiple_of(9) {
                continue;
            }
            for bit in &[64, 77][..if many { 1 } else { 2 }] {
                let caught =
                    assert_caught(run(SHORT, 1, vec![Change::flip(party, message, *bit)]), &delta(9));
                // One of two corrections is used, or a bit is left free, or it is that of a choice for Δ's bit 0.
                assert!(
                    caught || ["levels", "leaves", "choices", "mask"].contains(&name),
                    "{name} {message}"
                );
            }
        }
    }
}

/// Bits that tags leave free in corrections of leaves change no share: they are not taken from the peer.
#[test]
fn what_is_left_free_is_not_the_peers() {
    let [_, verifier] = messages();
    let (message, trees) = (3, SHORT.trees_per_tile());
    assert_eq!(verifier[message].0, "leaves");
    for element in [13, trees + 13, 2 * trees + 13] {
        let change = Change::flip(Party::Verifier, message, 64 * element);
        let drawn = run(SHORT, 1, vec![change]);
        assert_drawn(drawn, 1);
    }
}

/// A prover that sends a false x passes where it guesses Δ, once.
#[test]
fn a_false_x_takes_a_guess_at_delta() {
    let [prover, _] = messages();
    let number = |name| prover.iter().position(|message| message.0 == name).unwrap();
    let error = uniform::<F64>(&mut Random::from_seed(&[3; 32]));
    let answered = |guess: F64| {
        let changes = vec![
            Change::add(Party::Prover, number("x"), 0, error),
            Change::add(Party::Prover, number("V"), 0, error * guess),
        ];
        let drawn = run(SHORT, 0, changes);
        assert!(
            drawn.verified.is_ok() || matches!(drawn.verified, Err(Error::Misbehaved(Misbehaviour::Noise)))
        );
        drawn.verified.is_ok()
    };
    let delta = delta::<F2, F64>(9).value();
    assert!(answered(delta));
    assert!(!answered(delta + F64::ONE) && !answered(F64::ZERO));
}

/// Keys of 64 bits have 63 that nobody knows, and store in as many bytes as others.
#[test]
fn keys_leave_a_bit_free() {
    let mut random = Random::from_seed(&[5; 32]);
    let (mut ones, mut zeroes) = (0, u64::MAX);
    for _ in 0..200 {
        let delta = Delta::<F2, F64>::random(&mut random);
        assert_eq!(delta.value().get() & 1, 0);
        (ones, zeroes) = (ones | delta.value().get(), zeroes & delta.value().get());
        let bytes = delta.to_bytes();
        assert_eq!(Delta::<F2, F64>::from_bytes(&bytes).unwrap().value(), delta.value());
        let mut odd = bytes.to_vec();
        odd[0] |= 1;
        assert!(Delta::<F2, F64>::from_bytes(&odd).is_none());
    }
    assert_eq!((ones, zeroes), (u64::MAX - 1, 0));
    assert_eq!(super::super::super::guess::<F2, F64>().log2(), -63.0);
    assert_eq!(super::super::super::likeliest::<F2, F64>().log2(), -64.0);
}

#[test]
fn a_peer_that_vanishes_ends_in_an_error() {
    let draws = 2 * Schedule::over::<F2>(SHORT, 64).draws();
    for stop in [0, draws / 4, draws / 2 + 1] {
        for [proved, verified] in [[draws, stop], [stop, draws]] {
            let drawn = session(
                vec![],
                |channel| {
                    let random = &mut Random::from_seed(&[1; 32]);
                    let vole = Prover::of_bits(channel, Arch::detect(), SHORT, random)?;
                    draw(channel, Box::new(vole), proved)
                },
                |channel| {
                    let random = &mut Random::from_seed(&[2; 32]);
                    let vole = Verifier::of_bits(channel, Arch::detect(), SHORT, &delta(9), random)?;
                    draw(channel, Box::new(vole), verified)
                },
            );
            assert!(drawn.proved.is_err() || drawn.verified.is_err());
        }
    }
}
