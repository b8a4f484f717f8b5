//! Sums over F_{2^32-5} with factors of it: a lane is four words of 32 bits, and has the products of two at
//! a time. So no word changes its place, as it does for the template.

use super::Simd;
use crate::arch::portable::q32 as portable;
use crate::arch::q32::{Row, Sum};
use crate::field::{Binomial, F128, Q32, Q32x2};

/// Sums of products in each 64-bit half: all of them, and their high halves.
#[derive(Clone, Copy)]
struct Sums<V> {
    all: V,
    high: V,
}

/// Halves in the widest vector.
const HALVES: usize = 8;

impl<V: Simd> Sums<V> {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller upholds the condition of `Simd`.
        let zero = unsafe { V::splat(F128(0)) };
        Self { all: zero, high: zero }
    }

    /// Adds the product of the low 32 bits of each half.
    #[inline(always)]
    unsafe fn add(&mut self, a: V, b: V) {
        // SAFETY: the caller upholds the condition of `Simd`.
        unsafe {
            let product = a.multiply32(b);
            self.all = self.all.add(product);
            self.high = self.high.add(product.shr::<32>());
        }
    }

    /// The sums of all halves, of which number i goes to `columns[(first + 2·i) mod N]`.
    #[inline(always)]
    unsafe fn store<const N: usize>(self, first: usize, columns: &mut [Sum; N]) {
        let mut words = [[0u64; HALVES]; 2];
        // SAFETY: the caller upholds the condition of `Simd`; no vector is longer.
        unsafe {
            self.all.store(words[0].as_mut_ptr().cast());
            self.high.store(words[1].as_mut_ptr().cast());
        }
        for i in 0..2 * V::LANES {
            columns[(first + 2 * i) % N].merge(Sum { all: words[0][i], high: words[1][i] });
        }
    }
}

/// Adds the products of the words `from` of rows with the factors of the rows that they are in, where they
/// are the vector `PART` of the three that hold as many rows as a vector has words.
#[inline(always)]
unsafe fn linear_at<V: Simd, const PART: usize>(
    factors: *const u32,
    rows: *const u32,
    even: &mut Sums<V>,
    odd: &mut Sums<V>,
) {
    // SAFETY: the caller upholds the condition of `Simd`, and that there are 4·LANES factors and rows.
    unsafe {
        let factors = V::load_thrice::<PART>(factors);
        let words = V::load(rows.add(PART * 4 * V::LANES).cast());
        even.add(words, factors);
        odd.add(words.shr::<32>(), factors.shr::<32>());
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn linear<V: Simd>(factors: &[Q32], rows: &[Row]) -> Row {
    let whole = rows.len() - rows.len() % (4 * V::LANES);
    if whole == 0 {
        return portable::linear(factors, rows);
    }
    let (first_factors, first_row): (*const u32, *const u32) =
        (factors.as_ptr().cast(), rows.as_ptr().cast());
    let mut columns = [Sum::default(); 3];
    // SAFETY: the caller upholds the condition of `Simd` and that the lengths are equal;
    // a row is three words.
    unsafe {
        let (mut even, mut odd) = ([Sums::<V>::zero(); 3], [Sums::<V>::zero(); 3]);
        for i in (0..whole).step_by(4 * V::LANES) {
            let (factors, rows) = (first_factors.add(i), first_row.add(3 * i));
            linear_at::<V, 0>(factors, rows, &mut even[0], &mut odd[0]);
            linear_at::<V, 1>(factors, rows, &mut even[1], &mut odd[1]);
            linear_at::<V, 2>(factors, rows, &mut even[2], &mut odd[2]);
        }
        for part in 0..3 {
            let first = part * 4 * V::LANES;
            even[part].store(first, &mut columns);
            odd[part].store(first + 1, &mut columns);
        }
    }
    let [value, low, high] = columns.map(Sum::reduce);
    Row { value, mac: Binomial([low, high]) } + portable::linear(&factors[whole..], &rows[whole..])
}

#[inline(always)]
pub(in crate::arch) unsafe fn combine<V: Simd>(factors: &[Q32], a: &[Q32x2]) -> Q32x2 {
    let whole = a.len() - a.len() % (2 * V::LANES);
    if whole == 0 {
        return portable::combine(factors, a);
    }
    let (first_factors, first): (*const u32, *const F128) = (factors.as_ptr().cast(), a.as_ptr().cast());
    let mut columns = [Sum::default(); 2];
    // SAFETY: the caller upholds the condition of `Simd` and that the lengths are equal; two
    // elements are a lane.
    unsafe {
        let (mut low, mut high) = (Sums::<V>::zero(), Sums::<V>::zero());
        for i in (0..whole).step_by(2 * V::LANES) {
            let (factors, words) = (V::load_words(first_factors.add(i)), V::load(first.add(i / 2)));
            low.add(words, factors);
            high.add(words.shr::<32>(), factors);
        }
        low.store(0, &mut columns);
        high.store(1, &mut columns);
    }
    Binomial(columns.map(Sum::reduce)) + portable::combine(&factors[whole..], &a[whole..])
}
