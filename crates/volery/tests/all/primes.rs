//! Whole sessions over F_2 and two prime fields.

use crate::kit::{both, disagreements, seeded};
use crate::tapes::digest;
use std::num::NonZeroUsize;
use volery::circuit::{Backend, Cells, Memories, MixedCircuit, Put, TwoPrimes};
use volery::error::Disagreement;
use volery::{
    Arch, Correlations, Error, F2, F61, F61x2, F65537, F65537x4, Field, Goldilocks, MacField, Options, Over,
    Q32, Q32x2, Registered, Result, check_primes, prove_primes, verify_primes,
};

/// "I know numbers of which each is read at a secret place of a memory, as another it has this remainder of its
/// square, and the last bits of all are zero": products over both prime fields, between conversions.
struct Squares {
    words: usize,
    width: usize,
    products: usize,
}

impl<M: TwoPrimes> MixedCircuit<M> for Squares {
    fn run(&self, m: &mut M) -> Result<()> {
        let n = m.numbers()?;
        let mut memory = n.memory(Cells::Zero(8), 1)?;
        let mut all = Vec::new();
        for i in 0..self.words {
            let n = m.numbers()?;
            let (address, x) = (n.witness()?, n.witness()?);
            n.access(&mut memory, &[address], Put::Word(&[x]), &format_args!("address {i}"))?;
            let x = n.access(&mut memory, &[address], Put::Same, &format_args!("address {i} again"))?[0];
            let mut power = x;
            for _ in 0..self.products {
                power = n.mul(power, x)?;
            }
            let y = m.others_of(&[x], self.width, &"a number")?[0];
            let o = m.others()?;
            let mut power = y;
            for _ in 0..self.products {
                power = o.mul(power, y)?;
            }
            all.push(y);
        }
        m.numbers()?.close(memory)?;
        let bits = m.bits_of_others(&all, self.width, &"another")?;
        let b = m.bits()?;
        for word in bits.chunks(self.width) {
            b.assert_zero(word[0], "the last bit")?;
        }
        Ok(())
    }
}

impl Squares {
    fn instance<B: Field>(words: usize, products: usize) -> (Self, Vec<B>) {
        let element = |word: usize| B::from_word(word as u128).unwrap();
        let numbers = (0..words).flat_map(|i| [element(i % 8), element(2 * (i % 50))]).collect();
        (Self { words, width: 8, products }, numbers)
    }
}

type Session = crate::kit::Session;

fn run<B: Field, E: MacField<B>, C: Field, G: MacField<C>>(
    (circuit, numbers): (&Squares, &[B]),
    verified: &Squares,
    [proving, verifying]: [&Options; 2],
) -> Session
where
    Over<B, E>: Registered,
    Over<C, G>: Registered,
{
    let witness = || (Vec::<F2>::new(), numbers.to_vec(), Vec::<C>::new());
    both(
        |channel| prove_primes::<B, E, C, G>(circuit, witness(), channel, proving),
        |channel| verify_primes::<B, E, C, G>(verified, channel, verifying),
        None,
    )
}

fn accepted<B: Field, E: MacField<B>, C: Field, G: MacField<C>>(products: usize, statistical: u32)
where
    Over<B, E>: Registered,
    Over<C, G>: Registered,
{
    let (circuit, numbers) = Squares::instance::<B>(6, products);
    check_primes::<B, C, _>(&circuit, [], numbers.clone(), []).unwrap();
    for correlations in [None, Some(Correlations::SOFTSPOKEN4), Some(Correlations::TINY)] {
        let options = seeded(3).with_correlations(correlations);
        let session = run::<B, E, C, G>((&circuit, &numbers), &circuit, [&options, &options]);
        let (proved, (_, verified)) = (session.proved.unwrap(), session.verified.unwrap());
        assert_eq!((proved.gates, proved.statement), (verified.gates, verified.statement));
        assert_eq!((proved.security, proved.details), (verified.security, verified.details));
        assert!(proved.security.statistical >= statistical, "{:?}", proved.security);
        let converted = verified.converted_primes().unwrap();
        let [numbers, others] = converted.all.rounds.map(|rounds| rounds.conversions);
        assert_eq!((numbers.to_bits, others.to_numbers, others.to_bits), (6, 6, 6));
        let of = converted.all;
        assert_eq!(verified.gates.mul, of.bits.mul + of.numbers.mul + of.others.mul);
        let said = session.from_prover.messages().iter().map(|message| message.len() as u64).sum::<u64>();
        assert_eq!(said, proved.traffic.sent);
    }
}

#[test]
fn sessions_over_two_primes_are_accepted() {
    accepted::<F61, F61, Goldilocks, Goldilocks>(3, 44);
    accepted::<Q32, Q32x2, F61, F61>(3, 44);
    accepted::<F61, F61x2, F65537, F65537x4>(3, 40);
}

/// "I know a number whose powers modulo both primes are multiplied so often, now in the one and now in the
/// other", by turns of different lengths.
struct Turns {
    turns: usize,
    numbers: usize,
    others: usize,
}

impl<M: TwoPrimes> MixedCircuit<M> for Turns {
    fn run(&self, m: &mut M) -> Result<()> {
        let x = m.numbers()?.witness()?;
        let y = m.others_of(&[x], 8, &"a number")?[0];
        let (mut power, mut other) = (x, y);
        for _ in 0..self.turns {
            let n = m.numbers()?;
            for _ in 0..self.numbers {
                power = n.mul(power, x)?;
            }
            let o = m.others()?;
            for _ in 0..self.others {
                other = o.mul(other, y)?;
            }
        }
        let bits = m.bits_of_others(&[y], 8, &"another")?;
        m.bits()?.assert_zero(bits[0], "the last bit")
    }
}

/// All that the verifiers of both prime halves say, with iterations of `tiny` that end in each at other times:
/// one is some 120,000 shares.
#[test]
fn what_the_verifier_says_in_both_halves_is_heard_in_its_order() {
    fn accepted<B: Field, E: MacField<B>, C: Field, G: MacField<C>>(threads: usize)
    where
        Over<B, E>: Registered,
        Over<C, G>: Registered,
    {
        let circuit = Turns { turns: 60, numbers: 4_300, others: 2_200 };
        let numbers = vec![B::from_word(6).unwrap()];
        let threads = NonZeroUsize::new(threads).unwrap();
        let options = Options { threads, ..seeded(5).with_correlations(Correlations::TINY) };
        let witness = || (Vec::<F2>::new(), numbers.clone(), Vec::<C>::new());
        let session = both(
            |channel| prove_primes::<B, E, C, G>(&circuit, witness(), channel, &options),
            |channel| verify_primes::<B, E, C, G>(&circuit, channel, &options),
            None,
        );
        session.proved.unwrap();
        let (_, verified) = session.verified.unwrap();
        let all = verified.converted_primes().unwrap().all;
        // Two iterations of the one, and more than one of the other.
        assert!(all.numbers.mul > 250_000 && all.others.mul > 130_000);
    }
    accepted::<F61, F61, Goldilocks, Goldilocks>(1);
    accepted::<F61, F61x2, F61, F61>(3);
    accepted::<Q32, Q32x2, F61, F61x2>(1);
}

/// Names of fields fit into a handshake, whichever two there are.
#[test]
fn every_two_fields_have_a_name_that_fits() {
    let names = volery::settings().iter().map(|setting| setting.name()).collect::<Vec<_>>();
    let longest = names.iter().map(|name| name.len()).max().unwrap();
    assert!("f2".len() + 2 * (1 + longest) <= 32, "{names:?}");
}

#[test]
fn pinned() {
    let tape = |arch, threads| {
        let (circuit, numbers) = Squares::instance::<F61>(5, 2);
        let threads = NonZeroUsize::new(threads).unwrap();
        let options = Options { arch, threads, ..seeded(42).with_correlations(Correlations::TINY) };
        digest(run::<F61, F61, Goldilocks, Goldilocks>((&circuit, &numbers), &circuit, [&options, &options]))
    };
    for (arch, threads) in Arch::available().into_iter().zip([1, 2, 3, 8].into_iter().cycle()) {
        assert_eq!(tape(arch, threads), "ab751200584c64e752698443ccec6f27", "{}", arch.name());
    }
}

#[test]
fn what_the_two_sides_disagree_on_is_said() {
    let (circuit, numbers) = Squares::instance::<F61>(2, 1);
    let options = seeded(1);
    let of = |verified: &Squares, verifying: &Options| {
        let claim = (&circuit, &numbers[..]);
        let session = run::<F61, F61, Goldilocks, Goldilocks>(claim, verified, [&options, verifying]);
        disagreements(session.proved, session.verified)
    };
    let other = Squares::instance::<F61>(2, 2).0;
    assert!(of(&other, &options).iter().all(|why| matches!(why, Disagreement::Statement(_))));
    let four = seeded(1).with_correlations(Correlations::SOFTSPOKEN4);
    assert!(of(&circuit, &four).iter().all(|why| matches!(why, Disagreement::OfTwoFields(_))));
    let witness = || (Vec::<F2>::new(), numbers.clone(), Vec::<Q32>::new());
    let session = both(
        |channel| prove_primes::<F61, F61, Q32, Q32x2>(&circuit, witness(), channel, &options),
        |channel| verify_primes::<F61, F61, Goldilocks, Goldilocks>(&circuit, channel, &options),
        None,
    );
    let why = disagreements(session.proved, session.verified);
    assert!(why.iter().all(|why| matches!(why, Disagreement::Field(_))));
}

#[test]
fn what_cannot_be_proved_is_refused_before_anything_is_said() {
    let (circuit, numbers) = Squares::instance::<F61>(2, 1);
    let refused = |numbers: &[F61], options: &Options| {
        let session =
            run::<F61, F61, Goldilocks, Goldilocks>((&circuit, numbers), &circuit, [options, options]);
        assert!(session.from_prover.messages().is_empty());
        session.proved.unwrap_err()
    };
    let odd = [F61::ONE; 4];
    assert!(matches!(refused(&odd, &seeded(1)), Error::Unsatisfied(name) if name == "the last bit"));
    let wide = [F61::ONE, F61::new(256), F61::ONE, F61::ZERO];
    assert!(matches!(refused(&wide, &seeded(1)), Error::Unsatisfied(name) if name == "a number"));
    let silent = Options { non_interactive: true, ..seeded(1) };
    assert!(matches!(refused(&numbers, &silent), Error::Invalid(_)));
    let asked = Options { security: Some(60), ..seeded(1) };
    assert!(matches!(refused(&numbers, &asked), Error::Invalid(_)));
    let unchecked = Options { check: false, ..seeded(1) };
    let session =
        run::<F61, F61, Goldilocks, Goldilocks>((&circuit, &odd), &circuit, [&unchecked, &unchecked]);
    assert!(matches!(session.proved, Err(Error::Unsatisfied(_))) && session.verified.is_err());
}
