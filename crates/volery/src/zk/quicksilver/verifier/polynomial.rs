//! Polynomials of committed values. Fig. 5, 3 to 5.

use super::Verifier;
use crate::circuit::{Entries, Matrix, Polynomials, check_sizes};
use crate::error::Result;
use crate::vole::Key;
use crate::zk::quicksilver::batch::matrix_challenge;
use crate::zk::quicksilver::polynomial::{Keys, MOST, Vectors};
use core::fmt::Display;
use core::iter;
use volery_primitives::arch::dot;
use volery_primitives::prg::Prg;
use volery_primitives::{F2, F128};

impl Verifier<'_> {
    /// Adds polynomials that are to be zero to those of the open batch.
    fn vanish(&mut self, polynomials: Keys<F128>) -> Result<()> {
        if !self.batch.is_open() {
            self.next_batch()?;
        }
        let (degree, lanes) = (polynomials.degree(), polynomials.lanes());
        self.pending.push(polynomials);
        self.gates.polynomials(lanes, degree);
        self.coefficients += lanes * degree;
        if self.coefficients >= MOST { self.end_batch() } else { Ok(()) }
    }
}

impl Polynomials for Verifier<'_> {
    type Vector = Keys<F128>;

    fn public(&mut self, values: &[F2]) -> Keys<F128> {
        Keys::new(0, values.iter().map(|value| F128::from(*value)))
    }
    fn vector(&mut self, wires: &[Key]) -> Keys<F128> {
        Keys::new(1, wires.iter().map(|wire| wire.0))
    }
    fn sum(&mut self, a: &Keys<F128>, b: &Keys<F128>) -> Keys<F128> {
        a.sum::<F2>(self.arch, self.delta.value(), b)
    }
    fn product(&mut self, a: &Keys<F128>, b: &Keys<F128>) -> Result<Keys<F128>> {
        a.product::<F2>(self.arch, b)
    }
    fn gather(&mut self, a: &Keys<F128>, lanes: &[Option<usize>]) -> Keys<F128> {
        a.gather(lanes)
    }
    fn total(&mut self, a: &Keys<F128>) -> Keys<F128> {
        a.total()
    }
    fn inner_product(&mut self, a: &[Key], b: &[Key]) -> Result<Keys<F128>> {
        let [left, right] = &mut self.rows;
        let left = left.fill(a.iter().map(|wire| wire.0));
        let right = right.fill(b.iter().map(|wire| wire.0));
        Ok(Keys::new(2, iter::once(dot(self.arch, left, right))))
    }
    fn commit(&mut self, a: &Keys<F128>) -> Result<Vec<Key>> {
        let wires = (0..a.lanes()).map(|_| Verifier::commit(self)).collect::<Result<Vec<_>>>()?;
        self.vanish(a.clone().minus(self.delta.value(), wires.iter().map(|wire| wire.0)))?;
        Ok(wires)
    }
    fn assert_zeroes(&mut self, a: Keys<F128>, _: impl Display) -> Result<()> {
        self.gates.assert += a.lanes() as u64;
        self.vanish(a.raised(self.delta.value()))
    }
    fn assert_matrix_product(
        &mut self,
        a: Matrix<Key>,
        b: Matrix<Key>,
        c: Entries<F2, Key>,
        _: impl Display,
    ) -> Result<()> {
        check_sizes(&a, &b, c.len());
        self.end_batch()?;
        let mut prg = Prg::new(self.arch, matrix_challenge(self.channel));
        let vectors = Vectors::new(&a, &b, |factors| prg.fill(factors));
        self.polynomials.add(2, vectors.at::<F2, _>(self.delta.value(), self.arch, (a, b, c), |wire| wire.0));
        self.gates.matrix_product();
        Ok(())
    }
}
