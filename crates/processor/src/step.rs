//! The step machine: runs whose control flow is secret.
//!
//! **Relation.** Public are a program, its memory's layout, its public input, what it gives out, how it ends
//! ([`Goal`]) and a number of rows; the statement is that there is a private input with which it does. Program
//! counter, addresses and instructions are secret; all rows cost the same.
//!
//! A row reads two cells, and reads and writes a third, in this order, in one memory that holds registers,
//! constants, words, and what streams in and out ([`image`]). What it does with them its class says
//! ([`class`]). Over 2^61 − 1 the prover commits to 18 columns in each row ([`row::Column`]), and by
//! [`Memories`](volery::circuit::Memories) to the words and times that the accesses find:
//!
//! | what is asked of a row | how |
//! |---|---|
//! | that it is one that the program has at that place | a lookup of eight elements in a public table ([`rom`]) |
//! | that it finds what was written last | three accesses |
//! | that C0, C1, S3 to S6 are limbs, or bytes with their AND | six lookups in one table of 2·2^16 rows |
//! | what its class says | two polynomials of degree 9 in all classes, chosen by two digits |
//! | that S7 and S8 are bits | two polynomials of degree 2 |
//! | which address depends on the row, and where a jump goes to | two polynomials of degree 9 |
//! | that the next one is where it says | its place is the other's column |
//!
//! The first place is the entry, the last row leads to the end, and a row of the end leads to itself: these are
//! the rows that a run is filled up with.
//!
//! **What is secret in the table's key.** Most rows have public addresses and a public next place. Of a load
//! the second address is not, of a store the third, of a jump through a register the next place. So the key
//! has `second + 2^33·third − accessed` and `next − jumped`, where `accessed` and `jumped` are columns of
//! which the classes say what they are, zero for most. **Why that is enough**: cells lie below 2^27, as the
//! memory's check shows of all three addresses ([`block`] refuses others). Where `accessed` is zero the sum
//! is one of integers below 2^61 − 1, with one solution. Of a load, `accessed` is below 2^32 + 4: also one of
//! integers, so that the second is `accessed`, and the third the register. Of a store, 2^33·(third − stored)
//! is the register minus the second: if third is not stored, they differ by h·2^28, 0 < |h| < 16, and the
//! registers by h; but the cells of registers are 64 apart, and what lies beside one is no cell.
//!
//! **Soundness.** Equations modulo p are equations of integers ([`class`] says why, and tests look at all
//! solutions over smaller words). All that enters a row was written by one, so that words are always two
//! limbs in range; the first image's are public. x0 is a cell that no row writes; writes to it go to one that
//! no row reads. No jump leads into an instruction's second row: those lie above 2^33, and targets are below
//! 2^32. Alternatives at one place exclude each other, so that a prover has no choice but what it reads:
//! bytes of the private input, and where it ends. What the rest adds is the library's:
//! [`Memories`](volery::circuit::Memories) and tables by two challenges each, polynomials with (10 + 2)/2^61
//! once, the degree being that of the tables' running sums, and 1/2^61 a batch.
//!
//! **Time.** Which alternative of a place holds is found by trying, before anything is sent ([`choices`]); while a
//! run is proved each row is filled once, whatever it does.
//!
//! **Deviations** from the interpreter of this crate: `writev` cannot be proved, and the private input ends where
//! a read first returns less than was asked for, and stays there. *Deviations* from the notes that this follows:
//! registers named by no digits but by addresses 64 apart; immediates of comparisons, logic and shifts are
//! constants in cells; bytes are looked up as one number each with their
//! AND, so that logic needs no columns of its own; 20 classes for 26; no challenge for the equations of a
//! class, of which two are left.

mod block;
mod calls;
mod choices;
mod class;
mod digest;
mod form;
mod image;
mod lanes;
mod micro;
#[cfg(test)]
mod plain;
mod rom;
mod row;
mod trace;

pub use choices::Choices;
pub use micro::Goal;

use crate::program::{Layout, Program};
use block::{TILE, Tiling, push};
use choices::Writer;
use core::sync::atomic::{AtomicBool, Ordering};
use image::Image;
use rom::Rom;
use row::COLUMNS;
use std::fs::File;
use std::io;
use std::sync::Arc;
use trace::{Replay, Trace};
use volery::circuit::stream::{Recorder, Source};
use volery::{Error, F61, Result};
use zeroize::Zeroizing;

/// The most constants of a program, whose cells lie below 2^27.
const MOST_CONSTANTS: usize = (1 << 20) - 64;

/// The most alternatives at one place, of which a prover keeps the number in a byte.
const MOST_ALTERNATIVES: usize = 1 << 8;

/// The public part of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known<'p> {
    /// Memory beside what the program declares.
    pub layout: Layout,
    /// The bytes that descriptor 3 reads.
    pub public: &'p [u8],
    /// The bytes that are given out.
    pub output: &'p [u8],
    /// How it ends.
    pub goal: Goal,
}

/// A program with what is public of its runs: the statement that there is a private input with which it runs
/// so, in a number of rows.
#[derive(Debug)]
pub struct Steps {
    rom: Rom,
    image: Image,
    entry: u32,
    /// The rows that are proved.
    tiling: Tiling,
    gone: Arc<AtomicBool>,
}

/// The error where nobody waits for a statement any more.
pub(crate) fn gone() -> Error {
    Error::invalid("the peer has left, and nobody waits for the end of the run")
}

impl Steps {
    /// Runs of `program` in `rows` rows.
    ///
    /// # Errors
    /// `Invalid` where its memory is too large, or its inputs are.
    pub fn new(program: &Program, known: &Known<'_>, rows: u64) -> Result<Self> {
        let image = Image::new(program, known.layout, known.public, known.output)?;
        let [_, given] = image.ends();
        let rom = micro::Writer::write(program, &image, known.goal, given);
        if rom.constants().len() > MOST_CONSTANTS {
            return Err(Error::invalid(format!(
                "the program has more than {MOST_CONSTANTS} different constants: prove a part of it"
            )));
        }
        if rom.widest() > MOST_ALTERNATIVES {
            return Err(Error::invalid(format!(
                "the program's memory or its instructions lie in more than {} parts: link its segments closer",
                MOST_ALTERNATIVES - 8
            )));
        }
        let tiling = Tiling { rows, tile: TILE };
        Ok(Self { rom, image, entry: program.entry(), tiling, gone: Arc::default() })
    }

    /// The steps that fail as a statement once `gone` is true.
    #[must_use]
    pub fn until(self, gone: Arc<AtomicBool>) -> Self {
        Self { gone, ..self }
    }

    /// How many cells memory has, registers and streams among them.
    pub fn cells(&self) -> usize {
        self.image.cells(&self.rom).len()
    }

    /// The steps in another number of rows.
    pub fn in_rows(self, rows: u64) -> Self {
        Self { tiling: Tiling { rows, ..self.tiling }, ..self }
    }

    /// Runs it on `private` to its end, and keeps which of its ways each row goes: a byte each, beyond 64 MiB in
    /// what `file` gives, where nobody can read it. What this takes depends on secrets: so it is done before a peer
    /// hears anything.
    ///
    /// # Errors
    /// `Invalid` where it does not end so in `most` rows, and where `file` gives none.
    pub fn choose(&self, private: &[u8], most: u64, file: &dyn Fn() -> io::Result<File>) -> Result<Choices> {
        let (mut trace, mut choices) = (self.trace(private), Writer::new(file));
        let mut rows = 0;
        while !trace.has_ended() {
            if rows == most {
                return Err(Error::invalid(format!(
                    "the run has not ended after {most} rows: allow more by --max-cycles"
                )));
            }
            let Some((choice, _)) = trace.choose() else {
                return Err(Error::invalid(format!(
                    "the run does not go on as claimed at {:#x}, after {rows} rows",
                    trace.place()
                )));
            };
            choices.push(choice)?;
            rows += 1;
        }
        choices.finish()
    }

    fn trace<'s>(&'s self, private: &'s [u8]) -> Trace<'s> {
        Trace::new(&self.rom, &self.image, self.entry, private)
    }

    /// The prover's commitments for a private input, by the choices that [`Self::choose`] made for it: they end
    /// where these are of another run, or their file cannot be read.
    pub fn witness<'s>(
        &'s self,
        private: &'s [u8],
        choices: &'s Choices,
    ) -> impl Iterator<Item = F61> + Clone + 's {
        let run = Replay::new(&self.rom, &self.image, self.entry, private, choices.reader());
        Values { run, left: self.tiling, tile: Zeroizing::default(), at: 0 }
    }
}

/// Rows tile by tile, and column by column in each.
#[derive(Clone)]
struct Values<'s> {
    run: Replay<'s>,
    /// The rows that are not in a tile yet.
    left: Tiling,
    tile: Zeroizing<Vec<u64>>,
    at: usize,
}

impl Iterator for Values<'_> {
    type Item = F61;

    #[inline]
    fn next(&mut self) -> Option<F61> {
        if self.at == self.tile.len() {
            self.fill()?;
        }
        let value = self.tile[self.at];
        self.at += 1;
        Some(block::number(value))
    }
}

impl Values<'_> {
    #[cold]
    fn fill(&mut self) -> Option<()> {
        let lanes = self.left.rows.min(self.left.tile as u64) as usize;
        self.at = 0;
        self.tile.resize(COLUMNS * lanes, 0);
        for lane in 0..lanes {
            let Some(row) = self.run.next() else {
                self.tile.clear();
                return None;
            };
            for (column, value) in row.columns.iter().enumerate() {
                self.tile[column * lanes + lane] = *value;
            }
        }
        self.left.rows -= lanes as u64;
        (lanes > 0).then_some(())
    }
}

impl Source<F61> for Steps {
    fn record(&self, recorder: &mut Recorder<'_, F61>) -> Result<()> {
        let each = || if self.gone.load(Ordering::Relaxed) { Err(gone()) } else { Ok(()) };
        push(recorder, (&self.rom, &self.image), self.entry, self.tiling, each)
    }
}

#[cfg(test)]
mod tests;
