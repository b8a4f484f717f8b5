//! Options of a session.

use crate::correlations::Correlations;
use crate::device::Device;
use crate::file::MOST_WORK;
use crate::method::Method;
use crate::report::Report;
use crate::system::System;
use core::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use volery_channel::error::{Error, Rejection, Result};
use volery_circuit::Size;
use volery_primitives::Arch;

/// A function that keeps a verdict, and says whether it did: the report of a proof that is accepted, or why
/// one is not.
pub type Record = Arc<dyn Fn(Result<&Report, &Error>) -> Result<()> + Send + Sync>;

/// How to run proofs. Both parties must agree on the system and on `statement`, and on correlations where
/// both name some; the handshake sees to it.
#[derive(Clone)]
pub struct Options {
    /// The proof system, with what is its own to choose; `prove_over` runs QuickSilver,
    /// Limbo and Wolverine, and sessions of several statements QuickSilver and Wolverine.
    pub method: Method,
    /// A digest of the first statement: of the relation and its public values. Where `None`, the circuit is
    /// walked once more to make one of its gates. It must name the circuit: challenges bind it and nothing
    /// else of the statement.
    pub statement: Option<[u8; 32]>,
    /// The size of the first statement, by which correlations are chosen and soundness is bounded; counted
    /// where `None` and needed.
    pub size: Option<Size>,
    /// The correlations of a system that takes some; what the peer says, or what is fastest, where
    /// `None`. By name: the set of that name is the setting's.
    pub correlations: Option<Correlations>,
    /// The bandwidth of the link in Mbit/s each way, for that choice; measured where `None` and it matters.
    pub bandwidth: Option<f64>,
    /// Whether a prover of one of several clauses evaluates all of them before its first message, whichever holds,
    /// by a system that proves clauses: for a verifier that could tell by the time it takes. By a stack it is
    /// more than twice as much work.
    pub fixed_work: bool,
    /// The words of a file about its statement, public values among them: at most
    /// [`LONGEST_LABEL`](crate::file::LONGEST_LABEL) bytes. Whoever verifies must give the same, or nothing.
    pub label: String,
    /// The most that a file may ask of its verifier, in work and in memory: so many times what the parameters
    /// ask that are chosen where nobody wishes for any. A prover makes no file that asks for more.
    pub most_work: u32,
    /// The statistical security asked for, in bits; a run that offers less is refused. Where `None`, 40 over
    /// extensions of less than 2^120 elements and 100 over others; for Limbo 40 over a channel and 128 in a
    /// file, which set its parameters; for voleith 120; for Wolverine 40, for which buckets are as large as
    /// they must be: with them both parties must ask for the same.
    pub security: Option<u32>,
    /// Lets [`Options::security`] be less than [`LEAST_SECURITY`], by which a proof convinces nobody: for
    /// tests and measurements.
    pub insecure_parameters: bool,
    /// Insists that the challenges to gates come from the transcript, not from coins of the verifier; refused
    /// over extensions of less than 2^120 elements, for which they could be searched offline. Correlations
    /// still take messages of both parties. By Wolverine buckets are then as large as 128 bits take, and
    /// there is no sacrifice.
    pub non_interactive: bool,
    /// Whether the prover evaluates the circuit in the clear before it sends anything, which all but
    /// QuickSilver and Wolverine always do. Without it a witness that fails is noticed during the proof,
    /// which then ends at its end: a verifier learns that it failed, and not where.
    pub check: bool,
    /// The instruction set of the kernels.
    pub arch: Arch,
    /// Threads of this party that share its work, its own number whatever the peer's is: no byte depends on
    /// it. JKO has no work to share.
    pub threads: NonZeroUsize,
    /// The most lanes of a wave, a power of two from 64 to 65,536, for maps of a statement over F_2 or 2^61 − 1 by
    /// QuickSilver; those that suit the [device](Options::device) where `None`. Both parties take the fewer of theirs; where neither has
    /// a wish or a device, waves are as large as suits processors.
    pub lanes: Option<u32>,
    /// A device that walks over such maps, where their shares are by LPN. No byte depends on it but by its lanes.
    pub device: Option<Arc<dyn Device>>,
    /// A place for the number of multiplications done so far, stored now and then: where circuits are
    /// garbled, of those that this party garbles or evaluates, as often as it does.
    pub progress: Option<Arc<AtomicU64>>,
    /// A place for the number to which `progress` comes in the end, as soon as it is known, by a system for
    /// which that is not each multiplication once: how often parties are simulated follows from parameters.
    pub work: Option<Arc<AtomicU64>>,
    /// Keeps the verdict of a verifier before the prover hears it: its report once every check has passed, or
    /// its error where that [counts against the peer](Error::counts_against_peer). Whoever keeps verdicts
    /// keeps them here, so that none is told that is not kept. Where this fails for a report the proof is
    /// rejected; for an error it stays as it is. The report lacks the verdict's own bytes. An error before
    /// the first gate is not given here, nor have files a part in it.
    pub record: Option<Record>,
    /// Makes a run repeat: for tests, and nothing else.
    #[doc(hidden)]
    pub seed: Option<[u8; 32]>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: Method::default(),
            statement: None,
            size: None,
            correlations: None,
            bandwidth: None,
            fixed_work: false,
            label: String::new(),
            most_work: MOST_WORK,
            security: None,
            insecure_parameters: false,
            non_interactive: false,
            check: true,
            arch: Arch::detect(),
            threads: NonZeroUsize::MIN,
            lanes: None,
            device: None,
            progress: None,
            work: None,
            record: None,
            seed: None,
        }
    }
}

impl Options {
    /// The options of a proof by `method`: a [`System`], or one with what is its own to choose.
    pub fn by(method: impl Into<Method>) -> Self {
        Self { method: method.into(), ..Self::default() }
    }

    /// The proof system.
    pub fn system(&self) -> System {
        self.method.system()
    }

    /// The statistical security that is asked for, in bits, or the `usual`.
    ///
    /// # Errors
    /// `Invalid` where it is less than [`LEAST_SECURITY`], unless [insecure
    /// parameters](Options::insecure_parameters) are allowed.
    pub fn asked_security(&self, usual: u32) -> Result<u32> {
        match self.security {
            Some(asked) if asked < LEAST_SECURITY && !self.insecure_parameters => {
                Err(Error::invalid(format!(
                    "{asked} bits of statistical security were asked for, by which a false statement is \
                     accepted in one of 2^{asked} tries: ask for {LEAST_SECURITY} at least, or allow \
                     insecure parameters"
                )))
            }
            asked => Ok(asked.unwrap_or(usual)),
        }
    }

    /// Records what a verifier came to, before it is told.
    ///
    /// # Errors
    /// That of `verdict`; `Rejected` where it is accepted and not recorded.
    pub fn recorded<T>(&self, verdict: Result<T>, report: impl FnOnce(&T) -> Report) -> Result<T> {
        let Some(record) = &self.record else { return verdict };
        match verdict {
            Ok(accepted) => {
                // Why is known to whoever keeps verdicts. No other error would do: the prover is to be told.
                record(Ok(&report(&accepted))).map_err(|_| Error::Rejected(Rejection::NotRecorded))?;
                Ok(accepted)
            }
            Err(why) => {
                if why.counts_against_peer() {
                    // No verdict is worse than this one, so that it is told whether it was kept or not.
                    let _ = record(Err(&why));
                }
                Err(why)
            }
        }
    }

    /// Has the options name these correlations.
    pub fn with_correlations(self, correlations: impl Into<Option<Correlations>>) -> Self {
        Self { correlations: correlations.into(), ..self }
    }

    /// Has the options be for a link of so many Mbit/s each way.
    pub fn with_bandwidth(self, bandwidth: impl Into<Option<f64>>) -> Self {
        Self { bandwidth: bandwidth.into(), ..self }
    }
}

/// The least statistical security that is given without further ado, in bits: below, whoever may try again
/// now and then is accepted in the end.
pub const LEAST_SECURITY: u32 = 40;

/// The security of a proof, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Security {
    /// Against what can be computed: the least of all assumptions.
    pub computational: u32,
    /// −log2 of the probability that a false statement is accepted.
    pub statistical: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_security_than_convinces_is_asked_for_on_purpose_or_not_at_all() {
        let asking = |security, insecure_parameters| {
            Options { security, insecure_parameters, ..Options::default() }.asked_security(77)
        };
        for insecure in [false, true] {
            assert_eq!(asking(None, insecure).unwrap(), 77);
            assert_eq!(asking(Some(LEAST_SECURITY), insecure).unwrap(), LEAST_SECURITY);
            assert_eq!(asking(Some(128), insecure).unwrap(), 128);
        }
        for security in [0, 1, LEAST_SECURITY - 1] {
            assert_eq!(asking(Some(security), true).unwrap(), security);
            let refused = asking(Some(security), false).unwrap_err();
            assert!(
                matches!(&refused, Error::Invalid(why) if why.contains("ask for 40 at least")),
                "{refused}"
            );
        }
    }
}
