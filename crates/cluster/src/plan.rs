//! Plan of a run, as coordinators and workers see it: shards, and bytes that cross between them.

use core::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use volery::channel::Channel;
use volery::error::{Error, Result};
use zeroize::Zeroizing;

/// The most shards of a run.
pub const MOST_SHARDS: usize = 1 << 16;
/// The most bytes that enter or leave one.
const MOST_CROSSING: usize = 1 << 30;

/// Bytes that leave a shard of one party, or a secret of the run: they are wiped when they go.
#[derive(Clone, Default)]
pub struct Crossing(Arc<Zeroizing<Vec<u8>>>);

impl Crossing {
    /// A crossing of these bytes.
    pub fn new(bytes: Zeroizing<Vec<u8>>) -> Self {
        Self(Arc::new(bytes))
    }

    /// The bytes, which are secret.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Some of them.
    pub(super) fn part(&self, bytes: Range<usize>) -> Self {
        if bytes == (0..self.0.len()) { self.clone() } else { Self::new(self.0[bytes].to_vec().into()) }
    }
}

/// One shard, as both of a party's ends know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The bytes that enter it, in this order.
    pub feeds: Vec<Feed>,
    /// The bytes that leave it on this party's side.
    pub outgoing: usize,
    /// The bytes that this party's worker tells of its verdict; they are no secret.
    pub verdict: usize,
}

/// Bytes that enter a shard from one that is before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feed {
    /// The shard that it leaves, whose number is lower.
    pub from: usize,
    /// The range of the bytes that leave that one.
    pub bytes: Range<usize>,
}

/// A statement in shards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The proof system, by name, in at most 15 ASCII characters.
    pub system: &'static str,
    /// The field of the statement, by name.
    pub field: String,
    /// The digest of the statement with all its shards, and what crosses between them.
    pub statement: [u8; 32],
    /// The shards.
    pub parts: Vec<Part>,
}

impl Plan {
    /// Demands that it is one: what enters a shard leaves one before it.
    ///
    /// # Errors
    /// `Invalid` where it is not, or is larger than messages are.
    pub(super) fn validate(&self) -> Result<()> {
        let parts = &self.parts;
        if parts.is_empty() || parts.len() > MOST_SHARDS {
            return Err(Error::invalid(format!(
                "a run has 1 to {MOST_SHARDS} shards, and not {}",
                parts.len()
            )));
        }
        for (shard, part) in parts.iter().enumerate() {
            let leaves = |feed: &Feed| feed.from < shard && parts[feed.from].outgoing >= feed.bytes.end;
            if !part.feeds.iter().all(|feed| leaves(feed) && feed.bytes.start <= feed.bytes.end) {
                return Err(Error::invalid(format!("what enters shard {shard} leaves no shard before it")));
            }
            let incoming = part.feeds.iter().map(|feed| feed.bytes.len()).fold(0, usize::saturating_add);
            if incoming.max(part.outgoing).max(part.verdict) > MOST_CROSSING {
                return Err(Error::invalid(format!(
                    "more than {MOST_CROSSING} bytes enter or leave shard {shard}: let fewer wires cross"
                )));
            }
        }
        Ok(())
    }
}

/// An attempt at a shard of a run that a worker is to do, and what it needs for that.
pub struct Turn {
    /// The name of the run: 32 bytes that no other run has.
    pub run: [u8; 32],
    /// The shard.
    pub shard: usize,
    /// The attempt at it, from 0; its session must differ from that of any other attempt.
    pub attempt: u32,
    /// How many attempts may be lost in the run, all shards taken together.
    pub restarts: u32,
    /// The secret of the run, at the verifier: Δ.
    pub secret: Crossing,
    /// The bytes that enter the shard, feed by feed.
    pub incoming: Vec<Crossing>,
    /// A counter in which the number of multiplications done so far is stored now and then.
    pub progress: Arc<AtomicU64>,
    /// A function to be called with the error by which a verifier rejects before the prover is told: it
    /// returns once that is known to the coordinator, or else when the link is cut.
    pub rejecting: Box<dyn Fn(&Error) + Send + Sync>,
}

/// The result of a shard that is accepted.
pub struct Done {
    /// The counts and times of the shard.
    pub figures: Figures,
    /// The bytes that leave the shard.
    pub outgoing: Crossing,
    /// The bytes on the shard's verdict, for [`Coordinator::record`](super::Coordinator::record).
    pub verdict: Vec<u8>,
}

/// The counts and times of a shard, for those who watch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Multiplications.
    pub mul: u64,
    /// Additions.
    pub add: u64,
    /// Assertions.
    pub assert: u64,
    /// Inputs.
    pub inputs: u64,
    /// Bytes that this party sent to the other.
    pub sent: u64,
    /// Bytes that it received.
    pub received: u64,
    /// Round trips.
    pub rounds: u64,
    /// Bytes sent and received before the first gate.
    pub setup_bytes: u64,
    /// Nanoseconds before the first gate.
    pub setup: u64,
    /// Nanoseconds from there to the verdict.
    pub online: u64,
    /// The most bytes that the worker's process has held, or 0 where that is not known.
    pub peak: u64,
    /// Bits of statistical security of the shard alone.
    pub statistical: u64,
    /// Bits of computational security.
    pub computational: u64,
}

/// The outcome of a shard that is accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShardOutcome {
    /// The counts and times of the attempt that was accepted.
    pub figures: Figures,
    /// How many there were.
    pub attempts: u32,
    /// The bytes that its worker told of the verdict.
    pub verdict: Vec<u8>,
}

/// How one party does a shard: the statement, its role, its settings.
pub trait Shards: Sync {
    /// The plan of the run.
    fn plan(&self) -> &Plan;

    /// The bytes of the run's secret, which a verifier has.
    fn secret_bytes(&self) -> usize;

    /// Does the shard of `turn` with the other party's worker at the end of `channel`, to its end: a verifier
    /// has then told its verdict. Two turns never begin alike: a session is bound to its run, shard, attempt.
    /// Where it fails, `channel` is left as it is: the other party hears nothing more before the coordinator.
    ///
    /// # Errors
    /// Those of a session. One [of the link](volery::Error::is_of_link) costs the attempt; any other ends the
    /// run.
    fn run(&self, turn: Turn, channel: &mut Channel) -> Result<Done>;
}
