//! Gates of statements, which are alike directly and by the stream.

use crate::{Arithmetic, Network, Relation, Statement};
use volery_channel::error::Result;
use volery_circuit::stream::Streamed;
use volery_circuit::testing::assert_streamed;
use volery_circuit::{Backend, Circuit, Clear, Machine, Value, Values};
use volery_gadgets::gadget::{Bytes, Element, Gates, Holes, sha256, sha256_tree};
use volery_gadgets::{Dimensions, InnerProduct, MatrixProduct, Reduction};
use volery_primitives::{F2, F61, Field};

#[test]
fn networks_are_streamed_gate_by_gate() {
    for gates in [1, 2, 3, 1000, 5000] {
        assert_streamed::<F2, _>(&Network::new(gates).unwrap());
        assert_streamed::<F61, _>(&Arithmetic::<F61>::new(gates).unwrap());
    }
}

/// A tree of hashes, by functions and in scopes.
struct Tree {
    holes: bool,
}

impl<B: Machine<F = F2>> Circuit<B> for Tree {
    fn run(&self, b: &mut B) -> Result<()> {
        let leaf = |b: &mut B, _| Bytes::witness(b, 64);
        let root = match self.holes {
            true => sha256_tree::<B, Holes>(b, 2, leaf)?,
            false => sha256_tree::<B, Gates>(b, 2, leaf)?,
        };
        let again = sha256(b, &root)?;
        again.assert_equal(b, &[7; 32], "digest")
    }
}

#[test]
fn hashes_are_streamed_gate_by_gate() {
    [false, true].into_iter().for_each(|holes| assert_streamed::<F2, _>(&Tree { holes }));
}

/// Hints, scalings and sums of an element.
struct Bits;

impl<B: Backend> Circuit<B> for Bits {
    fn run(&self, b: &mut B) -> Result<()> {
        let (x, y) = (Element::witness(b)?, Element::witness(b)?);
        x.assert_range(b, 20, "x below 2^20")?;
        let inverse = y.inverse(b, "y is not zero")?;
        let sum = Element::linear(b, &[B::F::ONE, -B::F::ONE], &[x, inverse])?;
        sum.assert_equal(b, Element::Public(B::F::ZERO), "x is one over y")
    }
}

#[test]
fn polynomials_and_hints_are_streamed_gate_by_gate() {
    assert_streamed::<F61, _>(&Bits);
    assert_streamed::<F61, _>(&InnerProduct::new(700, F61::ONE).unwrap());
    let dimensions = Dimensions { rows: 3, inner: 4, columns: 5 };
    let c = MatrixProduct::<F61>::product_of(dimensions, [1; 32]);
    for reduction in [Reduction::Random, Reduction::InnerProducts] {
        assert_streamed::<F61, _>(&MatrixProduct::new(dimensions, Some(&c), reduction).unwrap());
        assert_streamed::<F61, _>(&MatrixProduct::<F61>::new(dimensions, None, reduction).unwrap());
    }
}

#[test]
fn built_in_statements_are_named_too() {
    let relation = Relation::open("builtin:sha256-preimage?length=3", None).unwrap();
    let mut public = Values::new();
    public.insert("digest", Value::from_bytes(&[0; 32])).unwrap();
    let statement = Statement::new(relation, public).unwrap();
    let error = Streamed(&statement).run(&mut Clear::new(vec![F2::ZERO; 24])).unwrap_err().to_string();
    assert!(error.contains("digest["), "{error}");
}
