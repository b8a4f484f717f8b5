//! Over an ideal dealer: agreement on random statements, provers that cheat at one pair, at the rate of the
//! bound where there are few subsets, and what shows of a witness.

use super::*;
use core::marker::PhantomData;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use volery_channel::channel::{Channel, Flip, Party, Playback, Tape, Traffic, pipe, side_by_side};
use volery_channel::error::{Error, Misbehaviour, Rejection, Result};
use volery_channel::pool::Pool;
use volery_channel::random::Random;
use volery_circuit::{Backend, Mixed, MixedCircuit, check_mixed};
use volery_primitives::{Bn254, F2, F61, F61x2, F65537, F65537x4, Goldilocks, Q32};
use volery_vole::vole::{Delta, ideal, subfield};

/// Shares in a block of the ideal dealers.
const BLOCK: usize = 192;

/// "I know so many words of `width` bits, and this is the xor of all with their sum's low bits, whose other
/// bits are these": words become numbers, and their sum bits again.
struct Sums<B> {
    words: usize,
    width: usize,
    low: Vec<F2>,
    high: Vec<F2>,
    field: PhantomData<B>,
}

/// The bits of a sum beyond a word's.
const CARRY: usize = 5;

impl<M: Mixed> MixedCircuit<M> for Sums<<M::Numbers as Backend>::F> {
    fn run(&self, m: &mut M) -> Result<()> {
        let mut total = None;
        let zero = m.bits()?.constant(F2::ZERO);
        let mut xor = vec![zero; self.width];
        for _ in 0..self.words {
            let b = m.bits()?;
            let word = (0..self.width).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            for (sum, bit) in xor.iter_mut().zip(&word) {
                *sum = b.add(*sum, *bit);
            }
            let number = m.number(&word)?;
            let n = m.numbers()?;
            // Something of the field's own, which is zero.
            let own = n.witness()?;
            let product = n.mul(own, number)?;
            n.assert_zero(product, "an own element")?;
            total = Some(total.map_or(number, |total| n.add(total, number)));
        }
        let total = total.expect("a word");
        let bits = m.bits_of(&[total, total], self.width + CARRY, &"the sum")?;
        let (first, second) = bits.split_at(self.width + CARRY);
        let b = m.bits()?;
        for (i, (one, two)) in first.iter().zip(second).enumerate() {
            let square = b.mul(*one, *two)?;
            let expected = if i < self.width {
                let low = b.constant(self.low[i]);
                b.add(low, xor[i])
            } else {
                b.constant(self.high[i - self.width])
            };
            let difference = b.add(square, expected);
            b.assert_zero(difference, format_args!("bit {i}"))?;
        }
        Ok(())
    }
}

impl<B: Field> Sums<B> {
    /// A true statement, with its witness.
    fn instance(words: usize, width: usize, seed: u8) -> (Self, Vec<F2>, Vec<B>) {
        let mut random = Random::from_seed(&[seed; 32]);
        let all: Vec<u64> = (0..words).map(|_| random.word().0 as u64 & ((1 << width) - 1)).collect();
        let bits = |word: u64, count: usize| (0..count).map(move |i| F2::low_bit((word >> i).into()));
        let witness = all.iter().flat_map(|word| bits(*word, width)).collect();
        let (sum, xor) = (all.iter().sum::<u64>(), all.iter().fold(0, |xor, word| xor ^ word));
        let low = bits(sum ^ xor, width).collect();
        let high = bits(sum >> width, CARRY).collect();
        (Self { words, width, low, high, field: PhantomData }, witness, vec![B::ZERO; words])
    }
}

/// The deviations and the parameters of a run.
#[derive(Clone, Default)]
struct Run<B> {
    /// Errors that the prover adds to inputs of these numbers, of either half.
    bits: Vec<(u64, F2)>,
    numbers: Vec<(u64, B)>,
    explains: bool,
    /// K, and pairs in a round, where they are others.
    subsets: Option<u32>,
    most: Option<usize>,
    /// The bit that is flipped on the way, of a message of a party.
    flip: Option<(Party, Flip)>,
    seed: u8,
    threads: Option<usize>,
}

/// The results of both, the traffic of the verifier's channel, and the prover's messages with their lengths.
struct Ended {
    proved: Result<Both>,
    verified: Result<Both>,
    traffic: Traffic,
    messages: Vec<Vec<u8>>,
    lengths: Vec<usize>,
    /// The prover's progress, as it was told.
    progress: u64,
}

fn run<B: Field, E: MacField<B>, C>(circuit: &C, bits: &[F2], numbers: &[B], how: &Run<B>) -> Ended
where
    C: for<'a> MixedCircuit<Prover<'a, B, E>> + for<'a> MixedCircuit<Verifier<'a, B, E>> + Sync,
{
    let (here, there) = pipe(Duration::from_secs(20));
    let of = |party| how.flip.filter(|(who, _)| *who == party).map(|(_, flip)| flip);
    let (here, said) = Tape::new(here, of(Party::Prover));
    let mut proving = Channel::new(Party::Prover, here);
    let mut verifying = Channel::new(Party::Verifier, Tape::new(there, of(Party::Verifier)).0);
    let (arch, pool) = (Arch::detect(), Pool::of(how.threads.unwrap_or(1)));
    let progress = AtomicU64::new(0);
    let prover = || {
        let voles = (
            Box::new(ideal::Prover::new(3, BLOCK)) as _,
            Box::new(subfield::ideal::Prover::<B, E>::new(4, BLOCK)) as _,
        );
        let random = &mut Random::from_seed(&[how.seed; 32]);
        let witness = (bits.to_vec(), numbers.to_vec());
        let prover = Prover::<B, E>::new(&mut proving, voles, arch, witness, random).share_work(&pool);
        let mut prover = prover.report_to(Some(&progress));
        prover.between.repetitions = how.subsets.unwrap_or(prover.between.repetitions);
        prover.between.most = how.most.unwrap_or(prover.between.most);
        prover.between.explains = how.explains;
        (prover.halves.bits.lies, prover.halves.numbers.lies) = (how.bits.clone(), how.numbers.clone());
        let cheats = !how.bits.is_empty() || !how.numbers.is_empty();
        let ended = circuit.run(&mut prover).and_then(|()| {
            if cheats {
                prover.halves.bits.take_failure();
                prover.halves.numbers.take_failure();
            }
            prover.finish()
        });
        let _ = proving.flush();
        drop(proving);
        ended
    };
    let verified = Mutex::new(None);
    let verifier = || {
        let ended = verify::<B, E, _>(circuit, &mut verifying, &pool, how);
        *verified.lock().unwrap() = Some(verifying.traffic());
        // A prover that waits for a coin is not to wait for long.
        drop(verifying);
        ended
    };
    let (proved, ended) = side_by_side(prover, verifier);
    let traffic = verified.into_inner().unwrap().expect("set by the verifier");
    let messages = said.messages();
    let lengths = messages.iter().map(Vec::len).collect();
    let progress = progress.into_inner();
    Ended { proved, verified: ended, traffic, messages, lengths, progress }
}

/// The verifier of a run.
fn verify<B: Field, E: MacField<B>, C>(
    circuit: &C,
    channel: &mut Channel,
    pool: &Pool,
    how: &Run<B>,
) -> Result<Both>
where
    C: for<'a> MixedCircuit<Verifier<'a, B, E>>,
{
    let random = &mut Random::from_seed(&[how.seed ^ 0x55; 32]);
    let deltas = (Delta::random(random), subfield::Delta::<B, E>::random(random));
    let voles = (
        Box::new(ideal::Verifier::new(3, BLOCK, &deltas.0)) as _,
        Box::new(subfield::ideal::Verifier::new(4, BLOCK, &deltas.1)) as _,
    );
    let by = (&deltas.0, &deltas.1);
    let mut verifier = Verifier::<B, E>::new(channel, voles, Arch::detect(), by, random).share_work(pool);
    verifier.between.repetitions = how.subsets.unwrap_or(verifier.between.repetitions);
    verifier.between.most = how.most.unwrap_or(verifier.between.most);
    circuit.run(&mut verifier).and_then(|()| verifier.finish().map(|(_, both)| both))
}

/// Runs a test over every kind of setting that bits can be converted to.
macro_rules! over_every_kind {
    ($test:ident) => {{
        $test::<F61, F61>();
        $test::<F61, F61x2>();
        $test::<F65537, F65537x4>();
    }};
}

/// Asserts that both parties report the gates that are counted, whatever the rounds, the widths and the
/// threads.
fn all_agree<B: Field, E: MacField<B>>() {
    for (words, width, most, threads) in [(1, 1, None, 1), (7, 8, None, 1), (30, 11, Some(100), 3)] {
        let (circuit, bits, numbers) = Sums::<B>::instance(words, width, words as u8);
        check_mixed(&circuit, bits.iter().copied(), numbers.iter().copied()).unwrap();
        let shape = MixedShape::of::<B, _>(&circuit).unwrap();
        let how = Run { most, threads: Some(threads), ..Run::default() };
        let ended = run::<B, E, _>(&circuit, &bits, &numbers, &how);
        let (proved, verified) = (ended.proved.unwrap(), ended.verified.unwrap());
        assert_eq!(proved, verified);
        assert_eq!(ended.progress, proved.bits.mul + proved.numbers.mul);
        let Both { bits, numbers, rounds } = proved;
        assert_eq!(rounds.conversions, shape.conversions);
        let pairs = words * width + 2 * (width + CARRY);
        let least = most.map_or(1, |most| pairs.div_ceil(most) as u64);
        assert!((least..least + 3).contains(&rounds.rounds), "{}", rounds.rounds);
        let subsets = u64::from(repetitions::<E>());
        assert_eq!(bits.inputs, shape.bits.inputs + rounds.rounds * subsets);
        assert_eq!((bits.mul, bits.assert), (shape.bits.mul, shape.bits.assert));
        assert!(numbers.inputs >= shape.numbers.inputs + rounds.rounds * subsets * 2);
        assert_eq!((numbers.mul, numbers.assert), (shape.numbers.mul, shape.numbers.assert));
        if most.is_none() {
            let sizes = sizes::<B, E>(&shape);
            assert!(sizes[0].commitments >= bits.size().commitments);
            assert!(sizes[1].commitments >= numbers.size().commitments);
        }
    }
}

#[test]
fn everybody_agrees_over_every_kind_of_field() {
    over_every_kind!(all_agree);
}

/// "I know a word, which is a number": asserted is nothing that depends on it.
struct Word(usize);

impl<M: Mixed> MixedCircuit<M> for Word {
    fn run(&self, m: &mut M) -> Result<()> {
        let b = m.bits()?;
        let word = (0..self.0).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        m.number(&word)?;
        let n = m.numbers()?;
        let zero = n.constant(<M::Numbers as Backend>::F::ZERO);
        n.assert_zero(zero, "nothing")
    }
}

/// "I know a number of so many bits."
struct Number(usize);

impl<M: Mixed> MixedCircuit<M> for Number {
    fn run(&self, m: &mut M) -> Result<()> {
        let x = m.numbers()?.witness()?;
        m.bits_of(&[x], self.0, &"the number").map(drop)
    }
}

const WIDTH: usize = 9;

fn word(bits: u16) -> Vec<F2> {
    (0..WIDTH).map(|i| F2::low_bit((bits >> i).into())).collect()
}

fn is_rejected(ended: &Ended, by: Rejection) -> bool {
    matches!(&ended.verified, Err(Error::Rejected(why)) if *why == by)
}

/// A bit that is another one over one of the two fields, at each place and in each mask.
fn a_bit_that_differs<B: Field, E: MacField<B>>() {
    let word = word(0b1_0110_1001);
    let subsets = u64::from(repetitions::<E>());
    for at in 0..WIDTH as u64 + subsets {
        // Of a mask the prover does not know the value before: one of the two is no bit at all.
        let flips = match word.get(at as usize) {
            Some(bit) => vec![B::ONE - (B::ONE + B::ONE).masked(bit.mask() as u64)],
            None => vec![B::ONE, -B::ONE],
        };
        let mut rejected = Vec::new();
        for flip in flips {
            let how = Run { numbers: vec![(at, flip)], ..Run::default() };
            let ended = run::<B, E, _>(&Word(WIDTH), &word, &[], &how);
            assert!(ended.proved.is_ok());
            rejected.push(is_rejected(&ended, Rejection::Assertions));
            assert!(ended.verified.is_err(), "place {at}");
        }
        assert_eq!(rejected.iter().filter(|by| **by).count(), 1, "place {at}");
    }
    // Over F_2 the word is the witness, behind which masks follow.
    for at in WIDTH as u64..WIDTH as u64 + subsets {
        let how = Run { bits: vec![(at, F2::ONE)], ..Run::default() };
        let ended = run::<B, E, _>(&Word(WIDTH), &word, &[], &how);
        assert!(is_rejected(&ended, Rejection::Assertions), "mask {at}");
    }
}

#[test]
fn a_bit_that_differs_is_rejected_at_each_place_and_in_each_mask() {
    a_bit_that_differs::<F61, F61>();
    a_bit_that_differs::<F61, F61x2>();
}

#[test]
fn bits_of_a_number_that_differ_are_rejected() {
    let x = F61::new(0b0_1101_0011);
    for at in 0..WIDTH as u64 {
        // Over both fields, where they are no bits of the number, and over F_2 alone.
        for alone in [false, true] {
            let numbers = if alone { vec![(1 + at, back(x.to_word() >> at))] } else { Vec::new() };
            let how = Run { bits: vec![(at, F2::ONE)], numbers, ..Run::default() };
            let ended = run::<F61, F61, _>(&Number(WIDTH), &[], &[x], &how);
            assert!(ended.proved.is_ok());
            assert!(is_rejected(&ended, Rejection::Assertions), "place {at}");
        }
    }
    fn back(bit: u128) -> F61 {
        if bit & 1 == 1 { F61::ONE } else { -F61::ONE }
    }
}

/// Two in place of zero, which has the parity of zero, and other values that are no bits.
#[test]
fn what_is_no_bit_is_rejected() {
    let word = word(0);
    for lie in [F61::new(2), F61::new(3), -F61::ONE, F61::new(1 << 40)] {
        for at in [0, 4, WIDTH as u64 - 1, WIDTH as u64, WIDTH as u64 + 70] {
            let how = Run { numbers: vec![(at, lie)], ..Run::default() };
            let ended = run::<F61, F61, _>(&Word(WIDTH), &word, &[], &how);
            assert!(is_rejected(&ended, Rejection::ProductsAndPolynomials), "{lie:?} at {at}");
        }
    }
}

/// Any parity has a quotient modulo p, which is not one of so few bits.
#[test]
fn a_quotient_modulo_p_is_rejected() {
    let word = word(0x1ff);
    for numbers in [Vec::new(), vec![(3, -F61::ONE)]] {
        let how = Run { numbers, explains: true, ..Run::default() };
        let ended = run::<F61, F61, _>(&Word(WIDTH), &word, &[], &how);
        assert!(ended.proved.is_ok());
        assert!(is_rejected(&ended, Rejection::ProductsAndPolynomials));
    }
}

#[test]
fn numbers_that_are_too_wide_are_rejected() {
    let last = -F61::ONE;
    for (width, x) in [(1, F61::new(2)), (9, F61::new(512)), (60, F61::new(1 << 60)), (60, last), (8, last)] {
        let unsatisfied = check_mixed(&Number(width), [], [x]).unwrap_err();
        assert!(matches!(&unsatisfied, Error::Unsatisfied(name) if name == "the number"));
        let ended = run::<F61, F61, _>(&Number(width), &[], &[x], &Run::default());
        assert!(matches!(ended.proved, Err(Error::Unsatisfied(name)) if name == "the number"));
        assert!(ended.verified.is_err());
        // A lie of zero, and no shame.
        let how = Run { numbers: vec![(0, F61::ZERO)], ..Run::default() };
        let ended = run::<F61, F61, _>(&Number(width), &[], &[x], &how);
        assert!(ended.proved.is_ok());
        assert!(is_rejected(&ended, Rejection::Assertions), "{width} bits");
    }
    check_mixed(&Number(60), [], [F61::new((1 << 60) - 1)]).unwrap();
}

/// The word of 61 ones would be p, and that of zeroes and a further bit beyond.
#[test]
fn words_that_may_be_the_same_number_are_refused() {
    fn refused<B: Field, E: MacField<B>>() {
        let widest = widest::<B>();
        for (width, fits) in [(0, false), (1, true), (widest, true), (widest + 1, false), (128, false)] {
            let clear = check_mixed::<B, _>(&Number(width), [], [B::ONE]);
            assert_eq!(clear.is_ok(), fits, "{width}");
            let ended = run::<B, E, _>(&Number(width), &[], &[B::ONE], &Run::default());
            assert_eq!((ended.proved.is_ok(), ended.verified.is_ok()), (fits, fits), "{width}");
            let bits = vec![F2::ONE; width];
            let ended = run::<B, E, _>(&Word(width), &bits, &[], &Run::default());
            assert_eq!((ended.proved.is_ok(), ended.verified.is_ok()), (fits, fits), "{width}");
            if !fits {
                let error = clear.unwrap_err().to_string();
                assert!(error.contains(&format!("1 to {widest}")), "{error}");
            }
        }
    }
    over_every_kind!(refused);
    assert_eq!(
        [widest::<F61>(), widest::<Goldilocks>(), widest::<Q32>(), widest::<F65537>()],
        [60, 63, 31, 16]
    );
    assert_eq!(widest::<volery_primitives::F256>(), 0);
}

/// Provers that cheat at one pair are accepted once in 2^K with K subsets, or in one round of two.
#[test]
fn few_subsets_miss_as_often_as_the_bound_says() {
    let word = word(0);
    for (subsets, rounds) in [(1, 1), (3, 1), (3, 2)] {
        let runs = 240;
        let accepted = (0..runs).filter(|seed| {
            let how = Run {
                numbers: vec![(2, F61::ONE)],
                subsets: Some(subsets),
                most: (rounds == 2).then_some(5),
                seed: *seed,
                ..Run::default()
            };
            let circuit = Word(if rounds == 2 { 5 } else { WIDTH });
            let ended = run::<F61, F61, _>(&circuit, &word[..circuit.0], &[], &how);
            ended.verified.is_ok()
        });
        let (accepted, expected) = (accepted.count() as f64, f64::from(runs) / f64::from(1 << subsets));
        assert!((accepted - expected).abs() < 4.5 * expected.sqrt(), "{accepted} of {runs} for {subsets}");
    }
}

/// A flipped bit of any message is rejected, in either half.
fn a_flipped_bit<B: Field, E: MacField<B>>() {
    let (circuit, bits, numbers) = Sums::<B>::instance(3, 6, 9);
    let honest = run::<B, E, _>(&circuit, &bits, &numbers, &Run::default());
    honest.verified.unwrap();
    for (message, length) in honest.lengths.iter().enumerate() {
        for bit in [0, 4 * length + 1, 8 * length - 1] {
            let flip = Some((Party::Prover, Flip { message, bit }));
            let ended = run::<B, E, _>(&circuit, &bits, &numbers, &Run { flip, ..Run::default() });
            assert!(ended.verified.is_err(), "message {message} of {length} bytes, bit {bit}");
        }
    }
    // Coins: of the batch, and of the subsets.
    if !by_transcript::<E>() {
        for message in 0..3 {
            for bit in [0, 77, 127] {
                let flip = Some((Party::Verifier, Flip { message, bit }));
                let ended = run::<B, E, _>(&circuit, &bits, &numbers, &Run { flip, ..Run::default() });
                assert!(ended.verified.is_err(), "coin {message}, bit {bit}");
            }
        }
    }
}

#[test]
fn a_flipped_bit_in_any_message_of_either_half_is_rejected() {
    a_flipped_bit::<F61, F61>();
    a_flipped_bit::<F61, F61x2>();
}

/// The subsets are told once the masks of both halves are on their way, and no earlier; and a prover that leaves
/// when it knows them has tried.
#[test]
fn subsets_are_told_behind_the_masks_of_both_halves() {
    fn test<B: Field, E: MacField<B>>() {
        let (word, circuit) = (word(0b1_0110_1001), Word(WIDTH));
        let how = |seed| Run { seed, ..Run::default() };
        let ended = |seed| run::<B, E, _>(&circuit, &word, &[], &how(seed));
        let (honest, other) = (ended(1), ended(2));
        let mut told = None;
        for heard in 0..honest.messages.len() {
            let said = honest.messages[..heard].concat();
            let mut channel = Channel::new(Party::Verifier, Playback::new(said));
            let ended = verify::<B, E, _>(&circuit, &mut channel, &Pool::ALONE, &how(1)).unwrap_err();
            let sent = channel.traffic().sent;
            told = told.or((sent > 0).then_some(heard));
            if told.is_none() {
                assert!(matches!(ended, Error::Io { .. }), "{heard}: {ended}");
            } else {
                // The batch's coins, and the seed.
                assert!(sent >= 48 && matches!(ended, Error::Abandoned { .. }), "{heard}: {ended}");
            }
            assert_eq!(ended.counts_against_peer(), told.is_some());
        }
        // Masks are all that a prover draws at random, so that up to the seed they are what differs: eight of
        // them at least are in a section.
        let told = told.expect("a seed");
        let differ = |at: &usize| honest.messages[*at] != other.messages[*at];
        let masks: Vec<usize> = (0..told).filter(differ).map(|at| honest.lengths[at]).collect();
        let (numbers, bits): (Vec<_>, Vec<_>) = masks.iter().partition(|length| **length >= 8 * B::BYTES);
        assert!(bits.iter().sum::<usize>() >= 64 / 8, "{masks:?}");
        assert!(numbers.iter().sum::<usize>() >= 64 * B::BYTES, "{masks:?}");
        assert_eq!(masks.last(), honest.lengths[..told].last());
    }
    test::<F61, F61>();
    test::<F65537, F65537x4>();
}

#[test]
fn lengths_do_not_depend_on_the_witness() {
    let (circuit, ..) = Sums::<F61>::instance(6, 7, 1);
    let lengths: Vec<_> = (1..4)
        .map(|seed| {
            let (circuit, bits, numbers) = Sums::<F61>::instance(6, 7, seed);
            let ended = run::<F61, F61, _>(&circuit, &bits, &numbers, &Run { seed, ..Run::default() });
            ended.verified.unwrap();
            ended.lengths
        })
        .collect();
    assert!(lengths.windows(2).all(|two| two[0] == two[1]));
    // A prover that fails closes at one place, in whichever half it has failed.
    let wrong = |bits: &[F2], numbers: &[F61]| {
        let ended = run::<F61, F61, _>(&circuit, bits, numbers, &Run::default());
        assert!(matches!(ended.proved, Err(Error::Unsatisfied(_))));
        ended.lengths
    };
    let (_, mut bits, mut numbers) = Sums::<F61>::instance(6, 7, 1);
    numbers[2] = F61::ONE;
    let over_numbers = wrong(&bits, &numbers);
    numbers[2] = F61::ZERO;
    bits[11] += F2::ONE;
    assert_eq!(wrong(&bits, &numbers), over_numbers);
    assert!(over_numbers.len() < lengths[0].len());
}

/// The verifier has read all of both halves, whichever one it finds wrong.
#[test]
fn nothing_is_decided_before_both_halves_are_read() {
    let (circuit, bits, numbers) = Sums::<F61>::instance(2, 5, 3);
    let honest = run::<F61, F61, _>(&circuit, &bits, &numbers, &Run::default());
    let last = honest.lengths.len();
    // The sums of the check and the digest of each half.
    for (message, by) in [
        (last - 4, Rejection::ProductsAndPolynomials),
        (last - 3, Rejection::Assertions),
        (last - 2, Rejection::ProductsAndPolynomials),
        (last - 1, Rejection::Assertions),
    ] {
        let flip = Some((Party::Prover, Flip { message, bit: 3 }));
        let ended = run::<F61, F61, _>(&circuit, &bits, &numbers, &Run { flip, ..Run::default() });
        assert!(is_rejected(&ended, by), "message {message}");
        assert_eq!(ended.traffic.received, honest.traffic.received);
        assert_eq!(ended.traffic.sent, honest.traffic.sent);
    }
}

/// Parities of more bits than there are subsets.
#[test]
fn further_bits_of_parities_are_refused() {
    let word = word(7);
    let how = |flip| Run { subsets: Some(3), flip, ..Run::default() };
    let honest = run::<F61, F61, _>(&Word(WIDTH), &word, &[], &how(None));
    let message = honest.lengths.iter().position(|length| *length == 1).expect("of three bits");
    let flip = Some((Party::Prover, Flip { message, bit: 5 }));
    let ended = run::<F61, F61, _>(&Word(WIDTH), &word, &[], &how(flip));
    assert!(matches!(ended.verified, Err(Error::Misbehaved(Misbehaviour::FurtherBits))));
}

/// Nothing is asserted: a proof would say nothing.
#[test]
fn a_statement_that_asserts_nothing_is_refused() {
    struct Nothing;
    impl<M: Mixed> MixedCircuit<M> for Nothing {
        fn run(&self, m: &mut M) -> Result<()> {
            let bit = m.bits()?.witness()?;
            m.number(&[bit]).map(drop)
        }
    }
    assert!(matches!(check_mixed::<F61, _>(&Nothing, [F2::ONE], []), Err(Error::Invalid(_))));
    let ended = run::<F61, F61, _>(&Nothing, &[F2::ONE], &[], &Run::default());
    assert!(matches!(ended.proved, Err(Error::Invalid(_))));
    assert!(ended.verified.is_err());
}

/// Each bit of the subsets' sums is that of one pair.
#[test]
fn sums_are_those_of_the_subsets() {
    let mut random = Random::from_seed(&[7; 32]);
    for (n, subsets) in [(1, 1), (9, 3), (300, 64), (257, 128)] {
        let coins = coins(Arch::detect(), random.word().into(), n, subsets);
        let lines: Vec<F61> = coins.iter().map(|_| F61::new(random.word().0 as u64 >> 4)).collect();
        let sums = subset_sums(&coins, &lines, subsets);
        assert_eq!(sums.len(), subsets as usize);
        for (place, sum) in (0..).zip(&*sums) {
            let having = coins.iter().zip(&lines).filter(|(coin, _)| coin.0 >> place & 1 == 1);
            assert_eq!(*sum, having.map(|(_, line)| *line).sum());
        }
    }
}

#[test]
fn rounds_are_as_long_as_the_field_allows() {
    assert_eq!([most_pairs::<F61>(), most_pairs::<F65537>()], [65_534, 32_766]);
    fn fits<B: Field>() {
        let most = most_pairs::<B>();
        for n in [1, 2, 3, most / 2, most - 1, most] {
            let bits = quotient::<B>(n);
            let greatest = (-B::ONE).to_integer();
            assert!(greatest > (2 << bits) + 1 && n.div_ceil(2) < 1 << bits, "{n}");
        }
    }
    fits::<F61>();
    fits::<Goldilocks>();
    fits::<Q32>();
    fits::<F65537>();
    fits::<Bn254>();
    assert_eq!(security::<F61>([60, 50], 0), 49);
    assert_eq!(security::<F61>([50, 50], 1 << 20), 43);
    assert_eq!(security::<F61x2>([110, 110], 1 << 20), 107);
}

/// The fingerprint tells orders, widths and wires apart.
#[test]
fn other_conversions_have_other_fingerprints() {
    struct Converts(u8);
    impl<M: Mixed> MixedCircuit<M> for Converts {
        fn run(&self, m: &mut M) -> Result<()> {
            let b = m.bits()?;
            let (x, y) = (b.witness()?, b.witness()?);
            let n = match self.0 {
                0 => m.number(&[x, y])?,
                1 => m.number(&[y, x])?,
                2 => m.number(&[x])?,
                _ => {
                    m.number(&[x])?;
                    m.number(&[y])?
                }
            };
            let bits = match self.0 {
                4 => m.bits_of(&[n], 2, &"n")?,
                5 => m.bits_of(&[n], 3, &"n")?,
                6 => m.bits_of(&[n, n], 2, &"n")?,
                _ => vec![x],
            };
            m.bits()?.assert_zero(bits[0], "a bit")
        }
    }
    let of = |kind| MixedShape::fingerprint::<F61, _>(&Converts(kind)).unwrap().1;
    let all: Vec<_> = (0..7).map(of).collect();
    for (i, one) in all.iter().enumerate() {
        assert!(all[..i].iter().all(|other| other != one), "{i}");
        assert_eq!(of(i as u8), *one);
    }
    assert_ne!(MixedShape::fingerprint::<Goldilocks, _>(&Converts(0)).unwrap().1, all[0]);
}
