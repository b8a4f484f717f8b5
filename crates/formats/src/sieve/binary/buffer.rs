//! Tables of FlatBuffers in a message, each offset of which is looked at before it is followed.

use std::io::{Error, ErrorKind, Result};
use zeroize::Zeroizing;

/// A message, behind its size.
pub(super) struct Buffer {
    bytes: Zeroizing<Vec<u8>>,
    /// The offset in the file of its begin.
    begin: u64,
    /// Whether the content is secret: then no error shows it.
    hidden: bool,
}

/// A table: where it is, and where and how long the list of its fields.
#[derive(Clone, Copy)]
pub(super) struct Table {
    at: usize,
    fields: usize,
    length: usize,
}

/// Elements in a row: where the first is, and how many there are.
#[derive(Clone, Copy, Default)]
pub(super) struct Vector {
    at: usize,
    pub(super) count: usize,
}

impl Buffer {
    pub(super) fn new(bytes: Zeroizing<Vec<u8>>, begin: u64, hidden: bool) -> Self {
        Self { bytes, begin, hidden }
    }

    /// Says that no error may show what stands in it.
    pub(super) fn hide(&mut self) {
        self.hidden = true;
    }

    pub(super) fn is_hidden(&self) -> bool {
        self.hidden
    }

    /// The error that `why` says of the byte at `at`.
    #[cold]
    pub(super) fn fail(&self, at: usize, why: &str) -> Error {
        Error::new(ErrorKind::InvalidData, format!("byte {}: {why}", self.begin + at as u64))
    }

    fn slice(&self, at: usize, count: usize) -> Result<&[u8]> {
        let end = at.checked_add(count);
        end.and_then(|end| self.bytes.get(at..end))
            .ok_or_else(|| self.fail(at.min(self.bytes.len()), "what stands here points beyond its message"))
    }

    fn array<const N: usize>(&self, at: usize) -> Result<[u8; N]> {
        Ok(*self.slice(at, N)?.first_chunk().expect("so many bytes"))
    }

    fn word(&self, at: usize) -> Result<usize> {
        Ok(u32::from_le_bytes(self.array(at)?) as usize)
    }

    /// The place that the offset at `at` points to.
    fn behind(&self, at: usize) -> Result<usize> {
        let offset = self.word(at)?;
        at.checked_add(offset).ok_or_else(|| self.fail(at, "an offset that is too large"))
    }

    /// The table that the message is.
    pub(super) fn root(&self) -> Result<Table> {
        let at = self.behind(0)?;
        if self.slice(4, 4)? != b"siev" {
            return Err(self.fail(4, "no message of SIEVE, which has \"siev\" here"));
        }
        self.table(at)
    }

    fn table(&self, at: usize) -> Result<Table> {
        let back = i64::from(i32::from_le_bytes(self.array(at)?));
        let fields =
            usize::try_from(at as i64 - back).map_err(|_| self.fail(at, "a table without fields"))?;
        let length = usize::from(u16::from_le_bytes(self.array(fields)?));
        self.slice(fields, length)?;
        Ok(Table { at, fields, length })
    }

    /// The place of field number `number`, if it is there.
    fn field(&self, table: Table, number: usize) -> Result<Option<usize>> {
        let at = 4 + 2 * number;
        if at + 2 > table.length {
            return Ok(None);
        }
        let offset = usize::from(u16::from_le_bytes(self.array(table.fields + at)?));
        Ok((offset > 0).then_some(table.at + offset))
    }

    /// The bytes from a field, if it is there, up to the next one of the first eight, or else to the end of the
    /// table.
    pub(super) fn room(&self, table: Table, number: usize) -> Result<Option<usize>> {
        let Some(at) = self.field(table, number)? else { return Ok(None) };
        let size = u16::from_le_bytes(self.array(table.fields + 2)?);
        let mut end = table.at + usize::from(size);
        for other in 0..8 {
            end = self.field(table, other)?.filter(|other| *other > at).map_or(end, |other| end.min(other));
        }
        Ok(Some(end.saturating_sub(at)))
    }

    /// A byte, which is zero where it is not there.
    pub(super) fn byte(&self, table: Table, number: usize) -> Result<u8> {
        self.field(table, number)?.map_or(Ok(0), |at| Ok(self.array::<1>(at)?[0]))
    }

    /// A number of eight bytes, which is zero where it is not there.
    pub(super) fn long(&self, table: Table, number: usize) -> Result<u64> {
        self.field(table, number)?.map_or(Ok(0), |at| Ok(u64::from_le_bytes(self.array(at)?)))
    }

    /// The part `found`, called `what` in errors, which has to be there.
    fn needed<T>(&self, table: Table, what: &str, found: Option<T>) -> Result<T> {
        found.ok_or_else(|| self.fail(table.at, &format!("{what} is missing")))
    }

    /// The kind, by field `number`, and the table, by the field behind that, of a union.
    pub(super) fn union(&self, table: Table, number: usize, what: &str) -> Result<(u8, Table)> {
        let kind = self.byte(table, number)?;
        Ok((kind, self.inner(table, number + 1, what)?))
    }

    /// The table that a field points to.
    pub(super) fn inner(&self, table: Table, number: usize, what: &str) -> Result<Table> {
        let at = self.field(table, number)?;
        self.table(self.behind(self.needed(table, what, at)?)?)
    }

    /// A vector, which is empty where it is not there, of elements of `size` bytes.
    pub(super) fn vector(&self, table: Table, number: usize, size: usize) -> Result<Vector> {
        let Some(at) = self.field(table, number)? else { return Ok(Vector::default()) };
        let at = self.behind(at)?;
        let count = self.word(at)?;
        let bytes = count.checked_mul(size).ok_or_else(|| self.fail(at, "a vector that is too long"))?;
        self.slice(at + 4, bytes)?;
        Ok(Vector { at: at + 4, count })
    }

    /// Element `i` of a vector of tables.
    pub(super) fn element(&self, vector: Vector, i: usize) -> Result<Table> {
        self.table(self.behind(vector.at + 4 * i)?)
    }

    /// The bytes of entry `number` of a vector of byte strings.
    pub(super) fn bytes(&self, table: Table, number: usize) -> Result<&[u8]> {
        let vector = self.vector(table, number, 1)?;
        self.slice(vector.at, vector.count)
    }

    /// A string, which has to be there.
    pub(super) fn string(&self, table: Table, number: usize, what: &str) -> Result<&[u8]> {
        let at = self.field(table, number)?;
        self.string_at(self.needed(table, what, at)?)
    }

    fn string_at(&self, at: usize) -> Result<&[u8]> {
        let at = self.behind(at)?;
        self.slice(at + 4, self.word(at)?)
    }

    /// The string number `i` of a vector of strings.
    pub(super) fn string_of(&self, vector: Vector, i: usize) -> Result<&[u8]> {
        self.string_at(vector.at + 4 * i)
    }

    /// The first and the last wire of a field that is a range.
    pub(super) fn range(&self, table: Table, number: usize) -> Result<[u64; 2]> {
        let at = self.field(table, number)?;
        self.pair(self.needed(table, "a range of wires", at)?)
    }

    /// Two numbers of eight bytes.
    fn pair(&self, at: usize) -> Result<[u64; 2]> {
        self.slice(at, 16)?;
        Ok([u64::from_le_bytes(self.array(at)?), u64::from_le_bytes(self.array(at + 8)?)])
    }

    /// The range number `i` of a vector of ranges.
    pub(super) fn range_of(&self, vector: Vector, i: usize) -> Result<[u64; 2]> {
        self.pair(vector.at + 16 * i)
    }

    /// The type and the count at `place` of element `i` in a vector of structures of `size` bytes.
    pub(super) fn count_of(&self, vector: Vector, i: usize, size: usize, place: usize) -> Result<(u8, u64)> {
        let at = vector.at + size * i + place;
        let [kind] = self.array::<1>(at)?;
        Ok((kind, u64::from_le_bytes(self.array(at + 8)?)))
    }
}
