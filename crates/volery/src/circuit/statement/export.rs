//! Relations as circuit files.

#[cfg(test)]
mod tests;

use super::builtin::Ports;
use super::relation::Source;
use super::{Format, Port, Relation};
use crate::circuit::bristol::{Writer, Written, write};
use crate::circuit::gadget::Bit;
use crate::error::Result;
use std::io::Write;

impl Relation {
    /// Writes the relation to `out` as a circuit file in `format`. It streams: no gate is kept.
    ///
    /// Inputs and outputs are those of the relation in order, bit i of a port on its wire i, so that values are given
    /// to the file as to the relation; but the file does not say which inputs have to be public. What the relation
    /// asserts by itself is one output more, behind the others and only where there is such an assertion: all its bits
    /// have to be zero.
    ///
    /// # Errors
    /// `Invalid` where the relation is not made of gates alone, is a malformed file, or cannot be written.
    pub fn export(&self, format: Format, out: &mut dyn Write) -> Result<()> {
        let widths = |ports: &[Port]| ports.iter().map(|port| port.width).collect::<Vec<_>>();
        let (inputs, outputs) = (widths(self.inputs()), widths(self.outputs()));
        match format {
            Format::BristolFashion => write(out, &inputs, &outputs, |writer| match &self.source {
                Source::Builtin(builtin) => builtin.gates(writer, &mut OnWires(self.inputs()), None),
                Source::Bristol(circuit) => circuit.run(
                    writer,
                    |writer, at| Ok(writer.input(at.port, at.bit)),
                    |writer, at, value| {
                        writer.output(at.port, at.bit, value);
                        Ok(())
                    },
                ),
            }),
        }
    }
}

/// The ports of a circuit file, all of them on wires.
struct OnWires<'a>(&'a [Port]);

impl<'w> Ports<Writer<'w>> for OnWires<'_> {
    fn inputs(&self) -> &[Port] {
        self.0
    }

    fn input(&mut self, b: &mut Writer<'w>, port: usize, bit: u64) -> Result<Bit<Written>> {
        Ok(Bit::Wire(b.input(port, bit)))
    }

    fn output(&mut self, b: &mut Writer<'w>, port: usize, bit: u64, value: Bit<Written>) -> Result<()> {
        let value = value.wire(b);
        b.output(port, bit, value);
        Ok(())
    }
}
