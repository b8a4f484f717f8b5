//! Polynomials in values that are committed to: what is computed without a commitment of its own.
//!
//! A proof system that can prove polynomials pays for what goes into them and what comes out, and not
//! for what lies between; others prove the same statement gate by gate. Polynomials come side by side,
//! in the lanes of a vector:
//!
//! ```
//! # use volery_circuit::testing::volery;
//! use volery::circuit::{Circuit, Polynomials};
//! use volery_primitives::Field;
//!
//! /// "I know so many values, each of which is -1, 0 or 1, and this is the sum of their squares."
//! struct Ternary<F> {
//!     count: usize,
//!     squares: F,
//! }
//!
//! impl<B: Polynomials> Circuit<B> for Ternary<B::F> {
//!     fn run(&self, b: &mut B) -> volery::Result<()> {
//!         let wires = (0..self.count).map(|_| b.witness()).collect::<volery::Result<Vec<_>>>()?;
//!         let x = b.vector(&wires);
//!         let square = b.product(&x, &x)?;
//!         let minus_one = b.public(&[-B::F::ONE]);
//!         let less = b.sum(&square, &minus_one);
//!         let ternary = b.product(&x, &less)?;
//!         b.assert_zeroes(ternary, "a value from -1 to 1")?;
//!         let sum = b.inner_product(&wires, &wires)?;
//!         let expected = b.public(&[-self.squares]);
//!         let difference = b.sum(&sum, &expected);
//!         b.assert_zeroes(difference, "the sum of the squares")
//!     }
//! }
//! ```

mod bilinear;
mod matrix;
mod sparse;

pub use bilinear::{Bilinear, Convolution, ConvolvedAxis, EachEntry, Lists, Matrices};
pub use bilinear::{assert_bilinear_entries, by_columns};
pub use matrix::{Entries, Matrix};
pub use matrix::{assert_entries, check_sizes};
pub use sparse::{Sparse, Term};

use super::Backend;
use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_primitives::Field;

/// The highest degree that a polynomial may have.
pub const HIGHEST_DEGREE: usize = 128;

/// A backend that computes vectors of polynomials in its wires.
///
/// The lanes of a vector have one degree, which is known when the circuit is written: that of a product is
/// the sum of the degrees, that of a sum the larger one. A vector of one lane goes with vectors of any
/// number, as many times as they have lanes.
pub trait Polynomials: Backend {
    /// A vector of polynomials, as this party holds it.
    type Vector: Clone;

    /// The number of lanes of `a`.
    fn lanes_of(&self, a: &Self::Vector) -> usize;

    /// A vector of public values, a lane each: polynomials of degree 0.
    fn public(&mut self, values: &[Self::F]) -> Self::Vector;

    /// A vector of wires, a lane each: polynomials of degree 1.
    fn vector(&mut self, wires: &[Self::Wire]) -> Self::Vector;

    /// `a + b` in each lane.
    ///
    /// # Panics
    /// Where the numbers of lanes differ and neither is one.
    fn sum(&mut self, a: &Self::Vector, b: &Self::Vector) -> Self::Vector;

    /// `a · b` in each lane.
    ///
    /// # Errors
    /// `Invalid` where the degree exceeds [`HIGHEST_DEGREE`]; link errors.
    ///
    /// # Panics
    /// Where the numbers of lanes differ and neither is one.
    fn product(&mut self, a: &Self::Vector, b: &Self::Vector) -> Result<Self::Vector>;

    /// The sum `Σ a·b + Σ factor·vector + constant` in each lane, where `products` are pairs a and b. Parts
    /// of it are not stored, so that this is faster than step by step.
    ///
    /// # Errors
    /// `Invalid` where the degree exceeds [`HIGHEST_DEGREE`]; link errors.
    ///
    /// # Panics
    /// Where the numbers of lanes of two differ and neither is one.
    fn combination(
        &mut self,
        products: &[(&Self::Vector, &Self::Vector)],
        terms: &[(Self::F, &Self::Vector)],
        constant: Self::F,
    ) -> Result<Self::Vector> {
        let mut sum = self.public(&[constant]);
        for (a, b) in products {
            let product = self.product(a, b)?;
            sum = self.sum(&sum, &product);
        }
        for (factor, vector) in terms {
            let factor = self.public(&[*factor]);
            let term = self.product(&factor, vector)?;
            sum = self.sum(&sum, &term);
        }
        Ok(sum)
    }

    /// A vector with the lanes of `a` that `lanes` names, in their order, or zero for `None`.
    ///
    /// # Panics
    /// Where `a` has no such lane.
    fn gather(&mut self, a: &Self::Vector, lanes: &[Option<usize>]) -> Self::Vector;

    /// The sum of all lanes, in one.
    fn total(&mut self, a: &Self::Vector) -> Self::Vector;

    /// `Σ a[i]·b[i]`, in one lane of degree 2.
    ///
    /// # Errors
    /// Link errors.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn inner_product(&mut self, a: &[Self::Wire], b: &[Self::Wire]) -> Result<Self::Vector>;

    /// Commits to the values of `a`, and gives wires that carry them: here a hole in a circuit ends.
    ///
    /// # Errors
    /// Link errors.
    fn commit(&mut self, a: &Self::Vector) -> Result<Vec<Self::Wire>>;

    /// Demands that every lane of `a` is zero. `name` says what is demanded; where it fails it is printed
    /// with the number of the lane, if there are several.
    ///
    /// # Errors
    /// `Unsatisfied` where this party knows the values and one is not zero; link errors.
    fn assert_zeroes(&mut self, a: Self::Vector, name: impl Display) -> Result<()>;

    /// Demands that `a · b` is `c`, which all are wires: a polynomial of degree 2. `name` says what is
    /// demanded.
    ///
    /// # Errors
    /// `Unsatisfied` where this party knows the values and it is another; link errors.
    fn assert_product(
        &mut self,
        a: Self::Wire,
        b: Self::Wire,
        c: Self::Wire,
        name: impl Display,
    ) -> Result<()> {
        product_by_vectors(self, [a, b, c], name)
    }

    /// Demands that the product of two matrices is a third: by random vectors, drawn after all three are
    /// fixed, where the system can. `name` is what the third is called.
    ///
    /// # Errors
    /// `Unsatisfied` where this party knows the values and the product is another; link errors.
    ///
    /// # Panics
    /// Where the sizes do not fit.
    fn assert_matrix_product(
        &mut self,
        a: Matrix<Self::Wire>,
        b: Matrix<Self::Wire>,
        c: Entries<Self::F, Self::Wire>,
        name: impl Display,
    ) -> Result<()>;

    /// Demands that a third list is the result of a bilinear form of two others: by random vectors, drawn after
    /// all three are fixed, where the system can. `name` is what the third is called.
    ///
    /// # Errors
    /// `Unsatisfied` where this party knows the values and the result is another; `Invalid` where the form makes no
    /// sense ([`Bilinear::validate`]); link errors.
    ///
    /// # Panics
    /// Where the lengths do not fit.
    fn assert_bilinear(
        &mut self,
        form: &Bilinear,
        lists: Lists<'_, Self::F, Self::Wire>,
        name: impl Display,
    ) -> Result<()> {
        assert_bilinear_entries(self, form, lists, &name)
    }
}

/// [`Polynomials::assert_product`] by vectors of one lane.
pub fn product_by_vectors<B: Polynomials + ?Sized>(
    backend: &mut B,
    [a, b, c]: [B::Wire; 3],
    name: impl Display,
) -> Result<()> {
    let (a, b) = (backend.vector(&[a]), backend.vector(&[b]));
    let product = backend.product(&a, &b)?;
    let minus = backend.scale(c, -B::F::ONE);
    let minus = backend.vector(&[minus]);
    let difference = backend.sum(&product, &minus);
    backend.assert_zeroes(difference, name)
}

/// The degree of a product.
///
/// # Errors
/// `Invalid` where it exceeds [`HIGHEST_DEGREE`].
pub fn degree_of_product(a: usize, b: usize) -> Result<usize> {
    let degree = a + b;
    if degree > HIGHEST_DEGREE {
        return Err(Error::invalid(format!(
            "a polynomial of degree {degree}: the highest is {HIGHEST_DEGREE}; commit to a value in between"
        )));
    }
    Ok(degree)
}

/// The number of lanes that vectors with `a` and `b` lanes have together.
///
/// # Panics
/// Where they differ and neither is one.
pub fn common_lanes(a: usize, b: usize) -> usize {
    assert!(a == b || a == 1 || b == 1, "vectors of {a} and {b} lanes");
    if a == 1 { b } else { a }
}

/// The name of an assertion about one lane of several.
pub fn lane_name(name: &dyn Display, lane: usize, lanes: usize) -> String {
    if lanes == 1 { name.to_string() } else { format!("{name}[{lane}]") }
}
