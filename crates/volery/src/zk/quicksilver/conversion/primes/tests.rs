//! Over an ideal dealer: agreement, provers whose words are others in one of the three fields, and whatever is
//! changed on the way.

use super::*;
use crate::channel::{Channel, Flip, Party, Tape, pipe, side_by_side};
use crate::circuit::{Backend, MixedCircuit, TwoPrimes, check_primes};
use crate::error::{Error, Rejection, Result};
use crate::random::Random;
use crate::vole::{Delta, ideal, subfield};
use crate::zk::quicksilver::conversion::repetitions;
use std::time::Duration;
use volery_primitives::arch::Arch;
use volery_primitives::{F2, F61, F61x2, F65537, F65537x4, Goldilocks, Q32, Q32x2};

/// Shares in a block of the ideal dealers.
const BLOCK: usize = 192;
const WIDTH: usize = 7;

/// "I know so many numbers of seven bits, and the same others; and the parity of all of them is this."
struct Same {
    words: usize,
    odd: bool,
}

impl<M: TwoPrimes> MixedCircuit<M> for Same {
    fn run(&self, m: &mut M) -> Result<()> {
        let mut parity = m.bits()?.constant(self.odd.into());
        for i in 0..self.words {
            let n = m.numbers()?;
            let x = n.witness()?;
            let zero = n.witness()?;
            let product = n.mul(x, zero)?;
            n.assert_zero(product, "a factor")?;
            let o = m.others()?;
            let y = o.witness()?;
            // Every second word goes the other way.
            let bits = if i % 2 == 0 {
                let same = m.others_of(&[x], WIDTH, &"a number")?[0];
                let o = m.others()?;
                let minus = o.scale(y, -<M::Others as Backend>::F::ONE);
                let difference = o.add(same, minus);
                o.assert_zero(difference, "the same number")?;
                m.bits_of(&[x], WIDTH, &"a number again")?
            } else {
                let same = m.numbers_of(&[y], WIDTH, &"another")?[0];
                let n = m.numbers()?;
                let minus = n.scale(x, -<M::Numbers as Backend>::F::ONE);
                let difference = n.add(same, minus);
                n.assert_zero(difference, "the same other")?;
                m.bits_of_others(&[y], WIDTH, &"another again")?
            };
            let b = m.bits()?;
            parity = b.add(parity, bits[0]);
        }
        m.bits()?.assert_zero(parity, "parity")
    }
}

impl Same {
    fn instance<B: Field, C: Field>(words: usize) -> (Self, Vec<B>, Vec<C>) {
        let word = |i: usize| ((i * 37 + 11) % (1 << WIDTH)) as u128;
        let numbers = (0..words).flat_map(|i| [B::from_word(word(i)).unwrap(), B::ZERO]).collect();
        let others = (0..words).map(|i| C::from_word(word(i)).unwrap()).collect();
        let odd = (0..words).fold(0, |odd, i| odd ^ word(i) & 1) == 1;
        (Self { words, odd }, numbers, others)
    }
}

/// What is done differently: what the prover adds to inputs of these numbers, and what is flipped on the way.
#[derive(Clone, Default)]
struct How<B, C> {
    bits: Vec<(u64, F2)>,
    numbers: Vec<(u64, B)>,
    others: Vec<(u64, C)>,
    flip: Option<(Party, Flip)>,
}

struct Ended {
    proved: Result<All>,
    verified: Result<All>,
    lengths: [Vec<usize>; 2],
}

fn run<B: Field, E: MacField<B>, C: Field, G: MacField<C>>(
    circuit: &Same,
    numbers: &[B],
    others: &[C],
    how: &How<B, C>,
) -> Ended {
    let (here, there) = pipe(Duration::from_secs(20));
    let of = |party| how.flip.filter(|(who, _)| *who == party).map(|(_, flip)| flip);
    let (here, from_prover) = Tape::new(here, of(Party::Prover));
    let (there, from_verifier) = Tape::new(there, of(Party::Verifier));
    let mut proving = Channel::new(Party::Prover, here);
    let mut verifying = Channel::new(Party::Verifier, there);
    let arch = Arch::detect();
    let prover = || {
        let voles = (
            Box::new(ideal::Prover::new(3, BLOCK)) as _,
            Box::new(subfield::ideal::Prover::<B, E>::new(4, BLOCK)) as _,
            Box::new(subfield::ideal::Prover::<C, G>::new(5, BLOCK)) as _,
        );
        let witness = (Vec::<F2>::new(), numbers.to_vec(), others.to_vec());
        let random = &mut Random::from_seed(&[1; 32]);
        let mut prover = Prover::<B, E, C, G>::new(&mut proving, voles, arch, witness, random);
        let halves = &mut prover.halves;
        (halves.bits.lies, halves.numbers.lies) = (how.bits.clone(), how.numbers.clone());
        halves.others.lies = how.others.clone();
        let cheats = !how.bits.is_empty() || !how.numbers.is_empty() || !how.others.is_empty();
        let ended = circuit.run(&mut prover).and_then(|()| {
            if cheats {
                prover.halves.bits.take_failure();
                prover.halves.numbers.take_failure();
                prover.halves.others.take_failure();
            }
            prover.finish()
        });
        let _ = proving.flush();
        drop(proving);
        ended
    };
    let verifier = || {
        let random = &mut Random::from_seed(&[2; 32]);
        let delta = Delta::random(random);
        let of_numbers = subfield::Delta::<B, E>::random(random);
        let of_others = subfield::Delta::<C, G>::random(random);
        let voles = (
            Box::new(ideal::Verifier::new(3, BLOCK, &delta)) as _,
            Box::new(subfield::ideal::Verifier::new(4, BLOCK, &of_numbers)) as _,
            Box::new(subfield::ideal::Verifier::new(5, BLOCK, &of_others)) as _,
        );
        let deltas = (&delta, &of_numbers, &of_others);
        let mut verifier = Verifier::<B, E, C, G>::new(&mut verifying, voles, arch, deltas, random);
        let ended = circuit.run(&mut verifier).and_then(|()| verifier.finish().map(|(_, all)| all));
        // A prover that waits for a coin is not to wait for long.
        drop(verifying);
        ended
    };
    let (proved, verified) = side_by_side(prover, verifier);
    let lengths =
        [from_prover, from_verifier].map(|said| said.messages().iter().map(Vec::len).collect::<Vec<_>>());
    Ended { proved, verified, lengths }
}

fn agree<B: Field, E: MacField<B>, C: Field, G: MacField<C>>() {
    for words in [1, 2, 40] {
        let (circuit, numbers, others) = Same::instance::<B, C>(words);
        check_primes(&circuit, [], numbers.iter().copied(), others.iter().copied()).unwrap();
        let shape = PrimesShape::of::<B, C, _>(&circuit).unwrap();
        let ended = run::<B, E, C, G>(&circuit, &numbers, &others, &How::default());
        let (proved, verified) = (ended.proved.unwrap(), ended.verified.unwrap());
        assert_eq!(proved, verified);
        let All { bits, numbers, others, rounds } = proved;
        assert_eq!(rounds.map(|of| of.conversions), shape.conversions);
        let subsets = [repetitions::<E>(), repetitions::<G>()].map(u64::from);
        let masks = rounds[0].rounds * subsets[0] + rounds[1].rounds * subsets[1];
        assert_eq!(bits.inputs, shape.bits.inputs + masks);
        for (of, counted) in [(bits, shape.bits), (numbers, shape.numbers), (others, shape.others)] {
            assert_eq!((of.mul, of.assert), (counted.mul, counted.assert));
        }
        let sizes = sizes::<B, E, C, G>(&shape).map(|size| size.commitments);
        let took = [bits, numbers, others].map(|gates| gates.size().commitments);
        assert!(sizes.iter().zip(took).all(|(size, took)| *size >= took), "{sizes:?} {took:?}");
        assert!(most_rounds::<B, C>(&shape).iter().zip(rounds).all(|(most, of)| *most >= of.rounds));
    }
}

/// Two fields with coins, one with and one without, two without, and the same field twice.
#[test]
fn everybody_agrees_over_pairs_of_fields() {
    agree::<F61, F61, Goldilocks, Goldilocks>();
    agree::<Q32, Q32x2, F61, F61x2>();
    agree::<F61, F61x2, F65537, F65537x4>();
    agree::<F61, F61, F61, F61>();
}

fn is_rejected(ended: &Ended) -> bool {
    let by = [Rejection::Assertions, Rejection::ProductsAndPolynomials];
    matches!(&ended.verified, Err(Error::Rejected(why)) if by.contains(why))
}

/// A bit of a word that is another in one of the three fields, at each place, in words of both ways.
#[test]
fn words_that_differ_in_one_field_are_rejected() {
    let (circuit, numbers, others) = Same::instance::<F61, Goldilocks>(2);
    let honest = run::<F61, F61, Goldilocks, Goldilocks>(&circuit, &numbers, &others, &How::default());
    honest.verified.unwrap();
    let inputs = honest.proved.unwrap();
    let lies = |how: How<F61, Goldilocks>| {
        let ended = run::<F61, F61, Goldilocks, Goldilocks>(&circuit, &numbers, &others, &how);
        assert!(ended.proved.is_ok());
        is_rejected(&ended)
    };
    for at in 0..inputs.bits.inputs {
        assert!(lies(How { bits: vec![(at, F2::ONE)], ..How::default() }), "bit {at}");
    }
    for at in 0..inputs.numbers.inputs.min(60) {
        // The second factor may be anything where the first is not zero, and is zero where it is.
        assert!(lies(How { numbers: vec![(at, F61::ONE)], ..How::default() }), "number {at}");
    }
    for at in 0..inputs.others.inputs.min(60) {
        assert!(lies(How { others: vec![(at, Goldilocks::ONE)], ..How::default() }), "other {at}");
    }
    // The same lie in both prime fields, under one wrong bit: what is left is the parity.
    let both = How { numbers: vec![(0, F61::ONE)], others: vec![(0, Goldilocks::ONE)], ..How::default() };
    assert!(lies(both));
}

#[test]
fn numbers_that_are_too_wide_for_either_are_named() {
    let (circuit, mut numbers, mut others) = Same::instance::<F61, Goldilocks>(2);
    // The same bits, and one more.
    let one_more = 1 << WIDTH;
    numbers[0] += F61::new(one_more);
    let ended = run::<F61, F61, Goldilocks, Goldilocks>(&circuit, &numbers, &others, &How::default());
    assert!(matches!(ended.proved, Err(Error::Unsatisfied(name)) if name == "a number"));
    let clear = check_primes(&circuit, [], numbers.clone(), others.clone());
    assert!(matches!(clear, Err(Error::Unsatisfied(name)) if name == "a number"));
    numbers[0] = Same::instance::<F61, Goldilocks>(2).1[0];
    others[1] += Goldilocks::from_word(one_more.into()).unwrap();
    let ended = run::<F61, F61, Goldilocks, Goldilocks>(&circuit, &numbers, &others, &How::default());
    assert!(matches!(ended.proved, Err(Error::Unsatisfied(name)) if name == "another"));
    assert!(ended.verified.is_err());
}

/// Whatever is changed of what either party says, in any half.
#[test]
fn a_flipped_bit_in_any_message_is_rejected() {
    let (circuit, numbers, others) = Same::instance::<F61, Q32>(2);
    let run = |flip| {
        let how = How { flip, ..How::default() };
        run::<F61, F61, Q32, Q32x2>(&circuit, &numbers, &others, &how)
    };
    let honest = run(None);
    honest.verified.unwrap();
    for (party, lengths) in [Party::Prover, Party::Verifier].into_iter().zip(&honest.lengths) {
        for (message, length) in lengths.iter().enumerate() {
            // Of a coin the second half is for polynomials, where there are any.
            let bits =
                if party == Party::Prover { [0, 4 * length + 1, 8 * length - 1] } else { [0, 77, 127] };
            for bit in bits {
                let ended = run(Some((party, Flip { message, bit })));
                assert!(ended.verified.is_err(), "message {message} of the {}, bit {bit}", party.name());
            }
        }
    }
}

/// A prover that fails closes at one place, in whichever half it has failed; and lengths are those of any.
#[test]
fn lengths_do_not_depend_on_the_witness() {
    let (circuit, numbers, others) = Same::instance::<F61, Goldilocks>(4);
    let run = |numbers: &[F61], others: &[Goldilocks]| {
        run::<F61, F61, Goldilocks, Goldilocks>(&circuit, numbers, others, &How::default())
    };
    let honest = run(&numbers, &others);
    honest.verified.unwrap();
    let (zeros, nothing) = (vec![F61::ZERO; numbers.len()], vec![Goldilocks::ZERO; others.len()]);
    if !circuit.odd {
        assert_eq!(run(&zeros, &nothing).lengths, honest.lengths);
    }
    let mut wrong = (numbers.clone(), others.clone());
    wrong.0[1] = F61::ONE;
    wrong.1[2] += Goldilocks::ONE;
    let [first, second] = [run(&wrong.0, &others), run(&numbers, &wrong.1)].map(|ended| {
        assert!(matches!(ended.proved, Err(Error::Unsatisfied(_))));
        ended.lengths
    });
    assert_eq!(first, second);
    assert!(first[0].len() < honest.lengths[0].len());
}

/// The fingerprint tells which backends words go between.
#[test]
fn other_conversions_have_other_fingerprints() {
    struct Converts(u8);
    impl<M: TwoPrimes> MixedCircuit<M> for Converts {
        fn run(&self, m: &mut M) -> Result<()> {
            let (x, y) = (m.numbers()?.witness()?, m.others()?.witness()?);
            match self.0 {
                0 => drop(m.bits_of(&[x], 3, &"x")?),
                1 => drop(m.bits_of_others(&[y], 3, &"y")?),
                2 => drop(m.others_of(&[x], 3, &"x")?),
                3 => drop(m.numbers_of(&[y], 3, &"y")?),
                4 => drop(m.bits_of(&[x], 4, &"x")?),
                _ => {}
            }
            let bit = m.bits()?.witness()?;
            m.bits()?.assert_zero(bit, "a bit")
        }
    }
    let of = |kind| PrimesShape::fingerprint::<F61, Goldilocks, _>(&Converts(kind)).unwrap().1;
    let all: Vec<_> = (0..6).map(of).collect();
    for (i, one) in all.iter().enumerate() {
        assert!(all[..i].iter().all(|other| other != one), "{i}");
    }
    assert_ne!(PrimesShape::fingerprint::<Goldilocks, F61, _>(&Converts(2)).unwrap().1, all[2]);
}

/// Words wider than one of the fields are refused before a bit of them is committed to.
#[test]
fn words_that_may_be_the_same_number_are_refused() {
    struct Wide;
    impl<M: TwoPrimes> MixedCircuit<M> for Wide {
        fn run(&self, m: &mut M) -> Result<()> {
            let x = m.numbers()?.witness()?;
            m.others_of(&[x], 17, &"x").map(drop)
        }
    }
    let error = PrimesShape::of::<F61, F65537, _>(&Wide).unwrap_err();
    assert!(error.to_string().contains("1 to 16"), "{error}");
    assert!(PrimesShape::of::<F61, Q32, _>(&Wide).is_ok());
}

#[test]
fn bits_of_security_are_those_of_all() {
    assert_eq!(security::<F61, Goldilocks>([60, 50, 60], [0, 0]), 49);
    assert_eq!(security::<F61, F61x2>([110, 110, 110], [1, 0]), 63);
    assert_eq!(security::<F61x2, F61x2>([110, 110, 110], [1 << 20, 1 << 20]), 106);
}
