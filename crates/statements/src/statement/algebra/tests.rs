use super::*;
use crate::{FieldRelation, Program, Relation, Statement};
use volery_circuit::stream::Streamed;
use volery_circuit::{Clear, Count, PortValue, Shape, Values};
use volery_gadgets::{InnerProduct, MatrixProduct};
use volery_primitives::F61;

/// A value written as it is on a command line.
trait Written: PortValue {
    fn read(text: &str) -> Self;
}

impl Written for Value {
    fn read(text: &str) -> Self {
        Self::from_bits_text(text).unwrap()
    }
}

impl<F: Field> Written for Elements<F> {
    fn read(text: &str) -> Self {
        Self::parse(text.as_bytes()).unwrap()
    }
}

/// Names with the texts of their values.
type Given<'a> = &'a [(&'a str, &'a str)];

fn values<V: Written>(given: Given) -> Values<V> {
    let mut values = Values::new();
    given.iter().for_each(|(name, text)| values.insert(*name, V::read(text)).unwrap());
    values
}

/// Checks a statement from the texts of its values.
fn check<P: Program<Value: Written>>(spec: &str, public: Given, private: Given) -> Result<()> {
    let statement = Statement::new(P::open(&format!("builtin:{spec}"), None)?, values(public))?;
    let witness = statement.witness(values(private))?;
    let mut clear = Clear::new(P::elements(&witness));
    volery_circuit::Circuit::run(&Streamed(&statement), &mut clear)?;
    clear.finish()
}

/// Demands that something of `words` is said.
#[track_caller]
fn refused<P: Program<Value: Written>>(spec: &str, public: Given, private: Given, words: &str) {
    let why = check::<P>(spec, public, private).unwrap_err().to_string();
    assert!(why.contains(words), "{spec}: {words:?} is missing in {why:?}");
}

#[test]
fn inner_products() {
    let spec = "inner-product?length=3";
    let [x, y] = [("x", "1,2,3"), ("y", "4,5,-6")];
    type Over<F> = FieldRelation<F>;
    for public in [&[("z", "-4")][..], &[("z", "-4"), x], &[("z", "-4"), y], &[("z", "-4"), x, y]] {
        let private: Vec<_> = [x, y].into_iter().filter(|value| !public.contains(value)).collect();
        check::<Over<F61>>(spec, public, &private).unwrap();
        let wrong = [&[("z", "4")], &public[1..]].concat();
        refused::<Over<F61>>(spec, &wrong, &private, ": z does not hold");
    }
    for (z, holds) in [("0b0", true), ("0b1", false)] {
        let checked = check::<Relation>(spec, &[("z", z)], &[("x", "0b110"), ("y", "0b111")]);
        assert_eq!(checked.is_ok(), holds);
    }
    refused::<Relation>(spec, &[("z", "0b1")], &[("x", "0b110"), ("y", "0b11")], "y is 3 bits wide");
}

/// The witness of a statement with two ports alternates as the circuit of the same name reads it.
#[test]
fn vectors_are_read_by_turns() {
    for length in [511, 512, 513, 2000] {
        let elements: Vec<F61> = InnerProduct::new(length, F61::ONE).unwrap().witness([5; 32]).collect();
        let [mut x, mut y] = [vec![], vec![]];
        for chunk in elements.chunks(1024) {
            x.extend(&chunk[..chunk.len() / 2]);
            y.extend(&chunk[chunk.len() / 2..]);
        }
        let open =
            |length| FieldRelation::<F61>::open(&format!("builtin:inner-product?length={length}"), None);
        let relation = open(length).unwrap();
        let witness = relation.witness(vec![x.clone().into(), y.into()]);
        assert!(FieldRelation::elements(&witness).eq(elements.iter().copied()));
        let alone = relation.witness(vec![x.clone().into()]);
        assert!(FieldRelation::elements(&alone).eq(x.iter().copied()));

        // Over F_2, where the first vector is ones and the second one zeros.
        let relation = Relation::open(&format!("builtin:inner-product?length={length}"), None).unwrap();
        let [ones, zeros] =
            ["1", "0"].map(|bit| Value::from_bits_text(&bit.repeat(length as usize)).unwrap());
        let witness = relation.witness(vec![ones, zeros]);
        let bits: Vec<F2> = witness.bits().collect();
        assert_eq!(bits.len() as u64, 2 * length);
        for chunk in bits.chunks(1024) {
            let (x, y) = chunk.split_at(chunk.len() / 2);
            assert!(x.iter().all(|bit| *bit == F2::ONE) && y.iter().all(|bit| *bit == F2::ZERO));
        }
    }
}

#[test]
fn matrix_products() {
    for random in [0, 1] {
        let spec = format!("matmul?rows=2&inner=3&columns=2&random={random}");
        let [a, b] = [("a", "1,2,3,4,5,6"), ("b", "1,0,-1,2,0,1")];
        let c = ("c", "-1,7,-1,16");
        check::<FieldRelation<F61>>(&spec, &[c], &[a, b]).unwrap();
        check::<FieldRelation<F61>>(&spec, &[c, b], &[a]).unwrap();
        check::<FieldRelation<F61>>(&spec, &[a, b, c], &[]).unwrap();
        refused::<FieldRelation<F61>>(&spec, &[("c", "-1,7,1,16")], &[a, b], ": c[1][0] does not hold");
        refused::<FieldRelation<F61>>(&spec, &[c], &[a, ("b", "1,1,-1,2,0,1")], ": c[0][1] does not hold");
        // Rows 110 and 011 times columns 110 and 011.
        let bits = [("a", "0b110011"), ("b", "0b101101")];
        check::<Relation>(&spec, &[("c", "0b0110")], &bits).unwrap();
        refused::<Relation>(&spec, &[("c", "0b0111")], &bits, ": c[1][1] does not hold");
    }
}

#[test]
fn short_solutions() {
    let public = [("matrix", "1,2,3,4,5,6"), ("t", "-2,-2")];
    let spec = "sis?columns=3&bound=1";
    for s in ["1,0,-1", "0x1,-0,-1"] {
        check::<FieldRelation<F61>>(spec, &public, &[("s", s)]).unwrap();
    }
    check::<FieldRelation<F61>>(spec, &[public[0], public[1], ("s", "1,0,-1")], &[]).unwrap();
    let minus_one = format!("1,0,{}", F61::MODULUS - 1);
    check::<FieldRelation<F61>>(spec, &public, &[("s", &minus_one)]).unwrap();
    refused::<FieldRelation<F61>>(spec, &public, &[("s", "0,2,-2")], ": the range of s[1] does not hold");
    check::<FieldRelation<F61>>("sis?columns=3&bound=2", &public, &[("s", "0,2,-2")]).unwrap();
    refused::<FieldRelation<F61>>(spec, &public, &[("s", "1,0,1")], ": t[0] does not hold");
    let wrong = [public[0], ("t", "-2,2")];
    refused::<FieldRelation<F61>>(spec, &wrong, &[("s", "1,0,-1")], ": t[1] does not hold");
    let binary = "sis?columns=3&bound=0";
    check::<FieldRelation<F61>>(binary, &[public[0], ("t", "4,10")], &[("s", "1,0,1")]).unwrap();
    refused::<FieldRelation<F61>>(binary, &public, &[("s", "1,0,-1")], ": the range of s[2] does not hold");
    refused::<FieldRelation<F61>>(
        spec,
        &public[1..],
        &[("s", "1,0,-1")],
        "matrix (6 elements) has to be public",
    );
}

#[test]
fn parameters_have_their_limits() {
    #[rustfmt::skip]
    let cases = [
        ("inner-product?length=0", "builtin:inner-product with length=0: choose from 1 to 16777216"),
        ("inner-product?length=16777217", "choose from 1 to 16777216"),
        ("matmul?rows=0", "rows=0&inner=2&columns=2: choose matrices of 1 to 16777216 entries"),
        ("matmul?inner=0", "choose matrices of 1 to 16777216 entries"),
        ("matmul?rows=4097&columns=4096", "choose matrices of 1 to 16777216 entries"),
        ("matmul?inner=18446744073709551615", "choose matrices of 1 to 16777216 entries"),
        ("matmul?random=2", "builtin:matmul with random=2: choose 0 or 1"),
        ("sis?rows=0", "builtin:sis with rows=0&columns=8: choose from 1 to 16777216 entries"),
        ("sis?rows=4294967296&columns=4294967296", "choose from 1 to 16777216 entries"),
        ("sis?bound=64", "builtin:sis: entries from -64 to 64: choose a bound from 1 to 63"),
        ("sis?bound=18446744073709551615", "choose a bound from 1 to 63, for polynomials of degree 128 at most"),
    ];
    for (spec, words) in cases {
        let why = FieldRelation::<F61>::open(&format!("builtin:{spec}"), None).unwrap_err().to_string();
        assert!(why.contains(words), "{words:?} is missing in {why:?}");
    }
    let why = Relation::open("builtin:sis", None).unwrap_err().to_string();
    assert!(why.contains("builtin:sis is over larger fields than f2"), "{why}");
    for (spec, words) in [
        ("inner-product?length=1073741825", "choose from 1 to 1073741824"),
        ("matmul?rows=0", "choose matrices of 1 to 16777216 entries"),
    ] {
        let why = Relation::open(&format!("builtin:{spec}"), None).unwrap_err().to_string();
        assert!(why.contains(words), "{words:?} is missing in {why:?}");
    }
    Relation::open("builtin:inner-product?length=1073741824", None).unwrap();
    FieldRelation::<F61>::open("builtin:matmul?rows=4096&inner=4096&columns=4096", None).unwrap();
}

#[test]
fn shapes_foretell_the_statement() {
    let specs =
        ["inner-product?length=700", "matmul?rows=2&inner=3&columns=4&random=0", "matmul", "sis?bound=3"];
    let sizes = specs.map(|spec| {
        let relation = FieldRelation::<F61>::open(&format!("builtin:{spec}"), None).unwrap();
        let shape = relation.shape().unwrap();
        let of = |port: &Port| vec![F61::place(1); port.width as usize].into();
        let mut public = Values::new();
        let inputs = relation.inputs().iter().filter(|port| port.public);
        inputs.chain(relation.outputs()).for_each(|port| public.insert(&port.name, of(port)).unwrap());
        let statement = Statement::new(relation, public).unwrap();
        assert_eq!(Shape::of(&statement).unwrap(), shape);
        [shape.inputs, shape.mul, shape.polynomials, shape.degree, shape.matrices]
    });
    assert_eq!(sizes, [[1400, 0, 1, 2, 0], [18, 0, 8, 2, 0], [8, 0, 0, 2, 1], [8, 0, 8, 7, 0]]);
    let shape = Relation::open("builtin:inner-product?length=700", None).unwrap().shape().unwrap();
    assert_eq!((shape.inputs, shape.mul, shape.polynomials), (1400, 0, 1));
}

/// The statements and the circuits of the same names are the same.
#[test]
fn statements_are_the_circuits() {
    let z = InnerProduct::<F61>::product_of(700, [5; 32]);
    let mut public = Values::new();
    public.insert("z", vec![z].into()).unwrap();
    let relation = FieldRelation::open("builtin:inner-product?length=700", None).unwrap();
    let statement = Statement::new(relation, public).unwrap();
    assert_eq!(
        Count::fingerprint(&Streamed(&statement)).unwrap(),
        Count::fingerprint(&InnerProduct::new(700, z).unwrap()).unwrap()
    );
    let dimensions = Dimensions { rows: 3, inner: 5, columns: 2 };
    let c = MatrixProduct::<F61>::product_of(dimensions, [5; 32]);
    for (random, reduction) in [Reduction::InnerProducts, Reduction::Random].into_iter().enumerate() {
        let mut public = Values::new();
        public.insert("c", c.clone().into()).unwrap();
        let spec = format!("builtin:matmul?rows=3&inner=5&columns=2&random={random}");
        let statement = Statement::new(FieldRelation::open(&spec, None).unwrap(), public).unwrap();
        assert_eq!(
            Count::fingerprint(&Streamed(&statement)).unwrap(),
            Count::fingerprint(&MatrixProduct::new(dimensions, Some(&c), reduction).unwrap()).unwrap()
        );
    }
}
