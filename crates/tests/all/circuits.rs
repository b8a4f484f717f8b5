//! Circuit files with known outputs, ours and published ones, and statements over fields,
//! evaluated in the clear.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use volery::circuit::stream::Streamed;
use volery::circuit::{
    Arithmetic, Circuit, Clear, Elements, FieldRelation, Program, Relation, Statement, Value, Values,
};
use volery::{Error, F128, Field, Result};
use volery_primitives::F61;

/// Evaluates the circuit at `path`, all inputs private, for values `in0=0x… out0=0x…`.
fn check(path: &Path, values: &str) -> Result<()> {
    let relation = Relation::open(path.to_str().expect("a path in UTF-8"), None)?;
    let (mut public, mut private) = (Values::new(), Values::new());
    for given in values.split_whitespace() {
        let (name, value) = given.split_once('=').expect("name=value");
        let side = if name.starts_with("out") { &mut public } else { &mut private };
        side.insert(name, Value::from_number_hex(value)?)?;
    }
    let statement = Statement::new(relation, public)?;
    let witness = statement.witness(private)?;
    let mut clear = Clear::new(witness.bits());
    Streamed(&statement).run(&mut clear)?;
    clear.finish()
}

/// The assertion that fails where the lowest bit of the values whose names begin with `of` is flipped.
fn check_flipped(path: &Path, values: &str, of: &str) -> String {
    let flip = |given: &str| {
        let (rest, last) = given.split_at(given.len() - 1);
        let digit = u8::from_str_radix(last, 16).expect("a digit") ^ 1;
        if given.starts_with(of) { format!("{rest}{digit:x}") } else { given.to_owned() }
    };
    let flipped: Vec<_> = values.split_whitespace().map(flip).collect();
    match check(path, &flipped.join(" ")) {
        Err(Error::Unsatisfied(name)) => name,
        other => panic!("{other:?} for {flipped:?} in {}", path.display()),
    }
}

#[test]
fn our_circuits_have_their_known_outputs() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
    let table = std::fs::read_to_string(vectors.join("README.md")).expect("vectors/README.md");
    let mut rows = 0;
    for row in table.lines().filter(|line| line.contains("=0x")) {
        let [_, file, values, _] = row.split('|').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let path = vectors.join("circuits").join(file.trim());
        check(&path, values).unwrap_or_else(|why| panic!("{row}: {why}"));
        assert!(check_flipped(&path, values, "out0").starts_with("out0[0] (wire "));
        rows += 1;
    }
    assert!(rows >= 10, "{rows} rows were read");
}

/// Our AIGER circuits have their known outputs by the names of their own ports, whatever the encoding.
#[test]
fn our_aiger_circuits_have_their_known_outputs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/aiger");
    let table = std::fs::read_to_string(folder.join("values.txt")).expect("vectors/aiger/values.txt");
    let mut rows = 0;
    for row in table.lines() {
        let (given, outputs) = row.split_once(" -> ").expect("inputs -> outputs");
        let (file, inputs) = given.split_once(' ').expect("a file");
        let spec = format!("{}/{file}", folder.display());
        let relation = Relation::open(&spec, None).unwrap_or_else(|why| panic!("{row}: {why}"));
        let mut values = Values::new();
        for (name, value) in inputs.split(' ').map(|given| given.split_once('=').expect("name=value")) {
            values.insert(name, Value::from_bits_text(value).unwrap()).unwrap();
        }
        let seen = relation.evaluate(values).unwrap_or_else(|why| panic!("{row}: {why}"));
        let seen: BTreeMap<_, _> = relation.outputs().iter().map(|port| &*port.name).zip(&seen).collect();
        assert_eq!(seen.len(), outputs.split(' ').count(), "{row}");
        for (name, value) in outputs.split(' ').map(|given| given.split_once('=').expect("name=value")) {
            let expected = Value::from_bits_text(value).unwrap();
            assert_eq!(seen[name].to_number_hex(), expected.to_number_hex(), "{name} of {row}");
        }
        rows += 1;
    }
    assert!(rows >= 20, "{rows} rows were read");
    for ending in ["aig", "aag"] {
        let adder = Relation::open(&format!("{}/adder8.{ending}", folder.display()), None).unwrap();
        assert_eq!((adder.shape().unwrap().mul, adder.ands_in_file()), (8, Some(72)), "{ending}");
    }
}

/// The folder of published circuits: `VOLERY_CIRCUITS`, or `shared/circuits` beside the repository.
fn published() -> Option<PathBuf> {
    let folder = std::env::var_os("VOLERY_CIRCUITS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/circuits"),
        PathBuf::from,
    );
    let there = folder.is_dir();
    if !there {
        // Not by eprintln, which is only shown of tests that fail.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: no folder {}; set VOLERY_CIRCUITS to one with the circuits",
            folder.display()
        );
    }
    there.then_some(folder)
}

#[test]
fn published_circuits_have_their_known_outputs() {
    let Some(folder) = published() else { return };
    let block = format!("0x61626380{}18", "0".repeat(118));
    let initial = "0x6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19";
    let digest = "0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let (x, y) = (0xfedc_ba98_7654_3210u64, 0x0f1e_2d3c_4b5a_6978u64);
    let binary = |result: u64| format!("in0={x:#018x} in1={y:#018x} out0={result:#018x}");
    let vectors = [
        ("sha256.txt", format!("in0={block} in1={initial} out0={digest}")),
        (
            "aes_128.txt",
            "in0=0x2b7e151628aed2a6abf7158809cf4f3c in1=0x6bc1bee22e409f96e93d7e117393172a \
             out0=0x3ad77bb40d7a3660a89ecaf32466ef97"
                .into(),
        ),
        ("adder64.txt", binary(x.wrapping_add(y))),
        ("sub64.txt", binary(x.wrapping_sub(y))),
        ("mult64.txt", binary(x.wrapping_mul(y))),
        ("zero_equal.txt", format!("in0={:#018x} out0=0x1", 0)),
        ("zero_equal.txt", format!("in0={:#018x} out0=0x0", 1u64 << 63)),
    ];
    for (file, values) in vectors {
        let path = folder.join(file);
        check(&path, &values).unwrap_or_else(|why| panic!("{file}: {why}"));
        check_flipped(&path, &values, "out0");
        // Another number may be nonzero too.
        if !file.starts_with("zero") {
            check_flipped(&path, &values, "in0");
        }
    }
}

#[test]
fn published_circuits_have_their_known_shape() {
    let Some(folder) = published() else { return };
    // Inversions are additions of a constant.
    let shapes = [
        ("sha256.txt", 22_573, 110_644 + 1_856, 768),
        ("aes_128.txt", 6_400, 28_176 + 2_087, 256),
        ("adder64.txt", 63, 313, 128),
        ("sub64.txt", 63, 313 + 63, 128),
        ("mult64.txt", 4_033, 9_642, 128),
        ("zero_equal.txt", 63, 64, 64),
    ];
    for (file, mul, add, inputs) in shapes {
        let relation = Relation::open(folder.join(file).to_str().expect("UTF-8"), None).unwrap();
        assert_eq!(relation.format_name(), "bristol-fashion");
        let shape = relation.shape().unwrap();
        assert_eq!((shape.mul, shape.add, shape.inputs), (mul, add, inputs), "{file}");
    }
}

/// Evaluates a built-in statement over `F`: public and private values, as `y=-5 x=1,2`.
fn check_over<F: Field>(spec: &str, public: &str, private: &str) -> Result<()> {
    let values = |given: &str| {
        let mut values = Values::new();
        for given in given.split_whitespace() {
            let (name, text) = given.split_once('=').expect("name=value");
            values.insert(name, Elements::parse(text.as_bytes())?)?;
        }
        Ok::<_, Error>(values)
    };
    let statement = Statement::new(FieldRelation::<F>::open(spec, None)?, values(public)?)?;
    let witness = statement.witness(values(private)?)?;
    let mut clear = Clear::new(FieldRelation::elements(&witness));
    Streamed(&statement).run(&mut clear)?;
    clear.finish()
}

#[test]
fn statements_over_fields_hold_or_name_what_does_not() {
    let power = "builtin:power?exponent=5";
    check_over::<F61>(power, "y=-32", "x=-2").unwrap();
    check_over::<F128>(power, "y=0x20", "x=2").unwrap();
    let map = "builtin:linear?rows=1&columns=3";
    check_over::<F61>(map, "matrix=1,2,-3 b=0", "x=1,1,1").unwrap();
    let cases = [
        (power, "y=-32", "x=2", "y"),
        (map, "matrix=1,2,-3 b=0", "x=1,1,2", "b[0]"),
        ("builtin:polynomial?degree=2", "coefficients=1,0,1 y=0", "x=1", "y"),
        ("builtin:range-sum?count=2&bits=8", "total=256", "values=256,0", "values[0] below 2^8"),
        ("builtin:factors", "n=35", "a=1 b=35", "a above 1"),
    ];
    for (spec, public, private, name) in cases {
        match check_over::<F61>(spec, public, private) {
            Err(Error::Unsatisfied(failed)) => assert_eq!(failed, name, "{spec}"),
            other => panic!("{spec}: {other:?}"),
        }
    }
}

#[test]
fn arithmetic_networks_hold_for_any_witness() {
    fn check<F: Field>(multiplications: u64) {
        let network = Arithmetic::<F>::new(multiplications).unwrap();
        for seed in 0..3 {
            let mut clear = Clear::new(network.witness([seed; 32]));
            network.run(&mut clear).unwrap();
            clear.finish().unwrap();
        }
    }
    for multiplications in [1, 2, 3, 1000, 1_000_001] {
        check::<F61>(multiplications);
    }
    check::<F128>(1001);
}
