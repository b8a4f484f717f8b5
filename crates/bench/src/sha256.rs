//! `volery bench sha256`: one preimage, from the start of the process to the verdict, or several at once.

use crate::args::size;
use crate::bench::Run;
use crate::plan::Plan;
use volery_cli::failure::Result;
use volery_cli::preimage::{LENGTH, Preimage};

/// Proves knowledge of a random message, or of --count.
pub(crate) fn sha256(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let count = size("--count", run.typed.count.as_deref(), 1)?;
    if count == 1 {
        let Preimage { statement, witness, .. } = Preimage::random()?;
        return plan.print(&plan.stated(("length", LENGTH as u64), &statement, &witness)?);
    }
    let (statement, witness) = Preimage::several(count).map_err(|why| why.at("--count"))?;
    plan.print(&plan.stated(("count", count), &statement, &witness)?)
}
