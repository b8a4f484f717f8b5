//! Disjunctions: one of several clauses holds, and not which.
//!
//! [`Clauses`] are written once, each like a circuit of its own with its own witness. A proof system that
//! knows disjunctions proves them with the traffic of the largest clause alone; for all others [`OneOf`]
//! makes one circuit of them, which proves every clause gate by gate. Both run a clause in a [`Branch`].
//!
//! ```
//! # use volery_circuit::testing::volery;
//! use volery::circuit::{Alternatives, Backend, Branch, Circuit, Clauses, Clear, OneOf};
//! use volery::{F2, Field, Result};
//!
//! /// "I know so many bits which are all ones, for one of these numbers."
//! struct Ones(Vec<usize>);
//!
//! impl Alternatives for Ones {
//!     fn count(&self) -> usize {
//!         self.0.len()
//!     }
//! }
//!
//! impl<B: Backend<F = F2>> Clauses<B> for Ones {
//!     fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> Result<()> {
//!         for i in 0..self.0[clause] {
//!             let (bit, one) = (b.witness()?, b.constant(F2::ONE));
//!             let zero = b.add(bit, one);
//!             b.assert_zero(zero, format_args!("bit {i} is one"))?;
//!         }
//!         Ok(())
//!     }
//! }
//!
//! let one_of = OneOf(Ones(vec![2, 3]));
//! // The witness of a clause that does not hold is anything, such as zeros.
//! let mut clear = Clear::new([0, 0, 1, 1, 1].map(|bit| F2::from(bit == 1)));
//! one_of.run(&mut clear)?;
//! clear.finish()?;
//! # Ok::<(), volery::Error>(())
//! ```

mod branch;
mod each;
mod one_of;
#[cfg(test)]
mod tests;

pub use branch::Branch;
pub use each::{find, find_among_all, fingerprint, shapes};
pub use one_of::{Clause, OneOf, Padded};

use super::Backend;
use volery_channel::error::Result;

/// The number of clauses, and which of them are alike: all that does not depend on a backend.
pub trait Alternatives {
    /// How many clauses there are; at least one. They are numbered from 0.
    fn count(&self) -> usize;

    /// The first clause with the same gates as this one but for public constants and wiring: gates are
    /// counted once for all that are alike. Clauses that are alike have one [`Shape`](super::Shape), but for
    /// its additions, factors and constants.
    fn like(&self, clause: usize) -> usize {
        clause
    }
}

/// Clauses over one field. One of them holds, and the proof does not say which.
///
/// Hints of a clause have to be defined whatever its wires carry, and must not panic: a prover runs the
/// clauses that do not hold too, on zeros or on values at random.
///
/// A key of [`Backend::call`] says the same in all clauses of one statement: what one of them records is what
/// another calls.
pub trait Clauses<B: Backend>: Alternatives {
    /// Pushes clause number `clause` into `branch`. It holds if all that it asserts does, and it asserts
    /// something.
    ///
    /// # Errors
    /// Those of the backend, and `Invalid` where the clause is malformed.
    fn run(&self, clause: usize, branch: &mut Branch<'_, B>) -> Result<()>;

    /// Pushes clause number `clause` alone into `backend`: what it asserts stands.
    ///
    /// # Errors
    /// Those of [`Clauses::run`], and `Invalid` where it asserts nothing.
    fn run_alone(&self, clause: usize, backend: &mut B) -> Result<()> {
        let mut branch = Branch::asserting(backend);
        self.run(clause, &mut branch)?;
        branch.finish().map(drop)
    }
}

impl<C: Alternatives + ?Sized> Alternatives for &C {
    fn count(&self) -> usize {
        (**self).count()
    }
    fn like(&self, clause: usize) -> usize {
        (**self).like(clause)
    }
}

impl<B: Backend, C: Clauses<B> + ?Sized> Clauses<B> for &C {
    fn run(&self, clause: usize, branch: &mut Branch<'_, B>) -> Result<()> {
        (**self).run(clause, branch)
    }
    fn run_alone(&self, clause: usize, backend: &mut B) -> Result<()> {
        (**self).run_alone(clause, backend)
    }
}
