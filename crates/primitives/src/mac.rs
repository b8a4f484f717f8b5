//! Values under MACs in bulk: what subfield VOLE and the checks on it compute, over any field.
//!
//! A new field is a new file under [`crate::field`] that implements [`MacField`] with nothing in it: each
//! method here is the portable kernel, and the specification of those that a field replaces by faster ones.
//! As a [`CheckField`] it also serves where claims are checked without MACs.

use crate::aes::Aes128;
use crate::arch::{Arch, WEIGHT};
use crate::check::CheckField;
use crate::field::{Extension, F128, Field};
use crate::hash::Circular;
use crate::lanes::Lanes;
use core::ops::{Add, Sub};
use zeroize::{DefaultIsZeroes, Zeroizing};

/// A value with its MAC, on which `key = mac + value·Δ`: the prover's share.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Tagged<B, E> {
    /// The value, of the base field.
    pub value: B,
    /// The MAC, of the extension.
    pub mac: E,
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

/// What to add to the children of one node in each of the trees that stand side by side.
#[derive(Clone, Copy)]
pub struct Holes<'a, B, E> {
    /// The place of the parent.
    pub row: &'a [u64],
    /// What to add to its left child.
    pub left: &'a [Tagged<B, E>],
    /// What to add to its right child.
    pub right: &'a [Tagged<B, E>],
}

/// Parents that are hashed at a time.
const HASHED: usize = 64;

/// An extension whose elements authenticate values of the field `B`, and its kernels.
///
/// Time depends on lengths and public arguments only.
pub trait MacField<B: Field>: Lanes<B> + CheckField {
    /// The leaves below the nodes `parents`, which are used up: with `H_j(x) = π_j(σ(x)) ⊕ σ(x)` under key j
    /// of [`Field::SAMPLE`] many, parent y gives the 64-bit words of `H_0(x), H_1(x), …`, least significant
    /// first; the first half of them makes the leaf at y, the second half that at `parents.len() + y`.
    ///
    /// # Panics
    /// Where the lengths do not fit.
    fn grow_leaves(keys: &[Circular], parents: &mut [F128], leaves: &mut [Self]) {
        assert_eq!((keys.len(), leaves.len()), (Self::SAMPLE, 2 * parents.len()));
        let (left, right) = leaves.split_at_mut(parents.len());
        let (mut hashed, mut words) = (Zeroizing::new([[F128(0); HASHED]; 4]), Zeroizing::new([0; 8]));
        let sides = left.chunks_mut(HASHED).zip(right.chunks_mut(HASHED));
        for (parents, (left, right)) in parents.chunks(HASHED).zip(sides) {
            for (key, hashed) in keys.iter().zip(hashed.iter_mut()) {
                hashed[..parents.len()].copy_from_slice(parents);
                key.apply(&mut hashed[..parents.len()]);
            }
            for (i, (left, right)) in left.iter_mut().zip(right).enumerate() {
                for (n, word) in words.iter_mut().enumerate() {
                    *word = (hashed[n / 2][i].0 >> (64 * (n % 2))) as u64;
                }
                *left = Self::sample(&words[..Self::SAMPLE]);
                *right = Self::sample(&words[Self::SAMPLE..2 * Self::SAMPLE]);
            }
        }
    }

    /// For trees that stand side by side, `sums.len()` of them, node y of tree g at `y·trees + g`: the sum
    /// of the nodes of each.
    ///
    /// # Panics
    /// Where the lengths do not divide.
    fn sum_rows(_: Arch, nodes: &[Self], sums: &mut [Self]) {
        assert!(!sums.is_empty() && nodes.len().is_multiple_of(sums.len()));
        sums.fill(Self::ZERO);
        for row in nodes.chunks_exact(sums.len()) {
            sums.iter_mut().zip(row).for_each(|(sum, node)| *sum += *node);
        }
    }

    /// `rows[i]` becomes `leaves[i]` with the value zero, but for what `holes` adds to the two children of
    /// one parent in each tree: those of parent y of tree g are at `y·trees + g`, and as far on in the second
    /// half. Time does not depend on which.
    ///
    /// # Panics
    /// Where the lengths do not fit.
    fn puncture(_: Arch, leaves: &[Self], holes: Holes<B, Self>, rows: &mut [Tagged<B, Self>]) {
        puncture(leaves, holes, rows);
    }

    /// Adds to `rows[j]` the entries of `table` at ten places: `(w·size) >> 32` for the 32-bit words number
    /// `10·(first + j)` and on of `AES(0), AES(1), …`.
    ///
    /// # Panics
    /// Where `first` is odd, or the table is empty or longer than 2^26.
    fn encode_keys(matrix: &Aes128, first: u64, table: &[Self], rows: &mut [Self]) {
        encode(matrix, first, table, rows);
    }

    /// The same on values with their MACs.
    ///
    /// # Panics
    /// As for [`MacField::encode_keys`].
    fn encode_tagged(matrix: &Aes128, first: u64, table: &[Tagged<B, Self>], rows: &mut [Tagged<B, Self>]) {
        encode(matrix, first, table, rows);
    }

    /// Elements that `words` of [`Field::SAMPLE`] each make.
    ///
    /// # Panics
    /// Where there are fewer words.
    fn sample_all(_: Arch, blocks: &[F128], out: &mut [Self]) {
        assert!(2 * blocks.len() >= Self::SAMPLE * out.len());
        for (i, out) in out.iter_mut().enumerate() {
            let mut words = [0; 4];
            for (word, n) in words[..Self::SAMPLE].iter_mut().zip(i * Self::SAMPLE..) {
                *word = (blocks[n / 2].0 >> (64 * (n % 2))) as u64;
            }
            *out = Self::sample(&words[..Self::SAMPLE]);
        }
    }

    /// `Σ χ·mac` and `Σ χ·value`.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn weigh(_: Arch, chi: &[Self], rows: &[Tagged<B, Self>]) -> (Self, Self) {
        assert_eq!(chi.len(), rows.len());
        let mut sums = (Self::ZERO, Self::ZERO);
        for (&chi, row) in chi.iter().zip(rows) {
            sums.0 += chi * row.mac;
            sums.1 += chi.scale(row.value);
        }
        sums
    }

    /// The prover's side of an inner product: the coefficients of
    /// `Σ (m_a + w_a·X)·(m_b + w_b·X)`, the lowest first.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn inner_product(_: Arch, a: &[Tagged<B, Self>], b: &[Tagged<B, Self>]) -> (Self, Self, B) {
        assert_eq!(a.len(), b.len());
        let mut sums = (Self::ZERO, Self::ZERO, B::ZERO);
        for (a, b) in a.iter().zip(b) {
            sums.0 += a.mac * b.mac;
            sums.1 += b.mac.scale(a.value) + a.mac.scale(b.value);
            sums.2 += a.value * b.value;
        }
        sums
    }

    /// `Σ factor·row` for public factors.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn linear(_: Arch, factors: &[B], rows: &[Tagged<B, Self>]) -> Tagged<B, Self> {
        assert_eq!(factors.len(), rows.len());
        factors.iter().zip(rows).fold(Tagged::ZERO, |sum, (&factor, row)| sum + row.scale(factor))
    }

    /// The prover's side of the QuickSilver check on `[a, b, c]`: `constant = m_a·m_b` and
    /// `linear = w_a·m_b + w_b·m_a
    /// - m_c`.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn products(_: Arch, triples: &[[Tagged<B, Self>; 3]], constant: &mut [Self], linear: &mut [Self]) {
        assert_eq!((triples.len(), triples.len()), (constant.len(), linear.len()));
        for (([a, b, c], constant), linear) in triples.iter().zip(constant).zip(linear) {
            *constant = a.mac * b.mac;
            *linear = b.mac.scale(a.value) + a.mac.scale(b.value) - c.mac;
        }
    }

    /// The verifier's side: `Σ χ·(a·b)` and `Σ χ·c`.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn verifier_sums(_: Arch, chi: &[Self], triples: &[[Self; 3]]) -> (Self, Self) {
        assert_eq!(chi.len(), triples.len());
        let mut sums = (Self::ZERO, Self::ZERO);
        for (&chi, &[a, b, c]) in chi.iter().zip(triples) {
            sums.0 += chi * (a * b);
            sums.1 += chi * c;
        }
        sums
    }

    /// Adds `correction·delta` to each key.
    ///
    /// # Panics
    /// Where the lengths differ.
    fn correct(_: Arch, keys: &mut [Self], corrections: &[B], delta: Self) {
        assert_eq!(keys.len(), corrections.len());
        keys.iter_mut().zip(corrections).for_each(|(key, c)| *key += delta.scale(*c));
    }
}

pub(crate) fn puncture<B: Field, E: Extension<B>>(
    leaves: &[E],
    holes: Holes<B, E>,
    rows: &mut [Tagged<B, E>],
) {
    let trees = holes.row.len();
    assert_eq!((leaves.len(), holes.left.len(), holes.right.len()), (rows.len(), trees, trees));
    assert!(trees > 0 && rows.len().is_multiple_of(2 * trees));
    let half = rows.len() / 2;
    for (side, holed) in [holes.left, holes.right].into_iter().enumerate() {
        let rows = rows[side * half..][..half].chunks_exact_mut(trees);
        for (y, (rows, leaves)) in rows.zip(leaves[side * half..].chunks_exact(trees)).enumerate() {
            for g in 0..trees {
                let difference = holes.row[g] ^ y as u64;
                let here = ((difference | difference.wrapping_neg()) >> 63).wrapping_sub(1);
                rows[g] =
                    Tagged { value: holed[g].value.masked(here), mac: leaves[g] + holed[g].mac.masked(here) };
            }
        }
    }
}

/// Rows whose entries are drawn at a time.
const ENCODED: usize = 64;

pub(crate) fn encode<T: Copy + Add<Output = T>>(matrix: &Aes128, first: u64, table: &[T], rows: &mut [T]) {
    assert!(first.is_multiple_of(2) && !table.is_empty() && table.len() <= 1 << 26);
    let size = table.len() as u64;
    let mut blocks = [F128(0); ENCODED * WEIGHT / 4];
    let mut places = [0; ENCODED * WEIGHT];
    let mut block = first as u128 * WEIGHT as u128 / 4;
    for rows in rows.chunks_mut(ENCODED) {
        matrix.counter(block, &mut blocks);
        block += blocks.len() as u128;
        for (places, block) in places.as_chunks_mut::<4>().0.iter_mut().zip(&blocks) {
            for (i, place) in places.iter_mut().enumerate() {
                *place = ((u64::from((block.0 >> (32 * i)) as u32) * size) >> 32) as u32;
            }
        }
        for (row, places) in rows.iter_mut().zip(places.as_chunks::<WEIGHT>().0) {
            *row = places.iter().fold(*row, |sum, &place| sum + table[place as usize]);
        }
    }
}

#[cfg(test)]
mod tests;
