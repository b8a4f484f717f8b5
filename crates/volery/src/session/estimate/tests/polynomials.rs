//! Statements with polynomials and matrix products send what was foretold.

use super::Estimate;
use super::counted::{Dealt, by_quicksilver};
use crate::circuit::{Circuit, Dimensions, MatrixProduct, Polynomials, Reduction, Shape, Size};
use crate::error::Result;
use crate::session::{Binary, Correlations, Over, Provable};
use volery_primitives::{F61, F61x2, F65537, F65537x4, Field};

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
fn assert_foretold<S: Dealt, C>(
    name: &str,
    circuit: &C,
    witness: Vec<S::F>,
    traffic: fn(S::Correlations, Size) -> Estimate,
) where
    C: Provable<S> + Sync,
{
    let correlations = Correlations::named::<S>(name).unwrap();
    let size = Shape::of(circuit.source()).unwrap().size();
    let (sent, _) = by_quicksilver::<S, _>(correlations, circuit, witness);
    assert_eq!(traffic(correlations, size), sent, "{size:?} by {name} of {}", S::name());
}

fn powers<S: Dealt>(name: &str, counts: &[usize], traffic: fn(S::Correlations, Size) -> Estimate)
where
    Power: Provable<S>,
{
    for &count in counts {
        for degree in [1, 3, 20, 128] {
            assert_foretold::<S, _>(name, &Power { count, degree }, vec![S::F::ONE; count], traffic);
        }
    }
}

fn products<S: Dealt>(name: &str, sides: &[usize], traffic: fn(S::Correlations, Size) -> Estimate)
where
    for<'a> MatrixProduct<'a, S::F>: Provable<S>,
{
    for &side in sides {
        let dimensions = Dimensions { rows: side, inner: side, columns: side };
        let product = MatrixProduct::product_of(dimensions, [1; 32]);
        let statement = MatrixProduct::new(dimensions, Some(&product), Reduction::Random).unwrap();
        let witness = statement.witness([1; 32]).collect();
        assert_foretold::<S, _>(name, &statement, witness, traffic);
    }
}

#[test]
fn polynomials_of_any_degree_send_what_was_foretold() {
    powers::<Over<F61>>("direct", &[1, 255, 256, 900], Over::<F61>::traffic);
    powers::<Over<F61, F61x2>>("direct", &[256, 2000], Over::<F61, F61x2>::traffic);
    powers::<Over<F65537, F65537x4>>("tiny", &[4096], Over::<F65537, F65537x4>::traffic);
    powers::<Binary>("softspoken8", &[1, 2048, 5000], Binary::traffic);
    powers::<Binary>("tiny", &[4096], Binary::traffic);
}

/// Matrix products with 2, 128, 512, 648, 2048 and 20,000 entries in both factors.
#[test]
fn matrix_products_send_what_was_foretold() {
    let sides = [1, 8, 16, 18, 32];
    products::<Over<F61>>("direct", &sides, Over::<F61>::traffic);
    products::<Over<F61>>("tiny", &[1, 100], Over::<F61>::traffic);
    products::<Over<F61, F61x2>>("direct", &sides, Over::<F61, F61x2>::traffic);
    products::<Over<F65537, F65537x4>>("tiny", &[32], Over::<F65537, F65537x4>::traffic);
    products::<Binary>("softspoken8", &sides, Binary::traffic);
    products::<Binary>("tiny", &[1, 100], Binary::traffic);
}
