//! Planning a function's slots: a slot is used again once its value has been read for the last time.

use super::block::{Block, List, Op, Record, Words};

/// Marks in the place of a value's last reader: no record reads it; it is a result; its slot is free again.
const UNREAD: u32 = u32::MAX;
const RESULT: u32 = u32::MAX - 1;
const GONE: u32 = u32::MAX - 2;

/// The function with the same gates on fewer slots. In `block` each value has a slot of its own; `arguments`
/// and `results` name those of arguments and results.
pub(super) fn plan<F>(block: Block<F>, arguments: &[u32], results: &[u32]) -> Block<F> {
    let Block { records, words, slots, constants, hints, functions, vectors, assertions, .. } = block;
    let gates = Block::<()> { records, words, slots, ..Block::default() };
    let Block { records, words, slots, arguments, results, spared, .. } =
        plan_gates(&gates, arguments, results);
    Block {
        records,
        words,
        constants,
        hints,
        functions,
        slots,
        vectors,
        arguments,
        results,
        assertions,
        spared,
    }
}

/// Plans a block without its field elements, so that it is compiled once for all fields.
fn plan_gates(block: &Block<()>, arguments: &[u32], results: &[u32]) -> Block<()> {
    assert!(block.records.len() < GONE as usize, "a function of 2^32 gates: call smaller ones");
    let mut last = vec![UNREAD; block.slots as usize];
    for (i, record) in block.records.iter().enumerate() {
        read(block, record, |slot| last[slot as usize] = i as u32);
    }
    results.iter().for_each(|slot| last[*slot as usize] = RESULT);
    let count = arguments.len() as u32;
    let mut slots = Slots { place: vec![0; last.len()], last, free: Vec::new(), count, read: Vec::new() };
    for (slot, value) in (0..count).zip(arguments) {
        slots.place[*value as usize] = slot;
    }
    arguments.iter().rev().for_each(|value| slots.leave(*value, UNREAD));

    let mut planned = Block { records: Vec::with_capacity(block.records.len()), ..Block::default() };
    for (i, record) in block.records.iter().enumerate() {
        match *record {
            // Nearly all: they are moved as by the function below, without its lists.
            Record { op: op @ (Op::Add | Op::Mul), out, a, b } => {
                let [left, right] = [a, b].map(|value| slots.place[value as usize]);
                slots.leave(b, i as u32);
                slots.leave(a, i as u32);
                planned.push(op, slots.enter(out), left, right);
                slots.leave(out, UNREAD);
            }
            _ => move_record(block, record, i as u32, &mut slots, &mut planned),
        }
    }
    let at = planned.next_word();
    planned.list(results.iter().map(|slot| slots.place[*slot as usize]));
    planned.words.shrink_to_fit();
    Block { arguments: count, slots: slots.count, results: at, ..planned }
}

/// The slots of values.
struct Slots {
    /// The slot of each value.
    place: Vec<u32>,
    /// The last record that reads each value.
    last: Vec<u32>,
    free: Vec<u32>,
    count: u32,
    /// The values that the current record reads.
    read: Vec<u32>,
}

impl Slots {
    /// Gives a slot to a new value.
    fn enter(&mut self, value: u32) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        self.place[value as usize] = slot;
        slot
    }

    /// Frees the slot of `value` if `record` was the last to read it.
    fn leave(&mut self, value: u32, record: u32) {
        if self.last[value as usize] == record {
            self.last[value as usize] = GONE;
            self.free.push(self.place[value as usize]);
        }
    }
}

/// Adds `record`, number `i`, to `planned` with its slots. It is no sum or product of wires.
fn move_record(block: &Block<()>, record: &Record, i: u32, slots: &mut Slots, planned: &mut Block<()>) {
    let Record { op, out, a, b } = *record;
    let at = planned.next_word();
    // What is read, before what is made takes its place.
    let moved = match op {
        Op::Add | Op::Mul => unreachable!("moved by the caller"),
        Op::Scale | Op::Assert | Op::Output => Record { op, out, a: slots.place[a as usize], b },
        Op::AssertProduct => {
            let [out, a, b] = [out, a, b].map(|value| slots.place[value as usize]);
            Record { op, out, a, b }
        }
        Op::Linear => {
            let list = block.read(a).list();
            planned.list(list.iter().map(|value| slots.place[value as usize]));
            planned.spare(list.len(), at);
            Record { op, out, a: at, b }
        }
        Op::Hint
        | Op::Call
        | Op::Map
        | Op::Vector
        | Op::Access
        | Op::LookUp
        | Op::LookUpRows
        | Op::LinearRows
        | Op::Within
        | Op::Permutation => {
            let list = block.read(a).list();
            planned.list(list.iter().map(|value| slots.place[value as usize]));
            Record { op, out, a: at, b }
        }
        Op::AccessRows => {
            let mut words = block.read(a);
            planned.words.extend(words.take(b));
            planned.list(words.list().iter().map(|value| slots.place[value as usize]));
            Record { op, out, a: at, b }
        }
        Op::Inner | Op::SumOfProducts => {
            let mut words = block.read(a);
            for list in [words.list(), words.list()] {
                planned.list(list.iter().map(|value| slots.place[value as usize]));
            }
            Record { op, out, a: at, b }
        }
        Op::Combination => {
            let mut words = block.read(a);
            for _ in 0..2 {
                let count = words.next();
                planned.words.push(count);
                planned.words.extend(words.take(count));
            }
            Record { op, out, a: at, b }
        }
        Op::Gather => {
            let mut words = block.read(b);
            let count = words.next();
            planned.words.push(count);
            planned.words.extend(words.take(count));
            Record { op, out, a, b: at }
        }
        Op::Commit => Record { op, out, a, b: at },
        Op::AssertMatrix => {
            let mut words = block.read(a);
            planned.words.extend([words.next(), words.next()]);
            plan_lists(words, planned, slots);
            Record { op, out, a: at, b }
        }
        Op::AssertBilinear => {
            let mut words = block.read(a);
            planned.words.extend(words.take(b));
            plan_lists(words, planned, slots);
            Record { op, out, a: at, b }
        }
        Op::Witness | Op::Constant | Op::Public | Op::Sum | Op::Product | Op::Total => *record,
        Op::AssertZeroes | Op::Drop => *record,
        Op::Memory | Op::Close | Op::Table | Op::Incoming | Op::Outgoing => {
            unreachable!("refused in functions")
        }
    };
    // In reverse, so that slots are taken again in order: a value that replaces the first
    // operand takes its place.
    read(block, record, |value| slots.read.push(value));
    while let Some(value) = slots.read.pop() {
        slots.leave(value, i);
    }

    match op {
        Op::Constant | Op::Scale | Op::Linear | Op::SumOfProducts => {
            planned.records.push(Record { out: slots.enter(out), ..moved });
        }
        Op::Witness => {
            for value in out..out + a {
                let slot = slots.enter(value);
                match planned.records.last_mut() {
                    Some(Record { op: Op::Witness, out, a, .. }) if *out + *a == slot => *a += 1,
                    _ => planned.push(Op::Witness, slot, 1, 0),
                }
            }
        }
        _ => {
            if let Some(values) = results(block, record) {
                let results: Vec<u32> = values.iter().map(|value| slots.enter(value)).collect();
                planned.list(results);
            }
            planned.records.push(moved);
        }
    }
    made(block, record, |value| slots.leave(value, UNREAD));
}

/// Calls `each` for each value that `record` reads.
fn read(block: &Block<()>, record: &Record, mut each: impl FnMut(u32)) {
    let Record { op, out, a, b } = *record;
    match op {
        Op::Add | Op::Mul => [a, b].into_iter().for_each(each),
        Op::AssertProduct => [out, a, b].into_iter().for_each(each),
        Op::Scale | Op::Assert | Op::Output => each(a),
        Op::Linear
        | Op::Hint
        | Op::Call
        | Op::Map
        | Op::Vector
        | Op::Access
        | Op::LookUp
        | Op::LookUpRows
        | Op::LinearRows
        | Op::Within
        | Op::Permutation
        | Op::AccessRows => listed(block, record).list().iter().for_each(each),
        Op::Inner | Op::SumOfProducts => {
            let mut words = block.read(a);
            [words.list(), words.list()].into_iter().flat_map(|list| list.iter()).for_each(each);
        }
        Op::AssertMatrix => {
            let mut words = block.read(a);
            words.take(2);
            read_lists(words, each);
        }
        Op::AssertBilinear => {
            let mut words = block.read(a);
            words.take(b);
            read_lists(words, each);
        }
        Op::Witness | Op::Constant | Op::Public | Op::Sum | Op::Product | Op::Gather | Op::Total => {}
        Op::Combination | Op::Commit | Op::AssertZeroes | Op::Drop => {}
        Op::Memory | Op::Close | Op::Table | Op::Incoming | Op::Outgoing => {
            unreachable!("refused in functions")
        }
    }
}

/// Adds two lists, and a third one where there is, with their slots.
fn plan_lists(mut words: Words<'_>, planned: &mut Block<()>, slots: &Slots) {
    let plan = |planned: &mut Block<()>, list: List<'_>| {
        planned.list(list.iter().map(|value| slots.place[value as usize]));
    };
    plan(planned, words.list());
    plan(planned, words.list());
    let on_wires = words.next();
    planned.words.push(on_wires);
    if on_wires == 1 {
        plan(planned, words.list());
    }
}

/// Calls `each` with the slots of those lists.
fn read_lists(mut words: Words<'_>, mut each: impl FnMut(u32)) {
    [words.list(), words.list()].into_iter().flat_map(|list| list.iter()).for_each(&mut each);
    if words.next() == 1 {
        words.list().iter().for_each(each);
    }
}

/// The words of `record`, from its lists on.
fn listed<'b>(block: &'b Block<()>, record: &Record) -> Words<'b> {
    let mut words = block.read(record.a);
    if record.op == Op::AccessRows {
        words.take(record.b);
    }
    words
}

/// The list of what `record` makes, if it has one.
fn results<'b>(block: &'b Block<()>, record: &Record) -> Option<List<'b>> {
    match record.op {
        Op::Hint
        | Op::Call
        | Op::Map
        | Op::Access
        | Op::AccessRows
        | Op::LookUp
        | Op::LookUpRows
        | Op::LinearRows
        | Op::Within
        | Op::Permutation => {
            let mut words = listed(block, record);
            words.list();
            Some(words.list())
        }
        Op::Commit => Some(block.read(record.b).list()),
        _ => None,
    }
}

/// Calls `each` for each value that `record` makes, which is no sum or product of wires.
fn made(block: &Block<()>, record: &Record, mut each: impl FnMut(u32)) {
    let Record { op, out, a, .. } = *record;
    match op {
        Op::Constant | Op::Scale | Op::Linear | Op::SumOfProducts => each(out),
        Op::Witness => (out..out + a).for_each(each),
        _ => results(block, record).into_iter().flat_map(List::iter).for_each(each),
    }
}
