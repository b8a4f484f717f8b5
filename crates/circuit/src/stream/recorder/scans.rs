//! Memories, tables, ranges and permutations as gates that look at all cells, for backends that have no proof
//! for them.

use super::{Purpose, Recorder};
use crate::memory::{Scanned, scan_lookup, scan_within};
use crate::permutation::scan_permutation;
use crate::stream::frame::{Handle, Imported};
use crate::stream::functions::Kept;
use crate::{Backend, Cells, Known, Put, Returned, Sizes};
use core::fmt::Display;
use std::collections::BTreeMap;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_primitives::Field;

/// The memories and tables of a statement that are written as gates, cell by cell and row by row.
pub(super) struct Scans<F> {
    /// The cells of each memory, by its number, on slots that stay the same.
    memories: BTreeMap<u32, Vec<Handle>>,
    tables: BTreeMap<u32, Known<F>>,
    /// The functions that look at cells. Those of closed memories stay, since others may have the same sizes.
    pub(super) functions: Kept<Scan, F>,
}

impl<F> Default for Scans<F> {
    fn default() -> Self {
        Self { memories: BTreeMap::new(), tables: BTreeMap::new(), functions: Kept::default() }
    }
}

/// A function that looks at all cells or rows, or that copies wires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scan {
    Copy(usize),
    Access(Sizes, Kind),
    LookUp(u32),
    Within(u32),
}

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Read,
    Write,
    WriteWhere,
}

impl<F: Field> Recorder<'_, F> {
    /// Calls the function `scan`. Its last results go to `places`; the others are returned.
    fn scan(
        &mut self,
        scan: Scan,
        arguments: &[Handle],
        places: &[Handle],
        body: impl FnOnce(&mut Self, &[Handle]) -> Result<Vec<Handle>>,
    ) -> Result<Vec<Handle>> {
        if let (Purpose::Execution(_), Some(known)) = (&self.purpose, self.scans.functions.known(&scan)) {
            return self.push_call(&known, arguments, places);
        }
        let inside = self.begin_function(arguments.len());
        let wires = body(self, &inside)?;
        let count = wires.len() - places.len();
        let Some(recorded) = self.end_function(&Returned { wires, public: Vec::new() }) else {
            return Ok(self.frame.take_many(count));
        };
        let recorded = Arc::new(recorded);
        self.scans.functions.keep(scan, recorded.clone());
        self.push_call(&recorded, arguments, places)
    }

    /// Copies `wires` to `places`, or to new wires where there are no places, and gives these. It takes no
    /// gate.
    pub(super) fn copy(&mut self, wires: &[Handle], places: &[Handle]) -> Result<Vec<Handle>> {
        self.scan(Scan::Copy(wires.len()), wires, places, |_, wires| Ok(wires.to_vec()))
    }

    /// Makes memory number `memory`.
    pub(super) fn scanned_memory(
        &mut self,
        memory: u32,
        cells: Cells<'_, F, Handle>,
        width: usize,
    ) -> Result<()> {
        let wires = Scanned::new(self, cells, width)?.into_cells();
        let places = self.frame.take_apart(wires.len());
        self.copy(&wires, &places)?;
        if !matches!(cells, Cells::Wires(_)) {
            self.forget(&wires);
        }
        self.scans.memories.insert(memory, places);
        Ok(())
    }

    /// Ends memory number `memory`.
    pub(super) fn close_scanned(&mut self, memory: u32) {
        let cells = self.scans.memories.remove(&memory).expect("a memory that is open");
        self.forget(&cells);
    }

    /// Accesses memory number `memory`.
    pub(super) fn scan_access(
        &mut self,
        (memory, sizes): (u32, Sizes),
        address: &[Handle],
        put: Put<'_, Handle>,
        name: &dyn Display,
    ) -> Result<Vec<Handle>> {
        let (bit, _) = put.parts();
        let (word, kind) = match put {
            Put::Same => (&[][..], Kind::Read),
            Put::Word(word) => (word, Kind::Write),
            Put::Where(_, word) => (word, Kind::WriteWhere),
        };
        let cells = self.cells(memory);
        let places = if kind == Kind::Read { Vec::new() } else { self.cells_put(memory) };
        let of = [address, bit.as_slice(), word, &cells].concat();
        let (bits, words) = (address.len(), address.len() + bit.iter().len());
        self.scan(Scan::Access(sizes, kind), &of, &places, |b, of| {
            let (word, cells) = of[words..].split_at(word.len());
            let put = match kind {
                Kind::Read => Put::Same,
                Kind::Write => Put::Word(word),
                Kind::WriteWhere => Put::Where(of[bits], word),
            };
            let mut scanned = Scanned::of(sizes, cells.to_vec());
            let mut found = scanned.access(b, &of[..bits], put, name)?;
            if kind != Kind::Read {
                found.extend(scanned.into_cells());
            }
            Ok(found)
        })
    }

    /// The cells of memory number `memory`, as wires of the current recording.
    pub(super) fn cells(&mut self, memory: u32) -> Vec<Handle> {
        let cells = self.scans.memories.get(&memory).expect("a memory that is open");
        if self.outer.is_empty() {
            return cells.clone();
        }
        let frame = &mut self.frame;
        if let Some(imported) = frame.cells.iter().find(|imported| imported.memory == memory) {
            return imported.now.as_ref().unwrap_or(&imported.first).clone();
        }
        let first = frame.take_many(cells.len());
        frame.cells.push(Imported { memory, first: first.clone(), now: None });
        first
    }

    /// The places for the cells of memory number `memory` after a write. Its cells were asked for before.
    pub(super) fn cells_put(&mut self, memory: u32) -> Vec<Handle> {
        let cells = &self.scans.memories[&memory];
        if self.outer.is_empty() {
            return cells.clone();
        }
        let now = self.frame.take_many(cells.len());
        let mut imported = self.frame.cells.iter_mut();
        let imported = imported.find(|imported| imported.memory == memory).expect("asked for before");
        imported.now = Some(now.clone());
        now
    }

    /// Notes table number `table`.
    pub(super) fn scanned_table(&mut self, table: u32, known: Known<F>) {
        self.scans.tables.insert(table, known);
    }

    /// Whether table number `table` is written as gates, row by row.
    pub(super) fn scans_table(&self, table: u32) -> bool {
        self.scans.tables.contains_key(&table)
    }

    /// Looks up in table number `table`.
    pub(super) fn scan_table(
        &mut self,
        table: u32,
        key: &[Handle],
        name: &dyn Display,
    ) -> Result<Vec<Handle>> {
        let known = self.scans.tables[&table].clone();
        self.scan(Scan::LookUp(table), key, &[], |b, key| scan_lookup(b, &known, key, name))
    }

    /// Demands that each of `values` is below 2^`bits`.
    pub(super) fn scan_range(&mut self, values: &[Handle], bits: u32, name: &dyn Display) -> Result<()> {
        for value in values {
            self.scan(Scan::Within(bits), &[*value], &[], |b, value| {
                scan_within(b, value, bits, name).map(|()| Vec::new())
            })?;
        }
        Ok(())
    }

    /// Demands that two lists of words are permuted.
    pub(super) fn scan_lists(
        &mut self,
        [xs, ys]: [&[Handle]; 2],
        width: usize,
        name: &dyn Display,
    ) -> Result<()> {
        self.scope(|b| scan_permutation(b, xs, ys, width, name))
    }
}
