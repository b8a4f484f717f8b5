//! Numbers and words of a line of text.

use core::fmt::{self, Display};

/// Why a number could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The line ends where a number should stand.
    LineEnds,
    /// Something else than decimal digits stands there.
    NotANumber,
    /// The number has more than 19 digits.
    TooLarge,
}

/// A position in a block of whole lines.
///
/// Words are separated by spaces, tabs and carriage returns, so that line ends of either kind will do. All
/// else is a byte of a word, whatever its encoding.
pub(super) struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
    line: u64,
}

impl<'a> Cursor<'a> {
    /// The begin of `text`, whose first line is the `line`-th of its file.
    pub(super) fn new(text: &'a [u8], line: u64) -> Self {
        Self { text, at: 0, line }
    }

    /// The number of the current line in its file, from 1.
    #[inline(always)]
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Moves over blank lines and comments to the next line with something on it, and tells whether there is one.
    #[inline(always)]
    pub(super) fn find_line(&mut self) -> bool {
        loop {
            self.skip_blanks();
            match self.text.get(self.at) {
                None => return false,
                Some(b'\n') => {
                    self.at += 1;
                    self.line += 1;
                }
                Some(b'/') if is_comment(&self.text[self.at..]) => {
                    let rest = &self.text[self.at..];
                    self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                }
                Some(_) => return true,
            }
        }
    }

    /// Moves to the next line, and tells whether nothing was left on this one; where something was, it stays.
    #[inline(always)]
    pub(super) fn end_line(&mut self) -> bool {
        self.skip_blanks();
        match self.text.get(self.at) {
            None => true,
            Some(b'\n') => {
                self.at += 1;
                self.line += 1;
                true
            }
            Some(_) => false,
        }
    }

    /// The next word as a decimal number; where it is not one, the cursor stays before it.
    #[inline(always)]
    pub(super) fn number(&mut self) -> Result<u64, Fault> {
        self.skip_blanks();
        let mut at = self.at;
        let mut value = 0u64;
        while let Some(&byte) = self.text.get(at) {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            // Wraps only beyond 19 digits, which are refused below.
            value = value.wrapping_mul(10).wrapping_add(digit.into());
            at += 1;
        }
        let digits = at - self.at;
        if digits.wrapping_sub(1) >= 19 || !self.text.get(at).is_none_or(|&byte| separates(byte)) {
            return Err(self.fault(at));
        }
        self.at = at;
        Ok(value)
    }

    /// The next word of the line, empty where there is none.
    #[inline(always)]
    pub(super) fn word(&mut self) -> &'a [u8] {
        self.skip_blanks();
        let begin = self.at;
        while self.text.get(self.at).is_some_and(|&byte| !separates(byte)) {
            self.at += 1;
        }
        &self.text[begin..self.at]
    }

    /// Says what is wrong with the word here, whose digits end before `digits_end`.
    #[cold]
    fn fault(&self, digits_end: usize) -> Fault {
        match self.text.get(self.at) {
            None | Some(b'\n') => Fault::LineEnds,
            _ if self.text.get(digits_end).is_none_or(|&byte| separates(byte)) => Fault::TooLarge,
            _ => Fault::NotANumber,
        }
    }

    #[inline(always)]
    fn skip_blanks(&mut self) {
        while self.text.get(self.at).is_some_and(|&byte| separates(byte) && byte != b'\n') {
            self.at += 1;
        }
    }
}

/// Tells whether a line that goes on so is a comment.
pub(super) fn is_comment(line: &[u8]) -> bool {
    line.starts_with(b"//")
}

/// Tells whether `byte` stands between words.
#[inline(always)]
pub(super) fn separates(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// A word of an untrusted file for an error: quoted, escaped and cut.
pub(super) struct Quoted<'a>(pub(super) &'a [u8]);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 24;
        let cut = if self.0.len() > SHOWN { "…" } else { "" };
        write!(f, "\"{}{cut}\"", self.0[..self.0.len().min(SHOWN)].escape_ascii())
    }
}
