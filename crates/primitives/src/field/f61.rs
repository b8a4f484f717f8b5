//! The prime field of 2^61 - 1 elements, and its square.

use super::prime::{Modulus, Prime, settle64};
use super::{Binomial, F128, Radicand};
use crate::aes::Aes128;
use crate::arch::{Arch, f61, f61x2};
use crate::hash::Circular;
use crate::lanes::{Lanes, Pair};
use crate::mac::{Holes, MacField, Tagged};
use core::slice;

/// An element of F_p for the Mersenne prime p = 2^61 - 1: an integer below p.
pub type F61 = Prime<P61>;

/// The field of p^2 elements, `F61[X] / (X^2 + 1)`.
pub type F61x2 = Binomial<F61, 2>;

/// The Mersenne prime 2^61 - 1.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct P61;

impl Modulus for P61 {
    type Word = u64;
    const MODULUS: u64 = (1 << 61) - 1;
    const BITS: u32 = 61;
    const NAME: &'static str = "f61";
    const SAMPLE: usize = 1;

    #[inline(always)]
    fn reduce(product: u128) -> F61 {
        F61::settle((product as u64 & Self::MODULUS) + (product >> 61) as u64)
    }

    /// Folds 64 bits: eight residues have nine words, the others eight, at a distance of 2^-61 from uniform.
    #[inline(always)]
    fn sample(words: &[u64]) -> F61 {
        F61::new(words[0])
    }
}

impl F61 {
    /// `x` modulo p.
    #[inline(always)]
    pub const fn new(x: u64) -> Self {
        // 2^61 = 1: both summands are below 2^61.
        Self::settle((x & Self::MODULUS) + (x >> 61))
    }

    /// `x` modulo p.
    #[inline(always)]
    pub(crate) const fn reduce(x: u128) -> Self {
        Self::new((x as u64 & Self::MODULUS) + ((x >> 61) as u64 & Self::MODULUS) + (x >> 122) as u64)
    }

    /// The element of an integer up to 2p - 1.
    #[inline(always)]
    const fn settle(x: u64) -> Self {
        Prime(settle64(x, 0, Self::MODULUS, Self::MODULUS))
    }
}

// p = 3 mod 4, so that -1 is no square.
impl Radicand<2> for F61 {
    const RADICAND: Self = Prime(Self::MODULUS - 1);
    const NAME: &'static str = "f61^2";
}

/// The methods of [`Lanes`] by the functions of a module.
macro_rules! lanes {
    ($kernels:ident) => {
        fn dot(arch: Arch, a: &[Self], b: &[Self]) -> Self {
            $kernels::dot(arch, a, b)
        }
        fn combine(arch: Arch, factors: &[F61], a: &[Self]) -> Self {
            $kernels::combine(arch, factors, a)
        }
        fn add_products(arch: Arch, a: &[Self], b: &[Self], sums: &mut [Self]) {
            $kernels::add_products(arch, a, b, sums);
        }
        fn add_scaled(arch: Arch, a: &[Self], factors: &[F61], sums: &mut [Self]) {
            $kernels::add_scaled(arch, a, factors, sums);
        }
    };
}

/// Defines those methods of [`MacField`] that have kernels for both kinds of MACs, by the functions of a
/// module.
macro_rules! macs {
    ($kernels:ident) => {
        fn sum_rows(arch: Arch, nodes: &[Self], sums: &mut [Self]) {
            $kernels::sum_rows(arch, nodes, sums);
        }
        fn encode_keys(matrix: &Aes128, first: u64, table: &[Self], rows: &mut [Self]) {
            $kernels::encode_keys(matrix, first, table, rows);
        }
        fn encode_tagged(matrix: &Aes128, first: u64, table: &[Row<Self>], rows: &mut [Row<Self>]) {
            $kernels::encode_tagged(matrix, first, table, rows);
        }
        fn sample_all(arch: Arch, blocks: &[F128], out: &mut [Self]) {
            $kernels::sample_all(arch, blocks, out);
        }
        fn weigh(arch: Arch, chi: &[Self], rows: &[Row<Self>]) -> (Self, Self) {
            $kernels::weigh(arch, chi, rows)
        }
        fn inner_product(arch: Arch, a: &[Row<Self>], b: &[Row<Self>]) -> (Self, Self, F61) {
            $kernels::inner_product(arch, a, b)
        }
        fn linear(arch: Arch, factors: &[F61], rows: &[Row<Self>]) -> Row<Self> {
            $kernels::linear(arch, factors, rows)
        }
        fn products(arch: Arch, triples: &[[Row<Self>; 3]], constant: &mut [Self], linear: &mut [Self]) {
            $kernels::products(arch, triples, constant, linear);
        }
        fn verifier_sums(arch: Arch, chi: &[Self], triples: &[[Self; 3]]) -> (Self, Self) {
            $kernels::verifier_sums(arch, chi, triples)
        }
        fn correct(arch: Arch, keys: &mut [Self], corrections: &[F61], delta: Self) {
            $kernels::correct(arch, keys, corrections, delta);
        }
    };
}

type Row<E> = Tagged<F61, E>;

impl Lanes<F61> for F61 {
    lanes!(f61);
    fn add_sums(
        arch: Arch,
        products: &[Pair<'_, F61, F61>],
        scaled: &[Pair<'_, F61, F61>],
        sums: &mut [F61],
    ) {
        f61::add_sums(arch, products, scaled, sums);
    }
    fn set_sums(
        arch: Arch,
        products: &[Pair<'_, F61, F61>],
        scaled: &[Pair<'_, F61, F61>],
        sums: &mut [F61],
    ) {
        f61::set_sums(arch, products, scaled, sums);
    }
    fn add_weighed(arch: Arch, terms: &[(&[F61], F61)], sums: &mut [F61]) {
        let terms: Vec<_> = terms.iter().map(|(a, factor)| (*a, slice::from_ref(factor))).collect();
        f61::add_sums(arch, &[], &terms, sums);
    }
    fn add_values(arch: Arch, products: &[Pair<'_, F61, F61>], sums: &mut [F61]) {
        f61::add_sums(arch, products, &[], sums);
    }
}

impl MacField<F61> for F61 {
    type Tag = crate::mac::Tagged<F61, Self>;

    const BY_DEVICES: bool = true;

    crate::mac::portable_macs!(F61: sum_generated);
    fn grow_leaves(keys: &[Circular], parents: &mut [F128], leaves: &mut [Self]) {
        assert_eq!(keys.len(), 1);
        f61::grow_leaves(keys[0].permutation(), parents, leaves);
    }
    fn puncture(arch: Arch, leaves: &[Self], holes: Holes<Row<Self>>, rows: &mut [Row<Self>]) {
        f61::puncture(arch, leaves, holes, rows);
    }
    macs!(f61);
}

impl Lanes<F61> for F61x2 {
    lanes!(f61x2);
}

impl MacField<F61> for F61x2 {
    type Tag = crate::mac::Tagged<F61, Self>;

    crate::mac::portable_macs!(F61: grow_leaves puncture sum_generated);
    macs!(f61x2);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;

    #[test]
    fn edges_of_the_reduction() {
        assert_eq!(F61::new(u64::MAX), Prime(7));
        assert_eq!(F61::new(F61::MODULUS), F61::ZERO);
    }
}
