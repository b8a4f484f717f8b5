//! Clauses as circuits: one of them alone, and all of them gate by gate.

use super::{Alternatives, Branch, Clauses};
use crate::{Backend, Circuit, Shape};
use core::iter::{Chain, RepeatN, repeat_n};
use volery_channel::error::{Error, Result};
use volery_primitives::Field;

/// One clause alone, as a statement of its own.
pub struct Clause<'c, C: ?Sized> {
    clauses: &'c C,
    number: usize,
}

impl<'c, C: Alternatives + ?Sized> Clause<'c, C> {
    /// Clause number `number` of `clauses`, from 0.
    ///
    /// # Panics
    /// Where there is no such clause.
    pub fn new(clauses: &'c C, number: usize) -> Self {
        assert!(number < clauses.count(), "clause {number} of {}", clauses.count());
        Self { clauses, number }
    }
}

impl<B: Backend, C: Clauses<B> + ?Sized> Circuit<B> for Clause<'_, C> {
    fn run(&self, b: &mut B) -> Result<()> {
        self.clauses.run_alone(self.number, b)
    }
}

/// A disjunction of clauses by gates: all of them run, in order and each on its own witness, with their
/// assertions collected, and the product of the bits that say which failed is asserted to be zero. Beyond the
/// clauses' own gates this takes, over F_2, one AND less than there are assertions in all of them together.
/// Memory does not grow with the number of clauses.
pub struct OneOf<C>(pub C);

/// The witness of one clause, with zeros before and behind it for the others. Zeros are not stored.
#[derive(Clone, Copy)]
pub struct Padded<W> {
    before: usize,
    witness: W,
    behind: usize,
}

impl<C: Alternatives> OneOf<C> {
    /// The witness that `witness` of clause number `clause` makes, with zeros for all others. `shapes` are
    /// those of all clauses, as [`shapes`](super::shapes) gives them.
    ///
    /// # Panics
    /// Where there is no such clause, or not a shape for each.
    pub fn witness<W>(&self, shapes: &[Shape], clause: usize, witness: W) -> Padded<W>
    where
        W: IntoIterator,
    {
        assert_eq!(shapes.len(), self.0.count());
        let zeros = |shapes: &[Shape]| shapes.iter().map(|shape| shape.witness as usize).sum();
        Padded { before: zeros(&shapes[..clause]), witness, behind: zeros(&shapes[clause + 1..]) }
    }
}

impl<W: IntoIterator<Item: Field>> IntoIterator for Padded<W> {
    type Item = W::Item;
    type IntoIter = Chain<Chain<RepeatN<W::Item>, W::IntoIter>, RepeatN<W::Item>>;

    fn into_iter(self) -> Self::IntoIter {
        let zeros = |count| repeat_n(W::Item::ZERO, count);
        zeros(self.before).chain(self.witness).chain(zeros(self.behind))
    }
}

impl<B: Backend, C: Clauses<B>> Circuit<B> for OneOf<C> {
    fn run(&self, b: &mut B) -> Result<()> {
        let count = self.0.count();
        let mut all_failed = None;
        for number in 0..count {
            b.open_scope();
            let mut branch = Branch::collecting(b);
            self.0.run(number, &mut branch)?;
            let failed = branch.finish()?.expect("a branch that collects");
            let failed = match all_failed {
                Some(all) => b.mul(all, failed)?,
                None => failed,
            };
            b.close_scope(&[failed]);
            let before = all_failed.replace(failed);
            b.forget(before.as_slice());
        }
        let all_failed = all_failed.ok_or_else(no_clauses)?;
        b.assert_zero(all_failed, one_of(count))
    }
}

/// The name of the assertion about so many clauses.
pub(super) fn one_of(count: usize) -> String {
    format!("one of {count} clauses")
}

/// The error of a disjunction of nothing.
pub(super) fn no_clauses() -> Error {
    Error::invalid("a disjunction without clauses never holds: give at least one")
}
