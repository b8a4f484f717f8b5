//! What all benches of proofs do.

use super::{number, repeat, system};
use crate::args::Bench;
use crate::both::{Reports, Task};
use crate::failure::{Failure, Result};
use crate::link::Shape;
use crate::parties::{Known, print_outcome};
use crate::preimage::{LENGTH, Preimage};
use crate::report::Outcome;
use crate::settings::{Settings, bandwidth};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use volery::circuit::stream::StreamedClauses;
use volery::circuit::{self, Alternatives, Relation, Statement, Witness, clauses};
use volery::{Binary, Options, Provable, Setting, System};

/// The longest delay that can be asked for.
const LONGEST_LATENCY: f64 = 10_000.0;

/// What all benches share, over `S`.
pub(super) struct Plan<S> {
    pub(super) settings: Settings<S>,
    pub(super) shape: Shape,
    /// As in the JSON.
    pub(super) latency: Option<f64>,
    pub(super) gates: Option<u64>,
    pub(super) repeat: u32,
    pub(super) started: Instant,
}

impl<S: Setting> Plan<S> {
    pub(super) fn new(typed: &Bench, started: Instant) -> Result<Self> {
        let mut settings = Settings::of(system(typed)?, &typed.protocol, &typed.output)?;
        settings.bandwidth = typed.bandwidth.as_deref().map(bandwidth).transpose()?;
        let latency = typed.latency.as_deref().map(latency).transpose()?;
        let shape = Shape {
            bandwidth: settings.bandwidth,
            latency: Duration::from_secs_f64(latency.unwrap_or_default() / 1e3),
        };
        let gates = typed.gates.as_deref().map(|text| number("--gates", text)).transpose()?;
        Ok(Self { settings, shape, latency, gates, repeat: repeat(typed, 1)?, started })
    }

    /// Proves `circuit`, which has `mul` multiplications, as often as said: what that took. `size` is as for the
    /// parameters.
    pub(super) fn prove<C, W>(
        &self,
        name: &'static str,
        size: (&str, u64),
        circuit: &C,
        witness: W,
        mul: u64,
        options: &Options,
    ) -> Result<Outcome>
    where
        W: IntoIterator<Item = S::F> + Clone + Send,
        C: Provable<S> + Sync + ?Sized,
    {
        // A prover of a garbled circuit evaluates, and garbles once more to check.
        let passes = if self.settings.system == System::Jko { 2 } else { 1 };
        let reports = self.task("gates", passes * mul).prove(circuit, witness, options, self.repeat)?;
        Ok(self.outcome(name, size, &reports))
    }

    /// What the runs of a bench came to.
    pub(super) fn outcome(&self, name: &'static str, size: (&str, u64), reports: &Reports) -> Outcome {
        let mut outcome = Outcome::of_both::<S>(reports, self.started);
        outcome.threads = self.settings.threads();
        outcome.bench = Some((name, self.parameters(size)));
        outcome
    }

    pub(super) fn print(&self, outcome: &Outcome) -> Result<()> {
        print_outcome(outcome, &self.settings)
    }

    /// What there is to do, `of` so many a run.
    pub(super) fn task(&self, unit: &'static str, of: u64) -> Task<'_, S> {
        // How often parties are simulated for all repetitions is the library's affair.
        let known = self.settings.system != System::Limbo;
        let total = known.then(|| of.saturating_mul(self.repeat.into()));
        Task { settings: &self.settings, shape: self.shape, unit, total }
    }

    /// What was asked for, `size` being of this bench alone.
    pub(super) fn parameters(&self, size: (&str, u64)) -> Value {
        json!({
            size.0: size.1,
            "vole": self.settings.vole(),
            "repeat": self.repeat,
            "bandwidth": self.settings.bandwidth,
            "latency": self.latency,
        })
    }
}

impl Plan<Binary> {
    pub(super) fn sha256(&self) -> Result<()> {
        let Preimage { statement, witness, .. } = Preimage::random()?;
        self.print(&self.stated("sha256", ("length", LENGTH as u64), &statement, &witness)?)
    }

    /// Proves a statement that was put into values.
    pub(super) fn stated(
        &self,
        name: &'static str,
        size: (&str, u64),
        statement: &Statement,
        witness: &Witness,
    ) -> Result<Outcome> {
        let known = Known::<Relation>(witness);
        if self.settings.system == System::Stack {
            return self.clauses(name, size, statement, known);
        }
        volery::check(statement, known)?;
        let shape = circuit::Shape::without_depth(statement)?;
        let options = self.settings.options(statement.digest(), Some(self.settings.size(&shape)))?;
        self.prove(name, size, statement.source(), known, self.settings.mul(&shape), &options)
    }

    /// Proves one of the clauses of a statement.
    pub(super) fn clauses(
        &self,
        name: &'static str,
        size: (&str, u64),
        statement: &Statement,
        known: Known<Relation>,
    ) -> Result<Outcome> {
        let chosen = clauses::find(&StreamedClauses(statement), known)?;
        let options = self.settings.options(statement.digest(), None)?;
        let mul =
            clauses::shapes(&StreamedClauses(statement))?.iter().map(circuit::Shape::mul_by_gates).sum();
        let reports =
            self.task("gates", mul).prove_one_of(statement, (chosen, known), &options, self.repeat)?;
        let mut outcome = self.outcome(name, size, &reports);
        outcome.clauses = Some(statement.count() as u64);
        Ok(outcome)
    }
}

fn latency(text: &str) -> Result<f64> {
    let number = text.parse().ok().filter(|ms| (0.0..=LONGEST_LATENCY).contains(ms));
    number.ok_or_else(|| Failure::usage("--latency: write a number of milliseconds, from 0 to 10000"))
}
