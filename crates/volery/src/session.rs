//! The paved path: statements, one channel, a verdict for each.

mod binary;
mod correlations;
mod estimate;
mod options;
mod over;
mod setting;

pub use binary::Binary;
pub use correlations::{Choice, Correlations, Reason, Use};
pub use estimate::{Carried, Estimate};
pub use options::{Options, Report, Security};
pub use over::Over;
pub use setting::Setting;

use correlations::Proposal;

use crate::channel::{Channel, Hello, Traffic, shake_hands};
use crate::circuit::{Circuit, Clear, Count, Size};
use crate::error::{Error, Result};
use crate::random::Random;
use crate::vole::{Ahead, BoxedVole, Share};
use crate::zk::{Accepted, Gates, recv_verdict, send_verdict};
use core::marker::PhantomData;
use std::time::Instant;
use volery_primitives::Field;

/// The name of the proof system that [`prove`] and [`verify`] run.
pub const SYSTEM: &str = "quicksilver";

/// Evaluates `circuit` on `witness` in the clear.
///
/// # Errors
/// `Unsatisfied` with the name of the first assertion that fails; `Invalid` where the witness is too short or too long,
/// or the circuit asserts nothing or is malformed.
pub fn check<F, W, C>(circuit: &C, witness: W) -> Result<()>
where
    F: Field,
    W: IntoIterator<Item = F>,
    C: Circuit<Clear<F, W::IntoIter>>,
{
    let mut clear = Clear::new(witness);
    circuit.run(&mut clear)?;
    clear.finish()
}

/// Proves that `witness` satisfies `circuit`, a statement over F_2, to the verifier at the other end of `channel`. For
/// other fields see [`prove_over`].
///
/// # Errors
/// `Unsatisfied` or `Invalid` before a byte is sent, where the witness or the circuit is wrong; `Disagreed` where the
/// verifier was started with other settings; `Rejected` where it did not accept; `Misbehaved` and `Io`.
pub fn prove<W, C>(circuit: &C, witness: W, channel: &mut Channel, options: &Options) -> Result<Report>
where
    W: IntoIterator<Item = volery_primitives::F2> + Clone,
    C: ProvenBy<Binary, W>,
{
    prove_over::<Binary, W, C>(circuit, witness, channel, options)
}

/// The same over any field: `prove_over::<Over<F61, F61>, _, _>(…)`.
///
/// # Errors
/// As for [`prove`]; `Invalid` where less security is offered than asked for.
pub fn prove_over<S, W, C>(
    circuit: &C,
    witness: W,
    channel: &mut Channel,
    options: &Options,
) -> Result<Report>
where
    S: Setting,
    W: IntoIterator<Item = S::F> + Clone,
    C: ProvenBy<S, W>,
{
    ProverSession::<S>::over(channel, options.clone()).prove(circuit, witness)
}

/// Verifies that the prover at the other end of `channel` knows a witness for `circuit`, a statement over F_2, and
/// tells it the verdict. For other fields see [`verify_over`].
///
/// # Errors
/// `Rejected` where a check fails; `Misbehaved` where the prover breaks the protocol; `Disagreed` where it was started
/// with other settings; `Invalid` where the circuit is wrong; `Io`.
pub fn verify<C>(circuit: &C, channel: &mut Channel, options: &Options) -> Result<(Accepted, Report)>
where
    C: VerifiedBy<Binary>,
{
    verify_over::<Binary, C>(circuit, channel, options)
}

/// The same over any field: `verify_over::<Over<F61, F61>, _>(…)`.
///
/// # Errors
/// As for [`verify`]; `Invalid` where less security is offered than asked for.
pub fn verify_over<S, C>(circuit: &C, channel: &mut Channel, options: &Options) -> Result<(Accepted, Report)>
where
    S: Setting,
    C: VerifiedBy<S>,
{
    VerifierSession::<S>::over(channel, options.clone()).verify(circuit)
}

/// A circuit that can be evaluated, counted and proved over `S` with a witness `W`. Whatever implements [`Circuit`] for
/// every backend over the field is one.
pub trait ProvenBy<S: Setting, W: IntoIterator<Item = S::F>>:
    Circuit<Clear<S::F, W::IntoIter>> + Circuit<Count<S::F>> + for<'a> Circuit<S::Prover<'a>>
{
}

impl<S: Setting, W: IntoIterator<Item = S::F>, C> ProvenBy<S, W> for C where
    C: Circuit<Clear<S::F, W::IntoIter>> + Circuit<Count<S::F>> + for<'a> Circuit<S::Prover<'a>>
{
}

/// A circuit that can be counted and verified over `S`. Whatever implements [`Circuit`] for every backend over the
/// field is one.
pub trait VerifiedBy<S: Setting>: Circuit<Count<S::F>> + for<'a> Circuit<S::Verifier<'a>> {}

impl<S: Setting, C> VerifiedBy<S> for C where C: Circuit<Count<S::F>> + for<'a> Circuit<S::Verifier<'a>> {}

/// Several statements, one after the other, on one set-up: the prover's side.
///
/// The set-up is made, and the correlations are chosen, for the first statement. After an error during a proof the
/// session is dead.
pub struct ProverSession<'c, S: Setting = Binary> {
    common: Common<'c, S>,
    vole: Option<BoxedVole<S::Mac>>,
}

/// Several statements, one after the other, on one set-up: the verifier's side.
///
/// The set-up is made, and the correlations are chosen, for the first statement. After an error the session is dead.
pub struct VerifierSession<'c, S: Setting = Binary> {
    common: Common<'c, S>,
    vole: Option<Correlated<S>>,
}

/// The verifier's key and its end of the correlations under it.
type Correlated<S> = (<S as Setting>::Delta, BoxedVole<<S as Setting>::Key>);

impl<'c> ProverSession<'c> {
    /// A session over F_2; nothing is sent yet.
    pub fn new(channel: &'c mut Channel, options: Options) -> Self {
        Self::over(channel, options)
    }
}

impl<'c, S: Setting> ProverSession<'c, S> {
    /// A session over any field; nothing is sent yet.
    pub fn over(channel: &'c mut Channel, options: Options) -> Self {
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
        W: IntoIterator<Item = S::F> + Clone,
        C: ProvenBy<S, W>,
    {
        if self.common.options.check {
            check(circuit, witness.clone()).inspect_err(|_| self.common.forget())?;
        }
        let mut run = self.common.open(circuit)?;
        let vole = match self.vole.take() {
            Some(vole) => vole,
            None => {
                let Common { channel, options, random, .. } = &mut self.common;
                let random = random.as_mut().expect("opened");
                let vole = S::prover_end(run.choice.correlations, channel, options.arch, random)?;
                run.draw_ahead(vole, channel)?
            }
        };
        run.begin(self.common.channel);
        let Options { arch, progress, .. } = &self.common.options;
        let mut prover = S::prover(self.common.channel, vole, *arch, witness, progress.as_deref());
        circuit.run(&mut prover)?;
        let (gates, vole) = S::finish_prover(prover)?;
        recv_verdict(self.common.channel)?;
        self.vole = Some(vole);
        Ok(self.common.close(run, gates))
    }
}

impl<'c> VerifierSession<'c> {
    /// A session over F_2; nothing is sent yet.
    pub fn new(channel: &'c mut Channel, options: Options) -> Self {
        Self::over(channel, options)
    }
}

impl<'c, S: Setting> VerifierSession<'c, S> {
    /// A session over any field; nothing is sent yet.
    pub fn over(channel: &'c mut Channel, options: Options) -> Self {
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
        C: VerifiedBy<S>,
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

    fn decide<C: VerifiedBy<S>>(&mut self, circuit: &C, run: &mut Run) -> Result<(Accepted, Gates)> {
        let (delta, vole) = match self.vole.take() {
            Some(vole) => vole,
            None => {
                let Common { channel, options, random, .. } = &mut self.common;
                let random = random.as_mut().expect("opened");
                let delta = S::delta(random);
                let vole = S::verifier_end(run.choice.correlations, channel, options.arch, &delta, random)?;
                (delta, run.draw_ahead(vole, channel)?)
            }
        };
        run.begin(self.common.channel);
        let Common { channel, options: Options { arch, progress, .. }, random, .. } = &mut self.common;
        let random = random.as_mut().expect("opened");
        let mut verifier = S::verifier(channel, vole, *arch, &delta, random, progress.as_deref());
        circuit.run(&mut verifier)?;
        let (accepted, gates, vole) = S::finish_verifier(verifier)?;
        // More gates than were announced may be worth less.
        self.common.offer(run.choice.correlations, gates.size())?;
        self.vole = Some((delta, vole));
        Ok((accepted, gates))
    }
}

/// What both sides keep from statement to statement.
struct Common<'c, S> {
    channel: &'c mut Channel,
    options: Options,
    /// From the first statement on.
    random: Option<Random>,
    choice: Option<Choice>,
    dead: bool,
    setting: PhantomData<S>,
}

/// One statement on its way from the handshake to the report.
struct Run {
    statement: [u8; 32],
    /// Its number of commitments, where both parties have said it.
    commitments: Option<u64>,
    choice: Choice,
    before: Traffic,
    setup_traffic: Traffic,
    started: Instant,
    begun: Instant,
}

impl<'c, S: Setting> Common<'c, S> {
    fn new(channel: &'c mut Channel, options: Options) -> Self {
        Self { channel, options, random: None, choice: None, dead: false, setting: PhantomData }
    }

    /// Shakes hands on a statement; for the first one on all settings.
    fn open<C: Circuit<Count<S::F>>>(&mut self, circuit: &C) -> Result<Run> {
        if core::mem::replace(&mut self.dead, true) {
            return Err(Error::invalid("the session has ended in an error: start another"));
        }
        let (statement, size, proposal) = self.settle(circuit)?;
        let (before, started) = (self.channel.traffic(), Instant::now());
        let first = self.random.is_none();
        if first {
            self.random = Some(match &self.options.seed {
                Some(seed) => Random::from_seed(seed),
                None => Random::from_system()?,
            });
        }
        let parameters = proposal.text();
        let field = S::name();
        let hello = Hello { system: SYSTEM, field: &field, parameters: &parameters, statement: &statement };
        let nonce = self.random.as_mut().expect("set above").bytes();
        let theirs = shake_hands(self.channel, &hello, &nonce)?;
        // Later statements use what the first one was set up with.
        let resolved = proposal.resolve::<S>(&theirs, self.channel)?;
        let choice = *self.choice.get_or_insert(resolved);
        self.offer(choice.correlations, size.unwrap_or_default())?;
        self.channel.meet("statement");
        let setup_traffic = Traffic::default();
        let agreed = size.filter(|_| first && choice.reason == Reason::Small);
        let commitments = agreed.map(|size| size.commitments);
        Ok(Run { statement, commitments, choice, before, setup_traffic, started, begun: started })
    }

    /// Forgets what was said of a statement that will not be proved.
    fn forget(&mut self) {
        (self.options.statement, self.options.size) = (None, None);
    }

    /// Refuses where less statistical security is offered than asked for.
    fn offer(&self, correlations: Correlations, size: Size) -> Result<()> {
        let asked = self.options.security.unwrap_or(S::SECURITY);
        let offered = S::statistical_bits(correlations, size);
        if offered < asked {
            return Err(Error::invalid(format!(
                "{asked} bits of statistical security were asked for, and {correlations} over {} gives {offered} to a \
                 statement of this size: ask for fewer, or take a larger extension",
                S::name()
            )));
        }
        Ok(())
    }

    /// The statement's digest, its size where it matters, and the proposed correlations: as given, or
    /// from a walk over the circuit.
    fn settle<C: Circuit<Count<S::F>>>(&mut self, circuit: &C) -> Result<([u8; 32], Option<Size>, Proposal)> {
        if self.options.non_interactive && !S::NON_INTERACTIVE {
            return Err(Error::invalid(format!(
                "a proof without coins of the verifier was asked for, and over {} a transcript's challenges could be \
                 searched offline: take an extension of 100 bits or more",
                S::name()
            )));
        }
        let there = S::correlations();
        if let Some(given) = self.options.correlations.filter(|given| !there.contains(given)) {
            let there: Vec<_> = there.iter().map(|correlations| correlations.name()).collect();
            return Err(Error::invalid(format!(
                "the correlations {given} are not for {}: there are {}",
                S::name(),
                there.join(", ")
            )));
        }
        let options = &mut self.options;
        // A name, and a number, is for one statement: the next one must not be taken for this.
        let (named, given) = (options.statement.take(), options.size.take());
        let firm = self.choice.map(|choice| choice.correlations).or(options.correlations);
        let sized = given.is_some() || (firm.is_some() && !S::BOUND_BY_SIZE);
        let (shape, statement) = match named {
            None => Count::fingerprint(circuit).map(|(shape, digest)| (Some(shape), digest))?,
            Some(digest) if sized => (None, digest),
            Some(digest) => (Some(Count::shape(circuit)?), digest),
        };
        let size = given.or(shape.map(|shape| shape.size()));
        if let Some(firm) = firm {
            self.offer(firm, size.unwrap_or_default())?;
            return Ok((statement, size, Proposal::Firm(firm)));
        }
        let commitments = size.expect("counted where it was not given").commitments;
        Ok((statement, size, Proposal::Auto { commitments, bandwidth: self.options.bandwidth }))
    }

    fn close(&mut self, run: Run, gates: Gates) -> Report {
        self.dead = false;
        let correlations = run.choice.correlations;
        let security = Security {
            computational: S::computational_bits(correlations),
            statistical: S::statistical_bits(correlations, gates.size()),
        };
        Report {
            statement: run.statement,
            gates,
            choice: run.choice,
            security,
            traffic: self.channel.traffic().since(run.before),
            setup_traffic: run.setup_traffic,
            setup: run.begun - run.started,
            online: run.begun.elapsed(),
        }
    }
}

impl Run {
    /// Draws what the statement will take, where shares come straight from transfers: they are a part of the set-up.
    fn draw_ahead<S: Share + 'static>(
        &self,
        vole: BoxedVole<S>,
        channel: &mut Channel,
    ) -> Result<BoxedVole<S>> {
        match self.commitments {
            // One more at least is for masks: where commitments fill their blocks, theirs is drawn with them.
            Some(commitments) if self.choice.correlations == Correlations::Direct => {
                Ok(Box::new(Ahead::new(vole, channel, commitments + 1)?))
            }
            _ => Ok(vole),
        }
    }

    /// The set-up is done; gates follow.
    fn begin(&mut self, channel: &Channel) {
        self.begun = Instant::now();
        self.setup_traffic = channel.traffic().since(self.before);
    }
}
