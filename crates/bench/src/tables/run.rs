//! Benches as processes of their own, so that the memory that they report is theirs alone.

use super::child;
use super::measure::Measure;
use super::paper::Row;
use serde_json::Value;
use std::collections::HashMap;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};
use volery_cli::failure::{Failure, Fault, Result};

/// The time after which a command is not run once more.
pub(super) const ENOUGH: Duration = Duration::from_secs(20);

/// The outcome of a command.
#[derive(Clone)]
pub(super) enum CommandState {
    Measured(Rc<Runs>),
    Failed(Rc<Failure>),
    /// No such bench exists yet.
    ToCome,
    /// The command runs with `--large` only.
    LeftOut,
}

/// The runs of a command, and which was the fastest.
pub(super) struct Runs {
    pub(super) all: Vec<Value>,
    best: usize,
}

impl Runs {
    /// The object of the run that took the least time from the handshake to the verdict.
    pub(super) fn best(&self) -> &Value {
        &self.all[self.best]
    }
}

/// Runs each command once for all rows that share it.
pub(super) struct Runner {
    program: PathBuf,
    /// How often.
    repeat: u32,
    /// The limit of every wait of a command.
    timeout: String,
    done: HashMap<String, CommandState>,
}

impl Runner {
    pub(super) fn new(repeat: u32, timeout: &str) -> Result<Self> {
        let program = std::env::current_exe()
            .map_err(|why| Failure::usage(format_args!("the path of this program is unknown: {why}")))?;
        Ok(Self { program, repeat, timeout: timeout.into(), done: HashMap::new() })
    }

    /// Whether `command` has run.
    pub(super) fn knows(&self, command: &str) -> bool {
        self.done.contains_key(command)
    }

    /// Runs `volery bench` with `command`, once.
    pub(super) fn run(&mut self, command: &str) -> CommandState {
        if let Some(state) = self.done.get(command) {
            return state.clone();
        }
        let state = match self.runs(command) {
            Ok(runs) => CommandState::Measured(Rc::new(runs)),
            Err(failure) => CommandState::Failed(Rc::new(failure)),
        };
        self.done.insert(command.into(), state.clone());
        state
    }

    fn runs(&self, command: &str) -> Result<Runs> {
        let started = Instant::now();
        let mut all = Vec::new();
        while all.is_empty() || (all.len() < self.repeat as usize && started.elapsed() < ENOUGH) {
            all.push(self.once(command)?);
        }
        let time = |run: &Value| Measure::Time.of(run).unwrap_or(f64::INFINITY);
        let best = (0..all.len()).min_by(|&i, &j| time(&all[i]).total_cmp(&time(&all[j]))).unwrap_or(0);
        Ok(Runs { all, best })
    }

    /// Runs `volery bench` with `command`, by one thread for each party unless it says how many: its object.
    pub(super) fn once(&self, command: &str) -> Result<Value> {
        let mut process = Command::new(&self.program);
        process.args(command.split_whitespace());
        process.args(["--json", "--quiet", "--timeout", &self.timeout]);
        if Row::option(command, "--threads").is_none() {
            process.args(["--threads", "1"]);
        }
        process.stdin(Stdio::null()).stdout(Stdio::piped());
        // Ctrl-C is for this process, which then ends the other.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut process, 0);
        let lost = |why| Failure::new(Fault::Peer, format_args!("its process was lost: {why}"));
        let mut out = child::start(&mut process).map_err(lost)?;
        let mut text = String::new();
        let read = out.read_to_string(&mut text);
        let status = child::end().map_err(lost)?;
        read.map_err(lost)?;
        let object: Option<Value> = text.lines().last().and_then(|line| serde_json::from_str(line).ok());
        match object {
            Some(object) if status.success() => Ok(object),
            object => {
                let error = object.as_ref().and_then(|object| object["error"].as_str());
                let error = error.map_or_else(|| format!("it ended with {status}"), String::from);
                Err(Failure::new(fault(status.code()), error))
            }
        }
    }
}

/// The fault that an exit code tells. A process that the system ended has none.
fn fault(code: Option<i32>) -> Fault {
    let faults = [Fault::Rejected, Fault::Usage, Fault::Bug];
    faults.into_iter().find(|fault| code == Some(*fault as i32)).unwrap_or(Fault::Peer)
}
