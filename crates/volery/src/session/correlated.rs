//! Sessions of the systems that take correlations: each statement on its way from the
//! handshake to the report.

use super::clauses::OnTape;
use super::correlations::{Automatic, Choice, Correlations, Proposal, Reason};
use super::setting::{Passing, ProverEnds, VerifierEnds};
use super::statement::check_stream;
use super::wolverine::{Wolverine, agree, asked, excluded, purpose, shares, statistical_bits, terms};
use super::{
    Details, Drawing, ForProver, ForVerifier, Options, ProofOfClauses, ProofSystem, ProvesMany, Report,
    Reread, Security, Setting, System, VerifiesMany,
};
use crate::channel::{Channel, Hello, Traffic, shake_hands};
use crate::circuit::stream::Stream;
use crate::circuit::{Count, Size};
use crate::error::{Error, Result};
use crate::pool::Pool;
use crate::random::Random;
use crate::vole::{Ahead, BoxedVole, Share};
use crate::zk::quicksilver::{self, degree_of_check, traffic::masks};
use crate::zk::wolverine::traffic::drawn;
use crate::zk::wolverine::{Checked, Terms};
use crate::zk::{Accepted, Gates, Values, recv_end, recv_verdict, tell};
use core::sync::atomic::AtomicU64;
use std::time::Instant;
use volery_primitives::{Arch, Extension};

/// [`crate::zk::quicksilver`].
pub(super) struct Quicksilver;

/// Wolverine at the gates of one statement.
pub(super) trait ByTriples<S: Setting>: Sync {
    /// The prover's side.
    ///
    /// # Errors
    /// Those of the backend and of the statement.
    fn prove_gates(
        &self,
        channel: &mut Channel,
        vole: BoxedVole<S::Mac>,
        work: Work<'_>,
        witness: super::Stream<'_, S::F>,
        stream: &Stream<'_, S::F>,
    ) -> Result<(Gates, Checked, BoxedVole<S::Mac>)>;

    /// The verifier's side, under a global key and with coins from `random`.
    ///
    /// # Errors
    /// Those of the backend and of the statement.
    fn verify_gates(
        &self,
        channel: &mut Channel,
        vole: BoxedVole<S::Key>,
        work: Work<'_>,
        delta: &S::Delta,
        random: &mut Random,
        stream: &Stream<'_, S::F>,
    ) -> Result<(Accepted, Gates, Checked, BoxedVole<S::Key>)>;
}

/// What the gates of a statement are done with.
pub(super) struct Work<'a> {
    pub(super) arch: Arch,
    pub(super) pool: &'a Pool,
    pub(super) progress: Option<&'a AtomicU64>,
    /// How products are checked.
    pub(super) terms: Terms,
}

/// What the system is called in a handshake on one of several clauses.
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

/// The options of an end by `system`, where they may name another one.
fn named(system: System, options: Options) -> Options {
    if options.system() == system {
        return options;
    }
    let Drawing { correlations, bandwidth, .. } = options.method.drawing().copied().unwrap_or_default();
    let options = Options { method: system.into(), ..options };
    options.with_correlations(correlations).with_bandwidth(bandwidth)
}

impl<S: Setting> ProofSystem<S> for Quicksilver {
    fn system(&self) -> System {
        System::QUICKSILVER
    }

    fn prove(
        &self,
        statement: ForProver<'_, S>,
        witness: &dyn Reread<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        ProverEnd::new(channel, options.clone()).prove(statement, witness)
    }

    fn verify(
        &self,
        statement: ForVerifier<'_, S>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        VerifierEnd::new(channel, options.clone()).verify(statement)
    }

    fn prove_many<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Option<Box<dyn ProvesMany<S> + 'c>> {
        Some(Box::new(ProverEnd::new(channel, options)))
    }

    fn verify_many<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Option<Box<dyn VerifiesMany<S> + 'c>> {
        Some(Box::new(VerifierEnd::new(channel, options)))
    }

    fn clauses(&self) -> Option<&dyn ProofOfClauses<S>> {
        Some(&OnTape)
    }
}

impl<S: Setting> ProofSystem<S> for Wolverine {
    fn system(&self) -> System {
        System::WOLVERINE
    }

    fn prove(
        &self,
        statement: ForProver<'_, S>,
        witness: &dyn Reread<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        ProverEnd::by(&Self, channel, options.clone()).prove(statement, witness)
    }

    fn verify(
        &self,
        statement: ForVerifier<'_, S>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        VerifierEnd::by(&Self, channel, options.clone()).verify(statement)
    }

    fn prove_many<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Option<Box<dyn ProvesMany<S> + 'c>> {
        Some(Box::new(ProverEnd::by(&Self, channel, options)))
    }

    fn verify_many<'c>(
        &self,
        channel: &'c mut Channel,
        options: Options,
    ) -> Option<Box<dyn VerifiesMany<S> + 'c>> {
        Some(Box::new(VerifierEnd::by(&Self, channel, options)))
    }
}

/// The prover's side.
pub(super) struct ProverEnd<'c, S: Setting> {
    common: Common<'c, S>,
    vole: Option<BoxedVole<S::Mac>>,
}

/// The verifier's side.
pub(super) struct VerifierEnd<'c, S: Setting> {
    common: Common<'c, S>,
    vole: Option<Keyed<S>>,
    /// The key to set up under, where it is not to be a fresh one.
    delta: Option<S::Delta>,
}

/// What a verifier came to, and what goes out where it is a shard.
type Decided<S> = (Accepted, Gates, Option<Checked>, Option<VerifierEnds<S>>);

/// The verifier's key and its end of the correlations under it.
type Keyed<S> = (<S as Setting>::Delta, BoxedVole<<S as Setting>::Key>);

impl<'c, S: Setting> ProverEnd<'c, S> {
    /// A session by QuickSilver; nothing is sent yet.
    pub(super) fn new(channel: &'c mut Channel, options: Options) -> Self {
        Self { common: Common::new(channel, named(System::QUICKSILVER, options), None), vole: None }
    }

    /// A session by Wolverine.
    fn by(wolverine: &'static dyn ByTriples<S>, channel: &'c mut Channel, options: Options) -> Self {
        Self { common: Common::new(channel, named(System::WOLVERINE, options), Some(wolverine)), vole: None }
    }
}

impl<S: Setting> ProvesMany<S> for ProverEnd<'_, S> {
    fn name_next(&mut self, digest: [u8; 32]) {
        self.common.options.statement = Some(digest);
    }

    fn prove(&mut self, statement: ForProver<'_, S>, witness: &dyn Reread<S::F>) -> Result<Report> {
        if self.common.options.check {
            check_stream(&statement.stream, witness.read()).inspect_err(|_| self.common.forget())?;
        }
        self.prove_as(statement, witness, None).map(|(report, _)| report)
    }
}

impl<S: Setting> ProverEnd<'_, S> {
    /// Proves a shard, and gives what goes out once the verdict is heard.
    pub(super) fn prove_shard(
        &mut self,
        statement: ForProver<'_, S>,
        witness: &dyn Reread<S::F>,
        (shard, within): (Passing<ProverEnds<S>>, Within),
    ) -> Result<(Report, ProverEnds<S>)> {
        self.common.within = Some(within);
        let (report, given) = self.prove_as(statement, witness, Some(shard))?;
        Ok((report, given.expect("it is a shard")))
    }

    fn prove_as(
        &mut self,
        statement: ForProver<'_, S>,
        witness: &dyn Reread<S::F>,
        shard: Option<Passing<ProverEnds<S>>>,
    ) -> Result<(Report, Option<ProverEnds<S>>)> {
        let mut run = self.common.open(&statement.stream)?;
        let vole = match self.vole.take() {
            Some(vole) => vole,
            None => {
                let Common { channel, options, random, .. } = &mut self.common;
                let random = random.as_mut().expect("opened");
                let vole =
                    S::compiled().prover_end(run.choice.correlations, channel, options.arch, random)?;
                run.prepare(vole, channel)?
            }
        };
        run.begin(self.common.channel);
        let Common { channel, options: Options { arch, progress, .. }, pool, terms, wolverine, .. } =
            &mut self.common;
        let (progress, pool) = (progress.as_deref(), pool.as_ref().expect("opened"));
        let (gates, checked, vole, given) = if let (Some(wolverine), Some(terms)) = (wolverine, terms) {
            let work = Work { arch: *arch, pool, progress, terms: *terms };
            let proved = wolverine.prove_gates(channel, vole, work, witness.read(), &statement.stream)?;
            let (gates, checked, vole) = proved;
            (gates, Some(checked), vole, None)
        } else {
            let (by, witness) = ((*arch, pool), witness.read());
            let compiled = S::compiled();
            if let Some(shard) = shard {
                let proved = compiled
                    .prove_shard_by_quicksilver(channel, vole, by, witness, progress, &statement, shard)?;
                let (gates, vole, given) = proved;
                (gates, None, vole, Some(given))
            } else {
                let proved =
                    compiled.prove_by_quicksilver(channel, vole, by, witness, progress, &statement)?;
                let (gates, vole) = proved;
                (gates, None, vole, None)
            }
        };
        recv_verdict(self.common.channel)?;
        self.vole = Some(vole);
        Ok((self.common.close(&run, gates, checked), given))
    }
}

impl<'c, S: Setting> VerifierEnd<'c, S> {
    /// A session by QuickSilver; nothing is sent yet.
    pub(super) fn new(channel: &'c mut Channel, options: Options) -> Self {
        let common = Common::new(channel, named(System::QUICKSILVER, options), None);
        Self { common, vole: None, delta: None }
    }

    /// A session by Wolverine.
    fn by(wolverine: &'static dyn ByTriples<S>, channel: &'c mut Channel, options: Options) -> Self {
        let common = Common::new(channel, named(System::WOLVERINE, options), Some(wolverine));
        Self { common, vole: None, delta: None }
    }

    /// The same, set up under `delta`.
    pub(super) fn under(channel: &'c mut Channel, options: Options, delta: S::Delta) -> Self {
        Self { delta: Some(delta), ..Self::new(channel, options) }
    }

    fn decide(
        &mut self,
        statement: ForVerifier<'_, S>,
        run: &mut Run<S::Correlations>,
        shard: Option<Passing<VerifierEnds<S>>>,
    ) -> Result<Decided<S>> {
        let (delta, vole) = match self.vole.take() {
            Some(vole) => vole,
            None => {
                let Common { channel, options, random, .. } = &mut self.common;
                let random = random.as_mut().expect("opened");
                let delta = self.delta.take().unwrap_or_else(|| S::delta(random));
                let vole = S::compiled().verifier_end(
                    run.choice.correlations,
                    channel,
                    options.arch,
                    &delta,
                    random,
                )?;
                (delta, run.prepare(vole, channel)?)
            }
        };
        run.begin(self.common.channel);
        let Common {
            channel, options: Options { arch, progress, .. }, random, pool, terms, wolverine, ..
        } = &mut self.common;
        let (random, progress) = (random.as_mut().expect("opened"), progress.as_deref());
        let pool = pool.as_ref().expect("opened");
        let (accepted, gates, checked, vole, given) = if let (Some(wolverine), Some(terms)) =
            (wolverine, terms)
        {
            let work = Work { arch: *arch, pool, progress, terms: *terms };
            let stream = &statement.stream;
            let (accepted, gates, checked, vole) =
                wolverine.verify_gates(channel, vole, work, &delta, random, stream)?;
            (accepted, gates, Some(checked), vole, None)
        } else {
            let (by, secrets) = ((*arch, pool), (&delta, random));
            let compiled = S::compiled();
            if let Some(shard) = shard {
                let verified = compiled
                    .verify_shard_by_quicksilver(channel, vole, by, secrets, progress, &statement, shard)?;
                let (accepted, gates, vole, given) = verified;
                (accepted, gates, None, vole, Some(given))
            } else {
                let verified =
                    compiled.verify_by_quicksilver(channel, vole, by, secrets, progress, &statement)?;
                let (accepted, gates, vole) = verified;
                (accepted, gates, None, vole, None)
            }
        };
        // More gates than were announced may be worth less.
        self.common.offer(run.choice.correlations, gates.size())?;
        self.vole = Some((delta, vole));
        Ok((accepted, gates, checked, given))
    }

    /// Verifies a shard, and gives what goes out.
    pub(super) fn verify_shard(
        &mut self,
        statement: ForVerifier<'_, S>,
        (shard, within): (Passing<VerifierEnds<S>>, Within),
    ) -> Result<(Accepted, Report, VerifierEnds<S>)> {
        self.common.within = Some(within);
        let (accepted, report, given) = self.verify_as(statement, Some(shard))?;
        Ok((accepted, report, given.expect("it is a shard")))
    }

    fn verify_as(
        &mut self,
        statement: ForVerifier<'_, S>,
        shard: Option<Passing<VerifierEnds<S>>>,
    ) -> Result<(Accepted, Report, Option<VerifierEnds<S>>)> {
        let mut run = self.common.open(&statement.stream)?;
        let verdict = self.decide(statement, &mut run, shard);
        let common = &mut self.common;
        let verdict = recv_end(common.channel, verdict);
        let verdict =
            common.options.recorded(verdict, |(_, gates, checked, _)| common.report(&run, *gates, *checked));
        let (accepted, gates, checked, given) = tell(common.channel, verdict)?;
        Ok((accepted, common.close(&run, gates, checked), given))
    }
}

impl<S: Setting> VerifiesMany<S> for VerifierEnd<'_, S> {
    fn name_next(&mut self, digest: [u8; 32]) {
        self.common.options.statement = Some(digest);
    }

    fn verify(&mut self, statement: ForVerifier<'_, S>) -> Result<(Accepted, Report)> {
        self.verify_as(statement, None).map(|(accepted, report, _)| (accepted, report))
    }
}

/// What both sides keep from statement to statement.
struct Common<'c, S: Setting> {
    channel: &'c mut Channel,
    options: Options,
    /// From the first statement on, as is the next.
    random: Option<Random>,
    pool: Option<Pool>,
    /// How products are checked, by Wolverine, and whoever does so.
    terms: Option<Terms>,
    wolverine: Option<&'static dyn ByTriples<S>>,
    choice: Option<Choice<S::Correlations>>,
    /// The run, where the statement is a shard.
    within: Option<Within>,
    dead: bool,
}

/// The digest of a statement, its size where that matters, and the correlations that are proposed for it.
type Settled<S> = ([u8; 32], Option<Size>, Proposal<<S as Setting>::Correlations>);

/// A statement on its way.
struct Run<C> {
    statement: [u8; 32],
    /// The shares that it draws before its first gate, where both parties have said its size.
    shares: Option<u64>,
    /// The shares, and those for masks, that both parties expect it to draw, where they have chosen
    /// correlations for them.
    expected: Option<(u64, u64)>,
    choice: Choice<C>,
    before: Traffic,
    setup_traffic: Traffic,
    started: Instant,
    begun: Instant,
}

impl<'c, S: Setting> Common<'c, S> {
    fn new(channel: &'c mut Channel, options: Options, wolverine: Option<&'static dyn ByTriples<S>>) -> Self {
        let (random, pool, terms, choice, within) = (None, None, None, None, None);
        Self { channel, options, random, pool, terms, wolverine, choice, within, dead: false }
    }

    /// Shakes hands on a statement; for the first one on all settings.
    fn open(&mut self, stream: &Stream<'_, S::F>) -> Result<Run<S::Correlations>> {
        if core::mem::replace(&mut self.dead, true) {
            return Err(Error::invalid("the session has ended in an error: start another"));
        }
        let (statement, size, proposal) = self.settle(stream)?;
        // Before a word is said: the peer times how soon it is answered.
        let (mut paces, threads) = (Vec::new(), self.options.threads);
        if proposal.compares::<S>() {
            let alone = S::compiled().paces(self.options.arch);
            paces.extend(alone.into_iter().map(|pace| pace.shared_by(threads)));
        }
        let (before, started) = (self.channel.traffic(), Instant::now());
        let first = self.random.is_none();
        if first {
            self.pool = Some(Pool::new(self.options.threads)?);
            self.random = Some(match &self.options.seed {
                Some(seed) => Random::from_seed(seed),
                None => Random::from_system()?,
            });
        }
        let parameters = proposal.text();
        let field = S::name();
        // Clauses are another protocol, and may have the name of the statement that they make.
        let clauses = size.is_some_and(|size| size.clauses > 0);
        let system = match self.within {
            Some(_) => SHARD,
            None if clauses => CLAUSES,
            None => self.options.system().name(),
        };
        let hello = Hello { system, field: &field, parameters: &parameters, statement: &statement };
        let nonce = self.random.as_mut().expect("set above").bytes();
        let theirs = shake_hands(self.channel, &hello, &nonce)?;
        if let Some(terms) = self.terms.as_ref().filter(|_| first) {
            agree(self.channel, terms)?;
        }
        // Later statements use what the first one was set up with.
        let resolved = proposal.resolve::<S>(&theirs, purpose(&self.options), self.channel, &paces)?;
        let choice = *self.choice.get_or_insert(resolved);
        self.offer(choice.correlations, size.unwrap_or_default())?;
        self.channel.checkpoint("statement");
        let setup_traffic = Traffic::default();
        let ahead = first && choice.reason == Reason::Small && S::drawn_ahead(choice.correlations);
        let shares = size.filter(|_| ahead).map(|size| match &self.terms {
            Some(terms) => drawn::<S::Macs>(terms, size),
            // One more at least is for masks: where commitments fill their blocks, theirs is drawn with them.
            None => size.commitments + 1,
        });
        let degree = <<S::Macs as Values>::E as Extension<S::F>>::DEGREE.into();
        let masked = size.filter(|_| self.terms.is_none());
        let lines = self.within.map_or(0, |within| within.lines);
        let masks = masked.map_or(0, |size| masks(size, degree).in_all()) + lines;
        let expected = match proposal {
            Proposal::Auto(Automatic { shares, .. }) if first && choice.is_made() => Some((shares, masks)),
            _ => None,
        };
        Ok(Run { statement, shares, expected, choice, before, setup_traffic, started, begun: started })
    }

    /// Forgets what was said of a statement that will not be proved.
    fn forget(&mut self) {
        (self.options.statement, self.options.size) = (None, None);
    }

    /// The statistical security that is asked for, in bits.
    fn asked(&self) -> Result<u32> {
        asked::<S>(&self.options)
    }

    /// What is proved.
    fn what(&self) -> &'static str {
        if self.within.is_some() { "run of shards" } else { "statement" }
    }

    /// Refuses where less statistical security is offered than asked for.
    fn offer(&self, correlations: S::Correlations, size: Size) -> Result<()> {
        let asked = self.asked()?;
        let offered = self.worth(correlations, size)?;
        if offered >= asked {
            return Ok(());
        }
        let enough = |other: &S::Correlations| self.worth(*other, size).is_ok_and(|bits| bits >= asked);
        let others = S::correlations().into_iter().find(enough);
        Err(Error::invalid(format!(
            "{asked} bits of statistical security were asked for, and {}{} over {} gives {offered} to a {} of this \
             size: ask for fewer, or take {}",
            self.terms.map_or(String::new(), |terms| format!("{} with ", terms.by)),
            correlations.into(),
            S::name(),
            self.what(),
            others.map_or("a larger extension", |others| others.into().name())
        )))
    }

    /// The statistical security of a statement of this size, or of a run whose shards are worth as much as this
    /// one, in bits.
    fn worth(&self, correlations: S::Correlations, size: Size) -> Result<u32> {
        let Some(Within { lines, bits }) = self.within else {
            return statistical_bits::<S>(&self.options, correlations, size);
        };
        // Shares that lines are drawn from are checked as others are.
        let size = Size { commitments: size.commitments + lines, ..size };
        Ok(statistical_bits::<S>(&self.options, correlations, size)?.saturating_sub(bits))
    }

    /// The statement's digest, its size where it matters, and the proposed correlations: as given, or
    /// from a walk over the circuit.
    fn settle(&mut self, stream: &Stream<'_, S::F>) -> Result<Settled<S>> {
        let triples = self.options.system().facts().triples;
        self.terms = if triples { Some(terms::<S>(&self.options)?) } else { None };
        self.asked()?;
        if self.options.non_interactive && !S::NON_INTERACTIVE {
            return Err(Error::invalid(format!(
                "a proof without coins of the verifier was asked for, and over {} a transcript's challenges could be \
                 searched offline: take an extension of 100 bits or more",
                S::name()
            )));
        }
        let Drawing { correlations, bandwidth, .. } =
            self.options.method.drawing().copied().unwrap_or_default();
        let given = correlations.map(Correlations::over::<S>).transpose()?;
        let options = &mut self.options;
        // A name, and a number, is for one statement: the next one must not be taken for this.
        let (named, counted) = (options.statement.take(), options.size.take());
        let firm = self.choice.map(|choice| choice.correlations).or(given);
        let sized = counted.is_some() || (firm.is_some() && !S::BOUND_BY_SIZE);
        let (shape, statement) = match named {
            None => Count::fingerprint(stream).map(|(shape, digest)| (Some(shape), digest))?,
            Some(digest) if sized => (None, digest),
            Some(digest) => (Some(stream.count()?), digest),
        };
        let by_gates = self.terms.is_some();
        let size = counted.or(shape.map(|shape| match by_gates {
            true => shape.size_by_gates(),
            false => quicksilver::size::<S::Macs>(&shape),
        }));
        if let Some(firm) = firm {
            self.offer(firm, size.unwrap_or_default())?;
            return Ok((statement, size, Proposal::Firm(firm)));
        }
        let counted = size.expect("counted where it was not given");
        let worth = |correlations| self.worth(correlations, counted);
        let excluded = excluded::<S>(self.asked()?, self.what(), worth)?;
        let shares = shares::<S>(&self.options, counted)?;
        let masked = size.filter(|_| !by_gates);
        let degree = masked.map_or(0, |size| degree_of_check(size.degree) as u64);
        Ok((statement, size, Proposal::Auto(Automatic { shares, degree, bandwidth, excluded })))
    }

    /// The statement has ended, and another may follow.
    fn close(&mut self, run: &Run<S::Correlations>, gates: Gates, checked: Option<Checked>) -> Report {
        self.dead = false;
        self.report(run, gates, checked)
    }

    fn report(&self, run: &Run<S::Correlations>, gates: Gates, checked: Option<Checked>) -> Report {
        let correlations = run.choice.correlations;
        let searched = self.terms.map_or(f64::INFINITY, |terms| terms.search_bits::<S::Macs>());
        let security = Security {
            computational: searched.min(S::computational_bits(correlations, gates.size()).into()) as u32,
            statistical: self.worth(correlations, gates.size()).expect("offered before"),
        };
        let choice = run.choice.by_name();
        let details = checked.map_or(Details::Drawn(choice), |checked| Details::Checked(choice, checked));
        Report {
            statement: run.statement,
            system: self.options.system(),
            gates,
            details,
            security,
            traffic: self.channel.traffic().since(run.before),
            setup_traffic: run.setup_traffic,
            setup: run.begun - run.started,
            online: run.begun.elapsed(),
        }
    }
}

impl<C> Run<C> {
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

    /// The set-up is done; gates follow.
    fn begin(&mut self, channel: &Channel) {
        self.begun = Instant::now();
        self.setup_traffic = channel.traffic().since(self.before);
    }
}
