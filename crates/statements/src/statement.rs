//! Statements as a command line puts them: a public program, and values for its ports.
//!
//! A [`Program`] is a [`Relation`], which is a circuit file or a built-in over F_2, or a [`FieldRelation`], a
//! built-in over another field; or, over either, a [`StatementFile`], which asserts something by itself. A
//! [`Statement`] adds the public values, which both parties know, and is the [`Source`] of the gates that they
//! execute. The prover makes a witness of the private values.
//!
//! # The order of bits
//! Over F_2 a value is a number whose least significant bit is on the first wire of its port.
//! - `0x…` writes this number in hexadecimal digits, and what begins with a digit in decimal ones;
//! - bytes, of a text or a file, are the number that they print as, most significant byte first, so that the
//!   text `abc` is `0x616263`, and a digest reads as it is commonly printed;
//! - `0b…` is in wire order: the first character is on the first wire, which has the first element of a
//!   vector.
//!
//! Over other fields a value is a list of numbers, as [`Elements::parse`] reads it.
//!
//! Numbers take the width of their port, in decimal digits, or in hexadecimal ones up to 64 bits; of all else nothing
//! is padded or cut.

mod algebra;
mod builtin;
mod clauses;
mod evaluate;
mod export;
mod field;
mod instances;
mod relation;
pub mod snippets;
mod split;
#[cfg(test)]
mod tests;
mod vacuous;

pub use clauses::AnyOf;
pub use field::{FieldRelation, OfTwo, StatedOfTwo};
pub use relation::Relation;
pub use split::{Part, Split, SplitStatement};
pub use volery_formats::Format;

use std::sync::{Arc, OnceLock};
use volery_channel::error::{Error, Result};
use volery_circuit::Shape;
use volery_circuit::port::{
    Elements, Port, PortValue, StatementFile, Value, ValueStream, Values, Witness, counted, with_options,
};
use volery_circuit::stream::{Dependence, Functions, Handle, Recorder, Source};
use volery_primitives::Field;

/// A public program with named inputs and outputs, and nothing said about their values.
pub trait Program: Sized + Send + Sync + 'static {
    /// The field of its wires.
    type F: Field;
    /// The type of its inputs' and outputs' values.
    type Value: PortValue + Send + Sync;
    /// The values of the private inputs.
    type Witness: Send + Sync;

    /// The programs that [`Program::open`] knows by `builtin:`: name with keys and defaults, and one line of
    /// description.
    fn builtins() -> &'static [(&'static str, &'static str)];

    /// The program that `spec` names, in `format` or in the one that it shows.
    ///
    /// # Errors
    /// `Invalid` where there is no such program.
    fn open(spec: &str, format: Option<Format>) -> Result<Self>;

    /// The inputs, each of which a statement makes public or private.
    fn inputs(&self) -> &[Port];

    /// The outputs, which a statement may assert.
    fn outputs(&self) -> &[Port];

    /// How the program is written, as in [`Format`], or `builtin`.
    fn format_name(&self) -> &'static str;

    /// The program of a file that is open.
    fn of_file(file: Box<dyn StatementFile<Self::F>>) -> Self;

    /// The identity of the program among all of its field and format.
    fn identity(&self) -> Vec<u8>;

    /// The version of its gates, where [`Program::identity`] does not follow from them: two builds whose
    /// gates for one identity differ have to have two versions, so that a handshake tells. `None` for what is
    /// identified by its gates.
    fn version(&self) -> Option<u32> {
        None
    }

    /// The witness made of `values`, those of the private inputs in order.
    fn witness(&self, values: Vec<Self::Value>) -> Self::Witness;

    /// The elements of `witness`, in the order in which the program reads them.
    fn elements(witness: &Self::Witness) -> impl Iterator<Item = Self::F>;

    /// Records the program, with a value for each input that is public and each output that is asserted.
    ///
    /// # Errors
    /// Those of whoever executes it, and `Invalid` where the program is malformed.
    fn record(
        &self,
        b: &mut Recorder<'_, Self::F>,
        inputs: &[Option<Self::Value>],
        outputs: &[Option<Self::Value>],
    ) -> Result<()>;

    /// Whether a witness satisfies the program with these values, where that is found faster than by its gates: see
    /// [`Source::is_satisfied`].
    fn is_satisfied(
        &self,
        inputs: &[Option<Self::Value>],
        outputs: &[Option<Self::Value>],
        witness: &mut dyn Iterator<Item = Self::F>,
    ) -> bool {
        let _ = (inputs, outputs, witness);
        false
    }

    /// Splits the program into `shards` shards, two or more. Each private input is read by as many of them as
    /// it takes, each place once, and from the first to the last place.
    ///
    /// # Errors
    /// `Invalid` where it does not fall into so many.
    fn split(&self, shards: usize) -> Result<Split> {
        Err(split::no_shards("this relation", shards, "prove it as a whole"))
    }

    /// Records shard number `shard` of so many, as [`Program::record`] does the whole: the wires that go out.
    ///
    /// # Errors
    /// As for [`Program::record`]; `Invalid` where there is no such shard.
    fn record_shard(
        &self,
        (shards, _): (usize, usize),
        _: &mut Recorder<'_, Self::F>,
        _: &[Handle],
        _: Given<'_, Self::Value>,
    ) -> Result<Vec<Handle>> {
        Err(split::no_shards("this relation", shards, "prove it as a whole"))
    }

    /// The gates by kind, where all inputs are private that may be, and no output is asserted: but where a
    /// program does nothing else with what it reads, its output is.
    ///
    /// # Errors
    /// `Invalid` where the program is malformed.
    fn shape(&self) -> Result<Shape> {
        Shape::of(&Bare(self))
    }

    /// Counts the gates, and gives a warning for each output that depends on no input, where that shows.
    ///
    /// # Errors
    /// As for [`Program::shape`].
    fn examine(&self) -> Result<(Shape, Vec<String>)> {
        Ok((self.shape()?, Vec::new()))
    }

    /// The number of ANDs that a file of it has, where fewer are proved than that: see
    /// [`Netlist`](volery_formats::Netlist).
    fn ands_in_file(&self) -> Option<u64> {
        None
    }

    /// The name of the output that is called `name`, too, since it is that of the last step.
    fn last_step(&self, _name: &str) -> Option<&str> {
        None
    }

    /// The values of inputs in the trace of a model checker, `text`, which is called `name` in errors.
    ///
    /// # Errors
    /// `Invalid` where it is malformed, or of another circuit, and where the program has no steps.
    fn trace(&self, name: &str, _text: &[u8]) -> Result<Vec<(String, Self::Value)>> {
        Err(no_steps(name))
    }

    /// The streams of values that it takes, where it is in a format that has them.
    fn streams(&self) -> Vec<ValueStream> {
        Vec::new()
    }

    /// Whether it asserts something by itself, so that a statement about it needs no public output.
    fn asserts(&self) -> bool {
        false
    }

    /// The gates of each clause, if the program claims that one of several things holds.
    ///
    /// # Errors
    /// `Invalid` where a clause is malformed.
    fn clauses(&self) -> Result<Vec<Shape>> {
        Ok(Vec::new())
    }
}

/// The field of the relation that `spec` names, by [`Field::NAME`], where a file shows it: a built-in statement
/// is over the field that is asked for.
///
/// # Errors
/// `Invalid` where there is no such file, or its format is unknown.
pub fn field_of(spec: &str, format: Option<Format>) -> Result<Option<String>> {
    if spec.starts_with("builtin:") {
        return Ok(None);
    }
    let (path, _) = with_options(spec);
    format.map_or_else(|| Format::of(path), Ok)?.field(path).map(Some)
}

/// The error of a trace that is given for what is no circuit of single gates.
fn no_steps(name: &str) -> Error {
    Error::invalid(format!(
        "{name} is a trace of a model checker, and these are for circuits in AIGER and BLIF: write NAME=VALUE"
    ))
}

/// The public values of a program's inputs and outputs.
pub type Given<'v, V> = (&'v [Option<V>], &'v [Option<V>]);

/// A program with its public values, which the verifier comes to believe.
pub struct Statement<P: Program = Relation> {
    relation: P,
    /// For each input, its value where it is public.
    inputs: Vec<Option<P::Value>>,
    /// For each output, the value that is asserted, if any.
    outputs: Vec<Option<P::Value>>,
    /// The parts of it that depend on private values, once it was gone through.
    dependence: OnceLock<Dependence>,
    /// The functions of it, as far as they were recorded: it is checked, counted and proved.
    functions: Arc<Functions<P::F>>,
}

impl<P: Program> Statement<P> {
    /// The statement that somebody knows values for the inputs that are not in `public`, such that the
    /// outputs in `public` come out.
    ///
    /// # Errors
    /// `Invalid` for a name that the relation has not, for a width that is not that of the port,
    /// where an input or output that has to be public is not, and where no output is public of a relation that
    /// [asserts](Program::asserts) nothing by itself: then there is nothing to prove.
    pub fn new(relation: P, mut public: Values<P::Value>) -> Result<Self> {
        public.rename(|name| relation.last_step(name))?;
        let mut take =
            |ports: &[Port]| ports.iter().map(|port| public.take(port)).collect::<Result<Vec<_>>>();
        let inputs = take(relation.inputs())?;
        let outputs = take(relation.outputs())?;
        if let Some(name) = public.names().next() {
            let known = listed::<P>(relation.inputs().iter().chain(relation.outputs()));
            return Err(Error::invalid(format!(
                "the relation has no input or output {name}; it has {known}"
            )));
        }
        let mut valued = relation.inputs().iter().zip(&inputs).chain(relation.outputs().iter().zip(&outputs));
        if let Some((port, _)) = valued.find(|(port, value)| port.public && value.is_none()) {
            let port = listed::<P>([port].into_iter());
            return Err(Error::invalid(format!("{port} has to be public: give a public value for it")));
        }
        if outputs.iter().all(Option::is_none) && !relation.asserts() {
            let known = listed::<P>(relation.outputs().iter());
            let advice = match relation.outputs() {
                [] => "the relation has no outputs, so that no statement can be made of it".into(),
                [_] => format!("give a public value for {known}"),
                _ => format!("give a public value for one of {known}"),
            };
            return Err(Error::invalid(format!(
                "no output is public, so that the statement asserts nothing: {advice}"
            )));
        }
        Ok(Self { relation, inputs, outputs, dependence: OnceLock::new(), functions: Arc::default() })
    }

    /// The gates of the statement, for whoever takes a stream of them.
    pub fn source(&self) -> &dyn Source<P::F> {
        self
    }

    /// The program.
    pub fn relation(&self) -> &P {
        &self.relation
    }

    /// A collision-resistant digest of the relation, with the [version](Program::version) of its gates, and
    /// the public values.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery statement v1");
        let mut field = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        field(P::F::name().as_bytes());
        field(self.relation.format_name().as_bytes());
        field(&self.relation.identity());
        if let Some(version) = self.relation.version() {
            field(&version.to_le_bytes());
        }
        let ports = [(self.relation.inputs(), &self.inputs), (self.relation.outputs(), &self.outputs)];
        for (ports, values) in ports {
            field(&(values.iter().flatten().count() as u64).to_le_bytes());
            for (port, value) in ports.iter().zip(values) {
                if let Some(value) = value {
                    field(port.name.as_bytes());
                    field(&port.width.to_le_bytes());
                    field(&value.encoding());
                }
            }
        }
        hasher.finalize().into()
    }

    /// The ports whose values are public, inputs first, and these values.
    pub fn public(&self) -> impl Iterator<Item = (&Port, &P::Value)> {
        let inputs = self.relation.inputs().iter().zip(&self.inputs);
        let outputs = self.relation.outputs().iter().zip(&self.outputs);
        inputs.chain(outputs).filter_map(|(port, value)| Some((port, value.as_ref()?)))
    }

    /// The inputs for which the prover needs values.
    pub fn private_ports(&self) -> impl Iterator<Item = &Port> {
        let inputs = self.relation.inputs().iter().zip(&self.inputs);
        inputs.filter(|(_, value)| value.is_none()).map(|(port, _)| port)
    }

    /// The witness that `private` makes.
    ///
    /// # Errors
    /// `Invalid` where a private input has no value or one of another width, and for a name that
    /// is no private input.
    pub fn witness(&self, mut private: Values<P::Value>) -> Result<P::Witness> {
        let mut values = Vec::new();
        for port in self.private_ports() {
            let absent = || port.optional.then(|| P::Value::zeros(port.width));
            let value = private.take(port)?.or_else(absent).ok_or_else(|| {
                Error::invalid(format!("{} has no value: give one, public or private", port.name))
            })?;
            values.push(value);
        }
        if let Some(name) = private.names().next() {
            let is = |ports: &[Port]| ports.iter().any(|port| port.name == name);
            return Err(Error::invalid(if is(self.relation.inputs()) {
                format!("{name} is given as public and as private: give it once")
            } else if is(self.relation.outputs()) {
                format!("{name} is an output, and an output can only be public")
            } else {
                let known = listed::<P>(self.private_ports());
                format!("the relation has no input {name}; private are {known}")
            }));
        }
        Ok(self.relation.witness(values))
    }
}

impl<P: Program> Source<P::F> for Statement<P> {
    fn record(&self, recorder: &mut Recorder<'_, P::F>) -> Result<()> {
        recorder
            .trace(&self.dependence, |recorder| self.relation.record(recorder, &self.inputs, &self.outputs))
    }
    fn functions(&self) -> Option<Arc<Functions<P::F>>> {
        Some(self.functions.clone())
    }
    fn is_satisfied(&self, witness: &mut dyn Iterator<Item = P::F>) -> bool {
        self.relation.is_satisfied(&self.inputs, &self.outputs, witness)
    }
}

/// A program without values.
struct Bare<'a, P>(&'a P);

impl<P: Program> Source<P::F> for Bare<'_, P> {
    fn record(&self, recorder: &mut Recorder<'_, P::F>) -> Result<()> {
        let none = |ports: &[Port]| ports.iter().map(|_| None).collect::<Vec<_>>();
        self.0.record(recorder, &none(self.0.inputs()), &none(self.0.outputs()))
    }
}

/// The ports that an error lists.
const LISTED: usize = 32;

/// The names of ports with their widths, and of many the first.
fn listed<'a, P: Program>(mut ports: impl Iterator<Item = &'a Port>) -> String {
    let named = |port: &Port| format!("{} ({})", port.name, counted(port.width, P::Value::UNIT));
    let mut list: Vec<_> = ports.by_ref().take(LISTED).map(named).collect();
    let more = ports.count();
    if more > 0 {
        list.push(format!("and {more} more"));
    }
    if list.is_empty() { "none".into() } else { list.join(", ") }
}
