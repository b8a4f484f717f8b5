//! The values of a run that live, and the wires that they have.

use super::Ground;
use crate::tape::{Id, Name};
use std::collections::HashMap;
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
    told: Arc<Mutex<Option<Name>>>,
}

impl<F: Ground> Values<F> {
    pub(super) fn new(told: Arc<Mutex<Option<Name>>>, incoming: &[Handle]) -> Self {
        let mut values = Self {
            values: Vec::new(),
            holders: Vec::new(),
            memories: HashMap::new(),
            cells: HashMap::new(),
            tables: HashMap::new(),
            incoming: incoming.to_vec(),
            outgoing: Vec::new(),
            told,
        };
        incoming.iter().for_each(|wire| values.hold(*wire));
        values
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
        for atom in &value {
            atom.each(&mut |wire: Handle| self.hold(wire));
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
        for atom in self.values[id as usize].take().into_iter().flatten() {
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
        Told { name, told: &self.told }
    }
}

/// The name of a failed assertion: see [`Values::told`].
pub(super) struct Told<'n> {
    name: &'n Name,
    told: &'n Mutex<Option<Name>>,
}

impl std::fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A name is printed where its assertion fails, and nowhere else.
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.name.clone());
        self.name.fmt(f)
    }
}
