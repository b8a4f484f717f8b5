//! Structured logs on standard error: one JSON object a line.

use tracing::Level;
use volery_cli::failure::{Failure, Result};

/// The levels that may be asked for.
const LEVELS: [(&str, Level); 4] =
    [("error", Level::ERROR), ("warn", Level::WARN), ("info", Level::INFO), ("debug", Level::DEBUG)];

/// The level of this name.
///
/// # Errors
/// Where there is none.
pub(crate) fn level(name: &str) -> Result<Level> {
    let found = LEVELS.iter().find(|(known, _)| *known == name);
    found.map(|(_, level)| *level).ok_or_else(|| {
        let names = LEVELS.map(|(name, _)| name).join(", ");
        Failure::usage(format_args!("there is no level `{name}`: there are {names}"))
    })
}

/// Begins to write log lines.
pub(crate) fn begin(level: Level) {
    let lines = tracing_subscriber::fmt().json().flatten_event(true).with_target(false);
    // One that was begun before, by a test in this process, goes on.
    let _ = lines.with_max_level(level).with_writer(std::io::stderr).try_init();
}
