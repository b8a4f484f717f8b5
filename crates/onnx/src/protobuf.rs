//! Protobuf's wire format, of which ONNX files are made: messages that borrow from the bytes of a file, field by
//! field, and know where in the file they stand.
//!
//! A message is a sequence of fields, each a varint of `number · 8 + wire type` and its value. Numbers are those
//! of `onnx.proto`; [`model`](crate::model) has them. Nothing is allocated here, and no length of a file is
//! believed before it is compared with the bytes that are there.
//!
//! **Deviations** from protobuf, each stricter: no groups, which ONNX has none of; a field that may stand once
//! does not stand twice (others take the last one, or join them); texts are UTF-8, of [`MOST_TEXT`] bytes at most.

mod written;

pub(crate) use written::Written;

use volery_channel::error::{Error, Result};

/// The most bytes of a text that is read: of a name, say.
pub(crate) const MOST_TEXT: usize = 4096;

/// A message, or whatever else has a length: a text, raw data, numbers in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message<'f> {
    /// The bytes.
    pub bytes: &'f [u8],
    /// The place of the first of them in the file.
    pub at: usize,
}

/// A field of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<'f> {
    /// The number of the field.
    pub number: u64,
    /// The place of its value in the file.
    pub at: usize,
    /// The value.
    pub value: Value<'f>,
}

/// A value, by its wire type.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'f> {
    /// A whole number or a truth value.
    Varint(u64),
    /// Eight bytes.
    Fixed64([u8; 8]),
    /// Bytes with a length.
    Bytes(Message<'f>),
    /// Four bytes.
    Fixed32([u8; 4]),
}

impl<'f> Message<'f> {
    /// The message that a whole file is.
    pub(crate) fn new(bytes: &'f [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The fields, in the order of the file.
    pub(crate) fn fields(self) -> Fields<'f> {
        Fields { rest: self, failed: false }
    }

    /// The next varint, which is taken off.
    fn varint(&mut self) -> Result<u64> {
        let mut number = 0u64;
        for (i, &byte) in self.bytes.iter().take(10).enumerate() {
            if i == 9 && byte > 1 {
                break;
            }
            number |= u64::from(byte & 127) << (7 * i);
            if byte < 128 {
                self.take(i + 1)?;
                return Ok(number);
            }
        }
        Err(refuse(self.at, "a number does not end: the file may have been cut short"))
    }

    /// The next `length` bytes, which are taken off.
    fn take(&mut self, length: usize) -> Result<&'f [u8]> {
        let Some((taken, rest)) = self.bytes.split_at_checked(length) else {
            let there = self.bytes.len();
            let why = format!(
                "{length} bytes are announced and {there} are there: the file may have been cut short"
            );
            return Err(refuse(self.at, why));
        };
        *self = Self { bytes: rest, at: self.at + length };
        Ok(taken)
    }

    /// The varints in a row, as numbers are packed.
    pub(crate) fn varints(self) -> impl Iterator<Item = Result<u64>> {
        let mut rest = Some(self);
        core::iter::from_fn(move || {
            let message = rest.as_mut().filter(|message| !message.bytes.is_empty())?;
            let number = message.varint();
            if number.is_err() {
                rest = None;
            }
            Some(number)
        })
    }

    /// The bytes as a text.
    pub(crate) fn text(self) -> Result<&'f str> {
        if self.bytes.len() > MOST_TEXT {
            let length = self.bytes.len();
            return Err(refuse(self.at, format!("a text has {length} bytes, and {MOST_TEXT} is the most")));
        }
        core::str::from_utf8(self.bytes).map_err(|_| refuse(self.at, "a text is not in UTF-8"))
    }
}

/// The fields of a message, one by one. They end behind the first error.
#[derive(Debug)]
pub(crate) struct Fields<'f> {
    rest: Message<'f>,
    failed: bool,
}

impl<'f> Iterator for Fields<'f> {
    type Item = Result<Field<'f>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.rest.bytes.is_empty() {
            return None;
        }
        let field = self.field();
        self.failed = field.is_err();
        Some(field)
    }
}

impl<'f> Fields<'f> {
    fn field(&mut self) -> Result<Field<'f>> {
        let rest = &mut self.rest;
        let begin = rest.at;
        let tag = rest.varint()?;
        let mut at = rest.at;
        let value = match tag & 7 {
            0 => Value::Varint(rest.varint()?),
            1 => Value::Fixed64(rest.take(8)?.try_into().expect("eight bytes")),
            2 => {
                let length = rest.varint()?;
                at = rest.at;
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                Value::Bytes(Message { bytes: rest.take(length)?, at })
            }
            5 => Value::Fixed32(rest.take(4)?.try_into().expect("four bytes")),
            kind => {
                return Err(refuse(begin, format!("there is no wire type {kind}: this is no ONNX file")));
            }
        };
        Ok(Field { number: tag >> 3, at, value })
    }
}

impl<'f> Field<'f> {
    /// The value as bytes with a length.
    pub(crate) fn message(&self) -> Result<Message<'f>> {
        match self.value {
            Value::Bytes(message) => Ok(message),
            _ => Err(self.wrong("bytes with a length")),
        }
    }

    /// The value as a text.
    pub(crate) fn text(&self) -> Result<&'f str> {
        self.message()?.text()
    }

    /// The value as a whole number, in two's complement.
    pub(crate) fn integer(&self) -> Result<i64> {
        match self.value {
            Value::Varint(number) => Ok(number.cast_signed()),
            _ => Err(self.wrong("a whole number")),
        }
    }

    /// The value as a number of single precision.
    pub(crate) fn float(&self) -> Result<f32> {
        match self.value {
            Value::Fixed32(bytes) => Ok(f32::from_le_bytes(bytes)),
            _ => Err(self.wrong("a number of 4 bytes")),
        }
    }

    /// Adds the integers of a repeated field to `numbers`: one of them, or all in a row.
    pub(crate) fn integers(&self, numbers: &mut Vec<i64>) -> Result<()> {
        match self.value {
            Value::Varint(number) => numbers.push(number.cast_signed()),
            Value::Bytes(row) => {
                for number in row.varints() {
                    numbers.push(number?.cast_signed());
                }
            }
            _ => return Err(self.wrong("whole numbers")),
        }
        Ok(())
    }

    /// Adds the numbers of a repeated field to `numbers`: one of them, or all in a row.
    pub(crate) fn floats(&self, numbers: &mut Vec<f32>) -> Result<()> {
        match self.value {
            Value::Fixed32(bytes) => numbers.push(f32::from_le_bytes(bytes)),
            Value::Bytes(row) if row.bytes.len().is_multiple_of(4) => {
                let words = row.bytes.as_chunks::<4>().0;
                numbers.extend(words.iter().map(|bytes| f32::from_le_bytes(*bytes)));
            }
            _ => return Err(self.wrong("numbers of 4 bytes")),
        }
        Ok(())
    }

    /// Puts what `read` makes of the value into `place`.
    ///
    /// # Errors
    /// `Invalid` where something stands there already.
    pub(crate) fn once<T>(&self, place: &mut Option<T>, read: impl FnOnce(&Self) -> Result<T>) -> Result<()> {
        if place.is_some() {
            return Err(refuse(self.at, format!("field {} stands twice in a message", self.number)));
        }
        *place = Some(read(self)?);
        Ok(())
    }

    fn wrong(&self, expected: &str) -> Error {
        refuse(self.at, format!("field {} is not {expected}: this is no ONNX file", self.number))
    }
}

/// An error of the file, at a byte.
pub(crate) fn refuse(at: usize, why: impl core::fmt::Display) -> Error {
    Error::invalid(format!("the network cannot be read, at byte {at} of its file: {why}"))
}
