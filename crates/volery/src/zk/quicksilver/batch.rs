//! What both parties do with one batch: hold its triples, weigh them by its challenge, digest assertions.

use crate::channel::{Channel, Party};
use volery_primitives::arch::{Arch, Triple};
use volery_primitives::prg::Prg;
use volery_primitives::{F128, Field};
use zeroize::Zeroizing;

/// Coefficients drawn at a time: they and their triples stay in the first-level cache.
const TILE: usize = 256;

/// The commitments of one block of shares, each as the multiplication that it is checked as once its batch's
/// challenge is drawn: a product of two wires, or a witness element as the product of itself and one.
#[derive(Default)]
pub(super) struct Batch {
    /// Left operand, right operand, product; the last is there beforehand, as the share to commit by.
    slots: Zeroizing<Vec<Triple>>,
    /// The next slot to use, and that of the share behind it in the block.
    next: usize,
    /// Its challenge is still to be drawn.
    open: bool,
}

impl Batch {
    /// Starts a batch with these words in the places of the products.
    pub(super) fn open(&mut self, words: &[F128]) {
        let length = words.len();
        if self.slots.capacity() < length {
            self.slots = Zeroizing::new(Vec::with_capacity(length));
        }
        self.slots.resize(length, [F128::ZERO; 3]);
        for (slot, word) in self.slots.iter_mut().zip(words) {
            slot[2] = *word;
        }
        (self.next, self.open) = (0, true);
    }

    /// All slots, for what changes the shares before any is used.
    pub(super) fn all(&mut self) -> &mut [Triple] {
        &mut self.slots
    }

    /// Whether all slots are used.
    #[inline(always)]
    pub(super) fn is_used_up(&self) -> bool {
        self.next == self.slots.len()
    }

    /// The next slot.
    ///
    /// # Panics
    /// Where all are used.
    #[inline(always)]
    pub(super) fn slot(&mut self) -> &mut Triple {
        let slot = &mut self.slots[self.next];
        self.next += 1;
        slot
    }

    /// The slots used so far, for the shares of the same numbers.
    pub(super) fn used(&self) -> &[Triple] {
        &self.slots[..self.next]
    }

    /// Whether it has not ended.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// Ends the batch, whose other slots stay unused; whether it was open.
    pub(super) fn close(&mut self) -> bool {
        self.slots.truncate(self.next);
        core::mem::take(&mut self.open)
    }

    /// Adds `sums(χ, used slots)` over its tiles to `total`, with the coefficients of `seed`.
    pub(super) fn weigh(
        &self,
        seed: F128,
        arch: Arch,
        total: &mut (F128, F128),
        sums: impl Fn(Arch, &[F128], &[Triple]) -> (F128, F128),
    ) {
        let mut prg = Prg::new(arch, seed);
        let mut chi = [F128::ZERO; TILE];
        for triples in self.used().chunks(TILE) {
            let chi = &mut chi[..triples.len()];
            prg.fill(chi);
            let (first, second) = sums(arch, chi, triples);
            total.0 += first;
            total.1 += second;
        }
    }
}

/// The challenge to all that the prover has committed to so far: the seeds of coefficients for products,
/// and for polynomials.
pub(super) fn challenge(channel: &mut Channel) -> [F128; 2] {
    challenge_to(channel, "quicksilver batch")
}

/// The seed of a matrix product's vectors, where it is the transcript's. Nothing may be committed to between
/// this and the end of the batch.
pub(super) fn matrix_challenge(channel: &mut Channel) -> F128 {
    let [seed, _] = challenge_to(channel, "quicksilver matrix product");
    seed
}

fn challenge_to(channel: &mut Channel, what: &'static str) -> [F128; 2] {
    let challenge = channel.challenge(Party::Prover, what);
    let (seeds, _) = challenge.as_chunks::<16>();
    [F128::from_bytes(seeds[0]), F128::from_bytes(seeds[1])]
}

/// What the digest of asserted wires is for.
pub(super) const ASSERTED: &str = "volery quicksilver v1, asserted wires";
