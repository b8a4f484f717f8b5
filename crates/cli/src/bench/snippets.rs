//! `volery bench snippets`: an input that breaks one of many pieces of code.

use super::{Plan, size};
use crate::args::Bench;
use crate::failure::Result;
use std::time::Instant;
use volery::Binary;
use volery::circuit::{Relation, Statement, Value, Values};

/// Snippets where no number is given.
const COUNT: u64 = 4;

/// An input that breaks the first of them, as in the paper.
const EXPLOIT: &[u8; 14] = b"small_boERROR\0";

/// Proves that --count snippets have a bug.
pub(super) fn snippets(typed: &Bench, started: Instant) -> Result<()> {
    let plan = Plan::<Binary>::new(typed, started)?;
    let count = size("--count", typed.count.as_deref(), COUNT)?;
    let relation = Relation::open(&format!("builtin:bug-in-snippets?count={count}"), None)?;
    let (mut public, mut private) = (Values::new(), Values::new());
    public.insert("bug", Value::from_bits_text("1")?)?;
    private.insert("input", Value::from_bytes(EXPLOIT))?;
    let statement = Statement::new(relation, public)?;
    let witness = statement.witness(private)?;
    plan.print(&plan.stated("snippets", ("count", count), &statement, &witness)?)
}
