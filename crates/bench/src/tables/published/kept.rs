//! The figures that were measured, run by run: `figures.json` beside the pages.

use super::super::machine::Machine;
use super::super::measure::Measure;
use serde_json::{Map, Value, json};
use std::path::Path;
use volery_cli::failure::{Failure, Result};

/// The name of the file.
pub(super) const FILE: &str = "figures.json";

/// All figures. A command stands in the last run of it alone.
#[derive(Clone, Default)]
pub struct Kept {
    runs: Vec<Run>,
}

/// The figures of one run of the program: one build, one machine, one day.
#[derive(Clone)]
pub(super) struct Run {
    /// The commit of the program.
    pub(super) commit: Option<String>,
    /// The day, and the time.
    pub(super) date: String,
    pub(super) machine: Machine,
    /// The profile that the program was built by, if its place tells.
    pub(super) build: Option<String>,
    /// Processes that wanted a core in the minute before.
    pub(super) load: Option<f64>,
    pub(super) rows: Vec<Row>,
}

/// The figures of a command.
#[derive(Clone)]
pub(super) struct Row {
    /// The arguments of `volery bench`.
    pub(super) command: String,
    /// The runs, of which each figure is the best.
    pub(super) best_of: u64,
    /// The figures by the names of their measures.
    values: Map<String, Value>,
}

/// A command's figures, and the run that they are of.
pub(super) struct Found<'k> {
    pub(super) run: &'k Run,
    pub(super) row: &'k Row,
}

impl Kept {
    /// The figures that a folder keeps; none where it has no file.
    ///
    /// # Errors
    /// Where the file cannot be read, or is none of these.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let refuse = |why: &dyn core::fmt::Display| {
            Failure::usage(format_args!(
                "{}: {why}: restore it, or remove it and measure again",
                path.display()
            ))
        };
        let text = match std::fs::read_to_string(&path) {
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            read => read.map_err(|why| refuse(&why))?,
        };
        let object: Value = serde_json::from_str(&text).map_err(|why| refuse(&why))?;
        let runs = object["runs"].as_array().and_then(|runs| runs.iter().map(Run::of).collect());
        Ok(Self { runs: runs.ok_or_else(|| refuse(&"no list of runs with their figures"))? })
    }

    /// The content of the file.
    pub fn json(&self) -> String {
        let runs = self.runs.iter().map(Run::json).collect::<Vec<_>>();
        format!("{:#}\n", json!({ "runs": runs }))
    }

    /// All figures, with those of `run` in the place of what was.
    pub(super) fn with(&self, run: &Run) -> Self {
        let mut runs = self.runs.clone();
        for old in &mut runs {
            old.rows.retain(|row| run.rows.iter().all(|new| new.command != row.command));
        }
        runs.push(run.clone());
        runs.retain(|run| !run.rows.is_empty());
        Self { runs }
    }

    /// The figures of a command.
    pub(super) fn find(&self, command: &str) -> Option<Found<'_>> {
        self.runs
            .iter()
            .find_map(|run| run.rows.iter().find(|row| row.command == command).map(|row| Found { run, row }))
    }
}

impl Run {
    /// Whether figures of both may be compared: one build on one machine.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.commit == other.commit && self.is_by_same(other)
    }

    /// Whether both ran on one machine, built alike.
    pub(super) fn is_by_same(&self, other: &Self) -> bool {
        self.machine == other.machine && self.build == other.build
    }

    /// The commit, as pages show it.
    pub(super) fn mark(&self) -> String {
        self.commit.as_ref().map_or("?".into(), |commit| format!("`{commit}`"))
    }

    /// The object without the rows.
    pub(super) fn described(&self) -> Map<String, Value> {
        let object = json!({
            "commit": self.commit,
            "date": self.date,
            "machine": self.machine.json(),
            "build": self.build,
            "load": self.load,
        });
        object.as_object().cloned().unwrap_or_default()
    }

    fn json(&self) -> Value {
        let mut object = self.described();
        object.insert("figures".into(), self.rows.iter().map(Row::json).collect());
        object.into()
    }

    fn of(object: &Value) -> Option<Self> {
        let text = |key: &str| Some(object.get(key)?.as_str()?.to_owned());
        Some(Self {
            commit: text("commit"),
            date: text("date")?,
            machine: Machine::of(object.get("machine")?),
            build: text("build"),
            load: object["load"].as_f64(),
            rows: object["figures"].as_array()?.iter().map(Row::of).collect::<Option<_>>()?,
        })
    }
}

impl Row {
    /// A command's figures, without any yet.
    pub(super) fn new(command: &str) -> Self {
        Self { command: command.into(), best_of: 0, values: Map::new() }
    }

    /// Takes the figures of one more run of the command, where they are better than those before.
    pub(super) fn take(&mut self, measures: &[Measure], run: &Value) {
        self.best_of += 1;
        for measure in measures {
            let Some(value) = measure.of(run).map(rounded) else { continue };
            let is_better = |old: f64| measure.better_by(value, old).is_some_and(|ratio| ratio > 1.0);
            if self.value(*measure).is_none_or(is_better) {
                self.values.insert(measure.name().into(), json!(value));
            }
        }
    }

    pub(super) fn value(&self, measure: Measure) -> Option<f64> {
        self.values.get(measure.name())?.as_f64()
    }

    pub(super) fn json(&self) -> Value {
        json!({"command": self.command, "best_of": self.best_of, "values": self.values})
    }

    fn of(object: &Value) -> Option<Self> {
        Some(Self {
            command: object["command"].as_str()?.into(),
            best_of: object["best_of"].as_u64()?,
            values: object["values"].as_object()?.clone(),
        })
    }
}

/// The value to four digits, which are more than are shown.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}
