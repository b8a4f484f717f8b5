//! A cheating prover in the clear, for the tests of circuits.

use crate::stream::{Executor, Vectors};
use crate::{Backend, Bilinear, Clear, Entries, Lists, Matrix, Polynomials, Scans};
use core::fmt::Display;
use volery_channel::error::Result;
use volery_primitives::Field;
use zeroize::Zeroizing;

/// An evaluation in the clear in which products, hints or committed polynomials are off: one or several of
/// them too large by one, or the first ones by given errors.
pub struct Faulty<'w, F: Field> {
    clear: Clear<'w, F>,
    until: u64,
    pattern: u64,
    /// The errors of the first values, the last one first.
    errors: Vec<F>,
}

impl<'w, F: Field> Faulty<'w, F> {
    /// An evaluation that reads `witness`, and errs after `until` right products and hints.
    pub fn new(witness: impl IntoIterator<Item = F, IntoIter: 'w>, until: u64) -> Self {
        Self::with_pattern(witness, until, 1)
    }

    /// An evaluation that errs, after `until` right products and hints, in each that has a one in `pattern`,
    /// from its lowest bit.
    pub fn with_pattern(
        witness: impl IntoIterator<Item = F, IntoIter: 'w>,
        until: u64,
        pattern: u64,
    ) -> Self {
        Self { clear: Clear::new(witness), until, pattern, errors: Vec::new() }
    }

    /// An evaluation whose first products and hints are too large by `errors`.
    pub fn with_errors(witness: impl IntoIterator<Item = F, IntoIter: 'w>, errors: &[F]) -> Self {
        let errors = errors.iter().rev().copied().collect();
        Self { errors, ..Self::with_pattern(witness, 0, 0) }
    }

    /// Whether all errors were made that were given.
    pub fn erred(&self) -> bool {
        self.errors.is_empty()
    }

    fn error(&mut self) -> F {
        if let Some(error) = self.errors.pop() {
            return error;
        }
        if self.until > 0 {
            self.until -= 1;
            return F::ZERO;
        }
        let error = if self.pattern & 1 == 1 { F::ONE } else { F::ZERO };
        self.pattern >>= 1;
        error
    }
}

impl<F: Field> Backend for Faulty<'_, F> {
    type F = F;
    type Wire = F;

    fn constant(&mut self, c: F) -> F {
        c
    }
    fn add(&mut self, a: F, b: F) -> F {
        a + b
    }
    fn scale(&mut self, a: F, c: F) -> F {
        a * c
    }
    fn witness(&mut self) -> Result<F> {
        self.clear.witness()
    }
    fn hint(&mut self, of: &[F], f: impl Fn(&[F]) -> F + Send + Sync + 'static) -> Result<F> {
        Ok(self.clear.hint(of, f)? + self.error())
    }
    fn hints(
        &mut self,
        of: &[F],
        count: usize,
        f: impl Fn(&[F]) -> Vec<F> + Send + Sync + 'static,
    ) -> Result<Vec<F>> {
        let hints = self.clear.hints(of, count, f)?;
        Ok(hints.into_iter().map(|hint| hint + self.error()).collect())
    }
    fn mul(&mut self, a: F, b: F) -> Result<F> {
        Ok(a * b + self.error())
    }
    fn assert_zero(&mut self, a: F, name: impl Display) -> Result<()> {
        self.clear.assert_zero(a, name)
    }
}

impl<F: Field> Scans for Faulty<'_, F> {}

impl<F: Field> Executor for Faulty<'_, F> {
    type Beyond = Vectors<Self>;
}

impl<F: Field> Polynomials for Faulty<'_, F> {
    type Vector = Zeroizing<Vec<F>>;

    fn lanes_of(&self, a: &Zeroizing<Vec<F>>) -> usize {
        a.len()
    }
    fn public(&mut self, values: &[F]) -> Zeroizing<Vec<F>> {
        values.to_vec().into()
    }
    fn vector(&mut self, wires: &[F]) -> Zeroizing<Vec<F>> {
        wires.to_vec().into()
    }
    fn sum(&mut self, a: &Zeroizing<Vec<F>>, b: &Zeroizing<Vec<F>>) -> Zeroizing<Vec<F>> {
        self.clear.sum(a, b)
    }
    fn product(&mut self, a: &Zeroizing<Vec<F>>, b: &Zeroizing<Vec<F>>) -> Result<Zeroizing<Vec<F>>> {
        self.clear.product(a, b)
    }
    fn gather(&mut self, a: &Zeroizing<Vec<F>>, lanes: &[Option<usize>]) -> Zeroizing<Vec<F>> {
        self.clear.gather(a, lanes)
    }
    fn total(&mut self, a: &Zeroizing<Vec<F>>) -> Zeroizing<Vec<F>> {
        self.clear.total(a)
    }
    fn inner_product(&mut self, a: &[F], b: &[F]) -> Result<Zeroizing<Vec<F>>> {
        self.clear.inner_product(a, b)
    }
    fn commit(&mut self, a: &Zeroizing<Vec<F>>) -> Result<Vec<F>> {
        Ok(a.iter().map(|&value| value + self.error()).collect())
    }
    fn assert_zeroes(&mut self, a: Zeroizing<Vec<F>>, name: impl Display) -> Result<()> {
        self.clear.assert_zeroes(a, name)
    }
    fn assert_matrix_product(
        &mut self,
        a: Matrix<F>,
        b: Matrix<F>,
        c: Entries<F, F>,
        name: impl Display,
    ) -> Result<()> {
        self.clear.assert_matrix_product(a, b, c, name)
    }
    fn assert_bilinear(&mut self, form: &Bilinear, lists: Lists<'_, F, F>, name: impl Display) -> Result<()> {
        self.clear.assert_bilinear(form, lists, name)
    }
}
