//! One verdict for all shards.

use super::{Here, Place, Run, security};
use volery_channel::error::{Error, Rejection, Result};
use volery_circuit::{Announced, nothing_asserted};
use volery_proof::report::Report;
use volery_proof::run::enough;
use volery_proof::verdict::Accepted;

/// A verdict that one shard was accepted: a worker of the verifier tells it its own party. It is worth as
/// much as the way by which it came.
#[must_use = "a run is accepted only where all of its shards are"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedShard {
    run: [u8; 32],
    place: Place,
    /// How much it asserts.
    asserted: u64,
    /// The security of the shard by itself, in bits, less the run's share of it.
    bits: u32,
    /// For each shard that wires came from, in order, the attempt that gave them.
    attempts: Vec<u32>,
}

impl AcceptedShard {
    /// A verdict on the shard `here`, on what those `attempts` gave.
    pub(super) fn new(_: Accepted, here: &Here<'_>, report: &Report, attempts: Vec<u32>) -> Self {
        let (run, bits) = (here.run.digest(), report.security.statistical + here.headroom());
        Self { run, place: here.place, asserted: report.gates.assert, bits, attempts }
    }

    /// The place of the shard in the run.
    pub fn place(&self) -> Place {
        self.place
    }

    /// How many bytes say it of a shard that takes wires of so many.
    pub fn length(sources: usize) -> usize {
        52 + 4 * sources
    }

    /// The bytes: 32 of the run, then the shard and the attempt, 4 each, assertions, 8, bits, 4, and 4 for each
    /// shard that wires came from.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.run.to_vec();
        bytes.extend(self.place.shard.to_le_bytes());
        bytes.extend(self.place.attempt.to_le_bytes());
        bytes.extend(self.asserted.to_le_bytes());
        bytes.extend(self.bits.to_le_bytes());
        bytes.extend(self.attempts.iter().flat_map(|attempt| attempt.to_le_bytes()));
        bytes
    }

    /// The verdict that a worker of the verifier's own has told by such bytes. Nobody else may be able to say
    /// them.
    ///
    /// # Errors
    /// `Invalid` where they are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let read = || {
            let (run, bytes) = bytes.split_first_chunk::<32>()?;
            let (shard, bytes) = bytes.split_first_chunk()?;
            let (attempt, bytes) = bytes.split_first_chunk()?;
            let (asserted, bytes) = bytes.split_first_chunk()?;
            let (bits, bytes) = bytes.split_first_chunk()?;
            let (attempts, rest) = bytes.as_chunks();
            let place = Place { shard: u32::from_le_bytes(*shard), attempt: u32::from_le_bytes(*attempt) };
            rest.is_empty().then(|| Self {
                run: *run,
                place,
                asserted: u64::from_le_bytes(*asserted),
                bits: u32::from_le_bytes(*bits),
                attempts: attempts.iter().map(|attempt| u32::from_le_bytes(*attempt)).collect(),
            })
        };
        read().ok_or_else(|| Error::invalid("these bytes do not say that a shard was accepted"))
    }
}

/// The verdict on a run, which is yes where all of its shards were accepted, each once for all that took its
/// wires.
pub struct Verdict {
    run: Run,
    announced: Announced,
    shards: Vec<Option<AcceptedShard>>,
}

impl Verdict {
    /// The verdict on `run`, of shards that are `announced` so.
    ///
    /// # Errors
    /// `Invalid` where the run has another number of them.
    pub fn new(run: Run, announced: Announced) -> Result<Self> {
        if announced.count() as u64 != u64::from(run.shards) {
            return Err(Error::invalid(format!(
                "a run of {} shards, of a statement that has {}",
                run.shards,
                announced.count()
            )));
        }
        let shards = vec![None; announced.count()];
        Ok(Self { run, announced, shards })
    }

    /// Takes note of a shard that was accepted: what counts for it is the last attempt that was.
    ///
    /// # Errors
    /// `Invalid` where it is none of this run.
    pub fn add(&mut self, accepted: AcceptedShard) -> Result<()> {
        let Place { shard, attempt } = accepted.place;
        let sources = self.shards.get(shard as usize).map(|_| self.announced.sources(shard as usize).len());
        let of_run = accepted.run == self.run.digest() && attempt <= self.run.restarts;
        if !of_run || sources != Some(accepted.attempts.len()) {
            return Err(Error::invalid(format!("an accepted shard {shard} that is none of this run")));
        }
        self.shards[shard as usize] = Some(accepted);
        Ok(())
    }

    /// The shards that are still to be proved, or to be proved again since others count for what they took
    /// wires of, than did when they were.
    pub fn missing(&self) -> Vec<u32> {
        let mut missing = vec![false; self.shards.len()];
        for (shard, accepted) in self.shards.iter().enumerate() {
            let counts = |(source, attempt): (&usize, &u32)| {
                let given = self.shards[*source].as_ref();
                !missing[*source] && given.is_some_and(|given| given.place.attempt == *attempt)
            };
            let sources = self.announced.sources(shard).iter();
            let held = accepted.as_ref().is_some_and(|held| sources.zip(&held.attempts).all(counts));
            missing[shard] = !held;
        }
        (0..).zip(missing).filter_map(|(shard, missing)| missing.then_some(shard)).collect()
    }

    /// The verdict, and the statistical security of the run in bits, of which so many are `asked` for.
    ///
    /// # Errors
    /// `Rejected` where a shard is missing; `Invalid` where no shard asserts anything, or the run is worth less.
    pub fn finish(self, asked: u32) -> Result<(Accepted, u32)> {
        let accepted = Accepted::only_if(self.missing().is_empty(), Rejection::Shards)?;
        let shards: Vec<_> = self.shards.into_iter().flatten().collect();
        if shards.iter().all(|shard| shard.asserted == 0) {
            return Err(nothing_asserted());
        }
        let worth = security(shards.iter().map(|shard| shard.bits), self.run.restarts);
        let Run { shards, restarts, .. } = self.run;
        enough(asked, worth, || {
            format!(
                "a run of {shards} shards with {restarts} restarts is worth {worth}: ask for fewer, or take a \
                 larger extension"
            )
        })?;
        Ok((accepted, worth))
    }
}
