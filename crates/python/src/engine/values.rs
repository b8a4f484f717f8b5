//! The values of a run that live, and the wires that they have.

use super::Ground;
use crate::tape::{Failed, Id, Name, Op};
use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use volery::Result;
use volery::circuit::stream::{Handle, Recorder};
use volery::circuit::{Backend, Memories, Tables, Wires};

type MemoryOf<F> = <Recorder<'static, F> as Memories>::Memory;
type TableOf<F> = <Recorder<'static, F> as Tables>::Table;

/// The values that live.
pub(crate) struct Values<F: Ground> {
    values: Vec<Option<Vec<F::Atom>>>,
    /// The number of atoms that have each slot of a wire.
    holders: Vec<u32>,
    pub(super) memories: HashMap<Id, MemoryOf<F>>,
    /// The cells of each memory.
    pub(super) cells: HashMap<Id, usize>,
    pub(super) tables: HashMap<Id, TableOf<F>>,
    /// The wires that come in to this shard, and those that go out so far.
    incoming: Vec<Handle>,
    pub(super) outgoing: Vec<Handle>,
    /// The memories and tables by the order in which they were made, and how many there were.
    numbers: HashMap<Id, u64>,
    made: u64,
    /// The lanes of the functions that are open; within one wires are not counted, which end with it.
    lanes: Vec<usize>,
    told: Arc<Mutex<Option<Failed>>>,
}

impl<F: Ground> Values<F> {
    pub(super) fn new(told: Arc<Mutex<Option<Failed>>>, incoming: &[Handle]) -> Self {
        let mut values = Self {
            values: Vec::new(),
            holders: Vec::new(),
            memories: HashMap::new(),
            cells: HashMap::new(),
            tables: HashMap::new(),
            incoming: incoming.to_vec(),
            outgoing: Vec::new(),
            numbers: HashMap::new(),
            made: 0,
            lanes: Vec::new(),
            told,
        };
        incoming.iter().for_each(|wire| values.hold(*wire));
        values
    }

    /// The values of a function on lanes: its own, and the memories and tables of outside.
    pub(super) fn open_lanes(&mut self) -> Self {
        let mut inside = Self::new(self.told.clone(), &[]);
        (inside.memories, inside.cells) = (mem::take(&mut self.memories), mem::take(&mut self.cells));
        (inside.tables, inside.numbers) = (mem::take(&mut self.tables), mem::take(&mut self.numbers));
        inside.lanes = [&self.lanes[..], &[0]].concat();
        inside
    }

    /// Begins another lane of the function.
    pub(super) fn begin_lane(&mut self, lane: usize) {
        *self.lanes.last_mut().expect("within a function on lanes") = lane;
    }

    /// Takes memories and tables back at the end of the function.
    pub(super) fn close_lanes(&mut self, inside: Self) {
        (self.memories, self.cells) = (inside.memories, inside.cells);
        (self.tables, self.numbers) = (inside.tables, inside.numbers);
    }

    /// Gives a memory or a table that `op` makes the next number.
    pub(super) fn number(&mut self, op: &Op) {
        match op {
            Op::Memory { memory: id, .. } | Op::Table { table: id, .. } => {
                self.numbers.insert(*id, self.made);
                self.made += 1;
            }
            Op::Close { memory } => drop(self.numbers.remove(memory)),
            _ => {}
        }
    }

    /// The numbers of memories and tables.
    pub(super) fn numbers(&self) -> &HashMap<Id, u64> {
        &self.numbers
    }

    /// Counts one more holder of this wire, a value or a later shard.
    fn hold(&mut self, wire: Handle) {
        let slot = wire.slot() as usize;
        if slot >= self.holders.len() {
            self.holders.resize(slot + 1, 0);
        }
        self.holders[slot] += 1;
    }

    /// A part of what comes in is called `out`.
    pub(super) fn enter(&mut self, out: Id, start: u32, count: u32) {
        let wires = self.incoming[start as usize..][..count as usize].to_vec();
        self.put(out, wires.into_iter().map(F::on).collect());
    }

    /// Sends these values out of the shard.
    pub(super) fn leave(&mut self, b: &mut Recorder<'_, F>, parts: &[Id]) {
        for part in parts {
            for atom in self.of(*part).to_vec() {
                let wire = F::wire(atom, b);
                self.hold(wire);
                self.outgoing.push(wire);
            }
        }
    }

    /// The value called `id`.
    ///
    /// # Panics
    /// Where there is none, which the writing thread does not let happen.
    pub(super) fn of(&self, id: Id) -> &[F::Atom] {
        self.values[id as usize].as_deref().expect("a value that lives")
    }

    pub(super) fn put(&mut self, id: Id, value: Vec<F::Atom>) {
        if self.lanes.is_empty() {
            value.each(&mut |wire: Handle| self.hold(wire));
        }
        let id = id as usize;
        if id >= self.values.len() {
            self.values.resize_with(id + 1, || None);
        }
        self.values[id] = Some(value);
    }

    /// Calls the values that `make` gives, in a scope, `id`.
    pub(super) fn make(
        &mut self,
        b: &mut Recorder<'_, F>,
        id: Id,
        make: impl FnOnce(&Self, &mut Recorder<'_, F>) -> Result<Vec<F::Atom>>,
    ) -> Result<()> {
        b.open_scope();
        let made = make(self, b)?;
        b.close_scope(&made.wires());
        self.put(id, made);
        Ok(())
    }

    pub(super) fn drop(&mut self, b: &mut Recorder<'_, F>, id: Id) {
        let value = self.values[id as usize].take();
        if !self.lanes.is_empty() {
            return;
        }
        for atom in value.into_iter().flatten() {
            atom.each(&mut |wire: Handle| {
                let holders = &mut self.holders[wire.slot() as usize];
                *holders -= 1;
                if *holders == 0 {
                    b.forget(&[wire]);
                }
            });
        }
    }

    /// The name of an assertion, which tells where it was made once it is printed.
    pub(super) fn told<'n>(&'n self, name: &'n Name) -> Told<'n> {
        Told { name, lanes: &self.lanes, told: &self.told }
    }
}

/// The name of a failed assertion: see [`Values::told`].
pub(super) struct Told<'n> {
    name: &'n Name,
    lanes: &'n [usize],
    told: &'n Mutex<Option<Failed>>,
}

impl std::fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A name is printed where its assertion fails, and nowhere else.
        let failed = Failed { name: self.name.clone(), lanes: self.lanes.to_vec() };
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(failed);
        self.name.fmt(f)
    }
}
