//! Arithmetic modulo 2^64 - 2^32 + 1, by words of 32 bits.

use super::Halves;
use super::halves::{Sum, low32, splat};
use crate::arch::simd::Simd;
use crate::field::{Goldilocks, Modulus, P64};

/// 2^32 - 1, which 2^64 is congruent to.
const EPSILON: u64 = u32::MAX as u64;

/// All ones where a is below b, as words without sign.
#[inline(always)]
unsafe fn below<V: Simd>(a: V, b: V) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        let top = splat::<V>(1 << 63);
        b.xor(top).greater(a.xor(top))
    }
}

/// The element of Goldilocks of each word.
#[inline(always)]
unsafe fn settle<V: Simd>(x: V) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        let least = splat((Goldilocks::MODULUS - 1) ^ (1 << 63));
        let above = x.xor(splat(1 << 63)).greater(least);
        x.sub(above.and(splat(Goldilocks::MODULUS)))
    }
}

/// The element of `a + 2^32·b`, for a from -2^56 to 2^56 and b from 0 to 2^56.
#[inline(always)]
unsafe fn normalise<V: Simd>(a: V, b: V) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        // Shifts know no sign: so 2^62 is added before each, and 2^30 subtracted behind it. First carry from
        // a to b, which is from -2^24 to 2^57 then.
        let (large, less) = (splat::<V>(1 << 62), splat::<V>(1 << 30));
        let a = a.add(large);
        let b = b.add(a.shr::<32>()).add(large).sub(less);
        // 2^64 = 2^32 - 1: what is above that goes to both, and is from -1 to 2^25.
        let top = b.shr::<32>().sub(less);
        let a = low32(a).sub(top).add(large);
        let b = low32(b).add(top).add(a.shr::<32>()).sub(less);
        // b is from -1 to 2^32 + 2^25: once more what is above, which is -1, 0 or 1; then a + 2^32·b fits.
        let top = b.add(large).shr::<32>().sub(less);
        settle(low32(a).add(b.shl::<32>()).add(top.shl::<32>()).sub(top))
    }
}

impl Halves for Goldilocks {
    /// Sums of products of 32-bit words, which count 1, 2^32 and 2^64.
    type Products<V: Simd> = [Sum<V>; 3];
    type Heap<V: Simd> = Sum<V>;
    type Pile = u128;
    const TO_A_LANE: usize = 2;

    #[inline(always)]
    fn integer(self) -> u64 {
        self.get()
    }
    #[inline(always)]
    fn of_integer(integer: u64) -> Self {
        Self::below(integer)
    }

    #[inline(always)]
    unsafe fn plus<V: Simd>(a: V, b: V) -> V {
        // SAFETY: the caller's.
        unsafe {
            // p - b is no element where b is zero, but a is below it too.
            let b = splat::<V>(Self::MODULUS).sub(b);
            a.sub(b).add(below(a, b).and(splat(Self::MODULUS)))
        }
    }
    #[inline(always)]
    unsafe fn minus<V: Simd>(a: V, b: V) -> V {
        // SAFETY: the caller's.
        unsafe { a.sub(b).add(below(a, b).and(splat(Self::MODULUS))) }
    }
    #[inline(always)]
    unsafe fn from<V: Simd>(element: V) -> [Sum<V>; 3] {
        // SAFETY: the caller's.
        unsafe {
            let (low, high) = (low32(element), element.shr::<32>());
            [Sum::low_halves(low), Sum::low_halves(high), Sum::nothing()]
        }
    }
    #[inline(always)]
    unsafe fn add_product<V: Simd>(products: &mut [Sum<V>; 3], a: V, b: V) {
        // SAFETY: the caller's.
        unsafe {
            let (a_high, b_high) = (a.shr::<32>(), b.shr::<32>());
            products[0].add(a.multiply32(b));
            products[1].add(a_high.multiply32(b));
            products[1].add(a.multiply32(b_high));
            products[2].add(a_high.multiply32(b_high));
        }
    }
    #[inline(always)]
    unsafe fn reduce<V: Simd>([p0, p1, p2]: [Sum<V>; 3]) -> V {
        // SAFETY: the caller's.
        unsafe {
            // 2^64 = 2^32 - 1 and 2^96 = -1. Sums of up to 2^20 halves are below 2^52.
            let (one, two, three) = (p1.low().add(p0.high), p2.low().add(p1.high), p2.high);
            normalise(p0.low().sub(two).sub(three), one.add(two))
        }
    }
    #[inline(always)]
    unsafe fn join<V: Simd>(mut low: [Sum<V>; 3], high: [Sum<V>; 3]) -> V {
        // SAFETY: the caller's.
        unsafe {
            for i in 0..3 {
                low[i].all = low[i].all.add(high[i].all.shl::<3>()).sub(high[i].all);
                low[i].high = low[i].high.add(high[i].high.shl::<3>()).sub(high[i].high);
            }
            Self::reduce(low)
        }
    }
    #[inline(always)]
    unsafe fn draw<V: Simd, const N: usize>(low: V, high: V) -> [V; N] {
        assert_eq!(N, 1, "coordinates are drawn one by one");
        // SAFETY: the caller's.
        unsafe {
            // As `P64::reduce` does.
            let (middle, high, epsilon) = (low32(high), high.shr::<32>(), splat::<V>(EPSILON));
            let low = low.sub(high).sub(below(low, high).and(epsilon));
            let sum = low.add(middle.shl::<32>().sub(middle));
            [settle(sum.add(below(sum, low).and(epsilon))); N]
        }
    }

    #[inline(always)]
    unsafe fn empty<V: Simd>() -> Sum<V> {
        // SAFETY: the caller's.
        unsafe { Sum::nothing() }
    }
    #[inline(always)]
    unsafe fn heap<V: Simd>(heap: &mut Sum<V>, from: *const Self) {
        // SAFETY: the caller's.
        unsafe { heap.add(V::load(from.cast())) }
    }
    #[inline(always)]
    unsafe fn settle<V: Simd>(heap: Sum<V>, to: *mut Self) {
        // SAFETY: the caller's.
        unsafe { normalise(heap.low(), heap.high).store(to.cast()) }
    }
    #[inline(always)]
    fn pile(element: Self) -> u128 {
        element.get().into()
    }
    #[inline(always)]
    fn settle_pile(pile: u128) -> Self {
        P64::reduce(pile)
    }
}
