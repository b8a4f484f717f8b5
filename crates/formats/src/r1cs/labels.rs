//! Labels of wires, by which a file of symbols names them: read where they are asked for.

use super::R1cs;
use super::input::{Input, Section};
use volery_channel::error::{Error, Result};

/// A section of labels, eight bytes a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Labels {
    section: Section,
    /// BLAKE3 of the section, as it was hashed with the file.
    digest: [u8; 32],
}

impl Labels {
    /// Reads the section of labels that stands next, whose length was checked.
    ///
    /// # Errors
    /// `Invalid` where the file has changed.
    pub(super) fn next(input: &mut Input<'_>, section: Section) -> Result<Self> {
        let mut hash = blake3::Hasher::new();
        for _ in 0..section.length / 8 {
            hash.update(input.take(8, "a label")?);
        }
        Ok(Self { section, digest: hash.finalize().into() })
    }
}

impl R1cs {
    /// The label of each wire.
    ///
    /// # Errors
    /// `Invalid` where the file has none, or is not the one that was opened.
    pub(super) fn labels(&self) -> Result<Vec<u64>> {
        let Some(Labels { section, digest }) = self.labels else {
            return Err(Error::invalid(format!(
                "{} has no section of labels, by which symbols name wires: give none, and public wires are out0, … \
                 and in0, …",
                self.name
            )));
        };
        let mut input = self.source.open(&self.name)?;
        if section.begin + section.length > input.length {
            return Err(self.changed());
        }
        input.go_to(section.begin, section.length)?;
        let mut hash = blake3::Hasher::new();
        let mut labels = Vec::with_capacity(self.header.wires as usize);
        for _ in 0..self.header.wires {
            let label = input.long("a label")?;
            hash.update(&label.to_le_bytes());
            labels.push(label);
        }
        if *hash.finalize().as_bytes() == digest { Ok(labels) } else { Err(self.changed()) }
    }
}
