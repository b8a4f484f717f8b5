//! Relations over F_2 and a field of an odd prime, with conversions between them, and over further primes,
//! whose wires are words of bits.

use super::Sieve;
use super::choice::Kinds;
use super::execute::Pushed;
use super::ports::Ports;
use super::words;
use crate::file::strict;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_circuit::stream::{MixedRecorder, MixedSource};
use volery_circuit::{
    BothValues, Elements, Port, PortValue, Residues, Secrets, Sequence, Value, ValueStream,
};
use volery_primitives::{F2, Field};
use zeroize::Zeroizing;

/// A relation over F_2 and another field, without its values.
#[derive(Clone)]
pub struct SieveOfTwo {
    sieve: Arc<Sieve>,
    inputs: Vec<Port>,
    /// The kinds of its types' wires.
    kinds: Kinds,
}

/// The statement of such a relation and its public values.
pub struct SieveStated<F: Field> {
    relation: SieveOfTwo,
    /// For each port, what is public.
    public: Vec<Option<Public<F>>>,
}

/// The public value of a port.
enum Public<F: Field> {
    Bits(Value),
    Numbers(Elements<F>),
    Words(Residues),
}

impl<F: Field> Public<F> {
    fn to_text(&self) -> String {
        match self {
            Self::Bits(value) => value.to_text(),
            Self::Numbers(value) => value.to_text(),
            Self::Words(value) => value.to_text(),
        }
    }

    fn encoding(&self) -> Vec<u8> {
        match self {
            Self::Bits(value) => value.encoding().into_owned(),
            Self::Numbers(value) => value.encoding().into_owned(),
            Self::Words(value) => value.encoding(),
        }
    }
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
        let kinds = sieve.survey.kinds.clone();
        Self { sieve: Arc::new(sieve), inputs, kinds }
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
        let streams = self.sieve.survey.streams.iter().filter(|stream| self.kinds.is_binary(stream.kind));
        streams.map(|stream| stream.name.clone())
    }

    /// A set of values for its ports, which has none yet.
    pub fn values<F: Field>(&self) -> BothValues<F> {
        let residues = self.sieve.survey.streams.iter().filter_map(|stream| self.kinds.residues(stream));
        BothValues::with_residues(self.of_bits().collect(), residues.collect())
    }

    /// The statement with these public values.
    ///
    /// # Errors
    /// `Invalid` where a value does not fit, has no port, or is of a port that is private; and where one is
    /// missing.
    pub fn state<F: Field>(self, mut values: BothValues<F>) -> Result<SieveStated<F>> {
        let mut public = Vec::new();
        for (stream, port) in self.sieve.survey.streams.iter().zip(&self.inputs) {
            public.push(if !stream.public {
                None
            } else if self.kinds.word(stream.kind).is_some() {
                Some(Public::Words(values.residues(port)?))
            } else if self.kinds.is_binary(stream.kind) {
                Some(Public::Bits(values.bits(port)?))
            } else {
                Some(Public::Numbers(values.elements(port)?))
            });
        }
        values.end("public input", &self.inputs)?;
        Ok(SieveStated { relation: self, public })
    }

    /// The statement in whose place gates are counted: all public values are zero.
    pub fn bare<F: Field>(&self) -> SieveStated<F> {
        let public = self.inputs.iter().map(|_| None).collect();
        SieveStated { relation: self.clone(), public }
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
        if self.relation.sieve.survey.choice.has_words {
            field(b"words");
            field(&words::VERSION.to_le_bytes());
        }
        for (port, value) in self.valued() {
            field(port.name.as_bytes());
            field(&port.width.to_le_bytes());
            field(&value.encoding());
        }
        hasher.finalize().into()
    }

    /// The ports whose values are public, and these as they are written.
    pub fn public(&self) -> Vec<(&Port, String)> {
        self.valued().map(|(port, value)| (port, value.to_text())).collect()
    }

    fn valued(&self) -> impl Iterator<Item = (&Port, &Public<F>)> {
        let ports = self.relation.inputs.iter().zip(&self.public);
        ports.filter_map(|(port, value)| Some((port, value.as_ref()?)))
    }

    /// The witness that private values make.
    ///
    /// # Errors
    /// `Invalid` where one is missing or does not fit, or is no private input.
    pub fn witness(&self, mut private: BothValues<F>) -> Result<Secrets<F>> {
        let (mut all, mut numbers) = (Vec::<Box<dyn Sequence<F2>>>::new(), Vec::new());
        let SieveOfTwo { sieve, inputs, kinds } = &self.relation;
        let ports = sieve.survey.streams.iter().zip(inputs).filter(|(stream, _)| !stream.public);
        for (stream, port) in ports {
            if kinds.word(stream.kind).is_some() {
                all.push(Box::new(private.residues(port)?));
            } else if kinds.is_binary(stream.kind) {
                all.push(Box::new(private.bits(port)?));
            } else {
                numbers.push(private.elements(port)?);
            }
        }
        private.end("private input", inputs)?;
        let length = all.iter().map(|value| value.length() as usize).sum();
        let mut bits = Zeroizing::new(Vec::with_capacity(length));
        all.iter().for_each(|value| bits.extend((0..value.length()).map(|bit| value.element(bit))));
        Ok(Secrets { bits, elements: Elements::in_turn(&numbers, usize::MAX) })
    }
}

impl<F: Field> MixedSource<F> for SieveStated<F> {
    fn record_mixed(&self, both: &mut MixedRecorder<'_, '_, '_, F>) -> Result<()> {
        let SieveOfTwo { sieve, kinds, .. } = &self.relation;
        // A word is as many bits as its modulus has.
        let in_bits = sieve.survey.streams.iter().map(|stream| {
            let bits = kinds.bits(stream.kind);
            let count = stream.count.saturating_mul(bits.unwrap_or(1) as u64);
            (bits.is_some(), ValueStream { count, ..stream.clone() })
        });
        let streams: Vec<(bool, ValueStream)> = in_bits.collect();
        let mut bits: Vec<Option<&dyn Sequence<F2>>> = Vec::new();
        let mut numbers: Vec<Option<&dyn Sequence<F>>> = Vec::new();
        for ((is_bits, _), value) in streams.iter().zip(&self.public) {
            match value {
                Some(Public::Bits(value)) => bits.push(Some(value)),
                Some(Public::Words(value)) => bits.push(Some(value)),
                Some(Public::Numbers(value)) => numbers.push(Some(value)),
                None if *is_bits => bits.push(None),
                None => numbers.push(None),
            }
        }
        let of = |bits: bool| {
            streams.iter().filter(move |(of_bits, _)| *of_bits == bits).map(|(_, stream)| stream)
        };
        let mut bits = Ports::new(of(true), &bits);
        let mut numbers = Ports::new(of(false), &numbers);
        bits.read_several(both.bits())?;
        numbers.read_several(both.numbers())?;
        sieve.run(&mut Pushed::Two(both), &mut numbers, Some(&mut bits))
    }
}
