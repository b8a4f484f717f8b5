//! Statements over a field: built in or in files, with ports that take vectors of its elements.

mod builtin;
mod committed;
mod of_two;
#[cfg(test)]
mod tests;

pub(super) use builtin::LIST;
pub use of_two::{OfTwo, StatedOfTwo};

use super::{Format, Given, Port, Program, Split, field_of, split};
use builtin::Builtin;
use volery_channel::error::{Error, Result};
use volery_circuit::ValueStream;
use volery_circuit::port;
use volery_circuit::port::{Elements, StatementFile, sequences, with_options};
use volery_circuit::stream::{Handle, Recorder};
use volery_primitives::Field;

/// A statement over `F`, built in or in a file, with nothing said about its values, which are [`Elements`].
#[derive(Debug)]
pub struct FieldRelation<F> {
    source: Source<F>,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
}

#[derive(Debug)]
enum Source<F> {
    Builtin(Builtin),
    File(Box<dyn StatementFile<F>>),
}

impl<F: Field> FieldRelation<F> {
    /// The relation of a file.
    pub fn file(file: Box<dyn StatementFile<F>>) -> Self {
        let (inputs, outputs) = (file.inputs(), file.outputs());
        Self { source: Source::File(file), inputs, outputs }
    }
}

impl<F: Field> Program for FieldRelation<F> {
    type F = F;
    type Value = Elements<F>;
    type Witness = Elements<F>;

    fn builtins() -> &'static [(&'static str, &'static str)] {
        LIST
    }

    /// `builtin:NAME?key=value&key=value`, where keys left out take their defaults, or the path of a file in a
    /// format that is over `F`.
    fn open(spec: &str, format: Option<Format>) -> Result<Self> {
        let Some(builtin) = spec.strip_prefix("builtin:") else {
            let (path, options) = with_options(spec);
            let format = format.map_or_else(|| Format::of(path), Ok)?;
            if let Some(file) = format.open(spec, path, options)? {
                return Ok(Self::file(file));
            }
            let field = field_of(spec, Some(format))?.expect("of a file");
            return Err(Error::invalid(format!(
                "{spec} is over {field}, and not over {}: choose the field {field}, or name none",
                F::name()
            )));
        };
        if format.is_some() {
            return Err(Error::invalid(format!("{spec} is built in: a format is for files, leave it out")));
        }
        let builtin = Builtin::parse::<F>(builtin)?;
        let (inputs, outputs) = builtin.ports();
        Ok(Self { source: Source::Builtin(builtin), inputs, outputs })
    }

    fn of_file(file: Box<dyn StatementFile<F>>) -> Self {
        Self::file(file)
    }

    fn inputs(&self) -> &[Port] {
        &self.inputs
    }
    fn outputs(&self) -> &[Port] {
        &self.outputs
    }
    fn format_name(&self) -> &'static str {
        match &self.source {
            Source::Builtin(_) => "builtin",
            Source::File(file) => file.format_name(),
        }
    }
    fn identity(&self) -> Vec<u8> {
        match &self.source {
            Source::Builtin(builtin) => builtin.canonical().into_bytes(),
            Source::File(file) => file.identity(),
        }
    }
    fn version(&self) -> Option<u32> {
        Some(match &self.source {
            Source::Builtin(builtin) => builtin.version(),
            Source::File(file) => file.version(),
        })
    }
    fn asserts(&self) -> bool {
        // One that computes something says little where nothing is said of that.
        matches!(&self.source, Source::File(file) if file.outputs().is_empty())
    }
    fn streams(&self) -> Vec<ValueStream> {
        match &self.source {
            Source::File(file) => file.streams(),
            Source::Builtin(_) => Vec::new(),
        }
    }
    fn witness(&self, values: Vec<Elements<F>>) -> Elements<F> {
        let turn = match &self.source {
            Source::Builtin(builtin) => builtin.turn(),
            Source::File(_) => usize::MAX,
        };
        Elements::in_turn(&values, turn)
    }
    fn elements(witness: &Elements<F>) -> impl Iterator<Item = F> {
        witness.iter()
    }
    fn record(
        &self,
        b: &mut Recorder<'_, F>,
        inputs: &[Option<Elements<F>>],
        outputs: &[Option<Elements<F>>],
    ) -> Result<()> {
        match &self.source {
            Source::Builtin(builtin) => builtin.run(b, inputs, outputs),
            Source::File(file) => {
                let (inputs, outputs) = (sequences(inputs), sequences(outputs));
                file.record(b, port::PublicValues { inputs: &inputs, outputs: &outputs })
            }
        }
    }
    fn is_satisfied(
        &self,
        inputs: &[Option<Elements<F>>],
        outputs: &[Option<Elements<F>>],
        witness: &mut dyn Iterator<Item = F>,
    ) -> bool {
        let Source::File(file) = &self.source else { return false };
        let (inputs, outputs) = (sequences(inputs), sequences(outputs));
        file.is_satisfied(port::PublicValues { inputs: &inputs, outputs: &outputs }, witness)
    }
    fn split(&self, shards: usize) -> Result<Split> {
        match &self.source {
            Source::Builtin(builtin) => builtin.split(shards),
            Source::File(file) => Err(split::no_shards(file.format_name(), shards, "prove it as a whole")),
        }
    }
    fn record_shard(
        &self,
        part: (usize, usize),
        b: &mut Recorder<'_, F>,
        incoming: &[Handle],
        given: Given<'_, Elements<F>>,
    ) -> Result<Vec<Handle>> {
        match &self.source {
            Source::Builtin(builtin) => builtin.run_shard(part, b, given, incoming),
            Source::File(file) => Err(split::no_shards(file.format_name(), part.0, "prove it as a whole")),
        }
    }
}
