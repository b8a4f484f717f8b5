//! Statements with polynomials and matrix products send what was foretold.

use super::counted::by_quicksilver;
use crate::session::Analysed as _;
use crate::session::Supported;
use crate::session::direct::Provable;
use volery_channel::error::Result;
use volery_circuit::{Circuit, Polynomials, Shape};
use volery_gadgets::{Dimensions, MatrixProduct, Reduction};
use volery_primitives::{F61, F61x2, F65537, F65537x4, Field};
use volery_proof::binary::Binary;
use volery_proof::correlations::Correlations;
use volery_proof::over::Over;
use volery_proof::testing::Dealt;

/// "I know so many ones, each of which is one to this power."
struct Power {
    count: usize,
    degree: usize,
}

impl<B: Polynomials> Circuit<B> for Power {
    fn run(&self, b: &mut B) -> Result<()> {
        let wires = (0..self.count).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let x = b.vector(&wires[..1]);
        let mut power = b.public(&[-B::F::ONE]);
        for _ in 0..self.degree {
            power = b.product(&power, &x)?;
        }
        let one = b.public(&[B::F::ONE]);
        let difference = b.sum(&power, &one);
        b.assert_zeroes(difference, "one")
    }
}

#[track_caller]
fn assert_foretold<S: Dealt + Supported, C>(name: &str, circuit: &C, witness: Vec<S::F>)
where
    C: Provable<S> + Sync,
{
    let correlations = Correlations::named::<S>(name).unwrap();
    let size = Shape::of(circuit.source()).unwrap().size();
    let (sent, _) = by_quicksilver::<S, _>(correlations, circuit, witness);
    assert_eq!(S::Macs::traffic(correlations, size, None), sent, "{size:?} by {name} of {}", S::name());
}

fn powers<S: Dealt + Supported>(name: &str, counts: &[usize])
where
    Power: Provable<S>,
{
    for &count in counts {
        for degree in [1, 3, 20, 128] {
            assert_foretold::<S, _>(name, &Power { count, degree }, vec![S::F::ONE; count]);
        }
    }
}

fn products<S: Dealt + Supported>(name: &str, sides: &[usize])
where
    for<'a> MatrixProduct<'a, S::F>: Provable<S>,
{
    for &side in sides {
        let dimensions = Dimensions { rows: side, inner: side, columns: side };
        let product = MatrixProduct::product_of(dimensions, [1; 32]);
        let statement = MatrixProduct::new(dimensions, Some(&product), Reduction::Random).unwrap();
        let witness = statement.witness([1; 32]).collect();
        assert_foretold::<S, _>(name, &statement, witness);
    }
}

#[test]
fn polynomials_of_any_degree_send_what_was_foretold() {
    powers::<Over<F61>>("direct", &[1, 255, 256, 900]);
    powers::<Over<F61, F61x2>>("direct", &[256, 2000]);
    powers::<Over<F65537, F65537x4>>("tiny", &[4096]);
    powers::<Binary>("softspoken8", &[1, 2048, 5000]);
    powers::<Binary>("tiny", &[4096]);
}

/// Matrix products with 2, 128, 512, 648, 2048 and 20,000 entries in both factors.
#[test]
fn matrix_products_send_what_was_foretold() {
    let sides = [1, 8, 16, 18, 32];
    products::<Over<F61>>("direct", &sides);
    products::<Over<F61>>("tiny", &[1, 100]);
    products::<Over<F61, F61x2>>("direct", &sides);
    products::<Over<F65537, F65537x4>>("tiny", &[32]);
    products::<Binary>("softspoken8", &sides);
    products::<Binary>("tiny", &[1, 100]);
}
