//! One run of the circuit for some of the views, as many as fit side by side: all of some
//! repetitions, or some of one.
//!
//! As over F_2 the prover makes two passes over all views, and the verifier one.

use super::factors::Factors;
use super::shares::{Sizes, Sums};
use super::views::{ArithmeticViews, SLOTS, Shared, TILE, Tiles};
use crate::Demand;
use crate::passes::{self, Digests, Said, Scope};
use crate::simulation::miscounted;
use crate::tape::Segment;
use core::ops::Range;
use core::sync::atomic::Ordering::Relaxed;
use volery_channel::error::{Error, Rejection, Result};
use volery_circuit::{Circuit, Entries, Matrix};
use volery_primitives::Field;
use zeroize::Zeroizing;

/// The destination or the source of corrections.
pub(super) type Corrections<'a, B> = passes::Corrections<'a, B, Factors<B>>;

/// The views of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) repetitions: Range<usize>,
    /// The views of each of them.
    pub(super) views: Range<usize>,
}

impl Piece {
    /// All pieces, in the order of repetitions and then of views.
    pub(super) fn all(scope: &Scope, threads: usize) -> Vec<Self> {
        let views = scope.views();
        let pieces = scope.passes(threads, SLOTS).into_iter().flat_map(|repetitions| {
            (0..views).step_by(SLOTS).map(move |first| Self {
                repetitions: repetitions.clone(),
                views: first..views.min(first + SLOTS),
            })
        });
        pieces.collect()
    }

    /// The slot of a view, in which its shares are computed.
    pub(super) fn slot(&self, repetition: usize, view: usize) -> usize {
        (repetition - self.repetitions.start) * self.views.len() + (view - self.views.start)
    }

    /// The number of slots in use.
    pub(super) fn slots(&self) -> usize {
        self.repetitions.len() * self.views.len()
    }

    /// Whether this is the first piece of its repetitions, which sends their messages.
    pub(super) fn speaks(&self) -> bool {
        self.views.start == 0
    }
}

/// The messages of a pass: those of its repetitions, where it sends them, and the digests of its views'
/// shares of asserted wires.
pub(super) struct Spoken {
    said: Vec<Said>,
    asserted: Vec<[u8; 32]>,
}

/// Joins the messages of all pieces, in order, to the digests of each repetition.
pub(super) fn join(spoken: impl Iterator<Item = (Piece, Spoken)>) -> Vec<Digests> {
    let mut all: Vec<Said> = vec![];
    for (piece, spoken) in spoken {
        all.extend(spoken.said);
        let digests = spoken.asserted.chunks_exact(piece.views.len());
        let said = &mut all[piece.repetitions];
        said.iter_mut().zip(digests).for_each(|(said, digests)| {
            said.asserted.update(digests.as_flattened());
        });
    }
    all.iter().map(Said::digests).collect()
}

/// A tile of shares, drawn from the tapes.
#[derive(Default)]
struct Drawn<B: Field> {
    /// The shares, one column for each slot.
    columns: Zeroizing<Vec<B>>,
    /// The sum over all parties, one column for each repetition.
    totals: Zeroizing<Vec<B>>,
    /// The reserved place of the tile's corrections.
    reserved: usize,
}

/// A pass: one run of the circuit for a piece.
pub(super) struct Pass<'a, B: Field> {
    scope: &'a Scope<'a>,
    demand: &'a Demand,
    piece: Piece,
    pub(super) corrections: Corrections<'a, B>,
    said: Vec<Said>,
    /// The running digest of each slot's shares of asserted wires, in a pass that sends messages.
    asserted: Vec<blake3::Hasher>,
    sums: Option<&'a mut dyn Sums<B>>,
    /// All ones for slots that hold party 0.
    holds: [u64; SLOTS],
    /// Numbers of inputs and products drawn so far.
    done: [u64; 2],
    /// Numbers of entries and of products of matrices so far.
    gone: [u64; 2],
    drawn: [Drawn<B>; 2],
    /// The left and right factors of entries, column by column.
    sides: [Zeroizing<Vec<B>>; 2],
}

impl<'a, B: Field> Pass<'a, B> {
    /// A pass over `piece`, which sends messages where `says`, and else only sums.
    pub(super) fn new(
        (scope, demand): (&'a Scope<'a>, &'a Demand),
        piece: Piece,
        corrections: Corrections<'a, B>,
        sums: Option<&'a mut dyn Sums<B>>,
        says: bool,
    ) -> Self {
        let mut holds = [0; SLOTS];
        for e in piece.repetitions.clone() {
            for view in piece.views.clone().filter(|view| scope.tapes[e].complement(*view)) {
                holds[piece.slot(e, view)] = u64::MAX;
            }
        }
        let asserted = blake3::Hasher::new_derive_key("volery limbo v1, shares of what is asserted, by view");
        Self {
            said: if says && piece.speaks() { vec![Said::new(); piece.repetitions.len()] } else { vec![] },
            asserted: if says { vec![asserted; piece.slots()] } else { vec![] },
            scope,
            demand,
            piece,
            corrections,
            sums,
            holds,
            done: [0; 2],
            gone: [0; 2],
            drawn: Default::default(),
            sides: Default::default(),
        }
    }

    /// Runs `circuit`, and demands that it has the gates that were counted.
    pub(super) fn run(&mut self, circuit: &dyn for<'v> Circuit<ArithmeticViews<'v, B>>) -> Result<()> {
        ArithmeticViews::run(circuit, self.holds, self)?;
        let whole = self.done == self.scope.counts && self.gone[0] == self.demand.entries;
        if whole { Ok(()) } else { Err(miscounted()) }
    }

    /// The messages of the pass.
    pub(super) fn spoken(&self) -> Spoken {
        let asserted = self.asserted.iter().map(|hasher| hasher.finalize().into()).collect();
        Spoken { said: self.said.clone(), asserted }
    }

    /// Draws the next tile of a segment, and gives its number of values and its shares, in columns.
    fn next(&mut self, segment: Segment) -> Result<usize> {
        let kind = segment as usize;
        let from = self.done[kind];
        let count = (self.scope.counts[kind] - from).min(TILE as u64) as usize;
        if count == 0 {
            return Err(miscounted());
        }
        self.done[kind] += count as u64;
        let Self { scope, piece, drawn, said, corrections, .. } = self;
        let Drawn { columns, totals, .. } = &mut drawn[kind];
        columns.resize(piece.slots() * count, B::ZERO);
        totals.resize(piece.repetitions.len() * count, B::ZERO);
        let tapes = piece.repetitions.clone().map(|e| &scope.tapes[e]);
        let places = columns.chunks_exact_mut(piece.views.len() * count).zip(totals.chunks_exact_mut(count));
        for (tapes, (columns, totals)) in tapes.zip(places) {
            tapes.values(segment, from, piece.views.clone(), columns, totals);
        }
        let Corrections::Heard(transcript) = corrections else { return Ok(count) };
        let length = count * B::BYTES;
        let mut bytes = vec![0; length * scope.tapes.len()];
        transcript.hear(&mut bytes)?;
        let mine = &bytes[length * piece.repetitions.start..length * piece.repetitions.end];
        for (i, (e, bytes)) in piece.repetitions.clone().zip(mine.chunks_exact(length)).enumerate() {
            if let Some(said) = said.get_mut(i) {
                said.correct(segment, bytes);
            }
            let corrections = read_values::<B>(bytes)?;
            for view in piece.views.clone().filter(|view| scope.tapes[e].complement(*view)) {
                let slot = piece.slot(e, view);
                let column = &mut columns[slot * count..(slot + 1) * count];
                column.iter_mut().zip(&corrections).for_each(|(share, &correction)| *share += correction);
            }
        }
        Ok(count)
    }

    /// Reserves the place for the corrections of a tile of `count` values.
    fn reserve(&mut self, segment: Segment, count: usize) {
        if let Corrections::Made { made, .. } = &mut self.corrections {
            self.drawn[segment as usize].reserved =
                made.reserve(count * B::BYTES, self.piece.repetitions.len());
        }
    }

    /// Corrects a tile to the values `plain`.
    fn correct(&mut self, segment: Segment, plain: &[B]) {
        let Corrections::Made { made, .. } = &mut self.corrections else { return };
        let Drawn { totals, reserved, .. } = &self.drawn[segment as usize];
        let places = made.bytes[*reserved..].chunks_exact_mut(plain.len() * B::BYTES);
        for ((said, bytes), totals) in self.said.iter_mut().zip(places).zip(totals.chunks_exact(plain.len()))
        {
            for ((bytes, &plain), &total) in bytes.chunks_exact_mut(B::BYTES).zip(plain).zip(totals) {
                (plain - total).encode(bytes);
            }
            said.correct(segment, bytes);
        }
    }

    /// Turns columns of shares into wires.
    fn wires(&self, segment: Segment, count: usize, wires: &mut Vec<Shared<B>>) {
        wires.clear();
        wires.resize(count, Shared::ZERO);
        for (slot, column) in self.drawn[segment as usize].columns.chunks_exact(count).enumerate() {
            wires.iter_mut().zip(column).for_each(|(wire, &share)| wire.shares[slot] = share);
        }
    }
}

impl<B: Field> Tiles<B> for Pass<'_, B> {
    fn inputs(&mut self, wires: &mut Vec<Shared<B>>) -> Result<()> {
        let from = self.done[0] as usize;
        let count = self.next(Segment::Inputs)?;
        self.reserve(Segment::Inputs, count);
        self.wires(Segment::Inputs, count, wires);
        if let Corrections::Made { values, .. } = &self.corrections {
            let plain = &values[from..from + count];
            wires.iter_mut().zip(plain).for_each(|(wire, &value)| wire.value = value);
            self.correct(Segment::Inputs, plain);
        }
        Ok(())
    }

    fn products(&mut self, wires: &mut Vec<Shared<B>>) -> Result<()> {
        let from = self.done[1];
        let count = self.next(Segment::Products)?;
        self.reserve(Segment::Products, count);
        self.wires(Segment::Products, count, wires);
        if let Some(sums) = &mut self.sums {
            sums.products(from, count, &self.drawn[1].columns);
        }
        Ok(())
    }

    fn multiplied(&mut self, values: &[B]) {
        if values.is_empty() {
            return;
        }
        self.correct(Segment::Products, values);
        if let Some(progress) = self.scope.progress {
            progress.fetch_add(values.len() as u64, Relaxed);
        }
    }

    fn entries(&mut self, sides: [&[Shared<B>]; 2], products: &[u64]) {
        let from = self.gone[0];
        self.gone[0] += products.len() as u64;
        if let Corrections::Made { factors: Some(factors), .. } = &mut self.corrections {
            factors.push([values(sides[0]), values(sides[1])], products);
        }
        let Some(sums) = &mut self.sums else { return };
        for (columns, side) in self.sides.iter_mut().zip(sides) {
            columns.clear();
            for slot in 0..self.piece.slots() {
                columns.extend(side.iter().map(|wire| wire.shares[slot]));
            }
        }
        let [left, right] = &self.sides;
        sums.entries(from, products, [left, right]);
    }

    fn matrices(&mut self, a: Matrix<Shared<B>>, b: Matrix<Shared<B>>, c: Entries<B, Shared<B>>) {
        let sizes = Sizes { rows: a.rows().len(), inner: a.columns(), columns: b.columns() };
        let [from, number] = self.gone;
        self.gone = [from + sizes.inner as u64, number + 1];
        let claim = self.demand.products + number;
        if let Corrections::Made { factors: Some(factors), .. } = &mut self.corrections {
            let entries = |matrix: Matrix<Shared<B>>| Zeroizing::new(values(matrix.entries()).collect());
            factors.push_matrices(claim, sizes, [entries(a), entries(b)]);
        }
        let Some(sums) = &mut self.sums else { return };
        let share = |slot: usize| {
            let shares = |wires: &[Shared<B>]| wires.iter().map(|wire| wire.shares[slot]).collect();
            let product = match c {
                Entries::Public(c) => c.iter().map(|c| c.masked(self.holds[slot])).collect(),
                Entries::Wires(c) => shares(c),
            };
            [shares(a.entries()), shares(b.entries()), product]
        };
        sums.matrices(claim, from, sizes, &share);
    }

    fn asserted(&mut self, wires: &[Shared<B>]) {
        let mut bytes = vec![];
        for (slot, said) in self.asserted.iter_mut().enumerate() {
            bytes.clear();
            for wire in wires {
                let share = wire.shares[slot];
                // The view is what its complement leaves of zero.
                let share = if self.holds[slot] == 0 { share } else { -share };
                bytes.extend_from_slice(&share.to_integer().to_bytes()[..B::BYTES]);
            }
            said.update(&bytes);
        }
    }
}

/// The values of `wires`.
fn values<B: Field>(wires: &[Shared<B>]) -> impl Iterator<Item = B> {
    wires.iter().map(|wire| wire.value)
}

/// The values that `bytes` encode.
fn read_values<B: Field>(bytes: &[u8]) -> Result<Vec<B>> {
    let values = bytes.chunks_exact(B::BYTES).map(B::decode);
    values.collect::<Option<_>>().ok_or(Error::Rejected(Rejection::NonCanonicalCorrection))
}
