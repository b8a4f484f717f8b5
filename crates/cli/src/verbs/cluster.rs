//! `volery cluster`: one party's coordinator, and its workers on this machine unless others start them.

mod processes;
pub(crate) mod worker;

use crate::verbs::args::{ClusterProve, ClusterRun, ClusterVerify, Public};
use crate::verbs::given::{claim, field, statement, way};
use crate::verbs::session::{CHECKING, met};
use processes::{Processes, Share};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::available_parallelism;
use std::time::Instant;
use volery::channel::{Listener, Party, SecretKey};
use volery::{AnyStatement, System};
use volery_cli::failure::{Failure, Fault, Result};
use volery_cli::keys;
use volery_cli::link::Reached;
use volery_cli::print::{human, notice, seconds, things};
use volery_cli::progress::{Counter, Progress, Watched};
use volery_cli::report::Outcome;
use volery_cli::report::shards::listed;
use volery_cli::settings::{Settings, threads};
use volery_cli::values::Reader;
use volery_cluster::{Abort, Fault as Cause, Launcher, News, ShardOutcome, Work};

/// The number of shards from which on a table does not list them one by one.
const LISTED: usize = 16;

/// `volery cluster prove`.
pub(crate) fn prove(typed: &ClusterProve, started: Instant) -> Result<()> {
    let settings = &settings(&typed.run, &typed.public)?;
    let claim = claim(settings.field, &typed.public, &typed.private, Reader::waiting(settings.timeout))?;
    if !typed.no_check {
        let _announced = Progress::announce(CHECKING, settings.quiet);
        claim.check()?;
    }
    let shards = shards(&typed.run)?;
    let options = settings.options(claim.statement().digest(), None)?;
    let work = Work::prove(settings.field, &*claim, shards, options)?;
    let party = Side { typed: &typed.run, settings, work: &work, statement: claim.statement() };
    let share = |shard: usize| claim.share(shards, shard);
    party.run(&typed.public.relation[0], typed.public.format.as_deref(), Some(&share), started)
}

/// `volery cluster verify`.
pub(crate) fn verify(typed: &ClusterVerify, started: Instant) -> Result<()> {
    let settings = &settings(&typed.run, &typed.public)?;
    let statement = statement(settings.field, &typed.public, &mut Reader::waiting(settings.timeout))?;
    let options = settings.options(statement.digest(), None)?;
    let work = Work::verify(settings.field, &*statement, shards(&typed.run)?, options)?;
    let party = Side { typed: &typed.run, settings, work: &work, statement: &*statement };
    party.run(&typed.public.relation[0], typed.public.format.as_deref(), None, started)
}

fn settings(typed: &ClusterRun, public: &Public) -> Result<Settings> {
    let field = field(&typed.protocol, public)?;
    let settings =
        Settings::new(field, &typed.protocol, &typed.output)?.over(typed.hint.bandwidth.as_deref())?;
    only_quicksilver(&settings)?;
    Ok(settings)
}

/// Refuses systems whose wires are worth nothing in another session.
pub(crate) fn only_quicksilver(settings: &Settings) -> Result<()> {
    match settings.system() {
        System::QUICKSILVER => Ok(()),
        other => Err(Failure::usage(format_args!(
            "--system: {other} proves no shards: leave it out, and they are proved by {}",
            System::QUICKSILVER
        ))),
    }
}

fn number(option: &str, text: &str, least: usize) -> Result<usize> {
    let number = text.parse().ok().filter(|number| *number >= least && *number <= 1 << 16);
    number
        .ok_or_else(|| Failure::usage(format_args!("{option} {text}: write a number from {least} to 65536")))
}

fn shards(typed: &ClusterRun) -> Result<usize> {
    number("--shards", &typed.shards, 1)
}

/// A party of a run.
struct Side<'a> {
    typed: &'a ClusterRun,
    settings: &'a Settings,
    work: &'a Work<'a>,
    statement: &'a dyn AnyStatement,
}

impl Side<'_> {
    /// Runs it, and prints what it came to.
    fn run(
        &self,
        relation: &str,
        format: Option<&str>,
        share: Option<&Share<'_>>,
        started: Instant,
    ) -> Result<()> {
        let Self { typed, settings, work, .. } = *self;
        let (shards, restarts) = (shards(typed)?, number("--restarts", &typed.restarts, 0)?);
        let cores = available_parallelism().map_or(1, NonZeroUsize::get);
        let most = if typed.run_key.is_some() { shards } else { cores.min(shards) };
        let at_once = typed.workers.as_deref().map_or(Ok(most), |text| number("--workers", text, 1))?;
        let way = way(&typed.peer)?;
        let key = match &typed.run_key {
            Some(path) => keys::read(Some(path)).map_err(|why| why.at("--run-key"))?,
            None => SecretKey::generate()?,
        };
        let unbound = |why| Failure::usage(format_args!("--join {}: {why}", typed.join));
        let listener = Listener::bind(&*typed.join).map_err(unbound)?;
        let join = listener.local_addr().map_err(unbound)?;
        let (mut coordinator, worth) = work.coordinator(key, listener, restarts as u32)?;
        coordinator.at_once = at_once;
        coordinator.timeout = settings.timeout;
        coordinator.listens = typed.peer.listen.is_some();
        let host =
            |address: &String| address.rsplit_once(':').map(|(host, _)| host.trim_matches(['[', ']']).into());
        coordinator.peer_host = typed.peer.connect.as_ref().and_then(host);
        // Each worker has its part of the threads of this machine.
        let each = match typed.protocol.threads {
            Some(_) => settings.threads.get(),
            None => (threads(&typed.protocol, 0)?.get() / at_once).max(1),
        };
        let mut processes = typed.run_key.is_none().then(|| {
            let order = self.order(relation, format, each);
            Processes { order, key: coordinator.key.to_pem(), share }
        });
        if processes.is_none() {
            notice(format_args!("workers join at {join}"));
        }
        let Reached { link, peer, .. } = way.link(settings.timeout)?;
        let mut watch = Watch::new(shards, settings.quiet);
        let before = started.elapsed();
        let launcher = processes.as_mut().map(|processes| processes as &mut dyn Launcher);
        let ran = coordinator.run(link, launcher, &mut |news| watch.hear(news));
        drop(watch);
        let ran = ran.map_err(failed)?;
        let worth = *worth.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut outcome = Outcome::of_shards(settings, work.party(), &ran, worth, (started, before));
        outcome.threads = each;
        outcome.warnings = self.statement.warnings();
        outcome.more("workers", json!(at_once), format!("{at_once} at once"));
        outcome.more("restarts", json!(ran.restarts), things(ran.restarts.into(), "attempt") + " lost");
        met(&mut outcome, peer);
        outcome.more("shards", listed(&ran.shards), rows(&ran.shards));
        outcome.print(settings.json)
    }

    /// The order for workers that are processes of this machine, but for the shard.
    fn order(&self, relation: &str, format: Option<&str>, threads: usize) -> Value {
        let Self { typed, settings, work, statement } = *self;
        let public: Vec<_> =
            statement.public().into_iter().map(|(port, value)| format!("{}={value}", port.name)).collect();
        // Whose side listens is reached where it does.
        let listen = typed.peer.listen.as_deref().and_then(|address| address.rsplit_once(':'));
        let protocol = &typed.protocol;
        json!({
            "prover": work.party() == Party::Prover,
            "relation": relation,
            "format": format,
            "public": public,
            "listen": listen.map(|(host, _)| format!("{host}:0")),
            "shards": work.announced().count(),
            "field": settings.field.name(),
            "vole": protocol.vole,
            "security": protocol.security,
            "insecure_parameters": protocol.insecure_parameters,
            "non_interactive": protocol.non_interactive,
            "timeout": protocol.timeout,
            "bandwidth": typed.hint.bandwidth,
            "threads": threads,
        })
    }
}

fn rows(shards: &[ShardOutcome]) -> String {
    let row = |of: &ShardOutcome| {
        let figures = &of.figures;
        format!(
            "{} in {}, {}B sent, {}B received",
            things(figures.mul, "multiplication"),
            seconds((figures.setup + figures.online) as f64 / 1e9),
            human(figures.sent as f64),
            human(figures.received as f64)
        )
    };
    if shards.len() > LISTED {
        return format!("{}, each with its figures by --json", shards.len());
    }
    shards
        .iter()
        .enumerate()
        .map(|(i, of)| format!("{i}: {}", row(of)))
        .collect::<Vec<_>>()
        .join("\n             ")
}

/// How a run ended that has no verdict, or a bad one.
pub(crate) fn failed(abort: Abort) -> Failure {
    let fault = match abort.fault {
        Cause::Rejected => Fault::Rejected,
        Cause::Lost | Cause::Peer => Fault::Peer,
        Cause::Own | Cause::Unsatisfied => Fault::Usage,
        Cause::Interrupted => Fault::Interrupted,
        Cause::Bug => Fault::Bug,
    };
    let (unsatisfied, counts_against_peer) = (abort.fault == Cause::Unsatisfied, abort.counts_against_peer);
    Failure { unsatisfied, counts_against_peer, ..Failure::new(fault, &abort) }
}

/// Tells on standard error what happens.
struct Watch {
    shards: usize,
    quiet: bool,
    counter: Arc<Counter>,
    /// Multiplications done so far, by shard.
    done: BTreeMap<usize, u64>,
    _progress: Progress,
}

impl Watch {
    fn new(shards: usize, quiet: bool) -> Self {
        let counter = Arc::<Counter>::default();
        let watched = Watched { done: counter.clone(), meter: None, unit: "gates", total: None };
        Self { shards, quiet, counter, done: BTreeMap::new(), _progress: Progress::start(watched, quiet) }
    }

    fn hear(&mut self, news: &News) {
        let says = |what: std::fmt::Arguments<'_>| {
            if !self.quiet {
                notice(format_args!("volery: {what}"));
            }
        };
        let all = self.shards;
        match news {
            News::Working { shard, gates } => self.count(*shard, *gates),
            News::Accepted { shard, figures } => {
                let time = seconds((figures.setup + figures.online) as f64 / 1e9);
                says(format_args!("shard {shard} of {all} is accepted, in {time}"));
                self.count(*shard, figures.mul);
            }
            News::Lost { shard, attempt, why } => {
                says(format_args!(
                    "shard {shard} of {all} is begun again: attempt {attempt} was lost: {why}"
                ));
                self.count(*shard, 0);
            }
            News::TurnedAway { why } => {
                says(format_args!("somebody that is no worker was turned away: {why}"))
            }
            _ => {}
        }
    }

    fn count(&mut self, shard: usize, gates: u64) {
        self.done.insert(shard, gates);
        self.counter.now.store(self.done.values().sum(), Ordering::Relaxed);
    }
}
