//! `volery bench sha256`: one preimage, from the start of the process to the verdict, or several at once.

use crate::args::size;
use crate::bench::Run;
use crate::plan::Plan;
use volery::circuit::Repeat;
use volery_cli::failure::{Failure, Result};
use volery_cli::preimage::{LENGTH, Preimage};

/// Proves knowledge of a random message, or of --count, in maps of --lanes.
pub(crate) fn sha256(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let count = size("--count", run.typed.count.as_deref(), 1)?;
    let lanes = size("--lanes", run.typed.lanes.as_deref(), Repeat::LANES)?;
    if count == 1 {
        if run.typed.lanes.is_some() {
            return Err(Failure::usage("--lanes: one message is no map: add --count"));
        }
        let Preimage { statement, witness, .. } = Preimage::random()?;
        return plan.print(&plan.stated(("length", LENGTH as u64), &statement, &witness)?);
    }
    let (statement, witness) =
        Preimage::several(Repeat { instances: count, lanes }).map_err(|why| why.at("--count or --lanes"))?;
    plan.print(&plan.stated(("count", count), &statement, &witness)?)
}
