//! Elements of 160 bits, each in two lanes.

use super::{Binary, Group, Simd};
use crate::field::F128;

/// The low 128 bits of each element, and the high 32.
#[derive(Clone, Copy)]
pub(super) struct Pairs<V> {
    low: V,
    high: V,
}

/// Sums of products, by the words of 64 bits that are multiplied.
#[derive(Clone, Copy)]
pub(super) struct Sum<V> {
    /// Words 0, 1 and 2 each by its like.
    squares: [V; 3],
    /// The sums of words 0 and 1, of 0 and 2, and of 1 and 2, each by its like.
    crosses: [V; 3],
}

impl<V: Simd, F: Binary> Group<F> for Pairs<V> {
    const COUNT: usize = V::LANES;
    type One = Pairs<V::One>;
    type Sum = Sum<V>;

    #[inline(always)]
    unsafe fn load(from: *const F) -> Self {
        // SAFETY: the caller's.
        unsafe { Self::rows(from, 1) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut F) {
        let to: *mut F128 = to.cast();
        // SAFETY: the caller's.
        unsafe {
            self.low.scatter(to, 2);
            self.high.scatter(to.add(1), 2);
        }
    }
    #[inline(always)]
    unsafe fn splat(element: &F) -> Self {
        // SAFETY: the caller's; the element is 32 bytes.
        unsafe {
            let [low, high] = core::ptr::from_ref(element).cast::<[F128; 2]>().read();
            Self { low: V::splat(low), high: V::splat(high) }
        }
    }
    #[inline(always)]
    unsafe fn nothing() -> Sum<V> {
        // SAFETY: the caller's.
        let zero = unsafe { V::splat(F128(0)) };
        Sum { squares: [zero; 3], crosses: [zero; 3] }
    }
    #[inline(always)]
    unsafe fn add_product(sum: &mut Sum<V>, a: Self, b: Self) {
        let Sum { squares: [p00, p11, p22], crosses: [p01, p02, p12] } = sum;
        // SAFETY: the caller's.
        unsafe {
            *p00 = p00.xor(a.low.clmul::<0x00>(b.low));
            *p11 = p11.xor(a.low.clmul::<0x11>(b.low));
            *p22 = p22.xor(a.high.clmul::<0x00>(b.high));
            let (neighbours_a, neighbours_b) = (a.low.xor(a.low.down64()), b.low.xor(b.low.down64()));
            *p01 = p01.xor(neighbours_a.clmul::<0x00>(neighbours_b));
            // Word 0 and word 2, word 1 and word 2.
            let (with_a, with_b) =
                (a.low.xor(a.high.low_halves(a.high)), b.low.xor(b.high.low_halves(b.high)));
            *p02 = p02.xor(with_a.clmul::<0x00>(with_b));
            *p12 = p12.xor(with_a.clmul::<0x11>(with_b));
        }
    }
    #[inline(always)]
    unsafe fn fold(sum: Sum<V>, mut single: Sum<V::One>) -> Sum<V::One> {
        // SAFETY: the caller's.
        unsafe {
            for i in 0..3 {
                single.squares[i] = single.squares[i].xor(V::One::splat(sum.squares[i].fold()));
                single.crosses[i] = single.crosses[i].xor(V::One::splat(sum.crosses[i].fold()));
            }
        }
        single
    }
    #[inline(always)]
    unsafe fn add_columns(sum: &mut Sum<V>, from: *const F, stride: usize, factors: *const F) {
        // SAFETY: the caller's.
        unsafe {
            for column in 0..2 {
                let rows = Self::rows(from.add(column), stride);
                <Self as Group<F>>::add_product(sum, rows, Self::splat(&*factors.add(column)));
            }
        }
    }
    #[inline(always)]
    unsafe fn reduce(sum: Sum<V>) -> Self {
        let Sum { squares: [p00, p11, p22], crosses: [p01, p02, p12] } = sum;
        // SAFETY: the caller's.
        unsafe {
            // Karatsuba: what begins at words 1, 2 and 3.
            let one = p01.xor(p00).xor(p11);
            let two = p02.xor(p00).xor(p11).xor(p22);
            let three = p12.xor(p11).xor(p22);
            let low = p00.xor(one.up64());
            let middle = two.xor(one.down64()).xor(three.up64());
            let high = p22.xor(three.down64());
            // X^192 is X^32·tail, and X^256 is 64 places above. None sticks out from the last fold.
            let tail = V::splat(F128(u128::from(F::TAIL) << 64 | u128::from(F::TAIL) << 32));
            let above = high.clmul::<0x00>(tail);
            let low = low.xor(middle.clmul::<0x01>(tail)).xor(above.up64());
            let middle = middle.xor(above.down64());
            let low = low.xor(middle.shr::<32>().clmul::<0x10>(tail));
            Self { low, high: middle.and(V::splat(F128(0xffff_ffff))) }
        }
    }
}

impl<V: Simd> Pairs<V> {
    /// The elements `from[stride·i]`, each of which must be valid.
    #[inline(always)]
    unsafe fn rows<F: Binary>(from: *const F, stride: usize) -> Self {
        let from: *const F128 = from.cast();
        // SAFETY: the caller's; an element is two lanes.
        unsafe { Self { low: V::gather(from, 2 * stride), high: V::gather(from.add(1), 2 * stride) } }
    }
}
