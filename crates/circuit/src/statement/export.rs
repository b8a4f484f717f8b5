//! Relations as circuit files.

#[cfg(test)]
mod tests;

use super::evaluate::Open;
use super::{Format, Port, Relation};
use crate::netlist::{Named, gather};
use crate::stream::Streamed;
use crate::{Circuit as _, aiger, blif, bristol, sieve};
use std::io::Write;
use volery_channel::error::{Error, Result};

impl Relation {
    /// Writes the relation to `out` as a circuit file in `format`. Bristol Fashion and SIEVE stream: no gate is kept.
    /// For AIGER and BLIF 8 bytes a gate are, since outputs stand before gates, or names before all.
    ///
    /// Inputs and outputs are those of the relation in order, bit i of a port on its wire i, so that values
    /// are given to the file as to the relation, by its names where the format has names; but the file does
    /// not say which inputs have to be public. What the relation asserts by itself are constraints in AIGER.
    /// In the others it is one output more, behind the others and only where there is such an assertion: all
    /// its bits have to be zero.
    ///
    /// SIEVE text has no outputs: what comes out is public and asserted. Its public stream are the inputs that
    /// have to be public and then all outputs, its private stream all other inputs, each in order.
    ///
    /// # Errors
    /// `Invalid` where the relation is not made of gates alone, is a malformed file, or cannot be written.
    pub fn export(&self, format: Format, out: &mut dyn Write) -> Result<()> {
        if format == Format::R1cs {
            return Err(Error::invalid("no relation is written as R1CS: choose another format"));
        }
        let open = Open(self);
        let order = |port| open.order(port);
        if format == Format::BristolFashion {
            let widths = |ports: &[Port]| ports.iter().map(|port| port.width).collect::<Vec<_>>();
            let (inputs, outputs) = (widths(self.inputs()), widths(self.outputs()));
            return bristol::write(out, &inputs, &outputs, &order, |writer| Streamed(&open).run(writer));
        }
        if format == Format::Sieve {
            return sieve::write(out, self.inputs(), self.outputs(), &order, |writer| {
                Streamed(&open).run(writer)
            });
        }
        let named = |ports: &[Port]| {
            let named = |port: &Port| Named { name: port.name.clone(), width: port.width };
            ports.iter().map(named).collect::<Vec<_>>()
        };
        let (inputs, outputs) = (named(self.inputs()), named(self.outputs()));
        let logic = gather(&inputs, &outputs, &order, |gates| Streamed(&open).run(gates))?;
        match format {
            Format::Blif => blif::write(out, &logic),
            _ => aiger::write(out, &logic, format == Format::AigerText),
        }
    }
}
