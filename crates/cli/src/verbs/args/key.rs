//! Options of `volery key`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

const NEW: &str = "\
The key is a file, in PEM, that this user alone can read: it stays on this
machine. What is printed is for everybody to know: give it to the other side,
on a way on which nobody can change it, for its option --peer.";

#[derive(Subcommand)]
pub(crate) enum KeyVerb {
    /// Write a new key, and print who it makes this party: volery1…, for the --peer of the other side
    #[command(after_help = NEW)]
    New(KeyNew),
    /// Print who a key makes this party
    Show(KeyShow),
}

#[derive(Args)]
pub(crate) struct KeyNew {
    /// The file to write, which must not be there yet [default: volery/key in the folder of the user's
    /// settings]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct KeyShow {
    /// The file with the key [default: volery/key in the folder of the user's settings]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
