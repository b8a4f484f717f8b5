//! Bristol Fashion, and the Bristol Format before it, read as a stream; the former is written as one, too.
//!
//! Both are text: one gate to a line, numbered wires, the inputs on the first wires and the
//! outputs on the last.
//! ```text
//! Bristol Fashion (1)           the old format (2)
//! gates wires                   gates wires
//! inputs width…                 width width width        first input, second input (or 0), output
//! outputs width…
//! 2 1 a b out XOR|AND           2 1 a b out XOR|AND
//! 1 1 a out INV|EQW             1 1 a out INV
//! 1 1 constant out EQ
//! 2n n a… b… out… MAND          n products side by side
//! ```
//! Which one it is shows in the third line. Lines may end in CR LF; blank lines, and those that begin with `//`,
//! count for nothing. A gate is pushed as soon as its line is read; what is held is the table of wires that the
//! plain program needs, and one block of text. The file is untrusted: its header is held against its length before anything is
//! allocated, and each malformation is an error that names the line.
//!
//! 1. <https://nigelsmart.github.io/MPC-Circuits/>
//! 2. <https://nigelsmart.github.io/MPC-Circuits/old-circuits.html>

mod blocks;
mod cursor;
mod gates;
mod header;
#[cfg(test)]
mod tests;
mod wires;
mod writer;

pub use header::Dialect;
pub(super) use writer::write;

use self::blocks::{Blocks, LONGEST_LINE, Trouble};
use self::cursor::{Cursor, is_comment};
use self::gates::Gates;
use self::header::Header;
use self::wires::{Misuse, Wires};
use core::fmt::Display;
use std::fs::File;
use std::io::{Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use volery_channel::error::{Error, Result};
use volery_channel::file;
use volery_circuit::Backend;
use volery_primitives::F2;

/// A circuit file, known by its header and its digest, and read anew for each run.
#[derive(Debug)]
pub struct Bristol {
    name: String,
    source: Source,
    length: u64,
    digest: [u8; 32],
    header: Header,
}

/// A bit's wire, of an input or output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortBit {
    /// The number of the input or output, from 0.
    pub port: usize,
    /// The bit of it, from 0.
    pub bit: u64,
    /// The number of the wire in the file.
    pub wire: u64,
}

impl Bristol {
    /// Opens the file at `path`: reads its header, and all of it once for the digest.
    ///
    /// # Errors
    /// `Invalid` where it cannot be read, is no regular file, or has a malformed header.
    /// Gates are not looked at.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::new(path.display().to_string(), Source::Path(path.to_owned()))
    }

    /// A circuit in memory, called `name` in errors.
    ///
    /// # Errors
    /// As for [`Bristol::open`].
    pub fn from_bytes(name: impl Into<String>, text: impl Into<Arc<[u8]>>) -> Result<Self> {
        Self::new(name.into(), Source::Bytes(text.into()))
    }

    /// The format of the circuit, one of two.
    pub fn dialect(&self) -> Dialect {
        self.header.dialect
    }

    /// The widths of the inputs, in wires.
    pub fn inputs(&self) -> &[u64] {
        &self.header.inputs
    }

    /// The widths of the outputs, in wires.
    pub fn outputs(&self) -> &[u64] {
        &self.header.outputs
    }

    /// The number of gates.
    pub fn gates(&self) -> u64 {
        self.header.gates
    }

    /// BLAKE3 of the file with each CR LF read as LF: the circuit is the same on every system.
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// Pushes the circuit into `backend`: takes a wire for each input bit from `input`, pushes the gates, and
    /// hands each output bit to `output`. Inputs and outputs come in the order of their wires.
    ///
    /// # Errors
    /// `Invalid` where the file is malformed, or not the one that was opened; those of the backend, of
    /// `input` and of `output`, unchanged.
    pub fn run<B: Backend<F = F2>>(
        &self,
        backend: &mut B,
        mut input: impl FnMut(&mut B, PortBit) -> Result<B::Wire>,
        mut output: impl FnMut(&mut B, PortBit, B::Wire) -> Result<()>,
    ) -> Result<()> {
        let (mut reader, length) = LineReader::open(&self.name, &self.source)?;
        if length != self.length || !reader.header(length).is_ok_and(|header| header == self.header) {
            return Err(self.changed());
        }
        let mut wires = Wires::new(self.header.wires)?;
        for at in bits(&self.header.inputs, 0) {
            let value = input(backend, at)?;
            let fits: Result<_, Misuse> = wires.put(at.wire, value);
            assert!(fits.is_ok(), "the header was checked");
        }
        let mut gates = Gates::new(backend, wires, self.header.dialect, &self.name);
        reader.gates(&mut gates, self.header.gates)?;
        if reader.finish()? != (self.length, self.digest) {
            return Err(self.changed());
        }
        let first = self.header.wires - self.header.outputs.iter().sum::<u64>();
        for at in bits(&self.header.outputs, first) {
            let value = gates.output(at.wire)?;
            output(gates.backend(), at, value)?;
        }
        Ok(())
    }

    fn new(name: String, source: Source) -> Result<Self> {
        let (mut reader, length) = LineReader::open(&name, &source)?;
        let header = reader.header(length)?;
        let (read, digest) = reader.finish()?;
        let bristol = Self { name, source, length, digest, header };
        if read == length { Ok(bristol) } else { Err(bristol.changed()) }
    }

    fn changed(&self) -> Error {
        Error::invalid(format!("{}: the file has changed since it was opened: start again", self.name))
    }
}

/// The bits of ports of these widths, whose wires count from `first`.
fn bits(widths: &[u64], first: u64) -> impl Iterator<Item = PortBit> + '_ {
    let ports = widths.iter().enumerate();
    ports
        .flat_map(|(port, &width)| (0..width).map(move |bit| (port, bit)))
        .zip(first..)
        .map(|((port, bit), wire)| PortBit { port, bit, wire })
}

/// A file, or a text in memory.
#[derive(Debug)]
pub(super) enum Source {
    Path(PathBuf),
    Bytes(Arc<[u8]>),
}

impl Source {
    /// A reader from the begin of the source, and the length of the source in bytes.
    pub(super) fn open(&self) -> std::io::Result<(Box<dyn Read + '_>, u64)> {
        match self {
            Self::Bytes(bytes) => Ok((Box::new(&bytes[..]), bytes.len() as u64)),
            Self::Path(path) => {
                let file = open_regular(path)?;
                let length = file.metadata()?.len();
                Ok((Box::new(file.take(length)), length))
            }
        }
    }

    /// A reader of the bytes from one up to another, as far as there are any.
    pub(super) fn open_part(&self, from: u64, to: u64) -> std::io::Result<Box<dyn Read + '_>> {
        let length = to.saturating_sub(from);
        match self {
            Self::Bytes(bytes) => {
                let from = usize::try_from(from).ok().and_then(|from| bytes.get(from..));
                Ok(Box::new(from.unwrap_or_default().take(length)))
            }
            Self::Path(path) => {
                let mut file = open_regular(path)?;
                file.seek(SeekFrom::Start(from))?;
                Ok(Box::new(file.take(length)))
            }
        }
    }
}

/// Opens a file, but no pipe, at which opening may wait for ever.
pub(super) fn open_regular(path: &Path) -> std::io::Result<File> {
    let file = file::open_regular(path)?;
    file.ok_or_else(|| std::io::Error::other("not a regular file, and so it cannot be read twice"))
}

/// The place of an error: a file, and a line in it.
#[derive(Clone, Copy)]
struct LinePlace<'a> {
    file: &'a str,
    line: u64,
}

impl LinePlace<'_> {
    #[cold]
    fn invalid(self, why: impl Display) -> Error {
        Error::invalid(format!("{}, line {}: {why}", self.file, self.line))
    }
}

/// The text of one run, and how far it is read.
struct LineReader<'a> {
    file: &'a str,
    blocks: Blocks<Box<dyn Read + 'a>>,
    line: u64,
}

impl<'a> LineReader<'a> {
    fn open(file: &'a str, source: &'a Source) -> Result<(Self, u64)> {
        let (source, length) = source.open().map_err(|error| unreadable(file, &error))?;
        Ok((Self { file, blocks: Blocks::new(source), line: 1 }, length))
    }

    /// Reads the head of a text of `length` bytes, and holds it against the length.
    fn header(&mut self, length: u64) -> Result<Header> {
        let counts = self.head_line("the numbers of gates and of wires")?;
        let first = self.place(-1);
        let [gates, wires] = counts[..] else {
            return Err(first.invalid(
                "the first line of a Bristol circuit holds two numbers, of gates and of wires; is this one?",
            ));
        };
        let second = self.head_line("the widths of the inputs")?;
        let place = self.place(-1);
        let fashion = self.peek()?.is_some_and(header::only_numbers);
        let (dialect, (inputs, outputs)) = if fashion {
            let inputs = header::widths(&second, "input", place)?;
            let third = self.head_line("the widths of the outputs")?;
            (Dialect::Fashion, (inputs, header::widths(&third, "output", self.place(-1))?))
        } else {
            (Dialect::Old, header::old_widths(&second, place)?)
        };
        let header = Header { dialect, gates, wires, inputs, outputs };
        header.check(length, first)?;
        Ok(header)
    }

    /// Pushes the gates, of which `announced` must follow, and nothing else.
    fn gates<B: Backend<F = F2>>(&mut self, gates: &mut Gates<'_, B>, announced: u64) -> Result<()> {
        let mut read = 0;
        while self.fill()? {
            let block = self.blocks.ahead();
            let mut cursor = Cursor::new(block, self.line);
            while cursor.find_line() {
                if read == announced {
                    let place = LinePlace { file: self.file, line: cursor.line() };
                    return Err(place.invalid(format_args!(
                        "text stands after the last of the {announced} gates that the first line announces: correct \
                         that number, or remove the text"
                    )));
                }
                gates.line(&mut cursor)?;
                read += 1;
            }
            self.line = cursor.line();
            let taken = block.len();
            self.blocks.take(taken);
        }
        if read < announced {
            return Err(self.place(0).invalid(format_args!(
                "the file ends after {read} of the {announced} gates that the first line announces: is it truncated?"
            )));
        }
        Ok(())
    }

    /// Reads on to the end, and gives the length in bytes and the digest of all that was read.
    fn finish(self) -> Result<(u64, [u8; 32])> {
        let place = self.place(0);
        self.blocks.finish().map_err(|trouble| troubled(trouble, place))
    }

    /// The numbers on the next line that says something, which the format calls `what`.
    fn head_line(&mut self, what: &str) -> Result<Vec<u64>> {
        self.peek()?;
        let place = self.place(0);
        let Some(line) = self.peek()? else {
            return Err(
                place.invalid(format_args!("the file ends where {what} should stand: is it truncated?"))
            );
        };
        let taken = line.len();
        let numbers = header::numbers(line, what, place)?;
        self.blocks.take(taken);
        self.line += 1;
        Ok(numbers)
    }

    /// The next line that is neither blank nor a comment, which stays where it is.
    fn peek(&mut self) -> Result<Option<&[u8]>> {
        while self.fill()? {
            let ahead = self.blocks.ahead();
            let length = ahead.iter().position(|&byte| byte == b'\n').map_or(ahead.len(), |at| at + 1);
            let line = ahead[..length].trim_ascii();
            if !line.is_empty() && !is_comment(line) {
                return Ok(Some(&self.blocks.ahead()[..length]));
            }
            self.blocks.take(length);
            self.line += 1;
        }
        Ok(None)
    }

    fn fill(&mut self) -> Result<bool> {
        let place = self.place(0);
        self.blocks.fill().map_err(|trouble| troubled(trouble, place))
    }

    /// The current line, or the one `away` lines from it.
    fn place(&self, away: i64) -> LinePlace<'a> {
        LinePlace { file: self.file, line: self.line.saturating_add_signed(away) }
    }
}

fn troubled(trouble: Trouble, place: LinePlace<'_>) -> Error {
    match trouble {
        Trouble::Io(error) => unreadable(place.file, &error),
        Trouble::LongLine => place.invalid(format_args!(
            "the line is longer than {LONGEST_LINE} bytes: split its MAND, or is this a Bristol circuit at all?"
        )),
    }
}

fn unreadable(file: &str, error: &std::io::Error) -> Error {
    Error::invalid(format!("{file} cannot be read: {error}"))
}
