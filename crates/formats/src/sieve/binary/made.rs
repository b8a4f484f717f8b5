//! Text made of binary messages. A table may be referred to many times, so the length of the text is bounded.

use super::MADE;
use std::fmt;
use std::io::{Error, ErrorKind, Result};
use zeroize::Zeroizing;

/// The bytes of text that are made for each byte of a message, at most.
const MOST_TO_BYTE: u64 = 64;

/// The text at hand.
pub(super) struct Made {
    /// Values of a stream are written into what it has room for.
    pub(super) text: Zeroizing<String>,
    /// The bytes that may still be made.
    left: u64,
    /// The offset in the file of the message's begin.
    begin: u64,
}

impl Made {
    pub(super) fn new() -> Self {
        Self { text: Zeroizing::new(String::with_capacity(2 * MADE)), left: MADE as u64, begin: 0 }
    }

    /// Notes that text is made of a message of `size` bytes, which begins at `begin`.
    pub(super) fn begin(&mut self, begin: u64, size: u64) {
        self.begin = begin;
        self.left = self.left.saturating_add(MOST_TO_BYTE * size);
    }

    /// # Errors
    /// Where more is made than the messages so far let expect.
    pub(super) fn push_str(&mut self, text: &str) -> Result<()> {
        match self.left.checked_sub(text.len() as u64) {
            Some(left) => {
                self.left = left;
                self.text.push_str(text);
                Ok(())
            }
            None => Err(self.too_much()),
        }
    }

    /// Appends formatted text: the method that `write!` calls.
    ///
    /// # Errors
    /// As for [`Made::push_str`].
    pub(super) fn write_fmt(&mut self, what: fmt::Arguments<'_>) -> Result<()> {
        fmt::Write::write_fmt(self, what).map_err(|_| self.too_much())
    }

    #[cold]
    fn too_much(&self) -> Error {
        Error::new(
            ErrorKind::InvalidData,
            format!(
                "byte {}: the message that begins here says more than {MOST_TO_BYTE} times its length: many \
                 offsets point to one table or string: put what repeats into a function",
                self.begin
            ),
        )
    }
}

impl fmt::Write for Made {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text).map_err(|_| fmt::Error)
    }
}
