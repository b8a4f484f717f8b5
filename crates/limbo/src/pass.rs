//! One run of the circuit for some of the repetitions: as many as fit into words side by side.
//!
//! The prover makes two passes: one fixes what it has to say of the circuit
//! ([`Corrections::Made`], with digests), the other, when all challenges to the check are known,
//! sums shares. The verifier makes one for both.

use super::claim::Factors;
use super::passes::{Digests, Said, Scope};
use super::shares::{Planes, Sums};
use super::simulation::{TILE, Tiles, Views, Word, miscounted};
use super::tape::Segment;
use core::ops::Range;
use core::sync::atomic::Ordering::Relaxed;
use volery_channel::error::{Error, Rejection, Result};
use volery_circuit::Circuit;
use volery_primitives::bits::transpose;
use volery_primitives::{F2, F128};
use zeroize::Zeroizing;

/// The destination or the source of corrections.
pub(super) type Corrections<'a> = super::passes::Corrections<'a, F2, Factors>;

/// A tile of shares, drawn from the tapes.
#[derive(Default)]
struct Drawn {
    /// The shares, bit by bit: block b of lane v is at `v·blocks + b`; lane 0 is for values.
    columns: Zeroizing<Vec<F128>>,
    /// The sum over all parties, for each repetition.
    totals: Zeroizing<Vec<F128>>,
}

/// A pass: one run of the circuit for some repetitions.
pub(super) struct Pass<'a> {
    scope: &'a Scope<'a>,
    repetitions: Range<usize>,
    pub(super) corrections: Corrections<'a>,
    said: Vec<Said>,
    sums: Option<&'a mut dyn Sums>,
    /// Numbers of inputs and products drawn so far.
    done: [u64; 2],
    /// The tile of inputs, and the tile of products, which is kept until its factors arrive.
    drawn: [Drawn; 2],
    /// The reserved place of the corrections of this tile of products.
    reserved: usize,
    rows: Zeroizing<Vec<F128>>,
    planes: [Zeroizing<Vec<F128>>; 2],
}

impl<'a> Pass<'a> {
    pub(super) fn new(
        scope: &'a Scope<'a>,
        repetitions: Range<usize>,
        corrections: Corrections<'a>,
        sums: Option<&'a mut dyn Sums>,
    ) -> Self {
        let said = match corrections {
            Corrections::Past => vec![],
            _ => vec![Said::new(); repetitions.len()],
        };
        Self {
            scope,
            repetitions,
            corrections,
            said,
            sums,
            done: [0; 2],
            drawn: Default::default(),
            reserved: 0,
            rows: Zeroizing::default(),
            planes: Default::default(),
        }
    }

    /// Runs `circuit`, and demands that it has the gates that were counted.
    pub(super) fn run(&mut self, circuit: &dyn for<'v> Circuit<Views<'v>>) -> Result<()> {
        let mut one = Word::default();
        let mut set = |lane: usize| one[lane / 128].0 |= 1 << (lane % 128);
        if matches!(self.corrections, Corrections::Made { .. }) {
            set(0);
        }
        let (tapes, views) = (self.scope.tapes, self.scope.views());
        for e in self.repetitions.clone() {
            let lanes = (0..views).filter(|view| tapes[e].complement(*view));
            lanes.for_each(|view| set(self.lane(e, view)));
        }
        Views::run(circuit, one, self)?;
        if self.done == self.scope.counts { Ok(()) } else { Err(miscounted()) }
    }

    /// The digests of each repetition's messages.
    pub(super) fn said(&self) -> Vec<Digests> {
        self.said.iter().map(Said::digests).collect()
    }

    fn lane(&self, repetition: usize, view: usize) -> usize {
        1 + (repetition - self.repetitions.start) * self.scope.views() + view
    }

    /// The 128-bit halves of words that are in use.
    fn halves(&self) -> usize {
        (1 + self.repetitions.len() * self.scope.views()).div_ceil(128)
    }

    /// Draws the next tile of a segment, and gives its number of values, its views and its totals, in
    /// columns.
    fn next(&mut self, segment: Segment) -> Result<usize> {
        let kind = segment as usize;
        let done = self.done[kind];
        let count = (self.scope.counts[kind] - done).min(TILE as u64) as usize;
        if count == 0 {
            return Err(miscounted());
        }
        self.done[kind] += count as u64;
        let blocks = count.div_ceil(128);
        let lanes = 128 * self.halves();
        let Drawn { columns, totals } = &mut self.drawn[kind];
        columns.clear();
        columns.resize(lanes * blocks, F128(0));
        totals.clear();
        totals.resize(self.repetitions.len() * blocks, F128(0));
        let (tapes, views) = (self.scope.tapes, self.scope.views());
        for (i, e) in self.repetitions.clone().enumerate() {
            let column = |view| (1 + i * views + view) * blocks..(2 + i * views + view) * blocks;
            let totals = &mut totals[i * blocks..(i + 1) * blocks];
            tapes[e].bits(segment, done / 128, column, columns, totals);
        }
        if let Corrections::Heard(from) = &mut self.corrections {
            let length = count.div_ceil(8);
            let mut bytes = vec![0; length * tapes.len()];
            from.hear(&mut bytes)?;
            let mine = self
                .repetitions
                .clone()
                .enumerate()
                .zip(bytes.chunks_exact(length).skip(self.repetitions.start));
            for ((i, e), bytes) in mine {
                if !count.is_multiple_of(8) && bytes[length - 1] >> (count % 8) != 0 {
                    return Err(Error::Rejected(Rejection::BitsBehindCorrections));
                }
                self.said[i].correct(segment, bytes);
                for view in (0..views).filter(|view| tapes[e].complement(*view)) {
                    let column = &mut columns[(1 + i * views + view) * blocks..];
                    for (block, bytes) in column.iter_mut().zip(bytes.chunks(16)) {
                        *block += read_block(bytes);
                    }
                }
            }
        }
        Ok(count)
    }

    /// Corrects a tile of `count` values to the values `plain`; the corrections go to `at`.
    fn correct(&mut self, segment: Segment, plain: &[F128], count: usize, at: usize) {
        let Corrections::Made { made, .. } = &mut self.corrections else { return };
        let (length, blocks) = (count.div_ceil(8), plain.len());
        let places = made.bytes[at..].chunks_exact_mut(length);
        for ((said, bytes), totals) in
            self.said.iter_mut().zip(places).zip(self.drawn[segment as usize].totals.chunks_exact(blocks))
        {
            for (i, ((bytes, &plain), &total)) in bytes.chunks_mut(16).zip(plain).zip(totals).enumerate() {
                let block = (plain + total).0 & low_bits(count - 128 * i);
                bytes.copy_from_slice(&block.to_le_bytes()[..bytes.len()]);
            }
            said.correct(segment, bytes);
        }
    }

    /// Turns columns of shares into words.
    fn words(&mut self, segment: Segment, count: usize, words: &mut Vec<Word>) {
        let columns = &self.drawn[segment as usize].columns;
        let each = columns.len() / self.halves();
        self.rows.resize(each, F128(0));
        words.clear();
        words.resize(count, Word::default());
        for (half, columns) in columns.chunks_exact(each).enumerate() {
            transpose(self.scope.arch, columns, &mut self.rows);
            words.iter_mut().zip(&*self.rows).for_each(|(word, &row)| word[half] = row);
        }
    }

    /// Turns words into planes: block b of lane v goes to `v·blocks + b`.
    fn planes(&mut self, side: usize, words: &[Word]) {
        let blocks = words.len().div_ceil(128);
        let halves = self.halves();
        let planes = &mut self.planes[side];
        planes.resize(128 * halves * blocks, F128(0));
        let (mut square, mut transposed) = ([F128(0); 128], [F128(0); 128]);
        for (half, planes) in planes.chunks_exact_mut(128 * blocks).enumerate() {
            for (block, words) in words.chunks(128).enumerate() {
                square[words.len()..].fill(F128(0));
                square.iter_mut().zip(words).for_each(|(row, word)| *row = word[half]);
                transpose(self.scope.arch, &square, &mut transposed);
                for (plane, row) in planes.chunks_exact_mut(blocks).zip(&transposed) {
                    plane[block] = *row;
                }
            }
        }
    }
}

impl Tiles for Pass<'_> {
    fn inputs(&mut self, words: &mut Vec<Word>) -> Result<()> {
        let from = self.done[0] as usize;
        let count = self.next(Segment::Inputs)?;
        if let Corrections::Made { values, made, .. } = &mut self.corrections {
            let plain: Zeroizing<Vec<F128>> =
                Zeroizing::new(values[from..from + count].chunks(128).map(pack).collect());
            self.drawn[0].columns[..plain.len()].copy_from_slice(&plain);
            let at = made.reserve(count.div_ceil(8), self.repetitions.len());
            self.correct(Segment::Inputs, &plain, count, at);
        }
        self.words(Segment::Inputs, count, words);
        Ok(())
    }

    fn products(&mut self, words: &mut Vec<Word>) -> Result<()> {
        let count = self.next(Segment::Products)?;
        if let Corrections::Made { made, .. } = &mut self.corrections {
            self.reserved = made.reserve(count.div_ceil(8), self.repetitions.len());
        }
        self.words(Segment::Products, count, words);
        Ok(())
    }

    fn multiplied(&mut self, a: &[Word], b: &[Word]) -> Result<()> {
        let count = a.len();
        let from = self.done[1] - count as u64;
        if matches!(self.corrections, Corrections::Made { .. }) {
            let [left, right] = [a, b].map(|words| -> Zeroizing<Vec<u64>> {
                let packed = words.chunks(64).map(|words| {
                    words.iter().enumerate().fold(0, |packed, (i, word)| packed | (word[0].0 as u64 & 1) << i)
                });
                Zeroizing::new(packed.collect())
            });
            let plain = left.chunks(2).zip(right.chunks(2)).map(|(left, right)| {
                let product = |i: usize| left.get(i).map_or(0, |left| u128::from(left & right[i]));
                F128(product(0) | product(1) << 64)
            });
            let plain: Zeroizing<Vec<F128>> = Zeroizing::new(plain.collect());
            self.correct(Segment::Products, &plain, count, self.reserved);
            if let Corrections::Made { factors: Some(factors), .. } = &mut self.corrections {
                factors.left.extend_from_slice(&left);
                factors.right.extend_from_slice(&right);
                factors.length += count;
            }
        }
        if self.sums.is_some() {
            self.planes(0, a);
            self.planes(1, b);
            let [left, right] = &self.planes;
            let planes = Planes {
                factors: [left, right],
                products: &self.drawn[1].columns,
                blocks: count.div_ceil(128),
            };
            self.sums.as_mut().expect("checked above").add(from, count, &planes);
        }
        if let Some(progress) = self.scope.progress {
            progress.fetch_add(count as u64, Relaxed);
        }
        Ok(())
    }

    fn asserted(&mut self, words: &[Word]) {
        if self.said.is_empty() || words.is_empty() {
            return;
        }
        let length = words.len().div_ceil(8);
        self.planes(0, words);
        for (i, said) in self.said.iter_mut().enumerate() {
            for view in 0..self.scope.views() {
                let lane = 1 + i * self.scope.views() + view;
                let bits = self.planes[0][lane];
                said.asserted.update(&bits.to_bytes()[..length]);
            }
        }
    }
}

/// All ones in the lowest `count` bits.
fn low_bits(count: usize) -> u128 {
    u128::MAX >> (128 - count.min(128))
}

fn pack(values: &[F2]) -> F128 {
    F128(values.iter().enumerate().fold(0, |packed, (i, value)| packed | F128::from(*value).0 << i))
}

fn read_block(bytes: &[u8]) -> F128 {
    let mut block = [0; 16];
    block[..bytes.len()].copy_from_slice(bytes);
    F128::from_bytes(block)
}
