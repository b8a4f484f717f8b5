//! Elements out of a hash, and into one.

use crate::field::Field;
use core::marker::PhantomData;

/// Elements that are a function of a seed, without end.
#[derive(Clone)]
pub struct Expanded<F> {
    bytes: blake3::OutputReader,
    words: [u64; WORDS],
    /// Bits of `words` that are used up.
    used: usize,
    field: PhantomData<F>,
}

/// Words that are drawn at a time: whole elements of each field.
const WORDS: usize = 640;

/// Elements that are a function of `seed`.
pub fn expanded<F: Field>(seed: [u8; 32]) -> Expanded<F> {
    const { assert!(WORDS.is_multiple_of(F::SAMPLE)) }
    let bytes = blake3::Hasher::new_keyed(&seed).finalize_xof();
    Expanded { bytes, words: [0; WORDS], used: 64 * WORDS, field: PhantomData }
}

impl<F: Field> Iterator for Expanded<F> {
    type Item = F;

    fn next(&mut self) -> Option<F> {
        if self.used == 64 * WORDS {
            let mut bytes = [0; 8 * WORDS];
            self.bytes.fill(&mut bytes);
            for (word, bytes) in self.words.iter_mut().zip(bytes.as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            self.used = 0;
        }
        let (word, bit) = (self.used / 64, self.used % 64);
        if F::BITS == 1 {
            self.used += 1;
            return Some(F::sample(&[self.words[word] >> bit]));
        }
        self.used += 64 * F::SAMPLE;
        Some(F::sample(&self.words[word..word + F::SAMPLE]))
    }
}

/// Absorbs `elements`, each in its fixed length.
pub fn absorb<F: Field>(hasher: &mut blake3::Hasher, elements: &[F]) {
    let mut bytes = Vec::with_capacity(F::BYTES << 10);
    for elements in elements.chunks(1 << 10) {
        bytes.clear();
        elements.iter().for_each(|x| bytes.extend_from_slice(&x.to_integer().to_bytes()[..F::BYTES]));
        hasher.update(&bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Bn254, F2, F61, Goldilocks};

    /// The definition, word by word.
    fn words(seed: [u8; 32]) -> impl Iterator<Item = u64> {
        let mut bytes = blake3::Hasher::new_keyed(&seed).finalize_xof();
        core::iter::repeat_with(move || {
            let mut eight = [0; 8];
            bytes.fill(&mut eight);
            u64::from_le_bytes(eight)
        })
    }

    #[test]
    fn elements_take_their_words_in_order() {
        let seed = [3; 32];
        let drawn: Vec<u64> = words(seed).take(1000).collect();
        assert!(expanded(seed).zip(&drawn).all(|(x, &word): (F61, _)| x == F61::sample(&[word])));
        assert!(
            expanded(seed)
                .zip(drawn.chunks(2))
                .all(|(x, words): (Goldilocks, _)| x == Goldilocks::sample(words))
        );
        assert!(expanded(seed).zip(drawn.chunks(5)).all(|(x, words): (Bn254, _)| x == Bn254::sample(words)));
        let bits = drawn.iter().flat_map(|word| (0..64).map(move |i| F2::low_bit((word >> i).into())));
        assert!(expanded(seed).zip(bits).all(|(x, bit): (F2, _)| x == bit));
    }

    #[test]
    fn what_is_absorbed_is_told_apart() {
        let digest = |elements: &[F61]| {
            let mut hasher = blake3::Hasher::new();
            absorb(&mut hasher, elements);
            hasher.finalize()
        };
        let mut elements: Vec<F61> = expanded([1; 32]).take(3000).collect();
        let first = digest(&elements);
        elements[2999] += F61::ONE;
        assert_ne!(first, digest(&elements));
        assert_ne!(first, digest(&elements[..2999]));
    }
}
