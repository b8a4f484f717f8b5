//! Public permutations from a seed.

use core::mem;
use std::collections::VecDeque;
use volery_channel::pool::{Pool, Tasks};
use volery_primitives::prg::Prg;
use volery_primitives::{Arch, F128};

/// Up to so many entries are shuffled in place; more are first dealt to parts that fit the cache.
const IN_PLACE: usize = 1 << 13;
/// Parts that entries are dealt to.
const PARTS: usize = 256;
/// Parts that are one task, and the entries of a part, on average, from which on that is worth it.
const TOGETHER: usize = 16;
const IN_TASKS: usize = if cfg!(test) { 3 } else { 256 };

const _: () = assert!(PARTS.is_multiple_of(TOGETHER));

/// Words of a seed, one by one.
struct Words {
    arch: Arch,
    seed: F128,
    prg: Prg,
    words: [u64; 2 * DRAWN],
    next: usize,
    /// The number of the first word that is not drawn yet.
    drawn: u64,
}

/// Blocks of two words that are drawn at a time.
const DRAWN: usize = 128;

impl Words {
    fn new(arch: Arch, seed: F128) -> Self {
        Self { arch, seed, prg: Prg::new(arch, seed), words: [0; 2 * DRAWN], next: 2 * DRAWN, drawn: 0 }
    }

    /// Words that follow the same seed, from the one on that comes `count` after the next.
    fn beyond(&self, count: u64) -> Self {
        let start = self.drawn - (self.words.len() - self.next) as u64 + count;
        let whole = start - start % 2;
        let mut words = Self::new(self.arch, self.seed);
        words.prg = words.prg.skip(whole / 2);
        words.drawn = whole;
        if start > whole {
            words.word();
        }
        words
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
        self.drawn += self.words.len() as u64;
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
    /// bias. Parts are shuffled in tasks, where none is too long.
    pub(super) fn shuffle(
        &mut self,
        (pool, arch): (&Pool, Arch),
        seed: F128,
        entries: impl ExactSizeIterator<Item = u32>,
        shuffled: &mut Vec<u32>,
    ) {
        shuffled.resize(entries.len(), 0);
        self.shuffle_by(pool, &mut Words::new(arch, seed), entries, shuffled, IN_PLACE);
    }

    /// Shuffles by Fisher and Yates, after Rao and Sandelius where there are more than `in_place` entries:
    /// entries dealt to random parts, each of which is shuffled, are shuffled.
    fn shuffle_by(
        &mut self,
        pool: &Pool,
        words: &mut Words,
        entries: impl ExactSizeIterator<Item = u32>,
        shuffled: &mut [u32],
        in_place: usize,
    ) {
        if shuffled.len() <= in_place {
            shuffled.iter_mut().zip(entries).for_each(|(place, entry)| *place = entry);
            return swap(words, shuffled);
        }
        let lengths = self.deal(words, entries, shuffled);
        if shuffled.len() > PARTS * IN_TASKS && lengths.iter().all(|&length| length <= in_place) {
            return swap_parts(pool, words, shuffled, &lengths);
        }
        let mut rest = shuffled;
        for length in lengths {
            let part;
            (part, rest) = rest.split_at_mut(length);
            if length <= in_place {
                swap(words, part);
            } else {
                let entries = part.to_vec();
                self.shuffle_by(pool, words, entries.into_iter(), part, in_place);
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

/// Shuffles each of the parts, of these lengths, that `entries` are made of: some parts are a task.
fn swap_parts(pool: &Pool, words: &mut Words, mut entries: &mut [u32], lengths: &[usize; PARTS]) {
    let (mut tasks, mut places) = (Tasks::default(), VecDeque::new());
    for lengths in lengths.as_chunks::<TOGETHER>().0.iter().copied() {
        let parts;
        (parts, entries) = entries.split_at_mut(lengths.iter().sum());
        // One number for each entry of a part but its first.
        let numbers: u64 = lengths.iter().map(|length| length.saturating_sub(1) as u64).sum();
        if numbers == 0 {
            continue;
        }
        let next = words.beyond(numbers);
        let (mut words, mut swapped) = (mem::replace(words, next), parts.to_vec());
        places.push_back(parts);
        tasks.push(pool.run(move || {
            let mut rest = &mut swapped[..];
            for length in lengths {
                let part;
                (part, rest) = rest.split_at_mut(length);
                swap(&mut words, part);
            }
            swapped
        }));
        while let Some(swapped) = tasks.next_beyond(pool.ahead()) {
            places.pop_front().expect("one for each task").copy_from_slice(&swapped);
        }
    }
    places.into_iter().zip(tasks).for_each(|(parts, swapped)| parts.copy_from_slice(&swapped));
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
            let shuffled = |threads, arch, seed| {
                let mut shuffled = vec![7; 3];
                Shuffle::default().shuffle(
                    (&Pool::of(threads), arch),
                    F128(seed),
                    sorted.iter().copied(),
                    &mut shuffled,
                );
                shuffled
            };
            let entries = shuffled(1, Arch::detect(), 1);
            assert_eq!(entries, shuffled(3, Arch::PORTABLE, 1));
            assert!(length < 3 || entries != shuffled(1, Arch::PORTABLE, 2));
            let mut again = entries;
            again.sort_unstable();
            assert_eq!(again, sorted);
        }
    }

    /// Words from any on are those that come after the others.
    #[test]
    fn words_beyond_are_the_same() {
        let mut all = Words::new(Arch::detect(), F128(5));
        let words: Vec<u64> = (0..2000).map(|_| all.word()).collect();
        let mut words_at = Words::new(Arch::PORTABLE, F128(5));
        for (drawn, &word) in words[..700].iter().enumerate() {
            for count in [0, 1, 2, 255, 256, 257, 1000] {
                assert_eq!(words_at.beyond(count).word(), words[drawn + count as usize]);
                assert_eq!(words_at.beyond(count).beyond(3).word(), words[drawn + count as usize + 3]);
            }
            assert_eq!(words_at.word(), word);
        }
    }

    /// Tasks shuffle as one thread would, by the same words, wherever parts are short, long, or empty.
    #[test]
    fn tasks_use_the_words_of_one_thread() {
        fn alone(words: &mut Words, entries: Vec<u32>, in_place: usize) -> Vec<u32> {
            let mut entries = entries;
            if entries.len() <= in_place {
                swap(words, &mut entries);
                return entries;
            }
            let mut dealt = vec![0; entries.len()];
            let lengths = Shuffle::default().deal(words, entries.into_iter(), &mut dealt);
            let mut rest = &dealt[..];
            let parts = lengths.iter().map(|&length| {
                let part;
                (part, rest) = rest.split_at(length);
                alone(words, part.to_vec(), in_place)
            });
            parts.collect::<Vec<_>>().concat()
        }
        for (length, in_place) in
            [(700, 1), (3000, 8), (3000, 12), (3000, 16), (3000, 30), (3000, 3000), (800, 9)]
        {
            let mut by_one = Words::new(Arch::detect(), F128(9));
            let expected = alone(&mut by_one, (0..length).collect(), in_place);
            for threads in [1, 3] {
                let mut words = Words::new(Arch::detect(), F128(9));
                let mut shuffled = vec![0; length as usize];
                Shuffle::default().shuffle_by(
                    &Pool::of(threads),
                    &mut words,
                    0..length,
                    &mut shuffled,
                    in_place,
                );
                assert_eq!(shuffled, expected, "{length} {in_place}");
                let next = by_one.beyond(0).word();
                assert_eq!(words.word(), next, "{length} {in_place}");
            }
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
                shuffle.shuffle_by(
                    &Pool::default(),
                    &mut words,
                    [0, 1, 2, 3, 4].into_iter(),
                    &mut shuffled,
                    in_place,
                );
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
            Shuffle::default().shuffle((&Pool::of(2), Arch::detect()), F128(seed), 0..length, &mut shuffled);
            for (place, entry) in shuffled.iter().enumerate() {
                counts[place >> 12][*entry as usize >> 12] += 1;
            }
        }
        let expected = f64::from(length) / 16.0;
        let far = counts.iter().flatten().map(|&count| (f64::from(count) - expected).abs());
        assert!(far.fold(0.0, f64::max) < 5.0 * expected.sqrt());
    }
}
