//! Figures that a paper printed, and the commands that measure the like here.

use super::measure::Measure;
use std::borrow::Cow;

/// The paper that tables stand in.
pub(super) struct Paper {
    /// The system of the paper, under whose name its figures stand.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// The machine of the paper.
    pub(super) machine: &'static str,
}

/// A table of a paper, or the part of a figure that its text tells.
pub struct Table {
    /// The name for `--only`.
    pub id: &'static str,
    pub(super) title: &'static str,
    pub(super) paper: &'static Paper,
    /// Network and threads in the paper, and whatever a reader must know to compare.
    pub(super) setting: &'static str,
    /// Our systems that are measured: each has its columns.
    pub systems: &'static [&'static str],
    pub rows: Vec<Row>,
}

/// One measurement.
pub struct Row {
    pub(super) what: String,
    /// The arguments of `volery bench`, with the paper's network. Where there is no such bench yet, nothing
    /// runs.
    pub command: String,
    /// Whether it takes minutes, and runs with `--large` only.
    pub(super) large: bool,
    pub figures: Vec<Figure>,
}

/// One figure of a measurement.
pub struct Figure {
    pub(super) measure: Measure,
    /// The paper's; `None` where it has none, or only a plot.
    pub(super) printed: Option<Printed>,
    /// The figures that the paper prints for others, with their names.
    pub(super) others: Vec<(&'static str, &'static str)>,
}

/// A figure as it is printed.
pub(super) struct Printed {
    pub(super) text: Cow<'static, str>,
    /// The figure in the unit of its [`Measure`].
    pub(super) value: f64,
}

impl Row {
    /// A row without a figure.
    pub fn new(what: impl Into<String>, command: impl Into<String>) -> Self {
        Self { what: what.into(), command: command.into(), large: false, figures: Vec::new() }
    }

    /// Runs with `--large` only.
    pub(super) fn large(self) -> Self {
        Self { large: true, ..self }
    }

    /// Adds a figure for which the paper has no number.
    pub(super) fn plain(mut self, measure: Measure) -> Self {
        self.figures.push(Figure { measure, printed: None, others: Vec::new() });
        self
    }

    /// Adds a figure that the paper prints.
    pub(super) fn printed(self, measure: Measure, text: impl Into<Cow<'static, str>>, value: f64) -> Self {
        let mut row = self.plain(measure);
        if let Some(figure) = row.figures.last_mut() {
            figure.printed = Some(Printed { text: text.into(), value });
        }
        row
    }

    /// Adds what the paper prints for others beside the last figure.
    pub(super) fn others(mut self, others: &[(&'static str, &'static str)]) -> Self {
        if let Some(figure) = self.figures.last_mut() {
            figure.others.extend(others);
        }
        self
    }

    /// The value of an option in the command.
    pub fn option<'c>(command: &'c str, option: &str) -> Option<&'c str> {
        command.split_whitespace().skip_while(|word| *word != option).nth(1)
    }

    /// The command, of a size that takes no time where that is `quick`.
    pub fn sized(&self, quick: bool) -> String {
        if quick { small(&self.command) } else { self.command.clone() }
    }
}

/// A command of a size that takes no time.
pub(super) fn small(command: &str) -> String {
    let mut words: Vec<String> = command.split_whitespace().map(String::from).collect();
    for (option, most) in QUICK {
        let Some(place) = words.iter().position(|word| word == option) else { continue };
        if words.get(place + 1).and_then(|size| size.parse().ok()).is_some_and(|size: u64| size > most) {
            words[place + 1] = most.to_string();
        }
    }
    words.join(" ")
}

/// The largest sizes of `--quick`.
const QUICK: [(&str, u64); 10] = [
    ("--gates", 20_000),
    ("--inputs", 5_000),
    ("--length", 5_000),
    ("--size", 32),
    ("--depth", 3),
    ("--count", 4),
    ("--lanes", 100),
    ("--clauses", 4),
    ("--words", 4_096),
    ("--accesses", 5_000),
];
