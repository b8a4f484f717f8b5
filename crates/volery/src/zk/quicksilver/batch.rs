//! What both parties do with one batch: hold its triples, weigh them by its challenge, digest assertions.

use crate::channel::{Channel, Party};
use volery_primitives::arch::{Arch, Triples};
use volery_primitives::prg::Prg;
use volery_primitives::{F128, Field};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Coefficients drawn at a time: they and their triples stay in the first-level cache.
const TILE: usize = 256;

/// The multiplications of a batch that wait for its challenge, as the party's words for (a, b, c).
#[derive(Default, Zeroize, ZeroizeOnDrop)]
pub(super) struct Batch {
    a: Vec<F128>,
    b: Vec<F128>,
    c: Vec<F128>,
}

impl Batch {
    #[inline(always)]
    pub(super) fn push(&mut self, a: F128, b: F128, c: F128) {
        self.a.push(a);
        self.b.push(b);
        self.c.push(c);
    }

    /// Makes room for `length` multiplications.
    pub(super) fn reserve(&mut self, length: usize) {
        for words in [&mut self.a, &mut self.b, &mut self.c] {
            words.reserve(length);
        }
    }

    /// Draws the challenge of this batch, adds `sums(χ, triples)` over its tiles to `total`, and empties it.
    pub(super) fn weigh(
        &mut self,
        channel: &mut Channel,
        arch: Arch,
        total: &mut (F128, F128),
        sums: impl Fn(Arch, &[F128], Triples) -> (F128, F128),
    ) {
        let seed = channel.challenge(Party::Prover, "quicksilver batch");
        let mut prg = Prg::new(arch, F128::from_bytes(*seed.first_chunk().expect("32 bytes")));
        let mut chi = [F128::ZERO; TILE];
        let operands = self.a.chunks(TILE).zip(self.b.chunks(TILE));
        for ((a, b), c) in operands.zip(self.c.chunks(TILE)) {
            let chi = &mut chi[..a.len()];
            prg.fill(chi);
            let (first, second) = sums(arch, chi, Triples { a, b, c });
            total.0 += first;
            total.1 += second;
        }
        for words in [&mut self.a, &mut self.b, &mut self.c] {
            words.clear();
        }
    }
}

/// The running digest of the MACs, or keys, of asserted wires.
pub(super) struct Openings(blake3::Hasher);

impl Openings {
    pub(super) fn new() -> Self {
        Self(blake3::Hasher::new_derive_key("volery quicksilver v1, asserted wires"))
    }

    pub(super) fn absorb(&mut self, word: F128) {
        self.0.update(&word.to_bytes());
    }

    pub(super) fn digest(&self) -> [u8; 32] {
        self.0.finalize().into()
    }
}
