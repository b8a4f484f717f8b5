//! Arithmetic modulo 65537: products of up to 2^32, of which a half sums many.

use super::Halves;
use super::halves::{digits, splat, up};
use crate::arch::simd::Simd;
use crate::field::F65537;

impl Halves for F65537 {
    /// The sum of products of up to 2^32 each.
    type Products<V: Simd> = V;
    type Heap<V: Simd> = V;
    type Pile = u32;
    const TO_A_LANE: usize = 4;

    #[inline(always)]
    fn integer(self) -> u64 {
        self.get().into()
    }
    #[inline(always)]
    fn of_integer(integer: u64) -> Self {
        Self::below(integer as u32)
    }

    #[inline(always)]
    unsafe fn plus<V: Simd>(a: V, b: V) -> V {
        let p = Self::MODULUS.into();
        // SAFETY: the caller's.
        unsafe { up(a.add(b).sub(splat(p)), p) }
    }
    #[inline(always)]
    unsafe fn minus<V: Simd>(a: V, b: V) -> V {
        // SAFETY: the caller's.
        unsafe { up(a.sub(b), Self::MODULUS.into()) }
    }
    #[inline(always)]
    unsafe fn from<V: Simd>(element: V) -> V {
        element
    }
    #[inline(always)]
    unsafe fn add_product<V: Simd>(products: &mut V, a: V, b: V) {
        // SAFETY: the caller's.
        unsafe { *products = products.add(a.multiply32(b)) }
    }
    #[inline(always)]
    unsafe fn reduce<V: Simd>(x: V) -> V {
        let p = u64::from(Self::MODULUS);
        // SAFETY: the caller's.
        unsafe {
            // 2^16 is -1. The first sum is from 4 to 4p - 4, of which the high bits are at most 3.
            let mask = splat(0xffff);
            let even = x.and(mask).add(x.shr::<32>().and(mask)).add(splat(2 * p));
            let x = even.sub(x.shr::<16>().and(mask)).sub(x.shr::<48>());
            up(x.and(mask).sub(x.shr::<16>()), p)
        }
    }
    #[inline(always)]
    unsafe fn join<V: Simd>(low: V, high: V) -> V {
        // SAFETY: the caller's.
        unsafe { Self::reduce(low.add(high).add(high.shl::<1>())) }
    }
    #[inline(always)]
    unsafe fn draw<V: Simd, const N: usize>(low: V, high: V) -> [V; N] {
        // SAFETY: the caller's.
        unsafe { digits(low, high, Self::MODULUS) }
    }

    #[inline(always)]
    unsafe fn empty<V: Simd>() -> V {
        // SAFETY: the caller's.
        unsafe { splat(0) }
    }
    /// Words of 32 bits have room for all sums.
    #[inline(always)]
    unsafe fn heap<V: Simd>(heap: &mut V, from: *const Self) {
        // SAFETY: the caller's.
        unsafe { *heap = heap.add(V::load(from.cast())) }
    }
    #[inline(always)]
    unsafe fn settle<V: Simd>(heap: V, to: *mut Self) {
        let both = |word: u32| u64::from(word) << 32 | u64::from(word);
        // SAFETY: the caller's.
        unsafe {
            // 2^16 is -1. With p added, each word is from 1 to 2p - 1. Whether it is p or above says bit 31
            // of the word with 2^31 - p added.
            let mask = splat(both(0xffff));
            let x = heap.and(mask).add(splat(both(Self::MODULUS))).sub(heap.shr::<16>().and(mask));
            let above = x.add(splat(both((1 << 31) - Self::MODULUS))).shr::<31>().and(splat(both(1)));
            x.sub(above).sub(above.shl::<16>()).store(to.cast());
        }
    }
    #[inline(always)]
    fn pile(element: Self) -> u32 {
        element.get()
    }
    #[inline(always)]
    fn settle_pile(pile: u32) -> Self {
        Self::new(pile)
    }
}
