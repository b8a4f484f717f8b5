//! Statements as a command line puts them: a public program, and values for its ports.
//!
//! A [`Relation`] is the program: a circuit file or a built-in. A [`Statement`] adds the public values, which both
//! parties know, and is the [`Circuit`] that they run. The prover makes a [`Witness`] of the private values.
//!
//! # The order of bits
//! A value is a number whose least significant bit is on the first wire of its port.
//! - `0x…` writes this number in hexadecimal digits;
//! - bytes, of a text or a file, are the number that they print as, most significant byte first, so that the text
//!   `abc` is `0x616263`, and a digest reads as it is commonly printed;
//! - `0b…` is in wire order: the first character is on the first wire.
//!
//! Widths must fit: nothing is padded or cut.

mod builtin;
mod relation;
#[cfg(test)]
mod tests;
mod value;

pub use relation::{Format, Port, Relation};
pub use value::{Value, Values};

use super::{Backend, Circuit};
use crate::error::{Error, Result};
use volery_primitives::{F2, Field};
use zeroize::Zeroizing;

/// A relation and its public values: what the verifier comes to believe.
pub struct Statement {
    relation: Relation,
    /// For each input, its value where it is public.
    inputs: Vec<Option<Value>>,
    /// For each output, the value that is asserted, if any.
    outputs: Vec<Option<Value>>,
}

impl Statement {
    /// The statement that somebody knows values for the inputs that are not in `public`, such that the outputs in
    /// `public` come out.
    ///
    /// # Errors
    /// `Invalid` for a name that the relation has not, for a width that is not that of the port, and where no output
    /// is public: then there is nothing to prove.
    pub fn new(relation: Relation, mut public: Values) -> Result<Self> {
        let mut take =
            |ports: &[Port]| ports.iter().map(|port| public.take(port)).collect::<Result<Vec<_>>>();
        let inputs = take(relation.inputs())?;
        let outputs = take(relation.outputs())?;
        if let Some(name) = public.names().next() {
            let known = listed(relation.inputs().iter().chain(relation.outputs()));
            return Err(Error::invalid(format!(
                "the relation has no input or output {name}; it has {known}"
            )));
        }
        if outputs.iter().all(Option::is_none) {
            let known = listed(relation.outputs().iter());
            let advice = match relation.outputs() {
                [] => "the relation has no outputs, so that no statement can be made of it".into(),
                [_] => format!("give a public value for {known}"),
                _ => format!("give a public value for one of {known}"),
            };
            return Err(Error::invalid(format!(
                "no output is public, so that the statement asserts nothing: {advice}"
            )));
        }
        Ok(Self { relation, inputs, outputs })
    }

    /// The relation.
    pub fn relation(&self) -> &Relation {
        &self.relation
    }

    /// A collision-resistant digest of the relation and the public values.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery statement v1");
        let mut field = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        field(F2::NAME.as_bytes());
        field(self.relation.format_name().as_bytes());
        field(&self.relation.identity());
        let ports = [(self.relation.inputs(), &self.inputs), (self.relation.outputs(), &self.outputs)];
        for (ports, values) in ports {
            field(&(values.iter().flatten().count() as u64).to_le_bytes());
            for (port, value) in ports.iter().zip(values) {
                if let Some(value) = value {
                    field(port.name.as_bytes());
                    field(&port.width.to_le_bytes());
                    field(value.packed());
                }
            }
        }
        hasher.finalize().into()
    }

    /// The inputs for which the prover needs values.
    pub fn private_ports(&self) -> impl Iterator<Item = &Port> {
        let inputs = self.relation.inputs().iter().zip(&self.inputs);
        inputs.filter(|(_, value)| value.is_none()).map(|(port, _)| port)
    }

    /// The witness that `private` makes.
    ///
    /// # Errors
    /// `Invalid` where a private input has no value or one of another width, and for a name that is no private input.
    pub fn witness(&self, mut private: Values) -> Result<Witness> {
        let mut values = Vec::new();
        for port in self.private_ports() {
            let value = private.take(port)?.ok_or_else(|| {
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
                let known = listed(self.private_ports());
                format!("the relation has no input {name}; private are {known}")
            }));
        }
        let mut witness = Witness::with_capacity(values.iter().map(Value::width).sum());
        for value in values {
            for bit in self.relation.stream(&value) {
                witness.push(bit);
            }
        }
        Ok(witness)
    }
}

impl<B: Backend<F = F2>> Circuit<B> for Statement {
    fn run(&self, b: &mut B) -> Result<()> {
        self.relation.run(b, &self.inputs, &self.outputs)
    }
}

fn listed<'a>(ports: impl Iterator<Item = &'a Port>) -> String {
    let ports: Vec<_> = ports.map(|port| format!("{} ({})", port.name, value::bits(port.width))).collect();
    if ports.is_empty() { "none".into() } else { ports.join(", ") }
}

/// The private bits of a statement, in the order in which it reads them. Wiped when dropped.
pub struct Witness {
    /// Bit i is bit i mod 8 of byte i / 8.
    packed: Zeroizing<Vec<u8>>,
    length: u64,
}

impl Witness {
    /// The bits.
    pub fn bits(&self) -> impl Iterator<Item = F2> + '_ {
        (0..self.length).map(|i| F2::low_bit((self.packed[(i / 8) as usize] >> (i % 8)).into()))
    }

    /// The number of bits.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether the statement has no private bits.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// A witness that is yet to be filled. It never grows, which would leave a copy of it behind.
    fn with_capacity(bits: u64) -> Self {
        Self { packed: Zeroizing::new(Vec::with_capacity(bits.div_ceil(8) as usize)), length: 0 }
    }

    fn push(&mut self, bit: F2) {
        let within = self.length % 8;
        if within == 0 {
            self.packed.push(0);
        }
        *self.packed.last_mut().expect("pushed with the first bit") |= (bit.to_word() as u8) << within;
        self.length += 1;
    }
}
