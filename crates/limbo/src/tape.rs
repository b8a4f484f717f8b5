//! The tapes of the parties, summed to views.
//!
//! A party's tape has three segments that are read each from its beginning: shares of the inputs, shares of
//! the products, and field elements for the check. It is AES-128 in counter mode under a key and a nonce of
//! 62 bits, both from the party's seed, so that no two tapes share a key or a counter that could be searched
//! for together. A segment of q blocks is told from random bits with probability q²/2^129, as any cipher in
//! counter mode: 2^-103 for 2^20 gates, and 2^-87 for as many over a field of 64 bits.

use super::aggregation::Aggregation;
use core::ops::{AddAssign, Range, Sub};
use volery_primitives::aes::Aes128;
use volery_primitives::{Arch, CheckField, F128, Field, MOST_WORDS};
use volery_vole::commit::ggm::Tree;
use zeroize::Zeroizing;

/// A segment of each tape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Segment {
    /// Shares of witness and hints.
    Inputs,
    /// Shares of products.
    Products,
    /// Shares of what the check injects, and its masks.
    Check,
}

/// The tape of one party.
struct PartyTape {
    key: Aes128,
    /// The high half of all its counters, but for two bits that say the segment.
    nonce: u64,
}

impl PartyTape {
    fn new(arch: Arch, key: &[u8; 32]) -> Self {
        let (key, nonce) = key.split_at(16);
        let nonce = u64::from_le_bytes(*nonce.first_chunk().expect("eight bytes"));
        Self { key: Aes128::new(arch, F128::from_bytes(key.try_into().expect("16 bytes"))), nonce }
    }

    fn read(&self, segment: Segment, from: u64, out: &mut [F128]) {
        #[cfg(test)]
        EXPANDED.set(EXPANDED.get() + out.len() as u64);
        let high = self.nonce & !3 | segment as u64;
        self.key.counter(u128::from(high) << 64 | u128::from(from), out);
    }
}

#[cfg(test)]
std::thread_local! {
    static EXPANDED: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

/// The blocks of tapes that this thread has made, with a flat number for each seed's hashes.
#[cfg(test)]
pub fn expanded_blocks() -> u64 {
    EXPANDED.get()
}

/// The tapes of one repetition: all, or all but the hidden party's.
pub(super) struct Tapes {
    aggregation: Aggregation,
    /// `None` for the hidden party.
    tapes: Vec<Option<PartyTape>>,
    /// The hidden party.
    hidden: Option<usize>,
    /// The commitments to the seeds. The hidden party's is received.
    pub(super) commitments: Vec<[u8; 32]>,
}

impl Tapes {
    /// The tapes that follow from the leaves of `tree`, but for that at `hidden`.
    pub(super) fn new(
        arch: Arch,
        aggregation: Aggregation,
        tree: &Tree,
        leaves: &[F128],
        hidden: Option<usize>,
    ) -> Self {
        let depth = leaves.len().ilog2() as usize;
        #[cfg(test)]
        EXPANDED.set(EXPANDED.get() + 3 * 12 * leaves.len() as u64);
        let parties = leaves.iter().enumerate().map(|(party, &leaf)| {
            let (commitment, key) = tree.leaf(depth, leaf);
            ((Some(party) != hidden).then(|| PartyTape::new(arch, &key)), commitment)
        });
        let (tapes, commitments) = parties.unzip();
        Self { aggregation, tapes, hidden, commitments }
    }

    /// The number of views.
    pub(super) fn views(&self) -> usize {
        self.aggregation.views(self.tapes.len())
    }

    /// Whether the complement of `view`, which holds party 0, is followed, since the hidden party is in the
    /// view.
    pub(super) fn complement(&self, view: usize) -> bool {
        self.hidden.is_some_and(|hidden| self.aggregation.holds(view, hidden))
    }

    /// The blocks from `from` to `from + width` of each party's tape, party by party; zeros for the hidden
    /// one.
    fn blocks(&self, segment: Segment, from: u64, width: usize) -> Zeroizing<Vec<F128>> {
        let mut blocks = Zeroizing::new(vec![F128::default(); width * self.tapes.len()]);
        for (tape, row) in self.tapes.iter().zip(blocks.chunks_exact_mut(width)) {
            if let Some(tape) = tape {
                tape.read(segment, from, row);
            }
        }
        blocks
    }

    /// Reads blocks of shares of bits, as many as `total` takes, from block `from` on: what is followed for
    /// view v goes to `out` at `views(v)`, and the sum of all tapes to `total`.
    pub(super) fn bits(
        &self,
        segment: Segment,
        from: u64,
        views: impl Fn(usize) -> Range<usize>,
        out: &mut [F128],
        total: &mut [F128],
    ) {
        let mut blocks = self.blocks(segment, from, total.len());
        self.follow(&mut blocks, views, out, total);
    }

    /// Reads shares of elements of a large field, as many as `total` takes, from element `from` on:
    /// what is followed for each of `views` goes to `out`, one column after the other, and the sum of
    /// all tapes to `total`.
    ///
    /// A share is the sum of two samples that do not depend on each other. Where one is at a distance δ
    /// from uniform, the sum is within 2δ², because deviations convolve: below 2^-118, which 2^40
    /// corrections of 2^8 repetitions cannot add up to anything. In a field of characteristic two samples
    /// are uniform, and so is the sum.
    pub(super) fn values<B: Field>(
        &self,
        segment: Segment,
        from: u64,
        views: Range<usize>,
        out: &mut [B],
        total: &mut [B],
    ) {
        let count = total.len();
        // Twice SAMPLE words for each element.
        let blocks = self.blocks(segment, from * B::SAMPLE as u64, count * B::SAMPLE);
        let mut rows = Zeroizing::new(Vec::with_capacity(count * self.tapes.len()));
        for (row, tape) in blocks.chunks_exact(count * B::SAMPLE).zip(&self.tapes) {
            if tape.is_none() {
                // The hidden party's blocks are zero, which need not make the element zero.
                rows.extend(core::iter::repeat_n(B::ZERO, count));
                continue;
            }
            rows.extend(row.chunks_exact(B::SAMPLE).map(|blocks| {
                let mut words = [0; 2 * MOST_WORDS];
                for (words, block) in words.as_chunks_mut().0.iter_mut().zip(blocks) {
                    *words = [block.0 as u64, (block.0 >> 64) as u64];
                }
                B::sample(&words[..B::SAMPLE]) + B::sample(&words[B::SAMPLE..2 * B::SAMPLE])
            }));
        }
        let all = self.views();
        if views.len() == all {
            return self.follow(&mut rows, |view| view * count..(view + 1) * count, out, total);
        }
        let mut columns = Zeroizing::new(vec![B::ZERO; all * count]);
        self.follow(&mut rows, |view| view * count..(view + 1) * count, &mut columns, total);
        out.copy_from_slice(&columns[views.start * count..views.end * count]);
    }

    /// The shares of the check, `count` elements: what is followed, view by view, and the sum of all
    /// tapes. An element is the sum of two samples as for [`Tapes::values`], but in characteristic two,
    /// where one is uniform.
    pub(super) fn elements<E: CheckField>(&self, count: usize) -> (Vec<E>, Vec<E>) {
        if count == 0 {
            return (vec![], vec![]);
        }
        let samples = if E::UNIT + E::UNIT == E::default() { 1 } else { 2 };
        let words = samples * E::WORDS;
        let width = (count * words).div_ceil(2);
        let blocks = self.blocks(Segment::Check, 0, width);
        let mut rows = Zeroizing::new(Vec::with_capacity(count * self.tapes.len()));
        for (row, tape) in blocks.chunks_exact(width).zip(&self.tapes) {
            let halves: Zeroizing<Vec<u64>> = Zeroizing::new(
                row.iter().flat_map(|block| [block.0 as u64, (block.0 >> 64) as u64]).collect(),
            );
            let shares = halves.chunks_exact(words).take(count);
            let share = |words: &[u64]| words.chunks_exact(E::WORDS).map(E::uniform).sum();
            // The hidden party's blocks are zero, which need not make the element zero.
            rows.extend(shares.map(|words| if tape.is_some() { share(words) } else { E::default() }));
        }
        let mut views = vec![E::default(); count * self.views()];
        let mut total = vec![E::default(); count];
        self.follow(&mut rows, |view| view * count..(view + 1) * count, &mut views, &mut total);
        (views, total)
    }

    /// Sums `rows`, one for each party, to the views that are followed and to the total.
    fn follow<T: Copy + Default + AddAssign + Sub<Output = T>>(
        &self,
        rows: &mut [T],
        views: impl Fn(usize) -> Range<usize>,
        out: &mut [T],
        total: &mut [T],
    ) {
        self.aggregation.sum(rows, total.len(), &views, out, total);
        for view in (0..self.views()).filter(|view| self.complement(*view)) {
            for (out, &total) in out[views(view)].iter_mut().zip(&*total) {
                *out = total - *out;
            }
        }
    }
}
