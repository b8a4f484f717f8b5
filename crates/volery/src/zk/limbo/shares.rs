//! What each view holds of the opened values in the end, as sums over all gates with public coefficients.
//!
//! Shares of bits need no multiplication: four gates at a time, a table of the 16 sums of their coefficients serves all
//! views, and all repetitions with the same challenges.

use super::challenges::{Challenges, Coefficients, Run};
use super::polynomials::Points;
use super::simulation::TILE;
use core::ops::Range;
use volery_primitives::{Arch, CheckField, F128};

/// Gates whose tables stand together.
const STRIP: usize = 512;

/// Bits of a tile, 128 gates in each element.
pub(super) struct Planes<'p> {
    /// Of the left and of the right factors: block b of view v at `128·b + v` of one of two halves, by v.
    pub(super) factors: [&'p [Vec<F128>; 2]; 2],
    /// Of the products: block b of view v at `v·blocks + b`.
    pub(super) products: &'p [F128],
    /// The number of blocks.
    pub(super) blocks: usize,
}

impl Planes<'_> {
    fn factor(&self, side: usize, block: usize, view: usize) -> F128 {
        self.factors[side][view / 128][128 * block + view % 128]
    }
}

/// Where the shares of a pass are summed.
pub(super) trait Sums: Send {
    /// Adds what `count` products from number `from` on give.
    fn add(&mut self, from: u64, count: usize, planes: &Planes);
}

/// What one view of one repetition holds.
#[derive(Clone)]
pub(super) struct Share<E> {
    /// Of the left vector, of the right one.
    pub(super) sides: [Vec<E>; 2],
    /// Of the claimed inner product.
    pub(super) product: E,
}

/// The shares of the repetitions of a pass.
pub(super) struct Shares<E> {
    arch: Arch,
    /// For each group of this pass its coefficients, and its lanes in words.
    groups: Vec<(Coefficients<E>, Range<usize>)>,
    run: Run<E>,
    tables: [Vec<E>; 3],
    /// One for each lane from number 1 on.
    pub(super) shares: Vec<Share<E>>,
}

impl<E: CheckField> Shares<E> {
    /// Those of `repetitions` with so many views each, whose vectors end with `last` entries.
    pub(super) fn new(
        arch: Arch,
        compression: usize,
        challenges: &Challenges<E>,
        repetitions: Range<usize>,
        views: usize,
        last: usize,
    ) -> Self {
        let lane = |repetition: usize| 1 + (repetition - repetitions.start) * views;
        let groups = match challenges.groups() {
            1 => vec![(Coefficients::new(compression, challenges, 0), 1..lane(repetitions.end))],
            _ => repetitions
                .clone()
                .map(|e| (Coefficients::new(compression, challenges, e), lane(e)..lane(e + 1)))
                .collect(),
        };
        let share =
            Share { sides: [vec![E::default(); last], vec![E::default(); last]], product: E::default() };
        let zeros = || vec![E::default(); TILE];
        Self {
            arch,
            groups,
            run: Run { left: zeros(), right: zeros(), product: zeros() },
            tables: [(); 3].map(|()| vec![E::default(); 16 * STRIP / 4]),
            shares: vec![share; repetitions.len() * views],
        }
    }
}

impl<E: CheckField> Sums for Shares<E> {
    fn add(&mut self, from: u64, count: usize, planes: &Planes) {
        let Self { arch, groups, run, tables, shares } = self;
        for side in [&mut run.left, &mut run.right, &mut run.product] {
            // Zeros behind the end, up to a whole block.
            side.clear();
            side.resize(count, E::default());
        }
        for (coefficients, lanes) in groups {
            coefficients.fill(*arch, from, run);
            let stride = coefficients.stride();
            for strip in (0..count).step_by(STRIP) {
                let end = count.min(strip + STRIP);
                tabulate(&run.product[strip..end], 0..end - strip, &mut tables[2]);
                let first = from + strip as u64;
                // What ends in one entry of the last vector is a range of gates.
                for entry in first / stride..=(from + end as u64 - 1) / stride {
                    let within = |gate: u64| gate.clamp(first, from + end as u64) - first;
                    let part = within(entry * stride) as usize..within((entry + 1) * stride) as usize;
                    tabulate(&run.left[strip..end], part.clone(), &mut tables[0]);
                    tabulate(&run.right[strip..end], part, &mut tables[1]);
                    for lane in lanes.clone() {
                        let share = &mut shares[lane - 1];
                        for block in strip / 128..end.div_ceil(128) {
                            let at = (block - strip / 128) * 16 * 32;
                            for side in [0, 1] {
                                let bits = planes.factor(side, block, lane);
                                share.sides[side][entry as usize] += look_up(&tables[side][at..], bits);
                            }
                        }
                    }
                }
                for lane in lanes.clone() {
                    for block in strip / 128..end.div_ceil(128) {
                        let at = (block - strip / 128) * 16 * 32;
                        let bits = planes.products[lane * planes.blocks + block];
                        shares[lane - 1].product += look_up(&tables[2][at..], bits);
                    }
                }
            }
        }
    }
}

/// For each four of `coefficients`, of which those outside of `part` count as zero, the sums that four bits choose.
fn tabulate<E: CheckField>(coefficients: &[E], part: Range<usize>, tables: &mut [E]) {
    let zero = E::default();
    for (group, table) in tables.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        *table = [zero; 16];
        for bit in 0..4 {
            let at = 4 * group + bit;
            let coefficient = if part.contains(&at) { coefficients[at] } else { zero };
            for i in 0..1 << bit {
                table[1 << bit | i] = table[i] + coefficient;
            }
        }
    }
}

/// The sum that 128 bits choose from 32 tables.
#[inline(always)]
fn look_up<E: CheckField>(tables: &[E], bits: F128) -> E {
    let mut sum = E::default();
    for (half, tables) in [bits.0 as u64, (bits.0 >> 64) as u64].into_iter().zip(tables.as_chunks::<256>().0)
    {
        for (i, table) in tables.as_chunks::<16>().0.iter().enumerate() {
            sum += table[(half >> (4 * i) & 15) as usize];
        }
    }
    sum
}

/// Follows a view through the rounds: from its share of the claimed inner product, and its shares `tape` of what was
/// injected and of the masks, in the order of the tape, to its share of what is opened.
pub(super) fn finish<E: CheckField>(
    share: &mut Share<E>,
    rounds: &[Points<E>],
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
