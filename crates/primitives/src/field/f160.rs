//! The field of 2^160 elements, F_2[X] / (X^160 + X^5 + X^3 + X^2 + 1).
#![allow(clippy::suspicious_arithmetic_impl)] // + is xor

use super::binary::{inverse, power, times, xor_operators};
use super::f128::clmul64;
use crate::check::CheckField;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use zeroize::DefaultIsZeroes;

/// An element of `F_2[X] / (X^160 + X^5 + X^3 + X^2 + 1)`: bit i of word j is the
/// coefficient of X^(64·j + i).
///
/// The fourth word is zero, and fills up two vectors of 128 bits, so that a sum is two xors. `*` is the
/// portable constant-time product.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[repr(C, align(32))]
pub struct F160([u64; 4]);

impl DefaultIsZeroes for F160 {}

impl F160 {
    /// The polynomial of lower degree that X^160 is congruent to.
    pub(crate) const TAIL: u64 = 0x2d;

    /// The element `high · X^128 + low`.
    #[inline(always)]
    pub const fn new(low: u128, high: u32) -> Self {
        Self([low as u64, (low >> 64) as u64, high as u64, 0])
    }

    /// The coefficients, as `low` and `high` of [`F160::new`].
    #[inline(always)]
    pub const fn get(self) -> (u128, u32) {
        ((self.0[1] as u128) << 64 | self.0[0] as u128, self.0[2] as u32)
    }
}

impl CheckField for F160 {
    const UNIT: Self = Self([1, 0, 0, 0]);
    const SIZE_BITS: u32 = 160;
    const ENCODED: usize = 20;
    const LABEL: &'static str = "f160";
    const WORDS: usize = 3;

    #[inline(always)]
    fn uniform(words: &[u64]) -> Self {
        Self([words[0], words[1], words[2] & 0xffff_ffff, 0])
    }
    fn inverse(self) -> Self {
        inverse(self)
    }
    #[inline(always)]
    fn keep(self, mask: u64) -> Self {
        Self(self.0.map(|word| word & mask))
    }
    #[inline]
    fn write(self, bytes: &mut [u8]) {
        assert_eq!(bytes.len(), Self::ENCODED);
        let (low, high) = self.get();
        bytes[..16].copy_from_slice(&low.to_le_bytes());
        bytes[16..].copy_from_slice(&high.to_le_bytes());
    }
    #[inline]
    fn read(bytes: &[u8]) -> Option<Self> {
        assert_eq!(bytes.len(), Self::ENCODED);
        let (low, high) = bytes.split_at(16);
        let (low, high) = (low.try_into().expect("16 bytes"), high.try_into().expect("4 bytes"));
        Some(Self::new(u128::from_le_bytes(low), u32::from_le_bytes(high)))
    }
    fn point(index: u32) -> Self {
        power(Self::new(2, 0), index)
    }
    crate::arch::binary::binary_kernels!();
}

impl Mul for F160 {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let ([a0, a1, a2, _], [b0, b1, b2, _]) = (self.0, other.0);
        // Karatsuba: the products of two words on the diagonal, and those of sums for each pair beside it.
        let (p00, p11, p22) = (clmul64(a0, b0), clmul64(a1, b1), clmul64(a2, b2));
        let p1 = clmul64(a0 ^ a1, b0 ^ b1) ^ p00 ^ p11;
        let p2 = clmul64(a0 ^ a2, b0 ^ b2) ^ p00 ^ p22 ^ p11;
        let p3 = clmul64(a1 ^ a2, b1 ^ b2) ^ p11 ^ p22;
        let (low, middle, high) = (p00 ^ p1 << 64, p2 ^ p1 >> 64 ^ p3 << 64, p22 ^ p3 >> 64);
        // X^256 = X^96 · X^160: 63 bits stand there; then 96 above X^160, and none stick out.
        let top = times(Self::TAIL, high);
        let (low, middle) = (low ^ top << 96, middle ^ top >> 32);
        Self::new(low ^ times(Self::TAIL, middle >> 32), middle as u32)
    }
}

xor_operators!(F160, |a: Self, b: Self| Self([
    a.0[0] ^ b.0[0],
    a.0[1] ^ b.0[1],
    a.0[2] ^ b.0[2],
    a.0[3] ^ b.0[3]
]));
