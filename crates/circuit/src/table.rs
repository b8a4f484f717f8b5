//! Tables: rows of a key and a value that everybody knows, looked up by a key that only the prover knows.
//!
//! A range is a table of its numbers, a set one without values.

use super::Backend;
use super::memory::{address_width, is_binary};
use core::fmt::{Display, Formatter};
use core::iter;
use std::sync::Arc;
use volery_channel::error::{Error, Result};
use volery_primitives::Field;
use zeroize::Zeroizing;

/// The rows of a table, one after the other: each a key of `key` elements, and then a value of `value`
/// elements.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a, F> {
    /// The elements of a key.
    pub key: usize,
    /// The elements of a value.
    pub value: usize,
    /// All rows. No two have the same key.
    pub entries: &'a [F],
}

/// A backend with tables.
pub trait Tables: Backend {
    /// A table, as this party holds it.
    type Table;

    /// Makes a table, outside of functions ([`Backend::call`]). Functions may look up in it.
    ///
    /// # Errors
    /// `Invalid` where it has no rows, a part of one, or a key twice.
    fn table(&mut self, rows: Rows<'_, Self::F>) -> Result<Self::Table>;

    /// Looks up the value of the row with this key. Demands, under `name`, that there is one.
    ///
    /// # Errors
    /// `Unsatisfied` where this party knows that there is none; `Invalid` where the key has another width;
    /// link errors.
    fn look_up(
        &mut self,
        table: &mut Self::Table,
        key: &[Self::Wire],
        name: &dyn Display,
    ) -> Result<Vec<Self::Wire>>;

    /// Looks up keys row by row, whose elements stand in columns, as by [`Tables::look_up`]. Gives a column
    /// for each element of the values. `name` is printed with the number of the row that fails.
    ///
    /// # Errors
    /// Those of [`Tables::look_up`].
    ///
    /// # Panics
    /// Where columns differ in length.
    fn look_up_rows(
        &mut self,
        table: &mut Self::Table,
        key: &[&[Self::Wire]],
        name: &dyn Display,
    ) -> Result<Vec<Vec<Self::Wire>>> {
        look_up_by_one(self, table, key, name)
    }

    /// Demands that each of `values` is a number below 2^`bits`, over a field of odd characteristic.
    ///
    /// # Errors
    /// `Unsatisfied` where this party knows that one is not; `Invalid` where the field has other numbers, or
    /// too few; link errors.
    fn assert_within(&mut self, values: &[Self::Wire], bits: u32, name: &dyn Display) -> Result<()>;
}

/// [`Tables::look_up_rows`] by [`Tables::look_up`].
pub fn look_up_by_one<B: Tables + ?Sized>(
    backend: &mut B,
    table: &mut B::Table,
    key: &[&[B::Wire]],
    name: &dyn Display,
) -> Result<Vec<Vec<B::Wire>>> {
    let rows = key.first().map_or(0, |column| column.len());
    assert!(key.iter().all(|column| column.len() == rows), "columns of different lengths");
    let mut columns: Zeroizing<Vec<Vec<B::Wire>>> = Zeroizing::default();
    let mut wires = Zeroizing::new(Vec::with_capacity(key.len()));
    for row in 0..rows {
        wires.clear();
        wires.extend(key.iter().map(|column| column[row]));
        let value = Zeroizing::new(backend.look_up(table, &wires, &InRow(name, row))?);
        columns.resize_with(value.len(), || Vec::with_capacity(rows));
        columns.iter_mut().zip(value.iter()).for_each(|(column, wire)| column.push(*wire));
    }
    Ok(core::mem::take(&mut columns))
}

/// The name of an assertion with the number of the row that it is about.
pub struct InRow<'a>(pub &'a dyn Display, pub usize);

impl Display for InRow<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        let Self(name, row) = self;
        write!(f, "{name}[{row}]")
    }
}

/// The number of no row of a table, all of which have fewer.
pub const NO_ROW: u32 = u32::MAX;

/// A table as both parties know it. Clones share their rows, since each function that looks up takes one
/// along.
#[derive(Clone)]
pub struct Known<F> {
    /// The elements of a key.
    pub key: usize,
    /// The elements of a value.
    pub value: usize,
    entries: Arc<[F]>,
    rows: usize,
    /// The number of rows at the beginning whose keys are their numbers, behind zeroes. They are found
    /// without the hash table.
    numbered: usize,
    /// The hash table of the other rows: a row's number plus one, at a place that follows from its key or
    /// behind that; zeros are free. There are at least twice as many places as rows.
    places: Arc<[u32]>,
}

impl<F: Field> Known<F> {
    /// Indexes a table, as [`Tables::table`] makes one.
    pub fn new(rows: Rows<'_, F>) -> Result<Self> {
        let Rows { key, value, entries } = rows;
        let length = key + value;
        if key == 0 || entries.is_empty() || !entries.len().is_multiple_of(length) {
            return Err(Error::invalid(format!(
                "a table of {} elements, in rows of a key of {key} and a value of {value}",
                entries.len()
            )));
        }
        let count = u32::try_from(entries.len() / length);
        let count = count.map_err(|_| Error::invalid("a table of 2^32 rows: the most are fewer"))?;
        let rows = count as usize;
        let mut known = Self { key, value, entries: entries.into(), rows, numbered: 0, places: Arc::new([]) };
        while known.numbered < rows && number(&known.row(known.numbered)[..key]) == known.numbered as u64 {
            known.numbered += 1;
        }
        let mut places = vec![0; (2 * (rows - known.numbered)).next_power_of_two()];
        for row in known.numbered..rows {
            if let Some(other) = known.numbered(&known.row(row)[..key]) {
                return Err(same_key(other, row));
            }
            let mut place = first_place(&known.row(row)[..key], places.len());
            while places[place] != 0 {
                let other = places[place] as usize - 1;
                if known.row(other)[..key] == known.row(row)[..key] {
                    return Err(same_key(other, row));
                }
                place = (place + 1) % places.len();
            }
            places[place] = row as u32 + 1;
        }
        known.places = places.into();
        Ok(known)
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The values of all rows, over F_2, if the keys are just the rows' numbers in bits.
    pub fn indexed(&self) -> Option<Vec<F>> {
        let bit = |row: usize, bit: usize| if row >> bit & 1 == 1 { F::ONE } else { F::ZERO };
        let is_number = |row: usize| (0..self.key).all(|i| self.row(row)[i] == bit(row, i));
        let is_indexed = F::BITS == 1
            && self.value > 0
            && self.key == address_width::<F>(self.rows())
            && (0..self.rows()).all(is_number);
        is_indexed.then(|| (0..self.rows()).flat_map(|row| self.row(row)[self.key..].to_vec()).collect())
    }

    /// Row number `row`.
    pub fn row(&self, row: usize) -> &[F] {
        &self.entries[row * (self.key + self.value)..][..self.key + self.value]
    }

    /// One element of each row.
    pub(crate) fn column(&self, i: usize) -> Vec<F> {
        (0..self.rows()).map(|row| self.row(row)[i]).collect()
    }

    /// The number of the row with this key.
    #[inline]
    pub fn find(&self, key: &[F]) -> Option<usize> {
        if let Some(row) = self.numbered(key) {
            return Some(row);
        }
        self.find_behind(first_place(key, self.places.len()), key)
    }

    /// The row with this key, searched in the hash table from `place` on.
    fn find_behind(&self, mut place: usize, key: &[F]) -> Option<usize> {
        loop {
            let row = (self.places[place] as usize).checked_sub(1)?;
            if self.row(row)[..self.key] == *key {
                return Some(row);
            }
            place = (place + 1) % self.places.len();
        }
    }

    /// Sets `rows` to the numbers of the rows with these keys, one after the other: [`NO_ROW`] where there is
    /// none. Places are far apart in memory, so all are fetched before the first is used.
    ///
    /// # Panics
    /// Where there are not as many `rows` as keys.
    pub fn find_all(&self, keys: &[F], rows: &mut [u32]) {
        assert_eq!(keys.len(), self.key * rows.len());
        let (keys, far) = (keys.chunks_exact(self.key), self.places.len());
        if self.numbered == self.rows {
            let numbers = keys.map(|key| number(key).min(NO_ROW.into()) as u32);
            let found = numbers.map(|row| if row < self.rows as u32 { row } else { NO_ROW });
            return rows.iter_mut().zip(found).for_each(|(row, found)| *row = found);
        }
        // Of those that are numbered, their numbers behind all places.
        let mut places = Zeroizing::new(Vec::with_capacity(rows.len()));
        for key in keys.clone() {
            places.push(self.numbered(key).map_or_else(|| first_place(key, far), |row| far + row));
        }
        for (row, place) in rows.iter_mut().zip(&*places) {
            *row = self.places.get(*place).map_or(0, |row| *row);
        }
        let is_row = |row: usize, key: &[F]| iter::zip(self.row(row), key).all(|(a, b)| a == b);
        for ((key, place), row) in keys.zip(&*places).zip(rows) {
            let found = match (*row as usize).checked_sub(1) {
                _ if *place >= far => Some(place - far),
                Some(row) if is_row(row, key) => Some(row),
                Some(_) => self.find_behind((*place + 1) % far, key),
                None => None,
            };
            *row = found.map_or(NO_ROW, |row| row as u32);
        }
    }

    /// The row whose number is its key, if it is one of those at the beginning.
    #[inline]
    fn numbered(&self, key: &[F]) -> Option<usize> {
        let number = number(key);
        (number < self.numbered as u64).then_some(number as usize)
    }

    /// Demands that a key fits.
    ///
    /// # Errors
    /// `Invalid` where it does not.
    pub fn check(&self, key: usize) -> Result<()> {
        check_key(key, self.key)
    }
}

/// The number that a key encodes behind zeroes, or the largest number where it encodes none.
#[inline]
fn number<F: Field>(key: &[F]) -> u64 {
    let (last, zeroes) = key.split_last().expect("keys have elements");
    let [number, others @ ..] = last.to_integer().limbs();
    let is_one = zeroes.iter().all(|zero| *zero == F::ZERO) && others == [0; 3];
    if is_one { number } else { u64::MAX }
}

fn same_key(one: usize, other: usize) -> Error {
    Error::invalid(format!("a table whose rows {one} and {other} have the same key"))
}

/// The first of `places` (a power of two) at which a key is searched for.
#[inline]
fn first_place<F: Field>(key: &[F], places: usize) -> usize {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let (mut hash, mut factor) = (0u64, ODD);
    for element in key {
        let [a, b, c, d] = element.to_integer().limbs();
        // Products of all at once: none waits for the one before.
        hash = hash.wrapping_add((a ^ b ^ c ^ d).wrapping_mul(factor));
        factor = factor.wrapping_mul(ODD);
    }
    let mixed = (hash ^ hash >> 32).wrapping_mul(ODD);
    (mixed ^ mixed >> 32) as usize & (places - 1)
}

/// Demands that a key has as many elements as those of its table.
///
/// # Errors
/// `Invalid` where it has not.
pub(crate) fn check_key(key: usize, expected: usize) -> Result<()> {
    if key == expected {
        return Ok(());
    }
    Err(Error::invalid(format!("a key of {key} for a table with keys of {expected}")))
}

/// Demands that the field has 2^`bits` numbers.
///
/// # Errors
/// `Invalid` where it does not.
pub fn check_range<F: Field>(bits: u32) -> Result<()> {
    let most = if is_binary::<F>() { 0 } else { F::bits() - 1 };
    // A field whose elements have several coordinates has the numbers of one.
    if bits == 0 || bits > most || F::ONE.to_integer() != 1 {
        return Err(Error::invalid(format!(
            "a range of {bits} bits over {}: from 1 to {most} bits are ranges of it",
            F::name()
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_primitives::F61;

    /// Some rows by numbers, others by what is found at their places, or all by numbers, and keys of none: all
    /// together as one by one.
    #[test]
    fn rows_are_found_together_as_alone() {
        let numbered = (0..40).map(|number| [0, number]);
        let others = (0..200).map(|i| [1, 77 * i % 1009]);
        for (entries, count) in
            [(numbered.clone().chain(others).collect(), 240), (Vec::from_iter(numbered), 40)]
        {
            let entries: Vec<_> = entries.into_iter().flatten().map(F61::new).collect();
            let known = Known::new(Rows { key: 2, value: 0, entries: &entries }).expect("a table");
            let keys =
                (0..2).flat_map(|i| (0..1100).chain([1 << 32, (1 << 32) + 3]).flat_map(move |j| [i, j]));
            let keys: Vec<_> = keys.map(F61::new).collect();
            let mut found = vec![7; keys.len() / 2];
            known.find_all(&keys, &mut found);
            let alone = keys.chunks_exact(2).map(|key| known.find(key).map_or(NO_ROW, |row| row as u32));
            assert!(found.iter().copied().eq(alone));
            assert_eq!(found.iter().filter(|row| **row != NO_ROW).count(), count);
        }
    }
}
