//! Conversions from each format to each other.

use super::*;
use volery_formats::{Netlist, NetlistOptions, Sieve};

const FORMATS: [Format; 4] = [Format::BristolFashion, Format::Aiger, Format::AigerText, Format::Blif];

/// The file of a relation in another format.
fn file(relation: &Relation, format: Format) -> Vec<u8> {
    let mut file = Vec::new();
    relation.export(format, &mut file).unwrap();
    file
}

fn read(format: Format, file: &[u8]) -> Relation {
    let none = NetlistOptions::default();
    match format {
        Format::BristolFashion => Relation::bristol(Bristol::from_bytes("file", file).unwrap()),
        Format::Aiger | Format::AigerText => Relation::netlist(Netlist::aiger("file", file, none).unwrap()),
        Format::Blif => Relation::netlist(Netlist::blif("file", file, none).unwrap()),
        Format::Sieve => Relation::file(Box::new(Sieve::from_bytes("file", file.to_vec(), true).unwrap())),
        _ => unreachable!("it is not written"),
    }
}

/// The outputs for these bits of all inputs in order, or none where what is asserted fails.
fn outputs(relation: &Relation, bits: &[bool]) -> Option<Vec<String>> {
    let mut bits = bits.iter();
    let mut values = Values::new();
    for port in relation.inputs() {
        let bits = bits.by_ref().take(port.width as usize);
        let bits: String = bits.map(|bit| if *bit { '1' } else { '0' }).collect();
        values.insert(&port.name, Value::from_bits_text(&bits).unwrap()).unwrap();
    }
    match relation.evaluate(values) {
        Ok(values) => Some(values.iter().map(Value::to_number_hex).collect()),
        Err(Error::Unsatisfied(_)) => None,
        Err(why) => panic!("{why}"),
    }
}

#[test]
fn names_go_along() {
    let relation = Relation::open("builtin:sha256-preimage?length=1", None).unwrap();
    for format in [Format::Aiger, Format::Blif] {
        let again = read(format, &file(&relation, format));
        assert_eq!((again.inputs(), again.outputs()), (relation.inputs(), relation.outputs()), "{format:?}");
        let bits: Vec<bool> = (0..8).map(|i| 0x61 >> i & 1 == 1).collect();
        let expected = ["0xca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb".to_owned()];
        assert_eq!(outputs(&again, &bits).unwrap(), expected);
        // What the format writes as ANDs is recognised again.
        let ands = |relation: &Relation| relation.shape().unwrap().mul;
        assert!(ands(&again) <= ands(&relation), "{} of {}", ands(&again), ands(&relation));
    }
}

#[test]
fn files_are_what_they_were() {
    let text = "aag 5 3 0 2 2\n2\n4\n6\n10\n5\n8 4 2\n10 9 6\ni0 a\ni1 b[0]\ni2 b[1]\no0 y\no1 z\n";
    let relation = read(Format::Aiger, text.as_bytes());
    let written = |format| String::from_utf8(file(&relation, format)).unwrap();
    assert_eq!(
        written(Format::AigerText),
        "aag 8 3 0 2 5\n2\n4\n6\n16\n5\n8 4 2\n10 8 6\n12 10 6\n14 11 7\n16 15 13\n\
         i0 a\ni1 b[0]\ni2 b[1]\no0 y\no1 z\n"
    );
    assert_eq!(
        written(Format::Blif),
        ".model circuit\n.inputs a b[0] b[1]\n.outputs y z\n.names a b[0] n4\n11 1\n.names b[1] n4 n5\n11 1\n\
         .names n5 b[1] n6\n10 1\n01 1\n.names n6 y\n1 1\n.names b[0] z\n0 1\n.end\n"
    );
    // The steps of latches are written one by one.
    let toggle = "aag 2 1 1 1 0\n2\n4 2 1\n4\ni0 d\no0 q\n";
    let two = NetlistOptions::parse("steps=2").unwrap();
    let relation = Relation::netlist(Netlist::aiger("x", toggle.as_bytes(), two).unwrap());
    let written = String::from_utf8(file(&relation, Format::AigerText)).unwrap();
    assert_eq!(written, "aag 2 2 0 2 0\n2\n4\n1\n2\ni0 d@0\ni1 d@1\no0 q@0\no1 q\n");
}

#[test]
fn what_is_asserted_goes_along() {
    let text = "aag 2 2 0 1 0 0 1\n2\n4\n2\n4\ni0 a\ni1 b\no0 y\n";
    let relation = read(Format::Aiger, text.as_bytes());
    let written = String::from_utf8(file(&relation, Format::AigerText)).unwrap();
    assert_eq!(written, "aag 2 2 0 1 0 0 1\n2\n4\n2\n4\ni0 a\ni1 b\no0 y\n");
    let written = String::from_utf8(file(&relation, Format::Blif)).unwrap();
    assert!(
        written.contains(".outputs y asserted[0]\n") && written.contains(".names b asserted[0]\n0 1\n"),
        "{written}"
    );
}

/// The bits of a port of a SIEVE file.
fn stream(bits: &[bool]) -> Value {
    Value::from_bits_text(&bits.iter().map(|bit| if *bit { '1' } else { '0' }).collect::<String>()).unwrap()
}

/// Whether a SIEVE file holds for these bits, those of outputs being public.
fn holds(file: &[u8], public: &[bool], private: &[bool]) -> bool {
    let relation = read(Format::Sieve, file);
    let values = |name: &str, bits: &[bool]| {
        let mut values = Values::new();
        values.insert(name, stream(bits)).unwrap();
        values
    };
    let statement = Statement::new(relation, values("public", public)).unwrap();
    let witness = statement.witness(values("private", private)).unwrap();
    let bits: Box<dyn Iterator<Item = F2>> = Box::new(witness.bits());
    Streamed(&statement).run(&mut Clear::new(bits)).is_ok()
}

#[test]
fn sieve_asserts_what_comes_out() {
    let text = "aag 5 3 0 2 2 0 1\n2\n4\n6\n10\n5\n2\n8 4 2\n10 9 6\ni0 a\ni1 b[0]\ni2 b[1]\no0 y\no1 z\n";
    let relation = read(Format::Aiger, text.as_bytes());
    let sieve = file(&relation, Format::Sieve);
    assert_eq!(
        String::from_utf8_lossy(&sieve),
        "version 2.1.0;\ncircuit;\n@type field 2;\n@begin\n$0 ... $1 <- @public(0);\n$2 ... $4 <- @private(0);\n\
         $5 <- @mul(0: $2, $3);\n$6 <- @mul(0: $4, $5);\n$7 <- @add(0: $6, $4);\n$8 <- @addc(0: $2, <1>);\n\
         @assert_zero(0: $8);\n$9 <- @add(0: $0, $7);\n@assert_zero(0: $9);\n$10 <- @addc(0: $3, <1>);\n\
         $11 <- @add(0: $1, $10);\n@assert_zero(0: $11);\n@end\n"
    );
    for bits in (0..32).map(|all| (0..5).map(|i| all >> i & 1 == 1).collect::<Vec<bool>>()) {
        let (public, private) = bits.split_at(2);
        let expected = outputs(&relation, private).is_some_and(|seen| {
            seen == public.iter().map(|bit| format!("0x{}", u8::from(*bit))).collect::<Vec<_>>()
        });
        assert_eq!(holds(&sieve, public, private), expected, "{bits:?}");
        // And as a file with one output, of what is asserted, whose inputs are the streams.
        for format in [Format::BristolFashion, Format::Blif] {
            let again = read(format, &file(&read(Format::Sieve, &sieve), format));
            let seen = outputs(&again, &bits);
            let zero = |outputs: &Vec<String>| outputs.iter().all(|value| value == "0x0");
            assert_eq!(seen.as_ref().is_some_and(zero), expected, "{format:?} {bits:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Random gates, some of which are asserted, through two formats one after the other.
    #[test]
    fn truth_tables_survive(
        gates in proptest::collection::vec((0..8u8, any::<usize>(), any::<usize>()), 0..30),
        ends in proptest::collection::vec(any::<usize>(), 3),
        asserted in proptest::collection::vec(any::<usize>(), 0..2),
        from in 0..4usize,
        to in 0..4usize,
    ) {
        let mut first = Vec::new();
        let inputs = [("x", 2), ("n", 1), ("y", 2)];
        write(Format::Aiger, &mut first, &inputs, &[("asserted", 2), ("out", 1)], |b| {
            let inputs = (0..5).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            let values = push(b, inputs, &gates, &asserted)?;
            for (i, end) in ends.iter().enumerate() {
                b.output(i / 2, i as u64 % 2, values[end % values.len()])?;
            }
            Ok(())
        }).unwrap();
        let first = read(Format::Aiger, &first);
        let second = read(FORMATS[from], &file(&first, FORMATS[from]));
        let third = read(FORMATS[to], &file(&second, FORMATS[to]));
        for bits in (0..32).map(|all| (0..5).map(|i| all >> i & 1 == 1).collect::<Vec<bool>>()) {
            let of_bits: Vec<F2> = bits.iter().map(|&bit| bit.into()).collect();
            let mut clear = Clear::<F2>::new(core::iter::empty());
            let values = push(&mut clear, of_bits, &gates, &[]).unwrap();
            let of = |i: &usize| values[i % values.len()].to_bool();
            let holds = !asserted.iter().any(of);
            let expected = [u8::from(of(&ends[0])) + 2 * u8::from(of(&ends[1])), u8::from(of(&ends[2]))];
            let expected = expected.map(|value| format!("0x{value:x}"));
            prop_assert_eq!(outputs(&first, &bits), holds.then(|| expected.to_vec()));
            for relation in [&second, &third] {
                let seen = outputs(relation, &bits);
                // An output of zeros more, or a constraint.
                let good = seen.as_ref().is_some_and(|seen| seen[2..].iter().all(|zero| zero == "0x0"));
                prop_assert_eq!(good, holds);
                prop_assert!(!holds || seen.unwrap()[..2] == expected);
            }
            if let [low, high, end] = ends.iter().map(of).collect::<Vec<_>>()[..] {
                let sieve = file(&first, Format::Sieve);
                prop_assert_eq!(self::holds(&sieve, &[low, high, end], &bits), holds);
                prop_assert!(!self::holds(&sieve, &[low, !high, end], &bits));
            }
        }
    }
}
