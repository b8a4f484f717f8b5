//! Proof files by VOLE in the head.

mod header;
mod report;
#[cfg(test)]
mod tests;

pub use header::{Header, VERSION, header_bytes};
pub use report::FileProof;

use crate::voleith::parameters::{MOST_SECURITY, SECURITY};
use crate::voleith::{self, Parameters, Terms, Wishes};
use core::sync::atomic::Ordering;
use std::io::{Read, Write};
use std::time::Instant;
use volery_channel::channel::{Carried, Channel, Traffic};
use volery_channel::error::{Disagreement, Error, Result};
use volery_channel::pool::Pool;
use volery_channel::random::Random;
use volery_circuit::Size;
use volery_circuit::stream::{Source, Stream};
use volery_primitives::F2;
use volery_proof::binary::Binary;
use volery_proof::estimate::Estimate;
use volery_proof::file::{Counted, LEAST_OF_FILE, asked_of_file};
use volery_proof::method::Choices;
use volery_proof::options::{Options, Security};
use volery_proof::reading::{Sink, unwritten};
use volery_proof::report::Report;
use volery_proof::run::{Outcome, fresh, of_file};
use volery_proof::setting::Setting as _;
use volery_proof::system::{ProofFiles, ProofSystem, System};
use volery_proof::verdict::{Accepted, Gates};
use volery_proof::witness::Reread;

/// How files are made.
#[derive(Clone, Copy, Default, Debug)]
pub struct InTheHead {
    /// The parameters that the caller insists on.
    pub wishes: Wishes,
}

impl Choices for InTheHead {
    fn system(&self) -> System {
        System::VOLEITH
    }
}

/// How many times what a verifier does by default `parameters` ask of it.
///
/// # Errors
/// `Invalid` where there is no default.
fn times(parameters: &Parameters, size: Size) -> Result<f64> {
    Ok(parameters.work(size) / Parameters::choose(size, None, &Wishes::default())?.work(size))
}

/// The bytes of a file by VOLE in the head, of a statement of this size with a label of so many bytes, worth so many
/// bits where they are asked for. To the byte, but for statements whose batches end early, for a matrix
/// product or very many polynomials: they send no more.
///
/// # Errors
/// `Invalid` where no parameters are so.
pub fn estimate(size: Size, security: Option<u32>, wishes: &Wishes, label: usize) -> Result<Estimate> {
    let bytes = Parameters::choose(size, security, wishes)?.bytes(size) + header_bytes(label);
    Ok(Estimate { setup: Carried::default(), total: Carried::by_prover(bytes) })
}

/// The security of a proof with such parameters: nothing of a file is beyond who computes long enough.
fn worth(parameters: &Parameters, size: Size) -> Security {
    let bits = parameters.security(size);
    Security { computational: bits, statistical: bits }
}

/// [`voleith`].
pub struct Voleith;

/// The error of a system that is not made for links.
fn only_files() -> Error {
    Error::invalid(
        "voleith proves in files, which anyone can verify: over a link take quicksilver, which sends less and \
         does the same with the verifier's part in it",
    )
}

impl ProofSystem<F2> for Voleith {
    fn system(&self) -> System {
        System::VOLEITH
    }
    fn prove(&self, _: &dyn Source<F2>, _: &dyn Reread<F2>, _: &mut Channel, _: &Options) -> Result<Report> {
        Err(only_files())
    }
    fn verify(&self, _: &dyn Source<F2>, _: &mut Channel, _: &Options) -> Result<(Accepted, Report)> {
        Err(only_files())
    }
    fn files(&self) -> Option<&dyn ProofFiles<F2>> {
        Some(self)
    }
}

impl ProofFiles<F2> for Voleith {
    fn prove_to(
        &self,
        source: &dyn Source<F2>,
        witness: &dyn Reread<F2>,
        out: &mut dyn Write,
        options: &Options,
    ) -> Result<Report> {
        prove(source, witness, options, |circuit, header, terms, random| {
            let mut out = Counted { file: out, bytes: 0 };
            let gates = voleith::write(&mut out, header, terms, (circuit, witness.read()), random)?;
            out.flush().map_err(unwritten)?;
            Ok((gates, out.bytes))
        })
    }

    fn prove_to_file(
        &self,
        source: &dyn Source<F2>,
        witness: &dyn Reread<F2>,
        out: &mut dyn Sink,
        options: &Options,
    ) -> Result<Report> {
        prove(source, witness, options, |circuit, header, terms, random| {
            let start = out.stream_position().map_err(unwritten)?;
            let gates = voleith::stream(out, header, terms, (circuit, witness.read()), random)?;
            out.flush().map_err(unwritten)?;
            Ok((gates, out.stream_position().map_err(unwritten)? - start))
        })
    }

    fn verify_from(
        &self,
        source: &dyn Source<F2>,
        proof: &mut (dyn Read + Send),
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        let started = Instant::now();
        let circuit = &Stream::new(source);
        let (shape, statement) = Binary::clear().settle(circuit, options.statement)?;
        let size = shape.size();
        let mut proof = Counted { file: proof, bytes: 0 };
        let (header, bytes) = Header::read(&mut proof)?;
        header.compare(statement, size, &options.label)?;
        let security = asked_of_file(options, SECURITY, MOST_SECURITY)?;
        let parameters = &header.parameters(security, size)?;
        let (times, most) = (times(parameters, size)?, options.most_work);
        if times > most.into() {
            let times = times.ceil() as u64;
            return Err(Error::Disagreed(Disagreement::FileWork { times, most }));
        }
        let pool = &Pool::new(options.threads)?;
        let terms = terms(options, parameters, (size, pool), shape.mul);
        let (accepted, gates) = voleith::read(&mut proof, &bytes, &terms, circuit)?;
        let traffic = Traffic { received: proof.bytes, ..Traffic::default() };
        let file = FileProof { parameters: *parameters, bytes: proof.bytes - bytes.len() as u64 };
        Ok((accepted, of_file(statement, outcome(gates, file), traffic, started)))
    }
}

/// Makes a proof, which `write` writes, and says how many bytes it has written.
fn prove(
    source: &dyn Source<F2>,
    witness: &dyn Reread<F2>,
    options: &Options,
    write: impl FnOnce(&Stream<'_, F2>, &[u8], &Terms, &mut Random) -> Result<(Gates, u64)>,
) -> Result<Report> {
    let started = Instant::now();
    let circuit = &Stream::new(source);
    let (shape, statement) = Binary::clear().settle(circuit, options.statement)?;
    Binary::clear().check_stream(circuit, witness.read())?;
    let size = shape.size();
    let InTheHead { wishes } = options.method.of();
    asked_of_file(options, SECURITY, MOST_SECURITY)?;
    let parameters = &Parameters::choose(size, options.security, &wishes)?;
    let (times, most) = (times(parameters, size)?, options.most_work);
    if times > most.into() {
        return Err(Error::invalid(format!(
            "such a proof takes its verifier {} times the work of one with the parameters that are chosen by default, \
             and a verifier takes {most} times as much: wish for more trees, or have both sides allow more",
            times.ceil()
        )));
    }
    let header = Header::new(statement, parameters, size, &options.label).encode()?;
    let pool = &Pool::new(options.threads)?;
    let terms = terms(options, parameters, (size, pool), shape.mul);
    let mut random = voleith::hedged(&mut fresh(options)?, &header, witness.read());
    let (gates, sent) = write(circuit, &header, &terms, &mut random)?;
    let traffic = Traffic { sent, ..Traffic::default() };
    let file = FileProof { parameters: *parameters, bytes: sent - header.len() as u64 };
    Ok(of_file(statement, outcome(gates, file), traffic, started))
}

fn terms<'t>(
    options: &'t Options,
    parameters: &'t Parameters,
    (size, pool): (Size, &'t Pool),
    products: u64,
) -> Terms<'t> {
    if let Some(work) = &options.work {
        work.store(products, Ordering::Relaxed);
    }
    Terms { arch: options.arch, parameters, size, pool, progress: options.progress.as_deref() }
}

/// The outcome of a file of a proof with such gates.
fn outcome(gates: Gates, file: FileProof) -> Outcome {
    let security = worth(&file.parameters, gates.size());
    Outcome::of(System::VOLEITH, gates, security).with(file)
}

impl Header {
    /// The parameters, if they are any.
    ///
    /// # Errors
    /// `Disagreed` where they are none, or not worth `security` bits.
    fn parameters(&self, security: u32, size: Size) -> Result<Parameters> {
        let refused = |worth: Option<u32>, why: String| {
            let worth = worth.filter(|worth| *worth >= LEAST_OF_FILE);
            Error::Disagreed(Disagreement::FileParameters { security, worth, why })
        };
        let given = self.given().map_err(|why| refused(None, why.to_string()))?;
        match given.security(size) {
            worth if worth >= security => Ok(given),
            worth => Err(refused(Some(worth), format!("{worth}"))),
        }
    }
}
