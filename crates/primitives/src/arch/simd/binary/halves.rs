//! Elements of at most 64 bits, two to a lane.

use super::{Binary, Group, Simd};
use crate::field::F128;

/// Elements from the low half of the first lane on.
#[derive(Clone, Copy)]
pub(super) struct Halves<V>(V);

/// Sums of products that stand in all of a lane, those of the elements in low halves and those in high
/// halves. X^d is bit 64.
#[derive(Clone, Copy)]
pub(super) struct Sum<V> {
    low: V,
    high: V,
}

/// Elements moved to the top of their halves, so that X^d is above.
#[inline(always)]
unsafe fn up<V: Simd, F: Binary>(x: V) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        match F::SIZE_BITS {
            48 => x.shl::<16>(),
            64 => x,
            _ => unreachable!(),
        }
    }
}

/// The inverse of [`up`].
#[inline(always)]
unsafe fn down<V: Simd, F: Binary>(x: V) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        match F::SIZE_BITS {
            48 => x.shr::<16>(),
            64 => x,
            _ => unreachable!(),
        }
    }
}

/// The reduction of `sum` modulo the field's polynomial, in the low half.
#[inline(always)]
unsafe fn fold<V: Simd>(sum: V, tail: V) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        // What the tail itself sends above X^d is as short as the tail, so that the second
        // time nothing is left.
        let once = sum.clmul::<0x01>(tail);
        sum.xor(once).xor(once.clmul::<0x01>(tail))
    }
}

impl<V: Simd, F: Binary> Group<F> for Halves<V> {
    const COUNT: usize = 2 * V::LANES;
    type One = Halves<V::One>;
    type Sum = Sum<V>;

    #[inline(always)]
    unsafe fn load(from: *const F) -> Self {
        // SAFETY: the caller's.
        unsafe { Self(V::load(from.cast())) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut F) {
        // SAFETY: the caller's.
        unsafe { self.0.store(to.cast()) }
    }
    #[inline(always)]
    unsafe fn splat(element: &F) -> Self {
        // SAFETY: the caller's; the element is 8 bytes.
        unsafe {
            let word = u128::from(core::ptr::from_ref(element).cast::<u64>().read());
            Self(V::splat(F128(word << 64 | word)))
        }
    }
    #[inline(always)]
    unsafe fn nothing() -> Sum<V> {
        // SAFETY: the caller's.
        let zero = unsafe { V::splat(F128(0)) };
        Sum { low: zero, high: zero }
    }
    #[inline(always)]
    unsafe fn add_product(sum: &mut Sum<V>, a: Self, b: Self) {
        // SAFETY: the caller's.
        unsafe {
            let b = up::<V, F>(b.0);
            sum.low = sum.low.xor(a.0.clmul::<0x00>(b));
            sum.high = sum.high.xor(a.0.clmul::<0x11>(b));
        }
    }
    #[inline(always)]
    unsafe fn fold(sum: Sum<V>, single: Sum<V::One>) -> Sum<V::One> {
        // SAFETY: the caller's.
        unsafe {
            Sum {
                low: single.low.xor(V::One::splat(sum.low.fold())),
                high: single.high.xor(V::One::splat(sum.high.fold())),
            }
        }
    }
    #[inline(always)]
    unsafe fn add_columns(sum: &mut Sum<V>, from: *const F, stride: usize, factors: *const F) {
        // SAFETY: the caller's; rows of the same half are two strides of 8 bytes apart.
        unsafe {
            let factors = up::<V, F>(V::splat(factors.cast::<F128>().read_unaligned()));
            let (low, high) = (V::gather(from.cast(), stride), V::gather(from.add(stride).cast(), stride));
            sum.low = sum.low.xor(low.clmul::<0x00>(factors)).xor(low.clmul::<0x11>(factors));
            sum.high = sum.high.xor(high.clmul::<0x00>(factors)).xor(high.clmul::<0x11>(factors));
        }
    }
    #[inline(always)]
    unsafe fn reduce(sum: Sum<V>) -> Self {
        // SAFETY: the caller's.
        unsafe {
            let tail = up::<V, F>(V::splat(F128(F::TAIL.into())));
            Self(down::<V, F>(fold(sum.low, tail).low_halves(fold(sum.high, tail))))
        }
    }
}
