//! `volery bench boolean`, `arithmetic` and `wolverine`: generated circuits, behind as many private values as
//! wanted.

mod beside;
pub mod circuit;

use crate::bench::Run;
use crate::plan::Plan;
use circuit::Generated;
use volery::circuit::{Arithmetic, Network};
use volery::{Binary, F2};
use volery_cli::failure::Result;
use volery_cli::fields::{Field, Stated, Visitor};

/// Proves a network over F_2.
pub(crate) fn boolean(run: &Run) -> Result<()> {
    let plan = Plan::<Binary>::new(run)?;
    let circuit = Generated::<Network, F2>::asked(run.typed)?;
    let options = plan.settings.options(circuit.digest(), Some(circuit.size()))?;
    let (gates, witness) = (circuit.gates, circuit.witness()?);
    let outcome = plan.prove(("gates", gates), &circuit, witness, gates, &options)?;
    plan.print(&circuit.described(outcome))
}

/// Proves a network over `S`.
pub(crate) fn arithmetic(run: &Run) -> Result<()> {
    run.field()?.visit(OfElements(run))
}

/// The network over one field.
struct OfElements<'r>(&'r Run<'r>);

impl Visitor for OfElements<'_> {
    type Output = Result<()>;

    fn visit<S: Stated>(self) -> Result<()> {
        let Self(run) = self;
        let plan = Plan::<S>::new(run)?;
        let circuit = Generated::<Arithmetic<S::F>, S::F>::asked(run.typed)?;
        let options = plan.settings.options(circuit.digest(), Some(circuit.size()))?;
        let (gates, witness) = (circuit.gates, circuit.witness()?);
        let outcome = plan.prove(("gates", gates), &circuit, witness, gates, &options)?;
        plan.print(&circuit.described(outcome))
    }
}

/// Proves the network of either by wolverine, and by quicksilver beside it.
pub(crate) fn wolverine(run: &Run) -> Result<()> {
    let field = run.field()?;
    if field == Field::F2 {
        let circuit = Generated::<Network, F2>::asked(run.typed)?;
        return beside::compare(&Plan::<Binary>::new(run)?, &circuit, circuit.witness()?);
    }
    field.visit(Beside(run))
}

/// That over one field that is not F_2.
struct Beside<'r>(&'r Run<'r>);

impl Visitor for Beside<'_> {
    type Output = Result<()>;

    fn visit<S: Stated>(self) -> Result<()> {
        let circuit = Generated::<Arithmetic<S::F>, S::F>::asked(self.0.typed)?;
        beside::compare(&Plan::<S>::new(self.0)?, &circuit, circuit.witness()?)
    }
}
