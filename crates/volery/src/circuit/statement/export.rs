//! Relations as circuit files.

#[cfg(test)]
mod tests;

use super::evaluate::Open;
use super::{Format, Port, Relation};
use crate::circuit::Circuit as _;
use crate::circuit::bristol::write;
use crate::circuit::stream::Streamed;
use crate::error::{Error, Result};
use std::io::Write;

impl Relation {
    /// Writes the relation to `out` as a circuit file in `format`. It streams: no gate is kept.
    ///
    /// Inputs and outputs are those of the relation in order, bit i of a port on its wire i, so that values
    /// are given to the file as to the relation; but the file does not say which inputs have to be public.
    /// What the relation asserts by itself is one output more, behind the others and only where there is such
    /// an assertion: all its bits have to be zero.
    ///
    /// # Errors
    /// `Invalid` where the relation is not made of gates alone, is a malformed file, or cannot be written.
    pub fn export(&self, format: Format, out: &mut dyn Write) -> Result<()> {
        let widths = |ports: &[Port]| ports.iter().map(|port| port.width).collect::<Vec<_>>();
        let (inputs, outputs) = (widths(self.inputs()), widths(self.outputs()));
        let open = Open(self);
        match format {
            Format::BristolFashion => {
                let order = |port| open.order(port);
                write(out, &inputs, &outputs, &order, |writer| Streamed(&open).run(writer))
            }
            Format::Aiger | Format::Blif => {
                Err(Error::invalid("AIGER and BLIF are read, and not written: choose bristol-fashion"))
            }
        }
    }
}
