//! Tokens of SIEVE text, read through one buffer and hashed on the way.

use super::number::Number;
use core::fmt::Display;
use std::io::{ErrorKind, Read};
use volery_channel::error::{Error, Result};
use zeroize::Zeroize;

/// Bytes that are read at once.
const BLOCK: usize = 256 << 10;

/// The longest token, of which the longest is a number of 4096 bits in binary digits.
const LONGEST: usize = 4400;

/// Bytes of a line that are kept before the token at hand, for errors.
const KEPT: usize = 80;

/// Bytes of a line that an error shows.
const SHOWN: usize = 120;

/// A text, and how far it is read.
pub(super) struct Text<'s> {
    file: &'s str,
    source: Box<dyn Read + 's>,
    /// The text at hand, and one byte of zero behind it.
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    /// The place from which on a token may be longer than the text at hand.
    low: usize,
    ended: bool,
    /// The begin of the last token.
    token: usize,
    line: u64,
    /// The bytes before the buffer, and before the current line.
    before: u64,
    line_begin: u64,
    /// Lines are not shown in errors: they may be secret.
    hidden: bool,
    hasher: blake3::Hasher,
    /// The digest of the part at hand, where parts are digested, and the place in the buffer up to which it
    /// has taken them.
    part: Option<(blake3::Hasher, usize)>,
}

impl<'s> Text<'s> {
    /// The text of `source`, of a file called `file`.
    pub(super) fn new(file: &'s str, source: Box<dyn Read + 's>) -> Self {
        let buffer = vec![0; BLOCK + 1];
        let hasher = blake3::Hasher::new();
        Self {
            file,
            source,
            buffer,
            at: 0,
            end: 0,
            low: 0,
            ended: false,
            token: 0,
            line: 1,
            before: 0,
            line_begin: 0,
            hidden: false,
            hasher,
            part: None,
        }
    }

    /// Says that no error may show what stands in the text, and that it is wiped.
    pub(super) fn hide(&mut self) {
        self.hidden = true;
    }

    /// Whether no error may show what stands in the text.
    pub(super) fn is_hidden(&self) -> bool {
        self.hidden
    }

    /// How many bytes are read so far.
    #[inline(always)]
    pub(super) fn position(&self) -> u64 {
        self.before + self.at as u64
    }

    /// The number of the current line, from 1.
    #[inline(always)]
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Begins a part of the text at the current place, and gives the digest of the part that ends there, if
    /// there is one.
    pub(super) fn begin_part(&mut self) -> Option<[u8; 32]> {
        let before = self.part.replace((blake3::Hasher::new(), self.at));
        before.map(|(mut hasher, from)| hasher.update(&self.buffer[from..self.at]).finalize().into())
    }

    /// Reads on to the end, and gives the length in bytes and the digest of all that was read.
    pub(super) fn finish(&mut self) -> Result<(u64, [u8; 32])> {
        while !self.ended {
            self.at = self.end;
            self.refill()?;
        }
        Ok((self.before + self.end as u64, self.hasher.finalize().into()))
    }

    /// The first byte of the next token, which stays where it is; zero at the end of the text.
    #[inline(always)]
    pub(super) fn peek(&mut self) -> Result<u8> {
        if self.at >= self.low && !self.ended {
            self.refill()?;
        }
        let byte = self.buffer[self.at];
        if byte > b' ' && byte != b'/' {
            self.token = self.at;
            return Ok(byte);
        }
        self.skip()
    }

    /// Skips blanks and comments, and looks at the next byte, as [`Text::peek`] does.
    fn skip(&mut self) -> Result<u8> {
        loop {
            match self.buffer[self.at] {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\n' => self.new_line(),
                b'/' => self.comment()?,
                0 if self.at == self.end && !self.ended => self.refill()?,
                byte => {
                    if self.at >= self.low && !self.ended {
                        self.refill()?;
                    }
                    self.token = self.at;
                    if byte == 0 && self.at < self.end {
                        return Err(self.fail("a byte of zero, which no text has: is it a file of text?"));
                    }
                    return Ok(byte);
                }
            }
        }
    }

    #[inline(always)]
    fn new_line(&mut self) {
        self.at += 1;
        self.line += 1;
        self.line_begin = self.before + self.at as u64;
    }

    /// Skips a comment.
    fn comment(&mut self) -> Result<()> {
        if self.end - self.at < 2 {
            self.refill()?;
        }
        self.token = self.at;
        match self.buffer[self.at + 1] {
            b'/' => loop {
                match self.buffer[self.at] {
                    b'\n' => return Ok(()),
                    0 if self.at == self.end => {
                        if self.ended {
                            return Ok(());
                        }
                        self.refill()?;
                    }
                    _ => self.at += 1,
                }
            },
            b'*' => {
                let begin = (self.line, self.column());
                self.at += 2;
                loop {
                    match self.buffer[self.at] {
                        b'\n' => self.new_line(),
                        b'*' if self.buffer[self.at + 1] == b'/' => {
                            self.at += 2;
                            return Ok(());
                        }
                        b'*' if self.at + 1 == self.end && !self.ended => self.refill()?,
                        0 if self.at == self.end => {
                            if self.ended {
                                return Err(Error::invalid(format!(
                                    "{}, line {}, column {}: the comment that begins here has no */ at its end",
                                    self.file, begin.0, begin.1
                                )));
                            }
                            self.refill()?;
                        }
                        _ => self.at += 1,
                    }
                }
            }
            _ => Err(self.fail("a / that begins no comment: write // or /*")),
        }
    }

    /// Reads until a whole token is at hand.
    #[cold]
    fn refill(&mut self) -> Result<()> {
        let from = self.at.saturating_sub(KEPT);
        if let Some((hasher, taken)) = &mut self.part {
            hasher.update(&self.buffer[*taken..self.at]);
            *taken = self.at - from;
        }
        self.buffer.copy_within(from..self.end, 0);
        self.before += from as u64;
        self.at -= from;
        self.end -= from;
        self.token = self.token.saturating_sub(from);
        while !self.ended && self.end - self.at < LONGEST {
            let last = self.buffer.len() - 1;
            match self.source.read(&mut self.buffer[self.end..last]) {
                Ok(0) => self.ended = true,
                Ok(fresh) => {
                    self.hasher.update(&self.buffer[self.end..self.end + fresh]);
                    self.end += fresh;
                }
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                Err(why) => return Err(Error::invalid(format!("{} cannot be read: {why}", self.file))),
            }
        }
        self.buffer[self.end] = 0;
        self.low = self.end.saturating_sub(LONGEST);
        Ok(())
    }

    /// The column of the last token, in bytes from 1.
    fn column(&self) -> u64 {
        (self.before + self.token as u64 + 1).saturating_sub(self.line_begin).max(1)
    }

    /// The error that `why` says of the last token.
    #[cold]
    pub(super) fn fail(&self, why: impl Display) -> Error {
        let begin = self.line_begin.saturating_sub(self.before).min(self.token as u64) as usize;
        let begin = begin.max(self.token.saturating_sub(KEPT)).min(self.end);
        let rest = &self.buffer[begin..self.end];
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let shown = rest[..length.min(SHOWN)].trim_ascii_end();
        let cut = if length > SHOWN { "…" } else { "" };
        let place = format!("{}, line {}, column {}", self.file, self.line, self.column());
        if shown.is_empty() || self.hidden {
            return Error::invalid(format!("{place}: {why}"));
        }
        Error::invalid(format!("{place}: {why}; the line is \"{}{cut}\"", shown.escape_ascii()))
    }

    /// The token at the current place, for an error, or "the file ends".
    pub(super) fn found(&self) -> String {
        let rest = &self.buffer[self.token..self.end];
        if self.hidden && !rest.is_empty() {
            return "something else stands".into();
        }
        let Some(first) = rest.first() else { return "the file ends".into() };
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'@' | b'$');
        let length = if word(first) { rest.iter().take_while(|byte| word(byte)).take(24).count() } else { 1 };
        format!("\"{}\" stands", rest[..length].escape_ascii())
    }

    /// The error of another token than `expected` at this place.
    #[cold]
    pub(super) fn unexpected(&self, expected: impl Display) -> Error {
        let cut = if self.token == self.end { ": is it truncated?" } else { "" };
        self.fail(format_args!("{} where {expected} should{cut}", self.found()))
    }

    /// Takes `byte` if it is the next token.
    #[inline(always)]
    pub(super) fn take(&mut self, byte: u8) -> Result<bool> {
        let is = self.peek()? == byte;
        self.at += usize::from(is);
        Ok(is)
    }

    /// Takes `byte`, which must be the next token.
    #[inline(always)]
    pub(super) fn expect(&mut self, byte: u8) -> Result<()> {
        if self.take(byte)? { Ok(()) } else { Err(self.unexpected(format_args!("{:?}", char::from(byte)))) }
    }

    /// Takes `token` if it is next. It is no beginning of another token.
    #[inline(always)]
    pub(super) fn take_all(&mut self, token: &[u8]) -> Result<bool> {
        self.peek()?;
        let is = self.buffer[self.at..].starts_with(token);
        if is {
            self.at += token.len();
        }
        Ok(is)
    }

    /// Takes `token`, which must be next.
    #[inline(always)]
    pub(super) fn expect_all(&mut self, token: &[u8]) -> Result<()> {
        if self.take_all(token)? {
            Ok(())
        } else {
            Err(self.unexpected(format_args!("\"{}\"", token.escape_ascii())))
        }
    }

    /// Takes `word`, which must be next, with a blank or another sign behind it.
    pub(super) fn expect_word(&mut self, word: &[u8]) -> Result<()> {
        self.peek()?;
        let behind = self.buffer[self.at..].get(word.len());
        if behind.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
            return Err(self.unexpected(format_args!("\"{}\"", word.escape_ascii())));
        }
        self.expect_all(word)
    }

    /// The next word: letters, digits and `_`, behind a `@` if there is one; empty where there is none.
    #[inline(always)]
    pub(super) fn word(&mut self) -> Result<&[u8]> {
        let first = self.peek()?;
        let begin = self.at;
        if first == b'@' {
            self.at += 1;
        }
        while matches!(self.buffer[self.at], b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_') {
            self.at += 1;
        }
        Ok(&self.buffer[begin..self.at])
    }

    /// A name: parts of letters, digits and `_` that begin with no digit, with `.` or `::` between them.
    pub(super) fn name(&mut self, what: &str) -> Result<Vec<u8>> {
        const LONGEST_NAME: usize = 1000;
        self.peek()?;
        let begin = self.at;
        loop {
            if !matches!(self.buffer[self.at], b'a'..=b'z' | b'A'..=b'Z' | b'_') {
                self.at = begin;
                return Err(self.unexpected(what));
            }
            while matches!(self.buffer[self.at], b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_')
                && self.at - begin <= LONGEST_NAME
            {
                self.at += 1;
            }
            if self.at - begin > LONGEST_NAME {
                return Err(self.fail(format_args!("a name of more than {LONGEST_NAME} characters")));
            }
            match &self.buffer[self.at..] {
                [b'.', next, ..] if *next != b'.' => self.at += 1,
                [b':', b':', ..] => self.at += 2,
                _ => return Ok(self.buffer[begin..self.at].to_vec()),
            }
        }
    }

    /// The rest of the text up to `end`, which is at most `most` bytes away.
    pub(super) fn until(&mut self, end: u8, most: usize) -> Result<Vec<u8>> {
        self.peek()?;
        let begin = self.at;
        while self.buffer[self.at] != end {
            if self.at == self.end || self.at - begin >= most {
                return Err(self.fail(format_args!("there is no {:?} at the end", char::from(end))));
            }
            if self.buffer[self.at] == b'\n' {
                self.line += 1;
                self.line_begin = self.before + self.at as u64 + 1;
            }
            self.at += 1;
        }
        Ok(self.buffer[begin..self.at].to_vec())
    }

    /// A number below 2^64, which is called `what`.
    #[inline(always)]
    pub(super) fn number(&mut self, what: &str) -> Result<u64> {
        if let Some(number) = self.small()? {
            return Ok(number);
        }
        self.large(what)?.to_u64().ok_or_else(|| self.fail(format_args!("{what} is 2^64 or more")))
    }

    /// The next number, where it is written in a few decimal digits; else it stays where it is.
    #[inline(always)]
    pub(super) fn small(&mut self) -> Result<Option<u64>> {
        let first = self.peek()?.wrapping_sub(b'0');
        let mut value = u64::from(first);
        let mut at = self.at + 1;
        while first <= 9 && at < self.at + 20 {
            let next = self.buffer[at];
            if !next.is_ascii_digit() {
                let plain = at == self.at + 1 || first != 0;
                if !plain || next.is_ascii_alphabetic() || next == b'_' {
                    return Ok(None);
                }
                self.at = at;
                return Ok(Some(value));
            }
            // Of 20 digits not all are below 2^64.
            if at == self.at + 19 {
                return Ok(None);
            }
            value = value * 10 + u64::from(next - b'0');
            at += 1;
        }
        Ok(None)
    }

    /// The number of a wire, behind its `$`.
    #[inline(always)]
    pub(super) fn wire(&mut self) -> Result<u64> {
        if self.peek()? != b'$' {
            return Err(self.unexpected("a wire, such as $0,"));
        }
        let begin = self.before + self.token as u64;
        self.at += 1;
        let number = self.number("the number of a wire")?;
        // Errors are about all of it.
        self.token = begin.saturating_sub(self.before) as usize;
        Ok(number)
    }

    /// A number of any size.
    pub(super) fn large(&mut self, what: &str) -> Result<Number> {
        if !self.peek()?.is_ascii_digit() {
            return Err(self.unexpected(what));
        }
        let length = self.buffer[self.at..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count();
        let text = &self.buffer[self.at..self.at + length];
        let number = Number::parse(text).map_err(|why| {
            self.fail(if self.hidden { "a value that is no number, or too long".into() } else { why })
        })?;
        self.at += length;
        Ok(number)
    }
}

impl Drop for Text<'_> {
    fn drop(&mut self) {
        if self.hidden {
            self.buffer.zeroize();
        }
    }
}
