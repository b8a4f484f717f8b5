//! Public permutations from a seed.

use volery_primitives::prg::Prg;
use volery_primitives::{Arch, F128};

/// Up to so many entries are shuffled in place; more are first dealt to parts that fit the cache.
const IN_PLACE: usize = 1 << 13;
/// Parts that entries are dealt to.
const PARTS: usize = 256;

/// Words of a seed, one by one.
struct Words {
    prg: Prg,
    words: [u64; 2 * DRAWN],
    next: usize,
}

/// Blocks of two words that are drawn at a time.
const DRAWN: usize = 128;

impl Words {
    fn new(arch: Arch, seed: F128) -> Self {
        Self { prg: Prg::new(arch, seed), words: [0; 2 * DRAWN], next: 2 * DRAWN }
    }

    fn word(&mut self) -> u64 {
        if self.next == self.words.len() {
            self.draw();
        }
        let word = self.words[self.next];
        self.next += 1;
        word
    }

    #[cold]
    #[inline(never)]
    fn draw(&mut self) {
        let mut blocks = [F128(0); DRAWN];
        self.prg.fill(&mut blocks);
        for (words, block) in self.words.chunks_exact_mut(2).zip(blocks) {
            words.copy_from_slice(&[block.0 as u64, (block.0 >> 64) as u64]);
        }
        self.next = 0;
    }

    /// A number below `end`. Some are likelier than others, by a factor of 1 + end/2^64 at most.
    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.word()) * end as u128) >> 64) as usize
    }
}

/// Public permutations, in memory that serves one after the other.
#[derive(Default)]
pub(super) struct Shuffle {
    /// The part of each entry.
    parts: Vec<u8>,
}

impl Shuffle {
    /// Puts `entries` into `shuffled` in an order that is a function of `seed`, all orders being as likely:
    /// up to a factor of 1 + 2^-20 for 2^31 entries, since each is drawn by numbers below 2^13, with their
    /// bias.
    pub(super) fn shuffle(
        &mut self,
        arch: Arch,
        seed: F128,
        entries: impl ExactSizeIterator<Item = u32>,
        shuffled: &mut Vec<u32>,
    ) {
        shuffled.resize(entries.len(), 0);
        self.shuffle_by(&mut Words::new(arch, seed), entries, shuffled, IN_PLACE);
    }

    /// Shuffles by Fisher and Yates, after Rao and Sandelius where there are more than `in_place` entries:
    /// entries dealt to random parts, each of which is shuffled, are shuffled.
    fn shuffle_by(
        &mut self,
        words: &mut Words,
        entries: impl ExactSizeIterator<Item = u32>,
        shuffled: &mut [u32],
        in_place: usize,
    ) {
        if shuffled.len() <= in_place {
            shuffled.iter_mut().zip(entries).for_each(|(place, entry)| *place = entry);
            return swap(words, shuffled);
        }
        let mut rest = shuffled;
        for length in self.deal(words, entries, rest) {
            let part;
            (part, rest) = rest.split_at_mut(length);
            if length <= in_place {
                swap(words, part);
            } else {
                let entries = part.to_vec();
                self.shuffle_by(words, entries.into_iter(), part, in_place);
            }
        }
    }

    /// Deals `entries` to random parts, which lie side by side in `dealt`, and gives the parts' lengths.
    fn deal(
        &mut self,
        words: &mut Words,
        entries: impl Iterator<Item = u32>,
        dealt: &mut [u32],
    ) -> [usize; PARTS] {
        self.parts.resize(dealt.len(), 0);
        let mut lengths = [0; PARTS];
        for parts in self.parts.chunks_mut(8) {
            parts.copy_from_slice(&words.word().to_le_bytes()[..parts.len()]);
            parts.iter().for_each(|&part| lengths[usize::from(part)] += 1);
        }
        let mut start = 0;
        let mut places = lengths.map(|length| {
            start += length;
            start - length
        });
        for (entry, &part) in entries.zip(&self.parts) {
            let place = &mut places[usize::from(part)];
            dealt[*place] = entry;
            *place += 1;
        }
        lengths
    }
}

/// Shuffles in place, by Fisher and Yates.
fn swap(words: &mut Words, entries: &mut [u32]) {
    for last in (1..entries.len()).rev() {
        entries.swap(last, words.below(last + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn it_is_a_permutation_and_a_function_of_the_seed() {
        for length in [0, 1, 2, 1000, IN_PLACE, IN_PLACE + 1, 300_000, PARTS * IN_PLACE + 1] {
            let sorted: Vec<u32> = (0..length as u32).collect();
            let shuffled = |arch, seed| {
                let mut shuffled = vec![7; 3];
                Shuffle::default().shuffle(arch, F128(seed), sorted.iter().copied(), &mut shuffled);
                shuffled
            };
            let entries = shuffled(Arch::detect(), 1);
            assert_eq!(entries, shuffled(Arch::PORTABLE, 1));
            assert!(length < 3 || entries != shuffled(Arch::PORTABLE, 2));
            let mut again = entries;
            again.sort_unstable();
            assert_eq!(again, sorted);
        }
    }

    /// All 120 orders of five entries, in place and by parts: chi-squared with 119 degrees of freedom.
    #[test]
    fn every_order_is_as_likely() {
        let mut shuffle = Shuffle::default();
        for in_place in [5, 1] {
            let mut words = Words::new(Arch::detect(), F128(7));
            let mut counts = HashMap::new();
            const RUNS: u32 = 60_000;
            for _ in 0..RUNS {
                let mut shuffled = [0; 5];
                shuffle.shuffle_by(&mut words, [0, 1, 2, 3, 4].into_iter(), &mut shuffled, in_place);
                *counts.entry(shuffled).or_insert(0u32) += 1;
            }
            assert_eq!(counts.len(), 120);
            let expected = f64::from(RUNS) / 120.0;
            let squares = counts.values().map(|&count| (f64::from(count) - expected).powi(2) / expected);
            let chi_squared: f64 = squares.sum();
            // Mean 119, deviation 15.4: four of them to either side.
            assert!((57.0..181.0).contains(&chi_squared), "{chi_squared}");
        }
    }

    /// Entries of long permutations come to lie in each sixteenth as often.
    #[test]
    fn long_permutations_leave_no_entry_where_it_was() {
        let mut counts = [[0u32; 16]; 16];
        let length = 1 << 16;
        for seed in 0..16 {
            let mut shuffled = Vec::new();
            Shuffle::default().shuffle(Arch::detect(), F128(seed), 0..length, &mut shuffled);
            for (place, entry) in shuffled.iter().enumerate() {
                counts[place >> 12][*entry as usize >> 12] += 1;
            }
        }
        let expected = f64::from(length) / 16.0;
        let far = counts.iter().flatten().map(|&count| (f64::from(count) - expected).abs());
        assert!(far.fold(0.0, f64::max) < 5.0 * expected.sqrt());
    }
}
