//! Lines of words, with comments left out and those that go on joined.

use super::invalid;
use volery_channel::error::Result;

/// The lines of a text.
pub(super) struct Lines<'a> {
    pub(super) file: &'a str,
    text: &'a [u8],
    at: usize,
    /// The number of the line that is read next, from 1.
    next: u64,
    /// The number of the first line of those read last.
    pub(super) line: u64,
    words: Vec<&'a [u8]>,
    /// Whether that line is to be read again.
    again: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(file: &'a str, text: &'a [u8]) -> Self {
        Self { file, text, at: 0, next: 1, line: 0, words: Vec::new(), again: false }
    }

    /// The words of the next line that has any; nothing at the end.
    ///
    /// # Errors
    /// `Invalid` where the last line is to go on, or a byte is zero.
    pub(super) fn next(&mut self) -> Result<Option<&[&'a [u8]]>> {
        if core::mem::take(&mut self.again) {
            return Ok(Some(&self.words));
        }
        self.words.clear();
        while self.at < self.text.len() {
            let rest = &self.text[self.at..];
            let length = rest.iter().position(|&byte| byte == b'\n');
            let line = &rest[..length.unwrap_or(rest.len())];
            self.at += line.len() + 1;
            if self.words.is_empty() {
                self.line = self.next;
            }
            self.next += 1;
            let line = line.split(|&byte| byte == b'#').next().unwrap_or_default().trim_ascii_end();
            let (line, goes_on) = line.strip_suffix(b"\\").map_or((line, false), |line| (line, true));
            if line.contains(&0) {
                return Err(invalid(self.file, self.next - 1, "a byte 0 stands here: is this a text?"));
            }
            let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            self.words.extend(words);
            if goes_on && length.is_none() {
                return Err(invalid(self.file, self.next - 1, "the line is to go on, and the file ends"));
            }
            if !goes_on && !self.words.is_empty() {
                return Ok(Some(&self.words));
            }
        }
        Ok(if self.words.is_empty() { None } else { Some(&self.words) })
    }

    /// Goes back by one line, which is then read again.
    pub(super) fn back(&mut self) {
        self.again = true;
    }
}
