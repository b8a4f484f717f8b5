//! Loops: a function that is called for each element of lists, none of which depends on what another comes to.
//!
//! Over one field many calls are one map of the stream; the others are made one after the other.

use super::body::{Body, Gate, of};
use super::execute::{Execution, Frame, Held, Inputs, Pushed, modulus, read_public};
use super::words;
use core::ops::Range;
use volery_channel::error::{Error, Result};
use volery_circuit::Backend as _;
use volery_circuit::stream::{Handle, Recorder};
use volery_primitives::Field;

/// A gate [`Op::Loop`](super::body::Op).
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

impl Frame<'_> {
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
        let together = self.functions[it.function as usize].calls_of_a_map(it.times);
        if let (Pushed::One(b), Some(together)) = (&mut *b, together)
            && !state.inline()
        {
            for first in (0..it.times).step_by(together) {
                let turns = first..it.times.min(first + together as u64);
                self.map(b, &it, turns, held, state.inputs)?;
            }
            return Ok(());
        }
        (0..it.times).try_for_each(|turn| self.turn(b, &it, turn, held, state))
    }

    /// Calls a loop's function for some turns, by one map.
    fn map<F: Field>(
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
        let results = b.map(&it.function.to_le_bytes(), lanes, &columns, |b, lane, wires| {
            let place = self.place.of_element(turns.start + lane as u64).called(function, it.line);
            Frame { place, ..*self }.within(b, function, wires)
        })?;
        b.forget(&counters);
        b.forget(&public);
        for (slot, wire) in it.columns(of::OUTPUT, turns.clone()).zip(results.wires) {
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

/// What stands lane by lane, column by column.
fn by_columns(of: &[Handle], lanes: usize) -> impl Iterator<Item = Handle> {
    let columns = of.len() / lanes;
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
