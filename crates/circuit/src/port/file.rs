//! Statements in files that assert something by themselves, over whichever field they are.

use super::{Elements, Port, Value};
use crate::Branch;
use crate::stream::Recorder;
use core::fmt::Debug;
use std::sync::Arc;
use volery_channel::error::{Error, Result};
use volery_primitives::{F2, Field};

/// A statement in a file whose wires carry elements of `F`, with nothing said about the values of its inputs.
///
/// What it says is what it asserts, and where it computes something, that this is what is public of its outputs. A
/// reader knows no field; what it has read implements this for all fields that it may be over, by the little that pushes
/// gates.
pub trait StatementFile<F: Field>: Debug + Send + Sync {
    /// The name of the format.
    fn format_name(&self) -> &'static str;

    /// The identity of the file among all of its field and format: a digest of its bytes, or of the text that
    /// is made of a binary form.
    fn identity(&self) -> Vec<u8>;

    /// The version of the reader. It changes where the meaning of a file does.
    fn version(&self) -> u32;

    /// The inputs: those that have to be public, and those that may be private.
    fn inputs(&self) -> Vec<Port>;

    /// The outputs, of which a statement may say what they are.
    fn outputs(&self) -> Vec<Port> {
        Vec::new()
    }

    /// The streams of values, if the format has files for them.
    fn streams(&self) -> Vec<ValueStream> {
        Vec::new()
    }

    /// Records all gates, with a value for each input and output that is public; an input that has to be public and has
    /// none is zero, where gates are only counted. The elements of the others are read by
    /// [`Backend::witness`](crate::Backend::witness), those of one input after those of the one
    /// before.
    ///
    /// # Errors
    /// Those of whoever executes it, and `Invalid` where the file is malformed, or another than it was.
    fn record(&self, b: &mut Recorder<'_, F>, values: PublicValues<'_, F>) -> Result<()>;

    /// Whether a witness satisfies the statement of these public values, where that is found faster than by its gates: see
    /// [`Source::is_satisfied`](crate::stream::Source::is_satisfied).
    fn is_satisfied(&self, values: PublicValues<'_, F>, witness: &mut dyn Iterator<Item = F>) -> bool {
        let _ = (values, witness);
        false
    }

    /// Records the gates with all inputs on wires, public ones too: for who writes the gates to another file.
    /// Inputs are read one port after the other.
    ///
    /// # Errors
    /// As for [`StatementFile::record`]; `Invalid` where gates depend on what is public.
    fn record_on_wires(&self, _: &mut Recorder<'_, F>) -> Result<()> {
        Err(Error::invalid(format!(
            "a statement in {} depends on its public values, which no other file can know",
            self.format_name()
        )))
    }

    /// Records the gates as one of several clauses, of which one holds.
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

/// A shared statement as a statement.
impl<F: Field, T: StatementFile<F> + ?Sized> StatementFile<F> for Arc<T> {
    fn format_name(&self) -> &'static str {
        (**self).format_name()
    }
    fn identity(&self) -> Vec<u8> {
        (**self).identity()
    }
    fn version(&self) -> u32 {
        (**self).version()
    }
    fn inputs(&self) -> Vec<Port> {
        (**self).inputs()
    }
    fn outputs(&self) -> Vec<Port> {
        (**self).outputs()
    }
    fn streams(&self) -> Vec<ValueStream> {
        (**self).streams()
    }
    fn record(&self, b: &mut Recorder<'_, F>, values: PublicValues<'_, F>) -> Result<()> {
        (**self).record(b, values)
    }
    fn record_on_wires(&self, b: &mut Recorder<'_, F>) -> Result<()> {
        (**self).record_on_wires(b)
    }
    fn record_clause(
        &self,
        b: &mut Branch<'_, Recorder<'_, F>>,
        inputs: &[Option<&dyn Sequence<F>>],
    ) -> Result<()> {
        (**self).record_clause(b, inputs)
    }
}

/// The public values of inputs, and of outputs; `None` for what is private.
#[derive(Clone, Copy)]
pub struct PublicValues<'v, F> {
    /// The inputs, in the order of [`StatementFile::inputs`].
    pub inputs: &'v [Option<&'v dyn Sequence<F>>],
    /// The outputs, in the order of [`StatementFile::outputs`].
    pub outputs: &'v [Option<&'v dyn Sequence<F>>],
}

/// The elements of a port.
pub trait Sequence<F> {
    /// The number of elements.
    fn length(&self) -> u64;

    /// Element number `i`.
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
pub fn sequences<F, V: Sequence<F>>(values: &[Option<V>]) -> Vec<Option<&dyn Sequence<F>>> {
    values.iter().map(|value| value.as_ref().map(|value| value as &dyn Sequence<F>)).collect()
}

/// The public or the private values of one type that a relation declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueStream {
    /// The name of the port that takes them, where there are any: `public` or `private`, with the number of
    /// the type where several are used.
    pub name: String,
    /// Whether they are public.
    pub public: bool,
    /// The number of the type, among those of the relation.
    pub kind: u8,
    /// The field of its values: the modulus in decimal digits, or [`Field::NAME`] of one that is no prime's.
    pub field: String,
    /// The number of values that are read.
    pub count: u64,
}
