//! Arithmetic modulo 2^32 - 5.

use super::Halves;
use super::halves::{Sum, digits, low32, splat, up};
use super::layout::store;
use crate::arch::simd::Simd;
use crate::field::Q32;

impl Halves for Q32 {
    type Products<V: Simd> = Sum<V>;
    /// The words of each half.
    type Heap<V: Simd> = V;
    type Pile = u64;
    const TO_A_LANE: usize = 2;

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
        let q = Self::MODULUS.into();
        // SAFETY: the caller's.
        unsafe { up(a.add(b).sub(splat(q)), q) }
    }
    #[inline(always)]
    unsafe fn minus<V: Simd>(a: V, b: V) -> V {
        // SAFETY: the caller's.
        unsafe { up(a.sub(b), Self::MODULUS.into()) }
    }
    #[inline(always)]
    unsafe fn from<V: Simd>(element: V) -> Sum<V> {
        // SAFETY: the caller's.
        unsafe { Sum::low_halves(element) }
    }
    #[inline(always)]
    unsafe fn add_product<V: Simd>(products: &mut Sum<V>, a: V, b: V) {
        // SAFETY: the caller's.
        unsafe { products.add(a.multiply32(b)) }
    }
    #[inline(always)]
    unsafe fn reduce<V: Simd>(products: Sum<V>) -> V {
        // SAFETY: the caller's.
        unsafe {
            // 2^32 is 5. The sums of up to 2^18 halves are below 2^50, so that the first sum is below 2^53,
            // and the second below 2^32 + 2^24; the third is below 2^32.
            let (five, q) = (splat::<V>(5), Self::MODULUS.into());
            let x = products.low().add(products.high).add(products.high.shl::<2>());
            let x = low32(x).add(x.shr::<32>().multiply32(five));
            let x = low32(x).add(x.shr::<32>().multiply32(five));
            up(x.sub(splat(q)), q)
        }
    }
    #[inline(always)]
    unsafe fn join<V: Simd>(low: Sum<V>, high: Sum<V>) -> V {
        // SAFETY: the caller's.
        unsafe { Self::minus(Self::reduce(low), Self::reduce(high)) }
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
    #[inline(always)]
    unsafe fn heap<V: Simd>(heap: &mut V, from: *const Self) {
        // SAFETY: the caller's.
        unsafe { *heap = heap.add(V::load_words(from.cast())) }
    }
    #[inline(always)]
    unsafe fn settle<V: Simd>(heap: V, to: *mut Self) {
        let q = Self::MODULUS.into();
        // SAFETY: the caller's.
        unsafe {
            // Below 2^36, so that it is below 2q once it is folded.
            let x = low32(heap).add(heap.shr::<32>().multiply32(splat(5)));
            store::<V, Self>(up(x.sub(splat(q)), q), to, 1);
        }
    }
    #[inline(always)]
    fn pile(element: Self) -> u64 {
        element.get().into()
    }
    #[inline(always)]
    fn settle_pile(pile: u64) -> Self {
        Self::new(pile)
    }
}
