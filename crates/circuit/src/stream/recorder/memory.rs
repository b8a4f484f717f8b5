//! Records of memories, tables, ranges and permutations, and of wires that cross.

use super::Recorder;
use crate::crossing::no_shard;
use crate::memory::{Addresses, access_by_one};
use crate::permutation::count_words;
use crate::stream::argues;
use crate::stream::block::{Op, number};
use crate::stream::frame::Handle;
use crate::table::{check_key, look_up_by_one};
use crate::{
    Accesses, Cells, Crossings, Known, Memories, Permutations, Put, Rows, Sizes, Tables, check_range,
};
use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_primitives::Field;

/// A memory of the [`Recorder`].
pub struct MemoryHandle {
    number: u32,
    sizes: Sizes,
}

/// A table of the [`Recorder`].
pub struct TableHandle {
    number: u32,
    key: usize,
    value: usize,
}

impl<F: Field> Recorder<'_, F> {
    /// Demands that no function is open: it would be executed again.
    fn outside(&self, what: &str) -> Result<()> {
        if self.in_statement() {
            return Ok(());
        }
        Err(Error::invalid(format!("{what} within a function, which is recorded once: do it outside")))
    }

    /// Adds a record on the lists `of`, with last operand `b`, and gives its `count` results.
    pub(super) fn push_lists(
        &mut self,
        op: Op,
        out: u32,
        of: &[&[Handle]],
        (count, b): (usize, u32),
    ) -> Vec<Handle> {
        let results = self.frame.take_many(count);
        let at = self.frame.block.next_word();
        self.frame.list_all(of);
        self.frame.list(&results);
        self.push_long(op, out, at, b);
        results
    }
}

impl<F: Field> Memories for Recorder<'_, F> {
    type Memory = MemoryHandle;

    fn memory(&mut self, cells: Cells<'_, F, Handle>, width: usize) -> Result<MemoryHandle> {
        self.outside("a memory is made")?;
        let sizes = Sizes::new(&cells, width)?;
        if !self.argues.memories {
            let memory = self.memories;
            self.memories += 1;
            self.scanned_memory(memory, cells, width)?;
            return Ok(MemoryHandle { number: memory, sizes });
        }
        let at = self.frame.block.next_word();
        self.frame.list(if let Cells::Wires(wires) = cells { wires } else { &[] });
        self.frame.list(&[]);
        // The kinds of cells, by the table in the header of `stream.rs`.
        let (kind, count) = match cells {
            Cells::Wires(_) => (0, 0),
            Cells::Public(values) => (1, values.len()),
            Cells::Zero(count) => (2, count),
            Cells::At(addresses, _) => (3, addresses.len()),
        };
        Addresses::of(&cells)?;
        let block = &mut self.frame.block;
        block.words.extend([number(width), kind, number(count)]);
        let constants = block.next_constant();
        match cells {
            Cells::Public(values) => block.constants.extend_from_slice(values),
            Cells::At(addresses, values) => {
                let number =
                    |word: u64| F::from_word(word.into()).expect("a number of the field, as seen above");
                block.constants.extend(addresses.iter().map(|address| number(*address)));
                block.constants.extend_from_slice(values);
            }
            Cells::Zero(_) | Cells::Wires(_) => {}
        }
        let memory = self.memories;
        self.memories += 1;
        self.push_long(Op::Memory, memory, at, constants);
        self.outcome()?;
        Ok(MemoryHandle { number: memory, sizes })
    }

    fn access(
        &mut self,
        memory: &mut MemoryHandle,
        address: &[Handle],
        put: Put<'_, Handle>,
        name: &dyn Display,
    ) -> Result<Vec<Handle>> {
        memory.sizes.check::<F, _>(address.len(), put)?;
        (self.frame.names_memories, self.frame.lowers) = (true, true);
        if !self.argues.memories {
            return self.scan_access((memory.number, memory.sizes), address, put, name);
        }
        self.asserted(name)?;
        let (bit, word) = put.parts();
        let kind = u32::from(word.is_some()) + u32::from(bit.is_some());
        let of = [address, bit.as_slice(), word.unwrap_or_default()];
        let about = (memory.sizes.width, kind + 4 * number(address.len()));
        let word = self.push_lists(Op::Access, memory.number, &of, about);
        self.outcome()?;
        Ok(word)
    }

    fn access_rows(
        &mut self,
        memory: &mut MemoryHandle,
        ports: &[Accesses<'_, Handle>],
        name: &dyn Display,
    ) -> Result<Vec<Vec<Handle>>> {
        let rows = ports.first().map_or(0, |port| port.address.len());
        assert!(ports.iter().all(|port| port.has_rows(rows)), "columns of different lengths");
        if rows == 0 {
            return Ok(Vec::new());
        }
        let mut columns = Vec::new();
        for Accesses { address, put } in ports {
            let word = vec![Handle::default(); put.map_or(0, <[_]>::len)];
            memory.sizes.check::<F, _>(1, if put.is_some() { Put::Word(&word) } else { Put::Same })?;
            columns.push(*address);
            columns.extend(put.iter().flat_map(|word| word.iter()));
        }
        (self.frame.names_memories, self.frame.lowers) = (true, true);
        if !self.argues.memories {
            return access_by_one(self, memory, ports, name);
        }
        self.asserted(name)?;
        let width = memory.sizes.width;
        let results = self.frame.take_many(ports.len() * width * rows);
        let at = self.frame.block.next_word();
        let puts = ports.iter().map(|port| number(port.put.map_or(0, <[_]>::len)));
        self.frame.block.words.extend(puts);
        self.frame.list_all(&columns);
        self.frame.list(&results);
        self.push_long(Op::AccessRows, memory.number, at, number(ports.len()));
        self.outcome()?;
        Ok(results.chunks_exact(rows).map(<[_]>::to_vec).collect())
    }

    fn close(&mut self, memory: MemoryHandle) -> Result<()> {
        self.outside("a memory is closed")?;
        if !self.argues.memories {
            self.close_scanned(memory.number);
            return self.outcome();
        }
        self.push(Op::Close, memory.number, 0, 0);
        self.outcome()
    }
}

impl<F: Field> Tables for Recorder<'_, F> {
    type Table = TableHandle;

    fn table(&mut self, rows: Rows<'_, F>) -> Result<TableHandle> {
        self.outside("a table is made")?;
        let known = Known::new(rows)?;
        let Rows { key, value, entries } = rows;
        let table = self.tables;
        self.tables += 1;
        let argued = match self.argues.tables {
            argues::Tables::None => false,
            argues::Tables::Numbered => known.indexed().is_some(),
            argues::Tables::All => true,
        };
        if !argued {
            self.scanned_table(table, known);
            return Ok(TableHandle { number: table, key, value });
        }
        let block = &mut self.frame.block;
        let (at, constants) = (block.next_word(), block.next_constant());
        block.words.extend([key, value, entries.len()].map(number));
        block.constants.extend_from_slice(entries);
        self.push_long(Op::Table, table, at, constants);
        self.outcome()?;
        Ok(TableHandle { number: table, key, value })
    }

    fn look_up(
        &mut self,
        table: &mut TableHandle,
        key: &[Handle],
        name: &dyn Display,
    ) -> Result<Vec<Handle>> {
        check_key(key.len(), table.key)?;
        (self.frame.names_memories, self.frame.lowers) = (true, true);
        if self.scans_table(table.number) {
            return self.scan_table(table.number, key, name);
        }
        self.asserted(name)?;
        let value = self.push_lists(Op::LookUp, table.number, &[key], (table.value, 0));
        self.outcome()?;
        Ok(value)
    }

    fn look_up_rows(
        &mut self,
        table: &mut TableHandle,
        key: &[&[Handle]],
        name: &dyn Display,
    ) -> Result<Vec<Vec<Handle>>> {
        check_key(key.len(), table.key)?;
        let rows = key[0].len();
        assert!(key.iter().all(|column| column.len() == rows), "columns of different lengths");
        if rows == 0 {
            return Ok(Vec::new());
        }
        (self.frame.names_memories, self.frame.lowers) = (true, true);
        if self.scans_table(table.number) {
            return look_up_by_one(self, table, key, name);
        }
        self.asserted(name)?;
        let about = (table.value * rows, number(key.len()));
        let values = self.push_lists(Op::LookUpRows, table.number, key, about);
        self.outcome()?;
        Ok(values.chunks_exact(rows).map(<[_]>::to_vec).collect())
    }

    fn assert_within(&mut self, values: &[Handle], bits: u32, name: &dyn Display) -> Result<()> {
        check_range::<F>(bits)?;
        self.frame.lowers = true;
        if !self.argues.ranges {
            return self.scan_range(values, bits, name);
        }
        self.asserted(name)?;
        self.push_lists(Op::Within, bits, &[values], (0, 0));
        self.outcome()
    }
}

impl<F: Field> Permutations for Recorder<'_, F> {
    fn assert_permutation(
        &mut self,
        xs: &[Handle],
        ys: &[Handle],
        width: usize,
        name: &dyn Display,
    ) -> Result<()> {
        if count_words::<F>(xs.len(), ys.len(), width)? == 0 {
            return Ok(());
        }
        self.frame.lowers = true;
        if !self.argues.permutations {
            return self.scan_lists([xs, ys], width, name);
        }
        self.asserted(name)?;
        self.push_lists(Op::Permutation, number(width), &[xs, ys], (0, 0));
        self.outcome()
    }
}

impl<F: Field> Crossings for Recorder<'_, F> {
    fn incoming(&mut self, count: usize) -> Result<Vec<Handle>> {
        self.outside("wires come in")?;
        if !self.argues.crossings {
            return Err(no_shard());
        }
        let wires = self.frame.take_many(count);
        let at = self.frame.block.next_word();
        self.frame.list(&wires);
        self.push_long(Op::Incoming, 0, at, 0);
        self.outcome()?;
        Ok(wires)
    }

    fn outgoing(&mut self, wires: &[Handle]) -> Result<()> {
        self.outside("wires go out")?;
        if !self.argues.crossings {
            return Err(no_shard());
        }
        let at = self.frame.block.next_word();
        self.frame.list(wires);
        self.push_long(Op::Outgoing, 0, at, 0);
        self.outcome()
    }
}
