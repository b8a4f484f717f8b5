//! Products over F_{2^128}, and sums of them that are reduced once.

use super::Simd;
use crate::arch::Triple;
use crate::field::{F2, F128};
use crate::lanes::Pair;

/// A sum of 256-bit products, before reduction.
#[derive(Clone, Copy)]
pub(super) struct Unreduced<V> {
    low: V,
    /// Sums of the cross products of halves; with [`Simd::THREE`] products of sums of halves, which have
    /// `low` and `high` in them.
    middle: V,
    high: V,
}

impl<V: Simd> Unreduced<V> {
    #[inline(always)]
    pub(super) unsafe fn zero() -> Self {
        // SAFETY: the caller upholds the condition of `Simd`.
        let zero = unsafe { V::splat(F128(0)) };
        Self { low: zero, middle: zero, high: zero }
    }

    /// Adds a·b.
    #[inline(always)]
    pub(super) unsafe fn add_product(&mut self, a: V, b: V) {
        // SAFETY: the caller upholds the condition of `Simd`.
        unsafe {
            self.low = self.low.xor(a.clmul::<0x00>(b));
            self.high = self.high.xor(a.clmul::<0x11>(b));
            let middle = if V::THREE {
                a.xor(a.swap_halves()).clmul::<0x00>(b.xor(b.swap_halves()))
            } else {
                a.clmul::<0x01>(b).xor(a.clmul::<0x10>(b))
            };
            self.middle = self.middle.xor(middle);
        }
    }

    /// The products of unlike halves.
    #[inline(always)]
    unsafe fn middle(&self) -> V {
        // SAFETY: the caller upholds the condition of `Simd`.
        unsafe { if V::THREE { self.middle.xor(self.low).xor(self.high) } else { self.middle } }
    }

    /// One lane, plus the sum over all lanes of `wide`.
    #[inline(always)]
    pub(super) unsafe fn add_lanes<W: Simd>(self, wide: Unreduced<W>) -> Self {
        const { assert!(!V::THREE) };
        // SAFETY: the caller upholds the condition of `Simd`.
        unsafe {
            Self {
                low: self.low.xor(V::splat(wide.low.fold())),
                middle: self.middle.xor(V::splat(wide.middle().fold())),
                high: self.high.xor(V::splat(wide.high.fold())),
            }
        }
    }

    /// The sum in each lane, reduced modulo X^128 plus what the low half of `tail` says.
    #[inline(always)]
    pub(super) unsafe fn reduce(self, tail: V) -> V {
        // SAFETY: the caller upholds the condition of `Simd`.
        unsafe {
            let middle = self.middle();
            let low = self.low.xor(middle.up64());
            let high = self.high.xor(middle.down64());
            // Fold the 64-bit limbs 3 and then 2.
            let third = high.clmul::<0x01>(tail);
            let low = low.xor(third.up64());
            let high = high.xor(third.down64());
            low.xor(high.clmul::<0x00>(tail))
        }
    }

    /// The sum over all lanes, reduced.
    #[inline(always)]
    pub(super) unsafe fn fold(self) -> F128 {
        // SAFETY: the caller upholds the condition of `Simd`.
        let (low, middle, high) = unsafe { (self.low.fold().0, self.middle().fold().0, self.high.fold().0) };
        F128::reduce(low ^ (middle << 64), high ^ (middle >> 64))
    }
}

/// a·b in each lane, reduced.
#[inline(always)]
unsafe fn product<V: Simd>(a: V, b: V) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        let mut sum = Unreduced::zero();
        sum.add_product(a, b);
        sum.reduce(V::splat(F128(crate::field::REDUCTION)))
    }
}

#[inline(always)]
pub(in super::super) unsafe fn dot<V: Simd>(a: &[F128], b: &[F128]) -> F128 {
    let (length, a, b) = (a.len(), a.as_ptr(), b.as_ptr());
    // SAFETY: the caller upholds the condition of `Simd` and that the lengths are equal; indices
    // stay below `length`.
    unsafe {
        let mut wide = Unreduced::<V>::zero();
        let mut single = Unreduced::<V::One>::zero();
        let whole = length - length % V::LANES;
        for i in (0..whole).step_by(V::LANES) {
            wide.add_product(V::load(a.add(i)), V::load(b.add(i)));
        }
        for i in whole..length {
            single.add_product(V::One::load(a.add(i)), V::One::load(b.add(i)));
        }
        wide.fold() ^ single.fold()
    }
}

#[inline(always)]
pub(in super::super) unsafe fn multiply<V: Simd>(a: &[F128], b: &[F128], out: &mut [F128]) {
    let (length, a, b, out) = (out.len(), a.as_ptr(), b.as_ptr(), out.as_mut_ptr());
    // SAFETY: as in `dot`.
    unsafe {
        let whole = length - length % V::LANES;
        for i in (0..whole).step_by(V::LANES) {
            product(V::load(a.add(i)), V::load(b.add(i))).store(out.add(i));
        }
        for i in whole..length {
            product(V::One::load(a.add(i)), V::One::load(b.add(i))).store(out.add(i));
        }
    }
}

#[inline(always)]
pub(in super::super) unsafe fn add_products<V: Simd>(a: &[F128], b: &[F128], sums: &mut [F128]) {
    let (length, a, b, sums) = (sums.len(), a.as_ptr(), b.as_ptr(), sums.as_mut_ptr());
    // SAFETY: as in `dot`.
    unsafe {
        let whole = length - length % V::LANES;
        for i in (0..whole).step_by(V::LANES) {
            let product = product(V::load(a.add(i)), V::load(b.add(i)));
            V::load(sums.add(i)).xor(product).store(sums.add(i));
        }
        for i in whole..length {
            let product = product(V::One::load(a.add(i)), V::One::load(b.add(i)));
            V::One::load(sums.add(i)).xor(product).store(sums.add(i));
        }
    }
}

#[inline(always)]
pub(in super::super) unsafe fn add_scaled<V: Simd>(a: &[F128], factors: &[F2], sums: &mut [F128]) {
    let (length, a, sums) = (sums.len(), a.as_ptr(), sums.as_mut_ptr());
    let factors: *const u8 = factors.as_ptr().cast();
    // SAFETY: as in `dot`; an `F2` is a byte that is zero or one.
    unsafe {
        let whole = length - length % V::LANES;
        for i in (0..whole).step_by(V::LANES) {
            let scaled = V::masks(factors.add(i)).and(V::load(a.add(i)));
            V::load(sums.add(i)).xor(scaled).store(sums.add(i));
        }
        for i in whole..length {
            let scaled = V::One::masks(factors.add(i)).and(V::One::load(a.add(i)));
            V::One::load(sums.add(i)).xor(scaled).store(sums.add(i));
        }
    }
}

/// Sums of products in lanes from i on, each reduced once, added to what was there if `ADD` says so.
#[inline(always)]
unsafe fn sums_at<V: Simd, const ADD: bool>(
    i: usize,
    products: &[Pair<'_, F128, F128>],
    scaled: &[Pair<'_, F128, F2>],
    sums: *mut F128,
) {
    // SAFETY: the caller upholds the condition of `Simd` and that i + LANES is in range of all, but for lists of one
    // factor; an `F2` is a byte that is zero or one.
    unsafe {
        let mut sum = V::splat(F128(0));
        if !products.is_empty() {
            let mut unreduced = Unreduced::zero();
            for (a, b) in products {
                unreduced.add_product(V::load(a.as_ptr().add(i)), V::load(b.as_ptr().add(i)));
            }
            sum = unreduced.reduce(V::splat(F128(crate::field::REDUCTION)));
        }
        for (a, factors) in scaled {
            let masks = match factors {
                [factor] => V::splat(F128(factor.mask())),
                factors => V::masks(factors.as_ptr().cast::<u8>().add(i)),
            };
            sum = sum.xor(masks.and(V::load(a.as_ptr().add(i))));
        }
        if ADD {
            sum = sum.xor(V::load(sums.add(i)));
        }
        sum.store(sums.add(i));
    }
}

#[inline(always)]
unsafe fn sums<V: Simd, const ADD: bool>(
    products: &[Pair<'_, F128, F128>],
    scaled: &[Pair<'_, F128, F2>],
    sums: &mut [F128],
) {
    let (length, sums) = (sums.len(), sums.as_mut_ptr());
    // SAFETY: as in `dot`.
    unsafe {
        let whole = length - length % V::LANES;
        for i in (0..whole).step_by(V::LANES) {
            sums_at::<V, ADD>(i, products, scaled, sums);
        }
        for i in whole..length {
            sums_at::<V::One, ADD>(i, products, scaled, sums);
        }
    }
}

#[inline(always)]
pub(in super::super) unsafe fn add_sums<V: Simd>(
    products: &[Pair<'_, F128, F128>],
    scaled: &[Pair<'_, F128, F2>],
    out: &mut [F128],
) {
    // SAFETY: the caller's.
    unsafe { sums::<V, true>(products, scaled, out) }
}

#[inline(always)]
pub(in super::super) unsafe fn set_sums<V: Simd>(
    products: &[Pair<'_, F128, F128>],
    scaled: &[Pair<'_, F128, F2>],
    out: &mut [F128],
) {
    // SAFETY: the caller's.
    unsafe { sums::<V, false>(products, scaled, out) }
}

#[inline(always)]
pub(in super::super) unsafe fn combine<V: Simd>(factors: &[F2], a: &[F128]) -> F128 {
    let (length, a) = (a.len(), a.as_ptr());
    let factors: *const u8 = factors.as_ptr().cast();
    // SAFETY: as in `add_scaled`.
    unsafe {
        let (mut wide, mut single) = (V::splat(F128(0)), V::One::splat(F128(0)));
        let whole = length - length % V::LANES;
        for i in (0..whole).step_by(V::LANES) {
            wide = wide.xor(V::masks(factors.add(i)).and(V::load(a.add(i))));
        }
        for i in whole..length {
            single = single.xor(V::One::masks(factors.add(i)).and(V::One::load(a.add(i))));
        }
        wide.fold() ^ single.fold()
    }
}

#[inline(always)]
unsafe fn inner_product_at<V: Simd>(i: usize, a: &[F128], b: &[F128], sum: &mut Unreduced<V>, cross: &mut V) {
    // SAFETY: the caller upholds the condition of `Simd`, that both lengths are equal and that
    // i + LANES is in range.
    unsafe {
        let (a, b) = (V::load(a.as_ptr().add(i)), V::load(b.as_ptr().add(i)));
        sum.add_product(a, b);
        *cross = cross.xor(a.bit0_mask().and(b)).xor(b.bit0_mask().and(a));
    }
}

#[inline(always)]
pub(in super::super) unsafe fn inner_product<V: Simd>(a: &[F128], b: &[F128]) -> (F128, F128) {
    // SAFETY: as in `dot`; the caller checked that both lengths are equal.
    unsafe {
        let (mut wide, mut single) = (Unreduced::<V>::zero(), Unreduced::<V::One>::zero());
        let (mut wide_cross, mut single_cross) = (V::splat(F128(0)), V::One::splat(F128(0)));
        let whole = a.len() - a.len() % V::LANES;
        for i in (0..whole).step_by(V::LANES) {
            inner_product_at(i, a, b, &mut wide, &mut wide_cross);
        }
        for i in whole..a.len() {
            inner_product_at(i, a, b, &mut single, &mut single_cross);
        }
        (wide.fold() ^ single.fold(), wide_cross.fold() ^ single_cross.fold())
    }
}

#[inline(always)]
unsafe fn weigh_at<V: Simd>(i: usize, chi: &[F128], words: &[F128], sum: &mut Unreduced<V>, bits: &mut V) {
    // SAFETY: the caller upholds the condition of `Simd`, that both lengths are equal and that
    // i + LANES is in range.
    unsafe {
        let (chi, word) = (V::load(chi.as_ptr().add(i)), V::load(words.as_ptr().add(i)));
        sum.add_product(chi, word);
        *bits = bits.xor(word.bit0_mask().and(chi));
    }
}

#[inline(always)]
pub(in super::super) unsafe fn weigh<V: Simd>(chi: &[F128], words: &[F128]) -> (F128, F128) {
    // SAFETY: as in `dot`; the caller checked that both lengths are equal.
    unsafe {
        let (mut wide, mut single) = (Unreduced::<V>::zero(), Unreduced::<V::One>::zero());
        let (mut wide_bits, mut single_bits) = (V::splat(F128(0)), V::One::splat(F128(0)));
        let whole = chi.len() - chi.len() % V::LANES;
        for i in (0..whole).step_by(V::LANES) {
            weigh_at(i, chi, words, &mut wide, &mut wide_bits);
        }
        for i in whole..chi.len() {
            weigh_at(i, chi, words, &mut single, &mut single_bits);
        }
        (wide.fold() ^ single.fold(), wide_bits.fold() ^ single_bits.fold())
    }
}

/// The columns a, b and c of the triples from number i on.
#[inline(always)]
unsafe fn load_triples<V: Simd>(triples: &[Triple], i: usize) -> [V; 3] {
    debug_assert!(i + V::LANES <= triples.len());
    // SAFETY: the caller upholds the condition of `Simd` and that i + LANES is in range.
    unsafe {
        let at = triples.as_ptr().add(i).cast::<F128>();
        [V::gather(at, 3), V::gather(at.add(1), 3), V::gather(at.add(2), 3)]
    }
}

#[inline(always)]
unsafe fn prover_terms<V: Simd>(chi: V, [a, b, c]: [V; 3], sums: &mut [Unreduced<V>; 2]) {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        let cross = a.bit0_mask().and(b).xor(b.bit0_mask().and(a)).xor(c);
        sums[0].add_product(chi, product(a, b));
        sums[1].add_product(chi, cross);
    }
}

#[inline(always)]
unsafe fn verifier_terms<V: Simd>(chi: V, [a, b, c]: [V; 3], sums: &mut [Unreduced<V>; 2]) {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        sums[0].add_product(chi, product(a, b));
        sums[1].add_product(chi, c);
    }
}

/// A party's sums over triples, of which there is one for each coefficient.
macro_rules! sums {
    ($chi:ident, $terms:ident, $load:expr, $load_one:expr) => {{
        let mut wide = [Unreduced::<V>::zero(); 2];
        let mut single = [Unreduced::<V::One>::zero(); 2];
        let whole = $chi.len() - $chi.len() % V::LANES;
        for i in (0..whole).step_by(V::LANES) {
            $terms(V::load($chi.as_ptr().add(i)), $load(i), &mut wide);
        }
        for i in whole..$chi.len() {
            $terms(V::One::load($chi.as_ptr().add(i)), $load_one(i), &mut single);
        }
        (wide[0].fold() ^ single[0].fold(), wide[1].fold() ^ single[1].fold())
    }};
}

#[inline(always)]
pub(in super::super) unsafe fn prover_sums<V: Simd>(chi: &[F128], triples: &[Triple]) -> (F128, F128) {
    // SAFETY: as in `dot`; the caller checked that both lengths are equal.
    unsafe {
        sums!(chi, prover_terms, |i| load_triples::<V>(triples, i), |i| load_triples::<V::One>(triples, i))
    }
}

#[inline(always)]
pub(in super::super) unsafe fn prover_column_sums<V: Simd>(
    chi: &[F128],
    a: &[F128],
    b: &[F128],
    c: &[F128],
) -> (F128, F128) {
    // SAFETY: as in `dot`; the caller checked that all lengths are equal.
    unsafe {
        let columns = [a, b, c].map(<[F128]>::as_ptr);
        sums!(chi, prover_terms, |i| columns.map(|column| V::load(column.add(i))), |i| columns
            .map(|column| V::One::load(column.add(i))))
    }
}

#[inline(always)]
pub(in super::super) unsafe fn verifier_sums<V: Simd>(chi: &[F128], triples: &[Triple]) -> (F128, F128) {
    // SAFETY: as in `dot`; the caller checked that both lengths are equal.
    unsafe {
        sums!(chi, verifier_terms, |i| load_triples::<V>(triples, i), |i| load_triples::<V::One>(triples, i))
    }
}

#[inline(always)]
pub(in super::super) unsafe fn verifier_column_sums<V: Simd>(
    chi: &[F128],
    a: &[F128],
    b: &[F128],
    c: &[F128],
) -> (F128, F128) {
    // SAFETY: as in `dot`; the caller checked that all lengths are equal.
    unsafe {
        let columns = [a, b, c].map(<[F128]>::as_ptr);
        sums!(chi, verifier_terms, |i| columns.map(|column| V::load(column.add(i))), |i| columns
            .map(|column| V::One::load(column.add(i))))
    }
}

/// Adds χ times each column to its sum.
#[inline(always)]
unsafe fn add_columns<V: Simd>(chi: V, columns: [V; 3], sums: &mut [Unreduced<V>; 3]) {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        sums[0].add_product(chi, columns[0]);
        sums[1].add_product(chi, columns[1]);
        sums[2].add_product(chi, columns[2]);
    }
}

#[inline(always)]
unsafe fn fold_columns<V: Simd, W: Simd>(wide: [Unreduced<V>; 3], single: [Unreduced<W>; 3]) -> [F128; 3] {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        [
            wide[0].fold() ^ single[0].fold(),
            wide[1].fold() ^ single[1].fold(),
            wide[2].fold() ^ single[2].fold(),
        ]
    }
}

#[inline(always)]
pub(in super::super) unsafe fn triple_sums<V: Simd>(chi: &[F128], triples: &[Triple]) -> [F128; 3] {
    let (length, chi) = (chi.len(), chi.as_ptr());
    // SAFETY: as in `dot`; the caller checked that both lengths are equal.
    unsafe {
        let mut wide = [Unreduced::<V>::zero(); 3];
        let mut single = [Unreduced::<V::One>::zero(); 3];
        let whole = length - length % V::LANES;
        for i in (0..whole).step_by(V::LANES) {
            add_columns(V::load(chi.add(i)), load_triples(triples, i), &mut wide);
        }
        for i in whole..length {
            add_columns(V::One::load(chi.add(i)), load_triples(triples, i), &mut single);
        }
        fold_columns(wide, single)
    }
}

/// The columns x, y and z + r·x + l·y of the triples from number i on.
#[inline(always)]
unsafe fn load_opened<V: Simd>(triples: &[Triple], left: *const u8, right: *const u8, i: usize) -> [V; 3] {
    // SAFETY: the caller upholds the condition of `Simd` and that i + LANES is in range of all three.
    unsafe {
        let [x, y, z] = load_triples::<V>(triples, i);
        let (l, r) = (V::masks(left.add(i)), V::masks(right.add(i)));
        [x, y, z.xor(r.and(x)).xor(l.and(y))]
    }
}

#[inline(always)]
pub(in super::super) unsafe fn opened_sums<V: Simd>(
    chi: &[F128],
    triples: &[Triple],
    left: &[F2],
    right: &[F2],
) -> [F128; 3] {
    let (length, chi) = (chi.len(), chi.as_ptr());
    let (left, right): (*const u8, *const u8) = (left.as_ptr().cast(), right.as_ptr().cast());
    // SAFETY: as in `add_scaled`; the caller checked that all lengths are equal.
    unsafe {
        let mut wide = [Unreduced::<V>::zero(); 3];
        let mut single = [Unreduced::<V::One>::zero(); 3];
        let whole = length - length % V::LANES;
        for i in (0..whole).step_by(V::LANES) {
            add_columns(V::load(chi.add(i)), load_opened(triples, left, right, i), &mut wide);
        }
        for i in whole..length {
            add_columns(V::One::load(chi.add(i)), load_opened(triples, left, right, i), &mut single);
        }
        fold_columns(wide, single)
    }
}
