//! What comes out of a relation, in the clear.

use super::builtin::Ports;
use super::relation::Source;
use super::{Port, Relation, Value, Values};
use crate::circuit::Clear;
use crate::circuit::gadget::Bit;
use crate::error::{Error, Result};
use core::iter;
use volery_primitives::F2;

/// Evaluation: no witness is read, since all inputs have values.
type Evaluation = Clear<F2, iter::Empty<F2>>;

impl Relation {
    /// The outputs where the inputs have these values, in the order of [`Relation::outputs`]: what somebody who knows all
    /// inputs would make public.
    ///
    /// # Errors
    /// `Invalid` where an input has no value or one of another width, for a name that is no input, and where the relation
    /// is not made of gates alone; `Unsatisfied` where the relation asserts something by itself that does not hold.
    pub fn evaluate(&self, mut inputs: Values) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        for port in self.inputs() {
            let missing = || Error::invalid(format!("{} has no value: give one", port.name));
            values.push(inputs.take(port)?.ok_or_else(missing)?);
        }
        if let Some(name) = inputs.names().next() {
            return Err(Error::invalid(format!("the relation has no input {name}: leave it out")));
        }
        let outputs = self.outputs().iter().map(|port| Value::zeros(port.width)).collect();
        let mut given = Given { ports: self.inputs(), values, outputs };
        let mut clear = Evaluation::new(iter::empty());
        match &self.source {
            Source::Builtin(builtin) => builtin.gates(&mut clear, &mut given, None)?,
            Source::Bristol(circuit) => {
                let Given { values, outputs, .. } = &mut given;
                circuit.run(
                    &mut clear,
                    |_, at| Ok(values[at.port].bit(at.bit)),
                    |_, at, wire| {
                        outputs[at.port].set(at.bit, wire);
                        Ok(())
                    },
                )?;
            }
        }
        Ok(given.outputs)
    }
}

/// The ports of a relation whose inputs all have values.
struct Given<'a> {
    ports: &'a [Port],
    values: Vec<Value>,
    outputs: Vec<Value>,
}

impl Ports<Evaluation> for Given<'_> {
    fn inputs(&self) -> &[Port] {
        self.ports
    }

    fn input(&mut self, _: &mut Evaluation, port: usize, bit: u64) -> Result<Bit<F2>> {
        Ok(Bit::Wire(self.values[port].bit(bit)))
    }

    fn output(&mut self, b: &mut Evaluation, port: usize, bit: u64, value: Bit<F2>) -> Result<()> {
        self.outputs[port].set(bit, value.wire(b));
        Ok(())
    }
}
