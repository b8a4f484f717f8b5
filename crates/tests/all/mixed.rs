//! Whole sessions over two fields.

use crate::kit::{Session, both, disagreements, only_bytes_differ, seeded};
use crate::tapes::digest;
use std::num::NonZeroUsize;
use volery::channel::{Flip, Party};
use volery::circuit::stream::{MixedRecorder, MixedSource, OneField, Source};
use volery::circuit::{Backend, Cells, Memories, Mixed, MixedCircuit, Put, Tables, Written};
use volery::error::{Disagreement, Rejection};
use volery::{
    Arch, Bn254, Converted, Correlations, Error, F2, F61, F61x2, F65537, F65537x4, Field, Goldilocks,
    MacField, Options, Over, ProvableMixed, Q32, Q32x2, Registered, Result, System, check_mixed, prove_mixed,
    prove_to_over, verify_from_over, verify_mixed,
};
use volery_quicksilver::session::{Supported, with_bits};

/// "I know words, and where each stands in a memory of their numbers; and this is the parity of all that are
/// read there": memories and ranges over numbers, products over both, and conversions both ways.
struct Sorted {
    words: usize,
    width: usize,
    odd: bool,
}

impl<M: Mixed> MixedCircuit<M> for Sorted {
    fn run(&self, m: &mut M) -> Result<()> {
        let mut numbers = Vec::new();
        for _ in 0..self.words {
            let b = m.bits()?;
            let word = (0..self.width).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            let both = b.mul(word[0], word[1])?;
            let either = b.add(both, word[0]);
            let either = b.add(either, word[1]);
            let one = b.constant(F2::ONE);
            let neither = b.add(either, one);
            b.assert_zero(neither, "a bit of the first two")?;
            numbers.push(m.number(&word)?);
        }
        let n = m.numbers()?;
        let mut memory = n.memory(Cells::Wires(&numbers), 1)?;
        let mut read = Vec::new();
        for i in 0..self.words {
            let address = n.witness()?;
            read.push(n.access(&mut memory, &[address], Put::Same, &format_args!("address {i}"))?[0]);
        }
        n.assert_within(&read, self.width as u32, &"a range")?;
        n.close(memory)?;
        let bits = m.bits_of(&read, self.width, &"what was read")?;
        let b = m.bits()?;
        let mut parity = b.constant(self.odd.into());
        for word in bits.chunks(self.width) {
            parity = b.add(parity, word[0]);
        }
        b.assert_zero(parity, "parity")
    }
}

impl Sorted {
    /// Words that are odd, and are read from the last to the first.
    fn instance<B: Field>(words: usize, width: usize) -> (Self, Vec<F2>, Vec<B>) {
        let bit = |word: usize, place: usize| F2::from(place == 0 || (word * 37) >> place & 1 == 1);
        let bits = (0..words).flat_map(|word| (0..width).map(move |place| bit(word, place))).collect();
        let numbers = (0..words).rev().map(|at| B::from_word(at as u128).unwrap()).collect();
        (Self { words, width, odd: words % 2 == 1 }, bits, numbers)
    }
}

fn run<B: Field, E: MacField<B>>(
    (proved, bits, numbers): (&Sorted, &[F2], &[B]),
    verified: &Sorted,
    [proving, verifying]: [&Options; 2],
    flip: Option<(Party, Flip)>,
) -> Session
where
    Over<B, E>: Registered,
{
    both(
        |channel| prove_mixed::<B, E>(proved, bits.to_vec(), numbers.to_vec(), channel, proving),
        |channel| verify_mixed::<B, E>(verified, channel, verifying),
        flip,
    )
}

/// All kinds of correlations that a small set-up has, and those that are chosen.
const KINDS: [Option<Correlations>; 3] = [None, Some(Correlations::SOFTSPOKEN4), Some(Correlations::TINY)];

fn accepted<B: Field, E: MacField<B>>(statistical: u32, kinds: &[Option<Correlations>])
where
    Over<B, E>: Registered,
{
    let (circuit, bits, numbers) = Sorted::instance::<B>(5, 7);
    check_mixed(&circuit, bits.clone(), numbers.clone()).unwrap();
    for &correlations in kinds {
        let options = seeded(3).with_correlations(correlations);
        let session = run::<B, E>((&circuit, &bits, &numbers), &circuit, [&options, &options], None);
        let (proved, (_, verified)) = (session.proved.unwrap(), session.verified.unwrap());
        assert_eq!((proved.gates, proved.statement), (verified.gates, verified.statement));
        assert_eq!(proved.security, verified.security);
        assert!(proved.security.statistical >= statistical, "{:?}", proved.security);
        let converted = verified.of::<Converted>().unwrap();
        assert_eq!(proved.of::<Converted>(), verified.of::<Converted>());
        let conversions = converted.both.rounds.conversions;
        assert_eq!((conversions.to_numbers, conversions.to_bits, conversions.pairs), (5, 5, 70));
        let names = converted.correlations.map(Correlations::name);
        assert!(names[0] == "softspoken4" || correlations != Some(Correlations::SOFTSPOKEN4));
        assert!(names[1] == "tiny" || correlations != Some(Correlations::TINY));
        assert_eq!(verified.gates.mul, converted.both.bits.mul + converted.both.numbers.mul);
        assert_eq!(
            session.from_prover.messages().iter().map(|message| message.len() as u64).sum::<u64>(),
            proved.traffic.sent
        );
    }
}

/// Over every field that bits are converted to.
#[test]
fn sessions_over_two_fields_are_accepted() {
    accepted::<F61, F61>(45, &KINDS);
    accepted::<F61, F61x2>(100, &KINDS[1..2]);
    accepted::<Goldilocks, Goldilocks>(45, &KINDS[2..]);
    accepted::<Q32, Q32x2>(45, &KINDS[..1]);
    accepted::<F65537, F65537x4>(45, &KINDS[1..2]);
    accepted::<Bn254, Bn254>(100, &KINDS[..1]);
}

#[test]
#[ignore = "slow"]
fn sessions_over_two_fields_are_accepted_by_all_correlations() {
    accepted::<F61, F61x2>(100, &KINDS);
    accepted::<Goldilocks, Goldilocks>(45, &KINDS);
    accepted::<Q32, Q32x2>(45, &KINDS);
    accepted::<F65537, F65537x4>(45, &KINDS);
    accepted::<Bn254, Bn254>(100, &KINDS);
}

/// Turns, rounds and their masks over a field with coins, and over one whose transcript chooses.
#[test]
fn pinned() {
    fn tape<B: Field, E: MacField<B>>(arch: Arch, threads: usize) -> String
    where
        Over<B, E>: Registered,
    {
        let (circuit, bits, numbers) = Sorted::instance::<B>(5, 7);
        let threads = NonZeroUsize::new(threads).unwrap();
        let options = Options { arch, threads, ..seeded(42).with_correlations(Correlations::TINY) };
        digest(run::<B, E>((&circuit, &bits, &numbers), &circuit, [&options, &options], None))
    }
    for (arch, threads) in Arch::available().into_iter().zip([1, 2, 3, 8].into_iter().cycle()) {
        let name = arch.name();
        assert_eq!(tape::<F61, F61>(arch, threads), "36d05ceefdd99b97871588b1f0203c14", "{name}");
        assert_eq!(tape::<F61, F61x2>(arch, threads), "ea7ce504bdc9571e0ab7f2a120164820", "{name}");
    }
}

/// A statement as streams of gates.
struct Recorded(Sorted);

impl<B: Field> MixedSource<B> for Recorded {
    fn record_mixed(&self, both: &mut MixedRecorder<'_, '_, '_, B>) -> Result<()> {
        self.0.run(both)
    }
}

/// A statement as streams of gates, as those by name are proved, sends what it sends as a circuit.
#[test]
fn streams_send_the_same() {
    fn over<B: Field, E: MacField<B>>()
    where
        Over<B, E>: Registered + Supported<F = B>,
    {
        let (circuit, bits, numbers) = Sorted::instance::<B>(5, 7);
        // Whoever proves by name gives the digest of what has the name.
        let options =
            Options { statement: Some([7; 32]), ..seeded(42).with_correlations(Correlations::TINY) };
        let direct = run::<B, E>((&circuit, &bits, &numbers), &circuit, [&options, &options], None);
        let circuit = &Recorded(circuit);
        let system = with_bits::<Over<B, E>>().expect("compiled for it");
        let streamed = both(
            |channel| system.prove(circuit, (&bits, &numbers), channel, &options),
            |channel| system.verify(circuit, channel, &options),
            None,
        );
        assert_eq!(digest(direct), digest(streamed));
    }
    over::<F61, F61>();
    over::<F61, F61x2>();
}

/// A statement over two fields is a file as one over that of the numbers, which is of no other statement.
#[test]
fn files_are_over_one_of_two_fields() {
    let (circuit, bits, numbers) = Sorted::instance::<F61>(4, 6);
    let other = Recorded(Sorted { odd: !circuit.odd, ..circuit });
    let (source, options) =
        (Recorded(circuit), Options { arch: Arch::detect(), ..Options::by(System::LIMBO) });
    let (one, other) = (OneField::new(&source), OneField::new(&other));
    let order = one.order().unwrap();
    let joined = |bits: &[F2]| -> Vec<F61> {
        order.join(Box::new(bits.iter().copied()), Box::new(numbers.iter().copied())).collect()
    };
    let mut file = Vec::new();
    let one: &dyn Source<F61> = &one;
    let proved = prove_to_over::<Over<F61>>(one, joined(&bits), &mut file, &options).unwrap();
    let (_, verified) = verify_from_over::<Over<F61>>(one, &mut &file[..], &options).unwrap();
    assert_eq!((proved.gates, proved.statement), (verified.gates, verified.statement));
    let other: &dyn Source<F61> = &other;
    let refused = verify_from_over::<Over<F61>>(other, &mut &file[..], &options).map(drop).unwrap_err();
    assert!(matches!(refused, Error::Disagreed(Disagreement::FileStatement(_))), "{refused}");
    let mut wrong = bits.clone();
    (wrong[0], wrong[1]) = (F2::ZERO, F2::ZERO);
    for (witness, fails) in [
        (joined(&wrong), "a bit of the first two"),
        (vec![F61::new(2); joined(&bits).len()], "a bit is 0 or 1"),
    ] {
        let refused = prove_to_over::<Over<F61>>(one, witness, &mut Vec::new(), &options).unwrap_err();
        assert!(matches!(&refused, Error::Unsatisfied(name) if name == fails), "{refused}");
    }
}

/// A comparison as compilers write it, over F_2 and each field that bits go with, from a file; modulo what bits do not
/// go with, numbers are words, and no field is to be named.
#[test]
fn files_are_over_bits_and_other_fields() {
    files_over_bits(3, 1);
}

#[test]
#[ignore = "slow"]
fn files_with_either_number_are_over_bits_and_other_fields() {
    files_over_bits(1, 5);
}

/// A number that is less over each of a part of the fields, and over the first so many one that is not, too.
fn files_over_bits(step: usize, wrong: usize) {
    let folder = tempfile::tempdir().unwrap();
    // The last digit of an odd number is never zero.
    let less = |prime: &str, width: usize| {
        let path = folder.path().join("less.rel");
        let text = include_str!("../../../vectors/sieve/less.rel").replace("2305843009213693951", prime);
        let (rest, last) = prime.split_at(prime.len() - 1);
        let minus_one = format!("{rest}{}", last.parse::<u8>().unwrap() - 1);
        let text = text.replace("2305843009213693950", &minus_one).replace("1:61", &format!("1:{width}"));
        let text = text.replace("$64", &format!("${}", 3 + width)).replace("$65", &format!("${}", 4 + width));
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    volery_vole::vole::subfield::choose_prime();
    const GOLDILOCKS: &str = "18446744069414584321";
    const BN254: &str = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
    const CHOSEN: &str = "1152921504606846883";
    const LONG: &str = "170141183460469231731687303715884105727";
    let fields = [
        ("goldilocks", GOLDILOCKS, 64),
        ("goldilocksx2", GOLDILOCKS, 64),
        ("bn254", BN254, 254),
        (CHOSEN, CHOSEN, 60),
        (LONG, LONG, 127),
    ];
    for (at, (field, prime, width)) in fields.into_iter().step_by(step).enumerate() {
        let path = less(prime, width);
        let state = || {
            let mut relation = volery::setting(field).unwrap().open(&path, None).unwrap();
            relation.public().read("public0", Written::Text(b"1000")).unwrap();
            relation.state().unwrap()
        };
        for (number, is_less) in [("999", true), ("1000", false)] {
            if !is_less && at >= wrong {
                continue;
            }
            let mut stated = state();
            stated.private().read("private0", Written::Text(number.as_bytes())).unwrap();
            let claim = stated.claim().unwrap();
            assert_eq!(claim.check().is_ok(), is_less, "{number} over {field}");
            let options = Options { check: false, ..seeded(1) };
            let session = both(
                |channel| claim.prove(channel, &options),
                |channel| state().verify(channel, &options),
                None,
            );
            assert_eq!(session.verified.is_ok(), is_less, "{number} over {field}");
            let refused = claim.prove_to(&mut Vec::new(), &options).unwrap_err().to_string();
            assert!(refused.contains("has no proof file, as those over f2 and f61"), "{refused}");
        }
    }
    let path = less("52435875175126190479447740508185965837690552500527637822603658699938581184513", 255);
    let refused = volery::setting("bls12-381").unwrap().open(&path, None).map(drop).unwrap_err().to_string();
    assert!(refused.contains("has words of bits") && refused.contains("leave out --field"), "{refused}");
}

/// "I know a number that is multiplied by itself so often, and its bits likewise, now over the one field and now
/// over the other", by turns of different lengths.
struct Turns {
    turns: usize,
    numbers: usize,
    bits: usize,
}

impl<M: Mixed> MixedCircuit<M> for Turns {
    fn run(&self, m: &mut M) -> Result<()> {
        let x = m.numbers()?.witness()?;
        let word = m.bits_of(&[x], 8, &"a number")?;
        let (mut power, mut product) = (x, word[1]);
        for _ in 0..self.turns {
            let n = m.numbers()?;
            for _ in 0..self.numbers {
                power = n.mul(power, x)?;
            }
            let b = m.bits()?;
            for _ in 0..self.bits {
                product = b.mul(product, word[2])?;
            }
        }
        m.bits()?.assert_zero(word[0], "the last bit")
    }
}

/// All that the verifier says in the half over numbers, with iterations of `tiny` that end between turns: one is
/// some 120,000 shares.
#[test]
fn what_the_verifier_says_between_turns_is_heard_in_its_order() {
    fn accepted<B: Field, E: MacField<B>>(threads: usize)
    where
        Over<B, E>: Registered,
    {
        let circuit = Turns { turns: 60, numbers: 4_300, bits: 2_200 };
        let threads = NonZeroUsize::new(threads).unwrap();
        let options = Options { threads, ..seeded(5).with_correlations(Correlations::TINY) };
        let number = [B::from_word(6).unwrap()];
        let session = both(
            |channel| prove_mixed::<B, E>(&circuit, [], number, channel, &options),
            |channel| verify_mixed::<B, E>(&circuit, channel, &options),
            None,
        );
        session.proved.unwrap();
        let (_, verified) = session.verified.unwrap();
        // Two iterations over numbers.
        assert!(verified.of::<Converted>().unwrap().both.numbers.mul > 250_000);
    }
    accepted::<F61, F61>(1);
    accepted::<F61, F61x2>(3);
    accepted::<Q32, Q32x2>(1);
}

/// Names of both fields fit into a handshake.
#[test]
fn every_field_has_a_name_that_fits_beside_that_of_bits() {
    for setting in volery::settings() {
        let name = setting.name();
        assert!("f2 ".len() + name.len() <= 32, "{name}");
    }
}

#[test]
fn what_the_two_sides_disagree_on_is_said_before_the_set_up() {
    let (circuit, bits, numbers) = Sorted::instance::<F61>(3, 5);
    let options = seeded(1);
    let claim = (&circuit, &bits[..], &numbers[..]);
    let of = |verified: &Sorted, verifying: &Options| {
        let session = run::<F61, F61>(claim, verified, [&options, verifying], None);
        disagreements(session.proved, session.verified)
    };
    let other = Sorted { odd: false, ..Sorted::instance::<F61>(3, 5).0 };
    assert!(of(&other, &options).iter().all(|why| matches!(why, Disagreement::Statement(_))));
    let four = seeded(1).with_correlations(Correlations::SOFTSPOKEN4);
    assert!(of(&circuit, &four).iter().all(|why| matches!(why, Disagreement::OfTwoFields(_))));
    let session = both(
        |channel| prove_mixed::<F61, F61>(&circuit, bits.clone(), numbers.clone(), channel, &options),
        |channel| verify_mixed::<F61, F61x2>(&circuit, channel, &options),
        None,
    );
    let why = disagreements(session.proved, session.verified);
    assert!(why.iter().all(|why| matches!(why, Disagreement::Field(_))));
}

#[test]
fn what_cannot_be_proved_is_refused_before_anything_is_said() {
    let (circuit, bits, numbers) = Sorted::instance::<F61>(3, 5);
    let refused = |bits: &[F2], numbers: &[F61], options: &Options| {
        let session = run::<F61, F61>((&circuit, bits, numbers), &circuit, [options, options], None);
        assert!(session.from_prover.messages().is_empty());
        session.proved.unwrap_err()
    };
    let mut wrong = bits.clone();
    wrong[0] = F2::ZERO;
    wrong[1] = F2::ZERO;
    assert!(
        matches!(refused(&wrong, &numbers, &seeded(1)), Error::Unsatisfied(name) if name == "a bit of the first two")
    );
    let far = [F61::new(7), F61::ONE, F61::ONE];
    assert!(matches!(refused(&bits, &far, &seeded(1)), Error::Unsatisfied(name) if name == "address 0"));
    let long = [&numbers[..], &[F61::ZERO]].concat();
    assert!(matches!(refused(&bits, &long, &seeded(1)), Error::Invalid(_)));
    let wolverine = Options { seed: Some([1; 32]), ..Options::by(System::WOLVERINE) };
    assert!(matches!(refused(&bits, &numbers, &wolverine), Error::Invalid(_)));
    let silent = Options { non_interactive: true, ..seeded(1) };
    assert!(matches!(refused(&bits, &numbers, &silent), Error::Invalid(_)));
    let asked = Options { security: Some(60), ..seeded(1) };
    assert!(matches!(refused(&bits, &numbers, &asked), Error::Invalid(_)));
    let wide = seeded(1).with_correlations(Correlations::SMALL);
    assert!(matches!(refused(&bits, &numbers, &wide), Error::Invalid(_)));
    // The prover that does not check fails at the end, in whichever half, and the verifier with it.
    let unchecked = Options { check: false, ..seeded(1) };
    let [over_bits, over_numbers] = [(&wrong, &numbers), (&bits, &far.to_vec())].map(|(bits, numbers)| {
        let claim = (&circuit, &bits[..], &numbers[..]);
        let session = run::<F61, F61>(claim, &circuit, [&unchecked, &unchecked], None);
        assert!(matches!(session.proved, Err(Error::Unsatisfied(_))) && session.verified.is_err());
        session.from_prover.messages().iter().map(Vec::len).collect::<Vec<_>>()
    });
    assert_eq!(over_bits, over_numbers);
}

/// Messages of either party, with a bit changed on the way: the last ones, and of the set-ups some.
#[test]
fn a_flipped_bit_anywhere_is_noticed_by_both() {
    assert_flips_are_noticed(29);
}

#[test]
#[ignore = "slow"]
fn more_flipped_bits_are_noticed_by_both() {
    assert_flips_are_noticed(11);
}

fn assert_flips_are_noticed(step: usize) {
    let (circuit, bits, numbers) = Sorted::instance::<F61>(2, 3);
    let options = seeded(9);
    let claim = (&circuit, &bits[..], &numbers[..]);
    let honest = run::<F61, F61>(claim, &circuit, [&options, &options], None);
    assert!(honest.verified.is_ok());
    let said = [honest.from_prover.messages(), honest.from_verifier.messages()];
    let lengths = said.map(|messages| messages.iter().map(Vec::len).collect::<Vec<_>>());
    for (party, lengths) in [Party::Prover, Party::Verifier].into_iter().zip(&lengths) {
        for (message, length) in lengths.iter().enumerate() {
            // Of the set-ups some; what follows them is tested one by one over an ideal dealer.
            if message % step != 3 && message + 3 < lengths.len() {
                continue;
            }
            let flip =
                Some((party, Flip { message, bit: (8 * length).saturating_sub(3).min(8 * length / 2 + 1) }));
            let session = run::<F61, F61>(claim, &circuit, [&options, &options], flip);
            let verdict = party == Party::Verifier && message + 1 == lengths.len();
            assert!(session.proved.is_err(), "message {message} of the {}", party.name());
            assert_eq!(session.verified.is_ok(), verdict, "message {message} of the {}", party.name());
            assert!(!verdict || only_bytes_differ(&session.proved) || session.proved.is_err());
        }
    }
    let last = Flip { message: lengths[0].len() - 2, bit: 0 };
    let session = run::<F61, F61>(claim, &circuit, [&options, &options], Some((Party::Prover, last)));
    assert!(matches!(session.proved, Err(Error::Rejected(Rejection::ByVerifier))));
    assert!(matches!(session.verified, Err(Error::Rejected(Rejection::Assertions))));
}

/// Statements behind a pointer are, too.
#[test]
fn statements_are_proved_behind_a_pointer() {
    let (circuit, bits, numbers) = Sorted::instance::<F61>(2, 4);
    let circuit: &(dyn ProvableMixed<F61, F61> + Sync) = &circuit;
    let options = seeded(5);
    let session = both(
        |channel| prove_mixed::<F61, F61>(circuit, bits, numbers, channel, &options),
        |channel| verify_mixed::<F61, F61>(circuit, channel, &options),
        None,
    );
    session.proved.unwrap();
    let _ = session.verified.unwrap();
}
