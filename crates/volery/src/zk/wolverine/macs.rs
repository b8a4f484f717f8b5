//! How values are held: over F_2 in one word with their MAC, over any other field beside it.

use crate::channel::Channel;
use crate::error::{Error, Misbehaviour, Result};
use crate::vole::{self, Share, subfield};
use core::marker::PhantomData;
use core::ops::Add;
use volery_primitives::arch::{Arch, opened_sums, triple_sums};
use volery_primitives::bits::{pack, unpack};
use volery_primitives::lanes::Lanes;
use volery_primitives::{Extension, F2, F128, Field, MacField, Tagged};
use zeroize::DefaultIsZeroes;

/// Values of a field with their MACs, and what opening them takes. Keys are elements of the extension.
pub trait Values: Sized + 'static {
    /// The values.
    type F: Field;
    /// The MACs.
    type E: Extension<Self::F>;
    /// A value with its MAC.
    type Tag: DefaultIsZeroes + Add<Output = Self::Tag> + Send;

    /// The value.
    fn value(tag: Self::Tag) -> Self::F;
    /// m.
    fn mac(tag: Self::Tag) -> Self::E;
    /// The share with another value, whose difference to the first one the verifier is told.
    fn corrected(tag: Self::Tag, value: Self::F) -> Self::Tag;

    /// The bytes of so many values.
    fn bytes(values: u64) -> u64;
    /// Sends values as one message.
    ///
    /// # Errors
    /// Link errors.
    fn send(channel: &mut Channel, values: &[Self::F]) -> Result<()>;
    /// Receives values that were sent as one message.
    ///
    /// # Errors
    /// `Misbehaved` where the encoding is not canonical; link errors.
    fn recv(channel: &mut Channel, values: &mut [Self::F]) -> Result<()>;

    /// Σ χ·value.
    fn weigh(_: Arch, chi: &[Self::E], values: &[Self::F]) -> Self::E {
        assert_eq!(chi.len(), values.len());
        chi.iter().zip(values).map(|(chi, value)| chi.scale(*value)).sum()
    }
    /// Σ χ·a, Σ χ·b, Σ χ·c over the MACs of triples.
    fn tag_sums(_: Arch, chi: &[Self::E], triples: &[[Self::Tag; 3]]) -> [Self::E; 3] {
        sums(chi, triples, Self::mac)
    }
    /// The same over keys.
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
    /// The same over keys.
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

    /// Δ.
    fn delta(delta: &Self::Delta) -> Self::E;
    /// The key of the public value one.
    fn one(delta: &Self::Delta) -> Self::E;
    /// The share of a public value.
    fn constant(value: Self::F) -> Self::Tag;
    /// The product with a public factor.
    fn scale(tag: Self::Tag, factor: Self::F) -> Self::Tag;
    /// Σ factor·share for public factors.
    fn linear(arch: Arch, factors: &[Self::F], tags: &[Self::Tag]) -> Self::Tag;
    /// Adds to each key what its value was corrected by, times the key of one.
    fn correct(arch: Arch, keys: &mut [Self::E], corrections: &[Self::F], one: Self::E);

    /// Σ χ·value and Σ χ·m: a value of the extension.
    fn combine(_: Arch, chi: &[Self::E], tags: &[Self::Tag]) -> Tagged<Self::E, Self::E> {
        let mut sum = Tagged::ZERO;
        for (&chi, &tag) in chi.iter().zip(tags) {
            sum.value += chi.scale(Self::value(tag));
            sum.mac += chi * Self::mac(tag);
        }
        sum
    }

    /// The probability that one guess at Δ is right.
    fn guess() -> f64;
    /// That of the likeliest coefficient.
    fn likeliest() -> f64;
    /// That of the likeliest value.
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

/// Bits, each in bit 0 of its MAC.
pub enum BitMacs {}

impl Values for BitMacs {
    type F = F2;
    type E = F128;
    type Tag = F128;

    #[inline(always)]
    fn value(tag: F128) -> F2 {
        tag.bit0()
    }
    #[inline(always)]
    fn mac(tag: F128) -> F128 {
        tag
    }
    #[inline(always)]
    fn corrected(tag: F128, value: F2) -> F128 {
        F128(tag.0 & !1 | value.to_word())
    }

    fn bytes(values: u64) -> u64 {
        values.div_ceil(8)
    }
    fn send(channel: &mut Channel, values: &[F2]) -> Result<()> {
        let mut bytes = Vec::with_capacity(values.len() / 8 + 1);
        pack(values, &mut bytes);
        channel.send(&bytes)
    }
    fn recv(channel: &mut Channel, values: &mut [F2]) -> Result<()> {
        let mut bytes = vec![0; values.len().div_ceil(8)];
        channel.recv(&mut bytes)?;
        if unpack(&bytes, values) { Ok(()) } else { Err(Error::Misbehaved(Misbehaviour::FurtherBits)) }
    }

    fn weigh(arch: Arch, chi: &[F128], values: &[F2]) -> F128 {
        <F128 as Lanes<F2>>::combine(arch, values, chi)
    }
    fn tag_sums(arch: Arch, chi: &[F128], triples: &[[F128; 3]]) -> [F128; 3] {
        triple_sums(arch, chi, triples)
    }
    fn key_sums(arch: Arch, chi: &[F128], triples: &[[F128; 3]]) -> [F128; 3] {
        triple_sums(arch, chi, triples)
    }
    fn opened_tag_sums(
        arch: Arch,
        chi: &[F128],
        triples: &[[F128; 3]],
        [left, right]: [&[F2]; 2],
    ) -> [F128; 3] {
        opened_sums(arch, chi, triples, left, right)
    }
    fn opened_key_sums(
        arch: Arch,
        chi: &[F128],
        triples: &[[F128; 3]],
        [left, right]: [&[F2]; 2],
    ) -> [F128; 3] {
        opened_sums(arch, chi, triples, left, right)
    }
}

impl Macs for BitMacs {
    type Mac = vole::Mac;
    type Key = vole::Key;
    type Delta = vole::Delta;

    fn delta(delta: &vole::Delta) -> F128 {
        delta.value()
    }
    fn one(delta: &vole::Delta) -> F128 {
        F128(delta.value().0 ^ 1)
    }
    #[inline(always)]
    fn constant(value: F2) -> F128 {
        F128(value.to_word())
    }
    #[inline(always)]
    fn scale(tag: F128, factor: F2) -> F128 {
        tag.scale(factor)
    }
    fn linear(arch: Arch, factors: &[F2], tags: &[F128]) -> F128 {
        <F128 as Lanes<F2>>::combine(arch, factors, tags)
    }
    fn correct(_: Arch, keys: &mut [F128], corrections: &[F2], one: F128) {
        assert_eq!(keys.len(), corrections.len());
        keys.iter_mut().zip(corrections).for_each(|(key, correction)| *key += one.scale(*correction));
    }

    fn guess() -> f64 {
        // Bit 0 of Δ is one.
        (-127f64).exp2()
    }
    fn likeliest() -> f64 {
        (-128f64).exp2()
    }
    fn likeliest_value() -> f64 {
        0.5
    }
}

/// Values of `B` beside their MACs in `E`.
pub struct FieldMacs<B, E>(PhantomData<(B, E)>);

impl<B: Field, E: MacField<B>> Values for FieldMacs<B, E> {
    type F = B;
    type E = E;
    type Tag = Tagged<B, E>;

    #[inline(always)]
    fn value(tag: Tagged<B, E>) -> B {
        tag.value
    }
    #[inline(always)]
    fn mac(tag: Tagged<B, E>) -> E {
        tag.mac
    }
    #[inline(always)]
    fn corrected(tag: Tagged<B, E>, value: B) -> Tagged<B, E> {
        Tagged { value, mac: tag.mac }
    }

    fn bytes(values: u64) -> u64 {
        B::BYTES as u64 * values
    }
    fn send(channel: &mut Channel, values: &[B]) -> Result<()> {
        channel.send_elements(values)
    }
    fn recv(channel: &mut Channel, values: &mut [B]) -> Result<()> {
        channel.recv_elements(values)
    }

    fn weigh(arch: Arch, chi: &[E], values: &[B]) -> E {
        E::combine(arch, values, chi)
    }
}

impl<B: Field, E: MacField<B>> Macs for FieldMacs<B, E> {
    type Mac = Tagged<B, E>;
    type Key = subfield::Key<E>;
    type Delta = subfield::Delta<B, E>;

    fn delta(delta: &subfield::Delta<B, E>) -> E {
        delta.value()
    }
    fn one(delta: &subfield::Delta<B, E>) -> E {
        delta.value()
    }
    #[inline(always)]
    fn constant(value: B) -> Tagged<B, E> {
        Tagged { value, mac: E::ZERO }
    }
    #[inline(always)]
    fn scale(tag: Tagged<B, E>, factor: B) -> Tagged<B, E> {
        tag.scale(factor)
    }
    fn linear(arch: Arch, factors: &[B], tags: &[Tagged<B, E>]) -> Tagged<B, E> {
        E::linear(arch, factors, tags)
    }
    fn correct(arch: Arch, keys: &mut [E], corrections: &[B], one: E) {
        E::correct(arch, keys, corrections, one);
    }

    fn combine(arch: Arch, chi: &[E], tags: &[Tagged<B, E>]) -> Tagged<E, E> {
        let (mac, value) = E::weigh(arch, chi, tags);
        Tagged { value, mac }
    }

    fn guess() -> f64 {
        subfield::guess::<B, E>()
    }
    fn likeliest() -> f64 {
        subfield::likeliest::<B, E>()
    }
    fn likeliest_value() -> f64 {
        // As for each coordinate of the extension.
        subfield::likeliest::<B, E>().powf(1.0 / f64::from(E::DEGREE))
    }
}

/// Values of the extension itself, packed from shares of its coordinates.
pub(super) struct Packed<E>(PhantomData<E>);

impl<E: Field> Values for Packed<E> {
    type F = E;
    type E = E;
    type Tag = Tagged<E, E>;

    fn value(tag: Tagged<E, E>) -> E {
        tag.value
    }
    fn mac(tag: Tagged<E, E>) -> E {
        tag.mac
    }
    fn corrected(tag: Tagged<E, E>, value: E) -> Tagged<E, E> {
        Tagged { value, mac: tag.mac }
    }

    fn bytes(values: u64) -> u64 {
        E::BYTES as u64 * values
    }
    fn send(channel: &mut Channel, values: &[E]) -> Result<()> {
        channel.send_elements(values)
    }
    fn recv(channel: &mut Channel, values: &mut [E]) -> Result<()> {
        channel.recv_elements(values)
    }
}
