//! How a program falls into shards.

use super::{Program, Statement};
use core::ops::Range;
use volery_channel::error::{Error, Result};
use volery_circuit::stream::{Handle, Recorder, ShardSource};
use volery_circuit::{Announced, Need, Sharding};

/// A program in shards: what crosses, and which elements of its inputs each shard reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    parts: Vec<Part>,
}

/// A shard, by the wires that cross and the inputs that it reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The wires that come in.
    pub needs: Vec<Need>,
    /// How many wires go out.
    pub outgoing: usize,
    /// The inputs of which it reads anything, by their numbers, and what: places in the order in which the
    /// program reads the elements of that input. Where an input is a string over F_2 eight places are a byte,
    /// from the first.
    pub reads: Vec<(usize, Range<u64>)>,
}

impl Split {
    /// A single shard, which is all of a program with these inputs.
    pub(super) fn whole(inputs: &[super::Port]) -> Self {
        let reads = inputs.iter().enumerate().map(|(i, port)| (i, 0..port.width)).collect();
        Self { parts: vec![Part { reads, ..Part::default() }] }
    }

    pub(super) fn of(parts: Vec<Part>) -> Self {
        Self { parts }
    }

    /// The inputs that shard number `shard` reads, as [`Part::reads`] has them.
    ///
    /// # Panics
    /// Where there is no such shard.
    pub fn reads(&self, shard: usize) -> &[(usize, Range<u64>)] {
        &self.parts[shard].reads
    }
}

impl Sharding for Split {
    fn count(&self) -> usize {
        self.parts.len()
    }
    fn needs(&self, shard: usize) -> Vec<Need> {
        self.parts[shard].needs.clone()
    }
    fn outgoing(&self, shard: usize) -> usize {
        self.parts[shard].outgoing
    }
}

/// `count` in `parts` pieces whose lengths differ by one at most: where piece number `part` lies.
pub(super) fn piece(count: u64, parts: u64, part: u64) -> Range<u64> {
    let begin = |part: u64| (u128::from(count) * u128::from(part) / u128::from(parts)) as u64;
    begin(part)..begin(part + 1)
}

/// The error of a program that does not fall into this many shards.
pub(super) fn no_shards(name: &str, shards: usize, why: &str) -> Error {
    Error::invalid(format!("{name} does not fall into {shards} shards: {why}"))
}

/// A statement in shards.
pub struct SplitStatement<'s, P: Program> {
    statement: &'s Statement<P>,
    split: Split,
}

impl<P: Program> Statement<P> {
    /// The statement in `shards` shards.
    ///
    /// # Errors
    /// `Invalid` where its program does not fall into so many.
    pub fn split(&self, shards: usize) -> Result<SplitStatement<'_, P>> {
        let split = match shards {
            0 => return Err(no_shards("a statement", 0, "choose 1 at least")),
            count if count > Announced::MOST => return Err(no_shards("a statement", shards, "choose fewer")),
            1 => Split::whole(self.relation.inputs()),
            _ => self.relation.split(shards)?,
        };
        Announced::of(&split)?;
        Ok(SplitStatement { statement: self, split })
    }
}

impl<P: Program> SplitStatement<'_, P> {
    /// A digest of the statement, and of how it falls into shards.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery statement in shards v1");
        hasher.update(&self.statement.digest());
        hasher.update(&(self.split.count() as u64).to_le_bytes());
        hasher.finalize().into()
    }

    /// How it falls into shards.
    pub fn sharding(&self) -> &Split {
        &self.split
    }

    /// The ranges of the whole's witness that are shard number `shard`'s, in order.
    ///
    /// # Panics
    /// Where there is no such shard.
    pub fn witness(&self, shard: usize) -> Vec<Range<u64>> {
        let mut ranges = Vec::new();
        let mut before = 0;
        let inputs = self.statement.relation.inputs().iter().zip(&self.statement.inputs);
        for (number, (port, value)) in inputs.enumerate() {
            if value.is_some() {
                continue;
            }
            let read = self.split.reads(shard).iter().filter(|(input, _)| *input == number);
            ranges.extend(read.map(|(_, places)| before + places.start..before + places.end));
            before += port.width;
        }
        ranges
    }
}

impl<P: Program> Sharding for SplitStatement<'_, P> {
    fn count(&self) -> usize {
        self.split.count()
    }
    fn needs(&self, shard: usize) -> Vec<Need> {
        self.split.needs(shard)
    }
    fn outgoing(&self, shard: usize) -> usize {
        self.split.outgoing(shard)
    }
}

impl<P: Program> ShardSource<P::F> for SplitStatement<'_, P> {
    fn record_shard(
        &self,
        shard: usize,
        b: &mut Recorder<'_, P::F>,
        incoming: &[Handle],
    ) -> Result<Vec<Handle>> {
        let Statement { relation, inputs, outputs, .. } = self.statement;
        if self.split.count() == 1 {
            return relation.record(b, inputs, outputs).map(|()| Vec::new());
        }
        relation.record_shard((self.split.count(), shard), b, incoming, (inputs, outputs))
    }
}
