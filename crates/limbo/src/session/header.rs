//! The beginning of a proof file: what it is a proof of, and what it was made with.
//!
//! | bytes | |
//! |---|---|
//! | 12 | `volery proof` |
//! | 4 | version |
//! | 32 | the name of the field, in ASCII, and of the extension where it is not the usual one; zeros behind it |
//! | 16 | parties, factor of compression, bits of the check field, repetitions |
//! | 2 | whether challenges are identical (0) or independent (1); whether views are a hypercube (0) or parties (1) |
//! | 32 | the digest of the statement: of the relation and its public values |
//! | 16 | its inputs, and its multiplications, sums of products counted gate by gate |
//! | 4 | the length of the label, at most 65,536 |
//! | | the label: the statement in words, in UTF-8 |
//!
//! Numbers are little-endian. All of it is the first thing that the challenges depend on.

use super::{LEAST_OF_FILE, settled};
use crate::session::Simulated;
use crate::{Aggregation, Challenges, Domain, Mode, Parameters, Terms, Wishes};
use std::io::Read;
use volery_channel::error::{Disagreement, Error, Rejection, Result, Sides};
use volery_circuit::Shape;
use volery_proof::file::{FIELD, MAGIC, Subject, field as field_name, read_label_of};
use volery_proof::reading::read_proof;

/// Changes whenever the bytes of a proof do.
const VERSION: u32 = 1;
/// All but the label.
const FIXED: usize = 12 + 4 + FIELD + 16 + 2 + 32 + 16 + 4;

/// The header of a file, before its proof.
pub struct Header {
    /// The statement, and what the file says of it.
    pub subject: Subject,
    /// The parameters that the file says, which are not yet checked.
    wishes: Wishes,
    pub(super) aggregation: Aggregation,
    inputs: u64,
    products: u64,
}

impl Header {
    /// The header of a proof with `terms`.
    pub(super) fn of<S: Simulated>(terms: &Terms, statement: [u8; 32], label: &str) -> Self {
        let Parameters { parties, compression, field, repetitions, challenges } = *terms.parameters;
        let wishes = Wishes {
            parties: Some(parties),
            compression: Some(compression),
            field_bits: Some(field.bits),
            repetitions: Some(repetitions),
            challenges: Some(challenges),
            ..Wishes::default()
        };
        Self {
            subject: Subject { field: field_name::<S>(), statement, label: label.to_owned() },
            wishes,
            aggregation: terms.aggregation,
            inputs: terms.shape.inputs_by_gates(),
            products: terms.shape.mul_by_gates(),
        }
    }

    /// Encodes the header.
    ///
    /// # Errors
    /// `Invalid` where the label is too long.
    pub(super) fn encode(&self) -> Result<Vec<u8>> {
        let Wishes { parties, compression, field_bits, repetitions, challenges, .. } = self.wishes;
        let mut bytes = Vec::with_capacity(FIXED + self.subject.label.len());
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&self.subject.field);
        for number in [parties, compression, field_bits, repetitions] {
            bytes.extend_from_slice(&number.expect("all are there").to_le_bytes());
        }
        bytes.push((challenges == Some(Challenges::Independent)).into());
        bytes.push((self.aggregation == Aggregation::Parties).into());
        bytes.extend_from_slice(&self.subject.statement);
        bytes.extend_from_slice(&self.inputs.to_le_bytes());
        bytes.extend_from_slice(&self.products.to_le_bytes());
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
        if bytes[..12] != MAGIC {
            return Err(Error::Rejected(Rejection::NotAProof));
        }
        let mut rest = &bytes[12..];
        let mut take = |count: usize| {
            let (taken, behind) = rest.split_at(count);
            rest = behind;
            taken
        };
        let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        let version = number(take(4));
        Sides { ours: VERSION, theirs: version }.agree(Disagreement::FileVersion)?;
        let field = take(FIELD).try_into().expect("as many");
        let [parties, compression, field_bits, repetitions] = [(); 4].map(|()| Some(number(take(4))));
        let choice = |byte: u8| match byte {
            0 | 1 => Ok(byte == 1),
            _ => Err(Error::Rejected(Rejection::NonCanonicalHeader)),
        };
        let challenges = match choice(take(1)[0])? {
            false => Challenges::Identical,
            true => Challenges::Independent,
        };
        let aggregation = if choice(take(1)[0])? { Aggregation::Parties } else { Aggregation::Hypercube };
        let statement = take(32).try_into().expect("32 bytes");
        let mut long = || u64::from_le_bytes(take(8).try_into().expect("eight bytes"));
        let (inputs, products) = (long(), long());
        let length = number(take(4));
        let label = read_label_of(from, length, &mut bytes)?;
        let wishes = Wishes {
            parties,
            compression,
            field_bits,
            repetitions,
            challenges: Some(challenges),
            ..Wishes::default()
        };
        let subject = Subject { field, statement, label };
        Ok((Self { subject, wishes, aggregation, inputs, products }, bytes))
    }

    /// Compares what the proof is about with what it should be about.
    ///
    /// # Errors
    /// `Disagreed`.
    pub(super) fn compare<S: Simulated>(
        &self,
        statement: [u8; 32],
        shape: &Shape,
        label: &str,
    ) -> Result<()> {
        self.subject.compare::<S>(statement, label)?;
        let inputs = Sides { ours: shape.inputs_by_gates(), theirs: self.inputs };
        let products = Sides { ours: shape.mul_by_gates(), theirs: self.products };
        if inputs.ours != inputs.theirs || products.ours != products.theirs {
            return Err(Error::Disagreed(Disagreement::FileSize { inputs, products }));
        }
        Ok(())
    }

    /// The parameters, as if a caller had wished for them.
    ///
    /// # Errors
    /// `Disagreed` where they are none, not worth `security` bits, or more than any security takes.
    pub(super) fn parameters<S: Simulated>(&self, security: u32, shape: &Shape) -> Result<Parameters> {
        settled::<S>(&self.wishes, security, shape, Mode::File).map_err(|why| {
            let least = settled::<S>(&self.wishes, LEAST_OF_FILE, shape, Mode::File).ok();
            let demand = S::Parties::demand(shape);
            let worth = least.map(|parameters| parameters.security(&demand, Mode::File) as u32);
            Error::Disagreed(Disagreement::FileParameters { security, worth, why: why.to_string() })
        })
    }
}
