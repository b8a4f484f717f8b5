//! The figures of a bench that are compared, each in one unit.

use serde_json::Value;
use volery_cli::print::{count, human, seconds};

/// The quantity that is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Seconds from the handshake to the verdict.
    Time,
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
    /// Instructions per second after the set-up, and bytes in both directions for each.
    CycleRate,
    BytesPerCycle,
    /// Bits in both directions after the set-up, for each multiplication.
    BitsPerMultiplication,
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
}

use Measure::*;

impl Measure {
    pub(super) fn name(self) -> &'static str {
        match self {
            Time => "time",
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
            CycleRate => "cycles/s",
            BytesPerCycle => "bytes for each cycle",
            PerMultiplication => "time for each multiplication",
            PerInput => "time for each element of the witness",
            BitsPerMultiplication => "bits for each multiplication",
            PerCorrelation => "time for each correlation",
            BitsPerCorrelation => "bits for each correlation",
            WholePerCorrelation => "time for each, with the set-up",
            WholeBitsPerCorrelation => "bits for each, with the set-up",
            Memory => "memory",
            Prover => "prover",
            Verifier => "verifier",
            ProofBytes => "bytes of the proof",
        }
    }

    pub(super) fn unit(self) -> &'static str {
        match self {
            Bytes | OnlineBytes | SetupBytes | BytesPerCycle | Memory | ProofBytes => "bytes",
            Rate | AccessRate | LookupRate | CycleRate => "1/s",
            BitsPerMultiplication | BitsPerCorrelation | WholeBitsPerCorrelation => "bits",
            _ => "seconds",
        }
    }

    /// The value of the quantity in the object of a bench.
    pub fn of(self, run: &Value) -> Option<f64> {
        let number = |pointer: &str| run.pointer(pointer).and_then(Value::as_f64);
        let share = |of: &str| Some(number("/seconds/online")? / number(of).filter(|count| *count > 0.0)?);
        match self {
            Time => Some(number("/seconds/setup")? + number("/seconds/online")?),
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
            CycleRate => number("/cycles_per_second"),
            BytesPerCycle => number("/bytes_per_cycle"),
            PerMultiplication => share("/gates/mul"),
            PerInput => share("/inputs"),
            BitsPerMultiplication => {
                Some(8.0 * number("/online_bytes")? / number("/gates/mul").filter(|count| *count > 0.0)?)
            }
            PerCorrelation => Some(1e-9 * number("/nanoseconds_per_correlation")?),
            BitsPerCorrelation => number("/bits_per_correlation"),
            WholePerCorrelation => Some(1e-9 * number("/with_setup/nanoseconds_per_correlation")?),
            WholeBitsPerCorrelation => number("/with_setup/bits_per_correlation"),
            Memory => number("/peak_rss_bytes"),
            Prover => number("/seconds/prover"),
            Verifier => number("/seconds/verifier"),
            ProofBytes => number("/proof_bytes"),
        }
    }

    /// The value in words, for people.
    pub fn text(self, value: f64) -> String {
        match self.unit() {
            "bytes" => format!("{}B", human(value)),
            "1/s" => format!("{}/s", count(value)),
            "bits" => format!("{value:.2} bits"),
            _ => seconds(value),
        }
    }

    /// How many times `ours` is better than `theirs`; below 1 where it is worse.
    pub fn better_by(self, ours: f64, theirs: f64) -> Option<f64> {
        let ratio = if self.unit() == "1/s" { ours / theirs } else { theirs / ours };
        ratio.is_finite().then_some(ratio)
    }
}
