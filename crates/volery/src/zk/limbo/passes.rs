//! Runs of the circuit, of which each follows some of the repetitions: what they are made over, what they
//! say, and where corrections go.

use super::shared::Shared;
use super::tape::{Segment, Tapes};
use super::transcript::{ProverTranscript, VerifierTranscript};
use crate::error::Result;
use core::ops::Range;
use core::sync::atomic::AtomicU64;
use std::sync::Mutex;
use std::thread;
use volery_primitives::Arch;

/// The input of all passes, apart from the circuit.
pub(super) struct Scope<'a> {
    pub(super) arch: Arch,
    /// The tapes of all repetitions.
    pub(super) tapes: &'a [Tapes],
    /// Witness and hints of the circuit, and its products.
    pub(super) counts: [u64; 2],
    /// Moved on by the products.
    pub(super) progress: Option<&'a AtomicU64>,
}

impl Scope<'_> {
    /// The repetitions of each pass, so many that `threads` have some, and that their views fit into `slots`;
    /// one, where not even those of one do.
    pub(super) fn passes(&self, threads: usize, slots: usize) -> Vec<Range<usize>> {
        let repetitions = self.tapes.len();
        let each = together(repetitions, self.views(), threads, slots);
        (0..repetitions).step_by(each).map(|first| first..repetitions.min(first + each)).collect()
    }

    /// The views of each repetition.
    pub(super) fn views(&self) -> usize {
        self.tapes[0].views()
    }
}

/// How many of so many `repetitions`, each of so many `views`, a pass follows.
fn together(repetitions: usize, views: usize, threads: usize, slots: usize) -> usize {
    (slots / views).max(1).min(repetitions.div_ceil(threads.max(1)))
}

/// How often all passes together walk over the circuit, where a walk has `slots` for views.
pub(super) fn walks(repetitions: usize, views: usize, threads: usize, slots: usize) -> u64 {
    let passes = repetitions.div_ceil(together(repetitions, views, threads, slots));
    (passes * views.div_ceil(slots)) as u64
}

/// The digests of what a repetition says of the circuit: [`Said`], finished.
pub(super) type Digests = [[u8; 32]; 3];

/// The messages of one repetition about the circuit, as running digests.
#[derive(Clone)]
pub(super) struct Said {
    inputs: blake3::Hasher,
    products: blake3::Hasher,
    pub(super) asserted: blake3::Hasher,
}

impl Said {
    pub(super) fn new() -> Self {
        let [inputs, products, asserted] = [
            "volery limbo v1, corrections of inputs",
            "volery limbo v1, corrections of products",
            "volery limbo v1, shares of what is asserted",
        ]
        .map(blake3::Hasher::new_derive_key);
        Self { inputs, products, asserted }
    }

    /// The corrections of a tile of a segment of the circuit.
    pub(super) fn correct(&mut self, segment: Segment, bytes: &[u8]) {
        let said = if segment == Segment::Inputs { &mut self.inputs } else { &mut self.products };
        said.update(bytes);
    }

    /// The digests of the three.
    pub(super) fn digests(&self) -> Digests {
        [&self.inputs, &self.products, &self.asserted].map(|hasher| hasher.finalize().into())
    }
}

/// The corrections of some repetitions, tile by tile in the order in which the circuit comes to need them.
#[derive(Default)]
pub(super) struct Made {
    /// The bytes of one repetition in each tile.
    lengths: Vec<usize>,
    /// Tile by tile, in each repetition by repetition.
    pub(super) bytes: Vec<u8>,
}

impl Made {
    /// Room for a tile; where it begins.
    pub(super) fn reserve(&mut self, length: usize, repetitions: usize) -> usize {
        let at = self.bytes.len();
        self.lengths.push(length);
        self.bytes.resize(at + length * repetitions, 0);
        at
    }

    /// Says those of all repetitions, of which each pass made those of so many.
    pub(super) fn say(passes: &[(usize, Self)], transcript: &mut dyn ProverTranscript) -> Result<()> {
        let tiles = passes.first().map_or(0, |(_, made)| made.lengths.len());
        let mut at = vec![0; passes.len()];
        let mut message = vec![];
        for tile in 0..tiles {
            message.clear();
            for ((repetitions, made), at) in passes.iter().zip(&mut at) {
                let length = made.lengths[tile] * repetitions;
                message.extend_from_slice(&made.bytes[*at..*at + length]);
                *at += length;
            }
            transcript.say(&message)?;
        }
        Ok(())
    }
}

/// The destination or the source of corrections: those of values `F`, whose products have the factors `K`.
pub(super) enum Corrections<'a, F, K> {
    /// Corrections made of the values of inputs and products.
    Made { values: &'a [F], made: Made, factors: Option<K> },
    /// Corrections that were made before; views that do not hold party 0 need none.
    Past,
    /// Corrections that are received, those of all repetitions.
    Heard(&'a mut dyn VerifierTranscript),
}

/// Calls `run` for each of `passes`, on so many threads, and gives the results in their order.
pub(super) fn each<P: Clone + Sync, T: Send>(
    threads: usize,
    passes: &[P],
    run: impl Fn(P) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let places: Vec<_> = passes.iter().map(|_| Mutex::new(None)).collect();
    spread(threads, passes.len(), &|pass| {
        let made = run(passes[pass].clone())?;
        *places[pass].lock().expect("passes do not panic") = Some(made);
        Ok(())
    })?;
    let made = places.into_iter().map(|place| place.into_inner().expect("passes do not panic"));
    Ok(made.map(|made| made.expect("each pass was run")).collect())
}

/// Calls `run` for each of `count` passes, on so many threads.
fn spread(threads: usize, count: usize, run: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
    let together = threads.max(1);
    for first in (0..count).step_by(together) {
        let passes = first..count.min(first + together);
        if passes.len() == 1 {
            run(first)?;
            continue;
        }
        let results: Vec<_> = thread::scope(|scope| {
            let running: Vec<_> = passes.map(|pass| scope.spawn(move || run(pass))).collect();
            running.into_iter().map(|pass| pass.join().expect("passes do not panic")).collect()
        });
        results.into_iter().collect::<Result<()>>()?;
    }
    Ok(())
}

/// Calls `run` as [`each`] does, where all passes receive what `transcript` does. A single pass keeps nothing
/// of it.
pub(super) fn each_hearing<P: Clone + Sync, T: Send>(
    threads: usize,
    passes: &[P],
    transcript: &mut dyn VerifierTranscript,
    run: impl Fn(P, &mut dyn VerifierTranscript) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    if let [pass] = passes {
        return Ok(vec![run(pass.clone(), transcript)?]);
    }
    let shared = Shared::new(transcript, passes.len());
    each(threads, passes, |pass| run(pass, &mut shared.listener()))
}
