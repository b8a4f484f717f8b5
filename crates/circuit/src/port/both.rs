//! Values of ports of two kinds: bits, and elements of another field.

use super::{Elements, Port, ReadValues, Value, Values, Written, listed_of};
use volery_channel::error::{Error, Result};
use volery_primitives::{F2, Field};
use zeroize::Zeroizing;

/// Values of ports of both kinds.
pub struct BothValues<F: Field> {
    /// Values of bits.
    pub bits: Values<Value>,
    /// Values of elements.
    pub elements: Values<Elements<F>>,
    /// The ports that take bits.
    of_bits: Vec<String>,
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
        if self.of_bits.iter().any(|port| port == name) {
            self.bits.read(name, written)
        } else {
            self.elements.read(name, written)
        }
    }
}

impl<F: Field> BothValues<F> {
    /// A set without values; `of_bits` names the ports that take bits.
    pub fn new(of_bits: Vec<String>) -> Self {
        Self { bits: Values::new(), elements: Values::new(), of_bits }
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
        match self.bits.names().chain(self.elements.names()).next() {
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
}

fn missing(port: &Port) -> Error {
    let way = if port.public { "it has to be public: give a public value" } else { "give a private value" };
    Error::invalid(format!("{} has no value: {way} for it", port.name))
}
