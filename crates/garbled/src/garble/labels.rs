//! The labels of the inputs of one garbled circuit.

use super::Key;
use volery_primitives::F128;
use volery_primitives::aes::Aes128;
use zeroize::Zeroizing;

/// Blocks drawn at a time.
const DRAWN: usize = 64;

/// The offset Δ of a garbled circuit, and the labels W_j^0 of zero of its inputs j = 0, 1, …: the blocks
/// AES(salt ⊕ i) under the circuit's seed, of which Δ is number 0 and W_j^0 number j + 1. The labels of one
/// are W_j^0 ⊕ Δ. Each proof has a salt of its own, so that no table of seeds serves for two.
pub struct Labels {
    seed: Aes128,
    salt: F128,
    delta: Zeroizing<F128>,
    drawn: Zeroizing<[F128; DRAWN]>,
    /// The number of the next block.
    next: u64,
}

impl Labels {
    /// The labels of the circuit with this seed.
    pub fn new(key: &Key, seed: F128) -> Self {
        let mut labels = Self {
            seed: Aes128::new(key.arch, seed),
            salt: key.salt,
            delta: Zeroizing::default(),
            drawn: Zeroizing::new([F128::default(); DRAWN]),
            next: 0,
        };
        let delta = labels.block();
        // An offset of zero would be no secret; no other value is out of bounds.
        *labels.delta = if delta == F128::default() { F128(1) } else { delta };
        labels
    }

    /// Δ.
    pub fn delta(&self) -> F128 {
        *self.delta
    }

    /// The number of labels given so far.
    pub fn given(&self) -> u64 {
        self.next - 1
    }

    #[inline]
    fn block(&mut self) -> F128 {
        let place = self.next as usize % DRAWN;
        if place == 0 {
            for (block, i) in self.drawn.iter_mut().zip(self.next..) {
                *block = F128(self.salt.0 ^ u128::from(i));
            }
            self.seed.encrypt(&mut *self.drawn);
        }
        self.next += 1;
        self.drawn[place]
    }
}

/// The labels W_j^0 for j = 0, 1, …, without an end.
impl Iterator for Labels {
    type Item = F128;

    #[inline]
    fn next(&mut self) -> Option<F128> {
        Some(self.block())
    }
}
