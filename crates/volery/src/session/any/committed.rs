//! Statements over two fields, by name: beside those of the field that has the numbers.

use super::{AnyClaim, AnyRelation, AnyStatement};
use core::marker::PhantomData;
use std::sync::OnceLock;
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_circuit::{BothValues, MixedShape, Port, ReadValues, Secrets, Shape, ValueStream};
use volery_primitives::{Field, MacField};
use volery_proof::estimate::Estimate;
use volery_proof::options::Options;
use volery_proof::over::Over;
use volery_proof::report::Report;
use volery_proof::setting::Registered;
use volery_proof::verdict::Accepted;
use volery_quicksilver::session::mixed::{ProvableMixed, prove_mixed, traffic, verify_mixed};
use volery_statements::{OfTwo, StatedOfTwo, WITH_BITS};

/// Statements over F_2 and another field, for a [`Setting`](crate::Setting) over the latter.
pub trait WithBits: Sync {
    /// The built-in programs of both kinds: see [`AnySetting::builtins`](super::AnySetting::builtins).
    fn builtins(&self) -> &'static [(&'static str, &'static str)];
    /// The relation that `spec` names, if it is one over both fields.
    fn open(&self, spec: &str) -> Option<Result<Box<dyn AnyRelation>>>;
}

/// The statements over F_2 and `B` with MACs in `E`.
pub(in crate::session) struct Joined<B, E>(pub(in crate::session) PhantomData<(B, E)>);

impl<B: Field, E: MacField<B>> WithBits for Joined<B, E>
where
    Over<B, E>: Registered,
{
    fn builtins(&self) -> &'static [(&'static str, &'static str)] {
        WITH_BITS
    }
    fn open(&self, spec: &str) -> Option<Result<Box<dyn AnyRelation>>> {
        let opened = |relation: OfTwo| {
            let spec = spec.to_owned();
            let (public, shape) = (BothValues::new(relation.of_bits()), OnceLock::new());
            Box::new(Opened::<B, E> { spec, relation, public, shape, macs: PhantomData }) as _
        };
        Some(OfTwo::open::<B>(spec)?.map(opened))
    }
}

struct Opened<B: Field, E> {
    spec: String,
    relation: OfTwo,
    public: BothValues<B>,
    /// The shape of the statement in whose place gates are counted.
    shape: OnceLock<MixedShape>,
    macs: PhantomData<E>,
}

impl<B: Field, E: MacField<B>> Opened<B, E>
where
    Over<B, E>: Registered,
{
    /// The gates, with as much private as may be.
    fn shape(&self) -> Result<&MixedShape> {
        if let Some(shape) = self.shape.get() {
            return Ok(shape);
        }
        let bare = self.relation.bare::<B>(&self.spec)?;
        let (shape, _) = ProvableMixed::<B, E>::count(&bare, false)?;
        Ok(self.shape.get_or_init(|| shape))
    }
}

impl<B: Field, E: MacField<B>> AnyRelation for Opened<B, E>
where
    Over<B, E>: Registered,
{
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
        traffic::<B, E>(self.shape()?).map(Some)
    }
    fn public(&mut self) -> &mut dyn ReadValues {
        &mut self.public
    }
    fn state(self: Box<Self>) -> Result<Box<dyn AnyStatement>> {
        let of_bits = self.relation.of_bits();
        let statement = self.relation.state(self.public)?;
        let private = BothValues::new(of_bits.clone());
        Ok(Box::new(Stated::<B, E> { statement, private, of_bits, macs: PhantomData }))
    }
}

struct Stated<B: Field, E> {
    statement: StatedOfTwo<B>,
    private: BothValues<B>,
    /// The ports that take bits.
    of_bits: Vec<String>,
    macs: PhantomData<E>,
}

fn unit_of(port: &str, of_bits: &[String]) -> &'static str {
    if of_bits.iter().any(|name| name == port) { "bit" } else { "element" }
}

impl<B: Field, E: MacField<B>> AnyStatement for Stated<B, E>
where
    Over<B, E>: Registered,
{
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
        Ok(ProvableMixed::<B, E>::count(&self.statement, false)?.0.in_all())
    }
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
    fn verify(&self, channel: &mut Channel, options: &Options) -> Result<(Accepted, Report)> {
        verify_mixed::<B, E>(&self.statement, channel, &self.named(options))
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

impl<B: Field, E> Stated<B, E> {
    /// Options with the statement's own digest, where the caller has not named one.
    fn named(&self, options: &Options) -> Options {
        let statement = options.statement.or_else(|| Some(self.statement.digest()));
        Options { statement, ..options.clone() }
    }
}

struct Claimed<B: Field, E> {
    stated: Stated<B, E>,
    secrets: Secrets<B>,
}

impl<B: Field, E: MacField<B>> AnyClaim for Claimed<B, E>
where
    Over<B, E>: Registered,
{
    fn statement(&self) -> &dyn AnyStatement {
        &self.stated
    }
    fn check(&self) -> Result<()> {
        let Secrets { bits, elements } = &self.secrets;
        let (bits, elements) = (Box::new(bits.iter().copied()), Box::new(elements.iter()));
        ProvableMixed::<B, E>::evaluate(&self.stated.statement, bits, elements)
    }
    fn prove(&self, channel: &mut Channel, options: &Options) -> Result<Report> {
        let Secrets { bits, elements } = &self.secrets;
        let (bits, elements) = (bits.iter().copied(), elements.as_slice().iter().copied());
        prove_mixed::<B, E>(&self.stated.statement, bits, elements, channel, &self.stated.named(options))
    }
}
