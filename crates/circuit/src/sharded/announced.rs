//! Announcements of shards, before they are run.

use super::{Need, Sharding};
use volery_channel::error::{Error, Result};

/// The wires that cross between the shards of a statement, checked for consistency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announced {
    shards: Vec<Part>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Part {
    needs: Vec<Need>,
    outgoing: usize,
    /// The shards that wires come from, and those that wires go to, each once and in order.
    sources: Vec<usize>,
    consumers: Vec<usize>,
}

impl Announced {
    /// The most shards.
    pub const MOST: usize = 1 << 16;
    /// The most wires that come in to a shard, or go out of one.
    pub const MOST_WIRES: usize = 1 << 28;

    /// The announcements of `sharding`.
    ///
    /// # Errors
    /// `Invalid` where there is no shard, or there are too many shards or wires; where wires come from a shard
    /// whose number is not lower, or which does not give them.
    pub fn of(sharding: &(impl Sharding + ?Sized)) -> Result<Self> {
        let count = sharding.count();
        if !(1..=Self::MOST).contains(&count) {
            return Err(Error::invalid(format!(
                "a statement in {count} shards: choose from 1 to {}",
                Self::MOST
            )));
        }
        let mut shards: Vec<Part> = Vec::with_capacity(count);
        for shard in 0..count {
            let (needs, outgoing) = (sharding.needs(shard), sharding.outgoing(shard));
            let mut sources = Vec::new();
            let mut incoming = 0_usize;
            for Need { from, wires } in &needs {
                let given = shards.get(*from).map(|source| source.outgoing);
                if given.is_none_or(|given| wires.start > wires.end || wires.end > given) {
                    let given =
                        given.map_or("its number is not lower".into(), |given| format!("it gives {given}"));
                    return Err(Error::invalid(format!(
                        "shard {shard} takes wires {} to {} of shard {from}, and {given}",
                        wires.start, wires.end
                    )));
                }
                incoming = incoming.saturating_add(wires.len());
                sources.push(*from);
            }
            if incoming.max(outgoing) > Self::MOST_WIRES {
                return Err(Error::invalid(format!(
                    "{incoming} wires come in to shard {shard}, and {outgoing} go out: no more than {} may",
                    Self::MOST_WIRES
                )));
            }
            sources.sort_unstable();
            sources.dedup();
            sources.iter().for_each(|from| shards[*from].consumers.push(shard));
            shards.push(Part { needs, outgoing, sources, consumers: Vec::new() });
        }
        Ok(Self { shards })
    }

    /// The number of shards.
    pub fn count(&self) -> usize {
        self.shards.len()
    }

    /// The wires that come in to a shard, in its order.
    ///
    /// # Panics
    /// Where there is no such shard, as do the others.
    pub fn needs(&self, shard: usize) -> &[Need] {
        &self.shards[shard].needs
    }

    /// The number of wires that come in to a shard.
    pub fn incoming(&self, shard: usize) -> usize {
        self.needs(shard).iter().map(|need| need.wires.len()).sum()
    }

    /// The number of wires that a shard gives.
    pub fn outgoing(&self, shard: usize) -> usize {
        self.shards[shard].outgoing
    }

    /// The shards that wires come from, in order.
    pub fn sources(&self, shard: usize) -> &[usize] {
        &self.shards[shard].sources
    }

    /// The shards that a shard's wires go to, in order.
    pub fn consumers(&self, shard: usize) -> &[usize] {
        &self.shards[shard].consumers
    }

    /// The number of wires that go from one shard to another, in the order in which the other takes them. A
    /// wire that it takes twice counts twice.
    pub fn between(&self, from: usize, to: usize) -> usize {
        self.ranges(from, to).map(|need| need.wires.len()).sum()
    }

    /// The wires that go from one shard to another.
    pub fn ranges(&self, from: usize, to: usize) -> impl Iterator<Item = &Need> {
        self.needs(to).iter().filter(move |need| need.from == from)
    }

    /// A collision-resistant digest of all announcements.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery shards announced v1");
        let mut number = |number: usize| {
            hasher.update(&(number as u64).to_le_bytes());
        };
        number(self.count());
        for Part { needs, outgoing, .. } in &self.shards {
            number(*outgoing);
            number(needs.len());
            for Need { from, wires } in needs {
                [*from, wires.start, wires.end].into_iter().for_each(&mut number);
            }
        }
        hasher.finalize().into()
    }
}
