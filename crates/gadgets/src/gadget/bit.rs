//! A bit that is public or on a wire.

use core::fmt::Display;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::{F2, Field};

/// A bit: known to both parties when the circuit is written, or carried by a wire.
#[derive(Clone, Copy)]
pub enum Bit<W> {
    /// Known to both parties. Gates with it cost nothing.
    Public(bool),
    /// Carried by a wire.
    Wire(W),
}

use Bit::{Public, Wire};

impl<W: Copy> Bit<W> {
    /// The next bit of the witness.
    ///
    /// # Errors
    /// Those of [`Backend::witness`].
    pub fn witness<B: Backend<F = F2, Wire = W>>(b: &mut B) -> Result<Self> {
        Ok(Wire(b.witness()?))
    }

    /// A wire that carries the bit.
    #[inline(always)]
    pub fn wire<B: Backend<F = F2, Wire = W>>(self, b: &mut B) -> W {
        match self {
            Public(bit) => b.constant(bit.into()),
            Wire(wire) => wire,
        }
    }

    /// `self ⊕ other`.
    #[inline(always)]
    pub fn xor<B: Backend<F = F2, Wire = W>>(self, b: &mut B, other: Self) -> Self {
        match (self, other) {
            (Public(x), Public(y)) => Public(x ^ y),
            (Public(false), wire) | (wire, Public(false)) => wire,
            (Public(true), wire) | (wire, Public(true)) => wire.not(b),
            (Wire(x), Wire(y)) => Wire(b.add(x, y)),
        }
    }

    /// `self ∧ other`: one AND, and none where either is public.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    #[inline(always)]
    pub fn and<B: Backend<F = F2, Wire = W>>(self, b: &mut B, other: Self) -> Result<Self> {
        Ok(match (self, other) {
            (Public(false), _) | (_, Public(false)) => Public(false),
            (Public(true), bit) | (bit, Public(true)) => bit,
            (Wire(x), Wire(y)) => Wire(b.mul(x, y)?),
        })
    }

    /// `self ∨ other`: one AND, and none where either is public.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    #[inline(always)]
    pub fn or<B: Backend<F = F2, Wire = W>>(self, b: &mut B, other: Self) -> Result<Self> {
        let (left, right) = (self.not(b), other.not(b));
        Ok(left.and(b, right)?.not(b))
    }

    /// `¬self`.
    #[must_use]
    #[inline(always)]
    pub fn not<B: Backend<F = F2, Wire = W>>(self, b: &mut B) -> Self {
        match self {
            Public(bit) => Public(!bit),
            Wire(wire) => {
                let one = b.constant(F2::ONE);
                Wire(b.add(wire, one))
            }
        }
    }

    /// `yes` where this bit is one, `no` where it is zero: one AND.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    #[inline(always)]
    pub fn select<B: Backend<F = F2, Wire = W>>(self, b: &mut B, yes: Self, no: Self) -> Result<Self> {
        let difference = yes.xor(b, no);
        let taken = self.and(b, difference)?;
        Ok(taken.xor(b, no))
    }

    /// The majority of three bits: one AND, and none where two are public.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    #[inline(always)]
    pub fn majority<B: Backend<F = F2, Wire = W>>(b: &mut B, x: Self, y: Self, z: Self) -> Result<Self> {
        // z ⊕ (x ⊕ z)(y ⊕ z), with a public bit as z where there is one, so that two of them leave no AND.
        let (x, y, z) = match (x, y) {
            (Public(_), _) => (y, z, x),
            (_, Public(_)) => (x, z, y),
            _ => (x, y, z),
        };
        let left = x.xor(b, z);
        let right = y.xor(b, z);
        let both = left.and(b, right)?;
        Ok(both.xor(b, z))
    }

    /// Demands that the bit is `expected`, under `name`. This is an assertion even where the bit is public.
    ///
    /// # Errors
    /// Those of [`Backend::assert_zero`].
    pub fn assert_equal<B: Backend<F = F2, Wire = W>>(
        self,
        b: &mut B,
        expected: Self,
        name: impl Display,
    ) -> Result<()> {
        let difference = self.xor(b, expected).wire(b);
        b.assert_zero(difference, name)
    }

    /// Demands that the bit is one, under `name`.
    ///
    /// # Errors
    /// Those of [`Backend::assert_zero`].
    pub fn assert_true<B: Backend<F = F2, Wire = W>>(self, b: &mut B, name: impl Display) -> Result<()> {
        self.assert_equal(b, Self::Public(true), name)
    }
}
