//! The paved path: statements, one channel, a verdict for each.

mod correlations;
mod estimate;
mod options;

pub use correlations::{Choice, Correlations, Reason};
pub use estimate::{Carried, Estimate};
pub use options::{Options, Report};

use correlations::Proposal;

use crate::channel::{Channel, Hello, Traffic, shake_hands};
use crate::circuit::{Circuit, Clear, Count};
use crate::error::{Error, Result};
use crate::random::Random;
use crate::vole::{Delta, Key, Mac, Vole};
use crate::zk::quicksilver::{Prover, Verifier};
use crate::zk::{Accepted, Gates, recv_verdict, send_verdict};
use std::time::Instant;
use volery_primitives::{F2, Field};

/// The name of the proof system that [`prove`] and [`verify`] run.
pub const SYSTEM: &str = "quicksilver";

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
    ProverSession::new(channel, options.clone()).prove(circuit, witness)
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
    VerifierSession::new(channel, options.clone()).verify(circuit)
}

/// Several statements, one after the other, on one set-up: the prover's side.
///
/// The set-up is made, and the correlations are chosen, for the first statement. After an error during a proof the
/// session is dead.
pub struct ProverSession<'c> {
    common: Common<'c>,
    vole: Option<Box<dyn Vole<Share = Mac>>>,
}

/// Several statements, one after the other, on one set-up: the verifier's side.
///
/// The set-up is made, and the correlations are chosen, for the first statement. After an error the session is dead.
pub struct VerifierSession<'c> {
    common: Common<'c>,
    vole: Option<(Delta, Box<dyn Vole<Share = Key>>)>,
}

impl<'c> ProverSession<'c> {
    /// A session over `channel`; nothing is sent yet.
    pub fn new(channel: &'c mut Channel, options: Options) -> Self {
        Self { common: Common::new(channel, options), vole: None }
    }

    /// Names the next statement by its digest, as [`Options::statement`] names the first.
    pub fn name_next(&mut self, digest: [u8; 32]) {
        self.common.options.statement = Some(digest);
    }

    /// Proves one statement, as [`prove`] does.
    ///
    /// # Errors
    /// As for [`prove`].
    pub fn prove<W, C>(&mut self, circuit: &C, witness: W) -> Result<Report>
    where
        W: IntoIterator<Item = F2> + Clone,
        C: Circuit<Clear<F2, W::IntoIter>> + Circuit<Count<F2>> + for<'a> Circuit<Prover<'a>>,
    {
        if self.common.options.check {
            check(circuit, witness.clone()).inspect_err(|_| self.common.forget())?;
        }
        let mut run = self.common.open(circuit)?;
        let vole = match self.vole.take() {
            Some(vole) => vole,
            None => {
                let Common { channel, options, random, .. } = &mut self.common;
                run.choice.correlations.prover(channel, options.arch, random.as_mut().expect("opened"))?
            }
        };
        run.begin(self.common.channel);
        let mut prover = Prover::new(self.common.channel, vole, self.common.options.arch, witness);
        if let Some(progress) = &self.common.options.progress {
            prover = prover.report_to(progress);
        }
        circuit.run(&mut prover)?;
        let (gates, vole) = prover.finish()?;
        recv_verdict(self.common.channel)?;
        self.vole = Some(vole);
        Ok(self.common.close(run, gates))
    }
}

impl<'c> VerifierSession<'c> {
    /// A session over `channel`; nothing is sent yet.
    pub fn new(channel: &'c mut Channel, options: Options) -> Self {
        Self { common: Common::new(channel, options), vole: None }
    }

    /// Names the next statement by its digest, as [`Options::statement`] names the first.
    pub fn name_next(&mut self, digest: [u8; 32]) {
        self.common.options.statement = Some(digest);
    }

    /// Verifies one statement, as [`verify`] does.
    ///
    /// # Errors
    /// As for [`verify`].
    pub fn verify<C>(&mut self, circuit: &C) -> Result<(Accepted, Report)>
    where
        C: Circuit<Count<F2>> + for<'a> Circuit<Verifier<'a>>,
    {
        let mut run = self.common.open(circuit)?;
        match self.decide(circuit, &mut run) {
            Ok((accepted, gates)) => {
                send_verdict(self.common.channel, true)?;
                Ok((accepted, self.common.close(run, gates)))
            }
            Err(error) => {
                // The prover learns that it was not accepted, where it still listens, and nothing about why.
                if !matches!(error, Error::Io { .. }) {
                    let _ = send_verdict(self.common.channel, false);
                }
                Err(error)
            }
        }
    }

    fn decide<C>(&mut self, circuit: &C, run: &mut Run) -> Result<(Accepted, Gates)>
    where
        C: for<'a> Circuit<Verifier<'a>>,
    {
        let (delta, vole) = match self.vole.take() {
            Some(vole) => vole,
            None => {
                let Common { channel, options, random, .. } = &mut self.common;
                let random = random.as_mut().expect("opened");
                let delta = Delta::random(random);
                let vole = run.choice.correlations.verifier(channel, options.arch, &delta, random)?;
                (delta, vole)
            }
        };
        run.begin(self.common.channel);
        let mut verifier = Verifier::new(self.common.channel, vole, self.common.options.arch, &delta);
        if let Some(progress) = &self.common.options.progress {
            verifier = verifier.report_to(progress);
        }
        circuit.run(&mut verifier)?;
        let (accepted, gates, vole) = verifier.finish()?;
        self.vole = Some((delta, vole));
        Ok((accepted, gates))
    }
}

/// What both sides keep from statement to statement.
struct Common<'c> {
    channel: &'c mut Channel,
    options: Options,
    /// From the first statement on.
    random: Option<Random>,
    choice: Option<Choice>,
    dead: bool,
}

/// One statement on its way from the handshake to the report.
struct Run {
    statement: [u8; 32],
    choice: Choice,
    before: Traffic,
    setup_traffic: Traffic,
    started: Instant,
    begun: Instant,
}

impl<'c> Common<'c> {
    fn new(channel: &'c mut Channel, options: Options) -> Self {
        Self { channel, options, random: None, choice: None, dead: false }
    }

    /// Shakes hands on a statement; for the first one on all settings.
    fn open<C: Circuit<Count<F2>>>(&mut self, circuit: &C) -> Result<Run> {
        if core::mem::replace(&mut self.dead, true) {
            return Err(Error::invalid("the session has ended in an error: start another"));
        }
        let (statement, proposal) = self.settle(circuit)?;
        let (before, started) = (self.channel.traffic(), Instant::now());
        let first = self.random.is_none();
        if first {
            self.random = Some(match &self.options.seed {
                Some(seed) => Random::from_seed(seed),
                None => Random::from_system()?,
            });
        }
        let parameters = proposal.text();
        let hello = Hello { system: SYSTEM, field: F2::NAME, parameters: &parameters, statement: &statement };
        let nonce = self.random.as_mut().expect("set above").bytes();
        let theirs = shake_hands(self.channel, &hello, &nonce)?;
        // Later statements use what the first one was set up with.
        let resolved = proposal.resolve(&theirs, self.channel)?;
        let choice = *self.choice.get_or_insert(resolved);
        choice.correlations.offer(self.options.security)?;
        self.channel.meet("statement");
        let setup_traffic = Traffic::default();
        Ok(Run { statement, choice, before, setup_traffic, started, begun: started })
    }

    /// Forgets what was said of a statement that will not be proved.
    fn forget(&mut self) {
        (self.options.statement, self.options.commitments) = (None, None);
    }

    /// The statement's digest and the proposed correlations: as given, or from a walk over the circuit.
    fn settle<C: Circuit<Count<F2>>>(&mut self, circuit: &C) -> Result<([u8; 32], Proposal)> {
        let options = &mut self.options;
        // A name is for one statement: the next one must not be taken for this.
        let named = options.statement.take();
        let firm = self.choice.map(|choice| choice.correlations).or(options.correlations);
        let (shape, statement) = match (named, firm, options.commitments) {
            (None, ..) => Count::fingerprint(circuit).map(|(shape, digest)| (Some(shape), digest))?,
            (Some(digest), None, None) => (Some(Count::shape(circuit)?), digest),
            (Some(digest), ..) => (None, digest),
        };
        if let Some(firm) = firm {
            firm.offer(options.security)?;
            return Ok((statement, Proposal::Firm(firm)));
        }
        let counted = shape.map(|shape| shape.inputs + shape.mul);
        let commitments = options.commitments.or(counted).expect("counted where it was not given");
        Ok((statement, Proposal::Auto { commitments, bandwidth: options.bandwidth }))
    }

    fn close(&mut self, run: Run, gates: Gates) -> Report {
        self.dead = false;
        Report {
            statement: run.statement,
            gates,
            choice: run.choice,
            traffic: self.channel.traffic().since(run.before),
            setup_traffic: run.setup_traffic,
            setup: run.begun - run.started,
            online: run.begun.elapsed(),
        }
    }
}

impl Run {
    /// The set-up is done; gates follow.
    fn begin(&mut self, channel: &Channel) {
        self.begun = Instant::now();
        self.setup_traffic = channel.traffic().since(self.before);
    }
}
