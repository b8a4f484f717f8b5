//! Statements as clauses, in the clear.

use super::*;
use volery_circuit::stream::{Streamed, StreamedClauses};
use volery_circuit::{Circuit, Clause, Clauses, Clear, OneOf, Value, Values, clauses};
use volery_primitives::Field;
use volery_primitives::hash::elements::expanded;

/// A value of so many bits that has ones and zeros.
fn some(width: u64) -> Value {
    Value::from_bits_text(&"01101".repeat(width as usize)[..width as usize]).unwrap()
}

/// The statement with these public values, and for other ports that have to be public, or outputs, with some.
fn stated(spec: &str, given: &[(&str, Value)]) -> Statement {
    let relation = Relation::open(&format!("builtin:{spec}"), None).unwrap();
    let mut public = Values::new();
    let inputs = relation.inputs().iter().filter(|port| port.public);
    for port in inputs.chain(relation.outputs()) {
        let given = given.iter().find(|(name, _)| *name == port.name);
        let value = given.map_or_else(|| some(port.width), |(_, value)| value.clone());
        public.insert(&port.name, value).unwrap();
    }
    Statement::new(relation, public).unwrap()
}

fn bits(text: &str) -> Value {
    Value::from_bits_text(text).unwrap()
}

fn shape(source: &dyn Source<F2>) -> Shape {
    Shape::of(source).unwrap()
}

fn clause<'s>(statement: &'s (dyn ClauseSource + 's), number: usize) -> Clause<'s, dyn ClauseSource + 's> {
    Clause::new(statement, number)
}

fn one_of(clauses: &dyn ClauseSource) -> OneOf<&dyn ClauseSource> {
    OneOf(clauses)
}

fn shapes(clauses: &dyn ClauseSource) -> Result<Vec<Shape>> {
    clauses::shapes(&StreamedClauses(clauses))
}

fn fingerprint(clauses: &dyn ClauseSource) -> Vec<Shape> {
    clauses::fingerprint(&StreamedClauses(clauses)).unwrap().0
}

fn find(clauses: &dyn ClauseSource, witness: Vec<F2>) -> Result<usize> {
    clauses::find(&StreamedClauses(clauses), witness)
}

/// Whether clause `clause` fails where its assertions are collected.
fn fails(statement: &Statement, clause: usize, witness: &[F2]) -> bool {
    let mut clear = Clear::new(witness.to_vec());
    let mut branch = Branch::collecting(&mut clear);
    StreamedClauses(statement).run(clause, &mut branch).unwrap();
    branch.finish().unwrap().unwrap() == F2::ONE
}

/// A false clause runs on any values: hints are defined for all, and nothing fails.
#[test]
fn every_builtin_runs_on_any_witness() {
    builtins_run_on_any_witness(&[F2::ONE], 0);
}

#[test]
#[ignore = "slow"]
fn every_builtin_runs_on_more_witnesses() {
    builtins_run_on_any_witness(&[F2::ZERO, F2::ONE], 5);
}

/// Runs them on witnesses of one of these bits alone, and on so many at random.
fn builtins_run_on_any_witness(alike: &[F2], others: usize) {
    for spec in [
        "sha256-preimage?length=3",
        "sha256-preimage?length=3&holes=1",
        "keccak256-preimage?length=3",
        "sha3-256-preimage?length=3&holes=1",
        "merkle-root?depth=1",
        "merkle-root?depth=1&holes=1",
        "bug-in-snippets?count=4",
        "merkle-membership?depth=1",
        "merkle-membership?depth=1&holes=1",
        "price-discrimination?length=30",
        "blind-certificate?credentials=4&reply=3&before=1&after=1",
        "inner-product?length=700",
        "matmul?rows=3&inner=5&columns=2",
        "matmul?rows=3&inner=5&columns=2&random=0",
    ] {
        let statement = stated(spec, &[]);
        for number in 0..statement.count() {
            let private = shape(&clause(&statement, number)).witness as usize;
            let mut random = expanded::<F2>([7; 32]);
            let mut witnesses: Vec<_> = alike.iter().map(|bit| vec![*bit; private]).collect();
            witnesses.extend((0..others).map(|_| random.by_ref().take(private).collect()));
            for witness in witnesses {
                let mut clear = Clear::new(witness.clone());
                let stands = Streamed(&clause(&statement, number)).run(&mut clear).is_ok();
                assert_eq!(fails(&statement, number, &witness), !stands, "{spec}, clause {number}");
            }
        }
    }
}

#[test]
fn each_snippet_is_a_clause() {
    let statement = stated("bug-in-snippets?count=6", &[("bug", bits("1"))]);
    assert_eq!(statement.count(), 6);
    assert!((0..6).map(|clause| statement.like(clause)).eq([0, 1, 2, 3, 0, 1]));
    for (text, broken) in
        [("small_boERROR", 0), ("bob:-7", 1), ("thirteenchars%", 2), ("16x16", 3), ("bob:7", 6)]
    {
        let mut private = Values::new();
        let mut input = text.as_bytes().to_vec();
        input.resize(14, 0);
        private.insert("input", Value::from_bytes(&input)).unwrap();
        let witness: Vec<F2> = statement.witness(private).unwrap().bits().collect();
        // Others are like those before.
        for clause in if broken == 0 { 0..6 } else { 0..4 } {
            assert_eq!(fails(&statement, clause, &witness), clause % 4 != broken, "{text}, {clause}");
        }
        assert_eq!(find(&statement, witness).ok(), (broken < 6).then_some(broken));
    }
    let shapes = shapes(&statement).unwrap();
    assert_eq!(shapes, fingerprint(&statement));
    // The disjunction of the whole is one of its own kind: an AND for each snippet but the first.
    let ands: u64 = shapes.iter().map(|shape| shape.mul).sum();
    assert_eq!(shape(&statement).mul, ands + 5);
    assert_eq!(shape(&one_of(&statement)).mul, ands + 5);
    // That nothing breaks is no disjunction.
    let none = stated("bug-in-snippets?count=6", &[("bug", bits("0"))]);
    assert_eq!((none.count(), shape(&clause(&none, 0)).mul), (1, ands + 5));
}

#[test]
fn each_tree_is_a_clause() {
    let statement = stated("merkle-membership?depth=1", &[("member", bits("1"))]);
    assert_eq!(statement.count(), 3);
    let shapes = shapes(&statement).unwrap();
    let (response, ands) = (6400, [0, 1, 2].map(|clause| shapes[clause].mul));
    assert_eq!(ands, [50_691, 36_192, 83_711]);
    // The whole has the response once, and two ANDs for its three trees.
    assert_eq!(ands.iter().sum::<u64>(), 157_796 + 2 * response - 2);
    assert!(shapes.iter().all(|shape| shape.assert == 129));
    assert_eq!(shape(&one_of(&statement)).mul, ands.iter().sum::<u64>() + 3 * 129 - 1);
    let none = stated("merkle-membership?depth=1", &[("member", bits("0"))]);
    assert_eq!((none.count(), shape(&clause(&none, 0)).mul), (1, 157_796));
}

#[test]
fn polynomials_are_clauses() {
    // With all entries one: an inner product is the parity of the length, and so is each entry of a product.
    let any = |expected: [&str; 4]| {
        let [inner, random, gates, one] = expected.map(bits);
        AnyOf::new(vec![
            stated("inner-product?length=513", &[("z", inner)]),
            stated("matmul?rows=2&inner=3&columns=2", &[("c", random)]),
            stated("matmul?rows=1&inner=2&columns=3&random=0", &[("c", gates)]),
            stated("inner-product?length=1", &[("z", one)]),
        ])
        .unwrap()
    };
    let right = ["1", "1111", "000", "1"];
    let wrong = ["0", "1101", "001", "0"];
    let witness = |any: &AnyOf| {
        let bits: u64 = shapes(any).unwrap().iter().map(|shape| shape.witness).sum();
        vec![F2::ONE; bits as usize]
    };
    let holds = |any: &AnyOf| {
        let mut clear = Clear::new(witness(any));
        Streamed(&one_of(any)).run(&mut clear).and_then(|()| clear.finish())
    };
    assert_eq!(holds(&any(wrong)).unwrap_err().to_string(), {
        "the witness does not satisfy the statement: one of 4 clauses does not hold"
    });
    for clause in 0..4 {
        let mut one = wrong;
        one[clause] = right[clause];
        holds(&any(one)).unwrap();
    }
    // What is collected is committed to, and every assertion but one takes an AND.
    let shape = shape(&one_of(&any(right)));
    let (private, assertions) = (1026 + 12 + 8 + 2, 1 + 4 + 3 + 1);
    assert_eq!((shape.witness, shape.inputs), (private, private + assertions));
    assert_eq!((shape.mul, shape.polynomials, shape.matrices), (assertions - 1, assertions, 0));
}

#[test]
fn statements_that_are_alike_are_found() {
    let root = |at: u8| ("root_sha1", Value::from_bytes(&[at; 20]));
    let digest = |at: u8| ("digest", Value::from_bytes(&[at; 32]));
    let any = AnyOf::new(vec![
        stated("sha256-preimage?length=3", &[digest(0)]),
        stated("sha256-preimage?length=4", &[digest(0)]),
        stated("sha256-preimage?length=3", &[digest(1)]),
        stated("merkle-membership?depth=1", &[root(0)]),
        stated("merkle-membership?depth=1", &[root(1)]),
        stated("merkle-membership?depth=1", &[root(0)]),
        stated("sha256-preimage?length=3&holes=1", &[digest(0)]),
        stated("sha256-preimage?length=4", &[digest(2)]),
    ])
    .unwrap();
    // A public input may spare gates by its value; an output does not.
    assert!((0..8).map(|clause| any.like(clause)).eq([0, 1, 0, 3, 4, 3, 6, 1]));
    let counted = |shape: &Shape| Shape { add: 0, scale: 0, constant: 0, ..*shape };
    assert!(shapes(&any).unwrap().iter().map(counted).eq(fingerprint(&any).iter().map(counted)));
    assert!(AnyOf::new(vec![]).is_err());
}

#[test]
fn digests_tell_disjunctions_apart() {
    let z = |z: &str| stated("inner-product?length=3", &[("z", bits(z))]);
    let digest =
        |values: &[&str]| AnyOf::new(values.iter().map(|value| z(value)).collect()).unwrap().digest();
    let all = [digest(&["0"]), digest(&["1"]), digest(&["0", "1"]), digest(&["1", "0"]), z("0").digest()];
    for (i, digest) in all.iter().enumerate() {
        assert!(!all[..i].contains(digest), "{i}");
    }
}

/// Clauses have the same gates without values as with them, but for assertions.
#[test]
fn relations_tell_their_clauses() {
    for (spec, claim) in [("bug-in-snippets?count=6", "bug"), ("merkle-membership?depth=1", "member")] {
        let statement = stated(spec, &[(claim, bits("1"))]);
        let told = statement.relation().clauses().unwrap();
        let shapes = shapes(&statement).unwrap();
        assert_eq!(told.len(), shapes.len());
        for (told, shape) in told.iter().zip(&shapes) {
            assert_eq!(told.mul_by_gates(), shape.mul_by_gates(), "{spec}");
            assert_eq!(told.inputs_by_gates(), shape.inputs_by_gates(), "{spec}");
        }
    }
    assert!(stated("sha256-preimage?length=3", &[]).relation().clauses().unwrap().is_empty());
}
