//! The layout of elements in memory, and in the halves of vectors.

use super::halves::{low32, splat};
use super::{Halves, MOST};
use crate::arch::prime::Coordinates;
use crate::arch::simd::Simd;
use crate::mac::Tagged;

/// 64-bit words, each `stride` bytes behind the other.
#[inline(always)]
pub(super) unsafe fn load_words<V: Simd>(from: *const u8, stride: usize) -> V {
    let mut words = [0; MOST];
    // SAFETY: the caller upholds the condition of `Simd`, and that there are so many words.
    unsafe {
        for (i, word) in words[..2 * V::LANES].iter_mut().enumerate() {
            *word = from.add(i * stride).cast::<u64>().read_unaligned();
        }
        V::load(words.as_ptr().cast())
    }
}

/// The inverse of [`load_words`].
#[inline(always)]
pub(super) unsafe fn store_words<V: Simd>(x: V, to: *mut u8, stride: usize) {
    // SAFETY: the caller's.
    unsafe {
        for (i, word) in words(x)[..2 * V::LANES].iter().enumerate() {
            to.add(i * stride).cast::<u64>().write_unaligned(*word);
        }
    }
}

/// The integers of each half.
#[inline(always)]
pub(super) unsafe fn words<V: Simd>(x: V) -> [u64; MOST] {
    let mut words = [0; MOST];
    // SAFETY: the caller upholds the condition of `Simd`; no vector is longer.
    unsafe { x.store(words.as_mut_ptr().cast()) };
    words
}

/// Elements of the prime field, each `stride` behind the other.
#[inline(always)]
pub(super) unsafe fn load<V: Simd, B: Halves>(from: *const B, stride: usize) -> V {
    // SAFETY: the caller upholds the condition of `Simd`, and that there are so many elements.
    unsafe {
        match (size_of::<B>(), stride) {
            (8, _) => load_words(from.cast(), 8 * stride),
            (_, 1) => V::load_words(from.cast()),
            _ => {
                let mut words = [0; MOST];
                for (i, word) in words[..2 * V::LANES].iter_mut().enumerate() {
                    *word = (*from.add(i * stride)).integer();
                }
                V::load(words.as_ptr().cast())
            }
        }
    }
}

/// The inverse of [`load`].
#[inline(always)]
pub(super) unsafe fn store<V: Simd, B: Halves>(x: V, to: *mut B, stride: usize) {
    // SAFETY: the caller's.
    unsafe {
        for (i, word) in words(x)[..2 * V::LANES].iter().enumerate() {
            *to.add(i * stride) = B::of_integer(*word);
        }
    }
}

/// Whether N coordinates are pairs of 32 bits each, which are read and written as one word.
#[inline(always)]
const fn in_pairs<B, const N: usize>() -> bool {
    size_of::<B>() == 4 && N.is_multiple_of(2)
}

/// N coordinates, one after the other, of elements each `stride` coordinates behind the other.
#[inline(always)]
pub(super) unsafe fn load_all<V: Simd, B: Halves, const N: usize>(from: *const B, stride: usize) -> [V; N] {
    // SAFETY: the caller's.
    unsafe {
        let mut all = [splat(0); N];
        if in_pairs::<B, N>() {
            for i in (0..N).step_by(2) {
                let pairs: V = load_words(from.add(i).cast(), 4 * stride);
                (all[i], all[i + 1]) = (low32(pairs), pairs.shr::<32>());
            }
        } else {
            for i in 0..N {
                all[i] = load(from.add(i), stride);
            }
        }
        all
    }
}

/// The inverse of [`load_all`].
#[inline(always)]
pub(super) unsafe fn store_all<V: Simd, B: Halves, const N: usize>(x: [V; N], to: *mut B, stride: usize) {
    // SAFETY: the caller's.
    unsafe {
        if in_pairs::<B, N>() {
            for i in (0..N).step_by(2) {
                store_words(x[i].add(x[i + 1].shl::<32>()), to.add(i).cast(), 4 * stride);
            }
        } else {
            for i in 0..N {
                store(x[i], to.add(i), stride);
            }
        }
    }
}

/// Values and MACs of rows that are `stride` rows apart.
#[inline(always)]
pub(super) unsafe fn load_rows<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(
    from: *const Tagged<B, E>,
    stride: usize,
) -> (V, [V; N]) {
    let from: *const B = from.cast();
    // SAFETY: the caller's; a row is a value and N coordinates.
    unsafe { (load(from, stride * (N + 1)), load_all(from.add(1), stride * (N + 1))) }
}
