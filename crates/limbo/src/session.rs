//! Proofs by Limbo: in a conversation, and as files.

mod header;
mod report;
#[cfg(test)]
mod tests;

use crate::parameters::MOST_SECURITY;
use crate::{Aggregation, Challenges, Demand, Domain, Mode, Parameters, Preference, Terms, Wishes};
use core::marker::PhantomData;
pub use header::Header;
pub use report::Proof;
use std::io::{Read, Write};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use volery_channel::channel::{Channel, Party, Traffic};
use volery_channel::error::{Disagreement, Error, Result};
use volery_channel::random::Random;
use volery_circuit::Shape;
use volery_circuit::stream::{Source, Stream};
use volery_primitives::{Field, MacField};
use volery_proof::binary::Binary;
use volery_proof::file::{Counted, LEAST_OF_FILE, MOST_WORK, asked_of_file};
use volery_proof::method::Choices;
use volery_proof::options::{Options, Security};
use volery_proof::over::Over;
use volery_proof::report::Report;
use volery_proof::run::{Agreement, Outcome, ProofRun, fresh, of_file, open_without_correlations};
use volery_proof::setting::{Registered, Setting};
use volery_proof::system::{ProofFiles, ProofSystem, System};
use volery_proof::verdict::Accepted;
use volery_proof::witness::Reread;

/// How parties are simulated.
#[derive(Clone, Copy, Default, Debug)]
pub struct Simulation {
    /// The parameters that the caller insists on; over a channel both parties must come to the same.
    pub wishes: Wishes,
    /// The sums of parties that are followed; over a channel both parties must agree on it.
    pub aggregation: Aggregation,
}

impl Choices for Simulation {
    fn system(&self) -> System {
        System::LIMBO
    }
}

/// Memory that nobody minds, in bytes: what a file takes below it is not compared.
const UNNOTICED: f64 = 67_108_864.0;

/// The security that is asked for, in bits.
///
/// # Errors
/// `Invalid` for a file that could be forged by trying.
fn asked(options: &Options, mode: Mode) -> Result<u32> {
    match mode {
        Mode::Interactive => options.asked_security(40),
        Mode::File => asked_of_file(options, 128, 128),
    }
}

/// The security of a proof with `parameters`.
fn worth(terms: &Terms, mode: Mode) -> Security {
    let bits = terms.parameters.security(&terms.demand, mode) as u32;
    match mode {
        // What seeds of 128 bits and digests of 256 are worth.
        Mode::Interactive => Security { computational: 128, statistical: bits },
        // Nothing of a file is beyond who computes long enough.
        Mode::File => Security { computational: bits, statistical: bits },
    }
}

fn terms<'a, S: Simulated>(
    options: &'a Options,
    parameters: &'a Parameters,
    aggregation: Aggregation,
    shape: &'a Shape,
    party: Party,
) -> Terms<'a> {
    let Options { arch, threads, progress, work, .. } = options;
    let terms = Terms {
        arch: *arch,
        parameters,
        aggregation,
        shape,
        demand: S::Parties::demand(shape),
        threads: threads.get(),
        progress: progress.as_deref(),
    };
    if let Some(work) = work {
        work.store(terms.work::<S::Parties>(party), Ordering::Relaxed);
    }
    terms
}

/// How many times what a verifier does by default `parameters` ask of it, in a file with `security` bits at
/// least.
///
/// # Errors
/// `Invalid` where no default has as many bits.
fn times<S: Simulated>(
    parameters: &Parameters,
    aggregation: Aggregation,
    security: u32,
    shape: &Shape,
) -> Result<f64> {
    let walk = S::Parties::walk(shape);
    let default = default_of_file::<S>(security, &walk.demand)?;
    let load = |of: &Parameters, views: Aggregation| of.load(views.views(of.parties as usize), &walk);
    Ok(load(parameters, aggregation).times(&load(&default, Aggregation::default()), UNNOTICED))
}

/// The parameters of a file where nothing is wished for: whoever asks for fewer bits reads those, too. Where
/// there are none with so many bits, those with `security`.
fn default_of_file<S: Simulated>(security: u32, demand: &Demand) -> Result<Parameters> {
    let chosen = |(preference, security)| {
        let wishes = Wishes { preference, ..Wishes::default() };
        Parameters::choose(demand, Mode::File, security, &wishes, &S::Parties::check_fields())
    };
    // More parties are as secure with fewer repetitions, which is all that some statements have.
    let [usual, more] = [Preference::Balanced, Preference::Size];
    let all = [(usual, MOST_SECURITY), (more, MOST_SECURITY), (usual, security), (more, security)];
    let mut tried = all.map(chosen).into_iter();
    let first = tried.next().expect("four");
    tried.fold(first, |found, next| found.or(next))
}

fn choose<S: Simulated>(options: &Options, wishes: &Wishes, shape: &Shape, mode: Mode) -> Result<Parameters> {
    settled::<S>(wishes, asked(options, mode)?, shape, mode)
}

/// The parameters that are wished for, or else chosen. In a file they have no more repetitions than any
/// security takes: these would be work that a stranger makes for whoever verifies it. Nor do repetitions have
/// challenges of their own, without a wish, where that is more work than a verifier does.
fn settled<S: Simulated>(wishes: &Wishes, security: u32, shape: &Shape, mode: Mode) -> Result<Parameters> {
    let (demand, fields) = (S::Parties::demand(shape), S::Parties::check_fields());
    let mut given = Parameters::choose(&demand, mode, security, wishes, &fields)?;
    if wishes.challenges.is_none() && given.challenges == Challenges::Independent {
        let too_much = |it: &Parameters| {
            times::<S>(it, Aggregation::default(), security, shape)
                .is_ok_and(|times| times > MOST_WORK.into())
        };
        let alike = Wishes { challenges: Some(Challenges::Identical), ..*wishes };
        if too_much(&given)
            && let Ok(alike) = Parameters::choose(&demand, mode, security, &alike, &fields)
        {
            given = alike;
        }
    }
    let same = Wishes {
        parties: Some(given.parties),
        compression: Some(given.compression),
        field_bits: Some(given.field.bits),
        challenges: Some(given.challenges),
        ..Wishes::default()
    };
    let most = match mode {
        Mode::Interactive => None,
        Mode::File => Parameters::choose(&demand, mode, MOST_SECURITY, &same, &fields).ok(),
    };
    match most {
        Some(most) if most.repetitions < given.repetitions => Err(Error::invalid(format!(
            "{} repetitions are wished for, and {} give {MOST_SECURITY} bits of security, the most there are: wish for fewer",
            given.repetitions, most.repetitions
        ))),
        _ => Ok(given),
    }
}

/// The name of what both parties of a conversation must agree on.
fn name(parameters: &Parameters, aggregation: Aggregation) -> String {
    let Parameters { parties, compression, field, repetitions, .. } = parameters;
    format!("{parties},{compression},{},{repetitions},{}", field.bits, aggregation.name())
}

/// Opens a conversation on `statement`.
fn open<'r, S: Simulated>(
    channel: &'r mut Channel,
    random: &'r mut Random,
    options: &Options,
    terms: &Terms,
    statement: [u8; 32],
) -> Result<ProofRun<'r>> {
    let (parameters, field) = (&name(terms.parameters, terms.aggregation), &S::name());
    let agreement = &Agreement { protocol: System::LIMBO.name(), field, parameters, lanes: 0, statement };
    let otherwise = Disagreement::Simulation;
    open_without_correlations(channel, random, options, System::LIMBO, agreement, otherwise)
}

/// The outcome of a proof by such terms, on which this party worked so long.
fn outcome(terms: &Terms, mode: Mode, work: Duration) -> Outcome {
    let Terms { parameters, demand, .. } = terms;
    let (compressions, bytes) = (parameters.rounds(demand.entries), parameters.proof_bytes(demand));
    let proof = Proof { parameters: **parameters, compressions, bytes, work };
    Outcome::of(System::LIMBO, terms.gates(), worth(terms, mode)).with(proof)
}

/// A setting whose values can be held by parties in the prover's head.
pub trait Simulated: Setting {
    /// How they hold them.
    type Parties: Domain<F = Self::F>;
}

impl Simulated for Binary {
    type Parties = crate::Bits;
}

impl<B: Field, E: MacField<B>> Simulated for Over<B, E>
where
    Self: Registered,
{
    type Parties = crate::Elements<B, E>;
}

/// Proofs by [Limbo](crate) over `S`, which may be any setting. By name it is over few of them, for whose sake it is
/// compiled here: over any other it is given to `prove_by` and `verify_by`, or asked for its
/// [`files`](ProofSystem::files), and compiled where that is.
pub struct Limbo<S>(PhantomData<fn() -> S>);

impl<S> Limbo<S> {
    /// The system over `S`.
    pub const OVER: Self = Self(PhantomData);
}

/// The systems that have names, each compiled here, once, whoever uses it.
pub mod named {
    use super::Limbo;
    use volery_primitives::{F2, F61, F61x2, F65537, F65537x4};
    use volery_proof::binary::Binary;
    use volery_proof::over::Over;
    use volery_proof::system::ProofSystem;

    // What is inlined elsewhere would be compiled there, with all that it points to.
    macro_rules! named {
        ($($(#[$doc:meta])* $name:ident: $field:ty, $setting:ty;)+) => {$(
            $(#[$doc])*
            #[inline(never)]
            pub fn $name() -> &'static dyn ProofSystem<$field> {
                &Limbo::<$setting>::OVER
            }
        )+};
    }

    named! {
        /// Over F_2.
        f2: F2, Binary;
        /// Over 2^61 − 1.
        f61: F61, Over<F61>;
        /// Over 2^61 − 1, with checks in its extension.
        f61x2: F61, Over<F61, F61x2>;
        /// Over 65537.
        f65537: F65537, Over<F65537, F65537x4>;
    }
}

impl<S: Simulated> ProofSystem<S::F> for Limbo<S> {
    fn system(&self) -> System {
        System::LIMBO
    }

    fn prove(
        &self,
        statement: &dyn Source<S::F>,
        witness: &dyn Reread<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        let circuit = &Stream::new(statement);
        let (shape, digest) = S::clear().settle(circuit, options.statement)?;
        let started = Instant::now();
        let values = S::clear().inputs(circuit, witness.read(), shape.inputs_by_gates() as usize)?;
        let evaluated = started.elapsed();
        let Simulation { wishes, aggregation } = options.method.of();
        let parameters = choose::<S>(options, &wishes, &shape, Mode::Interactive)?;
        let terms = terms::<S>(options, &parameters, aggregation, &shape, Party::Prover);
        terms.check()?;
        open::<S>(channel, &mut fresh(options)?, options, &terms, digest)?.prove(|run| {
            run.begin();
            let started = Instant::now();
            crate::prove::<S::Parties>(run.channel, &terms, circuit, &values, run.random)?;
            Ok(outcome(&terms, Mode::Interactive, evaluated + started.elapsed()))
        })
    }

    fn verify(
        &self,
        statement: &dyn Source<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        let circuit = &Stream::new(statement);
        let (shape, digest) = S::clear().settle(circuit, options.statement)?;
        let Simulation { wishes, aggregation } = options.method.of();
        let parameters = choose::<S>(options, &wishes, &shape, Mode::Interactive)?;
        let terms = terms::<S>(options, &parameters, aggregation, &shape, Party::Verifier);
        terms.check()?;
        open::<S>(channel, &mut fresh(options)?, options, &terms, digest)?.verify(options, |run| {
            run.begin();
            let (accepted, work) = crate::verify::<S::Parties>(run.channel, &terms, circuit, run.random)?;
            Ok((accepted, outcome(&terms, Mode::Interactive, work)))
        })
    }

    fn files(&self) -> Option<&dyn ProofFiles<S::F>> {
        Some(self)
    }
}

impl<S: Simulated> ProofFiles<S::F> for Limbo<S> {
    fn prove_to(
        &self,
        source: &dyn Source<S::F>,
        witness: &dyn Reread<S::F>,
        out: &mut dyn Write,
        options: &Options,
    ) -> Result<Report> {
        let started = Instant::now();
        let circuit = &Stream::new(source);
        let (shape, statement) = S::clear().settle(circuit, options.statement)?;
        let values = S::clear().inputs(circuit, witness.read(), shape.inputs_by_gates() as usize)?;
        let Simulation { wishes, aggregation } = options.method.of();
        let Options { label, most_work, .. } = options;
        let parameters = choose::<S>(options, &wishes, &shape, Mode::File)?;
        let times = times::<S>(&parameters, aggregation, asked(options, Mode::File)?, &shape)?;
        if times > (*most_work).into() {
            return Err(Error::invalid(format!(
                "such a proof takes its verifier {} times the work or memory of one with the parameters that \
                 are chosen by default, and a verifier takes {most_work} times as much: wish for fewer parties, \
                 repetitions or views, or for a smaller compression, or have both sides allow more",
                times.ceil()
            )));
        }
        let terms = terms::<S>(options, &parameters, aggregation, &shape, Party::Prover);
        let header = Header::of::<S>(&terms, statement, label).encode()?;
        let mut out = Counted { file: out, bytes: 0 };
        let random = &mut fresh(options)?;
        crate::write::<S::Parties>(&mut out, &header, &terms, circuit, &values, random)?;
        out.flush().map_err(Error::io("writing the proof"))?;
        let traffic = Traffic { sent: out.bytes, ..Traffic::default() };
        Ok(of_file(statement, outcome(&terms, Mode::File, started.elapsed()), traffic, started))
    }

    fn verify_from(
        &self,
        source: &dyn Source<S::F>,
        proof: &mut (dyn Read + Send),
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        let started = Instant::now();
        let circuit = &Stream::new(source);
        let (shape, statement) = S::clear().settle(circuit, options.statement)?;
        let mut proof = Counted { file: proof, bytes: 0 };
        let (header, bytes) = Header::read(&mut proof)?;
        let most_work = options.most_work;
        header.compare::<S>(statement, &shape, &options.label)?;
        let security = asked(options, Mode::File)?;
        let parameters = header.parameters::<S>(security, &shape)?;
        let times = times::<S>(&parameters, header.aggregation, security, &shape).map_err(|why| {
            let why = why.to_string();
            Error::Disagreed(Disagreement::FileParameters { security, worth: None, why })
        })?;
        if times > most_work.into() {
            let (times, most) = (times.ceil() as u64, most_work);
            return Err(Error::Disagreed(Disagreement::FileWork { times, most }));
        }
        let terms = terms::<S>(options, &parameters, header.aggregation, &shape, Party::Verifier);
        let accepted = crate::read::<S::Parties>(&mut proof, &bytes, &terms, circuit)?;
        let traffic = Traffic { received: proof.bytes, ..Traffic::default() };
        let outcome = outcome(&terms, Mode::File, started.elapsed());
        Ok((accepted, of_file(statement, outcome, traffic, started)))
    }
}
