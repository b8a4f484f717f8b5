//! Options of `volery cluster`, and of whoever starts a worker.

use super::{Hint, Peer, Private, Public};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use volery_cli::args::{Output, Protocol};

const ABOUT: &str = "\
A statement in shards is proved by many workers at once: one shard by a worker
of the prover and one of the verifier, wherever these are. Each party has a
coordinator, which this command is. The two share a link, as `volery prove` and
`volery verify` do, and each starts workers of its own: on this machine, so many
at once, or by --run-key wherever others start them. A worker that dies costs
its shard alone, which is begun again; a check that fails ends the run.

What falls into shards are builtin:merkle-root and builtin:matmul, by
quicksilver. Both sides give the same --shards and --restarts. docs/cluster.md
says more, with manifests for Kubernetes and Slurm.

Examples:
  volery cluster verify --relation 'builtin:merkle-root?depth=14' \\
    --public root=0x… --shards 8 --listen 0.0.0.0:7000 --peer volery1…PROVER
  volery cluster prove --relation 'builtin:merkle-root?depth=14' \\
    --public root=0x… --private leaves=@leaves.bin --shards 8 \\
    --connect example.org:7000 --peer volery1…VERIFIER";

#[derive(Subcommand)]
pub(crate) enum ClusterVerb {
    /// Prove a statement in shards, by many workers, to a verifier that has as many
    #[command(after_help = ABOUT)]
    Prove(ClusterProve),
    /// Verify what a prover claims, in shards, by many workers
    #[command(after_help = ABOUT)]
    Verify(ClusterVerify),
    /// Do one shard, as a coordinator on this machine says on standard input
    #[command(hide = true)]
    Worker,
}

#[derive(Args)]
pub(crate) struct ClusterProve {
    #[command(flatten)]
    pub(crate) public: Public,
    #[command(flatten)]
    pub(crate) private: Private,
    /// Do not evaluate the statement in the clear before connecting: for those too big to evaluate twice
    #[arg(long)]
    pub(crate) no_check: bool,
    #[command(flatten)]
    pub(crate) run: ClusterRun,
}

#[derive(Args)]
pub(crate) struct ClusterVerify {
    #[command(flatten)]
    pub(crate) public: Public,
    #[command(flatten)]
    pub(crate) run: ClusterRun,
}

/// How a run is made, on either side.
#[derive(Args)]
pub(crate) struct ClusterRun {
    /// The shards that the statement falls into; both sides say the same
    #[arg(long, value_name = "N")]
    pub(crate) shards: String,
    /// The most workers at once; the smaller number of the two sides counts [default: as many as this machine
    /// runs threads, and no more than shards; by --run-key as many as shards]
    #[arg(long, value_name = "K")]
    pub(crate) workers: Option<String>,
    /// The most attempts at shards that may be lost, all taken together, before the run is given up; each
    /// counts against the security of the run, and both sides say the same
    #[arg(long, value_name = "R", default_value = "16")]
    pub(crate) restarts: String,
    /// Start no workers: others do, by `volery prove|verify --shard I/N --coordinator HOST:PORT --run-key
    /// FILE`. The key in FILE is for this run alone, made by `volery key new --out FILE`: whoever has it is a
    /// worker of this side
    #[arg(long, value_name = "FILE")]
    pub(crate) run_key: Option<PathBuf>,
    /// The address at which workers of this side join; it is printed on standard error as one line, `workers
    /// join at ADDR`
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub(crate) join: String,
    #[command(flatten)]
    pub(crate) peer: Peer,
    #[command(flatten)]
    pub(crate) hint: Hint,
    #[command(flatten)]
    pub(crate) protocol: Protocol,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The shard that a worker does, and its coordinator.
#[derive(Args)]
pub(crate) struct OneShard {
    /// Do shard I of the N that a statement falls into, numbered from 0, as a worker of a `volery cluster`
    /// with --run-key. --listen is then where the other side's worker is waited for, if this side listens
    /// [default: the address by which the coordinator is reached, and any port]
    #[arg(long, value_name = "I/N", requires_all = ["coordinator", "run_key"])]
    #[arg(conflicts_with_all = ["connect", "peer", "peers", "key", "insecure_plaintext"])]
    pub(crate) shard: Option<String>,
    /// The address at which the coordinator of this side has workers join, with --shard
    #[arg(long, value_name = "HOST:PORT", requires = "shard")]
    pub(crate) coordinator: Option<String>,
    /// The file with the key of the run, with --shard
    #[arg(long, value_name = "FILE", requires = "shard")]
    pub(crate) run_key: Option<PathBuf>,
    /// The host by which the other side's worker reaches this one, where it is another than --listen says,
    /// with --shard
    #[arg(long, value_name = "HOST", requires = "shard")]
    pub(crate) advertise: Option<String>,
}
