//! Options of `volery`'s verbs, as they are typed. Each verb decides their meaning.

mod circuit;
mod cluster;
mod key;
mod model;
mod program;
mod web;

pub(crate) use circuit::{CircuitVerb, Eval, Export, Info, List};
pub(crate) use cluster::{ClusterProve, ClusterRun, ClusterVerb, ClusterVerify, OneShard};
pub(crate) use key::{KeyNew, KeyShow, KeyVerb};
pub(crate) use model::{
    ModelCommit, ModelInfo, ModelProve, ModelQuantise, ModelRun, ModelSplit, ModelVerb, ModelVerify, Show,
};
pub(crate) use program::{Claimed, PrivateInput, Proved, Run, Ways};
use program::{PROGRAMS, RUN};
pub(crate) use web::{WebProve, WebShow, WebVerb, WebVerify};

use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;
use volery_cli::args::{Output, Protocol};

const EXIT_CODES: &str = "\
Exit codes:
  0    accepted, or done
  1    rejected: the verifier was not convinced (on both sides); or, at the
       verifier, the prover left after a coin, when it could foresee the verdict
  2    wrong usage, or a relation, value or witness that does not fit
  3    the peer or the network failed or misbehaved, or the two sides disagree
       (a verifier that finds the prover out in a consistency check ends with 3;
       the prover hears that it is rejected, and ends with 1)
  70   a bug in volery
  130  interrupted by Ctrl-C, SIGTERM or the end of its terminal; the peer sees
       the link close at once

Errors are one line on standard error. With --json the last line of standard
output is one JSON object, whatever happens.

VOLERY_ARCH names the instruction set of the kernels, where it should not be
the fastest; `volery doctor` lists them.";

const STATEMENTS: &str = "\
A statement is a relation (a public program) with public and private values.

RELATION is a circuit file in Bristol Fashion, the older Bristol Format, AIGER
or BLIF, an .r1cs file of circom, or builtin:NAME?key=value. Over every --field there are
builtin:inner-product?length=4 and builtin:matmul?rows=2&inner=2&columns=2;
over f2 builtin:sha256-preimage?length=55, builtin:sha3-256-preimage?length=32,
builtin:keccak256-preimage?length=32, builtin:aes128,
builtin:hmac-sha256?key=32&length=32, builtin:merkle-root?depth=8,
builtin:merkle-path?depth=20 and builtin:bug-in-snippets?count=4, with
builtin:merkle-membership, builtin:price-discrimination and
builtin:blind-certificate; over any other
builtin:power?exponent=5, builtin:polynomial?degree=3,
builtin:linear?rows=2&columns=3 and, where it is a prime field,
builtin:range-sum?count=4&bits=32, builtin:factors and
builtin:sis?rows=2&columns=8&bound=1. What each states is told by
`volery circuit list`, and inputs and outputs are listed by
`volery circuit info RELATION`.

Values are given one by one as NAME=VALUE, or by the path of a file of such
lines, where lines that begin with # are comments. (A path with a `=` in it is
written ./PATH.) Names of a Bristol circuit are in0, in1, … and out0, out1, …;
AIGER and BLIF have names of their own, or else in and out. A circuit with
latches runs for N steps as FILE?steps=N; an input of step 3 is NAME@3, and
NAME@* one of all steps without a value of their own. FILE?count=N, of these and
of what is built of gates, is N instances of it: a value is those of all, one
behind the other, the first one's the most significant; &lanes=L has L of them
walked together, for devices. Public signals of circom
are out0, … and in0, …, or by --symbols as in main.root; and --public takes the
list of all of them, public.json, too. FILE?count=N of an .r1cs file has numbers
of all instances, and a witness and a list for each.
Over f2 VALUE is one of
  0x…, 17 a number, its least significant bit on the first wire
  0b…     bits in the order of the wires
  text:…  bytes, the most significant first: text:abc is 0x616263
  @PATH   all bytes of a file
  -       all bytes of standard input
Over other fields VALUE is numbers with commas between them, one for each
element, in decimal or behind 0x in hexadecimal digits, and behind - where
negative: 17,0x11,-1. They may stand in @PATH or on standard input, too, where
an array of numpy, .npy, is read as well: its integers, in C order. Where
elements stand for real numbers, of which `circuit info` shows the scale, they
may be written with a point, all of them: 0.5,-1.25; or be floats of a .npy.
Others on this machine can read its command lines: give secrets by @PATH, in
a file of values, or by standard input.

A statement may hold and say nothing of private values: an output depends on
none, or none is left. `check`, `prove`, `verify` and `circuit info` warn of it
on standard error, and under warnings of --json.

Over f2 --relation may be given several times: one of the relations holds, and
not said which. Then 2.NAME=VALUE is a value for the second of them, and a
public NAME=VALUE one for all that have this name. Private values are of the one
relation that the prover knows to hold, and all have its number. Both sides
give the relations in the same order.";

const PROVE: &str = "\
Exit code 0 means that bytes which the verifier seems to have sent say that it
accepted. On a plain link, without keys, anybody in between could have said so:
what counts is how the verifier ends. A file is verified by whoever has it.

Examples:
  volery prove --relation 'builtin:sha256-preimage?length=9' \\
    --public digest=0x… --private message=@secret.txt --connect 127.0.0.1:7000
  volery prove --relation aes_128.txt \\
    --public known.txt --private in0=- --listen 127.0.0.1:7000
  volery prove --field f61 --relation 'builtin:linear?rows=1&columns=2' \\
    --public matrix=3,-1 --public b=5 --private x=@secret.txt \\
    --connect 127.0.0.1:7000
  volery prove --system stack --relation 'builtin:sha256-preimage?length=9' \\
    --relation aes_128.txt --public 1.digest=0x… --public 2.out0=0x… \\
    --private 2.in0=@key --private 2.in1=@block --connect 127.0.0.1:7000
  volery prove --relation 'builtin:sha256-preimage?length=9' \\
    --public digest=0x… --private message=@secret.txt --out proof.bin
  volery prove --statement member --private secret=@secret.txt \\
    --connect example.org:7000 --peer volery1…";

const VERIFY: &str = "\
Examples:
  volery verify --relation 'builtin:sha256-preimage?length=9' \\
    --public digest=0x… --listen 127.0.0.1:7000
  volery verify --relation aes_128.txt \\
    --public known.txt --connect 127.0.0.1:7000
  volery verify --field f61 --relation 'builtin:linear?rows=1&columns=2' \\
    --public matrix=3,-1 --public b=5 --listen 127.0.0.1:7000
  volery verify --system stack --relation 'builtin:sha256-preimage?length=9' \\
    --relation aes_128.txt --public 1.digest=0x… --public 2.out0=0x… \\
    --listen 127.0.0.1:7000
  volery verify --relation 'builtin:sha256-preimage?length=9' \\
    --public digest=0x… --proof proof.bin
  volery verify --relation 'builtin:sha256-preimage?length=9' \\
    --public digest=0x… --proof proofs/ --proof another.bin";

const BENCH: &str = "\
This runs volery-bench, which is a program of its own: it is installed by
`cargo install --path crates/bench --profile dist`, or built beside volery by
`cargo build --release -p volery-bench`, which is up to 3 times slower. What
it takes is told by `volery bench --help`, and what there is to measure by
`volery bench --list`.";

const SERVE: &str = "\
This runs volery-serve, which is a program of its own: it is installed by
`cargo install --path crates/serve --profile dist`, or built beside volery by
`cargo build --release -p volery-serve`. What it takes is told by `volery
serve --help` and `volery results --help`, and how to run a service by
docs/serve.md.";

/// Zero-knowledge proofs for programs too large for memory.
#[derive(Parser)]
#[command(name = "volery", version, after_help = EXIT_CODES)]
pub(crate) struct Typed {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Prove and verify knowledge of a SHA-256 preimage, both parties in this process, over loopback TCP
    Demo(Demo),
    /// Prove a statement to a verifier, or to a service that has it by a name
    #[command(mut_arg("relation", |relation| {
        relation.required(false).required_unless_present_any(["statement", "program"])
    }))]
    #[command(after_help = PROVE)]
    #[command(after_long_help = format!("{STATEMENTS}\n\n{PROGRAMS}\n\n{PROVE}\n\n{EXIT_CODES}"))]
    Prove(Prove),
    /// Verify what a prover claims
    #[command(mut_arg("relation", |relation| relation.required(false).required_unless_present("program")))]
    #[command(after_help = VERIFY)]
    #[command(after_long_help = format!("{STATEMENTS}\n\n{PROGRAMS}\n\n{VERIFY}\n\n{EXIT_CODES}"))]
    Verify(Verify),
    /// Run a program for RV32IM in the clear
    #[command(after_help = RUN, after_long_help = format!("{PROGRAMS}\n\n{RUN}\n\n{EXIT_CODES}"))]
    Run(Run),
    /// Prove or verify a statement in shards, by many workers at once
    #[command(subcommand)]
    Cluster(ClusterVerb),
    /// Evaluate a statement in the clear, and name the first assertion that fails
    #[command(after_long_help = format!("{STATEMENTS}\n\n{EXIT_CODES}"))]
    Check(Check),
    /// Look at relations
    #[command(subcommand)]
    Circuit(CircuitVerb),
    /// Make integers of neural networks, look at them, and run them in the clear
    #[command(subcommand)]
    Model(ModelVerb),
    /// Make the key by which others know this party, or show who it is
    #[command(subcommand)]
    Key(KeyVerb),
    /// Prove and verify what a web server said over TLS 1.3
    #[command(subcommand)]
    Web(WebVerb),
    /// Measure both parties on this machine, one thread each, over loopback TCP
    #[command(disable_help_flag = true, after_help = BENCH)]
    Bench(Passed),
    /// Verify what many provers claim, as a service, for as long as it runs
    #[command(disable_help_flag = true, after_help = SERVE)]
    Serve(Passed),
    /// List or export the verdicts of a service
    #[command(disable_help_flag = true, after_help = SERVE)]
    Results(Passed),
    /// Show what this machine has, and how fast the kernels run on it
    Doctor(Doctor),
}

/// The arguments for another program, which alone understands them.
#[derive(Args)]
pub(crate) struct Passed {
    /// The arguments of that program
    #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<OsString>,
}

#[derive(Args)]
pub(crate) struct Demo {
    #[command(flatten)]
    pub(crate) protocol: Protocol,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Args)]
pub(crate) struct Prove {
    #[command(flatten)]
    pub(crate) public: Public,
    #[command(flatten)]
    pub(crate) private: Private,
    #[command(flatten)]
    pub(crate) run: Proved,
    #[command(flatten)]
    pub(crate) input: PrivateInput,
    /// Prove the statement that the service at --connect has by this name. It says on which terms: the
    /// relation, the public values that are fixed and those that are to be given by --public, and all
    /// settings, which are shown before anything is proved. Where the relation is a file, give it by
    /// --relation, too
    #[arg(long, value_name = "NAME", requires = "connect", conflicts_with_all = ["listen", "out"])]
    pub(crate) statement: Option<String>,
    /// Show the terms of --statement, and prove nothing
    #[arg(long, requires = "statement")]
    pub(crate) terms: bool,
    /// Write a proof to this file, by voleith or limbo, instead of talking to a verifier
    #[arg(long, value_name = "FILE", conflicts_with_all = NO_PEER)]
    pub(crate) out: Option<PathBuf>,
    /// Replace the file that --out names, if there is one
    #[arg(long, requires = "out", conflicts_with_all = ["listen", "connect"])]
    pub(crate) force: bool,
    /// The words of the file about its statement, for whoever has the file to read [default: the name of the
    /// relation, without its folder, and the public values]
    #[arg(long, value_name = "TEXT", requires = "out", conflicts_with_all = ["listen", "connect"])]
    pub(crate) label: Option<String>,
    #[command(flatten)]
    pub(crate) one_shard: OneShard,
    #[command(flatten)]
    pub(crate) peer: Peer,
    #[command(flatten)]
    pub(crate) hint: Hint,
    #[command(flatten)]
    pub(crate) protocol: Protocol,
    /// Do not evaluate the statement in the clear before connecting: for those too big to evaluate twice.
    /// Other systems than quicksilver and wolverine evaluate it once connected in any case, and for a file
    #[arg(long)]
    pub(crate) no_check: bool,
    /// Do the same work whichever clause holds, so that the verifier cannot tell by the time that it takes: by
    /// quicksilver all clauses are evaluated in the clear, and by stack it is more than twice as long
    #[arg(long)]
    pub(crate) fixed_work: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) public: Public,
    #[command(flatten)]
    pub(crate) run: Proved,
    #[command(flatten)]
    pub(crate) claim: Claimed,
    /// Verify the proof in this file, by the system that made it, instead of talking to a prover. May be
    /// repeated, name a folder, of which all files are verified, or be - for standard input: then as many
    /// proofs are verified at a time as there are --threads
    #[arg(long, value_name = "FILE|FOLDER", conflicts_with_all = NO_PEER)]
    pub(crate) proof: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) one_shard: OneShard,
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
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) public: Public,
    #[command(flatten)]
    pub(crate) private: Private,
    /// The field of the statement, as for `prove` [default: that of a file, or f2]
    #[arg(long)]
    pub(crate) field: Option<String>,
    /// The longest wait for --witness-generator, and for a file that is a pipe
    #[arg(long, value_name = "SECONDS", default_value = "60", allow_negative_numbers = true)]
    pub(crate) timeout: String,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct Doctor {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// A hint at the link.
#[derive(Args)]
pub(crate) struct Hint {
    /// The bandwidth of the link each way, by which auto chooses; the smaller of what the two sides say
    /// counts. Where neither says, and the statement is large enough for it to matter, it is measured
    #[arg(long, value_name = "MBPS", allow_negative_numbers = true)]
    pub(crate) bandwidth: Option<String>,
}

/// The part of a statement that both parties know.
#[derive(Args)]
pub(crate) struct Public {
    /// The public program: a circuit file, or builtin:NAME?key=value; of several, over f2, one holds, and not
    /// said which
    #[arg(long, required = true)]
    pub(crate) relation: Vec<String>,
    /// The format of the files: bristol-fashion, bristol, aiger, blif, r1cs, sieve [default: as their content
    /// shows]
    #[arg(long)]
    pub(crate) format: Option<String>,
    /// A public value, or a file of them; may be repeated. Behind K. it is for the K-th of several relations
    #[arg(long, value_name = "NAME=VALUE|FILE")]
    pub(crate) public: Vec<OsString>,
    /// The names of signals, `.sym` of circom, where the relation is an `.r1cs` file
    #[arg(long, value_name = "FILE")]
    pub(crate) symbols: Option<PathBuf>,
    /// The public values of a SIEVE relation, one file for each type, in the order of types of one field
    #[arg(long, value_name = "FILE")]
    pub(crate) public_stream: Vec<PathBuf>,
    /// Take a relation that rests on what is new and has not stood for long: FILE.onnx?model=linear
    #[arg(long)]
    pub(crate) experimental: bool,
}

/// The part that the prover keeps.
#[derive(Args)]
pub(crate) struct Private {
    /// A private value, or a file of them; may be repeated. Of several relations all are for one, and stand
    /// behind its K.; without any, one that has no private input is claimed to hold
    #[arg(long, value_name = "NAME=VALUE|FILE")]
    pub(crate) private: Vec<OsString>,
    /// The witness, `.wtns`, where the relation is an `.r1cs` file of circom; of several instances one for each,
    /// in their order. Public values that are not given by --public are taken from it, and shown
    #[arg(long, value_name = "FILE", conflicts_with_all = ["private", "private_json"])]
    pub(crate) witness: Vec<PathBuf>,
    /// The inputs of which --witness-generator makes the witness, `input.json` of circom; of several instances
    /// those of each, likewise
    #[arg(long, value_name = "FILE", conflicts_with = "private")]
    pub(crate) private_json: Vec<PathBuf>,
    /// The command that makes the witness of --private-json: its words, which no shell looks at, and behind them
    /// the path of the inputs and that of the witness to write, such as 'node x_js/generate_witness.js x_js/x.wasm'
    #[arg(long, value_name = "CMD", requires = "private_json")]
    pub(crate) witness_generator: Option<String>,
    /// The private values of a SIEVE relation, likewise
    #[arg(long, value_name = "FILE")]
    pub(crate) private_stream: Vec<PathBuf>,
}

impl Private {
    /// Whether it is a witness that is checked as soon as it is read.
    pub(crate) fn is_checked(&self) -> bool {
        !(self.witness.is_empty() && self.private_json.is_empty())
    }
}

/// The options that have no part in proofs that are files.
const NO_PEER: [&str; 6] = ["listen", "connect", "key", "peer", "peers", "insecure_plaintext"];

/// The address of the other party, and its identity.
#[derive(Args)]
pub(crate) struct Peer {
    /// Wait for the peer at this address; port 0 takes a free one. The address is printed on standard error
    /// as one line, `listening on ADDR`
    #[arg(long, value_name = "ADDR", conflicts_with = "connect")]
    pub(crate) listen: Option<String>,
    /// Connect to the peer, again and again until it listens or --timeout has passed
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) connect: Option<String>,
    /// The identity of the peer, as `volery key new` or `key show` prints it there; may be repeated. The link
    /// is then encrypted by TLS 1.3, and nobody else can be at its other end: the peer has to be given this
    /// side's, too. Beyond this machine it is required
    #[arg(long, value_name = "ID")]
    pub(crate) peer: Vec<String>,
    /// A file of identities, one on each line, and behind it a name; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) peers: Vec<PathBuf>,
    /// The file with the key of this side [default: volery/key in the folder of the user's settings, where
    /// `volery key new` writes it]
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// Use plain TCP beyond this machine, for tests. Whoever is on the path can then read and change what is sent: the
    /// private values stay hidden, but a verifier cannot know who proved to it, nor that nobody interfered
    #[arg(long, conflicts_with_all = ["peer", "peers", "key"])]
    pub(crate) insecure_plaintext: bool,
}
