//! Circuits of gates over F_2 on their way into files.

use crate::netlist::{Named, gather};
use crate::{Format, aiger, blif, bristol, sieve};
use std::io::Write;
use volery_channel::error::{Error, Result};
use volery_circuit::stream::{Source, Streamed};
use volery_circuit::{Circuit as _, Port};
use volery_primitives::F2;

/// The bits of an input in the order in which they are read.
pub type Order = Box<dyn Iterator<Item = u64>>;

/// A circuit that is to be written: its ports, and who records its gates.
#[derive(Clone, Copy)]
pub struct Export<'a> {
    /// The inputs, which are read one after the other.
    pub inputs: &'a [Port],
    /// The outputs, of which every bit is set.
    pub outputs: &'a [Port],
    /// The order in which the bits of each input are read.
    pub order: &'a dyn Fn(usize) -> Order,
    /// The gates, with all inputs on wires.
    pub gates: &'a dyn Source<F2>,
}

impl Export<'_> {
    /// Writes the circuit to `out`. Bristol Fashion and SIEVE stream: no gate is kept.
    ///
    /// # Errors
    /// `Invalid` where it is not made of gates alone, is too large for the format, or cannot be written, and for
    /// R1CS and ONNX, as which nothing is; those of the circuit.
    pub fn write(&self, format: Format, out: &mut dyn Write) -> Result<()> {
        let gates = Streamed(self.gates);
        match format {
            Format::R1cs | Format::Onnx => {
                let name = if format == Format::R1cs { "R1CS" } else { "ONNX" };
                Err(Error::invalid(format!("no relation is written as {name}: choose another format")))
            }
            Format::BristolFashion => {
                let widths = |ports: &[Port]| ports.iter().map(|port| port.width).collect::<Vec<_>>();
                let (inputs, outputs) = (widths(self.inputs), widths(self.outputs));
                bristol::write(out, &inputs, &outputs, self.order, |writer| gates.run(writer))
            }
            Format::Sieve => {
                sieve::write(out, self.inputs, self.outputs, self.order, |writer| gates.run(writer))
            }
            Format::Aiger | Format::AigerText | Format::Blif => {
                let named = |ports: &[Port]| {
                    let named = |port: &Port| Named { name: port.name.clone(), width: port.width };
                    ports.iter().map(named).collect::<Vec<_>>()
                };
                let (inputs, outputs) = (named(self.inputs), named(self.outputs));
                let logic = gather(&inputs, &outputs, self.order, |gathering| gates.run(gathering))?;
                match format {
                    Format::Blif => blif::write(out, &logic),
                    _ => aiger::write(out, &logic, format == Format::AigerText),
                }
            }
        }
    }
}
