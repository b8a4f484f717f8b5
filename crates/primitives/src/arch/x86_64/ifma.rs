//! Products over F_{2^61-1} by the multiply-add of AVX-512 on 52 bits.
//!
//! An element is two limbs of 52 and 9 bits: of a factor the instruction takes the low 52, and a
//! shift gives the others.

pub(super) mod f61;
pub(super) mod f61x2;

use crate::field::F61;
use core::arch::x86_64::*;

/// Elements of a vector.
const LANES: usize = 8;

/// Sums of products in each lane: what counts once, what counts 2^52 times and what counts 2^104 times. An
/// addition has an accumulator of its own for each of its instructions, so that none waits for another.
#[derive(Clone, Copy)]
struct Sum {
    low: __m512i,
    middle: [__m512i; 3],
    high: [__m512i; 3],
}

/// Products that a sum holds: 2^10 of 52 bits in each accumulator, so that sums of a few of
/// them are below 2^64.
const PRODUCTS: usize = 1 << 10;

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn splat(word: u64) -> __m512i {
    _mm512_set1_epi64(word as i64)
}

/// Minus `x`, as an integer up to p, which a product takes like an element.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn negated(x: __m512i) -> __m512i {
    _mm512_sub_epi64(splat(F61::MODULUS), x)
}

/// The elements of integers of 64 bits.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn reduce(x: __m512i) -> __m512i {
    let p = splat(F61::MODULUS);
    let folded = _mm512_add_epi64(_mm512_and_si512(x, p), _mm512_srli_epi64::<61>(x));
    // The lesser of x and x - p, which wraps around below p.
    _mm512_min_epu64(folded, _mm512_sub_epi64(folded, p))
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn sum(x: [__m512i; 3]) -> __m512i {
    _mm512_add_epi64(_mm512_add_epi64(x[0], x[1]), x[2])
}

impl Sum {
    /// The sum that starts from integers below 2^62.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn from(low: __m512i) -> Self {
        Self { low, middle: [_mm512_setzero_si512(); 3], high: [_mm512_setzero_si512(); 3] }
    }

    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn zero() -> Self {
        Self::from(_mm512_setzero_si512())
    }

    /// Adds a·b.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn add(&mut self, a: __m512i, b: __m512i) {
        let (a_high, b_high) = (_mm512_srli_epi64::<52>(a), _mm512_srli_epi64::<52>(b));
        self.low = _mm512_madd52lo_epu64(self.low, a, b);
        self.middle[0] = _mm512_madd52hi_epu64(self.middle[0], a, b);
        self.middle[1] = _mm512_madd52lo_epu64(self.middle[1], a, b_high);
        self.middle[2] = _mm512_madd52lo_epu64(self.middle[2], a_high, b);
        self.high[0] = _mm512_madd52hi_epu64(self.high[0], a, b_high);
        self.high[1] = _mm512_madd52hi_epu64(self.high[1], a_high, b);
        self.high[2] = _mm512_madd52lo_epu64(self.high[2], a_high, b_high);
    }

    /// The element in each lane.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn lanes(self) -> __m512i {
        let (middle, high) = (sum(self.middle), sum(self.high));
        // 2^104 is 2^43: bits from 9 on of the middle, and from 18 on of the high sum,
        // count from 2^61 = 1 on.
        let p = splat(F61::MODULUS);
        let whole = _mm512_add_epi64(_mm512_srli_epi64::<9>(middle), _mm512_srli_epi64::<18>(high));
        let middle = _mm512_and_si512(_mm512_slli_epi64::<52>(middle), p);
        let high = _mm512_and_si512(_mm512_slli_epi64::<43>(high), p);
        reduce(_mm512_add_epi64(_mm512_add_epi64(self.low, whole), _mm512_add_epi64(middle, high)))
    }

    /// The sum over all lanes.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn total(self) -> F61 {
        // Eight elements fill 64 bits.
        let mut lanes = [F61::default(); LANES];
        store(&mut lanes, self.lanes());
        F61::new(lanes.into_iter().map(F61::get).sum())
    }

    /// The sum over the even lanes, and that over the odd ones.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn totals(self) -> [F61; 2] {
        let mut lanes = [F61::default(); LANES];
        store(&mut lanes, self.lanes());
        let mut totals = [0; 2];
        for (i, lane) in lanes.into_iter().enumerate() {
            totals[i % 2] += lane.get();
        }
        totals.map(F61::new)
    }

    /// The sum of two, which together hold no more products than one may.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn merged(mut self, other: Self) -> Self {
        self.low = _mm512_add_epi64(self.low, other.low);
        for i in 0..3 {
            self.middle[i] = _mm512_add_epi64(self.middle[i], other.middle[i]);
            self.high[i] = _mm512_add_epi64(self.high[i], other.high[i]);
        }
        self
    }
}

/// Sums of products with one accumulator for all words of one weight: for so many sums at a time that no
/// instruction waits for another, where those of a [`Sum`] would not fit the register file.
#[derive(Clone, Copy)]
struct Narrow {
    low: __m512i,
    middle: __m512i,
    high: __m512i,
}

impl Narrow {
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn zero() -> Self {
        let zero = _mm512_setzero_si512();
        Self { low: zero, middle: zero, high: zero }
    }

    /// Adds a·b.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn add(&mut self, a: __m512i, b: __m512i) {
        let (a_high, b_high) = (_mm512_srli_epi64::<52>(a), _mm512_srli_epi64::<52>(b));
        self.low = _mm512_madd52lo_epu64(self.low, a, b);
        self.middle = _mm512_madd52hi_epu64(self.middle, a, b);
        self.high = _mm512_madd52hi_epu64(self.high, a, b_high);
        self.middle = _mm512_madd52lo_epu64(self.middle, a, b_high);
        self.high = _mm512_madd52hi_epu64(self.high, a_high, b);
        self.middle = _mm512_madd52lo_epu64(self.middle, a_high, b);
        self.high = _mm512_madd52lo_epu64(self.high, a_high, b_high);
    }

    /// The sum over all lanes.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn total(self) -> F61 {
        // Three times 2^52 for each of the products are below 2^64 as well.
        let zero = _mm512_setzero_si512();
        Sum { low: self.low, middle: [self.middle, zero, zero], high: [self.high, zero, zero] }.total()
    }
}

/// The vectors of elements that are all there is in `from`, or in values with their MACs.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn load<const N: usize, T>(from: &[T; LANES]) -> [__m512i; N] {
    const { assert!(size_of::<[T; LANES]>() == 64 * N) };
    let from = core::ptr::from_ref(from).cast::<__m512i>();
    let mut vectors = [_mm512_setzero_si512(); N];
    for (i, vector) in vectors.iter_mut().enumerate() {
        // SAFETY: `from` is N vectors long and, of elements only, without padding; the load is unaligned.
        *vector = unsafe { _mm512_loadu_si512(from.add(i)) };
    }
    vectors
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn store(to: &mut [F61; LANES], vector: __m512i) {
    // SAFETY: `to` is a vector long; the store is unaligned.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), vector) }
}

/// The even words of both vectors, and the odd ones.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn part(x: __m512i, y: __m512i) -> [__m512i; 2] {
    let even = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
    let odd = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
    [_mm512_permutex2var_epi64(x, even, y), _mm512_permutex2var_epi64(x, odd, y)]
}

/// Every third run of W words, from run 0, 1 and 2 on.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn thirds<const W: usize>(x: [__m512i; 3]) -> [__m512i; 3] {
    let mut thirds = x;
    for (c, third) in thirds.iter_mut().enumerate() {
        // Lane l is word 3·(l - l mod W) + c·W + l mod W: from the first two vectors, then from the last.
        let (mut first, mut last) = ([0u64; LANES], [0u64; LANES]);
        for l in 0..LANES {
            let word = 3 * (l - l % W) + c * W + l % W;
            (first[l], last[l]) = (word as u64 % 16, if word < 16 { l } else { word - 8 } as u64);
        }
        let ([first], [last]) = (load(&first), load(&last));
        *third = _mm512_permutex2var_epi64(_mm512_permutex2var_epi64(x[0], first, x[1]), last, x[2]);
    }
    thirds
}
