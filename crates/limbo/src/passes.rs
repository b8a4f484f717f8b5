//! Passes over the circuit, each of which follows some of the repetitions: their input, their messages, and
//! the way of corrections.

use super::shared::Shared;
use super::tape::{Segment, Tapes};
use super::transcript::{ProverTranscript, VerifierTranscript};
use core::ops::Range;
use core::sync::atomic::AtomicU64;
use std::sync::Mutex;
use std::thread;
use volery_channel::error::Result;
use volery_primitives::Arch;

/// The input of all passes, apart from the circuit.
pub(super) struct Scope<'a> {
    pub(super) arch: Arch,
    /// The tapes of all repetitions.
    pub(super) tapes: &'a [Tapes],
    /// The numbers of inputs (witness and hints) and of products of the circuit.
    pub(super) counts: [u64; 2],
    /// A counter of products, for those who watch.
    pub(super) progress: Option<&'a AtomicU64>,
}

impl Scope<'_> {
    /// The repetitions of each pass. Each of `threads` has some, if there are enough, and their views fit
    /// into `slots`; a single repetition may exceed them.
    pub(super) fn passes(&self, threads: usize, slots: usize) -> Vec<Range<usize>> {
        let repetitions = self.tapes.len();
        let each = together(repetitions, self.views(), threads, slots);
        (0..repetitions).step_by(each).map(|first| first..repetitions.min(first + each)).collect()
    }

    /// The number of views of a repetition.
    pub(super) fn views(&self) -> usize {
        self.tapes[0].views()
    }
}

/// The number of repetitions that one pass follows, of `repetitions` with `views` views each.
fn together(repetitions: usize, views: usize, threads: usize, slots: usize) -> usize {
    (slots / views).max(1).min(repetitions.div_ceil(threads.max(1)))
}

/// The number of walks over the circuit that all passes make together, where a walk has `slots` for views.
pub(super) fn walks(repetitions: usize, views: usize, threads: usize, slots: usize) -> u64 {
    let passes = repetitions.div_ceil(together(repetitions, views, threads, slots));
    (passes * views.div_ceil(slots)) as u64
}

/// The digests of a repetition's messages about the circuit: of [`Said`], finished.
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

    /// The digests of inputs' corrections, products' corrections and asserted shares.
    pub(super) fn digests(&self) -> Digests {
        [&self.inputs, &self.products, &self.asserted].map(|hasher| hasher.finalize().into())
    }
}

/// The corrections of some repetitions, tile by tile in the order in which the circuit comes to need them.
#[derive(Default)]
pub(super) struct Made {
    /// The bytes of one repetition's corrections in each tile.
    lengths: Vec<usize>,
    /// The corrections, tile by tile, and in each tile repetition by repetition.
    pub(super) bytes: Vec<u8>,
}

impl Made {
    /// Reserves the place for a tile, and gives its beginning.
    pub(super) fn reserve(&mut self, length: usize, repetitions: usize) -> usize {
        let at = self.bytes.len();
        self.lengths.push(length);
        self.bytes.resize(at + length * repetitions, 0);
        at
    }

    /// Sends the corrections of all repetitions; each of `passes` has made those of so many.
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

/// The destination or the source of a pass's corrections, for values of `F`; `K` keeps the factors of
/// products.
pub(super) enum Corrections<'a, F, K> {
    /// Corrections that this pass computes from the values of inputs and products.
    Made { values: &'a [F], made: Made, factors: Option<K> },
    /// Corrections that an earlier pass has made. Views that do not hold party 0 need none.
    Past,
    /// Corrections that are received, for all repetitions.
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

/// Calls `run` as [`each`] does, with all passes receiving the messages of `transcript`. They are kept until
/// the last pass has them.
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
