//! The file as it is written, and where in it something stands.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use volery_cli::failure::{Failure, Result};

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) address: Spanned<String>,
    pub(super) key: Spanned<String>,
    pub(super) database: Spanned<String>,
    pub(super) log: Option<Spanned<String>>,
    pub(super) peers: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) peer: Vec<PeerEntry>,
    #[serde(default)]
    pub(super) statement: BTreeMap<String, Spanned<StatementEntry>>,
    /// `[web.NAME]`: the keys of a policy, and of the service.
    #[serde(default)]
    pub(super) web: BTreeMap<String, Spanned<toml::Table>>,
    #[serde(default)]
    pub(super) limits: LimitsEntry,
    pub(super) metrics: Option<MetricsEntry>,
}

/// `[[peer]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PeerEntry {
    #[serde(default)]
    pub(super) name: String,
    pub(super) identity: Spanned<String>,
    pub(super) statements: Option<Vec<Spanned<String>>>,
}

/// `[statement.NAME]`.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StatementEntry {
    pub(super) relation: String,
    pub(super) format: Option<String>,
    #[serde(default)]
    pub(super) public: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) choose: Vec<String>,
    pub(super) system: Option<String>,
    pub(super) field: Option<String>,
    pub(super) vole: Option<String>,
    pub(super) device: Option<String>,
    /// The most memory of a graphics processor, in MB.
    pub(super) device_memory: Option<u64>,
    pub(super) security: Option<u32>,
    /// The bandwidth in Mbit/s.
    pub(super) bandwidth: Option<f64>,
    pub(super) memory: Option<u64>,
}

/// `[metrics]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MetricsEntry {
    pub(super) address: Spanned<String>,
    #[serde(default)]
    pub(super) beyond_loopback: bool,
}

/// `[limits]`, with a place for each number that has to make sense.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LimitsEntry {
    sessions: Option<Spanned<u64>>,
    sessions_per_hour: Option<Spanned<u64>>,
    gates: Option<Spanned<u64>>,
    bytes: Option<Spanned<u64>>,
    seconds: Option<Spanned<u64>>,
    memory: Option<Spanned<u64>>,
    connections: Option<Spanned<u64>>,
    handshake_seconds: Option<Spanned<u64>>,
    silence_seconds: Option<Spanned<u64>>,
    #[serde(default)]
    peer: PeerLimitsEntry,
}

/// `[limits.peer]`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PeerLimitsEntry {
    sessions: Option<Spanned<u64>>,
    sessions_per_hour: Option<Spanned<u64>>,
    memory: Option<Spanned<u64>>,
    waiting: Option<Spanned<u64>>,
    strikes: Option<Spanned<u64>>,
}

/// The limits of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Sessions at once.
    pub(crate) sessions: u64,
    pub(crate) sessions_per_hour: u64,
    /// Multiplications and inputs of a statement.
    pub(crate) gates: u64,
    /// Bytes of a session, both ways together.
    pub(crate) bytes: u64,
    /// The longest a session takes.
    pub(crate) seconds: u64,
    /// Bytes that all sessions together may hold by estimate.
    pub(crate) memory: u64,
    /// Connections that have not shown who they are.
    pub(crate) connections: u64,
    /// The longest that a connection may take to show who it is, in seconds.
    pub(crate) handshake_seconds: u64,
    /// The longest single wait for a peer.
    pub(crate) silence_seconds: u64,
    /// The limits of one peer.
    pub(crate) peer: PeerLimits,
}

/// The limits of one peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PeerLimits {
    /// Sessions at once.
    pub(crate) sessions: u64,
    pub(crate) sessions_per_hour: u64,
    /// Bytes that its sessions together may hold by estimate; half of all where nothing is said.
    pub(crate) memory: u64,
    /// Links at once that are no session yet.
    pub(crate) waiting: u64,
    /// Sessions of the last hour that were rejected, or that it ended before their verdict.
    pub(crate) strikes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sessions: 32,
            sessions_per_hour: 100_000,
            gates: 1 << 32,
            bytes: 64 << 30,
            seconds: 3600,
            memory: 2 << 30,
            connections: 256,
            handshake_seconds: 10,
            silence_seconds: 60,
            peer: PeerLimits {
                sessions: 4,
                sessions_per_hour: 1000,
                memory: 1 << 30,
                waiting: 16,
                strikes: 16,
            },
        }
    }
}

impl Limits {
    /// The line in words.
    pub(super) fn line(&self) -> String {
        format!(
            "{} sessions at once, {} an hour, {} a peer; {} gates, {} bytes, {} s each; {} bytes of memory in all",
            self.sessions,
            self.sessions_per_hour,
            self.peer.sessions,
            self.gates,
            self.bytes,
            self.seconds,
            self.memory
        )
    }
}

impl LimitsEntry {
    /// All numbers with their names.
    fn numbers(&self) -> [(&'static str, &Option<Spanned<u64>>); 14] {
        let Self { peer, .. } = self;
        [
            ("limits.sessions", &self.sessions),
            ("limits.sessions_per_hour", &self.sessions_per_hour),
            ("limits.gates", &self.gates),
            ("limits.bytes", &self.bytes),
            ("limits.seconds", &self.seconds),
            ("limits.memory", &self.memory),
            ("limits.connections", &self.connections),
            ("limits.handshake_seconds", &self.handshake_seconds),
            ("limits.silence_seconds", &self.silence_seconds),
            ("limits.peer.sessions", &peer.sessions),
            ("limits.peer.sessions_per_hour", &peer.sessions_per_hour),
            ("limits.peer.memory", &peer.memory),
            ("limits.peer.waiting", &peer.waiting),
            ("limits.peer.strikes", &peer.strikes),
        ]
    }

    /// Refuses what lets nobody in, or is no time.
    pub(super) fn check(&self, place: &Place) -> Result<()> {
        for (name, number) in self.numbers() {
            let Some(number) = number else { continue };
            if *number.get_ref() == 0 {
                return place
                    .wrong(number, &format!("{name}: 0 lets nobody prove anything: write 1 or more"));
            }
            if name.ends_with("seconds") && *number.get_ref() > 365 * 86_400 {
                return place.wrong(number, &format!("{name}: write a year at most, which is 31536000"));
            }
        }
        Ok(())
    }

    /// The limits, with what is usual where nothing is said.
    pub(super) fn get(&self) -> Limits {
        let usual = Limits::default();
        let or = |given: &Option<Spanned<u64>>, usual| given.as_ref().map_or(usual, |given| *given.get_ref());
        let memory = or(&self.memory, usual.memory);
        Limits {
            sessions: or(&self.sessions, usual.sessions),
            sessions_per_hour: or(&self.sessions_per_hour, usual.sessions_per_hour),
            gates: or(&self.gates, usual.gates),
            bytes: or(&self.bytes, usual.bytes),
            seconds: or(&self.seconds, usual.seconds),
            memory,
            connections: or(&self.connections, usual.connections),
            handshake_seconds: or(&self.handshake_seconds, usual.handshake_seconds),
            silence_seconds: or(&self.silence_seconds, usual.silence_seconds),
            peer: PeerLimits {
                sessions: or(&self.peer.sessions, usual.peer.sessions),
                sessions_per_hour: or(&self.peer.sessions_per_hour, usual.peer.sessions_per_hour),
                memory: or(&self.peer.memory, memory / 2),
                waiting: or(&self.peer.waiting, usual.peer.waiting),
                strikes: or(&self.peer.strikes, usual.peer.strikes),
            },
        }
    }
}

impl File {
    /// The text at `place`.
    pub(super) fn parse(place: &Place) -> Result<Self> {
        toml::from_str(place.text).map_err(|why| {
            let message = why.message();
            match why.span() {
                Some(span) => place.failure(&span, message),
                None => place.whole(message),
            }
        })
    }
}

/// A position in the file, for errors.
pub(super) struct Place<'a> {
    path: &'a Path,
    text: &'a str,
}

/// A value that knows its place in the file.
pub(super) trait At {
    fn span(&self) -> Range<usize>;
}

impl<T> At for Spanned<T> {
    fn span(&self) -> Range<usize> {
        self.span()
    }
}

impl<'a> Place<'a> {
    pub(super) fn new(path: &'a Path, text: &'a str) -> Self {
        Self { path, text }
    }

    /// The failure of the file as a whole.
    pub(super) fn whole(&self, why: &str) -> Failure {
        Failure::usage(format_args!("{}: {why}", self.path.display()))
    }

    /// The failure at `span`.
    fn failure(&self, span: &Range<usize>, why: &str) -> Failure {
        let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|&&byte| byte != b'\n').count();
        Failure::usage(format_args!("{}:{line}:{column}: {why}", self.path.display()))
    }

    /// The error that `what` is wrong.
    pub(super) fn wrong<T>(&self, what: &impl At, why: &str) -> Result<T> {
        Err(self.failure(&what.span(), why))
    }

    /// `result`, its error being of `what`, which the file calls `name`.
    pub(super) fn at<T>(&self, what: &impl At, name: &str, result: Result<T>) -> Result<T> {
        result.map_err(|why| self.failure(&what.span(), &format!("{name}: {}", why.line)))
    }
}
