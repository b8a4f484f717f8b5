//! Integers of a program, with the operators of C.

use super::{Bool, Code, Value};
use crate::gadget::{self, Bit, Word};
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::F2;

/// An integer of N bits, in two's complement where it is SIGNED.
///
/// Its operators take another of the same type, a Rust number or a `char` that fits into it;
/// `cast` goes between types.
pub struct Integer<'c, B: Backend, const N: usize, const SIGNED: bool> {
    pub(super) code: &'c Code<B>,
    pub(super) word: Word<B::Wire, N>,
}

/// An unsigned integer of N bits.
pub type Unsigned<'c, B, const N: usize> = Integer<'c, B, N, false>;
/// A signed integer of N bits.
pub type Signed<'c, B, const N: usize> = Integer<'c, B, N, true>;
/// A C `char`, unsigned.
pub type Char<'c, B> = Unsigned<'c, B, 8>;
/// A C `int`.
pub type Int<'c, B> = Signed<'c, B, 32>;
/// A C `size_t`.
pub type Size<'c, B> = Unsigned<'c, B, 64>;

/// The other operand of an operation on an [`Integer`].
pub trait Operand<'c, B: Backend, const N: usize, const SIGNED: bool> {
    /// The operand, as such an integer.
    fn integer(self, code: &'c Code<B>) -> Integer<'c, B, N, SIGNED>;
}

impl<'c, B: Backend, const N: usize, const SIGNED: bool> Operand<'c, B, N, SIGNED>
    for Integer<'c, B, N, SIGNED>
{
    fn integer(self, _: &'c Code<B>) -> Self {
        self
    }
}

impl<'c, B: Backend<F = F2>, const N: usize, const SIGNED: bool> Operand<'c, B, N, SIGNED> for i128 {
    fn integer(self, code: &'c Code<B>) -> Integer<'c, B, N, SIGNED> {
        let kind = if SIGNED { "signed" } else { "unsigned" };
        // From an int's width on, C takes a negative number beside unsigned ones for what
        // is as far below 2^N.
        let lowest = if SIGNED || N >= 32 { -1 } else { 0 };
        let bits = if SIGNED { N as u32 - 1 } else { N as u32 };
        if self >> (N - 1) < lowest || self.checked_shr(bits).unwrap_or(0) > 0 {
            code.refuse(format!(
                "{self} stands beside {kind} integers of {N} bits: cast these to a wider type"
            ));
        }
        code.number(self)
    }
}

impl<'c, B: Backend<F = F2>, const N: usize, const SIGNED: bool> Operand<'c, B, N, SIGNED> for char {
    fn integer(self, code: &'c Code<B>) -> Integer<'c, B, N, SIGNED> {
        i128::from(u32::from(self)).integer(code)
    }
}

impl<'c, B: Backend<F = F2>, const N: usize, const SIGNED: bool> Integer<'c, B, N, SIGNED> {
    /// The bits.
    pub fn word(&self) -> &Word<B::Wire, N> {
        &self.word
    }

    /// C's conversion: the low bits, or copies of the sign above, or zeros above where this is unsigned.
    pub fn cast<const M: usize, const TO_SIGNED: bool>(self) -> Integer<'c, B, M, TO_SIGNED> {
        let word = if SIGNED { *self.signed().resize().word() } else { self.word.resize() };
        Integer { code: self.code, word }
    }

    /// C's `(char) self`.
    pub fn char(self) -> Char<'c, B> {
        self.cast()
    }

    /// C's `(int) self`.
    pub fn int(self) -> Int<'c, B> {
        self.cast()
    }

    /// C's `(size_t) self`.
    pub fn size(self) -> Size<'c, B> {
        self.cast()
    }

    /// C's `!self`.
    pub fn is_zero(self) -> Bool<'c, B> {
        self.truth(|b| self.word.is_zero(b))
    }

    /// C's `if (self)`.
    pub fn not_zero(self) -> Bool<'c, B> {
        !self.is_zero()
    }

    /// C's `self == other`.
    pub fn eq(self, other: impl Operand<'c, B, N, SIGNED>) -> Bool<'c, B> {
        let other = other.integer(self.code);
        self.truth(|b| self.word.equal(b, &other.word))
    }

    /// C's `self != other`.
    pub fn ne(self, other: impl Operand<'c, B, N, SIGNED>) -> Bool<'c, B> {
        !self.eq(other)
    }

    /// C's `self < other`.
    pub fn lt(self, other: impl Operand<'c, B, N, SIGNED>) -> Bool<'c, B> {
        let other = other.integer(self.code);
        self.truth(|b| match SIGNED {
            true => self.signed().less_than(b, &other.signed()),
            false => self.word.less_than(b, &other.word),
        })
    }

    /// C's `self <= other`.
    pub fn le(self, other: impl Operand<'c, B, N, SIGNED>) -> Bool<'c, B> {
        !self.gt(other)
    }

    /// C's `self > other`.
    pub fn gt(self, other: impl Operand<'c, B, N, SIGNED>) -> Bool<'c, B> {
        other.integer(self.code).lt(self)
    }

    /// C's `self >= other`.
    pub fn ge(self, other: impl Operand<'c, B, N, SIGNED>) -> Bool<'c, B> {
        !self.lt(other)
    }

    fn signed(&self) -> gadget::Signed<B::Wire, N> {
        gadget::Signed::from_word(self.word)
    }

    fn truth(self, gates: impl FnOnce(&mut B) -> Result<Bit<B::Wire>>) -> Bool<'c, B> {
        Bool { code: self.code, bit: self.code.gates(Bit::Public(false), gates) }
    }

    /// The integer that `gates` give.
    fn map(self, gates: impl FnOnce(&mut B) -> Result<Word<B::Wire, N>>) -> Self {
        Self { word: self.code.gates(self.word, gates), ..self }
    }

    /// Demands, where overflow is looked for, that none of `gates` is one.
    fn demand_fit(&self, gates: impl FnOnce(&mut B) -> Result<Bit<B::Wire>>) {
        if SIGNED && self.code.overflow {
            let fits = self.code.gates(Bit::Public(true), |b| Ok(gates(b)?.not(b)));
            self.code.demand(fits, "a signed integer does not overflow");
        }
    }

    fn negative(&self) -> Bit<B::Wire> {
        self.signed().is_negative()
    }

    fn demand_divisor(&self) {
        self.code.demand(self.not_zero().bit, "a divisor is not zero");
    }
}

impl<B: Backend, const N: usize, const SIGNED: bool> Clone for Integer<'_, B, N, SIGNED> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B: Backend, const N: usize, const SIGNED: bool> Copy for Integer<'_, B, N, SIGNED> {}

impl<'c, B: Backend<F = F2>, const N: usize, const SIGNED: bool> Value<'c, B> for Integer<'c, B, N, SIGNED> {
    fn select(code: &'c Code<B>, bit: Bit<B::Wire>, yes: &Self, no: &Self) -> Self {
        no.map(|b| Word::select(b, bit, &yes.word, &no.word)).integer(code)
    }
}

impl<'c, B: Backend<F = F2>, const N: usize, const SIGNED: bool, T: Operand<'c, B, N, SIGNED>> Add<T>
    for Integer<'c, B, N, SIGNED>
{
    type Output = Self;

    fn add(self, other: T) -> Self {
        let other = other.integer(self.code);
        let sum = self.map(|b| self.word.add(b, &other.word));
        // Two numbers of one sign have a sum of the other.
        self.demand_fit(|b| {
            let left = sum.negative().xor(b, self.negative());
            let right = sum.negative().xor(b, other.negative());
            left.and(b, right)
        });
        sum
    }
}

impl<'c, B: Backend<F = F2>, const N: usize, const SIGNED: bool, T: Operand<'c, B, N, SIGNED>> Sub<T>
    for Integer<'c, B, N, SIGNED>
{
    type Output = Self;

    fn sub(self, other: T) -> Self {
        let other = other.integer(self.code);
        let difference = self.map(|b| self.word.sub(b, &other.word));
        // Numbers of two signs have a difference without the sign of the first.
        self.demand_fit(|b| {
            let left = self.negative().xor(b, other.negative());
            let right = self.negative().xor(b, difference.negative());
            left.and(b, right)
        });
        difference
    }
}

impl<'c, B: Backend<F = F2>, const N: usize, const SIGNED: bool, T: Operand<'c, B, N, SIGNED>> Mul<T>
    for Integer<'c, B, N, SIGNED>
{
    type Output = Self;

    fn mul(self, other: T) -> Self {
        let other = other.integer(self.code);
        // Each zero of a public factor saves a row, if it is the first.
        let (x, y) = if other.word.is_public() { (other, self) } else { (self, other) };
        if SIGNED && self.code.overflow {
            let wrapped = (x.signed(), Bit::Public(false));
            let (product, overflow) =
                self.code.gates(wrapped, |b| x.signed().overflowing_mul(b, &y.signed()));
            self.demand_fit(|_| Ok(overflow));
            return Self { word: *product.word(), ..self };
        }
        self.map(|b| x.word.mul(b, &y.word))
    }
}

impl<'c, B: Backend<F = F2>, const N: usize, const SIGNED: bool, T: Operand<'c, B, N, SIGNED>> Div<T>
    for Integer<'c, B, N, SIGNED>
{
    type Output = Self;

    /// Rounds towards zero; asserts that the divisor is not zero.
    fn div(self, other: T) -> Self {
        let other = other.integer(self.code);
        other.demand_divisor();
        let quotient = self.map(|b| match SIGNED {
            true => Ok(*self.signed().div(b, &other.signed())?.word()),
            false => self.word.div(b, &other.word),
        });
        // Only -2^(N-1) / -1 gives a negative number from two.
        self.demand_fit(|b| {
            let both = self.negative().and(b, other.negative())?;
            both.and(b, quotient.negative())
        });
        quotient
    }
}

impl<'c, B: Backend<F = F2>, const N: usize, const SIGNED: bool, T: Operand<'c, B, N, SIGNED>> Rem<T>
    for Integer<'c, B, N, SIGNED>
{
    type Output = Self;

    /// Has the sign of the dividend; asserts that the divisor is not zero.
    fn rem(self, other: T) -> Self {
        let other = other.integer(self.code);
        other.demand_divisor();
        // C leaves it open where the quotient does not fit: of -2^(N-1) and -1.
        self.demand_fit(|b| {
            let lowest = Word::public(1).shift_left(N - 1);
            let left = self.word.equal(b, &lowest)?;
            let right = other.word.not(b).is_zero(b)?;
            left.and(b, right)
        });
        self.map(|b| match SIGNED {
            true => Ok(*self.signed().div_rem(b, &other.signed())?.1.word()),
            false => Ok(self.word.div_rem(b, &other.word)?.1),
        })
    }
}

impl<'c, B: Backend<F = F2>, const N: usize, const SIGNED: bool, T: Operand<'c, B, N, SIGNED>> BitAnd<T>
    for Integer<'c, B, N, SIGNED>
{
    type Output = Self;

    fn bitand(self, other: T) -> Self {
        let other = other.integer(self.code);
        self.map(|b| self.word.and(b, &other.word))
    }
}

impl<'c, B: Backend<F = F2>, const N: usize, const SIGNED: bool, T: Operand<'c, B, N, SIGNED>> BitOr<T>
    for Integer<'c, B, N, SIGNED>
{
    type Output = Self;

    fn bitor(self, other: T) -> Self {
        let other = other.integer(self.code);
        self.map(|b| {
            let (x, y) = (self.word.not(b), other.word.not(b));
            Ok(x.and(b, &y)?.not(b))
        })
    }
}

impl<'c, B: Backend<F = F2>, const N: usize, const SIGNED: bool, T: Operand<'c, B, N, SIGNED>> BitXor<T>
    for Integer<'c, B, N, SIGNED>
{
    type Output = Self;

    fn bitxor(self, other: T) -> Self {
        let other = other.integer(self.code);
        self.map(|b| Ok(self.word.xor(b, &other.word)))
    }
}

impl<'c, B: Backend<F = F2>, const N: usize, const SIGNED: bool, T: Operand<'c, B, N, SIGNED>> Shl<T>
    for Integer<'c, B, N, SIGNED>
{
    type Output = Self;

    /// Zero from N bits on.
    fn shl(self, by: T) -> Self {
        let by = by.integer(self.code);
        self.map(|b| self.word.shift_left_by(b, &by.word))
    }
}

impl<'c, B: Backend<F = F2>, const N: usize, const SIGNED: bool, T: Operand<'c, B, N, SIGNED>> Shr<T>
    for Integer<'c, B, N, SIGNED>
{
    type Output = Self;

    /// Rounds towards -∞; zero, or minus one, from N bits on.
    fn shr(self, by: T) -> Self {
        let by = by.integer(self.code);
        self.map(|b| match SIGNED {
            true => Ok(*self.signed().shift_right_by(b, &by.word)?.word()),
            false => self.word.shift_right_by(b, &by.word),
        })
    }
}

impl<B: Backend<F = F2>, const N: usize, const SIGNED: bool> Neg for Integer<'_, B, N, SIGNED> {
    type Output = Self;

    fn neg(self) -> Self {
        self.code.number(0) - self
    }
}

impl<B: Backend<F = F2>, const N: usize, const SIGNED: bool> Not for Integer<'_, B, N, SIGNED> {
    type Output = Self;

    /// C's `~self`.
    fn not(self) -> Self {
        self.map(|b| Ok(self.word.not(b)))
    }
}
