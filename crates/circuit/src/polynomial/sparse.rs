//! Polynomials as data.

#[cfg(test)]
mod tests;

use super::{HIGHEST_DEGREE, Polynomials};
use volery_channel::error::{Error, Result};
use volery_primitives::Field;

/// A term of a polynomial: a factor, and the variables that it multiplies, each as often as its power.
pub type Term<F> = (F, Vec<usize>);

/// A polynomial in several variables, with its terms sorted by degree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sparse<F> {
    /// Terms of degree h at place h.
    parts: Vec<Vec<Term<F>>>,
}

impl<F: Field> Sparse<F> {
    /// The polynomial that is the sum of `terms`, in variables 0 to `variables` - 1 and of a degree
    /// of at most `degree`.
    ///
    /// # Errors
    /// `Invalid` where a term has a higher degree or another variable, or the degree
    /// exceeds [`HIGHEST_DEGREE`].
    pub fn new(variables: usize, degree: usize, terms: impl IntoIterator<Item = Term<F>>) -> Result<Self> {
        if degree > HIGHEST_DEGREE {
            return Err(Error::invalid(format!(
                "a polynomial of degree {degree}: the highest is {HIGHEST_DEGREE}"
            )));
        }
        let mut parts = vec![Vec::new(); degree + 1];
        for (i, (factor, product)) in terms.into_iter().enumerate() {
            if product.len() > degree {
                return Err(Error::invalid(format!(
                    "term {i} has degree {}, in a polynomial that is said to be of degree {degree}",
                    product.len()
                )));
            }
            if let Some(variable) = product.iter().find(|variable| **variable >= variables) {
                return Err(Error::invalid(format!(
                    "term {i} has variable {variable}, in a polynomial in {variables}: they are counted from 0"
                )));
            }
            parts[product.len()].push((factor, product));
        }
        Ok(Self { parts })
    }

    /// The value at `x`, in one lane, to be asserted zero or committed to.
    ///
    /// # Errors
    /// Those of [`Polynomials::product`].
    ///
    /// # Panics
    /// Where there are fewer wires than variables.
    pub fn evaluate<B: Polynomials<F = F>>(&self, b: &mut B, x: &[B::Wire]) -> Result<B::Vector> {
        let x = b.vector(x);
        let mut value = b.public(&[F::ZERO]);
        for (degree, terms) in self.parts.iter().enumerate().filter(|(_, terms)| !terms.is_empty()) {
            let factors: Vec<_> = terms.iter().map(|(factor, _)| *factor).collect();
            let mut products = b.public(&factors);
            for place in 0..degree {
                let variables: Vec<_> = terms.iter().map(|(_, product)| Some(product[place])).collect();
                let variables = b.gather(&x, &variables);
                products = b.product(&products, &variables)?;
            }
            let part = b.total(&products);
            value = b.sum(&value, &part);
        }
        Ok(value)
    }
}
