//! Prime fields of 254 and 255 bits, by one template: Montgomery's arithmetic on four words.
//!
//! A field is a unit type that implements [`LargeModulus`], an alias of [`Fp`] for it, and a line below. An
//! element x is held as x·2^256 modulo p, below p; what is encoded is x. Products are by Koç, Acar and
//! Kaliski's coarsely integrated scanning, without the carry that p below 2^255 leaves no use for.
#![allow(clippy::needless_range_loop)] // over several arrays at once

mod kernels;

use super::{F128, Field};
use crate::aes::Aes128;
use crate::arch::Arch;
use crate::bits::mask;
use crate::integer::U256;
use crate::lanes::Lanes;
use crate::mac::{MacField, Tagged};
use core::fmt::{self, Debug};
use core::hash::{Hash, Hasher};
use core::iter::Sum;
use core::marker::PhantomData;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use zeroize::DefaultIsZeroes;

/// Four words, the lowest first.
type Limbs = [u64; 4];

/// An odd prime p of 254 or 255 bits, no more than 2^255 − 2^193, and what arithmetic modulo p takes.
pub trait LargeModulus: Copy + Eq + Default + Hash + Send + Sync + 'static {
    /// p.
    const MODULUS: Limbs;
    /// The name of the field.
    const NAME: &'static str;

    /// `ceil(log2 p)`.
    const BITS: u32 = 256 - Self::MODULUS[3].leading_zeros();
    /// −1/p modulo 2^64.
    const INVERSE: u64 = inverse(Self::MODULUS[0]);
    /// 2^256 modulo p.
    const ONE: Limbs = doubled([1, 0, 0, 0], 256, Self::MODULUS);
    /// 2^512 modulo p.
    const SQUARE: Limbs = doubled(Self::ONE, 256, Self::MODULUS);
}

/// −1/p modulo 2^64, for an odd p: each step doubles the bits that are right.
const fn inverse(p: u64) -> u64 {
    let mut inverse = 1_u64;
    let mut step = 0;
    while step < 6 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(p.wrapping_mul(inverse)));
        step += 1;
    }
    inverse.wrapping_neg()
}

/// x·2^`times` modulo p, of a public x below p.
const fn doubled(x: Limbs, times: u32, p: Limbs) -> Limbs {
    assert!(p[0] & 1 == 1 && p[3] >= 1 << 61 && p[3] < u64::MAX / 2 - 1, "not a modulus of this template");
    let (mut x, p) = (U256::from_limbs(x), U256::from_limbs(p));
    let mut time = 0;
    while time < times {
        let (sum, _) = x.overflowing_add(x);
        let (rest, below) = sum.overflowing_sub(p);
        x = if below { sum } else { rest };
        time += 1;
    }
    x.limbs()
}

/// −x modulo p, of a public x below p that is not zero.
const fn opposite(x: Limbs, p: Limbs) -> Limbs {
    U256::from_limbs(p).overflowing_sub(U256::from_limbs(x)).0.limbs()
}

/// `a·b + c + d`, low and high: it has no more than 128 bits.
#[inline(always)]
const fn multiply_add(a: u64, b: u64, c: u64, d: u64) -> (u64, u64) {
    let sum = a as u128 * b as u128 + c as u128 + d as u128;
    (sum as u64, (sum >> 64) as u64)
}

/// `a + b + carry`, and whether there is one again.
#[inline(always)]
const fn add_with(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(carry as u64);
    (sum, first | second)
}

/// `a - b - borrow`, and whether there is one again.
#[inline(always)]
const fn subtract_with(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(borrow as u64);
    (difference, first | second)
}

/// `a - b` modulo 2^256, and whether it is negative.
#[inline(always)]
fn difference(a: Limbs, b: Limbs) -> (Limbs, bool) {
    let mut borrow = false;
    let mut limbs = [0; 4];
    for i in 0..4 {
        (limbs[i], borrow) = subtract_with(a[i], b[i], borrow);
    }
    (limbs, borrow)
}

/// `a + b` modulo 2^256.
#[inline(always)]
fn sum(a: Limbs, b: Limbs) -> Limbs {
    let mut carry = false;
    let mut limbs = [0; 4];
    for i in 0..4 {
        (limbs[i], carry) = add_with(a[i], b[i], carry);
    }
    limbs
}

/// The limbs where `all` is all ones, and zero where it is zero.
#[inline(always)]
fn masked(limbs: Limbs, all: u64) -> Limbs {
    [limbs[0] & all, limbs[1] & all, limbs[2] & all, limbs[3] & all]
}

/// An element of the prime field of p elements.
#[derive(Clone, Copy, Eq, Default)]
#[repr(transparent)]
pub struct Fp<M: LargeModulus>(Limbs, PhantomData<M>);

impl<M: LargeModulus> Fp<M> {
    /// p.
    pub const MODULUS: U256 = U256::from_limbs(M::MODULUS);

    #[inline(always)]
    const fn of(limbs: Limbs) -> Self {
        Self(limbs, PhantomData)
    }

    /// The element of words below 2p.
    #[inline(always)]
    fn settled(limbs: Limbs) -> Self {
        let (rest, below) = difference(limbs, M::MODULUS);
        Self::of(sum(rest, masked(M::MODULUS, mask(below.into()))))
    }

    /// `a·b·2^-256`, where both are below p.
    #[inline(always)]
    fn product(a: Limbs, b: Limbs) -> Self {
        let p = M::MODULUS;
        let mut t = [0; 4];
        for b in b {
            let (low, mut carry) = multiply_add(a[0], b, t[0], 0);
            let factor = low.wrapping_mul(M::INVERSE);
            let (_, mut reduced) = multiply_add(factor, p[0], low, 0);
            for j in 1..4 {
                let low;
                (low, carry) = multiply_add(a[j], b, t[j], carry);
                (t[j - 1], reduced) = multiply_add(factor, p[j], low, reduced);
            }
            t[3] = carry + reduced;
        }
        Self::settled(t)
    }

    /// `words·2^-128` modulo p, of an integer below 2^380.
    #[inline(always)]
    fn reduce(mut words: [u64; 6]) -> Self {
        let p = M::MODULUS;
        // Two words are taken to nothing, which leaves less than 2^252 + p, and that is below 2p.
        for i in 0..2 {
            let factor = words[i].wrapping_mul(M::INVERSE);
            let mut carry = 0;
            for j in 0..4 {
                (words[i + j], carry) = multiply_add(factor, p[j], words[i + j], carry);
            }
            for word in &mut words[i + 4..] {
                let sum = u128::from(*word) + u128::from(carry);
                (*word, carry) = (sum as u64, (sum >> 64) as u64);
            }
        }
        let [_, _, limbs @ ..] = words;
        Self::settled(limbs)
    }
}

/// The name of the field, and the integer in decimal digits.
impl<M: LargeModulus> Debug for Fp<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, rest) = M::NAME.split_at(1);
        write!(f, "{}{rest}({})", first.to_uppercase(), self.to_integer())
    }
}

impl<M: LargeModulus> PartialEq for Fp<M> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        let different = |i: usize| self.0[i] ^ other.0[i];
        different(0) | different(1) | different(2) | different(3) == 0
    }
}

impl<M: LargeModulus> Hash for Fp<M> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<M: LargeModulus> DefaultIsZeroes for Fp<M> {}

impl<M: LargeModulus> Field for Fp<M> {
    const ZERO: Self = Self::of([0; 4]);
    const ONE: Self = Self::of(M::ONE);
    const BITS: u32 = M::BITS;
    const BINARY: bool = false;
    const NAME: &'static str = M::NAME;

    fn invert(self) -> Self {
        let two = U256::from(2_u64);
        let exponent = Self::MODULUS.overflowing_sub(two).0;
        (0..M::BITS).rev().fold(Self::ONE, |power, bit| {
            let square = power * power;
            if exponent.bit(bit) == 1 { square * self } else { square }
        })
    }
    fn to_integer(self) -> U256 {
        U256::from_limbs(Self::product(self.0, [1, 0, 0, 0]).0)
    }
    fn from_integer(integer: U256) -> Option<Self> {
        let limbs = integer.limbs();
        let (_, below) = difference(limbs, M::MODULUS);
        // Made in any case, of zero in the place of what is no element: one made on demand would be a branch.
        let element = Self::product(masked(limbs, mask(below.into())), M::SQUARE);
        below.then_some(element)
    }

    /// 320 bits make each element but for a distance of p/2^320.
    const SAMPLE: usize = 5;
    /// The integer of the words, times 2^-384 modulo p.
    #[inline(always)]
    fn sample(words: &[u64]) -> Self {
        let [a, b, c, d, e] = *words.first_chunk().expect("five words");
        Self::reduce([a, b, c, d, e, 0])
    }
    fn place(bit: u32) -> Self {
        Self::product((U256::from(1_u64) << bit).limbs(), M::SQUARE)
    }
    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self::of(masked(self.0, mask))
    }
}

impl<M: LargeModulus> Add for Fp<M> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::settled(sum(self.0, other.0))
    }
}

impl<M: LargeModulus> Sub for Fp<M> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let (limbs, below) = difference(self.0, other.0);
        Self::of(sum(limbs, masked(M::MODULUS, mask(below.into()))))
    }
}

impl<M: LargeModulus> Mul for Fp<M> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self::product(self.0, other.0)
    }
}

impl<M: LargeModulus> Neg for Fp<M> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

super::assign_and_sum!(Fp<M>, M: LargeModulus);

/// The scalar field of the curve BN254, which others name alt_bn128 or bn128: what circom's circuits are
/// over.
pub type Bn254 = Fp<R254>;

/// The number of points of BN254.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct R254;

impl LargeModulus for R254 {
    const MODULUS: Limbs =
        [0x43e1_f593_f000_0001, 0x2833_e848_79b9_7091, 0xb850_45b6_8181_585d, 0x3064_4e72_e131_a029];
    const NAME: &'static str = "bn254";
}

/// The scalar field of the curve BLS12-381: the order of its subgroups.
pub type Bls12381 = Fp<R381>;

/// The order of the subgroups of BLS12-381.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct R381;

impl LargeModulus for R381 {
    const MODULUS: Limbs =
        [0xffff_ffff_0000_0001, 0x53bd_a402_fffe_5bfe, 0x3339_d808_09a1_d805, 0x73ed_a753_299d_7d48];
    const NAME: &'static str = "bls12-381";
}

/// Kernels of fields, compiled here.
macro_rules! large {
    ($($field:ty),*) => {
        $(
            impl Lanes<$field> for $field {
                crate::lanes::portable_lanes!($field: add_products add_scaled);
                fn dot(_: Arch, a: &[Self], b: &[Self]) -> Self {
                    kernels::dot(a, b)
                }
                fn combine(_: Arch, factors: &[Self], a: &[Self]) -> Self {
                    kernels::dot(factors, a)
                }
            }
            impl MacField<$field> for $field {
                type Tag = crate::mac::Tagged<$field, Self>;

                crate::mac::portable_macs!($field: grow_leaves sum_rows puncture sample_all correct);
                fn sum_generated(
                    arch: Arch,
                    keys: &[F128],
                    skip: u64,
                    sums: &mut [Self],
                    weighed: &mut [Self],
                ) {
                    kernels::sum_generated(arch, keys, skip, sums, weighed);
                }
                fn encode_keys(matrix: &Aes128, first: u64, table: &[Self], rows: &mut [Self]) {
                    kernels::encode(matrix, first, table, rows);
                }
                fn encode_tagged(
                    matrix: &Aes128,
                    first: u64,
                    table: &[Tagged<Self, Self>],
                    rows: &mut [Tagged<Self, Self>],
                ) {
                    kernels::encode(matrix, first, table, rows);
                }
                fn weigh(_: Arch, chi: &[Self], rows: &[Tagged<Self, Self>]) -> (Self, Self) {
                    kernels::weigh(chi, rows)
                }
                fn inner_product(
                    _: Arch,
                    a: &[Tagged<Self, Self>],
                    b: &[Tagged<Self, Self>],
                ) -> (Self, Self, Self) {
                    kernels::inner_product(a, b)
                }
                const SPARES_UNITS: bool = true;
                fn linear(_: Arch, factors: &[Self], rows: &[Tagged<Self, Self>]) -> Tagged<Self, Self> {
                    kernels::linear(factors, rows)
                }
                fn linear_keys(_: Arch, factors: &[Self], keys: &[Self]) -> Self {
                    kernels::linear_keys(factors, keys)
                }
                fn products(
                    _: Arch,
                    triples: &[[Tagged<Self, Self>; 3]],
                    constant: &mut [Self],
                    linear: &mut [Self],
                ) {
                    kernels::products(triples, constant, linear);
                }
                fn verifier_sums(_: Arch, chi: &[Self], triples: &[[Self; 3]]) -> (Self, Self) {
                    kernels::verifier_sums(chi, triples)
                }
            }
        )*
    };
}
large!(Bn254, Bls12381);

#[cfg(test)]
mod tests;
