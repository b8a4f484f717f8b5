//! `volery bench boolean`, `arithmetic`, `auto` and `wolverine`: generated circuits, behind as many private values as
//! wanted.

mod auto;
mod beside;
pub mod circuit;
pub mod lanes;

use crate::args::{self, number};
use crate::bench::Run;
use crate::fields::over;
use crate::plan::Plan;
use circuit::{AnyGenerated, Chosen, Generated, Proved, Satisfied};
use core::marker::PhantomData;
use lanes::Lanes;
use volery::circuit::{Arithmetic, Network};
use volery::{Binary, Named, Provable};
use volery_cli::failure::Result;
use volery_cli::fields::is_boolean;

/// Proves a network over F_2.
pub(crate) fn boolean(run: &Run) -> Result<()> {
    prove(run, bits)
}

/// Proves a network over any field, F_2 too, that has the gates of one over a large field.
pub(crate) fn arithmetic(run: &Run) -> Result<()> {
    prove(run, elements)
}

/// Proves the network of either by wolverine, and by quicksilver beside it.
pub(crate) fn wolverine(run: &Run) -> Result<()> {
    beside::compare(&Plan::new(run)?, &*either(run)?)
}

/// Proves the network of either over every set of correlations on many links, and over what is chosen.
pub(crate) fn auto(run: &Run) -> Result<()> {
    auto::compare(run.field()?, Plan::new(run)?, || either(run))
}

fn prove(run: &Run, circuit: fn(&Run) -> Result<Box<dyn AnyGenerated>>) -> Result<()> {
    let (plan, circuit) = (Plan::new(run)?, circuit(run)?);
    let options = plan.settings.options(circuit.digest(), Some(circuit.size()))?;
    let outcome = circuit.prove(&plan, &options)?;
    plan.print(&circuit.described(outcome))
}

/// The circuit of `boolean`, or over another field of `arithmetic`.
fn either(run: &Run) -> Result<Box<dyn AnyGenerated>> {
    if is_boolean(run.field()?) { bits(run) } else { elements(run) }
}

/// The circuit of `boolean`.
fn bits(run: &Run) -> Result<Box<dyn AnyGenerated>> {
    match &run.typed.lanes {
        None => asked::<Binary, Network>(run, of_gates),
        Some(lanes) => {
            let lanes = number("--lanes", lanes)?;
            asked::<Binary, Lanes>(run, |gates| Lanes::new(gates, lanes))
        }
    }
}

/// The circuit of `arithmetic`.
fn elements(run: &Run) -> Result<Box<dyn AnyGenerated>> {
    fn of<S: Named>(run: &Run) -> Result<Box<dyn AnyGenerated>> {
        asked::<S, Arithmetic<S::F>>(run, of_gates)
    }
    over!(run.field()?, of(run))
}

/// The network of so many gates.
fn of_gates<F, N: Chosen<F>>(gates: u64) -> Result<N> {
    N::new(gates).map_err(args::of_gates)
}

/// The circuit by --gates and --inputs, with the network that `network` makes of so many gates.
fn asked<S: Named, N: Satisfied<S::F> + 'static>(
    run: &Run,
    network: impl FnOnce(u64) -> Result<N>,
) -> Result<Box<dyn AnyGenerated>>
where
    Generated<N, S::F>: Provable<S> + Sync,
{
    let circuit = Generated::<N, S::F>::asked(run.typed, network)?;
    Ok(Box::new(Proved::<S, N> { circuit, over: PhantomData }))
}
