//! Messages that are written: field by field, or with some fields of others as they stand there.

use super::{Field, Message, Value};
use volery_channel::error::Result;

/// A message that is being written.
#[derive(Default)]
pub(crate) struct Written(pub(crate) Vec<u8>);

impl Written {
    fn varint(&mut self, mut number: u64) {
        while number >= 128 {
            self.0.push(number as u8 | 128);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Adds a field that is a whole number.
    pub(crate) fn number(mut self, field: u64, number: u64) -> Self {
        self.varint(field << 3);
        self.varint(number);
        self
    }

    /// Adds a field of bytes: a text, or a message.
    pub(crate) fn bytes(mut self, field: u64, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// Adds a field of 4 or 8 bytes, or of a kind that nobody knows, behind its number and kind.
    pub(crate) fn raw(mut self, tag: u64, bytes: &[u8]) -> Self {
        self.varint(tag);
        self.0.extend_from_slice(bytes);
        self
    }

    /// Adds a field as another message has it.
    pub(crate) fn field(self, field: &Field<'_>) -> Self {
        let (kind, bytes) = match &field.value {
            Value::Varint(number) => return self.number(field.number, *number),
            Value::Bytes(message) => return self.bytes(field.number, message.bytes),
            Value::Fixed64(bytes) => (1, &bytes[..]),
            Value::Fixed32(bytes) => (5, &bytes[..]),
        };
        self.raw(field.number << 3 | kind, bytes)
    }

    /// Adds those fields of `message` whose numbers are among `numbers`.
    ///
    /// # Errors
    /// `Invalid` where the message is malformed.
    pub(crate) fn fields(self, message: Message<'_>, numbers: &[u64]) -> Result<Self> {
        message.fields().try_fold(self, |written, field| {
            let field = field?;
            Ok(if numbers.contains(&field.number) { written.field(&field) } else { written })
        })
    }
}
