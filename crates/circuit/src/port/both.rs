//! Values of ports of two kinds: bits, and elements of another field; and residues, which are in bits, too.

use super::{Elements, Port, ReadValues, ResiduePort, Residues, Value, Values, Written, listed_of};
use std::collections::BTreeMap;
use volery_channel::error::{Error, Result};
use volery_primitives::{F2, Field};
use zeroize::Zeroizing;

/// Values of ports of both kinds.
pub struct BothValues<F: Field> {
    /// Values of bits.
    pub bits: Values<Value>,
    /// Values of elements.
    pub elements: Values<Elements<F>>,
    /// Values of residues, by their ports.
    residues: BTreeMap<String, Residues>,
    /// The ports that take bits.
    of_bits: Vec<String>,
    /// The ports that take residues.
    of_residues: Vec<ResiduePort>,
}

/// The witness: bits, and elements.
pub struct Secrets<F: Field> {
    /// Bits.
    pub bits: Zeroizing<Vec<F2>>,
    /// Elements of the other field.
    pub elements: Elements<F>,
}

impl<F: Field> ReadValues for BothValues<F> {
    fn read(&mut self, name: &str, written: Written<'_>) -> Result<()> {
        if let Some(port) = self.of_residues.iter().find(|port| port.name == name) {
            let value = Residues::read(written, port);
            let value = value.map_err(|why| Error::invalid(format!("{name}: {why}")))?;
            match self.residues.insert(name.to_owned(), value) {
                None => Ok(()),
                Some(_) => Err(Error::invalid(format!("{name} is given twice: give each value once"))),
            }
        } else if self.of_bits.iter().any(|port| port == name) {
            self.bits.read(name, written)
        } else {
            self.elements.read(name, written)
        }
    }
}

impl<F: Field> BothValues<F> {
    /// A set without values; `of_bits` names the ports that take bits.
    pub fn new(of_bits: Vec<String>) -> Self {
        Self::with_residues(of_bits, Vec::new())
    }

    /// A set without values, with ports that take residues, too.
    pub fn with_residues(of_bits: Vec<String>, of_residues: Vec<ResiduePort>) -> Self {
        let (bits, elements, residues) = (Values::new(), Values::new(), BTreeMap::new());
        Self { bits, elements, residues, of_bits, of_residues }
    }

    /// The value for a port of bits, if there is one.
    pub(crate) fn take_bits(&mut self, port: &Port) -> Result<Option<Value>> {
        self.bits.take(port)
    }

    /// The value for a port of elements, if there is one.
    pub(crate) fn take_elements(&mut self, port: &Port) -> Result<Option<Elements<F>>> {
        self.elements.take(port)
    }

    /// Refuses values that no port has taken: the relation has no such port, or not of this kind.
    pub fn end(&self, kind: &str, ports: &[Port]) -> Result<()> {
        let residues = self.residues.keys().map(String::as_str);
        match self.bits.names().chain(self.elements.names()).chain(residues).next() {
            None => Ok(()),
            Some(name) => {
                Err(Error::invalid(format!("{name} is no {kind} of the relation: {}", listed_of(ports))))
            }
        }
    }
}

impl<F: Field> BothValues<F> {
    /// The value for a port of bits.
    pub fn bits(&mut self, port: &Port) -> Result<Value> {
        self.take_bits(port)?.ok_or_else(|| missing(port))
    }

    /// The value for a port of elements.
    pub fn elements(&mut self, port: &Port) -> Result<Elements<F>> {
        self.take_elements(port)?.ok_or_else(|| missing(port))
    }

    /// The value for a port of residues.
    pub fn residues(&mut self, port: &Port) -> Result<Residues> {
        self.residues.remove(&port.name).ok_or_else(|| missing(port))?.fit(port)
    }
}

fn missing(port: &Port) -> Error {
    let way = if port.public { "it has to be public: give a public value" } else { "give a private value" };
    Error::invalid(format!("{} has no value: {way} for it", port.name))
}
