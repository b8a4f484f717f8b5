//! Files of every size and degree; provers that cheat, at every Δ that there is; files that were changed; a
//! simulator.

mod cheating;
mod files;
mod honest;
mod simulation;

use super::prover::Begun;
use super::verifier::hear;
use super::*;
use crate::{Prover, Verifier};
use volery_channel::error::{Error, Rejection, Result};
use volery_channel::random::Random;
use volery_circuit::{Backend, Circuit, Entries, Matrix, Polynomials, Shape};
use volery_primitives::{F2, F128, Field};
use volery_proof::verdict::Gates;

const HEADER: &[u8] = b"header";

/// Parameters with so few bits of Δ that all of them can be tried, and so many zeroes that no file is
/// accepted by luck.
const TOY: Parameters = Parameters { trees: 2, bits: 6, grinding: 10 };

/// "I know bits such that products, polynomials and matrices made of them are what they are."
#[derive(Clone, Copy, Default)]
struct Everything {
    /// Products, each of two of the last wires.
    products: usize,
    /// The degree of each polynomial.
    degree: usize,
    polynomials: usize,
    matrices: usize,
}

impl Everything {
    /// Witness elements.
    const INPUTS: usize = 5;

    fn witness(&self, seed: u8) -> Vec<F2> {
        let mut random = Random::from_seed(&[seed; 32]);
        (0..Self::INPUTS).map(|_| random.word().bit0()).collect()
    }

    fn size(&self) -> Size {
        Shape::of(self).unwrap().size()
    }
}

impl<B: Polynomials<F = F2>> Circuit<B> for Everything {
    fn run(&self, b: &mut B) -> Result<()> {
        let mut wires = (0..Self::INPUTS).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        for i in 0..self.products {
            let a = b.add(wires[i % 3], wires[4]);
            wires[(i + 1) % 5] = b.mul(a, wires[i % 5])?;
        }
        for i in 0..self.polynomials {
            let lanes = [wires[i % 5], wires[(i + 1) % 5], wires[(i + 2) % 5]];
            let line = b.vector(&lanes);
            let other = b.gather(&line, &[Some(2), Some(0), None]);
            let factor = b.sum(&line, &other);
            let mut power = factor.clone();
            for _ in 1..self.degree {
                power = b.product(&power, &factor)?;
            }
            let committed = b.commit(&power)?;
            wires[i % 5] = b.add(wires[i % 5], committed[1]);
            // Bits are their own powers.
            let difference = b.sum(&power, &factor);
            b.assert_zeroes(difference, "a power")?;
        }
        for i in 0..self.matrices {
            let (left, right) = ([wires[0], wires[1]], [wires[2], wires[3]]);
            let products = [b.mul(left[0], right[0])?, b.mul(left[1], right[1])?];
            let sum = b.add(products[0], products[1]);
            let [left, right] = [Matrix::new(&left, 2), Matrix::new(&right, 1)];
            b.assert_matrix_product(left, right, Entries::Wires(&[sum]), "a matrix")?;
            wires[i % 5] = b.add(wires[i % 5], sum);
        }
        let twice = b.add(wires[0], wires[0]);
        b.assert_zero(twice, "twice")
    }
}

/// The public terms of a proof, by one thread.
fn terms(parameters: &Parameters, size: Size) -> Terms<'_> {
    static ALONE: Pool = Pool::ALONE;
    Terms { arch: Arch::detect(), parameters, size, pool: &ALONE, progress: None }
}

fn prove<C: for<'a> Circuit<Prover<'a>>>(
    terms: &Terms,
    circuit: &C,
    witness: &[F2],
    seed: u8,
) -> Result<(Vec<u8>, Gates)> {
    let mut file = vec![];
    let mut random = Random::from_seed(&[seed; 32]);
    let gates = write(&mut file, HEADER, terms, (circuit, witness.iter().copied()), &mut random)?;
    Ok((file, gates))
}

/// Reads a file, whose header is passed over.
fn check<C: for<'a> Circuit<Verifier<'a>>>(terms: &Terms, circuit: &C, file: &[u8]) -> Result<Gates> {
    check_behind(HEADER, terms, circuit, file)
}

fn check_behind<C: for<'a> Circuit<Verifier<'a>>>(
    header: &[u8],
    terms: &Terms,
    circuit: &C,
    file: &[u8],
) -> Result<Gates> {
    let mut rest = file.get(HEADER.len()..).ok_or(Error::Rejected(Rejection::EndsEarly))?;
    read(&mut rest, header, terms, circuit).map(|(_accepted, gates)| gates)
}
