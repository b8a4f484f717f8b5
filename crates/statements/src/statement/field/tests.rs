use super::*;
use crate::{Relation, Statement};
use proptest::prelude::*;
use volery_circuit::stream::Streamed;
use volery_circuit::{Circuit, Clear, Shape, Values};
use volery_primitives::{F2, F61, F128};

const P: u64 = F61::MODULUS;

fn parse<F: Field>(text: &str) -> Result<Vec<F>, String> {
    Elements::parse(text.as_bytes()).map(|elements| elements.iter().collect()).map_err(|why| why.to_string())
}

#[test]
fn numbers_are_read_in_all_notations() {
    let f61 = |text: &str| parse::<F61>(text).unwrap().into_iter().map(F61::get).collect::<Vec<_>>();
    assert_eq!(f61("0"), [0]);
    assert_eq!(f61("-0"), [0]);
    assert_eq!(f61(" 5\n"), [5]);
    assert_eq!(f61("-5, 0x1aF,007 ,\t-0x10\r\n"), [P - 5, 0x1af, 7, P - 16]);
    assert_eq!(f61(&format!("{},-{}", P - 1, P - 1)), [P - 1, 1]);
    assert_eq!(f61("0x1ffffffffffffffe"), [P - 1]);
    assert_eq!(f61("00000000000000000000000000000000000000000000000000000000000000000000000012"), [12]);
    assert_eq!(parse::<F2>("0,1").unwrap(), [F2::ZERO, F2::ONE]);
    let most = u128::MAX;
    assert_eq!(parse::<F128>(&format!("{most},{most:#x},7")).unwrap(), [F128(most), F128(most), F128(7)]);
}

proptest! {
    #[test]
    fn numbers_come_back(numbers in proptest::collection::vec(0..P, 1..20), signs: u32, radices: u32) {
        let text: Vec<_> = numbers.iter().enumerate().map(|(i, &number)| {
            let sign = if signs >> i & 1 == 1 { "-" } else { "" };
            if radices >> i & 1 == 1 { format!("{sign}{number:#x}") } else { format!("{sign}{number}") }
        }).collect();
        let expected: Vec<_> = numbers.iter().enumerate().map(|(i, &number)| {
            if signs >> i & 1 == 1 { -F61::new(number) } else { F61::new(number) }
        }).collect();
        prop_assert_eq!(parse::<F61>(&text.join(",")).unwrap(), expected);
    }
}

#[test]
fn malformed_numbers_are_refused() {
    let modulus = format!("not below {P}, the modulus of f61");
    let beyond = format!("0x1{}", "0".repeat(32));
    #[rustfmt::skip]
    let cases = [
        ("", "the value is empty"),
        (" \n", "the value is empty"),
        (",", "number 1 of 2: there are no digits"),
        ("1,2,", "number 3 of 3: there are no digits"),
        ("-", "there are no digits"),
        ("0x", "there are no digits"),
        ("1,-0x", "number 2 of 2: there are no digits"),
        ("73a", "character 3 is not a decimal digit"),
        ("0x73g", "character 5 is not a hexadecimal digit"),
        ("0x73@", "character 5 is not a hexadecimal digit"),
        ("1, -7+3", "number 2 of 2: character 3 is not a decimal digit"),
        ("--73", "character 2 is not a decimal digit"),
        ("+73", "character 1 is not a decimal digit"),
        ("7 3", "character 2 is not a decimal digit"),
        ("0X73", "character 2 is not a decimal digit"),
        ("7.3", "character 2 is not a decimal digit"),
        ("2305843009213693951", &modulus),
        ("1,-2305843009213693951", &modulus),
        ("0x1fffffffffffffff", &modulus),
        ("340282366920938463463374607431768211456", &modulus),
        ("3402823669209384634633746074317682114560000000001", &modulus),
        (&beyond, &modulus),
    ];
    for (text, word) in cases {
        let why = parse::<F61>(text).unwrap_err();
        assert!(why.contains(word), "{word:?} is missing in {why:?}");
        // Nothing of a value is shown; the modulus may be.
        assert!(!why.contains("73"), "{why}");
    }
    let why = parse::<F128>("0x1,-1").unwrap_err();
    assert!(why.contains("number 2 of 2: elements of f128 have no sign"), "{why}");
    let why = parse::<F128>(&beyond).unwrap_err();
    assert!(why.contains("more than 128 bits, those of an element of f128"), "{why}");
    let why = parse::<F2>("2").unwrap_err();
    assert!(why.contains("more than 1 bit, those of an element of f2"), "{why}");
    assert!(Elements::<F61>::parse(b"7\xff3").is_err());
}

/// Names with the texts of their values.
type Given<'a> = &'a [(&'a str, &'a str)];

fn values<F: Field>(given: Given) -> Values<Elements<F>> {
    let mut values = Values::new();
    for (name, text) in given {
        values.insert(*name, Elements::parse(text.as_bytes()).unwrap()).unwrap();
    }
    values
}

fn statement<F: Field>(spec: &str, public: Given) -> Result<Statement<FieldRelation<F>>> {
    Statement::new(FieldRelation::open(&format!("builtin:{spec}"), None)?, values(public))
}

/// Checks a statement from the texts of its values.
fn check<F: Field>(spec: &str, public: Given, private: Given) -> Result<()> {
    let statement = statement::<F>(spec, public)?;
    let witness = statement.witness(values(private))?;
    let mut clear = Clear::new(FieldRelation::elements(&witness));
    Streamed(&statement).run(&mut clear)?;
    clear.finish()
}

fn refused<F: Field>(spec: &str, public: Given, private: Given) -> String {
    check::<F>(spec, public, private).unwrap_err().to_string()
}

/// Demands that a wrong witness fails at the assertion `name`.
fn assert_fails_at(name: &str, spec: &str, public: Given, private: Given) {
    let why = refused::<F61>(spec, public, private);
    assert!(why.contains(&format!(": {name} does not hold")), "{spec}: {name:?} is missing in {why:?}");
}

#[test]
fn powers() {
    check::<F61>("power", &[("y", "243")], &[("x", "3")]).unwrap();
    check::<F61>("power", &[("y", "-243")], &[("x", "-3")]).unwrap();
    check::<F61>("power?exponent=1", &[("y", "7")], &[("x", "7")]).unwrap();
    check::<F128>("power?exponent=2", &[("y", "4")], &[("x", "2")]).unwrap();
    // Fermat's little theorem.
    check::<F61>(&format!("power?exponent={}", P - 1), &[("y", "1")], &[("x", "123456")]).unwrap();
    check::<F61>("power", &[("y", "243"), ("x", "3")], &[]).unwrap();
    assert_fails_at("y", "power", &[("y", "243")], &[("x", "4")]);
    assert_fails_at("y", "power", &[("y", "243"), ("x", "4")], &[]);
}

#[test]
fn polynomials() {
    // 2 - 3x + 5x^3 at 4.
    let public = [("coefficients", "2,-3,0,5"), ("y", "310")];
    check::<F61>("polynomial", &public, &[("x", "4")]).unwrap();
    assert_fails_at("y", "polynomial", &public, &[("x", "5")]);
    check::<F61>("polynomial?degree=1", &[("coefficients", "2,-3"), ("y", "-10")], &[("x", "4")]).unwrap();
    check::<F128>("polynomial?degree=2", &[("coefficients", "1,1,1"), ("y", "7")], &[("x", "2")]).unwrap();
    let why = refused::<F61>("polynomial", &[("y", "310")], &[("coefficients", "2,-3,0,5"), ("x", "4")]);
    assert!(why.contains("coefficients (4 elements) has to be public: give a public value"), "{why}");
}

#[test]
fn sums_of_ranges() {
    let most = u64::from(u32::MAX).to_string();
    let total = [("total", "4294967307")];
    check::<F61>("range-sum", &total, &[("values", &format!("5,{most},0,7"))]).unwrap();
    assert_fails_at("total", "range-sum", &total, &[("values", &format!("5,{most},1,7"))]);
    assert_fails_at("values[2] below 2^32", "range-sum", &total, &[("values", "5,5,4294967296,1")]);
    // The sum is right, and one of its parts is a debt.
    assert_fails_at("values[1] below 2^32", "range-sum", &total, &[("values", &format!("{most},-5,5,12"))]);
    check::<F61>(
        "range-sum?count=1&bits=60",
        &[("total", "0xfffffffffffffff")],
        &[("values", "0xfffffffffffffff")],
    )
    .unwrap();
    check::<F61>("range-sum?count=2", &[("total", "3"), ("values", "1,2")], &[]).unwrap();
    assert_fails_at(
        "values[0] below 2^2",
        "range-sum?count=1&bits=2",
        &[("total", "4"), ("values", "4")],
        &[],
    );
}

#[test]
fn factors() {
    let n = (1_000_003u64 * 998_244_353).to_string();
    let public = [("n", &n[..])];
    check::<F61>("factors", &public, &[("a", "1000003"), ("b", "998244353")]).unwrap();
    check::<F61>("factors", &public, &[("a", "998244353"), ("b", "1000003")]).unwrap();
    check::<F61>("factors", &[("n", "1152921502459363329")], &[("a", "1073741823"), ("b", "1073741823")])
        .unwrap();
    check::<F61>("factors", &[("n", "6"), ("a", "2")], &[("b", "3")]).unwrap();
    assert_fails_at("n", "factors", &public, &[("a", "1000003"), ("b", "998244352")]);
    assert_fails_at("a above 1", "factors", &[("n", "7")], &[("a", "1"), ("b", "7")]);
    assert_fails_at("b above 1", "factors", &[("n", "7")], &[("a", "7"), ("b", "1")]);
    assert_fails_at("b above 1", "factors", &[("n", "0")], &[("a", "7"), ("b", "0")]);
    // What are no factors of 7 among the integers divides it in the field.
    let half = F61::new(2).invert().get().to_string();
    assert_fails_at("b below 2^30", "factors", &[("n", "7")], &[("a", "14"), ("b", &half)]);
    assert_fails_at("a below 2^30", "factors", &[("n", "1073741824")], &[("a", "1073741824"), ("b", "1")]);
}

#[test]
fn linear_maps() {
    let public = [("matrix", "1,2,3,-1,0,5"), ("b", "14,14")];
    check::<F61>("linear", &public, &[("x", "1,2,3")]).unwrap();
    assert_fails_at("b[0]", "linear", &public, &[("x", "1,3,3")]);
    // The first row does not see it.
    assert_fails_at("b[1]", "linear", &public, &[("x", "3,1,3")]);
    check::<F128>("linear?rows=1&columns=2", &[("matrix", "2,1"), ("b", "5")], &[("x", "2,1")]).unwrap();
    let why = refused::<F61>("linear", &[("b", "14,14")], &[("x", "1,2,3")]);
    assert!(why.contains("matrix (6 elements) has to be public"), "{why}");
}

#[test]
fn gates_are_those_of_the_program() {
    let shape = |spec: &str| {
        let relation = FieldRelation::<F61>::open(&format!("builtin:{spec}"), None).unwrap();
        let shape = relation.shape().unwrap();
        (shape.mul, shape.inputs, shape.assert)
    };
    assert_eq!(shape("power"), (3, 1, 0));
    assert_eq!(shape("polynomial?degree=10"), (9, 1, 0));
    assert_eq!(shape("range-sum"), (4 * 32, 4 + 4 * 31, 4 * 32));
    assert_eq!(shape("factors"), (2 * (30 + 2) + 1, 2 * (1 + 29 + 1), 2 * (30 + 1)));
    assert_eq!(shape("linear?rows=5&columns=7"), (0, 7, 0));
    let counted = |spec, public| Shape::of(&statement::<F61>(spec, public).unwrap()).unwrap();
    let shape = counted("linear", &[("matrix", "3,4,5,6,7,8"), ("b", "1,2")]);
    assert_eq!((shape.mul, shape.scale, shape.add, shape.assert), (0, 6, 4 + 2, 2));
    let bare = FieldRelation::<F61>::open("builtin:linear", None).unwrap().shape().unwrap();
    assert_eq!((bare.scale, bare.add), (6, 4), "most matrices have as many gates");
}

#[test]
fn values_must_fit() {
    #[rustfmt::skip]
    let cases: &[(&str, Given, Given, &[&str])] = &[
        ("power", &[], &[], &["asserts nothing", "y (1 element)"]),
        ("power", &[("z", "1")], &[], &["no input or output z", "x (1 element), y (1 element)"]),
        ("power", &[("y", "1,2")], &[], &["y takes 1 element", "given for it has 2 elements"]),
        ("power", &[("y", "1")], &[], &["x has no value"]),
        ("power", &[("y", "1")], &[("x", "1"), ("y", "1")], &["y is an output"]),
        ("power", &[("y", "1"), ("x", "1")], &[("x", "1")], &["x is given as public and as private"]),
        ("range-sum", &[("total", "1")], &[("values", "1,0,0")], &["values takes 4 elements, with commas", "has 3"]),
    ];
    for (spec, public, private, words) in cases {
        let why = refused::<F61>(spec, public, private);
        for word in *words {
            assert!(why.contains(word), "{word:?} is missing in {why:?}");
        }
    }
}

#[test]
fn digests_tell_statements_apart() {
    let digest = |spec, public| statement::<F61>(spec, public).unwrap().digest();
    let all = [
        digest("power", &[("y", "1")]),
        digest("power", &[("y", "2")]),
        digest("power", &[("y", "1"), ("x", "1")]),
        digest("power?exponent=6", &[("y", "1")]),
        digest("range-sum", &[("total", "1")]),
        digest("range-sum?bits=31", &[("total", "1")]),
        digest("range-sum?count=5", &[("total", "1")]),
        digest("factors", &[("n", "1")]),
        digest("linear?rows=2&columns=1", &[("matrix", "1,2"), ("b", "1,2")]),
        digest("linear?rows=1&columns=2", &[("matrix", "1,2"), ("b", "1")]),
        digest("linear?rows=1&columns=2", &[("matrix", "2,1"), ("b", "1")]),
        digest("polynomial?degree=1", &[("coefficients", "1,2"), ("y", "1")]),
        statement::<F128>("power", &[("y", "1")]).unwrap().digest(),
        statement::<F2>("power", &[("y", "1")]).unwrap().digest(),
    ];
    for (i, digest) in all.iter().enumerate() {
        assert!(!all[..i].contains(digest), "{i}");
    }
    assert_eq!(digest("power?exponent=5", &[("y", "-1")]), digest("power", &[("y", &(P - 1).to_string())]));
}

#[test]
fn builtins_describe_themselves() {
    fn over<F: Field>(spec: &str) -> [Vec<u8>; 2] {
        let opened = |spec: &str| FieldRelation::<F>::open(&format!("builtin:{spec}"), None).unwrap();
        assert_eq!(opened(spec).format_name(), "builtin");
        [opened(spec), opened(spec.split('?').next().unwrap())].map(|relation| relation.identity())
    }
    for (spec, _) in FieldRelation::<F61>::builtins() {
        // Its parameters are those of one field.
        let name = spec.split('?').next().unwrap();
        if spec.starts_with("poseidon") {
            unknown::<F61>(&format!("builtin:{spec}"), "is over bn254, and not over f61");
        } else {
            assert_eq!(over::<F61>(spec), [spec.as_bytes(); 2], "the list shows the defaults");
        }
        let shared = Relation::builtins().iter().any(|(known, _)| known.split('?').next() == Some(name));
        match Relation::open(&format!("builtin:{name}"), None) {
            Ok(relation) => assert!(shared && relation.identity() == spec.as_bytes(), "{spec}"),
            Err(why) => assert!(!shared && why.to_string().contains("larger fields"), "{why}"),
        }
    }
}

fn unknown<F: Field>(spec: &str, word: &str) {
    let why = FieldRelation::<F>::open(spec, None).unwrap_err().to_string();
    assert!(why.contains(word), "{word:?} is missing in {why:?}");
}

#[test]
fn bad_relations_are_refused() {
    #[rustfmt::skip]
    let cases = [
        ("power", "a statement that is built in is builtin:NAME"),
        ("builtin:powers", "no builtin:powers over f61; there are builtin:power?exponent=5, builtin:poly"),
        ("builtin:sha256-preimage", "builtin:sha256-preimage is over f2"),
        ("builtin:power?exponent=0", "exponent=0: choose from 1 to 18446744073709551615"),
        ("builtin:power?degree=3", "no key \"degree\"; it has exponent=5 (with the defaults shown)"),
        ("builtin:polynomial?degree=0", "degree=0: choose from 1 to 16777215"),
        ("builtin:polynomial?degree=16777216", "choose from 1 to 16777215"),
        ("builtin:range-sum?count=0", "count=0: choose from 1"),
        ("builtin:range-sum?bits=61", "bits=61: choose from 1 to 60"),
        ("builtin:range-sum?bits=4294967297", "choose from 1 to 60"),
        ("builtin:range-sum?count=3&bits=60", "count=3&bits=60: the sum may exceed the modulus of f61"),
        ("builtin:factors?bits=3", "builtin:factors has no key \"bits\"; it has none"),
        ("builtin:linear?rows=0", "rows=0&columns=3: choose from 1 to 16777216 entries"),
        ("builtin:linear?rows=4294967296&columns=4294967296", "choose from 1 to 16777216 entries"),
    ];
    for (spec, word) in cases {
        unknown::<F61>(spec, word);
    }
    unknown::<F128>(
        "builtin:range-sum",
        "builtin:range-sum: elements of f128 are not integers: choose a prime field",
    );
    unknown::<F128>("builtin:factors", "builtin:factors: elements of f128 are not integers");
    FieldRelation::<F61>::open("builtin:range-sum?count=2&bits=60", None).unwrap();
    let bristol = "bristol-fashion".parse().unwrap();
    assert!(FieldRelation::<F61>::open("builtin:power", Some(bristol)).is_err());
}
