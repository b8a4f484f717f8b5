//! Statements over two fields, by name: beside those of the field that has the numbers.

use super::{AnyClaim, AnyRelation, AnyStatement};
use std::sync::OnceLock;
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_circuit::{BothValues, MixedShape, Port, ReadValues, Secrets, Shape, ValueStream};
use volery_primitives::Field;
use volery_proof::clear::MixedStatement as _;
use volery_proof::estimate::Estimate;
use volery_proof::options::Options;
use volery_proof::report::Report;
use volery_proof::verdict::Accepted;
use volery_quicksilver::session::mixed::WithBits;
use volery_quicksilver::session::{Supported, with_bits};
use volery_statements::{OfTwo, StatedOfTwo};

/// Opens what a text names, where that is a relation over F_2 and another field.
pub(crate) type Open = fn(&str) -> Option<Result<Box<dyn AnyRelation>>>;

/// The relation over F_2 and the field of `S` that `spec` names, if it names one.
///
/// # Panics
/// Where QuickSilver is not compiled for both.
pub(crate) fn open<S: Supported>(spec: &str) -> Option<Result<Box<dyn AnyRelation>>> {
    let system = with_bits::<S>().expect("compiled for both");
    let opened = |relation: OfTwo| {
        let spec = spec.to_owned();
        let (public, shape) = (BothValues::new(relation.of_bits()), OnceLock::new());
        Box::new(Opened { system, spec, relation, public, shape }) as _
    };
    Some(OfTwo::open::<S::F>(spec)?.map(opened))
}

struct Opened<B: Field> {
    system: &'static dyn WithBits<B>,
    spec: String,
    relation: OfTwo,
    public: BothValues<B>,
    /// The shape of the statement in whose place gates are counted.
    shape: OnceLock<MixedShape>,
}

impl<B: Field> Opened<B> {
    /// The gates, with as much private as may be.
    fn shape(&self) -> Result<&MixedShape> {
        if let Some(shape) = self.shape.get() {
            return Ok(shape);
        }
        let bare = self.relation.bare::<B>(&self.spec)?;
        let shape = bare.count()?;
        Ok(self.shape.get_or_init(|| shape))
    }
}

impl<B: Field> AnyRelation for Opened<B> {
    fn inputs(&self) -> &[Port] {
        self.relation.inputs()
    }
    fn outputs(&self) -> &[Port] {
        self.relation.outputs()
    }
    fn unit(&self) -> &'static str {
        "element"
    }
    fn unit_of(&self, port: &str) -> &'static str {
        unit_of(port, &self.relation.of_bits())
    }
    fn format_name(&self) -> &'static str {
        self.relation.format_name()
    }
    fn streams(&self) -> Vec<ValueStream> {
        self.relation.streams()
    }
    fn examine(&self) -> Result<(Shape, Vec<String>)> {
        Ok((self.shape()?.in_all(), Vec::new()))
    }
    fn clauses(&self) -> Result<Vec<Shape>> {
        Ok(Vec::new())
    }
    fn estimate(&self) -> Result<Option<Estimate>> {
        self.system.traffic(self.shape()?).map(Some)
    }
    fn public(&mut self) -> &mut dyn ReadValues {
        &mut self.public
    }
    fn state(self: Box<Self>) -> Result<Box<dyn AnyStatement>> {
        let of_bits = self.relation.of_bits();
        let statement = self.relation.state(self.public)?;
        let private = BothValues::new(of_bits.clone());
        Ok(Box::new(Stated { system: self.system, statement, private, of_bits }))
    }
}

struct Stated<B: Field> {
    system: &'static dyn WithBits<B>,
    statement: StatedOfTwo<B>,
    private: BothValues<B>,
    /// The ports that take bits.
    of_bits: Vec<String>,
}

fn unit_of(port: &str, of_bits: &[String]) -> &'static str {
    if of_bits.iter().any(|name| name == port) { "bit" } else { "element" }
}

impl<B: Field> AnyStatement for Stated<B> {
    fn digest(&self) -> [u8; 32] {
        self.statement.digest()
    }
    fn public(&self) -> Vec<(&Port, String)> {
        self.statement.public()
    }
    fn unit(&self) -> &'static str {
        "element"
    }
    fn unit_of(&self, port: &str) -> &'static str {
        unit_of(port, &self.of_bits)
    }
    fn count(&self) -> Result<Shape> {
        Ok(self.statement.count()?.in_all())
    }
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
    fn verify(&self, channel: &mut Channel, options: &Options) -> Result<(Accepted, Report)> {
        self.system.verify(&self.statement, channel, &self.named(options))
    }
    fn private(&mut self) -> &mut dyn ReadValues {
        &mut self.private
    }
    fn claim(mut self: Box<Self>) -> Result<Box<dyn AnyClaim>> {
        let none = BothValues::new(Vec::new());
        let secrets = self.statement.witness(core::mem::replace(&mut self.private, none))?;
        Ok(Box::new(Claimed { stated: *self, secrets }))
    }
}

impl<B: Field> Stated<B> {
    /// Options with the statement's own digest, where the caller has not named one.
    fn named(&self, options: &Options) -> Options {
        let statement = options.statement.or_else(|| Some(self.statement.digest()));
        Options { statement, ..options.clone() }
    }
}

struct Claimed<B: Field> {
    stated: Stated<B>,
    secrets: Secrets<B>,
}

impl<B: Field> AnyClaim for Claimed<B> {
    fn statement(&self) -> &dyn AnyStatement {
        &self.stated
    }
    fn check(&self) -> Result<()> {
        let Secrets { bits, elements } = &self.secrets;
        let (bits, elements) = (Box::new(bits.iter().copied()), Box::new(elements.iter()));
        self.stated.statement.check(bits, elements)
    }
    fn prove(&self, channel: &mut Channel, options: &Options) -> Result<Report> {
        let Secrets { bits, elements } = &self.secrets;
        let (bits, elements) = (bits.iter().copied(), elements.as_slice().iter().copied());
        let Stated { system, statement, .. } = &self.stated;
        system.prove(statement, (&bits, &elements), channel, &self.stated.named(options))
    }
}
