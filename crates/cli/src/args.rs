//! What was typed. What it means is decided in [`crate::settings`].

mod bench;
mod checking;
mod circuit;
mod simulation;

pub(crate) use bench::Bench;
pub(crate) use checking::Checking;
pub(crate) use circuit::{CircuitVerb, Eval, Export, Info, List};
pub(crate) use simulation::Simulation;

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
    --private 2.in0=@key --private 2.in1=@block --connect 127.0.0.1:7000
  volery prove --relation builtin:sha256-preimage?length=9 \\
    --public digest=0x… --private message=@secret.txt --out proof.bin";

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
    --listen 127.0.0.1:7000
  volery verify --relation builtin:sha256-preimage?length=9 \\
    --public digest=0x… --proof proof.bin";

const SYSTEM: &str = "\
The proof system:
  quicksilver  commitments by correlations, over any --field: the least traffic
               for a single statement
  wolverine    the same commitments, over any --field, with products checked in
               blocks against random ones: for each multiplication 7 bits and 7
               correlations over f2, and 2 or 4 elements and correlations over
               others, by --checked-by
  jko          a garbled circuit, over f2: the verifier sends 16 bytes for each
               multiplication, and the prover a few for each private input
  stack        a garbled circuit for each of several clauses, over f2: of the
               largest 16 bytes for each multiplication, and next to nothing of
               the others; these are several relations, or what a relation is
               made of that claims one of several things, such as
               builtin:bug-in-snippets and builtin:merkle-membership
  limbo        parties that the prover simulates, over any --field: a bit, or an
               element, for each multiplication and repetition, of which there
               are 5 to 40, and no set-up; also a proof that is a file, by --out and --proof, which
               anyone can verify at any time

Other systems than stack prove several relations as one circuit of all.
quicksilver is the default, but of the benches jko, stack, limbo and wolverine,
and limbo for files.";

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
  wan          0.5

That is for quicksilver, with a correlation for each multiplication. Wolverine
takes several, and so many times as much.";

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
    #[command(after_help = bench::EXAMPLES)]
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
    /// Write a proof to this file, by limbo, instead of talking to a verifier
    #[arg(long, value_name = "FILE", conflicts_with_all = ["listen", "connect", "insecure_plaintext"])]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) peer: Peer,
    #[command(flatten)]
    pub(crate) hint: Hint,
    #[command(flatten)]
    pub(crate) protocol: Protocol,
    /// Do not evaluate the statement in the clear before connecting: for those too big to evaluate twice. Other
    /// systems than quicksilver and wolverine evaluate it once connected in any case, and for a file
    #[arg(long)]
    pub(crate) no_check: bool,
    /// Do the same work whichever clause of a stack holds, so that the verifier cannot tell by the time that it takes,
    /// which is then more than twice as long
    #[arg(long)]
    pub(crate) fixed_work: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) public: Public,
    /// Verify the proof in this file, by limbo, instead of talking to a prover
    #[arg(long, value_name = "FILE", conflicts_with_all = ["listen", "connect", "insecure_plaintext"])]
    pub(crate) proof: Option<PathBuf>,
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
    #[arg(long, value_name = "ADDR", conflicts_with = "connect")]
    pub(crate) listen: Option<String>,
    /// Connect to the peer, again and again until it listens or --timeout has passed
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) connect: Option<String>,
    /// Use plain TCP beyond this machine. Whoever is on the path can then read and change what is sent: the private
    /// values stay hidden, but a verifier cannot know who proved to it, nor that nobody interfered
    #[arg(long)]
    pub(crate) insecure_plaintext: bool,
}

/// How to prove. Both sides must agree on all but the timeout, the threads and the security asked for (but by limbo, over
/// a link, and by the buckets of wolverine that too); where one leaves --vole to auto, the other's choice counts.
#[derive(Args)]
pub(crate) struct Protocol {
    /// The proof system: quicksilver, wolverine, limbo, which also makes files, or over f2 jko and stack, which garble
    /// circuits; --help says what they are for [default: quicksilver; limbo for files; of the benches jko, stack, limbo
    /// and wolverine those]
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
    /// have no 100 to give; 100 over others; limbo: 40 over a link, 128 in a file, which has to have 100; wolverine: 40,
    /// from which the size of its buckets follows]
    #[arg(long, value_name = "BITS", allow_negative_numbers = true)]
    pub(crate) security: Option<String>,
    /// Insist that gates are one-way, with challenges from the transcript and none from the verifier; over f61,
    /// goldilocks, q32 and f65537 whoever proves could search for a transcript with convenient ones, and it is refused, as
    /// it is by the sacrifice of wolverine, whose buckets then are those of 128 bits
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
    #[command(flatten)]
    pub(crate) simulation: Simulation,
    #[command(flatten)]
    pub(crate) checking: Checking,
    /// Threads of this party, which garble the clauses of stack and share the repetitions of limbo; other systems have one
    #[arg(long, value_name = "T", default_value = "1", allow_negative_numbers = true)]
    pub(crate) threads: String,
    /// The longest wait for the peer, at any point; the first also covers the time that the peer takes to check its own
    /// statement before it connects, and by jko and stack the last the time that the prover takes to garble once more
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

/// The name of the first of `options` that was given, if any was.
fn named(options: &[(&'static str, &Option<String>)]) -> Option<&'static str> {
    options.iter().find_map(|(name, given)| given.as_ref().map(|_| *name))
}
