//! Statements over two fields, by name: beside those of the field that has the numbers.
//!
//! Over a link they are proved over both, and as files over that of the numbers alone, of which bits are some.

use super::{AnyClaim, AnyRelation, AnyStatement};
use crate::session::compiled::Named;
use crate::session::files::{files, verify_any};
use core::any::Any;
use core::marker::PhantomData;
use std::io::{Read, Write};
use std::sync::OnceLock;
use volery_channel::channel::Channel;
use volery_channel::error::{Error, Result};
use volery_circuit::stream::{MixedSource, OneField, Order, Source};
use volery_circuit::{BothValues, MixedShape, Port, ReadValues, Secrets, Shape, ValueStream};
use volery_primitives::Field;
use volery_proof::clear::MixedStatement as _;
use volery_proof::estimate::Estimate;
use volery_proof::options::Options;
use volery_proof::reading::Sink;
use volery_proof::report::Report;
use volery_proof::system::ProofFiles;
use volery_proof::verdict::Accepted;
use volery_proof::witness::{Reread, Stream};
use volery_quicksilver::session::mixed::WithBits;
use volery_quicksilver::session::{Supported, with_bits};
use volery_statements::{OfTwo, StatedOfTwo};

/// Opens what a text names, where that is a relation over F_2 and another field.
pub(crate) type Open = fn(&str) -> Option<Result<Box<dyn AnyRelation>>>;

/// The relation over F_2 and the field of `S` that `spec` names, if it names one, where nothing makes files over
/// that field.
///
/// # Panics
/// Where QuickSilver is not compiled for both.
pub(crate) fn open<S: Supported>(spec: &str) -> Option<Result<Box<dyn AnyRelation>>> {
    opened::<S>(spec, None)
}

/// The relation over F_2 and the field of `S` that `spec` names, if it names one.
///
/// # Panics
/// Where QuickSilver is not compiled for both.
pub(crate) fn open_with_files<S: Named>(spec: &str) -> Option<Result<Box<dyn AnyRelation>>> {
    opened::<S>(spec, Some(&InFiles::<S>(PhantomData)))
}

fn opened<S: Supported>(
    spec: &str,
    in_files: Option<&'static dyn AsOneField<S::F>>,
) -> Option<Result<Box<dyn AnyRelation>>> {
    let system = Systems { on_link: with_bits::<S>().expect("compiled for both"), in_files };
    let opened = |relation: OfTwo| {
        let spec = spec.to_owned();
        let (public, shape) = (relation.values(), OnceLock::new());
        Box::new(Opened { system, spec, relation, public, shape }) as _
    };
    Some(OfTwo::open::<S::F>(spec)?.map(opened))
}

/// The systems for statements over F_2 and `B`.
struct Systems<B: Field> {
    on_link: &'static dyn WithBits<B>,
    in_files: Option<&'static dyn AsOneField<B>>,
}

impl<B: Field> Clone for Systems<B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B: Field> Copy for Systems<B> {}

impl<B: Field> Systems<B> {
    /// The maker of files.
    ///
    /// # Errors
    /// `Invalid` where nothing does.
    fn files(&self) -> Result<&'static dyn AsOneField<B>> {
        self.in_files.ok_or_else(|| {
            Error::invalid(format!(
                "a statement over f2 and {} is proved over a link, and has no proof file, as those over f2 and f61, or \
                 f61x2, have",
                B::name()
            ))
        })
    }
}

/// Writes a proof of a statement for a witness by what makes files.
type Writing<'w, B> =
    &'w mut dyn FnMut(&dyn ProofFiles<B>, &dyn Source<B>, &dyn Reread<B>, &Options) -> Result<Report>;

/// Statements over F_2 and `B` as those over `B` alone that files are about.
trait AsOneField<B: Field>: Sync {
    /// Counts the gates.
    fn count(&self, statement: &dyn MixedSource<B>) -> Result<Shape>;

    /// Has `write` prove a statement.
    fn prove(
        &self,
        statement: &dyn MixedSource<B>,
        secrets: &Secrets<B>,
        write: Writing<'_, B>,
        options: &Options,
    ) -> Result<Report>;

    /// Verifies a statement.
    fn verify(
        &self,
        statement: &dyn MixedSource<B>,
        proof: &mut (dyn Read + Send),
        options: &Options,
    ) -> Result<(Accepted, Report)>;
}

/// Files over `S`.
struct InFiles<S>(PhantomData<fn() -> S>);

impl<S: Named> AsOneField<S::F> for InFiles<S> {
    fn count(&self, statement: &dyn MixedSource<S::F>) -> Result<Shape> {
        S::clear().count(&OneField::new(statement))
    }

    fn prove(
        &self,
        statement: &dyn MixedSource<S::F>,
        secrets: &Secrets<S::F>,
        write: Writing<'_, S::F>,
        options: &Options,
    ) -> Result<Report> {
        let (system, one) = (files::<S>(options)?, OneField::new(statement));
        let order = one.order()?;
        write(system, &one, &JoinedWitness { order, secrets }, options)
    }

    fn verify(
        &self,
        statement: &dyn MixedSource<S::F>,
        proof: &mut (dyn Read + Send),
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        verify_any::<S>(&OneField::new(statement), proof, options)
    }
}

/// A witness of bits and numbers as one of numbers.
struct JoinedWitness<'s, B: Field> {
    order: Order,
    secrets: &'s Secrets<B>,
}

impl<B: Field> Reread<B> for JoinedWitness<'_, B> {
    fn read(&self) -> Stream<'_, B> {
        let Secrets { bits, elements } = self.secrets;
        Box::new(self.order.join(Box::new(bits.iter().copied()), Box::new(elements.iter())))
    }
}

struct Opened<B: Field> {
    system: Systems<B>,
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
        self.system.on_link.traffic(self.shape()?).map(Some)
    }
    fn examine_in_file(&self) -> Result<Option<Shape>> {
        let Some(in_files) = self.system.in_files else { return Ok(None) };
        in_files.count(&self.relation.bare::<B>(&self.spec)?).map(Some)
    }
    fn public(&mut self) -> &mut dyn ReadValues {
        &mut self.public
    }
    fn state(self: Box<Self>) -> Result<Box<dyn AnyStatement>> {
        let of_bits = self.relation.of_bits();
        let private = self.relation.values();
        let statement = self.relation.state(self.public)?;
        Ok(Box::new(Stated { system: self.system, statement, private, of_bits }))
    }
}

struct Stated<B: Field> {
    system: Systems<B>,
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
    fn is_over_two(&self) -> bool {
        true
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn count(&self) -> Result<Shape> {
        Ok(self.statement.count()?.in_all())
    }
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
    fn verify(&self, channel: &mut Channel, options: &Options) -> Result<(Accepted, Report)> {
        self.system.on_link.verify(&self.statement, channel, &self.named(options).0)
    }
    fn verify_from(&self, proof: &mut (dyn Read + Send), options: &Options) -> Result<(Accepted, Report)> {
        let (options, statement) = self.named_in_file(options);
        let (accepted, report) = self.system.files()?.verify(&self.statement, proof, &options)?;
        Ok((accepted, Report { statement, ..report }))
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
    /// Options with the statement's own digest, where the caller has not named one; and the digest.
    fn named(&self, options: &Options) -> (Options, [u8; 32]) {
        let statement = options.statement.unwrap_or_else(|| self.statement.digest());
        (Options { statement: Some(statement), ..options.clone() }, statement)
    }

    /// Options with the digest of the statement over one field; and that of the one over two.
    fn named_in_file(&self, options: &Options) -> (Options, [u8; 32]) {
        let (options, statement) = self.named(options);
        (Options { statement: Some(OneField::<B>::digest(&statement)), ..options }, statement)
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
    fn as_any(&self) -> &dyn Any {
        self
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
        system.on_link.prove(statement, (&bits, &elements), channel, &self.stated.named(options).0)
    }
    fn prove_to(&self, out: &mut dyn Write, options: &Options) -> Result<Report> {
        self.write(options, &mut |files, source, witness, options| {
            files.prove_to(source, witness, out, options)
        })
    }
    fn prove_to_file(&self, out: &mut dyn Sink, options: &Options) -> Result<Report> {
        self.write(options, &mut |files, source, witness, options| {
            files.prove_to_file(source, witness, out, options)
        })
    }
}

impl<B: Field> Claimed<B> {
    /// Has `write` prove the claim.
    fn write(&self, options: &Options, write: Writing<'_, B>) -> Result<Report> {
        let Stated { system, statement: stated, .. } = &self.stated;
        let (options, statement) = self.stated.named_in_file(options);
        let report = system.files()?.prove(stated, &self.secrets, write, &options)?;
        Ok(Report { statement, ..report })
    }
}
