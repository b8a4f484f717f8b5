use super::*;
use crate::stream::Streamed;
use crate::{Circuit, Clear, Shape};
use volery_primitives::hash::elements::expanded;
use volery_primitives::{F2, F61, F256, F65537};

/// Demands that a polynomial is `value` at the witness.
struct Valued<'a, F> {
    polynomial: &'a Sparse<F>,
    variables: usize,
    value: F,
}

impl<B: Polynomials> Circuit<B> for Valued<'_, B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        let x = (0..self.variables).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let value = self.polynomial.evaluate(b, &x)?;
        let expected = b.public(&[-self.value]);
        let difference = b.sum(&value, &expected);
        b.assert_zeroes(difference, "the value")
    }
}

/// Terms of random variables, as many of each degree as `counts` says.
fn terms<F: Field>(variables: usize, counts: &[usize], seed: u8) -> Vec<Term<F>> {
    let mut factors = expanded::<F>([seed; 32]);
    let mut places = expanded::<F61>([!seed; 32]).map(|x| (x.get() % variables as u64) as usize);
    let degrees = counts.iter().enumerate().flat_map(|(degree, &count)| core::iter::repeat_n(degree, count));
    let mut terms: Vec<_> = degrees
        .map(|degree| {
            (
                factors.next().expect("without end"),
                (0..degree).map(|_| places.next().expect("the same")).collect(),
            )
        })
        .collect();
    terms.reverse();
    terms
}

fn values_are_those_of_the_terms<F: Field>() {
    let variables = 5;
    for degree in 0..=12 {
        // A degree in the middle that no term has, and one with many.
        let mut counts: Vec<_> = (0..=degree).map(|h| 1 + h % 3).collect();
        if degree > 2 {
            counts[1] = 0;
            counts[2] = 20;
        }
        let terms = terms::<F>(variables, &counts, degree as u8);
        let x: Vec<F> = expanded([77; 32]).take(variables).collect();
        let product = |places: &[usize]| places.iter().fold(F::ONE, |product, &i| product * x[i]);
        let value: F = terms.iter().map(|(factor, places)| *factor * product(places)).sum();
        let polynomial = Sparse::new(variables, degree, terms).unwrap();
        for (value, right) in [(value, true), (value + F::ONE, false)] {
            let circuit = Valued { polynomial: &polynomial, variables, value };
            let mut clear = Clear::new(x.iter().copied());
            assert_eq!(Streamed(&circuit).run(&mut clear).is_ok(), right, "degree {degree}");
            let shape = Shape::of(&circuit).unwrap();
            assert_eq!((shape.mul, shape.polynomials, shape.degree), (0, 1, degree as u64));
        }
    }
}

#[test]
fn values_are_those_of_the_terms_over_every_kind_of_field() {
    values_are_those_of_the_terms::<F2>();
    values_are_those_of_the_terms::<F256>();
    values_are_those_of_the_terms::<F61>();
    values_are_those_of_the_terms::<F65537>();
}

#[test]
fn polynomials_without_terms_are_zero() {
    let polynomial = Sparse::<F61>::new(0, 5, []).unwrap();
    let mut clear = Clear::<F61>::new([]);
    assert_eq!(polynomial.evaluate(&mut clear, &[]).unwrap()[..], [F61::ZERO]);
}

#[test]
fn terms_that_are_not_as_said_are_refused() {
    let one = F61::ONE;
    let refused = |variables, degree, terms: &[Term<F61>]| {
        Sparse::new(variables, degree, terms.to_vec()).unwrap_err().to_string()
    };
    let why = refused(3, 1, &[(one, vec![0]), (one, vec![1, 2])]);
    assert!(why.contains("term 1 has degree 2, in a polynomial that is said to be of degree 1"), "{why}");
    let why = refused(3, 2, &[(one, vec![0, 3])]);
    assert!(why.contains("term 0 has variable 3, in a polynomial in 3"), "{why}");
    let why = refused(3, HIGHEST_DEGREE + 1, &[]);
    assert!(why.contains("degree 129: the highest is 128"), "{why}");
    Sparse::new(1, HIGHEST_DEGREE, [(one, vec![0; HIGHEST_DEGREE])]).unwrap();
}
