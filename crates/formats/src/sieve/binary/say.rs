//! Tables of messages, written as text.

use super::buffer::{Buffer, Table, Vector};
use super::made::Made;
use super::{MESSAGES, other};
use std::io::Result;

/// The longest value, in bytes.
const LONGEST: usize = 512;

/// Adds a string all of whose characters are letters, digits or of `others`.
fn word(text: &mut Made, buffer: &Buffer, string: &[u8], others: &[u8]) -> Result<()> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || others.contains(byte);
    if string.is_empty() || string.len() > 1000 || !string.iter().all(plain) {
        let shown = string[..string.len().min(60)].escape_ascii();
        let what = if buffer.is_hidden() { "a string".to_owned() } else { format!("\"{shown}\"") };
        return Err(
            buffer.fail(0, &format!("{what} is no name and no number, in the message that begins here"))
        );
    }
    text.push_str(core::str::from_utf8(string).expect("of ASCII"))
}

const OF_NAMES: &[u8] = b"_.:";

pub(super) fn version(text: &mut Made, buffer: &Buffer, message: Table, resource: &str) -> Result<()> {
    text.push_str("version ")?;
    word(text, buffer, buffer.string(message, 0, "the version")?, b".-")?;
    write!(text, ";\n{resource};\n")
}

/// The head of a relation, up to its directives; whether it is of the older schema.
pub(super) fn relation(text: &mut Made, buffer: &Buffer, message: Table) -> Result<bool> {
    version(text, buffer, message, MESSAGES[0])?;
    let old = buffer.string(message, 0, "the version")?.starts_with(b"2.0");
    let plugins = buffer.vector(message, 1, 4)?;
    for i in 0..plugins.count {
        text.push_str("@plugin ")?;
        word(text, buffer, buffer.string_of(plugins, i)?, OF_NAMES)?;
        text.push_str(";\n")?;
    }
    let types = buffer.vector(message, 2, 4)?;
    for i in 0..types.count {
        of_type(text, buffer, buffer.element(types, i)?, old)?;
    }
    let conversions = buffer.vector(message, 3, 32)?;
    for i in 0..conversions.count {
        let [(out, wires), (of, from)] =
            [buffer.count_of(conversions, i, 32, 0)?, buffer.count_of(conversions, i, 32, 16)?];
        writeln!(text, "@convert(@out: {out}:{wires}, @in: {of}:{from});")?;
    }
    Ok(old)
}

/// A type; by the `old` schema there are fields and plugins' alone.
pub(super) fn of_type(text: &mut Made, buffer: &Buffer, named: Table, old: bool) -> Result<()> {
    let (kind, element) = buffer.union(named, 0, "a type")?;
    text.push_str("@type ")?;
    match kind {
        1 => {
            text.push_str("field ")?;
            let modulus = buffer.inner(element, 0, "the modulus of a field")?;
            value(text, buffer, buffer.bytes(modulus, 0)?)?;
        }
        2 if !old => {
            let (base, degree) = (buffer.byte(element, 0)?, buffer.long(element, 1)?);
            write!(text, "ext_field {base} {degree} {}", buffer.long(element, 2)?)?;
        }
        3 => write!(text, "ring {}", buffer.long(element, 0)?)?,
        2 | 4 => {
            text.push_str("@plugin(")?;
            plugin(text, buffer, element)?;
            text.push_str(")")?;
        }
        _ => return Err(other(buffer, "a type", kind)),
    }
    text.push_str(";\n")
}

/// A plugin's name, operation and parameters.
fn plugin(text: &mut Made, buffer: &Buffer, of: Table) -> Result<()> {
    word(text, buffer, buffer.string(of, 0, "the name of a plugin")?, OF_NAMES)?;
    text.push_str(", ")?;
    word(text, buffer, buffer.string(of, 1, "the operation of a plugin")?, OF_NAMES)?;
    let parameters = buffer.vector(of, 2, 4)?;
    for i in 0..parameters.count {
        text.push_str(", ")?;
        word(text, buffer, buffer.string_of(parameters, i)?, OF_NAMES)?;
    }
    Ok(())
}

/// A number of which the least significant byte is first.
pub(super) fn value(text: &mut Made, buffer: &Buffer, bytes: &[u8]) -> Result<()> {
    if bytes.len() > LONGEST {
        return Err(
            buffer.fail(0, &format!("a value of more than {LONGEST} bytes in the message that begins here"))
        );
    }
    let length = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let Some((last, rest)) = bytes[..length].split_last() else {
        return text.push_str("0");
    };
    write!(text, "0x{last:x}")?;
    rest.iter().rev().try_for_each(|byte| write!(text, "{byte:02x}"))
}

/// The head of a function, or all of it where it is bound to a plugin; else its gates.
pub(super) fn function(
    text: &mut Made,
    buffer: &Buffer,
    of: Table,
) -> Result<Option<(Vector, core::ops::Range<usize>)>> {
    text.push_str("@function(")?;
    word(text, buffer, buffer.string(of, 0, "the name of a function")?, OF_NAMES)?;
    for (number, side) in [(1, "out"), (2, "in")] {
        counts(text, buffer, buffer.vector(of, number, 16)?, side)?;
    }
    text.push_str(")")?;
    let (kind, body) = buffer.union(of, 3, "the body of a function")?;
    match kind {
        1 => {
            text.push_str("\n")?;
            let gates = buffer.vector(body, 0, 4)?;
            Ok(Some((gates, 0..gates.count)))
        }
        2 => {
            text.push_str(" @plugin(")?;
            plugin(text, buffer, body)?;
            for (number, side) in [(3, "public"), (4, "private")] {
                counts(text, buffer, buffer.vector(body, number, 16)?, side)?;
            }
            text.push_str(");\n")?;
            Ok(None)
        }
        _ => Err(other(buffer, "a body", kind)),
    }
}

/// A list of types and numbers, if there are any.
fn counts(text: &mut Made, buffer: &Buffer, counts: Vector, side: &str) -> Result<()> {
    for i in 0..counts.count {
        let (kind, count) = buffer.count_of(counts, i, 16, 0)?;
        if i == 0 {
            write!(text, ", @{side}: {kind}:{count}")?;
        } else {
            write!(text, ", {kind}:{count}")?;
        }
    }
    Ok(())
}

fn range(text: &mut Made, [first, last]: [u64; 2]) -> Result<()> {
    if first == last { write!(text, "${first}") } else { write!(text, "${first} ... ${last}") }
}

fn ranges(text: &mut Made, buffer: &Buffer, ranges: Vector, before: &str) -> Result<()> {
    for i in 0..ranges.count {
        text.push_str(if i > 0 { ", " } else { before })?;
        range(text, buffer.range_of(ranges, i)?)?;
    }
    Ok(())
}

/// A gate, with the end of its line.
pub(super) fn gate(text: &mut Made, buffer: &Buffer, of: Table, old: bool) -> Result<()> {
    let (kind, gate) = buffer.union(of, 0, "a gate")?;
    let long = |number| buffer.long(gate, number);
    let of_type = buffer.byte(gate, 0)?;
    if old {
        is_older(buffer, kind, gate)?;
    }
    match kind {
        1 => {
            write!(text, "${} <- {of_type}: < ", long(1)?)?;
            value(text, buffer, buffer.bytes(gate, 2)?)?;
            text.push_str(" >")?;
        }
        2 => write!(text, "@assert_zero({of_type}: ${})", long(1)?)?,
        3 if old => write!(text, "${} <- {of_type}: ${}", long(1)?, long(2)?)?,
        3 => {
            range(text, buffer.range(gate, 1)?)?;
            write!(text, " <- {of_type}: ")?;
            ranges(text, buffer, buffer.vector(gate, 2, 16)?, "")?;
        }
        4 => write!(text, "${} <- @add({of_type}: ${}, ${})", long(1)?, long(2)?, long(3)?)?,
        5 => write!(text, "${} <- @mul({of_type}: ${}, ${})", long(1)?, long(2)?, long(3)?)?,
        6 | 7 => {
            let name = if kind == 6 { "addc" } else { "mulc" };
            write!(text, "${} <- @{name}({of_type}: ${}, < ", long(1)?, long(2)?)?;
            value(text, buffer, buffer.bytes(gate, 3)?)?;
            text.push_str(" >)")?;
        }
        8 | 9 => {
            range(text, if old { [long(1)?; 2] } else { buffer.range(gate, 1)? })?;
            write!(text, " <- @{}({of_type})", if kind == 8 { "public" } else { "private" })?;
        }
        10 | 11 => {
            write!(text, "@{}({of_type}: ", if kind == 10 { "new" } else { "delete" })?;
            range(text, [long(1)?, long(2)?])?;
            text.push_str(")")?;
        }
        12 => {
            write!(text, "{of_type}: ")?;
            range(text, [long(1)?, long(2)?])?;
            write!(text, " <- @convert({}: ", buffer.byte(gate, 3)?)?;
            range(text, [long(4)?, long(5)?])?;
            text.push_str(if old || buffer.byte(gate, 6)? != 0 { ", @modulus)" } else { ")" })?;
        }
        13 => {
            let outs = buffer.vector(gate, 1, 16)?;
            ranges(text, buffer, outs, "")?;
            text.push_str(if outs.count > 0 { " <- @call(" } else { "@call(" })?;
            word(text, buffer, buffer.string(gate, 0, "the name of a function")?, OF_NAMES)?;
            ranges(text, buffer, buffer.vector(gate, 2, 16)?, ", ")?;
            text.push_str(")")?;
        }
        _ => return Err(other(buffer, "a gate", kind)),
    }
    text.push_str(";\n")
}

/// # Errors
/// Where a gate has fields as only the newer schema has them: by the older one it would be another gate.
fn is_older(buffer: &Buffer, kind: u8, gate: Table) -> Result<()> {
    let room = |number| buffer.room(gate, number);
    let newer = match kind {
        3 => room(2)?.is_some_and(|room| room < 8),
        8 | 9 => room(1)?.is_some_and(|room| room >= 16),
        12 => room(6)?.is_some(),
        _ => false,
    };
    if !newer {
        return Ok(());
    }
    Err(buffer.fail(
        0,
        "a file of version 2.0 with a gate as version 2.1.0 has it, in the message that begins here: give it \
         the version by whose schema it is written",
    ))
}
