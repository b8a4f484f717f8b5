//! Memory: words at addresses that only the prover knows.
//!
//! A proof system that has a proof for it pays a few commitments for each access, whatever the number of
//! cells; others look at all cells each time ([`Scanned`]), and prove the same statement.
//!
//! ```
//! # use volery_circuit::testing::volery;
//! use volery::circuit::{Cells, Circuit, Memories, Put};
//!
//! /// "What I put at an address of mine is what I read there."
//! struct Kept {
//!     cells: usize,
//! }
//!
//! impl<B: Memories> Circuit<B> for Kept {
//!     fn run(&self, b: &mut B) -> volery::Result<()> {
//!         use volery_primitives::Field;
//!         let mut memory = b.memory(Cells::Zero(self.cells), 1)?;
//!         let [address, word] = [b.witness()?, b.witness()?];
//!         b.access(&mut memory, &[address], Put::Word(&[word]), &"address")?;
//!         let read = b.access(&mut memory, &[address], Put::Same, &"address")?;
//!         let minus = b.scale(read[0], -B::F::ONE);
//!         let difference = b.add(word, minus);
//!         b.assert_zero(difference, "what was written")?;
//!         b.close(memory)
//!     }
//! }
//! ```

mod addresses;
mod scan;
#[cfg(test)]
mod tests;

pub use addresses::Addresses;
pub use scan::Scanned;
pub use scan::{Scans, access_cost, lookup_cost, scan_lookup, scan_within, within_cost};
pub(crate) use scan::{assert_one, by_bits, by_number};

use super::Backend;
use super::table::InRow;
use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_primitives::{Field, U256};
use zeroize::Zeroizing;

/// The initial cells of a memory: words one after the other, each of as many elements as the memory's width.
#[derive(Clone, Copy, Debug)]
pub enum Cells<'a, F, W> {
    /// Zeroes, this many words.
    Zero(usize),
    /// Public words.
    Public(&'a [F]),
    /// Words on wires.
    Wires(&'a [W]),
    /// Public words at these addresses, in ascending order: for systems that have a proof for accesses, over
    /// a field of odd characteristic.
    At(&'a [u64], &'a [F]),
}

impl<F, W> Cells<'_, F, W> {
    /// The number of cells that they fill, of `width` elements each.
    ///
    /// # Errors
    /// `Invalid` where there is none, or a part of one is left over.
    pub(crate) fn count(&self, width: usize) -> Result<usize> {
        let elements = match self {
            Self::Zero(count) => Some(*count),
            Self::Public(values) => fit(values.len(), width),
            Self::At(addresses, values) => fit(values.len(), width).filter(|cells| *cells == addresses.len()),
            Self::Wires(wires) => fit(wires.len(), width),
        };
        let count = elements.filter(|count| *count > 0 && width > 0);
        count.ok_or_else(|| {
            Error::invalid(format!("a memory without cells, or without whole words of {width}"))
        })
    }
}

fn fit(elements: usize, width: usize) -> Option<usize> {
    (width > 0 && elements.is_multiple_of(width)).then(|| elements / width)
}

/// The change of a cell by an access.
#[derive(Clone, Copy, Debug)]
pub enum Put<'a, W> {
    /// No change: a read.
    Same,
    /// Another word: a write.
    Word(&'a [W]),
    /// Another word where the wire, which the statement shows to be a bit, carries one; else no change.
    Where(W, &'a [W]),
}

impl<'a, W: Copy> Put<'a, W> {
    /// The bit, if there is one, and the word, if there is one.
    pub(crate) fn parts(self) -> (Option<W>, Option<&'a [W]>) {
        match self {
            Self::Same => (None, None),
            Self::Word(word) => (None, Some(word)),
            Self::Where(bit, word) => (Some(bit), Some(word)),
        }
    }
}

/// One access to each row of [`Memories::access_rows`], over a field of odd characteristic.
#[derive(Clone, Copy, Debug)]
pub struct Accesses<'a, W> {
    /// The address, row by row.
    pub address: &'a [W],
    /// The new word, for accesses that write: a column for each of its elements, row by row.
    pub put: Option<&'a [&'a [W]]>,
}

impl<W> Accesses<'_, W> {
    /// Whether all columns have `rows` rows.
    pub fn has_rows(&self, rows: usize) -> bool {
        let mut put = self.put.iter().flat_map(|word| word.iter());
        self.address.len() == rows && put.all(|column| column.len() == rows)
    }
}

/// A backend with memories.
///
/// An **address** is one wire over a field of odd characteristic, and over one of characteristic two as many
/// wires as the number of the last cell has bits, the least significant first; the statement says that these
/// are bits. A **word** is as many wires as the memory is wide. Memories are made and closed outside of
/// functions ([`Backend::call`]); they may be accessed in them, but for those of [clauses](super::Clauses).
pub trait Memories: Backend {
    /// A memory, as this party holds it.
    type Memory;

    /// A memory whose words have so many elements each.
    ///
    /// # Errors
    /// `Invalid` where it has no cells, parts of words, or more cells than addresses; link errors.
    fn memory(&mut self, cells: Cells<'_, Self::F, Self::Wire>, width: usize) -> Result<Self::Memory>;

    /// Accesses the word at `address`, and gives it as it was before. Demands, under `name`, that there is
    /// such a cell.
    ///
    /// # Errors
    /// `Unsatisfied` where this party knows that there is none; `Invalid` where the address, or the word, has
    /// another width; link errors.
    fn access(
        &mut self,
        memory: &mut Self::Memory,
        address: &[Self::Wire],
        put: Put<'_, Self::Wire>,
        name: &dyn Display,
    ) -> Result<Vec<Self::Wire>>;

    /// Accesses the memory row by row, as by [`Memories::access`]: in each row once by each of `ports`, in
    /// their order. Gives a column for each element of the word that each port reads. `name` is printed with
    /// the number of the row that fails.
    ///
    /// # Errors
    /// Those of [`Memories::access`].
    ///
    /// # Panics
    /// Where columns differ in length.
    fn access_rows(
        &mut self,
        memory: &mut Self::Memory,
        ports: &[Accesses<'_, Self::Wire>],
        name: &dyn Display,
    ) -> Result<Vec<Vec<Self::Wire>>> {
        access_by_one(self, memory, ports, name)
    }

    /// Ends a memory. One that is left open is closed when the proof ends.
    ///
    /// # Errors
    /// Link errors.
    fn close(&mut self, memory: Self::Memory) -> Result<()>;
}

/// [`Memories::access_rows`] by [`Memories::access`].
pub(crate) fn access_by_one<B: Memories + ?Sized>(
    backend: &mut B,
    memory: &mut B::Memory,
    ports: &[Accesses<'_, B::Wire>],
    name: &dyn Display,
) -> Result<Vec<Vec<B::Wire>>> {
    let rows = ports.first().map_or(0, |port| port.address.len());
    let longest = ports.iter().map(|port| port.put.map_or(0, <[_]>::len)).max().unwrap_or_default();
    let mut columns: Zeroizing<Vec<Vec<B::Wire>>> = Zeroizing::default();
    let mut new = Zeroizing::new(Vec::with_capacity(longest));
    assert!(ports.iter().all(|port| port.has_rows(rows)), "columns of different lengths");
    for row in 0..rows {
        let mut place = 0;
        for Accesses { address, put } in ports {
            new.clear();
            new.extend(put.iter().flat_map(|word| word.iter()).map(|column| column[row]));
            let put = if put.is_some() { Put::Word(&new) } else { Put::Same };
            let word = Zeroizing::new(backend.access(memory, &[address[row]], put, &InRow(name, row))?);
            for wire in word.iter() {
                if row == 0 {
                    columns.push(Vec::with_capacity(rows));
                }
                columns[place].push(*wire);
                place += 1;
            }
        }
    }
    Ok(core::mem::take(&mut columns))
}

/// Whether the characteristic of the field is two.
pub const fn is_binary<F: Field>() -> bool {
    F::BINARY
}

/// The number of wires of an address among `cells` cells: see [`Memories`].
pub fn address_width<F: Field>(cells: usize) -> usize {
    if is_binary::<F>() { (usize::BITS - (cells - 1).leading_zeros()) as usize } else { 1 }
}

/// The public sizes of a memory: its numbers of cells and of elements in a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sizes {
    /// Cells, each of which holds a word.
    pub cells: usize,
    /// Elements in a word.
    pub width: usize,
}

impl Sizes {
    /// The sizes of a memory of such `cells`.
    ///
    /// # Errors
    /// `Invalid` where there is no such memory.
    pub fn new<F: Field, W>(cells: &Cells<'_, F, W>, width: usize) -> Result<Self> {
        let count = cells.count(width)?;
        let last = (-F::ONE).to_integer();
        if !is_binary::<F>() && U256::from(count as u64 - 1) > last {
            return Err(Error::invalid(format!(
                "a memory of {count} cells over {}, whose last address is {last}",
                F::name()
            )));
        }
        if count as u64 > MOST_CELLS {
            return Err(Error::invalid(format!("a memory of {count} cells: the most are {MOST_CELLS}")));
        }
        Ok(Self { cells: count, width })
    }

    /// Demands that the sizes of an `address` and of `put` are right.
    ///
    /// # Errors
    /// `Invalid` where they do not.
    pub fn check<F: Field, W: Copy>(&self, address: usize, put: Put<'_, W>) -> Result<()> {
        let expected = address_width::<F>(self.cells);
        if address != expected {
            return Err(Error::invalid(format!(
                "an address of {address} wires for {} cells: it takes {expected}",
                self.cells
            )));
        }
        match put.parts().1.map(<[W]>::len) {
            Some(width) if width != self.width => {
                Err(Error::invalid(format!("a word of {width} for a memory of words of {}", self.width)))
            }
            _ => Ok(()),
        }
    }
}

/// The most cells of a memory.
const MOST_CELLS: u64 = 1 << 30;

/// The number that the values of an address encode: that of a cell, or of none.
pub fn place<F: Field>(address: impl Iterator<Item = F>) -> u128 {
    if !is_binary::<F>() {
        return address.map(|value| value.to_integer().capped()).sum();
    }
    address.enumerate().fold(0, |place, (bit, value)| place | u128::from(value.to_integer().bit(0)) << bit)
}
