//! Columns expanded from the keys of transfers: one for each bit, or each digit, of Δ.

use core::marker::PhantomData;
use volery_primitives::arch::Arch;
use volery_primitives::prg::Prg;
use volery_primitives::{F128, Field, MacField};
use zeroize::Zeroizing;

/// The bits of a digit.
pub(super) const DIGIT: usize = 8;

/// The expansion of one key.
pub(super) struct Expansion<B> {
    prg: Prg,
    field: PhantomData<B>,
}

impl<B: Field> Expansion<B> {
    pub(super) fn new(arch: Arch, key: F128) -> Self {
        Self { prg: Prg::new(arch, key), field: PhantomData }
    }

    /// Fills `out` with the next elements.
    pub(super) fn fill(&mut self, out: &mut [B]) {
        let mut blocks = Zeroizing::new(vec![F128::ZERO; blocks::<B>(out.len())]);
        self.prg.fill(&mut blocks);
        let words: Zeroizing<Vec<u64>> = Zeroizing::new(
            blocks.iter().flat_map(|block| [block.0 as u64, (block.0 >> 64) as u64]).collect(),
        );
        out.iter_mut().zip(words.chunks_exact(B::SAMPLE)).for_each(|(out, words)| *out = B::sample(words));
    }
}

/// The number of blocks that `elements` elements are sampled from.
fn blocks<B: Field>(elements: usize) -> usize {
    (B::SAMPLE * elements).div_ceil(2)
}

/// The expansions of a tree's leaves. The verifier has an arbitrary one in the place of the leaf that it
/// lacks.
pub(super) struct Leaves<B> {
    arch: Arch,
    keys: Zeroizing<Vec<F128>>,
    /// The number of blocks used up of each expansion.
    used: u64,
    field: PhantomData<B>,
}

impl<B: Field> Leaves<B> {
    pub(super) fn new(arch: Arch, keys: &[F128]) -> Self {
        Self { arch, keys: Zeroizing::new(keys.to_vec()), used: 0, field: PhantomData }
    }

    /// Fills `sums` with Σ G(leaf y), and `weighed` with Σ y·G(leaf y), over all leaves y.
    fn fill<E: MacField<B>>(&mut self, sums: &mut [B], weighed: &mut [B]) {
        E::sum_generated(self.arch, &self.keys, self.used, sums, weighed);
        self.used += blocks::<B>(sums.len()) as u64;
    }
}

/// The prover's source of one column.
pub(super) enum Dealt<B> {
    /// The expansions of both keys.
    Bit(Box<[Expansion<B>; 2]>),
    /// The expansions of all leaves.
    Digit(Leaves<B>),
}

impl<B: Field> Dealt<B> {
    /// Fills a column t, and `values` with the difference by which the verifier's column exceeds t for each
    /// one of the bit or digit.
    pub(super) fn fill<E: MacField<B>>(&mut self, t: &mut [B], values: &mut [B]) {
        match self {
            Self::Bit(keys) => {
                let [zero, one] = &mut **keys;
                zero.fill(t);
                one.fill(values);
                values.iter_mut().zip(t).for_each(|(value, t)| *value -= *t);
            }
            Self::Digit(leaves) => {
                leaves.fill::<E>(values, t);
                t.iter_mut().for_each(|t| *t = -*t);
            }
        }
    }
}

/// The verifier's source of one column.
pub(super) enum Chosen<B> {
    /// The chosen key's expansion.
    Bit(Box<Expansion<B>>),
    /// The expansions of all leaves but the one at the digit.
    Digit(Leaves<B>),
}

impl<B: Field> Chosen<B> {
    /// Fills a column with t + `digit`·value, for the bit or digit by which it was chosen.
    pub(super) fn fill<E: MacField<B>>(&mut self, digit: B, column: &mut [B]) {
        match self {
            Self::Bit(expansion) => expansion.fill(column),
            Self::Digit(leaves) => {
                // Σ (α − y)·G(leaf y), in which whatever stands at α comes to nothing.
                let mut sums = Zeroizing::new(vec![B::ZERO; column.len()]);
                leaves.fill::<E>(&mut sums, column);
                column.iter_mut().zip(sums.iter()).for_each(|(k, sum)| *k = *sum * digit - *k);
            }
        }
    }
}
