//! AIGER 1.9, in text (`aag`) and in bytes (`aig`).
//!
//! ```text
//! aag M I L O A [B [C [J [F]]]]     or aig: the highest variable; inputs, latches, outputs, ANDs; then bad
//!                                   states, constraints, justice and fairness properties
//! literal                           an input, in text alone
//! [literal] next [reset]            a latch, whose own literal stands in text alone; reset is 0, 1 or that
//! literal                           an output, a bad state, a constraint
//! left right right                  an AND in text; in bytes two differences of 7 bits a byte, lowest first
//! i0 name                           a name of an input; l, o, b and c those of the others
//! c                                 behind it anything
//! ```
//! A literal is twice a variable, and one more where it is negated; variable 0 is the constant zero. In bytes
//! variables are numbered: inputs, latches, ANDs. The file is untrusted: its header is held against its
//! length before anything is allocated, and each malformation is an error that names the line or the byte.
//!
//! Format: <https://fmv.jku.at/papers/BiereHeljankoWieringa-FMV-TR-11-2.pdf>

mod binary;
mod header;
mod symbols;
#[cfg(test)]
mod tests;
mod text;
mod writer;

pub(super) use writer::write;

use self::header::Header;
#[cfg(test)]
use super::netlist::Gate;
use super::netlist::{Latch, Literal, Logic, Start};
use core::fmt::{self, Display};
use volery_channel::error::{Error, Result};

/// Reads a file of either kind: its circuit, and which kind it is.
///
/// # Errors
/// `Invalid` with the place of what is malformed.
pub(super) fn read(file: &str, bytes: &[u8]) -> Result<(Logic, &'static str)> {
    let mut lines = Lines { file, bytes, at: 0, begin: 0, line: Some(0) };
    let header = Header::read(&mut lines)?;
    let mut logic =
        if header.binary { binary::read(&mut lines, &header)? } else { text::read(&mut lines, &header)? };
    symbols::read(&mut lines, &mut logic)?;
    Ok((logic, if header.binary { "aiger" } else { "aag" }))
}

/// Text that is read line by line.
struct Lines<'a> {
    file: &'a str,
    bytes: &'a [u8],
    /// The place of the next line.
    at: usize,
    /// The begin of the line that was read last.
    begin: usize,
    /// The number of that line, from 1; none behind bytes that are no lines.
    line: Option<u64>,
}

impl<'a> Lines<'a> {
    /// The next line, without its end: what `what` should stand on.
    fn next(&mut self, what: impl Display) -> Result<&'a [u8]> {
        self.line = self.line.map(|line| line + 1);
        self.begin = self.at;
        let rest = &self.bytes[self.at..];
        let Some(length) = rest.iter().position(|&byte| byte == b'\n') else {
            return Err(self.invalid(if rest.is_empty() {
                format!("the file ends where {what} should stand: is it truncated?")
            } else {
                format!("the file ends within the line of {what}: is it truncated?")
            }));
        };
        self.at += length + 1;
        Ok(&rest[..length])
    }

    /// The number of the line that was read last, in text.
    fn number(&self) -> u64 {
        self.line.unwrap_or(0)
    }

    /// The numbers on the next line, from `least` to N of them, with single spaces between: how many, and
    /// zeroes for those that are not there.
    #[inline]
    fn numbers<const N: usize>(
        &mut self,
        least: usize,
        what: impl Display + Copy,
    ) -> Result<([u64; N], usize)> {
        let line = self.next(what)?;
        let mut numbers = [0; N];
        let mut count = 0;
        let mut at = 0;
        loop {
            let begin = at;
            let mut value = 0u64;
            while let Some(digit) =
                line.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10)
            {
                // Wraps only beyond 19 digits, which are refused below.
                value = value.wrapping_mul(10).wrapping_add(digit.into());
                at += 1;
            }
            if count == N || at == begin || at - begin > 19 || line.get(at).is_some_and(|&byte| byte != b' ')
            {
                return Err(self.misread(line, least..=N, what));
            }
            numbers[count] = value;
            count += 1;
            if at == line.len() {
                break;
            }
            at += 1;
        }
        if count < least {
            return Err(self.misread(line, least..=N, what));
        }
        Ok((numbers, count))
    }

    /// The error of a line on which no such numbers stand.
    #[cold]
    fn misread(&self, line: &[u8], counts: core::ops::RangeInclusive<usize>, what: impl Display) -> Error {
        if line.ends_with(b"\r") {
            return self.invalid("the line ends in CR LF, and in AIGER lines end in LF alone: convert them");
        }
        let (least, most) = (counts.start(), counts.end());
        let numbers = match (least, most) {
            (1, 1) => "one number".to_owned(),
            (least, most) if least == most => format!("{least} numbers"),
            (least, most) => format!("{least} to {most} numbers"),
        };
        self.invalid(format_args!(
            "{} stands where {what} should: {numbers} of 19 digits at most, with one space between them",
            Quoted(line)
        ))
    }

    /// An error in the line that was read last.
    #[cold]
    fn invalid(&self, why: impl Display) -> Error {
        match self.line {
            Some(line) => Error::invalid(format!("{}, line {line}: {why}", self.file)),
            None => Error::invalid(format!("{}, byte {}: {why}", self.file, self.begin)),
        }
    }
}

/// The latch whose own literal is `own`, and on whose line `numbers` follow.
fn latch(lines: &Lines<'_>, own: u64, numbers: [u64; 2], count: usize, most: u64) -> Result<Latch> {
    let [next, reset] = numbers;
    let start = match reset {
        _ if count < 2 => Start::Bit(false),
        0 | 1 => Start::Bit(reset == 1),
        _ if reset == own => Start::Free,
        _ => {
            return Err(lines.invalid(format_args!(
                "{reset} is no first value of a latch: write 0, 1 or the latch's own literal {own}"
            )));
        }
    };
    Ok(Latch { next: literal(lines, next, most)?, start })
}

/// `value` as a literal of a circuit whose highest is `most`.
#[inline(always)]
fn literal(lines: &Lines<'_>, value: u64, most: u64) -> Result<Literal> {
    if value > most {
        return Err(out_of_range(lines, value, most));
    }
    Ok(Literal(value as u32))
}

#[cold]
fn out_of_range(lines: &Lines<'_>, value: u64, most: u64) -> Error {
    lines.invalid(format_args!(
        "literal {value} is out of range: the first line announces literals up to {most} (twice its first number, \
         and one)"
    ))
}

/// A line of an untrusted file for an error: quoted, escaped and cut.
struct Quoted<'a>(&'a [u8]);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 40;
        if self.0.is_empty() {
            return f.write_str("an empty line");
        }
        let cut = if self.0.len() > SHOWN { "…" } else { "" };
        write!(f, "\"{}{cut}\"", self.0[..self.0.len().min(SHOWN)].escape_ascii())
    }
}
