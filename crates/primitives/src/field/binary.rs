//! The fields of 2^48, 2^64 and 2^96 elements: polynomials over F_2 modulo X^d plus a short tail.
//!
//! Products are checked over them, in bulk; bits have MACs in the one of 2^64. `*` is the portable
//! constant-time product.
#![allow(clippy::suspicious_arithmetic_impl)] // + is xor

mod macs;
#[cfg(test)]
mod tests;

use super::f128::{clmul64, clmul128};
use crate::check::CheckField;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use zeroize::DefaultIsZeroes;

/// `+`, `-` and negation from `sum`, a function of two elements, in a field where each is its own negative.
macro_rules! xor_operators {
    ($field:ty, $sum:expr) => {
        impl Add for $field {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                $sum(self, other)
            }
        }
        impl Sub for $field {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self + other
            }
        }
        impl Neg for $field {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                self
            }
        }
        super::assign_and_sum!($field);
    };
}
pub(super) use xor_operators;

/// The field of polynomials modulo X^`$degree` + `$tail`, in the low bits of a `$word`.
macro_rules! binary_field {
    ($(#[$doc:meta])* $field:ident($word:ty), $degree:literal, $tail:literal, $label:literal, $product:path) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
        #[repr(transparent)]
        pub struct $field($word);

        impl DefaultIsZeroes for $field {}

        impl $field {
            /// The polynomial of lower degree that X^d is congruent to, for the degree d of the field.
            pub(crate) const TAIL: u64 = $tail;

            /// The element of the low bits of `word`; those from the degree of the field on are dropped.
            #[inline(always)]
            pub const fn new(word: $word) -> Self {
                Self(word & (<$word>::MAX >> (<$word>::BITS - $degree)))
            }

            /// The coefficients, that of X^i in bit i.
            #[inline(always)]
            pub const fn get(self) -> $word {
                self.0
            }
        }

        impl CheckField for $field {
            const UNIT: Self = Self(1);
            const SIZE_BITS: u32 = $degree;
            const ENCODED: usize = $degree / 8;
            const LABEL: &'static str = $label;
            const WORDS: usize = size_of::<$word>() / 8;

            #[inline(always)]
            fn uniform(words: &[u64]) -> Self {
                let words = words[..Self::WORDS].iter().rev();
                Self::new(words.fold(0, |high, &low| high << 64 | u128::from(low)) as $word)
            }
            fn inverse(self) -> Self {
                inverse(self)
            }
            #[inline(always)]
            fn keep(self, mask: u64) -> Self {
                // By its sign, so that every word is as long as the element.
                Self(self.0 & mask as i64 as $word)
            }
            #[inline]
            fn write(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.0.to_le_bytes()[..Self::ENCODED]);
            }
            #[inline]
            fn read(bytes: &[u8]) -> Option<Self> {
                let mut word = [0; size_of::<$word>()];
                word[..Self::ENCODED].copy_from_slice(bytes);
                Some(Self(<$word>::from_le_bytes(word)))
            }
            fn point(index: u32) -> Self {
                power(Self(2), index)
            }
            crate::arch::binary::binary_kernels!();
        }

        impl Mul for $field {
            type Output = Self;
            fn mul(self, other: Self) -> Self {
                let (low, high) = $product(self.0, other.0);
                // At most d - 1 bits stand above X^d, then as many as the tail has, then none.
                let first = (low << (128 - $degree) >> (128 - $degree))
                    ^ times($tail, low >> $degree | high << (128 - $degree));
                Self::new((first ^ times($tail, first >> $degree)) as $word)
            }
        }

        xor_operators!($field, |a: Self, b: Self| Self(a.0 ^ b.0));
    };
}

binary_field!(
    /// An element of `F_2[X] / (X^48 + X^5 + X^3 + X^2 + 1)`: bit i of the word is the coefficient of X^i.
    F48(u64), 48, 0x2d, "f48", unreduced
);
binary_field!(
    /// An element of `F_2[X] / (X^64 + X^4 + X^3 + X + 1)`: bit i of the word is the coefficient of X^i.
    F64(u64), 64, 0x1b, "f64", unreduced
);
binary_field!(
    /// An element of `F_2[X] / (X^96 + X^10 + X^9 + X^6 + 1)`: bit i of the word is the coefficient of X^i.
    F96(u128), 96, 0x641, "f96", clmul128
);

/// The unreduced product of two words, as (low, high) halves.
const fn unreduced(a: u64, b: u64) -> (u128, u128) {
    (clmul64(a, b), 0)
}

/// `tail · x` for polynomials, of which the tail is public and constant; bits from 128 on are dropped.
#[inline(always)]
pub(super) const fn times(tail: u64, x: u128) -> u128 {
    let (mut sum, mut rest) = (0, tail);
    while rest != 0 {
        sum ^= x << rest.trailing_zeros();
        rest &= rest - 1;
    }
    sum
}

/// `1/x` in a field of 2^d elements, and zero for zero.
pub(super) fn inverse<F: CheckField>(x: F) -> F {
    // 1/x is the square of x^(2^(d-1) - 1). Itoh and Tsujii: from x^(2^k - 1), 2^k-th powers
    // lead to twice the k.
    let wanted = F::SIZE_BITS - 1;
    let (mut power, mut k) = (F::UNIT, 0);
    for bit in (0..=wanted.ilog2()).rev() {
        let half = power;
        for _ in 0..k {
            power *= power;
        }
        power *= half;
        k *= 2;
        if wanted >> bit & 1 == 1 {
            power = power * power * x;
            k += 1;
        }
    }
    power * power
}

/// `base` to the power `exponent`, which is public.
pub(super) fn power<F: CheckField>(base: F, exponent: u32) -> F {
    (0..32 - exponent.leading_zeros()).rev().fold(F::UNIT, |power, bit| {
        let square = power * power;
        if exponent >> bit & 1 == 1 { square * base } else { square }
    })
}
