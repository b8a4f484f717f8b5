//! A statement that the service has under a name.

use super::file::{Limits, StatementEntry};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tracing::error;
use volery::circuit::{Format, Shape, Written};
use volery::{AnyRelation, AnyStatement, Choice, Correlations, Options, System, U256};
use volery_cli::args::{Output, Protocol};
use volery_cli::failure::{Failure, Result, refuse_experimental};
use volery_cli::fields::{self, Field, has_bits, is_boolean};
use volery_cli::service::{Cause, Named, Refusal, Terms};
use volery_cli::settings::{AUTO, Settings, system};
use volery_web::file::File;

/// The bandwidth by which correlations are chosen where nothing is said, in Mbit/s.
const BANDWIDTH: f64 = 100.0;
/// The margin for what a session carries beside its proof, and for errors of an estimate: a part of it, and
/// bytes.
const MARGIN: (u64, u64) = (4, 1 << 20);

/// A statement under a name, with all that is settled of it before anybody asks.
pub(crate) struct Statement {
    pub(super) settings: Settings,
    pub(super) subject: Subject,
    pub(super) terms: Terms,
    /// Bytes that a session may hold, by estimate.
    pub(crate) memory: u64,
    /// Warnings of what it does not say of a witness, though it may seem to.
    pub(crate) warnings: Vec<String>,
}

/// The subject of a statement.
pub(super) enum Subject {
    Relation(Box<Relation>),
    Web(Arc<File>),
}

/// A relation, with what is settled of it.
pub(super) struct Relation {
    /// The name of the relation, as `open` takes it.
    spec: String,
    format: Option<Format>,
    /// The statement itself, where the prover chooses nothing.
    stated: Option<Arc<dyn AnyStatement>>,
    shape: Shape,
}

/// A statement that is ready to be verified.
pub(crate) struct Stated {
    pub(crate) claimed: Claimed,
    pub(crate) options: Options,
}

/// The part of a statement that a prover claims.
pub(crate) enum Claimed {
    /// A relation with all public values.
    Relation(Arc<dyn AnyStatement>),
    /// An answer of a web server, by these terms.
    Web(Arc<File>),
}

impl Statement {
    /// The statement `name`, as it is written; files are from `folder`.
    ///
    /// # Errors
    /// Where it makes no sense, or is beyond `limits`.
    pub(super) fn new(name: &str, entry: &StatementEntry, folder: &Path, limits: &Limits) -> Result<Self> {
        let settings = settings(entry)?;
        let spec = match entry.relation.strip_prefix("builtin:") {
            Some(_) => entry.relation.clone(),
            None => folder.join(&entry.relation).display().to_string(),
        };
        let format = entry.format.as_deref().map(str::parse).transpose()?;
        let fixed: Vec<_> = entry.public.clone().into_iter().collect();
        ports(open(settings.field, &spec, format, &[])?.as_ref(), entry)?;
        let relation = open(settings.field, &spec, format, &fixed)?;
        let named = Named::of(&spec)
            .map_err(|why| Failure::usage(format_args!("relation: {spec} cannot be read: {why}")))?;
        if relation.estimate()?.is_some() {
            return Err(Failure::usage(format_args!(
                "relation: {spec} is over two fields, and how much memory a session of it takes cannot be \
                 foretold: take a statement over one field"
            )));
        }
        let (stated, shape, warnings) = if entry.choose.is_empty() {
            let stated = relation.state().map_err(|why| Failure::from(why).at("public"))?;
            let (shape, warnings) = (stated.count()?, stated.warnings());
            (Some(Arc::from(stated)), shape, warnings)
        } else {
            let (shape, warnings) = relation.examine()?;
            (None, shape, warnings)
        };
        settings.foresee(&shape)?;
        let options = settings.options([0; 32], Some(settings.size(&shape)))?;
        let vole = correlations(&settings, entry, &options, &shape)?;
        let options = options.with_correlations(vole);
        secure(&settings, &options, vole)?;
        let carried = carried(&settings, &options, vole, &shape)?;
        if shape.mul_by_gates() + shape.inputs_by_gates() > limits.gates {
            return Err(Failure::usage(format_args!(
                "it has {} multiplications and {} inputs, which is more than limits.gates, {}: raise that",
                shape.mul_by_gates(),
                shape.inputs_by_gates(),
                limits.gates
            )));
        }
        if carried.is_some_and(|bytes| bytes > limits.bytes) {
            return Err(Failure::usage(format_args!(
                "a session carries {} bytes, which is more than limits.bytes, {}: raise that, or take another vole",
                carried.unwrap_or_default(),
                limits.bytes
            )));
        }
        let memory = entry.memory.unwrap_or_else(|| memory(&settings, vole, &shape, &named));
        if memory > limits.memory {
            return Err(Failure::usage(format_args!(
                "a session may hold {memory} bytes, which is more than limits.memory, {}: raise that, or say by \
                 `memory` what you have measured",
                limits.memory
            )));
        }
        let bytes = carried.map_or(limits.bytes, |bytes| bytes.saturating_add(bytes / MARGIN.0 + MARGIN.1));
        let terms = Terms {
            statement: name.into(),
            relation: named,
            format: entry.format.clone(),
            public: fixed,
            choose: entry.choose.clone(),
            system: settings.system().name().into(),
            field: settings.field.name(),
            vole: vole.map(|vole| vole.name().into()),
            security: entry.security,
            seconds: limits.seconds,
            bytes: bytes.min(limits.bytes),
        };
        let subject = Subject::Relation(Box::new(Relation { spec, format, stated, shape }));
        Ok(Self { settings, subject, terms, memory, warnings })
    }

    /// The terms that provers receive.
    pub(crate) fn terms(&self) -> &Terms {
        &self.terms
    }

    /// How long a session may take.
    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs(self.terms.seconds)
    }

    /// The line in words.
    pub(super) fn line(&self) -> String {
        let Terms { statement, system, field, vole, bytes, .. } = &self.terms;
        let vole = vole.as_ref().map_or(String::new(), |vole| format!(" with {vole}"));
        let size = match &self.subject {
            Subject::Relation(relation) => format!("{} multiplications", relation.shape.mul_by_gates()),
            Subject::Web(file) => {
                let policy = file.terms().policy;
                format!("{} of {}, at most {} ANDs", policy.target(), policy.host(), file.terms().most_ands())
            }
        };
        format!(
            "{statement}: {system} over {field}{vole}, {size}, at most {bytes} bytes and {} bytes of memory",
            self.memory
        )
    }

    /// The statement with the public values that the prover has chosen.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(crate) fn state(&self, chosen: &[(String, String)]) -> std::result::Result<Stated, Refusal> {
        let invalid = |why: String| Refusal::new(Cause::Invalid, why);
        let Terms { choose, vole, .. } = &self.terms;
        if let Some((name, _)) = chosen.iter().find(|(name, _)| !choose.contains(name)) {
            return Err(invalid(format!("{} is not for the prover to choose", name.escape_debug())));
        }
        if let Some(name) = choose.iter().find(|name| !chosen.iter().any(|(one, _)| one == *name)) {
            return Err(invalid(format!("the public value {name} is missing: give it by --public {name}=…")));
        }
        let Relation { spec, format, stated, shape } = match &self.subject {
            Subject::Relation(relation) => &**relation,
            Subject::Web(file) => {
                let options = self.settings.options([0; 32], None).map_err(|why| invalid(why.line))?;
                return Ok(Stated { claimed: Claimed::Web(file.clone()), options });
            }
        };
        let statement = match stated {
            Some(stated) => stated.clone(),
            None => {
                let values = [&self.terms.public[..], chosen].concat();
                let opened = open(self.settings.field, spec, *format, &values);
                // What is open is watched from here on; that it is what the terms speak of is seen after that.
                if Named::of(spec).ok().as_ref() != Some(&self.terms.relation) {
                    return Err(self.changed(spec));
                }
                let relation = opened.map_err(|why| invalid(why.line))?;
                Arc::from(relation.state().map_err(|why| invalid(why.to_string()))?)
            }
        };
        // Where values are chosen the shape is that of others: whoever needs it counts.
        let size = stated.as_ref().map(|_| self.settings.size(shape));
        let options = self.settings.options(statement.digest(), size).map_err(|why| invalid(why.line))?;
        let correlations = self.settings.field.correlations().into_iter();
        let correlations = correlations.into_iter().find(|one| Some(one.name()) == vole.as_deref());
        let options = options.with_correlations(correlations);
        Ok(Stated { claimed: Claimed::Relation(statement), options })
    }

    /// Refuses, since the relation's file is no more the one that the terms speak of.
    fn changed(&self, file: &str) -> Refusal {
        let statement = &self.terms.statement;
        error!(
            statement,
            file, "the file of a relation has changed: put it back, or have all read anew by SIGHUP"
        );
        Refusal::new(Cause::Failed, "the file of its relation has changed since it was read: ask who runs it")
    }
}

fn settings(entry: &StatementEntry) -> Result<Settings> {
    let usual = Protocol::default();
    let protocol = Protocol {
        device: entry.device.clone().unwrap_or(usual.device),
        device_memory: entry.device_memory.map_or(usual.device_memory, |memory| memory.to_string()),
        system: entry.system.clone(),
        field: entry.field.clone(),
        vole: entry.vole.clone().unwrap_or_else(|| AUTO.into()),
        security: entry.security.map(|bits| bits.to_string()),
        // Sessions share the cores.
        threads: Some("1".into()),
        ..Protocol::default()
    };
    let field = fields::asked(protocol.field.as_deref())?;
    let system = system(&protocol, System::default())?;
    if system.facts().of_clauses {
        return Err(Failure::usage(format_args!(
            "system: {system} proves one of several clauses, and a service whole statements: take another"
        )));
    }
    Settings::of(field, system, &protocol, &Output::default())
}

/// The relation with these public values.
fn open(
    field: Field,
    spec: &str,
    format: Option<Format>,
    public: &[(String, String)],
) -> Result<Box<dyn AnyRelation>> {
    refuse_experimental(spec, false)?;
    let mut relation = field.open(spec, format)?;
    for (name, value) in public {
        relation.public().read(name, Written::Text(value.as_bytes()))?;
    }
    Ok(relation)
}

/// Demands that names are those of ports, each once, and that what has to be public is.
fn ports(relation: &dyn AnyRelation, entry: &StatementEntry) -> Result<()> {
    let ports = || relation.inputs().iter().chain(relation.outputs());
    let names = ports().map(|port| port.name.as_str()).collect::<Vec<_>>().join(", ");
    for name in entry.public.keys().chain(&entry.choose) {
        if !ports().any(|port| port.name == *name) {
            return Err(Failure::usage(format_args!(
                "public: the relation has no `{name}`: there is {names}"
            )));
        }
    }
    for (i, name) in entry.choose.iter().enumerate() {
        if entry.public.contains_key(name) || entry.choose[..i].contains(name) {
            return Err(Failure::usage(format_args!("choose: `{name}` is given twice: leave one out")));
        }
    }
    match ports().find(|port| {
        port.public && !entry.public.contains_key(&port.name) && !entry.choose.contains(&port.name)
    }) {
        Some(port) => Err(Failure::usage(format_args!(
            "public: `{}` has to be public: fix it by public.{0} = \"VALUE\", or leave it to the prover by \
             choose = [\"{0}\"]",
            port.name
        ))),
        None => Ok(()),
    }
}

/// The correlations: as given, or those that are fastest at the bandwidth.
fn correlations(
    settings: &Settings,
    entry: &StatementEntry,
    options: &Options,
    shape: &Shape,
) -> Result<Option<Correlations>> {
    if !settings.system().facts().correlated {
        return match entry.bandwidth {
            Some(_) => {
                Err(Failure::usage("bandwidth: this system has nothing to choose by it: leave it out"))
            }
            None => Ok(None),
        };
    }
    if let Some(given) = settings.correlations {
        return Ok(Some(given));
    }
    let bandwidth = entry.bandwidth.unwrap_or(BANDWIDTH);
    if !(1.0..=1e6).contains(&bandwidth) {
        return Err(Failure::usage("bandwidth: write a number of Mbit/s, from 1 to 1000000"));
    }
    let choice = settings.field.choose(options, settings.size(shape), bandwidth)?;
    Ok(Some(choice.correlations))
}

/// Refuses what is worth less than asked for.
fn secure(settings: &Settings, options: &Options, vole: Option<Correlations>) -> Result<()> {
    let (Some(vole), Some(asked)) = (vole, settings.security) else { return Ok(()) };
    let size = options.size.unwrap_or_default();
    let offered = settings.field.statistical_bits(options, vole, size)?;
    if offered < asked {
        return Err(Failure::usage(format_args!(
            "security: {asked} bits are asked for, and {} over {} gives {offered}: ask for fewer, or take another \
             field or vole",
            vole.name(),
            settings.field.name()
        )));
    }
    Ok(())
}

/// The bytes of a session, where they can be foretold.
fn carried(
    settings: &Settings,
    options: &Options,
    vole: Option<Correlations>,
    shape: &Shape,
) -> Result<Option<u64>> {
    let facts = settings.system().facts();
    if let Some(vole) = vole {
        let total = settings.field.estimate(options, Choice::given(vole), shape)?.total;
        return Ok(Some(total.prover + total.verifier));
    }
    // A ciphertext for each gate, and transfers of inputs.
    Ok(facts.garbles.then(|| 16 * shape.mul_by_gates() + 4096 * shape.inputs_by_gates() + (1 << 16)))
}

const MEGA: u64 = 1 << 20;

/// The memory of correlations of this name, as it was measured.
pub(super) fn drawn(vole: &str) -> u64 {
    match vole {
        "softspoken4" | "softspoken8" | "direct" => 6 * MEGA,
        "tiny" => 10 * MEGA,
        "small" | "l2" => 24 * MEGA,
        _ => 40 * MEGA,
    }
}

/// An upper bound on the memory of a verifier: the link and its thread, correlations as they were measured,
/// wires that live at once, and what a system keeps.
fn memory(settings: &Settings, vole: Option<Correlations>, shape: &Shape, relation: &Named) -> u64 {
    let link = 2 * MEGA;
    let drawn = vole.map_or(0, |vole| drawn(vole.name()));
    // A file names its wires, of which each keeps its place; what is built in lets go of them.
    let gates = shape.inputs_by_gates() + shape.mul_by_gates() + shape.add + shape.constant;
    let wire = if has_bits(settings.field) { 16 } else { 32 };
    let wires = match relation {
        Named::File { .. } => wire * gates,
        Named::Builtin(_) | Named::Web { .. } => 2 * MEGA + wire * shape.inputs_by_gates(),
    };
    let facts = settings.system().facts();
    let kept = if facts.triples {
        (130 * MEGA).min(512 * shape.mul_by_gates())
    } else if facts.simulates && !is_boolean(settings.field) {
        64 * 16 * (shape.mul_by_gates() + shape.inputs_by_gates())
    } else {
        0
    };
    // Of memories and tables that are gates, functions are recorded that look at all cells or rows: some are
    // kept, and one of the largest is being recorded, with all its wires.
    let is_argued = |modulus: U256| modulus == U256::from(2_u64) || modulus >= U256::from(65_537_u64);
    let argues = settings.system() == System::QUICKSILVER && settings.field.modulus().is_some_and(is_argued);
    let scanned = match argues {
        true => 0,
        false => (32 * MEGA).min(128 * shape.scanned.mul) + 256 * shape.scanned.most,
    };
    link + drawn + wires + kept + scanned
}
