//! Poseidon, a hash function over a prime field: Grassi, Khovratovich, Rechberger, Roy and Schofnegger,
//! "Poseidon: A New Hash Function for Zero-Knowledge Proof Systems", USENIX Security 2021; with the
//! parameters of circom.

mod grain;
#[cfg(test)]
mod tests;

use super::Element;
use volery_channel::error::{Error, Result};
use volery_circuit::{Backend, prime_field};
use volery_primitives::Field;

/// The permutation of so many elements by x^5, and a hash by it, with constants that the paper's generator
/// makes of the field and the numbers of rounds. The first matrix that it makes is taken: that this one resists
/// subspaces that go through all rounds, which the paper's script tests, is for who chooses the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poseidon<F> {
    width: usize,
    full: usize,
    partial: usize,
    /// `width` for each round.
    constants: Vec<F>,
    /// The rows of the linear layer, one after the other.
    matrix: Vec<F>,
}

/// The power of which the rounds make use.
const POWER: u64 = 5;
/// Rounds in which every element is raised to it.
const FULL: usize = 8;
/// Rounds in which one element is, by the number of inputs from 1 on: for 128 bits of security over 254 bits
/// and more.
const PARTIAL: [usize; 16] = [56, 57, 56, 60, 60, 63, 64, 63, 60, 66, 60, 65, 70, 60, 64, 68];

impl<F: Field> Poseidon<F> {
    /// The permutation of `width` elements with so many full and partial rounds.
    ///
    /// # Errors
    /// `Invalid` where elements are no integers, x^5 takes a value twice, a full round is not on both
    /// sides of the partial ones, and for a width, or numbers of rounds, that the generator has no place for.
    pub fn new(width: usize, full: usize, partial: usize) -> Result<Self> {
        let modulus = prime_field::<F>()?;
        if modulus.div_rem(POWER).1 == 1 {
            return Err(Error::invalid(format!(
                "Poseidon over {}, where x^{POWER} takes values twice: choose another field, such as bn254",
                F::name()
            )));
        }
        if !(2..=grain::WIDEST).contains(&width) {
            return Err(Error::invalid(format!(
                "Poseidon of {width} elements: choose from 2 to {}",
                grain::WIDEST
            )));
        }
        if full == 0 || !full.is_multiple_of(2) || full.max(partial) > grain::MOST_ROUNDS {
            return Err(Error::invalid(format!(
                "Poseidon with {full} full and {partial} partial rounds: choose an even number of full ones, and no more \
                 than {} of either",
                grain::MOST_ROUNDS
            )));
        }
        let (constants, matrix) = grain::parameters(width, full, partial);
        Ok(Self { width, full, partial, constants, matrix })
    }

    /// The permutation by which circom hashes so many inputs; the vectors of its tests are over
    /// [`Bn254`](volery_primitives::Bn254).
    ///
    /// # Errors
    /// `Invalid` for none and for more than 16 inputs, over a field of less than 254 bits, for which these are
    /// no rounds, and as for [`Poseidon::new`].
    pub fn circom(inputs: usize) -> Result<Self> {
        let Some(partial) = inputs.checked_sub(1).and_then(|place| PARTIAL.get(place)) else {
            return Err(Error::invalid(format!(
                "Poseidon of {inputs} inputs: choose from 1 to {}",
                PARTIAL.len()
            )));
        };
        if F::bits() < 254 {
            return Err(Error::invalid(format!(
                "circom's Poseidon over {}: it is for fields of 254 bits and more, such as bn254",
                F::name()
            )));
        }
        Self::new(inputs + 1, FULL, *partial)
    }

    /// The elements that are permuted.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The permutation of `state`: three multiplications for each power.
    ///
    /// # Errors
    /// `Invalid` where the width is another; those of [`Backend::mul`].
    pub fn permute<W: Copy, B: Backend<F = F, Wire = W>>(
        &self,
        b: &mut B,
        state: &[Element<F, W>],
    ) -> Result<Vec<Element<F, W>>> {
        if state.len() != self.width {
            return Err(Error::invalid(format!(
                "{} elements for a permutation of {}: give as many",
                state.len(),
                self.width
            )));
        }
        let mut state = state.to_vec();
        for (round, constants) in self.constants.chunks_exact(self.width).enumerate() {
            for (x, constant) in state.iter_mut().zip(constants) {
                *x = x.add(b, Element::Public(*constant));
            }
            let is_partial = (self.full / 2..self.full / 2 + self.partial).contains(&round);
            for x in &mut state[..if is_partial { 1 } else { self.width }] {
                *x = x.power(b, POWER)?;
            }
            let rows = self.matrix.chunks_exact(self.width);
            state = rows.map(|row| Element::linear(b, row, &state)).collect::<Result<_>>()?;
        }
        Ok(state)
    }

    /// The hash of as many elements as are permuted but one: the first of what zero and these become.
    ///
    /// # Errors
    /// `Invalid` where there are others; those of [`Backend::mul`].
    pub fn hash<W: Copy, B: Backend<F = F, Wire = W>>(
        &self,
        b: &mut B,
        message: &[Element<F, W>],
    ) -> Result<Element<F, W>> {
        let state: Vec<_> = [Element::ZERO].into_iter().chain(message.iter().copied()).collect();
        Ok(self.permute(b, &state)?[0])
    }
}
