//! The labels of the inputs of one garbled circuit.

use volery_primitives::arch::Arch;
use volery_primitives::prg::Prg;
use volery_primitives::{F128, Field};
use zeroize::{Zeroize, Zeroizing};

/// Labels drawn at a time.
const DRAWN: usize = 64;

/// The offset Δ of a garbled circuit, and the labels W_j^0 of zero of its inputs, in order: the blocks of AES-128 in counter
/// mode under the circuit's seed, Δ first. The labels of one are W_j^0 ⊕ Δ.
pub struct Labels {
    prg: Prg,
    delta: Zeroizing<F128>,
    drawn: Zeroizing<[F128; DRAWN]>,
    next: usize,
}

impl Labels {
    /// Those of the circuit with this seed.
    pub fn new(arch: Arch, seed: F128) -> Self {
        let mut prg = Prg::new(arch, seed);
        let mut first = [F128::ZERO];
        prg.fill(&mut first);
        // An offset of zero would be no secret; no other value is out of bounds.
        if first[0] == F128::ZERO {
            first[0] = F128::ONE;
        }
        let delta = Zeroizing::new(first[0]);
        first.zeroize();
        Self { prg, delta, drawn: Zeroizing::new([F128::ZERO; DRAWN]), next: DRAWN }
    }

    /// Δ.
    pub fn delta(&self) -> F128 {
        *self.delta
    }
}

/// W_j^0 for j = 0, 1, …, without an end.
impl Iterator for Labels {
    type Item = F128;

    #[inline]
    fn next(&mut self) -> Option<F128> {
        if self.next == DRAWN {
            self.prg.fill(&mut *self.drawn);
            self.next = 0;
        }
        let label = self.drawn[self.next];
        self.next += 1;
        Some(label)
    }
}
