//! Wolverine, and QuickSilver over the same correlations beside it.

use super::circuit::AnyGenerated;
use crate::plan::Plan;
use serde_json::{Value, json};
use volery::{Options, System};
use volery_cli::failure::Result;
use volery_cli::print::{count, human, seconds};
use volery_cli::report::Outcome;

/// Proves a network by wolverine, then by quicksilver over the correlations that were drawn for that.
pub(super) fn compare(plan: &Plan, circuit: &dyn AnyGenerated) -> Result<()> {
    let options = plan.settings.options(circuit.digest(), Some(circuit.size()))?;
    let mut outcome = circuit.described(circuit.prove(plan, &options)?);
    let beside = Options {
        method: System::QUICKSILVER.into(),
        correlations: outcome.report.choice.map(|choice| choice.correlations),
        // What it is worth is reported, and no reason to refuse.
        security: Some(0),
        insecure_parameters: true,
        ..options
    };
    let beside = circuit.prove(plan, &beside)?;
    for (name, value, text) in each(&outcome, circuit) {
        outcome.more(name, value, text);
    }
    let (object, text) = told(&beside, circuit);
    outcome.more("quicksilver", object, text);
    plan.print(&outcome)
}

/// The figures of quicksilver.
fn told(beside: &Outcome, circuit: &dyn AnyGenerated) -> (Value, String) {
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
fn each(outcome: &Outcome, circuit: &dyn AnyGenerated) -> [(&'static str, Value, String); 2] {
    let (gates, element) = (&outcome.report.gates, circuit.element());
    let number = if circuit.inputs() > 0 { gates.inputs } else { gates.mul };
    let bytes = outcome.online_bytes() as f64 / number as f64;
    let (names, units, unit) = match (element.bits, circuit.inputs()) {
        (1, 0) => (["bytes_per_gate", "bits_per_gate"], 8.0 * bytes, "bits"),
        (1, _) => (["bytes_per_input", "bits_per_input"], 8.0 * bytes, "bits"),
        (_, 0) => (["bytes_per_gate", "elements_per_gate"], bytes / element.bytes as f64, "elements"),
        (_, _) => (["bytes_per_input", "elements_per_input"], bytes / element.bytes as f64, "elements"),
    };
    [
        (names[0], json!(bytes), format!("{}B each", human(bytes))),
        (names[1], json!(units), format!("{units:.2} {unit} each")),
    ]
}
