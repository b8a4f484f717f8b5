//! SIEVE Circuit-IR, read as a stream: relations, and streams of values, in text, or in the binary form, which
//! is made text of while it is read.
//!
//! ```text
//! version 2.1.0; circuit;                      version 2.1.0; private_input;
//! @type field 2305843009213693951;             @type field 2305843009213693951;
//! @begin                                       @begin
//!   $0 <- @private(0);                           < 3 >;
//!   $1 <- @mul(0: $0, $0);                     @end
//!   $2 <- @addc(0: $1, <2305843009213693942>);
//!   @assert_zero(0: $2);
//! @end
//! ```
//! The text is read once when it is opened, which finds all that is wrong with it and counts the values that
//! it takes, and once for each run, which pushes gates as they are read; that both read the same is seen by
//! its digest. What is held are the wires that are live and the gates of functions, which are read once and
//! executed as often as they are called. Where many wires are set at once by what the text deletes, it is
//! read once more, backwards, to know when each ends ([`plan`]). Wires have numbers of any size, which are
//! resolved to slots while they are read; so all but the last step, [`execute`], is the same for every field.
//!
//! Of several odd primes one has numbers ([`choice`]), and wires of the others are words of bits ([`words`]).
//!
//! What emitters really write is read: `@new` is a hint, wires may be set again, and functions may be
//! declared within each other. A wire that is read was set before, always.
//!
//! The format: <https://github.com/sieve-zk/ir>, version 2.1.0.

mod binary;
mod body;
mod choice;
mod convert;
mod execute;
mod field;
mod function;
mod header;
mod maps;
mod marks;
mod mixed;
mod number;
mod pages;
mod plan;
mod plugin;
mod ports;
mod reader;
mod scope;
mod stream;
#[cfg(test)]
mod tests;
mod text;
mod wires;
mod words;
mod writer;

pub use self::mixed::{SieveOfTwo, SieveStated};
pub use self::stream::{SieveStream, StreamKind};
pub(super) use self::writer::write;

use self::body::Body;
use self::choice::{Choice, Kinds};
use self::execute::{Inputs, Pushed, execute};
use self::header::Type;
use self::plan::{PLANNING, Planning, WirePlan};
use self::ports::Ports;
use self::reader::Reader;
use self::text::Text;
use super::bristol::Source;
use std::path::Path;
use std::sync::Arc;
use volery_channel::error::{Error, Result};
use volery_circuit::port::PublicValues;
use volery_circuit::stream::Recorder;
use volery_circuit::{Port, StatementFile, ValueStream};
use volery_primitives::{F2, Field};

/// Gates over two fields, all of which are counted one by one before a proof, words by their bits.
const MOST_COUNTED: u64 = 1 << 33;

/// A relation in a file, known by what was counted when it was opened, and read anew for each run.
#[derive(Debug)]
pub struct Sieve {
    name: String,
    source: Source,
    survey: Survey,
}

/// The findings of the first reading of a relation.
#[derive(Debug)]
struct Survey {
    /// The length of the text.
    length: u64,
    digest: [u8; 32],
    /// The fields that it is over.
    choice: Choice,
    /// The kinds of its types' wires.
    kinds: Kinds,
    gates: u64,
    /// The streams that have values, which are ports.
    streams: Vec<ValueStream>,
    /// The streams without values.
    empty: Vec<ValueStream>,
    /// When wires end, where many are set at once.
    plan: Option<Arc<WirePlan>>,
}

impl Sieve {
    /// The version of the gates that are pushed for a file: where others are, it goes up.
    const VERSION: u32 = 2;

    /// Reads the relation at `path`; where `strict`, a wire may be set only once.
    ///
    /// # Errors
    /// `Invalid` where it cannot be read, is no regular file, or is malformed.
    pub fn open(path: impl AsRef<Path>, strict: bool) -> Result<Self> {
        let path = path.as_ref();
        Self::new(path.display().to_string(), Source::Path(path.to_owned()), strict)
    }

    /// A relation in memory, called `name` in errors.
    ///
    /// # Errors
    /// As for [`Sieve::open`].
    pub fn from_bytes(name: impl Into<String>, text: impl Into<Arc<[u8]>>, strict: bool) -> Result<Self> {
        Self::new(name.into(), Source::Bytes(text.into()), strict)
    }

    /// The relation at `path`, where it is over F_2 and another field together, or over several primes; where
    /// it declares no types for that, only its head is read.
    ///
    /// # Errors
    /// As for [`Sieve::open`].
    fn open_of_two(path: impl AsRef<Path>, strict: bool) -> Result<Option<Self>> {
        let path = path.as_ref();
        let (name, source) = (path.display().to_string(), Source::Path(path.to_owned()));
        if !Reader::new(open(&name, &source)?.0)?.header.is_of_two() {
            return Ok(None);
        }
        let sieve = Self::planned(name, source, strict, Planning { of_two: true, ..PLANNING })?;
        Ok(sieve.has_bits().then_some(sieve))
    }

    fn new(name: String, source: Source, strict: bool) -> Result<Self> {
        Self::planned(name, source, strict, PLANNING)
    }

    /// Reads a relation, with a plan by `planning`.
    fn planned(name: String, source: Source, strict: bool, planning: Planning) -> Result<Self> {
        let (text, length) = open(&name, &source)?;
        let survey = Survey::new((&name, &source), text, strict, length, planning)?;
        Ok(Self { name, source, survey })
    }

    /// The field of the relation at `path`, by [`Field::NAME`] where proofs are over it, or else its modulus.
    ///
    /// # Errors
    /// `Invalid` where it cannot be read, is no regular file, or is malformed before that shows.
    pub fn field_of(path: impl AsRef<Path>) -> Result<String> {
        let path = path.as_ref();
        let (name, source) = (path.display().to_string(), Source::Path(path.to_owned()));
        let mut reader = Reader::checking(open(&name, &source)?.0, false, u64::MAX)?;
        let mut batch = Body::default();
        if reader.header.is_of_several() {
            while reader.next(&mut batch)? {}
            return Ok(reader.choose(&name)?.field.name());
        }
        // Over bits alone it is where nothing else is used up to its end.
        let larger = |reader: &Reader<'_>| {
            reader.used().find(|(_, field)| !field.is_two()).map(|(_, field)| field.name())
        };
        let others = reader.header.types.iter().any(Type::is_larger);
        while larger(&reader).is_none()
            && (others || reader.used().next().is_none())
            && reader.next(&mut batch)?
        {}
        Ok(larger(&reader).unwrap_or_else(|| F2::NAME.into()))
    }

    /// How many gates it has, those of functions as often as they are called, each value of a stream, and
    /// each wire of the lists that calls, inner products, conversions and memories go through.
    pub fn gates(&self) -> u64 {
        self.survey.gates
    }

    /// How many elements the field has, in decimal digits.
    pub fn field_size(&self) -> String {
        self.survey.choice.field.size().to_string()
    }

    /// Whether it is over F_2, too, beside the field of an odd prime: it has bits, or wires modulo further
    /// primes, which are words of bits.
    pub fn has_bits(&self) -> bool {
        self.survey.choice.has_bits
    }

    /// Whether it is over several primes, wires of all but one of which are words of bits.
    pub(super) fn has_words(&self) -> bool {
        self.survey.choice.has_words
    }

    /// Whether it is over `F`, and F_2 beside it where it [has bits](Sieve::has_bits).
    pub fn is_over<F: Field>(&self) -> bool {
        self.survey.choice.field.is::<F>()
    }

    /// The streams of all fields that it declares, by their types, those included of which it reads nothing.
    pub fn streams(&self) -> Vec<ValueStream> {
        let mut streams = [&self.survey.streams[..], &self.survey.empty].concat();
        streams.sort_by_key(|stream| (stream.kind, !stream.public));
        streams
    }

    /// Pushes the gates into `b`.
    ///
    /// # Errors
    /// `Invalid` where the file is not the one that was opened; those of `inputs` and of the recorder.
    fn run<'i, F: Field>(
        &self,
        b: &mut Pushed<'_, '_, '_, '_, F>,
        inputs: &'i mut (dyn Inputs<F> + 'i),
        bits: Option<&'i mut (dyn Inputs<F2> + 'i)>,
    ) -> Result<()> {
        let (text, length) = open(&self.name, &self.source)?;
        if length.is_some_and(|length| length != self.survey.length) {
            return Err(changed(&self.name));
        }
        let mut reader = Reader::new(text)?;
        reader.execute(Kinds::new(&reader.header.types, &self.survey.choice));
        if let Some(plan) = &self.survey.plan {
            reader.follow(plan.clone());
        }
        execute(b, (&self.name, &mut reader), inputs, bits)?;
        if reader.text.finish()? != (self.survey.length, self.survey.digest) {
            return Err(changed(&self.name));
        }
        Ok(())
    }
}

impl Survey {
    fn new<'s>(
        (name, source): (&'s str, &'s Source),
        text: Text<'s>,
        strict: bool,
        length: Option<u64>,
        planning: Planning,
    ) -> Result<Self> {
        // Of the binary form no part is read by itself.
        let part = if length.is_some() { planning.part } else { u64::MAX };
        let mut reader = Reader::checking(text, strict, part)?;
        let mut batch = Body::default();
        while reader.next(&mut batch)? {}
        let kinds: Vec<u8> = reader.used().map(|(kind, _)| kind).collect();
        let choice = reader.choose(name)?;
        let several = kinds.len() > 1;
        let mut streams = Vec::new();
        for (public, word, reads) in
            [(true, "public", &reader.scope.public), (false, "private", &reader.scope.private)]
        {
            for (kind, of) in (0..).zip(&reader.header.types) {
                let Type::Field(field) = of else { continue };
                let name = if several { format!("{word}{kind}") } else { word.into() };
                let (field, count) = (field.to_string(), reads.count(kind));
                streams.push(ValueStream { name, public, kind, field, count });
            }
        }
        let (streams, empty) = streams.into_iter().partition(|stream| stream.count > 0);
        let gates = reader.scope.cost.gates;
        let kinds = Kinds::new(&reader.header.types, &choice);
        let cost = if choice.has_bits { reader.cost(&kinds) } else { 0 };
        if cost > MOST_COUNTED {
            return Err(Error::invalid(format!(
                "{name}: it comes to about {cost} gates over two fields, those on words by the gates on their bits, \
                 and each is counted before a proof: write at most {MOST_COUNTED}, or a relation over one field"
            )));
        }
        let (parts, end) = reader.take_parts();
        let (read, digest) = reader.text.finish()?;
        if length.is_some_and(|length| read != length) {
            return Err(changed(name));
        }
        let wanted = length.is_some() && (choice.has_bits || !planning.of_two);
        let planned = wanted && reader.scope.most() > planning.unplanned;
        let plan = planned.then(|| {
            WirePlan::new(&mut reader, name, (&parts, end), |from, to| open_part(name, source, from, to))
        });
        let plan = plan.transpose()?.flatten().map(Arc::new);
        Ok(Self { length: read, digest, choice, kinds, gates, streams, empty, plan })
    }
}

impl<F: Field> StatementFile<F> for Sieve {
    fn format_name(&self) -> &'static str {
        "sieve"
    }

    fn identity(&self) -> Vec<u8> {
        self.survey.digest.into()
    }

    fn version(&self) -> u32 {
        Self::VERSION
    }

    fn inputs(&self) -> Vec<Port> {
        let port = |stream: &ValueStream| Port {
            public: stream.public,
            ..Port::new(stream.name.clone(), stream.count)
        };
        self.survey.streams.iter().map(port).collect()
    }

    fn streams(&self) -> Vec<ValueStream> {
        self.streams()
    }

    fn record(
        &self,
        b: &mut Recorder<'_, F>,
        PublicValues { inputs: values, .. }: PublicValues<'_, F>,
    ) -> Result<()> {
        let streams = &self.survey.streams;
        if let Some((stream, _)) =
            streams.iter().zip(values).find(|(stream, value)| !stream.public && value.is_some())
        {
            return Err(Error::invalid(format!("{} is a private stream, and cannot be public", stream.name)));
        }
        let mut inputs = Ports::new(streams.iter(), values);
        inputs.read_several(b)?;
        self.run(&mut Pushed::One(b), &mut inputs, None)
    }

    fn record_on_wires(&self, b: &mut Recorder<'_, F>) -> Result<()> {
        let mut inputs = Ports::new(self.survey.streams.iter(), &[]);
        inputs.read(b, true)?;
        self.run(&mut Pushed::One(b), &mut inputs, None)
    }
}

/// Whether a file that begins so may be SIEVE's.
pub(super) fn begins(begin: &[u8]) -> bool {
    if binary::begins(begin) {
        return true;
    }
    let mut rest = begin.trim_ascii_start();
    loop {
        let after = match rest {
            [b'/', b'/', ..] => rest.iter().position(|&byte| byte == b'\n'),
            [b'/', b'*', inner @ ..] => inner.windows(2).position(|two| two == b"*/").map(|at| at + 4),
            _ => return rest.starts_with(b"version"),
        };
        let Some(after) = after else { return false };
        rest = rest[after..].trim_ascii_start();
    }
}

/// The text of a relation, and its length, where the file is text.
fn open<'s>(name: &'s str, source: &'s Source) -> Result<(Text<'s>, Option<u64>)> {
    let opened = source.open().and_then(|(read, length)| Ok((binary::text_of(read, false)?, length)));
    let ((text, binary), length) =
        opened.map_err(|why| Error::invalid(format!("{name} cannot be read: {why}")))?;
    Ok((Text::new(name, text), (!binary).then_some(length)))
}

/// The text from one byte up to another.
fn open_part<'s>(name: &'s str, source: &'s Source, from: u64, to: u64) -> Result<Text<'s>> {
    let read = source.open_part(from, to);
    Ok(Text::new(name, read.map_err(|why| Error::invalid(format!("{name} cannot be read: {why}")))?))
}

fn changed(name: &str) -> Error {
    Error::invalid(format!("{name}: the file has changed since it was opened: start again"))
}
