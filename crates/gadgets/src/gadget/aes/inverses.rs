//! SubBytes by 8 committed bits: the inverse, which the prover commits to.
//!
//! y is the inverse of x, or zero for zero, where **x²·y = x and x·y² = y**: both say x·y = 1 or that one of
//! the two is zero, and then the first says that x is, the second that y is. Squares are linear over bits,
//! and so is the product of a square and X^j: with y = Σ_j y_j·X^j the first is Σ_j y_j·(X^j·x²) = x, eight
//! polynomials of degree 2 in the bits. All bytes that are substituted at once stand side by side in the
//! lanes.

use super::field::mul;
use super::substitution::affine;
use super::{Byte, SubBytes, double};
use crate::gadget::{Bit, Holes, Word};
use core::array;
use volery_channel::error::Result;
use volery_circuit::Polynomials;
use volery_primitives::F2;
use zeroize::Zeroizing;

/// The inverse, or zero of zero: without a branch.
fn invert(x: u8) -> u8 {
    // The power 254: its bits are ones but for the lowest.
    let mut power = 1;
    let mut square = x;
    for _ in 1..8 {
        square = mul(square, square);
        power = mul(power, square);
    }
    power
}

impl<B: Polynomials<F = F2>> SubBytes<B> for Holes {
    const ROUNDS: &'static str = "rounds of AES-128 by inverses";
    const COUNTED: &'static str = "rounds of AES-128 by inverses and a number";

    fn substitute(b: &mut B, bytes: &[Byte<B::Wire>]) -> Result<Vec<Byte<B::Wire>>> {
        substitute(b, bytes, |_, inverse| inverse)
    }
}

/// The bytes that stand for `bytes`; the prover commits to what `alter` makes of each inverse, by its number.
pub(super) fn substitute<B: Polynomials<F = F2>>(
    b: &mut B,
    bytes: &[Byte<B::Wire>],
    alter: impl Fn(usize, u8) -> u8 + Send + Sync + 'static,
) -> Result<Vec<Byte<B::Wire>>> {
    let secret: Vec<_> = bytes.iter().filter(|byte| !byte.is_public()).copied().collect();
    let wires = wires(b, &secret);
    let inverses = b.hints(&wires, wires.len(), move |values| {
        let bytes = values.chunks_exact(8).map(byte).enumerate();
        let inverses = Zeroizing::new(bytes.map(|(number, x)| alter(number, invert(x))).collect::<Vec<_>>());
        inverses.iter().flat_map(|y| (0..8).map(move |bit| F2::low_bit((y >> bit).into()))).collect()
    })?;
    let word = |bits: &[B::Wire]| Word::new(array::from_fn(|bit| Bit::Wire(bits[bit])));
    let inverses: Vec<Byte<B::Wire>> = inverses.chunks_exact(8).map(word).collect();
    assert_inverses(b, &secret, &inverses)?;
    assert_inverses(b, &inverses, &secret)?;
    let mut inverses = inverses.into_iter();
    let substituted = bytes.iter().map(|x| {
        let inverse = match value(x) {
            Some(x) => Word::public(invert(x).into()),
            None => inverses.next().expect("one for each"),
        };
        affine(b, &inverse)
    });
    Ok(substituted.collect())
}

/// Demands x²·y = x of each x and y.
fn assert_inverses<B: Polynomials<F = F2>>(
    b: &mut B,
    x: &[Byte<B::Wire>],
    y: &[Byte<B::Wire>],
) -> Result<()> {
    if x.is_empty() {
        return Ok(());
    }
    let of_x = wires(b, x);
    let of_y = wires(b, y);
    let of_y = b.vector(&of_y);
    let mut sum = b.vector(&of_x);
    let mut shifted: Vec<_> = x.iter().map(|x| square(b, x)).collect();
    for j in 0..8 {
        let left = wires(b, &shifted);
        let left = b.vector(&left);
        let lanes: Vec<_> = (0..8 * y.len()).map(|lane| Some(lane / 8 * 8 + j)).collect();
        let right = b.gather(&of_y, &lanes);
        let product = b.product(&left, &right)?;
        sum = b.sum(&sum, &product);
        shifted.iter_mut().for_each(|x| *x = double(b, x));
    }
    b.assert_zeroes(sum, "bits of inverses")
}

/// x².
fn square<B: Polynomials<F = F2>>(b: &mut B, x: &Byte<B::Wire>) -> Byte<B::Wire> {
    const SQUARES: [u8; 8] = {
        let mut squares = [0; 8];
        let mut i = 0;
        while i < 8 {
            squares[i] = mul(1 << i, 1 << i);
            i += 1;
        }
        squares
    };
    Word::new(array::from_fn(|bit| {
        let terms = x.bits().iter().zip(SQUARES).filter(|(_, square)| square >> bit & 1 == 1);
        terms.fold(Bit::Public(false), |sum, (x, _)| sum.xor(b, *x))
    }))
}

/// The wires of bytes, one after the other.
fn wires<B: Polynomials<F = F2>>(b: &mut B, bytes: &[Byte<B::Wire>]) -> Vec<B::Wire> {
    bytes.iter().flat_map(|byte| *byte.bits()).map(|bit| bit.wire(b)).collect()
}

/// The byte of these bits.
fn byte(bits: &[F2]) -> u8 {
    bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit.to_word() as u8)
}

/// A public byte.
fn value<W: Copy>(byte: &Byte<W>) -> Option<u8> {
    byte.bits().iter().rev().try_fold(0, |value, bit| match bit {
        Bit::Public(bit) => Some(value << 1 | u8::from(*bit)),
        Bit::Wire(_) => None,
    })
}
