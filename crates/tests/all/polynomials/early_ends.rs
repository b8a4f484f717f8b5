//! Batches that end early.

use super::*;
use crate::kit;
use volery::Correlations;

/// "I know the square roots of these", each in so many lanes that a batch ends after it.
#[derive(Clone)]
struct Squares<F>(Vec<F>);

/// Polynomials of degree 2 after which a batch ends.
const MANY: usize = 1 << 16;

impl<B: Polynomials> Circuit<B> for Squares<B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        for (i, square) in self.0.iter().enumerate() {
            let x = b.witness()?;
            // An odd number of products in a batch.
            let product = b.mul(x, x)?;
            let y = b.witness()?;
            let zero = b.mul(product, y)?;
            b.assert_zero(zero, "zero")?;
            let x = b.vector(&[x]);
            let square = b.public(&[-*square]);
            let product = b.product(&x, &x)?;
            let difference = b.sum(&product, &square);
            let lanes = b.gather(&difference, &vec![Some(0); MANY]);
            b.assert_zeroes(lanes, format_args!("square {i}"))?;
        }
        Ok(())
    }
}

/// False claims are rejected on either side of an end, and where errors would cancel if two batches had one
/// coin.
#[test]
fn false_claims_around_the_early_end_of_a_batch_are_rejected() {
    fn test<S: Dealt>() {
        let roots: Vec<S::F> = elements(&mut Random::from_seed(&[4; 32]), 3);
        let squares = Squares(roots.iter().map(|root| *root * *root).collect());
        let witness: Vec<_> = roots.iter().flat_map(|root| [*root, S::F::ZERO]).collect();
        let (verdict, sent) = run::<S>(&squares, &squares, &witness, None);
        assert_eq!(verdict.unwrap().polynomials, 3 * MANY as u64);
        // Corrections of a block for each of them, coefficients, and the digest of assertions.
        assert_eq!(sent.len(), 5);
        let one = S::F::ONE;
        for errors in [[one, one - one, one - one], [one - one, one, one - one], [one, -one, one - one]] {
            let wrong =
                Squares(squares.0.iter().zip(errors).map(|(&square, error)| square + error).collect());
            assert!(is_caught(&run::<S>(&squares, &wrong, &witness, None).0), "{}", S::name());
        }
    }
    over_every_field!(test);
}

/// "I know so many elements, a product of matrices of the first, and roots in very many
/// lanes", again and again.
struct Rounds(usize);

impl<B: Polynomials> Circuit<B> for Rounds {
    fn run(&self, b: &mut B) -> Result<()> {
        for round in 0..self.0 {
            let x = (0..1501 + 7 * round).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            let product: Vec<_> = [(0, 4), (0, 5), (1, 4), (1, 5)]
                .iter()
                .map(|(i, j)| b.mul(x[*i], x[*j]))
                .collect::<Result<_>>()?;
            let (left, right) = (Matrix::new(&x[..2], 1), Matrix::new(&x[4..6], 2));
            b.assert_matrix_product(left, right, Entries::Wires(&product), "c")?;
            if round % 2 == 0 {
                b.assert_matrix_product(left, right, Entries::Wires(&product), "c")?;
            }
            let vector = b.vector(&x[..1]);
            let square = b.product(&vector, &vector)?;
            let wires = b.commit(&square)?;
            let vector = b.vector(&wires);
            let one = b.public(&[-B::F::ONE]);
            let difference = b.sum(&vector, &one);
            let lanes = b.gather(&difference, &vec![Some(0); 2 * MANY]);
            b.assert_zeroes(lanes, "one")?;
        }
        Ok(())
    }
}

/// Early ends go with correlations whose own messages go both ways between those of batches, in the order of
/// both parties.
#[test]
#[ignore = "slow"]
fn early_ends_go_with_real_correlations() {
    fn test<S: Named>(rounds: usize, names: &[&str]) {
        let rounds = Rounds(rounds);
        let witness: Vec<S::F> = vec![S::F::ONE; (0..rounds.0).map(|round| 1501 + 7 * round).sum()];
        for name in names {
            let correlations: Option<Correlations> = Correlations::named::<S>(name).ok();
            let options = Options {
                security: Some(30),
                insecure_parameters: true,
                ..kit::seeded(1).with_correlations(correlations)
            };
            let session = kit::run_over::<S>((&rounds, &witness, &options), (&rounds, &options), None);
            session.proved.unwrap();
            assert_eq!(
                session.verified.unwrap().1.gates.matrices,
                rounds.0.div_ceil(2) as u64 + rounds.0 as u64
            );
            let mut wrong = witness.clone();
            *wrong.last_mut().unwrap() = S::F::ZERO;
            wrong[1501] = S::F::ZERO;
            let options = Options { check: false, ..options };
            let session = kit::run_over::<S>((&rounds, &wrong, &options), (&rounds, &options), None);
            assert!(matches!(session.proved, Err(Error::Unsatisfied(_))) && session.verified.is_err());
        }
    }
    test::<Over<F61>>(40, &["direct", "tiny"]);
    test::<Over<F61, F61x2>>(6, &["direct", "tiny"]);
    test::<Binary>(10, &["softspoken8", "tiny"]);
}
