//! The first line: what is announced, and whether the file is long enough to honour it.

use super::Lines;
use volery_channel::error::Result;

/// The numbers that the first line announces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) binary: bool,
    /// The highest variable.
    pub(super) variables: u64,
    pub(super) inputs: u64,
    pub(super) latches: u64,
    pub(super) outputs: u64,
    pub(super) ands: u64,
    pub(super) bad: u64,
    pub(super) constraints: u64,
}

/// Inputs, and variables that nothing defines, that a file may announce beyond those it is long enough for.
pub(super) const SPARE: u64 = 1 << 20;

impl Header {
    /// # Errors
    /// `Invalid` where the line is malformed, announces more than the file can hold, or what is not read.
    pub(super) fn read(lines: &mut Lines<'_>) -> Result<Self> {
        let binary = match lines.bytes {
            [b'a', b'i', b'g', b' ', ..] => true,
            [b'a', b'a', b'g', b' ', ..] => false,
            _ => {
                lines.line = Some(1);
                return Err(lines.invalid("an AIGER file begins with \"aag \" or \"aig \": is this one?"));
            }
        };
        lines.at = 4;
        let (numbers, count) =
            lines.numbers::<9>(5, "the counts M I L O A [B [C [J [F]]]] of the first line")?;
        let [variables, inputs, latches, outputs, ands, bad, constraints, justice, fairness] = numbers;
        debug_assert!(count >= 5);
        if justice > 0 || fairness > 0 {
            return Err(lines.invalid(format_args!(
                "{justice} justice and {fairness} fairness properties are announced, which speak of infinite runs, \
                 and no proof is about one: leave them out"
            )));
        }
        let header = Self { binary, variables, inputs, latches, outputs, ands, bad, constraints };
        header.check(lines)?;
        Ok(header)
    }

    /// The greatest literal.
    pub(super) fn most(&self) -> u64 {
        2 * self.variables + 1
    }

    /// Refuses what no file of this length can honour, so that nothing is ever allocated on a header's
    /// word alone.
    fn check(&self, lines: &Lines<'_>) -> Result<()> {
        let length = lines.bytes.len() as u64;
        let Self { binary, variables, inputs, latches, outputs, ands, bad, constraints } = *self;
        if variables >= 1 << 31 {
            return Err(
                lines.invalid(format_args!("{variables} variables are more than the 2^31 - 1 of AIGER"))
            );
        }
        let defined = [inputs, latches, ands].iter().try_fold(0u64, |sum, count| sum.checked_add(*count));
        let Some(defined) = defined.filter(|defined| *defined <= variables) else {
            return Err(lines.invalid(format_args!(
                "{inputs} inputs, {latches} latches and {ands} ANDs are more than the {variables} variables of the \
                 first number"
            )));
        };
        if binary && defined < variables {
            return Err(lines.invalid(format_args!(
                "the first number is {variables}, and in a binary file it is the sum of {inputs} inputs, {latches} \
                 latches and {ands} ANDs, {defined}"
            )));
        }
        // The shortest lines, or an AND of two bytes; inputs stand in text alone.
        let [input, latch, and] = if binary { [0, 2, 2] } else { [2, 4, 6] };
        let counts = [
            ("inputs", inputs, input),
            ("latches", latches, latch),
            ("outputs", outputs, 2),
            ("ANDs", ands, and),
            ("bad states", bad, 2),
            ("constraints", constraints, 2),
        ];
        let mut left = length;
        for (things, count, bytes) in counts {
            let Some(rest) = count.checked_mul(bytes).and_then(|taken| left.checked_sub(taken)) else {
                return Err(lines.invalid(format_args!(
                    "{count} {things} are announced, and a file of {length} bytes holds at most {} besides the \
                     rest: is it truncated?",
                    left / bytes
                )));
            };
            left = rest;
        }
        let spare = if binary { inputs } else { variables - defined };
        if spare > length.saturating_add(SPARE) {
            let things = if binary { "inputs" } else { "variables that nothing defines" };
            return Err(lines.invalid(format_args!(
                "{spare} {things} are announced by a file of {length} bytes: no more than {SPARE} beyond its length \
                 are accepted"
            )));
        }
        Ok(())
    }
}
