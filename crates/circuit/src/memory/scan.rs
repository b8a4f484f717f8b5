//! Memories and tables for systems without a proof for them: each access looks at all cells.

use super::{Cells, Memories, Put, Sizes, is_binary, place};
use crate::table::{Known, check_range};
use crate::{Backend, Rows, Scan, Tables};
use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_primitives::Field;
use volery_primitives::bits::mask;

/// A memory as wires, cell by cell.
#[derive(Clone)]
pub struct Scanned<W> {
    sizes: Sizes,
    /// The wires of all cells, word by word.
    cells: Vec<W>,
}

impl<W: Copy> Scanned<W> {
    /// A memory of such sizes whose cells are these wires.
    pub(crate) fn of(sizes: Sizes, cells: Vec<W>) -> Self {
        Self { sizes, cells }
    }

    /// The wires of all cells.
    pub(crate) fn into_cells(self) -> Vec<W> {
        self.cells
    }

    /// A memory: see [`Memories::memory`](super::Memories::memory).
    pub(crate) fn new<B: Backend<Wire = W>>(
        b: &mut B,
        cells: Cells<'_, B::F, W>,
        width: usize,
    ) -> Result<Self> {
        let sizes = Sizes::new(&cells, width)?;
        let cells = match cells {
            Cells::Zero(count) => vec![b.constant(B::F::ZERO); count * width],
            Cells::Public(values) => {
                let mut wires = Vec::with_capacity(values.len());
                for value in values {
                    wires.push(b.constant(*value));
                }
                wires
            }
            Cells::Wires(wires) => wires.to_vec(),
            Cells::At(..) => {
                return Err(Error::invalid(
                    "a memory whose cells lie at addresses that are not their numbers: only QuickSilver has a \
                     proof for it, and not as a file",
                ));
            }
        };
        Ok(Self { sizes, cells })
    }

    /// An access: see [`Memories::access`](super::Memories::access).
    pub(crate) fn access<B: Backend<Wire = W>>(
        &mut self,
        b: &mut B,
        address: &[W],
        put: Put<'_, W>,
        name: &dyn Display,
    ) -> Result<Vec<W>> {
        let Sizes { cells, width } = self.sizes;
        self.sizes.check::<B::F, _>(address.len(), put)?;
        let mut here =
            if is_binary::<B::F>() { by_bits(b, address, cells)? } else { by_number(b, address[0], cells)? };
        assert_one(b, &here, name)?;
        let mut word = Vec::with_capacity(width);
        for i in 0..width {
            let mut sum = None;
            for (j, here) in here.iter().enumerate() {
                let term = b.mul(*here, self.cells[j * width + i])?;
                sum = Some(match sum {
                    Some(sum) => b.add(sum, term),
                    None => term,
                });
            }
            word.push(sum.expect("a cell"));
        }
        let (bit, new) = put.parts();
        let Some(new) = new else { return Ok(word) };
        if let Some(bit) = bit {
            for here in &mut here {
                *here = b.mul(*here, bit)?;
            }
        }
        for (j, here) in here.iter().enumerate() {
            for (cell, new) in self.cells[j * width..][..width].iter_mut().zip(new) {
                let minus = b.scale(*cell, -B::F::ONE);
                let difference = b.add(*new, minus);
                let change = b.mul(*here, difference)?;
                *cell = b.add(*cell, change);
            }
        }
        Ok(word)
    }
}

/// For each number below `count` a wire that is one if the bits encode it.
pub(crate) fn by_bits<B: Backend>(b: &mut B, bits: &[B::Wire], count: usize) -> Result<Vec<B::Wire>> {
    let mut here = vec![b.constant(B::F::ONE)];
    for (level, bit) in bits.iter().enumerate().rev() {
        let next = count.div_ceil(1 << level);
        let mut deeper = Vec::with_capacity(next);
        for (number, here) in here.iter().enumerate() {
            let one = b.mul(*here, *bit)?;
            let minus = b.scale(one, -B::F::ONE);
            deeper.push(b.add(*here, minus));
            if 2 * number + 1 < next {
                deeper.push(one);
            }
        }
        here = deeper;
    }
    Ok(here)
}

/// For each number below `count` a hint that is one if `number` is equal to it. Each is shown to be zero for
/// other numbers; that one of them is one is not shown yet.
pub(crate) fn by_number<B: Backend>(b: &mut B, number: B::Wire, count: usize) -> Result<Vec<B::Wire>> {
    let hints = b.hints(&[number], count, chosen(count))?;
    let mut minus = number;
    let less = b.constant(-B::F::ONE);
    for hint in &hints {
        let product = b.mul(*hint, minus)?;
        b.assert_zero(product, "a cell that is chosen has that address")?;
        minus = b.add(minus, less);
    }
    Ok(hints)
}

/// A hint's function: one at the place of a number. It is generic over the field alone, so that it is not
/// compiled for each backend.
fn chosen<F: Field>(count: usize) -> impl Fn(&[F]) -> Vec<F> + Send + Sync + 'static {
    move |values| {
        let at = place(values.iter().copied());
        (0..count as u128).map(|i| F::ONE.masked(mask((i == at).into()))).collect()
    }
}

/// A hint's function: one at the row with a key.
fn found<F: Field>(table: Known<F>) -> impl Fn(&[F]) -> Vec<F> + Send + Sync + 'static {
    move |key| {
        let mut here = vec![F::ZERO; table.rows()];
        if let Some(row) = table.find(key) {
            here[row] = F::ONE;
        }
        here
    }
}

/// A hint's function: the bits of a number.
fn bits_of<F: Field>(bits: u32) -> impl Fn(&[F]) -> Vec<F> + Send + Sync + 'static {
    move |values| {
        let word = values[0].to_integer();
        (0..bits).map(|bit| F::ONE.masked(mask(word.bit(bit)))).collect()
    }
}

pub(crate) fn assert_one<B: Backend>(b: &mut B, wires: &[B::Wire], name: &dyn Display) -> Result<()> {
    let mut sum = b.constant(-B::F::ONE);
    for wire in wires {
        sum = b.add(sum, *wire);
    }
    b.assert_zero(sum, name)
}

/// Looks up a key row by row: see [`Tables::look_up`](crate::Tables::look_up).
pub fn scan_lookup<B: Backend>(
    b: &mut B,
    table: &Known<B::F>,
    key: &[B::Wire],
    name: &dyn Display,
) -> Result<Vec<B::Wire>> {
    table.check(key.len())?;
    let rows = table.rows();
    let here = b.hints(key, rows, found(table.clone()))?;
    for (row, here) in here.iter().enumerate() {
        for (wire, expected) in key.iter().zip(&table.row(row)[..table.key]) {
            let minus = b.constant(-*expected);
            let difference = b.add(*wire, minus);
            let product = b.mul(*here, difference)?;
            b.assert_zero(product, "a row that is chosen has that key")?;
        }
    }
    assert_one(b, &here, name)?;
    let mut values = Vec::with_capacity(table.value);
    for i in table.key..table.key + table.value {
        values.push(b.linear(&table.column(i), &here));
    }
    Ok(values)
}

/// The powers of two, one for each bit of a number.
fn places<F: Field>(bits: u32) -> Vec<F> {
    (0..bits).map(F::place).collect()
}

/// Asserts ranges by bits: see [`Tables::assert_within`](crate::Tables::assert_within).
pub fn scan_within<B: Backend>(b: &mut B, values: &[B::Wire], bits: u32, name: &dyn Display) -> Result<()> {
    check_range::<B::F>(bits)?;
    let factors = places(bits);
    for value in values {
        let of_value = b.hints(&[*value], bits as usize, bits_of(bits))?;
        for bit in &of_value {
            let square = b.mul(*bit, *bit)?;
            let minus = b.scale(*bit, -B::F::ONE);
            let difference = b.add(square, minus);
            b.assert_zero(difference, "a bit of a number")?;
        }
        let sum = b.linear(&factors, &of_value);
        let minus = b.scale(*value, -B::F::ONE);
        let difference = b.add(sum, minus);
        b.assert_zero(difference, name)?;
    }
    Ok(())
}

/// A backend that has no proof for memories and tables, and so looks at all cells.
pub trait Scans: Backend {
    /// Whether a function is open ([`Backend::call`]), which may use no wires but its own.
    fn in_function(&self) -> bool {
        false
    }
}

/// Memories that look at all cells.
impl<B: Scans> Memories for B {
    type Memory = Scanned<B::Wire>;

    fn memory(&mut self, cells: Cells<'_, B::F, B::Wire>, width: usize) -> Result<Scanned<B::Wire>> {
        outside(self)?;
        Scanned::new(self, cells, width)
    }
    fn access(
        &mut self,
        memory: &mut Scanned<B::Wire>,
        address: &[B::Wire],
        put: Put<'_, B::Wire>,
        name: &dyn Display,
    ) -> Result<Vec<B::Wire>> {
        outside(self)?;
        memory.access(self, address, put, name)
    }
    fn close(&mut self, _: Scanned<B::Wire>) -> Result<()> {
        Ok(())
    }
}

/// Demands that no function is open: its body may use no wires from outside.
fn outside<B: Scans>(backend: &B) -> Result<()> {
    if !backend.in_function() {
        return Ok(());
    }
    Err(Error::invalid(
        "a memory of a clause within a function, whose wires are others: make and access it outside",
    ))
}

/// Tables that look at all rows.
impl<B: Scans> Tables for B {
    type Table = Known<B::F>;

    fn table(&mut self, rows: Rows<'_, B::F>) -> Result<Known<B::F>> {
        Known::new(rows)
    }
    fn look_up(
        &mut self,
        table: &mut Known<B::F>,
        key: &[B::Wire],
        name: &dyn Display,
    ) -> Result<Vec<B::Wire>> {
        scan_lookup(self, table, key, name)
    }
    fn assert_within(&mut self, values: &[B::Wire], bits: u32, name: &dyn Display) -> Result<()> {
        scan_within(self, values, bits, name)
    }
}

/// The cost of an access: see [`Scan`].
pub fn access_cost<F: Field>(sizes: Sizes, put: Put<'_, ()>) -> Scan {
    let Sizes { cells, width } = sizes;
    let (n, w) = (cells as u64, width as u64);
    let (inputs, choosing, assert) = if is_binary::<F>() {
        let levels = super::address_width::<F>(cells);
        (0, (0..levels).map(|level| cells.div_ceil(2 << level) as u64).sum(), 0)
    } else {
        (n, n, n)
    };
    let (bit, word) = put.parts();
    let writing = if word.is_some() { n * w } else { 0 } + if bit.is_some() { n } else { 0 };
    let mul = choosing + n * w + writing;
    Scan { inputs, mul, assert, most: mul }
}

/// The cost of `lookups` lookups in `rows` rows with keys of `key` elements.
pub fn lookup_cost(lookups: u64, rows: usize, key: usize) -> Scan {
    let (each, key) = (rows as u64, key as u64);
    let rows = lookups * each;
    Scan { inputs: rows, mul: rows * key, assert: rows * key, most: each * key }
}

/// The cost of `values` numbers in a range of `bits` bits.
pub fn within_cost(values: usize, bits: u32) -> Scan {
    let bits = values as u64 * u64::from(bits);
    Scan { inputs: bits, mul: bits, assert: bits, most: 0 }
}
