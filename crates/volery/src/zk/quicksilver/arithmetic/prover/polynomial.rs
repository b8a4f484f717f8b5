//! Polynomials of committed values. Fig. 5, 3 to 5.

use super::Prover;
use crate::circuit::{Entries, Matrix, Polynomials, check_sizes};
use crate::error::Result;
use crate::vole::subfield::Coefficients;
use crate::zk::by_transcript;
use crate::zk::quicksilver::arithmetic::WAITING;
use crate::zk::quicksilver::batch::matrix_challenge;
use crate::zk::quicksilver::polynomial::{Lower, MOST, Vector, Vectors};
use core::fmt::Display;
use volery_primitives::{F128, Field, MacField, Tagged};

impl<B: Field, E: MacField<B>> Prover<'_, B, E> {
    /// Adds polynomials that are to be zero to those of the open batch.
    fn vanish(&mut self, lower: Lower<E>) -> Result<()> {
        if !self.open {
            self.next_slots()?;
        }
        let (degree, lanes) = (lower.degree(), lower.lanes());
        self.batch().polynomials.push(lower);
        self.gates.polynomials(lanes, degree);
        self.coefficients += lanes * degree;
        if self.coefficients < MOST {
            return Ok(());
        }
        self.end_batch()?;
        // What waits for coins is not to grow with the lag, in which each block may have a batch
        // of many polynomials.
        if self.waiting.len() > WAITING {
            self.steps.begin()?;
            self.catch_up()?;
            self.steps.end();
        }
        Ok(())
    }

    /// The seed of coefficients for all that is committed to so far, for which the batch ends.
    fn challenge(&mut self) -> Result<F128> {
        self.end_batch()?;
        if by_transcript::<E>() {
            return Ok(matrix_challenge(self.channel));
        }
        self.steps.begin()?;
        self.catch_up()?;
        let seed = F128::from_bytes(self.channel.recv_array()?);
        self.steps.end();
        Ok(seed)
    }
}

impl<B: Field, E: MacField<B>> Polynomials for Prover<'_, B, E> {
    type Vector = Vector<B, E>;

    fn public(&mut self, values: &[B]) -> Vector<B, E> {
        Vector::public(values)
    }
    fn vector(&mut self, wires: &[Tagged<B, E>]) -> Vector<B, E> {
        Vector::of(wires, |wire| (wire.value, wire.mac))
    }
    fn sum(&mut self, a: &Vector<B, E>, b: &Vector<B, E>) -> Vector<B, E> {
        a.sum(b)
    }
    fn product(&mut self, a: &Vector<B, E>, b: &Vector<B, E>) -> Result<Vector<B, E>> {
        a.product(self.arch, b)
    }
    fn gather(&mut self, a: &Vector<B, E>, lanes: &[Option<usize>]) -> Vector<B, E> {
        a.gather(lanes)
    }
    fn total(&mut self, a: &Vector<B, E>) -> Vector<B, E> {
        a.total()
    }
    fn inner_product(&mut self, a: &[Tagged<B, E>], b: &[Tagged<B, E>]) -> Result<Vector<B, E>> {
        Ok(Vector::quadratic(E::inner_product(self.arch, a, b)))
    }
    fn commit(&mut self, a: &Vector<B, E>) -> Result<Vec<Tagged<B, E>>> {
        let wires = a.values().iter().map(|value| self.commit_to(*value)).collect::<Result<Vec<_>>>()?;
        self.vanish(a.clone().into_lower_minus(wires.iter().map(|wire| wire.mac)))?;
        Ok(wires)
    }
    fn assert_zeroes(&mut self, a: Vector<B, E>, name: impl Display) -> Result<()> {
        self.failed = self.failed.take().or_else(|| a.failure(&name));
        self.gates.assert += a.values().len() as u64;
        self.vanish(a.into_lower())
    }
    fn assert_matrix_product(
        &mut self,
        a: Matrix<Tagged<B, E>>,
        b: Matrix<Tagged<B, E>>,
        c: Entries<B, Tagged<B, E>>,
        name: impl Display,
    ) -> Result<()> {
        check_sizes(&a, &b, c.len());
        let mut coefficients = Coefficients::<B>::new(self.arch, self.challenge()?);
        let vectors = Vectors::new(&a, &b, |factors| coefficients.fill(self.arch, factors));
        let [constant, linear, value] = vectors.polynomial(self.arch, (a, b, c), |wire| wire, E::weigh);
        if value != E::ZERO && self.failed.is_none() {
            self.failed = Some(name.to_string());
        }
        self.sums.add(&[constant, linear]);
        self.gates.matrix_product();
        Ok(())
    }
}
