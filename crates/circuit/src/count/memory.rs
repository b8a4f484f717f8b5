//! Memories, tables and permutations, as they are counted.

use super::{Count, Counted, Shape, deepest};
use crate::accounting::{Account, Accounting};
use crate::memory::{Addresses, access_cost, lookup_cost, within_cost};
use crate::permutation::{count_words, permutation_cost};
use crate::table::check_key;
use crate::{Cells, Known, Memories, Permutations, Put, Rows, Sizes, Tables, check_range};
use core::fmt::Display;
use volery_channel::error::Result;
use volery_primitives::Field;

/// The memories and tables of a statement that is counted, by their numbers, and their account.
pub(crate) struct Open<F> {
    accounting: Box<dyn Accounting<F>>,
    memories: Vec<Sizes>,
    /// The numbers of rows, and of elements of a key.
    tables: Vec<[usize; 2]>,
    /// Accesses, lookups and permutations so far. The cost of the next one depends on those before.
    pub(crate) so_far: u64,
}

impl<F: Field> Open<F> {
    pub(crate) fn new(accounting: Box<dyn Accounting<F>>) -> Self {
        Self { accounting, memories: Vec::new(), tables: Vec::new(), so_far: 0 }
    }

    /// The account of what the statement has beside gates.
    pub(crate) fn accounting(&mut self) -> &mut dyn Accounting<F> {
        &mut *self.accounting
    }

    /// Counts a memory, and gives its number.
    pub(crate) fn memory(&mut self, sizes: Sizes) -> usize {
        self.accounting.memory(sizes);
        self.memories.push(sizes);
        self.memories.len() - 1
    }

    /// Counts a table, and gives its number.
    pub(crate) fn table(&mut self, known: &Known<F>) -> usize {
        self.accounting.table(known);
        self.tables.push([known.rows(), known.key]);
        self.tables.len() - 1
    }

    /// Counts an access.
    pub(crate) fn access(&mut self, shape: &mut Shape, memory: usize, put: Put<'_, ()>) {
        self.so_far += 1;
        shape.assert += 1;
        shape.scanned = shape.scanned.and(access_cost::<F>(self.memories[memory], put));
        self.accounting.access(memory, put.parts().0.is_some());
    }

    /// Counts the end of a memory.
    pub(crate) fn close(&mut self, memory: usize) {
        self.accounting.close(memory);
    }

    /// Counts lookups.
    pub(crate) fn look_up(&mut self, shape: &mut Shape, table: usize, lookups: u64) {
        let [rows, key] = self.tables[table];
        self.so_far += lookups;
        shape.assert += lookups;
        shape.scanned = shape.scanned.and(lookup_cost(lookups, rows, key));
        self.accounting.look_up(table, lookups);
    }

    /// Counts numbers in a range.
    pub(crate) fn within(&mut self, shape: &mut Shape, values: usize, bits: u32) {
        self.so_far += values as u64;
        shape.assert += values as u64;
        shape.scanned = shape.scanned.and(within_cost(values, bits));
        self.accounting.within(values as u64, bits);
    }

    /// Counts a permutation of `words` words.
    pub(crate) fn permutation(&mut self, shape: &mut Shape, words: usize, width: usize) {
        self.so_far += 1;
        shape.assert += 1;
        shape.scanned = shape.scanned.and(permutation_cost::<F>(words, width));
        self.accounting.permutation(words as u64);
    }

    /// Ends the statement, whose gates are those of `shape`.
    pub(crate) fn end(&mut self, shape: &mut Shape) {
        let Account { argued, crowds, challenged } = self.accounting.end(shape);
        (shape.argued, shape.crowds, shape.challenged) = (argued, crowds, challenged);
    }
}

/// The kind of an access without its wires.
pub(crate) fn kind_of(kind: u32) -> Put<'static, ()> {
    match kind {
        0 => Put::Same,
        1 => Put::Word(&[]),
        _ => Put::Where((), &[]),
    }
}

/// A memory of [`Count`].
pub struct CountedMemory {
    place: usize,
    number: u128,
    depth: u64,
    sizes: Sizes,
}

impl<F: Field> Memories for Count<F> {
    type Memory = CountedMemory;

    fn memory(&mut self, cells: Cells<'_, F, Counted>, width: usize) -> Result<CountedMemory> {
        let sizes = Sizes::new(&cells, width)?;
        let (kind, depth) = match cells {
            Cells::Zero(_) => (0, 0),
            Cells::Public(_) => (1, 0),
            Cells::At(..) => (3, 0),
            Cells::Wires(wires) => (2, deepest(wires)),
        };
        self.gate(b'm', kind, (sizes.cells as u128) << 64 | width as u128);
        match cells {
            Cells::Zero(_) => {}
            Cells::Public(values) => self.values(values),
            Cells::Wires(wires) => self.operands(wires),
            Cells::At(addresses, values) => {
                Addresses::of(&cells)?;
                addresses.iter().for_each(|address| self.gate(b'm', 4, (*address).into()));
                self.values(values);
            }
        }
        let number = self.wire(0).number.into();
        Ok(CountedMemory { place: self.open.memory(sizes), number, depth, sizes })
    }

    fn access(
        &mut self,
        memory: &mut CountedMemory,
        address: &[Counted],
        put: Put<'_, Counted>,
        _: &dyn Display,
    ) -> Result<Vec<Counted>> {
        memory.sizes.check::<F, _>(address.len(), put)?;
        let (bit, word) = put.parts();
        let kind = u32::from(word.is_some()) + u32::from(bit.is_some());
        self.gate(b'a', memory.number, kind.into());
        let of = [address, bit.as_slice(), word.unwrap_or_default()];
        of.iter().for_each(|wires| self.operands(wires));
        self.open.access(&mut self.shape, memory.place, kind_of(kind));
        memory.depth = of.iter().map(|wires| deepest(wires)).fold(memory.depth, u64::max) + 1;
        Ok((0..memory.sizes.width).map(|_| self.wire(memory.depth)).collect())
    }

    fn close(&mut self, memory: CountedMemory) -> Result<()> {
        self.gate(b'e', memory.number, 0);
        self.open.close(memory.place);
        Ok(())
    }
}

/// A table of [`Count`].
pub struct CountedTable {
    place: usize,
    number: u128,
    key: usize,
    value: usize,
}

impl<F: Field> Tables for Count<F> {
    type Table = CountedTable;

    fn table(&mut self, rows: Rows<'_, F>) -> Result<CountedTable> {
        let Rows { key, value, entries } = rows;
        let known = Known::new(rows)?;
        self.gate(b't', entries.len() as u128, (key as u128) << 64 | value as u128);
        self.values(entries);
        let number = self.wire(0).number.into();
        Ok(CountedTable { place: self.open.table(&known), number, key, value })
    }

    fn look_up(
        &mut self,
        table: &mut CountedTable,
        key: &[Counted],
        _: &dyn Display,
    ) -> Result<Vec<Counted>> {
        check_key(key.len(), table.key)?;
        self.gate(b'l', table.number, key.len() as u128);
        self.operands(key);
        self.open.look_up(&mut self.shape, table.place, 1);
        let depth = deepest(key) + 1;
        Ok((0..table.value).map(|_| self.wire(depth)).collect())
    }

    fn assert_within(&mut self, values: &[Counted], bits: u32, _: &dyn Display) -> Result<()> {
        check_range::<F>(bits)?;
        self.gate(b'r', values.len() as u128, bits.into());
        self.operands(values);
        self.open.within(&mut self.shape, values.len(), bits);
        Ok(())
    }
}

impl<F: Field> Permutations for Count<F> {
    fn assert_permutation(
        &mut self,
        xs: &[Counted],
        ys: &[Counted],
        width: usize,
        _: &dyn Display,
    ) -> Result<()> {
        let words = count_words::<F>(xs.len(), ys.len(), width)?;
        if words == 0 {
            return Ok(());
        }
        self.gate(b'p', words as u128, width as u128);
        self.operands(xs);
        self.operands(ys);
        self.open.permutation(&mut self.shape, words, width);
        Ok(())
    }
}
