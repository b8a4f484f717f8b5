//! The beginning of proof files, alike for all systems.
//!
//! A file begins with `volery proof` and the version of its format, by which its system is known; from there on
//! each system has its own header.

use crate::options::Options;
use crate::reading::read_proof;
use crate::setting::Setting;
use std::io::{self, Read, Write};
use volery_channel::error::{Disagreement, Error, Rejection, Result, Sides};

/// The first bytes of every file.
pub const MAGIC: [u8; 12] = *b"volery proof";
/// The bytes of the name of a field.
pub const FIELD: usize = 32;
/// The most bytes of a label.
pub const LONGEST_LABEL: usize = 1 << 16;
/// The most characters of another's label that an error shows.
const LABEL_SHOWN: usize = 300;
/// The least security that a file can have, in bits.
pub const LEAST_OF_FILE: u32 = 100;

/// [`Options::most_work`] where nothing else is said: what the shortest
/// proofs take, and what is made for 128 bits where fewer are asked for.
pub const MOST_WORK: u32 = 4;

/// The security that is asked for, in bits, or the `usual`; there are at `most` so many.
///
/// # Errors
/// `Invalid` for a file of less than [`LEAST_OF_FILE`]: what is worth 40 bits before a verifier's coins is
/// found in an hour by whoever may try as often as it likes.
pub fn asked_of_file(options: &Options, usual: u32, most: u32) -> Result<u32> {
    match options.security {
        Some(asked) if asked < LEAST_OF_FILE => Err(Error::invalid(format!(
            "a proof file of {asked} bits of security could be forged by trying: ask for {LEAST_OF_FILE} to {most}"
        ))),
        asked => Ok(asked.unwrap_or(usual)),
    }
}

/// The name of what a proof is over.
pub fn field<S: Setting>() -> [u8; FIELD] {
    let mut name = [0; FIELD];
    let text = S::name();
    name[..text.len()].copy_from_slice(text.as_bytes());
    name
}

/// The header's words and digest of the statement.
pub struct Subject {
    /// The name of the field: see [`field`].
    pub field: [u8; FIELD],
    /// The digest of the statement.
    pub statement: [u8; 32],
    /// The words of who made the file.
    pub label: String,
}

impl Subject {
    /// The label behind its length.
    ///
    /// # Errors
    /// `Invalid` where it is too long.
    pub fn encode_label(&self, bytes: &mut Vec<u8>) -> Result<()> {
        if self.label.len() > LONGEST_LABEL {
            return Err(Error::invalid(format!(
                "the label of a proof has {} bytes; at most {LONGEST_LABEL} are allowed",
                self.label.len()
            )));
        }
        bytes.extend_from_slice(&(self.label.len() as u32).to_le_bytes());
        bytes.extend_from_slice(self.label.as_bytes());
        Ok(())
    }

    /// Compares what the proof is about with what it should be about.
    ///
    /// # Errors
    /// `Disagreed`.
    pub fn compare<S: Setting>(&self, statement: [u8; 32], label: &str) -> Result<()> {
        if self.field != field::<S>() {
            let end = self.field.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            let theirs = self.field[..end].escape_ascii().to_string();
            let fields = Sides { ours: S::name(), theirs };
            return Err(Error::Disagreed(Disagreement::FileField(fields)));
        }
        if !label.is_empty() && label != self.label {
            // The words of whoever made the file, in what fits on a few lines.
            let theirs = self.label.escape_debug().take(LABEL_SHOWN).collect();
            let labels = Sides { ours: label.into(), theirs };
            return Err(Error::Disagreed(Disagreement::FileLabel(labels)));
        }
        Sides { ours: statement, theirs: self.statement }.agree(Disagreement::FileStatement)
    }
}

/// Reads a label of so many bytes, which are appended to `bytes`.
///
/// # Errors
/// `Rejected` where it is none; `Io`.
pub fn read_label_of(from: &mut dyn Read, length: u32, bytes: &mut Vec<u8>) -> Result<String> {
    let length = length as usize;
    if length > LONGEST_LABEL {
        return Err(Error::Rejected(Rejection::LabelTooLong));
    }
    let mut label = vec![0; length];
    read_proof(from, &mut label)?;
    bytes.extend_from_slice(&label);
    String::from_utf8(label).map_err(|_| Error::Rejected(Rejection::LabelNotText))
}

/// A file whose bytes are counted.
pub struct Counted<T> {
    /// The file.
    pub file: T,
    /// The bytes that were read or written so far.
    pub bytes: u64,
}

impl<T: Write> Write for Counted<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl<T: Read> Read for Counted<T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(bytes)?;
        self.bytes += read as u64;
        Ok(read)
    }
}
