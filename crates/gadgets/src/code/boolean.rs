//! Truth values of a program.

use super::{Code, Value};
use crate::gadget::Bit;
use core::ops::{BitAnd, BitOr, BitXor, Not};
use volery_circuit::Backend;
use volery_primitives::F2;

/// A C `bool`.
pub struct Bool<'c, B: Backend> {
    pub(super) code: &'c Code<B>,
    pub(super) bit: Bit<B::Wire>,
}

impl<'c, B: Backend<F = F2>> Bool<'c, B> {
    /// The bit.
    pub fn bit(self) -> Bit<B::Wire> {
        self.bit
    }

    /// C's `self && other()`: what `other` asserts counts only where `self` is true.
    pub fn and(self, other: impl FnOnce() -> Self) -> Self {
        let mut result = self.code.bool(false);
        self.code.when(self, || result = other());
        self & result
    }

    /// C's `self || other()`: what `other` asserts counts only where `self` is false.
    pub fn or(self, other: impl FnOnce() -> Self) -> Self {
        let mut result = self.code.bool(false);
        self.code.when(!self, || result = other());
        self | result
    }

    /// C's `self ? yes : no`, both of which are computed.
    pub fn select<T: Value<'c, B>>(self, yes: T, no: T) -> T {
        T::select(self.code, self.bit, &yes, &no)
    }
}

impl<B: Backend> Clone for Bool<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B: Backend> Copy for Bool<'_, B> {}

impl<B: Backend<F = F2>> BitAnd for Bool<'_, B> {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self { bit: self.code.gates(self.bit, |b| self.bit.and(b, other.bit)), ..self }
    }
}

impl<B: Backend<F = F2>> BitOr for Bool<'_, B> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self { bit: self.code.gates(self.bit, |b| self.bit.or(b, other.bit)), ..self }
    }
}

impl<B: Backend<F = F2>> BitXor for Bool<'_, B> {
    type Output = Self;

    fn bitxor(self, other: Self) -> Self {
        Self { bit: self.code.gates(self.bit, |b| Ok(self.bit.xor(b, other.bit))), ..self }
    }
}

impl<B: Backend<F = F2>> Not for Bool<'_, B> {
    type Output = Self;

    fn not(self) -> Self {
        Self { bit: self.code.gates(self.bit, |b| Ok(self.bit.not(b))), ..self }
    }
}

impl<'c, B: Backend<F = F2>> Value<'c, B> for Bool<'c, B> {
    fn select(code: &'c Code<B>, bit: Bit<B::Wire>, yes: &Self, no: &Self) -> Self {
        Self { code, bit: code.gates(no.bit, |b| bit.select(b, yes.bit, no.bit)) }
    }
}
