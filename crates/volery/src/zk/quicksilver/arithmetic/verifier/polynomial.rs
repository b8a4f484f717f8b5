//! Polynomials of committed values. Fig. 5, 3 to 5.

use super::Verifier;
use crate::circuit::{Entries, Matrix, Polynomials, check_sizes};
use crate::error::Result;
use crate::vole::subfield::{Coefficients, Key};
use crate::zk::by_transcript;
use crate::zk::quicksilver::batch::matrix_challenge;
use crate::zk::quicksilver::polynomial::{Keys, MOST, Vectors};
use core::fmt::Display;
use core::iter;
use volery_primitives::{F128, Field, MacField};

impl<B: Field, E: MacField<B>> Verifier<'_, B, E> {
    /// Adds polynomials that are to be zero to those of the open batch.
    fn vanish(&mut self, polynomials: Keys<E>) -> Result<()> {
        if !self.open {
            self.next_slots()?;
        }
        let coin = self.coin.as_mut().expect("tossed where a section is open");
        let fill = |chi: &mut [E]| coin.polynomials.fill(self.arch, chi);
        self.polynomials.weigh::<B>(self.arch, &polynomials, fill);
        let (degree, lanes) = (polynomials.degree(), polynomials.lanes());
        self.gates.polynomials(lanes, degree);
        self.coefficients += lanes * degree;
        if self.coefficients >= MOST { self.end_batch() } else { Ok(()) }
    }

    /// The seed of coefficients for all that the prover has committed to so far, for which the batch ends.
    fn challenge(&mut self) -> Result<F128> {
        self.end_batch()?;
        if by_transcript::<E>() {
            return Ok(matrix_challenge(self.channel));
        }
        self.steps.begin()?;
        let seed = self.random.word();
        self.channel.send_words(&[seed])?;
        self.channel.flush()?;
        self.steps.end();
        Ok(seed)
    }
}

impl<B: Field, E: MacField<B>> Polynomials for Verifier<'_, B, E> {
    type Vector = Keys<E>;

    fn public(&mut self, values: &[B]) -> Keys<E> {
        Keys::new(0, values.iter().map(|value| E::from(*value)))
    }
    fn vector(&mut self, wires: &[Key<E>]) -> Keys<E> {
        Keys::new(1, wires.iter().map(|wire| wire.0))
    }
    fn sum(&mut self, a: &Keys<E>, b: &Keys<E>) -> Keys<E> {
        a.sum::<B>(self.arch, self.delta.value(), b)
    }
    fn product(&mut self, a: &Keys<E>, b: &Keys<E>) -> Result<Keys<E>> {
        a.product::<B>(self.arch, b)
    }
    fn gather(&mut self, a: &Keys<E>, lanes: &[Option<usize>]) -> Keys<E> {
        a.gather(lanes)
    }
    fn total(&mut self, a: &Keys<E>) -> Keys<E> {
        a.total()
    }
    fn inner_product(&mut self, a: &[Key<E>], b: &[Key<E>]) -> Result<Keys<E>> {
        let [left, right] = &mut self.rows;
        let left = left.fill(a.iter().map(|wire| wire.0));
        let right = right.fill(b.iter().map(|wire| wire.0));
        Ok(Keys::new(2, iter::once(E::dot(self.arch, left, right))))
    }
    fn commit(&mut self, a: &Keys<E>) -> Result<Vec<Key<E>>> {
        let wires = (0..a.lanes()).map(|_| self.commit_to()).collect::<Result<Vec<_>>>()?;
        self.vanish(a.clone().minus(self.delta.value(), wires.iter().map(|wire| wire.0)))?;
        Ok(wires)
    }
    fn assert_zeroes(&mut self, a: Keys<E>, _: impl Display) -> Result<()> {
        self.gates.assert += a.lanes() as u64;
        self.vanish(a.raised(self.delta.value()))
    }
    fn assert_matrix_product(
        &mut self,
        a: Matrix<Key<E>>,
        b: Matrix<Key<E>>,
        c: Entries<B, Key<E>>,
        _: impl Display,
    ) -> Result<()> {
        check_sizes(&a, &b, c.len());
        let mut coefficients = Coefficients::<B>::new(self.arch, self.challenge()?);
        let vectors = Vectors::new(&a, &b, |factors| coefficients.fill(self.arch, factors));
        self.polynomials.add(2, vectors.at::<B, _>(self.delta.value(), self.arch, (a, b, c), |wire| wire.0));
        self.gates.matrix_product();
        Ok(())
    }
}
