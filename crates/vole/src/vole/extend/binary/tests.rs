//! Correlations under every set, across refills, stopped anywhere; every message tampered with.

use super::*;
use crate::vole::extend::traffic;
use crate::vole::lpn::TILE;
use crate::vole::{BoxedVole, Share, Shares, Vole};
use std::collections::HashSet;
use std::time::Duration;
use volery_channel::channel::{Carried, Flip, Pipe, Tape, pipe};
use volery_primitives::Extension;

const TIMEOUT: Duration = Duration::from_secs(60);

/// The rows of `draws` blocks on both sides and both ends' errors, with a bit flipped where asked.
fn run(
    params: Params,
    draws: usize,
    flip: Option<(Party, Flip)>,
    [arch, verifiers]: [Arch; 2],
) -> (Result<Vec<F128>>, Result<Vec<F128>>, F128) {
    let (here, there) = pipe(TIMEOUT);
    let tape =
        |party, link: Pipe| Tape::new(link, flip.filter(|(from, _)| *from == party).map(|(_, flip)| flip)).0;
    let mut proving = Channel::new(Party::Prover, tape(Party::Prover, here));
    let mut verifying = Channel::new(Party::Verifier, tape(Party::Verifier, there));
    let delta = Delta::random(&mut Random::from_seed(&[9; 32]));
    let value = delta.value();
    std::thread::scope(|scope| {
        let prover = scope.spawn(move || {
            let vole = Prover::new(&mut proving, arch, params, &mut Random::from_seed(&[1; 32]))?;
            draw(&mut proving, vole, draws)
        });
        let mut verify = move || {
            let mut random = Random::from_seed(&[2; 32]);
            let vole = Verifier::new(&mut verifying, verifiers, params, &delta, &mut random)?;
            draw(&mut verifying, vole, draws)
        };
        let verified = verify();
        drop(verify);
        (prover.join().unwrap(), verified, value)
    })
}

fn draw<S: Share<Row = F128>>(
    channel: &mut Channel,
    mut vole: impl Vole<Share = S>,
    draws: usize,
) -> Result<Vec<F128>> {
    let (mut rows, mut block) = (vec![], Shares::default());
    for _ in 0..draws {
        vole.block(channel, &mut block)?;
        rows.extend_from_slice(block.rows(0));
    }
    Box::new(vole).check(channel).map(drop)?;
    channel.flush()?;
    Ok(rows)
}

fn assert_correlated(macs: &[F128], keys: &[F128], delta: F128) {
    assert_eq!(macs.len(), keys.len());
    for (mac, key) in macs.iter().zip(keys) {
        assert_eq!(*key, *mac ^ delta.scale(mac.bit0()));
        assert_eq!(key.bit0(), volery_primitives::F2::ZERO);
    }
}

/// All shares of more than two iterations, on every instruction set, none of them twice.
#[test]
fn shares_are_correlated_across_refills() {
    let draws = 2 * Schedule::new(Params::TINY).draws() + 3;
    let all = Arch::available();
    for archs in all.iter().zip(all.iter().rev()).map(|(a, b)| [*a, *b]) {
        let (macs, keys, delta) = run(Params::TINY, draws, None, archs);
        let (macs, keys) = (macs.unwrap(), keys.unwrap());
        assert_correlated(&macs, &keys, delta);
        let distinct: HashSet<F128> = keys.iter().copied().collect();
        assert_eq!(distinct.len(), keys.len());
        let ones = macs.iter().filter(|mac| mac.bit0() == volery_primitives::F2::ONE).count();
        assert!(ones.abs_diff(macs.len() / 2) < macs.len() / 100);
    }
}

/// Shares that were expected are drawn without a message; those after them are correlated all the same.
#[test]
fn an_iteration_rests_while_what_was_expected_is_drawn() {
    let (set, tiles) = (Params::SMALL, 50);
    let schedule = Schedule::new(set);
    let expected = (TILE * tiles) as u64;
    let (here, there) = pipe(TIMEOUT);
    let mut proving = Channel::new(Party::Prover, here);
    let mut verifying = Channel::new(Party::Verifier, there);
    let more = 2 * schedule.draws() + 5 - tiles;
    // What a party sends while it draws what it expects, and all that it draws.
    fn parts<V: Vole<Share: Share<Row = F128>>>(
        channel: &mut Channel,
        mut vole: V,
        (expected, more): (usize, usize),
    ) -> (u64, Vec<F128>) {
        vole.expect((TILE * expected) as u64, 128);
        let (before, mut rows, mut block) = (channel.traffic().sent, vec![], Shares::default());
        for _ in 0..expected {
            vole.block(channel, &mut block).unwrap();
            rows.extend_from_slice(block.rows(0));
        }
        let sent = channel.traffic().sent - before;
        rows.extend(draw(channel, vole, more).unwrap());
        (sent, rows)
    }
    let delta = Delta::random(&mut Random::from_seed(&[9; 32]));
    let ((quiet, macs), (silent, keys)) = std::thread::scope(|scope| {
        let prover = scope.spawn(move || {
            let mut random = Random::from_seed(&[1; 32]);
            let vole = Prover::new(&mut proving, Arch::detect(), set, &mut random).unwrap();
            parts(&mut proving, vole, (tiles, more))
        });
        let mut random = Random::from_seed(&[2; 32]);
        let vole = Verifier::new(&mut verifying, Arch::detect(), set, &delta, &mut random).unwrap();
        let verified = parts(&mut verifying, vole, (tiles, more));
        (prover.join().unwrap(), verified)
    });
    assert_eq!((quiet, silent), (0, 0));
    assert_eq!(traffic::draws(set, tiles as u64, Some(expected)), Carried::default());
    assert!(traffic::draws(set, tiles as u64, None).verifier > 100_000);
    assert_correlated(&macs, &keys, delta.value());
    assert_eq!(keys.iter().collect::<HashSet<_>>().len(), keys.len());
}

/// The base of an iteration never leaves the extension, and no two iterations share any of it.
#[test]
fn secrets_are_used_once() {
    let draws = Schedule::new(Params::TINY).draws();
    let (here, there) = pipe(TIMEOUT);
    let mut proving = Channel::new(Party::Prover, here);
    let mut verifying = Channel::new(Party::Verifier, there);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut random = Random::from_seed(&[1; 32]);
            let vole = Prover::new(&mut proving, Arch::detect(), Params::TINY, &mut random).unwrap();
            draw(&mut proving, vole, 2 * draws + 1).unwrap();
        });
        let delta = Delta::random(&mut Random::from_seed(&[9; 32]));
        let mut random = Random::from_seed(&[2; 32]);
        let mut vole =
            Verifier::new(&mut verifying, Arch::detect(), Params::TINY, &delta, &mut random).unwrap();
        let mut seen = HashSet::new();
        let mut block = Shares::default();
        for drawn in 0..=2 * draws {
            vole.block(&mut verifying, &mut block).unwrap();
            if drawn % draws == 0 {
                assert_eq!(vole.iteration.checked.table.len(), Params::TINY.secret);
                assert!(
                    vole.iteration.checked.table.iter().all(|share| seen.insert(*share)),
                    "a secret came again"
                );
            }
            assert!(block.rows(0).iter().all(|share| seen.insert(*share)), "a share came again");
        }
        verifying.flush().unwrap();
    });
}

/// Across a refill for all but the largest set, whose refill comes after 16 million shares.
#[test]
fn every_set_is_correlated() {
    for params in Params::ALL {
        let refill = Schedule::new(params).draws() + 2;
        let draws = if params == Params::WAN { 5 } else { refill };
        let (macs, keys, delta) = run(params, draws, None, [Arch::detect(); 2]);
        assert_correlated(&macs.unwrap(), &keys.unwrap(), delta);
    }
}

/// Statements of random lengths, one after the other, over several iterations: each ends with a check, and
/// the next one goes on with what the check gives back.
#[test]
fn statements_of_any_length_follow() {
    for seed in 0..6 {
        let (here, there) = pipe(TIMEOUT);
        let mut proving = Channel::new(Party::Prover, here);
        let mut verifying = Channel::new(Party::Verifier, there);
        let delta = Delta::random(&mut Random::from_seed(&[9; 32]));
        let (value, arch) = (delta.value(), Arch::detect());
        let mut lengths = Random::from_seed(&[seed; 32]);
        let lengths: Vec<usize> = (0..6).map(|_| lengths.word().0 as usize % 40).collect();
        let (macs, keys) = std::thread::scope(|scope| {
            let plan = &lengths;
            let prover = scope.spawn(move || {
                let mut random = Random::from_seed(&[1; 32]);
                let vole = Prover::new(&mut proving, arch, Params::TINY, &mut random).unwrap();
                draw_statements(&mut proving, Box::new(vole), plan)
            });
            let mut random = Random::from_seed(&[2; 32]);
            let vole = Verifier::new(&mut verifying, arch, Params::TINY, &delta, &mut random).unwrap();
            let keys = draw_statements(&mut verifying, Box::new(vole), plan);
            (prover.join().unwrap(), keys)
        });
        assert_correlated(&macs, &keys, value);
        assert_eq!(keys.len(), TILE * lengths.iter().sum::<usize>());
    }
}

fn draw_statements<S: Share<Row = F128>>(
    channel: &mut Channel,
    mut vole: BoxedVole<S>,
    lengths: &[usize],
) -> Vec<F128> {
    let (mut rows, mut block) = (vec![], Shares::default());
    for &length in lengths {
        for _ in 0..length {
            vole.block(channel, &mut block).unwrap();
            rows.extend_from_slice(block.rows(0));
        }
        vole = vole.check(channel).unwrap();
        channel.flush().unwrap();
    }
    rows
}

/// The stream may end after any draw: what is under way then is dropped by both sides.
#[test]
fn the_end_may_fall_anywhere() {
    for draws in 0..=Schedule::new(Params::TINY).draws() + 1 {
        let (macs, keys, delta) = run(Params::TINY, draws, None, [Arch::detect(); 2]);
        assert_correlated(&macs.unwrap(), &keys.unwrap(), delta);
    }
}

/// The verifier's messages: the base transfers, the corrections of each of 32 tiles, the answer; then those
/// of the next iteration. A changed one is caught by the prover where its check ends.
#[test]
fn a_flipped_bit_of_the_verifier_is_caught() {
    let draws = Schedule::new(Params::TINY).draws() + 1;
    for message in [1, 2, 17, 32, 33, 34, 50, 65, 66] {
        for bit in [0, 1, 130, 9001] {
            let flip = Some((Party::Verifier, Flip { message, bit }));
            let (macs, _, _) = run(Params::TINY, draws, flip, [Arch::detect(); 2]);
            assert!(macs.is_err(), "message {message}, bit {bit}");
        }
    }
}

/// The prover's set-up: four messages, one for each chunk, three of the check, and x; then the x of the next
/// iteration. What is changed before x is caught by the verifier, which goes on to nothing; a changed x makes
/// it answer what the prover does not expect.
#[test]
fn a_flipped_bit_of_the_prover_is_caught_on_the_right_side() {
    let chunks = 6;
    let x = 4 + chunks + 3;
    for message in 0..=x + 1 {
        let draws = if message > x { Schedule::new(Params::TINY).draws() + 1 } else { 1 };
        let flip = Some((Party::Prover, Flip { message, bit: 77 }));
        let (macs, keys, _) = run(Params::TINY, draws, flip, [Arch::detect(); 2]);
        let caught = |end: &Result<Vec<F128>>| matches!(end, Err(Error::Misbehaved(_)));
        assert!(if message < x { caught(&keys) } else { caught(&macs) }, "message {message}");
    }
}

/// A verifier that plants a wrong tree and answers as if it had guessed the path: it survives where the guess
/// is right, and then the leaves are right too.
#[test]
fn a_wrong_tree_needs_a_guess() {
    let params = Params::TINY;
    let (arch, checkpoint) = (Arch::detect(), [3; 32]);
    let mut random = Random::from_seed(&[4; 32]);
    let delta = F128(random.word().0 | 1);
    let trees = single_point::Verifier::new(arch, params, F128(5), delta, random.word());
    let length = params.trees_per_tile() * params.depth;
    let keys: Vec<F128> = (0..length).map(|_| F128(random.word().0 & !1)).collect();
    let macs: Vec<F128> = keys.iter().map(|key| *key ^ delta.scale(random.word().bit0())).collect();
    let (mut key_leaves, mut corrections) = (vec![F128::ZERO; TILE], vec![]);
    trees.plant(0, &keys, &mut key_leaves, &mut corrections);
    corrections[length - 1] ^= F128(1 << 40);
    let mut mac_leaves = vec![F128::ZERO; TILE];
    let trees = single_point::Prover::new(arch, params, F128(5));
    let mut fixed = single_point::Fixed::default();
    single_point::fix(&trees.forest(), 0, &macs, &corrections, &mut mac_leaves, &mut fixed);
    let chi: Vec<F128> = (0..TILE).map(|_| random.word()).collect();
    let (sum, phi) = volery_primitives::arch::weigh(arch, &chi, &mac_leaves);
    let honest = volery_primitives::arch::dot(arch, &chi, &key_leaves) + phi * delta;
    assert_ne!(check_digest(&checkpoint, sum), check_digest(&checkpoint, honest));
    // It is off by the correction's error at the sibling and at α, whose coefficients it must know to adapt.
    let off: Vec<usize> =
        (0..TILE).filter(|&j| mac_leaves[j] ^ delta.scale(mac_leaves[j].bit0()) != key_leaves[j]).collect();
    let adapted = off.iter().fold(honest, |sum, &j| sum + chi[j] * F128(1 << 40));
    assert_eq!(check_digest(&checkpoint, sum), check_digest(&checkpoint, adapted));
}

#[test]
fn a_peer_that_vanishes_in_a_refill_ends_in_an_error() {
    let schedule = Schedule::new(Params::TINY);
    for stop in [2, schedule.draws() / 2, schedule.draws() - 1] {
        let (here, there) = pipe(TIMEOUT);
        let mut proving = Channel::new(Party::Prover, here);
        let mut verifying = Channel::new(Party::Verifier, there);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let delta = Delta::random(&mut Random::from_seed(&[9; 32]));
                let mut random = Random::from_seed(&[2; 32]);
                let mut vole =
                    Verifier::new(&mut verifying, Arch::detect(), Params::TINY, &delta, &mut random).unwrap();
                let mut block = Shares::default();
                // Up to where it would wait for the prover's x.
                (0..stop.min(schedule.checked() - 1))
                    .for_each(|_| vole.block(&mut verifying, &mut block).unwrap());
                verifying.flush().unwrap();
            });
            let mut random = Random::from_seed(&[1; 32]);
            let vole = Prover::new(&mut proving, Arch::detect(), Params::TINY, &mut random).unwrap();
            let ended = draw(&mut proving, vole, 2 * schedule.draws());
            assert!(matches!(ended, Err(Error::Io { .. })));
        });
    }
}

#[test]
fn a_prover_that_vanishes_ends_in_an_error_too() {
    let stop = Schedule::new(Params::TINY).checked() - 2;
    let (here, there) = pipe(TIMEOUT);
    let mut proving = Channel::new(Party::Prover, here);
    let mut verifying = Channel::new(Party::Verifier, there);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut random = Random::from_seed(&[1; 32]);
            let vole = Prover::new(&mut proving, Arch::detect(), Params::TINY, &mut random).unwrap();
            draw(&mut proving, vole, stop).unwrap();
        });
        let delta = Delta::random(&mut Random::from_seed(&[9; 32]));
        let mut random = Random::from_seed(&[2; 32]);
        let vole = Verifier::new(&mut verifying, Arch::detect(), Params::TINY, &delta, &mut random).unwrap();
        assert!(matches!(draw(&mut verifying, vole, stop + 4), Err(Error::Io { .. })));
    });
}
