//! Text by blocks of whole lines, hashed as it is read.

use std::io::{self, Read};

/// Bytes asked of the source at once: enough that system and hash calls cost nothing per gate, and little
/// enough to stay in the second-level cache until it is parsed.
const BLOCK: usize = 128 << 10;

/// The longest line that is read, in bytes. Only `MAND` lines are long: this is some 40,000 ANDs with
/// seven-digit wires in one line, and it bounds what a file without line ends can make the reader hold.
pub(super) const LONGEST_LINE: usize = 1 << 20;

/// Why no more lines can be had.
pub(super) enum Trouble {
    /// The source failed.
    Io(io::Error),
    /// A line is longer than [`LONGEST_LINE`].
    LongLine,
}

/// BLAKE3 of a text with each line end as one line feed: a file has one digest, whichever system wrote it.
#[derive(Default)]
struct TextHash {
    hasher: blake3::Hasher,
    /// A carriage return was the last byte, and what follows it is not known.
    held: bool,
}

impl TextHash {
    /// Adds the carriage return that was held back, if `text` follows it and is no line end.
    fn carriage_return(&mut self, text: &[u8]) {
        let Some(first) = text.first() else { return };
        if core::mem::take(&mut self.held) && *first != b'\n' {
            self.hasher.update(b"\r");
        }
    }

    fn update(&mut self, text: &[u8]) {
        self.carriage_return(text);
        // To find that there is none is much faster than to look for the first.
        if !text.contains(&b'\r') {
            self.hasher.update(text);
            return;
        }
        for part in text.split_inclusive(|&byte| byte == b'\r') {
            self.carriage_return(part);
            let body = part.strip_suffix(b"\r");
            self.held = body.is_some();
            self.hasher.update(body.unwrap_or(part));
        }
    }

    fn finish(mut self) -> [u8; 32] {
        if self.held {
            self.hasher.update(b"\r");
        }
        self.hasher.finalize().into()
    }
}

/// A rolling buffer over a source. It holds one block, or one line where that is longer.
pub(super) struct Blocks<R> {
    source: R,
    /// `[start, whole)` are whole lines not yet taken, `[whole, end)` is the begin of the next line.
    buffer: Vec<u8>,
    start: usize,
    whole: usize,
    end: usize,
    hash: TextHash,
    read: u64,
}

impl<R: Read> Blocks<R> {
    /// The lines of `source`.
    pub(super) fn new(source: R) -> Self {
        let buffer = vec![0; BLOCK];
        Self { source, buffer, start: 0, whole: 0, end: 0, hash: TextHash::default(), read: 0 }
    }

    /// Sees to it that whole lines are at hand, and tells whether there are any: `false` at the end of the
    /// source. The last line may lack its line end.
    pub(super) fn fill(&mut self) -> Result<bool, Trouble> {
        if self.start < self.whole {
            return Ok(true);
        }
        self.buffer.copy_within(self.whole..self.end, 0);
        self.end -= self.whole;
        (self.start, self.whole) = (0, 0);
        loop {
            let fresh = self.read()?;
            if fresh == 0 {
                self.whole = self.end;
                return Ok(self.whole > 0);
            }
            let last_end = self.buffer[self.end..self.end + fresh].iter().rposition(|&byte| byte == b'\n');
            let begin = self.end;
            self.end += fresh;
            if let Some(at) = last_end {
                self.whole = begin + at + 1;
                return Ok(true);
            }
        }
    }

    /// The whole lines at hand.
    pub(super) fn ahead(&self) -> &[u8] {
        &self.buffer[self.start..self.whole]
    }

    /// Takes the first `bytes` bytes of [`Blocks::ahead`] away.
    pub(super) fn take(&mut self, bytes: usize) {
        self.start += bytes;
        debug_assert!(self.start <= self.whole);
    }

    /// Reads the source to its end, and gives its length in bytes and its digest, as of [`TextHash`].
    pub(super) fn finish(mut self) -> Result<(u64, [u8; 32]), Trouble> {
        self.end = 0;
        while self.read()? > 0 {}
        Ok((self.read, self.hash.finish()))
    }

    /// Reads once into the free part of the buffer, and gives the number of bytes: 0 at
    /// the end of the source.
    fn read(&mut self) -> Result<usize, Trouble> {
        if self.end == self.buffer.len() {
            if self.end >= LONGEST_LINE {
                return Err(Trouble::LongLine);
            }
            self.buffer.resize((2 * self.end).min(LONGEST_LINE), 0);
        }
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(fresh) => {
                    self.hash.update(&self.buffer[self.end..self.end + fresh]);
                    self.read += fresh as u64;
                    return Ok(fresh);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Trouble::Io(error)),
            }
        }
    }
}
