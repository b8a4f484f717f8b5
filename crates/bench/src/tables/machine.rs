//! Machine of the measurements, and their date.

use serde_json::{Value, json};
use std::fs::read_to_string;
use std::time::{SystemTime, UNIX_EPOCH};
use volery_cli::failure::Result;
use volery_cli::print::human;
use volery_cli::settings::arch;

/// The machine that something was measured on.
#[derive(Clone, PartialEq)]
pub(super) struct Machine {
    /// The name of the processor, where the system gives one.
    cpu: Option<String>,
    pub(super) cores: Option<usize>,
    memory: Option<u64>,
    kernels: String,
}

impl Machine {
    /// The machine of this process.
    pub(super) fn new() -> Result<Self> {
        let entry = |path: &str, key: &str| {
            let text = read_to_string(path).ok()?;
            let line = text.lines().find_map(|line| line.strip_prefix(key))?;
            Some(line.trim_start_matches([' ', '\t', ':']).trim().to_owned())
        };
        let memory = entry("/proc/meminfo", "MemTotal").and_then(|text| {
            let kibibytes: u64 = text.strip_suffix("kB")?.trim().parse().ok()?;
            Some(1024 * kibibytes)
        });
        Ok(Self {
            cpu: entry("/proc/cpuinfo", "model name"),
            cores: std::thread::available_parallelism().ok().map(usize::from),
            memory,
            kernels: arch()?.name().into(),
        })
    }

    pub(super) fn json(&self) -> Value {
        json!({"cpu": self.cpu, "cores": self.cores, "memory_bytes": self.memory, "kernels": self.kernels})
    }

    /// The machine of an object, as it was written.
    pub(super) fn of(object: &Value) -> Self {
        let text = |key: &str| object[key].as_str().map(String::from);
        Self {
            cpu: text("cpu"),
            cores: object["cores"].as_u64().map(|cores| cores as usize),
            memory: object["memory_bytes"].as_u64(),
            kernels: text("kernels").unwrap_or_default(),
        }
    }

    /// The machine in words, for people.
    pub(super) fn text(&self) -> String {
        let cpu = self.cpu.as_deref().unwrap_or("a processor without a name");
        let cores = self.cores.map_or("an unknown number of".into(), |cores| cores.to_string());
        let memory = self.memory.map_or("unknown".into(), |bytes| format!("{}B", human(bytes as f64)));
        format!("{cpu}, {cores} cores, {memory} of memory, {} kernels", self.kernels)
    }
}

/// The processes that wanted a core in the minute before, where the system tells.
pub(super) fn load() -> Option<f64> {
    read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// The time in UTC, as ISO 8601 writes it.
pub(super) fn now() -> String {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    date(elapsed.as_secs())
}

/// `seconds` after the beginning of 1970.
pub fn date(seconds: u64) -> String {
    let (mut days, second) = (seconds / 86_400, seconds % 86_400);
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", days + 1)
}
