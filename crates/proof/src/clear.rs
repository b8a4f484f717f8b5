//! Statements in the clear: what is counted, named and evaluated of one without a proof. It is compiled here once for
//! each field that has a setting, and reached by pointers: see [`Setting::clear`](crate::Setting::clear).

use crate::clauses::{Evaluation, settle_clauses};
use crate::options::Options;
use crate::run::settle;
use crate::witness::{Reread, Stream, check_shards, check_stream};
use volery_channel::error::Result;
use volery_circuit::crossing::Carried;
use volery_circuit::stream::{
    ClauseStream, MixedSource, MixedStreamed, ShardSource, Source, Stream as Gates,
};
use volery_circuit::{Circuit as _, Clear, Count, MixedShape, Shape, check_mixed};
use volery_primitives::{F2, Field};
use zeroize::Zeroizing;

/// Statements over `F` without a proof.
pub trait InTheClear<F: Field>: Sync {
    /// Checks a statement: see [`check`](crate::witness::check).
    ///
    /// # Errors
    /// As for [`check`](crate::witness::check).
    fn check(&self, source: &dyn Source<F>, witness: Stream<'_, F>) -> Result<()> {
        self.check_stream(&Gates::new(source), witness)
    }

    /// Checks a stream of gates, likewise.
    ///
    /// # Errors
    /// As for [`check`](crate::witness::check).
    fn check_stream(&self, stream: &Gates<'_, F>, witness: Stream<'_, F>) -> Result<()> {
        check_stream(stream, witness)
    }

    /// Checks all shards, one after the other, of each of which `witness` gives the witness: no more than that of
    /// one, and the wires that cross, is there at a time.
    ///
    /// # Errors
    /// As for [`check`](crate::witness::check).
    fn check_shards<'w>(
        &self,
        shards: &dyn ShardSource<F>,
        witness: &dyn Fn(usize) -> Stream<'w, F>,
    ) -> Result<()> {
        check_shards(shards, witness)
    }

    /// Checks one shard, or a statement behind another, to which these values come in, and from which so many wires go
    /// out.
    ///
    /// # Errors
    /// As for [`check`](crate::witness::check).
    fn check_shard(
        &self,
        stream: &Gates<'_, F>,
        witness: Stream<'_, F>,
        incoming: Carried<F>,
        outgoing: usize,
    ) -> Result<()> {
        let mut clear = Clear::shard(witness, incoming, outgoing);
        stream.run(&mut clear)?;
        clear.finish_shard().map(drop)
    }

    /// Counts the gates: see [`Shape::without_depth`].
    ///
    /// # Errors
    /// `Invalid` where the statement is malformed.
    fn count(&self, source: &dyn Source<F>) -> Result<Shape> {
        Shape::without_depth(source)
    }

    /// Counts the gates, and digests them: see [`Count::fingerprint`].
    ///
    /// # Errors
    /// `Invalid` where the statement is malformed.
    fn fingerprint(&self, source: &dyn Source<F>) -> Result<(Shape, [u8; 32])> {
        Count::fingerprint(&Gates::new(source))
    }

    /// The gates of a statement, and its name: the given one, or that of its gates.
    ///
    /// # Errors
    /// `Invalid` where the statement is malformed.
    fn settle(&self, stream: &Gates<'_, F>, statement: Option<[u8; 32]>) -> Result<(Shape, [u8; 32])> {
        settle(stream, statement)
    }

    /// The gates of clauses, and the name of all, likewise.
    ///
    /// # Errors
    /// `Invalid` where a clause is malformed.
    fn settle_clauses(
        &self,
        clauses: &ClauseStream<'_, F>,
        options: &Options,
    ) -> Result<(Vec<Shape>, [u8; 32])> {
        settle_clauses(clauses, options)
    }

    /// The witness elements and hints of a satisfied statement, of which there are so many.
    ///
    /// # Errors
    /// As for [`check`](crate::witness::check).
    fn inputs(
        &self,
        stream: &Gates<'_, F>,
        witness: Stream<'_, F>,
        count: usize,
    ) -> Result<Zeroizing<Vec<F>>> {
        Clear::inputs(stream, witness, count)
    }

    /// The values with which the chosen clause holds: see [`Evaluation::values`].
    ///
    /// # Errors
    /// As there.
    fn clause_values(
        &self,
        evaluation: &Evaluation<'_, F>,
        chosen: usize,
        witness: &dyn Reread<F>,
        fixed_work: bool,
    ) -> Result<Zeroizing<Vec<F>>> {
        evaluation.values(chosen, witness, fixed_work)
    }
}

/// A statement over F_2 and `B` as streams of gates, with what is done to it in the clear. Whatever is a
/// [`MixedSource`] is one, and its functions are compiled where it becomes a `dyn MixedStatement`.
pub trait MixedStatement<B: Field>: MixedSource<B> {
    /// Checks it: see [`check_mixed`].
    ///
    /// # Errors
    /// As for [`check_mixed`].
    fn check(&self, bits: Stream<'_, F2>, numbers: Stream<'_, B>) -> Result<()>;

    /// Counts the gates.
    ///
    /// # Errors
    /// `Invalid` where it is malformed.
    fn count(&self) -> Result<MixedShape>;

    /// Counts the gates, and digests them: see [`MixedShape::fingerprint`].
    ///
    /// # Errors
    /// `Invalid` where it is malformed.
    fn fingerprint(&self) -> Result<(MixedShape, [u8; 32])>;
}

impl<B: Field, S: MixedSource<B>> MixedStatement<B> for S {
    fn check(&self, bits: Stream<'_, F2>, numbers: Stream<'_, B>) -> Result<()> {
        check_mixed(&MixedStreamed(self), bits, numbers)
    }
    fn count(&self) -> Result<MixedShape> {
        MixedShape::of(&MixedStreamed(self))
    }
    fn fingerprint(&self) -> Result<(MixedShape, [u8; 32])> {
        MixedShape::fingerprint(&MixedStreamed(self))
    }
}

/// The functions as they are compiled in this crate.
pub(crate) struct Here;

impl<F: Field> InTheClear<F> for Here {}
