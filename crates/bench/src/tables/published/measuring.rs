//! Measurements of tables: which rows, how often, and what is told of them.

use super::super::machine::{self, Machine};
use super::super::measure::Measure;
use super::super::paper::{Row as Command, small};
use super::super::run::{ENOUGH, Runner};
use super::super::{Worse, is_named};
use super::clock::Clock;
use super::kept::{FILE, Kept, Row, Run};
use super::section::Section;
use super::{REPLAY, files};
use crate::bench::Run as Request;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process;
use std::time::{Duration, Instant};
use volery_cli::failure::{Failure, Result, one_of};
use volery_cli::partial::{Old, Partial};
use volery_cli::print::{self, notice};
use volery_cli::report::peak_rss;

/// Runs of a command where no number is given.
const RUNS: u32 = 3;

/// Why a row was left out.
const TOO_WIDE: &str = "for more cores than there are";
const TOO_LATE: &str = "which --budget had no time for";

/// A measurement of some tables.
struct Measuring<'t> {
    request: &'t Request<'t>,
    sections: Vec<Section>,
    commands: Vec<String>,
    /// The figures that were kept before.
    before: Kept,
    /// The run of now, with its figures so far.
    run: Run,
    repeat: u32,
    budget: Duration,
    left_out: Vec<(String, &'static str)>,
    failed: Vec<(String, Failure)>,
}

/// Measures these tables, as far as they were chosen, tells each row at once, and writes the pages.
pub(super) fn measure(request: &Request, mut sections: Vec<Section>) -> Result<()> {
    let typed = request.typed;
    for name in &typed.only {
        if !sections.iter().any(|section| is_named(section.id, name)) {
            one_of("--only", name, &sections.iter().map(|section| section.id).collect::<Vec<_>>())?;
        }
    }
    sections
        .retain(|section| typed.only.is_empty() || typed.only.iter().any(|name| is_named(section.id, name)));
    let budget = typed.budget.as_deref().map(seconds).transpose()?.unwrap_or(Duration::MAX);
    let mut before = Kept::default();
    if let Some(folder) = &typed.write {
        if typed.quick {
            return Err(Failure::usage(
                "--quick: its figures say nothing of speed: leave it out to --write them",
            ));
        }
        // Whatever is not as it should be is found before hours of work.
        before = Kept::read(folder)?;
        files(folder, &before)?;
    }
    let commit = typed.commit.clone().or_else(|| commit(typed.write.as_deref().unwrap_or(Path::new("."))));
    if commit.is_none() && typed.write.is_some() {
        return Err(Failure::usage("--commit: git tells none here: say of which this program was built"));
    }
    let mut commands = Vec::new();
    for figure in sections.iter().flat_map(Section::figures) {
        let command = if typed.quick { small(&figure.command) } else { figure.command.clone() };
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    let run = Run {
        commit,
        date: machine::now(),
        machine: Machine::new()?,
        build: build(),
        load: machine::load(),
        rows: Vec::new(),
    };
    let (left_out, failed) = (Vec::new(), Vec::new());
    let repeat = typed.repeat(RUNS)?;
    let mut all = Measuring { request, sections, commands, before, run, repeat, budget, left_out, failed };
    all.measure()?;
    let written = all.write()?;
    all.report(&written)
}

/// The commit of the checkout that `folder` lies in, with a sign where its programs are not those of it.
fn commit(folder: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        let mut git = process::Command::new("git");
        git.arg("-C").arg(folder).args(arguments).stdin(process::Stdio::null()).output().ok()
    };
    let head = git(&["rev-parse", "--short=8", "HEAD"]).filter(|git| git.status.success())?;
    let head = String::from_utf8(head.stdout).ok()?.trim().to_owned();
    let same = git(&["diff", "--quiet", "HEAD", "--", ":/crates", ":/Cargo.toml", ":/Cargo.lock"]);
    let same = same.is_some_and(|git| git.status.success());
    Some(if same { head } else { head + "+" })
}

/// The profile that this program was built by, which is the name of its folder.
fn build() -> Option<String> {
    let program = std::env::current_exe().ok()?;
    let name = program.parent()?.file_name()?.to_str()?;
    ["dist", "release", "debug"].contains(&name).then(|| name.to_owned())
}

fn seconds(text: &str) -> Result<Duration> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| Failure::usage("--budget: write a number of seconds, from 0 on"))
}

impl Measuring<'_> {
    /// Runs each command, and then each again, as often and as long as may be.
    fn measure(&mut self) -> Result<()> {
        let runner = Runner::new(self.repeat, &self.request.typed.protocol.timeout)?;
        let mut clock = Clock::default();
        for round in 0..self.repeat {
            for (place, command) in self.commands.clone().into_iter().enumerate() {
                let is_first = round == 0;
                let ran = clock.spent(&command);
                if !is_first && ran.is_none_or(|spent| spent > ENOUGH) {
                    continue;
                }
                let end = self.request.started.elapsed().saturating_add(clock.expected(&command));
                if is_first && self.is_too_wide(&command) {
                    self.left_out.push((command, TOO_WIDE));
                } else if end <= self.budget {
                    let time = self.run_once(&runner, &command, place)?;
                    if self.failed.iter().all(|(failed, _)| *failed != command) {
                        clock.ran(&command, time);
                    }
                } else if is_first {
                    self.left_out.push((command, TOO_LATE));
                }
            }
        }
        Ok(())
    }

    /// Runs a command, tells its figures, and writes them.
    fn run_once(&mut self, runner: &Runner, command: &str, place: usize) -> Result<Duration> {
        let started = Instant::now();
        let head = format!("{} of {}: bench {command}", place + 1, self.commands.len());
        match runner.once(command) {
            Ok(run) => {
                let measures = self.measures(command);
                let row = self.run.rows.iter_mut().find(|row| row.command == command);
                let row = match row {
                    Some(row) => row,
                    None => {
                        self.run.rows.push(Row::new(command));
                        self.run.rows.last_mut().expect("pushed")
                    }
                };
                row.take(&measures, &run);
                let text = |measure: &Measure| {
                    Some(format!("{} {}", measure.name(), measure.text(measure.of(&run)?)))
                };
                let texts = measures.iter().filter_map(text).collect::<Vec<_>>().join(", ");
                self.tell(format_args!("{head}: {texts}"))?;
                self.write()?;
            }
            Err(why) => {
                self.tell(format_args!("{head}: failed: {}", why.line))?;
                self.failed.push((command.into(), why));
            }
        }
        Ok(started.elapsed())
    }

    /// Prints a line on the way.
    fn tell(&self, line: core::fmt::Arguments) -> Result<()> {
        let output = &self.request.typed.output;
        match (output.json, output.quiet) {
            (false, _) => print::result(line),
            (true, false) => {
                notice(format_args!("volery: {line}"));
                Ok(())
            }
            (true, true) => Ok(()),
        }
    }

    /// Whether it asks for more threads than there are cores.
    fn is_too_wide(&self, command: &str) -> bool {
        let threads =
            Command::option(command, "--threads").and_then(|threads| threads.parse().ok()).unwrap_or(1);
        let parties = if command.contains(REPLAY) { 1 } else { 2 };
        threads > 1 && self.run.machine.cores.is_some_and(|cores| threads * parties > cores)
    }

    /// The measures of a command, each once.
    fn measures(&self, command: &str) -> Vec<Measure> {
        let mut measures = Vec::new();
        for figure in self.sections.iter().flat_map(Section::figures) {
            let is_of = figure.command == command || small(&figure.command) == command;
            if is_of && !measures.contains(&figure.measure) {
                measures.push(figure.measure);
            }
        }
        measures
    }

    /// Writes the pages, and what they are written from: the paths of all.
    fn write(&self) -> Result<Vec<PathBuf>> {
        let Some(folder) = &self.request.typed.write else { return Ok(Vec::new()) };
        let kept = self.before.with(&self.run);
        let mut files = files(folder, &kept)?;
        files.push((FILE.into(), kept.json()));
        let put = |(name, text): (String, String)| {
            let path = folder.join(name);
            if std::fs::read_to_string(&path).is_ok_and(|old| old == text) {
                return Ok(path);
            }
            let unwritten = |why| Failure::usage(format_args!("--write {}: {why}", path.display()));
            std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(unwritten)?;
            let mut file = Partial::create("--write", &path, Old::Goes)?;
            file.write_all(text.as_bytes()).map_err(unwritten)?;
            file.finish()?;
            Ok(path)
        };
        files.into_iter().map(put).collect()
    }

    /// Figures that are worse by more than a quarter than the paper's, or than they were before on this machine.
    fn worse(&self) -> Vec<Worse> {
        let mut worse = Vec::new();
        for row in &self.run.rows {
            for measure in self.measures(&row.command) {
                let Some(now) = row.value(measure) else { continue };
                let mut compare = |then: Option<f64>, of: String| {
                    worse.extend(then.and_then(|then| Worse::of(&row.command, measure, [now, then], of)));
                };
                let old = self.before.find(&row.command).filter(|found| found.run.is_by_same(&self.run));
                if let Some(old) = old {
                    compare(old.row.value(measure), format!("at {}", old.run.mark()));
                }
                let papers = self.sections.iter().flat_map(Section::figures).find_map(|figure| {
                    figure.paper.filter(|_| figure.command == row.command && figure.measure == measure)
                });
                compare(papers, "in the paper".into());
            }
        }
        worse
    }

    /// Prints all of it; fails as the first command that did.
    fn report(mut self, written: &[PathBuf]) -> Result<()> {
        let (typed, worse) = (self.request.typed, self.worse());
        let counts = format!(
            "{} measured, {} failed, {} left out",
            self.run.rows.len(),
            self.failed.len(),
            self.left_out.len()
        );
        let elapsed = self.request.started.elapsed().as_secs_f64();
        if !typed.output.json {
            self.tables()?;
            let mut lines = vec![("rows", counts), ("time", print::seconds(elapsed))];
            for why in [TOO_WIDE, TOO_LATE] {
                let left_out = self.left_out.iter().filter(|(_, because)| *because == why).count() as u64;
                if left_out > 0 {
                    lines.push(("left out", format!("{}, {why}", print::things(left_out, "row"))));
                }
            }
            lines.extend(worse.iter().map(|worse| ("worse", worse.text())));
            lines.extend(written.iter().map(|path| ("written", path.display().to_string())));
            print::result(print::table(&lines))?;
        }
        let mut object = json!({
            "name": self.request.bench.name,
            "parameters": {
                "only": self.sections.iter().map(|section| section.id).collect::<Vec<_>>(),
                "quick": typed.quick,
                "repeat": self.repeat,
                "budget": typed.budget,
            },
            "verdict": null,
            "rows": self.run.rows.iter().map(Row::json).collect::<Vec<_>>(),
            "left_out": self.left_out.iter().map(|(command, why)| {
                json!({"command": command, "why": why})
            }).collect::<Vec<_>>(),
            "failed": self.failed.iter().map(|(command, why)| {
                json!({"command": command, "error": why.line})
            }).collect::<Vec<_>>(),
            "worse": worse.iter().map(Worse::json).collect::<Vec<_>>(),
            "files": written.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
            "seconds": {"setup": null, "online": null, "total": elapsed},
            "peak_rss_bytes": peak_rss(),
        });
        let described: Map<String, Value> = self.run.described();
        object.as_object_mut().expect("an object").extend(described);
        if self.failed.is_empty() {
            return if typed.output.json { print::result(object) } else { Ok(()) };
        }
        let of = self.commands.len();
        let (command, first) = self.failed.swap_remove(0);
        let line = format!(
            "{} of {of} rows failed: the first was bench {command}: {}",
            self.failed.len() + 1,
            first.line
        );
        let failure = Failure::new(first.fault, line);
        if !typed.output.json {
            return Err(failure);
        }
        object["error"] = json!(failure.line);
        object["exit_code"] = json!(failure.fault as u8);
        Err(failure.with(object))
    }

    /// Prints the tables where no page has them.
    fn tables(&self) -> Result<()> {
        if self.request.typed.write.is_some() || self.request.typed.quick {
            return Ok(());
        }
        let kept = Kept::default().with(&self.run);
        for section in &self.sections {
            print::result(format_args!("{}:", section.id))?;
            for line in &section.lines {
                let cells = line.cells.iter().map(|cell| cell.text(&kept).unwrap_or_else(|| "–".into()));
                let cells = cells.collect::<Vec<_>>().join(" | ");
                print::result(format_args!("  {}: {cells}", line.names.join(", ")))?;
            }
        }
        Ok(())
    }
}
