//! Values for a built-in statement, of which a test changes one.

use crate::{Program, Relation, Statement};
use std::collections::BTreeMap;
use volery_channel::error::Result;
use volery_circuit::stream::Streamed;
use volery_circuit::{Clear, Value, Values};

/// A statement's name, and values for all its ports.
#[derive(Clone)]
pub(super) struct Trial {
    spec: String,
    values: BTreeMap<&'static str, Value>,
}

impl Trial {
    pub(super) fn new(spec: &str) -> Self {
        Self { spec: format!("builtin:{spec}"), values: BTreeMap::new() }
    }

    /// Adds the value that `bytes` print as for `port`.
    pub(super) fn with(self, port: &'static str, bytes: &[u8]) -> Self {
        self.with_value(port, Value::from_bytes(bytes))
    }

    /// Adds the bits in wire order for `port`.
    pub(super) fn with_bits(self, port: &'static str, bits: &str) -> Self {
        self.with_value(port, Value::from_bits_text(bits).unwrap())
    }

    fn with_value(mut self, port: &'static str, value: Value) -> Self {
        self.values.insert(port, value);
        self
    }

    pub(super) fn without(mut self, port: &str) -> Self {
        self.values.remove(port).unwrap();
        self
    }

    fn relation(&self) -> Relation {
        Relation::open(&self.spec, None).unwrap()
    }

    pub(super) fn statement(&self) -> Result<Statement> {
        let mut public = Values::new();
        for port in self.relation().inputs().iter().chain(self.relation().outputs()) {
            if let Some(value) = self.values.get(port.name.as_str()).filter(|_| port.public) {
                public.insert(&port.name, value.clone()).unwrap();
            }
        }
        Statement::new(self.relation(), public)
    }

    /// Whether the statement holds for the values.
    pub(super) fn run(&self) -> Result<()> {
        let statement = self.statement()?;
        let mut private = Values::new();
        for port in statement.private_ports() {
            private.insert(&port.name, self.values[port.name.as_str()].clone()).unwrap();
        }
        let witness = statement.witness(private)?;
        let mut clear = Clear::new(Relation::elements(&witness));
        volery_circuit::Circuit::run(&Streamed(&statement), &mut clear)?;
        clear.finish()
    }

    /// Demands that the statement does not hold, because of output `port`.
    #[track_caller]
    pub(super) fn refuse(&self, port: &str) {
        let why = self.run().expect_err(port).to_string();
        assert!(why.contains(&format!(": {port}[")), "{port}: {why}");
    }
}

/// `bytes` with bit 2 of the byte at `at` changed.
pub(super) fn changed(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 4;
    bytes
}
