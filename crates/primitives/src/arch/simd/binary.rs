//! The kernels over binary fields, written once for the three shapes of an element.

mod halves;
mod pairs;
mod wholes;

use super::Simd;
use crate::arch::binary::{Binary, Shape};
use halves::Halves;
use pairs::Pairs;
use wholes::Wholes;

/// Consecutive elements in vectors, and sums of their products.
///
/// # Safety
/// Every method may be called only under the condition of [`Simd`].
trait Group<F: Binary>: Copy {
    /// The elements of a group.
    const COUNT: usize;
    /// Groups of at most [`MOST`] elements, for the ends of slices.
    type One: Group<F>;
    /// A sum of products for each of them, before reduction.
    type Sum: Copy;

    /// Reads `COUNT` elements; `from` must be valid for that.
    unsafe fn load(from: *const F) -> Self;
    /// Writes `COUNT` elements; `to` must be valid for that.
    unsafe fn store(self, to: *mut F);
    /// `COUNT` times the same element.
    unsafe fn splat(element: &F) -> Self;
    /// No products.
    unsafe fn nothing() -> Self::Sum;
    /// Adds `a[i]·b[i]` to sum i, for a and b in groups.
    unsafe fn add_product(sum: &mut Self::Sum, a: Self, b: Self);
    /// The sums of one lane, with those of all lanes of `sum` added.
    unsafe fn fold(sum: Self::Sum, single: <Self::One as Group<F>>::Sum) -> <Self::One as Group<F>>::Sum;
    /// Adds `from[stride·i]·factors[0] + from[stride·i + 1]·factors[1]` to sum i; the pointers
    /// must be valid for that.
    unsafe fn add_columns(sum: &mut Self::Sum, from: *const F, stride: usize, factors: *const F);
    /// The sums.
    unsafe fn reduce(sum: Self::Sum) -> Self;
}

/// Elements in a group of one lane.
const MOST: usize = 2;

#[inline(always)]
pub(in super::super) unsafe fn multiply<V: Simd, F: Binary>(a: &[F], b: &[F], out: &mut [F]) {
    // SAFETY: the caller's.
    unsafe {
        match F::SHAPE {
            Shape::Half => multiply_by::<Halves<V>, F>(a, b, out),
            Shape::Whole => multiply_by::<Wholes<V>, F>(a, b, out),
            Shape::Pair => multiply_by::<Pairs<V>, F>(a, b, out),
        }
    }
}

#[inline(always)]
pub(in super::super) unsafe fn scale_all<V: Simd, F: Binary>(a: &[F], factor: F, out: &mut [F]) {
    // SAFETY: the caller's.
    unsafe {
        match F::SHAPE {
            Shape::Half => scale_by::<Halves<V>, F>(a, factor, out),
            Shape::Whole => scale_by::<Wholes<V>, F>(a, factor, out),
            Shape::Pair => scale_by::<Pairs<V>, F>(a, factor, out),
        }
    }
}

#[inline(always)]
pub(in super::super) unsafe fn dot_product<V: Simd, F: Binary>(a: &[F], b: &[F]) -> F {
    // SAFETY: the caller's.
    unsafe {
        match F::SHAPE {
            Shape::Half => dot_by::<Halves<V>, F>(a, b),
            Shape::Whole => dot_by::<Wholes<V>, F>(a, b),
            Shape::Pair => dot_by::<Pairs<V>, F>(a, b),
        }
    }
}

#[inline(always)]
pub(in super::super) unsafe fn fold<V: Simd, F: Binary>(a: &[F], factors: &[F], out: &mut [F]) {
    // SAFETY: the caller's.
    unsafe {
        match F::SHAPE {
            Shape::Half => fold_by::<Halves<V>, F>(a, factors, out),
            Shape::Whole => fold_by::<Wholes<V>, F>(a, factors, out),
            Shape::Pair => fold_by::<Pairs<V>, F>(a, factors, out),
        }
    }
}

/// The elements of `a` from `start` on, and zeros behind them.
#[inline(always)]
fn padded<F: Binary>(a: &[F], start: usize) -> [F; MOST] {
    let mut end = [F::default(); MOST];
    end[..a.len() - start].copy_from_slice(&a[start..]);
    end
}

#[inline(always)]
unsafe fn product<G: Group<F>, F: Binary>(a: G, b: G) -> G {
    // SAFETY: the caller upholds the condition of `Group`.
    unsafe {
        let mut sum = G::nothing();
        G::add_product(&mut sum, a, b);
        G::reduce(sum)
    }
}

#[inline(always)]
unsafe fn multiply_by<G: Group<F>, F: Binary>(a: &[F], b: &[F], out: &mut [F]) {
    let length = out.len();
    let (wide, whole) = (length - length % G::COUNT, length - length % G::One::COUNT);
    // SAFETY: the caller upholds the condition of `Group` and that the lengths are equal; groups end below
    // `wide`, below `whole`, or within `MOST` elements.
    unsafe {
        for i in (0..wide).step_by(G::COUNT) {
            let product = product(G::load(a.as_ptr().add(i)), G::load(b.as_ptr().add(i)));
            product.store(out.as_mut_ptr().add(i));
        }
        for i in (wide..whole).step_by(G::One::COUNT) {
            let product =
                product::<G::One, F>(G::One::load(a.as_ptr().add(i)), G::One::load(b.as_ptr().add(i)));
            product.store(out.as_mut_ptr().add(i));
        }
        if whole < length {
            let (mut a, b) = (padded(a, whole), padded(b, whole));
            product::<G::One, F>(G::One::load(a.as_ptr()), G::One::load(b.as_ptr())).store(a.as_mut_ptr());
            out[whole..].copy_from_slice(&a[..length - whole]);
        }
    }
}

#[inline(always)]
unsafe fn scale_by<G: Group<F>, F: Binary>(a: &[F], factor: F, out: &mut [F]) {
    let length = out.len();
    let (wide, whole) = (length - length % G::COUNT, length - length % G::One::COUNT);
    // SAFETY: as in `multiply_by`.
    unsafe {
        let (factors, single) = (G::splat(&factor), G::One::splat(&factor));
        for i in (0..wide).step_by(G::COUNT) {
            product(G::load(a.as_ptr().add(i)), factors).store(out.as_mut_ptr().add(i));
        }
        for i in (wide..whole).step_by(G::One::COUNT) {
            product::<G::One, F>(G::One::load(a.as_ptr().add(i)), single).store(out.as_mut_ptr().add(i));
        }
        if whole < length {
            let mut a = padded(a, whole);
            product::<G::One, F>(G::One::load(a.as_ptr()), single).store(a.as_mut_ptr());
            out[whole..].copy_from_slice(&a[..length - whole]);
        }
    }
}

#[inline(always)]
unsafe fn dot_by<G: Group<F>, F: Binary>(a: &[F], b: &[F]) -> F {
    let (wide, whole) = (a.len() - a.len() % G::COUNT, a.len() - a.len() % G::One::COUNT);
    // SAFETY: as in `multiply_by`.
    unsafe {
        let (mut sum, mut single) = (G::nothing(), G::One::nothing());
        for i in (0..wide).step_by(G::COUNT) {
            G::add_product(&mut sum, G::load(a.as_ptr().add(i)), G::load(b.as_ptr().add(i)));
        }
        for i in (wide..whole).step_by(G::One::COUNT) {
            let (a, b) = (G::One::load(a.as_ptr().add(i)), G::One::load(b.as_ptr().add(i)));
            G::One::add_product(&mut single, a, b);
        }
        if whole < a.len() {
            let (a, b) = (padded(a, whole), padded(b, whole));
            G::One::add_product(&mut single, G::One::load(a.as_ptr()), G::One::load(b.as_ptr()));
        }
        let mut sums = [F::default(); MOST];
        G::One::reduce(G::fold(sum, single)).store(sums.as_mut_ptr());
        sums[..G::One::COUNT].iter().copied().sum()
    }
}

#[inline(always)]
unsafe fn fold_by<G: Group<F>, F: Binary>(a: &[F], factors: &[F], out: &mut [F]) {
    let k = factors.len();
    // SAFETY: the caller upholds the condition of `Group`. The sums of a group are over rows of k elements,
    // all of them in `a`, and columns end at k, or are the last two.
    unsafe {
        let &[.., last] = factors else { return };
        if k == 1 {
            return scale_by::<G, F>(a, last, out);
        }
        let full = a.len() / k;
        let whole = full - full % G::COUNT;
        for i in (0..whole).step_by(G::COUNT) {
            let rows = a.as_ptr().add(k * i);
            let mut sum = G::nothing();
            for v in (0..k - k % 2).step_by(2) {
                G::add_columns(&mut sum, rows.add(v), k, factors.as_ptr().add(v));
            }
            if k % 2 == 1 {
                G::add_columns(&mut sum, rows.add(k - 2), k, [F::default(), last].as_ptr());
            }
            G::reduce(sum).store(out.as_mut_ptr().add(i));
        }
        for (a, out) in a[k * whole..].chunks(k).zip(&mut out[whole..]) {
            *out = dot_by::<G, F>(a, &factors[..a.len()]);
        }
    }
}
