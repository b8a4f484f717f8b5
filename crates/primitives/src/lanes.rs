//! Vectors of elements of an extension, lane by lane: what polynomials in values under MACs are computed in.

pub(crate) mod portable;

use crate::arch::{self, Arch};
use crate::field::{Extension, F2, F128, Field};

/// Vectors that are multiplied lane by lane, or a vector and one factor for all.
pub type Pair<'a, A, B> = (&'a [A], &'a [B]);

/// Elements that are multiplied by one factor at a time.
const TOGETHER: usize = 256;

/// An extension with kernels on vectors.
///
/// Time depends on lengths only, and on factors that are said to be public.
pub trait Lanes<B: Field>: Extension<B> {
    /// `sums[i] += a[i]·b[i]`.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn add_products(arch: Arch, a: &[Self], b: &[Self], sums: &mut [Self]);

    /// `sums[i] += a[i]·factors[i]`.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn add_scaled(arch: Arch, a: &[Self], factors: &[B], sums: &mut [Self]);

    /// `sums[i] += Σ a[i]·b[i]` over all pairs of `products`, and the same of those that are `scaled`, of
    /// which the second may be one factor for all lanes.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn add_sums(
        arch: Arch,
        products: &[Pair<'_, Self, Self>],
        scaled: &[Pair<'_, Self, B>],
        sums: &mut [Self],
    ) {
        products.iter().for_each(|(a, b)| Self::add_products(arch, a, b, sums));
        for (a, factors) in scaled {
            match factors {
                [factor] if sums.len() != 1 => {
                    assert_eq!(a.len(), sums.len());
                    sums.iter_mut().zip(*a).for_each(|(sum, a)| *sum += a.scale(*factor));
                }
                factors => Self::add_scaled(arch, a, factors, sums),
            }
        }
    }

    /// `sums[i] = Σ a[i]·b[i]`, as [`Lanes::add_sums`] adds it to what was there.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn set_sums(
        arch: Arch,
        products: &[Pair<'_, Self, Self>],
        scaled: &[Pair<'_, Self, B>],
        sums: &mut [Self],
    ) {
        sums.fill(Self::ZERO);
        Self::add_sums(arch, products, scaled, sums);
    }

    /// `sums[i] += Σ a[i]·factor` over all `terms`, whose factors are public.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn add_weighed(arch: Arch, terms: &[(&[Self], Self)], sums: &mut [Self]) {
        for (a, factor) in terms {
            assert_eq!(a.len(), sums.len());
            if *factor == Self::ONE {
                sums.iter_mut().zip(*a).for_each(|(sum, a)| *sum += *a);
                continue;
            }
            let factors = [*factor; TOGETHER];
            for (a, sums) in a.chunks(TOGETHER).zip(sums.chunks_mut(TOGETHER)) {
                Self::add_products(arch, a, &factors[..a.len()], sums);
            }
        }
    }

    /// Adds to `sums[i]` the products over all `products` of values: `a[i]·b[i]`, or `a[i]·b[0]` where `b`
    /// has one.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn add_values(_: Arch, products: &[Pair<'_, B, B>], sums: &mut [B]) {
        for (a, b) in products.iter().filter(|(a, _)| !a.is_empty()) {
            assert!(a.len() == sums.len() && (b.len() == sums.len() || b.len() == 1));
            let factors = b.iter().chain(core::iter::repeat(&b[0]));
            a.iter().zip(factors).zip(&mut *sums).for_each(|((a, b), sum)| *sum += *a * *b);
        }
    }

    /// `Σ a·b`.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn dot(arch: Arch, a: &[Self], b: &[Self]) -> Self;

    /// `Σ a·factor`.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn combine(arch: Arch, factors: &[B], a: &[Self]) -> Self;
}

/// The methods of [`Lanes`] that a field has no kernel of its own for, by the portable ones: compiled here
/// once, not again by each crate that proves over the field. They stand here for a field that is new.
#[allow(unused_macros)]
macro_rules! portable_lanes {
    ($base:ty: all) => {
        crate::lanes::portable_lanes!($base: dot combine add_products add_scaled);
    };
    ($base:ty: $($kernel:ident)*) => {
        $(crate::lanes::portable_lanes!(@$kernel, $base);)*
    };
    (@add_products, $base:ty) => {
        fn add_products(_: crate::arch::Arch, a: &[Self], b: &[Self], sums: &mut [Self]) {
            crate::lanes::portable::add_products(a, b, sums);
        }
    };
    (@add_scaled, $base:ty) => {
        fn add_scaled(_: crate::arch::Arch, a: &[Self], factors: &[$base], sums: &mut [Self]) {
            crate::lanes::portable::add_scaled(a, factors, sums);
        }
    };
    (@dot, $base:ty) => {
        fn dot(_: crate::arch::Arch, a: &[Self], b: &[Self]) -> Self {
            crate::lanes::portable::dot(a, b)
        }
    };
    (@combine, $base:ty) => {
        fn combine(_: crate::arch::Arch, factors: &[$base], a: &[Self]) -> Self {
            crate::lanes::portable::combine(factors, a)
        }
    };
}
#[allow(unused_imports)]
pub(crate) use portable_lanes;

impl Lanes<F2> for F128 {
    fn add_products(arch: Arch, a: &[Self], b: &[Self], sums: &mut [Self]) {
        arch::add_products(arch, a, b, sums);
    }
    fn add_scaled(arch: Arch, a: &[Self], factors: &[F2], sums: &mut [Self]) {
        arch::add_scaled(arch, a, factors, sums);
    }
    fn add_sums(
        arch: Arch,
        products: &[Pair<'_, Self, Self>],
        scaled: &[Pair<'_, Self, F2>],
        sums: &mut [Self],
    ) {
        arch::add_sums(arch, products, scaled, sums);
    }
    fn set_sums(
        arch: Arch,
        products: &[Pair<'_, Self, Self>],
        scaled: &[Pair<'_, Self, F2>],
        sums: &mut [Self],
    ) {
        arch::set_sums(arch, products, scaled, sums);
    }
    fn combine(arch: Arch, factors: &[F2], a: &[Self]) -> Self {
        arch::combine(arch, factors, a)
    }
    fn dot(arch: Arch, a: &[Self], b: &[Self]) -> Self {
        arch::dot(arch, a, b)
    }
}
