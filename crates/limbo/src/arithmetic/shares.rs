//! Each view's shares of the opened values, as sums over all entries and claims with public coefficients.

use super::pass::Piece;
use crate::challenges::{Challenges, Coefficients};
use crate::shares::Share;
use core::iter::successors;
use core::ops::Range;
use volery_primitives::{Arch, CheckField, Field, Lanes};

/// The sizes of two matrices that have a product.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub(super) rows: usize,
    pub(super) inner: usize,
    pub(super) columns: usize,
}

/// Sums over the shares of a pass. They take columns, which hold a share for each entry; there is a column
/// for each slot.
pub(super) trait Sums<B>: Send {
    /// Adds entries from number `from` on: the columns of left and right factors, and the product that each
    /// entry is a term of.
    fn entries(&mut self, from: u64, products: &[u64], columns: [&[B]; 2]);

    /// Adds `count` products from number `from` on.
    fn products(&mut self, from: u64, count: usize, columns: &[B]);

    /// Adds a product of matrices: its claim, its first entry, and each slot's shares of the two matrices and
    /// of their product.
    fn matrices(&mut self, claim: u64, from: u64, sizes: Sizes, share: &dyn Fn(usize) -> [Vec<B>; 3]);
}

/// The shares of the views of a pass.
pub(super) struct Shares<E> {
    arch: Arch,
    /// For each group of this pass its coefficients, and its slots.
    groups: Vec<(Coefficients<E>, Range<usize>)>,
    left: Vec<E>,
    right: Vec<E>,
    /// Powers of R.
    powers: Vec<E>,
    /// The shares of each slot.
    pub(super) shares: Vec<Share<E>>,
}

impl<E: CheckField> Shares<E> {
    /// Empty sums for the views of `piece`, whose vectors end with `last` entries.
    pub(super) fn new(
        arch: Arch,
        compression: usize,
        challenges: &Challenges<E>,
        piece: &Piece,
        last: usize,
    ) -> Self {
        let group = |group: usize, slots: Range<usize>| {
            (Coefficients::new(arch, compression, challenges, group), slots)
        };
        let views = piece.views.len();
        let groups = match challenges.groups() {
            1 => vec![group(0, 0..piece.slots())],
            _ => piece
                .repetitions
                .clone()
                .zip(0..)
                .map(|(e, i)| group(e, i * views..(i + 1) * views))
                .collect(),
        };
        let zeros = vec![E::default(); last];
        let share = Share { sides: [zeros.clone(), zeros], product: E::default() };
        let shares = vec![share; piece.slots()];
        Self { arch, groups, left: vec![], right: vec![], powers: vec![], shares }
    }
}

impl<B: Field, E: Lanes<B> + CheckField> Sums<B> for Shares<E> {
    fn entries(&mut self, from: u64, products: &[u64], columns: [&[B]; 2]) {
        let Self { arch, groups, left, right, powers, shares } = self;
        let count = products.len();
        let (first, last) = (products[0], products[count - 1]);
        for side in [&mut *left, &mut *right] {
            side.resize(count, E::default());
        }
        powers.resize((last - first) as usize + 1, E::default());
        for (coefficients, slots) in groups {
            coefficients.powers.fill(*arch, first, powers);
            coefficients.fill_right(*arch, from, right);
            for ((left, &right), &product) in left.iter_mut().zip(&*right).zip(products) {
                *left = powers[(product - first) as usize] * right;
            }
            for (entry, part) in parts(coefficients.stride(), from, count) {
                for slot in slots.clone() {
                    let sums = &mut shares[slot].sides;
                    for ((sum, columns), weights) in sums.iter_mut().zip(columns).zip([&*left, &*right]) {
                        let column = &columns[slot * count..(slot + 1) * count];
                        sum[entry] += E::combine(*arch, &column[part.clone()], &weights[part.clone()]);
                    }
                }
            }
        }
    }

    fn products(&mut self, from: u64, count: usize, columns: &[B]) {
        let Self { arch, groups, powers, shares, .. } = self;
        powers.resize(count, E::default());
        for (coefficients, slots) in groups {
            coefficients.powers.fill(*arch, from, powers);
            for slot in slots.clone() {
                let column = &columns[slot * count..(slot + 1) * count];
                shares[slot].product += E::combine(*arch, column, powers);
            }
        }
    }

    fn matrices(&mut self, claim: u64, from: u64, sizes: Sizes, share: &dyn Fn(usize) -> [Vec<B>; 3]) {
        let Self { arch, groups, right, shares, .. } = self;
        let Sizes { rows, inner, columns } = sizes;
        right.resize(inner, E::default());
        for (coefficients, slots) in groups {
            let [rho, sigma] = coefficients.matrices;
            coefficients.fill_right(*arch, from, right);
            let by_row: Vec<E> = geometric(coefficients.powers.at(claim), rho).take(rows).collect();
            let by_column: Vec<E> = geometric(E::UNIT, sigma).take(columns).collect();
            for slot in slots.clone() {
                let [a, b, c] = share(slot);
                let Share { sides: [left_sums, right_sums], product } = &mut shares[slot];
                for (entry, part) in parts(coefficients.stride(), from, inner) {
                    let weights = &right[part.clone()];
                    for (row, &weight) in a.chunks_exact(inner).zip(&by_row) {
                        left_sums[entry] += E::combine(*arch, &row[part.clone()], weights) * weight;
                    }
                    let rows = b.chunks_exact(columns).skip(part.start);
                    for (row, &weight) in rows.zip(weights) {
                        right_sums[entry] += E::combine(*arch, row, &by_column) * weight;
                    }
                }
                for (row, &weight) in c.chunks_exact(columns).zip(&by_row) {
                    *product += E::combine(*arch, row, &by_column) * weight;
                }
            }
        }
    }
}

/// `first, first·ratio, first·ratio², …`
fn geometric<E: CheckField>(first: E, ratio: E) -> impl Iterator<Item = E> {
    successors(Some(first), move |&power| Some(power * ratio))
}

/// The ranges of `count` entries from number `from` on that end in one entry of the last vector, each with
/// that entry's number; `stride` neighbours end in the same one.
fn parts(stride: u64, from: u64, count: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
    let end = from + count as u64;
    (from / stride..=(end - 1) / stride).map(move |entry| {
        let within = |number: u64| (number.clamp(from, end) - from) as usize;
        (entry as usize, within(entry * stride)..within((entry + 1) * stride))
    })
}
