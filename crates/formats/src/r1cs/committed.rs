//! Wires that a prover commits to.

use super::R1cs;
use super::constraint::Term;
use super::prime::Limbs;
use super::walk::Steps;
use volery_channel::error::Result;

/// Takes the numbers of the wires that are committed to, in their order, and counts the rest.
#[derive(Default)]
pub(super) struct Committed {
    pub(super) wires: Vec<u32>,
    pub(super) defined: u64,
    pub(super) products: u64,
    pub(super) asserted: u64,
}

impl R1cs {
    /// The wires that a witness has values for, in its order.
    pub fn committed(&self) -> &[u32] {
        &self.committed
    }
}

impl Steps for Committed {
    fn commit(&mut self, wire: u32) -> Result<()> {
        self.wires.push(wire);
        Ok(())
    }
    fn define(&mut self, _: u32, _: &Limbs, _: &[Term]) -> Result<()> {
        self.defined += 1;
        Ok(())
    }
    fn multiply(&mut self, _: u32, _: bool, _: [&[Term]; 3]) -> Result<()> {
        self.products += 1;
        Ok(())
    }
    fn assert_product(&mut self, _: u32, _: [&[Term]; 3]) -> Result<()> {
        self.asserted += 1;
        Ok(())
    }
    fn assert_zero(&mut self, _: u32, _: &[Term]) -> Result<()> {
        self.asserted += 1;
        Ok(())
    }
}
