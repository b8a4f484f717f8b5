//! AES-128 in counter mode as a pseudorandom generator.

use crate::aes::Aes128;
use crate::arch::Arch;
use crate::field::F128;

/// A generator whose output is a function of the seed alone: block i is `AES_seed(i)`.
pub struct Prg {
    key: Aes128,
    counter: u64,
}

impl Prg {
    /// A generator from `seed`, at its first block.
    pub fn new(arch: Arch, seed: F128) -> Self {
        Self { key: Aes128::new(arch, seed), counter: 0 }
    }

    /// The same, but for its first `blocks`.
    pub fn skip(self, blocks: u64) -> Self {
        Self { counter: self.counter + blocks, ..self }
    }

    /// Fills `out` with the next blocks.
    ///
    /// # Panics
    /// After 2^64 blocks.
    pub fn fill(&mut self, out: &mut [F128]) {
        self.key.counter(self.counter.into(), out);
        self.counter += out.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;

    #[test]
    fn pieces_equal_the_whole() {
        let mut whole = [F128::ZERO; 100];
        Prg::new(Arch::detect(), F128(7)).fill(&mut whole);
        let mut pieces = [F128::ZERO; 100];
        let mut prg = Prg::new(Arch::PORTABLE, F128(7));
        let (a, b) = pieces.split_at_mut(33);
        prg.fill(a);
        prg.fill(b);
        assert_eq!(whole, pieces);
        Prg::new(Arch::detect(), F128(7)).skip(60).fill(&mut pieces[..40]);
        assert_eq!(whole[60..], pieces[..40]);
    }
}
