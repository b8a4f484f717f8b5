//! Sessions of many queries to a network, whose weights are committed to once.
//!
//! A thread of its own has the session, with the link and the network that it borrows. The caller's thread hands it one
//! request at a time, and attends to it until it pauses.

mod network;

use crate::errors::{Result, invalid};
use crate::options::Asked;
use crate::party::met;
use crate::session::{Event, Quietly, Shared, Working, never};
pub(crate) use network::split_network;
use network::{Given, Weights, claim, given, whole};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::mem::replace;
use std::path::PathBuf;
use std::slice::from_ref;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use volery::channel::{Channel, Identity, Party};
use volery::circuit::Port;
use volery::{AnyRelation, AnyStatement, Options, Queries, QueryProver, QueryVerifier, Report};
use volery_cli::failure::Failure;
use volery_cli::fields::ARITHMETIC;
use volery_cli::link::{Metered, Way};
use volery_cli::networks::{self, decoded, of_weights};
use volery_cli::report::Outcome;
use volery_cli::settings::Settings;

/// The inputs of a prover's query, and nothing for its end; nothing for a verifier's next.
type Request = Option<Given>;

/// The answer of a query, or why that was left out; nothing was sent of it then.
type Answer = Result<Told>;

/// The public values of a query, and the report of its proof.
struct Told {
    values: Vec<Shown>,
    report: Value,
}

/// A public value: the integers of a tensor.
struct Shown {
    name: String,
    shape: Vec<usize>,
    /// An integer `a` stands for `a · 2^−exponent`.
    exponent: i32,
    integers: Vec<i64>,
}

/// A public value as Python takes it: name, shape, exponent, and integers of 8 bytes each, the lowest first.
type AsPython<'py> = (String, Vec<usize>, i32, Bound<'py, PyBytes>);

/// Public values where a query was answered, and a report as JSON: of the session, where that has ended.
type Heard<'py> = (Option<Vec<AsPython<'py>>>, String);

/// One end of a session of queries to a network. See `volery/onnx/_queries.py`.
#[pyclass(frozen, module = "volery.onnx")]
pub(crate) struct QuerySession(Mutex<State>);

/// How a session stands.
enum State {
    Open(Open),
    /// A thread has it in hand.
    Busy,
    Over,
}

/// A session that waits for a request.
struct Open {
    working: Working<Value>,
    requests: Sender<Request>,
    answers: Receiver<Answer>,
}

/// Opens a session about the network at a path: a prover's, or a verifier's. `show` names what is public, or nothing for
/// the usual. Of a prover's `first` query, if there is one, the answer is handed back, too; where that is left out, nobody
/// was contacted.
#[pyfunction]
#[pyo3(signature = (role, path, weights, show, first, keywords))]
pub(crate) fn open_queries<'py>(
    py: Python<'py>,
    role: &str,
    path: PathBuf,
    weights: Option<Bound<'py, PyAny>>,
    show: Vec<String>,
    first: Option<&Bound<'py, PyDict>>,
    keywords: &Bound<'py, PyDict>,
) -> PyResult<(QuerySession, Option<Heard<'py>>)> {
    let (asked, callbacks) = Asked::read(keywords)?;
    let party = if role == "prove" { Party::Prover } else { Party::Verifier };
    let weights = weights.as_ref().map(Weights::read).transpose()?;
    let first = first.map(given).transpose()?;
    let work = Work::new(&asked, party, (path, weights), show, first).map_err(|why| why.raised(py, None))?;
    let (requests, asked) = channel();
    let (answers, answered) = channel();
    let mut working = Working::start((Arc::default(), callbacks), move |shared| {
        work.run(&Talk { shared, requests: asked, answers })
    })?;
    working.attend(py, None, &mut never)?;
    let told = answered.try_recv().ok().map(|answer| heard(py, answer)).transpose()?;
    let open = Open { working, requests, answers: answered };
    Ok((QuerySession(Mutex::new(State::Open(open))), told))
}

/// An answer as Python takes it.
fn heard(py: Python<'_>, answer: Answer) -> PyResult<Heard<'_>> {
    let Told { values, report } = answer.map_err(|why| why.raised(py, None))?;
    let value = |Shown { name, shape, exponent, integers }| {
        let bytes: Vec<u8> = integers.into_iter().flat_map(i64::to_le_bytes).collect();
        (name, shape, exponent, PyBytes::new(py, &bytes))
    };
    Ok((Some(values.into_iter().map(value).collect()), report.to_string()))
}

#[pymethods]
impl QuerySession {
    /// Asks for what these inputs give or, where there are none, for what follows: a verifier for the next query, a prover
    /// for the end.
    fn ask<'py>(&self, py: Python<'py>, inputs: Option<&Bound<'py, PyDict>>) -> PyResult<Heard<'py>> {
        let request = inputs.map(given).transpose()?;
        let mut open = self.take()?;
        // Whoever has ended meanwhile says why.
        let _ = open.requests.send(request);
        match open.working.attend(py, None, &mut never) {
            Ok(None) => {
                let answer = open.answers.recv().expect("it pauses behind an answer");
                *self.state() = State::Open(open);
                heard(py, answer)
            }
            Ok(Some(report)) => {
                *self.state() = State::Over;
                Ok((None, report.to_string()))
            }
            Err(why) => {
                *self.state() = State::Over;
                Err(why)
            }
        }
    }

    /// Closes the link, if the session has not ended: the peer hears of that as of an error.
    fn abandon(&self, py: Python<'_>) -> PyResult<()> {
        if !self.is_open() {
            return Ok(());
        }
        let Open { working, requests, answers: _ } = self.take()?;
        *self.state() = State::Over;
        drop(requests);
        working.abandon(py);
        Ok(())
    }

    /// Whether it has not ended, well or otherwise.
    #[getter]
    fn is_open(&self) -> bool {
        !matches!(*self.state(), State::Over)
    }
}

impl QuerySession {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the session in hand.
    fn take(&self) -> PyResult<Open> {
        let mut state = self.state();
        match replace(&mut *state, State::Busy) {
            State::Open(open) => Ok(open),
            State::Busy => Err(invalid("another thread has the session in hand: ask from one at a time")),
            State::Over => {
                *state = State::Over;
                Err(invalid("the session is over: open another"))
            }
        }
    }
}

/// The ends at which the session's thread hears and says.
struct Talk<'s> {
    shared: &'s Shared,
    requests: Receiver<Request>,
    answers: Sender<Answer>,
}

impl Talk<'_> {
    /// The next request, once there is one.
    ///
    /// # Errors
    /// Where there will be none.
    fn next(&self) -> Result<Request> {
        self.shared.say(Event::Pause);
        self.requests.recv().map_err(|_| Failure::usage("the session was left").into())
    }

    fn answer(&self, answer: Answer) {
        // Nobody hears it where the caller has left.
        let _ = self.answers.send(answer);
    }
}

/// The identity of the peer, and the name by which it is pinned; nobody knows in plain TCP.
type Peer = Option<(Identity, String)>;

/// Everything that the session's thread takes along.
struct Work {
    party: Party,
    path: PathBuf,
    /// The path as a relation's name.
    spec: String,
    weights: Option<Weights>,
    show: Vec<String>,
    first: Option<Given>,
    label: String,
    settings: Settings,
    way: Way,
    started: Instant,
}

impl Work {
    fn new(
        asked: &Asked,
        party: Party,
        (path, weights): (PathBuf, Option<Weights>),
        show: Vec<String>,
        first: Option<Given>,
    ) -> Result<Self> {
        let Some(spec) = path.to_str().map(str::to_owned) else {
            return Err(Failure::usage(format_args!("{}: name the file in UTF-8", path.display())).into());
        };
        let settings = asked.settings(asked.field(Some(ARITHMETIC))?, None)?;
        let (label, way, started) = (asked.label.clone(), asked.way()?, Instant::now());
        Ok(Self { party, path, spec, weights, show, first, label, settings, way, started })
    }

    fn run(self, talk: &Talk<'_>) -> Result<Value> {
        match self.party {
            Party::Prover => self.prove(talk),
            Party::Verifier => self.verify(talk),
        }
    }

    fn prove(&self, talk: &Talk<'_>) -> Result<Value> {
        let file = network::read(&self.path)?;
        let network = whole(&self.path, &file, self.weights.as_ref())?;
        let queries = self.queries()?;
        let shapes = shapes(&*queries.query()?);
        let of_weights = of_weights(&queries, &network)?;
        // Until it is known to hold nobody is contacted.
        let first = self.first.as_ref().map(|given| claim(&queries, &network, given));
        let mut first = first.transpose()?;
        let (options, mut channel, peer) = self.meet(of_weights.statement().digest(), talk.shared)?;
        let (mut prover, report) = QueryProver::new(&queries, &*of_weights, &mut channel, &options)?;
        let mut reports = vec![report];
        loop {
            let mut asked = Instant::now();
            let query = match first.take() {
                Some(query) => query,
                None => {
                    let Some(given) = talk.next()? else { break };
                    asked = Instant::now();
                    match claim(&queries, &network, &given) {
                        Ok(query) => query,
                        Err(why) => {
                            talk.answer(Err(why));
                            continue;
                        }
                    }
                }
            };
            let report = prover.prove(&*query)?;
            talk.answer(Ok(self.told(query.statement(), &shapes, &report, asked)));
            reports.push(report);
        }
        prover.end()?;
        channel.close()?;
        Ok(self.ended(&reports, peer))
    }

    fn verify(&self, talk: &Talk<'_>) -> Result<Value> {
        let queries = self.queries()?;
        let shapes = shapes(&*queries.query()?);
        let common = queries.common()?.state()?;
        let (options, mut channel, peer) = self.meet(common.digest(), talk.shared)?;
        let (mut verifier, report) = QueryVerifier::new(&queries, &mut channel, &options)?;
        let mut reports = vec![report];
        loop {
            talk.next()?;
            let Some(query) = verifier.receive()? else { break };
            let asked = Instant::now();
            let (_accepted, report) = verifier.verify(&*query)?;
            talk.answer(Ok(self.told(&*query, &shapes, &report, asked)));
            reports.push(report);
        }
        drop(verifier);
        channel.close()?;
        Ok(self.ended(&reports, peer))
    }

    fn queries(&self) -> Result<Queries> {
        Ok(networks::queries(self.settings.field, &self.spec, &self.show)?)
    }

    /// The link to the peer, and who that is; with the options of a session whose weights have this digest.
    fn meet(&self, digest: [u8; 32], shared: &Shared) -> Result<(Options, Channel, Peer)> {
        let mut options = self.settings.options(digest, None)?;
        options.label.clone_from(&self.label);
        options.progress = Some(shared.done.clone());
        options.work = Some(shared.total.clone());
        let reached = self.way.link_by(self.settings.timeout, &mut Quietly(shared))?;
        shared.keep(reached.handle);
        let link = Metered { link: reached.link, meter: shared.meter.clone() };
        Ok((options, Channel::new(self.party, link), reached.peer))
    }

    /// The answer of a query that was proved.
    fn told(
        &self,
        query: &dyn AnyStatement,
        shapes: &HashMap<String, Vec<usize>>,
        report: &Report,
        asked: Instant,
    ) -> Told {
        let shown = query.encodings().into_iter().map(|(port, encoding)| Shown {
            name: port.name.clone(),
            shape: shapes[&port.name].clone(),
            exponent: port.fixed_point.as_ref().map_or(0, |numbers| numbers.exponent),
            integers: decoded(&encoding),
        });
        let report = Outcome::new(&self.settings, Some(self.party), from_ref(report), asked).json();
        Told { values: shown.collect(), report }
    }

    /// The report of the session.
    fn ended(&self, reports: &[Report], peer: Peer) -> Value {
        let mut outcome = Outcome::new(&self.settings, Some(self.party), reports, self.started);
        outcome.more("queries", json!(reports.len() - 1), String::new());
        met(&mut outcome, peer);
        outcome.json()
    }
}

/// The shapes of a query's inputs and outputs, by their names: of classes that of the output without its last axis.
fn shapes(query: &dyn AnyRelation) -> HashMap<String, Vec<usize>> {
    let shape = |port: &Port| port.fixed_point.as_ref().map(|numbers| numbers.shape.clone());
    let of_classes = || {
        let mut shape = query.outputs().first().and_then(shape).unwrap_or_default();
        shape.pop();
        shape
    };
    let ports = query.inputs().iter().chain(query.outputs());
    ports.map(|port| (port.name.clone(), shape(port).unwrap_or_else(of_classes))).collect()
}
