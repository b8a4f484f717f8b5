//! Shards as streams of gates.

use super::{Recorder, Source, Stream};
use crate::circuit::sharded::{check_given, run_all};
use crate::circuit::{
    Announced, Backend as _, Count, Crossings as _, Shape, Sharded, Sharding, nothing_asserted,
};
use crate::error::Result;
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

/// One shard of a statement, as a statement of its own to which wires come in and from which wires go out.
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

/// All shards, one after the other, as one statement: see [`Whole`](crate::circuit::Whole).
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
    let mut hasher = blake3::Hasher::new_derive_key("volery shards fingerprint v1");
    hasher.update(&announced.digest());
    let mut shapes = Vec::with_capacity(announced.count());
    for number in 0..announced.count() {
        let (shape, digest) = Count::fingerprint(&Stream::new(&Shard::new(shards, &announced, number)))?;
        hasher.update(&digest);
        shapes.push(shape);
    }
    if shapes.iter().all(|shape| shape.assert == 0) {
        return Err(nothing_asserted());
    }
    Ok((shapes, hasher.finalize().into()))
}
