//! What both parties do with one batch: hold its triples, weigh them by its challenge, digest assertions.

use crate::channel::{Channel, Party};
use volery_primitives::arch::{Arch, Triple};
use volery_primitives::prg::Prg;
use volery_primitives::{F128, Field};
use zeroize::Zeroizing;

/// Coefficients drawn at a time: they and their triples stay in the first-level cache.
const TILE: usize = 256;

/// The multiplications of a batch that wait for its challenge.
#[derive(Default)]
pub(super) struct Batch {
    triples: Zeroizing<Vec<Triple>>,
}

impl Batch {
    #[inline(always)]
    pub(super) fn push(&mut self, a: F128, b: F128, c: F128) {
        self.triples.push([a, b, c]);
    }

    /// How many there are.
    pub(super) fn len(&self) -> u64 {
        self.triples.len() as u64
    }

    /// Makes room for `length` multiplications, while there is none.
    pub(super) fn reserve(&mut self, length: usize) {
        if self.triples.capacity() < length {
            self.triples = Zeroizing::new(Vec::with_capacity(length));
        }
    }

    /// Draws the challenge of this batch, adds `sums(χ, triples)` over its tiles to `total`, and empties it.
    pub(super) fn weigh(
        &mut self,
        channel: &mut Channel,
        arch: Arch,
        total: &mut (F128, F128),
        sums: impl Fn(Arch, &[F128], &[Triple]) -> (F128, F128),
    ) {
        let seed = channel.challenge(Party::Prover, "quicksilver batch");
        let mut prg = Prg::new(arch, F128::from_bytes(*seed.first_chunk().expect("32 bytes")));
        let mut chi = [F128::ZERO; TILE];
        for triples in self.triples.chunks(TILE) {
            let chi = &mut chi[..triples.len()];
            prg.fill(chi);
            let (first, second) = sums(arch, chi, triples);
            total.0 += first;
            total.1 += second;
        }
        self.triples.clear();
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
