//! Statements: programs of additions, multiplications and assertions over a field.
//!
//! A statement is written once, knows no party, and is pushed gate by gate into a [`Backend`]: the prover and the
//! verifier of a proof system, [`Clear`] evaluation, or [`Count`]. Nothing here knows a key or a peer.

mod algebra;
mod arithmetic;
mod bristol;
pub mod clauses;
mod clear;
pub mod code;
mod count;
#[cfg(test)]
mod faulty;
pub mod gadget;
mod hashed;
mod network;
mod polynomial;
mod statement;

pub use algebra::{Bound, Dimensions, InnerProduct, MatrixProduct, Reduction, ShortSolution};
pub use arithmetic::Arithmetic;
pub use bristol::{Bristol, Dialect, PortBit};
pub use clauses::{Alternatives, Branch, Clause, Clauses, OneOf, Padded};
pub use clear::Clear;
pub(crate) use clear::{nothing_asserted, witness_ended, witness_unread};
pub use count::{Count, Shape, Size, Sums};
pub use network::Network;
pub(crate) use polynomial::{ByGates, check_sizes, common_lanes, degree_of_product, lane_name};
pub use polynomial::{Entries, HIGHEST_DEGREE, Matrix, Polynomials, Sparse, Term};
pub use statement::snippets;
pub use statement::{
    AnyOf, Elements, FieldRelation, Format, Port, PortValue, Program, Relation, Statement, Value, Values,
    Witness,
};

use crate::error::Result;
use core::fmt::Display;
use volery_primitives::Field;

/// What one party does at each gate. Linear gates are local and cannot fail; a `?` may be a message.
pub trait Backend {
    /// What a wire carries.
    type F: Field;
    /// What this party holds for a wire.
    type Wire: Copy;

    /// A wire that carries the public value `c`.
    fn constant(&mut self, c: Self::F) -> Self::Wire;

    /// `a + b`.
    fn add(&mut self, a: Self::Wire, b: Self::Wire) -> Self::Wire;

    /// `a · c` for a public factor `c`.
    fn scale(&mut self, a: Self::Wire, c: Self::F) -> Self::Wire;

    /// The next element of the witness. The prover owns the stream; a gadget never sees it.
    ///
    /// # Errors
    /// `Invalid` where the stream has ended; link errors.
    fn witness(&mut self) -> Result<Self::Wire>;

    /// A value that the prover computes from the values of `of` and commits to; `f` runs where values are known (the
    /// prover, `Clear`), and nothing is proved about the result but what the circuit goes on to assert.
    ///
    /// # Errors
    /// Link errors.
    fn hint(&mut self, of: &[Self::Wire], f: impl FnOnce(&[Self::F]) -> Self::F) -> Result<Self::Wire>;

    /// `count` values at once that the prover computes from the values of `of`, as by [`Backend::hint`].
    ///
    /// # Errors
    /// Link errors.
    ///
    /// # Panics
    /// Where `f` gives another number of values.
    fn hints(
        &mut self,
        of: &[Self::Wire],
        count: usize,
        f: impl Fn(&[Self::F]) -> Vec<Self::F>,
    ) -> Result<Vec<Self::Wire>> {
        (0..count).map(|i| self.hint(of, |values| f(values)[i])).collect()
    }

    /// `Σ factors[i] · wires[i]` for public factors.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn linear(&mut self, factors: &[Self::F], wires: &[Self::Wire]) -> Self::Wire {
        assert_eq!(factors.len(), wires.len());
        let terms = factors.iter().zip(wires);
        let sum = terms.fold(None, |sum, (&factor, &wire)| {
            let term = self.scale(wire, factor);
            Some(sum.map_or(term, |sum| self.add(sum, term)))
        });
        sum.unwrap_or_else(|| self.constant(Self::F::ZERO))
    }

    /// `a · b`.
    ///
    /// # Errors
    /// Link errors.
    fn mul(&mut self, a: Self::Wire, b: Self::Wire) -> Result<Self::Wire>;

    /// Demands that `a` carries zero. `name` says what is demanded, and is printed only where it fails.
    ///
    /// # Errors
    /// `Unsatisfied` where this party knows the value and it is not zero; link errors.
    fn assert_zero(&mut self, a: Self::Wire, name: &dyn Display) -> Result<()>;
}

/// Whoever holds a backend for a while is one.
impl<B: Backend> Backend for &mut B {
    type F = B::F;
    type Wire = B::Wire;

    #[inline]
    fn constant(&mut self, c: B::F) -> B::Wire {
        (**self).constant(c)
    }
    #[inline]
    fn add(&mut self, a: B::Wire, b: B::Wire) -> B::Wire {
        (**self).add(a, b)
    }
    #[inline]
    fn scale(&mut self, a: B::Wire, c: B::F) -> B::Wire {
        (**self).scale(a, c)
    }
    #[inline]
    fn witness(&mut self) -> Result<B::Wire> {
        (**self).witness()
    }
    fn hint(&mut self, of: &[B::Wire], f: impl FnOnce(&[B::F]) -> B::F) -> Result<B::Wire> {
        (**self).hint(of, f)
    }
    fn hints(
        &mut self,
        of: &[B::Wire],
        count: usize,
        f: impl Fn(&[B::F]) -> Vec<B::F>,
    ) -> Result<Vec<B::Wire>> {
        (**self).hints(of, count, f)
    }
    fn linear(&mut self, factors: &[B::F], wires: &[B::Wire]) -> B::Wire {
        (**self).linear(factors, wires)
    }
    #[inline]
    fn mul(&mut self, a: B::Wire, b: B::Wire) -> Result<B::Wire> {
        (**self).mul(a, b)
    }
    #[inline]
    fn assert_zero(&mut self, a: B::Wire, name: &dyn Display) -> Result<()> {
        (**self).assert_zero(a, name)
    }
}

/// A statement: the same gates in the same order for every party, as often as asked.
pub trait Circuit<B: Backend> {
    /// Pushes every gate into `backend`.
    ///
    /// # Errors
    /// Those of the backend, and `Invalid` where the circuit itself is malformed.
    fn run(&self, backend: &mut B) -> Result<()>;
}
