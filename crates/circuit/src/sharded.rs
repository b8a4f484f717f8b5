//! Statements in shards: parts of one statement that are proved in sessions of their own, on machines of their
//! own, and hand wires on from one to the next.
//!
//! What crosses is announced beforehand, so that both parties know it before a shard is begun. A shard takes
//! wires of shards with lower numbers alone. The same statement runs unsharded: [`Whole`] runs shard after
//! shard in one backend, with the witnesses of all shards one after the other.
//!
//! ```
//! # use volery_circuit::testing::volery;
//! use volery::circuit::{Backend, Need, Sharded, Sharding, Whole};
//! use volery::{F61, Field, Result, check};
//!
//! /// "I know numbers, as many in each shard, whose squares add up to `total`."
//! struct Squares {
//!     shards: usize,
//!     each: usize,
//!     total: F61,
//! }
//!
//! impl Sharding for Squares {
//!     fn count(&self) -> usize {
//!         self.shards
//!     }
//!     fn needs(&self, shard: usize) -> Vec<Need> {
//!         shard.checked_sub(1).map(|from| Need { from, wires: 0..1 }).into_iter().collect()
//!     }
//!     fn outgoing(&self, shard: usize) -> usize {
//!         usize::from(shard + 1 < self.shards)
//!     }
//! }
//!
//! impl<B: Backend<F = F61>> Sharded<B> for Squares {
//!     fn run(&self, shard: usize, b: &mut B, incoming: &[B::Wire]) -> Result<Vec<B::Wire>> {
//!         let mut sum = incoming.first().copied().unwrap_or_else(|| b.constant(F61::ZERO));
//!         for _ in 0..self.each {
//!             let x = b.witness()?;
//!             let square = b.mul(x, x)?;
//!             sum = b.add(sum, square);
//!         }
//!         if self.outgoing(shard) == 1 {
//!             return Ok(vec![sum]);
//!         }
//!         let minus = b.constant(-self.total);
//!         let difference = b.add(sum, minus);
//!         b.assert_zero(difference, "total")?;
//!         Ok(vec![])
//!     }
//! }
//!
//! let squares = Squares { shards: 2, each: 2, total: F61::new(30) };
//! check(&Whole(&squares), [1, 2, 3, 4].map(F61::new))?;
//! # Ok::<(), volery::Error>(())
//! ```

mod announced;

pub use announced::Announced;

use super::{Backend, Circuit};
use core::ops::Range;
use volery_channel::error::{Error, Result};

/// A division of a statement into shards: all that does not depend on a backend.
pub trait Sharding {
    /// The number of shards, at least one. They are numbered from 0.
    fn count(&self) -> usize;

    /// The wires that come in to shard number `shard`, in the order in which it takes them.
    fn needs(&self, shard: usize) -> Vec<Need>;

    /// The number of wires that shard number `shard` gives.
    fn outgoing(&self, shard: usize) -> usize;
}

/// Wires that come in from another shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The shard that gives them, whose number is lower.
    pub from: usize,
    /// The wires among those that it gives.
    pub wires: Range<usize>,
}

/// A statement in shards. At least one of them asserts something.
pub trait Sharded<B: Backend>: Sharding {
    /// Pushes shard number `shard` into `backend`, to which `incoming` come in, and gives the wires that go
    /// out: as many as announced.
    ///
    /// # Errors
    /// Those of the backend, and `Invalid` where the shard is malformed.
    fn run(&self, shard: usize, backend: &mut B, incoming: &[B::Wire]) -> Result<Vec<B::Wire>>;
}

impl<S: Sharding + ?Sized> Sharding for &S {
    fn count(&self) -> usize {
        (**self).count()
    }
    fn needs(&self, shard: usize) -> Vec<Need> {
        (**self).needs(shard)
    }
    fn outgoing(&self, shard: usize) -> usize {
        (**self).outgoing(shard)
    }
}

impl<B: Backend, S: Sharded<B> + ?Sized> Sharded<B> for &S {
    fn run(&self, shard: usize, backend: &mut B, incoming: &[B::Wire]) -> Result<Vec<B::Wire>> {
        (**self).run(shard, backend, incoming)
    }
}

/// A statement in shards, as one circuit: its witness is that of all shards, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Whole<S>(pub S);

impl<B: Backend, S: Sharded<B>> Circuit<B> for Whole<S> {
    fn run(&self, b: &mut B) -> Result<()> {
        run_all(&self.0, b, |shard, b, incoming| self.0.run(shard, b, incoming))
    }
}

/// Runs all shards in their order, each by `run`.
pub(super) fn run_all<B: Backend>(
    sharding: &(impl Sharding + ?Sized),
    b: &mut B,
    mut run: impl FnMut(usize, &mut B, &[B::Wire]) -> Result<Vec<B::Wire>>,
) -> Result<()> {
    let announced = Announced::of(sharding)?;
    let mut given: Vec<Vec<B::Wire>> = Vec::with_capacity(announced.count());
    for shard in 0..announced.count() {
        let needs = announced.needs(shard).iter();
        let incoming: Vec<_> =
            needs.flat_map(|need| &given[need.from][need.wires.clone()]).copied().collect();
        b.open_scope();
        let wires = run(shard, b, &incoming)?;
        b.close_scope(&wires);
        check_given(shard, wires.len(), announced.outgoing(shard))?;
        given.push(wires);
    }
    Ok(())
}

/// Demands that a shard has given as many wires as were announced.
///
/// # Errors
/// `Invalid` where it has not.
pub(super) fn check_given(shard: usize, given: usize, announced: usize) -> Result<()> {
    if given == announced {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "shard {shard} gives {given} wires, and {announced} were announced: announce as many as it gives"
    )))
}

#[cfg(test)]
mod tests;
