//! What all benches of proofs do.

use crate::args::number;
use crate::bench::Run;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use volery::circuit::stream::StreamedClauses;
use volery::circuit::{self, Alternatives, Statement, Witness};
use volery::{Binary, Options, Provable, Setting};
use volery_cli::both::{Reports, Task};
use volery_cli::failure::{Failure, Result};
use volery_cli::link::Shape;
use volery_cli::report::Outcome;
use volery_cli::settings::{Settings, bandwidth};

/// The longest delay that can be asked for.
const LONGEST_LATENCY: f64 = 10_000.0;

/// What all benches share.
pub(crate) struct Plan {
    /// The name of the bench.
    pub(crate) name: &'static str,
    pub(crate) settings: Settings,
    pub(crate) shape: Shape,
    /// As in the JSON.
    pub(crate) latency: Option<f64>,
    pub(crate) gates: Option<u64>,
    pub(crate) repeat: u32,
    pub(crate) started: Instant,
}

impl Plan {
    pub(crate) fn new(run: &Run) -> Result<Self> {
        let mut settings = Settings::of(run.field()?, run.system()?, &run.typed.protocol, &run.typed.output)?;
        settings.bandwidth = run.typed.bandwidth.as_deref().map(bandwidth).transpose()?;
        let latency = run.typed.latency.as_deref().map(latency).transpose()?;
        let shape = Shape {
            bandwidth: settings.bandwidth,
            latency: Duration::from_secs_f64(latency.unwrap_or_default() / 1e3),
            tls: run.typed.tls,
        };
        let gates = run.typed.gates.as_deref().map(|text| number("--gates", text)).transpose()?;
        let (name, repeat) = (run.bench.name, run.typed.repeat(1)?);
        Ok(Self { name, settings, shape, latency, gates, repeat, started: run.started })
    }

    /// Proves `circuit`, which has `mul` multiplications, as often as said: what that took. `size` is as for
    /// the parameters.
    pub(crate) fn prove<S: Setting, W>(
        &self,
        size: (&str, u64),
        circuit: &(impl Provable<S> + Sync + ?Sized),
        witness: W,
        mul: u64,
        options: &Options,
    ) -> Result<Outcome>
    where
        W: IntoIterator<Item = S::F> + Clone + Send,
    {
        // A prover of a garbled circuit evaluates, and garbles once more to check.
        let passes = if self.settings.system().facts().garbles { 2 } else { 1 };
        let reports =
            self.task("gates", passes * mul).prove::<S, _>(circuit, witness, options, self.repeat)?;
        Ok(self.outcome(size, &reports))
    }

    /// What the runs of a bench came to.
    pub(crate) fn outcome(&self, size: (&str, u64), reports: &Reports) -> Outcome {
        let mut outcome = Outcome::of_both(&self.settings, reports, self.started);
        outcome.bench = Some((self.name, self.parameters(size)));
        outcome
    }

    pub(crate) fn print(&self, outcome: &Outcome) -> Result<()> {
        outcome.print(self.settings.json)
    }

    /// What there is to do, `of` so many a run.
    pub(crate) fn task(&self, unit: &'static str, of: u64) -> Task {
        // How often parties are simulated for all repetitions is told on the way.
        let known = !self.settings.system().facts().simulates;
        let total = known.then(|| of.saturating_mul(self.repeat.into()));
        let Settings { timeout, quiet, .. } = self.settings;
        Task { timeout, quiet, shape: self.shape, unit, total }
    }

    /// What was asked for, `size` being of this bench alone.
    pub(crate) fn parameters(&self, size: (&str, u64)) -> Value {
        json!({
            size.0: size.1,
            "vole": self.settings.vole(),
            "repeat": self.repeat,
            "bandwidth": self.settings.bandwidth,
            "latency": self.latency,
            "tls": self.shape.tls,
        })
    }

    /// Proves a statement that was put into values.
    pub(crate) fn stated(
        &self,
        size: (&str, u64),
        statement: &Statement,
        witness: &Witness,
    ) -> Result<Outcome> {
        if self.settings.system().facts().of_clauses {
            return self.clauses(size, statement, witness);
        }
        Binary::compiled().check(statement, Box::new(witness.bits()))?;
        let shape = Binary::compiled().count(statement)?;
        let options = self.settings.options(statement.digest(), Some(self.settings.size(&shape)))?;
        let mul = self.settings.mul(&shape);
        self.prove::<Binary, _>(size, statement.source(), witness.bits(), mul, &options)
    }

    /// Proves one of the clauses of a statement.
    fn clauses(&self, size: (&str, u64), statement: &Statement, witness: &Witness) -> Result<Outcome> {
        let chosen = StreamedClauses(statement).find(witness)?;
        let options = self.settings.options(statement.digest(), None)?;
        let mul = StreamedClauses(statement).shapes()?.iter().map(circuit::Shape::mul_by_gates).sum();
        let claim = (chosen, witness.bits());
        let reports = self.task("gates", mul).prove_one_of(statement, claim, &options, self.repeat)?;
        let mut outcome = self.outcome(size, &reports);
        outcome.clauses = Some(statement.count() as u64);
        Ok(outcome)
    }
}

fn latency(text: &str) -> Result<f64> {
    let number = text.parse().ok().filter(|ms| (0.0..=LONGEST_LATENCY).contains(ms));
    number.ok_or_else(|| Failure::usage("--latency: write a number of milliseconds, from 0 to 10000"))
}
