//! `volery bench auto`: whether the correlations that are chosen are the fastest there are.
//!
//! On each link a generated circuit is proved over what `auto` takes, and over every set by name. `auto` is
//! told nothing of the link.

use super::circuit::AnyGenerated;
use crate::plan::Plan;
use serde_json::{Value, json};
use std::time::Duration;
use volery::{Correlations, Reason};
use volery_cli::failure::{Failure, Result};
use volery_cli::fields::Field;
use volery_cli::link::Shape;
use volery_cli::print::{self, seconds, table};

/// The links where none is asked for: Mbit/s each way, and milliseconds one way.
const LINKS: [(Option<f64>, f64); 10] = [
    (None, 0.0),
    (Some(1000.0), 0.0),
    (Some(1000.0), 5.0),
    (Some(1000.0), 25.0),
    (Some(100.0), 0.0),
    (Some(100.0), 5.0),
    (Some(100.0), 25.0),
    (Some(50.0), 0.0),
    (Some(50.0), 5.0),
    (Some(50.0), 25.0),
];

/// Beyond so many gates nobody would draw correlations straight from transfers over a larger field.
const MOST_DIRECT: u64 = 20_000;

/// The seconds of a proof, set-up included, and what was drawn.
type Took = (Correlations, f64, Reason);

/// The comparison on one link.
struct Compared {
    shape: Shape,
    auto: Took,
    named: Vec<Took>,
}

/// Proves a network on each link, over every set.
pub(super) fn compare(
    field: Field,
    mut plan: Plan,
    circuit: impl FnOnce() -> Result<Box<dyn AnyGenerated>>,
) -> Result<()> {
    if plan.settings.correlations.is_some() {
        return Err(Failure::usage("--vole: bench auto draws from all there are: leave it out"));
    }
    // It is measured, as by parties who know nothing.
    plan.settings.bandwidth = None;
    let asked = plan.shape;
    let of = |(bandwidth, ms): (Option<f64>, f64)| Shape {
        bandwidth,
        latency: Duration::from_secs_f64(ms / 1e3),
        tls: false,
    };
    let given = asked.bandwidth.is_some() || !asked.latency.is_zero();
    let links = if given { vec![asked] } else { LINKS.map(of).to_vec() };
    let circuit = &*circuit()?;
    let repeat = core::mem::replace(&mut plan.repeat, 1);
    let mut all = Vec::new();
    for shape in links {
        plan.shape = shape;
        let best = |correlations| best(&plan, circuit, repeat, correlations);
        let every = field.correlations().into_iter();
        let every = every.filter(|set| *set != Correlations::DIRECT || circuit.gates() <= MOST_DIRECT);
        let (asked, size) = (plan.settings.asked(), circuit.size());
        let options = plan.settings.options(circuit.digest(), Some(size))?;
        let bits = |set| field.statistical_bits(&options, set, size);
        let every = every.filter(|set| bits(*set).is_ok_and(|bits| bits >= asked));
        let named = every.map(|set| best(Some(set))).collect::<Result<Vec<_>>>()?;
        all.push(Compared { shape, auto: best(None)?, named });
    }
    if plan.settings.json {
        print::result(json!({
            "name": plan.name,
            "field": field.name(),
            "parameters": plan.parameters(("gates", circuit.gates())),
            "links": all.iter().map(Compared::json).collect::<Vec<_>>(),
        }))
    } else {
        print::result(table(&all.iter().map(Compared::row).collect::<Vec<_>>()))
    }
}

/// The best of several sessions.
fn best(
    plan: &Plan,
    circuit: &dyn AnyGenerated,
    repeat: u32,
    correlations: Option<Correlations>,
) -> Result<Took> {
    let options = plan.settings.options(circuit.digest(), Some(circuit.size()))?;
    let options = options.with_correlations(correlations);
    let mut best = None::<Took>;
    for _ in 0..repeat {
        let outcome = circuit.prove(plan, &options)?;
        let choice = outcome.report.choice.expect("drawn");
        let took = (outcome.report.setup + outcome.report.online).as_secs_f64();
        if best.is_none_or(|(_, least, _)| took < least) {
            best = Some((choice.correlations, took, choice.reason));
        }
    }
    Ok(best.expect("a session at least"))
}

impl Compared {
    fn fastest(&self) -> Took {
        *self.named.iter().min_by(|(_, a, _), (_, b, _)| a.total_cmp(b)).expect("some are named")
    }

    /// How much longer what was chosen takes than the fastest, both by name: 1 where it is the fastest.
    fn ratio(&self) -> f64 {
        let chosen = self.named.iter().find(|(set, ..)| *set == self.auto.0);
        chosen.map_or(f64::NAN, |(_, seconds, _)| seconds / self.fastest().1)
    }

    fn expected(&self) -> Option<f64> {
        if let Reason::Fastest(grounds) = self.auto.2 { Some(grounds.seconds) } else { None }
    }

    fn json(&self) -> Value {
        let named = self.named.iter().map(|(set, seconds, _)| (set.name().to_owned(), json!(seconds)));
        json!({
            "bandwidth": self.shape.bandwidth,
            "latency": self.shape.latency.as_secs_f64() * 1e3,
            "vole": self.auto.0.name(),
            "vole_reason": self.auto.2.to_string(),
            "expected_seconds": self.expected(),
            "seconds": self.auto.1,
            "fastest": self.fastest().0.name(),
            "ratio": self.ratio(),
            "by_name": named.collect::<serde_json::Map<_, _>>(),
        })
    }

    fn row(&self) -> (&'static str, String) {
        let link = match self.shape.bandwidth {
            Some(mbps) => format!("{mbps:.0} Mbit/s"),
            None => "loopback".into(),
        };
        let named = self.named.iter().map(|(set, took, _)| format!("{set} {}", seconds(*took)));
        let text = format!(
            "{link}, {:.0} ms for a round trip: {} in {}, {:.2} times the fastest by name; {}; {}",
            2e3 * self.shape.latency.as_secs_f64(),
            self.auto.0,
            seconds(self.auto.1),
            self.ratio(),
            named.collect::<Vec<_>>().join(", "),
            self.auto.2,
        );
        ("link", text)
    }
}
