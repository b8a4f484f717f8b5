//! The beginning of a proof file by VOLE in the head: what it is a proof of, and what it was made with.
//!
//! | bytes | |
//! |---|---|
//! | 12 | `volery proof` |
//! | 4 | version: 2 |
//! | 1 | the system: 2 |
//! | 32 | the name of the field, in ASCII; zeros behind it |
//! | 3 | trees, the bits of Δ that they own, the bits that are ground |
//! | 4 | the highest degree of what is asserted, 2 at least |
//! | 8 | the bits that are committed to |
//! | 32 | the digest of the statement: of the relation and its public values |
//! | 4 | the length of the label, at most 65,536 |
//! | | the label: the statement in words, in UTF-8 |
//!
//! Numbers are little-endian. All of it is the first thing that the challenges depend on.

use crate::degree_of_check;
use crate::voleith::Parameters;
use std::io::Read;
use volery_channel::error::{Disagreement, Error, Rejection, Result, Sides};
use volery_circuit::Size;
use volery_proof::binary::Binary;
use volery_proof::file::{FIELD, MAGIC, Subject, field, read_label_of};
use volery_proof::reading::read_proof;

/// Changes whenever the bytes of a proof do.
pub const VERSION: u32 = 3;
/// The system, among those whose files have this version.
const SYSTEM: u8 = 2;
/// All but the label.
const FIXED: usize = 12 + 4 + 1 + FIELD + 3 + 4 + 8 + 32 + 4;

/// The bytes of a header with a label of so many.
pub const fn header_bytes(label: usize) -> u64 {
    (FIXED + label) as u64
}

/// The header of a file, before its proof.
pub struct Header {
    /// The statement, and what the file says of it.
    pub subject: Subject,
    /// Trees, bits, and grinding: not yet whether these are any good.
    parameters: [u8; 3],
    degree: u32,
    commitments: u64,
}

impl Header {
    /// The header of a proof with such parameters of a statement of this size.
    pub(super) fn new(statement: [u8; 32], parameters: &Parameters, size: Size, label: &str) -> Self {
        let Parameters { trees, bits, grinding } = *parameters;
        Self {
            subject: Subject { field: field::<Binary>(), statement, label: label.to_owned() },
            parameters: [trees, bits, grinding].map(|number| number as u8),
            degree: degree_of_check(size.degree) as u32,
            commitments: size.commitments,
        }
    }

    /// Encodes the header.
    ///
    /// # Errors
    /// `Invalid` where the label is too long.
    pub(super) fn encode(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(FIXED + self.subject.label.len());
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.push(SYSTEM);
        bytes.extend_from_slice(&self.subject.field);
        bytes.extend_from_slice(&self.parameters);
        bytes.extend_from_slice(&self.degree.to_le_bytes());
        bytes.extend_from_slice(&self.commitments.to_le_bytes());
        bytes.extend_from_slice(&self.subject.statement);
        self.subject.encode_label(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads one, and its bytes.
    ///
    /// # Errors
    /// `Rejected` where it is none; `Disagreed` where it is of another version; `Io`.
    pub fn read(from: &mut (dyn Read + Send)) -> Result<(Self, Vec<u8>)> {
        let mut bytes = vec![0; FIXED];
        read_proof(from, &mut bytes)?;
        let mut rest = &bytes[..];
        if take(&mut rest) != MAGIC {
            return Err(Error::Rejected(Rejection::NotAProof));
        }
        let version = u32::from_le_bytes(take(&mut rest));
        Sides { ours: VERSION, theirs: version }.agree(Disagreement::FileVersion)?;
        if take(&mut rest) != [SYSTEM] {
            return Err(Error::Rejected(Rejection::NonCanonicalHeader));
        }
        let (field, parameters) = (take(&mut rest), take(&mut rest));
        let degree = u32::from_le_bytes(take(&mut rest));
        let commitments = u64::from_le_bytes(take(&mut rest));
        let statement = take(&mut rest);
        let length = u32::from_le_bytes(take(&mut rest));
        let label = read_label_of(from, length, &mut bytes)?;
        Ok((Self { subject: Subject { field, statement, label }, parameters, degree, commitments }, bytes))
    }

    /// Compares what the proof is about with what it should be about.
    ///
    /// # Errors
    /// `Disagreed`.
    pub(super) fn compare(&self, statement: [u8; 32], size: Size, label: &str) -> Result<()> {
        self.subject.compare::<Binary>(statement, label)?;
        let commitments = Sides { ours: size.commitments, theirs: self.commitments };
        let degree = Sides { ours: degree_of_check(size.degree) as u64, theirs: self.degree.into() };
        if commitments.ours != commitments.theirs || degree.ours != degree.theirs {
            return Err(Error::Disagreed(Disagreement::FileCommitments { commitments, degree }));
        }
        Ok(())
    }

    /// The parameters.
    ///
    /// # Errors
    /// `Invalid` where they are none.
    pub(super) fn given(&self) -> Result<Parameters> {
        let [trees, bits, grinding] = self.parameters.map(u32::from);
        Parameters::given(trees, bits, grinding)
    }
}

/// The next bytes of a header, all of which is there.
fn take<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    let (taken, behind) = rest.split_first_chunk().expect("as many as a header has");
    *rest = behind;
    *taken
}
