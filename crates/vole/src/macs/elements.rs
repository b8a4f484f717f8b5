//! MACs of elements, over any other field.

use super::{Macs, Values, load, store};
use crate::vole::subfield::{self, Coefficients};
use core::marker::PhantomData;
use core::ops::{Add, Sub};
use volery_primitives::arch::Arch;
use volery_primitives::prg::Seed;
use volery_primitives::{Field, MacField, Tag as _, Tagged};

/// Values of `B` beside their MACs in `E`.
pub struct FieldMacs<B, E>(PhantomData<(B, E)>);

/// Σ factor·wire for public factors. A factor of one or minus one takes no product, where products cost many
/// times a sum.
fn by_units<B: Field, W: Copy + Add<Output = W> + Sub<Output = W>>(
    factors: &[B],
    wires: &[W],
    zero: W,
    scale: impl Fn(W, B) -> W,
) -> W {
    assert_eq!(factors.len(), wires.len());
    let minus_one = -B::ONE;
    factors.iter().zip(wires).fold(zero, |sum, (&factor, &wire)| {
        if factor == B::ONE {
            sum + wire
        } else if factor == minus_one {
            sum - wire
        } else {
            sum + scale(wire, factor)
        }
    })
}

/// The MAC or key that an element is, unless it is set where tags leave it free.
fn bare<B: Field, E: MacField<B>>(element: E) -> Option<E> {
    (E::Tag::FREE == 0 || subfield::same(element, E::Tag::bare(element))).then_some(element)
}

impl<B: Field, E: MacField<B>> Values for FieldMacs<B, E> {
    type F = B;
    type E = E;
    type Tag = E::Tag;

    #[inline(always)]
    fn value(tag: E::Tag) -> B {
        tag.value()
    }
    #[inline(always)]
    fn mac(tag: E::Tag) -> E {
        tag.mac()
    }
    #[inline(always)]
    fn corrected(tag: E::Tag, value: B) -> E::Tag {
        E::Tag::new(value, tag.mac())
    }

    fn weigh(arch: Arch, chi: &[E], values: &[B]) -> E {
        E::combine(arch, values, chi)
    }
}

impl<B: Field, E: MacField<B>> Macs for FieldMacs<B, E> {
    type Mac = subfield::Mac<B, E>;
    type Key = subfield::Key<E>;
    type Delta = subfield::Delta<B, E>;

    const TAG: usize = B::BYTES + E::BYTES;

    fn store(tag: E::Tag, bytes: &mut Vec<u8>) {
        store(tag.value(), bytes);
        store(tag.mac(), bytes);
    }
    fn load(bytes: &[u8]) -> Option<E::Tag> {
        let (value, mac) = bytes.split_at_checked(B::BYTES)?;
        Some(E::Tag::new(load(value)?, bare::<B, E>(load(mac)?)?))
    }
    fn load_key(bytes: &[u8]) -> Option<E> {
        bare::<B, E>(load(bytes)?)
    }

    fn delta(delta: &subfield::Delta<B, E>) -> E {
        delta.value()
    }
    fn one(delta: &subfield::Delta<B, E>) -> E {
        delta.value()
    }
    #[inline(always)]
    fn constant(value: B) -> E::Tag {
        E::Tag::new(value, E::ZERO)
    }
    #[inline(always)]
    fn scale(tag: E::Tag, factor: B) -> E::Tag {
        tag.scale(factor)
    }
    fn linear(arch: Arch, factors: &[B], tags: &[E::Tag]) -> E::Tag {
        if E::SPARES_UNITS {
            return E::linear(arch, factors, tags);
        }
        by_units(factors, tags, E::Tag::default(), E::Tag::scale)
    }
    fn linear_keys(arch: Arch, factors: &[B], keys: &[E]) -> E {
        if E::SPARES_UNITS {
            return E::linear_keys(arch, factors, keys);
        }
        by_units(factors, keys, E::ZERO, E::scale)
    }
    fn correct(arch: Arch, keys: &mut [E], corrections: &[B], one: E) {
        E::correct(arch, keys, corrections, one);
    }

    fn combine(arch: Arch, chi: &[E], tags: &[E::Tag]) -> Tagged<E, E> {
        let (mac, value) = E::weigh(arch, chi, tags);
        Tagged { value, mac }
    }
    fn inner_product(arch: Arch, a: &[E::Tag], b: &[E::Tag]) -> (E, E, B) {
        E::inner_product(arch, a, b)
    }
    fn places() -> &'static [E] {
        E::places()
    }
    fn coefficients(arch: Arch, seed: Seed) -> impl FnMut(&mut [E]) {
        let mut coefficients = Coefficients::<B>::new(arch, seed);
        move |chi| coefficients.fill(arch, chi)
    }

    fn guess() -> f64 {
        subfield::guess::<B, E>()
    }
    fn likeliest() -> f64 {
        subfield::likeliest::<B, E>()
    }
    fn likeliest_value() -> f64 {
        // As for each coordinate of the extension.
        subfield::likeliest::<B, E>().powf(1.0 / f64::from(E::degree()))
    }
}
