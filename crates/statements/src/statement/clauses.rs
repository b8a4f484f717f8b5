//! Statements as clauses: those of one statement, and several statements of which one holds.

#[cfg(test)]
mod tests;

use super::{PortValue as _, Program as _, Relation, Statement};
use std::collections::HashMap;
use volery_channel::error::{Error, Result};
use volery_circuit::stream::{ClauseSource, Recorder, Source};
use volery_circuit::{Alternatives, Branch, Shape};
use volery_primitives::F2;

/// The clauses of a statement: those of a built-in one that claims that one of several things holds, or else
/// the statement as a whole. All of them have the statement's private inputs, and so read its witness.
impl Alternatives for Statement {
    fn count(&self) -> usize {
        self.disjunction().map_or(1, |(clauses, _)| clauses)
    }
    fn like(&self, clause: usize) -> usize {
        self.disjunction().map_or(clause, |(_, kinds)| clause % kinds)
    }
}

impl ClauseSource for Statement {
    fn record_clause(&self, clause: usize, b: &mut Branch<'_, Recorder<'_, F2>>) -> Result<()> {
        let count = self.count();
        assert!(clause < count, "clause {clause} of {count}");
        let clause = (count > 1).then_some(clause);
        self.relation.push(b, &self.inputs, &self.outputs, clause)
    }
}

impl Statement {
    /// The numbers of clauses and of their kinds, if the statement claims that one of them holds.
    fn disjunction(&self) -> Option<(usize, usize)> {
        let disjunction = self.relation.disjunction()?;
        let claim = self.outputs[disjunction.claim].as_ref()?;
        claim.bit(0).to_bool().then_some((disjunction.clauses, disjunction.kinds))
    }

    /// A key that is equal for statements whose gates differ in public constants and wiring at most: a hash of
    /// the relation, of which ports are public, and, where public inputs change the gates, of their values.
    fn gates_key(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery gates of a statement v1");
        let mut field = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        field(self.relation.format_name().as_bytes());
        field(&self.relation.identity());
        for value in self.inputs.iter().chain(&self.outputs) {
            field(&[u8::from(value.is_some())]);
        }
        if self.relation.folds() {
            self.inputs.iter().flatten().for_each(|value| field(&value.encoding()));
        }
        hasher.finalize().into()
    }
}

impl Relation {
    /// Whether the relation can claim that one of several things holds.
    pub fn has_clauses(&self) -> bool {
        self.disjunction().is_some()
    }

    /// The gates of each clause, or nothing where the relation has no clauses. All inputs that may be private
    /// are, and no output is asserted, as for [`Relation::shape`].
    ///
    /// # Errors
    /// `Invalid` where a clause is malformed.
    pub fn clauses(&self) -> Result<Vec<Shape>> {
        let Some(disjunction) = self.disjunction() else { return Ok(Vec::new()) };
        let kinds = disjunction.kinds.min(disjunction.clauses);
        let kinds = (0..kinds).map(|clause| Shape::of(&Bare { relation: self, clause }));
        let kinds = kinds.collect::<Result<Vec<_>>>()?;
        Ok(kinds.into_iter().cycle().take(disjunction.clauses).collect())
    }
}

/// A clause without values.
struct Bare<'a> {
    relation: &'a Relation,
    clause: usize,
}

impl Source<F2> for Bare<'_> {
    fn record(&self, b: &mut Recorder<'_, F2>) -> Result<()> {
        let (inputs, outputs) = (self.relation.inputs(), self.relation.outputs());
        let [inputs, outputs] = [inputs, outputs].map(|ports| vec![None; ports.len()]);
        self.relation.push(&mut Branch::asserting(b), &inputs, &outputs, Some(self.clause))
    }
}

/// A disjunction of whole statements, each of which is a clause.
pub struct AnyOf {
    statements: Vec<Statement>,
    /// For each clause the number of the first one that is like it.
    like: Vec<usize>,
}

impl AnyOf {
    /// The disjunction of `statements`.
    ///
    /// # Errors
    /// `Invalid` where there are none.
    pub fn new(statements: Vec<Statement>) -> Result<Self> {
        if statements.is_empty() {
            return Err(Error::invalid("a disjunction without statements never holds: give at least one"));
        }
        let mut first = HashMap::new();
        let kinds = statements.iter().map(Statement::gates_key).enumerate();
        let like = kinds.map(|(i, kind)| *first.entry(kind).or_insert(i)).collect();
        Ok(Self { statements, like })
    }

    /// The statements, in the order of the clauses.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// A collision-resistant digest of all statements in order.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery one of several statements v1");
        hasher.update(&(self.statements.len() as u64).to_le_bytes());
        for statement in &self.statements {
            hasher.update(&statement.digest());
        }
        hasher.finalize().into()
    }
}

impl Alternatives for AnyOf {
    fn count(&self) -> usize {
        self.statements.len()
    }
    fn like(&self, clause: usize) -> usize {
        self.like[clause]
    }
}

impl ClauseSource for AnyOf {
    fn record_clause(&self, clause: usize, b: &mut Branch<'_, Recorder<'_, F2>>) -> Result<()> {
        let Statement { relation, inputs, outputs, .. } = &self.statements[clause];
        relation.push(b, inputs, outputs, None)
    }
}
