//! MACs of bits, over F_2.

use super::{Macs, Values, load, store};
use crate::vole;
use volery_primitives::arch::{Arch, inner_product, opened_sums, triple_sums, weigh};
use volery_primitives::lanes::Lanes;
use volery_primitives::prg::{Prg, Seed};
use volery_primitives::secret::verdict;
use volery_primitives::{Extension, F2, F128, Field, Tagged};

/// Bits, each in bit 0 of its MAC.
pub enum BitMacs {}

/// The powers x^0 to x^127.
static PLACES: [F128; 128] = {
    let mut places = [F128(1); 128];
    let mut i = 0;
    while i < 128 {
        places[i] = F128(1 << i);
        i += 1;
    }
    places
};

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

    const TAG: usize = 16;

    fn store(tag: F128, bytes: &mut Vec<u8>) {
        store(tag, bytes);
    }
    fn load(bytes: &[u8]) -> Option<F128> {
        load(bytes)
    }
    /// Loads a key, whose bit 0 must be zero.
    fn load_key(bytes: &[u8]) -> Option<F128> {
        load(bytes).filter(|key: &F128| verdict(key.bit0() == F2::ZERO))
    }

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

    fn combine(arch: Arch, chi: &[F128], tags: &[F128]) -> Tagged<F128, F128> {
        let (mac, value) = weigh(arch, chi, tags);
        Tagged { value, mac }
    }
    fn inner_product(arch: Arch, a: &[F128], b: &[F128]) -> (F128, F128, F2) {
        let (constant, linear) = inner_product(arch, a, b);
        (constant, linear, a.iter().zip(b).map(|(a, b)| a.bit0() * b.bit0()).sum())
    }
    fn places() -> &'static [F128] {
        &PLACES
    }
    fn coefficients(arch: Arch, seed: Seed) -> impl FnMut(&mut [F128]) {
        let mut prg = Prg::new(arch, seed);
        move |chi| prg.fill(chi)
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
