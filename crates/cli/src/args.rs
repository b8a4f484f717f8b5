//! Options that both programs have in common, as they are typed. Their meaning is decided in
//! [`crate::settings`].

mod checking;
mod simulation;

pub use checking::Checking;
pub use simulation::Simulation;

use clap::Args;

const SYSTEM: &str = "\
The proof system:
  quicksilver  commitments by correlations, over any --field: the least traffic
               for a single statement, and of several clauses that of the
               largest
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
               are 5 to 40, and no set-up; also a proof that is a file, by --out and
               --proof, which anyone can verify at any time
  voleith      the commitments of quicksilver in a file, over f2: 9 to 15 bits for
               each multiplication, by --prefer or --trees

Other systems than stack prove several relations as one circuit of all.
quicksilver is the default, but of the benches jko, stack, limbo, voleith and
wolverine; for files voleith over f2, and over other fields, for more than 124
bits of security, or where its parties are spoken of, limbo.";

const VOLE: &str = "\
Where correlated randomness comes from; auto takes what the peer asks for, or
what is fastest for the size of the statement, the two machines and the link.
Those further down send less, and have a longer set-up.

Over f2, with bits of traffic for each multiplication:
  softspoken4  31
  softspoken8  15
  tiny         14
  small        8
  l2           4
  mid          1.3
  wan          0.4

Over f2x64:
  softspoken4  15
  softspoken8  7
  tiny         16
  l2           5
  mid          1.5
  wan          0.5

Over other fields, with bits for each multiplication beside the value itself:
  direct       about 490 bytes each over f61: for the smallest statements
  tiny         16
  l2           5
  mid          1.5
  wan          0.5

That is for quicksilver, with a correlation for each multiplication. Wolverine
takes several, and so many times as much.";

/// How to prove. Both sides must agree on all but the timeout, the threads and the security asked for (but by
/// limbo, over a link, and by the buckets of wolverine that too); where one leaves --vole to auto, the
/// other's choice counts.
#[derive(Args, Clone)]
pub struct Protocol {
    /// The proof system: quicksilver, wolverine, limbo, which also makes files, or over f2 jko and stack,
    /// which garble circuits, and voleith for files; --help says what they are for [default: quicksilver; for
    /// files voleith over f2, and limbo over others; of the benches jko, stack, limbo, voleith and wolverine
    /// those]
    #[arg(long, long_help = SYSTEM)]
    pub system: Option<String>,
    /// The field of the statement: f2, f2x64, f61 (2^61 - 1), f61x2, goldilocks (2^64 - 2^32 + 1),
    /// goldilocksx2, q32 (2^32 - 5), f65537, f256, the scalar field of a curve, bn254 or bls12-381, or in
    /// decimal digits any prime below 2^256; x2 has MACs in an extension of degree two, and more security;
    /// f2x64 has MACs of 64 bits, less security and less work. It and primes in digits are by quicksilver
    /// alone [default: that of a file, or f2; of some benches f61 or q32]
    #[arg(long)]
    pub field: Option<String>,
    /// The source of correlated randomness; auto takes what the peer asks for, or what is fastest for the
    /// size of the statement, the two machines and the link. --help lists them
    #[arg(long, default_value = "auto", long_help = VOLE)]
    pub vole: String,
    /// Refuse to run with fewer bits of statistical security [default: 40 over f2x64, f61, goldilocks, q32, f65537
    /// and modulo primes from 2^61 to 2^120, which have no 100 to give; 100 over others; limbo: 40 over a
    /// link, 128 in a file, which has to have 100; voleith: 120, of 124 that there are; wolverine: 40, from
    /// which the size of its buckets follows]
    #[arg(long, value_name = "BITS", allow_negative_numbers = true)]
    pub security: Option<String>,
    /// Let --security be less than 40 bits, by which a proof convinces nobody: for tests and measurements.
    /// What is printed says so
    #[arg(long)]
    pub insecure_parameters: bool,
    /// Insist that gates are one-way, with challenges from the transcript and none from the verifier; over
    /// f2x64, f61, goldilocks, q32, f65537 and modulo primes from 2^61 to 2^120 whoever proves could search for a
    /// transcript with convenient ones, and it is refused, as it is by the sacrifice of wolverine, whose
    /// buckets then are those of 128 bits
    #[arg(long)]
    pub non_interactive: bool,
    /// The hash of the gates of jko and stack: mitccrh, with a key for each gate, or tmmo, with one for all
    /// and two calls of AES [default: mitccrh]
    #[arg(long, value_name = "HASH")]
    pub gate_hash: Option<String>,
    /// How stack transfers the seeds of the clauses: tree, by a transfer for each level of a tree of them, or
    /// each, by one for each clause [default: tree]
    #[arg(long)]
    pub seeds: Option<String>,
    /// How parties are simulated.
    #[command(flatten)]
    pub simulation: Simulation,
    /// How products are checked.
    #[command(flatten)]
    pub checking: Checking,
    /// Threads that share the work of this party, whatever the peer has; jko has no work to share [default: as
    /// many as this machine runs at once; where both parties run here, two less]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub threads: Option<String>,
    /// The device that walks over functions on many lanes, over f2 and f61 by quicksilver and learning parity with noise: cpu;
    /// gpu, or gpu:N for card number N of those that doctor lists; auto for a card where there is one
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub device: String,
    /// The most memory that is taken of a graphics processor, in MB
    #[arg(long, value_name = "MB", default_value = "8192", allow_negative_numbers = true)]
    pub device_memory: String,
    /// The most lanes of a function that are walked over together, a power of two from 64 to 65536; both parties take
    /// the fewer of theirs [default: what suits the device of either]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub wave: Option<String>,
    /// The longest wait for the peer, at any point; the first also covers the time that the peer takes to
    /// check its own statement before it connects, and by jko and stack the last the time that the prover
    /// takes to garble once more
    #[arg(long, value_name = "SECONDS", default_value = "60", allow_negative_numbers = true)]
    pub timeout: String,
}

impl Default for Protocol {
    /// The options where nothing is typed.
    fn default() -> Self {
        Self {
            system: None,
            field: None,
            vole: "auto".into(),
            security: None,
            insecure_parameters: false,
            non_interactive: false,
            gate_hash: None,
            seeds: None,
            simulation: Simulation::default(),
            checking: Checking::default(),
            threads: None,
            device: "cpu".into(),
            device_memory: "8192".into(),
            wave: None,
            timeout: "60".into(),
        }
    }
}

/// The form of the output.
#[derive(Args, Default)]
pub struct Output {
    /// Print one JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
    /// Print no progress
    #[arg(long)]
    pub quiet: bool,
}

/// The name of the first of `options` that was given, if any was.
fn named(options: &[(&'static str, &Option<String>)]) -> Option<&'static str> {
    options.iter().find_map(|(name, given)| given.as_ref().map(|_| *name))
}
