//! Values under MACs in bulk: what subfield VOLE and the checks on it compute, over any field.
//!
//! A new field is a new file under [`crate::field`] that implements [`Lanes`] by `portable_lanes` and
//! [`MacField`] by `portable_macs`: the portable kernels, which are also the specification of those that a
//! field has of its own. Statements are over it by name once it is listed in [`with_fields`](crate::with_fields).
//! As a [`CheckField`] it also serves where claims are checked without MACs.

pub(crate) mod portable;

use crate::aes::Aes128;
use crate::arch::Arch;
use crate::check::CheckField;
use crate::field::{Extension, F128, Field};
use crate::hash::Circular;
use crate::lanes::Lanes;
use core::ops::{Add, Sub};
use zeroize::DefaultIsZeroes;

/// A value with its MAC, on which `key = mac + value·Δ`: the prover's share.
#[derive(Copy)]
#[repr(C)]
pub struct Tagged<B, E> {
    /// The value, of the base field.
    pub value: B,
    /// The MAC, of the extension.
    pub mac: E,
}

// As that of what it is made of: not one part after the other, for each element of a vector.
impl<B: Copy, E: Copy> Clone for Tagged<B, E> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

/// How the prover holds a value of `B` with its MAC in `E`: beside it, as a [`Tagged`], or in bits that it leaves free.
/// Sums of tags are tags of sums.
pub trait Tag<B: Field, E: Extension<B>>:
    DefaultIsZeroes + Add<Output = Self> + Sub<Output = Self> + Send + Sync + 'static
{
    /// The coordinates of elements over `B` that MACs, keys and Δ leave free, the first ones: they are zero there.
    const FREE: u32 = 0;

    /// The tag of `value` with the MAC that is [`bare`](Tag::bare) of `mac`.
    fn new(value: B, mac: E) -> Self;
    /// The value.
    fn value(self) -> B;
    /// The MAC.
    fn mac(self) -> E;
    /// The tag of the product with a public factor.
    fn scale(self, factor: B) -> Self;
    /// The MAC, key or Δ that is equal to `element` but for the coordinates that are left free.
    #[inline(always)]
    fn bare(element: E) -> E {
        element
    }
}

impl<B: Field, E: Extension<B>> Tag<B, E> for Tagged<B, E> {
    #[inline(always)]
    fn new(value: B, mac: E) -> Self {
        Self { value, mac }
    }
    #[inline(always)]
    fn value(self) -> B {
        self.value
    }
    #[inline(always)]
    fn mac(self) -> E {
        self.mac
    }
    #[inline(always)]
    fn scale(self, factor: B) -> Self {
        self.scale(factor)
    }
}

impl<B: Field, E: Extension<B>> Tagged<B, E> {
    /// The share of the public value zero.
    pub const ZERO: Self = Self { value: B::ZERO, mac: E::ZERO };

    /// `self · factor` for a public factor.
    #[inline(always)]
    pub fn scale(self, factor: B) -> Self {
        Self { value: self.value * factor, mac: self.mac.scale(factor) }
    }
}

impl<B: Field, E: Extension<B>> Default for Tagged<B, E> {
    fn default() -> Self {
        Self::ZERO
    }
}

impl<B: Field, E: Extension<B>> DefaultIsZeroes for Tagged<B, E> {}

impl<B: Field, E: Extension<B>> Add for Tagged<B, E> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, mac: self.mac + other.mac }
    }
}

impl<B: Field, E: Extension<B>> Sub for Tagged<B, E> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { value: self.value - other.value, mac: self.mac - other.mac }
    }
}

/// Corrections of the children of one parent in each of the trees that stand side by side.
#[derive(Clone, Copy)]
pub struct Holes<'a, T> {
    /// The place of the parent.
    pub row: &'a [u64],
    /// The summand of its left child.
    pub left: &'a [T],
    /// The summand of its right child.
    pub right: &'a [T],
}

/// An extension whose elements authenticate values of the field `B`, and its kernels.
///
/// Time depends on lengths and public arguments only.
pub trait MacField<B: Field>: Lanes<B> + CheckField {
    /// A value with its MAC.
    type Tag: Tag<B, Self>;

    /// Whether devices know these values and MACs, each an integer of 64 bits. Where not, nothing of that is compiled.
    const BY_DEVICES: bool = false;

    /// The elements 1, x, x², … by which bits are packed into one element, over F_2.
    fn places() -> &'static [Self] {
        &[]
    }

    /// The leaves below the nodes `parents`, which are used up: with `H_j(x) = π_j(σ(x)) ⊕ σ(x)` under key j
    /// of [`Field::SAMPLE`] many, parent y gives the 64-bit words of `H_0(x), H_1(x), …`, least significant
    /// first; the first half of them makes the leaf at y, the second half that at `parents.len() + y`. They are
    /// [bare](Tag::bare).
    ///
    /// # Panics
    /// Where the lengths do not fit.
    fn grow_leaves(keys: &[Circular], parents: &mut [F128], leaves: &mut [Self]);

    /// For trees that stand side by side, `sums.len()` of them, node y of tree g at `y·trees + g`: the sum
    /// of the nodes of each.
    ///
    /// # Panics
    /// Where the lengths do not divide.
    fn sum_rows(arch: Arch, nodes: &[Self], sums: &mut [Self]);

    /// `rows[i]` becomes `leaves[i]`, which is [bare](Tag::bare), with the value zero, but for what `holes`
    /// adds to the two children of one parent in each tree: those of parent y of tree g are at `y·trees + g`,
    /// and as far on in the second half. Time does not depend on which.
    ///
    /// # Panics
    /// Where the lengths do not fit.
    fn puncture(arch: Arch, leaves: &[Self], holes: Holes<Self::Tag>, rows: &mut [Self::Tag]);

    /// Adds to `rows[j]` the entries of `table` at ten places: `(w·size) >> 32` for the 32-bit words number
    /// `10·(first + j)` and on of `AES(0), AES(1), …`.
    ///
    /// # Panics
    /// Where `first` is odd, or the table is empty or longer than 2^26.
    fn encode_keys(matrix: &Aes128, first: u64, table: &[Self], rows: &mut [Self]);

    /// Adds to `rows[j]` the same entries as [`MacField::encode_keys`], of a `table` of values with their
    /// MACs.
    ///
    /// # Panics
    /// As for [`MacField::encode_keys`].
    fn encode_tagged(matrix: &Aes128, first: u64, table: &[Self::Tag], rows: &mut [Self::Tag]);

    /// Elements that `words` of [`Field::SAMPLE`] each make.
    ///
    /// # Panics
    /// Where there are fewer words.
    fn sample_all(arch: Arch, blocks: &[F128], out: &mut [Self]);

    /// Sums of the outputs of generators G_y with the seeds `keys`, each from block `skip` on: `sums[i]`
    /// becomes `Σ G_y[i]`, and `weighed[i]` becomes `Σ y·G_y[i]`, over all y from 0 on.
    ///
    /// # Panics
    /// Where the lengths differ, or there are more than 2^8 keys.
    fn sum_generated(arch: Arch, keys: &[F128], skip: u64, sums: &mut [B], weighed: &mut [B]);

    /// `Σ χ·mac` and `Σ χ·value`.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn weigh(arch: Arch, chi: &[Self], rows: &[Self::Tag]) -> (Self, Self);

    /// The prover's side of an inner product: the coefficients of
    /// `Σ (m_a + w_a·X)·(m_b + w_b·X)`, the lowest first.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn inner_product(arch: Arch, a: &[Self::Tag], b: &[Self::Tag]) -> (Self, Self, B);

    /// `Σ factor·row` for public factors.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn linear(arch: Arch, factors: &[B], rows: &[Self::Tag]) -> Self::Tag;

    /// `Σ factor·key` for public factors.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn linear_keys(arch: Arch, factors: &[B], keys: &[Self]) -> Self {
        Self::combine(arch, factors, keys)
    }

    /// Whether these two are as fast as can be where many factors are one and minus one: they spare products
    /// with these, or a product costs no more than a sum.
    const SPARES_UNITS: bool = B::BITS <= 64;

    /// The prover's side of the QuickSilver check on `[a, b, c]`: `constant = m_a·m_b` and
    /// `linear = w_a·m_b + w_b·m_a - m_c`.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn products(arch: Arch, triples: &[[Self::Tag; 3]], constant: &mut [Self], linear: &mut [Self]);

    /// The [`products`](MacField::products) of triples that stand in columns. `triples` is memory for as many.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn column_products(
        arch: Arch,
        columns: [&[Self::Tag]; 3],
        (constant, linear): (&mut [Self], &mut [Self]),
        triples: &mut Vec<[Self::Tag; 3]>,
    ) {
        Self::products(arch, stand_in_rows(columns, triples), constant, linear);
    }

    /// The verifier's side: `Σ χ·(a·b)` and `Σ χ·c`.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn verifier_sums(arch: Arch, chi: &[Self], triples: &[[Self; 3]]) -> (Self, Self);

    /// The [`verifier_sums`](MacField::verifier_sums) of triples that stand in columns. `triples` is memory for as
    /// many.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn verifier_column_sums(
        arch: Arch,
        chi: &[Self],
        columns: [&[Self]; 3],
        triples: &mut Vec<[Self; 3]>,
    ) -> (Self, Self) {
        Self::verifier_sums(arch, chi, stand_in_rows(columns, triples))
    }

    /// Puts the sums of the `count` tags from `a` and from `b` on at `out`, which may be one of these two, and
    /// overlaps with neither else.
    ///
    /// # Panics
    /// Where there are fewer tags.
    fn add_tags(_: Arch, tags: &mut [Self::Tag], places: [usize; 3], count: usize) {
        add_columns(tags, places, count);
    }

    /// Puts sums of keys in their place, as [`MacField::add_tags`] does of tags.
    ///
    /// # Panics
    /// Where there are fewer keys.
    fn add_keys(_: Arch, keys: &mut [Self], places: [usize; 3], count: usize) {
        add_columns(keys, places, count);
    }

    /// Adds `correction·delta` to each key.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn correct(arch: Arch, keys: &mut [Self], corrections: &[B], delta: Self);

    /// Adds `delta` to the keys whose bits are set, over F_2: the first in the lowest place of the first byte. Time
    /// does not depend on them.
    ///
    /// # Panics
    /// Where there are not as many bits, or values are no bits.
    fn correct_by_bits(_: Arch, _keys: &mut [Self], _bits: &[u8], _delta: Self) {
        panic!("values that are no bits")
    }
}

/// Triples of columns that are equally long.
fn stand_in_rows<'t, R: Copy>([a, b, c]: [&[R]; 3], triples: &'t mut Vec<[R; 3]>) -> &'t [[R; 3]] {
    assert_eq!((a.len(), b.len()), (c.len(), c.len()));
    triples.clear();
    triples.extend((0..c.len()).map(|i| [a[i], b[i], c[i]]));
    triples
}

fn add_columns<R: Copy + Add<Output = R>>(wires: &mut [R], [out, a, b]: [usize; 3], count: usize) {
    assert!([out, a, b].iter().all(|from| from + count <= wires.len()));
    (0..count).for_each(|i| wires[out + i] = wires[a + i] + wires[b + i]);
}

/// The methods of [`MacField`] that a field has no kernel of its own for, by the portable ones: compiled here
/// once, not again by each crate that proves over the field.
macro_rules! portable_macs {
    ($base:ty: all) => {
        crate::mac::portable_macs!(
            $base: grow_leaves sum_rows puncture encode_keys encode_tagged sample_all sum_generated weigh
            inner_product linear products verifier_sums correct
        );
    };
    ($base:ty: $($kernel:ident)*) => {
        $(crate::mac::portable_macs!(@$kernel, $base, crate::mac::Tagged<$base, Self>);)*
    };
    (@grow_leaves, $base:ty, $row:ty) => {
        fn grow_leaves(
            keys: &[crate::hash::Circular],
            parents: &mut [crate::field::F128],
            leaves: &mut [Self],
        ) {
            crate::mac::portable::grow_leaves::<$base, Self>(keys, parents, leaves);
        }
    };
    (@sum_rows, $base:ty, $row:ty) => {
        fn sum_rows(_: crate::arch::Arch, nodes: &[Self], sums: &mut [Self]) {
            crate::mac::portable::sum_rows(nodes, sums);
        }
    };
    (@puncture, $base:ty, $row:ty) => {
        fn puncture(
            _: crate::arch::Arch,
            leaves: &[Self],
            holes: crate::mac::Holes<$row>,
            rows: &mut [$row],
        ) {
            crate::mac::portable::puncture(leaves, holes, rows);
        }
    };
    (@encode_keys, $base:ty, $row:ty) => {
        fn encode_keys(matrix: &crate::aes::Aes128, first: u64, table: &[Self], rows: &mut [Self]) {
            crate::mac::portable::encode(matrix, first, table, rows);
        }
    };
    (@encode_tagged, $base:ty, $row:ty) => {
        fn encode_tagged(matrix: &crate::aes::Aes128, first: u64, table: &[$row], rows: &mut [$row]) {
            crate::mac::portable::encode(matrix, first, table, rows);
        }
    };
    (@sample_all, $base:ty, $row:ty) => {
        fn sample_all(_: crate::arch::Arch, blocks: &[crate::field::F128], out: &mut [Self]) {
            crate::mac::portable::sample_all(blocks, out);
        }
    };
    (@sum_generated, $base:ty, $row:ty) => {
        fn sum_generated(
            arch: crate::arch::Arch,
            keys: &[crate::field::F128],
            skip: u64,
            sums: &mut [$base],
            weighed: &mut [$base],
        ) {
            crate::mac::portable::sum_generated(arch, keys, skip, sums, weighed);
        }
    };
    (@weigh, $base:ty, $row:ty) => {
        fn weigh(_: crate::arch::Arch, chi: &[Self], rows: &[$row]) -> (Self, Self) {
            crate::mac::portable::weigh(chi, rows)
        }
    };
    (@inner_product, $base:ty, $row:ty) => {
        fn inner_product(_: crate::arch::Arch, a: &[$row], b: &[$row]) -> (Self, Self, $base) {
            crate::mac::portable::inner_product(a, b)
        }
    };
    (@linear, $base:ty, $row:ty) => {
        fn linear(_: crate::arch::Arch, factors: &[$base], rows: &[$row]) -> $row {
            crate::mac::portable::linear(factors, rows)
        }
    };
    (@products, $base:ty, $row:ty) => {
        fn products(_: crate::arch::Arch, triples: &[[$row; 3]], constant: &mut [Self], linear: &mut [Self]) {
            crate::mac::portable::products(triples, constant, linear);
        }
    };
    (@verifier_sums, $base:ty, $row:ty) => {
        fn verifier_sums(_: crate::arch::Arch, chi: &[Self], triples: &[[Self; 3]]) -> (Self, Self) {
            crate::mac::portable::verifier_sums(chi, triples)
        }
    };
    (@correct, $base:ty, $row:ty) => {
        fn correct(_: crate::arch::Arch, keys: &mut [Self], corrections: &[$base], delta: Self) {
            crate::mac::portable::correct(keys, corrections, delta);
        }
    };
}
pub(crate) use portable_macs;
