//! Bytes of a peer, read from the front. Whatever a length says, nothing is taken that is not there, and nothing is
//! allocated for it.

use crate::error::Why;

/// Bytes that are still to be read.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'r>(&'r [u8]);

impl<'r> Reader<'r> {
    pub(crate) const fn new(bytes: &'r [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next `length` bytes.
    pub(crate) fn take(&mut self, length: usize) -> Result<&'r [u8], Why> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Why::Short)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Why> {
        Ok(*self.take(N)?.first_chunk().expect("as many"))
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Why> {
        Ok(u8::from_be_bytes(self.array()?))
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Why> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub(crate) fn u24(&mut self) -> Result<usize, Why> {
        let [a, b, c] = self.array()?;
        Ok(usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c))
    }

    /// The bytes behind a length of one byte.
    pub(crate) fn vector8(&mut self) -> Result<Reader<'r>, Why> {
        let length = self.u8()?;
        self.take(length.into()).map(Reader)
    }

    /// The bytes behind a length of two.
    pub(crate) fn vector16(&mut self) -> Result<Reader<'r>, Why> {
        let length = self.u16()?;
        self.take(length.into()).map(Reader)
    }

    /// The bytes behind a length of three.
    pub(crate) fn vector24(&mut self) -> Result<Reader<'r>, Why> {
        let length = self.u24()?;
        self.take(length).map(Reader)
    }

    /// All that is left.
    pub(crate) const fn rest(self) -> &'r [u8] {
        self.0
    }

    /// Numbers of two bytes up to the end.
    pub(crate) fn numbers(mut self) -> Result<Vec<u16>, Why> {
        let mut numbers = Vec::with_capacity(self.0.len() / 2);
        while !self.is_empty() {
            numbers.push(self.u16()?);
        }
        Ok(numbers)
    }

    /// Demands that nothing is left.
    pub(crate) const fn end(self) -> Result<(), Why> {
        if self.0.is_empty() { Ok(()) } else { Err(Why::Long) }
    }
}
