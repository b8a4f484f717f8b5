//! Proofs that are files: which system makes one, and which reads it.
//!
//! By the version of its format a system is known: 1 is [`super::limbo`], 2 is [`super::voleith`].

use crate::session::compiled::{Named, find};
use std::io::{Read, Seek, Write};
use volery_channel::error::{Disagreement, Error, Rejection, Result, Sides};
use volery_circuit::stream::Source;
use volery_primitives::F2;
use volery_proof::binary::Binary;
use volery_proof::file::MAGIC;
use volery_proof::options::Options;
use volery_proof::reading::read_proof;
use volery_proof::report::Report;
use volery_proof::system::{ProofFiles, System};
use volery_proof::verdict::Accepted;
use volery_quicksilver::session::direct::Provable;
use volery_quicksilver::session::voleith;

/// `system` over `S`, if its proofs can be files.
fn files_of<S: Named>(system: System) -> Option<&'static dyn ProofFiles<S::F>> {
    find::<S>(system).ok().and_then(|found| found.files())
}

/// The system of `options`, whose proofs are to be files, or where they name QuickSilver, as they do where
/// nothing is chosen, what makes the shortest ones of those over `S`.
///
/// # Errors
/// `Invalid` where it makes none.
pub(super) fn files<S: Named>(options: &Options) -> Result<&'static dyn ProofFiles<S::F>> {
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
pub(super) fn verify_any<S: Named>(
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
    const VOLEITH: [u8; BEGIN] = *b"volery proof\x03\0\0\0";
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
pub fn prove_to_over<S: Named>(
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
pub fn prove_to_file_over<S: Named>(
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
        Version::Limbo => {
            volery_limbo::session::Header::read(&mut whole).map(|(header, _)| header.subject.label)
        }
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
pub fn verify_from_over<S: Named>(
    circuit: &(impl Provable<S> + ?Sized),
    proof: &mut (impl Read + Send),
    options: &Options,
) -> Result<(Accepted, Report)> {
    verify_any::<S>(circuit.source(), proof, options)
}
