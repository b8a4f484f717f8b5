//! Residues against integers of any size.

use super::*;
use crate::testing::{Evaluation, ands, bit_value, evaluate, evaluation};
use num_bigint::BigUint;
use volery_circuit::stream::{Handle, Recorder};

/// 2^n less a sum of powers of two.
fn less(n: u32, powers: &[u32]) -> BigUint {
    let power = |n| BigUint::from(1_u8) << n;
    powers.iter().fold(power(n), |number, n| number - power(*n))
}

/// Small primes, those of special forms, two without one, and the largest odd number, which is none.
fn moduli() -> Vec<BigUint> {
    let large = |text: &str| text.parse().expect("digits");
    let mut moduli: Vec<BigUint> = [3_u32, 5, 7, 13, 97, 251].map(Into::into).into();
    moduli.extend([less(31, &[0]), less(61, &[0]), less(64, &[32]) + 1_u8, less(127, &[0])]);
    moduli.push(less(256, &[32, 9, 8, 7, 6, 4, 0]));
    moduli.push(large("21888242871839275222246405745257275088548364400416034343698204186575808495617"));
    moduli.push(large("52435875175126190479447740508185965837690552500527637822603658699938581184513"));
    moduli.extend([less(255, &[0]) - 18_u8, less(256, &[0])]);
    moduli
}

fn integer(number: &BigUint) -> U256 {
    U256::from_bytes(&number.to_bytes_le())
}

fn modulus(q: &BigUint) -> Modulus {
    Modulus::new(integer(q)).expect("an odd number")
}

/// A number's lowest bits, on wires.
fn secret(number: &BigUint, width: usize) -> Vec<Bit<F2>> {
    (0..width as u64).map(|i| Wire(F2::from(number.bit(i)))).collect()
}

fn number(word: &[Bit<F2>]) -> BigUint {
    let digits = word.iter().rev().map(|bit| u8::from(bit_value(*bit)));
    digits.fold(BigUint::ZERO, |number, bit| (number << 1_u8) + bit)
}

/// Residues at the edges, and some in between.
fn residues(q: &BigUint) -> Vec<BigUint> {
    let one = BigUint::from(1_u8);
    let edges = [BigUint::ZERO, one.clone(), q - 1_u8, (q - 1_u8) / 2_u8, one << (q.bits() - 1)];
    // A generator of no other use.
    let mut next = BigUint::from(0x9e37_79b9_7f4a_7c15_u64);
    let between = (0..3).map(|_| {
        next = &next * &next + 12_345_u32;
        next = &next % less(300, &[0]);
        &next % q
    });
    edges.into_iter().chain(between).collect()
}

type Word = Vec<Bit<F2>>;

#[test]
fn residues_compute_as_integers_do() {
    for q in moduli() {
        let modulus = modulus(&q);
        let b: &mut Evaluation = &mut evaluation();
        assert_eq!(modulus.width() as u64, q.bits());
        let residues = residues(&q);
        for (i, x) in residues.iter().enumerate() {
            let on_wires = secret(x, modulus.width());
            // All pairs of short ones, and one of long ones.
            let pairs = if q.bits() < 64 { residues.len() } else { 1 };
            for y in residues.iter().cycle().skip(i + 1).take(pairs) {
                let computed = |of: &dyn Fn(&Word, &Word, &mut Evaluation) -> Word, b: &mut Evaluation| {
                    let (public, secret) = (modulus.public(integer(y)), secret(y, modulus.width()));
                    [secret, public].map(|y| number(&of(&on_wires, &y, b)))
                };
                let sum = computed(&|x, y, b| modulus.add(b, x, y).unwrap(), b);
                let product = computed(&|x, y, b| modulus.mul(b, x, y).unwrap(), b);
                assert_eq!(sum, [(); 2].map(|()| (x + y) % &q), "{x} + {y} modulo {q}");
                assert_eq!(product, [(); 2].map(|()| (x * y) % &q), "{x} · {y} modulo {q}");
                // And where some bits are public, or all.
                let some = |bits: usize| [&modulus.public(integer(x))[..bits], &on_wires[bits..]].concat();
                for x_some in [some(0), some(modulus.width() / 2), some(modulus.width())] {
                    let sum = modulus.add_constant(b, &x_some, integer(y)).unwrap();
                    assert_eq!(number(&sum), (x + y) % &q, "{x} + {y} modulo {q}");
                    let multiple = modulus.mul_constant(b, &x_some, integer(y)).unwrap();
                    assert_eq!(number(&multiple), (x * y) % &q, "{x} · {y} modulo {q}");
                }
            }
        }
    }
}

/// All residues of small moduli, those included that are no primes.
#[test]
fn small_moduli_have_all_their_residues() {
    let b = &mut evaluation();
    for q in (3..24_u32).step_by(2) {
        let modulus = modulus(&q.into());
        let word = |x: u32| secret(&x.into(), modulus.width());
        for (x, y) in (0..q * q).map(|both| (both / q, both % q)) {
            let sum = modulus.add(b, &word(x), &word(y)).unwrap();
            let product = modulus.mul(b, &word(x), &word(y)).unwrap();
            let multiple = modulus.mul_constant(b, &word(x), u64::from(y).into()).unwrap();
            let made = [sum, product, multiple].map(|word| number(&word));
            assert_eq!(made, [(x + y) % q, x * y % q, x * y % q].map(Into::into), "{x} and {y} modulo {q}");
        }
    }
}

#[test]
fn numbers_of_any_length_have_residues() {
    let b = &mut evaluation();
    for q in moduli().into_iter().filter(|q| q.bits() < 200) {
        let modulus = modulus(&q);
        let n = modulus.width();
        for length in [0, 1, n - 1, n, n + 1, 2 * n - 1, 2 * n, 2 * n + 1, 3 * n, 5 * n + 3] {
            let ones = less(length as u32, &[0]);
            for x in [BigUint::ZERO, &ones / 3_u8, ones] {
                let residue = modulus.residue(b, &secret(&x, length)).unwrap();
                assert_eq!((residue.len(), number(&residue)), (n, &x % &q), "{x} modulo {q}");
            }
        }
    }
}

/// Products by functions, which a stream records once, are the same, and no wire of one is another's.
#[test]
fn residues_are_streamed() {
    let q = modulus(&less(61, &[0]));
    let (x, y) = (less(60, &[5]), less(61, &[9]));
    let witness = || [&x, &y].map(|x| (0..61).map(|i| F2::from(x.bit(i)))).into_iter().flatten();
    let run = |expected: BigUint| {
        evaluate(witness(), |b: &mut Recorder<'_, F2>| {
            let word = |b: &mut _| (0..61).map(|_| Bit::witness(b)).collect::<Result<Vec<_>>>();
            let (x, y) = (word(b)?, word(b)?);
            let mut product = q.mul(b, &x, &y)?;
            for _ in 0..20 {
                let next = q.mul(b, &product, &x)?;
                let next = q.add(b, &next, &y)?;
                let made: Vec<_> = product.into_iter().filter_map(wire).collect();
                b.forget(&made);
                product = next;
            }
            let expected = q.public(integer(&expected));
            product.iter().zip(expected).try_for_each(|(bit, is)| bit.assert_equal(b, is, "the product"))
        })
    };
    let q = less(61, &[0]);
    let expected = (0..20).fold((&x * &y) % &q, |product, _| (product * &x + &y) % &q);
    run(expected.clone()).unwrap();
    assert!(run(expected ^ BigUint::from(1_u8)).unwrap_err().to_string().contains("the product"));
}

/// Gates on two residues.
type Gates = fn(&Modulus, &mut Recorder<'_, F2>, &[Bit<Handle>], &[Bit<Handle>]) -> Result<Vec<Bit<Handle>>>;

#[test]
fn costs_are_pinned() {
    let [small, thirty, sixty, hundred, large] =
        [97_u32.into(), less(31, &[0]), less(61, &[0]), less(127, &[0]), moduli()[11].clone()]
            .map(|q| modulus(&q));
    let cost = |q: &Modulus, gates: Gates| {
        ands(|b| {
            let word = |b: &mut _| (0..q.width()).map(|_| Bit::witness(b)).collect::<Result<Vec<_>>>();
            let (x, y) = (word(b)?, word(b)?);
            gates(q, b, &x, &y).map(drop)
        })
    };
    let kinds: [Gates; 3] = [
        |q, b, x, y| q.add(b, x, y),
        |q, b, x, y| q.mul(b, x, y),
        |q, b, x, _| q.mul_constant(b, x, q.less(U256::ZERO, 1_u64.into())),
    ];
    let costs = [small, thirty, sixty, hundred, large].map(|q| kinds.map(|kind| cost(&q, kind)));
    let expected = [[18, 125, 12], [61, 1706, 60], [121, 5189, 120], [253, 17016, 252], [759, 73440, 506]];
    assert_eq!(costs, expected);
}

#[test]
fn even_moduli_are_none() {
    for q in [0, 1, 2, 4, 96_u64] {
        assert_eq!(Modulus::new(q.into()), None);
    }
}
