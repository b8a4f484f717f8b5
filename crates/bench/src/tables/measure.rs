//! The figures of a bench that are compared, each in one unit.

use serde_json::Value;
use volery_cli::print::{count, human, seconds};

/// The quantity that is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Seconds from the handshake to the verdict, and from the start of the process.
    Time,
    WholeTime,
    Setup,
    Online,
    /// Seconds that committing to the witness takes, and those that the rest takes, after the set-up.
    Committing,
    Proving,
    /// Bytes in both directions, and those of them after the set-up, and in it.
    Bytes,
    OnlineBytes,
    SetupBytes,
    /// Multiplications per second after the set-up.
    Rate,
    /// Seconds after the set-up for each multiplication, and for each element of the witness.
    PerMultiplication,
    PerInput,
    /// Accesses and lookups per second after the set-up.
    AccessRate,
    LookupRate,
    /// Conversions per second after the set-up.
    ConversionRate,
    /// Preimages, and compressions of a tree, per second after the set-up.
    PreimageRate,
    CompressionRate,
    /// Instructions per second after the set-up, and bytes in both directions for each.
    CycleRate,
    BytesPerCycle,
    /// Bits in both directions after the set-up, for each multiplication, and bytes.
    BitsPerMultiplication,
    BytesPerMultiplication,
    /// Bytes in both directions after the set-up, for each access, lookup and conversion.
    BytesPerAccess,
    BytesPerLookup,
    BytesPerConversion,
    /// Seconds after the set-up for each of --count.
    PerCount,
    /// Seconds and bits for each correlation, after the set-up and with it.
    PerCorrelation,
    BitsPerCorrelation,
    WholePerCorrelation,
    WholeBitsPerCorrelation,
    /// The most bytes of memory that both parties held.
    Memory,
    /// Seconds that the prover worked, and the verifier, and the bytes of the proof, where parties are
    /// simulated.
    Prover,
    Verifier,
    ProofBytes,
    /// Seconds after the set-up of a party alone, with a record of the other.
    ProverAlone,
    VerifierAlone,
    /// Times as long as one clause alone takes, and times as many bytes.
    ClausesInTime,
    ClausesInBytes,
    /// Seconds of processors of both parties for each multiplication in shards, times as long as in one shard, and
    /// the longest set-up of a shard.
    ProcessorTime,
    ShardsInTime,
    ShardSetup,
    ShardSetupBytes,
}

use Measure::*;

impl Measure {
    pub(super) fn name(self) -> &'static str {
        match self {
            Time => "time",
            WholeTime => "time of the process",
            Setup => "set-up",
            Online => "time after the set-up",
            Committing => "committing to the witness",
            Proving => "proving, beside that",
            Bytes => "bytes",
            OnlineBytes => "bytes after the set-up",
            SetupBytes => "bytes of the set-up",
            Rate => "multiplications/s",
            AccessRate => "accesses/s",
            LookupRate => "lookups/s",
            ConversionRate => "conversions/s",
            PreimageRate => "preimages/s",
            CompressionRate => "compressions/s",
            CycleRate => "cycles/s",
            BytesPerCycle => "bytes for each cycle",
            PerMultiplication => "time for each multiplication",
            PerInput => "time for each element of the witness",
            BitsPerMultiplication => "bits for each multiplication",
            BytesPerMultiplication => "bytes for each multiplication",
            BytesPerAccess => "bytes for each access",
            BytesPerLookup => "bytes for each lookup",
            BytesPerConversion => "bytes for each conversion",
            PerCount => "time for each",
            PerCorrelation => "time for each correlation",
            BitsPerCorrelation => "bits for each correlation",
            WholePerCorrelation => "time for each, with the set-up",
            WholeBitsPerCorrelation => "bits for each, with the set-up",
            Memory => "memory",
            Prover => "prover",
            Verifier => "verifier",
            ProofBytes => "bytes of the proof",
            ProverAlone => "prover alone",
            VerifierAlone => "verifier alone",
            ClausesInTime => "times the time of one clause",
            ClausesInBytes => "times the bytes of one clause",
            ProcessorTime => "processor time for each multiplication",
            ShardsInTime => "times the processor time of one shard",
            ShardSetup => "set-up of a shard",
            ShardSetupBytes => "bytes of the set-up of a shard",
        }
    }

    pub(super) fn unit(self) -> &'static str {
        match self {
            Bytes | OnlineBytes | SetupBytes | BytesPerCycle | Memory | ProofBytes => "bytes",
            BytesPerMultiplication | BytesPerAccess | BytesPerLookup | BytesPerConversion => "bytes",
            Rate | AccessRate | LookupRate | CycleRate => "1/s",
            ConversionRate | PreimageRate | CompressionRate => "1/s",
            ShardSetupBytes => "bytes",
            ClausesInTime | ClausesInBytes | ShardsInTime => "times",
            BitsPerMultiplication | BitsPerCorrelation | WholeBitsPerCorrelation => "bits",
            _ => "seconds",
        }
    }

    /// The value of the quantity in the object of a bench.
    pub fn of(self, run: &Value) -> Option<f64> {
        let number = |pointer: &str| run.pointer(pointer).and_then(Value::as_f64);
        let each = |all: &str, of: &str| Some(number(all)? / number(of).filter(|count| *count > 0.0)?);
        let share = |of: &str| each("/seconds/online", of);
        let rate = |of: &str| each(of, "/seconds/online");
        match self {
            Time => Some(number("/seconds/setup")? + number("/seconds/online")?),
            WholeTime => number("/seconds/total"),
            Setup => number("/seconds/setup"),
            Online => number("/seconds/online"),
            Committing => Some(number("/seconds/online")? - number("/beyond_committing")?),
            Proving => number("/beyond_committing"),
            Bytes => Some(number("/bytes/sent")? + number("/bytes/received")?),
            OnlineBytes => number("/online_bytes"),
            SetupBytes => Some(Bytes.of(run)? - number("/online_bytes")?),
            Rate => number("/mul_gates_per_second"),
            AccessRate => number("/accesses_per_second"),
            LookupRate => number("/lookups_per_second"),
            ConversionRate => number("/conversions_per_second"),
            PreimageRate => rate("/parameters/count"),
            CompressionRate => number("/compressions_per_second"),
            CycleRate => number("/cycles_per_second"),
            BytesPerCycle => number("/bytes_per_cycle"),
            PerMultiplication => share("/gates/mul"),
            PerInput => share("/inputs"),
            BitsPerMultiplication => Some(8.0 * BytesPerMultiplication.of(run)?),
            BytesPerMultiplication => each("/online_bytes", "/gates/mul"),
            BytesPerAccess => each("/online_bytes", "/accesses"),
            BytesPerLookup => each("/online_bytes", "/lookups"),
            BytesPerConversion => number("/bytes_per_conversion"),
            PerCount => share("/parameters/count"),
            PerCorrelation => Some(1e-9 * number("/nanoseconds_per_correlation")?),
            BitsPerCorrelation => number("/bits_per_correlation"),
            WholePerCorrelation => Some(1e-9 * number("/with_setup/nanoseconds_per_correlation")?),
            WholeBitsPerCorrelation => number("/with_setup/bits_per_correlation"),
            Memory => number("/peak_rss_bytes"),
            Prover => number("/seconds/prover"),
            Verifier => number("/seconds/verifier"),
            ProofBytes => number("/proof_bytes"),
            ProverAlone => number("/alone/prover/online"),
            VerifierAlone => number("/alone/verifier/online"),
            ClausesInTime => number("/one_clause/times_as_long"),
            ClausesInBytes => number("/one_clause/times_as_many_bytes"),
            ProcessorTime => Some(1e-9 * number("/cpu_nanoseconds_per_gate")?),
            ShardsInTime => number("/cpu_ratio"),
            ShardSetup => number("/setup_of_a_shard"),
            ShardSetupBytes => number("/setup_bytes_of_a_shard"),
        }
    }

    /// The value in words, for people.
    pub fn text(self, value: f64) -> String {
        match self.unit() {
            "bytes" => format!("{}B", human(value)),
            "1/s" => format!("{}/s", count(value)),
            "bits" => format!("{value:.2} bits"),
            "times" => format!("{value:.2} times"),
            _ => seconds(value),
        }
    }

    /// The value in words, under a heading that names its unit where that is no time, and not bytes in all.
    pub(super) fn cell(self, value: f64) -> String {
        match self {
            BytesPerMultiplication | BytesPerAccess | BytesPerLookup | BytesPerConversion | BytesPerCycle => {
                count(value)
            }
            _ if self.unit() == "1/s" => count(value),
            _ => self.text(value),
        }
    }

    /// How many times `ours` is better than `theirs`; below 1 where it is worse.
    pub fn better_by(self, ours: f64, theirs: f64) -> Option<f64> {
        let ratio = if self.unit() == "1/s" { ours / theirs } else { theirs / ours };
        ratio.is_finite().then_some(ratio)
    }
}
