//! Results of the measurements, beside the papers' figures.

use super::machine::Machine;
use super::measure::Measure;
use super::paper::{Figure, Row, Table};
use super::run::CommandState;
use super::worse::Worse;
use serde_json::{Value, json};
use volery_cli::failure::Failure;

/// All of a run of `bench tables`, as far as it has come.
pub(super) struct Results<'t> {
    pub(super) machine: Machine,
    pub(super) date: String,
    pub(super) quick: bool,
    /// The most runs of a command, of which the best counts.
    pub(super) repeat: u32,
    pub(super) tables: Vec<Measured<'t>>,
}

/// A table that is done.
pub(super) struct Measured<'t> {
    pub(super) table: &'t Table,
    /// The cells by row, and in it by system.
    pub(super) cells: Vec<Vec<Cell>>,
}

/// One row on one system.
pub(super) struct Cell {
    pub(super) system: &'static str,
    /// The command that ran, or would have.
    pub(super) command: String,
    /// Whether it has the size of its row, so that its figures may stand beside the paper's.
    pub(super) whole: bool,
    pub(super) state: CommandState,
}

impl Cell {
    pub(super) fn value(&self, measure: Measure) -> Option<f64> {
        match &self.state {
            CommandState::Measured(runs) => measure.of(runs.best()),
            _ => None,
        }
    }

    /// How many times it is better than the paper's figure.
    pub(super) fn better_by(&self, figure: &Figure) -> Option<f64> {
        let printed = figure.printed.as_ref().filter(|_| self.whole)?;
        figure.measure.better_by(self.value(figure.measure)?, printed.value)
    }

    pub(super) fn failure(&self) -> Option<&Failure> {
        match &self.state {
            CommandState::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    fn json(&self, row: &Row) -> Value {
        let state = match &self.state {
            CommandState::Measured(_) => "measured",
            CommandState::Failed(_) => "failed",
            CommandState::ToCome => "to come",
            CommandState::LeftOut => "left out",
        };
        let figure = |figure: &Figure| {
            json!({
                "measure": figure.measure.name(),
                "unit": figure.measure.unit(),
                "value": self.value(figure.measure),
                "paper": figure.printed.as_ref().map(|printed| {
                    json!({"printed": printed.text, "value": printed.value})
                }),
                "others": figure.others.iter().map(|(name, text)| json!([name, text])).collect::<Vec<_>>(),
                "better_by": self.better_by(figure),
            })
        };
        let runs = match &self.state {
            CommandState::Measured(runs) => runs.all.clone(),
            _ => Vec::new(),
        };
        json!({
            "what": row.what,
            "system": self.system,
            "command": format!("volery bench {}", self.command),
            "whole_size": self.whole,
            "state": state,
            "error": self.failure().map(|failure| &failure.line),
            "figures": row.figures.iter().map(figure).collect::<Vec<_>>(),
            "runs": runs,
        })
    }
}

impl Measured<'_> {
    fn json(&self) -> Value {
        let rows = self.table.rows.iter().zip(&self.cells);
        let rows: Vec<_> = rows.flat_map(|(row, cells)| cells.iter().map(|cell| cell.json(row))).collect();
        json!({
            "id": self.table.id,
            "title": self.table.title,
            "paper": self.table.paper.title,
            "system": self.table.paper.name,
            "machine": self.table.paper.machine,
            "setting": self.table.setting,
            "rows": rows,
        })
    }
}

impl Results<'_> {
    pub(super) fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.tables.iter().flat_map(|table| table.cells.iter().flatten())
    }

    /// The rows that are worse than the paper's by more than a quarter.
    pub(super) fn worse(&self) -> Vec<Worse> {
        let tables = self.tables.iter();
        let rows = tables.flat_map(|measured| measured.table.rows.iter().zip(&measured.cells));
        let cells = rows.flat_map(|(row, cells)| cells.iter().map(move |cell| (row, cell)));
        let worse = |(row, cell): (&Row, &Cell)| {
            let worse = row.figures.iter().filter_map(|figure| {
                let then = figure.printed.as_ref().filter(|_| cell.whole)?.value;
                Worse::of(
                    &cell.command,
                    figure.measure,
                    [cell.value(figure.measure)?, then],
                    "in the paper".into(),
                )
            });
            worse.collect::<Vec<_>>()
        };
        cells.flat_map(worse).collect()
    }

    /// How many rows came to what.
    pub(super) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for cell in self.cells() {
            *match cell.state {
                CommandState::Measured(_) => &mut counts.measured,
                CommandState::Failed(_) => &mut counts.failed,
                CommandState::ToCome => &mut counts.to_come,
                CommandState::LeftOut => &mut counts.left_out,
            } += 1;
        }
        counts
    }

    /// The content of `tables.json`.
    pub(super) fn json(&self) -> Value {
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "date": self.date,
            "machine": self.machine.json(),
            "quick": self.quick,
            "best_of": self.repeat,
            "rows": self.counts().json(),
            "tables": self.tables.iter().map(Measured::json).collect::<Vec<_>>(),
        })
    }
}

/// Rows by what they came to.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) measured: usize,
    pub(super) failed: usize,
    pub(super) to_come: usize,
    pub(super) left_out: usize,
}

impl Counts {
    pub(super) fn json(&self) -> Value {
        json!({
            "measured": self.measured,
            "failed": self.failed,
            "to_come": self.to_come,
            "left_out": self.left_out,
        })
    }

    /// The results in words, for people.
    pub(super) fn text(&self) -> String {
        let Self { measured, failed, to_come, left_out } = self;
        format!("{measured} measured, {failed} failed, {to_come} to come, {left_out} left out (--large)")
    }
}
