//! SIEVE in its binary form, messages of FlatBuffers, as the text that says the same, line by line.
//!
//! ```text
//! file: messages. Message: u32 size of what follows, u32 offset of the root, "siev", tables
//! relation: version, plugins, types, conversions, directives; later messages of a file have more directives
//! public or private inputs: version, type, values; later messages have more values
//! ```
//! So there is one reader of all else. What is held is one message, of which each offset is looked at before
//! it is followed; tables stand in each other to a depth that is fixed. Errors tell a byte where the form is
//! wrong, and else a line of the text, which has one for each directive behind the lines of its head.
//!
//! The schema: `sieve_ir.fbs` of version 2.1.0; and as zki_sieve 4 has it, which calls it version 2.0.0.

mod buffer;

use self::buffer::{Buffer, Table, Vector};
use std::fmt::Write as _;
use std::io::{self, Error, ErrorKind, Read, Result};
use zeroize::Zeroizing;

/// The text that is made at once, at least.
const MADE: usize = 64 << 10;

/// The longest value, in bytes.
const LONGEST: usize = 512;

/// Whether a file that begins so is of this form.
pub(super) fn begins(begin: &[u8]) -> bool {
    begin.get(8..12) == Some(b"siev")
}

/// The text of a file: what it has, or what it says where it is of this form; and which of these it is.
///
/// # Errors
/// Where its begin cannot be read.
pub(super) fn text_of<'s>(mut file: Box<dyn Read + 's>) -> Result<(Box<dyn Read + 's>, bool)> {
    let mut begin = Vec::new();
    file.by_ref().take(12).read_to_end(&mut begin)?;
    let binary = begins(&begin);
    let whole = Box::new(io::Cursor::new(begin).chain(file));
    Ok(if binary { (Box::new(Binary::new(whole)), true) } else { (whole, false) })
}

/// A file of this form, read as text.
struct Binary<'s> {
    file: Box<dyn Read + 's>,
    /// How far the file is read.
    at: u64,
    buffer: Buffer,
    /// What the messages are, and the text of their head, once one was read.
    head: Option<(u8, String)>,
    /// What is left of the message: directives or values.
    rest: core::ops::Range<usize>,
    items: Vector,
    /// Gates of a function that is open, and what is left of them.
    function: Option<(Vector, core::ops::Range<usize>)>,
    /// By the older schema: gates copy and read one wire, and conversions have no mode, and always reduce.
    old: bool,
    /// Values of a stream are written into what it has room for.
    text: Zeroizing<String>,
    given: usize,
    ended: bool,
}

impl Read for Binary<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        if self.given == self.text.len() {
            self.text.clear();
            self.given = 0;
            while self.text.len() < MADE && !self.ended {
                self.step()?;
            }
        }
        let count = (&self.text.as_bytes()[self.given..]).read(out)?;
        self.given += count;
        Ok(count)
    }
}

/// Words of the three messages.
const MESSAGES: [&str; 3] = ["circuit", "public_input", "private_input"];

impl<'s> Binary<'s> {
    fn new(file: Box<dyn Read + 's>) -> Self {
        Self {
            file,
            at: 0,
            buffer: Buffer::new(Zeroizing::default(), 0),
            head: None,
            rest: 0..0,
            items: Vector::default(),
            function: None,
            old: false,
            text: Zeroizing::new(String::with_capacity(2 * MADE)),
            given: 0,
            ended: false,
        }
    }

    /// Makes the text of one directive or value more, or of the head.
    fn step(&mut self) -> Result<()> {
        if let Some((gates, rest)) = &mut self.function {
            match rest.next() {
                Some(i) => gate(&mut self.text, &self.buffer, self.buffer.element(*gates, i)?, self.old)?,
                None => {
                    self.text.push_str("@end\n");
                    self.function = None;
                }
            }
            return Ok(());
        }
        let Some(i) = self.rest.next() else { return self.message() };
        let item = self.buffer.element(self.items, i)?;
        if self.head.as_ref().is_some_and(|(kind, _)| *kind > 1) {
            self.text.push_str("< ");
            value(&mut self.text, &self.buffer, self.buffer.bytes(item, 0)?)?;
            self.text.push_str(" >;\n");
            return Ok(());
        }
        let (kind, directive) = self.buffer.union(item, 0, "a directive")?;
        match kind {
            1 => gate(&mut self.text, &self.buffer, directive, self.old),
            2 => {
                self.function = function(&mut self.text, &self.buffer, directive)?;
                Ok(())
            }
            _ => Err(other(&self.buffer, "a directive", kind)),
        }
    }

    /// Takes so many bytes, which may be secret: what grows leaves no copies behind. No more memory is taken
    /// than twice what there is.
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
            self.text.push_str("@end\n");
            self.ended = true;
            return if size.is_empty() { Ok(()) } else { Err(cut(self.at)) };
        };
        let size = u64::from(u32::from_le_bytes(size));
        let bytes = self.take(size)?;
        self.at = begin + size;
        self.buffer = Buffer::new(bytes, begin);
        let (kind, message) = self.buffer.union(self.buffer.root()?, 0, "a message")?;
        let mut head = String::new();
        self.items = match kind {
            1 => {
                self.old = relation(&mut head, &self.buffer, message)?;
                self.buffer.vector(message, 4, 4)?
            }
            2 | 3 => {
                version(&mut head, &self.buffer, message, MESSAGES[usize::from(kind) - 1])?;
                let named = self.buffer.inner(message, 1, "the type of values")?;
                of_type(&mut head, &self.buffer, named, false)?;
                self.buffer.vector(message, 2, 4)?
            }
            _ => return Err(other(&self.buffer, "a message", kind)),
        };
        head.push_str("@begin\n");
        self.rest = 0..self.items.count;
        match &self.head {
            None => {
                self.text.push_str(&head);
                self.head = Some((kind, head));
            }
            Some(known) if *known == (kind, head) => {}
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
    buffer.fail(0, &format!("{what} of kind {kind}, which there is not, in the message that begins here"))
}

/// Adds text, which never fails.
macro_rules! say {
    ($text:expr, $($what:tt)*) => { write!($text, $($what)*).expect("a string grows") };
}

/// Adds a string all of whose characters are letters, digits or of `others`.
fn word(text: &mut String, buffer: &Buffer, string: &[u8], others: &[u8]) -> Result<()> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || others.contains(byte);
    if string.is_empty() || string.len() > 1000 || !string.iter().all(plain) {
        return Err(buffer.fail(
            0,
            &format!(
                "\"{}\" is no name and no number, in the message that begins here",
                string[..string.len().min(60)].escape_ascii()
            ),
        ));
    }
    text.push_str(core::str::from_utf8(string).expect("of ASCII"));
    Ok(())
}

const OF_NAMES: &[u8] = b"_.:";

fn version(text: &mut String, buffer: &Buffer, message: Table, resource: &str) -> Result<()> {
    text.push_str("version ");
    word(text, buffer, buffer.string(message, 0, "the version")?, b".-")?;
    say!(text, ";\n{resource};\n");
    Ok(())
}

/// The head of a relation, up to its directives; whether it is of the older schema.
fn relation(text: &mut String, buffer: &Buffer, message: Table) -> Result<bool> {
    version(text, buffer, message, MESSAGES[0])?;
    let old = buffer.string(message, 0, "the version")?.starts_with(b"2.0");
    let plugins = buffer.vector(message, 1, 4)?;
    for i in 0..plugins.count {
        text.push_str("@plugin ");
        word(text, buffer, buffer.string_of(plugins, i)?, OF_NAMES)?;
        text.push_str(";\n");
    }
    let types = buffer.vector(message, 2, 4)?;
    for i in 0..types.count {
        of_type(text, buffer, buffer.element(types, i)?, old)?;
    }
    let conversions = buffer.vector(message, 3, 32)?;
    for i in 0..conversions.count {
        let [(out, wires), (of, from)] =
            [buffer.count_of(conversions, i, 32, 0)?, buffer.count_of(conversions, i, 32, 16)?];
        say!(text, "@convert(@out: {out}:{wires}, @in: {of}:{from});\n");
    }
    Ok(old)
}

/// A type; by the `old` schema there are fields and plugins' alone.
fn of_type(text: &mut String, buffer: &Buffer, named: Table, old: bool) -> Result<()> {
    let (kind, element) = buffer.union(named, 0, "a type")?;
    text.push_str("@type ");
    match kind {
        1 => {
            text.push_str("field ");
            let modulus = buffer.inner(element, 0, "the modulus of a field")?;
            value(text, buffer, buffer.bytes(modulus, 0)?)?;
        }
        2 if !old => {
            let (base, degree) = (buffer.byte(element, 0)?, buffer.long(element, 1)?);
            say!(text, "ext_field {base} {degree} {}", buffer.long(element, 2)?);
        }
        3 => say!(text, "ring {}", buffer.long(element, 0)?),
        2 | 4 => {
            text.push_str("@plugin(");
            plugin(text, buffer, element)?;
            text.push(')');
        }
        _ => return Err(other(buffer, "a type", kind)),
    }
    text.push_str(";\n");
    Ok(())
}

/// A plugin's name, operation and parameters.
fn plugin(text: &mut String, buffer: &Buffer, of: Table) -> Result<()> {
    word(text, buffer, buffer.string(of, 0, "the name of a plugin")?, OF_NAMES)?;
    text.push_str(", ");
    word(text, buffer, buffer.string(of, 1, "the operation of a plugin")?, OF_NAMES)?;
    let parameters = buffer.vector(of, 2, 4)?;
    for i in 0..parameters.count {
        text.push_str(", ");
        word(text, buffer, buffer.string_of(parameters, i)?, OF_NAMES)?;
    }
    Ok(())
}

/// A number of which the least significant byte is first.
fn value(text: &mut String, buffer: &Buffer, bytes: &[u8]) -> Result<()> {
    let length = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    if length > LONGEST {
        return Err(
            buffer.fail(0, &format!("a value of more than {LONGEST} bytes in the message that begins here"))
        );
    }
    let Some((last, rest)) = bytes[..length].split_last() else {
        text.push('0');
        return Ok(());
    };
    say!(text, "0x{last:x}");
    rest.iter().rev().for_each(|byte| say!(text, "{byte:02x}"));
    Ok(())
}

/// The head of a function, or all of it where it is bound to a plugin; else its gates.
fn function(
    text: &mut String,
    buffer: &Buffer,
    of: Table,
) -> Result<Option<(Vector, core::ops::Range<usize>)>> {
    text.push_str("@function(");
    word(text, buffer, buffer.string(of, 0, "the name of a function")?, OF_NAMES)?;
    for (number, side) in [(1, "out"), (2, "in")] {
        counts(text, buffer, buffer.vector(of, number, 16)?, side)?;
    }
    text.push(')');
    let (kind, body) = buffer.union(of, 3, "the body of a function")?;
    match kind {
        1 => {
            text.push('\n');
            let gates = buffer.vector(body, 0, 4)?;
            Ok(Some((gates, 0..gates.count)))
        }
        2 => {
            text.push_str(" @plugin(");
            plugin(text, buffer, body)?;
            for (number, side) in [(3, "public"), (4, "private")] {
                counts(text, buffer, buffer.vector(body, number, 16)?, side)?;
            }
            text.push_str(");\n");
            Ok(None)
        }
        _ => Err(other(buffer, "a body", kind)),
    }
}

/// A list of types and numbers, if there are any.
fn counts(text: &mut String, buffer: &Buffer, counts: Vector, side: &str) -> Result<()> {
    for i in 0..counts.count {
        let (kind, count) = buffer.count_of(counts, i, 16, 0)?;
        if i == 0 {
            say!(text, ", @{side}: {kind}:{count}");
        } else {
            say!(text, ", {kind}:{count}");
        }
    }
    Ok(())
}

fn range(text: &mut String, [first, last]: [u64; 2]) {
    if first == last {
        say!(text, "${first}");
    } else {
        say!(text, "${first} ... ${last}");
    }
}

fn ranges(text: &mut String, buffer: &Buffer, ranges: Vector, before: &str) -> Result<()> {
    for i in 0..ranges.count {
        text.push_str(if i > 0 { ", " } else { before });
        range(text, buffer.range_of(ranges, i)?);
    }
    Ok(())
}

/// A gate, with the end of its line.
fn gate(text: &mut String, buffer: &Buffer, of: Table, old: bool) -> Result<()> {
    let (kind, gate) = buffer.union(of, 0, "a gate")?;
    let long = |number| buffer.long(gate, number);
    let of_type = buffer.byte(gate, 0)?;
    match kind {
        1 => {
            say!(text, "${} <- {of_type}: < ", long(1)?);
            value(text, buffer, buffer.bytes(gate, 2)?)?;
            text.push_str(" >");
        }
        2 => say!(text, "@assert_zero({of_type}: ${})", long(1)?),
        3 if old => say!(text, "${} <- {of_type}: ${}", long(1)?, long(2)?),
        3 => {
            range(text, buffer.range(gate, 1)?);
            say!(text, " <- {of_type}: ");
            ranges(text, buffer, buffer.vector(gate, 2, 16)?, "")?;
        }
        4 => say!(text, "${} <- @add({of_type}: ${}, ${})", long(1)?, long(2)?, long(3)?),
        5 => say!(text, "${} <- @mul({of_type}: ${}, ${})", long(1)?, long(2)?, long(3)?),
        6 | 7 => {
            let name = if kind == 6 { "addc" } else { "mulc" };
            say!(text, "${} <- @{name}({of_type}: ${}, < ", long(1)?, long(2)?);
            value(text, buffer, buffer.bytes(gate, 3)?)?;
            text.push_str(" >)");
        }
        8 | 9 => {
            range(text, if old { [long(1)?; 2] } else { buffer.range(gate, 1)? });
            say!(text, " <- @{}({of_type})", if kind == 8 { "public" } else { "private" });
        }
        10 | 11 => {
            say!(text, "@{}({of_type}: ", if kind == 10 { "new" } else { "delete" });
            range(text, [long(1)?, long(2)?]);
            text.push(')');
        }
        12 => {
            say!(text, "{of_type}: ");
            range(text, [long(1)?, long(2)?]);
            say!(text, " <- @convert({}: ", buffer.byte(gate, 3)?);
            range(text, [long(4)?, long(5)?]);
            text.push_str(if old || buffer.byte(gate, 6)? != 0 { ", @modulus)" } else { ")" });
        }
        13 => {
            let outs = buffer.vector(gate, 1, 16)?;
            ranges(text, buffer, outs, "")?;
            text.push_str(if outs.count > 0 { " <- @call(" } else { "@call(" });
            word(text, buffer, buffer.string(gate, 0, "the name of a function")?, OF_NAMES)?;
            ranges(text, buffer, buffer.vector(gate, 2, 16)?, ", ")?;
            text.push(')');
        }
        _ => return Err(other(buffer, "a gate", kind)),
    }
    text.push_str(";\n");
    Ok(())
}
