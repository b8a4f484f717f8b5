//! A function as one list of gates without calls, for who walks it over many lanes at a time.

mod polynomials;
#[cfg(test)]
mod tests;

pub use polynomials::{Extent, Polynomials};

use super::block::{Block, HintFunction, KEPT, Op};
use polynomials::Open;
use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use volery_primitives::Field;

/// The most steps, and lists within them, of a function that is written so: they are held in memory, where calls
/// within calls would be told once.
const MOST_STEPS: usize = 1 << 20;

/// The most words of 32 bits of its polynomials.
const MOST_WORDS: usize = 1 << 22;

/// A function without calls. Wires stand on slots: first its arguments, then what its steps make; a slot is given
/// again once its value was read for the last time, perhaps to the step that reads it.
#[derive(Debug)]
pub struct StraightLine<F> {
    /// The gates in their order.
    pub steps: Vec<Step>,
    /// Constants, and public factors.
    pub constants: Vec<F>,
    /// The values that a prover computes.
    pub hints: Vec<Hint<F>>,
    /// Polynomials, as they are computed together.
    pub polynomials: Vec<Polynomials<F>>,
    /// The number of slots.
    pub slots: usize,
    /// The number of arguments.
    pub arguments: usize,
    /// The slots of the results.
    pub results: Vec<u32>,
    /// The steps that commit to a value.
    pub commitments: u64,
    /// The commitments to elements of the witness, and to hinted values.
    pub inputs: u64,
    /// The elements of the witness.
    pub witness: u64,
    /// The assertions that have a name.
    pub assertions: u64,
    /// All assertions: of a vector, one on each of its lanes.
    pub asserted: u64,
    /// The extent of polynomials that are to be zero, asserted products among them.
    pub extent: Extent,
    /// The sums of wires, as backends count them.
    pub additions: u64,
    /// The outputs, which are no steps: in a proof they do nothing.
    pub outputs: u64,
    /// The operands and results of hints, and the wires of polynomials.
    operands: usize,
}

/// The functions that were mapped last, without their calls.
pub struct Lines<F>(VecDeque<Found<F>>);

/// A function, and what it is without its calls, if it can be mapped.
struct Found<F> {
    function: Weak<Block<F>>,
    line: Option<Arc<StraightLine<F>>>,
}

/// The functions that are kept.
const FOUND: usize = 8;

impl<F> Default for Lines<F> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<F: Field> Lines<F> {
    /// `function` without its calls, if it has such a form and that `fits`.
    pub fn find(
        &mut self,
        function: &Arc<Block<F>>,
        fits: impl FnOnce(&StraightLine<F>) -> bool,
    ) -> Option<Arc<StraightLine<F>>> {
        let is_same = |found: &&Found<F>| found.function.as_ptr() == Arc::as_ptr(function);
        if let Some(found) = self.0.iter().find(is_same) {
            return found.line.clone();
        }
        let line = StraightLine::of(function).filter(fits).map(Arc::new);
        self.0.truncate(FOUND - 1);
        // A weak reference keeps the address from being used again.
        self.0.push_front(Found { function: Arc::downgrade(function), line: line.clone() });
        line
    }
}

/// A gate: its operation, the slot of its result, and its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The operation.
    pub kind: Kind,
    /// The slot of the result.
    pub out: u32,
    /// The first operand: a slot, or a number.
    pub a: u32,
    /// The second operand.
    pub b: u32,
    /// The third operand.
    pub c: u32,
}

/// The operation of a [`Step`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The constant with number `a`.
    Constant,
    /// The sum of the wires on `a` and `b`.
    Add,
    /// The wire on `a` times the constant with number `b`.
    Scale,
    /// The product of the wires on `a` and `b`: a commitment.
    Mul,
    /// The next element of the witness, number `a` of the function: a commitment.
    Witness,
    /// The values of hint number `a`, which are put on the slots of its results, for the steps that follow to
    /// commit to.
    Hint,
    /// The commitment to the hinted value on `out`.
    Commit,
    /// Assertion number `out`, that the wire on `a` carries zero.
    Assert,
    /// Assertion number `out`, that the wire on `c` is the product of those on `a` and `b`.
    AssertProduct,
    /// Polynomials number `a`.
    Polynomials,
}

impl Kind {
    /// Whether it is a commitment.
    pub fn commits(self) -> bool {
        matches!(self, Self::Mul | Self::Witness | Self::Commit)
    }
}

/// Values that a prover computes from others.
pub struct Hint<F> {
    /// The function from the values of the arguments to those of the results.
    pub function: HintFunction<F>,
    /// The slots of the arguments.
    pub of: Vec<u32>,
    /// The slots of the results.
    pub results: Vec<u32>,
}

impl<F> core::fmt::Debug for Hint<F> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "hint of {:?} on {:?}", self.of, self.results)
    }
}

impl<F> StraightLine<F> {
    /// The step at which a walk over so many lanes waits for shares that has taken so many: that of a commitment, or none
    /// where all are made. It begins before the first step.
    pub fn step_after(&self, taken: u64, lanes: u64) -> usize {
        if taken == 0 {
            return 0;
        }
        let mut steps = (0..self.steps.len()).filter(|step| self.steps[*step].kind.commits());
        steps.nth((taken / lanes) as usize).unwrap_or(self.steps.len())
    }

    /// Whether it has steps of these kinds alone.
    pub fn is_of(&self, kinds: &[Kind]) -> bool {
        self.steps.iter().all(|step| kinds.contains(&step.kind))
    }
}

impl<F: Field> StraightLine<F> {
    /// `function` without calls; `None` where something else than gates is in it, or too much.
    pub fn of(function: &Arc<Block<F>>) -> Option<Self> {
        let arguments = function.arguments as usize;
        let mut line = Self {
            steps: Vec::new(),
            constants: Vec::new(),
            hints: Vec::new(),
            polynomials: Vec::new(),
            slots: arguments,
            arguments,
            results: Vec::new(),
            commitments: 0,
            inputs: 0,
            witness: 0,
            assertions: 0,
            asserted: 0,
            extent: Extent::default(),
            additions: 0,
            outputs: 0,
            operands: 0,
        };
        let (mut values, mut open) = (arguments as u32, Open::default());
        line.results = line.inline(function, (0..values).collect(), &mut values, &mut open)?;
        line.place(values);
        Some(line)
    }

    /// Appends the gates of `block`, whose arguments are these values, and gives its results. Values are
    /// numbered: so far there are `values`. Vectors are among those that are `open`.
    fn inline(
        &mut self,
        block: &Block<F>,
        mut on: Vec<u32>,
        values: &mut u32,
        open: &mut Open<F>,
    ) -> Option<Vec<u32>> {
        on.resize((block.slots as usize).max(on.len()), u32::MAX);
        let mut vectors = vec![None; block.vectors as usize];
        for record in &block.records {
            let [out, a, b] = [record.out, record.a, record.b].map(|number| number as usize);
            match record.op {
                Op::Constant => on[out] = self.constant(block.constants[a], values)?,
                Op::Add => {
                    self.additions += 1;
                    on[out] = self.make(Kind::Add, on[a], on[b], values)?;
                }
                Op::Mul => {
                    self.commitments += 1;
                    on[out] = self.make(Kind::Mul, on[a], on[b], values)?;
                }
                Op::Scale => on[out] = self.scale(on[a], block.constants[b], values)?,
                Op::Linear => {
                    let terms = block.read(record.a).list();
                    let factors = block.constants.get(b..b + terms.len())?;
                    let terms = terms.iter().map(|slot| on[slot as usize]).collect::<Vec<_>>();
                    on[out] = self.linear(factors, &terms, values)?;
                }
                Op::LinearRows => {
                    let mut words = block.read(record.a);
                    let [columns, sums] = [words.list(), words.list()];
                    let columns = columns.iter().map(|slot| on[slot as usize]).collect::<Vec<_>>();
                    let factors = &block.constants[b..b + out];
                    for (row, slot) in sums.iter().enumerate() {
                        let terms = columns[row..].iter().step_by(sums.len()).copied().collect::<Vec<_>>();
                        on[slot as usize] = self.linear(factors, &terms, values)?;
                    }
                }
                Op::Witness => {
                    for on in &mut on[out..out + a] {
                        *on = self.make(Kind::Witness, u32::try_from(self.witness).ok()?, 0, values)?;
                        self.witness += 1;
                    }
                    (self.inputs, self.commitments) = (self.inputs + a as u64, self.commitments + a as u64);
                }
                Op::Hint => {
                    let mut words = block.read(record.a);
                    let of: Vec<_> = words.list().iter().map(|slot| on[slot as usize]).collect();
                    let slots = words.list();
                    let made = self.hint(block.hints[out].clone(), of, slots.len(), values)?;
                    slots.iter().zip(made).for_each(|(slot, value)| on[slot as usize] = value);
                }
                Op::Assert => {
                    let number = self.assertion()?;
                    self.asserted += 1;
                    self.push(Kind::Assert, number, on[a], 0)?;
                }
                Op::AssertProduct => {
                    let number = self.assertion()?;
                    self.asserted += 1;
                    self.extent.add(1, 2);
                    self.extent.compute(2);
                    let step =
                        Step { kind: Kind::AssertProduct, out: number, a: on[a], b: on[b], c: on[out] };
                    self.push_step(step)?;
                }
                Op::AssertZeroes => {
                    let number = self.assertion()?;
                    let vector = &mut vectors[a];
                    self.asserted += open.lanes(vector.expect("a vector that was made")) as u64;
                    open.vanish(vector, (number, record.out == KEPT), &mut self.extent);
                    self.push_ended(open)?;
                }
                Op::Commit => {
                    let vector = vectors[a].expect("a vector that was made");
                    let (hint, of) = open.hint(vector);
                    let made = self.hint(hint, of.to_vec(), open.lanes(vector), values)?;
                    block
                        .read(record.b)
                        .list()
                        .iter()
                        .zip(&made)
                        .for_each(|(slot, value)| on[slot as usize] = *value);
                    open.equal(vector, &made, &mut self.extent);
                }
                Op::Output => self.outputs += 1,
                Op::Call => {
                    let mut words = block.read(record.a);
                    let arguments = words.list().iter().map(|slot| on[slot as usize]).collect();
                    let results = self.inline(&block.functions[out], arguments, values, open)?;
                    words.list().iter().zip(results).for_each(|(slot, value)| on[slot as usize] = value);
                }
                Op::Map => {
                    if b > MOST_STEPS {
                        return None;
                    }
                    let mut words = block.read(record.a);
                    let [arguments, results] =
                        [words.list(), words.list()].map(|list| list.columns(record.b));
                    let of = |lane| arguments.of(lane).map(|slot| on[slot as usize]).collect::<Vec<_>>();
                    let lanes = (0..b).map(of).collect::<Vec<_>>();
                    for (lane, arguments) in lanes.into_iter().enumerate() {
                        let made = self.inline(&block.functions[out], arguments, values, open)?;
                        results.of(lane).zip(made).for_each(|(slot, value)| on[slot as usize] = value);
                    }
                }
                _ => {
                    open.push(block, *record, &on, &mut vectors, &mut self.extent)?;
                    self.push_ended(open)?;
                }
            }
        }
        open.leave_all(vectors);
        self.push_ended(open)?;
        Some(block.read(block.results).list().iter().map(|slot| on[slot as usize]).collect())
    }

    fn push(&mut self, kind: Kind, out: u32, a: u32, b: u32) -> Option<()> {
        self.push_step(Step { kind, out, a, b, c: 0 })
    }

    fn push_step(&mut self, step: Step) -> Option<()> {
        if step.kind.commits() {
            self.extent.commit();
        }
        self.steps.push(step);
        (self.steps.len() <= MOST_STEPS).then_some(())
    }

    /// The number of the next assertion.
    fn assertion(&mut self) -> Option<u32> {
        self.assertions += 1;
        u32::try_from(self.assertions - 1).ok()
    }

    /// Appends commitments to what a hint makes `of` some values, and gives the new ones.
    fn hint(
        &mut self,
        function: HintFunction<F>,
        of: Vec<u32>,
        results: usize,
        values: &mut u32,
    ) -> Option<Vec<u32>> {
        let results = (*values..*values + results as u32).collect::<Vec<_>>();
        *values += results.len() as u32;
        self.count_operands(of.len() + results.len())?;
        self.inputs += results.len() as u64;
        self.commitments += results.len() as u64;
        self.push(Kind::Hint, 0, self.hints.len() as u32, 0)?;
        for value in &results {
            self.push(Kind::Commit, *value, 0, 0)?;
        }
        self.hints.push(Hint { function, of, results: results.clone() });
        Some(results)
    }

    fn count_operands(&mut self, count: usize) -> Option<()> {
        self.operands += count;
        (self.operands <= MOST_STEPS).then_some(())
    }

    /// Appends the polynomials that are open, if no vector of them is still to be read.
    fn push_ended(&mut self, open: &mut Open<F>) -> Option<()> {
        if open.size() > MOST_WORDS {
            return None;
        }
        let Some(polynomials) = open.take_ended(&mut self.extent) else { return Some(()) };
        self.count_operands(polynomials.of.len())?;
        self.push(Kind::Polynomials, 0, self.polynomials.len() as u32, 0)?;
        self.polynomials.push(polynomials);
        Some(())
    }

    /// Appends a step that makes a value.
    fn make(&mut self, kind: Kind, a: u32, b: u32, values: &mut u32) -> Option<u32> {
        let value = *values;
        *values += 1;
        self.push(kind, value, a, b)?;
        Some(value)
    }

    fn constant(&mut self, c: F, values: &mut u32) -> Option<u32> {
        let number = self.number(c);
        self.make(Kind::Constant, number, 0, values)
    }

    /// The number of a constant.
    fn number(&mut self, c: F) -> u32 {
        // Those of F_2 are two; elsewhere the last ones are often taken again.
        let known = self.constants.iter().rev().take(4).position(|known| *known == c);
        let at = known.map_or(self.constants.len(), |back| self.constants.len() - 1 - back);
        if known.is_none() {
            self.constants.push(c);
        }
        at as u32
    }

    fn scale(&mut self, a: u32, c: F, values: &mut u32) -> Option<u32> {
        if c == F::ONE {
            return Some(a);
        }
        if c == F::ZERO {
            return self.constant(c, values);
        }
        let number = self.number(c);
        self.make(Kind::Scale, a, number, values)
    }

    fn linear(&mut self, factors: &[F], terms: &[u32], values: &mut u32) -> Option<u32> {
        self.additions += terms.len().saturating_sub(1) as u64;
        let mut sum = None;
        for (factor, term) in factors.iter().zip(terms) {
            if *factor == F::ZERO {
                continue;
            }
            let term = self.scale(*term, *factor, values)?;
            sum = Some(match sum {
                None => term,
                Some(sum) => self.make(Kind::Add, sum, term, values)?,
            });
        }
        sum.map_or_else(|| self.constant(F::ZERO, values), Some)
    }

    /// Gives slots to the values, of which there are so many.
    fn place(&mut self, values: u32) {
        const UNREAD: usize = usize::MAX;
        const RESULT: usize = usize::MAX - 1;
        let mut last = vec![UNREAD; values as usize];
        for (at, step) in self.steps.iter().enumerate() {
            for value in operands(step, &self.hints, &self.polynomials) {
                last[value as usize] = at;
            }
        }
        self.results.iter().for_each(|value| last[*value as usize] = RESULT);
        let mut slot = (0..values).collect::<Vec<_>>();
        let mut free = Vec::new();
        let (mut slots, mut read) = (self.arguments as u32, Vec::new());
        let mut take = |free: &mut Vec<u32>| {
            free.pop().unwrap_or_else(|| {
                slots += 1;
                slots - 1
            })
        };
        for (at, step) in self.steps.iter_mut().enumerate() {
            read.clear();
            read.extend(operands(step, &self.hints, &self.polynomials));
            read.sort_unstable();
            read.dedup();
            let made = match step.kind {
                Kind::Hint => self.hints[step.a as usize].results.clone(),
                Kind::Assert | Kind::AssertProduct | Kind::Polynomials | Kind::Commit => Vec::new(),
                _ => vec![step.out],
            };
            match step.kind {
                Kind::Add | Kind::Mul => {
                    (step.a, step.b) = (slot[step.a as usize], slot[step.b as usize]);
                }
                Kind::AssertProduct => {
                    for operand in [&mut step.a, &mut step.b, &mut step.c] {
                        *operand = slot[*operand as usize];
                    }
                }
                Kind::Polynomials => {
                    let of = &mut self.polynomials[step.a as usize].of;
                    of.iter_mut().for_each(|value| *value = slot[*value as usize]);
                }
                Kind::Scale | Kind::Assert => step.a = slot[step.a as usize],
                Kind::Commit => step.out = slot[step.out as usize],
                Kind::Hint => {
                    let of = &mut self.hints[step.a as usize].of;
                    of.iter_mut().for_each(|value| *value = slot[*value as usize]);
                }
                Kind::Constant | Kind::Witness => {}
            }
            free.extend(
                read.iter().filter(|value| last[**value as usize] == at).map(|value| slot[*value as usize]),
            );
            for value in &made {
                slot[*value as usize] = take(&mut free);
            }
            match step.kind {
                Kind::Hint => {
                    let results = &mut self.hints[step.a as usize].results;
                    results.iter_mut().for_each(|value| *value = slot[*value as usize]);
                }
                Kind::Assert | Kind::AssertProduct | Kind::Polynomials | Kind::Commit => {}
                _ => step.out = slot[step.out as usize],
            }
            free.extend(
                made.iter()
                    .filter(|value| last[**value as usize] == UNREAD)
                    .map(|value| slot[*value as usize]),
            );
        }
        self.results.iter_mut().for_each(|value| *value = slot[*value as usize]);
        self.slots = slots as usize;
    }
}

/// The values that a step reads. A commitment to a hinted value reads it.
fn operands<'h, F>(
    step: &Step,
    hints: &'h [Hint<F>],
    polynomials: &'h [Polynomials<F>],
) -> impl Iterator<Item = u32> + use<'h, F> {
    let (single, listed): ([Option<u32>; 3], &[u32]) = match step.kind {
        Kind::Add | Kind::Mul => ([Some(step.a), Some(step.b), None], &[]),
        Kind::AssertProduct => ([Some(step.a), Some(step.b), Some(step.c)], &[]),
        Kind::Scale | Kind::Assert => ([Some(step.a), None, None], &[]),
        Kind::Commit => ([Some(step.out), None, None], &[]),
        Kind::Hint => ([None; 3], &hints[step.a as usize].of),
        Kind::Polynomials => ([None; 3], &polynomials[step.a as usize].of),
        Kind::Constant | Kind::Witness => ([None; 3], &[]),
    };
    single.into_iter().flatten().chain(listed.iter().copied())
}
