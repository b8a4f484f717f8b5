//! Statements in files that assert something by themselves, over whichever field they are.

use super::sniff::with_options;
use super::{Elements, Format, Port, Value};
use crate::circuit::stream::Recorder;
use crate::circuit::{Branch, R1cs, Sieve, ValueStream};
use crate::error::{Error, Result};
use core::fmt::Debug;
use std::sync::Arc;
use volery_primitives::{F2, Field};

/// A statement in a file whose wires carry elements of `F`, with nothing said about the values of its inputs.
///
/// It has no outputs: what it says is what it asserts. A reader knows no field; what it has read implements
/// this for all fields, by the little that pushes gates.
pub trait StatementFile<F: Field>: Debug + Send + Sync {
    /// How it is written, as in [`Format`](super::Format).
    fn format_name(&self) -> &'static str;

    /// The identity of the file among all of its field and format: a digest of its bytes, or of the text that
    /// is made of a binary form.
    fn identity(&self) -> Vec<u8>;

    /// The version of the reader, which is another where the meaning of a file is.
    fn version(&self) -> u32;

    /// The inputs: those that have to be public, and those of the prover.
    fn inputs(&self) -> Vec<Port>;

    /// Streams of values, where its values are read from files of their own format.
    fn streams(&self) -> Vec<ValueStream> {
        Vec::new()
    }

    /// Records all gates, with a value for each input that is public; one that has to be public and has none
    /// is zero, where gates are only counted. The elements of the others are read by
    /// [`Backend::witness`](crate::circuit::Backend::witness), those of one input after those of the one
    /// before.
    ///
    /// # Errors
    /// Those of whoever executes it, and `Invalid` where the file is malformed, or another than it was.
    fn record(&self, b: &mut Recorder<'_, F>, inputs: &[Option<&dyn Sequence<F>>]) -> Result<()>;

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

/// One that others hold, too.
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
    fn streams(&self) -> Vec<ValueStream> {
        (**self).streams()
    }
    fn record(&self, b: &mut Recorder<'_, F>, inputs: &[Option<&dyn Sequence<F>>]) -> Result<()> {
        (**self).record(b, inputs)
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

/// The statement of a SIEVE file, with these options behind its name.
///
/// # Errors
/// As for [`Sieve::open`]; `Invalid` where it is over another field, and for an option that there is not.
fn open_sieve<F: Field>(spec: &str, path: &str, options: Option<&str>) -> Result<Box<dyn StatementFile<F>>> {
    let sieve = Sieve::open(path, strict(spec, options)?)?;
    if sieve.has_bits() {
        return Err(Error::invalid(format!(
            "{path} is over F_2 and the field of {} elements, and both together are proved over a link alone, where \
             bits are converted to that field",
            sieve.field_size()
        )));
    }
    if sieve.is_over::<F>() {
        return Ok(Box::new(sieve));
    }
    Err(Error::invalid(format!(
        "{path} is over the field of {} elements, and not over {}: name no other field",
        sieve.field_size(),
        F::name()
    )))
}

/// Whether a SIEVE file is read strictly, by the options behind its name.
///
/// # Errors
/// `Invalid` for others.
pub(super) fn strict(spec: &str, options: Option<&str>) -> Result<bool> {
    match options {
        None => Ok(false),
        Some("strict" | "strict=1") => Ok(true),
        Some(_) => Err(Error::invalid(format!("{spec}: the one option of a SIEVE file is ?strict"))),
    }
}

/// The file at `path`, which `spec` names with these options, where its format is one that asserts by itself.
///
/// # Errors
/// `Invalid` where it is malformed, or over another field, and for an option that there is not.
pub(super) fn open<F: Field>(
    format: Format,
    spec: &str,
    path: &str,
    options: Option<&str>,
) -> Result<Option<Box<dyn StatementFile<F>>>> {
    match format {
        Format::Sieve => open_sieve(spec, path, options).map(Some),
        Format::R1cs => Ok(Some(Box::new(R1cs::open_over(spec, F::name())?))),
        Format::BristolFashion | Format::Aiger | Format::AigerText | Format::Blif => Ok(None),
    }
}

impl R1cs {
    /// Opens the file that `spec` names, without options, which is to be over the field of this
    /// [`Field::NAME`]: of another no more than the head is read.
    ///
    /// # Errors
    /// As for [`R1cs::open`], and `Invalid` where options stand behind it, or it is over another field.
    pub fn open_over(spec: &str, field: &str) -> Result<Self> {
        match with_options(spec) {
            (path, None) => Self::over(path, field),
            (_, Some(_)) => Err(Error::invalid(format!(
                "{spec}: constraints take no options: leave out what stands from ? on"
            ))),
        }
    }
}

/// Values of ports as sequences.
pub(super) fn sequences<F, V: Sequence<F>>(values: &[Option<V>]) -> Vec<Option<&dyn Sequence<F>>> {
    values.iter().map(|value| value.as_ref().map(|value| value as &dyn Sequence<F>)).collect()
}

#[cfg(test)]
mod tests;
