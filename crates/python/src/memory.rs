//! Memories that are read and written at secret addresses, and tables that are looked up.

use crate::errors::invalid;
use crate::kinds::Kind;
use crate::run::pass::Pass;
use crate::run::types::Type;
use crate::run::wire::{Operand, Wire};
use crate::tape::{Id, Op};
use crate::values;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// A memory of values of one kind: `Memory(Word[32], 1024)`, or of the items of an array.
#[pyclass(frozen, module = "volery")]
pub(crate) struct Memory {
    pass: Arc<Pass>,
    id: Id,
    kind: Kind,
    cells: u32,
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.pass.close(self.id);
    }
}

impl Memory {
    /// The number of a cell, on wires or not.
    fn address<'py>(&self, pass: &Arc<Pass>, at: &Bound<'py, PyAny>) -> PyResult<Operand<'py>> {
        if let Ok(wire) = at.cast::<Wire>() {
            let wire = wire.borrow();
            pass.beside(&wire.pass)?;
            if !matches!(wire.kind, Kind::Word(_) | Kind::Element) {
                return Err(PyTypeError::new_err(format!(
                    "an address is a Word or an Element, and this is {}",
                    wire.kind
                )));
            }
            return Ok(Operand::Wire(wire));
        }
        let number: u32 = at.extract()?;
        if number >= self.cells {
            return Err(invalid(format!("cell {number} of a memory of {}", self.cells)));
        }
        let kind = if pass.facts.boolean { Kind::Word(32) } else { Kind::Element };
        pass.constant(at, &kind).map(Operand::Made)
    }

    fn access(
        &self,
        py: Python<'_>,
        at: &Bound<'_, PyAny>,
        (word, bit): (Option<Id>, Option<Id>),
        name: Option<&str>,
    ) -> PyResult<Wire> {
        // A function on lanes accesses the memory of outside.
        let pass = self.pass.now()?;
        let address = self.address(&pass, at)?;
        let name = pass.name(py, Some(name.unwrap_or("an address in the memory")))?;
        let (memory, address) = (self.id, address.id);
        pass.emit(py, self.kind.clone(), |out| Op::Access { memory, out, address, word, bit, name })
    }
}

#[pymethods]
impl Memory {
    /// A memory of so many cells of zeroes, or of the items of an array.
    #[new]
    #[pyo3(signature = (kind, cells = None))]
    fn new(py: Python<'_>, kind: &Bound<'_, PyAny>, cells: Option<u32>) -> PyResult<Self> {
        let pass = Pass::current()?;
        pass.outside_maps("Memory")?;
        let (kind, cells, from) = match (kind.cast::<Wire>(), cells) {
            (Ok(array), None) => {
                let array = array.borrow();
                pass.beside(&array.pass)?;
                let Some((count, kind)) = array.kind.items() else {
                    return Err(PyTypeError::new_err(format!(
                        "a memory of {}: an array has cells",
                        array.kind
                    )));
                };
                (kind, count, Some(array.id))
            }
            (Err(_), Some(cells)) => (kind.extract::<Type>()?.0, cells, None),
            _ => return Err(PyTypeError::new_err("write Memory(Word[32], 1024), or Memory(array)")),
        };
        pass.check_field(&kind)?;
        if cells == 0 || u128::from(cells - 1) > pass.facts.largest && !pass.facts.boolean {
            return Err(invalid(format!("a memory of {cells} cells over {}", pass.facts.name)));
        }
        let id = pass.take_name();
        let width = kind.size();
        pass.push(py, Op::Memory { memory: id, cells: from, count: cells, width })?;
        Ok(Self { pass, id, kind, cells })
    }

    /// The value at an address; demands that there is such a cell.
    #[pyo3(signature = (address, name = None))]
    fn read(&self, address: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Wire> {
        self.access(address.py(), address, (None, None), name)
    }

    /// Puts a value at an address, or only where the bit `where` is one; gives what was there before.
    #[pyo3(signature = (address, value, r#where = None, name = None))]
    fn write(
        &self,
        address: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
        r#where: Option<PyRef<'_, Wire>>,
        name: Option<&str>,
    ) -> PyResult<Wire> {
        let pass = self.pass.now()?;
        let value = Wire::exactly(&pass, value, &self.kind, "what is written")?;
        if let Some(bit) = r#where.as_ref().filter(|bit| !matches!(bit.kind, Kind::Bit | Kind::Element)) {
            return Err(PyTypeError::new_err(format!("a write where {}: a Bit says where", bit.kind)));
        }
        r#where.as_ref().map_or(Ok(()), |bit| pass.beside(&bit.pass))?;
        let bit = r#where.map(|bit| bit.id);
        self.access(address.py(), address, (Some(value.id), bit), name)
    }

    fn __getitem__(&self, address: &Bound<'_, PyAny>) -> PyResult<Wire> {
        self.read(address, None)
    }
    fn __setitem__(&self, address: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(address, value, None, None).map(drop)
    }
    fn __len__(&self) -> usize {
        self.cells as usize
    }
}

/// A public table, looked up by a secret key: `Table({key: value, …}, Word[8], Word[8])`.
#[pyclass(frozen, module = "volery")]
pub(crate) struct Table {
    pass: Arc<Pass>,
    id: Id,
    key: Kind,
    value: Kind,
}

#[pymethods]
impl Table {
    #[new]
    fn new(py: Python<'_>, rows: &Bound<'_, PyDict>, key: Type, value: Type) -> PyResult<Self> {
        let pass = Pass::current()?;
        pass.outside_maps("Table")?;
        let (key, value) = (key.0, value.0);
        [&key, &value].into_iter().try_for_each(|kind| pass.check_field(kind))?;
        if rows.is_empty() {
            return Err(invalid("a table without rows"));
        }
        let mut entries = Vec::new();
        let boolean = pass.facts.boolean;
        for (given, kind) in rows.iter().flat_map(|(k, v)| [(k, &key), (v, &value)]) {
            let width = kind.lane().size();
            for number in values::numbers(&given, kind, pass.facts, "a row of the table")?.iter() {
                if boolean {
                    entries.extend((0..width).map(|i| number >> i & 1));
                } else {
                    entries.push(*number);
                }
            }
        }
        let table = pass.take_name();
        let (key_size, value_size) = (key.size(), value.size());
        pass.push(py, Op::Table { table, key: key_size, value: value_size, rows: entries.into() })?;
        Ok(Self { pass, id: table, key, value })
    }

    /// The value of a key; demands that there is a row with it.
    #[pyo3(signature = (key, name = None))]
    fn look_up(&self, key: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Wire> {
        let py = key.py();
        let pass = self.pass.now()?;
        let key = Wire::exactly(&pass, key, &self.key, "the key")?;
        let name = pass.name(py, Some(name.unwrap_or("a key of the table")))?;
        let (table, key) = (self.id, key.id);
        pass.emit(py, self.value.clone(), |out| Op::LookUp { table, out, key, name })
    }

    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<Wire> {
        self.look_up(key, None)
    }
}
