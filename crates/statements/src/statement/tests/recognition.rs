//! Recognition and latches, by circuits that are made up here.

use crate::Relation;
use proptest::prelude::*;
use volery_circuit::{Value, Values};
use volery_formats::testing::Aig;
use volery_formats::{Netlist, NetlistOptions};

fn relation(aig: &Aig, options: &str) -> Relation {
    let options =
        if options.is_empty() { Ok(NetlistOptions::default()) } else { NetlistOptions::parse(options) };
    Relation::netlist(Netlist::aiger("x.aig", &aig.bytes(), options.unwrap()).unwrap())
}

fn value(bits: &[bool]) -> Value {
    let text: String = bits.iter().map(|&bit| if bit { '1' } else { '0' }).collect();
    Value::from_bits_text(&text).unwrap()
}

fn bits(value: &Value) -> Vec<bool> {
    (0..value.width()).map(|i| value.bit(i).to_bool()).collect()
}

/// All outputs of a circuit without latches whose inputs have no names.
fn outputs(relation: &Relation, inputs: &[bool]) -> Vec<bool> {
    let mut values = Values::new();
    if !inputs.is_empty() {
        values.insert("in", value(inputs)).unwrap();
    }
    relation.evaluate(values).unwrap().iter().flat_map(bits).collect()
}

/// Bit i of each combination of `count` bits.
fn combinations(count: u32) -> impl Iterator<Item = Vec<bool>> {
    (0..1u32 << count).map(move |all| (0..count).map(|i| all >> i & 1 == 1).collect())
}

/// The form of an adder's carry.
#[derive(Clone, Copy, Debug)]
enum Carry {
    /// ab ∨ c(a ⊕ b)
    Xor,
    /// ab ∨ c(a ∨ b)
    Or,
    /// ab ∨ ac ∨ bc
    Majority,
    /// a ⊕ b ? c : a
    Mux,
}

fn adder(width: u32, carry: Carry, first: bool) -> Aig {
    let mut aig = Aig::new(2 * width + u32::from(first));
    let mut c = if first { 2 * (2 * width + 1) } else { 0 };
    for bit in 0..width {
        let (a, b) = (2 * (bit + 1), 2 * (width + bit + 1));
        let either = aig.xor(a, b);
        let sum = aig.xor(either, c);
        aig.outputs.push(sum);
        c = match carry {
            Carry::Xor => {
                let (both, passed) = (aig.and(a, b), aig.and(either, c));
                aig.or(both, passed)
            }
            Carry::Or => {
                let (both, any) = (aig.and(a, b), aig.or(a, b));
                let passed = aig.and(any, c);
                aig.or(both, passed)
            }
            Carry::Majority => {
                let [x, y, z] = [(a, b), (a, c), (b, c)].map(|(x, y)| aig.and(x, y));
                let any = aig.or(x, y);
                aig.or(any, z)
            }
            Carry::Mux => aig.mux(either, c, a),
        };
    }
    aig.outputs.push(c);
    aig
}

#[test]
fn adders_take_an_and_for_each_bit() {
    for carry in [Carry::Xor, Carry::Or, Carry::Majority, Carry::Mux] {
        for first in [false, true] {
            let aig = adder(32, carry, first);
            let shape = relation(&aig, "").shape().unwrap();
            assert_eq!(shape.mul, 32, "{carry:?} of {} ANDs", aig.ands.len());
            assert!(relation(&aig, "plain").shape().unwrap().mul > 4 * 31);
            let small = adder(3, carry, first);
            let relation = relation(&small, "");
            for inputs in combinations(small.inputs) {
                let number =
                    |bits: &[bool]| (0..).zip(bits).map(|(i, bit)| u32::from(*bit) << i).sum::<u32>();
                let sum = number(&inputs[..3]) + number(&inputs[3..6]) + number(&inputs[6..]);
                assert_eq!(number(&outputs(&relation, &inputs)), sum);
            }
        }
    }
}

/// The form of a table of two inputs.
#[derive(Clone, Copy, Debug)]
enum Table {
    /// Rows for one.
    On,
    /// Rows for zero.
    Off,
    /// The negation of each AND, as rows that overlap: `0- 1` and `-0 1`.
    Nand,
}

/// An AIG without latches as BLIF, a table for each AND.
fn blif(aig: &Aig, table: Table) -> String {
    let name = |literal: u32| format!("n{}", literal / 2);
    let names =
        |literals: &[u32]| literals.iter().map(|literal| name(*literal)).collect::<Vec<_>>().join(" ");
    let inputs: Vec<u32> = (1..=aig.inputs).map(|input| 2 * input).collect();
    let outputs: Vec<String> = (0..aig.outputs.len()).map(|output| format!("out[{output}]")).collect();
    let mut text =
        format!(".model m\n.inputs {}\n.outputs {}\n.names n0\n", names(&inputs), outputs.join(" "));
    // By NANDs every gate stands for its negation.
    let of = |literal: u32| literal ^ u32::from(matches!(table, Table::Nand) && literal / 2 > aig.inputs);
    let one = |literal: u32| 1 - (of(literal) & 1);
    for (number, (left, right)) in (aig.inputs + 1..).zip(&aig.ands) {
        let [a, b] = [*left, *right].map(one);
        text += &format!(".names {} n{number}\n", names(&[*left, *right]));
        text += &match table {
            Table::On => format!("{a}{b} 1\n"),
            Table::Off => format!("{}- 0\n-{} 0\n", 1 - a, 1 - b),
            Table::Nand => format!("{}- 1\n-{} 1\n", 1 - a, 1 - b),
        };
    }
    for (output, literal) in outputs.iter().zip(&aig.outputs) {
        text += &format!(".names {} {output}\n{} 1\n", name(*literal), one(*literal));
    }
    text + ".end\n"
}

/// A sum of n bits takes n ANDs, whichever gates and tables it is made of.
#[test]
fn adders_of_tables_take_an_and_for_each_bit() {
    for (carry, table) in [Carry::Xor, Carry::Or, Carry::Majority, Carry::Mux]
        .into_iter()
        .flat_map(|carry| [Table::On, Table::Off, Table::Nand].map(|table| (carry, table)))
    {
        let open = |aig: &Aig| {
            let text = blif(aig, table);
            Relation::netlist(Netlist::blif("x.blif", text.as_bytes(), NetlistOptions::default()).unwrap())
        };
        assert_eq!(open(&adder(32, carry, true)).shape().unwrap().mul, 32, "{carry:?}, {table:?}");
        let small = adder(2, carry, true);
        let (tables, gates) = (open(&small), relation(&small, ""));
        for inputs in combinations(5) {
            let mut values = Values::new();
            for (number, bit) in (1..).zip(&inputs) {
                values.insert(format!("n{number}"), value(&[*bit])).unwrap();
            }
            let found: Vec<bool> = tables.evaluate(values).unwrap().iter().flat_map(bits).collect();
            assert_eq!(found, outputs(&gates, &inputs));
        }
    }
}

#[test]
fn what_is_free_is_free() {
    let ands = |build: &dyn Fn(&mut Aig) -> Vec<u32>| {
        let mut aig = Aig::new(4);
        aig.outputs = build(&mut aig);
        let relation = relation(&aig, "");
        for inputs in combinations(4) {
            assert_eq!(outputs(&relation, &inputs), aig.run(&[inputs], &[])[0][0]);
        }
        relation.shape().unwrap().mul
    };
    let [a, b, c, d] = [2, 4, 6, 8];
    // A parity, a half adder, and a chain of MUXes.
    assert_eq!(
        ands(&|aig| {
            let (x, y) = (aig.xor(a, b), aig.xor(c, d));
            vec![aig.xor(x, y)]
        }),
        0
    );
    assert_eq!(ands(&|aig| vec![aig.xor(a, b), aig.and(a, b)]), 1);
    assert_eq!(
        ands(&|aig| {
            let x = aig.mux(a, b, c);
            vec![aig.mux(d, x, b)]
        }),
        2
    );
    // All four products of two bits share one.
    assert_eq!(ands(&|aig| vec![aig.and(a, b), aig.and(a ^ 1, b), aig.and(a, b ^ 1), aig.or(a, b)]), 1);
    // Both halves of a MUX are needed: the third gate is their sum.
    assert_eq!(
        ands(&|aig| {
            let (x, y) = (aig.and(a, b), aig.and(a ^ 1, c));
            vec![x, y, aig.or(x, y)]
        }),
        2
    );
    // What folds: x ∧ x, x ∧ ¬x, constants, x ∧ (x ∧ y), x ∧ (x ∨ y).
    assert_eq!(
        ands(&|aig| {
            let (both, any) = (aig.and(a, b), aig.or(a, b));
            let absorbed = [aig.and(a, both), aig.and(a, any)];
            [aig.and(a, a), aig.and(a, a ^ 1), aig.and(a, 1), aig.and(0, b), 0, 1]
                .into_iter()
                .chain(absorbed)
                .collect()
        }),
        1
    );
    // A gate that nothing needs.
    assert_eq!(
        ands(&|aig| {
            aig.and(a, c);
            vec![a]
        }),
        0
    );
}

/// A gate of one of several kinds, on literals that are there.
fn gates() -> impl Strategy<Value = Vec<(u8, u32, u32, u32)>> {
    proptest::collection::vec((0..7u8, any::<u32>(), any::<u32>(), any::<u32>()), 0..14)
}

fn grow(aig: &mut Aig, gates: &[(u8, u32, u32, u32)]) -> Vec<u32> {
    let leaves = aig.inputs + aig.latches.len() as u32;
    let mut literals: Vec<u32> = (0..=leaves).map(|leaf| 2 * leaf).collect();
    for &(kind, x, y, z) in gates {
        // New ones more often than old ones.
        let at = |of: u32| {
            let back = (of / 2) as usize % literals.len();
            let back = if of >> 30 == 0 { back } else { back.min(5 % literals.len()) };
            literals[literals.len() - 1 - back] ^ (of & 1)
        };
        let (x, y, z) = (at(x), at(y), at(z));
        let made = match kind {
            0 | 1 => aig.and(x, y),
            2 => aig.or(x, y),
            3 => aig.xor(x, y),
            4 => aig.mux(x, y, z),
            5 => {
                let (both, either) = (aig.and(x, y), aig.xor(x, y));
                let passed = aig.and(either, z);
                aig.or(both, passed)
            }
            _ => {
                let (both, any) = (aig.and(x, y), aig.or(x, y));
                let passed = aig.and(any, z);
                aig.or(both, passed)
            }
        };
        literals.push(made);
    }
    literals
}

proptest! {
    #[test]
    fn recognition_keeps_truth_tables(
        gates in gates(),
        chosen in proptest::collection::vec(any::<u32>(), 1..5),
    ) {
        let mut aig = Aig::new(5);
        grow(&mut aig, &gates);
        // Any node may be an output, those within an XOR or a MUX too.
        let nodes = aig.inputs + aig.ands.len() as u32 + 1;
        aig.outputs = chosen.iter().map(|of| of % (2 * nodes)).chain([2 * nodes - 2]).collect();
        let (smart, plain) = (relation(&aig, ""), relation(&aig, "plain=1"));
        for inputs in combinations(5) {
            let expected = &aig.run(std::slice::from_ref(&inputs), &[])[0][0];
            prop_assert_eq!(&outputs(&smart, &inputs), expected);
            prop_assert_eq!(&outputs(&plain, &inputs), expected);
        }
        let (smart, plain) = (smart.shape().unwrap(), plain.shape().unwrap());
        prop_assert!(smart.mul <= plain.mul, "{} of {}", smart.mul, plain.mul);
        prop_assert!(plain.mul <= aig.ands.len() as u64);
    }

    #[test]
    fn steps_are_those_of_the_latches(
        gates in gates(),
        latches in proptest::collection::vec((any::<u32>(), 0..3u8), 1..4),
        chosen in proptest::collection::vec(any::<u32>(), 4),
        inputs in proptest::collection::vec(proptest::collection::vec(any::<bool>(), 3), 1..5),
        free in proptest::collection::vec(any::<bool>(), 3),
        any_bad: bool,
        outputs in 0..3usize,
    ) {
        let mut aig = Aig::new(3);
        let latch = |(own, (_, reset)): (u32, &(u32, u8))| (0, [0, 1, 2 * own][usize::from(*reset)]);
        aig.latches = (4..).zip(&latches).map(latch).collect();
        grow(&mut aig, &gates);
        let nodes = aig.inputs + (aig.latches.len() + aig.ands.len()) as u32 + 1;
        let literal = |of: &u32| of % (2 * nodes);
        for (latch, (next, _)) in aig.latches.iter_mut().zip(&latches) {
            latch.0 = literal(next);
        }
        // As in files of model checkers there may be bad states alone.
        aig.outputs = chosen[..outputs].iter().map(literal).collect();
        aig.bad = chosen[2..].iter().map(literal).collect();
        let count = aig.latches.iter().filter(|(_, reset)| *reset > 1).count();
        let expected = aig.run(&inputs, &free);
        let bad = if any_bad { "any" } else { "last" };
        let relation = relation(&aig, &format!("steps={}&bad={bad}", inputs.len()));
        let mut values = Values::new();
        if count > 0 {
            values.insert("state", value(&free[..count])).unwrap();
        }
        for (step, inputs) in inputs.iter().enumerate() {
            values.insert(format!("in@{step}"), value(inputs)).unwrap();
        }
        let seen = relation.evaluate(values).unwrap();
        let mut seen = relation.outputs().iter().map(|port| port.name.as_str()).zip(&seen);
        for (step, [outputs, bad, _]) in expected.iter().enumerate() {
            let last = step + 1 == inputs.len();
            let name = |name: &str| if last { name.to_owned() } else { format!("{name}@{step}") };
            if !outputs.is_empty() {
                let (port, seen_outputs) = seen.next().unwrap();
                prop_assert_eq!((port, bits(seen_outputs)), (&*name("out"), outputs.clone()));
            }
            if last || !any_bad {
                let any = |i: usize| expected.iter().any(|[_, bad, _]| bad[i]);
                let bad = if any_bad { vec![any(0), any(1)] } else { bad.clone() };
                let (port, seen) = seen.next().unwrap();
                prop_assert_eq!((port, bits(seen)), (&*name("bad"), bad));
            }
        }
        prop_assert!(seen.next().is_none());
    }
}
