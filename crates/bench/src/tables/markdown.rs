//! The tables for people: ours and the papers' figures side by side.

use super::paper::{Figure, Row};
use super::plots::Drawing;
use super::results::{Cell, Measured, Results};
use super::run::CommandState;
use std::fmt::Write;

/// The content of `tables.md`.
pub(super) fn page(results: &Results, drawings: &[Drawing]) -> String {
    let mut page = String::from("# The papers' tables, measured with volery\n\n");
    let Results { machine, date, repeat, .. } = results;
    let _ = writeln!(page, "- volery {}, {date}", env!("CARGO_PKG_VERSION"));
    let _ = writeln!(page, "- Ours: {}; both parties on it, one thread each, over loopback", machine.text());
    let runs = match repeat {
        1 => "ran once".into(),
        _ => format!("is the best of {repeat} runs, or of fewer where they take long"),
    };
    let _ = writeln!(page, "- Each row {runs}. Memory is that of both parties");
    page.push_str(
        "- Other machines, other networks: the papers' figures beside ours are those which they print, \
         measured on what is named above each table. `better by` compares them, and is below 1 where ours \
         is worse\n",
    );
    if results.quick {
        page.push_str("- **Quick**: most sizes are tiny, and say nothing of speed\n");
    }
    for table in &results.tables {
        section(&mut page, table);
    }
    if !drawings.is_empty() {
        page.push_str("\n## Plots\n\n");
    }
    for drawing in drawings {
        let _ = writeln!(page, "![{}]({})\n", drawing.title, drawing.file);
    }
    page
}

fn section(page: &mut String, measured: &Measured) {
    let table = measured.table;
    let paper = table.paper;
    let _ = writeln!(page, "\n## {}: {}\n", paper.name, table.title);
    let _ = writeln!(page, "*{}* (`{}`)\n", paper.title, table.id);
    let _ = writeln!(page, "- Theirs: {}\n- {}\n", paper.machine, table.setting);
    let ours: String =
        table.systems.iter().map(|system| format!(" volery, {system} | better by |")).collect();
    let _ = writeln!(page, "| | figure | {} |{ours} others there | `volery bench` |", paper.name);
    let _ = writeln!(page, "|---|---|---|{}---|---|", "---|---|".repeat(table.systems.len()));
    for (row, cells) in table.rows.iter().zip(&measured.cells) {
        for (i, figure) in row.figures.iter().enumerate() {
            line(page, row, figure, cells, i == 0);
        }
    }
    let failed = measured.cells.iter().flatten().filter_map(|cell| Some((cell, cell.failure()?)));
    for (i, (cell, failure)) in failed.enumerate() {
        let gap = if i == 0 { "\n" } else { "" };
        let _ = writeln!(page, "{gap}- failed: `volery bench {}`: {}", cell.command, failure.line);
    }
}

/// Writes a line of a table. The first line of a row names it.
fn line(page: &mut String, row: &Row, figure: &Figure, cells: &[Cell], first: bool) {
    let what = if first { row.what.as_str() } else { "" };
    let printed = figure.printed.as_ref().map_or("–", |printed| &printed.text);
    let ours: String = cells.iter().map(|cell| ours(cell, figure)).collect();
    let others: Vec<_> = figure.others.iter().map(|(name, text)| format!("{name} {text}")).collect();
    let commands: Vec<_> = cells.iter().map(|cell| format!("`{}`", cell.command)).collect();
    let command = if first { commands.join(", ") } else { String::new() };
    let name = figure.measure.name();
    let _ = writeln!(page, "| {what} | {name} | {printed} |{ours} {} | {command} |", others.join("; "));
}

/// The two columns of a system.
fn ours(cell: &Cell, figure: &Figure) -> String {
    let value = match &cell.state {
        CommandState::Measured(_) => cell.value(figure.measure).map(|value| figure.measure.text(value)),
        CommandState::Failed(_) => Some("failed".into()),
        CommandState::ToCome => Some("to come".into()),
        CommandState::LeftOut => Some("left out".into()),
    };
    let ratio = cell.better_by(figure).map(|ratio| match ratio {
        0.0..10.0 => format!("{ratio:.2}×"),
        10.0..100.0 => format!("{ratio:.1}×"),
        _ => format!("{ratio:.0}×"),
    });
    let [value, ratio] = [value, ratio].map(|text| text.unwrap_or_else(|| "–".into()));
    format!(" {value} | {ratio} |")
}
