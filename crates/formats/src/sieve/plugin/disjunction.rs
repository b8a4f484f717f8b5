//! A call of one of several functions, which a number on wires chooses: the clauses.
//!
//! All of them are called. A clause is taken where the number is its guard, which its **indicator** says, one
//! or zero; what it asserts is asserted times its indicator, and results are the sum of all times theirs. So
//! that is a product for each result, and what clauses come to together.
//!
//! `strict` wants one to be taken; by `permissive` the last one is where no other is. Private values are as
//! many as are declared, or as the clause takes that takes most: each takes the first of them.

use super::mux::{equals, fits};
use super::{Binding, Bound};
use crate::sieve::body::{Body, Gate, NONE, Op, of};
use crate::sieve::function::{Function, MOST_WIRES, calls};
use crate::sieve::header::Argument;
use crate::sieve::number::Number;
use crate::sieve::reader::Reader;
use crate::sieve::scope::Scope;
use core::fmt::Display;
use std::collections::HashSet;
use volery_channel::error::{Error, Result};

/// Gates, words and constants that are kept of a clause beside its lists, about.
const KEPT_OF_CLAUSE: u64 = 64;

/// Private values that are given to clauses, of which as many as this take as long as one gate: a row of them
/// is kept as one.
const PASSED: u64 = 16;

impl Reader<'_> {
    /// The gates of a function that chooses among others, in `scope`: the slots of its results.
    pub(super) fn disjunction(
        &mut self,
        scope: &mut Scope,
        function: &Function,
        binding: &Binding,
    ) -> Result<Vec<u32>> {
        let bound = self.bind(function)?;
        self.of_numbers(bound.kind, "a disjunction")?;
        let (permissive, clauses) = self.clauses(&bound, binding)?;
        let needed = clauses.iter().map(|clause| self.functions[clause.1 as usize].private.count(bound.kind));
        let needed = needed.max().unwrap_or(0);
        let declared = match &binding.private[..] {
            [] => needed,
            [(kind, count)] if *kind == bound.kind || *count == 0 => *count,
            _ => {
                return Err(
                    self.wrong(binding, "private values are one number of them, of the type of all wires")
                );
            }
        };
        if !(needed..=MOST_WIRES).contains(&declared) {
            return Err(self.wrong(
                binding,
                format_args!("a clause takes {needed} private values, and {declared} are declared"),
            ));
        }
        let wires: u64 = function.ins.iter().chain(&function.outs).map(|list| list.1).sum();
        let each = KEPT_OF_CLAUSE + 4 * wires + needed / PASSED;
        let kept = each.saturating_mul(clauses.len() as u64).saturating_add(declared);
        fits(kept).map_err(|why| self.wrong(binding, why))?;
        let private: Vec<u32> = (0..declared).map(|_| scope.slots.take()).collect();
        if declared > 0 {
            let at = scope.body.list(private.iter().copied());
            scope.body.push(Op::Private, bound.kind, NONE, NONE, at);
            scope.private.push(bound.kind, declared).map_err(|why| self.wrong(binding, why))?;
            scope.cost.gates = scope.cost.gates.saturating_add(declared);
        }
        let taken = indicators(scope, &bound, &clauses, permissive);
        let mut results: Vec<Vec<u32>> =
            vec![Vec::new(); function.outs.iter().map(|list| list.1).sum::<u64>() as usize];
        for ((_, number), &taken) in clauses.iter().zip(&taken) {
            let takes = self.functions[*number as usize].private.count(bound.kind) as usize;
            let guarded = self.guarded(*number, bound.kind)?;
            let own: Vec<u32> = results.iter().map(|_| scope.slots.take()).collect();
            let at = scope.body.long(bound.line);
            let inputs = bound.ins[1..].iter().flatten().copied();
            scope.body.list(core::iter::once(taken).chain(inputs).chain(private[..takes].iter().copied()));
            scope.body.list(own.iter().copied());
            scope.body.push(Op::Call, bound.kind, NONE, guarded, at);
            calls(&self.text, scope, &self.functions[guarded as usize], 1)?;
            results.iter_mut().zip(own).for_each(|(all, own)| all.push(own));
        }
        Ok(results.iter().map(|all| scope.inner(bound.kind, &taken, all)).collect())
    }

    /// Whether the last clause is taken where no other is; and for each its guard and its function.
    fn clauses(&mut self, bound: &Bound<'_>, binding: &Binding) -> Result<(bool, Vec<(Number, u32)>)> {
        let (permissive, pairs) = match &binding.arguments[..] {
            [Argument::Name(mode), pairs @ ..] if mode == b"strict" => (false, pairs),
            [Argument::Name(mode), pairs @ ..] if mode == b"permissive" => (true, pairs),
            _ => {
                return Err(self
                    .wrong(binding, "write strict or permissive behind it, and then guards and functions"));
            }
        };
        let Some(condition) = bound.ins.first() else {
            return Err(self.wrong(binding, "there is no input to choose by"));
        };
        if !bound.binary && condition.len() != 1 {
            return Err(self.wrong(binding, "the first input, to choose by, is one wire"));
        }
        let mut clauses: Vec<(Number, u32)> = Vec::new();
        let mut guards = HashSet::new();
        for (i, pair) in pairs.chunks(2).enumerate() {
            let [Argument::Number(guard), Argument::Name(name)] = pair else {
                return Err(self.wrong(binding, "clauses are pairs of a guard and the name of a function"));
            };
            let Some(&number) = self.names.get(name) else { return Err(self.unknown(name)) };
            let inner = &self.functions[number as usize];
            if inner.outs != bound.function.outs || inner.ins != bound.function.ins[1..] {
                return Err(self.wrong(
                    binding,
                    format_args!(
                        "function {} is to have its lists, but for the one to choose by",
                        inner.title()
                    ),
                ));
            }
            let last = permissive && 2 * i + 2 == pairs.len();
            let fits = if bound.binary {
                guard.bits() as usize <= condition.len() && guard.to_element().is_some()
            } else {
                guard.below(bound.field.size())
            };
            if !last && !fits {
                return Err(self.wrong(binding, format_args!("no wires to choose by are {guard}")));
            }
            if !last && !guards.insert(guard.to_element()) {
                return Err(self.wrong(binding, format_args!("two clauses have the guard {guard}")));
            }
            clauses.push((guard.clone(), number));
        }
        if clauses.is_empty() {
            return Err(self.wrong(binding, "there are no clauses"));
        }
        Ok((permissive, clauses))
    }

    /// The number of a function that is function `number` where its first argument is one, and asserts
    /// nothing where that is zero. Its last arguments are the private values of all that it calls.
    fn guarded(&mut self, number: u32, kind: u8) -> Result<u32> {
        if let Some(&guarded) = self.guarded.get(&number) {
            return Ok(guarded);
        }
        // Taken out, so that functions which it calls can be added meanwhile.
        let function = core::mem::take(&mut self.functions[number as usize]);
        let made = self.guard(&function, kind);
        self.functions[number as usize] = function;
        let (scope, function, results) = made?;
        let guarded = self.keep(scope, function, results)?;
        self.guarded.insert(number, guarded);
        Ok(guarded)
    }

    fn guard(&mut self, function: &Function, kind: u8) -> Result<(Scope, Function, Vec<u32>)> {
        let lists = function.ins.iter().chain(&function.outs).map(|list| list.0);
        let reads = function.private.runs().map(|run| run.0);
        if lists.chain(reads).any(|other| other != kind) {
            return Err(self.clause(function, "it has wires of several types"));
        }
        if function.public.runs().next().is_some() {
            return Err(self.clause(function, "it reads public values"));
        }
        let private = function.private.count(kind);
        if private > MOST_WIRES {
            return Err(self.clause(function, "it reads too many private values"));
        }
        let mut ins = vec![(kind, 1)];
        ins.extend(&function.ins);
        ins.extend((private > 0).then_some((kind, private)));
        let mut scope = Scope::function(self.header.types.len(), false, &[], &ins);
        let arguments = function.arguments();
        let moved = Moved { kind, arguments, private: private as u32, next: 1 + arguments };
        scope.slots.take_row(function.slots - arguments);
        scope.body.constants.clone_from(&function.body.constants);
        let mut guarding = Guarding { reader: self, scope, moved, of: function };
        function.body.gates.iter().try_for_each(|gate| guarding.gate(&function.body, gate))?;
        let Guarding { scope, moved, .. } = guarding;
        let results = moved.list(function.body.read(function.results).list()).collect();
        let function = Function {
            name: function.name.clone(),
            outs: function.outs.clone(),
            ins,
            plugin: function.plugin.clone(),
            ..Function::default()
        };
        Ok((scope, function, results))
    }

    fn wrong(&self, binding: &Binding, why: impl Display) -> Error {
        self.text.fail(format_args!("switch of plugin {}: {why}", binding.plugin))
    }

    fn clause(&self, function: &Function, why: &str) -> Error {
        self.text.fail(format_args!("function {} cannot be a clause: {why}", function.title()))
    }
}

/// For each clause its indicator.
fn indicators(scope: &mut Scope, bound: &Bound<'_>, clauses: &[(Number, u32)], permissive: bool) -> Vec<u32> {
    let (kind, condition) = (bound.kind, &bound.ins[0]);
    let guarded = &clauses[..clauses.len() - usize::from(permissive)];
    let mut taken = Vec::new();
    for (guard, _) in guarded {
        let guard = guard.to_element().expect("looked at");
        if !bound.binary {
            taken.push(equals(scope, bound, condition[0], bound.negated(guard)));
            continue;
        }
        let places = condition.iter().rev().enumerate();
        let bits = places.map(|(place, &bit)| {
            let one = place < 256 && guard[place / 64] >> (place % 64) & 1 == 1;
            if one { bit } else { scope.add_constant(kind, bit, [1, 0, 0, 0]) }
        });
        let bits: Vec<u32> = bits.collect();
        taken.push(bits[1..].iter().fold(bits[0], |all, &bit| scope.mul(kind, all, bit)));
    }
    let sum = taken.iter().copied().reduce(|sum, taken| scope.add(kind, sum, taken));
    match sum {
        None => taken.push(scope.constant(kind, [1, 0, 0, 0])),
        Some(sum) if permissive => {
            let minus = scope.mul_constant(kind, sum, bound.minus_one());
            taken.push(scope.add_constant(kind, minus, [1, 0, 0, 0]));
        }
        Some(sum) => {
            let none = scope.add_constant(kind, sum, bound.minus_one());
            scope.assert_zero(kind, none, bound.line);
        }
    }
    taken
}

/// The places of a function's slots in the guarded one: behind the indicator its arguments, then private
/// values, then all others.
struct Moved {
    kind: u8,
    arguments: u32,
    private: u32,
    /// The slot of the private value that is taken next.
    next: u32,
}

impl Moved {
    fn slot(&self, slot: u32) -> u32 {
        if slot < self.arguments { slot + 1 } else { slot + 1 + self.private }
    }

    fn list<'m>(&'m self, slots: impl Iterator<Item = u32> + 'm) -> impl Iterator<Item = u32> + 'm {
        slots.map(|slot| self.slot(slot))
    }
}

/// Gates of a function as they are made those of a guarded one.
struct Guarding<'g, 's> {
    reader: &'g mut Reader<'s>,
    scope: Scope,
    moved: Moved,
    of: &'g Function,
}

/// The slot of the indicator.
const TAKEN: u32 = 0;

impl Guarding<'_, '_> {
    fn gate(&mut self, body: &Body, &Gate { op, kind, out, a, b }: &Gate) -> Result<()> {
        let (scope, moved) = (&mut self.scope, &mut self.moved);
        if kind != moved.kind && !matches!(op, Op::Call | Op::Loop | Op::Forget) {
            return Err(self.reader.clause(self.of, "it has wires of several types"));
        }
        let kind = moved.kind;
        scope.cost.gates = scope.cost.gates.saturating_add(1);
        match op {
            Op::Constant => scope.body.push(op, kind, moved.slot(out), a, b),
            Op::Add | Op::Mul => scope.body.push(op, kind, moved.slot(out), moved.slot(a), moved.slot(b)),
            Op::AddConstant | Op::MulConstant | Op::Copy | Op::IsZero => {
                scope.body.push(op, kind, moved.slot(out), moved.slot(a), b);
            }
            Op::Forget => scope.body.push(op, kind, out, moved.slot(a), b),
            Op::Private => {
                for slot in body.read(b).list() {
                    scope.body.push(Op::Copy, kind, moved.slot(slot), moved.next, NONE);
                    moved.next += 1;
                }
            }
            Op::Assert => {
                let line = body.read(b).long();
                scope.assert_product(kind, (TAKEN, moved.slot(a)), NONE, line);
            }
            Op::AssertProduct => {
                let mut words = body.read(b);
                let (b, line) = (words.next(), words.long());
                let product = scope.mul(kind, moved.slot(a), moved.slot(b));
                let mut made = vec![product];
                if out != NONE {
                    made.push(scope.mul_constant(kind, moved.slot(out), self.reader.minus_one(kind)));
                    made.push(scope.add(kind, product, made[1]));
                }
                scope.assert_product(kind, (TAKEN, *made.last().expect("the product")), NONE, line);
                made.into_iter().for_each(|slot| scope.leave(kind, slot));
            }
            Op::AssertInner => {
                let mut words = body.read(b);
                let line = words.long();
                let [x, y]: [Vec<u32>; 2] = core::array::from_fn(|_| moved.list(words.list()).collect());
                let sum = scope.inner(kind, &x, &y);
                scope.assert_product(kind, (TAKEN, sum), NONE, line);
                scope.leave(kind, sum);
            }
            Op::Permutation => {
                // Lists of zeros are permutations of each other.
                let mut words = body.read(b);
                let (line, width) = (words.long(), words.next());
                let lists: [Vec<u32>; 2] = core::array::from_fn(|_| {
                    let list: Vec<u32> = moved.list(words.list()).collect();
                    list.into_iter().map(|slot| scope.mul(kind, TAKEN, slot)).collect()
                });
                let at = scope.body.long(line);
                scope.body.words.push(width);
                for list in &lists {
                    scope.body.list(list.iter().copied());
                }
                scope.body.push(op, kind, NONE, NONE, at);
                scope.cost.assertions = scope.cost.assertions.saturating_add(1);
                lists.into_iter().flatten().for_each(|slot| scope.leave(kind, slot));
            }
            Op::Hint | Op::Inner => {
                let mut words = body.read(b);
                let at = scope.body.list(moved.list(words.list()));
                scope.body.list(moved.list(words.list()));
                let out = if op == Op::Inner { moved.slot(out) } else { out };
                scope.body.push(op, kind, out, NONE, at);
            }
            Op::Call => {
                let mut words = body.read(b);
                let line = words.long();
                let [arguments, results]: [Vec<u32>; 2] =
                    core::array::from_fn(|_| moved.list(words.list()).collect());
                let takes = self.reader.functions[a as usize].private.count(kind) as u32;
                let private = moved.next..moved.next + takes;
                moved.next = private.end;
                let guarded = self.reader.guarded(a, kind)?;
                let at = scope.body.long(line);
                scope.body.list(core::iter::once(TAKEN).chain(arguments).chain(private));
                scope.body.list(results);
                scope.body.push(op, kind, NONE, guarded, at);
                calls(&self.reader.text, scope, &self.reader.functions[guarded as usize], 1)?;
            }
            Op::Loop => return self.turns(body, (a, b)),
            Op::Public => return Err(self.reader.clause(self.of, "it reads public values")),
            Op::Convert => return Err(self.reader.clause(self.of, "it converts wires")),
            Op::Memory | Op::Read | Op::Write => {
                return Err(self.reader.clause(self.of, "it uses a memory"));
            }
        }
        Ok(())
    }

    /// A loop over function `a`.
    fn turns(&mut self, body: &Body, (a, b): (u32, u32)) -> Result<()> {
        let (scope, moved) = (&mut self.scope, &mut self.moved);
        let mut words = body.read(b);
        let (line, times, counter, count) = (words.long(), words.long(), words.next(), words.next());
        let lists = (0..count).map(|_| [moved.slot(words.next()), words.next(), words.next()]);
        let (others, outs): (Vec<_>, Vec<_>) = lists.partition(|list| list[2] != of::OUTPUT);
        let takes = self.reader.functions[a as usize].private.count(moved.kind) as u32;
        let private = (takes > 0).then_some([moved.next, takes, of::INPUT]);
        moved.next += takes * times as u32;
        let guarded = self.reader.guarded(a, moved.kind)?;
        let all = core::iter::once([TAKEN, 1, of::ENVIRONMENT]).chain(others).chain(private).chain(outs);
        let all: Vec<[u32; 3]> = all.collect();
        let at = scope.body.long(line);
        scope.body.long(times);
        scope.body.words.extend([counter, all.len() as u32]);
        scope.body.words.extend(all.iter().flatten());
        scope.body.push(Op::Loop, moved.kind, NONE, guarded, at);
        // A call of each turn is a record, with its lists.
        let records = (2 + all.len() as u64).saturating_mul(times);
        scope.cost.records = scope.cost.records.saturating_add(records);
        calls(&self.reader.text, scope, &self.reader.functions[guarded as usize], times)
    }
}
