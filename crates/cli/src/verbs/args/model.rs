//! Options of `volery model`.

use super::Peer;
use clap::{Args, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;
use volery_cli::args::{Output, Protocol};

const QUANTISE: &str = "\
This runs `python3 -m volery.onnx`, of the module of Python: it is installed by
`pip install './crates/python[onnx]'` in the folder of volery's sources, which
takes Rust and Python 3.10 or later. VOLERY_PYTHON names another python3.

SAMPLES.npz has an array for each input of the network, by its name, which
stacks the samples: some dozens of what the network will read.

Example:
  volery model quantise net.onnx --calibrate samples.npz --out net.q.onnx";

const SPLIT: &str = "\
The public graph is for both parties of a proof, the weights for the prover
alone. The graph has everything but the weights: operators, shapes, scales,
tables of functions, and constants that the network has as public ones, which
`volery model info` lists. What is printed as the identity is the same for the
file and the graph, and for no other network.

Example:
  volery model split net.q.onnx --public net.arch.onnx --weights net.weights.npy";

const INFO: &str = "\
Elements, ranges and lookups are what a proof of one run takes, beside weights:
each of these is an element and a range, once a session.

Examples:
  volery model info net.q.onnx --layers
  volery model info net.arch.onnx --json";

const RUN: &str = "\
VALUE is as for `prove`: numbers with commas between them, all with a decimal
point, 0.5,-1.25; or all without one, which are integers as the network has
them; or by @PATH a file of such numbers, or a .npy file of floats or integers
in the order of the input's shape. `volery model info` shows shapes and scales.

Values that need more bits than they have end the run with exit code 2, and the
node, the place and the bits are named: the network is to be quantised with such
inputs, or more room.

Examples:
  volery model run net.q.onnx --input x=@x.npy
  volery model run net.arch.onnx --weights net.weights.npy --input x=@x.npy";

const COMMIT: &str = "\
SALT is 32 bytes, as @FILE, 0xHEX or text:TEXT: draw them for this model alone,
by `head -c 32 /dev/urandom > salt.bin`, and keep them with the weights. The
digest tells nothing of the weights, and binds whoever published it to them.
It is SHA-256 of the line `volery model v1 IDENTITY`, the salt, and the weights
in 1, 2 or 4 bytes each, the lowest first.

By --hash linear, which is for large models and experimental, the commitment is
1,536 numbers that go to --out, and the salt is drawn, and goes to the file SALT.

Examples:
  volery model commit net.arch.onnx --weights net.weights.npy --salt @salt.bin
  volery model commit net.arch.onnx --weights net.weights.npy --hash linear \\
    --experimental --salt salt.npy --out model.npy";

const PROVE: &str = "\
The weights are committed to once; then each line of standard input is a query,
NAME=VALUE for each of the network's inputs with blanks between them, with
values as for `model run`. The program computes the outputs, tells the verifier
those of --show, and proves them. The end of the input ends the session.

Both sides have to give the same --show. A query whose values do not fit is
named, and left out: the session goes on, and ends with exit code 2.

Example:
  printf 'x=@1.npy\\nx=@2.npy\\n' | volery model prove net.arch.onnx \\
      --weights net.weights.npy --connect verifier.example:7777 --peer volery1…";

const VERIFY: &str = "\
Each query is a line: what the prover said, once it is proved. All of them are
about the same weights, of which nothing is told.

Example:
  volery model verify net.arch.onnx --listen 0.0.0.0:7777 --peer volery1…";

#[derive(Subcommand)]
pub(crate) enum ModelVerb {
    /// Make a network of integers of an ONNX file, and compare the two
    #[command(after_help = QUANTISE)]
    Quantise(ModelQuantise),
    /// Write the public graph of a quantised network, and its weights, as two files
    #[command(after_help = SPLIT)]
    Split(ModelSplit),
    /// Inputs, outputs, constants and layers of a quantised network, and what a proof of it takes
    #[command(after_help = INFO)]
    Info(ModelInfo),
    /// Run a quantised network in the clear, in the integers that are proved
    #[command(after_help = RUN)]
    Run(ModelRun),
    /// Print the digest of a network's weights, of which proofs can be about
    #[command(after_help = COMMIT)]
    Commit(ModelCommit),
    /// Prove what a network of secret weights makes of secret inputs, query by query
    #[command(after_help = PROVE)]
    Prove(ModelProve),
    /// Verify what a network of secret weights makes of secret inputs, query by query
    #[command(after_help = VERIFY)]
    Verify(ModelVerify),
}

#[derive(Args)]
pub(crate) struct ModelQuantise {
    /// The ONNX file with floats
    pub(crate) network: PathBuf,
    /// The samples that the network is calibrated with
    #[arg(long, value_name = "SAMPLES.npz")]
    pub(crate) calibrate: PathBuf,
    /// The file to write, which appears once it is whole
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Replace the file of that name, if there is one
    #[arg(long)]
    pub(crate) force: bool,
    /// How many times larger values may become than with the samples
    #[arg(long, value_name = "TIMES", default_value = "4", allow_negative_numbers = true)]
    pub(crate) room: String,
    /// The bits of values between layers, from 8 to 16
    #[arg(long, value_name = "BITS", default_value = "16", allow_negative_numbers = true)]
    pub(crate) bits: String,
    /// End the network at the tensor of this name
    #[arg(long, value_name = "TENSOR")]
    pub(crate) until: Option<String>,
    /// Samples by which integers are compared with floats [default: those of --calibrate]
    #[arg(long, value_name = "SAMPLES.npz")]
    pub(crate) test: Option<PathBuf>,
    /// The Python that has the module `volery` [default: VOLERY_PYTHON, or python3]
    #[arg(long, value_name = "PATH")]
    pub(crate) python: Option<OsString>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct ModelSplit {
    /// The file of the quantised network
    pub(crate) network: PathBuf,
    /// The file of the public graph, which appears once it is whole
    #[arg(long, value_name = "FILE")]
    pub(crate) public: PathBuf,
    /// The file of the weights, a .npy array, which appears once it is whole
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: PathBuf,
    /// Replace the files of these names, if there are any
    #[arg(long)]
    pub(crate) force: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct ModelInfo {
    /// The file of the quantised network, or of its public graph
    pub(crate) network: PathBuf,
    /// List the layers, too
    #[arg(long)]
    pub(crate) layers: bool,
    /// Print one JSON object, which has the layers in any case
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct ModelRun {
    /// The file of the quantised network, or of its public graph with --weights
    pub(crate) network: PathBuf,
    /// The value of an input, or a file of them; may be repeated
    #[arg(long, value_name = "NAME=VALUE|FILE")]
    pub(crate) input: Vec<OsString>,
    /// The weights that `model split` wrote, where the network is a public graph
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct ModelCommit {
    /// The file of the quantised network, or of its public graph with --weights
    pub(crate) network: PathBuf,
    /// The weights that `model split` wrote, where the network is a public graph
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,
    /// 32 bytes that nobody can guess; by --hash linear the file to write a salt to, which is drawn
    #[arg(long, value_name = "SALT")]
    pub(crate) salt: OsString,
    /// The hash function: sha256, or linear, which is experimental
    #[arg(long, value_name = "NAME", default_value = "sha256")]
    pub(crate) hash: String,
    /// The file to write the commitment to, a .npy array, by --hash linear
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Replace the files of these names, if there are any
    #[arg(long)]
    pub(crate) force: bool,
    /// Take what is new and has not stood for long: --hash linear
    #[arg(long)]
    pub(crate) experimental: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct ModelProve {
    /// The file of the quantised network, or of its public graph with --weights
    pub(crate) network: PathBuf,
    /// The weights that `model split` wrote, where the network is a public graph
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,
    /// The value of an input of the one query that there is then, or a file of them; may be repeated [default: queries
    /// are lines of standard input]
    #[arg(long, value_name = "NAME=VALUE|FILE")]
    pub(crate) input: Vec<OsString>,
    #[command(flatten)]
    pub(crate) show: Show,
    #[command(flatten)]
    pub(crate) peer: Peer,
    #[command(flatten)]
    pub(crate) protocol: Protocol,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Args)]
pub(crate) struct ModelVerify {
    /// The file of the network's public graph; weights that it has are not looked at
    pub(crate) network: PathBuf,
    #[command(flatten)]
    pub(crate) show: Show,
    #[command(flatten)]
    pub(crate) peer: Peer,
    #[command(flatten)]
    pub(crate) protocol: Protocol,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The values of each query that the verifier is told.
#[derive(Args)]
pub(crate) struct Show {
    /// An output, or an input, that the verifier is told; may be repeated [default: class, the place of the largest
    /// output, where the network has one output, or else all outputs]
    #[arg(long, value_name = "NAME")]
    pub(crate) show: Vec<String>,
}
