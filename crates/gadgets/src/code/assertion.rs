//! Assertions of a program, and their outcome.

use crate::gadget::Bit;
use core::fmt;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::F2;

/// The names of assertions in the order of their first use, each with how often it was used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assertions(Vec<(String, u64)>);

impl Assertions {
    /// The names, and how often each was asserted.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, count)| (name.as_str(), *count))
    }

    /// Adds the assertions of another program.
    pub fn extend(&mut self, others: &Self) {
        others.iter().for_each(|(name, count)| self.record(name, count));
    }

    pub(super) fn record(&mut self, name: &str, count: u64) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, total)) => *total += count,
            None => self.0.push((name.to_owned(), count)),
        }
    }
}

/// The names in a row: `a divisor is not zero (3 times), s: index within its bounds`.
impl fmt::Display for Assertions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none at all");
        }
        for (i, (name, count)) in self.iter().enumerate() {
            f.write_str(if i > 0 { ", " } else { "" })?;
            f.write_str(name)?;
            if count > 1 {
                write!(f, " ({count} times)")?;
            }
        }
        Ok(())
    }
}

/// The outcome of a program.
#[derive(Clone)]
pub struct Outcome<W> {
    /// Whether an active assertion failed.
    pub failed: Bit<W>,
    /// The assertions that could.
    pub assertions: Assertions,
}

impl<W: Copy> Outcome<W> {
    /// The outcome of a program without assertions.
    pub fn new() -> Self {
        Self { failed: Bit::Public(false), assertions: Assertions::default() }
    }

    /// Adds that of another program: one AND.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn or<B: Backend<F = F2, Wire = W>>(&mut self, b: &mut B, other: &Self) -> Result<()> {
        self.failed = self.failed.or(b, other.failed)?;
        self.assertions.extend(&other.assertions);
        Ok(())
    }

    /// Demands that some assertion failed. Where none did, the error lists those that held.
    ///
    /// # Errors
    /// Those of [`Backend::assert_zero`].
    pub fn assert_failed<B: Backend<F = F2, Wire = W>>(&self, b: &mut B) -> Result<()> {
        let held = &self.assertions;
        let name = format_args!("some assertion fails (no assertion failed; these held: {held})");
        self.failed.assert_true(b, name)
    }
}

impl<W: Copy> Default for Outcome<W> {
    fn default() -> Self {
        Self::new()
    }
}
