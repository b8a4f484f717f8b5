//! Proofs that are files: which system makes one, which reads it, and what all of them have in common.
//!
//! A file begins with `volery proof` and the version of its format, by which its system is known: 1 for
//! [`super::limbo`], 2 for [`super::voleith`]. Each has its own header from there on.

use super::system::{ProofFiles, find};
use super::{Binary, Options, Provable, Report, Setting, System, limbo, voleith};
use crate::circuit::stream::Source;
use crate::error::{Disagreement, Error, Rejection, Result, Sides};
use crate::zk::{Accepted, read_proof};
use std::io::{self, Read, Seek, Write};
use volery_primitives::F2;

pub(super) const MAGIC: [u8; 12] = *b"volery proof";
/// The bytes of the name of a field.
pub(super) const FIELD: usize = 32;
/// The most bytes of a label.
pub const LONGEST_LABEL: usize = 1 << 16;
/// The most characters of another's label that an error shows.
const LABEL_SHOWN: usize = 300;
/// The least security that a file can have, in bits.
pub(super) const LEAST_OF_FILE: u32 = 100;

/// [`Options::most_work`] where nothing else is said: what the shortest
/// proofs take, and what is made for 128 bits where fewer are asked for.
pub const MOST_WORK: u32 = 4;

/// The security that is asked for, in bits, or the `usual`; there are at `most` so many.
///
/// # Errors
/// `Invalid` for a file of less than [`LEAST_OF_FILE`]: what is worth 40 bits before a verifier's coins is
/// found in an hour by whoever may try as often as it likes.
pub(super) fn asked_of_file(options: &Options, usual: u32, most: u32) -> Result<u32> {
    match options.security {
        Some(asked) if asked < LEAST_OF_FILE => Err(Error::invalid(format!(
            "a proof file of {asked} bits of security could be forged by trying: ask for {LEAST_OF_FILE} to {most}"
        ))),
        asked => Ok(asked.unwrap_or(usual)),
    }
}

/// The name of what a proof is over.
pub(super) fn field<S: Setting>() -> [u8; FIELD] {
    let mut name = [0; FIELD];
    let text = S::name();
    name[..text.len()].copy_from_slice(text.as_bytes());
    name
}

/// The header's words and digest of the statement.
pub(super) struct Subject {
    pub(super) field: [u8; FIELD],
    pub(super) statement: [u8; 32],
    pub(super) label: String,
}

impl Subject {
    /// The label behind its length.
    ///
    /// # Errors
    /// `Invalid` where it is too long.
    pub(super) fn encode_label(&self, bytes: &mut Vec<u8>) -> Result<()> {
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
    pub(super) fn compare<S: Setting>(&self, statement: [u8; 32], label: &str) -> Result<()> {
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
pub(super) fn read_label_of(from: &mut dyn Read, length: u32, bytes: &mut Vec<u8>) -> Result<String> {
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
pub(super) struct Counted<T> {
    pub(super) file: T,
    pub(super) bytes: u64,
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

/// `system` over `S`, if its proofs can be files.
fn files_of<S: Setting>(system: System) -> Option<&'static dyn ProofFiles<S::F>> {
    find::<S>(system).ok().and_then(|found| found.files())
}

/// The system of `options`, whose proofs are to be files, or where they name QuickSilver, as they do where
/// nothing is chosen, what makes the shortest ones of those over `S`.
///
/// # Errors
/// `Invalid` where it makes none.
pub(super) fn files<S: Setting>(options: &Options) -> Result<&'static dyn ProofFiles<S::F>> {
    let system = options.system();
    let found = match system {
        System::QUICKSILVER => files_of::<S>(System::VOLEITH).or_else(|| files_of::<S>(System::LIMBO)),
        // Of another field, it says so.
        _ => find::<S>(system)?.files(),
    };
    found.ok_or_else(|| {
        let makers = [System::VOLEITH, System::LIMBO].into_iter().filter(|one| files_of::<S>(*one).is_some());
        let makers = makers.map(|one| one.to_string()).collect::<Vec<_>>().join(" or ");
        let instead = match &makers[..] {
            "" => format!("and what makes them is not over {}: take another field", S::name()),
            makers => format!("and makes no files: take {makers}"),
        };
        Error::invalid(format!("{system} proves to one verifier in a conversation, {instead}"))
    })
}

/// Verifies a file by the system that has made it; `options` name any whose proofs can be files.
pub(super) fn verify_any<S: Setting>(
    source: &dyn Source<S::F>,
    proof: &mut (dyn Read + Send),
    options: &Options,
) -> Result<(Accepted, Report)> {
    files::<S>(options)?;
    let (begin, version) = begin(proof)?;
    let mut whole = begin.chain(proof);
    match files_of::<S>(version.system()) {
        Some(system) => system.verify_from(source, &mut whole, options),
        // It says itself what it is over.
        None => {
            let (header, _) = voleith::Header::read(&mut whole)?;
            header.subject.compare::<S>(header.subject.statement, "")?;
            Err(Error::Rejected(Rejection::NonCanonicalHeader))
        }
    }
}

/// The format of a file.
#[derive(Clone, Copy)]
enum Version {
    Limbo,
    Voleith,
}

impl Version {
    fn system(self) -> System {
        match self {
            Self::Limbo => System::LIMBO,
            Self::Voleith => System::VOLEITH,
        }
    }
}

/// The first bytes of a file.
const BEGIN: usize = MAGIC.len() + 4;

/// Reads them.
///
/// # Errors
/// `Rejected` where it is no proof; `Disagreed` where it is of another version; `Io`.
fn begin(proof: &mut dyn Read) -> Result<(&'static [u8], Version)> {
    const LIMBO: [u8; BEGIN] = *b"volery proof\x01\0\0\0";
    const VOLEITH: [u8; BEGIN] = *b"volery proof\x02\0\0\0";
    let mut bytes = [0; BEGIN];
    read_proof(proof, &mut bytes)?;
    match bytes {
        LIMBO => Ok((&LIMBO, Version::Limbo)),
        VOLEITH => Ok((&VOLEITH, Version::Voleith)),
        _ if bytes[..MAGIC.len()] != MAGIC => Err(Error::Rejected(Rejection::NotAProof)),
        [.., a, b, c, d] => {
            let versions = Sides { ours: voleith::VERSION, theirs: u32::from_le_bytes([a, b, c, d]) };
            Err(Error::Disagreed(Disagreement::FileVersion(versions)))
        }
    }
}

/// Writes a proof that `witness` satisfies `circuit`, a statement over F_2, to `out`: anyone who knows the
/// statement can verify it by [`verify_from`], at any time. `options` name Limbo or voleith, which is taken,
/// too, where they name nothing. `out` gets pieces, when all of the proof is there; one that is too long for
/// that is written by [`prove_to_file`].
///
/// # Errors
/// `Unsatisfied` or `Invalid` before a byte is written, where the witness, the circuit or the options are
/// wrong; `Io` where `out` fails.
pub fn prove_to(
    circuit: &(impl Provable<Binary> + ?Sized),
    witness: impl IntoIterator<Item = F2> + Clone,
    out: &mut impl Write,
    options: &Options,
) -> Result<Report> {
    prove_to_over::<Binary>(circuit, witness, out, options)
}

/// Writes a proof over any field, as [`prove_to`] does over F_2: `prove_to_over::<Over<F61>>(…)`. Over others
/// than F_2 Limbo is taken where `options` name nothing.
///
/// # Errors
/// As for [`prove_to`].
pub fn prove_to_over<S: Setting>(
    circuit: &(impl Provable<S> + ?Sized),
    witness: impl IntoIterator<Item = S::F> + Clone,
    out: &mut impl Write,
    options: &Options,
) -> Result<Report> {
    files::<S>(options)?.prove_to(circuit.source(), &witness, out, options)
}

/// Writes a proof to `out`, from its place on, as [`prove_to`] does, in memory that does not depend on how
/// long the proof is, where its system writes it piece by piece: voleith does, and Limbo does not. The first
/// bytes come last, and until then what was written is no proof: so where anything fails, or the process ends,
/// whoever reads `out` rejects it. `out` should be buffered.
///
/// # Errors
/// As for [`prove_to`]; but where `out` fails, or the circuit pushes other gates when it is run again, `out`
/// has some bytes that are no proof.
pub fn prove_to_file(
    circuit: &(impl Provable<Binary> + ?Sized),
    witness: impl IntoIterator<Item = F2> + Clone,
    out: &mut (impl Write + Seek),
    options: &Options,
) -> Result<Report> {
    prove_to_file_over::<Binary>(circuit, witness, out, options)
}

/// Writes a proof over any field, as [`prove_to_file`] does over F_2.
///
/// # Errors
/// As for [`prove_to_file`].
pub fn prove_to_file_over<S: Setting>(
    circuit: &(impl Provable<S> + ?Sized),
    witness: impl IntoIterator<Item = S::F> + Clone,
    out: &mut (impl Write + Seek),
    options: &Options,
) -> Result<Report> {
    files::<S>(options)?.prove_to_file(circuit.source(), &witness, out, options)
}

/// Reads the words of a proof file about its statement, which are the prover's: they may be read before
/// anything is known of the statement, and then say nothing for sure. `proof` gives the beginning of the
/// file.
///
/// # Errors
/// `Rejected` where it is no proof file; `Disagreed` where it is of another version; `Io`.
pub fn read_label(proof: &mut (impl Read + Send)) -> Result<String> {
    let (begin, version) = begin(proof)?;
    let mut whole = begin.chain(proof);
    match version {
        Version::Limbo => limbo::Header::read(&mut whole).map(|(header, _)| header.subject.label),
        Version::Voleith => voleith::Header::read(&mut whole).map(|(header, _)| header.subject.label),
    }
}

/// Reads a proof that somebody knows a witness for `circuit`, a statement over F_2, from beginning to end.
/// The system and the parameters are those of the file; `options` say what security they must give, and name
/// one of the systems whose proofs are files, or nothing. Memory does not depend on how long the file is; by
/// Limbo that is so where one thread reads it and all views fit side by side, 255 of them, which they do
/// where nobody wished otherwise, and else what is read is kept until all of them were followed. `proof`
/// should be buffered.
///
/// # Errors
/// `Disagreed` where the file is about another statement, or of another version; `Rejected` where the proof
/// does not hold, is not whole, or something follows it; `Invalid` where the circuit or the options are
/// wrong; `Io`. Before anything is done for a file, `Disagreed` where it is worth less than asked for, or
/// asks for more than [`Options::most_work`].
pub fn verify_from(
    circuit: &(impl Provable<Binary> + ?Sized),
    proof: &mut (impl Read + Send),
    options: &Options,
) -> Result<(Accepted, Report)> {
    verify_from_over::<Binary>(circuit, proof, options)
}

/// Reads a proof over any field, as [`verify_from`] does over F_2: `verify_from_over::<Over<F61>>(…)`. By
/// Limbo over others than F_2 16 views fit side by side, so that a file is kept in memory but for the
/// shortest ones.
///
/// # Errors
/// As for [`verify_from`]; `Disagreed` where the file is a proof over another field.
pub fn verify_from_over<S: Setting>(
    circuit: &(impl Provable<S> + ?Sized),
    proof: &mut (impl Read + Send),
    options: &Options,
) -> Result<(Accepted, Report)> {
    verify_any::<S>(circuit.source(), proof, options)
}
