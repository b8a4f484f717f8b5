//! Traffic of proofs by garbled circuits.

#[cfg(test)]
mod tests;

use crate::garble::seeds::Seeds;
use volery_circuit::Shape;
use volery_proof::estimate::Estimate;

/// The traffic of a proof by JKO for a statement with these gates.
pub fn jko(shape: &Shape) -> Estimate {
    let [setup, online] = crate::jko::traffic(shape);
    Estimate::of(setup, online)
}

/// The traffic of a proof by a stack of clauses with these gates.
pub fn stack(shapes: &[Shape], seeds: Seeds) -> Estimate {
    let [setup, online] = crate::stack::traffic(shapes, seeds);
    Estimate::of(setup, online)
}
