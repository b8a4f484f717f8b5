//! Shares over every kind of field, across refills, stopped anywhere; every message tampered with; a
//! prover that guesses Δ.

mod bits;

use super::super::tests::*;
use super::super::uniform;
use super::*;
use crate::vole::extend::{Base, Schedule, Start};
use crate::vole::lpn::TILE;
use crate::vole::{BoxedVole, Share, Shares, Vole};
use std::collections::HashSet;
use volery_channel::channel::Recording;
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_channel::random::Random;
use volery_primitives::arch::Arch;
use volery_primitives::{F61, F61x2, MacField};
use zeroize::Zeroizing;

type Drawn<B, E> = Session<Vec<<E as MacField<B>>::Tag>, Vec<E>>;

const LARGE: Sets = Sets::LARGE;

/// A set without any security, of 16 tiles, which `base` can start.
const SHORT: Params = Params { name: "short", secret: 512, trees: 512, depth: 7, security: 0 };
const SHORTS: Sets = Sets { seed: SHORT, tiny: SHORT, l2: SHORT, mid: SHORT, wan: SHORT };

/// The shares of `draws` blocks on both sides, on two instruction sets.
fn run_on<B: Field, E: MacField<B>>(
    [arch, other]: [Arch; 2],
    sets: Sets,
    target: Params,
    draws: usize,
    changes: Vec<Change>,
) -> Drawn<B, E> {
    session(
        changes,
        |channel| {
            let vole = Prover::<B, E>::new(channel, arch, sets, target, &mut Random::from_seed(&[1; 32]))?;
            draw(channel, Box::new(vole), draws)
        },
        |channel| {
            let random = &mut Random::from_seed(&[2; 32]);
            let vole = Verifier::<B, E>::new(channel, other, sets, target, &delta(9), random)?;
            draw(channel, Box::new(vole), draws)
        },
    )
}

fn run<B: Field, E: MacField<B>>(sets: Sets, target: Params, draws: usize) -> Drawn<B, E> {
    run_on([Arch::detect(); 2], sets, target, draws, vec![])
}

/// One block of [`SHORT`].
fn block<B: Field, E: MacField<B>>(changes: Vec<Change>) -> Drawn<B, E> {
    run_on([Arch::detect(); 2], SHORTS, SHORT, 1, changes)
}

fn assert_drawn<B: Field, E: MacField<B>>(drawn: Drawn<B, E>, draws: usize) {
    let (shares, keys) = (drawn.proved.unwrap(), drawn.verified.unwrap());
    assert_eq!(shares.len(), draws * TILE);
    assert_correlated(&shares, &keys, delta::<B, E>(9).value());
}

fn degree<B: Field, E: MacField<B>>() -> usize {
    E::degree() as usize
}

/// All shares of more than two iterations, on every instruction set.
#[test]
fn shares_are_correlated_on_every_instruction_set() {
    let draws = 2 * Schedule::over::<F61>(LARGE.tiny, 1).draws() + 3;
    let all = Arch::available();
    for archs in all.iter().zip(all.iter().rev()).map(|(a, b)| [*a, *b]) {
        assert_drawn(run_on::<F61, F61>(archs, LARGE, LARGE.tiny, draws, vec![]), draws);
    }
}

fn a_refill_is_correlated<B: Field, E: MacField<B>>() {
    let sets = Sets::of::<B>();
    let draws = Schedule::over::<F61>(sets.tiny, degree::<B, E>()).draws() + 3;
    assert_drawn(run::<B, E>(sets, sets.tiny, draws), draws);
}
over_every_kind!(a_refill_is_correlated);

#[test]
fn larger_sets_are_correlated() {
    let refill = Schedule::over::<F61>(LARGE.l2, 1).draws() + 2;
    for (set, draws) in [(LARGE.l2, refill), (LARGE.mid, 3), (LARGE.wan, 2)] {
        assert_drawn(run::<F61, F61>(LARGE, set, draws), draws);
    }
}

/// The stream may end after any draw: what is under way then is dropped by both sides.
#[test]
fn the_end_may_fall_anywhere() {
    ends_anywhere(3);
}

#[test]
#[ignore = "slow"]
fn the_end_may_fall_at_every_draw() {
    ends_anywhere(1);
}

/// Sessions that end after one in `step` numbers of draws, and about the refill.
fn ends_anywhere(step: usize) {
    let refill = Schedule::over::<F61>(SHORT, 2).draws();
    for draws in (0..=refill + 2).filter(|draws| draws % step == 0 || *draws >= refill) {
        assert_drawn(run::<F61, F61x2>(SHORTS, SHORT, draws), draws);
    }
}

/// A peer that goes away in the middle of an iteration ends the session in an error.
#[test]
fn a_peer_that_vanishes_ends_in_an_error() {
    let (arch, schedule) = (Arch::detect(), Schedule::over::<F61>(SHORT, 1));
    let goes_on = 2 * schedule.draws();
    for stop in [0, 1, schedule.draws() / 2, schedule.checked() - 1, schedule.opened() - 1] {
        for [proved, verified] in [[goes_on, stop], [stop, goes_on]] {
            let drawn = session(
                vec![],
                |channel| {
                    let random = &mut Random::from_seed(&[1; 32]);
                    let vole = Prover::<F61, F61>::new(channel, arch, SHORTS, SHORT, random)?;
                    draw(channel, Box::new(vole), proved)
                },
                |channel| {
                    let random = &mut Random::from_seed(&[2; 32]);
                    let vole = Verifier::<F61, F61>::new(channel, arch, SHORTS, SHORT, &delta(9), random)?;
                    draw(channel, Box::new(vole), verified)
                },
            );
            // Each tells coins until the other has answered to them; the verifier's decide until the verdict.
            let case = format!("{proved} and {verified} draws");
            let error = if proved > stop { drawn.proved.err() } else { drawn.verified.err() };
            match error.expect(&case) {
                // The first iteration's trees have coins from some draw on.
                Error::Abandoned { peer: "verifier", .. } => {
                    assert!(proved > stop && stop >= schedule.draws() / 2, "{case}");
                }
                Error::Io { .. } => assert!(proved > stop && stop < schedule.draws() / 2, "{case}"),
                // Those of its base shares.
                Error::Abandoned { peer: "prover", .. } => assert!(verified > stop, "{case}"),
                error => panic!("{case}: {error}"),
            }
        }
    }
}

/// The base of an iteration never leaves the extension, and no two iterations share any of it.
fn secrets_are_used_once<B: Field, E: MacField<B>>() {
    let iteration = Schedule::over::<F61>(SHORT, degree::<B, E>()).draws();
    let arch = Arch::detect();
    let drawn = session(
        vec![],
        |channel| {
            let vole =
                Prover::<B, E>::new(channel, arch, SHORTS, SHORT, &mut Random::from_seed(&[1; 32])).unwrap();
            draw(channel, Box::new(vole), 3 * iteration + 1)
        },
        |channel| {
            let random = &mut Random::from_seed(&[2; 32]);
            let mut vole = Verifier::<B, E>::new(channel, arch, SHORTS, SHORT, &delta(9), random).unwrap();
            let (mut seen, mut block) = (HashSet::new(), Shares::default());
            for drawn in 0..=3 * iteration {
                vole.block(channel, &mut block)?;
                if drawn % iteration == 0 {
                    assert_eq!(vole.iteration.checked.table.len(), SHORT.secret);
                    assert!(
                        vole.iteration.checked.table.iter().all(|key| seen.insert(key.to_integer())),
                        "a secret came again"
                    );
                }
                assert!(block.rows(0).iter().all(|key| seen.insert(key.to_integer())), "a share came again");
            }
            Ok(())
        },
    );
    drawn.proved.unwrap();
    drawn.verified.unwrap();
}
over_every_kind!(secrets_are_used_once);

/// The secret, the masks and the noise of each tree are shares of their own, and so are the transfers of each
/// tree; whatever the pieces in which they come, no more are taken than are used.
#[test]
fn all_that_an_iteration_starts_from_has_one_use() {
    let consumed = SHORT.consumed_over::<F61>(3);
    let mut base = Base::<u64>::new(Start::over::<F61>(SHORT, 3));
    base.reuse(Zeroizing::new(vec![77; 2 * consumed]));
    let shares: Vec<u64> = (0..2 * consumed as u64).collect();
    let pieces = shares.chunks(300).take_while(|piece| !base.collect(piece));
    assert_eq!(pieces.count(), (consumed - 1) / 300);
    let transfers: Vec<F128> = (0..5000).map(F128).collect();
    let pieces = transfers.chunks(1000).take_while(|piece| !base.collect_transfers(piece));
    assert_eq!(pieces.count(), (SHORT.trees * SHORT.depth - 1) / 1000);

    let tiles = 0..SHORT.tiles();
    let walked: Vec<F128> = tiles.clone().flat_map(|tile| base.transfers(tile)).copied().collect();
    assert_eq!(walked, transfers[..SHORT.trees * SHORT.depth]);
    let mut used: Vec<u64> = tiles.flat_map(|tile| base.shares(tile)).chain(base.masks()).copied().collect();
    assert_eq!(base.masks().len(), 3);
    used.extend(base.into_table().iter());
    used.sort_unstable();
    assert_eq!(used, shares[..consumed]);
}

/// Statements of random lengths, one after the other, over several iterations: each ends with a check, and
/// the next one goes on with what the check gives back. The verifier says something before each block, as
/// proofs do, and the prover hears it as late as it may.
#[test]
fn statements_of_any_length_follow() {
    statements_follow(0..3);
}

#[test]
#[ignore = "slow"]
fn more_statements_of_any_length_follow() {
    statements_follow(3..20);
}

fn statements_follow(seeds: core::ops::Range<u8>) {
    for seed in seeds {
        let mut random = Random::from_seed(&[seed; 32]);
        let lengths: Vec<usize> = (0..8).map(|_| random.word().0 as usize % 20).collect();
        let arch = Arch::detect();
        let drawn = session(
            vec![],
            |channel| {
                let random = &mut Random::from_seed(&[1; 32]);
                let vole = Prover::<F61, F61>::new(channel, arch, SHORTS, SHORT, random)?;
                assert!(vole.lag() > 0);
                let mut heard = 0;
                let hear = |channel: &mut Channel, vole: &mut dyn Vole<Share = _>, drawn, ended| {
                    let lag = if ended { 1 } else { vole.lag() };
                    while heard + lag < drawn + 1 {
                        assert_eq!(channel.recv_array()?, usize::to_le_bytes(heard));
                        vole.receive(channel)?;
                        heard += 1;
                    }
                    Ok(())
                };
                statements(channel, Box::new(vole), &lengths, hear)
            },
            |channel| {
                let random = &mut Random::from_seed(&[2; 32]);
                let vole = Verifier::<F61, F61>::new(channel, arch, SHORTS, SHORT, &delta(9), random)?;
                let say = |channel: &mut Channel, _: &mut dyn Vole<Share = _>, drawn, ended| match ended {
                    false => channel.send(&usize::to_le_bytes(drawn)),
                    true => Ok(()),
                };
                statements(channel, Box::new(vole), &lengths, say)
            },
        );
        assert_drawn(drawn, lengths.iter().sum());
    }
}

/// The blocks of statements of these `lengths`. Before each block, and at the end of each statement, comes
/// `meanwhile`, which is told how many blocks were drawn, and whether it is the end.
fn statements<S: Share>(
    channel: &mut Channel,
    mut vole: BoxedVole<S>,
    lengths: &[usize],
    mut meanwhile: impl FnMut(&mut Channel, &mut dyn Vole<Share = S>, usize, bool) -> Result<()>,
) -> Result<Vec<S::Row>> {
    let (mut rows, mut block, mut drawn) = (vec![], Shares::default(), 0);
    for &length in lengths {
        for _ in 0..length {
            meanwhile(channel, &mut *vole, drawn, false)?;
            vole.block(channel, &mut block)?;
            rows.extend_from_slice(block.rows(0));
            drawn += 1;
        }
        meanwhile(channel, &mut *vole, drawn, true)?;
        vole = vole.check(channel)?;
        channel.flush()?;
    }
    Ok(rows)
}

/// The messages of `iterations` iterations of [`SHORT`] by party, names with lengths, as the
/// tables of the modules say.
fn messages<B: Field, E: MacField<B>>(iterations: usize) -> [Vec<(&'static str, usize)>; 2] {
    let (r, trees) = (degree::<B, E>(), SHORT.trees_per_tile());
    let (transfers, columns, of_digits) = transferred::<B, E>();
    let mut prover = vec![("point", 32), ("levels", 32 * 7 * 16), ("sums", 32 * 16), ("digest", 32)];
    prover.push(("point", 32));
    prover.extend(of_digits);
    let mut shares = SHORT.consumed_over::<F61>(r) + r;
    while shares > 0 {
        let piece = shares.min(256);
        prover.push(("τ", B::BYTES * columns * piece));
        shares -= piece;
    }
    prover.extend([("sum", E::BYTES), ("columns", 32)]);
    let mut verifier = vec![("points", 64 * 128), ("points", 64 * transfers), ("seed", 16)];
    // 28 blocks of choices, in chunks that double.
    for chunks in [vec![8, 8, 16], vec![32], vec![64]].into_iter().take(iterations) {
        prover.extend(chunks.into_iter().map(|blocks| ("choices", 16 * 15 * blocks)));
        prover.extend([("mask", 16 * 15), ("φ", 16), ("digest", 32)]);
        prover.extend(vec![("coin", 16); SHORT.tiles()]);
        prover.extend([("x", E::BYTES), ("V", E::BYTES)]);
        let tile = [("levels", 16 * trees * (SHORT.depth - 1)), ("leaves", E::BYTES * trees * 3)];
        verifier.extend([tile; 16].as_flattened());
        verifier.extend([("commitment", 32), ("opening", 32)]);
    }
    [prover, verifier]
}

/// The number of the first message called `name`.
fn number(messages: &[(&str, usize)], name: &str) -> usize {
    messages.iter().position(|message| message.0 == name).unwrap()
}

fn lengths(recording: &Recording) -> Vec<usize> {
    recording.messages().iter().map(Vec::len).collect()
}

/// The tables of messages leave nothing out, and lengths depend on nothing secret.
fn messages_are_those_of_the_tables<B: Field, E: MacField<B>>() {
    let draws = Schedule::over::<F61>(SHORT, degree::<B, E>()).draws() + 1;
    for (iterations, draws) in [(1, 0), (2, draws)] {
        let drawn = run::<B, E>(SHORTS, SHORT, draws);
        for (said, expected) in drawn.messages.iter().zip(messages::<B, E>(iterations)) {
            let expected: Vec<usize> = expected.iter().map(|message| message.1).collect();
            // The next iteration is under way already.
            assert_eq!(lengths(said)[..expected.len()], expected);
        }
        assert_drawn(drawn, draws);
    }
}
over_every_kind!(messages_are_those_of_the_tables);

fn caught<B: Field, E: MacField<B>>(drawn: Drawn<B, E>) -> bool {
    assert_caught(drawn, &delta::<B, E>(9))
}

/// Whether a part of this message may go unseen: a one-sided correction where the prover's path is on the
/// other side, or a τ where its bit of Δ is zero.
fn is_one_sided(name: &str) -> bool {
    name == "leaves" || one_sided(name)
}

/// The messages with numbers from `from` on and their names; of those that come tile by tile one in seven.
fn some<'a>(
    messages: &'a [(&'static str, usize)],
    from: usize,
) -> impl Iterator<Item = (usize, &'static str)> + 'a {
    let numbered = messages.iter().enumerate().skip(from).map(|(message, (name, _))| (message, *name));
    numbered
        .filter(|(message, name)| message.is_multiple_of(7) || !["coin", "levels", "leaves"].contains(name))
}

/// A flipped bit of the prover's is caught by the verifier, and one of the verifier's by either.
#[test]
fn messages_of_the_set_up_are_checked() {
    let [prover, verifier] = messages::<F61, F61>(1);
    for (message, name) in some(&prover, 0) {
        let drawn = block::<F61, F61>(vec![Change::flip(Party::Prover, message, 77)]);
        assert!(
            matches!(drawn.verified, Err(Error::Misbehaved(_))) || is_one_sided(name),
            "{name} {message}"
        );
        caught(drawn);
    }
    for (message, name) in some(&verifier, 0) {
        let drawn = block::<F61, F61>(vec![Change::flip(Party::Verifier, message, 77)]);
        assert!(caught(drawn) || is_one_sided(name), "{name} {message}");
    }
}

/// Messages are checked in the second iteration as in the first.
#[test]
fn messages_of_a_refill_are_checked() {
    let draws = Schedule::over::<F61>(SHORT, 1).draws() + 1;
    let [first, both] = [1, 2].map(messages::<F61, F61>);
    for (i, party) in [Party::Prover, Party::Verifier].into_iter().enumerate() {
        for (message, name) in some(&both[i], first[i].len()) {
            let change = Change::flip(party, message, 77);
            let drawn = run_on::<F61, F61>([Arch::detect(); 2], SHORTS, SHORT, draws, vec![change]);
            assert!(caught(drawn) || is_one_sided(name), "{name} {message}");
        }
    }
}

/// One message of each kind that knows of the field, or of those with elements and what is made of them every other
/// one, other ones over the next field, in its middle.
fn each_kind_of_message_is_checked<B: Field, E: MacField<B>>(all: bool) {
    let transfers = ["points", "levels", "sums", "digest", "choices", "mask", "φ"];
    let elements = ["levels of digits", "τ", "sum", "columns", "x", "V", "leaves"];
    for (party, messages) in [Party::Prover, Party::Verifier].into_iter().zip(messages::<B, E>(1)) {
        let mut kinds = HashSet::new();
        let first_of_each = messages.iter().enumerate().filter(|(_, kind)| kinds.insert(**kind));
        let kinds = first_of_each.filter(|(_, (name, _))| !transfers.contains(name));
        let kinds = kinds.filter(|(_, (name, _))| all || elements.contains(name)).enumerate();
        let kinds = kinds.filter(|(at, _)| all || at % 2 == B::BITS as usize % 2).map(|(_, kind)| kind);
        for (message, (name, length)) in kinds {
            let drawn = block::<B, E>(vec![Change::flip(party, message, 4 * length)]);
            assert!(caught(drawn) || is_one_sided(name), "{name} {message}");
        }
    }
}
over_every_kind_in_part!(each_kind_of_message_is_checked);

/// Corrections of leaves are checked: of the three parts of the last level's message the last is always
/// opened, and of the others one in each tree. Alone these are changed where all cases are asked for.
fn corrections_of_leaves_are_checked<B: Field, E: MacField<B>>(all: bool) {
    let [_, verifier] = messages::<B, E>(1);
    let (message, trees, tree) = (number(&verifier, "leaves"), SHORT.trees_per_tile(), 13);
    let is_caught = |elements: &[usize]| {
        let change = |element: &usize| Change::add(Party::Verifier, message, *element, E::ONE);
        caught(block::<B, E>(elements.iter().map(change).collect()))
    };
    assert!(!all || is_caught(&[tree]) ^ is_caught(&[trees + tree]));
    assert!(is_caught(&[tree, trees + tree]));
    assert!(is_caught(&[2 * trees + tree]));
}
over_every_kind_in_part!(corrections_of_leaves_are_checked);

/// An element that is not in canonical form is refused wherever one is received; of the fields of
/// characteristic two every encoding is canonical. Where not all cases are asked for, once for each party and
/// field.
fn elements_are_canonical<B: Field, E: MacField<B>>(all: bool) {
    let [prover, verifier] = messages::<B, E>(1);
    let trees = SHORT.trees_per_tile();
    let refused =
        |end: Option<Error>| matches!(end, Some(Error::Misbehaved(Misbehaviour::NonCanonicalElement)));
    if B::decode(&vec![0xff; B::BYTES]).is_none() {
        let change = Change::fill::<B>(Party::Prover, number(&prover, "τ"), 256);
        assert!(refused(block::<B, E>(vec![change]).verified.err()), "τ");
    }
    if E::decode(&vec![0xff; E::BYTES]).is_none() {
        for &(name, index) in &[("x", 0), ("sum", 0), ("V", 0)][..if all { 3 } else { 1 }] {
            let change = Change::fill::<E>(Party::Prover, number(&prover, name), index);
            assert!(refused(block::<B, E>(vec![change]).verified.err()), "{name} {index}");
        }
        for &index in &[3 * trees - 1, 0, trees][..if all { 3 } else { 1 }] {
            let change = Change::fill::<E>(Party::Verifier, number(&verifier, "leaves"), index);
            assert!(refused(block::<B, E>(vec![change]).proved.err()), "correction {index}");
        }
    }
}
over_every_kind_in_part!(elements_are_canonical);

/// A prover that sends a false x knows V up to a multiple of Δ: it passes where it guesses Δ, and gets one
/// guess, since the verifier opens nothing where it is wrong.
fn a_false_x_takes_a_guess_at_delta<B: Field, E: MacField<B>>(all: bool) {
    let [prover, verifier] = messages::<B, E>(1);
    let (x, v) = (number(&prover, "x"), number(&prover, "V"));
    let error = uniform::<E>(&mut Random::from_seed(&[3; 32]));
    let answered = |guess: E| {
        let changes =
            vec![Change::add(Party::Prover, x, 0, error), Change::add(Party::Prover, v, 0, -error * guess)];
        let drawn = run_on::<B, E>([Arch::detect(); 2], SHORTS, SHORT, 0, changes);
        let opened = drawn.messages[1].messages().len() > number(&verifier, "opening");
        assert_eq!(opened, drawn.verified.is_ok());
        assert!(opened || matches!(drawn.verified, Err(Error::Misbehaved(Misbehaviour::Noise))));
        opened
    };
    let delta = delta::<B, E>(9).value();
    assert!(answered(delta));
    for &guess in &[delta + E::ONE, E::ZERO, -delta][..if all { 3 } else { 1 }] {
        assert!(!answered(guess) || guess == delta);
    }
}
over_every_kind_in_part!(a_false_x_takes_a_guess_at_delta);

/// Equal sums have other commitments under other salts: whoever lacks the salt cannot test a sum.
#[test]
fn commitments_are_salted() {
    let committed = |id: u8, sum: u64, salt: u8| commitment(&[id; 32], F61::new(sum), &[salt; 32]);
    assert_eq!(committed(1, 2, 3), committed(1, 2, 3));
    let others = [committed(1, 2, 3), committed(4, 2, 3), committed(1, 4, 3), committed(1, 2, 4)];
    assert_eq!(others.iter().collect::<HashSet<_>>().len(), 4);
    // Salts are the verifier's own randomness, fresh in each iteration.
    let draws = Schedule::over::<F61>(SHORT, 1).draws();
    let said = run::<F61, F61>(SHORTS, SHORT, draws).messages[1].messages();
    let [first, both] = [1, 2].map(|iterations| messages::<F61, F61>(iterations)[1].len());
    let commitments_and_openings = [first - 2, first - 1, both - 2, both - 1].map(|message| &said[message]);
    assert_eq!(HashSet::from(commitments_and_openings).len(), 4);
}
