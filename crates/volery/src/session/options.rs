//! What a session is asked to do, and what it did.

use super::correlations::{Choice, Correlations};
use super::{Garbling, Simulation, System};
use crate::channel::Traffic;
use crate::circuit::Size;
use crate::zk::Gates;
use crate::zk::limbo::Parameters;
use crate::zk::wolverine::{Checked, Checking};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use volery_primitives::Arch;

/// How to run proofs. Both parties must agree on `statement`, and on `correlations` where both name some; the
/// handshake sees to it.
#[derive(Clone)]
pub struct Options {
    /// The proof system; [`prove_over`](crate::prove_over) runs QuickSilver, Limbo and Wolverine, and
    /// sessions of several statements QuickSilver and Wolverine.
    pub system: System,
    /// How circuits are garbled, where they are.
    pub garbling: Garbling,
    /// How parties are simulated, where they are.
    pub simulation: Simulation,
    /// How products are checked, by Wolverine.
    pub checking: Checking,
    /// Where correlations come from; what the peer says, or what is fastest, where `None`. By name: the set of that
    /// name is the setting's.
    pub correlations: Option<Correlations>,
    /// The bandwidth of the link in Mbit/s each way, for that choice; measured where `None` and it matters.
    pub bandwidth: Option<f64>,
    /// A digest of the first statement: of the relation and its public values. Where `None`, the circuit is
    /// walked once more to make one of its gates. It must name the circuit: challenges bind it and nothing
    /// else of the statement.
    pub statement: Option<[u8; 32]>,
    /// The size of the first statement, for that choice and for the soundness bound; counted
    /// where `None` and needed.
    pub size: Option<Size>,
    /// The statistical security asked for, in bits; a run that offers less is refused. Where `None`, 40 over
    /// extensions of less than 2^100 elements and 100 over others; for Limbo 40 over a channel and 128 in a
    /// file, which set its parameters; for Wolverine 40, for which buckets are as large as they must be: with
    /// them both parties must ask for the same.
    pub security: Option<u32>,
    /// Insists that the challenges to gates come from the transcript, not from coins of the verifier; refused
    /// over extensions of less than 2^100 elements, for which they could be searched offline. Correlations
    /// still take messages of both parties. By Wolverine buckets are then as large as 128 bits take, and
    /// there is no sacrifice.
    pub non_interactive: bool,
    /// Whether the prover evaluates the circuit in the clear before it sends anything, which all but
    /// QuickSilver and Wolverine always do. Without it a witness that fails is noticed during the proof,
    /// which then ends at its end: a verifier learns that it failed, and not where.
    pub check: bool,
    /// The instruction set of the kernels.
    pub arch: Arch,
    /// Where the number of multiplications done so far is stored now and then: where circuits are garbled, of
    /// those that this party garbles or evaluates, as often as it does.
    pub progress: Option<Arc<AtomicU64>>,
    /// Where the number is stored to which `progress` comes in the end, as soon as it is known. Limbo alone
    /// says it: how often parties are simulated follows from its parameters, and other systems count each
    /// multiplication once.
    pub work: Option<Arc<AtomicU64>>,
    /// Makes a run repeat: for tests, and nothing else.
    #[doc(hidden)]
    pub seed: Option<[u8; 32]>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            system: System::default(),
            garbling: Garbling::default(),
            simulation: Simulation::default(),
            checking: Checking::default(),
            correlations: None,
            bandwidth: None,
            statement: None,
            size: None,
            security: None,
            non_interactive: false,
            check: true,
            arch: Arch::detect(),
            progress: None,
            work: None,
            seed: None,
        }
    }
}

/// What a proof is worth, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Security {
    /// Against what can be computed: the least of all assumptions.
    pub computational: u32,
    /// −log2 of the probability that a false statement is accepted.
    pub statistical: u32,
}

/// A proof of parties in the prover's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// What it was made with.
    pub parameters: Parameters,
    /// How often its claim was compressed.
    pub compressions: u32,
    /// All that the prover said, without handshake or header.
    pub bytes: u64,
    /// How long this party worked on it: a prover from its witness to its last message, a verifier from the
    /// first one that it does not only keep.
    pub work: Duration,
}

/// What a proof did.
#[derive(Clone, Debug)]
pub struct Report {
    /// The digest of the statement that both parties agreed on.
    pub statement: [u8; 32],
    /// The proof system.
    pub system: System,
    /// The gates of the proof.
    pub gates: Gates,
    /// Where its correlations came from, and why from there, if it took any.
    pub choice: Option<Choice>,
    /// What parties were simulated, if any.
    pub proof: Option<Proof>,
    /// How its products were checked, by Wolverine.
    pub checked: Option<Checked>,
    /// What it is worth.
    pub security: Security,
    /// All that was carried for this statement, the handshake included.
    pub traffic: Traffic,
    /// What of it was carried before the first gate.
    pub setup_traffic: Traffic,
    /// Everything before the first gate.
    pub setup: Duration,
    /// From there to the verdict.
    pub online: Duration,
}
