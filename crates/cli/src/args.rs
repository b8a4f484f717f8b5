//! What was typed. What it means is decided in [`crate::settings`].

mod circuit;

pub(crate) use circuit::{CircuitVerb, Eval, Export, Info, List};

use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

const EXIT_CODES: &str = "\
Exit codes:
  0    accepted, or done
  1    rejected: the verifier was not convinced (on both sides)
  2    wrong usage, or a relation, value or witness that does not fit
  3    the peer or the network failed or misbehaved, or the two sides disagree
       (a verifier that finds the prover out in a consistency check ends with 3;
       the prover hears that it is rejected, and ends with 1)
  70   a bug in volery
  130  interrupted by Ctrl-C; the peer sees the link close at once

Errors are one line on standard error. With --json the last line of standard
output is one JSON object, whatever happens.

VOLERY_ARCH names the instruction set of the kernels, where it should not be
the fastest; `volery doctor` lists them.";

const STATEMENTS: &str = "\
A statement is a relation (a public program) with public and private values.

RELATION is a circuit file in Bristol Fashion or the older Bristol Format, or
builtin:NAME?key=value. Over every --field there are
builtin:inner-product?length=4 and builtin:matmul?rows=2&inner=2&columns=2;
over f2 builtin:sha256-preimage?length=55, builtin:merkle-root?depth=8 and
builtin:bug-in-snippets?count=4, with builtin:merkle-membership,
builtin:price-discrimination and builtin:blind-certificate; over any other
builtin:power?exponent=5, builtin:polynomial?degree=3,
builtin:linear?rows=2&columns=3 and, where it is a prime field,
builtin:range-sum?count=4&bits=32, builtin:factors and
builtin:sis?rows=2&columns=8&bound=1. What each states is told by
`volery circuit list`, and inputs and outputs are listed by
`volery circuit info RELATION`.

Values are given one by one as NAME=VALUE, or by the path of a file of such
lines, where lines that begin with # are comments. (A path with a `=` in it is
written ./PATH.) Names of a circuit file are in0, in1, … and out0, out1, …
Over f2 VALUE is one of
  0x…     a number, its least significant bit on the first wire
  0b…     bits in the order of the wires
  text:…  bytes, the most significant first: text:abc is 0x616263
  @PATH   all bytes of a file
  -       all bytes of standard input
Over other fields VALUE is numbers with commas between them, one for each
element, in decimal or behind 0x in hexadecimal digits, and behind - where
negative: 17,0x11,-1. They may stand in @PATH or on standard input, too.
Others on this machine can read its command lines: give secrets by @PATH, in
a file of values, or by standard input.

Over f2 --relation may be given several times: one of the relations holds, and
not said which. Then 2.NAME=VALUE is a value for the second of them, and a
public NAME=VALUE one for all that have this name. Private values are of the one
relation that the prover knows to hold, and all have its number. Both sides
give the relations in the same order.";

const PROVE: &str = "\
Examples:
  volery prove --relation builtin:sha256-preimage?length=9 \\
    --public digest=0x… --private message=@secret.txt --connect 127.0.0.1:7000
  volery prove --relation aes_128.txt \\
    --public known.txt --private in0=- --listen 127.0.0.1:7000
  volery prove --field f61 --relation builtin:linear?rows=1&columns=2 \\
    --public matrix=3,-1 --public b=5 --private x=@secret.txt \\
    --connect 127.0.0.1:7000
  volery prove --system stack --relation builtin:sha256-preimage?length=9 \\
    --relation aes_128.txt --public 1.digest=0x… --public 2.out0=0x… \\
    --private 2.in0=@key --private 2.in1=@block --connect 127.0.0.1:7000";

const VERIFY: &str = "\
Examples:
  volery verify --relation builtin:sha256-preimage?length=9 \\
    --public digest=0x… --listen 127.0.0.1:7000
  volery verify --relation aes_128.txt \\
    --public known.txt --connect 127.0.0.1:7000
  volery verify --field f61 --relation builtin:linear?rows=1&columns=2 \\
    --public matrix=3,-1 --public b=5 --listen 127.0.0.1:7000
  volery verify --system stack --relation builtin:sha256-preimage?length=9 \\
    --relation aes_128.txt --public 1.digest=0x… --public 2.out0=0x… \\
    --listen 127.0.0.1:7000";

const SYSTEM: &str = "\
The proof system:
  quicksilver  commitments by correlations, over any --field: the least traffic
  jko          a garbled circuit, over f2: the verifier sends 16 bytes for each
               multiplication, and the prover a few for each private input
  stack        a garbled circuit for each of several clauses, over f2: of the
               largest 16 bytes for each multiplication, and next to nothing of
               the others; these are several relations, or what a relation is
               made of that claims one of several things, such as
               builtin:bug-in-snippets and builtin:merkle-membership

The other two prove several relations as one circuit of all. quicksilver is the
default, but of the benches jko and stack.";

const VOLE: &str = "\
Where correlated randomness comes from; auto takes what the peer asks for, or
what is fastest for the size of the statement and the bandwidth of the link.
Those further down send less, and have a longer set-up.

Over f2, with bits of traffic for each multiplication:
  softspoken4  31
  softspoken8  15
  tiny         14
  small        8
  l2           4
  mid          1.3
  wan          0.4

Over other fields, with bits for each multiplication beside the value itself:
  direct       about 490 bytes each over f61: for the smallest statements
  tiny         16
  l2           5
  mid          1.5
  wan          0.5";

const BENCH: &str = "\
Examples:
  volery bench boolean --gates 100000000 --json
  volery bench boolean --gates 100000000 --bandwidth 50 --latency 20
  volery bench sha256 --repeat 10
  volery bench arithmetic --field f61x2 --vole mid
  volery bench inner-product --length 100000000 --field f2
  volery bench matmul --size 1024 --bandwidth 500
  volery bench sis --kind binary
  volery bench holes --kind multiplication
  volery bench merkle --depth 16
  volery bench snippets --count 1000 --system stack
  volery bench stack --clauses 15 --bandwidth 1000 --latency 2
  volery bench vole-f2 --vole mid
  volery bench vole-f61 --bandwidth 100
  volery bench tables --only wolverine-table3 --only quicksilver
  volery bench --list

In the JSON, `sent` goes from the prover to the verifier, and `received` back.
`setup` runs from the handshake to the first gate, `online` from there to the
verdict, `total` from the start of the process. With --repeat, gates, bytes
and seconds are those of all runs together, and `runs` has the seconds of each.
Of correlations, `nanoseconds_per_correlation` and `bits_per_correlation`, both
ways together, leave out the set-up; those in `with_setup` share it among all.
Of an inner product, `beyond_committing` is the seconds that the slower party
takes beside committing to the vectors. Of holes, `committed_bits_each` is for
each block or multiplication, and `gate_by_gate` has what it takes without them.

`tables` reruns what the papers report, 15 minutes or so in all, each row in a
process of its own, and writes tables.json, tables.md and plots in SVG to --out,
after each table. A row that fails is told there, and the others go on; the exit
code is then that of the first. A row runs no more once it took 20 seconds.

--bandwidth and --latency shape the loopback link by itself, without the
system's help. The rate is that of payload; loss and the growing window of TCP
are not modelled.";

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
    /// Prove a statement to a verifier
    #[command(after_help = PROVE, after_long_help = format!("{STATEMENTS}\n\n{PROVE}\n\n{EXIT_CODES}"))]
    Prove(Prove),
    /// Verify what a prover claims
    #[command(after_help = VERIFY, after_long_help = format!("{STATEMENTS}\n\n{VERIFY}\n\n{EXIT_CODES}"))]
    Verify(Verify),
    /// Evaluate a statement in the clear, and name the first assertion that fails
    #[command(after_long_help = format!("{STATEMENTS}\n\n{EXIT_CODES}"))]
    Check(Check),
    /// Look at relations
    #[command(subcommand)]
    Circuit(CircuitVerb),
    /// Measure both parties on this machine, one thread each, over loopback TCP
    #[command(after_help = BENCH)]
    Bench(Bench),
    /// Show what this machine has, and how fast the kernels run on it
    Doctor(Doctor),
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
    pub(crate) peer: Peer,
    #[command(flatten)]
    pub(crate) hint: Hint,
    #[command(flatten)]
    pub(crate) protocol: Protocol,
    /// Do not evaluate the statement in the clear before connecting: for those too big to evaluate twice. jko and stack
    /// evaluate it once connected in any case
    #[arg(long)]
    pub(crate) no_check: bool,
    /// Do the same work whichever clause of a stack holds, so that the verifier cannot tell by the time that it takes,
    /// which is then some 2.5 times as long
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
    /// The field of the statement, as for `prove` [default: f2]
    #[arg(long)]
    pub(crate) field: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct Bench {
    /// What to measure; --list shows what there is
    #[arg(required_unless_present = "list")]
    pub(crate) name: Option<String>,
    /// List what there is to measure
    #[arg(long)]
    pub(crate) list: bool,
    /// The multiplications of `boolean`, `arithmetic` and `jko` [default: 10000000], of a clause of `stack` [default:
    /// 500000], the correlations of `vole-f2` [default:
    /// 100000000] and `vole-f61` [default: 10000000]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) gates: Option<String>,
    /// The length of the vectors of `inner-product` [default: 1000000]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) length: Option<String>,
    /// The rows and columns of the matrices of `matmul` [default: 1024]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) size: Option<String>,
    /// The depth of the tree of `merkle` [default: 8], and of the trees of `merkle-membership` [default: 26]
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    pub(crate) depth: Option<String>,
    /// The entries of `sis`: ternary, binary [default: ternary]; the circuit of `holes`: sha256, multiplication [default:
    /// sha256]; of `merkle`: gates, holes [default: holes, but gates by jko]
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// The blocks, or multiplications, of `holes` [default: 100, 10000]; the pieces of code of `snippets` [default: 4]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) count: Option<String>,
    /// The clauses of `stack` [default: 15]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) clauses: Option<String>,
    /// Prove the same statement so often, on one set-up; of `tables` run each row so often, for the best [default: 1; of
    /// `tables` 3, with --quick 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) repeat: Option<String>,
    /// Let no more than this through the link, in each direction; auto chooses by it too
    #[arg(long, value_name = "MBPS", allow_negative_numbers = true)]
    pub(crate) bandwidth: Option<String>,
    /// Delay what goes through the link by this, in each direction
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub(crate) latency: Option<String>,
    /// The folder in which `tables` writes [default: volery-tables]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Only these `tables`, by a name such as wolverine-table3, or all of a paper, such as wolverine; may be repeated
    #[arg(long, value_name = "ID")]
    pub(crate) only: Vec<String>,
    /// Run `tables` at tiny sizes, to see that all works: the figures say nothing of speed
    #[arg(long)]
    pub(crate) quick: bool,
    /// Run those rows of `tables`, too, that take minutes each
    #[arg(long)]
    pub(crate) large: bool,
    #[command(flatten)]
    pub(crate) protocol: Protocol,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Args)]
pub(crate) struct Doctor {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is known of the link.
#[derive(Args)]
pub(crate) struct Hint {
    /// The bandwidth of the link each way, by which auto chooses; the smaller of what the two sides say counts. Where
    /// neither says, and the statement is large enough for it to matter, it is measured
    #[arg(long, value_name = "MBPS", allow_negative_numbers = true)]
    pub(crate) bandwidth: Option<String>,
}

/// The part of a statement that both parties know.
#[derive(Args)]
pub(crate) struct Public {
    /// The public program: a circuit file, or builtin:NAME?key=value; of several, over f2, one holds, and not said which
    #[arg(long, required = true)]
    pub(crate) relation: Vec<String>,
    /// The format of the files: bristol-fashion, bristol [default: as their content shows]
    #[arg(long)]
    pub(crate) format: Option<String>,
    /// A public value, or a file of them; may be repeated. Behind K. it is for the K-th of several relations
    #[arg(long, value_name = "NAME=VALUE|FILE")]
    pub(crate) public: Vec<OsString>,
}

/// The part that the prover keeps.
#[derive(Args)]
pub(crate) struct Private {
    /// A private value, or a file of them; may be repeated. Of several relations all are for one, and stand behind its K.
    #[arg(long, value_name = "NAME=VALUE|FILE")]
    pub(crate) private: Vec<OsString>,
}

/// Where the other party is.
#[derive(Args)]
pub(crate) struct Peer {
    /// Wait for the peer at this address; port 0 takes a free one. The address is printed on standard error as one
    /// line, `listening on ADDR`
    #[arg(long, value_name = "ADDR", required_unless_present = "connect", conflicts_with = "connect")]
    pub(crate) listen: Option<String>,
    /// Connect to the peer, again and again until it listens or --timeout has passed
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) connect: Option<String>,
    /// Use plain TCP beyond this machine. Whoever is on the path can then read and change what is sent: the private
    /// values stay hidden, but a verifier cannot know who proved to it, nor that nobody interfered
    #[arg(long)]
    pub(crate) insecure_plaintext: bool,
}

/// How to prove. Both sides must agree on all but the timeout, the threads and the security asked for; where one leaves
/// --vole to auto, the other's choice counts.
#[derive(Args)]
pub(crate) struct Protocol {
    /// The proof system: quicksilver, or over f2 jko and stack, which garble circuits; --help says what they are for
    /// [default: quicksilver; of the benches jko and stack those]
    #[arg(long, long_help = SYSTEM)]
    pub(crate) system: Option<String>,
    /// The field of the statement: f2, f61 (2^61 - 1), f61x2, goldilocks (2^64 - 2^32 + 1), goldilocksx2, q32
    /// (2^32 - 5), f65537 or f256; x2 has MACs in an extension of degree two, and more security [default: f2; of some
    /// benches f61 or q32]
    #[arg(long)]
    pub(crate) field: Option<String>,
    /// Where correlated randomness comes from; auto takes what the peer asks for, or what is fastest for the size of
    /// the statement and the bandwidth of the link. --help lists the others
    #[arg(long, default_value = "auto", long_help = VOLE)]
    pub(crate) vole: String,
    /// Refuse to run with fewer bits of statistical security [default: 40 over f61, goldilocks, q32 and f65537, which
    /// have no 100 to give; 100 over others]
    #[arg(long, value_name = "BITS", allow_negative_numbers = true)]
    pub(crate) security: Option<String>,
    /// Insist that gates are one-way, with challenges from the transcript and none from the verifier; over f61,
    /// goldilocks, q32 and f65537 whoever proves could search for a transcript with convenient ones, and it is refused
    #[arg(long)]
    pub(crate) non_interactive: bool,
    /// The hash of the gates of jko and stack: mitccrh, with a key for each gate, or tmmo, with one for all and two calls
    /// of AES [default: mitccrh]
    #[arg(long, value_name = "HASH")]
    pub(crate) gate_hash: Option<String>,
    /// How stack transfers the seeds of the clauses: tree, by a transfer for each level of a tree of them, or each, by one
    /// for each clause [default: tree]
    #[arg(long)]
    pub(crate) seeds: Option<String>,
    /// Threads of this party, which garble the clauses of stack; other systems have one
    #[arg(long, value_name = "T", default_value = "1", allow_negative_numbers = true)]
    pub(crate) threads: String,
    /// The longest wait for the peer, at any point; the first also covers the time that the peer takes to check its own
    /// statement before it connects
    #[arg(long, value_name = "SECONDS", default_value = "60", allow_negative_numbers = true)]
    pub(crate) timeout: String,
}

/// What to print.
#[derive(Args)]
pub(crate) struct Output {
    /// Print one JSON object as the last line of standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Print no progress
    #[arg(long)]
    pub(crate) quiet: bool,
}
