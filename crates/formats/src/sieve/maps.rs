//! Calls of one function none of which depends on what another gives: those of a loop, for each element of lists; and
//! those that stand in a row in the statement, as who writes loops out has them.
//!
//! Over one field many such calls are one map of the stream; the others are made one after the other.

use super::body::{Body, Gate, of};
use super::execute::{Execution, Frame, GatePlace, Held, Inputs, Pushed, modulus, read_public};
use super::words;
use core::ops::Range;
use std::collections::BTreeMap;
use volery_channel::error::{Error, Result};
use volery_circuit::Backend as _;
use volery_circuit::stream::{Handle, Recorder};
use volery_primitives::Field;

/// A gate [`Op::Loop`](super::body::Op::Loop).
struct Loop {
    function: u32,
    /// The type of the counter.
    kind: u8,
    line: u64,
    times: u64,
    /// The wires of the counter, if there is one.
    counter: u32,
    /// The first slot of each list, its length in each turn, and what it is.
    lists: Vec<[u32; 3]>,
}

impl Loop {
    fn read(body: &Body, gate: &Gate) -> Self {
        let mut words = body.read(gate.b);
        let (line, times, counter) = (words.long(), words.long(), words.next().saturating_sub(1));
        let lists = (0..words.next()).map(|_| [words.next(), words.next(), words.next()]).collect();
        Self { function: gate.a, kind: gate.kind, line, times, counter, lists }
    }

    /// The lists of one kind.
    fn of(&self, kind: u32) -> impl Iterator<Item = [u32; 2]> {
        let lists = self.lists.iter().filter(move |list| list[2] == kind);
        lists.map(|&[first, length, _]| [first, length])
    }

    /// The slots of the environment.
    fn environment(&self) -> impl Iterator<Item = u32> {
        self.of(of::ENVIRONMENT).flat_map(|[first, length]| first..first + length)
    }

    /// The slots of the lists of a kind that are a turn's.
    fn part(&self, kind: u32, turn: u64) -> impl Iterator<Item = u32> {
        self.of(kind).flat_map(move |[first, length]| {
            let first = first + turn as u32 * length;
            first..first + length
        })
    }

    /// The slots of the lists of a kind, for each place in a turn those of all these turns.
    fn columns(&self, kind: u32, turns: Range<u64>) -> impl Iterator<Item = u32> {
        self.of(kind).flat_map(move |[first, length]| {
            let turns = turns.clone();
            (first..first + length)
                .flat_map(move |first| turns.clone().map(move |turn| first + turn as u32 * length))
        })
    }
}

/// Calls of one function, one behind the other, none of which reads what another gives. They are not executed yet.
#[derive(Default)]
pub(super) struct Row {
    function: u32,
    /// The line of each call.
    lines: Vec<u64>,
    /// The arguments of all calls, and the public values that they read.
    arguments: Vec<Handle>,
    public: Vec<Handle>,
    /// The slots of all results.
    results: Vec<u32>,
    given: Runs,
    /// The slots that end behind so many calls.
    ends: Vec<(usize, u32)>,
}

impl Row {
    /// Whether it has calls.
    pub(super) fn is_open(&self) -> bool {
        !self.lines.is_empty()
    }

    /// Ends a slot behind the last call.
    pub(super) fn end(&mut self, slot: u32) {
        self.ends.push((self.lines.len(), slot));
    }
}

/// Slots: for the first of each run the one behind its last. Runs do not meet.
#[derive(Default)]
struct Runs(BTreeMap<u32, u32>);

impl Runs {
    /// The first slot of the last run that meets this one.
    fn last(&self, [first, length]: [u32; 2]) -> Option<u32> {
        self.0.range(..first + length).next_back().filter(|(_, end)| **end > first).map(|(begin, _)| *begin)
    }

    fn meet(&self, run: [u32; 2]) -> bool {
        self.last(run).is_some()
    }

    fn put(&mut self, [first, length]: [u32; 2]) {
        let (mut begin, mut end) = (first, first + length);
        while let Some(met) = self.last([first, length]) {
            begin = begin.min(met);
            end = end.max(self.0.remove(&met).expect("a run that is met"));
        }
        self.0.insert(begin, end);
    }
}

impl<'p> Frame<'p> {
    /// Whether calls of a function may be in a row. Within one that is recorded they are not: there their lists would
    /// take more than calls do.
    pub(super) fn is_of_rows<F: Field>(&self, function: u32, state: &Execution<'_, '_, F>) -> bool {
        let function = &self.functions[function as usize];
        function.most_in_a_map().is_some() && !state.inline() && !state.inputs.of_function()
    }

    /// Puts a call into a row: that at hand, or one of its own where it has no place there.
    pub(super) fn put_in_row<F: Field>(
        &self,
        b: &mut Recorder<'_, F>,
        body: &Body,
        gate: &Gate,
        (row, held): (&mut Row, &mut Held),
        inputs: &mut dyn Inputs<F>,
    ) -> Result<()> {
        let function = &self.functions[gate.a as usize];
        let mut words = body.read(gate.b);
        let (line, arguments, results) = (words.long(), words.runs(), words.runs());
        let is_full = Some(row.lines.len()) >= function.most_in_a_map();
        if is_full || row.function != gate.a || arguments.iter().any(|run| row.given.meet(*run)) {
            self.close_of(b, row, held)?;
        }
        row.function = gate.a;
        row.lines.push(line);
        row.arguments.extend(slots_of(arguments).map(|slot| held.wires[slot as usize]));
        read_public(b, function, inputs, &mut row.public)?;
        row.results.extend(slots_of(results));
        results.iter().for_each(|run| row.given.put(*run));
        Ok(())
    }

    /// Executes the calls of a row, if it is open.
    pub(super) fn close<F: Field>(
        &self,
        b: &mut Pushed<'_, '_, '_, '_, F>,
        row: &mut Row,
        held: &mut Held,
    ) -> Result<()> {
        match b {
            Pushed::One(b) => self.close_of(b, row, held),
            Pushed::Two(_) => Ok(()),
        }
    }

    fn close_of<F: Field>(&self, b: &mut Recorder<'_, F>, row: &mut Row, held: &mut Held) -> Result<()> {
        if !row.is_open() {
            return Ok(());
        }
        let Row { function: number, lines, arguments, public, results, ends, .. } = core::mem::take(row);
        let (function, lanes) = (&self.functions[number as usize], lines.len());
        let place = |lane: usize| self.place.called(function, lines[lane]);
        let made = if function.is_worth_a_map(lanes as u64) {
            let columns = by_columns(&arguments, lanes).chain(by_columns(&public, lanes));
            let made = self.map(b, (number, lanes), &columns.collect::<Vec<_>>(), &place)?;
            by_columns(&made, made.len() / lanes).collect()
        } else {
            let mut made = Vec::with_capacity(results.len());
            let part = |of: &[Handle], lane: usize| {
                let length = of.len() / lanes;
                of[lane * length..][..length].to_vec()
            };
            for lane in 0..lanes {
                let arguments = [part(&arguments, lane), part(&public, lane)].concat();
                let within = |b: &mut Recorder<'_, F>, wires: &[Handle]| {
                    Frame { place: place(lane), ..*self }.within(b, function, wires)
                };
                made.extend(b.call(&number.to_le_bytes(), &arguments, within)?.wires);
            }
            made
        };
        b.forget(&public);
        // A slot that ends may be one that a call before has given, and a call behind it may give it once more.
        let (mut ends, each) = (ends.into_iter().peekable(), results.len() / lanes);
        for lane in 0..lanes {
            for (slot, wire) in results.iter().zip(&made).skip(lane * each).take(each) {
                held.wires[*slot as usize] = *wire;
            }
            while let Some((_, slot)) = ends.next_if(|end| end.0 == lane + 1) {
                b.forget(&[held.wires[slot as usize]]);
            }
        }
        Ok(())
    }

    /// Calls a function on lanes, whose arguments are `columns`, and gives those of results.
    fn map<F: Field>(
        &self,
        b: &mut Recorder<'_, F>,
        (number, lanes): (u32, usize),
        columns: &[Handle],
        place: &dyn Fn(usize) -> GatePlace<'p>,
    ) -> Result<Vec<Handle>> {
        let function = &self.functions[number as usize];
        let mapped = b.map(&number.to_le_bytes(), lanes, columns, |b, lane, wires| {
            Frame { place: place(lane), ..*self }.within(b, function, wires)
        })?;
        Ok(mapped.wires)
    }

    /// Executes a loop.
    pub(super) fn repeat<F: Field>(
        &self,
        b: &mut Pushed<'_, '_, '_, '_, F>,
        body: &Body,
        gate: &Gate,
        held: &mut Held,
        state: &mut Execution<'_, '_, F>,
    ) -> Result<()> {
        let it = Loop::read(body, gate);
        let function = &self.functions[it.function as usize];
        let together = function.most_in_a_map().filter(|_| function.is_worth_a_map(it.times));
        if let (Pushed::One(b), Some(together)) = (&mut *b, together)
            && !state.inline()
        {
            for first in (0..it.times).step_by(together) {
                let turns = first..it.times.min(first + together as u64);
                self.map_turns(b, &it, turns, held, state.inputs)?;
            }
            return Ok(());
        }
        (0..it.times).try_for_each(|turn| self.turn(b, &it, turn, held, state))
    }

    /// Calls a loop's function for some turns, by one map.
    fn map_turns<F: Field>(
        &self,
        b: &mut Recorder<'_, F>,
        it: &Loop,
        turns: Range<u64>,
        held: &mut Held,
        inputs: &mut dyn Inputs<F>,
    ) -> Result<()> {
        let function = &self.functions[it.function as usize];
        let lanes = (turns.end - turns.start) as usize;
        let (mut counters, mut public) = (Vec::new(), Vec::new());
        for turn in turns.clone() {
            counters.extend(digits(b, turn, it.counter)?);
            read_public(b, function, inputs, &mut public)?;
        }
        let environment = it.environment().flat_map(|slot| core::iter::repeat_n(slot, lanes));
        let wires = |slot: u32| held.wires[slot as usize];
        let mut columns: Vec<_> = environment.map(wires).collect();
        columns.extend(by_columns(&counters, lanes));
        columns.extend(it.columns(of::INPUT, turns.clone()).map(wires));
        columns.extend(by_columns(&public, lanes));
        let place = |lane: usize| {
            let element = turns.start + lane as u64;
            self.place.of_element(element).called(function, it.line)
        };
        let results = self.map(b, (it.function, lanes), &columns, &place)?;
        b.forget(&counters);
        b.forget(&public);
        for (slot, wire) in it.columns(of::OUTPUT, turns.clone()).zip(results) {
            held.wires[slot as usize] = wire;
        }
        Ok(())
    }

    /// Calls a loop's function once.
    fn turn<F: Field>(
        &self,
        b: &mut Pushed<'_, '_, '_, '_, F>,
        it: &Loop,
        turn: u64,
        held: &mut Held,
        state: &mut Execution<'_, '_, F>,
    ) -> Result<()> {
        let mut arguments = Held::default();
        it.environment().for_each(|slot| arguments.push(held, slot));
        // The number of the turn, where it is asked for.
        let counter = match b {
            Pushed::One(b) => digits(b, turn, it.counter)?,
            Pushed::Two(both) if self.is_binary(it.kind) => digits(both.bits(), turn, it.counter)?,
            Pushed::Two(both) => match self.kinds.word(it.kind) {
                Some(modulus) => {
                    let words = words::digits(modulus, turn, it.counter);
                    words.into_iter().for_each(|word| arguments.push_word(word));
                    Vec::new()
                }
                None => digits(both.numbers(), turn, it.counter)?,
            },
        };
        arguments.wires.extend_from_slice(&counter);
        it.part(of::INPUT, turn).for_each(|slot| arguments.push(held, slot));
        let frame = Frame { place: self.place.of_element(turn), ..*self };
        let results = frame.call(b, it.function, it.line, arguments, state)?;
        for (place, slot) in (0..).zip(it.part(of::OUTPUT, turn)) {
            held.put(slot, &results, place);
        }
        match b {
            Pushed::One(b) => b.forget(&counter),
            Pushed::Two(both) if self.is_binary(it.kind) => both.bits().forget(&counter),
            Pushed::Two(both) => both.numbers().forget(&counter),
        }
        Ok(())
    }
}

/// The slots of a list, run by run.
fn slots_of(runs: &[[u32; 2]]) -> impl Iterator<Item = u32> {
    runs.iter().flat_map(|&[first, length]| first..first + length)
}

/// Gives column by column what stands lane by lane; and the other way round, where `lanes` are columns.
fn by_columns(of: &[Handle], lanes: usize) -> impl Iterator<Item = Handle> {
    // Of nothing there are no columns.
    let columns = of.len().checked_div(lanes).unwrap_or_default();
    (0..columns).flat_map(move |column| of.iter().skip(column).step_by(columns).copied())
}

/// Wires of the number `turn` in `width` digits to the base of the field, the highest first; what does not
/// fit is cut.
fn digits<F: Field>(b: &mut Recorder<'_, F>, turn: u64, width: u32) -> Result<Vec<Handle>> {
    if width == 0 {
        return Ok(Vec::new());
    }
    let modulus =
        modulus::<F>().ok_or_else(|| Error::invalid("a counter over no field of a prime"))?.capped();
    let (mut rest, mut digits) = (u128::from(turn), Vec::new());
    for _ in 0..width {
        let digit = F::from_word(rest % modulus);
        digits.push(b.constant(digit.expect("below the modulus")));
        rest /= modulus;
    }
    digits.reverse();
    Ok(digits)
}
