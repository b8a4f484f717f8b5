//! Ajtai's commitment in modules over a ring: M. Ajtai, "Generating Hard Instances of Lattice Problems", STOC 1996;
//! A. Langlois and D. Stehlé, "Worst-Case to Average-Case Reductions for Module Lattices", 2015.
//!
//! To a list w of short integers it is D = A·w + B·s, with short random integers s that hide, and public random
//! matrices A and B of three rows over R = F_p\[X\]/(X^512 + 1), p = 2^61 − 1. Who opens one D by two lists has a short
//! solution of [A | B]·z = 0: it binds where all integers are shown to be short, by who makes use of it, and nothing
//! here does that. `docs/security/linear-commitment.md` has bounds and the work to break it.
//!
//! As p + 1 is 2^61, X^512 + 1 is a product of 256 factors X² − t·X + 1. Matrices are drawn, and D is given, by their
//! remainders: products are those of remainders. X^2k − c·X^k + 1 is the product of X^k ± d·X^(k/2) + 1 with
//! d² = 2 + c, and so on down. All of it is linear: for a backend it costs no multiplication, and no commitment.

use core::array;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::hash::elements::{Expanded, expanded};
use volery_primitives::{F61, Field};
use zeroize::{Zeroize, Zeroizing};

/// The degree of the ring.
const DEGREE: usize = 512;

/// The rows of the matrices.
const RANK: usize = 3;

/// Polynomials that are multiplied at a time.
const TOGETHER: usize = 64;

/// The parts of a factor on the next level.
const WAYS: usize = 4;

/// A commitment that is made of entries piece by piece.
pub struct Ajtai<W> {
    /// Entries of the matrices that are still to come.
    matrix: Expanded<F61>,
    /// The middle coefficients t of all factors of a level, for each level.
    levels: Vec<Vec<F61>>,
    sums: Vec<W>,
}

impl<W: Copy + Zeroize> Ajtai<W> {
    /// The elements of a commitment.
    pub const ELEMENTS: usize = RANK * DEGREE;

    /// The random integers of 16 bits that hide what is committed to: 18 polynomials, by which it is within 2^−102 of a
    /// uniform one.
    pub const SALT: usize = 18 * DEGREE;

    /// A commitment to nothing yet, by the matrices that `seed` names.
    pub fn new(seed: [u8; 32]) -> Self {
        Self { matrix: expanded(seed), levels: levels(), sums: Vec::new() }
    }

    /// Adds entries, which have columns of their own in the matrices: in pieces of 2^15, each of which is as few
    /// polynomials as it takes. Coefficient k of polynomial i of n is number kn + i of the piece, or zero behind its end.
    ///
    /// # Errors
    /// Those of `b`.
    pub fn add<B: Backend<F = F61, Wire = W>>(&mut self, b: &mut B, entries: &[W]) -> Result<()> {
        for piece in entries.chunks(DEGREE * TOGETHER) {
            let count = piece.len().div_ceil(DEGREE);
            let remainders = self.remainders(b, piece, count);
            let images = self.images(b, &remainders, count)?;
            b.forget(&remainders);
            self.sums = if self.sums.is_empty() {
                images
            } else {
                let sums = b.linear_rows(&[F61::ONE; 2], &[&self.sums, &images]);
                b.forget(&self.sums);
                b.forget(&images);
                sums
            };
        }
        Ok(())
    }

    /// The elements of the commitment: the coefficients of the remainders of a row, by factors, for each row.
    pub fn finish(self) -> Vec<W> {
        (0..RANK)
            .flat_map(|row| self.sums.chunks(2 * RANK).flat_map(move |of| of[2 * row..][..2].to_vec()))
            .collect()
    }

    /// The remainders of `count` polynomials: for each factor the constant coefficients of all, and then the others.
    fn remainders<B: Backend<F = F61, Wire = W>>(
        &self,
        b: &mut B,
        piece: &[W],
        count: usize,
    ) -> Zeroizing<Vec<W>> {
        let mut wires = Zeroizing::new(Vec::with_capacity(count * DEGREE));
        wires.extend_from_slice(piece);
        if wires.len() < count * DEGREE {
            let zero = b.constant(F61::ZERO);
            wires.resize(count * DEGREE, zero);
        }
        for (level, of_parts) in self.levels.iter().enumerate() {
            let mut reduced = Zeroizing::new(Vec::with_capacity(wires.len()));
            let factors = of_parts.len() / WAYS;
            for (of_factor, parts) in wires.chunks(wires.len() / factors).zip(of_parts.chunks(WAYS)) {
                let powers: Vec<_> = of_factor.chunks(of_factor.len() / (2 * WAYS)).collect();
                for &part in parts {
                    for factors in powers_modulo(part) {
                        reduced.extend_from_slice(&Zeroizing::new(b.linear_rows(&factors, &powers)));
                    }
                }
            }
            // The first ones are the caller's.
            if level > 0 {
                b.forget(&wires);
            }
            wires = reduced;
        }
        wires
    }

    /// The sums of products of `count` columns of the matrices with polynomials of these remainders: for each factor those
    /// of all rows.
    fn images<B: Backend<F = F61, Wire = W>>(
        &mut self,
        b: &mut B,
        remainders: &[W],
        count: usize,
    ) -> Result<Vec<W>> {
        let mut images = Vec::with_capacity(Self::ELEMENTS);
        let middle = self.levels.last().expect("as it is made");
        let mut rows = vec![vec![F61::ZERO; 2 * count]; 2 * RANK];
        for (of_factor, &t) in remainders.chunks(2 * count).zip(middle) {
            for i in 0..count {
                for row in rows.chunks_mut(2) {
                    let [constant, linear] = array::from_fn(|_| self.matrix.next().expect("without end"));
                    // X² is t·X − 1.
                    [row[0][i], row[0][count + i]] = [constant, -linear];
                    [row[1][i], row[1][count + i]] = [linear, constant + t * linear];
                }
            }
            b.linear_map(rows.iter().map(|row| &row[..]), of_factor, |_, _, image| {
                images.push(image);
                Ok(())
            })?;
        }
        Ok(images)
    }
}

/// The middle coefficients of the factors of X^512 + 1 on each level, down to those of degree two.
fn levels() -> Vec<Vec<F61>> {
    let halves = |of: &[F61]| -> Vec<F61> {
        of.iter()
            .flat_map(|&c| {
                let d = root(c + F61::ONE + F61::ONE);
                [d, -d]
            })
            .collect()
    };
    let mut levels = vec![vec![F61::ZERO]];
    while levels[levels.len() - 1].len() < DEGREE / 2 {
        let last = levels[levels.len() - 1].clone();
        levels.push((0..WAYS.ilog2()).fold(last, |of, _| halves(&of)));
    }
    levels.split_off(1)
}

/// A root of a square: p is 3 modulo 4.
fn root(square: F61) -> F61 {
    (0..59).fold(square, |power, _| power * power)
}

/// The constant and the linear coefficients of 1, Y, Y², … modulo Y² − t·Y + 1.
fn powers_modulo(t: F61) -> [[F61; 2 * WAYS]; 2] {
    let (mut constant, mut linear) = ([F61::ZERO; 2 * WAYS], [F61::ZERO; 2 * WAYS]);
    constant[0] = F61::ONE;
    for power in 1..2 * WAYS {
        constant[power] = -linear[power - 1];
        linear[power] = constant[power - 1] + t * linear[power - 1];
    }
    [constant, linear]
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_circuit::Clear;

    /// The product of polynomials.
    fn product(a: &[F61], b: &[F61]) -> Vec<F61> {
        let mut c = vec![F61::ZERO; a.len() + b.len() - 1];
        for (i, &a) in a.iter().enumerate() {
            b.iter().enumerate().for_each(|(j, &b)| c[i + j] += a * b);
        }
        c
    }

    /// The remainder of a polynomial modulo X² − t·X + 1.
    fn remainder(of: &[F61], t: F61) -> [F61; 2] {
        of.iter()
            .rev()
            .fold([F61::ZERO; 2], |[constant, linear], &next| [next - linear, constant + t * linear])
    }

    #[test]
    fn factors_are_those_of_the_ring() {
        let levels = levels();
        let all = levels.last().expect("levels");
        let whole = all.iter().fold(vec![F61::ONE], |all, &t| product(&all, &[F61::ONE, -t, F61::ONE]));
        let mut expected = vec![F61::ZERO; DEGREE + 1];
        (expected[0], expected[DEGREE]) = (F61::ONE, F61::ONE);
        assert_eq!(whole, expected);
    }

    #[test]
    fn commitments_are_sums_of_products() {
        let seed = [7; 32];
        // Three polynomials, of which the last is not full, and two.
        let entries: Vec<F61> = expanded([1; 32]).take(3 * DEGREE - 5 + 2 * DEGREE).collect();
        let pieces = entries.split_at(3 * DEGREE - 5);
        let mut clear = Clear::<F61>::new([]);
        let mut ajtai = Ajtai::new(seed);
        ajtai.add(&mut clear, pieces.0).expect("linear");
        ajtai.add(&mut clear, pieces.1).expect("linear");

        let levels = levels();
        let (mut matrix, mut expected) = (expanded::<F61>(seed), vec![F61::ZERO; Ajtai::<F61>::ELEMENTS]);
        for (piece, count) in [(pieces.0, 3), (pieces.1, 2)] {
            for (slot, &t) in levels.last().expect("levels").iter().enumerate() {
                for i in 0..count {
                    let polynomial: Vec<_> = piece.iter().skip(i).step_by(count).copied().collect();
                    for row in 0..RANK {
                        let of_matrix: Vec<_> = matrix.by_ref().take(2).collect();
                        let of_row = remainder(&product(&of_matrix, &remainder(&polynomial, t)), t);
                        let place = row * DEGREE + 2 * slot;
                        expected[place..][..2].iter_mut().zip(of_row).for_each(|(sum, add)| *sum += add);
                    }
                }
            }
        }
        assert_eq!(ajtai.finish(), expected);
    }
}
