//! What the fields share.

use crate::arch::simd::Simd;
use crate::field::F128;

/// The same word in each half.
#[inline(always)]
pub(super) unsafe fn splat<V: Simd>(word: u64) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe { V::splat(F128(u128::from(word) << 64 | u128::from(word))) }
}

/// The low 32 bits of each half.
#[inline(always)]
pub(super) unsafe fn low32<V: Simd>(x: V) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe { x.and(splat(u32::MAX.into())) }
}

/// Sums of words of 64 bits, without their carries, and of their high halves.
#[derive(Clone, Copy)]
pub(crate) struct Sum<V> {
    pub(super) all: V,
    pub(super) high: V,
}

impl<V: Simd> Sum<V> {
    #[inline(always)]
    pub(super) unsafe fn nothing() -> Self {
        // SAFETY: the caller upholds the condition of `Simd`.
        let zero = unsafe { splat(0) };
        Self { all: zero, high: zero }
    }
    #[inline(always)]
    pub(super) unsafe fn add(&mut self, word: V) {
        // SAFETY: the caller upholds the condition of `Simd`.
        unsafe {
            self.all = self.all.add(word);
            self.high = self.high.add(word.shr::<32>());
        }
    }
    /// The sum of the low halves: less than 2^64, and so known from what it is modulo that.
    #[inline(always)]
    pub(super) unsafe fn low(self) -> V {
        // SAFETY: the caller upholds the condition of `Simd`.
        unsafe { self.all.sub(self.high.shl::<32>()) }
    }
}
