//! Columns expanded from the keys of transfers: one for each bit, or each digit, of Δ.

use core::marker::PhantomData;
use volery_primitives::arch::Arch;
use volery_primitives::{F128, Field, MacField};
use zeroize::Zeroizing;

/// The bits of a digit.
pub(super) const DIGIT: usize = 8;

/// The number of blocks that `elements` elements are sampled from.
fn blocks<B: Field>(elements: usize) -> usize {
    (B::SAMPLE * elements).div_ceil(2)
}

/// The expansions of keys: of a tree's leaves, of both keys of a transfer, or of one. The verifier of a tree has an
/// arbitrary key in the place of the leaf that it lacks.
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

    /// Fills `sums` with Σ G(leaf y).
    pub(super) fn sum<E: MacField<B>>(&mut self, sums: &mut [B]) {
        self.fill::<E>(sums, &mut Zeroizing::new(vec![B::ZERO; sums.len()]));
    }
}

/// The prover's source of one column.
pub(super) enum Dealt<B> {
    /// The expansions of both keys.
    Bit(Leaves<B>),
    /// The expansions of all leaves.
    Digit(Leaves<B>),
}

impl<B: Field> Dealt<B> {
    /// Fills a column t, and `values` with the difference by which the verifier's column exceeds t for each
    /// one of the bit or digit.
    pub(super) fn fill<E: MacField<B>>(&mut self, t: &mut [B], values: &mut [B]) {
        match self {
            Self::Bit(keys) => {
                // G(key 0) + G(key 1), and G(key 1).
                keys.fill::<E>(values, t);
                for (value, t) in values.iter_mut().zip(t) {
                    let one = *t;
                    *t = *value - one;
                    *value = one - *t;
                }
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
    Bit(Leaves<B>),
    /// The expansions of all leaves but the one at the digit.
    Digit(Leaves<B>),
}

impl<B: Field> Chosen<B> {
    /// Fills a column with t + `digit`·value, for the bit or digit by which it was chosen.
    pub(super) fn fill<E: MacField<B>>(&mut self, digit: B, column: &mut [B]) {
        match self {
            Self::Bit(key) => key.sum::<E>(column),
            Self::Digit(leaves) => {
                // Σ (α − y)·G(leaf y), in which whatever stands at α comes to nothing.
                let mut sums = Zeroizing::new(vec![B::ZERO; column.len()]);
                leaves.fill::<E>(&mut sums, column);
                column.iter_mut().zip(sums.iter()).for_each(|(k, sum)| *k = *sum * digit - *k);
            }
        }
    }
}
