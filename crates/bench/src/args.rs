//! Options of `volery bench`.

use clap::Parser;
use std::path::PathBuf;
use volery_cli::args::{Output, Protocol};
use volery_cli::failure::{Failure, Result};
use volery_cli::settings::AUTO;

/// Multiplications of a generated circuit, where none are given.
pub(crate) const GATES: u64 = 10_000_000;

const EXAMPLES: &str = "\
Examples:
  volery bench boolean --gates 100000000 --json
  volery bench boolean --gates 100000000 --bandwidth 50 --latency 20
  volery bench boolean --gates 100000000 --vole mid --replay --threads 2
  volery bench boolean --gates 100000000 --lanes 1024 --vole mid --threads 4
  volery bench sha256 --repeat 10
  volery bench arithmetic --field f61x2 --vole mid
  volery bench inner-product --length 100000000 --field f2
  volery bench matmul --size 1024 --bandwidth 500
  volery bench convert --bits 32 --kind to-bits
  volery bench sis --kind binary
  volery bench holes --kind multiplication
  volery bench merkle --depth 16
  volery bench snippets --count 1000 --system stack
  volery bench stack --clauses 15 --bandwidth 1000 --latency 2
  volery bench branches --clauses 64 --gates 100000
  volery bench wolverine --field f61 --checked-by interpolation
  volery bench boolean --system wolverine --inputs 1000000
  volery bench shards --gates 100000000 --shards 4 --simulate
  volery bench limbo --statement random --gates 1000000 --parties 16 --interactive
  volery bench voleith --length 2048 --kind holes --prefer speed
  volery bench program --length 100000
  volery bench vole-f2 --vole mid
  volery bench vole-f61 --bandwidth 100
  volery bench tables --only wolverine-table3 --only quicksilver
  volery bench tables --write docs --only boolean
  volery bench threads --budget 100
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
By wolverine `checked_by`, `block`, `bucket`, `opened` and `blocks` say how
multiplications were checked: the most at a time, the products that each had in
its bucket and those that were opened in the longest block, and the blocks. Its
bench has what one input or gate sends after the set-up, as `bits_per_gate` over
f2, `elements_per_gate` over other fields and `bytes_per_gate`, and the same of
the same circuit by quicksilver, over the same correlations, in `quicksilver`.
Of branches, `one_clause` has the seconds and bytes of one clause alone, set-up
included, and how many times as much all of them take; of several claims
`each_claim` has those of each, and of one claim alone.
By limbo and voleith `prover` and `verifier` are the seconds that each works,
and `proof_bytes` is one proof. Files of 4 MiB stay in memory, and what is
longer goes through a temporary file.

`tables` reruns what the papers report, 20 minutes or so in all, each row in a
process of its own, and writes tables.json, tables.md and plots in SVG to --out,
after each table. A row that fails is told there, and the others go on; the exit
code is then that of the first. A row runs no more once it took 20 seconds.

With --write it runs the tables of the pages in that folder instead, and writes
them: what was measured goes to figures.json there, and from that to the pages,
after each row. --budget 0 measures nothing, and writes the pages anew. `threads`
prints its tables, or with --write writes its page. Each row runs once before any
runs again, and what asks for more cores than there are is left out. Both end
with what is worse by more than a quarter than the papers' figures, or than it
was before on the same machine.

With --replay each party runs once more, alone, against a record of what the
other one sent under the same seeds: its whole work, but for the system's calls
that move bytes. `alone` has its seconds and its speed; all else is the
verifier's, alone too. This is how --threads is measured where both parties
would share the cores.

--bandwidth and --latency shape the loopback link by itself, without the
system's help. The rate is that of payload; loss and the growing window of TCP
are not modelled.";

/// Measure both parties on this machine, over loopback TCP
#[derive(Parser)]
#[command(name = "volery bench", version, after_help = EXAMPLES)]
pub(crate) struct Typed {
    /// The name of the measurement; --list shows what there is
    #[arg(required_unless_present = "list")]
    pub(crate) name: Option<String>,
    /// List what there is to measure
    #[arg(long)]
    pub(crate) list: bool,
    /// The multiplications of `boolean`, `arithmetic` and `wolverine` [default: 10000000, but 1000 with
    /// --inputs], of `jko` and the random statement of `limbo` [default: 10000000], of a clause of `stack`
    /// [default: 500000] and of `branches` [default: 100000], of all `shards` [default: 10000000], the correlations of `vole-f2` [default: 100000000] and `vole-f61` [default:
    /// 10000000]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) gates: Option<String>,
    /// Private values that `boolean`, `arithmetic` and `wolverine` have before those gates, with a public sum
    /// [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) inputs: Option<String>,
    /// Lanes in which the gates of `boolean` and `arithmetic` stand, as a function that is called on each and depends on no
    /// other, so that --threads share the work of them [default: one network, gate by gate]; instances of `sha256`, and
    /// leaves of `merkle`, that are hashed together: a graphics processor wants tens of thousands
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) lanes: Option<String>,
    /// The length of the vectors of `inner-product` [default: 1000000], of the message of `voleith` in
    /// bytes [default: 55], of the response of `web` [default: 2048], and of the private input of `program`
    /// [default: 65536; without --public-control 8192]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) length: Option<String>,
    /// The rows and columns of the matrices of `matmul` [default: 1024, but 128 by --kind gates]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) size: Option<String>,
    /// The depth of the tree of `merkle` [default: 8], and of the trees of `merkle-membership` [default: 26]
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    pub(crate) depth: Option<String>,
    /// The entries of `sis`: ternary, binary [default: ternary]; how `matmul` multiplies: random,
    /// inner-product, gates [default: random, but gates by wolverine]; the circuit of `holes`: sha256,
    /// multiplication [default: sha256]; of `merkle`: gates, holes [default: holes by quicksilver, else
    /// gates], and of the message of `voleith` [default: gates]; how `web` states ciphers: gates, mixed, holes
    /// [default: gates]; what `convert` does: to-number, to-bits
    /// [default: to-number]
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// The cipher suite of `web`: TLS_AES_128_GCM_SHA256, TLS_CHACHA20_POLY1305_SHA256 [default: the first]
    #[arg(long, value_name = "NAME")]
    pub(crate) suite: Option<String>,
    /// The blocks, or multiplications, of `holes` [default: 100, 10000]; the pieces of code of `snippets`
    /// [default: 4]; the words of `convert` [default: 1048576]; the claims of `branches`, and the
    /// preimages of `sha256` [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) count: Option<String>,
    /// The cells of the memory of `ram` [default: 1048576], the rows of the table of `lookup`, where there is
    /// one [default: ranges instead]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) words: Option<String>,
    /// The accesses of `ram` [default: 4194304], the lookups of `lookup` [default: 1048576]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) accesses: Option<String>,
    /// The bits of a word of `ram` over F_2 [default: 32], of a number of `lookup` or of a word of `convert`
    /// [default: 32, or the most]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) bits: Option<String>,
    /// The statement of `limbo` and `voleith`: sha256, random [default: sha256, but random with --gates]
    #[arg(long, value_name = "KIND")]
    pub(crate) statement: Option<String>,
    /// Prove `limbo` over the link, where a verifier tosses coins, not by a file
    #[arg(long)]
    pub(crate) interactive: bool,
    /// The shards of `shards` [default: 8]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) shards: Option<String>,
    /// The time of many pairs of workers, by a model, for what `shards` measures
    #[arg(long)]
    pub(crate) simulate: bool,
    /// The program of `program`, which takes private bytes that are random [default: SHA-256 in C]
    #[arg(long, value_name = "FILE")]
    pub(crate) elf: Option<PathBuf>,
    /// The file of the quantised network of `network`
    #[arg(long, value_name = "FILE")]
    pub(crate) network: Option<PathBuf>,
    /// `program` with branches and addresses that both parties know
    #[arg(long)]
    pub(crate) public_control: bool,
    /// The clauses of `stack` [default: 15] and of `branches` [default: 64]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) clauses: Option<String>,
    /// Prove the same statement so often, on one set-up; of `tables` and `threads` run each row so often, for
    /// the best [default: 1; of these two 3, of the papers' tables with --quick 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) repeat: Option<String>,
    /// Let no more than this through the link, in each direction; auto chooses by it too
    #[arg(long, value_name = "MBPS", allow_negative_numbers = true)]
    pub(crate) bandwidth: Option<String>,
    /// Delay what goes through the link by this, in each direction
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub(crate) latency: Option<String>,
    /// Measure over a link by TLS, the handshake of which is not counted
    #[arg(long, conflicts_with_all = ["bandwidth", "latency"])]
    pub(crate) tls: bool,
    /// Repeat each party once more, alone, against a record of the other
    #[arg(long)]
    pub(crate) replay: bool,
    /// The folder in which `tables` writes [default: volery-tables]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Run these `tables` only, by a name such as wolverine-table3, or all of a paper, such as wolverine; of
    /// `threads` both, prover or verifier, as threads-both; may be repeated
    #[arg(long, value_name = "ID")]
    pub(crate) only: Vec<String>,
    /// Run the tables of the pages in this folder, such as docs, in the place of the papers', and write them
    /// there, with commit, machine and day; of `threads`, write its page
    #[arg(long, value_name = "DIR")]
    pub(crate) write: Option<PathBuf>,
    /// The commit of this program, for --write [default: what git tells of the folder, with a + where sources
    /// were changed since]
    #[arg(long, value_name = "ID")]
    pub(crate) commit: Option<String>,
    /// Begin no row of `threads`, or of pages, that would end later than so many seconds from now
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) budget: Option<String>,
    /// Run `tables` and `threads` at tiny sizes, to see that all works: the figures say nothing of speed
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

impl Typed {
    /// The names of the options that were given, of those that some benches have and others not.
    pub(crate) fn of_one_bench(&self) -> Vec<&'static str> {
        those(&[
            ("--gates", self.gates.is_some()),
            ("--inputs", self.inputs.is_some()),
            ("--lanes", self.lanes.is_some()),
            ("--length", self.length.is_some()),
            ("--size", self.size.is_some()),
            ("--depth", self.depth.is_some()),
            ("--kind", self.kind.is_some()),
            ("--suite", self.suite.is_some()),
            ("--count", self.count.is_some()),
            ("--clauses", self.clauses.is_some()),
            ("--shards", self.shards.is_some()),
            ("--simulate", self.simulate),
            ("--words", self.words.is_some()),
            ("--accesses", self.accesses.is_some()),
            ("--bits", self.bits.is_some()),
            ("--statement", self.statement.is_some()),
            ("--interactive", self.interactive),
            ("--out", self.out.is_some()),
            ("--elf", self.elf.is_some()),
            ("--network", self.network.is_some()),
            ("--public-control", self.public_control),
            ("--only", !self.only.is_empty()),
            ("--write", self.write.is_some()),
            ("--commit", self.commit.is_some()),
            ("--budget", self.budget.is_some()),
            ("--quick", self.quick),
            ("--large", self.large),
        ])
    }

    /// The options that were given of links and proofs.
    pub(crate) fn of_links_and_proofs(&self) -> Vec<&'static str> {
        let Protocol { field, system, vole, security, non_interactive, gate_hash, seeds, threads, .. } =
            &self.protocol;
        let insecure_parameters = self.protocol.insecure_parameters;
        let given = [self.protocol.simulation.given(), self.protocol.checking.given()];
        let mut names = those(&[
            ("--bandwidth", self.bandwidth.is_some()),
            ("--latency", self.latency.is_some()),
            ("--tls", self.tls),
            ("--replay", self.replay),
            ("--field", field.is_some()),
            ("--system", system.is_some()),
            ("--vole", vole != AUTO),
            ("--security", security.is_some()),
            ("--insecure-parameters", insecure_parameters),
            ("--non-interactive", *non_interactive),
            ("--gate-hash", gate_hash.is_some()),
            ("--seeds", seeds.is_some()),
            ("--threads", threads.is_some()),
            ("--device", self.protocol.device != "cpu"),
            ("--device-memory", self.protocol.device_memory != "8192"),
            ("--wave", self.protocol.wave.is_some()),
        ]);
        names.extend(given.into_iter().flatten());
        names
    }

    /// The number of --repeat, or this where it is not given.
    pub(crate) fn repeat(&self, otherwise: u32) -> Result<u32> {
        let repeat = size("--repeat", self.repeat.as_deref(), otherwise.into())?;
        let repeat = u32::try_from(repeat).ok().filter(|repeat| *repeat > 0);
        repeat.ok_or_else(|| Failure::usage("--repeat: write a number from 1 to 4294967295"))
    }
}

/// The names beside which it is true.
fn those(options: &[(&'static str, bool)]) -> Vec<&'static str> {
    options.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect()
}

/// A number of things: decimal digits, with `_` between them where wanted.
pub(crate) fn number(option: &str, text: &str) -> Result<u64> {
    let digits = text.replace('_', "");
    let number = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()));
    number.ok_or_else(|| Failure::usage(format_args!("{option}: write a whole number, such as 10000000")))
}

/// The number of an option of size, or this where it is not given.
pub(crate) fn size(option: &str, typed: Option<&str>, otherwise: u64) -> Result<u64> {
    typed.map_or(Ok(otherwise), |text| number(option, text))
}

/// The failure of a number of gates.
pub(crate) fn of_gates(why: volery::Error) -> Failure {
    Failure::from(why).at("--gates")
}
