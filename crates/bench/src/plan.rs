//! Common parts of all benches of proofs.

use crate::args::number;
use crate::bench::Run;
use core::fmt;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use volery::circuit::stream::{ClauseSource, StreamedClauses};
use volery::circuit::{self, Alternatives, Statement, Witness};
use volery::{Binary, Named, Options, Provable, Report, Setting as _, ShortBinary};
use volery_cli::both::{Reports, Task};
use volery_cli::failure::{Failure, Result};
use volery_cli::link::Shape;
use volery_cli::report::Outcome;
use volery_cli::settings::{Settings, bandwidth};

/// The longest delay that can be asked for.
const LONGEST_LATENCY: f64 = 10_000.0;

/// The settings that all benches share.
pub(crate) struct Plan {
    /// The name of the bench.
    pub(crate) name: &'static str,
    pub(crate) settings: Settings,
    pub(crate) shape: Shape,
    /// The latency, as in the JSON.
    pub(crate) latency: Option<f64>,
    pub(crate) gates: Option<u64>,
    pub(crate) repeat: u32,
    /// Whether each party is measured alone.
    pub(crate) replay: bool,
    pub(crate) started: Instant,
}

impl Plan {
    pub(crate) fn new(run: &Run) -> Result<Self> {
        let mut settings = Settings::of(run.field()?, run.system()?, &run.typed.protocol, &run.typed.output)?
            .of_both(&run.typed.protocol)?;
        settings.bandwidth = run.typed.bandwidth.as_deref().map(bandwidth).transpose()?;
        let latency = run.typed.latency.as_deref().map(latency).transpose()?;
        let shape = Shape {
            bandwidth: settings.bandwidth,
            latency: Duration::from_secs_f64(latency.unwrap_or_default() / 1e3),
            tls: run.typed.tls,
        };
        let gates = run.typed.gates.as_deref().map(|text| number("--gates", text)).transpose()?;
        let (name, repeat, replay) = (run.bench.name, run.typed.repeat(1)?, run.typed.replay);
        if replay && settings.system().facts().correlated && settings.correlations.is_none() {
            return Err(Failure::usage(
                "--replay: what auto measures differs from run to run: name the correlations, by --vole mid",
            ));
        }
        Ok(Self { name, settings, shape, latency, gates, repeat, replay, started: run.started })
    }

    /// Proves `circuit`, which has `mul` multiplications, as often as said: what that took. `size` is as for
    /// the parameters.
    pub(crate) fn prove<S: Named, W>(
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

    /// The outcome of the runs of a bench.
    pub(crate) fn outcome(&self, size: (&str, u64), reports: &Reports) -> Outcome {
        let mut outcome = self.of_both(reports);
        outcome.bench = Some((self.name, self.parameters(size)));
        outcome
    }

    /// The outcome without the bench's parameters.
    pub(crate) fn of_both(&self, reports: &Reports) -> Outcome {
        let mut outcome = Outcome::of_both(&self.settings, reports, self.started);
        if self.replay {
            let [prover, verifier] = [&reports.prover, &reports.verifier].map(|reports| Alone::of(reports));
            let text = format!("prover {prover}, verifier {verifier}");
            let value = json!({"prover": prover.json(), "verifier": verifier.json()});
            outcome.more("alone", value, text);
        }
        outcome
    }

    pub(crate) fn print(&self, outcome: &Outcome) -> Result<()> {
        outcome.print(self.settings.json)
    }

    /// The task of a bench, `of` so many units a run.
    pub(crate) fn task(&self, unit: &'static str, of: u64) -> Task {
        // How often parties are simulated for all repetitions is told on the way.
        let known = !self.settings.system().facts().simulates;
        let total = known.then(|| of.saturating_mul(self.repeat.into()));
        let Settings { timeout, quiet, .. } = self.settings;
        let record = self.replay.then_some(tempfile::tempfile as fn() -> _);
        let devices = self.settings.devices.clone();
        Task { timeout, quiet, shape: self.shape, record, devices, unit, total }
    }

    /// The parameters that were asked for, `size` being of this bench alone.
    pub(crate) fn parameters(&self, size: (&str, u64)) -> Value {
        json!({
            size.0: size.1,
            "vole": self.settings.vole(),
            "repeat": self.repeat,
            "bandwidth": self.settings.bandwidth,
            "latency": self.latency,
            "tls": self.shape.tls,
            "replay": self.replay,
        })
    }

    /// Proves a statement that was put into values.
    pub(crate) fn stated(
        &self,
        size: (&str, u64),
        statement: &Statement,
        witness: &Witness,
    ) -> Result<Outcome> {
        let facts = self.settings.system().facts();
        if facts.of_clauses || (facts.clauses && statement.count() > 1) {
            return self.clauses(size, statement, witness);
        }
        Binary::compiled().check(statement, Box::new(witness.bits()))?;
        let shape = Binary::compiled().count(statement)?;
        let options = self.settings.options(statement.digest(), Some(self.settings.size(&shape)))?;
        let mul = self.settings.mul(&shape);
        if self.settings.field.name() == ShortBinary::name() {
            return self.prove::<ShortBinary, _>(size, statement.source(), witness.bits(), mul, &options);
        }
        self.prove::<Binary, _>(size, statement.source(), witness.bits(), mul, &options)
    }

    /// Proves one of the clauses of a statement.
    fn clauses(&self, size: (&str, u64), statement: &Statement, witness: &Witness) -> Result<Outcome> {
        let chosen = StreamedClauses(statement).find(witness)?;
        let options = self.settings.options(statement.digest(), None)?;
        let mul = StreamedClauses(statement).shapes()?.iter().map(circuit::Shape::mul_by_gates).sum();
        let claim = (chosen, witness.bits());
        let reports = self.task("gates", mul).prove_one_of(
            statement as &dyn ClauseSource,
            claim,
            &options,
            self.repeat,
        )?;
        let mut outcome = self.outcome(size, &reports);
        outcome.clauses = Some(statement.count() as u64);
        Ok(outcome)
    }
}

/// The run of one party, with a record of the other.
struct Alone {
    setup: Duration,
    online: Duration,
    mul: u64,
}

impl Alone {
    fn of(reports: &[Report]) -> Self {
        let setup = reports.iter().map(|report| report.setup).sum();
        let online = reports.iter().map(|report| report.online).sum();
        Self { setup, online, mul: reports.iter().map(|report| report.gates.mul).sum() }
    }

    fn rate(&self) -> Option<f64> {
        let seconds = self.online.as_secs_f64();
        (self.mul > 0 && seconds > 0.0).then(|| self.mul as f64 / seconds)
    }

    fn json(&self) -> Value {
        json!({
            "setup": self.setup.as_secs_f64(),
            "online": self.online.as_secs_f64(),
            "mul_gates_per_second": self.rate(),
        })
    }
}

impl fmt::Display for Alone {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let rate = self.rate().unwrap_or_default() / 1e6;
        write!(f, "{:.3} s ({rate:.1} million multiplications/s)", self.online.as_secs_f64())
    }
}

fn latency(text: &str) -> Result<f64> {
    let number = text.parse().ok().filter(|ms| (0.0..=LONGEST_LATENCY).contains(ms));
    number.ok_or_else(|| Failure::usage("--latency: write a number of milliseconds, from 0 to 10000"))
}
