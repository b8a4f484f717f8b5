//! `volery bench tables`: what the papers report, measured again, with their figures beside ours.
//!
//! Each row is a bench in a process of its own. The files are written after each table, so that an
//! interrupted run leaves the tables before.

mod child;
mod draw;
mod limbo;
pub mod machine;
mod markdown;
pub mod measure;
mod memory;
pub mod paper;
mod plots;
mod processor;
pub mod published;
mod quicksilver;
mod results;
mod run;
mod stacked_garbling;
mod voleith;
mod wolverine;
mod worse;

use crate::bench::{Bench, Run};
use machine::Machine;
use paper::{Row, Table};
use results::{Cell, Measured, Results};
use run::{CommandState, Runner};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;
use volery::System;
use volery_cli::failure::{Failure, Result, one_of};
use volery_cli::partial::{Old, Partial};
use volery_cli::print::{self, notice, table};
use volery_cli::report::peak_rss;
use volery_cli::settings::Settings;
use worse::Worse;

pub(crate) use child::stop;

/// The folder of the files, where none is named.
const FOLDER: &str = "volery-tables";

/// Runs of a command where no number is given: otherwise, and with `--quick`.
const RUNS: u32 = 3;
const QUICK_RUNS: u32 = 1;

/// The request for tables.
struct Asked {
    folder: PathBuf,
    quick: bool,
    large: bool,
    quiet: bool,
    json: bool,
    tables: Vec<Table>,
    /// The benches that there are.
    benches: &'static [Bench],
}

/// Measures the tables, and writes them.
pub(crate) fn tables(run: &Run) -> Result<()> {
    // Refuses what no bench of proofs takes.
    Settings::new(run.field()?, &run.typed.protocol, &run.typed.output)?;
    if run.typed.write.is_some() {
        return write(run);
    }
    for (option, given) in
        [("--commit", run.typed.commit.is_some()), ("--budget", run.typed.budget.is_some())]
    {
        if given {
            return Err(Failure::usage(format_args!(
                "{option}: for figures of pages alone: add --write docs"
            )));
        }
    }
    let asked = Asked {
        folder: run.typed.out.clone().unwrap_or_else(|| FOLDER.into()),
        quick: run.typed.quick,
        large: run.typed.large,
        quiet: run.typed.output.quiet,
        json: run.typed.output.json,
        tables: chosen(&run.typed.only)?,
        benches: run.table,
    };
    let repeat = run.typed.repeat(if asked.quick { QUICK_RUNS } else { RUNS })?;
    let mut runner = Runner::new(repeat, &run.typed.protocol.timeout)?;
    std::fs::create_dir_all(&asked.folder).map_err(|why| asked.unwritten(&asked.folder, &why))?;
    let mut results = Results {
        machine: Machine::new()?,
        date: machine::now(),
        quick: asked.quick,
        repeat,
        tables: Vec::new(),
    };
    let mut written = Vec::new();
    let of = asked.tables.iter().map(|table| table.rows.len() * table.systems.len()).sum();
    let mut done = 0;
    for table in &asked.tables {
        let mut cells = Vec::new();
        for row in &table.rows {
            let cell = |system| {
                done += 1;
                asked.cell(row, system, &mut runner, [done, of])
            };
            cells.push(table.systems.iter().copied().map(cell).collect());
        }
        results.tables.push(Measured { table, cells });
        written = asked.write(&results)?;
    }
    asked.report(&results, &written, run.started)
}

/// All tables.
pub fn all() -> Vec<Table> {
    let all = [
        wolverine::tables(),
        quicksilver::tables(),
        stacked_garbling::tables(),
        limbo::tables(),
        voleith::tables(),
        memory::tables(),
        processor::tables(),
    ];
    all.into_iter().flatten().collect()
}

/// The tables with one of these names, or with a name that begins with one of them and a dash; all where
/// there is none.
///
/// # Errors
/// Misuse, where a name is that of none.
pub fn chosen(only: &[String]) -> Result<Vec<Table>> {
    let mut tables = all();
    for name in only {
        if !tables.iter().any(|table| is_named(table.id, name)) {
            one_of("--only", name, &tables.iter().map(|table| table.id).collect::<Vec<_>>())?;
        }
    }
    tables.retain(|table| only.is_empty() || only.iter().any(|name| is_named(table.id, name)));
    Ok(tables)
}

/// Whether the table `id` has this name, or one that begins with it and a dash.
fn is_named(id: &str, name: &str) -> bool {
    id == name || id.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'))
}

/// Measures the figures of pages, and writes them.
fn write(run: &Run) -> Result<()> {
    for (option, given) in [("--out", run.typed.out.is_some()), ("--large", run.typed.large)] {
        if given {
            return Err(Failure::usage(format_args!(
                "{option}: for the papers' tables: leave it out beside --write"
            )));
        }
    }
    published::write(run)
}

impl Asked {
    /// The cell of a row on a system, as the first of these two numbers of rows.
    fn cell(&self, row: &Row, system: &'static str, runner: &mut Runner, [done, of]: [usize; 2]) -> Cell {
        let sized = row.sized(self.quick);
        let whole = sized == row.command;
        let bench = sized.split_whitespace().next().unwrap_or_default().to_owned();
        let known = self.benches.iter().find(|known| known.name == bench);
        let default = known.map_or(System::default(), |known| known.systems[0]);
        let command = if system == default.name() { sized } else { format!("{sized} --system {system}") };
        let state = if known.is_none() {
            CommandState::ToCome
        } else if row.large && !self.large {
            CommandState::LeftOut
        } else {
            if !self.quiet && !runner.knows(&command) {
                notice(format_args!("volery: row {done} of {of}: bench {command}"));
            }
            runner.run(&command)
        };
        Cell { system, command, whole, state }
    }

    /// Writes what there is so far: the names of the files, and their paths.
    fn write(&self, results: &Results) -> Result<Vec<(&'static str, PathBuf)>> {
        let drawings = plots::drawings(results)?;
        let json = format!("{}\n", results.json());
        let mut texts = vec![("tables.json", json), ("tables.md", markdown::page(results, &drawings))];
        texts.extend(drawings.into_iter().map(|drawing| (drawing.file, drawing.svg)));
        let write = |(name, text): (&'static str, String)| {
            let path = self.folder.join(name);
            // The tables before these, and those of another day, are renewed.
            let mut file = Partial::create("--out", &path, Old::Goes)?;
            file.write_all(text.as_bytes()).map_err(|why| self.unwritten(&path, &why))?;
            file.finish()?;
            Ok((name, path))
        };
        texts.into_iter().map(write).collect()
    }

    fn unwritten(&self, path: &std::path::Path, why: &std::io::Error) -> Failure {
        Failure::usage(format_args!("--out: {} cannot be written: {why}", path.display()))
    }

    /// Prints where the files are and how many rows came to what; fails with the first row that did.
    fn report(&self, results: &Results, written: &[(&str, PathBuf)], started: Instant) -> Result<()> {
        let counts = results.counts();
        let failed = results.cells().find_map(|cell| Some((cell, cell.failure()?)));
        let failed = failed.map(|(cell, first)| {
            let [failed, of] = [counts.failed, counts.failed + counts.measured];
            let line =
                format!("{failed} of {of} rows failed: the first was bench {}: {}", cell.command, first.line);
            Failure::new(first.fault, line)
        });
        let elapsed = started.elapsed().as_secs_f64();
        let worse = results.worse();
        if !self.json {
            let mut rows = vec![("rows", counts.text()), ("time", print::seconds(elapsed))];
            rows.extend(written.iter().map(|(name, path)| (*name, path.display().to_string())));
            rows.extend(worse.iter().map(|worse| ("worse", worse.text())));
            print::result(table(&rows))?;
            return failed.map_or(Ok(()), Err);
        }
        let files = written.iter().map(|(name, path)| ((*name).into(), json!(path.display().to_string())));
        let mut object = json!({
            "name": "tables",
            "parameters": {
                "only": self.tables.iter().map(|table| table.id).collect::<Vec<_>>(),
                "quick": self.quick,
                "large": self.large,
                "repeat": results.repeat,
            },
            "verdict": null,
            "rows": counts.json(),
            "files": files.collect::<Map<String, Value>>(),
            "worse": worse.iter().map(Worse::json).collect::<Vec<_>>(),
            "seconds": {"setup": null, "online": null, "total": elapsed},
            "peak_rss_bytes": peak_rss(),
        });
        let Some(failure) = failed else { return print::result(object) };
        object["error"] = json!(failure.line);
        object["exit_code"] = json!(failure.fault as u8);
        Err(failure.with(object))
    }
}
