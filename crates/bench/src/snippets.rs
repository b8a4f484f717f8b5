//! `volery bench snippets`: an input that breaks one of many pieces of code.

use crate::args::size;
use crate::bench::Run;
use crate::plan::Plan;
use volery::circuit::{Relation, Statement, Value, Values};
use volery_cli::failure::Result;

/// Snippets where no number is given.
const COUNT: u64 = 4;

/// An input that breaks the first of them, as in the paper.
const EXPLOIT: &[u8; 14] = b"small_boERROR\0";

/// Proves that --count snippets have a bug.
pub(crate) fn snippets(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let count = size("--count", run.typed.count.as_deref(), COUNT)?;
    let relation = Relation::open(&format!("builtin:bug-in-snippets?count={count}"), None)?;
    let (mut public, mut private) = (Values::new(), Values::new());
    public.insert("bug", Value::from_bits_text("1")?)?;
    private.insert("input", Value::from_bytes(EXPLOIT))?;
    let statement = Statement::new(relation, public)?;
    let witness = statement.witness(private)?;
    plan.print(&plan.stated(("count", count), &statement, &witness)?)
}
