//! Figures that have become worse than others of the same thing.

use super::measure::Measure;
use serde_json::{Value, json};

/// How many times better a figure is at least that is not told.
const QUARTER: f64 = 1.0 / 1.25;

/// A figure that is worse by more than a quarter.
pub(super) struct Worse {
    command: String,
    measure: Measure,
    now: f64,
    then: f64,
    /// The place of the other figure.
    of: String,
}

impl Worse {
    /// The figure of a command beside another, where it is so much worse.
    pub(super) fn of(command: &str, measure: Measure, [now, then]: [f64; 2], of: String) -> Option<Self> {
        let ratio = measure.better_by(now, then)?;
        (ratio < QUARTER).then(|| Self { command: command.into(), measure, now, then, of })
    }

    /// The figure in words, for people.
    pub(super) fn text(&self) -> String {
        let Self { command, measure, of, .. } = self;
        let [now, then] = [self.now, self.then].map(|value| measure.text(value));
        format!("bench {command}: {}: {now}, and {then} {of}", measure.name())
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "command": self.command,
            "measure": self.measure.name(),
            "value": self.now,
            "other": self.then,
            "of": self.of,
        })
    }
}
