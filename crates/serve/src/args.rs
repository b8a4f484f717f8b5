//! Options of `volery serve` and `volery results`.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

const SERVE: &str = "\
CONFIG is a file in TOML: docs/serve.md has one to begin with, and all keys.
SIGHUP reads it again, SIGTERM or Ctrl-C ends when the last session has ended,
and a second one at once. Logs go to standard error, one JSON object a line.

Exit codes: 0 ended by SIGTERM, 2 the file makes no sense, 3 the address or the
database cannot be had, 70 a bug, 130 ended before all sessions were.";

const RESULTS: &str = "\
DATABASE is a file, or postgresql://… where this was built with that. Each
verdict is a session: who proved what when, and what it is worth. A session
that was rejected, or ended by the prover before its verdict, counts against
that prover, who is refused after so many in an hour: --forgive resets it.";

/// A verifier that many provers use.
#[derive(Parser)]
#[command(name = "volery", bin_name = "volery", version)]
pub(crate) struct Typed {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Verify what many provers claim, for as long as it runs
    #[command(after_help = SERVE)]
    Serve(Serve),
    /// List or export the verdicts of a service
    #[command(after_help = RESULTS)]
    Results(Results),
}

#[derive(Args)]
pub(crate) struct Serve {
    /// The file that says who may prove what
    #[arg(value_name = "CONFIG")]
    pub(crate) config: PathBuf,
    /// Read the file, say what it comes to, and end
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Args)]
pub(crate) struct Results {
    /// The database of the verdicts
    #[arg(value_name = "DATABASE")]
    pub(crate) database: String,
    /// Print one JSON object a line
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print CSV (RFC 4180)
    #[arg(long)]
    pub(crate) csv: bool,
    /// Verdicts of this peer only: its name, or its identity
    #[arg(long, value_name = "NAME|ID")]
    pub(crate) peer: Option<String>,
    /// Verdicts on this statement only
    #[arg(long, value_name = "NAME")]
    pub(crate) statement: Option<String>,
    /// Verdicts of this kind only: accepted, rejected, ended or signed
    #[arg(long, value_name = "VERDICT")]
    pub(crate) verdict: Option<String>,
    /// Verdicts since then only: a time as they are printed, or its beginning, such as 2026-11-25
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// The last N of them
    #[arg(long, value_name = "N")]
    pub(crate) last: Option<u64>,
    /// Count nothing against this peer that was before now: give its identity
    #[arg(long, value_name = "ID", conflicts_with_all = ["json", "csv", "peer", "statement", "verdict", "since", "last"])]
    pub(crate) forgive: Option<String>,
}
