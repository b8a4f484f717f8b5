//! Elements of 65 to 128 bits, one to a lane.

use super::{Binary, Group, Simd};
use crate::arch::simd::sums::Unreduced;
use crate::field::F128;

/// An element in each lane.
#[derive(Clone, Copy)]
pub(super) struct Wholes<V>(V);

/// Elements moved to the top of their lanes, so that X^d is above.
#[inline(always)]
unsafe fn up<V: Simd, F: Binary>(x: V) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        match F::SIZE_BITS {
            96 => x.up32(),
            128 => x,
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
            96 => x.down32(),
            128 => x,
            _ => unreachable!(),
        }
    }
}

impl<V: Simd, F: Binary> Group<F> for Wholes<V> {
    const COUNT: usize = V::LANES;
    type One = Wholes<V::One>;
    /// X^d is bit 128.
    type Sum = Unreduced<V>;

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
        // SAFETY: the caller's; the element is 16 bytes.
        unsafe { Self(V::splat(core::ptr::from_ref(element).cast::<F128>().read())) }
    }
    #[inline(always)]
    unsafe fn nothing() -> Unreduced<V> {
        // SAFETY: the caller's.
        unsafe { Unreduced::zero() }
    }
    #[inline(always)]
    unsafe fn add_product(sum: &mut Unreduced<V>, a: Self, b: Self) {
        // SAFETY: the caller's.
        unsafe { sum.add_product(a.0, up::<V, F>(b.0)) }
    }
    #[inline(always)]
    unsafe fn fold(sum: Unreduced<V>, single: Unreduced<V::One>) -> Unreduced<V::One> {
        // SAFETY: the caller's.
        unsafe { single.add_lanes(sum) }
    }
    #[inline(always)]
    unsafe fn add_columns(sum: &mut Unreduced<V>, from: *const F, stride: usize, factors: *const F) {
        // SAFETY: the caller's.
        unsafe {
            for column in 0..2 {
                let rows = Self(V::gather(from.add(column).cast(), stride));
                <Self as Group<F>>::add_product(sum, rows, Self::splat(&*factors.add(column)));
            }
        }
    }
    #[inline(always)]
    unsafe fn reduce(sum: Unreduced<V>) -> Self {
        // SAFETY: the caller's.
        unsafe {
            let tail = up::<V, F>(V::splat(F128(F::TAIL.into())));
            Self(down::<V, F>(sum.reduce(tail)))
        }
    }
}
