//! The same where circuits are garbled.

use super::Estimate;
use crate::circuit::Shape;
use crate::garble::seeds::Seeds;
use crate::zk::{jko, stack};

impl Estimate {
    /// What a proof by JKO sends of a statement with these gates.
    pub fn jko(shape: &Shape) -> Self {
        let [setup, online] = jko::traffic(shape);
        Self::of(setup, online)
    }

    /// What a proof by a stack sends of clauses with these gates.
    pub fn stack(shapes: &[Shape], seeds: Seeds) -> Self {
        let [setup, online] = stack::traffic(shapes, seeds);
        Self::of(setup, online)
    }
}
