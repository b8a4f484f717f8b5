//! Twisted Edwards curves over the field of the wires: Bernstein, Birkner, Joye, Lange and Peters, "Twisted
//! Edwards Curves", 2008; Baby Jubjub among them.
//!
//! Only [`Edwards::assert_on_curve`] says that a point is one, and nothing says of which subgroup. Baby
//! Jubjub has eight times as many points as the subgroup of its signatures: a statement that needs a point of
//! that one multiplies by its order and demands the neutral element, or takes eight times a point.

#[cfg(test)]
mod tests;

use super::Element;
use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_circuit::{Backend, prime_field};
use volery_primitives::{Bn254, Field, U256};

/// The curve a·x² + y² = 1 + d·x²·y², whose addition is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edwards<F> {
    a: F,
    d: F,
}

/// A point of a curve, or what is to be one: see [`Edwards::assert_on_curve`].
#[derive(Clone, Copy)]
pub struct EdwardsPoint<F, W> {
    /// The first coordinate.
    pub x: Element<F, W>,
    /// The second.
    pub y: Element<F, W>,
}

impl<F: Field, W: Copy> EdwardsPoint<F, W> {
    /// The neutral element, (0, 1).
    pub const NEUTRAL: Self = Self { x: Element::ZERO, y: Element::ONE };

    /// The point with these coordinates, which are public.
    pub fn public(x: F, y: F) -> Self {
        Self { x: Element::Public(x), y: Element::Public(y) }
    }

    /// Demands that the points are the same, under `name`.
    ///
    /// # Errors
    /// Those of [`Backend::assert_zero`].
    pub fn assert_equal<B: Backend<F = F, Wire = W>>(
        self,
        b: &mut B,
        expected: Self,
        name: impl Display,
    ) -> Result<()> {
        self.x.assert_equal(b, expected.x, format_args!("{name} (x)"))?;
        self.y.assert_equal(b, expected.y, format_args!("{name} (y)"))
    }
}

impl Edwards<Bn254> {
    /// Baby Jubjub, of EIP-2494: a = 168700 and d = 168696.
    pub fn baby_jubjub() -> Self {
        let [a, d] = [168_700, 168_696].map(|word| Bn254::from_word(word).expect("below the modulus"));
        Self::new(a, d).expect("a is a square, and d is none")
    }

    /// The point of prime order 2736030358979909402780800718157159386076813972158567259200215660948447373041
    /// that circomlib calls `Base8`: eight times the generator of the curve.
    pub fn base<W: Copy>() -> EdwardsPoint<Bn254, W> {
        let coordinate = |limbs| Bn254::from_integer(U256::from_limbs(limbs)).expect("below the modulus");
        EdwardsPoint::public(coordinate(BASE[0]), coordinate(BASE[1]))
    }
}

/// x and y, the lowest word first.
const BASE: [[u64; 4]; 2] = [
    [0x2893_f3f6_bb95_7051, 0x2ab8_d801_0534_e0b6, 0x4eac_b2e0_9d62_77c1, 0x0bb7_7a6a_d63e_739b],
    [0x4b3c_257a_872d_7d8b, 0xfce0_051f_b9e1_3377, 0x2557_2e1c_d16b_f9ed, 0x2579_7203_f7a0_b249],
];

impl<F: Field> Edwards<F> {
    /// The curve with these parameters.
    ///
    /// # Errors
    /// `Invalid` where elements are no integers, or the addition has exceptions: unless `a` is a square
    /// and not zero, and `d` is none.
    pub fn new(a: F, d: F) -> Result<Self> {
        let half = prime_field::<F>()? >> 1;
        let is_square = |x: F| {
            (0..F::BITS).rev().fold(F::ONE, |power, bit| {
                let square = power * power;
                if half.bit(bit) == 1 { square * x } else { square }
            }) == F::ONE
        };
        if !is_square(a) || d == F::ZERO || is_square(d) {
            return Err(Error::invalid(format!(
                "a curve over {} whose addition has exceptions: choose a square for a, and none for d",
                F::name()
            )));
        }
        Ok(Self { a, d })
    }

    /// Demands that `point` is on the curve, under `name`: three multiplications.
    ///
    /// # Errors
    /// Those of [`Backend::mul`] and [`Backend::assert_zero`].
    pub fn assert_on_curve<W: Copy, B: Backend<F = F, Wire = W>>(
        &self,
        b: &mut B,
        point: EdwardsPoint<F, W>,
        name: impl Display,
    ) -> Result<()> {
        let (x, y) = (point.x.square(b)?, point.y.square(b)?);
        let left = x.scale(b, self.a).add(b, y);
        let right = x.mul(b, y)?.scale(b, self.d).add(b, Element::ONE);
        left.assert_equal(b, right, name)
    }

    /// The sum of two points of the curve: six multiplications and two hints, and less where one is public.
    ///
    /// # Errors
    /// `Invalid` where both are public, and one of them is not on the curve so that there is no sum; those of
    /// [`Backend::mul`] and [`Backend::assert_zero`].
    pub fn add<W: Copy, B: Backend<F = F, Wire = W>>(
        &self,
        b: &mut B,
        p: EdwardsPoint<F, W>,
        q: EdwardsPoint<F, W>,
    ) -> Result<EdwardsPoint<F, W>> {
        // (y₁ − a·x₁)·(x₂ + y₂) is y₁·y₂ − a·x₁·x₂ + x₂·y₁ − a·x₁·y₂.
        let (beta, gamma) = (p.x.mul(b, q.y)?, p.y.mul(b, q.x)?);
        let (left, right) = (p.x.scale(b, -self.a).add(b, p.y), q.x.add(b, q.y));
        let delta = left.mul(b, right)?;
        let tau = beta.mul(b, gamma)?.scale(b, self.d);
        let x = beta.add(b, gamma);
        let y = beta.scale(b, self.a).add(b, delta).sub(b, gamma);
        let (over_x, over_y) = (Element::ONE.add(b, tau), Element::ONE.sub(b, tau));
        Ok(EdwardsPoint {
            x: quotient(b, x, over_x, "a sum of points (x)")?,
            y: quotient(b, y, over_y, "a sum of points (y)")?,
        })
    }

    /// `Σ bits[i]·2^i` times a point of the curve. The bits must be such, see [`Element::assert_bit`]: 14
    /// multiplications for each, or 6 where the point is public.
    ///
    /// # Errors
    /// Those of [`Edwards::add`].
    pub fn multiply<W: Copy, B: Backend<F = F, Wire = W>>(
        &self,
        b: &mut B,
        bits: &[Element<F, W>],
        point: EdwardsPoint<F, W>,
    ) -> Result<EdwardsPoint<F, W>> {
        let (mut sum, mut multiple) = (EdwardsPoint::NEUTRAL, point);
        for (i, bit) in bits.iter().enumerate() {
            if i > 0 {
                multiple = self.add(b, multiple, multiple)?;
            }
            // The multiple where the bit is one, and else (0, 1).
            let less = multiple.y.sub(b, Element::ONE);
            let (x, y) = (bit.mul(b, multiple.x)?, bit.mul(b, less)?.add(b, Element::ONE));
            sum = if i == 0 { EdwardsPoint { x, y } } else { self.add(b, sum, EdwardsPoint { x, y })? };
        }
        Ok(sum)
    }
}

/// `dividend / divisor`, which is hinted, and whose product with the divisor is checked under `name`. The
/// divisor must not be zero: else any quotient of zero passes.
fn quotient<F: Field, W: Copy, B: Backend<F = F, Wire = W>>(
    b: &mut B,
    dividend: Element<F, W>,
    divisor: Element<F, W>,
    name: &str,
) -> Result<Element<F, W>> {
    let quotient = match (dividend, divisor) {
        (_, Element::Public(divisor)) if divisor == F::ZERO => {
            return Err(Error::invalid(format!("{name}: one of the points is not on the curve")));
        }
        (dividend, Element::Public(divisor)) => return Ok(dividend.scale(b, divisor.invert())),
        (dividend, Element::Wire(divisor)) => {
            let dividend = dividend.wire(b);
            Element::Wire(b.hint(&[dividend, divisor], |x| x[0] * x[1].invert())?)
        }
    };
    quotient.mul(b, divisor)?.assert_equal(b, dividend, name)?;
    Ok(quotient)
}
