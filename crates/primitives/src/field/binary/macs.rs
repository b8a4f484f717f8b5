//! The field of 2^64 elements as that of MACs over F_2.
//!
//! Bit 0 of MACs, keys and Δ is zero, and a value takes its place in the prover's word: so a tag is one word, and what
//! is left of Δ has 63 bits.

use super::{F64, inverse};
use crate::aes::Aes128;
use crate::arch::{Arch, f64};
use crate::field::{Extension, F2, F128, Field};
use crate::hash::Circular;
use crate::integer::U256;
use crate::lanes::Lanes;
use crate::mac::{Holes, MacField, Tag};

/// The bits of a tag that its MAC has.
const MAC: u64 = !1;

impl Field for F64 {
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);
    const BITS: u32 = 64;
    const BINARY: bool = true;
    const NAME: &'static str = "f64";

    fn invert(self) -> Self {
        inverse(self)
    }
    #[inline(always)]
    fn to_integer(self) -> U256 {
        self.0.into()
    }
    #[inline(always)]
    fn from_integer(integer: U256) -> Option<Self> {
        (integer.high() == 0 && integer.low() >> 64 == 0).then_some(Self(integer.low() as u64))
    }

    const SAMPLE: usize = 1;
    #[inline(always)]
    fn sample(words: &[u64]) -> Self {
        Self(words[0])
    }
    fn place(bit: u32) -> Self {
        Self(1 << bit)
    }
    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self(self.0 & mask)
    }
}

impl From<F2> for F64 {
    #[inline(always)]
    fn from(bit: F2) -> Self {
        Self(bit.to_word() as u64)
    }
}

impl From<F64> for U256 {
    #[inline(always)]
    fn from(element: F64) -> Self {
        element.0.into()
    }
}

impl Extension<F2> for F64 {
    const DEGREE: u32 = 64;

    #[inline(always)]
    fn scale(self, scalar: F2) -> Self {
        Self(self.0 & scalar.mask() as u64)
    }

    fn pack(coordinates: &[Self]) -> Self {
        assert!(coordinates.len() <= 64, "{} coordinates do not fit F_2^64", coordinates.len());
        coordinates.iter().rev().fold(Self::ZERO, |sum, &coordinate| {
            let carry = F2::low_bit(u128::from(sum.0 >> 63)).mask() as u64;
            Self(sum.0 << 1 ^ carry & Self::TAIL) + coordinate
        })
    }
}

impl Tag<F2, Self> for F64 {
    const FREE: u32 = 1;

    #[inline(always)]
    fn new(value: F2, mac: Self) -> Self {
        Self(mac.0 & MAC | value.to_word() as u64)
    }
    #[inline(always)]
    fn value(self) -> F2 {
        F2::low_bit(self.0.into())
    }
    #[inline(always)]
    fn mac(self) -> Self {
        Self(self.0 & MAC)
    }
    #[inline(always)]
    fn scale(self, factor: F2) -> Self {
        Extension::scale(self, factor)
    }
    #[inline(always)]
    fn bare(element: Self) -> Self {
        Self(element.0 & MAC)
    }
}

impl Lanes<F2> for F64 {
    fn add_products(arch: Arch, a: &[Self], b: &[Self], sums: &mut [Self]) {
        f64::add_products(arch, a, b, sums);
    }
    fn add_scaled(arch: Arch, a: &[Self], factors: &[F2], sums: &mut [Self]) {
        f64::add_scaled(arch, a, factors, sums);
    }
    fn combine(arch: Arch, factors: &[F2], a: &[Self]) -> Self {
        f64::combine(arch, factors, a)
    }
    fn dot(arch: Arch, a: &[Self], b: &[Self]) -> Self {
        f64::dot(arch, a, b)
    }
}

/// The powers x^0 to x^63.
static PLACES: [F64; 64] = {
    let mut places = [F64(1); 64];
    let mut i = 0;
    while i < 64 {
        places[i] = F64(1 << i);
        i += 1;
    }
    places
};

impl MacField<F2> for F64 {
    type Tag = Self;

    fn places() -> &'static [Self] {
        &PLACES
    }

    fn grow_leaves(keys: &[Circular], parents: &mut [F128], leaves: &mut [Self]) {
        assert_eq!(keys.len(), 1);
        f64::grow_leaves(keys[0].permutation(), parents, leaves);
    }
    fn sum_rows(arch: Arch, nodes: &[Self], sums: &mut [Self]) {
        f64::sum_rows(arch, nodes, sums);
    }
    fn puncture(arch: Arch, leaves: &[Self], holes: Holes<Self>, rows: &mut [Self]) {
        f64::puncture(arch, leaves, holes.row, [holes.left, holes.right], rows);
    }
    fn encode_keys(matrix: &Aes128, first: u64, table: &[Self], rows: &mut [Self]) {
        f64::encode(matrix, first, table, rows);
    }
    fn encode_tagged(matrix: &Aes128, first: u64, table: &[Self], rows: &mut [Self]) {
        f64::encode(matrix, first, table, rows);
    }
    fn sample_all(_: Arch, blocks: &[F128], out: &mut [Self]) {
        assert!(2 * blocks.len() >= out.len());
        let (pairs, last) = out.as_chunks_mut::<2>();
        for (pair, block) in pairs.iter_mut().zip(blocks) {
            *pair = [Self(block.0 as u64), Self((block.0 >> 64) as u64)];
        }
        last.iter_mut().zip(&blocks[pairs.len()..]).for_each(|(last, block)| *last = Self(block.0 as u64));
    }
    fn weigh(arch: Arch, chi: &[Self], rows: &[Self]) -> (Self, Self) {
        f64::weigh(arch, chi, rows)
    }
    fn inner_product(arch: Arch, a: &[Self], b: &[Self]) -> (Self, Self, F2) {
        let (constant, linear) = f64::inner_product(arch, a, b);
        (constant, linear, a.iter().zip(b).map(|(a, b)| a.value() * b.value()).sum())
    }
    fn linear(arch: Arch, factors: &[F2], rows: &[Self]) -> Self {
        f64::combine(arch, factors, rows)
    }
    fn products(arch: Arch, triples: &[[Self; 3]], constant: &mut [Self], linear: &mut [Self]) {
        f64::products(arch, triples, constant, linear);
    }
    fn column_products(
        arch: Arch,
        columns: [&[Self]; 3],
        (constant, linear): (&mut [Self], &mut [Self]),
        _: &mut Vec<[Self; 3]>,
    ) {
        f64::column_products(arch, columns, constant, linear);
    }
    fn verifier_sums(arch: Arch, chi: &[Self], triples: &[[Self; 3]]) -> (Self, Self) {
        f64::verifier_sums(arch, chi, triples)
    }
    fn verifier_column_sums(
        arch: Arch,
        chi: &[Self],
        columns: [&[Self]; 3],
        _: &mut Vec<[Self; 3]>,
    ) -> (Self, Self) {
        f64::verifier_column_sums(arch, chi, columns)
    }
    fn add_tags(arch: Arch, tags: &mut [Self], places: [usize; 3], count: usize) {
        f64::add_rows(arch, tags, places, count);
    }
    fn add_keys(arch: Arch, keys: &mut [Self], places: [usize; 3], count: usize) {
        f64::add_rows(arch, keys, places, count);
    }
    fn correct(arch: Arch, keys: &mut [Self], corrections: &[F2], delta: Self) {
        f64::correct(arch, keys, corrections, delta);
    }
    fn correct_by_bits(arch: Arch, keys: &mut [Self], bits: &[u8], delta: Self) {
        f64::add_where(arch, bits, delta, keys);
    }
    crate::mac::portable_macs!(F2: sum_generated);
}
