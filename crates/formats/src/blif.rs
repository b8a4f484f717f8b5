//! BLIF: tables, latches and models that are made of others.
//!
//! ```text
//! .model NAME
//! .inputs NAME…     .outputs NAME…
//! .names NAME… OUT      a table: each row has 0, 1 or - for each input, and the value of OUT, which is the
//! 01- 1                 same in all rows; what no row covers has the other value, and without rows it is 0
//! .latch IN OUT [re|fe CLOCK] [0|1|2|3]     2 and 3 leave open what it carries at first, as nothing does
//! .subckt MODEL FORMAL=ACTUAL…
//! .end
//! ```
//! The first model is the circuit; those that it is made of may stand before or behind. `#` begins a comment,
//! and `\` at the end of a line has it go on in the next. Gates stand in any order: all of them are read,
//! made flat, and sorted. The file is untrusted: how much it comes to is counted before it is made flat, and
//! each malformation is an error that names the line.
//!
//! Format: <https://course.ece.cmu.edu/~ee760/760docs/blif.pdf>

mod flat;
mod lines;
mod model;
mod sort;
mod table;
#[cfg(test)]
mod tests;
mod writer;

pub(super) use writer::write;

use self::flat::Flat;
use self::lines::Lines;
use super::netlist::Logic;
use core::fmt::{self, Display};
use volery_channel::error::{Error, Result};

/// Reads a file.
///
/// # Errors
/// `Invalid` with the line of what is malformed.
pub(super) fn read(file: &str, text: &[u8]) -> Result<Logic> {
    let models = model::read(&mut Lines::new(file, text))?;
    let flat = Flat::new(file, &models, text.len())?;
    sort::logic(file, &models, &flat)
}

/// An error on this line.
#[cold]
fn invalid(file: &str, line: u64, why: impl Display) -> Error {
    Error::invalid(format!("{file}, line {line}: {why}"))
}

/// A word of an untrusted file for an error: escaped and cut.
struct Word<'a>(&'a [u8]);

impl Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 60;
        let cut = if self.0.len() > SHOWN { "…" } else { "" };
        write!(f, "{}{cut}", self.0[..self.0.len().min(SHOWN)].escape_ascii())
    }
}
