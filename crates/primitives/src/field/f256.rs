//! The field of 2^8 elements, F_2[X] / (X^8 + X^4 + X^3 + X + 1), and its extension of degree 16.
#![allow(clippy::suspicious_arithmetic_impl)] // + is xor

use super::{Extension, F128, Field};
use crate::aes::Aes128;
use crate::arch::f256::{self, Map, Row};
use crate::arch::{self, Arch};
use crate::hash::Circular;
use crate::integer::U256;
use crate::lanes::Lanes;
use crate::mac::MacField;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use zeroize::{DefaultIsZeroes, Zeroizing};

/// An element of F_{2^8}, the field of AES: bit i is the coefficient of X^i.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[repr(transparent)]
pub struct F256(pub u8);

impl DefaultIsZeroes for F256 {}

impl F256 {
    /// The canonical encoding: [`Field::to_integer`].
    #[inline(always)]
    pub const fn to_word(self) -> u128 {
        self.0 as u128
    }

    /// All ones where bit i is set, zero where it is not.
    #[inline(always)]
    const fn mask(self, i: u32) -> u128 {
        ((self.0 >> i & 1) as u128).wrapping_neg()
    }

    /// The image under `map`.
    #[inline(always)]
    pub(crate) fn image(self, map: &Map) -> F128 {
        F128((0..8).fold(0, |sum, i| sum ^ map[i as usize].0 & self.mask(i)))
    }

    /// The product of polynomials, of 15 bits.
    #[inline(always)]
    fn product(self, other: Self) -> u32 {
        // Four rows side by side, of 16 bits each: a·X^i in row i, and masks for the bits of four times b.
        let rows = u64::from(self.0) * 0x0008_0004_0002_0001;
        let masks = |bits: u8| {
            let ones = (u64::from(bits) * 0x2000_4000_8001) & 0x0001_0001_0001_0001;
            (ones << 16).wrapping_sub(ones)
        };
        let sum = (rows & masks(other.0 & 0xf)) ^ ((rows & masks(other.0 >> 4)) << 4);
        let sum = sum ^ (sum >> 32);
        (sum ^ (sum >> 16)) as u32 & 0x7fff
    }

    /// The element of a polynomial of 15 bits.
    #[inline(always)]
    fn reduce(polynomial: u32) -> Self {
        // X^8 is X^4 + X^3 + X + 1: of 7 bits above it come 11, of whose 3 above it come 7.
        let fold = |x: u32| {
            let above = x >> 8;
            (x & 0xff) ^ above ^ (above << 1) ^ (above << 3) ^ (above << 4)
        };
        Self(fold(fold(polynomial)) as u8)
    }
}

impl Field for F256 {
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);
    const BITS: u32 = 8;
    const BINARY: bool = true;
    const NAME: &'static str = "f256";

    fn invert(self) -> Self {
        super::power(self, 254)
    }
    #[inline(always)]
    fn to_integer(self) -> U256 {
        self.to_word().into()
    }
    #[inline(always)]
    fn from_integer(integer: U256) -> Option<Self> {
        (integer < 256).then_some(Self(integer.low() as u8))
    }

    const SAMPLE: usize = 1;
    fn sample(words: &[u64]) -> Self {
        Self(words[0] as u8)
    }
    fn place(bit: u32) -> Self {
        Self(1 << bit)
    }
    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self(self.0 & mask as u8)
    }
}

/// The powers 0 to 7 of ρ, an element of F_{2^128} that is a root of that polynomial: the images of those of X.
/// Of the eight such roots, all of them in the subfield of 2^8 elements, ρ is the smallest as an integer.
pub(crate) const IMAGES: Map = [
    F128(1),
    F128(0x053d_8555_a997_9a1c_a13f_e8ac_5560_ce0d),
    F128(0x4cf4_b743_9cbf_bb84_ec77_59ca_3488_aee1),
    F128(0x35ad_604f_7d51_d2c6_bfcf_02ae_3639_46a8),
    F128(0x0dcb_3646_40a2_22fe_6b83_3048_3c2e_9849),
    F128(0x5498_10e1_1a88_dea5_252b_4927_7b1b_82b4),
    F128(0xd681_a568_6c0c_1f75_c72b_f2ef_2521_ff22),
    F128(0x0950_311a_4fb7_8fe0_7a7a_8e94_e136_f9bc),
];

impl From<F256> for F128 {
    #[inline(always)]
    fn from(element: F256) -> Self {
        element.image(&IMAGES)
    }
}

impl Extension<F256> for F128 {
    const DEGREE: u32 = 16;

    /// Scales by the kernel, if only one pair: gates are scaled one by one, and plain Rust takes long.
    fn scale(self, scalar: F256) -> Self {
        let mut scaled = [Self::ZERO];
        arch::multiply(Arch::detect(), &[self], &[scalar.into()], &mut scaled);
        scaled[0]
    }

    fn pack(coordinates: &[Self]) -> Self {
        assert!(coordinates.len() <= 16, "{} coordinates do not fit degree 16", coordinates.len());
        Self::pack(coordinates)
    }
}

/// Elements that are laid out for a kernel at a time.
const BATCH: usize = 64;

/// The carry-less kernels, behind the embedding where values take part.
impl Lanes<F256> for F128 {
    fn dot(arch: Arch, a: &[Self], b: &[Self]) -> Self {
        arch::dot(arch, a, b)
    }
    fn combine(arch: Arch, factors: &[F256], a: &[Self]) -> Self {
        assert_eq!(a.len(), factors.len());
        let mut images = Zeroizing::new([Self::ZERO; BATCH]);
        let mut sum = Self::ZERO;
        for (factors, a) in factors.chunks(BATCH).zip(a.chunks(BATCH)) {
            sum += arch::dot(arch, embed(arch, factors, &mut images), a);
        }
        sum
    }
    fn add_products(arch: Arch, a: &[Self], b: &[Self], sums: &mut [Self]) {
        arch::add_products(arch, a, b, sums);
    }
    fn add_scaled(arch: Arch, a: &[Self], factors: &[F256], sums: &mut [Self]) {
        assert_eq!((a.len(), factors.len()), (sums.len(), sums.len()));
        let mut images = Zeroizing::new([Self::ZERO; BATCH]);
        let batches = factors.chunks(BATCH).zip(a.chunks(BATCH)).zip(sums.chunks_mut(BATCH));
        for ((factors, a), sums) in batches {
            arch::add_products(arch, embed(arch, factors, &mut images), a, sums);
        }
    }
}

/// The images of up to [`BATCH`] elements.
fn embed<'a>(arch: Arch, elements: &[F256], images: &'a mut [F128; BATCH]) -> &'a [F128] {
    let images = &mut images[..elements.len()];
    images.fill(F128::ZERO);
    f256::add_images(arch, &IMAGES, elements, images);
    images
}

impl MacField<F256> for F128 {
    type Tag = crate::mac::Tagged<F256, Self>;

    fn grow_leaves(keys: &[Circular], parents: &mut [F128], leaves: &mut [Self]) {
        assert_eq!((keys.len(), leaves.len()), (2, 2 * parents.len()));
        for (key, leaves) in keys.iter().zip(leaves.chunks_exact_mut(parents.len().max(1))) {
            key.hash(parents, leaves);
        }
    }
    fn sum_rows(arch: Arch, nodes: &[Self], sums: &mut [Self]) {
        arch::sum_rows(arch, nodes, sums);
    }
    fn encode_tagged(matrix: &Aes128, first: u64, table: &[Row], rows: &mut [Row]) {
        f256::encode_tagged(matrix, first, table, rows);
    }
    fn encode_keys(matrix: &Aes128, first: u64, table: &[Self], rows: &mut [Self]) {
        assert!(table.len() <= 1 << 26);
        arch::encode(matrix, first, table, rows);
    }
    fn sample_all(_: Arch, blocks: &[F128], out: &mut [Self]) {
        out.copy_from_slice(&blocks[..out.len()]);
    }
    fn weigh(arch: Arch, chi: &[Self], rows: &[Row]) -> (Self, Self) {
        f256::weigh(arch, chi, rows)
    }
    fn inner_product(arch: Arch, a: &[Row], b: &[Row]) -> (Self, Self, F256) {
        assert_eq!(a.len(), b.len());
        let mut sums = (Self::ZERO, Self::ZERO, 0);
        let mut macs = Zeroizing::new([[Self::ZERO; BATCH]; 2]);
        let mut values = Zeroizing::new([[F256::ZERO; BATCH]; 2]);
        let mut images = Zeroizing::new([Self::ZERO; BATCH]);
        for (a, b) in a.chunks(BATCH).zip(b.chunks(BATCH)) {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                (values[0][i], values[1][i]) = (a.value, b.value);
                (macs[0][i], macs[1][i]) = (a.mac, b.mac);
                sums.2 ^= a.value.product(b.value);
            }
            let [a_macs, b_macs] = macs.each_ref().map(|macs| &macs[..a.len()]);
            sums.0 += arch::dot(arch, a_macs, b_macs);
            for (values, macs) in values.iter().zip([b_macs, a_macs]) {
                sums.1 += arch::dot(arch, embed(arch, &values[..macs.len()], &mut images), macs);
            }
        }
        (sums.0, sums.1, F256::reduce(sums.2))
    }
    fn linear(arch: Arch, factors: &[F256], rows: &[Row]) -> Row {
        assert_eq!(factors.len(), rows.len());
        let (mut value, mut mac) = (0, Self::ZERO);
        let mut macs = Zeroizing::new([Self::ZERO; BATCH]);
        let mut images = Zeroizing::new([Self::ZERO; BATCH]);
        for (factors, rows) in factors.chunks(BATCH).zip(rows.chunks(BATCH)) {
            for (i, (factor, row)) in factors.iter().zip(rows).enumerate() {
                macs[i] = row.mac;
                value ^= factor.product(row.value);
            }
            mac += arch::dot(arch, embed(arch, factors, &mut images), &macs[..rows.len()]);
        }
        Row { value: F256::reduce(value), mac }
    }
    fn products(arch: Arch, triples: &[[Row; 3]], constant: &mut [Self], linear: &mut [Self]) {
        f256::products(arch, triples, constant, linear);
    }
    fn verifier_sums(arch: Arch, chi: &[Self], triples: &[[Self; 3]]) -> (Self, Self) {
        arch::verifier_sums(arch, chi, triples)
    }
    crate::mac::portable_macs!(F256: puncture sum_generated);
    fn correct(arch: Arch, keys: &mut [Self], corrections: &[F256], delta: Self) {
        let mut images = Zeroizing::new([Self::ZERO; 8]);
        arch::multiply(arch, &[delta; 8], &IMAGES, &mut *images);
        f256::add_images(arch, &images, corrections, keys);
    }
}

impl Add for F256 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl Sub for F256 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + other
    }
}

impl Neg for F256 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self
    }
}

impl Mul for F256 {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        Self::reduce(self.product(other))
    }
}

super::assign_and_sum!(F256);

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 197, 4.2: the products of its examples, and an inverse.
    #[test]
    fn products_of_aes() {
        assert_eq!(F256(0x57) * F256(0x83), F256(0xc1));
        assert_eq!(F256(0x57) * F256(0x13), F256(0xfe));
        assert_eq!(F256(0x53).invert(), F256(0xca));
    }

    /// All products, by their definition.
    #[test]
    fn products_are_those_of_polynomials() {
        let double = |x: u8| x << 1 ^ (if x >> 7 == 1 { 0x1b } else { 0 });
        for a in 0..=255 {
            for b in 0..=255u8 {
                let mut power = a;
                let mut sum = 0;
                for i in 0..8 {
                    sum ^= if b >> i & 1 == 1 { power } else { 0 };
                    power = double(power);
                }
                assert_eq!(F256(a) * F256(b), F256(sum));
            }
        }
    }

    #[test]
    fn images_are_powers_of_a_root() {
        let x = F128::from(F256(2));
        assert!(IMAGES.windows(2).all(|pair| pair[0] * x == pair[1]));
        assert_eq!(IMAGES[7] * x, F128::from(F256(0x1b)));
    }

    /// The 128 products of the powers of X with a basis of the subfield are independent over F_2.
    #[test]
    fn powers_of_x_are_a_basis() {
        let mut pivots = [0u128; 128];
        for i in 0..128 {
            let coordinates: Vec<_> =
                (0..=i / 8).map(|j| if j == i / 8 { IMAGES[i % 8] } else { F128::ZERO }).collect();
            let mut vector = <F128 as Extension<F256>>::pack(&coordinates).0;
            while vector != 0 && pivots[vector.ilog2() as usize] != 0 {
                vector ^= pivots[vector.ilog2() as usize];
            }
            assert_ne!(vector, 0, "product {i}");
            pivots[vector.ilog2() as usize] = vector;
        }
    }
}
