//! Wolverine, and QuickSilver over the same correlations beside it.

use super::circuit::{Generated, Satisfied};
use crate::bench::Run;
use crate::plan::Plan;
use serde_json::{Value, json};
use volery::{Drawing, Field, Method, Options, Provable, Setting};
use volery_cli::failure::Result;
use volery_cli::print::{count, human, seconds};
use volery_cli::report::Outcome;

/// Proves a network by wolverine, then by quicksilver over the correlations that were drawn for that.
pub(super) fn compare<S: Setting, N: Satisfied<S::F>>(run: &Run) -> Result<()>
where
    Generated<N, S::F>: Provable<S> + Sync,
{
    let (plan, circuit) = (&Plan::new(run)?, &Generated::<N, S::F>::asked(run.typed)?);
    let witness = circuit.witness()?;
    let proved = |options: &Options| {
        let size = ("gates", circuit.gates);
        plan.prove::<S, _>(size, circuit, witness.clone(), circuit.gates, options)
    };
    let options = plan.settings.options(circuit.digest(), Some(circuit.size()))?;
    let mut outcome = circuit.described(proved(&options)?);
    let drawing = Drawing {
        correlations: outcome.report.choice().map(|choice| choice.correlations),
        bandwidth: plan.settings.bandwidth,
        fixed_work: false,
    };
    let beside = proved(&Options {
        method: Method::Quicksilver(drawing),
        // What it is worth is reported, and no reason to refuse.
        security: Some(0),
        insecure_parameters: true,
        ..options
    })?;
    for (name, value, text) in each(&outcome, circuit) {
        outcome.more(name, value, text);
    }
    let (object, text) = told(&beside, circuit);
    outcome.more("quicksilver", object, text);
    plan.print(&outcome)
}

/// The figures of quicksilver.
fn told<N, F: Field>(beside: &Outcome, circuit: &Generated<N, F>) -> (Value, String) {
    let (rate, report) = (beside.rate(), &beside.report);
    let mut object = json!({
        "mul_gates_per_second": rate,
        "online_bytes": beside.online_bytes(),
        "seconds": {"setup": report.setup.as_secs_f64(), "online": report.online.as_secs_f64()},
        "statistical_bits": report.security.statistical,
    });
    let rate = rate.map_or("-".into(), |rate| format!("{} multiplications/s", count(rate)));
    let mut text = format!("{} online, {rate}", seconds(report.online.as_secs_f64()));
    for (name, value, each) in each(beside, circuit) {
        object[name] = value;
        text = format!("{text}, {each}");
    }
    (object, text)
}

/// The bytes of one gate after the set-up, in both directions, or of one input where there are values before
/// the gates: names and values for JSON, and a text.
fn each<N, F: Field>(outcome: &Outcome, circuit: &Generated<N, F>) -> [(&'static str, Value, String); 2] {
    let gates = &outcome.report.gates;
    let number = if circuit.inputs > 0 { gates.inputs } else { gates.mul };
    let bytes = outcome.online_bytes() as f64 / number as f64;
    let (names, units, unit) = match (F::BITS, circuit.inputs) {
        (1, 0) => (["bytes_per_gate", "bits_per_gate"], 8.0 * bytes, "bits"),
        (1, _) => (["bytes_per_input", "bits_per_input"], 8.0 * bytes, "bits"),
        (_, 0) => (["bytes_per_gate", "elements_per_gate"], bytes / F::BYTES as f64, "elements"),
        (_, _) => (["bytes_per_input", "elements_per_input"], bytes / F::BYTES as f64, "elements"),
    };
    [
        (names[0], json!(bytes), format!("{}B each", human(bytes))),
        (names[1], json!(units), format!("{units:.2} {unit} each")),
    ]
}
