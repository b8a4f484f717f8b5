//! Sessions of the systems that take correlations: what both parties agree on, how they set up, and what stays
//! for the next statement.

use crate::analysis::{Analysis, excluded};
use crate::clear::InTheClear;
use crate::correlations::{Automatic, Choice, Correlations, Pace, Proposal, Reason};
use crate::facts::SettingFacts;
use crate::options::{Options, Security};
use crate::report::{Details, Report};
use crate::run::{Agreement, Outcome, ProofRun, enough, fresh, refuse_without_coins, searched_offline};
use crate::setting::Setting;
use crate::system::System;
use crate::verdict::{Accepted, Gates};
use crate::witness::Reread;
use core::sync::atomic::AtomicU64;
use std::sync::Arc;
use std::time::Duration;
use volery_channel::channel::{Channel, LANES, Traffic};
use volery_channel::error::{Error, Result};
use volery_channel::pool::Pool;
use volery_channel::random::Random;
use volery_circuit::stream::Stream;
use volery_circuit::{Shape, Size};
use volery_primitives::Field;
use volery_vole::vole::{Ahead, BoxedVole, Share};

/// A system's cost and soundness, with what options say of it.
pub type Analyse = fn(&Options) -> Result<Box<dyn Analysis>>;

/// The tools of a party at the gates of a statement.
pub struct Work<'a> {
    /// The options of the session.
    pub options: &'a Options,
    /// Other threads.
    pub pool: &'a Pool,
    /// The most lanes of a wave, where the parties have agreed on some.
    pub lanes: Option<u32>,
}

impl<'a> Work<'a> {
    /// A place for the number of multiplications done so far.
    pub fn progress(&self) -> Option<&'a AtomicU64> {
        self.options.progress.as_deref()
    }
}

/// The secrets of a verifier at the gates.
pub struct Secrets<'a, S: Setting> {
    /// The global key.
    pub delta: &'a S::Delta,
    /// The source of coins.
    pub random: &'a mut Random,
}

/// The work of a prover at the gates.
pub struct Proved<S: Setting> {
    /// The gates.
    pub gates: Gates,
    /// Details that are told of proofs by this system alone.
    pub details: Option<Arc<dyn Details>>,
    /// For the next statement.
    pub vole: BoxedVole<S::Mac>,
}

/// The work of a verifier at the gates.
pub struct Verified<S: Setting> {
    /// The verdict.
    pub accepted: Accepted,
    /// The gates.
    pub gates: Gates,
    /// Details that are told of proofs by this system alone.
    pub details: Option<Arc<dyn Details>>,
    /// For the next statement.
    pub vole: BoxedVole<S::Key>,
}

/// A prover at the gates, over shares that are set up.
pub type ProverGates<'g, S> =
    Box<dyn FnOnce(&mut Channel, BoxedVole<<S as Setting>::Mac>, &Work<'_>) -> Result<Proved<S>> + 'g>;

/// A verifier at the gates, likewise.
pub type VerifierGates<'g, S> = Box<
    dyn FnOnce(&mut Channel, BoxedVole<<S as Setting>::Key>, &Work<'_>, Secrets<'_, S>) -> Result<Verified<S>>
        + 'g,
>;

/// The needs of a statement that is a shard.
#[derive(Clone, Copy)]
pub struct Within {
    /// Shares that are drawn for lines.
    pub lines: u64,
    /// The bits by which its error has to be less than that of the run.
    pub bits: u32,
}

/// Options by this system, where they may name another, whose choices are then none.
pub fn named(system: System, options: Options) -> Options {
    if options.system() == system { options } else { Options { method: system.into(), ..options } }
}

/// The prover's side.
pub struct ProverEnd<'c, S: Setting> {
    link: Link<'c>,
    session: Session,
    vole: Option<BoxedVole<S::Mac>>,
}

/// The verifier's side.
pub struct VerifierEnd<'c, S: Setting> {
    link: Link<'c>,
    session: Session,
    vole: Option<BoxedVole<S::Key>>,
    /// The key to set up under, where it is not to be a fresh one; from the first statement on that of `vole`.
    delta: Option<S::Delta>,
}

impl<'c, S: Setting> ProverEnd<'c, S> {
    /// A session by `system`; nothing is sent yet.
    pub fn new(system: System, analyse: Analyse, channel: &'c mut Channel, options: Options) -> Self {
        let session = Session::new(system, S::facts(), analyse, options);
        Self { link: Link { channel, own: None }, session, vole: None }
    }

    /// Has statements be shards.
    #[doc(hidden)]
    pub fn within(self, within: Within) -> Self {
        Self { session: Session { within: Some(within), ..self.session }, ..self }
    }

    /// Names the next statement by its digest, and says its size where that is known.
    pub fn name_next(&mut self, digest: [u8; 32], size: Option<Size>) {
        (self.session.options.statement, self.session.options.size) = (Some(digest), size);
    }

    /// The link, for what is said between two statements.
    pub fn channel(&mut self) -> &mut Channel {
        self.link.channel
    }

    /// Sets up for statements of which the first is of about this size, before that is known. `name` stands in its place
    /// where both parties compare what they are started with.
    ///
    /// # Errors
    /// As for `volery::prove`.
    pub fn prepare(&mut self, name: [u8; 32], size: Size) -> Result<()> {
        let Self { link, session, vole: kept } = self;
        let (mut run, _, setup) = session.open_for(name, size, link)?;
        let (correlations, arch) = (setup.choice.correlations, session.options.arch);
        let vole = S::ends().prover_end(correlations, run.channel, arch, run.random)?;
        *kept = Some(setup.prepare(vole, run.channel)?);
        session.prepared(&mut run)
    }

    /// Proves a statement, whose gates are done by `gates`, behind a check in the clear.
    ///
    /// # Errors
    /// As for `volery::prove`.
    pub fn prove(
        &mut self,
        stream: &Stream<'_, S::F>,
        witness: &dyn Reread<S::F>,
        gates: ProverGates<'_, S>,
    ) -> Result<Report> {
        if self.checks() && !stream.is_satisfied(&mut witness.read()) {
            self.check(|clear| clear.check_stream(stream, witness.read()))?;
        }
        self.prove_checked(stream, gates)
    }

    /// Whether options say that statements are checked before they are proved.
    pub fn checks(&self) -> bool {
        self.session.options.check
    }

    /// Checks the next statement in the clear, by `check`.
    ///
    /// # Errors
    /// Those of `check`.
    pub fn check(&mut self, check: impl FnOnce(&dyn InTheClear<S::F>) -> Result<()>) -> Result<()> {
        check(S::clear()).inspect_err(|_| self.session.forget())
    }

    /// Proves a statement, as [`ProverEnd::prove`] does, that was checked.
    ///
    /// # Errors
    /// As for `volery::prove`.
    pub fn prove_checked(&mut self, stream: &Stream<'_, S::F>, gates: ProverGates<'_, S>) -> Result<Report> {
        let Self { link, session, vole: kept } = self;
        let (run, pool, setup) = session.open(&InClear(stream, S::clear()), link)?;
        let report = run.prove(|run| {
            let vole = match kept.take() {
                Some(vole) => vole,
                None => {
                    let (correlations, arch) = (setup.choice.correlations, session.options.arch);
                    let vole = S::ends().prover_end(correlations, run.channel, arch, run.random)?;
                    setup.prepare(vole, run.channel)?
                }
            };
            run.begin();
            let Proved { gates, details, vole } = gates(run.channel, vole, &session.work(pool))?;
            *kept = Some(vole);
            Ok(session.outcome(setup.choice, gates, details))
        })?;
        session.dead = false;
        Ok(session.with_setup(report))
    }
}

impl<'c, S: Setting> VerifierEnd<'c, S> {
    /// A session by `system`; nothing is sent yet.
    pub fn new(system: System, analyse: Analyse, channel: &'c mut Channel, options: Options) -> Self {
        let session = Session::new(system, S::facts(), analyse, options);
        Self { link: Link { channel, own: None }, session, vole: None, delta: None }
    }

    /// Has statements be shards, and the session be set up under `delta`.
    #[doc(hidden)]
    pub fn within(self, within: Within, delta: S::Delta) -> Self {
        Self { session: Session { within: Some(within), ..self.session }, delta: Some(delta), ..self }
    }

    /// Names the next statement by its digest, and says its size where that is known.
    pub fn name_next(&mut self, digest: [u8; 32], size: Option<Size>) {
        (self.session.options.statement, self.session.options.size) = (Some(digest), size);
    }

    /// The link, for what is said between two statements.
    pub fn channel(&mut self) -> &mut Channel {
        self.link.channel
    }

    /// Sets up before the first statement is known: see [`ProverEnd::prepare`].
    ///
    /// # Errors
    /// As for `volery::verify`.
    pub fn prepare(&mut self, name: [u8; 32], size: Size) -> Result<()> {
        let Self { link, session, vole: kept, delta } = self;
        let (mut run, _, setup) = session.open_for(name, size, link)?;
        let (correlations, arch) = (setup.choice.correlations, session.options.arch);
        let delta = &*delta.get_or_insert_with(|| S::delta(run.random));
        let vole = S::ends().verifier_end(correlations, run.channel, arch, delta, run.random)?;
        *kept = Some(setup.prepare(vole, run.channel)?);
        session.prepared(&mut run)
    }

    /// Verifies a statement, whose gates are done by `gates`.
    ///
    /// # Errors
    /// As for `volery::verify`.
    pub fn verify(
        &mut self,
        stream: &Stream<'_, S::F>,
        gates: VerifierGates<'_, S>,
    ) -> Result<(Accepted, Report)> {
        let Self { link, session, vole: kept, delta } = self;
        let (run, pool, setup) = session.open(&InClear(stream, S::clear()), link)?;
        let options = session.options.clone();
        let (accepted, report) = run.verify(&options, |run| {
            let random = &mut *run.random;
            let delta = &*delta.get_or_insert_with(|| S::delta(random));
            let vole = match kept.take() {
                Some(vole) => vole,
                None => {
                    let (correlations, arch) = (setup.choice.correlations, options.arch);
                    let vole = S::ends().verifier_end(correlations, run.channel, arch, delta, run.random)?;
                    setup.prepare(vole, run.channel)?
                }
            };
            run.begin();
            let secrets = Secrets { delta, random: run.random };
            let verified = gates(run.channel, vole, &session.work(pool), secrets)?;
            let Verified { accepted, gates, details, vole } = verified;
            // More gates than were announced may be worth less.
            session.offer(setup.choice.correlations, gates.size())?;
            *kept = Some(vole);
            Ok((accepted, session.outcome(setup.choice, gates, details)))
        })?;
        session.dead = false;
        Ok((accepted, session.with_setup(report)))
    }
}

/// The link of a session, and what this party has from the first statement on.
struct Link<'c> {
    channel: &'c mut Channel,
    own: Option<(Random, Pool)>,
}

/// A statement that can be counted.
trait Counted {
    /// The gates, and the name: the given one, or that of its gates.
    fn settle(&self, statement: Option<[u8; 32]>) -> Result<(Shape, [u8; 32])>;
}

/// No statement yet.
struct Unknown;

impl Counted for Unknown {
    fn settle(&self, _: Option<[u8; 32]>) -> Result<(Shape, [u8; 32])> {
        unreachable!("its name and its size are given")
    }
}

/// A stream of gates, and what counts it.
struct InClear<'s, F: Field>(&'s Stream<'s, F>, &'static dyn InTheClear<F>);

impl<F: Field> Counted for InClear<'_, F> {
    fn settle(&self, statement: Option<[u8; 32]>) -> Result<(Shape, [u8; 32])> {
        self.1.settle(self.0, statement)
    }
}

/// The state of a session that stays from statement to statement.
struct Session {
    system: System,
    setting: &'static dyn SettingFacts,
    analyse: Analyse,
    options: Options,
    /// The analysis of the options, from the first statement on.
    analysis: Option<Box<dyn Analysis>>,
    /// The source of shares, once the first statement was agreed on.
    choice: Option<Choice>,
    /// The run, where the statement is a shard.
    within: Option<Within>,
    /// The most lanes of a wave, where the parties have agreed on some.
    agreed: Option<u32>,
    /// The cost of setting up before the first statement, until that is reported.
    before: (Traffic, Duration),
    dead: bool,
}

/// A statement before the handshake.
struct Settled {
    digest: [u8; 32],
    /// The size of the statement, where it matters.
    size: Option<Size>,
    /// The correlations that are proposed for it.
    proposal: Proposal,
}

/// How a statement is set up.
struct Setup {
    /// The shares that it draws before its first gate, where both parties have said its size.
    shares: Option<u64>,
    /// The shares, and those for masks, that both parties expect it to draw, where they have chosen
    /// correlations for them.
    expected: Option<(u64, u64)>,
    choice: Choice,
}

impl Session {
    fn new(system: System, setting: &'static dyn SettingFacts, analyse: Analyse, options: Options) -> Self {
        let options = named(system, options);
        Self {
            system,
            setting,
            analyse,
            options,
            analysis: None,
            choice: None,
            within: None,
            agreed: None,
            before: Default::default(),
            dead: false,
        }
    }

    /// Shakes hands on what is common to statements of which the first is of about this size.
    fn open_for<'r>(
        &mut self,
        name: [u8; 32],
        size: Size,
        link: &'r mut Link<'_>,
    ) -> Result<(ProofRun<'r>, &'r Pool, Setup)> {
        (self.options.statement, self.options.size) = (Some(name), Some(size));
        self.open(&Unknown, link)
    }

    /// Ends a set-up without a statement.
    fn prepared(&mut self, run: &mut ProofRun<'_>) -> Result<()> {
        run.channel.flush()?;
        self.before = run.begin();
        self.dead = false;
        Ok(())
    }

    /// The report, with a set-up before it.
    fn with_setup(&mut self, report: Report) -> Report {
        let (traffic, time) = core::mem::take(&mut self.before);
        report.after(traffic, time)
    }

    /// Shakes hands on a statement; for the first one on all settings.
    fn open<'r>(
        &mut self,
        stream: &dyn Counted,
        link: &'r mut Link<'_>,
    ) -> Result<(ProofRun<'r>, &'r Pool, Setup)> {
        if core::mem::replace(&mut self.dead, true) {
            return Err(Error::invalid("the session has ended in an error: start another"));
        }
        if self.analysis.is_none() {
            self.analysis = Some((self.analyse)(&self.options)?);
        }
        if self.wish().is_some_and(|lanes| !lanes.is_power_of_two() || !LANES.contains(&lanes)) {
            let (fewest, most) = (LANES.start(), LANES.end());
            return Err(Error::invalid(format!(
                "the lanes of a wave: a power of two from {fewest} to {most}"
            )));
        }
        let settled = self.settle(stream)?;
        let Settled { digest: statement, size, proposal } = settled;
        // Before a word is said: the peer times how soon it is answered.
        let (mut paces, threads) = (Vec::new(), self.options.threads);
        if proposal.compares(self.setting) {
            let alone = self.setting.paces(self.options.arch);
            let shared = alone.into_iter().map(|pace| pace.shared_by(threads));
            let has_device = self.options.device.is_some() && self.has_waves();
            let by = |(correlations, pace): (Correlations, Pace)| match correlations.is_lpn() {
                true if has_device => pace.on_device(),
                _ => pace,
            };
            paces.extend(self.setting.correlations().into_iter().zip(shared).map(by));
        }
        let first = link.own.is_none();
        if first {
            link.own = Some((fresh(&self.options)?, Pool::new(threads)?));
        }
        let Link { channel, own } = link;
        let (random, pool) = own.as_mut().expect("set above");
        channel.share_work(pool);
        let protocol = self.analysis().protocol(size, self.within.is_some()).unwrap_or(self.system.name());
        let (parameters, field) = (&proposal.text(), &self.setting.name());
        let lanes = self.wish().filter(|_| self.has_waves()).unwrap_or(0);
        let agreement = &Agreement { protocol, field, parameters, lanes, statement };
        let options = self.options.clone();
        let run = ProofRun::open(channel, random, &options, agreement, &mut |channel, theirs| {
            if first {
                self.analysis().agree(channel)?;
            }
            // Later statements use what the first one was set up with.
            let purpose = self.analysis().purpose();
            let resolved = proposal.resolve(self.setting, &theirs, purpose, channel, &paces)?;
            let choice = *self.choice.get_or_insert(resolved);
            self.offer(choice.correlations, size.unwrap_or_default())
        })?;
        let choice = self.choice.expect("settled with the peer");
        // Over other shares no device walks, and waves are as without.
        self.agreed = run.lanes.filter(|_| self.has_waves() && choice.correlations.is_lpn());
        Ok((run, pool, self.setup(choice, &settled, first)))
    }

    fn analysis(&self) -> &dyn Analysis {
        self.analysis.as_deref().expect("made with the first statement")
    }

    /// Whether waves of as many lanes as are agreed on are taken: devices walk over these settings alone, and over no
    /// shards.
    fn has_waves(&self) -> bool {
        let knows = ["f2", "f61"].contains(&&*self.setting.name());
        self.system == System::QUICKSILVER && knows && self.within.is_none()
    }

    /// The most lanes of a wave that suit this party, if it has a wish.
    fn wish(&self) -> Option<u32> {
        let Options { lanes, device, .. } = &self.options;
        lanes.or_else(|| device.as_ref().map(|device| device.lanes()))
    }

    /// How a statement is set up over this choice.
    fn setup(&self, choice: Choice, settled: &Settled, first: bool) -> Setup {
        let Settled { size, proposal, .. } = *settled;
        let (setting, analysis) = (self.setting, self.analysis());
        let ahead = first && choice.reason == Reason::Small && setting.drawn_ahead(choice.correlations);
        let shares = size.filter(|_| ahead).map(|size| analysis.drawn(size));
        let lines = self.within.map_or(0, |within| within.lines);
        let masks = size.map_or(0, |size| analysis.masks(size)) + lines;
        let expected = match proposal {
            Proposal::Auto(Automatic { shares, .. }) if first && choice.is_made() => Some((shares, masks)),
            _ => None,
        };
        Setup { shares, expected, choice }
    }

    /// The means by which the gates are done.
    fn work<'a>(&'a self, pool: &'a Pool) -> Work<'a> {
        Work { options: &self.options, pool, lanes: self.agreed }
    }

    /// Forgets what was said of a statement that will not be proved.
    fn forget(&mut self) {
        (self.options.statement, self.options.size) = (None, None);
    }

    /// A word for what is proved.
    fn what(&self) -> &'static str {
        if self.within.is_some() { "run of shards" } else { "statement" }
    }

    /// Refuses where less statistical security is offered than asked for.
    fn offer(&self, correlations: Correlations, size: Size) -> Result<()> {
        let offered = self.worth(correlations, size);
        let asked = self.analysis().asked(&self.options)?;
        enough(asked, offered, || {
            let others = self.setting.correlations().into_iter();
            let others = others.map(|other| (other, self.worth(other, size)));
            let instead = others.filter(|(_, bits)| *bits >= asked).map(|(other, _)| other.name()).next();
            let (by, instead) = (self.analysis().means(), instead.unwrap_or("a larger extension"));
            let (setting, what) = (self.setting.name(), self.what());
            format!(
                "{by}{correlations} over {setting} gives {offered} to a {what} of this size: ask for fewer, or take \
                 {instead}"
            )
        })
    }

    /// The statistical security of a statement of this size, or of a run whose shards are worth as much as this
    /// one, in bits.
    fn worth(&self, correlations: Correlations, size: Size) -> u32 {
        let Some(Within { lines, bits }) = self.within else {
            return self.analysis().statistical_bits(correlations, size);
        };
        // Shares that lines are drawn from are checked as others are.
        let size = Size { commitments: size.commitments + lines, ..size };
        self.analysis().statistical_bits(correlations, size).saturating_sub(bits)
    }

    /// The statement's digest, its size where it matters, and the proposed correlations: as given, or
    /// from a walk over the circuit.
    fn settle(&mut self, stream: &dyn Counted) -> Result<Settled> {
        let asked = self.analysis().asked(&self.options)?;
        let setting = self.setting;
        refuse_without_coins(&self.options, setting.non_interactive(), || searched_offline(&setting.name()))?;
        let bandwidth = self.options.bandwidth;
        let given = self.options.correlations.map(|given| setting.named(given.name())).transpose()?;
        // A name, and a number, is for one statement: the next one must not be taken for this.
        let (named, counted) = (self.options.statement.take(), self.options.size.take());
        let firm = self.choice.map(|choice| choice.correlations).or(given);
        let sized = counted.is_some() || (firm.is_some() && !setting.bound_by_size());
        let (shape, digest) = match named {
            Some(digest) if sized => (None, digest),
            named => stream.settle(named).map(|(shape, digest)| (Some(shape), digest))?,
        };
        let size = counted.or(shape.map(|shape| self.analysis().size(&shape)));
        if let Some(firm) = firm {
            self.offer(firm, size.unwrap_or_default())?;
            return Ok(Settled { digest, size, proposal: Proposal::Firm(firm) });
        }
        let counted = size.expect("counted where it was not given");
        let excluded = excluded(setting, asked, self.what(), &|one| self.worth(one, counted))?;
        let (shares, degree) = (self.analysis().shares(counted), self.analysis().degree_of_check(counted));
        let proposal = Proposal::Auto(Automatic { shares, degree, bandwidth, excluded });
        Ok(Settled { digest, size, proposal })
    }

    /// The outcome of a proof with these gates.
    fn outcome(&self, choice: Choice, gates: Gates, details: Option<Arc<dyn Details>>) -> Outcome {
        let (correlations, size) = (choice.correlations, gates.size());
        let security = Security {
            computational: self.analysis().computational_bits(correlations, size),
            statistical: self.worth(correlations, size),
        };
        Outcome { system: self.system, gates, choice: Some(choice), details, security }
    }
}

impl Setup {
    /// Draws what the statement will take, where that is a part of the set-up, or says what to expect.
    fn prepare<S: Share + 'static>(
        &self,
        mut vole: BoxedVole<S>,
        channel: &mut Channel,
    ) -> Result<BoxedVole<S>> {
        if let Some((shares, masks)) = self.expected {
            vole.expect(shares, masks);
        }
        match self.shares {
            Some(shares) => Ok(Box::new(Ahead::new(vole, channel, shares)?)),
            None => Ok(vole),
        }
    }
}
