//! `volery bench`: both parties on this machine, one thread each.

use crate::args::Bench;
use crate::both;
use crate::failure::{Failure, Result};
use crate::parties::{Bits, commitments, print_outcome};
use crate::preimage::{LENGTH, Preimage};
use crate::print;
use crate::report::{Outcome, table};
use crate::settings::{Settings, one_of};
use serde_json::json;
use std::time::Instant;
use volery::F2;
use volery::circuit::{Count, Network};
use volery::random::Random;

/// What can be measured.
const NAMES: [(&str, &str); 2] = [
    ("boolean", "a generated circuit of --gates multiplications over F_2, four additions to each"),
    ("sha256", "one SHA-256 preimage, from the start of the process to the verdict"),
];

const NAMES_TO_COME: [&str; 14] = [
    "arithmetic",
    "vole-f2",
    "vole-f61",
    "inner-product",
    "matmul",
    "sis",
    "merkle",
    "snippets",
    "limbo",
    "jko",
    "stack",
    "wolverine",
    "holes",
    "tables",
];

/// Multiplications of `boolean`, where none are given.
const GATES: u64 = 10_000_000;

/// Runs what was asked for.
pub(crate) fn bench(typed: &Bench, started: Instant) -> Result<()> {
    if typed.list {
        return list(typed.output.json);
    }
    let settings = Settings::new(&typed.protocol, &typed.output)?;
    let name = typed.name.as_deref().unwrap_or_default();
    one_of("bench", name, &NAMES.map(|(name, _)| name), &NAMES_TO_COME)?;
    let gates = typed.gates.as_deref().map(number).transpose()?;
    let outcome = match (name, gates) {
        ("boolean", gates) => boolean(gates.unwrap_or(GATES), &settings, started)?,
        (_, None) => sha256(&settings, started)?,
        (_, Some(_)) => {
            return Err(Failure::usage(format_args!("bench {name} has no --gates: leave it out")));
        }
    };
    print_outcome(&outcome, &settings)
}

fn list(json: bool) -> Result<()> {
    if json {
        print::result(json!(NAMES.map(|(name, what)| json!({"name": name, "what": what}))))
    } else {
        print::result(table(&NAMES.map(|(name, what)| (name, what.into()))))
    }
}

/// A number of gates: decimal digits, with `_` between them where wanted.
fn number(text: &str) -> Result<u64> {
    let digits = text.replace('_', "");
    let number = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()));
    number.ok_or_else(|| Failure::usage("--gates: write a whole number, such as 10000000"))
}

fn boolean(gates: u64, settings: &Settings, started: Instant) -> Result<Outcome> {
    let network = Network::new(gates)?;
    let options = settings.options(network.digest(), Some(network.width() as u64 + gates))?;
    let seed = Random::from_system()?.bytes();
    // Any witness will do, so that it is no secret.
    let witness: Vec<F2> = network.witness(seed).collect();
    let reports = both::run(&network, witness.iter().copied(), &options, gates, settings)?;
    let mut outcome = Outcome::new(None, reports.verifier, started);
    outcome.bench = Some(("boolean", json!({"gates": gates, "vole": settings.vole()})));
    Ok(outcome)
}

fn sha256(settings: &Settings, started: Instant) -> Result<Outcome> {
    let Preimage { statement, witness, .. } = Preimage::random()?;
    volery::check(&statement, Bits(&witness))?;
    let shape = Count::<F2>::shape(&statement)?;
    let options = settings.options(statement.digest(), Some(commitments(&shape)))?;
    let reports = both::run(&statement, Bits(&witness), &options, shape.mul, settings)?;
    let mut outcome = Outcome::new(None, reports.verifier, started);
    outcome.bench = Some(("sha256", json!({"length": LENGTH, "vole": settings.vole()})));
    Ok(outcome)
}
