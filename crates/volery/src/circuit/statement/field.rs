//! Statements over a field: built in, with ports that take vectors of its elements.

mod builtin;
mod committed;
mod elements;
mod perceptron;
#[cfg(test)]
mod tests;

pub(super) use builtin::LIST;
pub(crate) use committed::{BothValues, Committed, OfModel, Secrets, WITH_BITS, takes_bits};
pub use elements::Elements;

use super::{Format, Given, Port, Program, Split};
use crate::circuit::stream::{Handle, Recorder};
use crate::error::{Error, Result};
use builtin::Builtin;
use core::marker::PhantomData;
use volery_primitives::Field;

/// A built-in statement over `F`, with nothing said about its values, which are [`Elements`].
#[derive(Debug)]
pub struct FieldRelation<F> {
    builtin: Builtin,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    field: PhantomData<F>,
}

impl<F: Field> Program for FieldRelation<F> {
    type F = F;
    type Value = Elements<F>;
    type Witness = Elements<F>;

    fn builtins() -> &'static [(&'static str, &'static str)] {
        LIST
    }

    /// `builtin:NAME?key=value&key=value`, where keys left out take their defaults. There is no other format.
    fn open(spec: &str, format: Option<Format>) -> Result<Self> {
        let Some(builtin) = spec.strip_prefix("builtin:") else {
            return Err(Error::invalid(format!(
                "{spec} is no built-in statement, and over {} there are no others: choose the field f2 for a circuit \
                 file, or builtin:NAME",
                F::NAME
            )));
        };
        if format.is_some() {
            return Err(Error::invalid(format!("{spec} is built in: a format is for files, leave it out")));
        }
        let builtin = Builtin::parse::<F>(builtin)?;
        let (inputs, outputs) = builtin.ports();
        Ok(Self { builtin, inputs, outputs, field: PhantomData })
    }

    fn inputs(&self) -> &[Port] {
        &self.inputs
    }
    fn outputs(&self) -> &[Port] {
        &self.outputs
    }
    fn format_name(&self) -> &'static str {
        "builtin"
    }
    fn identity(&self) -> Vec<u8> {
        self.builtin.canonical().into_bytes()
    }
    fn version(&self) -> Option<u32> {
        Some(self.builtin.version())
    }
    fn witness(&self, values: Vec<Elements<F>>) -> Elements<F> {
        Elements::in_turn(&values, self.builtin.turn())
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
        self.builtin.run(b, inputs, outputs)
    }
    fn split(&self, shards: usize) -> Result<Split> {
        self.builtin.split(shards)
    }
    fn record_shard(
        &self,
        part: (usize, usize),
        b: &mut Recorder<'_, F>,
        incoming: &[Handle],
        given: Given<'_, Elements<F>>,
    ) -> Result<Vec<Handle>> {
        self.builtin.run_shard(part, b, given, incoming)
    }
}
