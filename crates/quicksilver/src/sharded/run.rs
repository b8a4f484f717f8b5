//! Run of a statement in shards, and places in it.

use super::check_system;
use crate::crossing::MOST_ATTEMPTS;
use volery_channel::channel::Party;
use volery_channel::error::{Error, Result};
use volery_circuit::{Announced, Sharding};
use volery_proof::options::Options;

/// One proof of a statement in shards. Public, and the same for all workers of both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The name of the run, which tells it from all others: see [`Run::id_of`].
    pub id: [u8; 32],
    /// A digest of the whole statement, all shards of it:
    /// [`stream::fingerprint`](volery_circuit::stream::fingerprint) makes one of all gates. Where it is another
    /// one it must name the statement and the number of shards with all that follows from these.
    pub statement: [u8; 32],
    /// How many shards there are.
    pub shards: u32,
    /// How many attempts may be made again, in all.
    pub restarts: u32,
}

/// A shard, and which attempt at it: 0 for the first. No two attempts at a shard have one number, whatever became
/// of them, or go on at once: what shows that keys are one is used up with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The number of the shard.
    pub shard: u32,
    /// The number of the attempt.
    pub attempt: u32,
}

impl Place {
    /// The first attempt at shard number `shard`.
    pub fn first(shard: u32) -> Self {
        Self { shard, attempt: 0 }
    }

    pub(super) fn number(self) -> usize {
        self.shard as usize
    }
}

impl Run {
    /// The identifier of a run to which either party has given 32 fresh random bytes: neither could choose it.
    pub fn id_of(prover: &[u8; 32], verifier: &[u8; 32]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery run of shards v1, identifier");
        hasher.update(prover).update(verifier);
        hasher.finalize().into()
    }

    /// A digest of all that it is.
    pub fn digest(&self) -> [u8; 32] {
        self.named(&self.statement, "volery run of shards v1")
    }

    /// A digest for `purpose` of `bytes` and all but the statement.
    pub(super) fn named(&self, bytes: &[u8; 32], purpose: &'static str) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key(purpose);
        hasher.update(bytes).update(&self.id);
        hasher.update(&self.shards.to_le_bytes()).update(&self.restarts.to_le_bytes());
        hasher.finalize().into()
    }

    /// The announcements of `sharding`, where it has the shards of this run and `place` is one of them.
    ///
    /// # Errors
    /// `Invalid` where it has not, or the system is not QuickSilver.
    pub(super) fn announced(
        &self,
        place: Place,
        sharding: &(impl Sharding + ?Sized),
        options: &Options,
    ) -> Result<Announced> {
        check_system(options)?;
        let announced = Announced::of(sharding)?;
        if announced.count() as u64 != u64::from(self.shards) {
            return Err(Error::invalid(format!(
                "a run of {} shards, of a statement that has {}",
                self.shards,
                announced.count()
            )));
        }
        if place.shard >= self.shards {
            return Err(Error::invalid(format!(
                "shard {} of {}: they are numbered from 0",
                place.shard, self.shards
            )));
        }
        if place.attempt > self.restarts || place.attempt >= MOST_ATTEMPTS {
            return Err(Error::invalid(format!(
                "attempt {} at shard {}, of a run in which {} may be made again: its bound holds for no more",
                place.attempt, place.shard, self.restarts
            )));
        }
        Ok(announced)
    }

    /// The digest of a shard, with all that it has to be the shard of.
    pub(super) fn shard_digest(&self, place: Place, announced: &Announced, attempts: &[u32]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery shard v1");
        hasher.update(&self.digest()).update(&announced.digest());
        hasher.update(&place.shard.to_le_bytes()).update(&place.attempt.to_le_bytes());
        for (source, attempt) in announced.sources(place.number()).iter().zip(attempts) {
            hasher.update(&(*source as u64).to_le_bytes()).update(&attempt.to_le_bytes());
        }
        hasher.finalize().into()
    }

    /// The seed of a shard in a run that repeats, for tests: no two sessions have one.
    pub(super) fn seed(&self, seed: &[u8; 32], place: Place, party: Party) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery shard v1, seed");
        hasher.update(&self.named(seed, "volery run of shards v1, seed"));
        hasher.update(&place.shard.to_le_bytes()).update(&place.attempt.to_le_bytes());
        hasher.update(party.name().as_bytes());
        hasher.finalize().into()
    }
}

/// Whether a shard that has ended with `error` may be tried again, as long as the run has
/// [`restarts`](Run::restarts) left: where the link ended, at whatever time. After any other error no shard of
/// the run may be begun or go on, and the verifier forgets Δ.
pub fn may_try_again(error: &Error) -> bool {
    error.is_of_link()
}
