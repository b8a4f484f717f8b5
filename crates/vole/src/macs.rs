//! How values are held: over F_2 in one word with their MAC, over any other field beside it. What a tag
//! of F_2 is that has 64 bits is told by its field: see `Tag`.
//!
//! Wires of the backends are these words and elements as they are. A circuit cannot print or compare them: it
//! is generic over its backend, and knows of a wire only that it can be copied and wiped.

mod bits;
mod elements;

pub use bits::BitMacs;
pub use elements::FieldMacs;

use crate::vole::Share;
use core::ops::Add;
use volery_primitives::arch::Arch;
use volery_primitives::lanes::Lanes;
use volery_primitives::prg::Seed;
use volery_primitives::{Extension, Field, Tagged};
use zeroize::{DefaultIsZeroes, Zeroizing};

/// Values of a field with their MACs, and what opening them takes. Keys are elements of the extension.
pub trait Values: Sized + 'static {
    /// The values.
    type F: Field;
    /// The MACs.
    type E: Extension<Self::F>;
    /// A value with its MAC.
    type Tag: DefaultIsZeroes + Add<Output = Self::Tag> + Send + Sync;

    /// The value of a tag.
    fn value(tag: Self::Tag) -> Self::F;
    /// The MAC m of a tag.
    fn mac(tag: Self::Tag) -> Self::E;
    /// The share with another value. The verifier receives the difference to the first one.
    fn corrected(tag: Self::Tag, value: Self::F) -> Self::Tag;

    /// The random linear combination Σ χ·value.
    fn weigh(_: Arch, chi: &[Self::E], values: &[Self::F]) -> Self::E {
        assert_eq!(chi.len(), values.len());
        chi.iter().zip(values).map(|(chi, value)| chi.scale(*value)).sum()
    }
    /// Σ χ·a, Σ χ·b, Σ χ·c over the MACs of triples.
    fn tag_sums(_: Arch, chi: &[Self::E], triples: &[[Self::Tag; 3]]) -> [Self::E; 3] {
        sums(chi, triples, Self::mac)
    }
    /// Σ χ·a, Σ χ·b, Σ χ·c over the keys of triples.
    fn key_sums(_: Arch, chi: &[Self::E], triples: &[[Self::E; 3]]) -> [Self::E; 3] {
        sums(chi, triples, |key| key)
    }
    /// Σ χ·x, Σ χ·y, Σ χ·(z + r·x + l·y) over the MACs of triples, where l and r were opened.
    fn opened_tag_sums(
        _: Arch,
        chi: &[Self::E],
        triples: &[[Self::Tag; 3]],
        opened: [&[Self::F]; 2],
    ) -> [Self::E; 3] {
        opened_sums_by(chi, triples, opened, Self::mac)
    }
    /// Σ χ·x, Σ χ·y, Σ χ·(z + r·x + l·y) over the keys of triples, where l and r were opened.
    fn opened_key_sums(
        _: Arch,
        chi: &[Self::E],
        triples: &[[Self::E; 3]],
        opened: [&[Self::F]; 2],
    ) -> [Self::E; 3] {
        opened_sums_by(chi, triples, opened, |key| key)
    }
}

/// Values as the VOLE gives them to both parties, **k = m + x·Δ**.
pub trait Macs: Values<E: Lanes<Self::F>> {
    /// The prover's share.
    type Mac: Share<Row = Self::Tag> + 'static;
    /// The verifier's share.
    type Key: Share<Row = Self::E> + 'static;
    /// The global key.
    type Delta;

    /// The bytes of a value with its MAC, and of a key, as they are stored.
    const TAG: usize;
    /// The bytes of a key, as it is stored.
    const KEY: usize = <Self::E as Field>::BYTES;

    /// Stores a value with its MAC behind `bytes`.
    fn store(tag: Self::Tag, bytes: &mut Vec<u8>);
    /// The tag that [`Macs::TAG`] bytes store, or `None` where they store none.
    fn load(bytes: &[u8]) -> Option<Self::Tag>;
    /// Stores a key behind `bytes`.
    fn store_key(key: Self::E, bytes: &mut Vec<u8>) {
        store(key, bytes);
    }
    /// The key that [`Macs::KEY`] bytes store, or `None` where they store none.
    fn load_key(bytes: &[u8]) -> Option<Self::E> {
        load(bytes)
    }

    /// Δ as an element.
    fn delta(delta: &Self::Delta) -> Self::E;
    /// The key of the public value one.
    fn one(delta: &Self::Delta) -> Self::E;
    /// The share of a public value.
    fn constant(value: Self::F) -> Self::Tag;
    /// The product with a public factor.
    fn scale(tag: Self::Tag, factor: Self::F) -> Self::Tag;
    /// Σ factor·share for public factors.
    fn linear(arch: Arch, factors: &[Self::F], tags: &[Self::Tag]) -> Self::Tag;
    /// Σ factor·key for public factors.
    fn linear_keys(arch: Arch, factors: &[Self::F], keys: &[Self::E]) -> Self::E {
        Self::E::combine(arch, factors, keys)
    }
    /// Corrects keys: adds to each its value's correction, times the key of one.
    fn correct(arch: Arch, keys: &mut [Self::E], corrections: &[Self::F], one: Self::E);

    /// The linear combinations Σ χ·value and Σ χ·m: a value of the extension with its MAC.
    fn combine(_: Arch, chi: &[Self::E], tags: &[Self::Tag]) -> Tagged<Self::E, Self::E> {
        let mut sum = Tagged::ZERO;
        for (&chi, &tag) in chi.iter().zip(tags) {
            sum.value += chi.scale(Self::value(tag));
            sum.mac += chi * Self::mac(tag);
        }
        sum
    }

    /// The coefficients of Σ (m_a + a·X)·(m_b + b·X), the lowest first.
    fn inner_product(arch: Arch, a: &[Self::Tag], b: &[Self::Tag]) -> (Self::E, Self::E, Self::F);
    /// The elements 1, x, x², … by which bits over F_2 are packed into one element.
    fn places() -> &'static [Self::E] {
        &[]
    }
    /// The stream of coefficients that follows from `seed`. Both parties must ask for the same numbers of
    /// them.
    fn coefficients(arch: Arch, seed: Seed) -> impl FnMut(&mut [Self::E]);

    /// The probability that one guess at Δ is right.
    fn guess() -> f64;
    /// The probability of the likeliest coefficient.
    fn likeliest() -> f64;
    /// The probability of the likeliest value.
    fn likeliest_value() -> f64;
}

/// Σ χ·a, Σ χ·b, Σ χ·c.
fn sums<R: Copy, E: Field>(chi: &[E], triples: &[[R; 3]], mac: impl Fn(R) -> E) -> [E; 3] {
    assert_eq!(chi.len(), triples.len());
    let mut sums = [E::ZERO; 3];
    for (&chi, triple) in chi.iter().zip(triples) {
        sums.iter_mut().zip(triple).for_each(|(sum, row)| *sum += chi * mac(*row));
    }
    sums
}

/// Σ χ·x, Σ χ·y, Σ χ·(z + r·x + l·y).
fn opened_sums_by<R: Copy, V: Field, E: Extension<V>>(
    chi: &[E],
    triples: &[[R; 3]],
    [left, right]: [&[V]; 2],
    mac: impl Fn(R) -> E,
) -> [E; 3] {
    assert_eq!((chi.len(), left.len(), right.len()), (triples.len(), triples.len(), triples.len()));
    let mut sums = [E::ZERO; 3];
    for ((&chi, triple), (&left, &right)) in chi.iter().zip(triples).zip(left.iter().zip(right)) {
        let [x, y, z] = triple.map(&mac);
        sums[0] += chi * x;
        sums[1] += chi * y;
        sums[2] += chi * (z + x.scale(right) + y.scale(left));
    }
    sums
}

/// Stores an element behind `bytes`, least significant byte first.
pub fn store<F: Field>(element: F, bytes: &mut Vec<u8>) {
    let encoded = Zeroizing::new(element.to_integer().to_bytes());
    bytes.extend_from_slice(&encoded[..F::BYTES]);
}

/// The element that these bytes store, or `None` where they store none.
pub fn load<F: Field>(bytes: &[u8]) -> Option<F> {
    if bytes.len() == F::BYTES { F::decode(bytes) } else { None }
}

/// The values of wires.
pub fn values<M: Macs>(wires: &[M::Tag]) -> Zeroizing<Vec<M::F>> {
    Zeroizing::new(wires.iter().map(|wire| M::value(*wire)).collect())
}
