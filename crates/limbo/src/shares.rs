//! Each view's shares of the opened values, as sums over all gates with public coefficients.
//!
//! Shares of bits need no multiplication: bit by bit of the coefficients, they choose what is summed. Which
//! memory is read, and what is done, depends on none of them.

use super::challenges::{Challenges, Coefficients, EntryCoefficients};
use super::polynomials::Points;
use core::ops::Range;
use std::rc::Rc;
use volery_primitives::arch::bit_products;
use volery_primitives::bits::transpose;
use volery_primitives::{Arch, CheckField, F128};

/// The most bytes of a coefficient.
const MOST_BYTES: usize = 32;

/// Bits of a tile, 128 gates in each element: block b of lane v at `v·blocks + b`.
pub(super) struct Planes<'p> {
    /// The left and the right factors.
    pub(super) factors: [&'p [F128]; 2],
    /// The products.
    pub(super) products: &'p [F128],
    /// The number of blocks.
    pub(super) blocks: usize,
}

/// Sums over the shares of a pass.
pub(super) trait Sums: Send {
    /// Adds what `count` products contribute, from number `from` on.
    fn add(&mut self, from: u64, count: usize, planes: &Planes);
}

/// The shares of one view of one repetition.
#[derive(Clone)]
pub(super) struct Share<E> {
    /// The shares of the left vector, and of the right one.
    pub(super) sides: [Vec<E>; 2],
    /// The share of the claimed inner product.
    pub(super) product: E,
}

/// The shares of the repetitions of a pass, over a field of characteristic two.
pub(super) struct Shares<E> {
    arch: Arch,
    /// For each group of this pass its coefficients, and its lanes, counted from 0.
    groups: Vec<(Coefficients<E>, Range<usize>)>,
    run: EntryCoefficients<E>,
    /// The coefficients' bits: block b of bit i is at `i·blocks + b`.
    bits: Vec<F128>,
    /// For each entry of the last left vector, each of the last right one, and the product: for each lane and
    /// each bit of the share, words whose parity is the bit.
    sums: Vec<Vec<F128>>,
    last: usize,
}

impl<E: CheckField> Shares<E> {
    const BITS: usize = E::SIZE_BITS as usize;

    /// Empty sums for `repetitions` with `views` views each, whose vectors end with `last` entries.
    pub(super) fn new(
        arch: Arch,
        compression: usize,
        challenges: &Challenges<E>,
        repetitions: Range<usize>,
        views: usize,
        last: usize,
    ) -> Self {
        let lanes = repetitions.len() * views;
        let groups = match challenges.groups() {
            1 => vec![(Coefficients::new(arch, compression, challenges, 0), 0..lanes)],
            _ => (0..lanes)
                .step_by(views)
                .zip(repetitions)
                .map(|(lane, e)| (Coefficients::new(arch, compression, challenges, e), lane..lane + views))
                .collect(),
        };
        Self {
            arch,
            groups,
            run: EntryCoefficients::default(),
            bits: vec![],
            sums: vec![vec![F128(0); lanes * Self::BITS]; 2 * last + 1],
            last,
        }
    }

    /// The shares, view by view of each repetition.
    pub(super) fn finish(self) -> Vec<Share<E>> {
        let lanes = self.sums[0].len() / Self::BITS;
        let element = |sums: &Vec<F128>, lane: usize| {
            let mut bytes = [0; MOST_BYTES];
            for (i, sum) in sums[lane * Self::BITS..(lane + 1) * Self::BITS].iter().enumerate() {
                bytes[i / 8] |= ((sum.0.count_ones() & 1) as u8) << (i % 8);
            }
            E::read(&bytes[..E::ENCODED]).expect("all bits of a field of characteristic two")
        };
        let share = |lane| Share {
            sides: [0, 1].map(|side| {
                let entries = &self.sums[side * self.last..(side + 1) * self.last];
                entries.iter().map(|sums| element(sums, lane)).collect()
            }),
            product: element(&self.sums[2 * self.last], lane),
        };
        (0..lanes).map(share).collect()
    }
}

impl<E: CheckField> Sums for Shares<E> {
    fn add(&mut self, from: u64, count: usize, planes: &Planes) {
        let Self { arch, groups, run, bits, sums, last } = self;
        let blocks = planes.blocks;
        bits.resize(Self::BITS * blocks, F128(0));
        run.resize(count);
        for (coefficients, lanes) in groups {
            coefficients.fill(*arch, from, run);
            // Lane 0 of the planes is for values.
            let columns = (lanes.start + 1) * blocks..(lanes.end + 1) * blocks;
            let places = lanes.start * Self::BITS..lanes.end * Self::BITS;
            // What ends in one entry of the last vector is a range of gates.
            let stride = coefficients.stride();
            for entry in from / stride..=(from + count as u64 - 1) / stride {
                let within = |gate: u64| (gate.clamp(from, from + count as u64) - from) as usize;
                let part = within(entry * stride)..within((entry + 1) * stride);
                for (side, run) in [&run.left, &run.right].into_iter().enumerate() {
                    to_bits(*arch, run, part.clone(), blocks, bits);
                    let sums = &mut sums[side * *last + entry as usize][places.clone()];
                    bit_products(*arch, bits, &planes.factors[side][columns.clone()], blocks, sums);
                }
            }
            to_bits(*arch, &run.product, 0..count, blocks, bits);
            let sums = &mut sums[2 * *last][places];
            bit_products(*arch, bits, &planes.products[columns], blocks, sums);
        }
    }
}

/// The bits of `elements`, of which those outside of `part` count as zero: block b of bit
/// i at `i·blocks + b`.
fn to_bits<E: CheckField>(arch: Arch, elements: &[E], part: Range<usize>, blocks: usize, bits: &mut [F128]) {
    let (mut square, mut transposed) = ([F128(0); 128], [F128(0); 128]);
    for block in 0..blocks {
        for (half, bits) in bits.chunks_mut(128 * blocks).enumerate() {
            for (i, row) in square.iter_mut().enumerate() {
                let at = 128 * block + i;
                let mut bytes = [0; MOST_BYTES];
                if part.contains(&at) {
                    elements[at].write(&mut bytes[..E::ENCODED]);
                }
                *row = F128::from_bytes(bytes.as_chunks().0[half]);
            }
            transpose(arch, &square, &mut transposed);
            for (bits, row) in bits.chunks_exact_mut(blocks).zip(&transposed) {
                bits[block] = *row;
            }
        }
    }
}

/// Follows a view through the rounds: from its share of the claimed inner product, and its shares `tape` of
/// what was injected and of the masks, in the order of the tape, to its share of what is opened.
pub(super) fn finish<E: CheckField>(
    share: &mut Share<E>,
    rounds: &[Rc<Points<E>>],
    compression: usize,
    challenges: &Challenges<E>,
    group: usize,
    mut tape: &[E],
) {
    for (points, challenges) in rounds.iter().zip(&challenges.rounds) {
        let evaluation = &challenges[group];
        if points.masks() {
            let last = *evaluation.factor.last().expect("k and one");
            for side in &mut share.sides {
                let (masks, rest) = tape.split_at(side.len());
                side.iter_mut().zip(masks).for_each(|(sum, &mask)| *sum += mask * last);
                tape = rest;
            }
        }
        let (injected, rest) = tape.split_at(points.injected());
        tape = rest;
        // The product at point k is what the claim leaves for it.
        let before: E = injected[..compression - 1].iter().copied().sum();
        let left = share.product - before;
        let (first, behind) = evaluation.product.split_at(compression - 1);
        let values = first.iter().chain(&behind[1..]).zip(injected);
        share.product = left * behind[0] + values.map(|(&factor, &value)| factor * value).sum();
    }
}
