//! `volery bench sha256`: one preimage, from the start of the process to the verdict.

use crate::bench::Run;
use crate::plan::Plan;
use volery_cli::failure::Result;
use volery_cli::preimage::{LENGTH, Preimage};

/// Proves knowledge of a random message.
pub(crate) fn sha256(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let Preimage { statement, witness, .. } = Preimage::random()?;
    plan.print(&plan.stated(("length", LENGTH as u64), &statement, &witness)?)
}
