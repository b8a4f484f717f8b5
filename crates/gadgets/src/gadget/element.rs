//! An element of a field that is public or on a wire.

mod many;
mod range;
#[cfg(test)]
mod tests;

use core::fmt::Display;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::Field;

/// An element of `F`: known to both parties when the circuit is written, or carried by a wire.
///
/// A subtraction takes two gates where the characteristic is not two: one negates.
#[derive(Clone, Copy)]
pub enum Element<F, W> {
    /// Known to both parties. Gates with it cost no multiplication.
    Public(F),
    /// Carried by a wire.
    Wire(W),
}

use Element::{Public, Wire};

impl<F: Field, W: Copy> Element<F, W> {
    /// Public zero.
    pub const ZERO: Self = Public(F::ZERO);
    /// Public one.
    pub const ONE: Self = Public(F::ONE);

    /// The next element of the witness.
    ///
    /// # Errors
    /// Those of [`Backend::witness`].
    pub fn witness<B: Backend<F = F, Wire = W>>(b: &mut B) -> Result<Self> {
        Ok(Wire(b.witness()?))
    }

    /// A wire that carries the element.
    pub fn wire<B: Backend<F = F, Wire = W>>(self, b: &mut B) -> W {
        match self {
            Public(c) => b.constant(c),
            Wire(wire) => wire,
        }
    }

    /// `self + other`.
    pub fn add<B: Backend<F = F, Wire = W>>(self, b: &mut B, other: Self) -> Self {
        match (self, other) {
            (Public(x), Public(y)) => Public(x + y),
            (Public(c), wire) | (wire, Public(c)) if c == F::ZERO => wire,
            (x, y) => {
                let (x, y) = (x.wire(b), y.wire(b));
                Wire(b.add(x, y))
            }
        }
    }

    /// `self - other`.
    pub fn sub<B: Backend<F = F, Wire = W>>(self, b: &mut B, other: Self) -> Self {
        let negated = other.neg(b);
        self.add(b, negated)
    }

    /// `-self`.
    #[must_use]
    pub fn neg<B: Backend<F = F, Wire = W>>(self, b: &mut B) -> Self {
        self.scale(b, -F::ONE)
    }

    /// `self · factor`.
    #[must_use]
    pub fn scale<B: Backend<F = F, Wire = W>>(self, b: &mut B, factor: F) -> Self {
        match self {
            Public(c) => Public(c * factor),
            _ if factor == F::ZERO => Self::ZERO,
            _ if factor == F::ONE => self,
            Wire(wire) => Wire(b.scale(wire, factor)),
        }
    }

    /// `self · other`: one multiplication where both are on wires.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn mul<B: Backend<F = F, Wire = W>>(self, b: &mut B, other: Self) -> Result<Self> {
        Ok(match (self, other) {
            (Public(c), x) | (x, Public(c)) => x.scale(b, c),
            (Wire(x), Wire(y)) => Wire(b.mul(x, y)?),
        })
    }

    /// `self · self`.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn square<B: Backend<F = F, Wire = W>>(self, b: &mut B) -> Result<Self> {
        self.mul(b, self)
    }

    /// `self` to the power `exponent`, one for zero: a multiplication for each of its bits but the highest,
    /// and one more where that bit is one.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn power<B: Backend<F = F, Wire = W>>(self, b: &mut B, exponent: u64) -> Result<Self> {
        let mut power = Self::ONE;
        for bit in (0..u64::BITS - exponent.leading_zeros()).rev() {
            power = power.square(b)?;
            if exponent >> bit & 1 == 1 {
                power = power.mul(b, self)?;
            }
        }
        Ok(power)
    }

    /// `1/self`, which is hinted; demands under `name` that there is one. One multiplication.
    ///
    /// # Errors
    /// Those of [`Backend::mul`] and [`Backend::assert_zero`].
    pub fn inverse<B: Backend<F = F, Wire = W>>(self, b: &mut B, name: impl Display) -> Result<Self> {
        let inverse = self.hinted_inverse(b)?;
        let product = self.mul(b, inverse)?;
        product.assert_equal(b, Self::ONE, name)?;
        Ok(inverse)
    }

    /// One where this element is zero, zero where it is not: two multiplications and a hint.
    ///
    /// # Errors
    /// Those of [`Backend::mul`] and [`Backend::assert_zero`].
    pub fn is_zero<B: Backend<F = F, Wire = W>>(self, b: &mut B) -> Result<Self> {
        if let Public(c) = self {
            return Ok(if c == F::ZERO { Self::ONE } else { Self::ZERO });
        }
        let inverse = self.hinted_inverse(b)?;
        let product = self.mul(b, inverse)?;
        let zero = Self::ONE.sub(b, product);
        // Whatever was hinted, `zero` is one where the element is zero; this makes it zero elsewhere.
        self.mul(b, zero)?.assert_zero(b, "the test for zero")?;
        Ok(zero)
    }

    /// One where `self = other`, zero elsewhere: two multiplications and a hint.
    ///
    /// # Errors
    /// Those of [`Element::is_zero`].
    pub fn equals<B: Backend<F = F, Wire = W>>(self, b: &mut B, other: Self) -> Result<Self> {
        let difference = self.sub(b, other);
        difference.is_zero(b)
    }

    /// `yes` where this element is one, `no` where it is zero: one multiplication. It must be one of them,
    /// see [`Element::assert_bit`].
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn select<B: Backend<F = F, Wire = W>>(self, b: &mut B, yes: Self, no: Self) -> Result<Self> {
        let difference = yes.sub(b, no);
        let taken = self.mul(b, difference)?;
        Ok(taken.add(b, no))
    }

    /// Demands that the element is zero, under `name`. This is an assertion even where the element is public.
    ///
    /// # Errors
    /// Those of [`Backend::assert_zero`].
    pub fn assert_zero<B: Backend<F = F, Wire = W>>(self, b: &mut B, name: impl Display) -> Result<()> {
        let wire = self.wire(b);
        b.assert_zero(wire, name)
    }

    /// Demands that the element is `expected`, under `name`.
    ///
    /// # Errors
    /// Those of [`Backend::assert_zero`].
    pub fn assert_equal<B: Backend<F = F, Wire = W>>(
        self,
        b: &mut B,
        expected: Self,
        name: impl Display,
    ) -> Result<()> {
        self.sub(b, expected).assert_zero(b, name)
    }

    /// Demands that the element is zero or one, under `name`: one multiplication.
    ///
    /// # Errors
    /// Those of [`Backend::mul`] and [`Backend::assert_zero`].
    pub fn assert_bit<B: Backend<F = F, Wire = W>>(self, b: &mut B, name: impl Display) -> Result<()> {
        let less = self.sub(b, Self::ONE);
        self.mul(b, less)?.assert_zero(b, name)
    }

    /// `1/self`, zero for zero, as the prover says.
    fn hinted_inverse<B: Backend<F = F, Wire = W>>(self, b: &mut B) -> Result<Self> {
        Ok(match self {
            Public(c) => Public(c.invert()),
            Wire(x) => Wire(b.hint(&[x], |x| x[0].invert())?),
        })
    }
}
