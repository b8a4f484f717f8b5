//! Words in the order of a number that each begins with.

use super::{Fixed, word_above};
use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_circuit::{Permutations, Tables};
use volery_primitives::Field;
use volery_primitives::bits::mask;

impl Fixed {
    /// The words of `rows`, one after the other of `width` wires each, in the order of what they begin with,
    /// which are numbers, the smallest first: a hint for each wire, a permutation, and a range for each word but
    /// one. The order of words that begin with the same number is the prover's.
    ///
    /// # Errors
    /// `Invalid` where there are no whole words; those of the backend.
    pub fn sorted<B: Permutations + Tables>(
        self,
        b: &mut B,
        rows: &[B::Wire],
        width: usize,
        name: impl Display,
    ) -> Result<Vec<B::Wire>> {
        self.check::<B::F>()?;
        if width == 0 || !rows.len().is_multiple_of(width) {
            return Err(Error::invalid(format!("{} wires to sort in words of {width}", rows.len())));
        }
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let sorted = b.hints(rows, rows.len(), in_order(self.bits, width))?;
        b.assert_permutation(rows, &sorted, width, &name)?;
        let mut steps = Vec::with_capacity(rows.len() / width);
        for (before, after) in sorted.iter().zip(&sorted[width..]).step_by(width) {
            let minus = b.scale(*before, -B::F::ONE);
            steps.push(b.add(*after, minus));
        }
        // Those of numbers are above -2^bits, which is 2^bits or more modulo p.
        b.assert_within(&steps, self.bits, &name)?;
        Ok(sorted)
    }
}

/// A hint's function: words in the order of the signed integers of `bits` bits that they begin with, sorted
/// by the exchanges of Batcher's merges (Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M), the
/// same for all values.
fn in_order<F: Field>(bits: u32, width: usize) -> impl Fn(&[F]) -> Vec<F> + Send + Sync + 'static {
    move |values| {
        let mut values = values.to_vec();
        let count = values.len() / width;
        let highest = count.next_power_of_two() / 2;
        let mut p = highest;
        while p > 0 {
            let (mut q, mut r, mut d) = (highest, 0, p);
            loop {
                for i in (0..count.saturating_sub(d)).filter(|i| i & p == r) {
                    exchange(&mut values, [i * width, (i + d) * width], width, bits);
                }
                if q == p {
                    break;
                }
                (d, q, r) = (q - p, q / 2, p);
            }
            p /= 2;
        }
        values
    }
}

/// Puts two words into order.
fn exchange<F: Field>(values: &mut [F], [low, high]: [usize; 2], width: usize, bits: u32) {
    let [first, second] = [low, high].map(|at| word_above(values[at], bits));
    let swapped = mask(second.overflowing_sub(first).1.into());
    for i in 0..width {
        let change = (values[high + i] - values[low + i]).masked(swapped);
        values[low + i] += change;
        values[high + i] -= change;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_circuit::stream::{Recorder, Streamed};
    use volery_circuit::testing::Faulty;
    use volery_circuit::{Circuit, Clear};
    use volery_primitives::{F61, F65537};

    /// Words that the prover commits to, and the numbers that they begin with when they are sorted.
    struct Sorting {
        words: usize,
        width: usize,
        expected: Vec<i128>,
    }

    impl Sorting {
        fn push<B: Permutations + Tables>(&self, b: &mut B) -> Result<()> {
            let fixed = Fixed::new::<B::F>(8, 0)?;
            let rows = (0..self.words * self.width).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            let sorted = fixed.sorted(b, &rows, self.width, "in order")?;
            for (word, expected) in sorted.chunks_exact(self.width).zip(&self.expected) {
                let minus = b.constant(-fixed.element::<B::F>(*expected).unwrap());
                let difference = b.add(word[0], minus);
                b.assert_zero(difference, "the number of a word")?;
                // What follows a number is twice the number.
                for more in &word[1..] {
                    let zero = b.linear(&[B::F::ONE + B::F::ONE, -B::F::ONE], &[word[0], *more]);
                    b.assert_zero(zero, "what follows it")?;
                }
            }
            Ok(())
        }
    }

    impl<F: Field> Circuit<Recorder<'_, F>> for Sorting {
        fn run(&self, b: &mut Recorder<'_, F>) -> Result<()> {
            self.push(b)
        }
    }

    fn elements<F: Field>(numbers: &[i128], width: usize) -> Vec<F> {
        let fixed = Fixed::new::<F>(8, 0).unwrap();
        let element = |number: &i128| fixed.element::<F>(*number).unwrap();
        numbers
            .iter()
            .map(element)
            .flat_map(|x| core::iter::once(x).chain((1..width).map(move |_| x + x)))
            .collect()
    }

    fn sorts<F: Field>(mut numbers: Vec<i128>, width: usize) {
        let witness = elements::<F>(&numbers, width);
        numbers.sort_unstable();
        let sorting = Sorting { words: numbers.len(), width, expected: numbers };
        let mut clear = Clear::new(witness);
        Streamed(&sorting).run(&mut clear).unwrap();
        clear.finish().unwrap();
    }

    #[test]
    fn words_are_sorted_by_their_first_numbers() {
        for count in 1..40 {
            sorts::<F61>((0..count).map(|i| (i * 37 + count) % 61 - 30).collect(), 1 + count as usize % 3);
        }
        sorts::<F65537>(vec![127, -128, 0, 127, -128, -1, 1], 2);
    }

    /// Hints that are off by what leaves the words, or puts them into another order.
    #[test]
    fn what_is_not_in_order_is_refused() {
        let sorting = Sorting { words: 3, width: 1, expected: vec![] };
        let witness = elements::<F65537>(&[5, -3, 5], 1);
        let tries = |hinted: [i128; 3]| {
            let errors: Vec<F65537> = hinted
                .iter()
                .zip([-3, 5, 5])
                .map(|(hinted, right)| {
                    let [hinted, right] = [*hinted, right].map(|x| elements::<F65537>(&[x], 1)[0]);
                    hinted - right
                })
                .collect();
            sorting.push(&mut Faulty::with_errors(witness.clone(), &errors)).is_ok()
        };
        assert!(tries([-3, 5, 5]));
        for hinted in [[5, -3, 5], [5, 5, -3], [-3, -3, 5], [-4, 5, 5], [-3, 5, 6], [5, 5, 5]] {
            assert!(!tries(hinted), "{hinted:?}");
        }
    }
}
