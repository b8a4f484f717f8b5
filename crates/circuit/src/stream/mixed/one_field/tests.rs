use super::*;
use crate::stream::{Handle, MixedStreamed, Streamed};
use crate::testing::{Dice, Faulty};
use crate::{
    Backend, Cells, Circuit as _, Clear, Entries, Matrix, Memories, Mixed, MixedCircuit as _, Permutations,
    Polynomials, Put, Returned, Rows, Tables, check_mixed,
};
use volery_channel::error::{Error, Misbehaviour};
use volery_primitives::F61;

type Both<'b, 'm, 'r, 's> = &'b mut MixedRecorder<'m, 'r, 's, F61>;
type Push = fn(Both<'_, '_, '_, '_>) -> Result<()>;

/// A statement by the function that pushes it.
struct Pushed(Push);

impl MixedSource<F61> for Pushed {
    fn record_mixed(&self, both: &mut MixedRecorder<'_, '_, '_, F61>) -> Result<()> {
        self.0(both)
    }
}

fn bits<const N: usize>(both: Both<'_, '_, '_, '_>) -> Result<[Handle; N]> {
    let mut wires = [Handle::default(); N];
    both.bits().witnesses(&mut wires)?;
    Ok(wires)
}

/// The witness as one list.
fn joined(order: &Order, bits: &[F2], numbers: &[F61]) -> Vec<F61> {
    order.join(Box::new(bits.iter().copied()), Box::new(numbers.iter().copied())).collect()
}

fn holds(one: &OneField<'_, F61>, witness: &[F61]) -> Result<()> {
    let mut clear = Clear::new(witness.iter().copied());
    Streamed(one).run(&mut clear)?;
    clear.finish()
}

/// Statements about bits in each way, with a witness that satisfies them: of bits, and of numbers.
const STATEMENTS: &[(&str, Push, &[u8], &[u64])] = &[
    (
        "gates",
        |both| {
            let [a, b, c] = bits(both)?;
            let b2 = both.bits();
            let (and, sum) = (b2.mul(a, b)?, b2.add(a, c));
            let (one, zero) = (b2.constant(F2::ONE), b2.constant(F2::ZERO));
            let not = b2.add(sum, one);
            let same = b2.add(not, zero);
            let same = b2.mul(one, same)?;
            let none = b2.mul(same, zero)?;
            let scaled = [b2.scale(same, F2::ONE), b2.scale(a, F2::ZERO)];
            let all = b2.linear(
                &[F2::ONE, F2::ZERO, F2::ONE, F2::ONE, F2::ONE],
                &[and, b, none, scaled[0], scaled[1]],
            );
            b2.assert_zero(all, "all")
        },
        &[1, 1, 1],
        &[],
    ),
    (
        "rows",
        |both| {
            let [a, b, c, d] = bits(both)?;
            let b2 = both.bits();
            let sums = b2.linear_rows(&[F2::ONE; 2], &[&[a, b], &[c, d]]);
            let rows = [[F2::ONE, F2::ONE], [F2::ONE, F2::ZERO]];
            b2.linear_map(rows.iter().map(|row| &row[..]), &sums, |b2, i, wire| {
                b2.assert_zero(wire, format_args!("row {i}"))
            })
        },
        &[1, 0, 1, 0],
        &[],
    ),
    (
        "hints",
        |both| {
            let [a, b] = bits(both)?;
            let b2 = both.bits();
            let public = b2.constant(F2::ONE);
            let sum = b2.hint(&[a, b, public], |values| values[0] + values[1] + values[2])?;
            let both = b2.hints(&[a], 2, |values| vec![values[0], values[0] + F2::ONE])?;
            let all = b2.linear(&[F2::ONE; 4], &[a, b, sum, both[1]]);
            b2.assert_zero(all, "hinted")?;
            b2.assert_zero(both[0], "the first")
        },
        &[0, 1],
        &[],
    ),
    (
        "functions and scopes",
        |both| {
            let [a, b, c] = bits(both)?;
            let b2 = both.bits();
            let one = b2.constant(F2::ONE);
            let inner = |b2: &mut Recorder<'_, F2>, i: usize, of: &[Handle]| {
                b2.call(b"inner", of, |b2, of| {
                    let product = b2.mul(of[0], of[1])?;
                    let sum = b2.add(product, of[0]);
                    b2.assert_zero(product, format_args!("product {i}"))?;
                    let read = b2.witness()?;
                    let hinted = b2.hint(&[read], |values| values[0] + F2::ONE)?;
                    let both = b2.add(read, hinted);
                    Ok(Returned { wires: vec![sum, of[1], both], public: Vec::new() })
                })
            };
            let mut wire = a;
            for (i, other) in [b, c, one, b, one].into_iter().enumerate() {
                b2.open_scope();
                let returned = b2.call(b"outer", &[wire, other], |b2, of| {
                    let first = inner(b2, 2 * i, of)?.wires;
                    inner(b2, 2 * i + 1, &first[..2])
                })?;
                wire = returned.wires[0];
                b2.close_scope(&returned.wires);
                let sum = b2.add(returned.wires[2], one);
                b2.assert_zero(sum, format_args!("sum {i}"))?;
            }
            b2.assert_zero(wire, "last")
        },
        &[0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0],
        &[],
    ),
    (
        "memories",
        |both| {
            let [a, b, c, d] = bits(both)?;
            let b2 = both.bits();
            let mut memory = b2.memory(Cells::Wires(&[a, b, c, d]), 1)?;
            let one = b2.constant(F2::ONE);
            b2.access(&mut memory, &[a, b], Put::Word(&[one]), &"put")?;
            b2.access(&mut memory, &[c, d], Put::Where(a, &[b]), &"put where")?;
            let read = b2.access(&mut memory, &[one, c], Put::Same, &"read")?;
            b2.close(memory)?;
            let mut known = b2.memory(Cells::Public(&[F2::ONE, F2::ZERO, F2::ONE]), 1)?;
            let word = b2.access(&mut known, &[a, d], Put::Same, &"of three")?;
            b2.close(known)?;
            let sum = b2.add(read[0], word[0]);
            b2.assert_zero(sum, "the same")
        },
        &[1, 0, 1, 0],
        &[],
    ),
    (
        "tables",
        |both| {
            let [a, b] = bits(both)?;
            let b2 = both.bits();
            let entries = [0, 0, 1, 0, 1, 1, 1, 0, 0].map(|bit| F2::from(bit == 1));
            let mut table = b2.table(Rows { key: 2, value: 1, entries: &entries })?;
            let found = b2.look_up(&mut table, &[a, b], &"a row")?;
            b2.assert_zero(found[0], "found")
        },
        &[1, 0],
        &[],
    ),
    (
        "permutations",
        |both| {
            let [a, b, c, d, e, f] = bits(both)?;
            both.bits().assert_permutation(&[a, b, c], &[d, e, f], 1, &"permuted")
        },
        &[1, 0, 0, 0, 0, 1],
        &[],
    ),
    (
        "polynomials",
        |both| {
            let [a, b, c, d] = bits(both)?;
            let b2 = both.bits();
            let (x, y) = (b2.vector(&[a, b]), b2.vector(&[c, d]));
            let public = b2.public(&[F2::ONE, F2::ZERO]);
            let product = b2.product(&x, &y)?;
            let sum = b2.sum(&product, &public);
            let gathered = b2.gather(&sum, &[Some(0), None, Some(1)]);
            let total = b2.total(&gathered);
            let inner = b2.inner_product(&[a, b], &[d, c])?;
            let all = b2.combination(&[(&total, &inner)], &[(F2::ONE, &total)], F2::ZERO)?;
            b2.assert_zeroes(all, "combination")?;
            let wires = b2.commit(&product)?;
            b2.assert_product(a, wires[0], c, "product")?;
            b2.assert_zeroes(gathered, "gathered")
        },
        &[1, 1, 1, 0],
        &[],
    ),
    (
        "matrices",
        |both| {
            let [a, b, c, d] = bits(both)?;
            let public = [F2::ONE, F2::ONE, F2::ONE, F2::ZERO];
            both.bits().assert_matrix_product(
                Matrix::new(&[a, b, c, d], 2),
                Matrix::new(&[a, b, c, d], 2),
                Entries::Public(&public),
                "square",
            )
        },
        &[0, 1, 1, 1],
        &[],
    ),
    (
        "words that become numbers",
        |both| {
            let word: [_; 4] = bits(both)?;
            let one = both.bits().constant(F2::ONE);
            let number = both.number(&[&word[..], &[one]].concat())?;
            let n = both.numbers();
            let other = n.witness()?;
            let difference = n.linear(&[F61::ONE, -F61::ONE], &[number, other]);
            n.assert_zero(difference, "the number")
        },
        &[0, 1, 0, 1],
        &[26],
    ),
    (
        "numbers that become words",
        |both| {
            let n = both.numbers();
            let numbers = [n.witness()?, n.witness()?];
            let [a, b] = bits(both)?;
            let word = both.bits_of(&numbers, 3, &"a number of three bits")?;
            let b2 = both.bits();
            for (bit, other) in [(word[0], a), (word[5], b)] {
                let sum = b2.add(bit, other);
                b2.assert_zero(sum, "a bit of a number")?;
            }
            let mut n = both.numbers().memory(Cells::Zero(9), 1)?;
            let address = both.number(&word[..3])?;
            both.numbers().access(&mut n, &[address], Put::Same, &"an address")?;
            both.numbers().close(n)
        },
        &[1, 1],
        &[5, 4],
    ),
    (
        "to and fro",
        |both| {
            // In scopes of both that are open at once, as those of calls in files.
            let x = both.numbers().witness()?;
            both.bits().open_scope();
            both.numbers().open_scope();
            let word = both.bits_of(&[x], 60, &"the longest word")?;
            let [bit] = bits(both)?;
            let kept = both.bits().mul(word[59], bit)?;
            both.bits().close_scope(&[kept]);
            both.numbers().close_scope(&[]);
            let y = both.numbers().witness()?;
            let back = both.number(&[kept])?;
            let n = both.numbers();
            let product = n.mul(back, y)?;
            let minus = n.constant(-F61::new(3));
            let difference = n.add(product, minus);
            n.assert_zero(difference, "three")
        },
        &[1],
        &[1 << 59 | 77, 3],
    ),
];

/// Over one field a statement holds for the same witnesses as over two, and fails under the same name.
#[test]
fn the_same_witnesses_satisfy_each_statement() {
    for (name, push, of_bits, of_numbers) in STATEMENTS {
        let source = Pushed(*push);
        let one = OneField::new(&source);
        let order = one.order().unwrap();
        let given: Vec<F2> = of_bits.iter().map(|bit| F2::from(*bit == 1)).collect();
        let numbers: Vec<F61> = of_numbers.iter().map(|number| F61::new(*number)).collect();
        let mut failed = 0;
        for changed in 0..=given.len() + numbers.len() {
            let (mut given, mut numbers) = (given.clone(), numbers.clone());
            if let Some(bit) = given.get_mut(changed) {
                *bit += F2::ONE;
            } else if let Some(number) = numbers.get_mut(changed - given.len()) {
                *number += F61::new(8);
            }
            let of_two = check_mixed(&MixedStreamed(&source), given.clone(), numbers.clone());
            let of_one = holds(&one, &joined(&order, &given, &numbers));
            // Entries of a matrix are compared in another order.
            let told = |held: &Result<()>| {
                held.as_ref().err().map(|why| why.to_string().split('[').next().map(str::to_owned))
            };
            assert_eq!(told(&of_one), told(&of_two), "{name}, {changed}");
            failed += usize::from(of_one.is_err());
            assert!(of_one.is_ok() || changed < given.len() + numbers.len(), "{name}: {of_one:?}");
        }
        assert!(failed > 0, "{name}");
        // What is no bit is none, wherever it stands.
        let witness = joined(&order, &given, &numbers);
        let of_bits = joined(&order, &vec![F2::ONE; given.len()], &vec![F61::ZERO; numbers.len()]);
        let places = of_bits.iter().enumerate().filter(|(_, is_bit)| **is_bit == F61::ONE);
        for (place, no_bit) in places.flat_map(|(place, _)| [2, (1 << 61) - 2].map(|no_bit| (place, no_bit)))
        {
            let mut witness = witness.clone();
            witness[place] = F61::new(no_bit);
            assert!(
                matches!(holds(&one, &witness), Err(Error::Unsatisfied(name)) if name == "a bit is 0 or 1"),
                "{name}: {no_bit} at {place}"
            );
        }
        // A witness that is too short or too long is told as such.
        assert!(holds(&one, &witness[1..]).is_err(), "{name}");
        let long = joined(&order, &[&given[..], &[F2::ONE]].concat(), &numbers);
        assert!(matches!(holds(&one, &long), Err(Error::Invalid(_))), "{name}");
    }
}

/// A prover that hints at what is no bit, or at other bits than those of a number, is refused.
#[test]
fn hints_are_bits() {
    let hinted: Push = |both| {
        let bit = both.bits().hint(&[], |_| F2::ONE)?;
        let square = both.bits().mul(bit, bit)?;
        let none = both.bits().add(square, bit);
        both.bits().assert_zero(none, "of a hint")
    };
    let converted: Push = |both| {
        let number = both.numbers().witness()?;
        both.bits_of(&[number], 3, &"three bits").map(drop)
    };
    // What the first hints are too large by. Nothing says which bit the first one is; the number is 1 + 4.
    let cases: [(Push, &[i64], Option<&str>); 8] = [
        (hinted, &[0], None),
        (hinted, &[-1], None),
        (hinted, &[1], Some("a bit is 0 or 1")),
        (hinted, &[-2], Some("a bit is 0 or 1")),
        (converted, &[0], None),
        (converted, &[-1], Some("three bits")),
        (converted, &[0, 1], Some("three bits")),
        (converted, &[2, -1], Some("a bit is 0 or 1")),
    ];
    for (push, errors, fails) in cases {
        let source = Pushed(push);
        let one = OneField::new(&source);
        let of =
            |error: &i64| if *error < 0 { -F61::new(error.unsigned_abs()) } else { F61::new(*error as u64) };
        let errors: Vec<F61> = errors.iter().map(of).collect();
        let mut faulty = Faulty::with_errors([F61::new(5)], &errors);
        let failed = Streamed(&one).run(&mut faulty).map_err(|why| match why {
            Error::Unsatisfied(name) => name,
            why => panic!("{why}"),
        });
        assert_eq!(failed.err().as_deref(), fails, "{errors:?}");
    }
}

/// A statement at random: gates over both fields, words that go from one to the other, and all values as outputs.
struct Arbitrary {
    seed: u64,
    gates: usize,
}

impl MixedSource<F61> for Arbitrary {
    fn record_mixed(&self, both: &mut MixedRecorder<'_, '_, '_, F61>) -> Result<()> {
        let mut dice = Dice::new(self.seed);
        let mut below = move |bound: usize| dice.below(bound);
        let (mut of_bits, mut of_numbers) = (vec![both.bits().witness()?], vec![both.numbers().witness()?]);
        for _ in 0..self.gates {
            let (a, b) = (of_bits[below(of_bits.len())], of_bits[below(of_bits.len())]);
            let (x, y) = (of_numbers[below(of_numbers.len())], of_numbers[below(of_numbers.len())]);
            // Half of them by a half's turn, in the order of the statement, and half as they come.
            let in_turn = below(2) == 0;
            let kind = below(13);
            if in_turn && kind < 7 {
                Mixed::bits(both)?;
            } else if in_turn {
                Mixed::numbers(both)?;
            }
            match kind {
                0 => of_bits.push(both.bits().witness()?),
                1 => of_bits.push(both.bits().mul(a, b)?),
                2 => of_bits.push(both.bits().add(a, b)),
                3 => of_bits.push(both.bits().constant(F2::from(below(2) == 1))),
                4 => of_bits.push(both.bits().hint(&[a, b], |values| values[0] * values[1] + F2::ONE)?),
                5 => of_bits.push(both.bits().linear(&[F2::ONE; 3], &[a, b, a])),
                6 => {
                    let word: Vec<_> = (0..1 + below(5)).map(|_| of_bits[below(of_bits.len())]).collect();
                    of_numbers.push(both.number(&word)?);
                }
                7 => of_numbers.push(both.numbers().witness()?),
                8 => of_numbers.push(both.numbers().mul(x, y)?),
                9 => of_numbers.push(both.numbers().add(x, y)),
                10 => of_numbers.push(both.numbers().scale(x, F61::new(below(100) as u64))),
                11 => {
                    let returned = both.bits().call(b"function", &[a, b], |b2, of| {
                        let [sum, read] = [b2.add(of[0], of[1]), b2.witness()?];
                        let wires = vec![b2.mul(sum, of[1])?, of[0], b2.add(sum, read)];
                        Ok(Returned { wires, public: Vec::new() })
                    })?;
                    of_bits.extend(returned.wires);
                }
                _ => {
                    let small = both.number(&[a, b, a])?;
                    of_bits.extend(both.bits_of(&[small], 3, &"small")?);
                }
            }
        }
        let zero = both.numbers().constant(F61::ZERO);
        both.numbers().assert_zero(zero, "nothing")?;
        for (place, bit) in of_bits.iter().enumerate() {
            both.bits().output(0, place as u64, *bit)?;
        }
        for (place, number) in of_numbers.iter().enumerate() {
            both.numbers().output(1, place as u64, *number)?;
        }
        Ok(())
    }
}

/// All values over one field are those over two, whatever is pushed when.
#[test]
fn values_are_the_same() {
    for seed in 0..40 {
        let gates = if seed < 36 { 60 } else { 20_000 };
        let source = Arbitrary { seed, gates };
        let one = OneField::new(&source);
        let order = one.order().unwrap();
        let count = |of_bits| order.runs.iter().map(|run| run[usize::from(of_bits)]).sum::<u64>();
        let bits: Vec<F2> = (0..count(true)).map(|i| F2::from((i * i + seed) % 3 == 1)).collect();
        let numbers: Vec<F61> = (0..count(false)).map(|i| F61::new(i * 7 + seed)).collect();
        let mut halves = (Clear::new(bits.clone()), Clear::new(numbers.clone()));
        MixedStreamed(&source).run(&mut halves).unwrap();
        let mut clear = Clear::new(joined(&order, &bits, &numbers));
        Streamed(&one).run(&mut clear).unwrap();
        let mut outputs = clear.outputs().to_vec();
        outputs.sort_by_key(|(port, place, _)| (*port, *place));
        let bits = halves.0.outputs().iter().map(|(port, place, bit)| (*port, *place, embedded::<F61>(*bit)));
        let of_two: Vec<_> = bits.chain(halves.1.outputs().iter().copied()).collect();
        assert!(outputs == of_two && !outputs.is_empty(), "{seed}");
        clear.finish().unwrap();
    }
}

/// No more slots are taken than wires live, and a few, however long a statement is.
#[test]
fn slots_are_given_again() {
    struct Most(u32);
    impl Execute<F61> for Most {
        fn argues(&self) -> Argues {
            Argues::EVERYTHING
        }
        fn execute(&mut self, block: &Block<F61>, _: &[F61]) -> Result<()> {
            self.0 = self.0.max(block.slots);
            Ok(())
        }
    }
    let source = Pushed(|both| {
        let [mut a, b] = bits(both)?;
        for _ in 0..200_000 {
            let b2 = both.bits();
            let (sum, before) = (b2.add(a, b), a);
            a = b2.mul(sum, b)?;
            b2.forget(&[sum, before]);
        }
        both.bits().assert_zero(a, "the last")
    });
    let one = OneField::new(&source);
    let (mut most, functions) = (Most(0), Functions::default());
    let mut recorder = Recorder::new(&mut most, &functions);
    let recorded = one.record(&mut recorder);
    recorder.finish(recorded).unwrap();
    assert!((1..20_000).contains(&most.0), "{}", most.0);
}

/// The error is the first one, in functions and outside. A statement that swallows it has failed all the same.
#[test]
fn the_first_error_is_told() {
    /// An executor whose block of some number fails.
    struct Fails(usize);
    impl Execute<F61> for Fails {
        fn argues(&self) -> Argues {
            Argues::EVERYTHING
        }
        fn execute(&mut self, _: &Block<F61>, _: &[F61]) -> Result<()> {
            self.0 = self.0.wrapping_sub(1);
            if self.0 == 0 { Err(Error::Misbehaved(Misbehaviour::NotVolery)) } else { Ok(()) }
        }
    }
    let run = |push, at| {
        let source = Pushed(push);
        let one = OneField::new(&source);
        let (mut fails, functions) = (Fails(at), Functions::default());
        let mut recorder = Recorder::new(&mut fails, &functions);
        let recorded = one.record(&mut recorder);
        recorder.finish(recorded)
    };
    fn gates(both: Both<'_, '_, '_, '_>, careful: bool) -> Result<()> {
        let check = |done: Result<()>| if careful { done } else { Ok(()) };
        let mut bit = both.bits().witness()?;
        both.numbers().open_scope();
        for _ in 0..4 {
            // Long enough for blocks that end within.
            for _ in 0..4000 {
                bit = both.bits().add(bit, bit);
            }
            let number = match both.number(&[bit; 3]) {
                Err(_) if !careful => both.numbers().constant(F61::ONE),
                number => number?,
            };
            check(both.bits_of(&[number], 3, &"bits of a number").map(|bits| bit = bits[0]))?;
            check(
                both.bits()
                    .call(b"key", &[bit], |b2, of| {
                        b2.assert_zero(of[0], "within")?;
                        Ok(Returned::default())
                    })
                    .map(drop),
            )?;
            check(both.bits().assert_zero(bit, "a bit"))?;
        }
        both.numbers().close_scope(&[]);
        both.bits().assert_zero(bit, "the last")
    }
    let (careful, careless): (Push, Push) = (|both| gates(both, true), |both| gates(both, false));
    for at in 1..=12 {
        assert!(matches!(run(careful, at), Err(Error::Misbehaved(_))), "block {at}");
        assert!(run(careless, at).is_err(), "block {at}");
    }
    run(careful, 0).unwrap();
    run(careless, 0).unwrap();
}
