//! Sessions of the systems that take correlations: what both parties agree on, how they set up, and what stays
//! for the next statement.

use super::analysis::{Analysis, excluded};
use super::correlations::{Automatic, Choice, Correlations, Proposal, Reason};
use super::facts::SettingFacts;
use super::quicksilver::Quicksilver;
use super::run::{enough, fresh, refuse_without_coins, searched_offline};
use super::setting::{Passing, ProverEnds, VerifierEnds};
use super::statement::check_stream;
use super::wolverine::Wolverine;
use super::{
    Agreement, Details, Options, Outcome, ProofOfClauses, ProofRun, ProofSystem, Proposition, ProvesMany,
    Report, Reread, Security, Setting, System, VerifiesMany,
};
use crate::channel::Channel;
use crate::circuit::stream::Stream;
use crate::circuit::{Count, Shape, Size};
use crate::error::{Error, Result};
use crate::pool::Pool;
use crate::random::Random;
use crate::vole::{Ahead, BoxedVole, Share};
use crate::zk::{Accepted, Gates};
use core::sync::atomic::AtomicU64;
use std::sync::Arc;
use volery_primitives::Field;

/// A system that takes correlations, at the gates of one statement.
pub trait OverVole<S: Setting>: Sync {
    /// The system that it is.
    fn system(&self) -> System;

    /// Proofs of one of several clauses, if it has any of its own.
    fn clauses(&self) -> Option<&'static dyn ProofOfClauses<S>> {
        None
    }

    /// Cost and soundness of proofs with what `options` say.
    ///
    /// # Errors
    /// `Invalid` where they make no sense.
    fn analysis(&self, options: &Options) -> Result<Box<dyn Analysis>>;

    /// The prover at the gates, over `vole`. What a shard is handed, and hands on, is with it.
    ///
    /// # Errors
    /// Those of the backend and of the statement.
    fn prove(
        &self,
        channel: &mut Channel,
        vole: BoxedVole<S::Mac>,
        work: &Work<'_>,
        witness: &dyn Reread<S::F>,
        statement: &Proposition<'_, S>,
        shard: Option<Passing<ProverEnds<S>>>,
    ) -> Result<Proved<S>>;

    /// The verifier at the gates.
    ///
    /// # Errors
    /// Those of the backend and of the statement.
    fn verify(
        &self,
        channel: &mut Channel,
        vole: BoxedVole<S::Key>,
        work: &Work<'_>,
        secrets: Secrets<'_, S>,
        statement: &Proposition<'_, S>,
        shard: Option<Passing<VerifierEnds<S>>>,
    ) -> Result<Verified<S>>;
}

/// What the gates of a statement are done with.
pub struct Work<'a> {
    /// The options of the session.
    pub options: &'a Options,
    /// Other threads.
    pub pool: &'a Pool,
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
    /// Wires that go out of a shard.
    pub given: Option<ProverEnds<S>>,
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
    /// Wires that go out of a shard.
    pub given: Option<VerifierEnds<S>>,
}

/// The name of QuickSilver in a handshake on one of several clauses.
const CLAUSES: &str = "quicksilver of clauses";

/// The name of the system in a handshake on a shard.
const SHARD: &str = "quicksilver of a shard";

/// The needs of a statement that is a shard.
#[derive(Clone, Copy)]
pub(super) struct Within {
    /// Shares that are drawn for lines.
    pub(super) lines: u64,
    /// The bits by which its error has to be less than that of the run.
    pub(super) bits: u32,
}

/// Options by this system, where they may name another, whose choices are then none.
pub(super) fn named(system: System, options: Options) -> Options {
    if options.system() == system { options } else { Options { method: system.into(), ..options } }
}

/// Has systems over correlations be proof systems as any other. A blanket implementation could not be told from
/// those of systems without correlations.
macro_rules! systems {
    ($($system:ident),*) => {
        $(impl<S: Setting> ProofSystem<S> for $system {
            fn system(&self) -> System {
                OverVole::<S>::system(self)
            }

            fn prove(
                &self,
                statement: Proposition<'_, S>,
                witness: &dyn Reread<S::F>,
                channel: &mut Channel,
                options: &Options,
            ) -> Result<Report> {
                ProverEnd::new(&$system, channel, options.clone()).prove(statement, witness)
            }

            fn verify(
                &self,
                statement: Proposition<'_, S>,
                channel: &mut Channel,
                options: &Options,
            ) -> Result<(Accepted, Report)> {
                VerifierEnd::new(&$system, channel, options.clone()).verify(statement)
            }

            fn prove_many<'c>(
                &self,
                channel: &'c mut Channel,
                options: Options,
            ) -> Option<Box<dyn ProvesMany<S> + 'c>> {
                Some(Box::new(ProverEnd::new(&$system, channel, options)))
            }

            fn verify_many<'c>(
                &self,
                channel: &'c mut Channel,
                options: Options,
            ) -> Option<Box<dyn VerifiesMany<S> + 'c>> {
                Some(Box::new(VerifierEnd::new(&$system, channel, options)))
            }

            fn analysis(&self, options: &Options) -> Result<Box<dyn Analysis>> {
                OverVole::<S>::analysis(self, options)
            }

            fn clauses(&self) -> Option<&dyn ProofOfClauses<S>> {
                OverVole::<S>::clauses(self)
            }
        })*
    };
}

systems!(Quicksilver, Wolverine);

/// The prover's side.
pub(super) struct ProverEnd<'c, S: Setting> {
    system: &'static dyn OverVole<S>,
    link: Link<'c>,
    session: Session,
    vole: Option<BoxedVole<S::Mac>>,
}

/// The verifier's side.
pub(super) struct VerifierEnd<'c, S: Setting> {
    system: &'static dyn OverVole<S>,
    link: Link<'c>,
    session: Session,
    vole: Option<BoxedVole<S::Key>>,
    /// The key to set up under, where it is not to be a fresh one; from the first statement on that of `vole`.
    delta: Option<S::Delta>,
}

impl<'c, S: Setting> ProverEnd<'c, S> {
    /// A session by `system`; nothing is sent yet.
    pub(super) fn new(system: &'static dyn OverVole<S>, channel: &'c mut Channel, options: Options) -> Self {
        let (link, session) =
            (Link { channel, own: None }, Session::new(system.system(), S::facts(), options));
        Self { system, link, session, vole: None }
    }
}

impl<S: Setting> ProvesMany<S> for ProverEnd<'_, S> {
    fn name_next(&mut self, digest: [u8; 32]) {
        self.session.options.statement = Some(digest);
    }

    fn prove(&mut self, statement: Proposition<'_, S>, witness: &dyn Reread<S::F>) -> Result<Report> {
        if self.session.options.check {
            check_stream(&statement.stream, witness.read()).inspect_err(|_| self.session.forget())?;
        }
        self.prove_as(statement, witness, None).map(|(report, _)| report)
    }
}

impl<S: Setting> ProverEnd<'_, S> {
    /// Proves a shard, and gives what goes out once the verdict is heard.
    pub(super) fn prove_shard(
        &mut self,
        statement: Proposition<'_, S>,
        witness: &dyn Reread<S::F>,
        (shard, within): (Passing<ProverEnds<S>>, Within),
    ) -> Result<(Report, ProverEnds<S>)> {
        self.session.within = Some(within);
        let (report, given) = self.prove_as(statement, witness, Some(shard))?;
        Ok((report, given.expect("it is a shard")))
    }

    fn prove_as(
        &mut self,
        statement: Proposition<'_, S>,
        witness: &dyn Reread<S::F>,
        shard: Option<Passing<ProverEnds<S>>>,
    ) -> Result<(Report, Option<ProverEnds<S>>)> {
        let Self { system, link, session, vole: kept } = self;
        let mut given = None;
        let (run, pool, setup) =
            session.open(&statement.stream, &|options| system.analysis(options), link)?;
        let report = run.prove(|run| {
            let vole = match kept.take() {
                Some(vole) => vole,
                None => {
                    let (correlations, arch) = (setup.choice.correlations, session.options.arch);
                    let vole = S::compiled().prover_end(correlations, run.channel, arch, run.random)?;
                    setup.prepare(vole, run.channel)?
                }
            };
            run.begin();
            let work = session.work(pool);
            let proved = system.prove(run.channel, vole, &work, witness, &statement, shard)?;
            let Proved { gates, details, vole, given: handed } = proved;
            (*kept, given) = (Some(vole), handed);
            Ok(session.outcome(setup.choice, gates, details))
        })?;
        session.dead = false;
        Ok((report, given))
    }
}

impl<'c, S: Setting> VerifierEnd<'c, S> {
    /// A session by `system`; nothing is sent yet.
    pub(super) fn new(system: &'static dyn OverVole<S>, channel: &'c mut Channel, options: Options) -> Self {
        let (link, session) =
            (Link { channel, own: None }, Session::new(system.system(), S::facts(), options));
        Self { system, link, session, vole: None, delta: None }
    }

    /// Has the session be set up under `delta`.
    pub(super) fn under(self, delta: S::Delta) -> Self {
        Self { delta: Some(delta), ..self }
    }

    /// Verifies a shard, and gives what goes out.
    pub(super) fn verify_shard(
        &mut self,
        statement: Proposition<'_, S>,
        (shard, within): (Passing<VerifierEnds<S>>, Within),
    ) -> Result<(Accepted, Report, VerifierEnds<S>)> {
        self.session.within = Some(within);
        let (accepted, report, given) = self.verify_as(statement, Some(shard))?;
        Ok((accepted, report, given.expect("it is a shard")))
    }

    fn verify_as(
        &mut self,
        statement: Proposition<'_, S>,
        shard: Option<Passing<VerifierEnds<S>>>,
    ) -> Result<(Accepted, Report, Option<VerifierEnds<S>>)> {
        let Self { system, link, session, vole: kept, delta } = self;
        let mut given = None;
        let (run, pool, setup) =
            session.open(&statement.stream, &|options| system.analysis(options), link)?;
        let options = session.options.clone();
        let (accepted, report) = run.verify(&options, |run| {
            let random = &mut *run.random;
            let delta = &*delta.get_or_insert_with(|| S::delta(random));
            let vole = match kept.take() {
                Some(vole) => vole,
                None => {
                    let (correlations, arch) = (setup.choice.correlations, options.arch);
                    let vole = S::compiled().verifier_end(correlations, run.channel, arch, delta, random)?;
                    setup.prepare(vole, run.channel)?
                }
            };
            run.begin();
            let work = session.work(pool);
            let secrets = Secrets { delta, random: run.random };
            let verified = system.verify(run.channel, vole, &work, secrets, &statement, shard)?;
            let Verified { accepted, gates, details, vole, given: handed } = verified;
            // More gates than were announced may be worth less.
            session.offer(setup.choice.correlations, gates.size())?;
            (*kept, given) = (Some(vole), handed);
            Ok((accepted, session.outcome(setup.choice, gates, details)))
        })?;
        session.dead = false;
        Ok((accepted, report, given))
    }
}

impl<S: Setting> VerifiesMany<S> for VerifierEnd<'_, S> {
    fn name_next(&mut self, digest: [u8; 32]) {
        self.session.options.statement = Some(digest);
    }

    fn verify(&mut self, statement: Proposition<'_, S>) -> Result<(Accepted, Report)> {
        self.verify_as(statement, None).map(|(accepted, report, _)| (accepted, report))
    }
}

/// The link of a session, and what this party has from the first statement on.
struct Link<'c> {
    channel: &'c mut Channel,
    own: Option<(Random, Pool)>,
}

/// A statement that can be counted.
trait Counted {
    fn count(&self) -> Result<Shape>;
    fn fingerprint(&self) -> Result<(Shape, [u8; 32])>;
}

impl<F: Field> Counted for Stream<'_, F> {
    fn count(&self) -> Result<Shape> {
        self.count()
    }
    fn fingerprint(&self) -> Result<(Shape, [u8; 32])> {
        Count::fingerprint(self)
    }
}

/// What both sides keep from statement to statement.
struct Session {
    system: System,
    setting: &'static dyn SettingFacts,
    options: Options,
    /// What the options come to, from the first statement on.
    analysis: Option<Box<dyn Analysis>>,
    /// The source of shares, once the first statement was agreed on.
    choice: Option<Choice>,
    /// The run, where the statement is a shard.
    within: Option<Within>,
    dead: bool,
}

/// A statement before the handshake.
struct Settled {
    digest: [u8; 32],
    /// Its size, where that matters.
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
    fn new(system: System, setting: &'static dyn SettingFacts, options: Options) -> Self {
        let options = named(system, options);
        Self { system, setting, options, analysis: None, choice: None, within: None, dead: false }
    }

    /// Shakes hands on a statement; for the first one on all settings.
    fn open<'r>(
        &mut self,
        stream: &dyn Counted,
        analyse: &dyn Fn(&Options) -> Result<Box<dyn Analysis>>,
        link: &'r mut Link<'_>,
    ) -> Result<(ProofRun<'r>, &'r Pool, Setup)> {
        if core::mem::replace(&mut self.dead, true) {
            return Err(Error::invalid("the session has ended in an error: start another"));
        }
        if self.analysis.is_none() {
            self.analysis = Some(analyse(&self.options)?);
        }
        let settled = self.settle(stream)?;
        let Settled { digest: statement, size, proposal } = settled;
        // Before a word is said: the peer times how soon it is answered.
        let (mut paces, threads) = (Vec::new(), self.options.threads);
        if proposal.compares(self.setting) {
            let alone = self.setting.paces(self.options.arch);
            paces.extend(alone.into_iter().map(|pace| pace.shared_by(threads)));
        }
        let first = link.own.is_none();
        if first {
            link.own = Some((fresh(&self.options)?, Pool::new(threads)?));
        }
        let Link { channel, own } = link;
        let (random, pool) = own.as_mut().expect("set above");
        // Clauses are another protocol, and may have the name of the statement that they make.
        let clauses = size.is_some_and(|size| size.clauses > 0);
        let protocol = match self.within {
            Some(_) => SHARD,
            None if clauses => CLAUSES,
            None => self.system.name(),
        };
        let (parameters, field) = (&proposal.text(), &self.setting.name());
        let agreement = &Agreement { protocol, field, parameters, statement };
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
        Ok((run, pool, self.setup(choice, &settled, first)))
    }

    fn analysis(&self) -> &dyn Analysis {
        self.analysis.as_deref().expect("made with the first statement")
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
        Work { options: &self.options, pool }
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
            None => stream.fingerprint().map(|(shape, digest)| (Some(shape), digest))?,
            Some(digest) if sized => (None, digest),
            Some(digest) => (Some(stream.count()?), digest),
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
