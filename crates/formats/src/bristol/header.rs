//! The head of the file: what is announced, and whether the file is long enough to honour it.

use super::LinePlace;
use super::cursor::{Cursor, Fault, Quoted, separates};
use volery_channel::error::Result;

/// The two formats in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Bristol Fashion: any number of inputs and outputs, six kinds of gate.
    Fashion,
    /// The older Bristol Format: one or two inputs, one output, three kinds of gate.
    Old,
}

/// The numbers that the head announces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) dialect: Dialect,
    pub(super) gates: u64,
    pub(super) wires: u64,
    /// Widths in wires.
    pub(super) inputs: Vec<u64>,
    pub(super) outputs: Vec<u64>,
}

/// Bytes of the shortest gate line, `1 1 0 1 EQ` at the end of the file.
const SHORTEST_GATE: u64 = 10;
/// Bytes that name a wire: a digit and a separator.
const SHORTEST_WIRE: u64 = 2;
/// Input wires that a file may announce beyond those it is long enough to name.
pub(super) const SPARE_INPUTS: u64 = 1 << 20;

/// Tells whether a line belongs to the head, where only numbers stand.
pub(super) fn only_numbers(line: &[u8]) -> bool {
    line.iter().all(|&byte| byte.is_ascii_digit() || separates(byte))
}

/// The numbers on `line`, which the format calls `what`.
pub(super) fn numbers(line: &[u8], what: &str, place: LinePlace<'_>) -> Result<Vec<u64>> {
    let mut cursor = Cursor::new(line, place.line);
    let mut numbers = Vec::new();
    loop {
        match cursor.number() {
            Ok(number) => numbers.push(number),
            Err(Fault::LineEnds) => return Ok(numbers),
            Err(Fault::NotANumber) => {
                let word = Quoted(cursor.word());
                return Err(place.invalid(format_args!(
                    "{word} is not a number: {what} should stand here; is this a Bristol circuit?"
                )));
            }
            Err(Fault::TooLarge) => {
                let word = Quoted(cursor.word());
                return Err(place.invalid(format_args!("{word} is too large for {what}")));
            }
        }
    }
}

/// The widths on a line `count width…`, which are those of the `what`s.
pub(super) fn widths(line: &[u64], what: &str, place: LinePlace<'_>) -> Result<Vec<u64>> {
    let (&count, widths) = line.split_first().expect("the line is not blank");
    if widths.len() as u64 != count {
        return Err(place.invalid(format_args!(
            "{count} {what}s are announced, and {} widths follow: write the number of {what}s, then as many widths",
            widths.len()
        )));
    }
    if let Some(empty) = widths.iter().position(|&width| width == 0) {
        return Err(place.invalid(format_args!("{what} {empty} has no wires: leave it out")));
    }
    Ok(widths.to_vec())
}

/// The input and output widths of the old format's line `width width width`.
pub(super) fn old_widths(line: &[u64], place: LinePlace<'_>) -> Result<(Vec<u64>, Vec<u64>)> {
    match *line {
        [first, _, output] if first == 0 || output == 0 => Err(place.invalid(
            "the first input and the output need at least one wire each (only the second input may have none)",
        )),
        [first, 0, output] => Ok((vec![first], vec![output])),
        [first, second, output] => Ok((vec![first, second], vec![output])),
        _ => Err(place.invalid(format_args!(
            "{} numbers stand where the two input widths and the output width of the old format should, and no \
             line of output widths follows as in Bristol Fashion",
            line.len()
        ))),
    }
}

impl Header {
    /// Refuses what no text of `length` bytes can honour, so that nothing is ever allocated on a
    /// header's word alone.
    ///
    /// # Errors
    /// `Invalid` that names the announced figure and the greatest possible one.
    pub(super) fn check(&self, length: u64, place: LinePlace<'_>) -> Result<()> {
        let total = |widths: &[u64]| widths.iter().try_fold(0u64, |sum, &width| sum.checked_add(width));
        let too_wide = || place.invalid("the widths sum up to more than 2^64 wires");
        let inputs = total(&self.inputs).ok_or_else(too_wide)?;
        let outputs = total(&self.outputs).ok_or_else(too_wide)?;
        let (gates, wires) = (self.gates, self.wires);
        if inputs > wires || outputs > wires {
            return Err(place.invalid(format_args!(
                "{inputs} input wires and {outputs} output wires do not fit into the {wires} wires announced"
            )));
        }
        if gates > length / SHORTEST_GATE {
            return Err(place.invalid(format_args!(
                "{gates} gates are announced, and a file of {length} bytes holds at most {}: is it truncated?",
                length / SHORTEST_GATE
            )));
        }
        if inputs > length / SHORTEST_WIRE + SPARE_INPUTS {
            return Err(place.invalid(format_args!(
                "{inputs} input wires are announced, of which a file of {length} bytes can use at most {}; no \
                 more than {SPARE_INPUTS} unused input wires are accepted",
                length / SHORTEST_WIRE
            )));
        }
        if wires - inputs > length / SHORTEST_WIRE {
            return Err(place.invalid(format_args!(
                "{wires} wires are announced, and a file of {length} bytes sets at most {} besides the {inputs} \
                 inputs: is it truncated?",
                length / SHORTEST_WIRE
            )));
        }
        Ok(())
    }
}
