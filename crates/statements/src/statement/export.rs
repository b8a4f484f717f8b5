//! Relations as circuit files.

#[cfg(test)]
mod tests;

use super::evaluate::Open;
use super::{Format, Relation};
use std::io::Write;
use volery_channel::error::Result;
use volery_formats::Export;

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
        if let Some(instances) = &self.instances {
            return Err(self.of_several(instances, "a file is of one, without count"));
        }
        let open = Open(self);
        let (inputs, outputs) = (self.inputs(), self.outputs());
        Export { inputs, outputs, order: &|port| open.order(port), gates: &open }.write(format, out)
    }
}
