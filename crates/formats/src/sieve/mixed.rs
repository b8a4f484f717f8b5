//! Relations over F_2 and a field of an odd prime, with conversions between them.

use super::Sieve;
use super::execute::Pushed;
use super::ports::Ports;
use crate::file::strict;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_circuit::stream::{MixedRecorder, MixedSource};
use volery_circuit::{BothValues, Elements, Port, PortValue, Secrets, Sequence, Value, ValueStream};
use volery_primitives::{F2, Field};
use zeroize::Zeroizing;

/// A relation over F_2 and another field, without its values.
#[derive(Clone)]
pub struct SieveOfTwo {
    sieve: Arc<Sieve>,
    inputs: Vec<Port>,
}

/// The statement of such a relation and its public values.
pub struct SieveStated<F: Field> {
    relation: SieveOfTwo,
    /// For each port, what is public.
    bits: Vec<Option<Value>>,
    numbers: Vec<Option<Elements<F>>>,
}

/// Whether a stream is of bits.
fn of_bits(stream: &ValueStream) -> bool {
    stream.field == "2"
}

impl SieveOfTwo {
    /// The relation at `path`, which `spec` names with these options, where it is one over F_2 and `F`. What is
    /// wrong with a file tells who opens those of one field.
    pub fn open<F: Field>(spec: &str, path: &str, options: Option<&str>) -> Option<Self> {
        let sieve = Sieve::open_of_two(path, strict(spec, options).ok()?).ok()??;
        sieve.is_over::<F>().then(|| Self::new(sieve))
    }

    /// The relation of `sieve`, which has bits beside numbers.
    pub(super) fn new(sieve: Sieve) -> Self {
        let inputs = super::StatementFile::<F2>::inputs(&sieve);
        Self { sieve: Arc::new(sieve), inputs }
    }

    /// The ports, some of bits and some of numbers.
    pub fn inputs(&self) -> &[Port] {
        &self.inputs
    }

    /// The streams of values.
    pub fn streams(&self) -> Vec<ValueStream> {
        self.sieve.streams()
    }

    /// The ports that take bits.
    pub fn of_bits(&self) -> impl Iterator<Item = String> {
        self.sieve.survey.streams.iter().filter(|stream| of_bits(stream)).map(|stream| stream.name.clone())
    }

    /// The statement with these public values.
    ///
    /// # Errors
    /// `Invalid` where a value does not fit, has no port, or is of a port that is private; and where one is
    /// missing.
    pub fn state<F: Field>(self, mut values: BothValues<F>) -> Result<SieveStated<F>> {
        let (mut bits, mut numbers) = (Vec::new(), Vec::new());
        for (stream, port) in self.sieve.survey.streams.iter().zip(&self.inputs) {
            let (bit, number) = if !stream.public {
                (None, None)
            } else if of_bits(stream) {
                (Some(values.bits(port)?), None)
            } else {
                (None, Some(values.elements(port)?))
            };
            bits.push(bit);
            numbers.push(number);
        }
        values.end("public input", &self.inputs)?;
        Ok(SieveStated { relation: self, bits, numbers })
    }

    /// The statement in whose place gates are counted: all public values are zero.
    pub fn bare<F: Field>(&self) -> SieveStated<F> {
        let none = self.inputs.iter().map(|_| None);
        SieveStated {
            relation: self.clone(),
            bits: none.collect(),
            numbers: self.inputs.iter().map(|_| None).collect(),
        }
    }
}

impl<F: Field> SieveStated<F> {
    /// A collision-resistant digest of the file, with the version of its reader, and the public values.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery statement of two fields v1");
        let mut field = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        field(F2::NAME.as_bytes());
        field(F::name().as_bytes());
        field(b"sieve");
        field(&self.relation.sieve.survey.digest);
        field(&Sieve::VERSION.to_le_bytes());
        for (port, encoding) in
            self.valued(|value| value.encoding().into_owned(), |value| value.encoding().into_owned())
        {
            field(port.name.as_bytes());
            field(&port.width.to_le_bytes());
            field(&encoding);
        }
        hasher.finalize().into()
    }

    /// The ports whose values are public, and these as they are written.
    pub fn public(&self) -> Vec<(&Port, String)> {
        self.valued(PortValue::to_text, PortValue::to_text)
    }

    fn valued<T>(
        &self,
        of_bits: impl Fn(&Value) -> T,
        of_elements: impl Fn(&Elements<F>) -> T,
    ) -> Vec<(&Port, T)> {
        let values = self.bits.iter().zip(&self.numbers);
        let valued = self.relation.inputs.iter().zip(values).filter_map(|(port, (bits, numbers))| {
            let value = bits.as_ref().map(&of_bits).or_else(|| numbers.as_ref().map(&of_elements))?;
            Some((port, value))
        });
        valued.collect()
    }

    /// The witness that private values make.
    ///
    /// # Errors
    /// `Invalid` where one is missing or does not fit, or is no private input.
    pub fn witness(&self, mut private: BothValues<F>) -> Result<Secrets<F>> {
        let (mut all, mut numbers) = (Vec::new(), Vec::new());
        let streams = &self.relation.sieve.survey.streams;
        for (stream, port) in streams.iter().zip(&self.relation.inputs).filter(|(stream, _)| !stream.public) {
            if of_bits(stream) {
                all.push(private.bits(port)?);
            } else {
                numbers.push(private.elements(port)?);
            }
        }
        private.end("private input", &self.relation.inputs)?;
        let mut bits =
            Zeroizing::new(Vec::with_capacity(all.iter().map(|value| value.width() as usize).sum()));
        all.iter().for_each(|value| bits.extend((0..value.width()).map(|bit| value.bit(bit))));
        Ok(Secrets { bits, elements: Elements::in_turn(&numbers, usize::MAX) })
    }
}

impl<F: Field> MixedSource<F> for SieveStated<F> {
    fn record_mixed(&self, both: &mut MixedRecorder<'_, '_, '_, F>) -> Result<()> {
        fn sequences<'v, F, V: Sequence<F> + 'v>(
            values: impl Iterator<Item = &'v Option<V>>,
        ) -> Vec<Option<&'v dyn Sequence<F>>> {
            values.map(|value| value.as_ref().map(|value| value as &dyn Sequence<F>)).collect()
        }
        let sieve = &self.relation.sieve;
        let streams = &sieve.survey.streams;
        let bits =
            sequences(streams.iter().zip(&self.bits).filter(|(port, _)| of_bits(port)).map(|(_, v)| v));
        let numbers =
            sequences(streams.iter().zip(&self.numbers).filter(|(port, _)| !of_bits(port)).map(|(_, v)| v));
        let mut bits = Ports::new(streams.iter().filter(|port| of_bits(port)), &bits);
        let mut numbers = Ports::new(streams.iter().filter(|port| !of_bits(port)), &numbers);
        bits.read_several(both.bits())?;
        numbers.read_several(both.numbers())?;
        sieve.run(&mut Pushed::Two(both), &mut numbers, Some(&mut bits))
    }
}
