//! Acts of a party on a statement: of a Python function, or of a relation that has a name or a file.

mod given;

use crate::built::{AnyBuilt, built};
use crate::errors::{Result, Trouble};
use crate::options::Asked;
use crate::parts::{Parts, Said};
use crate::run::shard::Runs;
use crate::run::types::Type;
use crate::session::{Event, Quietly, Shared, drive, never};
pub(crate) use given::{array, claim, statement};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use volery::channel::{Channel, Identity, Party};
use volery::circuit::{Shape, Size};
use volery::{AnyClaim, AnyStatement, Options, Report};
use volery_cli::link::{Metered, Way};
use volery_cli::report::Outcome;
use volery_cli::settings::Settings;

/// The act that is to be done.
#[derive(Clone, Copy, PartialEq)]
enum Act {
    Check,
    Count,
    Prove,
    Verify,
    ProveToBytes,
    VerifyBytes,
}

impl Act {
    fn of(name: &str) -> Self {
        match name {
            "check" => Self::Check,
            "count" => Self::Count,
            "prove" => Self::Prove,
            "verify" => Self::Verify,
            "prove_to_bytes" => Self::ProveToBytes,
            _ => Self::VerifyBytes,
        }
    }

    /// Whether the party has private values.
    fn knows(self) -> bool {
        matches!(self, Self::Check | Self::Prove | Self::ProveToBytes)
    }

    /// The name, in errors, of the option that asks for a proof that is a file.
    fn file(self) -> Option<&'static str> {
        match self {
            Self::ProveToBytes => Some("prove_to_bytes"),
            Self::VerifyBytes => Some("verify_bytes"),
            _ => None,
        }
    }
}

/// A statement, made of a function or of a relation.
enum Stated {
    Function(Arc<dyn AnyBuilt>),
    Open(Box<dyn AnyStatement>),
    Claim(Box<dyn AnyClaim>),
}

impl Stated {
    fn check(&self) -> volery::Result<()> {
        match self {
            Self::Function(built) => built.check(),
            Self::Claim(claim) => claim.check(),
            Self::Open(_) => Ok(()),
        }
    }

    fn statement(&self) -> Option<&dyn AnyStatement> {
        match self {
            Self::Function(_) => None,
            Self::Open(statement) => Some(&**statement),
            Self::Claim(claim) => Some(claim.statement()),
        }
    }

    /// The digest, and the gates where they are counted anyway, or `counted`.
    fn named(&self, counted: bool) -> volery::Result<([u8; 32], Option<Shape>)> {
        match (self, self.statement()) {
            (Self::Function(built), _) => built.fingerprint().map(|(shape, digest)| (digest, Some(shape))),
            (_, Some(statement)) => {
                Ok((statement.digest(), if counted { Some(statement.count()?) } else { None }))
            }
            _ => unreachable!("what is no function is a statement"),
        }
    }

    fn prove(&self, channel: &mut Channel, options: &Options) -> volery::Result<Report> {
        match self {
            Self::Function(built) => built.prove(channel, options),
            Self::Claim(claim) => claim.prove(channel, options),
            Self::Open(_) => unreachable!("a prover has a claim"),
        }
    }

    fn verify(&self, channel: &mut Channel, options: &Options) -> volery::Result<Report> {
        match self.statement() {
            Some(statement) => statement.verify(channel, options).map(|(_accepted, report)| report),
            None => self.function().verify(channel, options),
        }
    }

    fn prove_to(&self, out: &mut Vec<u8>, options: &Options) -> volery::Result<Report> {
        match self {
            Self::Claim(claim) => claim.prove_to(out, options),
            _ => self.function().prove_to(out, options),
        }
    }

    fn verify_from(&self, mut proof: &[u8], options: &Options) -> volery::Result<Report> {
        match self.statement() {
            Some(statement) => statement.verify_from(&mut proof, options).map(|(_accepted, report)| report),
            None => self.function().verify_from(&mut proof, options),
        }
    }

    fn function(&self) -> &dyn AnyBuilt {
        match self {
            Self::Function(built) => &**built,
            _ => unreachable!("what is no statement is a function"),
        }
    }
}

/// Everything that the working thread takes along.
struct Work {
    act: Act,
    check: bool,
    label: String,
    settings: Option<Settings>,
    way: Option<Way>,
    proof: Vec<u8>,
    started: Instant,
}

/// The result of the work: a JSON object, and a proof.
type Made = (Value, Option<Vec<u8>>);

impl Work {
    fn new(
        asked: &Asked,
        act: Act,
        field: volery_cli::fields::Field,
        proof: Option<Vec<u8>>,
    ) -> Result<Self> {
        let parts = !matches!(act, Act::Check | Act::Count);
        let settings = parts.then(|| asked.settings(field, act.file())).transpose()?;
        let way = matches!(act, Act::Prove | Act::Verify).then(|| asked.way()).transpose()?;
        let (check, label, proof) = (asked.check, asked.label.clone(), proof.unwrap_or_default());
        Ok(Self { act, check, label, settings, way, proof, started: Instant::now() })
    }

    fn run(self, stated: &Stated, shared: &Shared) -> Result<Made> {
        if self.act == Act::Count {
            let (digest, shape) = stated.named(true)?;
            return Ok((counted(&shape.expect("counted"), digest), None));
        }
        let is_function = matches!(stated, Stated::Function(_));
        if self.act.knows() {
            if self.check || self.act == Act::Check {
                stated.check()?;
            } else if is_function {
                // Its private values are taken up in a run of it.
                stated.function().skip()?;
            }
        }
        let warnings = || stated.statement().map(AnyStatement::warnings).unwrap_or_default();
        let Some(settings) = &self.settings else {
            return Ok((json!({"satisfied": true, "warnings": warnings()}), None));
        };
        let prover = matches!(self.act, Act::Prove | Act::ProveToBytes);
        let needs = settings.system().facts().correlated
            && (settings.correlations.is_none() || settings.field.bound_by_size());
        let (digest, shape) = stated.named(!prover || needs || self.check)?;
        let size = shape.as_ref().map(|shape| settings.size(shape));
        if let Some(shape) = &shape {
            settings.foresee(shape)?;
            if !settings.system().facts().simulates {
                shared.total.store(settings.mul(shape), Ordering::Relaxed);
            }
        }
        let options = self.options(settings, digest, size, shared)?;
        let party = if prover { Party::Prover } else { Party::Verifier };
        let mut bytes = None;
        let mut link = None;
        let report = match self.act {
            Act::ProveToBytes => {
                let mut out = Vec::new();
                let report = stated.prove_to(&mut out, &options)?;
                bytes = Some(out);
                report
            }
            Act::VerifyBytes => stated.verify_from(&self.proof, &options)?,
            _ => {
                let way = self.way.as_ref().expect("a party has a way to its peer");
                let reached = way.link_by(settings.timeout, &mut Quietly(shared))?;
                shared.keep(reached.handle);
                link = Some(reached.peer);
                let mut channel =
                    Channel::new(party, Metered { link: reached.link, meter: shared.meter.clone() });
                let report = match party {
                    Party::Prover => stated.prove(&mut channel, &options)?,
                    Party::Verifier => stated.verify(&mut channel, &options)?,
                };
                channel.close()?;
                report
            }
        };
        let mut outcome = Outcome::new(settings, Some(party), &[report], self.started);
        outcome.verified = self.act != Act::ProveToBytes;
        outcome.warnings = warnings();
        if let Some(peer) = link {
            met(&mut outcome, peer);
        }
        Ok((outcome.json(), bytes))
    }

    fn options(
        &self,
        settings: &Settings,
        digest: [u8; 32],
        size: Option<Size>,
        shared: &Shared,
    ) -> Result<Options> {
        let mut options = settings.options(digest, size)?;
        options.label.clone_from(&self.label);
        options.progress = Some(shared.done.clone());
        options.work = Some(shared.total.clone());
        Ok(options)
    }
}

/// Has `outcome` tell who the peer was, with the name by which it is pinned, and how it was reached.
pub(crate) fn met(outcome: &mut Outcome, peer: Option<(Identity, String)>) {
    outcome.more("link", json!(if peer.is_some() { "tls" } else { "tcp" }), String::new());
    let peer = peer.map(|(identity, name)| json!({"identity": identity.to_string(), "name": name}));
    outcome.more("peer", json!(peer), String::new());
}

/// The gates of a statement, as JSON.
fn counted(shape: &Shape, digest: [u8; 32]) -> Value {
    json!({
        "statement": volery_cli::print::hex(&digest),
        "gates": {"mul": shape.mul, "add": shape.add, "assert": shape.assert},
        "inputs": shape.inputs,
    })
}

/// A result as Python takes it: JSON, and bytes.
fn given_back<'py>(py: Python<'py>, (object, bytes): Made) -> (String, Option<Bound<'py, PyBytes>>) {
    (object.to_string(), bytes.map(|bytes| PyBytes::new(py, &bytes)))
}

/// Does what `act` says with the statement that `function` makes, over `field` where no other is asked for.
/// The function is called with the number of a shard and a list of what comes in to it, and gives a list of
/// what goes out; `private` with that number, and gives a dictionary. What shards there are `parts` says.
#[pyfunction]
#[pyo3(signature = (act, function, parts, field, private, keywords, proof = None))]
#[expect(clippy::too_many_arguments, reason = "Python calls it by name")]
pub(crate) fn run_function<'py>(
    py: Python<'py>,
    act: &str,
    function: Bound<'py, PyAny>,
    parts: Option<Vec<Said<Type>>>,
    field: &str,
    private: Bound<'py, PyAny>,
    keywords: &Bound<'py, PyDict>,
    proof: Option<Vec<u8>>,
) -> PyResult<(String, Option<Bound<'py, PyBytes>>)> {
    let (asked, callbacks) = Asked::read(keywords)?;
    let act = Act::of(act);
    let raised = |why: Trouble| why.raised(py, None);
    let field = asked.field(Some(field)).map_err(raised)?;
    let work = Work::new(&asked, act, field, proof).map_err(raised)?;
    let parts = Arc::new(Parts::read(parts).map_err(raised)?);
    let shared = Arc::<Shared>::default();
    let ask = shared.clone();
    let stated = built(field, Box::new(move |tape, shard| ask.say(Event::Run(tape, shard))), parts)
        .map_err(|why| raised(why.into()))?;
    let mut runs = Runs::new(function, act.knows().then_some(private), stated.clone());
    let mut run = |_: Python<'_>, tape, shard, watch| runs.run(py, tape, shard, watch);
    let statement = Stated::Function(stated.clone());
    let made = drive(py, (shared, callbacks), Some(stated.clone()), &mut run, move |shared| {
        work.run(&statement, shared)
    })?;
    Ok(given_back(py, made))
}

/// Does what `act` says with a relation.
#[pyfunction]
#[pyo3(signature = (act, relation, public, private, keywords, proof = None))]
pub(crate) fn run_relation<'py>(
    py: Python<'py>,
    act: &str,
    relation: &str,
    public: &Bound<'py, PyDict>,
    private: &Bound<'py, PyDict>,
    keywords: &Bound<'py, PyDict>,
    proof: Option<Vec<u8>>,
) -> PyResult<(String, Option<Bound<'py, PyBytes>>)> {
    let (asked, callbacks) = Asked::read(keywords)?;
    let act = Act::of(act);
    let raised = |why: Trouble| why.raised(py, None);
    let field = asked.field_of(relation).map_err(raised)?;
    let work = Work::new(&asked, act, field, proof).map_err(raised)?;
    let opened = statement(py, field, relation, public)?;
    let stated = if act.knows() { Stated::Claim(claim(py, opened, private)?) } else { Stated::Open(opened) };
    let shared = Arc::<Shared>::default();
    let made = drive(py, (shared, callbacks), None, &mut never, move |shared| work.run(&stated, shared))?;
    Ok(given_back(py, made))
}

/// The inputs, outputs and gates of a relation, as JSON.
#[pyfunction]
pub(crate) fn circuit_info(py: Python<'_>, relation: &str, keywords: &Bound<'_, PyDict>) -> PyResult<String> {
    let (asked, callbacks) = Asked::read(keywords)?;
    let field = asked.field_of(relation).map_err(|why| why.raised(py, None))?;
    let opened = given::open(py, field, relation)?;
    let shared = Arc::<Shared>::default();
    let object = drive(py, (shared, callbacks), None, &mut never, move |_| Ok(given::told(&*opened)?))?;
    Ok(object.to_string())
}

/// The names of fields.
#[pyfunction]
pub(crate) fn fields() -> Vec<String> {
    volery::settings().iter().map(|setting| setting.name()).collect()
}
