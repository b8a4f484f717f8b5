//! A wave in the clear: the prover's first walk.

use std::sync::Arc;
use volery_circuit::stream::straight::{Kind, StraightLine};
use volery_primitives::{F2, F128, Field};
use zeroize::Zeroizing;

/// Lanes in a word.
const WORD: usize = 64;

/// The values of some lanes of a function, and how far their walk has come.
pub(crate) struct Clear {
    line: Arc<StraightLine<F2>>,
    lanes: usize,
    /// The words of a slot.
    words: usize,
    /// The values, slot by slot, a bit for each lane.
    values: Zeroizing<Vec<u64>>,
    /// The witness, element by element, likewise.
    witness: Zeroizing<Vec<u64>>,
    /// The step at hand, and the lanes of it that are done.
    step: usize,
    done: usize,
}

impl Clear {
    /// A wave of these lanes at its begin, with the columns of its arguments, each in bit 0 of its MAC. Its
    /// elements of the `witness` are read: `None` where that has ended.
    pub(crate) fn new<'a>(
        line: &Arc<StraightLine<F2>>,
        lanes: usize,
        arguments: impl Iterator<Item = &'a [F128]>,
        witness: &mut dyn Iterator<Item = F2>,
    ) -> Option<Self> {
        let words = lanes.div_ceil(WORD);
        let mut values = Zeroizing::new(vec![0; words * line.slots]);
        for (slot, column) in values.chunks_exact_mut(words).zip(arguments) {
            column.iter().enumerate().for_each(|(lane, mac)| put(slot, lane, mac.bit0()));
        }
        let witness = Self::witness_of(line, lanes, witness)?;
        Some(Self { line: line.clone(), lanes, words, values, witness, step: 0, done: 0 })
    }

    /// A wave that has taken so many shares, with the MACs on all of its slots, and its witness.
    pub(crate) fn at<'a>(
        line: &Arc<StraightLine<F2>>,
        lanes: usize,
        columns: impl Iterator<Item = &'a [F128]>,
        witness: Zeroizing<Vec<u64>>,
        taken: u64,
    ) -> Self {
        let words = lanes.div_ceil(WORD);
        let mut values = Zeroizing::new(vec![0; words * line.slots]);
        for (slot, column) in values.chunks_exact_mut(words).zip(columns) {
            column.iter().enumerate().for_each(|(lane, mac)| put(slot, lane, mac.bit0()));
        }
        let (step, done) = (line.step_after(taken, lanes as u64), (taken % lanes as u64) as usize);
        Self { line: line.clone(), lanes, words, values, witness, step, done }
    }

    /// The elements of the witness of so many lanes, each from a new word on, if there are enough.
    pub(crate) fn witness_of(
        line: &StraightLine<F2>,
        lanes: usize,
        witness: &mut dyn Iterator<Item = F2>,
    ) -> Option<Zeroizing<Vec<u64>>> {
        let words = lanes.div_ceil(WORD);
        let mut read = Zeroizing::new(vec![0; words * line.witness as usize]);
        for lane in 0..lanes {
            for element in read.chunks_exact_mut(words) {
                put(element, lane, witness.next()?);
            }
        }
        Some(read)
    }

    /// The witness of the wave.
    pub(crate) fn into_witness(self) -> Zeroizing<Vec<u64>> {
        self.witness
    }

    /// Whether all steps are done.
    pub(crate) fn is_done(&self) -> bool {
        self.step == self.line.steps.len()
    }

    /// Walks on, until a step commits to more than there are `shares`. These are corrected, so that each has
    /// the value that is committed to, and the corrections are put into `bits` from number `at` on. Fig. 4, 4
    /// and 5.
    pub(crate) fn walk(&mut self, mut shares: &mut [F128], bits: &mut [u8], mut at: usize) {
        let (line, words) = (self.line.clone(), self.words);
        while let Some(step) = line.steps.get(self.step) {
            let [out, a, b] = [step.out, step.a, step.b].map(|slot| slot as usize * words);
            match step.kind {
                Kind::Add => {
                    (0..words).for_each(|i| self.values[out + i] = self.values[a + i] ^ self.values[b + i])
                }
                Kind::Constant => {
                    let value = if line.constants[step.a as usize] == F2::ONE { u64::MAX } else { 0 };
                    self.values[out..out + words].fill(value);
                }
                // They commit to nothing.
                Kind::Assert | Kind::AssertProduct | Kind::Polynomials => {}
                Kind::Hint => self.hint(step.a as usize),
                Kind::Scale => unreachable!("a factor of F_2 is no step"),
                Kind::Mul | Kind::Witness | Kind::Commit => {
                    while self.done < self.lanes {
                        let (word, bit) = (self.done / WORD, self.done % WORD);
                        let count = shares.len().min(self.lanes - self.done).min(WORD - bit);
                        if count == 0 {
                            return;
                        }
                        let value = match step.kind {
                            Kind::Mul => self.values[a + word] & self.values[b + word],
                            Kind::Witness => self.witness[step.a as usize * words + word],
                            _ => self.values[out + word],
                        };
                        let mask = u64::MAX >> (WORD - count) << bit;
                        let slot = &mut self.values[out + word];
                        *slot = *slot & !mask | value & mask;
                        let (now, behind) = shares.split_at_mut(count);
                        write(bits, at, correct(now, value >> bit), count);
                        (shares, at) = (behind, at + count);
                        self.done += count;
                    }
                    self.done = 0;
                }
            }
            self.step += 1;
        }
    }

    /// Puts the values of a hint on the slots of its results.
    fn hint(&mut self, number: usize) {
        let (line, words) = (self.line.clone(), self.words);
        let hint = &line.hints[number];
        let mut of = Zeroizing::new(vec![F2::ZERO; hint.of.len()]);
        let mut made = Zeroizing::new(vec![0; words * hint.results.len()]);
        for lane in 0..self.lanes {
            for (value, slot) in of.iter_mut().zip(&hint.of) {
                let word = self.values[*slot as usize * words + lane / WORD];
                *value = F2::low_bit(u128::from(word >> (lane % WORD)));
            }
            let results = Zeroizing::new((hint.function)(&of));
            assert_eq!(results.len(), hint.results.len());
            made.chunks_exact_mut(words).zip(&*results).for_each(|(slot, value)| put(slot, lane, *value));
        }
        for (values, slot) in made.chunks_exact(words).zip(&hint.results) {
            self.values[*slot as usize * words..][..words].copy_from_slice(values);
        }
    }
}

/// Puts the value of a lane, which is zero so far, into a slot.
fn put(slot: &mut [u64], lane: usize, value: F2) {
    slot[lane / WORD] |= (value.to_word() as u64) << (lane % WORD);
}

/// Gives each share the value in a bit of `values`, and returns the corrections.
fn correct(shares: &mut [F128], values: u64) -> u64 {
    let mut corrections = 0;
    for (i, share) in shares.iter_mut().enumerate() {
        let correction = (share.0 as u64 ^ values >> i) & 1;
        corrections |= correction << i;
        share.0 ^= u128::from(correction);
    }
    corrections
}

/// Writes `count` bits, 64 at most, from bit `at` on, eight to a byte, where there are zeroes.
fn write(bytes: &mut [u8], at: usize, bits: u64, count: usize) {
    let spread = (u128::from(bits) << (at % 8)).to_le_bytes();
    let end = (at % 8 + count).div_ceil(8);
    bytes[at / 8..].iter_mut().zip(&spread[..end]).for_each(|(byte, bits)| *byte |= bits);
}
