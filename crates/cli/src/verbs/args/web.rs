//! Arguments of `web`.

use super::{Hint, Peer};
use clap::{Args, Subcommand};
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use volery_cli::args::{Output, Protocol};

const PROVE: &str = "\
Example:
  volery web prove --policy balance.toml --header cookie=@cookie.txt \\
    --show 21..40 --connect verifier.example:7000 --peer volery1…
  volery web prove --policy balance.toml --header cookie=@cookie.txt \\
    --statement balance --connect service.example:7000 --peer volery1…

What a verifier would see of an answer, and a policy for that:
  volery web prove --url https://api.bank.example/v1/balance --header cookie=@cookie.txt \\
    --claim '$.balance >= 1000' --preview --write-policy balance.toml

A file for others, by a record that the verifier signs:
  volery web prove --policy balance.toml --header cookie=@cookie.txt \\
    --out balance.proof --connect relay.example:7000 --peer volery1…";

const VERIFY: &str = "\
Example:
  volery web verify --policy balance.toml --listen 0.0.0.0:7000 --peer volery1…

A file, by the relay that signed its record:
  volery web verify balance.proof --relay volery1… --policy balance.toml";

const SHOW: &str = "\
Example:
  volery web show balance.proof";

#[derive(Subcommand)]
pub(crate) enum WebVerb {
    /// Make a request through a verifier, and prove what a web server answered
    #[command(after_help = PROVE)]
    Prove(Box<WebProve>),
    /// Forward a prover's request to a web server, and verify what was answered; or verify a file of that
    #[command(after_help = VERIFY)]
    Verify(Box<WebVerify>),
    /// Print what a file says, without checking any of it
    #[command(after_help = SHOW)]
    Show(WebShow),
}

#[derive(Args)]
pub(crate) struct WebProve {
    /// The file that says which server is asked for what, and what may be hidden; docs/web.md has its keys
    #[arg(long, value_name = "FILE", required_unless_present = "url")]
    pub(crate) policy: Option<PathBuf>,
    /// The address of a request that has no policy yet, for --preview: its --header are hidden, and --reveal and --claim
    /// are those of a policy
    #[arg(long, value_name = "https://…", conflicts_with = "policy")]
    pub(crate) url: Option<String>,
    /// The address of the server of --url, where its name does not lead there
    #[arg(long, value_name = "ADDRESS:PORT", requires = "url")]
    pub(crate) address: Option<SocketAddr>,
    /// Write a policy by which a verifier would see what --preview of --url prints
    #[arg(long, value_name = "FILE", requires = "url", group = "written")]
    pub(crate) write_policy: Option<PathBuf>,
    /// Authorities in PEM that may certify the server, for this side; those of the policy are demanded in addition
    /// [default: those of this system]
    #[arg(long, value_name = "FILE")]
    pub(crate) roots: Option<PathBuf>,
    /// A field of the request that the policy names; VALUE is text:…, @PATH, or - for standard input, whose last line
    /// end is left out. May be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) header: Vec<OsString>,
    /// A word of the request's target that stays hidden, for each {hidden} of the policy in turn: text:…, @PATH, or -
    /// for standard input, whose last line end is left out
    #[arg(long, value_name = "VALUE")]
    pub(crate) hidden: Vec<OsString>,
    /// A value of the answer that is shown beside those of the policy, by its path, such as $.name; where `choose` of the
    /// policy has "reveal". May be repeated
    #[arg(long, value_name = "PATH")]
    pub(crate) reveal: Vec<String>,
    /// A claim about the answer beside those of the policy, such as '$.balance >= 1000'; where `choose` of the policy has
    /// "claims". May be repeated
    #[arg(long, value_name = "CLAIM")]
    pub(crate) claim: Vec<String>,
    /// Bytes of the response's body that are shown, from 0, the last one not included; may be repeated
    #[arg(long, value_name = "FROM..TO", conflicts_with = "show_all")]
    pub(crate) show: Vec<String>,
    /// Show the whole body of the response
    #[arg(long)]
    pub(crate) show_all: bool,
    /// Open what the verifier would see without asking
    #[arg(long)]
    pub(crate) yes: bool,
    /// Prove it to the service at --connect, which has it by this name: its terms are shown before anything is asked,
    /// and its policy has to be that of --policy
    #[arg(long, value_name = "NAME", requires = "connect", conflicts_with = "listen")]
    pub(crate) statement: Option<String>,
    /// Open nothing to the verifier, but have it sign a record, as `record = true` of the policy does, and write
    /// a file that others can verify
    #[arg(long, value_name = "FILE", conflicts_with = "preview", group = "written")]
    pub(crate) out: Option<PathBuf>,
    /// Replace the file of that name, if there is one
    #[arg(long, requires = "written")]
    pub(crate) force: bool,
    /// Make the request without a verifier, and print what one would see: nothing is proved
    #[arg(long, conflicts_with_all = ["yes", "listen", "connect", "peer", "peers", "key", "statement"])]
    pub(crate) preview: bool,
    #[command(flatten)]
    pub(crate) peer: Peer,
    #[command(flatten)]
    pub(crate) hint: Hint,
    #[command(flatten)]
    pub(crate) protocol: Protocol,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Args)]
pub(crate) struct WebVerify {
    /// The file to verify, which `web prove --out` wrote; without one a prover is waited for, or connected to
    #[arg(conflicts_with_all = ["listen", "connect", "key", "peer", "peers", "insecure_plaintext", "record", "bandwidth"])]
    pub(crate) file: Option<PathBuf>,
    /// The identity of who forwarded the connection of the file, as it is known from them; may be repeated,
    /// where it is one of several
    #[arg(long, value_name = "ID", requires = "file")]
    pub(crate) relay: Vec<String>,
    /// Sign a record of the connection, as `record = true` of the policy does, for files
    #[arg(long)]
    pub(crate) record: bool,
    /// The file that says which server is asked for what, and what may be hidden; docs/web.md has its keys
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: PathBuf,
    #[command(flatten)]
    pub(crate) peer: Peer,
    #[command(flatten)]
    pub(crate) hint: Hint,
    #[command(flatten)]
    pub(crate) protocol: Protocol,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Args)]
pub(crate) struct WebShow {
    /// The file, which `web prove --out` wrote
    pub(crate) file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
