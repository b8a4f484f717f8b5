//! Evaluation in the clear: what a statement means, without a proof.

use super::Backend;
use crate::error::{Error, Result};
use core::fmt::Display;
use volery_primitives::Field;

/// Evaluates a circuit on a witness and stops at the first assertion that fails.
///
/// This is the reference for every proof system, and what the prover runs before it contacts anyone.
pub struct Clear<F, I> {
    witness: I,
    asserts: u64,
    field: core::marker::PhantomData<F>,
}

impl<F: Field, I: Iterator<Item = F>> Clear<F, I> {
    /// An evaluation that reads its witness from `witness`.
    pub fn new(witness: impl IntoIterator<Item = F, IntoIter = I>) -> Self {
        Self { witness: witness.into_iter(), asserts: 0, field: core::marker::PhantomData }
    }

    /// Ends the evaluation.
    ///
    /// # Errors
    /// `Invalid` where the circuit asserted nothing, or left a part of the witness unread.
    pub fn finish(mut self) -> Result<()> {
        if self.asserts == 0 {
            return Err(nothing_asserted());
        }
        match self.witness.next() {
            Some(_) => Err(witness_unread()),
            None => Ok(()),
        }
    }
}

impl<F: Field, I: Iterator<Item = F>> Backend for Clear<F, I> {
    type F = F;
    type Wire = F;

    #[inline]
    fn constant(&mut self, c: F) -> F {
        c
    }
    #[inline]
    fn add(&mut self, a: F, b: F) -> F {
        a + b
    }
    #[inline]
    fn scale(&mut self, a: F, c: F) -> F {
        a * c
    }
    #[inline]
    fn witness(&mut self) -> Result<F> {
        self.witness.next().ok_or_else(witness_ended)
    }
    fn hint(&mut self, of: &[F], f: impl FnOnce(&[F]) -> F) -> Result<F> {
        Ok(f(of))
    }
    #[inline]
    fn mul(&mut self, a: F, b: F) -> Result<F> {
        Ok(a * b)
    }
    #[inline]
    fn assert_zero(&mut self, a: F, name: &dyn Display) -> Result<()> {
        self.asserts += 1;
        if a == F::ZERO { Ok(()) } else { Err(Error::Unsatisfied(name.to_string())) }
    }
}

/// The error of a witness that ends while the circuit asks for more.
pub(crate) fn witness_ended() -> Error {
    Error::invalid("the witness is too short: the circuit reads on after its end")
}

/// The error of a witness that the circuit does not read to its end.
pub(crate) fn witness_unread() -> Error {
    Error::invalid("the witness is too long: the circuit does not read all of it")
}

/// The error of a circuit that ends without an assertion.
pub(crate) fn nothing_asserted() -> Error {
    Error::invalid("the statement asserts nothing, so that any witness would satisfy it")
}
