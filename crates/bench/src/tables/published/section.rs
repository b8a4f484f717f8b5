//! Tables of pages: their rows, and the command and the quantity behind each figure.

use super::super::measure::Measure;
use super::kept::Kept;
use serde_json::Value;

/// A table of a page.
pub struct Section {
    /// The name for `--only`, and of its mark in the page.
    pub id: &'static str,
    /// The page that it stands in.
    pub page: &'static str,
    /// The rows in their order.
    pub lines: Vec<Line>,
}

/// A row: names, and behind them cells.
pub struct Line {
    /// The cells that say what is measured.
    pub names: Vec<String>,
    /// The cells with figures; none where all of the row is written by hand.
    pub cells: Vec<Cell>,
}

/// Figures in one cell; none where it is written by hand.
pub struct Cell(pub Vec<Figure>);

/// A figure, and how it is shown.
pub struct Figure {
    /// The arguments of `volery bench`.
    pub command: String,
    pub(super) measure: Measure,
    shown: Shown,
    /// The words behind it.
    behind: &'static str,
    /// The figure of the paper that the page names beside it.
    pub(super) paper: Option<f64>,
}

/// The form of a figure.
enum Shown {
    /// The value with its unit, unless a column's heading says it.
    Value,
    /// The value so many times, without a unit: the heading has it.
    Scaled(f64),
    /// The times by which it is better than that of another command.
    Times(String),
}

impl Section {
    pub(super) fn new(id: &'static str, page: &'static str, lines: Vec<Line>) -> Self {
        Self { id, page, lines }
    }

    /// All figures.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.lines.iter().flat_map(|line| &line.cells).flat_map(|cell| &cell.0)
    }
}

impl Line {
    /// A row without cells yet.
    pub(super) fn new(names: &[&str]) -> Self {
        Self { names: names.iter().map(|name| (*name).into()).collect(), cells: Vec::new() }
    }

    /// Appends a cell.
    pub(super) fn cell(mut self, figures: Vec<Figure>) -> Self {
        self.cells.push(Cell(figures));
        self
    }

    /// Appends a cell that is written by hand.
    pub(super) fn by_hand(self) -> Self {
        self.cell(Vec::new())
    }
}

impl Cell {
    /// The text of the cell, where all of it was measured.
    pub(super) fn text(&self, kept: &Kept) -> Option<String> {
        // What was measured on another day is compared with nothing.
        let is_shown = |figure: &&Figure| !figure.is_compared() || figure.ratio(kept).is_some();
        let texts = self.0.iter().filter(is_shown).map(|figure| figure.text(kept));
        let texts = texts.collect::<Option<Vec<_>>>()?;
        (!texts.is_empty()).then(|| texts.join(", "))
    }
}

impl Figure {
    /// A figure of `volery bench` with `command`.
    pub(super) fn new(command: impl Into<String>, measure: Measure) -> Self {
        Self { command: command.into(), measure, shown: Shown::Value, behind: "", paper: None }
    }

    /// The value in the object of a run.
    pub fn value(&self, run: &Value) -> Option<f64> {
        self.measure.of(run)
    }

    /// Shows it with these words behind it.
    pub(super) fn behind(self, behind: &'static str) -> Self {
        Self { behind, ..self }
    }

    /// Shows it so many times, without its unit.
    pub(super) fn scaled(self, scale: f64) -> Self {
        Self { shown: Shown::Scaled(scale), ..self }
    }

    /// Shows how many times better it is than that of another command.
    pub(super) fn times(self, than: impl Into<String>) -> Self {
        Self { shown: Shown::Times(than.into()), ..self }
    }

    /// Compares it with the paper's.
    pub(super) fn paper(self, value: f64) -> Self {
        Self { paper: Some(value), ..self }
    }

    fn is_compared(&self) -> bool {
        matches!(self.shown, Shown::Times(_))
    }

    /// How many times better it is than that of the command that it is shown beside, in the same run.
    pub(super) fn ratio(&self, kept: &Kept) -> Option<f64> {
        let Shown::Times(than) = &self.shown else { return None };
        let (ours, theirs) = (kept.find(&self.command)?, kept.find(than)?);
        let values = ours.row.value(self.measure).zip(theirs.row.value(self.measure));
        values.filter(|_| ours.run.is_like(theirs.run)).and_then(|(a, b)| self.measure.better_by(a, b))
    }

    fn text(&self, kept: &Kept) -> Option<String> {
        let value = kept.find(&self.command)?.row.value(self.measure)?;
        let text = match &self.shown {
            Shown::Value => self.measure.cell(value),
            Shown::Scaled(scale) => plain(scale * value),
            Shown::Times(_) => format!("{:.1}×", self.ratio(kept)?),
        };
        Some(text + self.behind)
    }
}

/// A number in three digits, or in as many as it has before the point.
fn plain(value: f64) -> String {
    let digits = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.digits$}")
}
