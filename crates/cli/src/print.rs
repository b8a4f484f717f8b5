//! Standard output and standard error, whose absence is no panic.

pub use volery::text::{count, grouped, human, seconds, things};

use crate::failure::{Failure, Result, is_format};
use serde_json::Value;
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

/// Prints an object of JSON on one line. Characters by which a terminal shows something else are escaped, too: peers write
/// texts.
pub fn json(object: &Value) -> Result<()> {
    result(escaped(&object.to_string()))
}

/// The text of JSON, in which nothing but strings has such characters.
fn escaped(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut line, c| {
        if c.is_control() || is_format(c) {
            line.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            line.push(c);
        }
        line
    })
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

    /// A peer's text in JSON moves no cursor, and is the same text.
    #[test]
    fn json_is_safe_on_terminals() {
        let object = serde_json::json!({"text": "a\u{9b}2J\u{202e}\u{1b}é"});
        let line = escaped(&object.to_string());
        assert_eq!(line, "{\"text\":\"a\\u009b2J\\u202e\\u001bé\"}");
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), object);
    }
}
