//! Shards as streams of gates.

use super::{Recorder, Source, Stream};
use crate::sharded::{check_given, run_all};
use crate::{Announced, Backend as _, Count, Crossings as _, Shape, Sharded, Sharding, nothing_asserted};
use volery_channel::error::Result;
use volery_primitives::Field;

/// Shards that can be recorded: [`Sharded`] for the [`Recorder`], behind a pointer.
pub trait ShardSource<F: Field>: Sharding + Sync {
    /// Pushes every gate of shard number `shard` into `recorder`, and gives the wires that go out.
    ///
    /// # Errors
    /// As for [`Source::record`].
    fn record_shard(
        &self,
        shard: usize,
        recorder: &mut Recorder<'_, F>,
        incoming: &[super::Handle],
    ) -> Result<Vec<super::Handle>>;
}

impl<F: Field, S: for<'r> Sharded<Recorder<'r, F>> + Sync> ShardSource<F> for S {
    fn record_shard(
        &self,
        shard: usize,
        recorder: &mut Recorder<'_, F>,
        incoming: &[super::Handle],
    ) -> Result<Vec<super::Handle>> {
        self.run(shard, recorder, incoming)
    }
}

/// One shard as a statement of its own, to which wires come in and from which wires go out.
#[derive(Clone, Copy)]
pub struct Shard<'s, F> {
    shards: &'s dyn ShardSource<F>,
    announced: &'s Announced,
    number: usize,
}

impl<'s, F: Field> Shard<'s, F> {
    /// Shard number `number` of those that are `announced`.
    ///
    /// # Panics
    /// Where there is no such shard.
    pub fn new(shards: &'s dyn ShardSource<F>, announced: &'s Announced, number: usize) -> Self {
        assert!(number < announced.count(), "a shard that there is");
        Self { shards, announced, number }
    }
}

impl<F: Field> Source<F> for Shard<'_, F> {
    fn record(&self, b: &mut Recorder<'_, F>) -> Result<()> {
        let incoming = match self.announced.incoming(self.number) {
            0 => Vec::new(),
            count => b.incoming(count)?,
        };
        b.open_scope();
        let outgoing = self.shards.record_shard(self.number, b, &incoming)?;
        check_given(self.number, outgoing.len(), self.announced.outgoing(self.number))?;
        if !outgoing.is_empty() {
            b.outgoing(&outgoing)?;
        }
        b.close_scope(&[]);
        Ok(())
    }
}

/// All shards, one after the other, as one statement: see [`Whole`](crate::Whole).
#[derive(Clone, Copy)]
pub struct AllShards<'s, F>(pub &'s dyn ShardSource<F>);

impl<F: Field> Source<F> for AllShards<'_, F> {
    fn record(&self, b: &mut Recorder<'_, F>) -> Result<()> {
        run_all(self.0, b, |shard, b, incoming| self.0.record_shard(shard, b, incoming))
    }
}

/// The gates of each shard, and a collision-resistant digest of all of them and of what crosses.
///
/// # Errors
/// `Invalid` where a shard is malformed, or none asserts anything.
pub fn fingerprint<F: Field>(shards: &dyn ShardSource<F>) -> Result<(Vec<Shape>, [u8; 32])> {
    let announced = Announced::of(shards)?;
    let of = |number| Count::fingerprint(&Stream::new(&Shard::new(shards, &announced, number)));
    let each = (0..announced.count()).map(of).collect::<Result<Vec<_>>>()?;
    let digest = fingerprint_of(&announced, &each)?;
    Ok((each.into_iter().map(|(shape, _)| shape).collect(), digest))
}

/// The digest of all shards, from each one's shape and digest in order: see [`Count::fingerprint`] of a
/// [`Shard`].
///
/// # Errors
/// `Invalid` where none asserts anything.
///
/// # Panics
/// Where there are not as many as were announced.
pub fn fingerprint_of(announced: &Announced, each: &[(Shape, [u8; 32])]) -> Result<[u8; 32]> {
    assert_eq!(each.len(), announced.count(), "a fingerprint of each shard");
    if each.iter().all(|(shape, _)| shape.assert == 0) {
        return Err(nothing_asserted());
    }
    let mut hasher = blake3::Hasher::new_derive_key("volery shards fingerprint v1");
    hasher.update(&announced.digest());
    each.iter().for_each(|(_, digest)| {
        hasher.update(digest);
    });
    Ok(hasher.finalize().into())
}
