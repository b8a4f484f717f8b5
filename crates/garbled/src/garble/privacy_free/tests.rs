//! Circuits at random over all their inputs, on every instruction set.

mod polynomials;
mod vectors;

use super::*;
use crate::garble::Key;
use crate::garble::labels::Labels;
use crate::garble::material::{Held, PIECE, Sink, Source};
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_channel::pool::Pool;
use volery_circuit::testing::{Arbitrary, strings};
use volery_circuit::{Backend, Circuit, Clear, Shape};
use volery_primitives::arch::Arch;
use volery_primitives::{F2, Field};

/// Material, as it was made.
#[derive(Default)]
struct KeptMaterial(Vec<F128>);

impl Sink for KeptMaterial {
    fn take(&mut self, blocks: &[F128]) -> Result<()> {
        self.0.extend_from_slice(blocks);
        Ok(())
    }
}

const SEED: F128 = F128(0x0123_4567_89ab_cdef_0011_2233_4455_6677);

fn key(arch: Arch, construction: Construction) -> Key {
    Key { arch, construction, salt: F128(0xfeed_0000_beef) }
}

/// The material and the output label of circuit number 3.
fn garbled<C: for<'a> Circuit<Garbler<'a>>>(key: &Key, circuit: &C) -> (Vec<F128>, F128) {
    let mut kept = KeptMaterial::default();
    let output = Garbler::garble(key, (3, SEED), circuit, &mut kept, None, &Pool::ALONE).unwrap().output;
    (kept.0, output)
}

/// The labels of inputs with these values.
fn labels(values: &[F2]) -> Vec<F128> {
    let labels = Labels::new(&key(Arch::PORTABLE, Construction::default()), SEED);
    let delta = labels.delta();
    labels.zip(values).map(|(label, value)| F128(label.0 ^ delta.0 & value.mask())).collect()
}

fn evaluated<C>(key: &Key, circuit: &C, labels: &[F128], values: &[F2], material: &[F128]) -> Result<F128>
where
    C: for<'a> Circuit<Evaluator<'a>>,
{
    let mut source = Held(material);
    let inputs = Inputs { labels, values };
    Evaluator::evaluate(key, 3, circuit, inputs, (material.len() as u64, &mut source), None, &Pool::ALONE)
}

/// The evaluator's output is the garbler's where `holds` says so for its values, and nowhere else; and no
/// instruction set makes a difference.
fn assert_sound<C>(circuit: &C, inputs: usize, holds: impl Fn(&[F2]) -> bool)
where
    C: for<'a> Circuit<Garbler<'a>> + for<'a> Circuit<Evaluator<'a>>,
{
    for construction in Construction::ALL {
        let expected = garbled(&key(Arch::PORTABLE, construction), circuit);
        for arch in Arch::available() {
            let key = key(arch, construction);
            assert_eq!(garbled(&key, circuit), expected, "{} on {}", construction.name(), arch.name());
            // One evaluator on each; all inputs on the fastest.
            let all = arch == Arch::detect();
            for values in strings(inputs).filter(|values| all || values.iter().all(|v| *v == F2::ONE)) {
                let output = evaluated(&key, circuit, &labels(&values), &values, &expected.0).unwrap();
                assert_eq!(output == expected.1, holds(&values), "{values:?}");
            }
        }
    }
}

/// A source that fails once, after so many pieces.
struct Fails<'a>(Held<'a>, Option<usize>);

impl Source for Fails<'_> {
    fn give(&mut self, blocks: &mut [F128]) -> Result<()> {
        let fails = self.1 == Some(0);
        self.1 = self.1.and_then(|pieces| pieces.checked_sub(1));
        if fails { Err(Error::Misbehaved(Misbehaviour::Garbling)) } else { self.0.give(blocks) }
    }
}

#[test]
fn no_piece_is_evaluated_that_was_not_given() {
    /// A chain of products that goes on after errors.
    struct Careless;
    impl<B: Backend<F = F2>> Circuit<B> for Careless {
        fn run(&self, b: &mut B) -> Result<()> {
            let one = b.witness()?;
            let product = (0..2 * PIECE + 5).fold(one, |product, _| b.mul(product, one).unwrap_or(product));
            b.assert_zero(product, "no")
        }
    }
    let key = key(Arch::detect(), Construction::default());
    let (material, _) = garbled(&key, &Careless);
    let (values, gates) = ([F2::ONE], material.len() as u64);
    for pieces in 0..3 {
        let mut source = Fails(Held(&material), Some(pieces));
        let inputs = Inputs { labels: &labels(&values), values: &values };
        assert!(
            Evaluator::evaluate(&key, 3, &Careless, inputs, (gates, &mut source), None, &Pool::ALONE)
                .is_err()
        );
    }
}

#[test]
fn circuits_at_random_over_all_inputs() {
    let (mut held, mut failed) = (0, 0);
    for seed in 0..120 {
        let (inputs, ands) = (1 + seed as usize % 6, (7 * seed as usize) % 45);
        let circuit = Arbitrary::new(seed, inputs, ands);
        let shape = Shape::of::<F2>(&circuit).unwrap();
        assert_eq!((shape.inputs, shape.mul), (inputs as u64, ands as u64));
        for values in strings(inputs) {
            let mut clear = Clear::new(values.clone());
            let verdict = circuit.free().run(&mut clear).and_then(|()| clear.finish());
            assert_eq!(verdict.is_ok(), circuit.holds(&values), "circuit {seed}, {values:?}");
            if verdict.is_ok() { held += 1 } else { failed += 1 }
        }
        assert_sound(&circuit, inputs, |values| circuit.holds(values));
    }
    assert!(held > 200 && failed > 1000, "{held} witnesses hold, {failed} do not");
}

#[test]
fn an_output_that_is_an_input() {
    for value in [F2::ZERO, F2::ONE] {
        assert_sound(&Arbitrary::input_is(value), 1, |values| values[0] == value);
    }
    assert_sound(&Arbitrary::always(4), 4, |_| true);
}

/// One AND, and what it is made of by hand.
#[test]
fn one_and_by_its_formula() {
    struct Square;
    impl<B: volery_circuit::Backend<F = F2>> Circuit<B> for Square {
        fn run(&self, b: &mut B) -> Result<()> {
            let x = b.witness()?;
            let square = b.mul(x, x)?;
            let difference = b.add(square, x);
            b.assert_zero(difference, "the square of a bit")
        }
    }
    for construction in Construction::ALL {
        let key = key(Arch::PORTABLE, construction);
        let (material, _) = garbled(&key, &Square);
        let [zero, one] = [F2::ZERO, F2::ONE].map(|value| labels(&[value])[0]);
        let hash = |label| key.hash(3).one(label);
        assert_eq!(material, [hash(zero) ^ hash(one) ^ zero]);
        assert_sound(&Square, 1, |_| true);
    }
}

/// A constant is no secret, and yet a false one makes no output.
#[test]
fn constants_that_are_asserted() {
    struct Asserted(F2);
    impl<B: volery_circuit::Backend<F = F2>> Circuit<B> for Asserted {
        fn run(&self, b: &mut B) -> Result<()> {
            let constant = b.constant(self.0);
            let product = b.mul(constant, constant)?;
            let none = b.scale(product, F2::ZERO);
            b.assert_zero(none, "nothing")?;
            b.assert_zero(product, "the constant")
        }
    }
    assert_sound(&Asserted(F2::ZERO), 0, |_| true);
    assert_sound(&Asserted(F2::ONE), 0, |_| false);
}

/// Pieces around their edges, and around those of the batches in which the hash expands its keys.
#[test]
fn material_in_pieces() {
    for ands in [1, 7, 8, 9, 63, 64, 65, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE] {
        let circuit = Arbitrary::new(ands as u64, 3, ands);
        assert_eq!(garbled(&key(Arch::detect(), Construction::MultiInstance), &circuit).0.len(), ands);
        assert_sound(&circuit, 3, |values| circuit.holds(values));
    }
}

/// All of the key, the number of the circuit and the seed enter.
#[test]
fn another_key_makes_another_garbled_circuit() {
    let circuit = Arbitrary::new(1, 3, 20);
    let mut seen = std::collections::HashSet::new();
    for construction in Construction::ALL {
        let one = key(Arch::detect(), construction);
        let other = Key { salt: F128(one.salt.0 ^ 1 << 127), ..one };
        for (key, clause, seed) in
            [(one, 3, SEED), (other, 3, SEED), (one, 4, SEED), (one, 3, F128(SEED.0 ^ 1))]
        {
            let mut kept = KeptMaterial::default();
            let output = Garbler::garble(&key, (clause, seed), &circuit, &mut kept, None, &Pool::ALONE)
                .unwrap()
                .output;
            assert!(seen.insert(output));
            assert!(kept.0.iter().all(|block| seen.insert(*block)));
        }
    }
}

/// Rule (i): the evaluator goes on to the end of the circuit whatever it holds, and comes to another output.
#[test]
fn wrong_labels_values_and_ciphertexts_end_in_another_output() {
    let circuit = Arbitrary::always(5);
    let key = key(Arch::detect(), Construction::MultiInstance);
    let (material, expected) = garbled(&key, &circuit);
    for values in strings(5) {
        let right = labels(&values);
        for j in 0..5 {
            let mut wrong = right.clone();
            wrong[j].0 ^= 1 << 70;
            assert_ne!(evaluated(&key, &circuit, &wrong, &values, &material).unwrap(), expected);
            // A label with the other value: the circuit holds for it, and the prover may not say so.
            let mut lying = values.clone();
            lying[j] += F2::ONE;
            assert_ne!(evaluated(&key, &circuit, &right, &lying, &material).unwrap(), expected);
        }
    }
    let nothing = vec![F128::ZERO; material.len()];
    let values = [F2::ONE; 5];
    assert_ne!(evaluated(&key, &circuit, &[F128::ZERO; 5], &values, &nothing).unwrap(), expected);
    assert_ne!(evaluated(&key, &circuit, &labels(&values), &values, &nothing).unwrap(), expected);
}

#[test]
fn another_circuit_than_was_counted() {
    let circuit = Arbitrary::new(1, 4, 20);
    let key = key(Arch::detect(), Construction::MultiInstance);
    let (material, _) = garbled(&key, &circuit);
    let values = [F2::ONE; 4];
    let run = |inputs: usize, blocks: usize| {
        let mut longer = material.clone();
        longer.push(F128::ONE);
        let labels = labels(&values[..inputs]);
        evaluated(&key, &circuit, &labels, &values[..inputs], &longer[..blocks])
    };
    assert!(run(4, 20).is_ok());
    for (inputs, blocks) in [(3, 20), (4, 19), (4, 21), (4, 0)] {
        let error = run(inputs, blocks).unwrap_err();
        assert!(matches!(&error, Error::Invalid(why) if why.contains("counted")), "{error}");
    }
}

#[test]
fn the_bound_falls_with_the_gates_where_they_share_a_key() {
    assert_eq!(security(Construction::MultiInstance, 1 << 40), 126.0);
    assert_eq!(security(Construction::Tweakable, 1 << 26), 100.0);
    assert_eq!(security(Construction::Tweakable, 0), 126.0);
}

/// Rounds on each of some lanes, between gates of their own.
struct Mapped {
    lanes: usize,
    rounds: usize,
}

impl<B: Backend<F = F2>> Circuit<B> for Mapped {
    fn run(&self, b: &mut B) -> Result<()> {
        let first = b.witness()?;
        let mut sum = b.mul(first, first)?;
        let columns = (0..self.lanes).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let made = b.map(b"rounds", self.lanes, &columns, |b, lane, of| {
            let mut x = of[0];
            for _ in 0..self.rounds {
                let element = b.witness()?;
                let hinted = b.hint(&[x, element], |of| of[0] * of[1])?;
                let product = b.mul(x, element)?;
                let difference = b.add(product, hinted);
                b.assert_zero(difference, format_args!("a product in lane {lane}"))?;
                let one = b.constant(F2::ONE);
                let not = b.add(element, one);
                let other = b.mul(not, product)?;
                x = b.add(x, other);
            }
            Ok(volery_circuit::Returned { wires: vec![x], public: Vec::new() })
        })?;
        for wire in made.wires {
            let product = b.mul(wire, first)?;
            sum = b.add(sum, product);
        }
        let difference = b.add(sum, sum);
        b.assert_zero(difference, "nothing")
    }
}

/// Lanes that tasks garble and evaluate come to what calls come to, in whole pieces and parts of them.
#[test]
fn maps_by_threads_are_those_of_calls() {
    for (lanes, rounds) in [(2, 5000), (40, 700), (100, 3), (7, 1)] {
        let circuit = Mapped { lanes, rounds };
        let shape = Shape::of::<F2>(&circuit).unwrap();
        let witness = (0..shape.witness).map(|i| F2::from(i % 3 == 0));
        let values = Clear::inputs(&circuit, witness, shape.inputs as usize).unwrap();
        for construction in Construction::ALL {
            let key = key(Arch::detect(), construction);
            let circuit = &volery_circuit::stream::Streamed(&circuit);
            let expected = garbled(&key, circuit);
            assert_eq!(expected.0.len() as u64, shape.mul);
            let labels = labels(&values);
            assert_eq!(evaluated(&key, circuit, &labels, &values, &expected.0).unwrap(), expected.1);
            for threads in [2, 3, 8] {
                let pool = Pool::of(threads);
                let mut kept = KeptMaterial::default();
                let made = Garbler::garble(&key, (3, SEED), circuit, &mut kept, None, &pool).unwrap();
                assert!((kept.0, made.output) == expected, "{threads} threads");
                made.of(&shape).unwrap();
                let mut source = Held(&expected.0);
                let inputs = Inputs { labels: &labels, values: &values };
                let source = (shape.mul, &mut source as _);
                let output = Evaluator::evaluate(&key, 3, circuit, inputs, source, None, &pool).unwrap();
                assert_eq!(output, expected.1, "{threads} threads");
                // Another value, or fewer ciphertexts than were counted.
                let mut other = values.to_vec();
                other[lanes / 2 + 1] += F2::ONE;
                let inputs = Inputs { labels: &labels, values: &other };
                let source = (shape.mul, &mut Held(&expected.0) as _);
                let output = Evaluator::evaluate(&key, 3, circuit, inputs, source, None, &pool);
                assert!(rounds == 1 || output.unwrap() != expected.1);
                let inputs = Inputs { labels: &labels, values: &values };
                let source = (shape.mul - 1, &mut Held(&expected.0) as _);
                assert!(Evaluator::evaluate(&key, 3, circuit, inputs, source, None, &pool).is_err());
            }
        }
    }
}
