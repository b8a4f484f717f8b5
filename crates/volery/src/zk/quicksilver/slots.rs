//! Multiplications that wait to be checked.

use core::{iter, mem};
use volery_primitives::arch::Arch;
use volery_primitives::prg::Prg;
use volery_primitives::{F128, Field};
use zeroize::{DefaultIsZeroes, Zeroizing};

/// A multiplication: left operand, right operand, product.
pub(super) type Triple<R> = [R; 3];

/// A place for each of some shares that follow each other: the multiplication by which what is committed to
/// is checked, a product of two wires, or a witness element as the product of itself and one.
pub(super) struct Slots<R: DefaultIsZeroes> {
    /// The product is there beforehand, as the share to commit by.
    slots: Zeroizing<Vec<Triple<R>>>,
    /// The next to use.
    next: usize,
    /// Those of them that were taken.
    taken: usize,
}

impl<R: DefaultIsZeroes> Default for Slots<R> {
    fn default() -> Self {
        Self { slots: Zeroizing::default(), next: 0, taken: 0 }
    }
}

impl<R: DefaultIsZeroes> Slots<R> {
    /// Those of `shares`.
    pub(super) fn fill(&mut self, shares: &[R]) {
        let length = shares.len();
        if self.slots.capacity() < length {
            // What has to move would leave a copy behind.
            self.slots = Zeroizing::new(Vec::with_capacity(length));
        }
        self.slots.resize(length, [R::default(); 3]);
        iter::zip(&mut *self.slots, shares).for_each(|(slot, share)| slot[2] = *share);
        (self.next, self.taken) = (0, 0);
    }

    /// All, for what changes the shares before any is used.
    pub(super) fn all(&mut self) -> &mut [Triple<R>] {
        &mut self.slots
    }

    /// Whether all are used.
    #[inline(always)]
    pub(super) fn are_used_up(&self) -> bool {
        self.next == self.slots.len()
    }

    /// The next one.
    ///
    /// # Panics
    /// Where all are used.
    #[inline(always)]
    pub(super) fn slot(&mut self) -> &mut Triple<R> {
        let slot = &mut self.slots[self.next];
        self.next += 1;
        slot
    }

    /// Those used since the last call; the others stay unused.
    pub(super) fn take(&mut self) -> &[Triple<R>] {
        self.slots.truncate(self.next);
        &self.slots[mem::replace(&mut self.taken, self.next)..]
    }
}

/// Coefficients drawn at a time: they and their triples stay in the first-level cache.
const TILE: usize = 256;

/// `sums(χ, triples)` over F_2, with the coefficients of `seed`.
pub(super) fn weigh(
    arch: Arch,
    seed: F128,
    triples: &[Triple<F128>],
    sums: impl Fn(Arch, &[F128], &[Triple<F128>]) -> (F128, F128),
) -> Zeroizing<[F128; 2]> {
    let mut prg = Prg::new(arch, seed);
    let mut chi = [F128::ZERO; TILE];
    let mut total = Zeroizing::new([F128::ZERO; 2]);
    for triples in triples.chunks(TILE) {
        let chi = &mut chi[..triples.len()];
        prg.fill(chi);
        let (first, second) = sums(arch, chi, triples);
        total[0] += first;
        total[1] += second;
    }
    total
}
