//! Witnesses behind pointers, and statements that are evaluated in the clear.

use std::sync::Arc;
use volery_channel::error::Result;
use volery_circuit::crossing::Carried;
use volery_circuit::stream::{Functions, Recorder, Shard, ShardSource, Source, Stream as Gates};
use volery_circuit::{Announced, Circuit as _, Clear, nothing_asserted};
use volery_primitives::Field;
use zeroize::Zeroizing;

/// The elements of a witness.
pub type Stream<'w, F> = Box<dyn Iterator<Item = F> + 'w>;

/// A witness that is read as often as a session needs: whatever gives its elements and can be cloned.
pub trait Reread<F> {
    /// The elements, from the first.
    fn read(&self) -> Stream<'_, F>;
}

impl<F, W: IntoIterator<Item = F> + Clone> Reread<F> for W {
    fn read(&self) -> Stream<'_, F> {
        Box::new(self.clone().into_iter())
    }
}

impl<'w, F> IntoIterator for &'w (dyn Reread<F> + 'w) {
    type Item = F;
    type IntoIter = Stream<'w, F>;

    fn into_iter(self) -> Stream<'w, F> {
        self.read()
    }
}

/// Evaluates `circuit` on `witness` in the clear.
///
/// # Errors
/// `Unsatisfied` with the name of the first assertion that fails; `Invalid` where the witness is too short or
/// too long, or the circuit asserts nothing or is malformed.
pub fn check<F, W, C>(circuit: &C, witness: W) -> Result<()>
where
    F: Field,
    W: IntoIterator<Item = F>,
    C: Source<F> + ?Sized,
{
    let witness: Stream<'_, F> = Box::new(witness.into_iter());
    check_stream(&Gates::new(&By(circuit)), witness)
}

/// A statement behind a thin pointer.
struct By<'c, C: ?Sized>(&'c C);

impl<F: Field, C: Source<F> + ?Sized> Source<F> for By<'_, C> {
    fn record(&self, recorder: &mut Recorder<'_, F>) -> Result<()> {
        self.0.record(recorder)
    }
    fn functions(&self) -> Option<Arc<Functions<F>>> {
        self.0.functions()
    }
}

/// Checks a stream of gates in the clear: see [`check`].
pub fn check_stream<F: Field>(stream: &Gates<'_, F>, witness: Stream<'_, F>) -> Result<()> {
    let mut clear = Clear::new(witness);
    stream.run(&mut clear)?;
    clear.finish()
}

/// Evaluates all shards in the clear, one after the other, of each of which `witness` gives the witness: no
/// more than that of one, and what crosses, is there at a time.
///
/// # Errors
/// As for [`check_stream`].
pub fn check_shards<'w, F: Field>(
    shards: &dyn ShardSource<F>,
    witness: &dyn Fn(usize) -> Stream<'w, F>,
) -> Result<()> {
    let announced = Announced::of(shards)?;
    let mut given: Vec<Carried<F>> = Vec::with_capacity(announced.count());
    let mut compared = 0;
    for shard in 0..announced.count() {
        let needs = announced.needs(shard).iter();
        let incoming = needs.flat_map(|need| &given[need.from][need.wires.clone()]).copied();
        let incoming = Zeroizing::new(incoming.collect());
        let mut clear = Clear::shard(witness(shard), Carried::new(incoming), announced.outgoing(shard));
        Gates::new(&Shard::new(shards, &announced, shard)).run(&mut clear)?;
        let (outgoing, compares) = clear.finish_shard()?;
        compared += compares;
        given.push(outgoing);
        for from in announced.sources(shard) {
            if announced.consumers(*from).last() == Some(&shard) {
                given[*from] = Carried::default();
            }
        }
    }
    if compared == 0 { Err(nothing_asserted()) } else { Ok(()) }
}
