//! The paved path: one statement, one channel, one verdict.

use crate::channel::{Channel, Hello, Traffic, shake_hands};
use crate::circuit::{Circuit, Clear, Count};
use crate::error::{Error, Result};
use crate::ot::softspoken::Depth;
use crate::random::Random;
use crate::vole::lpn::Params;
use crate::vole::{Delta, Key, Mac, Vole, cot, extend};
use crate::zk::quicksilver::{self, Prover, Verifier};
use crate::zk::{Accepted, Gates, recv_verdict, send_verdict};
use core::fmt;
use core::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};
use volery_primitives::{Arch, F2, Field};

/// The name of the proof system that [`prove`] and [`verify`] run.
pub const SYSTEM: &str = "quicksilver";

/// Discrete logarithms on ristretto255 cost √(πℓ/4) ≈ 2^125.8 group operations for its order ℓ ≈ 2^252.
const GROUP_BITS: f64 = 125.8;
/// A table of 2^(128-6) AES outputs meets one of the 64 outputs of an unknown leaf that a chunk's key covers.
const EXPANSION_BITS: f64 = 122.0;

/// Where the correlated randomness comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Correlations {
    /// SoftSpoken alone, with trees of this depth: 31 bits of traffic for each gate with the least work, or 15 with more.
    SoftSpoken(Depth),
    /// The LPN extension with this set: 14 down to 0.4 bits, set up by SoftSpoken.
    Lpn(Params),
}

impl Correlations {
    /// All there are, those with the most traffic first.
    pub const ALL: [Self; 7] = [
        Self::SoftSpoken(Depth::Four),
        Self::SoftSpoken(Depth::Eight),
        Self::Lpn(Params::TINY),
        Self::Lpn(Params::SMALL),
        Self::Lpn(Params::L2),
        Self::Lpn(Params::MID),
        Self::Lpn(Params::WAN),
    ];

    /// The choice where none is given, by the number of committed bits: up to a million the shorter traffic weighs more
    /// than the longer work.
    pub const fn for_size(commitments: u64) -> Self {
        if commitments <= 1 << 20 { Self::SoftSpoken(Depth::Eight) } else { Self::SoftSpoken(Depth::Four) }
    }

    /// The name on the wire, in options and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SoftSpoken(Depth::Four) => "softspoken4",
            Self::SoftSpoken(Depth::Eight) => "softspoken8",
            Self::Lpn(params) => params.name,
        }
    }

    /// The bits of statistical security of the consistency checks.
    fn check_security(self) -> f64 {
        match self {
            Self::SoftSpoken(depth) => depth.security(),
            Self::Lpn(_) => extend::SECURITY,
        }
    }

    /// The computational security of a session in bits: the least of what the group, the expansion, the LPN set and the
    /// search for a transcript whose challenges let two errors cancel would cost.
    pub fn computational_bits(self) -> u32 {
        let assumption = match self {
            Self::SoftSpoken(_) => f64::INFINITY,
            Self::Lpn(params) => params.security.into(),
        };
        GROUP_BITS.min(EXPANSION_BITS).min(assumption).min(self.check_security()) as u32
    }

    /// The statistical security of a proof in bits: see [`quicksilver::security`].
    pub fn statistical_bits(self) -> u32 {
        quicksilver::security(self.check_security())
    }

    /// The prover's end, set up.
    fn prover(
        self,
        channel: &mut Channel,
        arch: Arch,
        random: &mut Random,
    ) -> Result<Box<dyn Vole<Share = Mac>>> {
        Ok(match self {
            Self::SoftSpoken(depth) => Box::new(cot::Prover::new(channel, arch, depth, random)?),
            Self::Lpn(params) => Box::new(extend::Prover::new(channel, arch, params, random)?),
        })
    }

    /// The verifier's end, set up.
    fn verifier(
        self,
        channel: &mut Channel,
        arch: Arch,
        delta: &Delta,
        random: &mut Random,
    ) -> Result<Box<dyn Vole<Share = Key>>> {
        Ok(match self {
            Self::SoftSpoken(depth) => Box::new(cot::Verifier::new(channel, arch, depth, delta, random)?),
            Self::Lpn(params) => Box::new(extend::Verifier::new(channel, arch, params, delta, random)?),
        })
    }
}

impl FromStr for Correlations {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|c| c.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::invalid(format!("there are no correlations called `{name}`; there are {names}"))
        })
    }
}

impl fmt::Display for Correlations {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How to run a proof. Both parties must agree on `correlations` and `statement`; the handshake sees to it.
#[derive(Clone)]
pub struct Options {
    /// Where correlations come from; by the statement's size where `None`.
    pub correlations: Option<Correlations>,
    /// A digest of the relation and its public values. Where `None`, the circuit is walked once more to make one of its
    /// gates.
    pub statement: Option<[u8; 32]>,
    /// The statistical security asked for, in bits; a run that offers less is refused.
    pub security: u32,
    /// Whether the prover evaluates the circuit in the clear before it sends anything.
    pub check: bool,
    /// The instruction set of the kernels.
    pub arch: Arch,
    /// Where the number of multiplications done so far is stored now and then.
    pub progress: Option<Arc<AtomicU64>>,
    /// Makes a run repeat: for tests, and nothing else.
    #[doc(hidden)]
    pub seed: Option<[u8; 32]>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            correlations: None,
            statement: None,
            security: 100,
            check: true,
            arch: Arch::detect(),
            progress: None,
            seed: None,
        }
    }
}

/// What a session did.
#[derive(Clone, Debug)]
pub struct Report {
    /// The digest of the statement that both parties agreed on.
    pub statement: [u8; 32],
    /// The gates of the proof.
    pub gates: Gates,
    /// Where its correlations came from.
    pub correlations: Correlations,
    /// All that was carried, the handshake included.
    pub traffic: Traffic,
    /// What of it was carried before the first gate.
    pub setup_traffic: Traffic,
    /// Everything before the first gate.
    pub setup: Duration,
    /// From there to the verdict.
    pub online: Duration,
    /// Of the soundness error for one transcript.
    pub statistical_bits: u32,
}

/// Evaluates `circuit` on `witness` in the clear.
///
/// # Errors
/// `Unsatisfied` with the name of the first assertion that fails; `Invalid` where the witness is too short or too long,
/// or the circuit asserts nothing or is malformed.
pub fn check<W, C>(circuit: &C, witness: W) -> Result<()>
where
    W: IntoIterator<Item = F2>,
    C: Circuit<Clear<F2, W::IntoIter>>,
{
    let mut clear = Clear::new(witness);
    circuit.run(&mut clear)?;
    clear.finish()
}

/// Proves that `witness` satisfies `circuit` to the verifier at the other end of `channel`.
///
/// # Errors
/// `Unsatisfied` or `Invalid` before a byte is sent, where the witness or the circuit is wrong; `Disagreed` where the
/// verifier was started with other settings; `Rejected` where it did not accept; `Misbehaved` and `Io`.
pub fn prove<W, C>(circuit: &C, witness: W, channel: &mut Channel, options: &Options) -> Result<Report>
where
    W: IntoIterator<Item = F2> + Clone,
    C: Circuit<Clear<F2, W::IntoIter>> + Circuit<Count<F2>> + for<'a> Circuit<Prover<'a>>,
{
    if options.check {
        check(circuit, witness.clone())?;
    }
    let mut session = Session::open(circuit, channel, options)?;
    let vole = session.correlations.prover(channel, options.arch, &mut session.random)?;
    session.begin(channel);
    let mut prover = Prover::new(channel, vole, options.arch, witness);
    if let Some(progress) = &options.progress {
        prover = prover.report_to(progress);
    }
    circuit.run(&mut prover)?;
    let (gates, _) = prover.finish()?;
    recv_verdict(channel)?;
    Ok(session.close(channel, gates))
}

/// Verifies that the prover at the other end of `channel` knows a witness for `circuit`, and tells it the verdict.
///
/// # Errors
/// `Rejected` where a check fails; `Misbehaved` where the prover breaks the protocol; `Disagreed` where it was started
/// with other settings; `Invalid` where the circuit is wrong; `Io`.
pub fn verify<C>(circuit: &C, channel: &mut Channel, options: &Options) -> Result<(Accepted, Report)>
where
    C: Circuit<Count<F2>> + for<'a> Circuit<Verifier<'a>>,
{
    let mut session = Session::open(circuit, channel, options)?;
    let verdict = session.verify(circuit, channel, options);
    match verdict {
        Ok((accepted, gates)) => {
            send_verdict(channel, true)?;
            Ok((accepted, session.close(channel, gates)))
        }
        Err(error) => {
            // The prover learns that it was not accepted, where it still listens, and nothing about why.
            if !matches!(error, Error::Io { .. }) {
                let _ = send_verdict(channel, false);
            }
            Err(error)
        }
    }
}

/// What both parties keep from the handshake to the report.
struct Session {
    statement: [u8; 32],
    correlations: Correlations,
    random: Random,
    started: Instant,
    begun: Instant,
    setup_traffic: Traffic,
}

impl Session {
    /// Settles the settings and shakes hands on them.
    fn open<C: Circuit<Count<F2>>>(circuit: &C, channel: &mut Channel, options: &Options) -> Result<Self> {
        let (statement, correlations) = settle(circuit, options)?;
        let offered = correlations.statistical_bits();
        if offered < options.security {
            return Err(Error::invalid(format!(
                "{} bits of statistical security were asked for, and {correlations} gives {offered}",
                options.security
            )));
        }
        let started = Instant::now();
        let mut random = match &options.seed {
            Some(seed) => Random::from_seed(seed),
            None => Random::from_system()?,
        };
        let hello =
            Hello { system: SYSTEM, field: F2::NAME, parameters: correlations.name(), statement: &statement };
        shake_hands(channel, &hello, &random.bytes())?;
        let setup_traffic = Traffic::default();
        Ok(Self { statement, correlations, random, started, begun: started, setup_traffic })
    }

    /// The set-up is done; gates follow.
    fn begin(&mut self, channel: &Channel) {
        self.begun = Instant::now();
        self.setup_traffic = channel.traffic();
    }

    fn verify<C>(
        &mut self,
        circuit: &C,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Gates)>
    where
        C: for<'a> Circuit<Verifier<'a>>,
    {
        let delta = Delta::random(&mut self.random);
        let vole = self.correlations.verifier(channel, options.arch, &delta, &mut self.random)?;
        self.begin(channel);
        let mut verifier = Verifier::new(channel, vole, options.arch, delta);
        if let Some(progress) = &options.progress {
            verifier = verifier.report_to(progress);
        }
        circuit.run(&mut verifier)?;
        verifier.finish().map(|(accepted, gates, _)| (accepted, gates))
    }

    fn close(self, channel: &Channel, gates: Gates) -> Report {
        Report {
            statement: self.statement,
            gates,
            correlations: self.correlations,
            traffic: channel.traffic(),
            setup_traffic: self.setup_traffic,
            setup: self.begun - self.started,
            online: self.begun.elapsed(),
            statistical_bits: self.correlations.statistical_bits(),
        }
    }
}

/// The statement's digest and the correlations: as given, or from a walk over the circuit.
fn settle<C: Circuit<Count<F2>>>(circuit: &C, options: &Options) -> Result<([u8; 32], Correlations)> {
    let (shape, statement) = match (options.statement, options.correlations) {
        (Some(statement), Some(correlations)) => return Ok((statement, correlations)),
        (Some(statement), None) => (Count::shape(circuit)?, statement),
        (None, _) => Count::fingerprint(circuit)?,
    };
    let size = Correlations::for_size(shape.inputs + shape.mul);
    Ok((statement, options.correlations.unwrap_or(size)))
}
