//! The kernels over prime fields and their extensions, written once for all: each 64-bit half has an element
//! of the prime field, and each coordinate of an extension a vector of its own.
//!
//! Sums of products are reduced once, in each half, and then added up.
// Indices of coordinates are unrolled; what iterators call is not always inlined.
#![allow(clippy::needless_range_loop)]

mod code;
mod f65537;
mod goldilocks;
mod halves;
mod layout;
mod q32;
mod trees;

pub(in super::super) use code::{encode_keys, encode_tagged};
pub(in super::super) use trees::{puncture, sample_all, sum_rows};

use super::Simd;
use crate::arch::portable::prime as portable;
use crate::arch::prime::{Coordinates, Gate};
use crate::field::Field;
use crate::mac::Tagged;
use core::ops::AddAssign;
use halves::splat;
use layout::{load, load_all, load_rows, store_all, words};

/// A prime field, whose elements are integers below p in words of 32 or 64 bits.
///
/// # Safety
/// Every method with a vector may be called only under the condition of [`Simd`].
pub(crate) trait Halves: Field {
    /// Products before reduction, in each half: up to 2^18 of them.
    type Products<V: Simd>: Copy;
    /// Sums of elements before reduction, as many in a lane as [`Halves::TO_A_LANE`] says.
    type Heap<V: Simd>: Copy;
    /// A sum of elements before reduction, outside of vectors.
    type Pile: Copy + AddAssign;
    /// The elements of a lane in [`Halves::heap`].
    const TO_A_LANE: usize;

    /// The integer.
    fn integer(self) -> u64;
    /// The element of an integer below p.
    fn of_integer(integer: u64) -> Self;

    /// `a + b`.
    unsafe fn plus<V: Simd>(a: V, b: V) -> V;
    /// `a - b`.
    unsafe fn minus<V: Simd>(a: V, b: V) -> V;
    /// No products, and besides them `element`.
    unsafe fn from<V: Simd>(element: V) -> Self::Products<V>;
    /// Adds a·b.
    unsafe fn add_product<V: Simd>(products: &mut Self::Products<V>, a: V, b: V);
    /// The sum.
    unsafe fn reduce<V: Simd>(products: Self::Products<V>) -> V;
    /// `low + w·high`, where the extension is by a root of w.
    unsafe fn join<V: Simd>(low: Self::Products<V>, high: Self::Products<V>) -> V;
    /// The first N coordinates of what [`Field::sample`] makes of two words, where these are all
    /// coordinates; or where N is 1, that of the prime field.
    unsafe fn draw<V: Simd, const N: usize>(low: V, high: V) -> [V; N];

    /// Sums of nothing.
    unsafe fn empty<V: Simd>() -> Self::Heap<V>;
    /// Adds the elements of a vector, those of a lane one after the other; up to 15 times. `from` must be valid
    /// for them.
    unsafe fn heap<V: Simd>(heap: &mut Self::Heap<V>, from: *const Self);
    /// Writes the sums; `to` must be valid for them.
    unsafe fn settle<V: Simd>(heap: Self::Heap<V>, to: *mut Self);
    /// The sum of one element, to which others can be added.
    fn pile(element: Self) -> Self::Pile;
    /// The element.
    fn settle_pile(pile: Self::Pile) -> Self;
}

/// Elements whose products are summed before reduction; each has up to four of them in a sum.
const BATCH: usize = 1 << 16;

/// Halves in the widest vector.
const MOST: usize = 8;

/// Sums of products in an extension of degree N.
struct Sums<V: Simd, B: Halves, const N: usize> {
    low: [B::Products<V>; N],
    /// The coefficients that are to be multiplied by w, the N-th power of the root.
    high: [B::Products<V>; N],
}

/// # Safety
/// Every method may be called only under the condition of [`Simd`].
impl<V: Simd, B: Halves, const N: usize> Sums<V, B, N> {
    #[inline(always)]
    unsafe fn nothing() -> Self {
        // SAFETY: the caller's.
        unsafe { Self::from([splat(0); N]) }
    }

    /// No products, and besides them an element.
    #[inline(always)]
    unsafe fn from(element: [V; N]) -> Self {
        // SAFETY: the caller's.
        unsafe {
            let nothing = [B::from(splat(0)); N];
            let mut low = nothing;
            for i in 0..N {
                low[i] = B::from(element[i]);
            }
            Self { low, high: nothing }
        }
    }

    #[inline(always)]
    unsafe fn add(&mut self, a: [V; N], b: [V; N]) {
        // SAFETY: the caller's.
        unsafe {
            for i in 0..N {
                for j in 0..N {
                    let sum = if i + j < N { &mut self.low[i + j] } else { &mut self.high[i + j - N] };
                    B::add_product(sum, a[i], b[j]);
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn add_scaled(&mut self, a: [V; N], factor: V) {
        // SAFETY: the caller's.
        unsafe {
            for i in 0..N {
                B::add_product(&mut self.low[i], a[i], factor);
            }
        }
    }

    /// The elements, in each half.
    #[inline(always)]
    unsafe fn reduce(self) -> [V; N] {
        // SAFETY: the caller's.
        unsafe {
            let mut sums = self.scaled();
            for i in 0..N - 1 {
                sums[i] = B::join(self.low[i], self.high[i]);
            }
            sums
        }
    }

    /// The elements, in each half, where nothing was added but by [`Sums::add_scaled`].
    #[inline(always)]
    unsafe fn scaled(&self) -> [V; N] {
        // SAFETY: the caller's.
        unsafe {
            let mut sums = [B::reduce(self.low[N - 1]); N];
            for i in 0..N - 1 {
                sums[i] = B::reduce(self.low[i]);
            }
            sums
        }
    }
}

/// The sum of all halves.
#[inline(always)]
unsafe fn total<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(x: [V; N]) -> E {
    let mut total = E::ZERO;
    let coordinates: *mut B = core::ptr::from_mut(&mut total).cast();
    for (n, x) in x.into_iter().enumerate() {
        // SAFETY: the caller upholds the condition of `Simd`; an element is N coordinates.
        unsafe {
            *coordinates.add(n) = words(x)[..2 * V::LANES].iter().map(|&word| B::of_integer(word)).sum();
        }
    }
    total
}

/// How many of `length` elements fill vectors.
#[inline(always)]
const fn whole<V: Simd>(length: usize) -> usize {
    length - length % (2 * V::LANES)
}

#[inline(always)]
pub(in crate::arch) unsafe fn dot<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(
    a: &[E],
    b: &[E],
) -> E {
    let whole = whole::<V>(a.len());
    let mut sum = portable::dot(&a[whole..], &b[whole..]);
    for (a, b) in a[..whole].chunks(BATCH).zip(b[..whole].chunks(BATCH)) {
        let (first_a, first_b): (*const B, *const B) = (a.as_ptr().cast(), b.as_ptr().cast());
        // SAFETY: the caller upholds the condition of `Simd` and that the lengths are equal.
        unsafe {
            let mut sums = Sums::<V, B, N>::nothing();
            for i in (0..a.len()).step_by(2 * V::LANES) {
                sums.add(load_all(first_a.add(N * i), N), load_all(first_b.add(N * i), N));
            }
            sum += total::<V, B, E, N>(sums.reduce());
        }
    }
    sum
}

#[inline(always)]
pub(in crate::arch) unsafe fn combine<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(
    factors: &[B],
    a: &[E],
) -> E {
    let whole = whole::<V>(a.len());
    let mut sum = portable::combine(&factors[whole..], &a[whole..]);
    for (factors, a) in factors[..whole].chunks(BATCH).zip(a[..whole].chunks(BATCH)) {
        let first: *const B = a.as_ptr().cast();
        // SAFETY: as in `dot`.
        unsafe {
            let mut sums = Sums::<V, B, N>::nothing();
            for i in (0..a.len()).step_by(2 * V::LANES) {
                sums.add_scaled(load_all(first.add(N * i), N), load(factors.as_ptr().add(i), 1));
            }
            sum += total::<V, B, E, N>(sums.scaled());
        }
    }
    sum
}

#[inline(always)]
pub(in crate::arch) unsafe fn weigh<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(
    chi: &[E],
    rows: &[Tagged<B, E>],
) -> (E, E) {
    let whole = whole::<V>(chi.len());
    let mut sum = portable::weigh(&chi[whole..], &rows[whole..]);
    for (chi, rows) in chi[..whole].chunks(BATCH).zip(rows[..whole].chunks(BATCH)) {
        let first: *const B = chi.as_ptr().cast();
        // SAFETY: as in `dot`.
        unsafe {
            let (mut macs, mut values) = (Sums::<V, B, N>::nothing(), Sums::<V, B, N>::nothing());
            for i in (0..chi.len()).step_by(2 * V::LANES) {
                let chi = load_all(first.add(N * i), N);
                let (value, mac) = load_rows(rows.as_ptr().add(i), 1);
                macs.add(chi, mac);
                values.add_scaled(chi, value);
            }
            sum.0 += total::<V, B, E, N>(macs.reduce());
            sum.1 += total::<V, B, E, N>(values.scaled());
        }
    }
    sum
}

#[inline(always)]
pub(in crate::arch) unsafe fn inner_product<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(
    a: &[Tagged<B, E>],
    b: &[Tagged<B, E>],
) -> (E, E, B) {
    let whole = whole::<V>(a.len());
    let mut sum = portable::inner_product(&a[whole..], &b[whole..]);
    for (a, b) in a[..whole].chunks(BATCH).zip(b[..whole].chunks(BATCH)) {
        // SAFETY: as in `dot`.
        unsafe {
            let (mut macs, mut cross) = (Sums::<V, B, N>::nothing(), Sums::<V, B, N>::nothing());
            let mut values = Sums::<V, B, 1>::nothing();
            for i in (0..a.len()).step_by(2 * V::LANES) {
                let (a_value, a) = load_rows(a.as_ptr().add(i), 1);
                let (b_value, b) = load_rows(b.as_ptr().add(i), 1);
                macs.add(a, b);
                cross.add_scaled(b, a_value);
                cross.add_scaled(a, b_value);
                values.add([a_value], [b_value]);
            }
            sum.0 += total::<V, B, E, N>(macs.reduce());
            sum.1 += total::<V, B, E, N>(cross.scaled());
            let [values] = values.reduce();
            sum.2 += words(values)[..2 * V::LANES].iter().map(|&word| B::of_integer(word)).sum();
        }
    }
    sum
}

#[inline(always)]
pub(in crate::arch) unsafe fn linear<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(
    factors: &[B],
    rows: &[Tagged<B, E>],
) -> Tagged<B, E> {
    let whole = whole::<V>(rows.len());
    let mut sum = portable::linear(&factors[whole..], &rows[whole..]);
    for (factors, rows) in factors[..whole].chunks(BATCH).zip(rows[..whole].chunks(BATCH)) {
        // SAFETY: as in `dot`.
        unsafe {
            let (mut values, mut macs) = (Sums::<V, B, 1>::nothing(), Sums::<V, B, N>::nothing());
            for i in (0..rows.len()).step_by(2 * V::LANES) {
                let factor = load(factors.as_ptr().add(i), 1);
                let (value, mac) = load_rows(rows.as_ptr().add(i), 1);
                values.add_scaled([value], factor);
                macs.add_scaled(mac, factor);
            }
            let [values] = values.scaled();
            sum.value += words(values)[..2 * V::LANES].iter().map(|&word| B::of_integer(word)).sum();
            sum.mac += total::<V, B, E, N>(macs.scaled());
        }
    }
    sum
}

#[inline(always)]
pub(in crate::arch) unsafe fn add_products<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(
    a: &[E],
    b: &[E],
    sums: &mut [E],
) {
    let whole = whole::<V>(sums.len());
    portable::add_products(&a[whole..], &b[whole..], &mut sums[whole..]);
    let (first_a, first_b): (*const B, *const B) = (a.as_ptr().cast(), b.as_ptr().cast());
    let first: *mut B = sums.as_mut_ptr().cast();
    for i in (0..whole).step_by(2 * V::LANES) {
        // SAFETY: as in `dot`.
        unsafe {
            let at = first.add(N * i);
            let mut sums = Sums::<V, B, N>::from(load_all(at, N));
            sums.add(load_all(first_a.add(N * i), N), load_all(first_b.add(N * i), N));
            store_all(sums.reduce(), at, N);
        }
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn add_scaled<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(
    a: &[E],
    factors: &[B],
    sums: &mut [E],
) {
    let whole = whole::<V>(sums.len());
    portable::add_scaled(&a[whole..], &factors[whole..], &mut sums[whole..]);
    let (first_a, first): (*const B, *mut B) = (a.as_ptr().cast(), sums.as_mut_ptr().cast());
    for i in (0..whole).step_by(2 * V::LANES) {
        // SAFETY: as in `dot`.
        unsafe {
            let at = first.add(N * i);
            let mut sums = Sums::<V, B, N>::from(load_all(at, N));
            sums.add_scaled(load_all(first_a.add(N * i), N), load(factors.as_ptr().add(i), 1));
            store_all(sums.scaled(), at, N);
        }
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn products<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(
    gates: &[Gate<Tagged<B, E>>],
    constant: &mut [E],
    linear: &mut [E],
) {
    let whole = whole::<V>(gates.len());
    portable::products(&gates[whole..], &mut constant[whole..], &mut linear[whole..]);
    let first: *const Tagged<B, E> = gates.as_ptr().cast();
    let (constant, linear): (*mut B, *mut B) = (constant.as_mut_ptr().cast(), linear.as_mut_ptr().cast());
    for i in (0..whole).step_by(2 * V::LANES) {
        // SAFETY: as in `dot`; a gate is three rows.
        unsafe {
            let at = first.add(3 * i);
            let ((a_value, a), (b_value, b)) = (load_rows(at, 3), load_rows(at.add(1), 3));
            let mut products = Sums::<V, B, N>::nothing();
            products.add(a, b);
            store_all(products.reduce(), constant.add(N * i), N);
            let mut cross = Sums::<V, B, N>::nothing();
            cross.add_scaled(b, a_value);
            cross.add_scaled(a, b_value);
            let mut cross = cross.scaled();
            let (_, c) = load_rows::<V, B, E, N>(at.add(2), 3);
            for n in 0..N {
                cross[n] = B::minus(cross[n], c[n]);
            }
            store_all(cross, linear.add(N * i), N);
        }
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn verifier_sums<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(
    chi: &[E],
    gates: &[Gate<E>],
) -> (E, E) {
    let whole = whole::<V>(chi.len());
    let mut sum = portable::verifier_sums(&chi[whole..], &gates[whole..]);
    for (chi, gates) in chi[..whole].chunks(BATCH).zip(gates[..whole].chunks(BATCH)) {
        let (first, gate): (*const B, *const B) = (chi.as_ptr().cast(), gates.as_ptr().cast());
        // SAFETY: as in `dot`; a gate is three elements.
        unsafe {
            let (mut products, mut results) = (Sums::<V, B, N>::nothing(), Sums::<V, B, N>::nothing());
            for i in (0..chi.len()).step_by(2 * V::LANES) {
                let (chi, at) = (load_all(first.add(N * i), N), gate.add(3 * N * i));
                let mut product = Sums::<V, B, N>::nothing();
                product.add(load_all(at, 3 * N), load_all(at.add(N), 3 * N));
                products.add(chi, product.reduce());
                results.add(chi, load_all(at.add(2 * N), 3 * N));
            }
            sum.0 += total::<V, B, E, N>(products.reduce());
            sum.1 += total::<V, B, E, N>(results.reduce());
        }
    }
    sum
}

#[inline(always)]
pub(in crate::arch) unsafe fn correct<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(
    keys: &mut [E],
    corrections: &[B],
    delta: E,
) {
    let whole = whole::<V>(keys.len());
    portable::correct(&mut keys[whole..], &corrections[whole..], delta);
    let first: *mut B = keys.as_mut_ptr().cast();
    // SAFETY: as in `dot`.
    unsafe {
        let delta = load_all::<V, B, N>(core::ptr::from_ref(&delta).cast(), 0);
        for i in (0..whole).step_by(2 * V::LANES) {
            let at = first.add(N * i);
            let mut sums = Sums::<V, B, N>::from(load_all(at, N));
            sums.add_scaled(delta, load(corrections.as_ptr().add(i), 1));
            store_all(sums.scaled(), at, N);
        }
    }
}
