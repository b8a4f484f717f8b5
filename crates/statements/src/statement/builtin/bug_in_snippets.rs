//! Knowledge of an input that breaks a piece of code: one of many, and not which.

use super::{Described, Disjunction, Ports, numbers};
use crate::statement::Port;
use crate::statement::snippets::{INPUT, SNIPPETS, bug_in_snippet, bug_in_snippets};
use volery_channel::error::{Error, Result};
use volery_circuit::Backend;
use volery_primitives::F2;

/// Name with keys and defaults, and what it states.
pub(super) const LISTED: (&str, &str) = (
    "bug-in-snippets?count=4",
    "the prover knows an `input` of 14 bytes, a text with zeros behind it, that breaks at least one of `count` pieces of C \
     if `bug` is 0b1: four that differ, and then copies of them",
);

/// The most snippets: some 10^11 ANDs.
const MOST: u64 = 1 << 20;

/// The statement.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::statement) struct BugInSnippets {
    count: u64,
}

impl BugInSnippets {
    pub(super) fn parse(name: &str, parameters: &str) -> Result<Self> {
        let [count] = numbers(name, parameters, [("count", 4)])?;
        if !(1..=MOST).contains(&count) {
            return Err(Error::invalid(format!(
                "builtin:{name} with count={count}: choose from 1 to {MOST}"
            )));
        }
        Ok(Self { count })
    }

    /// Pushes the statement, of which each snippet is a clause, or one clause.
    pub(super) fn run<B: Backend<F = F2>>(
        &self,
        b: &mut B,
        ports: &mut impl Ports<B>,
        clause: Option<usize>,
    ) -> Result<()> {
        let input = ports.bytes(b, 0, 0..INPUT as u64)?;
        let outcome = match clause {
            Some(number) => bug_in_snippet(b, number as u64, &input)?,
            None => bug_in_snippets(b, self.count, &input)?,
        };
        let held = &outcome.assertions;
        ports.claim(b, 0, outcome.failed, format_args!("no assertion failed; these held: {held}"))
    }
}

impl Described for BugInSnippets {
    fn canonical(&self) -> String {
        format!("bug-in-snippets?count={}", self.count)
    }

    fn version(&self) -> u32 {
        1
    }

    fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        (vec![Port::new("input", 8 * INPUT as u64)], vec![Port::new("bug", 1)])
    }

    fn disjunction(&self) -> Option<Disjunction> {
        Some(Disjunction { claim: 0, clauses: self.count as usize, kinds: SNIPPETS as usize })
    }
}
