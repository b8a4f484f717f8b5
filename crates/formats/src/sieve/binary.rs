//! SIEVE in its binary form, messages of FlatBuffers, as the text that says the same, line by line.
//!
//! ```text
//! file: messages. Message: u32 size of what follows, u32 offset of the root, "siev", tables
//! relation: version, plugins, types, conversions, directives; later messages of a file have more directives
//! public or private inputs: version, type, values; later messages have more values
//! ```
//! So there is one reader of all else. What is held is one message, of which each offset is looked at before
//! it is followed; tables stand in each other to a depth that is fixed. Errors tell a byte where the form is
//! wrong, and else a line of the text, which has one for each directive behind the lines of its head, and of a
//! function one for its head, one for each gate and one for its end. How long the text may be is bounded by
//! the bytes of the messages.
//!
//! The schema: `sieve_ir.fbs` of version 2.1.0; and as zki_sieve 4 has it, which calls it version 2.0.0.

mod buffer;
mod made;
mod say;

use self::buffer::{Buffer, Vector};
use self::made::Made;
use self::say::{function, gate, of_type, relation, value, version};
use std::io::{self, Error, ErrorKind, Read, Result};
use zeroize::Zeroizing;

/// The text that is made at once, at least.
const MADE: usize = 64 << 10;

/// Whether a file that begins so is of this form.
pub(super) fn begins(begin: &[u8]) -> bool {
    begin.get(8..12) == Some(b"siev")
}

/// The text of a file: what it has, or what it says where it is of this form; and which of these it is. Where
/// it is `hidden`, no error shows what stands in it.
///
/// # Errors
/// Where its begin cannot be read.
pub(super) fn text_of<'s>(mut file: Box<dyn Read + 's>, hidden: bool) -> Result<(Box<dyn Read + 's>, bool)> {
    let mut begin = Vec::new();
    file.by_ref().take(12).read_to_end(&mut begin)?;
    let binary = begins(&begin);
    let whole = Box::new(io::Cursor::new(begin).chain(file));
    Ok(if binary { (Box::new(Binary::new(whole, hidden)), true) } else { (whole, false) })
}

/// A file of this form, read as text.
struct Binary<'s> {
    file: Box<dyn Read + 's>,
    /// How far the file is read.
    at: u64,
    buffer: Buffer,
    /// The kind of the messages, and the text of their head, once one was read.
    head: Option<(u8, String)>,
    /// The rest of the message: directives or values.
    rest: core::ops::Range<usize>,
    items: Vector,
    /// The gates of the open function, and the range of them that is still to be read.
    function: Option<(Vector, core::ops::Range<usize>)>,
    /// Whether the file has the older schema: gates copy and read one wire, and conversions have no mode, and
    /// always reduce.
    old: bool,
    /// Whether the content is secret: then no error shows it.
    hidden: bool,
    made: Made,
    given: usize,
    ended: bool,
}

impl Read for Binary<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        if self.given == self.made.text.len() {
            self.made.text.clear();
            self.given = 0;
            while self.made.text.len() < MADE && !self.ended {
                self.step()?;
            }
        }
        let count = (&self.made.text.as_bytes()[self.given..]).read(out)?;
        self.given += count;
        Ok(count)
    }
}

/// Words of the three messages.
const MESSAGES: [&str; 3] = ["circuit", "public_input", "private_input"];

impl<'s> Binary<'s> {
    fn new(file: Box<dyn Read + 's>, hidden: bool) -> Self {
        Self {
            file,
            at: 0,
            buffer: Buffer::new(Zeroizing::default(), 0, hidden),
            head: None,
            rest: 0..0,
            items: Vector::default(),
            function: None,
            old: false,
            hidden,
            made: Made::new(),
            given: 0,
            ended: false,
        }
    }

    /// Makes the text of one directive or value more, or of the head.
    fn step(&mut self) -> Result<()> {
        if let Some((gates, rest)) = &mut self.function {
            match rest.next() {
                Some(i) => gate(&mut self.made, &self.buffer, self.buffer.element(*gates, i)?, self.old)?,
                None => {
                    self.made.push_str("@end\n")?;
                    self.function = None;
                }
            }
            return Ok(());
        }
        let Some(i) = self.rest.next() else { return self.message() };
        let item = self.buffer.element(self.items, i)?;
        if self.head.as_ref().is_some_and(|(kind, _)| *kind > 1) {
            self.made.push_str("< ")?;
            value(&mut self.made, &self.buffer, self.buffer.bytes(item, 0)?)?;
            return self.made.push_str(" >;\n");
        }
        let (kind, directive) = self.buffer.union(item, 0, "a directive")?;
        match kind {
            1 => gate(&mut self.made, &self.buffer, directive, self.old),
            2 => {
                self.function = function(&mut self.made, &self.buffer, directive)?;
                Ok(())
            }
            _ => Err(other(&self.buffer, "a directive", kind)),
        }
    }

    /// Reads `size` bytes, which may be secret: the vector does not grow, which would leave copies behind,
    /// and no more memory is taken than twice what there is to read.
    fn take(&mut self, size: u64) -> Result<Zeroizing<Vec<u8>>> {
        let mut bytes = Zeroizing::new(Vec::new());
        while (bytes.len() as u64) < size {
            let more = (size - bytes.len() as u64).min(bytes.len().max(MADE) as u64);
            let mut longer = Zeroizing::new(Vec::with_capacity(bytes.len() + more as usize));
            longer.extend_from_slice(&bytes);
            if (self.file.by_ref().take(more).read_to_end(&mut longer)? as u64) < more {
                return Err(cut(self.at));
            }
            bytes = longer;
        }
        Ok(bytes)
    }

    /// Reads the next message, if there is one.
    fn message(&mut self) -> Result<()> {
        let mut size = Vec::new();
        self.file.by_ref().take(4).read_to_end(&mut size)?;
        let begin = self.at + 4;
        let Some(&size) = size.first_chunk() else {
            self.made.push_str("@end\n")?;
            self.ended = true;
            return if size.is_empty() { Ok(()) } else { Err(cut(self.at)) };
        };
        let size = u64::from(u32::from_le_bytes(size));
        let bytes = self.take(size)?;
        self.at = begin + size;
        self.buffer = Buffer::new(bytes, begin, self.hidden);
        self.made.begin(begin, 4 + size);
        let (kind, message) = self.buffer.union(self.buffer.root()?, 0, "a message")?;
        let from = self.made.text.len();
        self.items = match kind {
            1 => {
                self.old = relation(&mut self.made, &self.buffer, message)?;
                self.buffer.vector(message, 4, 4)?
            }
            2 | 3 => {
                self.buffer.hide();
                version(&mut self.made, &self.buffer, message, MESSAGES[usize::from(kind) - 1])?;
                let named = self.buffer.inner(message, 1, "the type of values")?;
                of_type(&mut self.made, &self.buffer, named, false)?;
                self.buffer.vector(message, 2, 4)?
            }
            _ => return Err(other(&self.buffer, "a message", kind)),
        };
        self.made.push_str("@begin\n")?;
        self.rest = 0..self.items.count;
        let head = &self.made.text[from..];
        match &self.head {
            None => self.head = Some((kind, head.into())),
            Some((first, known)) if *first == kind && known == head => self.made.text.truncate(from),
            Some(_) => {
                return Err(self.buffer.fail(
                    0,
                    "a message with another head than the first one of the file: put each relation, and the values \
                     of each type, into a file of its own",
                ));
            }
        }
        Ok(())
    }
}

#[cold]
fn cut(at: u64) -> Error {
    Error::new(
        ErrorKind::InvalidData,
        format!("the message from byte {at} on is cut: is the file truncated?"),
    )
}

#[cold]
fn other(buffer: &Buffer, what: &str, kind: u8) -> Error {
    let kind = if buffer.is_hidden() { "a kind".into() } else { format!("kind {kind}") };
    buffer.fail(0, &format!("{what} of {kind}, which there is not, in the message that begins here"))
}
