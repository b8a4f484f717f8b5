//! Common parts of the backends that write their gates as lines of text.

use core::fmt::{Arguments, Write as _};
use std::io::{self, Write};
use volery_channel::error::{Error, Result};
use volery_primitives::F2;
use zeroize::DefaultIsZeroes;

/// A value over F_2 while it is written.
#[derive(Clone, Copy)]
pub(super) enum Written {
    /// A constant, which needs no wire unless a gate asks for one.
    Constant(bool),
    /// The wire of this number.
    Wire(u64),
}

impl Default for Written {
    fn default() -> Self {
        Self::Constant(false)
    }
}

impl DefaultIsZeroes for Written {}

impl From<F2> for Written {
    fn from(c: F2) -> Self {
        Self::Constant(c.to_bool())
    }
}

/// The error where a circuit has no gate for what a statement does.
pub(super) fn not_a_gate(what: &str) -> Error {
    Error::invalid(format!("the statement {what}, which no gate of a circuit file computes: choose another"))
}

/// Bytes that are written at once.
const LINES: usize = 1 << 16;

/// Lines on their way out.
pub(super) struct Lines<'a> {
    out: &'a mut dyn Write,
    /// The lines that are still to be written.
    text: String,
    failed: Option<io::Error>,
}

impl<'a> Lines<'a> {
    /// A writer to `out`, with no line yet.
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, text: String::with_capacity(2 * LINES), failed: None }
    }

    /// Adds a line.
    pub(super) fn push(&mut self, line: Arguments<'_>) {
        self.text.write_fmt(line).expect("memory takes all");
        self.end();
    }

    /// Adds `text` to the line that is open.
    #[inline]
    pub(super) fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds the digits of `number`.
    pub(super) fn decimal(&mut self, mut number: u64) {
        let mut digits = [0; 20];
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.text.push_str(str::from_utf8(&digits[first..]).expect("digits"));
    }

    /// Ends the line that is open.
    #[inline]
    pub(super) fn end(&mut self) {
        self.text.push('\n');
        if self.text.len() >= LINES {
            self.flush();
        }
    }

    /// Writes all that is still to be written.
    pub(super) fn flush(&mut self) {
        if self.failed.is_none() {
            self.failed = self.out.write_all(self.text.as_bytes()).err();
        }
        self.text.clear();
    }

    /// Whether all went out so far that was to.
    ///
    /// # Errors
    /// `Invalid` where `out` took no more.
    pub(super) fn check(&self) -> Result<()> {
        match &self.failed {
            None => Ok(()),
            Some(why) => Err(Error::invalid(format!("the circuit cannot be written: {why}"))),
        }
    }
}
