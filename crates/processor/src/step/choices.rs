//! Choices of a run: which of its place's alternatives each row is.
//!
//! They are found by trying one alternative after the other, and how many are tried depends on secrets, such as
//! by how much a word is shifted. A peer hears when messages come. So all choices are made before anything is
//! sent, and kept, a byte for each row; while the proof runs nothing is tried.
//!
//! The first parts are in memory. What follows lies in a file that the caller gives, below a key stream whose
//! key is in memory alone: who finds the file learns how long the run was.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::sync::{Mutex, PoisonError};
use volery::random::Random;
use volery::{Error, Result};
use zeroize::Zeroizing;

/// The choices of a part.
const PART: usize = 1 << 16;

/// The most parts in memory: 64 MiB.
const KEPT: usize = 1 << 10;

/// The choices of a run to its end.
pub struct Choices {
    rows: u64,
    /// The first parts, each full but the last.
    kept: Vec<Zeroizing<Vec<u8>>>,
    /// The parts behind these.
    filed: Option<Filed>,
}

struct Filed {
    file: Mutex<File>,
    key: Zeroizing<[u8; 32]>,
}

impl Choices {
    /// The number of rows to the end.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The choices from the first on.
    pub(super) fn reader(&self) -> Reader<'_> {
        Reader { choices: self, row: 0, part: Zeroizing::default() }
    }
}

impl Filed {
    /// Adds the key stream at `at` to `part`, or takes it away.
    fn mask(&self, at: u64, part: &mut [u8]) {
        let mut pad = Zeroizing::new(vec![0; part.len()]);
        let mut stream = blake3::Hasher::new_keyed(&self.key).finalize_xof();
        stream.set_position(at);
        stream.fill(&mut pad);
        part.iter_mut().zip(&*pad).for_each(|(byte, pad)| *byte ^= pad);
    }

    /// Writes `part` at `at`.
    fn put(&self, at: u64, part: &mut [u8]) -> io::Result<()> {
        self.mask(at, part);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))?;
        file.write_all(part)
    }

    /// Reads `part` from `at` on.
    fn get(&self, at: u64, part: &mut [u8]) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(part)?;
        self.mask(at, part);
        Ok(())
    }
}

/// Keeps choices, one after the other.
pub(super) struct Writer<'f> {
    choices: Choices,
    part: Zeroizing<Vec<u8>>,
    most: usize,
    file: &'f dyn Fn() -> io::Result<File>,
}

impl<'f> Writer<'f> {
    /// Keeps 64 MiB in memory, and the rest in what `file` gives.
    pub(super) fn new(file: &'f dyn Fn() -> io::Result<File>) -> Self {
        Self::keeping(KEPT, file)
    }

    /// Keeps `most` parts in memory.
    fn keeping(most: usize, file: &'f dyn Fn() -> io::Result<File>) -> Self {
        let choices = Choices { rows: 0, kept: Vec::new(), filed: None };
        Self { choices, part: part(), most, file }
    }

    /// Adds the choice of the next row.
    ///
    /// # Errors
    /// `Invalid` where the file cannot be made or written.
    #[inline]
    pub(super) fn push(&mut self, choice: u8) -> Result<()> {
        self.part.push(choice);
        self.choices.rows += 1;
        if self.part.len() == PART { self.put() } else { Ok(()) }
    }

    /// Ends the choices.
    ///
    /// # Errors
    /// As for [`Self::push`].
    pub(super) fn finish(mut self) -> Result<Choices> {
        self.put()?;
        Ok(self.choices)
    }

    #[cold]
    fn put(&mut self) -> Result<()> {
        let Self { choices, part: full, most, file } = self;
        if full.is_empty() {
            return Ok(());
        }
        if choices.kept.len() < *most {
            choices.kept.push(core::mem::replace(full, part()));
            return Ok(());
        }
        let failed = |why: io::Error| {
            Error::invalid(format!(
                "the way of the run takes a temporary file behind its first {} rows: {why}: make room for one \
                 byte a row among temporary files",
                *most * PART
            ))
        };
        let filed = match &choices.filed {
            Some(filed) => filed,
            None => {
                let key = Zeroizing::new(Random::from_system()?.bytes());
                let file = Mutex::new(file().map_err(failed)?);
                choices.filed.insert(Filed { file, key })
            }
        };
        let before = choices.rows - full.len() as u64;
        filed.put(before - (*most * PART) as u64, full).map_err(failed)?;
        full.clear();
        Ok(())
    }
}

/// An empty part. It has room from the beginning, since growing would leave secrets in its old memory.
fn part() -> Zeroizing<Vec<u8>> {
    Zeroizing::new(Vec::with_capacity(PART))
}

/// Reads choices, one after the other.
#[derive(Clone)]
pub(super) struct Reader<'c> {
    choices: &'c Choices,
    row: u64,
    /// The part that the next row is in, but at its first.
    part: Zeroizing<Vec<u8>>,
}

impl Reader<'_> {
    /// The choice of the next row, which behind the end is the only one; none where the file cannot be read.
    #[inline]
    pub(super) fn next(&mut self) -> Option<u8> {
        let at = (self.row % PART as u64) as usize;
        if at == 0 {
            self.load()?;
        }
        self.row += 1;
        Some(self.part.get(at).copied().unwrap_or(0))
    }

    #[cold]
    fn load(&mut self) -> Option<()> {
        let Self { choices, row, part } = self;
        *part = Zeroizing::default();
        let number = (*row / PART as u64) as usize;
        if let Some(kept) = choices.kept.get(number) {
            *part = kept.clone();
        } else if let Some(filed) = &choices.filed {
            let at = *row - (choices.kept.len() * PART) as u64;
            let left = choices.rows.saturating_sub(*row).min(PART as u64);
            *part = Zeroizing::new(vec![0; left as usize]);
            filed.get(at, part).ok()?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Choices are read as they were kept, from memory and from a file, which does not have them as they are.
    #[test]
    fn choices_are_read_as_they_were_kept() {
        let choice = |row: usize| (row % 251) as u8;
        for (rows, most) in
            [(0, 1), (1, 1), (PART, 1), (PART + 1, 1), (3 * PART - 1, 1), (2 * PART + 7, 0), (PART, 2)]
        {
            let beside = tempfile::NamedTempFile::new().expect("a file");
            let file = || beside.reopen();
            let mut writer = Writer::keeping(most, &file);
            for row in 0..rows {
                writer.push(choice(row)).expect("kept");
            }
            let choices = writer.finish().expect("kept");
            assert_eq!(choices.rows(), rows as u64);
            let mut reader = choices.reader();
            let mut other = reader.clone();
            for row in 0..rows {
                assert_eq!(reader.next(), Some(choice(row)), "{row} of {rows}");
                other = if row == rows / 2 { reader.clone() } else { other };
            }
            assert_eq!(reader.next(), Some(0), "behind the end");
            assert_eq!(other.next(), Some(if rows > 1 { choice(rows / 2 + 1) } else { 0 }));
            let written = std::fs::read(beside.path()).expect("a file");
            assert_eq!(written.len(), rows.saturating_sub(most * PART));
            let same = written.iter().zip(most * PART..).filter(|(byte, row)| **byte == choice(*row));
            // By chance one in 256 is the same.
            assert!(same.count() <= written.len() / 128 + 2, "{rows} rows lie open");
        }
    }

    #[test]
    fn a_file_that_cannot_be_says_so() {
        let file = || Err(io::Error::other("no room"));
        let mut writer = Writer::keeping(0, &file);
        writer.push(1).expect("not full yet");
        match writer.finish().err() {
            Some(Error::Invalid(why)) => assert!(why.contains("no room: make room"), "{why}"),
            other => panic!("{other:?}"),
        }
    }
}
