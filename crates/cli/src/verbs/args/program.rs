//! Options of runs of programs.

use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use volery_cli::args::Output;

pub(super) const PROGRAMS: &str = "\
A program is an ELF file for RV32IM, linked and static, as compilers write it by
-march=rv32im -mabi=ilp32; examples/programs has a header, a linker script and
programs in C, and docs/programs.md the way from there to a verdict. It reads
its private input from descriptor 0 and the public one from 3, and writes its
output to 1. Both parties know the program, the public input, the output and how
the run ends, by an exit code or a fault; how long it is, rounded up to 4096
rows; and with --public-control, its path and how much it reads of the private
input.

V is one of
  text:…  bytes as they stand
  0x…     bytes in hexadecimal digits, two each, the first byte first
  @PATH   all bytes of a file
  -       all bytes of standard input";

pub(super) const RUN: &str = "\
Exit code 0 means that the program has ended, however that was: its own exit
code, or the fault, is printed.

Examples:
  volery run --program sha256.elf --private-input text:abc
  volery run --program parser.elf --private-input @crash.bin --json
  volery run --program sha256.elf --private-input @secret --public-control";

/// The program, and what both parties know of its run.
#[derive(Args)]
pub(crate) struct Ways {
    /// The bytes that the program reads from descriptor 3 [default: nothing]
    #[arg(long, value_name = "V", requires = "program")]
    pub(crate) public_input: Option<OsString>,
    /// The most instructions of the run, and words that its calls move [default: 10^10, and 2^26 for who
    /// verifies]; of a proof without --public-control the rows, to which it is filled up, of which a verifier
    /// takes no more [default: as many as it takes, rounded up to 4096, and at most 2^26]
    #[arg(long, value_name = "N", requires = "program", allow_negative_numbers = true)]
    pub(crate) max_cycles: Option<String>,
    /// Bytes of memory behind the program's own, for its heap; K, M and G may stand behind [default: 32K]
    #[arg(long, value_name = "SIZE", requires = "program", allow_negative_numbers = true)]
    pub(crate) memory: Option<String>,
    /// Bytes of its stack, likewise [default: 64K]
    #[arg(long, value_name = "SIZE", requires = "program", allow_negative_numbers = true)]
    pub(crate) stack: Option<String>,
    /// The outcome of an access at an address that is no multiple of its width: fault, or emulate, by which
    /// it is done byte by byte
    #[arg(long, value_name = "HOW", requires = "program", default_value = "fault")]
    pub(crate) misaligned: String,
    /// Have no branch and no address depend on the private input: then both parties run the program together,
    /// and only what is done to secret values costs anything. Where one does, an error names the place
    #[arg(long, requires = "program")]
    pub(crate) public_control: bool,
}

/// The input that the prover alone knows.
#[derive(Args)]
pub(crate) struct PrivateInput {
    /// The bytes that the program reads from descriptor 0 [default: nothing]
    #[arg(long, value_name = "V", requires = "program")]
    pub(crate) private_input: Option<OsString>,
}

/// A run that is proved.
#[derive(Args)]
pub(crate) struct Proved {
    /// Prove a run of this program, in the place of a relation
    #[arg(long, value_name = "ELF", conflicts_with_all = NO_RELATION)]
    pub(crate) program: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) ways: Ways,
    /// How the run has to end: an exit code, any (which is then told), crash, or crash=KIND with illegal,
    /// fetch, load, store, misaligned, ebreak or self-modifying [default: 0]
    #[arg(long, value_name = "CODE", requires = "program", allow_negative_numbers = true)]
    pub(crate) exit: Option<String>,
    /// The bytes that the program has to write to descriptor 1 [default: anything; it is told once it is
    /// proved]
    #[arg(long, value_name = "V", requires = "program")]
    pub(crate) output: Option<OsString>,
}

/// A bound on what a prover of a run claims.
#[derive(Args)]
pub(crate) struct Claimed {
    /// The most bytes of private input that a prover may claim: each is work before anything is proved; K and
    /// M may stand behind [default: 1M]
    #[arg(long, value_name = "SIZE", requires = "public_control", allow_negative_numbers = true)]
    pub(crate) max_private_input: Option<String>,
}

/// The options that have no part in runs of programs.
const NO_RELATION: [&str; 4] = ["relation", "format", "public", "shard"];

#[derive(Args)]
pub(crate) struct Run {
    /// The program
    #[arg(long, value_name = "ELF", required = true)]
    pub(crate) program: PathBuf,
    #[command(flatten)]
    pub(crate) ways: Ways,
    #[command(flatten)]
    pub(crate) input: PrivateInput,
    /// Write a line for each instruction to this file, or to standard error where it is -
    #[arg(long, value_name = "FILE", conflicts_with = "profile")]
    pub(crate) trace: Option<PathBuf>,
    /// Count the instructions of each function
    #[arg(long)]
    pub(crate) profile: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}
