//! Digest of a run of a function: a second run has to do the same.
//!
//! Values are named by the order in which they are made, since when one dies, and its number is given again, is
//! the interpreter's business. The order in which memories die is part of it: they are closed then.

use crate::tape::{Id, Mapped, Op};
use blake3::Hasher;
use std::collections::HashMap;

/// The mark of what is outside of a function.
const OUTSIDE: u64 = 1 << 63;

/// The operations of a run so far.
pub(super) struct Trace {
    hasher: Hasher,
    bytes: Vec<u8>,
    /// The order of making of what has this number now.
    made: Vec<u64>,
    next: u64,
}

impl Default for Trace {
    fn default() -> Self {
        let hasher = Hasher::new_derive_key("volery run of a function v1");
        Self { hasher, bytes: Vec::new(), made: Vec::new(), next: 0 }
    }
}

impl Trace {
    /// Adds a batch.
    pub(super) fn add(&mut self, batch: &[Op]) {
        batch.iter().for_each(|op| self.one(op));
        self.hasher.update(&self.bytes);
        self.bytes.clear();
    }

    /// The digest of a function on lanes: of what it does, whatever names its values have, and of what is `public`
    /// of its arguments. Memories and tables are told apart by their numbers.
    pub(super) fn of_function(
        numbers: &HashMap<Id, u64>,
        arguments: &[Mapped],
        steps: &[Op],
        results: &[Mapped],
        public: &[u8],
    ) -> [u8; 32] {
        let mut trace = Self::default();
        trace.bytes.extend_from_slice(&(public.len() as u64).to_le_bytes());
        trace.bytes.extend_from_slice(public);
        for (id, number) in numbers {
            trace.makes(*id);
            trace.made[*id as usize] = OUTSIDE | number;
        }
        trace.next = 0;
        trace.enter(arguments);
        trace.add(steps);
        trace.leave(results);
        trace.add(&[]);
        trace.digest()
    }

    /// Begins a function on lanes, whose arguments these are.
    fn enter(&mut self, arguments: &[Mapped]) {
        for argument in arguments {
            self.begin(27, &[argument.size.into()]);
            self.makes(argument.one);
        }
    }

    /// Ends a function on lanes.
    fn leave(&mut self, results: &[Mapped]) {
        self.takes(&results.iter().map(|result| result.one).collect::<Vec<_>>());
    }

    /// The digest of all.
    pub(super) fn digest(&self) -> [u8; 32] {
        self.hasher.finalize().into()
    }

    fn put(&mut self, numbers: &[u128]) {
        self.bytes.extend_from_slice(&(numbers.len() as u64).to_le_bytes());
        numbers.iter().for_each(|number| self.bytes.extend_from_slice(&number.to_le_bytes()));
    }

    /// The kind of an operation, and its parameters.
    fn begin(&mut self, kind: u8, parameters: &[u64]) {
        self.bytes.push(kind);
        parameters.iter().for_each(|number| self.bytes.extend_from_slice(&number.to_le_bytes()));
    }

    fn takes(&mut self, ids: &[Id]) {
        self.bytes.extend_from_slice(&(ids.len() as u64).to_le_bytes());
        for id in ids {
            let made = self.made.get(*id as usize).copied().unwrap_or_default();
            self.bytes.extend_from_slice(&made.to_le_bytes());
        }
    }

    fn makes(&mut self, id: Id) {
        let id = id as usize;
        if id >= self.made.len() {
            self.made.resize(id + 1, 0);
        }
        self.next += 1;
        self.made[id] = self.next;
    }

    fn one(&mut self, op: &Op) {
        let number = u64::from;
        match op {
            Op::Incoming { out, start, count } => {
                self.begin(1, &[number(*start), number(*count)]);
                self.makes(*out);
            }
            Op::Outgoing { parts } => {
                self.begin(2, &[]);
                self.takes(parts);
            }
            Op::Witness { out, count } => {
                self.begin(3, &[number(*count)]);
                self.makes(*out);
            }
            Op::Number { out, value, width } => {
                self.begin(4, &[number(*width)]);
                self.put(&[*value]);
                self.makes(*out);
            }
            Op::Numbers { out, values, width } => {
                self.begin(5, &[number(*width)]);
                self.put(values);
                self.makes(*out);
            }
            Op::Binary { operator, width, out, a, b } => {
                self.begin(6, &[*operator as u64, number(*width)]);
                self.takes(&[*a, *b]);
                self.makes(*out);
            }
            Op::Unary { operator, width, out, a, by } => {
                self.begin(7, &[*operator as u64, number(*width), number(*by)]);
                self.takes(&[*a]);
                self.makes(*out);
            }
            Op::Select { out, bit, yes, no } => {
                self.begin(8, &[]);
                self.takes(&[*bit, *yes, *no]);
                self.makes(*out);
            }
            Op::Slice { out, a, start, step, count, width } => {
                let step = i64::from(*step) as u64;
                self.begin(9, &[number(*start), step, number(*count), number(*width)]);
                self.takes(&[*a]);
                self.makes(*out);
            }
            Op::Concat { out, parts } => {
                self.begin(10, &[]);
                self.takes(parts);
                self.makes(*out);
            }
            Op::Hash { function, out, a, b } => {
                self.begin(11, &[*function as u64]);
                self.takes(&[&[*a], b.as_slice()].concat());
                self.makes(*out);
            }
            Op::Sum { out, a, width } => {
                self.begin(12, &[number(*width)]);
                self.takes(&[*a]);
                self.makes(*out);
            }
            Op::Dot { out, a, b } => {
                self.begin(13, &[]);
                self.takes(&[*a, *b]);
                self.makes(*out);
            }
            Op::Matrix { out, matrix, a } => {
                self.begin(14, &[]);
                self.put(matrix);
                self.takes(&[*a]);
                self.makes(*out);
            }
            Op::Bits { out, a, count, name: _ } => {
                self.begin(15, &[number(*count)]);
                self.takes(&[*a]);
                self.makes(*out);
            }
            Op::Pick { out, a, index, width, name: _ } => {
                self.begin(16, &[number(*width)]);
                self.takes(&[*a, *index]);
                self.makes(*out);
            }
            Op::Assert { claim, width, a, b, name: _ } => {
                self.begin(17, &[*claim as u64, number(*width)]);
                // Of a range it is a number, and of a claim about one value that again.
                match claim {
                    crate::tape::Claim::Range => {
                        self.put(&[u128::from(*b)]);
                        self.takes(&[*a]);
                    }
                    _ => self.takes(&[*a, *b]),
                }
            }
            Op::Memory { memory, cells, count, width } => {
                self.begin(18, &[number(*count), number(*width)]);
                self.takes(cells.as_slice());
                self.makes(*memory);
            }
            Op::Access { memory, out, address, word, bit, name: _ } => {
                self.begin(19, &[]);
                self.takes(&[*memory, *address]);
                self.takes(word.as_slice());
                self.takes(bit.as_slice());
                self.makes(*out);
            }
            Op::Table { table, key, value, rows } => {
                self.begin(20, &[number(*key), number(*value)]);
                self.put(rows);
                self.makes(*table);
            }
            Op::LookUp { table, out, key, name: _ } => {
                self.begin(21, &[]);
                self.takes(&[*table, *key]);
                self.makes(*out);
            }
            Op::Permutation { a, b, width, name: _ } => {
                self.begin(22, &[number(*width)]);
                self.takes(&[*a, *b]);
            }
            Op::OpenMap { lanes, arguments } => {
                self.begin(24, &[number(*lanes)]);
                self.takes(&arguments.iter().map(|argument| argument.all).collect::<Vec<_>>());
                self.enter(arguments);
            }
            Op::CloseMap { results } => {
                self.begin(25, &[]);
                self.leave(results);
                results.iter().for_each(|result| self.makes(result.all));
            }
            Op::DropMap => self.begin(26, &[]),
            Op::Drop { id: _ } => {}
            Op::Close { memory } => {
                self.begin(23, &[]);
                self.takes(&[*memory]);
            }
        }
    }
}
