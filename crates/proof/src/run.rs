//! One statement on its way from the handshake to the report, by whichever system.
//!
//! A system says what both parties agree on, how it sets up, and what it does at the gates. What is common to
//! all stands here, and is compiled once: the handshake, the clock and the count of what is carried, the
//! verdict and who hears of it, and the report.

use crate::correlations::Choice;
use crate::options::{Options, Security};
use crate::report::{Details, Report};
use crate::system::System;
use crate::verdict::{Accepted, Gates, recv_end, recv_verdict, tell};
use core::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use std::time::{Duration, Instant};
use volery_channel::channel::{Channel, Hello, Traffic, shake_hands};
use volery_channel::error::{Disagreement, Error, Result, Sides};
use volery_channel::random::Random;
use volery_circuit::stream::Stream;
use volery_circuit::{Count, Shape};
use volery_primitives::Field;

/// All that both parties have to agree on before a proof, in the words of the handshake.
pub struct Agreement<'a> {
    /// The protocol: the name of the system, or one of its own for what it proves.
    pub protocol: &'a str,
    /// The name of the setting.
    pub field: &'a str,
    /// Parameters that the system asks of the peer beyond that, in at most 32 bytes.
    pub parameters: &'a str,
    /// The most lanes of a wave that suit this party: a power of two, or zero where it has no wish.
    pub lanes: u32,
    /// The digest of the statement.
    pub statement: [u8; 32],
}

/// The most lanes of a wave for a party that has no wish, where its peer has: few enough for the memory of any.
const LANES: u32 = 1 << 10;

/// The outcome of a proof, for the report.
#[derive(Clone)]
pub struct Outcome {
    /// The proof system.
    pub system: System,
    /// The gates of the proof.
    pub gates: Gates,
    /// The source of its correlations, if it took any.
    pub choice: Option<Choice>,
    /// Details that are told of proofs by this system alone.
    pub details: Option<Arc<dyn Details>>,
    /// The worth of the proof.
    pub security: Security,
}

impl Outcome {
    /// The outcome of a system without correlations, of which nothing special is told.
    pub fn of(system: System, gates: Gates, security: Security) -> Self {
        Self { system, gates, choice: None, details: None, security }
    }

    /// Tells this, too.
    pub fn with(self, details: impl Details) -> Self {
        Self { details: Some(Arc::new(details)), ..self }
    }
}

/// A statement on its way.
pub struct ProofRun<'r> {
    /// The link to the peer.
    pub channel: &'r mut Channel,
    /// The randomness of this party.
    pub random: &'r mut Random,
    /// The most lanes of a wave, where either party has a wish.
    pub lanes: Option<u32>,
    statement: [u8; 32],
    before: Traffic,
    setup_traffic: Traffic,
    started: Instant,
    begun: Instant,
}

impl<'r> ProofRun<'r> {
    /// Shakes hands. What the peer asks for, beside what the [agreement](Agreement::parameters) does, `settle`
    /// compares, and says more to the peer where it takes that.
    ///
    /// # Errors
    /// `Disagreed`; those of `settle` and of the link.
    pub fn open(
        channel: &'r mut Channel,
        random: &'r mut Random,
        options: &Options,
        agreement: &Agreement<'_>,
        settle: &mut dyn FnMut(&mut Channel, String) -> Result<()>,
    ) -> Result<Self> {
        let (before, started) = (channel.traffic(), Instant::now());
        let Agreement { protocol, field, parameters, lanes, statement } = *agreement;
        let hello = Hello { system: protocol, field, parameters, lanes, statement: &statement };
        let theirs = shake_hands(channel, &hello, &random.bytes())?;
        settle(channel, theirs.parameters)?;
        let lanes = match [lanes, theirs.lanes] {
            [0, 0] => None,
            both => {
                Some(both.map(|lanes| if lanes == 0 { LANES } else { lanes }).into_iter().min().expect("two"))
            }
        };
        channel.checkpoint("statement");
        if let Some(progress) = &options.progress {
            progress.store(0, Relaxed);
        }
        let setup_traffic = Traffic::default();
        Ok(Self { channel, random, lanes, statement, before, setup_traffic, started, begun: started })
    }

    /// Begins with the gates: the set-up is done, and took so much.
    pub fn begin(&mut self) -> (Traffic, Duration) {
        self.begun = Instant::now();
        self.setup_traffic = self.channel.traffic().since(self.before);
        (self.setup_traffic, self.begun - self.started)
    }

    /// Proves by `work`, which sets up, [begins](ProofRun::begin), and says all that is said before the end.
    ///
    /// # Errors
    /// Those of `work`; `Rejected` where the verifier does not accept; link errors.
    pub fn prove(mut self, work: impl FnOnce(&mut Self) -> Result<Outcome>) -> Result<Report> {
        let outcome = work(&mut self)?;
        recv_verdict(self.channel)?;
        Ok(self.report(outcome))
    }

    /// Verifies by `work`, likewise, and tells the prover the verdict.
    ///
    /// # Errors
    /// Those of `work`; `Rejected` where the verdict is to be recorded and was not; link errors.
    pub fn verify(
        mut self,
        options: &Options,
        work: impl FnOnce(&mut Self) -> Result<(Accepted, Outcome)>,
    ) -> Result<(Accepted, Report)> {
        let verdict = work(&mut self);
        self.conclude(options, verdict)
    }

    fn conclude(self, options: &Options, verdict: Result<(Accepted, Outcome)>) -> Result<(Accepted, Report)> {
        let verdict = recv_end(self.channel, verdict);
        let verdict = options.recorded(verdict, |(_, outcome)| self.report(outcome.clone()));
        let (accepted, outcome) = tell(self.channel, verdict)?;
        Ok((accepted, self.report(outcome)))
    }

    fn report(&self, outcome: Outcome) -> Report {
        Report {
            traffic: self.channel.traffic().since(self.before),
            setup_traffic: self.setup_traffic,
            setup: self.begun - self.started,
            online: self.begun.elapsed(),
            ..of_file(self.statement, outcome, Traffic::default(), self.begun)
        }
    }
}

/// The report of a file, which is written or read in one piece since `started`.
pub fn of_file(
    statement: [u8; 32],
    Outcome { system, gates, choice, details, security }: Outcome,
    traffic: Traffic,
    started: Instant,
) -> Report {
    Report {
        statement,
        system,
        gates,
        choice,
        details,
        security,
        traffic,
        setup_traffic: Traffic::default(),
        setup: Duration::default(),
        online: started.elapsed(),
    }
}

/// The gates of the circuit, and its name: the given one, or that of its gates.
pub(crate) fn settle<F: Field>(
    stream: &Stream<'_, F>,
    statement: Option<[u8; 32]>,
) -> Result<(Shape, [u8; 32])> {
    match statement {
        Some(digest) => Ok((stream.count()?, digest)),
        None => Count::fingerprint(stream),
    }
}

/// The randomness of this run.
pub fn fresh(options: &Options) -> Result<Random> {
    match &options.seed {
        Some(seed) => Ok(Random::from_seed(seed)),
        None => Random::from_system(),
    }
}

/// Refuses to offer fewer bits of statistical security than are `asked` for: `gives` says what gives so few, and
/// what to do.
pub fn enough(asked: u32, offered: u32, gives: impl FnOnce() -> String) -> Result<()> {
    if offered >= asked {
        return Ok(());
    }
    let gives = gives();
    Err(Error::invalid(format!("{asked} bits of statistical security were asked for, and {gives}")))
}

/// Refuses to go without coins of the verifier where that is asked for: `because` says why it cannot be, and what
/// to do.
pub fn refuse_without_coins(
    options: &Options,
    possible: bool,
    because: impl FnOnce() -> String,
) -> Result<()> {
    if possible || !options.non_interactive {
        return Ok(());
    }
    let because = because();
    Err(Error::invalid(format!("a proof without coins of the verifier was asked for, and {because}")))
}

/// Why a transcript over the setting of this name makes no challenges.
pub fn searched_offline(setting: &str) -> String {
    format!(
        "over {setting} a transcript's challenges could be searched offline: take an extension of 100 bits or more"
    )
}

/// Opens a run by a system that takes no correlations. Where the peer asks for other parameters, that is this
/// `disagreement`.
pub fn open_without_correlations<'r>(
    channel: &'r mut Channel,
    random: &'r mut Random,
    options: &Options,
    system: System,
    agreement: &Agreement<'_>,
    disagreement: fn(Sides<String>) -> Disagreement,
) -> Result<ProofRun<'r>> {
    refuse_without_coins(options, false, || format!("{system} is made of little else: take another system"))?;
    ProofRun::open(channel, random, options, agreement, &mut |_, theirs| {
        Sides { ours: agreement.parameters.to_owned(), theirs }.agree(disagreement)
    })
}
