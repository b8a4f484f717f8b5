//! What the arguments mean, decided before anything runs.

use crate::args::{Output, Peer, Private, Protocol, Public};
use crate::failure::{Failure, Result};
use crate::link::Reach;
use crate::values::Reader;
use std::time::Duration;
use volery::circuit::{Format, Relation, Statement, Witness};
use volery::{Arch, Correlations, Options, SYSTEM};

/// The longest wait that can be asked for: a year.
const LONGEST_WAIT: f64 = 365.0 * 86_400.0;

/// How a proof is to run and what is to be printed.
pub(crate) struct Settings {
    pub(crate) correlations: Option<Correlations>,
    pub(crate) security: u32,
    pub(crate) arch: Arch,
    pub(crate) timeout: Duration,
    pub(crate) json: bool,
    pub(crate) quiet: bool,
}

impl Settings {
    pub(crate) fn new(typed: &Protocol, output: &Output) -> Result<Self> {
        one_of("--system", &typed.system, &[SYSTEM], &["wolverine", "limbo", "jko"])?;
        one_of("--field", &typed.field, &["f2"], &FIELDS_TO_COME)?;
        let correlations = correlations(&typed.vole)?;
        let security = typed
            .security
            .parse()
            .map_err(|_| Failure::usage("--security: write a number of bits, such as 100"))?;
        if typed.threads != "1" {
            return Err(Failure::usage(
                "--threads: each party has one thread as yet: leave it out, or give 1",
            ));
        }
        let seconds = typed.timeout.parse().ok().filter(|s| *s > 0.0 && *s <= LONGEST_WAIT);
        let seconds =
            seconds.ok_or_else(|| Failure::usage("--timeout: write a number of seconds, above 0"))?;
        Ok(Self {
            correlations,
            security,
            arch: arch()?,
            timeout: Duration::from_secs_f64(seconds),
            json: output.json,
            quiet: output.quiet,
        })
    }

    /// Options for a statement with this digest, whose witness was checked where it should be.
    pub(crate) fn options(&self, statement: [u8; 32], correlations: Correlations) -> Result<Options> {
        let (asked, offered) = (self.security, correlations.statistical_bits());
        if offered < asked {
            return Err(Failure::usage(format_args!(
                "--security: {asked} bits were asked for, and {correlations} gives {offered}: ask for fewer"
            )));
        }
        Ok(Options {
            correlations: Some(correlations),
            statement: Some(statement),
            security: asked,
            check: false,
            arch: self.arch,
            progress: None,
            seed: None,
        })
    }
}

const FIELDS_TO_COME: [&str; 7] = ["f61", "f61x2", "goldilocks", "goldilocksx2", "f65537", "f256", "q32"];

fn correlations(name: &str) -> Result<Option<Correlations>> {
    if name == "auto" {
        return Ok(None);
    }
    let mut there = vec!["auto"];
    there.extend(Correlations::ALL.map(Correlations::name));
    one_of("--vole", name, &there, &["tiny", "small", "l2", "mid", "wan"])?;
    Ok(Some(name.parse()?))
}

/// Demands that `name` is one of those `there`, and says so of those `to_come`.
pub(crate) fn one_of(option: &str, name: &str, there: &[&str], to_come: &[&str]) -> Result<()> {
    if there.contains(&name) {
        return Ok(());
    }
    let there = there.join(", ");
    Err(Failure::usage(if to_come.contains(&name) {
        format!("{option}: {name} does not exist yet: there is {there}")
    } else {
        format!("{option}: no such name: there is {there}")
    }))
}

/// The instruction set: the fastest, or the one that the environment names.
pub(crate) fn arch() -> Result<Arch> {
    use volery_primitives::arch::ARCH_VARIABLE;
    match std::env::var_os(ARCH_VARIABLE) {
        Some(name) => Arch::from_name(&name.to_string_lossy())
            .map_err(|why| Failure::usage(format_args!("{ARCH_VARIABLE}: {why}"))),
        None => Ok(Arch::detect()),
    }
}

/// Opens a relation that is given as text.
pub(crate) fn relation(spec: &str, format: Option<&str>) -> Result<Relation> {
    let format: Option<Format> = format.map(str::parse).transpose()?;
    Ok(Relation::open(spec, format)?)
}

/// The statement that both parties know.
pub(crate) fn statement(typed: &Public, reader: &mut Reader) -> Result<Statement> {
    let [spec] = &typed.relation[..] else {
        return Err(Failure::usage(
            "--relation is given more than once: proofs of one of several clauses do not exist yet, give one",
        ));
    };
    let relation = relation(spec, typed.format.as_deref())?;
    Ok(Statement::new(relation, reader.read("--public", &typed.public)?)?)
}

/// The statement and the prover's part of it.
pub(crate) fn claim(public: &Public, private: &Private) -> Result<(Statement, Witness)> {
    let mut reader = Reader::default();
    let statement = statement(public, &mut reader)?;
    let witness = statement.witness(reader.read("--private", &private.private)?)?;
    Ok((statement, witness))
}

/// Where the peer is, if it may be reached in plain text.
pub(crate) fn reach(typed: &Peer) -> Result<Reach> {
    let reach = match (&typed.listen, &typed.connect) {
        (Some(address), None) => Reach::Listen(address.clone()),
        (None, Some(address)) => Reach::Connect(address.clone()),
        _ => return Err(Failure::usage("give one of --listen ADDR and --connect HOST:PORT")),
    };
    reach.permit(typed.insecure_plaintext)?;
    Ok(reach)
}
