//! Polynomials of committed values. Fig. 5, 3 to 5.

use super::Prover;
use crate::circuit::{Entries, Matrix, Polynomials, check_sizes};
use crate::error::Result;
use crate::vole::Mac;
use crate::zk::quicksilver::batch::matrix_challenge;
use crate::zk::quicksilver::polynomial::{Lower, MOST, Vector, Vectors};
use core::fmt::Display;
use volery_primitives::arch::{inner_product, weigh};
use volery_primitives::prg::Prg;
use volery_primitives::{F2, F128, Field};

impl Prover<'_> {
    /// Adds polynomials that are to be zero to those of the open batch.
    fn vanish(&mut self, lower: Lower<F128>) -> Result<()> {
        if !self.batch.is_open() {
            self.next_batch()?;
        }
        let (degree, lanes) = (lower.degree(), lower.lanes());
        self.pending.push(lower);
        self.gates.polynomials(lanes, degree);
        self.coefficients += lanes * degree;
        if self.coefficients >= MOST { self.end_batch() } else { Ok(()) }
    }
}

impl Polynomials for Prover<'_> {
    type Vector = Vector<F2, F128>;

    fn public(&mut self, values: &[F2]) -> Self::Vector {
        Vector::public(values)
    }
    fn vector(&mut self, wires: &[Mac]) -> Self::Vector {
        Vector::of(wires, |wire| (wire.value(), wire.0))
    }
    fn sum(&mut self, a: &Self::Vector, b: &Self::Vector) -> Self::Vector {
        a.sum(b)
    }
    fn product(&mut self, a: &Self::Vector, b: &Self::Vector) -> Result<Self::Vector> {
        a.product(self.arch, b)
    }
    fn gather(&mut self, a: &Self::Vector, lanes: &[Option<usize>]) -> Self::Vector {
        a.gather(lanes)
    }
    fn total(&mut self, a: &Self::Vector) -> Self::Vector {
        a.total()
    }
    fn inner_product(&mut self, a: &[Mac], b: &[Mac]) -> Result<Self::Vector> {
        let [left, right] = &mut self.rows;
        let left = left.fill(a.iter().map(|wire| wire.0));
        let right = right.fill(b.iter().map(|wire| wire.0));
        let (constant, linear) = inner_product(self.arch, left, right);
        let value = a.iter().zip(b).map(|(a, b)| a.value() * b.value()).sum();
        Ok(Vector::quadratic((constant, linear, value)))
    }
    fn commit(&mut self, a: &Self::Vector) -> Result<Vec<Mac>> {
        let wires =
            a.values().iter().map(|value| Prover::commit(self, *value)).collect::<Result<Vec<_>>>()?;
        self.vanish(a.clone().into_lower_minus(wires.iter().map(|wire| wire.0)))?;
        Ok(wires)
    }
    fn assert_zeroes(&mut self, a: Self::Vector, name: impl Display) -> Result<()> {
        self.failed = self.failed.take().or_else(|| a.failure(&name));
        self.gates.assert += a.values().len() as u64;
        self.vanish(a.into_lower())
    }
    fn assert_matrix_product(
        &mut self,
        a: Matrix<Mac>,
        b: Matrix<Mac>,
        c: Entries<F2, Mac>,
        name: impl Display,
    ) -> Result<()> {
        check_sizes(&a, &b, c.len());
        self.end_batch()?;
        let mut prg = Prg::new(self.arch, matrix_challenge(self.channel));
        let vectors = Vectors::new(&a, &b, |factors| prg.fill(factors));
        let [constant, linear, value] =
            vectors.polynomial::<F2, _, _>(self.arch, (a, b, c), |wire| wire.0, weigh);
        if value != F128::ZERO && self.failed.is_none() {
            self.failed = Some(name.to_string());
        }
        self.polynomials.add(&[constant, linear]);
        self.gates.matrix_product();
        Ok(())
    }
}
