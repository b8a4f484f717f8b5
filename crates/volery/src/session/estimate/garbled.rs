//! Traffic of proofs by garbled circuits.

use super::Estimate;
use crate::circuit::Shape;
use crate::garble::seeds::Seeds;
use crate::zk::{jko, stack};

impl Estimate {
    /// The traffic of a proof by JKO for a statement with these gates.
    pub fn jko(shape: &Shape) -> Self {
        let [setup, online] = jko::traffic(shape);
        Self::of(setup, online)
    }

    /// The traffic of a proof by a stack of clauses with these gates.
    pub fn stack(shapes: &[Shape], seeds: Seeds) -> Self {
        let [setup, online] = stack::traffic(shapes, seeds);
        Self::of(setup, online)
    }
}
