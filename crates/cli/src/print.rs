//! Standard output and standard error, whose absence is no panic.

use crate::failure::{Failure, Result};
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicU8, Ordering};

/// The printer to standard output, which has one last line: nobody yet, the run, or its interruption.
static SPEAKER: AtomicU8 = AtomicU8::new(NOBODY);
const NOBODY: u8 = 0;
const RUN: u8 = 1;
const INTERRUPTION: u8 = 2;

fn speaks(who: u8) -> bool {
    let before = SPEAKER.compare_exchange(NOBODY, who, Ordering::Relaxed, Ordering::Relaxed);
    before.is_ok() || before == Err(who)
}

/// Prints `text` and a line break to standard output.
pub fn result(text: impl Display) -> Result<()> {
    while !speaks(RUN) {
        // The process is about to end.
        std::thread::park();
    }
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        // Whoever closed the pipe has read enough.
        Err(why) if why.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::usage(format_args!("standard output cannot be written: {why}")))
        }
        _ => Ok(()),
    }
}

/// Hands standard output to `write`.
pub fn stream(write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    while !speaks(RUN) {
        std::thread::park();
    }
    let mut out = Stream { out: io::stdout().lock(), closed: false };
    let flushed = write(&mut out).and_then(|()| {
        let unwritable = |why| Failure::usage(format_args!("standard output cannot be written: {why}"));
        out.flush().map_err(unwritable)
    });
    // Whoever closed the pipe has read enough.
    if out.closed { Ok(()) } else { flushed }
}

/// Standard output, which tells whether its reader has gone.
struct Stream<W> {
    out: W,
    closed: bool,
}

impl<W: Write> Stream<W> {
    fn watched<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        self.closed |= done.as_ref().is_err_and(|why| why.kind() == ErrorKind::BrokenPipe);
        done
    }
}

impl<W: Write> Write for Stream<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.watched(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.watched(flushed)
    }
}

/// Prints `text` and a line break to standard output where the run has not begun to print, which then never
/// does. For the one who ends the process.
pub fn last_word(text: impl Display) {
    if speaks(INTERRUPTION) {
        let mut out = io::stdout().lock();
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }
}

/// Prints `text` and a line break to standard error, if anybody reads it.
pub fn notice(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints what a user should know of a run that has gone well, a line each.
pub fn warn(warnings: &[String]) {
    warnings.iter().for_each(|warning| notice(format_args!("volery: warning: {warning}")));
}

/// `value` in three digits or so, with a decimal prefix, for a unit to follow.
pub fn human(value: f64) -> String {
    for (size, prefix) in [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")] {
        // Values that would be rounded up to the prefix have it.
        if value >= 0.9995 * size {
            return format!("{} {prefix}", three_digits(value / size));
        }
    }
    format!("{} ", three_digits(value))
}

/// [`human`] with nothing behind the prefix.
pub fn count(value: f64) -> String {
    human(value).trim_end().into()
}

fn three_digits(value: f64) -> String {
    if value == value.trunc() && value < 1000.0 {
        format!("{value}")
    } else if value < 9.995 {
        format!("{value:.2}")
    } else if value < 99.95 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

/// A duration in the unit that suits it.
pub fn seconds(value: f64) -> String {
    if value >= 0.9995 {
        format!("{} s", three_digits(value))
    } else if value >= 0.000_999_5 {
        format!("{} ms", three_digits(value * 1e3))
    } else if value >= 0.000_000_999_5 {
        format!("{} µs", three_digits(value * 1e6))
    } else {
        format!("{} ns", three_digits(value * 1e9))
    }
}

/// `number` with its digits in threes.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `number` of a thing, whose plural is regular.
pub fn things(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// Names and what belongs to them, in two columns.
pub fn table(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).fold(12, usize::max);
    let lines: Vec<_> = rows.iter().map(|(name, text)| format!("{name:<width$} {text}")).collect();
    lines.join("\n")
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        let texts = [0.0, 7.0, 999.0, 1000.0, 1234.0, 99_960.0, 123_456.0, 999_999.0, 2.5e7].map(human);
        assert_eq!(texts, ["0 ", "7 ", "999 ", "1 k", "1.23 k", "100 k", "123 k", "1.00 M", "25 M"]);
        assert_eq!([1, 1000, 1234567].map(grouped), ["1", "1,000", "1,234,567"]);
        assert_eq!([0, 1, 2].map(|bits| things(bits, "bit")), ["0 bits", "1 bit", "2 bits"]);
        assert_eq!([2.0, 0.5, 12.5e-6, 3.25e-9].map(seconds), ["2 s", "500 ms", "12.5 µs", "3.25 ns"]);
    }
}
