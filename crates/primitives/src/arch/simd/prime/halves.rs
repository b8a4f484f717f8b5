//! Helpers of vectors that the prime fields share.

use crate::arch::opaque;
use crate::arch::simd::Simd;
use crate::field::F128;

/// A vector with `word` in each half of a lane.
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

/// `x`, or where it is negative `x + p`.
#[inline(always)]
pub(super) unsafe fn up<V: Simd>(x: V, p: u64) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe { x.add(x.sign().and(splat(p))) }
}

/// The digits in base p, of at most 32 bits, as [`Prime::digits`](crate::field::Prime) has them.
#[inline(always)]
pub(super) unsafe fn digits<V: Simd, const N: usize>(low: V, high: V, p: u32) -> [V; N] {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        // Of products by a known p = 2^16 + 1 the compiler makes shifts, of which fewer fit a cycle.
        let p = splat(opaque(p.into()));
        let mut words = [low32(low), low.shr::<32>(), low32(high), high.shr::<32>()];
        let mut digits = [p; N];
        for digit in digits.iter_mut().rev() {
            let mut carry = splat::<V>(0);
            for word in &mut words {
                let product = word.multiply32(p).add(carry);
                *word = low32(product);
                carry = product.shr::<32>();
            }
            *digit = carry;
        }
        digits
    }
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
    /// A sum of one word below 2^32.
    #[inline(always)]
    pub(super) unsafe fn low_halves(all: V) -> Self {
        // SAFETY: the caller upholds the condition of `Simd`.
        Self { all, high: unsafe { splat(0) } }
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
