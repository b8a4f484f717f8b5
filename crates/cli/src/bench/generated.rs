//! `volery bench boolean`, `arithmetic` and `wolverine`: generated circuits, behind as many private values as wanted.

mod beside;
mod circuit;

use super::Plan;
use crate::args::Bench;
use crate::failure::Result;
use crate::fields::BOOLEAN;
use circuit::Generated;
use std::time::Instant;
use volery::circuit::{Arithmetic, Network};
use volery::{Binary, F2, Field, Setting};

/// Proves a network over F_2.
pub(super) fn boolean(typed: &Bench, started: Instant) -> Result<()> {
    let plan = Plan::<Binary>::new(typed, started)?;
    let circuit = Generated::<Network, F2>::new(typed)?;
    let options = plan.settings.options(circuit.digest(), Some(circuit.size()))?;
    let (gates, witness) = (circuit.gates, circuit.witness()?);
    let outcome = plan.prove("boolean", ("gates", gates), &circuit, witness, gates, &options)?;
    plan.print(&circuit.described(outcome))
}

/// Proves a network over `S`.
pub(crate) fn arithmetic<S: Setting>(typed: &Bench, started: Instant) -> Result<()> {
    let plan = Plan::<S>::new(typed, started)?;
    let circuit = Generated::<Arithmetic<S::F>, S::F>::new(typed)?;
    let options = plan.settings.options(circuit.digest(), Some(circuit.size()))?;
    let (gates, witness) = (circuit.gates, circuit.witness()?);
    let outcome = plan.prove("arithmetic", ("gates", gates), &circuit, witness, gates, &options)?;
    plan.print(&circuit.described(outcome))
}

/// Proves the network of either over `S` by wolverine, and by quicksilver beside it.
pub(crate) fn wolverine<S: Setting>(typed: &Bench, started: Instant) -> Result<()> {
    if S::F::NAME == BOOLEAN {
        let circuit = Generated::<Network, F2>::new(typed)?;
        return beside::compare(&Plan::<Binary>::new(typed, started)?, &circuit, circuit.witness()?);
    }
    let circuit = Generated::<Arithmetic<S::F>, S::F>::new(typed)?;
    beside::compare(&Plan::<S>::new(typed, started)?, &circuit, circuit.witness()?)
}
