//! Streams of values, public or private ones: `< 3 >;` for each.

use super::binary;
use super::field::{self, WireField};
use super::header::{self, Resource, Type};
use super::number::Number;
use super::text::Text;
use crate::bristol::open_regular;
use std::io::Read;
use std::path::Path;
use volery_channel::error::{Error, Result};
use zeroize::Zeroizing;

/// The kind of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// Values that both parties know.
    Public,
    /// Values that the prover alone knows.
    Private,
}

/// A file of values. Wiped when dropped, and no error shows a value.
#[derive(Debug)]
pub struct SieveStream {
    field: WireField,
    /// Each in as many bytes as its field takes, the least significant first.
    encodings: Zeroizing<Vec<u8>>,
}

impl SieveStream {
    /// Reads the file at `path`, which is to be one of these values.
    ///
    /// # Errors
    /// `Invalid` where it cannot be read, is no regular file, is malformed, or is of other values: then before
    /// any of them is read.
    pub fn open(path: impl AsRef<Path>, kind: StreamKind) -> Result<Self> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let file =
            open_regular(path).map_err(|why| Error::invalid(format!("{name} cannot be read: {why}")))?;
        Self::of(&name, Box::new(file), kind)
    }

    /// A stream in memory, called `name` in errors.
    ///
    /// # Errors
    /// As for [`SieveStream::open`].
    pub fn from_bytes(name: &str, text: &[u8], kind: StreamKind) -> Result<Self> {
        Self::of(name, Box::new(text), kind)
    }

    fn of(name: &str, file: Box<dyn Read + '_>, kind: StreamKind) -> Result<Self> {
        let text = binary::text_of(file, true);
        let (text, _) = text.map_err(|why| Error::invalid(format!("{name} cannot be read: {why}")))?;
        Self::read(Text::new(name, text), kind)
    }

    fn read(mut text: Text<'_>, kind: StreamKind) -> Result<Self> {
        text.hide();
        let expected = match kind {
            StreamKind::Public => Resource::PublicInput,
            StreamKind::Private => Resource::PrivateInput,
        };
        let resource = header::begin(&mut text)?;
        if resource != expected {
            return Err(text.fail(format_args!(
                "this is {}, and {} is asked for: give it by the option for it",
                resource.word(),
                expected.word()
            )));
        }
        text.expect_all(b"@type")?;
        let field = match header::read_type(&mut text, None)? {
            Type::Field(field) => field,
            other => {
                return Err(text.fail(format_args!(
                    "the values are of {other}, and streams are read of {}",
                    field::READ
                )));
            }
        };
        text.expect(b';')?;
        text.expect_all(b"@begin")?;
        let width = field.bytes();
        // Elements that grow leave copies behind.
        let mut encodings = Zeroizing::new(Vec::with_capacity(1 << 16));
        while text.peek()? == b'<' {
            text.expect(b'<')?;
            let number = match text.small()? {
                Some(value) => Number::of(value),
                None => text.large("a value")?,
            };
            if !number.below(field.size()) {
                return Err(text.fail(format_args!("the value is not below {}", field.limit())));
            }
            text.expect(b'>')?;
            text.expect(b';')?;
            if encodings.len() + width > encodings.capacity() {
                let mut longer = Zeroizing::new(Vec::with_capacity(2 * encodings.capacity().max(width)));
                longer.extend_from_slice(&encodings);
                encodings = longer;
            }
            number.encode(width, &mut encodings);
        }
        text.expect_all(b"@end")?;
        if text.peek()? != 0 {
            return Err(text.fail("text stands behind the @end: remove it"));
        }
        Ok(Self { field, encodings })
    }

    /// The field, as [`ValueStream::field`](super::ValueStream::field) has it.
    pub fn field(&self) -> String {
        self.field.to_string()
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        (self.encodings.len() / self.field.bytes()) as u64
    }

    /// The values, as [`Written::Encodings`](volery_circuit::Written::Encodings) takes them.
    pub fn encodings(&self) -> &[u8] {
        &self.encodings
    }
}
