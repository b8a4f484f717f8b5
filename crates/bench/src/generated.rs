//! `volery bench boolean`, `arithmetic`, `auto` and `wolverine`: generated circuits, behind as many private values as
//! wanted.

mod auto;
mod beside;
pub mod circuit;

use crate::bench::Run;
use crate::plan::Plan;
use circuit::{Generated, Satisfied};
use volery::circuit::{Arithmetic, Network};
use volery::{Binary, Provable, Setting};
use volery_cli::failure::Result;
use volery_cli::fields::is_boolean;

/// Proves a network over F_2.
pub(crate) fn boolean(run: &Run) -> Result<()> {
    prove::<Binary, Network>(run)
}

/// Proves a network over `S`.
pub(crate) fn arithmetic<S: Setting>(run: &Run) -> Result<()> {
    prove::<S, Arithmetic<S::F>>(run)
}

fn prove<S: Setting, N: Satisfied<S::F>>(run: &Run) -> Result<()>
where
    Generated<N, S::F>: Provable<S> + Sync,
{
    let plan = Plan::new(run)?;
    let circuit = Generated::<N, S::F>::asked(run.typed)?;
    let options = plan.settings.options(circuit.digest(), Some(circuit.size()))?;
    let (gates, witness) = (circuit.gates, circuit.witness()?);
    let outcome = plan.prove::<S, _>(("gates", gates), &circuit, witness, gates, &options)?;
    plan.print(&circuit.described(outcome))
}

/// Proves the network of either by wolverine, and by quicksilver beside it.
pub(crate) fn wolverine<S: Setting>(run: &Run) -> Result<()> {
    if is_boolean(run.field()?) {
        return beside::compare::<Binary, Network>(run);
    }
    beside::compare::<S, Arithmetic<S::F>>(run)
}

/// Proves the network of either over every set of correlations on many links, and over what is chosen.
pub(crate) fn auto<S: Setting>(run: &Run) -> Result<()> {
    if is_boolean(run.field()?) {
        return auto::compare::<Binary, Network>(run);
    }
    auto::compare::<S, Arithmetic<S::F>>(run)
}
