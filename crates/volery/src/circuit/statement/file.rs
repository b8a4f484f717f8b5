//! Statements in files that assert something by themselves, over whichever field they are.

use super::{Elements, Port, Value};
use crate::circuit::Branch;
use crate::circuit::stream::Recorder;
use crate::error::{Error, Result};
use core::fmt::Debug;
use volery_primitives::{F2, Field};

/// A statement in a file whose wires carry elements of `F`, with nothing said about the values of its inputs.
///
/// It has no outputs: what it says is what it asserts. A reader knows no field; what it has read implements
/// this for all fields, by the little that pushes gates.
pub trait StatementFile<F: Field>: Debug + Send + Sync {
    /// How it is written, as in [`Format`](super::Format).
    fn format_name(&self) -> &'static str;

    /// What tells it from all others of its field and format: a digest of its bytes.
    fn identity(&self) -> Vec<u8>;

    /// The version of the reader, which is another where the meaning of a file is.
    fn version(&self) -> u32;

    /// The inputs: those that have to be public, and those of the prover.
    fn inputs(&self) -> Vec<Port>;

    /// Records all gates, with a value for each input that is public; one that has to be public and has none is
    /// zero, where gates are only counted. The elements of the others are read by
    /// [`Backend::witness`](crate::circuit::Backend::witness), those of one input after those of the one before.
    ///
    /// # Errors
    /// Those of whoever executes it, and `Invalid` where the file is malformed, or another than it was.
    fn record(&self, b: &mut Recorder<'_, F>, inputs: &[Option<&dyn Sequence<F>>]) -> Result<()>;

    /// The same as one of several clauses, of which one holds.
    ///
    /// # Errors
    /// As for [`StatementFile::record`]; `Invalid` where it can be none.
    fn record_clause(
        &self,
        _: &mut Branch<'_, Recorder<'_, F>>,
        _: &[Option<&dyn Sequence<F>>],
    ) -> Result<()> {
        Err(Error::invalid(format!(
            "a statement in {} cannot be one of several of which one holds: prove it alone",
            self.format_name()
        )))
    }
}

/// The elements of a port.
pub trait Sequence<F> {
    /// How many they are.
    fn length(&self) -> u64;

    /// Number `i` of them.
    ///
    /// # Panics
    /// Where there are fewer.
    fn element(&self, i: u64) -> F;
}

impl Sequence<F2> for Value {
    fn length(&self) -> u64 {
        self.width()
    }
    fn element(&self, i: u64) -> F2 {
        self.bit(i)
    }
}

impl<F: Field> Sequence<F> for Elements<F> {
    fn length(&self) -> u64 {
        self.len() as u64
    }
    fn element(&self, i: u64) -> F {
        self.as_slice()[usize::try_from(i).expect("within memory")]
    }
}

/// Values of ports as sequences.
pub(super) fn sequences<F, V: Sequence<F>>(values: &[Option<V>]) -> Vec<Option<&dyn Sequence<F>>> {
    values.iter().map(|value| value.as_ref().map(|value| value as &dyn Sequence<F>)).collect()
}

#[cfg(test)]
mod tests;
