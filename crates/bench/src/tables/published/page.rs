//! Pages, whose tables between marks are written from what was measured.
//!
//! A table stands behind `<!-- figures: ID -->`, and before `<!-- end -->`. Its headings, its names and the cells
//! that were not measured stay as they are. Where something was measured, the run is told above it, and a column
//! behind it has each row's commit. A plot that was drawn stands behind `<!-- plot -->`.

use super::kept::{Kept, Run};
use super::section::{Line, Section};
use core::ops::Range;
use volery_cli::failure::{Failure, Result};

const BEGIN: &str = "<!-- figures: ";
const PLOT: &str = "<!-- plot -->\n";
const END: &str = "<!-- end -->";

/// The columns of a line of text.
const WIDTH: usize = 110;

/// A cell without a figure.
const NONE: &str = "–";

/// `text`, the page `page`, with all that was measured.
///
/// # Errors
/// Misuse, where a table of the page is not as `sections` has it.
pub fn rewritten(page: &str, text: &str, sections: &[Section], kept: &Kept) -> Result<String> {
    let mut text = text.to_owned();
    let sections = sections.iter().filter(|section| section.page == page);
    let mut known = 0;
    for section in sections {
        let refuse = |why: String| Failure::usage(format_args!("{page}: the table {}: {why}", section.id));
        let mark = format!("{BEGIN}{} -->\n", section.id);
        let place = marked(&text, &mark).map_err(refuse)?;
        let table = section.table(&text[place.clone()], kept).map_err(refuse)?;
        text.replace_range(place, &table);
        known += 1;
    }
    if text.matches(BEGIN).count() != known {
        return Err(Failure::usage(format_args!(
            "{page}: a table is marked twice, or by a name that there is not: remove the mark"
        )));
    }
    Ok(text)
}

/// `text`, the page `page`, with this plot in its place, or with none.
///
/// # Errors
/// Misuse, where the page has no place for it.
pub(super) fn with_plot(page: &str, text: &str, plot: Option<&str>) -> Result<String> {
    let place = marked(text, PLOT).map_err(|why| Failure::usage(format_args!("{page}: the plot: {why}")))?;
    let image = plot.map_or(String::new(), |plot| format!("![Times as fast by threads](plots/{plot})\n"));
    Ok([&text[..place.start], &image, &text[place.end..]].concat())
}

/// The place between a mark and the end of what it marks, or why there is none.
fn marked(text: &str, mark: &str) -> Result<Range<usize>, String> {
    let from = text.find(mark).map(|at| at + mark.len());
    let place = from.and_then(|from| Some(from..from + text[from..].find(END)?));
    place.ok_or_else(|| format!("no {} before an {END}: write both", mark.trim()))
}

impl Section {
    /// The table, which was `old`, or why that is none of this section.
    fn table(&self, old: &str, kept: &Kept) -> Result<String, String> {
        let mut lines = old.lines().filter(|line| line.starts_with('|')).map(cells);
        let (Some(headings), Some(_)) = (lines.next(), lines.next()) else {
            return Err("no headings, and a line below them: write both".into());
        };
        let rows = lines.collect::<Vec<_>>();
        if rows.len() != self.lines.len() {
            return Err(format!("{} rows, and not {}: have one for each", rows.len(), self.lines.len()));
        }
        let width = self.lines.iter().map(|line| line.names.len() + line.cells.len()).max().unwrap_or(0);
        if headings.len() < width {
            return Err(format!("{} columns, and not {width}: have one for each", headings.len()));
        }
        let rows = self.lines.iter().zip(&rows).map(|(line, row)| line.written(row, width, kept));
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        let mut measured = Vec::new();
        for line in &self.lines {
            line.runs(kept).into_iter().for_each(|run| add(&mut measured, run));
        }
        let any = !measured.is_empty();
        let mut table = self.told(&measured, kept);
        let line = |row: &[String], commit: &str| {
            let cells = row.iter().map(String::as_str).chain(any.then_some(commit));
            let cell = |text: &str| if text.is_empty() { " |".into() } else { format!(" {text} |") };
            format!("|{}\n", cells.map(cell).collect::<String>())
        };
        table.push_str(&line(&headings[..width], "commit"));
        table.push_str(&format!("|{}\n", "---|".repeat(width + usize::from(any))));
        for (row, of) in rows.iter().zip(&self.lines) {
            let marks = of.runs(kept).into_iter().map(Run::mark).collect::<Vec<_>>().join(", ");
            table.push_str(&line(row, if marks.is_empty() { NONE } else { &marks }));
        }
        Ok(table)
    }

    /// The runs that were measured, told above the table.
    fn told(&self, measured: &[&Run], kept: &Kept) -> String {
        let mut told = String::new();
        for run in measured {
            let of = |best_of: fn(u64, u64) -> u64, from: u64| {
                let rows = self.figures().filter_map(|figure| kept.find(&figure.command));
                let rows = rows.filter(|found| found.run.is_like(run));
                rows.map(|found| found.row.best_of).fold(from, best_of)
            };
            let runs = match (of(u64::min, u64::MAX), of(u64::max, 0)) {
                (_, 1) => "once each".into(),
                (least, most) if least == most => format!("the best of {most} runs"),
                (least, most) => format!("the best of {least} to {most} runs"),
            };
            let build = run.build.as_ref().map_or("".into(), |build| format!(", built by `{build}`"));
            let day = run.date.split('T').next().unwrap_or_default();
            let words =
                format!("Measured at {} on {day}{build}, {runs}, on: {}.", run.mark(), run.machine.text());
            told.push_str(&wrapped(&words));
            told.push_str("\n\n");
        }
        let is_old =
            |line: &Line| line.cells.iter().any(|cell| !cell.0.is_empty()) && line.runs(kept).is_empty();
        if !measured.is_empty() && self.lines.iter().any(is_old) {
            told.push_str(&wrapped(&format!(
                "Rows whose commit is {NONE} were measured before, or not yet."
            )));
            told.push_str("\n\n");
        }
        told
    }
}

impl Line {
    /// The cells of the row, which was `old`, or why that is another row.
    fn written(&self, old: &[String], width: usize, kept: &Kept) -> Result<Vec<String>, String> {
        let mut row = old.to_vec();
        row.resize(width, String::new());
        let names = row.iter().map(|name| bare(name)).take(self.names.len());
        if !names.eq(self.names.iter().map(|name| bare(name))) {
            return Err(format!(
                "a row named {:?}, and not {:?}: name it so, here or in the list",
                row[..self.names.len()].join(" | "),
                self.names.join(" | ")
            ));
        }
        for (cell, place) in self.cells.iter().zip(self.names.len()..) {
            if let Some(text) = cell.text(kept) {
                row[place] = text;
                // What was said of the older figures was so marked.
                row[..self.names.len()].iter_mut().for_each(|name| *name = bare(name).into());
            }
        }
        Ok(row)
    }

    /// The runs that its figures are of.
    fn runs<'k>(&self, kept: &'k Kept) -> Vec<&'k Run> {
        let mut runs = Vec::new();
        for cell in self.cells.iter().filter(|cell| cell.text(kept).is_some()) {
            let of = cell.0.iter().filter_map(|figure| kept.find(&figure.command));
            of.for_each(|found| add(&mut runs, found.run));
        }
        runs
    }
}

/// Appends a run, unless one like it is there.
fn add<'k>(runs: &mut Vec<&'k Run>, run: &'k Run) {
    if !runs.iter().any(|other| other.is_like(run)) {
        runs.push(run);
    }
}

/// The cells of a line of a table.
fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    inner.split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// A name without the mark of a note.
fn bare(name: &str) -> &str {
    name.trim_end_matches([' ', '¹', '²', '³'])
}

/// `words` in lines.
fn wrapped(words: &str) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in words.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text
}
