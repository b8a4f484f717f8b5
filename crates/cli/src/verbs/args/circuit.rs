//! Options of `volery circuit`.

use clap::{Args, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

const EXPORT: &str = "\
Inputs and outputs are those that `volery circuit info` lists, in that order,
with bit i of each on its wire i: values are given to the file as to the
relation, in Bristol Fashion by the names in0, in1, … and out0, out1, …, and in
AIGER and BLIF by its own. An input that has to be public is an input like
others. A circuit with latches is written as the steps that it runs.

What a statement asserts by itself are constraints in AIGER. In the others it
is one output more, behind the others and only where there is such an
assertion: all its bits have to be zero. SIEVE text has no outputs: its public
stream are the inputs that have to be public and then all outputs, which are
asserted, and its private stream all other inputs.

Statements of polynomials (inner-product, matmul, holes=1) are not made of
gates, and are refused. The file of one block of SHA-256 has 3 MB.

Example:
  volery circuit export 'builtin:sha256-preimage?length=3' --out sha256.txt
  volery check --relation sha256.txt --private in0=text:abc \\
    --public out0=0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

const EVAL: &str = "\
Of an `.r1cs` file of circom, modulo a prime that proofs are over, --witness is
checked against every constraint, and what comes out are the public signals in
decimal digits, outputs first. Of a witness that does not fit, the first
constraint that fails is named.

Examples:
  volery circuit eval 'builtin:merkle-root?depth=3' --input leaves=@leaves.bin
  volery circuit eval x.r1cs --witness x.wtns --symbols x.sym";

#[derive(Subcommand)]
pub(crate) enum CircuitVerb {
    /// Gates by kind, inputs, outputs, depth, and what a proof would send
    Info(Info),
    /// The outputs of a relation over f2, where all its inputs are given, or of a witness of circom
    #[command(after_help = EVAL)]
    Eval(Eval),
    /// Write a relation over f2 as a circuit file, or a file in another format
    #[command(after_help = EXPORT, visible_alias = "convert")]
    Export(Export),
    /// The built-in statements, with their keys and the defaults of these
    List(List),
}

#[derive(Args)]
pub(crate) struct Eval {
    /// A circuit file, behind whose name may stand ?key=value, or builtin:NAME?key=value
    pub(crate) relation: String,
    /// The format of the file: bristol-fashion, bristol, aiger, blif, sieve, r1cs [default: as its content
    /// shows]
    #[arg(long)]
    pub(crate) format: Option<String>,
    /// The value of an input, public or private, or a file of them, as for `prove`; may be repeated
    #[arg(long, value_name = "NAME=VALUE|FILE")]
    pub(crate) input: Vec<OsString>,
    /// The witness, `.wtns`, of a relation that is an `.r1cs` file; of several instances one for each
    #[arg(long, value_name = "FILE")]
    pub(crate) witness: Vec<PathBuf>,
    /// The names of its signals, `.sym`
    #[arg(long, value_name = "FILE")]
    pub(crate) symbols: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct Export {
    /// A circuit file, behind whose name may stand ?key=value, or builtin:NAME?key=value
    pub(crate) relation: String,
    /// The format to write: bristol-fashion, aiger, aag (AIGER in text), blif, sieve; of an `.r1cs` file sieve
    #[arg(long, visible_alias = "to", default_value = "bristol-fashion")]
    pub(crate) format: String,
    /// The file to write, which appears once it is whole [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Replace the file of that name, if there is one
    #[arg(long, requires = "out")]
    pub(crate) force: bool,
    /// A witness, `.wtns`, of an `.r1cs` file: its values are written beside --out, public ones as .type0.ins and
    /// private ones as .type0.wit
    #[arg(long, value_name = "FILE", requires = "out")]
    pub(crate) witness: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct List {
    /// Relations over this field only, which is one of `prove`
    #[arg(long)]
    pub(crate) field: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct Info {
    /// A circuit file, behind whose name may stand ?key=value, or builtin:NAME?key=value
    pub(crate) relation: String,
    /// The format of the file: bristol-fashion, bristol, aiger, blif, r1cs [default: as its
    /// content shows]
    #[arg(long)]
    pub(crate) format: Option<String>,
    /// The field of the relation, as for `prove` [default: that of a file, or f2]
    #[arg(long)]
    pub(crate) field: Option<String>,
    /// The names of signals, `.sym` of circom, where the relation is an `.r1cs` file
    #[arg(long, value_name = "FILE")]
    pub(crate) symbols: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
