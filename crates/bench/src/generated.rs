//! `volery bench boolean`, `arithmetic`, `auto` and `wolverine`: generated circuits, behind as many private values as
//! wanted.

mod auto;
mod beside;
pub mod circuit;
pub mod lanes;

use crate::args::number;
use crate::bench::Run;
use crate::fields::over;
use crate::plan::Plan;
use circuit::{AnyGenerated, Chosen, Generated, Proved};
use core::marker::PhantomData;
use lanes::Lanes;
use volery::circuit::{Arithmetic, Network};
use volery::{Binary, Named, Provable, Setting as _, ShortBinary};
use volery_cli::failure::Result;
use volery_cli::fields::has_bits;

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
    if has_bits(run.field()?) { bits(run) } else { elements(run) }
}

/// The circuit of `boolean`.
fn bits(run: &Run) -> Result<Box<dyn AnyGenerated>> {
    if run.field()?.name() == ShortBinary::name() {
        return asked::<ShortBinary, Network>(run);
    }
    asked::<Binary, Network>(run)
}

/// The circuit of `arithmetic`.
fn elements(run: &Run) -> Result<Box<dyn AnyGenerated>> {
    fn of<S: Named>(run: &Run) -> Result<Box<dyn AnyGenerated>> {
        asked::<S, Arithmetic<S::F>>(run)
    }
    over!(run.field()?, of(run))
}

/// The circuit by --gates, --lanes and --inputs.
fn asked<S: Named, N: Chosen<S::F> + 'static>(run: &Run) -> Result<Box<dyn AnyGenerated>>
where
    Generated<Lanes<N>, S::F>: Provable<S> + Sync,
{
    let lanes = run.typed.lanes.as_deref().map(|lanes| number("--lanes", lanes)).transpose()?;
    let network = |gates| lanes.map_or_else(|| Lanes::alone(gates), |lanes| Lanes::new(gates, lanes));
    let circuit = Generated::<Lanes<N>, S::F>::asked(run.typed, network)?;
    Ok(Box::new(Proved::<S, Lanes<N>> { circuit, over: PhantomData }))
}
