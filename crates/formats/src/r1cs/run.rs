//! The constraints of a run: as they are kept, or from the file.

use super::constraint::{Constraint, Parser};
use super::input::Input;
use super::kept;
use super::{R1cs, Section};
use volery_channel::error::Result;

/// All constraints in the order of the file; of those that are [kept](kept) none that is linear.
pub(super) enum ConstraintSource<'s> {
    Kept(kept::Reader<'s>),
    File(Box<FileRun<'s>>),
}

/// A run through the file.
pub(super) struct FileRun<'s> {
    input: Input<'s>,
    parser: Parser,
    digest: &'s [u8; 32],
}

impl R1cs {
    /// The constraints of the system, from the first on.
    pub(super) fn constraints(&self) -> Result<ConstraintSource<'_>> {
        if let Some(kept) = &self.kept {
            return Ok(ConstraintSource::Kept(kept.read()));
        }
        let mut input = self.source.open(&self.name)?;
        let Section { begin, length } = self.section;
        if begin + length > input.length {
            return Err(input.changed());
        }
        input.begin_hashed()?;
        input.go_on_to(self.section)?;
        let parser = Parser::new(&self.header);
        Ok(ConstraintSource::File(Box::new(FileRun { input, parser, digest: &self.digest })))
    }
}

impl ConstraintSource<'_> {
    /// Reads the next one into `constraint`, and tells whether there is one.
    ///
    /// # Errors
    /// `Invalid` where the section is malformed.
    #[inline]
    pub(super) fn next(&mut self, constraint: &mut Constraint) -> Result<bool> {
        match self {
            Self::Kept(reader) => Ok(reader.next(constraint)),
            Self::File(run) => run.parser.next(&mut run.input, constraint),
        }
    }

    /// Whether what is read may be another file by now.
    pub(super) fn may_differ(&self) -> bool {
        matches!(self, Self::File(_))
    }

    /// Ends the run, after the last constraint.
    ///
    /// # Errors
    /// `Invalid` where the file is not the one that was opened.
    pub(super) fn end(self) -> Result<()> {
        let Self::File(mut run) = self else { return Ok(()) };
        if run.input.whole_digest()? == *run.digest { Ok(()) } else { Err(run.input.changed()) }
    }
}
