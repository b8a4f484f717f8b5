//! The binary kind: ANDs are differences of literals.

use super::header::Header;
use super::{Latch, Lines, Literal, Logic, latch, literal};
use crate::netlist::Gate;
use volery_channel::error::{Error, Result};

/// Reads all but the names.
pub(super) fn read(lines: &mut Lines<'_>, header: &Header) -> Result<Logic> {
    let most = header.most();
    let mut latches: Vec<Latch> = Vec::with_capacity(header.latches as usize);
    for number in 0..header.latches {
        let own = 2 * (header.inputs + number + 1);
        let (numbers, count) =
            lines.numbers::<2>(1, format_args!("latch {number}, its next state and first value,"))?;
        latches.push(latch(lines, own, numbers, count, most)?);
    }
    let mut list = |count: u64, what: &str| -> Result<Vec<Literal>> {
        let mut literals = Vec::with_capacity(count as usize);
        for number in 0..count {
            let ([value], _) = lines.numbers::<1>(1, format_args!("{what} {number}"))?;
            literals.push(literal(lines, value, most)?);
        }
        Ok(literals)
    };
    let outputs = list(header.outputs, "output")?;
    let bad = list(header.bad, "bad state")?;
    let constraints = list(header.constraints, "constraint")?;
    let gates = ands(lines, header)?;
    let inputs = header.inputs as u32;
    Ok(Logic { inputs, latches, gates, outputs, bad, constraints, ..Logic::default() })
}

/// Bytes of the longest difference.
const LONGEST: usize = 5;

fn ands(lines: &mut Lines<'_>, header: &Header) -> Result<Vec<Gate>> {
    let mut gates = Vec::with_capacity(header.ands as usize);
    let bytes = lines.bytes;
    let mut at = lines.at;
    // Whole differences without a look at the end, and the last ones with it.
    let safe = bytes.len().saturating_sub(2 * LONGEST);
    for number in 0..header.ands {
        let left = 2 * (header.inputs + header.latches + number + 1);
        let begin = at;
        let fault = |fault| Err(fault_at(lines.file, begin, number, left, fault));
        let read = if at < safe {
            [difference(bytes, &mut at), difference(bytes, &mut at)]
        } else {
            last(bytes, &mut at)
        };
        let [Some(first), Some(second)] = read else {
            return fault(if begin + LONGEST > bytes.len() || at >= bytes.len() {
                Fault::Ends
            } else {
                Fault::TooLong
            });
        };
        if first == 0 || first > left {
            return fault(Fault::First(first));
        }
        let right = left - first;
        if second > right {
            return fault(Fault::Second(second, right));
        }
        // Both are below `left`, which the header bounds by 2^32.
        gates.push(Gate::and(Literal((right - second) as u32), Literal(right as u32)));
    }
    (lines.at, lines.line) = (at, None);
    Ok(gates)
}

/// The next difference, where as many bytes follow as it can have.
#[inline(always)]
fn difference(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for i in 0..LONGEST {
        let byte = bytes[*at];
        *at += 1;
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// The next two, near the end.
#[cold]
fn last(bytes: &[u8], at: &mut usize) -> [Option<u64>; 2] {
    [(); 2].map(|()| {
        let mut value = 0;
        for i in 0..LONGEST {
            let byte = *bytes.get(*at)?;
            *at += 1;
            value |= u64::from(byte & 0x7f) << (7 * i);
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    })
}

/// A fault of an AND.
enum Fault {
    Ends,
    TooLong,
    First(u64),
    Second(u64, u64),
}

#[cold]
fn fault_at(file: &str, at: usize, number: u64, left: u64, fault: Fault) -> Error {
    let why = match fault {
        Fault::Ends => "the file ends within it, and the first line announces more: is it truncated?".into(),
        Fault::TooLong => format!("a difference has more than {LONGEST} bytes: is this the binary kind?"),
        Fault::First(0) => format!(
            "its first difference is 0, so that it would read its own literal {left}: operands have to be below"
        ),
        Fault::First(first) => format!("its first difference {first} is more than its literal {left}"),
        Fault::Second(second, right) => {
            format!("its second difference {second} is more than its first operand {right}")
        }
    };
    Error::invalid(format!("{file}, byte {at}: AND {number}: {why}"))
}
