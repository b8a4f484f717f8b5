//! `volery demo`.

use crate::verbs::args::Demo;
use std::time::Instant;
use volery::circuit::stream::ClauseSource;
use volery::{Binary, Named as _};
use volery_cli::both::Task;
use volery_cli::failure::Result;
use volery_cli::fields;
use volery_cli::link;
use volery_cli::preimage::{LENGTH, Preimage};
use volery_cli::print::{self, grouped, hex, human, seconds, table};
use volery_cli::report::Outcome;
use volery_cli::settings::Settings;

/// Proves and verifies knowledge of a SHA-256 preimage, and tells the story.
pub(crate) fn demo(typed: &Demo, started: Instant) -> Result<()> {
    let field = fields::boolean("demo", typed.protocol.field.as_deref())?;
    let settings = Settings::new(field, &typed.protocol, &typed.output)?.of_both(&typed.protocol)?;
    let Preimage { statement, witness, digest } = Preimage::random()?;
    Binary::compiled().check(&statement, Box::new(witness.bits()))?;
    let shape = Binary::compiled().count(&statement)?;
    let options = settings.options(statement.digest(), Some(settings.size(&shape)))?;
    let task = Task {
        devices: settings.devices.clone(),
        record: None,
        timeout: settings.timeout,
        quiet: settings.quiet,
        shape: link::Shape::default(),
        unit: "gates",
        // How often parties are simulated for all repetitions is told on the way.
        total: (!settings.system().facts().simulates).then(|| settings.mul(&shape)),
    };
    let of_clauses = settings.system().facts().of_clauses;
    let reports = if of_clauses {
        task.prove_one_of(&statement as &dyn ClauseSource, (0, witness.bits()), &options, 1)?
    } else {
        task.prove::<Binary, _>(statement.source(), witness.bits(), &options, 1)?
    };
    let mut outcome = Outcome::of_both(&settings, &reports, started);
    outcome.clauses = of_clauses.then_some(1);
    if settings.json {
        return print::result(outcome.json());
    }
    let (report, prover) = (&outcome.report, reports.prover[0].traffic);
    print::result(table(&[
        ("statement", format!("the prover knows {LENGTH} bytes whose SHA-256 digest is")),
        ("", hex(&digest)),
        (
            "circuit",
            format!(
                "{} multiplications and {} additions of bits, {} private inputs, {} assertions",
                grouped(report.gates.mul),
                grouped(report.gates.add),
                grouped(report.gates.inputs),
                grouped(report.gates.assert)
            ),
        ),
        (
            "prover",
            format!("drew the bytes at random, and sent {}B over 127.0.0.1", human(prover.sent as f64)),
        ),
        ("verifier", format!("sent {}B, and learnt nothing but the verdict", human(prover.received as f64))),
        ("took", seconds(outcome.total.as_secs_f64())),
        ("verdict", if outcome.insecure { "accepted, with insecure parameters" } else { "accepted" }.into()),
    ]))
}
