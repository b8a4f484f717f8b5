//! The time that a command is expected to take.

use super::REPLAY;
use std::collections::HashMap;
use std::time::Duration;

/// The times that commands took.
#[derive(Default)]
pub(super) struct Clock {
    /// The time of all runs of a command, and their number.
    all: HashMap<String, (Duration, u32)>,
    /// The time of the last run of a command but for its threads.
    last: HashMap<String, Duration>,
}

impl Clock {
    pub(super) fn ran(&mut self, command: &str, time: Duration) {
        let (all, runs) = self.all.entry(command.into()).or_default();
        (*all, *runs) = (*all + time, *runs + 1);
        self.last.insert(without_threads(command), time);
    }

    /// The time of all runs of a command, if it ran.
    pub(super) fn spent(&self, command: &str) -> Option<Duration> {
        self.all.get(command).map(|(all, _)| *all)
    }

    /// The time that a command is expected to take: nothing where none of its kind ran.
    pub(super) fn expected(&self, command: &str) -> Duration {
        let mean = self.all.get(command).and_then(|(all, runs)| all.checked_div(*runs));
        let kind = without_threads(command);
        let alike = || self.last.get(&kind).copied();
        // Both parties make a record, and then each of them runs alone.
        let recorded = || self.last.get(&kind.replace(REPLAY, "")).map(|time| 3 * *time);
        mean.or_else(alike).or_else(recorded).unwrap_or_default()
    }
}

/// A command, but for its threads.
fn without_threads(command: &str) -> String {
    let (before, behind) = command.split_once(" --threads ").unwrap_or((command, ""));
    let more = behind.split_once(' ').map_or(String::new(), |(_, more)| format!(" {more}"));
    before.to_owned() + &more
}
