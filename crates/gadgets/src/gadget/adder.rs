//! Sums of words over F_2 whose carries are polynomials, so that only the sum is committed to.
//!
//! Three words become two, the bits' parities and their carries, until two are left: s and c. For the sum r
//! that the prover commits to, the carry that arrives at a bit is k = r + s + c, without a chain of products
//! through the bits below; and that k is zero at the lowest bit and maj(s, c, k) of the bit below at each
//! other is what makes r the sum, the only one. As maj(x, y, z) = (x + y)(x + z) + x, the degree of a carry
//! is that of the two words of higher degree together, so that those of lowest degree are added first; and
//! maj(s, c, k) = (r + s)(r + c) + k has the degree of s plus that of c.

use core::fmt::Display;
use volery_channel::error::Result;
use volery_circuit::Polynomials;
use volery_primitives::F2;

/// Words side by side in the lanes of a vector: bit i of word j, from the least significant,
/// in lane j·width + i.
#[derive(Clone, Copy)]
pub(super) struct Words {
    pub(super) count: usize,
    pub(super) width: usize,
}

impl Words {
    /// Values of `of` for each word and bit, in the order of lanes.
    pub(super) fn lanes<T>(self, of: impl Fn(usize, usize) -> T) -> Vec<T> {
        let mut lanes = Vec::with_capacity(self.count * self.width);
        for word in 0..self.count {
            lanes.extend((0..self.width).map(|bit| of(word, bit)));
        }
        lanes
    }

    /// For each lane that of the next bit below in the same word.
    fn below(self) -> Vec<Option<usize>> {
        self.lanes(|word, bit| (bit > 0).then(|| word * self.width + bit - 1))
    }
}

/// Words to be added, as polynomials of a degree.
pub(super) struct Addend<V> {
    pub(super) vector: V,
    pub(super) degree: usize,
}

/// Demands in each word that `sum`, on wires, is the sum of `addends`, and one more where
/// `plus_one`, modulo 2^width.
///
/// # Errors
/// Those of [`Polynomials::product`] and [`Polynomials::assert_zeroes`].
///
/// # Panics
/// Where there are fewer than two addends.
pub(super) fn assert_sum<B: Polynomials<F = F2>>(
    b: &mut B,
    words: Words,
    addends: impl Into<Vec<Addend<B::Vector>>>,
    plus_one: bool,
    sum: &B::Vector,
    name: impl Display,
) -> Result<()> {
    let below = words.below();
    let mut sorted = Vec::new();
    for addend in addends.into() {
        let behind = sorted.partition_point(|other: &Addend<_>| other.degree <= addend.degree);
        sorted.insert(behind, addend);
    }
    while let [x, y, z, ..] = &sorted[..] {
        let [parity, carry] = add_three(b, &below, x, y, z)?;
        drop(sorted.drain(..3));
        // Before others of their degrees.
        for sum in [carry, parity] {
            let before = sorted.partition_point(|other| other.degree < sum.degree);
            sorted.insert(before, sum);
        }
    }
    let [s, c] = &sorted[..] else { panic!("a sum of fewer than two words") };
    let left = b.sum(sum, &s.vector);
    let right = b.sum(sum, &c.vector);
    let carry = b.sum(&left, &c.vector);
    let both = b.product(&left, &right)?;
    let next = b.sum(&both, &carry);
    let next = b.gather(&next, &below);
    let mut difference = b.sum(&next, &carry);
    if plus_one {
        let ones = b.public(&words.lanes(|_, bit| F2::from(bit == 0)));
        difference = b.sum(&difference, &ones);
    }
    b.assert_zeroes(difference, name)
}

/// Two words whose sum is that of three, of which the first has the lowest degree.
fn add_three<B: Polynomials<F = F2>>(
    b: &mut B,
    below: &[Option<usize>],
    x: &Addend<B::Vector>,
    y: &Addend<B::Vector>,
    z: &Addend<B::Vector>,
) -> Result<[Addend<B::Vector>; 2]> {
    let left = b.sum(&x.vector, &y.vector);
    let right = b.sum(&x.vector, &z.vector);
    let both = b.product(&left, &right)?;
    let majority = b.sum(&both, &x.vector);
    let parity = Addend { vector: b.sum(&left, &z.vector), degree: z.degree };
    let carry = Addend { vector: b.gather(&majority, below), degree: y.degree + z.degree };
    Ok([parity, carry])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use volery_circuit::stream::Streamed;
    use volery_circuit::{Circuit, Clear, Shape};

    /// Witness words, `addends` for each sum and then the sums.
    struct Sums {
        words: Words,
        addends: usize,
        plus_one: bool,
    }

    impl<B: Polynomials<F = F2>> Circuit<B> for Sums {
        fn run(&self, b: &mut B) -> Result<()> {
            let mut read = || {
                let wires = (0..self.words.count * self.words.width).map(|_| b.witness());
                let wires = wires.collect::<Result<Vec<_>>>()?;
                Ok(b.vector(&wires))
            };
            let mut addends = (0..self.addends)
                .map(|_| Ok(Addend { vector: read()?, degree: 1 }))
                .collect::<Result<Vec<_>>>()?;
            let sum = read()?;
            // One addend is a square, which changes no value.
            let square = b.product(&addends[0].vector, &addends[0].vector)?;
            addends[0] = Addend { vector: square, degree: 2 };
            assert_sum(b, self.words, addends, self.plus_one, &sum, "sum")
        }
    }

    impl Sums {
        /// Whether `values`, each in `width` bits, satisfy it, and why not.
        fn check(&self, values: &[u64]) -> Result<()> {
            let width = self.words.width;
            let bits =
                values.iter().flat_map(|value| (0..width).map(move |i| F2::low_bit((value >> i).into())));
            let mut clear = Clear::new(bits);
            Streamed(self).run(&mut clear)?;
            clear.finish()
        }
    }

    #[test]
    fn small_sums_have_one_result() {
        assert_one_result(1 << 10);
    }

    #[test]
    #[ignore = "slow"]
    fn all_small_sums_have_one_result() {
        assert_one_result(u64::MAX);
    }

    /// Asserts it for all addends, or where they are more than `most` for one of every seven, the first and
    /// the last among them.
    fn assert_one_result(most: u64) {
        for (addends, width) in [(2, 1), (2, 4), (3, 3), (4, 2), (4, 3), (5, 2), (6, 2), (9, 1)] {
            for plus_one in [false, true] {
                let sums = Sums { words: Words { count: 1, width }, addends, plus_one };
                let mask = (1 << width) - 1;
                let last = (1u64 << (addends * width)) - 1;
                let step = if last < most { 1 } else { 7 };
                for number in (0..last).step_by(step).chain([last]) {
                    let mut values: Vec<_> = (0..addends).map(|i| number >> (i * width) & mask).collect();
                    let expected = (values.iter().sum::<u64>() + u64::from(plus_one)) & mask;
                    for result in 0..=mask {
                        values.push(result);
                        assert_eq!(sums.check(&values).is_ok(), result == expected, "{values:?}");
                        values.pop();
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn words_side_by_side_do_not_meet(values: [[u32; 3]; 7], plus_one: bool, word in 0..3usize, bit in 0..32u32) {
            let sums = Sums { words: Words { count: 3, width: 32 }, addends: 7, plus_one };
            let mut all: Vec<u64> = values.iter().flatten().map(|&value| value.into()).collect();
            for word in 0..3 {
                let sum = values.iter().fold(u32::from(plus_one), |sum, row| sum.wrapping_add(row[word]));
                all.push(sum.into());
            }
            sums.check(&all).unwrap();
            all[21 + word] ^= 1 << bit;
            let refused = sums.check(&all).unwrap_err().to_string();
            prop_assert!(refused.contains(&format!(" sum[{}] ", 32 * word + bit as usize)), "{}", refused);
        }
    }

    #[test]
    fn a_sum_has_a_polynomial_for_each_bit() {
        let degrees = [2, 3, 4, 5, 6].map(|addends| {
            let sums = Sums { words: Words { count: 2, width: 32 }, addends, plus_one: false };
            let shape = Shape::of::<F2>(&sums).unwrap();
            assert_eq!((shape.polynomials, shape.mul), (64, 0));
            shape.degree
        });
        assert_eq!(degrees, [3, 5, 6, 8, 10]);
    }
}
