//! Proofs by many workers: one party's coordinator, and its workers. Who starts workers is Python's business.

mod function;
mod news;

pub(crate) use function::run_worker_of;

use crate::errors::{Result, Trouble, invalid, of_abort};
use crate::keys::Key;
use crate::options::Asked;
use crate::parts::{Parts, Said};
use crate::party::{claim, statement};
use crate::run::types::Type;
use crate::session::{Callbacks, Event, Quietly, Shared, drive, never};
use crate::shards::{Held, InShards};
use function::Function;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::json;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use volery::channel::{Listener, Party, SecretKey};
use volery_cli::link::{Metered, Way};
use volery_cli::report::shards::listed;
use volery_cli::report::{Outcome, peak_rss};
use volery_cli::settings::Settings;
use volery_cluster::{Handle, Launch, Launcher, News, Worker};
use zeroize::Zeroizing;

/// Attempts that may be lost where nobody says how many: as by `volery cluster`.
const RESTARTS: u32 = 16;

fn party(name: &str) -> PyResult<Party> {
    [Party::Prover, Party::Verifier]
        .into_iter()
        .find(|party| party.name() == name)
        .ok_or_else(|| invalid(format!("role: prover or verifier, and not {name}")))
}

/// One party's side of a run in shards: see `volery/ray/_run.py`.
#[pyclass(frozen, module = "volery")]
pub(crate) struct Shards {
    party: Party,
    of: Of,
    settings: Arc<Settings>,
    check: bool,
    key: Key,
    listens: bool,
    peer_host: Option<String>,
    begun: Mutex<Option<(Way, Callbacks)>>,
    handle: Mutex<Option<Handle>>,
}

/// The statement that is proved in shards.
enum Of {
    Relation(Arc<InShards>),
    Function(Box<Function>),
}

impl Of {
    fn count(&self) -> usize {
        match self {
            Self::Relation(shards) => shards.shards,
            Self::Function(function) => function.count(),
        }
    }
}

/// A way to make the caller's thread start workers.
struct Asks<'s>(&'s Shared, Arc<Py<PyAny>>);

impl Launcher for Asks<'_> {
    fn launch(&mut self, launch: Launch, _: &Handle) -> volery::Result<()> {
        let (launches, coordinator) = (self.1.clone(), launch.coordinator.to_string());
        self.0.say(Event::Call(Box::new(move |py| {
            launches.call1(py, (launch.shard, launch.attempt, coordinator)).map(drop)
        })));
        Ok(())
    }
}

#[pymethods]
impl Shards {
    /// A run of a relation in `shards` shards, for a role.
    #[new]
    fn new(
        py: Python<'_>,
        role: &str,
        relation: &str,
        shards: usize,
        public: &Bound<'_, PyAny>,
        private: &Bound<'_, PyAny>,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let party = party(role)?;
        let (asked, callbacks) = Asked::read(keywords)?;
        let raised = |why: Trouble| why.raised(py, None);
        let field = asked.field_of(relation).map_err(raised)?;
        let settings = asked.settings(field, None).map_err(raised)?;
        let way = asked.way().map_err(raised)?;
        let opened = statement(py, field, relation, public)?;
        let held = match party {
            Party::Prover => Held::Claim(claim(py, opened, private)?),
            Party::Verifier => Held::Open(opened),
        };
        let made = || -> Result<_> {
            let options = settings.options([0; 32], None)?;
            let shards = InShards { held, shards, field, options };
            shards.work()?;
            Ok((shards, SecretKey::generate()?))
        };
        let (shards, key) = made().map_err(raised)?;
        let of = Of::Relation(Arc::new(shards));
        Ok(Self::made((party, of), settings, &asked, key, (way, callbacks)))
    }

    /// A run of a function that is called for each of `parts`, for a role: see `run_function`. All of it runs
    /// once, for its digest. `private`, which gives the private values of a shard, is called for the check.
    #[staticmethod]
    fn of_function(
        py: Python<'_>,
        role: &str,
        function: Bound<'_, PyAny>,
        parts: Vec<Said<Type>>,
        field: &str,
        private: Bound<'_, PyAny>,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let party = party(role)?;
        let (asked, callbacks) = Asked::read(keywords)?;
        let raised = |why: Trouble| why.raised(py, None);
        let field = asked.field(Some(field)).map_err(raised)?;
        let settings = asked.settings(field, None).map_err(raised)?;
        let way = asked.way().map_err(raised)?;
        let options = settings.options([0; 32], None).map_err(|why| raised(why.into()))?;
        let key = SecretKey::generate().map_err(|why| raised(why.into()))?;
        let parts = Arc::new(Parts::read(Some(parts)).map_err(raised)?);
        let function = Function::new(py, (party, field, options), function, parts, private)?;
        let of = Of::Function(Box::new(function));
        Ok(Self::made((party, of), settings, &asked, key, (way, callbacks)))
    }

    /// How many shards there are.
    fn __len__(&self) -> usize {
        self.of.count()
    }

    /// The public values of a relation, as texts that workers take.
    fn public(&self) -> Vec<String> {
        match &self.of {
            Of::Relation(shards) => shards.public(),
            Of::Function(_) => Vec::new(),
        }
    }

    /// The digests of a shard, of what is announced and of all, of a function: by these a worker knows that it has
    /// the same one.
    fn digests<'py>(&self, py: Python<'py>, shard: usize) -> Option<[Bound<'py, PyBytes>; 3]> {
        match &self.of {
            Of::Relation(_) => None,
            Of::Function(function) => Some(function.digests(shard).map(|digest| PyBytes::new(py, &digest))),
        }
    }

    /// The run key, which every worker of this party takes: secret.
    fn run_key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.key.0.to_pem().as_bytes())
    }

    /// The part of a relation's witness that the worker of a shard has to know, as secret as the whole; empty
    /// at a verifier.
    fn share<'py>(&self, py: Python<'py>, shard: usize) -> PyResult<Bound<'py, PyBytes>> {
        let share = match &self.of {
            Of::Relation(shards) => shards.share(shard).map_err(|why| why.raised(py, None))?,
            Of::Function(_) => Zeroizing::default(),
        };
        Ok(PyBytes::new(py, &share))
    }

    /// The worker that was started for a shard has ended, and why.
    fn exited(&self, shard: usize, why: String) {
        if let Some(handle) = &*locked(&self.handle) {
            handle.exited(shard, why);
        }
    }

    /// Ends the run, from any thread.
    fn interrupt(&self) {
        if let Some(handle) = &*locked(&self.handle) {
            handle.interrupt();
        }
    }

    /// Coordinates the run to its verdict, once. Workers join at `host`. On this thread `launch` is called
    /// with a shard, an attempt and an address where a worker is to be started, which it does not wait for, and
    /// `news` with what happens, as JSON. The keyword `progress` is called ten times a second.
    fn run(
        &self,
        py: Python<'_>,
        host: &str,
        at_once: usize,
        restarts: Option<u32>,
        launch: Py<PyAny>,
        news: Py<PyAny>,
    ) -> PyResult<String> {
        let host: IpAddr =
            host.parse().map_err(|_| invalid(format!("workers join at the number of a host, not {host}")))?;
        let Some((way, callbacks)) = locked(&self.begun).take() else {
            return Err(invalid("a run is coordinated once: make another"));
        };
        let raised = |why: Trouble| why.raised(py, None);
        let bound = Listener::bind(SocketAddr::new(host, 0));
        let listener = bound.map_err(|why| invalid(format!("workers cannot join at {host}: {why}")))?;
        let key = SecretKey::from_pem(self.key.0.to_pem().as_bytes()).map_err(|why| raised(why.into()))?;
        let restarts = restarts.unwrap_or(RESTARTS);
        let shared = Arc::<Shared>::default();
        let shards = match &self.of {
            Of::Relation(shards) => shards.clone(),
            Of::Function(function) => Arc::new(function.in_shards(&shared)),
        };
        let made = || Ok::<_, Trouble>(shards.work()?.coordinator(key, listener, restarts)?);
        let (mut coordinator, worth) = made().map_err(raised)?;
        coordinator.at_once = at_once;
        coordinator.timeout = self.settings.timeout;
        coordinator.listens = self.listens;
        coordinator.peer_host = self.peer_host.clone();
        let handle = coordinator.handle();
        *locked(&self.handle) = Some(handle.clone());
        shared.end_by(move || handle.interrupt());
        let mut runs = match (&self.of, shards.built()) {
            (Of::Function(function), Some(built)) => Some(function.runs(py, built)),
            _ => None,
        };
        let mut run = |_: Python<'_>, tape, shard, watch| match &mut runs {
            Some(runs) => runs.run(py, tape, shard, watch),
            None => Ok(()),
        };
        let (launch, news, started) = (Arc::new(launch), Arc::new(news), Instant::now());
        let (settings, check, party) = (self.settings.clone(), self.check, self.party);
        let built = shards.built().cloned();
        let ran = drive(py, (shared, callbacks), built, &mut run, move |shared| {
            if check {
                shards.check()?;
            }
            let reached = way.link_by(settings.timeout, &mut Quietly(shared))?;
            let link = Metered { link: reached.link, meter: shared.meter.clone() };
            let before = started.elapsed();
            let mut gates = vec![0; shards.shards];
            let mut watch = |told: &News| {
                count(&mut gates, told);
                shared.done.store(gates.iter().sum(), Ordering::Relaxed);
                let (news, text) = (news.clone(), news::of(told).to_string());
                shared.say(Event::Call(Box::new(move |py| news.call1(py, (text,)).map(drop))));
            };
            let mut launcher = Asks(shared, launch);
            let outcome = match coordinator.run(link, Some(&mut launcher), &mut watch) {
                Ok(outcome) => outcome,
                Err(abort) => return Ok(Err(abort)),
            };
            let worth = *worth.lock().unwrap_or_else(PoisonError::into_inner);
            let mut proof = Outcome::of_shards(&settings, party, &outcome, worth, (started, before));
            proof.warnings = shards.warnings();
            proof.more("restarts", json!(outcome.restarts), String::new());
            proof.more("shards", listed(&outcome.shards), String::new());
            Ok(Ok(proof.json()))
        });
        *locked(&self.handle) = None;
        let object = ran?.map_err(|abort| of_abort(py, &abort))?;
        Ok(object.to_string())
    }
}

impl Shards {
    fn made(
        (party, of): (Party, Of),
        settings: Settings,
        asked: &Asked,
        key: SecretKey,
        begun: (Way, Callbacks),
    ) -> Self {
        Self {
            party,
            of,
            settings: Arc::new(settings),
            check: asked.check,
            key: Key(key),
            listens: asked.listens(),
            peer_host: asked.peer_host(),
            begun: Mutex::new(Some(begun)),
            handle: Mutex::new(None),
        }
    }
}

/// Keeps the multiplications of each shard.
fn count(gates: &mut [u64], told: &News) {
    match told {
        News::Working { shard, gates: done } => gates[*shard] = *done,
        News::Lost { shard, .. } => gates[*shard] = 0,
        News::Accepted { shard, figures } => gates[*shard] = figures.mul,
        _ => {}
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does the shard of `at`, of how many, for the coordinator at a host and a port, by the run key in PEM, the
/// first of `secrets`; the second is what [`Shards::share`] gave. `host` is the one by which others reach this worker.
#[pyfunction]
#[pyo3(signature = (role, relation, at, public, secrets, coordinator, host, keywords))]
#[expect(clippy::too_many_arguments, reason = "it is what a worker has to know, and Python calls it by name")]
pub(crate) fn run_worker(
    py: Python<'_>,
    role: &str,
    relation: &str,
    at: (usize, usize),
    public: &Bound<'_, PyAny>,
    secrets: (Vec<u8>, Vec<u8>),
    coordinator: String,
    host: Option<String>,
    keywords: &Bound<'_, PyDict>,
) -> PyResult<()> {
    let (key, share) = (Zeroizing::new(secrets.0), Zeroizing::new(secrets.1));
    let (party, (shard, shards)) = (party(role)?, at);
    let (asked, callbacks) = Asked::read(keywords)?;
    let raised = |why: Trouble| why.raised(py, None);
    let field = asked.field_of(relation).map_err(raised)?;
    let settings = asked.settings(field, None).map_err(raised)?;
    let opened = statement(py, field, relation, public)?;
    let held = match party {
        Party::Prover => Held::Share(opened, share),
        Party::Verifier => Held::Open(opened),
    };
    let key = SecretKey::from_pem(&key).map_err(|why| raised(why.into()))?;
    let timeout = settings.timeout;
    let worker = Worker { party, shard, key, coordinator, listen: None, host, timeout, peak: peak_rss };
    let shared = Arc::<Shared>::default();
    let ran = drive(py, (shared, callbacks), None, &mut never, move |_| {
        let options = settings.options([0; 32], None)?;
        let shards = InShards { held, shards, field, options };
        Ok(volery_cluster::run_worker(&worker, &shards.work()?, &mut |_, _| {}))
    });
    ran?.map_err(|abort| of_abort(py, &abort))
}
