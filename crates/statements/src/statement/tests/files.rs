//! A format that is as small as one can be.

use super::*;
use crate::{FieldRelation, Program, Relation, Statement};
use core::iter;
use volery_circuit::port::{Port, PublicValues, Sequence};
use volery_circuit::stream::{Recorder, Streamed};
use volery_circuit::{Backend, Circuit as _, Clear, ReadValues as _, Shape, Values, Written};
use volery_primitives::F61;

/// "I know so many factors whose product is public."
#[derive(Debug)]
struct Factors(u64);

impl Factors {
    fn run<B: Backend>(&self, b: &mut B, inputs: &[Option<&dyn Sequence<B::F>>]) -> Result<()> {
        let mut product = b.constant(B::F::ONE);
        for _ in 0..self.0 {
            let factor = b.witness()?;
            product = b.mul(product, factor)?;
        }
        let [Some(expected), None] = inputs else { unreachable!("one is public, and one is not") };
        assert_eq!(expected.length(), 1);
        let expected = b.constant(-expected.element(0));
        let difference = b.add(product, expected);
        b.assert_zero(difference, "the product")
    }
}

impl<F: Field> StatementFile<F> for Factors {
    fn format_name(&self) -> &'static str {
        "factors"
    }
    fn identity(&self) -> Vec<u8> {
        self.0.to_le_bytes().into()
    }
    fn version(&self) -> u32 {
        1
    }
    fn inputs(&self) -> Vec<Port> {
        vec![Port::public("product", 1), Port::new("factors", self.0)]
    }
    fn record(
        &self,
        b: &mut Recorder<'_, F>,
        PublicValues { inputs, .. }: PublicValues<'_, F>,
    ) -> Result<()> {
        self.run(b, inputs)
    }
}

/// Whether it holds for what the encodings make.
fn check<P: Program>(relation: P, product: &[u8], factors: &[u8]) -> Result<()> {
    let mut public = Values::<P::Value>::new();
    public.read("product", Written::Encodings(product))?;
    let statement = Statement::new(relation, public)?;
    let mut private = Values::<P::Value>::new();
    private.read("factors", Written::Encodings(factors))?;
    let witness = statement.witness(private)?;
    let elements: Box<dyn Iterator<Item = P::F> + '_> = Box::new(P::elements(&witness));
    let mut clear = Clear::new(elements);
    Streamed(statement.source()).run(&mut clear)?;
    assert_eq!(Shape::of(&Streamed(statement.source()))?.assert, 1);
    Ok(())
}

#[test]
fn files_assert_by_themselves() {
    let f61 = |numbers: &[u64]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>();
    let over_f61 = |product, factors: &[u64]| {
        check(FieldRelation::<F61>::file(Box::new(Factors(2))), &f61(&[product]), &f61(factors))
    };
    over_f61(15, &[3, 5]).unwrap();
    assert!(matches!(over_f61(16, &[3, 5]), Err(Error::Unsatisfied { .. })));
    check(Relation::file(Box::new(Factors(2))), &[1], &[1, 1]).unwrap();
    assert!(matches!(
        check(Relation::file(Box::new(Factors(2))), &[1], &[0, 1]),
        Err(Error::Unsatisfied { .. })
    ));
    // What is no element, and what is cut off.
    let cases: [(&[u8], &str); 4] = [
        (&f61(&[3, (1 << 61) - 1]), "factors: element 2 of 2 is none of f61"),
        (&f61(&[3, 5])[..15], "factors: element 2 of 2 is none of f61"),
        (&f61(&[3]), "factors takes 2 elements"),
        (&[], "factors takes 2 elements"),
    ];
    for (factors, words) in cases {
        let relation = FieldRelation::<F61>::file(Box::new(Factors(2)));
        let why = check(relation, &f61(&[15]), factors).unwrap_err().to_string();
        assert!(why.contains(words), "{words:?} is missing in {why:?}");
    }
    let why = check(Relation::file(Box::new(Factors(2))), &[1], &[2, 1]).unwrap_err().to_string();
    assert!(why.contains("element 1 of 2 is none of f2"), "{why}");
}

#[test]
fn what_has_to_be_public_is_needed() {
    let relation = Relation::file(Box::new(Factors(1)));
    let why = Statement::new(relation, Values::new()).map(|_| ()).unwrap_err().to_string();
    assert!(why.contains("product (1 bit) has to be public"), "{why}");
    let clause = || {
        Statement::new(Relation::file(Box::new(Factors(1))), {
            let mut values = Values::new();
            values.read("product", Written::Encodings(&[1])).unwrap();
            values
        })
    };
    let clauses = crate::AnyOf::new(iter::repeat_with(|| clause().unwrap()).take(2).collect());
    let why = clauses.and_then(|any| volery_circuit::stream::StreamedClauses(&any).shapes()).unwrap_err();
    assert!(why.to_string().contains("a statement in factors cannot be one of several"), "{why}");
}
