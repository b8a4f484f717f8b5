//! The correlation at every depth and length; errors in every message, guessed and not.

use super::*;
use std::collections::HashSet;
use std::time::Duration;
use volery_channel::channel::{Party, pipe};
use volery_channel::random::Random;
use volery_primitives::{Arch, F2, Field};

const SALT_OF_TESTS: [u8; SALT] = [3; SALT];

/// The results of both ends.
struct Outcome {
    macs: Vec<F128>,
    keys: Vec<F128>,
    /// Whether the columns' hashes agree.
    consistent: bool,
    lines_relate: bool,
}

/// A dealer of trees of these depths, with its cheat, and a reader who opens them at `delta`; so many shares
/// and lines. Blocks of which only some shares are used end at `skip`.
fn run(
    depths: &[usize],
    (delta, shares, lines): (F128, u64, usize),
    skips: &[usize],
    cheat: Option<expansion::Cheat>,
) -> Outcome {
    let mut random = Random::from_seed(&[7; 32]);
    let (dealt, mut dealer) =
        Dealt::new((Arch::detect(), &Pool::ALONE), depths, &SALT_OF_TESTS, &mut random, shares);
    dealer.cheat = cheat;
    let opening = dealer.open(&dealt, delta);
    let (opened, mut reader) =
        OpenedTrees::new((Arch::detect(), &Pool::ALONE), depths, (&SALT_OF_TESTS, delta), &opening, shares);
    assert_eq!(opened.digest(), dealt.digest());
    let (here, there) = pipe(Duration::from_secs(20));
    let (mut saying, mut hearing) = (Channel::new(Party::Prover, here), Channel::new(Party::Verifier, there));
    let said = dealer.masks(&mut saying, lines).unwrap();
    saying.flush().unwrap();
    let heard = reader.masks(&mut hearing, lines).unwrap();
    assert_eq!((said.len(), heard.len()), (lines, lines));
    let lines_relate = said.iter().zip(&*heard).all(|((m, u), key)| *m + *u * delta == *key);
    let (mut macs, mut keys) = (vec![], vec![]);
    let (mut block, mut key_block) = (Shares::default(), Shares::default());
    for number in 0.. {
        let next = reader.next_shares();
        dealer.block(&mut saying, &mut block).unwrap();
        saying.flush().unwrap();
        reader.block(&mut hearing, &mut key_block).unwrap();
        assert_eq!((block.len(), key_block.len()), (next, next));
        if next == 0 {
            break;
        }
        let used = next - skips.get(number).copied().unwrap_or(0).min(next);
        dealer.skip(next - used);
        reader.skip(next - used);
        macs.extend_from_slice(&block.rows(0)[..used]);
        keys.extend_from_slice(&key_block.rows(0)[..used]);
    }
    let (u, columns) = dealer.hashes();
    saying.send(&u).unwrap();
    saying.flush().unwrap();
    let consistent = reader.hashes(hearing.recv_array().unwrap()) == columns;
    Outcome { macs, keys, consistent, lines_relate }
}

fn related(run: &Outcome, delta: F128) -> bool {
    run.macs.len() == run.keys.len()
        && run
            .macs
            .iter()
            .zip(&run.keys)
            .all(|(m, k)| *k == *m ^ F128(delta.0 & m.bit0().mask()) && k.bit0() == F2::ZERO)
}

fn delta_of(depths: &[usize], seed: u8) -> F128 {
    let bits = depths.iter().sum::<usize>();
    F128(Random::from_seed(&[seed; 32]).word().0 & ((1 << bits) - 1) << 1 | 1)
}

#[test]
fn every_share_is_correlated_at_every_depth() {
    let mixed = [15, 12, 9, 8, 7, 6, 5, 4, 3];
    for depths in [&[3][..], &[3, 3], &[4, 3], &[5, 4, 4], &[9, 8], &[10, 9, 3], &mixed, &[8; 15]] {
        let delta = delta_of(depths, depths.len() as u8);
        let run = run(depths, (delta, 300, 2), &[], None);
        assert!(related(&run, delta) && run.consistent && run.lines_relate, "{depths:?}");
        let ones = run.macs.iter().filter(|mac| mac.bit0() == F2::ONE).count();
        assert!((100..200).contains(&ones), "{ones} ones");
    }
}

#[test]
fn every_length_and_early_ends() {
    let depths = [4, 3, 3];
    let delta = delta_of(&depths, 9);
    for (shares, lines) in
        [(0, 1), (1, 1), (8, 127), (127, 3), (128, 1), (129, 1), (8191, 2), (8192, 9), (8193, 1), (20_001, 1)]
    {
        let run = run(&depths, (delta, shares, lines), &[], None);
        assert_eq!(run.macs.len() as u64, shares.next_multiple_of(8));
        assert!(related(&run, delta) && run.consistent && run.lines_relate, "{shares} shares");
    }
    // What was not used is there in the end, whatever was rounded.
    for skips in [&[8192][..], &[8000, 0, 100], &[1, 2, 3], &[0, 8191]] {
        let run = run(&depths, (delta, 10_000, 1), skips, None);
        assert!(related(&run, delta) && run.consistent);
        assert!((10_000..10_024).contains(&run.macs.len()), "{} of 10000 shares", run.macs.len());
    }
}

/// Columns are sums over all leaves, taken here one by one in the order that the header says.
#[test]
fn columns_are_sums_over_leaves() {
    let depths = [9, 3];
    let mut random = Random::from_seed(&[7; 32]);
    let trees = crate::voleith::fixed_key::trees(Arch::PORTABLE, &SALT_OF_TESTS, &depths);
    let run = run(&depths, (F128(1), 8, 1), &[], None);
    // The masks take blocks 0 to 2; groups of 8 begin whole.
    let (block, mut first) = (8_u64, 1);
    for (i, tree) in trees.iter().enumerate() {
        let leaves = tree.leaves(random.word());
        let key = volery_primitives::aes::Aes128::new(Arch::PORTABLE, tree.expansion(block / 8));
        let mut columns = vec![F128::ZERO; depths[i]];
        let mut total = F128::ZERO;
        for (x, leaf) in leaves.iter().enumerate() {
            let input = F128(leaf.0 ^ u128::from(block));
            let mut output = [input];
            key.encrypt(&mut output);
            let output = output[0] ^ input;
            total ^= output;
            columns
                .iter_mut()
                .enumerate()
                .filter(|(m, _)| x >> m & 1 == 1)
                .for_each(|(_, sum)| *sum ^= output);
        }
        for (t, mac) in run.macs.iter().enumerate() {
            let expected =
                columns.iter().enumerate().map(|(m, column)| (column.0 >> t & 1) << m).sum::<u128>();
            assert_eq!(mac.0 >> first & ((1 << depths[i]) - 1), expected, "share {t} of tree {i}");
            if i == 0 {
                assert_eq!(mac.0 & 1, total.0 >> t & 1);
            }
        }
        first += depths[i];
    }
    assert!(run.macs.iter().all(|mac| mac.0 >> first == 0));
}

#[test]
fn shares_do_not_depend_on_threads_or_the_instruction_set() {
    let shares = |arch, threads| {
        let mut random = Random::from_seed(&[7; 32]);
        let (_, mut dealer) =
            Dealt::new((arch, &Pool::ALONE), &[9, 3, 3], &SALT_OF_TESTS, &mut random, 40_000);
        dealer.share_work(&Pool::of(threads));
        let mut channel = Channel::new(Party::Prover, pipe(Duration::from_secs(20)).0);
        dealer.masks(&mut channel, 1).unwrap();
        let (mut all, mut block) = (vec![], Shares::default());
        for number in 0..6 {
            dealer.block(&mut channel, &mut block).unwrap();
            all.extend_from_slice(block.rows(0));
            dealer.skip(if number == 1 { 5000 } else { 0 });
        }
        (all, dealer.hashes())
    };
    let expected = shares(Arch::PORTABLE, 1);
    for arch in Arch::available() {
        for threads in [1, 3] {
            assert!(shares(arch, threads) == expected, "{}, {threads} threads", arch.name());
        }
    }
}

/// Lines, the masks of the check, and the shares of all batches, those that end early among them: no 128
/// values are dealt twice, and no node of the trees is, by one dealer or by two under one salt.
#[test]
fn nothing_is_dealt_twice() {
    let depths = [9, 8, 8];
    let mut dealt = HashSet::new();
    let mut opened = HashSet::new();
    let mut expected = [0, 0];
    for seed in [7, 8] {
        let mut random = Random::from_seed(&[seed; 32]);
        let (trees, mut dealer) =
            Dealt::new((Arch::detect(), &Pool::ALONE), &depths, &SALT_OF_TESTS, &mut random, 60_000);
        let opening = dealer.open(&trees, delta_of(&depths, seed));
        opened.extend(opening.as_chunks::<16>().0.iter().copied());
        expected[0] += opening.len() / 16;
        let mut channel = Channel::new(Party::Prover, pipe(Duration::from_secs(20)).0);
        for (_, u) in dealer.masks(&mut channel, 9).unwrap().iter() {
            dealt.insert(u.0);
            expected[1] += 1;
        }
        let mut block = Shares::default();
        for number in 0..6 {
            dealer.block(&mut channel, &mut block).unwrap();
            for rows in block.rows(0).chunks_exact(128) {
                dealt.insert(rows.iter().rev().fold(0, |u, row| u << 1 | row.0 & 1));
                expected[1] += 1;
            }
            dealer.skip(if number == 1 { 5000 } else { 0 });
        }
        dealt.insert(u128::from_le_bytes(*dealer.hashes().0.first_chunk().unwrap()));
        expected[1] += 1;
    }
    assert_eq!([opened.len(), dealt.len()], expected);
}

/// An error of tree `i` in message number `number`, with this guess of the tree's part of Δ.
fn erring(
    depths: &'static [usize],
    number: usize,
    errors: Vec<(usize, (usize, F128), usize)>,
) -> expansion::Cheat {
    let mut message = 0;
    Box::new(move |chunk| {
        if message == number {
            errors.iter().for_each(|(i, error, guess)| chunk.err(depths, *i, *error, *guess));
        }
        message += 1;
    })
}

const THREE: &[usize] = &[4, 3, 3];

/// An error passes where the tree's part of Δ was guessed, leaves correct shares then, and never passes
/// otherwise: in the masks of lines, in both parts of those of the check, in the first, a middle and the last
/// block.
#[test]
fn errors_pass_where_their_part_of_delta_is_guessed() {
    let lines = 2;
    let places = [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 63), (2, 17), (3, 12)];
    for (number, at) in places {
        for (tree, guesses) in [(1, 8), (2, 8)] {
            // A bit that is there even in the last block of the masks and of all.
            let error = (at, F128(1 << 9));
            for guess in 0..guesses {
                for place in [guess, guess ^ 1, guess ^ 4] {
                    let first = 1 + THREE[..tree].iter().sum::<usize>();
                    let delta = F128(1 | 5 << 1 | (place as u128) << first);
                    let cheat = erring(THREE, number, vec![(tree, error, guess)]);
                    let run = run(THREE, (delta, 18_000, lines), &[], Some(cheat));
                    let case = format!("message {number}, block {at}, tree {tree}, {guess} for {place}");
                    assert_eq!(run.consistent, guess == place, "{case}");
                    if run.consistent {
                        assert!(related(&run, delta) && run.lines_relate, "{case}");
                    }
                }
            }
        }
    }
}

/// Errors of several trees, placed so that they would cancel in a row that is packed into one element: each
/// tree has to be guessed all the same.
#[test]
fn packed_check_attack() {
    for (right, of) in [(0, [false, false]), (1, [true, false]), (2, [false, true]), (3, [true, true])] {
        let delta = F128(1 | 0b10_1011_0110 << 1);
        let (first, second) = (0b011, 0b101);
        let guess = |right: bool, value: usize| if right { value } else { value ^ 4 };
        let errors =
            vec![(1, (0, F128(1 << 20)), guess(of[0], first)), (2, (0, F128(1 << 17)), guess(of[1], second))];
        let run = run(THREE, (delta, 500, 1), &[], Some(erring(THREE, 1, errors)));
        assert_eq!(run.consistent, right == 3);
    }
}

/// Coefficients follow from what was said: of the masks first, and of each block.
#[test]
fn every_correction_changes_the_coefficients_that_follow() {
    let challenges = |wrong: Option<usize>| {
        let mut random = Random::from_seed(&[7; 32]);
        let (_, mut dealer) =
            Dealt::new((Arch::detect(), &Pool::ALONE), THREE, &SALT_OF_TESTS, &mut random, 20_000);
        dealer.cheat = wrong.map(|number| erring(THREE, number, vec![(1, (0, F128(1)), 0)]));
        let mut channel = Channel::new(Party::Prover, pipe(Duration::from_secs(20)).0);
        dealer.masks(&mut channel, 1).unwrap();
        let mut seen = vec![channel.challenge(Party::Prover, "test")];
        for _ in 0..3 {
            dealer.block(&mut channel, &mut Shares::default()).unwrap();
            seen.push(channel.challenge(Party::Prover, "test"));
        }
        seen
    };
    let honest = challenges(None);
    for wrong in 0..4 {
        let other = challenges(Some(wrong));
        for at in 0..4 {
            assert_eq!(honest[at] == other[at], at < wrong, "message {wrong}, challenge {at}");
        }
    }
}

#[test]
fn hashes_are_linear_and_have_144_bits() {
    let mut channel = Channel::new(Party::Prover, pipe(Duration::from_secs(20)).0);
    let coefficients = expansion::Coefficients::draw(&mut channel, Arch::detect(), 3);
    let mut random = Random::from_seed(&[1; 32]);
    let [a, b]: [[F128; 3]; 2] = [(); 2].map(|()| [(); 3].map(|()| random.word()));
    let sum: Vec<F128> = a.iter().zip(&b).map(|(a, b)| *a ^ *b).collect();
    let hash = |column: &[F128]| coefficients.hash(Arch::detect(), column);
    let mut expected = hash(&a);
    expected.add(hash(&b));
    assert_eq!(hash(&sum), expected);
    assert_eq!(expansion::Hash::from_bytes(expected.bytes()), expected);
    // Both parts are there for one bit anywhere.
    let column = |bit: usize| {
        let mut column = [F128::ZERO; 3];
        column[bit / 128] = F128(1 << (bit % 128));
        column
    };
    let single: Vec<_> = (0..3 * 128).map(|bit| hash(&column(bit))).collect();
    assert!(single.iter().all(|hash| hash.0 != F128::ZERO));
    assert!(single.iter().filter(|hash| hash.1 == 0).count() < 3);
}

#[test]
fn depths_differ_by_one_and_own_all_bits() {
    for trees in 1..=40 {
        for bits in 3 * trees..=(15 * trees).min(MOST_BITS) {
            let depths = depths(trees, bits);
            assert_eq!((depths.len(), depths.iter().sum::<usize>()), (trees, bits));
            assert!(depths[0] - depths[trees - 1] <= 1 && depths.is_sorted_by(|a, b| a >= b));
        }
    }
    let delta = F128(1 | 0b101 << 1 | 0b011 << 4);
    assert_eq!(places(&[3, 3], delta).collect::<Vec<_>>(), [0b101, 0b011]);
}

/// Everything of a tree but one leaf: no other tree, and no other Δ, gives the same digest.
#[test]
fn an_opening_is_of_its_delta_and_salt() {
    let depths = [4, 3];
    let mut random = Random::from_seed(&[7; 32]);
    let (dealt, dealer) = Dealt::new((Arch::detect(), &Pool::ALONE), &depths, &SALT_OF_TESTS, &mut random, 8);
    let delta = F128(1 | 0b110_0101 << 1);
    let opening = dealer.open(&dealt, delta);
    let digest = |salt: &[u8; SALT], delta, opening: &[u8]| {
        *OpenedTrees::new((Arch::detect(), &Pool::ALONE), &depths, (salt, delta), opening, 8).0.digest()
    };
    assert_eq!(digest(&SALT_OF_TESTS, delta, &opening), *dealt.digest());
    for other in 0..1 << 7 {
        let other = F128(1 | other << 1);
        assert_eq!(digest(&SALT_OF_TESTS, other, &opening) == *dealt.digest(), other == delta);
    }
    assert_ne!(digest(&[4; SALT], delta, &opening), *dealt.digest());
    for bit in 0..8 * opening.len() {
        let mut changed = opening.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert_ne!(digest(&SALT_OF_TESTS, delta, &changed), *dealt.digest(), "bit {bit}");
    }
    // Leaves that are not opened are nowhere in it.
    let mut random = Random::from_seed(&[7; 32]);
    let trees = crate::voleith::fixed_key::trees(Arch::detect(), &SALT_OF_TESTS, &depths);
    for (tree, place) in trees.iter().zip(places(&depths, delta)) {
        let root = random.word();
        let hidden = tree.leaves(root)[place];
        assert!(opening.windows(16).all(|window| window != hidden.to_bytes() && window != root.to_bytes()));
    }
}
