//! Polynomials, which are gates here.

use super::*;
use volery_circuit::stream::Streamed;
use volery_circuit::{Branch, Entries, Matrix, Polynomials};

/// Every operation on vectors, on six bits; and the values that are asserted, of which a bit each is `wrong`.
struct Everything {
    wrong: Option<usize>,
}

impl<B: Polynomials<F = F2>> Circuit<B> for Everything {
    fn run(&self, b: &mut B) -> Result<()> {
        let bit = |at: usize| F2::from(self.wrong == Some(at));
        let x = (0..6).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let (low, high) = (b.vector(&x[..3]), b.vector(&x[3..]));
        let public = b.public(&[F2::ONE, F2::ZERO, F2::ONE]);
        let one = b.public(&[F2::ONE]);
        // (x_i + p_i)·x_{i+3}, and once more times x_i, with one lane for all.
        let sum = b.sum(&low, &public);
        let product = b.product(&sum, &high)?;
        let cubic = b.product(&product, &low)?;
        let negated = b.sum(&cubic, &one);
        let turned = b.gather(&negated, &[Some(2), None, Some(0)]);
        let total = b.total(&turned);
        let inner = b.inner_product(&x[..3], &x[3..])?;
        let both = b.product(&total, &inner)?;
        let wires = b.commit(&both)?;
        let target = b.public(&[bit(0)]);
        let first = b.sum(&both, &target);
        b.assert_zeroes(first, "first")?;
        let square = b.mul(wires[0], wires[0])?;
        b.assert_zero(square, "its square")?;
        // A 2 by 2 matrix times a column.
        let (a, column) = (Matrix::new(&x[..4], 2), Matrix::new(&x[4..], 1));
        b.assert_matrix_product(a, column, Entries::Public(&[bit(1), bit(2)]), "public")?;
        b.assert_matrix_product(a, column, Entries::Wires(&[x[0], wires[0]]), "wires")
    }
}

#[test]
fn polynomials_by_gates_are_what_they_are_in_the_clear() {
    let mut held = 0;
    for wrong in [None, Some(0), Some(1), Some(2)] {
        let circuit = Everything { wrong };
        let shape = Shape::of::<F2>(&circuit).unwrap();
        assert_eq!((shape.inputs_by_gates(), shape.mul_by_gates()), (6, 1 + 3 + 3 + 3 + 1 + 4 + 4));
        let holds = |values: &[F2]| {
            let mut clear = Clear::new(values.to_vec());
            circuit.run(&mut clear).is_ok()
        };
        held += strings(6).filter(|values| holds(values)).count();
        assert_sound(&Streamed(&circuit), 6, holds);
    }
    assert!((4..200).contains(&held), "{held} witnesses hold");
}

/// Polynomials in a branch whose assertions are collected, as where one of several holds and nothing is
/// stacked.
#[test]
fn collected_assertions() {
    struct Collected(Everything);
    impl<B: Polynomials<F = F2>> Circuit<B> for Collected {
        fn run(&self, b: &mut B) -> Result<()> {
            let mut branch = Branch::collecting(b);
            self.0.run(&mut branch)?;
            let failed = branch.finish()?.expect("a branch that collects");
            b.assert_zero(failed, "all of it")
        }
    }
    let circuit = Collected(Everything { wrong: None });
    assert_sound(&Streamed(&circuit), 6, |values| {
        let mut clear = Clear::new(values.to_vec());
        circuit.run(&mut clear).is_ok()
    });
}
