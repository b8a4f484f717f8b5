//! The vectors of one, two and four lanes.

use crate::arch::simd::{FLIGHT, Simd, thrice};
use crate::field::F128;
use core::arch::asm;
use core::arch::x86_64::*;

/// Implements [`Simd`] for one vector type by its intrinsics, named in the order of the trait. Those of more
/// than one are written like closures, but substituted.
macro_rules! simd {
    ($vector:ty, $lanes:literal, $abreast:ident, $load:ident, $store:ident, |$splat_x:ident| $splat:expr,
     |$count_start:ident| $count:expr, |$gather_from:ident, $gather_stride:pat_param| $gather:expr,
     |$scatter_x:ident, $scatter_to:ident, $scatter_stride:pat_param| $scatter:expr,
     |$equal_x:ident, $equal_y:ident| $equal:expr, |$greater_x:ident, $greater_y:ident| $greater:expr,
     |$high_from:ident| $load_high:expr,
     |$masks_from:ident| $masks:expr, |$words_from:ident| $load_words:expr,
     |$thrice_from:ident, $thrice_part:ident| $load_thrice:expr,
     |$part_x:ident, $part_y:ident| $part:expr, |$fold_x:ident| $fold:expr,
     |$sum:ident, $sum_a:ident, $sum_b:ident| $add_product:expr,
     $add:ident, $sub:ident, $multiply32:ident, $xor:ident, $and:ident, $shuffle8:ident, $unpacklo8:ident,
     $unpackhi8:ident, $shuffle32:ident, $slli32:ident, $srai32:ident, $aesenc:ident,
     $aesenclast:ident, $clmul:ident, $bslli:ident, $bsrli:ident, $sll64:ident, $srl64:ident, $unpacklo:ident,
     $unpackhi:ident $(, |$triples_from:ident| $load_triples:expr)?) => {
        impl Simd for $vector {
            const LANES: usize = $lanes;
            type One = __m128i;

            #[inline(always)]
            unsafe fn abreast(vectors: &mut [Self; FLIGHT]) {
                // SAFETY: the caller's.
                unsafe { $abreast(vectors) }
            }
            #[inline(always)]
            unsafe fn prefetch(at: *const F128) {
                // SAFETY: the caller's.
                unsafe { _mm_prefetch::<_MM_HINT_T1>(at.cast()) }
            }
            #[inline(always)]
            unsafe fn load(from: *const F128) -> Self {
                // SAFETY: the caller's.
                unsafe { $load(from.cast()) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut F128) {
                // SAFETY: the caller's.
                unsafe { $store(to.cast(), self) }
            }
            #[inline(always)]
            unsafe fn gather($gather_from: *const F128, $gather_stride: usize) -> Self {
                // SAFETY: the caller's.
                unsafe { $gather }
            }
            #[inline(always)]
            unsafe fn scatter(self, $scatter_to: *mut F128, $scatter_stride: usize) {
                let $scatter_x = self;
                // SAFETY: the caller's.
                unsafe { $scatter }
            }
            #[inline(always)]
            unsafe fn splat(element: F128) -> Self {
                // SAFETY: the caller's; an `F128` is 16 bytes.
                unsafe {
                    let $splat_x = _mm_loadu_si128((&raw const element).cast());
                    $splat
                }
            }
            #[inline(always)]
            unsafe fn count($count_start: u128) -> Self {
                // SAFETY: the caller's.
                unsafe { $count }
            }
            #[inline(always)]
            unsafe fn load_high($high_from: *const u64) -> Self {
                // SAFETY: the caller's.
                unsafe { $load_high }
            }
            #[inline(always)]
            unsafe fn masks($masks_from: *const u8) -> Self {
                // SAFETY: the caller's.
                unsafe { $masks }
            }
            #[inline(always)]
            unsafe fn load_words($words_from: *const u32) -> Self {
                // SAFETY: the caller's.
                unsafe { $load_words }
            }
            #[inline(always)]
            unsafe fn load_thrice<const PART: usize>($thrice_from: *const u32) -> Self {
                let $thrice_part = const { thrice::<{ 4 * $lanes }>(PART) };
                // SAFETY: the caller's; the places are as long as a vector.
                unsafe { $load_thrice }
            }
            $(#[inline(always)]
            unsafe fn load_triples($triples_from: *const [u64; 3]) -> [Self; 3] {
                // SAFETY: the caller's.
                unsafe { $load_triples }
            })?
            #[inline(always)]
            unsafe fn xor(self, other: Self) -> Self {
                // SAFETY: the caller's.
                unsafe { $xor(self, other) }
            }
            #[inline(always)]
            unsafe fn and(self, other: Self) -> Self {
                // SAFETY: the caller's.
                unsafe { $and(self, other) }
            }
            #[inline(always)]
            unsafe fn equal(self, $equal_y: Self) -> Self {
                let $equal_x = self;
                // SAFETY: the caller's.
                unsafe { $equal }
            }
            #[inline(always)]
            unsafe fn swap_halves(self) -> Self {
                // SAFETY: the caller's.
                unsafe { $shuffle32::<0b01_00_11_10>(self) }
            }
            #[inline(always)]
            unsafe fn shuffle8(self, places: Self) -> Self {
                // SAFETY: the caller's.
                unsafe { $shuffle8(self, places) }
            }
            #[inline(always)]
            unsafe fn interleave8(self, other: Self) -> (Self, Self) {
                // SAFETY: the caller's.
                unsafe { ($unpacklo8(self, other), $unpackhi8(self, other)) }
            }
            #[inline(always)]
            unsafe fn bit0_mask(self) -> Self {
                // SAFETY: the caller's.
                unsafe { $srai32::<31>($slli32::<31>($shuffle32::<0>(self))) }
            }
            #[inline(always)]
            unsafe fn aes_round(self, key: Self) -> Self {
                // SAFETY: the caller's.
                unsafe { $aesenc(self, key) }
            }
            #[inline(always)]
            unsafe fn aes_last(self, key: Self) -> Self {
                // SAFETY: the caller's.
                unsafe { $aesenclast(self, key) }
            }
            #[inline(always)]
            unsafe fn clmul<const HALVES: i32>(self, other: Self) -> Self {
                // SAFETY: the caller's.
                unsafe { $clmul::<HALVES>(self, other) }
            }
            #[inline(always)]
            unsafe fn up32(self) -> Self {
                // SAFETY: the caller's.
                unsafe { $bslli::<4>(self) }
            }
            #[inline(always)]
            unsafe fn down32(self) -> Self {
                // SAFETY: the caller's.
                unsafe { $bsrli::<4>(self) }
            }
            #[inline(always)]
            unsafe fn up64(self) -> Self {
                // SAFETY: the caller's.
                unsafe { $bslli::<8>(self) }
            }
            #[inline(always)]
            unsafe fn down64(self) -> Self {
                // SAFETY: the caller's.
                unsafe { $bsrli::<8>(self) }
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: the caller's.
                unsafe { $add(self, other) }
            }
            #[inline(always)]
            unsafe fn sub(self, other: Self) -> Self {
                // SAFETY: the caller's.
                unsafe { $sub(self, other) }
            }
            #[inline(always)]
            unsafe fn greater(self, $greater_y: Self) -> Self {
                let $greater_x = self;
                // SAFETY: the caller's.
                unsafe { $greater }
            }
            #[inline(always)]
            unsafe fn sign(self) -> Self {
                // SAFETY: the caller's.
                unsafe { $srai32::<31>($shuffle32::<0b11_11_01_01>(self)) }
            }
            #[inline(always)]
            unsafe fn multiply32(self, other: Self) -> Self {
                // SAFETY: the caller's.
                unsafe { $multiply32(self, other) }
            }
            #[inline(always)]
            unsafe fn add_product(self, $sum_a: Self, $sum_b: Self) -> Self {
                let $sum = self;
                // SAFETY: the caller's.
                unsafe { $add_product }
            }
            #[inline(always)]
            unsafe fn shl<const BITS: u32>(self) -> Self {
                // SAFETY: the caller's.
                unsafe { $sll64(self, _mm_cvtsi64_si128(BITS as i64)) }
            }
            #[inline(always)]
            unsafe fn shr<const BITS: u32>(self) -> Self {
                // SAFETY: the caller's.
                unsafe { $srl64(self, _mm_cvtsi64_si128(BITS as i64)) }
            }
            #[inline(always)]
            unsafe fn low_halves(self, other: Self) -> Self {
                // SAFETY: the caller's.
                unsafe { $unpacklo(self, other) }
            }
            #[inline(always)]
            unsafe fn high_halves(self, other: Self) -> Self {
                // SAFETY: the caller's.
                unsafe { $unpackhi(self, other) }
            }
            #[inline(always)]
            unsafe fn part(self, $part_y: Self) -> (Self, Self) {
                let $part_x = self;
                // SAFETY: the caller's.
                unsafe { $part }
            }
            #[inline(always)]
            unsafe fn fold(self) -> F128 {
                // SAFETY: the caller's.
                unsafe {
                    let $fold_x = self;
                    let lane: __m128i = $fold;
                    let mut element = F128(0);
                    _mm_storeu_si128((&raw mut element).cast(), lane);
                    element
                }
            }
        }
    };
}

/// A function for [`Simd::abreast`]: one of these vectors, the class of its registers, their instructions.
macro_rules! abreast {
    ($name:ident, $vector:ty, $register:ident, $features:literal) => {
        #[inline]
        #[target_feature(enable = $features)]
        unsafe fn $name([a, b, c, d, e, f, g, h]: &mut [$vector; FLIGHT]) {
            // SAFETY: a comment, between values in the same registers.
            unsafe {
                asm!(
                    "/* {0} {1} {2} {3} {4} {5} {6} {7} */",
                    inout($register) * a,
                    inout($register) * b,
                    inout($register) * c,
                    inout($register) * d,
                    inout($register) * e,
                    inout($register) * f,
                    inout($register) * g,
                    inout($register) * h,
                    options(pure, nomem, nostack, preserves_flags)
                );
            }
        }
    };
}

abreast!(abreast128, __m128i, xmm_reg, "sse2");
abreast!(abreast256, __m256i, ymm_reg, "avx2");
abreast!(abreast512, __m512i, zmm_reg, "avx512f");

#[inline(always)]
unsafe fn lane(element: u128) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_set_epi64x((element >> 64) as i64, element as i64) }
}

simd!(
    __m128i,
    1,
    abreast128,
    _mm_loadu_si128,
    _mm_storeu_si128,
    |x| x,
    |start| lane(start),
    |from, _| _mm_loadu_si128(from.cast()),
    |x, to, _| _mm_storeu_si128(to.cast(), x),
    |x, y| _mm_cmpeq_epi64(x, y),
    |x, y| _mm_cmpgt_epi64(x, y),
    |from| _mm_bslli_si128::<8>(_mm_loadl_epi64(from.cast())),
    |from| _mm_set1_epi8((*from as i8).wrapping_neg()),
    |from| _mm_cvtepu32_epi64(_mm_loadl_epi64(from.cast())),
    |from, places| {
        let words = from.cast::<[u32; 4]>().read_unaligned();
        let [a, b, c, d] = places;
        _mm_set_epi32(
            words[d as usize] as i32,
            words[c as usize] as i32,
            words[b as usize] as i32,
            words[a as usize] as i32,
        )
    },
    |x, y| (_mm_unpacklo_epi64(x, y), _mm_unpackhi_epi64(x, y)),
    |x| x,
    |sum, a, b| {
        let product = _mm_mul_pd(_mm_castsi128_pd(a), _mm_castsi128_pd(b));
        _mm_castpd_si128(_mm_add_pd(_mm_castsi128_pd(sum), product))
    },
    _mm_add_epi64,
    _mm_sub_epi64,
    _mm_mul_epu32,
    _mm_xor_si128,
    _mm_and_si128,
    _mm_shuffle_epi8,
    _mm_unpacklo_epi8,
    _mm_unpackhi_epi8,
    _mm_shuffle_epi32,
    _mm_slli_epi32,
    _mm_srai_epi32,
    _mm_aesenc_si128,
    _mm_aesenclast_si128,
    _mm_clmulepi64_si128,
    _mm_bslli_si128,
    _mm_bsrli_si128,
    _mm_sll_epi64,
    _mm_srl_epi64,
    _mm_unpacklo_epi64,
    _mm_unpackhi_epi64
);

simd!(
    __m256i,
    2,
    abreast256,
    _mm256_loadu_si256,
    _mm256_storeu_si256,
    |x| _mm256_broadcastsi128_si256(x),
    |start| _mm256_set_m128i(lane(start + 1), lane(start)),
    |from, stride| _mm256_set_m128i(_mm_loadu_si128(from.add(stride).cast()), _mm_loadu_si128(from.cast())),
    |x, to, stride| {
        _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(x));
        _mm_storeu_si128(to.add(stride).cast(), _mm256_extracti128_si256::<1>(x));
    },
    |x, y| _mm256_cmpeq_epi64(x, y),
    |x, y| _mm256_cmpgt_epi64(x, y),
    |from| {
        let words = _mm256_castsi128_si256(_mm_loadu_si128(from.cast()));
        _mm256_bslli_epi128::<8>(_mm256_permute4x64_epi64::<0b00_01_00_00>(words))
    },
    |from| {
        let bytes = _mm256_set1_epi16(from.cast::<i16>().read_unaligned());
        let spread = _mm256_shuffle_epi8(bytes, _mm256_set_m128i(_mm_set1_epi8(1), _mm_setzero_si128()));
        _mm256_sub_epi8(_mm256_setzero_si256(), spread)
    },
    |from| _mm256_cvtepu32_epi64(_mm_loadu_si128(from.cast())),
    |from, places| {
        let places = _mm256_loadu_si256(places.as_ptr().cast());
        _mm256_permutevar8x32_epi32(_mm256_loadu_si256(from.cast()), places)
    },
    |x, y| {
        let (low, high) = (_mm256_unpacklo_epi64(x, y), _mm256_unpackhi_epi64(x, y));
        (_mm256_permute4x64_epi64::<0b11_01_10_00>(low), _mm256_permute4x64_epi64::<0b11_01_10_00>(high))
    },
    |x| _mm_xor_si128(_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x)),
    |sum, a, b| {
        let (a, b) = (_mm256_castsi256_pd(a), _mm256_castsi256_pd(b));
        _mm256_castpd_si256(_mm256_fmadd_pd(a, b, _mm256_castsi256_pd(sum)))
    },
    _mm256_add_epi64,
    _mm256_sub_epi64,
    _mm256_mul_epu32,
    _mm256_xor_si256,
    _mm256_and_si256,
    _mm256_shuffle_epi8,
    _mm256_unpacklo_epi8,
    _mm256_unpackhi_epi8,
    _mm256_shuffle_epi32,
    _mm256_slli_epi32,
    _mm256_srai_epi32,
    _mm256_aesenc_epi128,
    _mm256_aesenclast_epi128,
    _mm256_clmulepi64_epi128,
    _mm256_bslli_epi128,
    _mm256_bsrli_epi128,
    _mm256_sll_epi64,
    _mm256_srl_epi64,
    _mm256_unpacklo_epi64,
    _mm256_unpackhi_epi64
);

simd!(
    __m512i,
    4,
    abreast512,
    _mm512_loadu_si512,
    _mm512_storeu_si512,
    |x| _mm512_broadcast_i32x4(x),
    |start| _mm512_add_epi64(_mm512_broadcast_i32x4(lane(start)), _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0)),
    |from, stride| {
        let low = _mm512_castsi128_si512(_mm_loadu_si128(from.cast()));
        let low = _mm512_inserti32x4::<1>(low, _mm_loadu_si128(from.add(stride).cast()));
        let low = _mm512_inserti32x4::<2>(low, _mm_loadu_si128(from.add(2 * stride).cast()));
        _mm512_inserti32x4::<3>(low, _mm_loadu_si128(from.add(3 * stride).cast()))
    },
    |x, to, stride| {
        _mm_storeu_si128(to.cast(), _mm512_castsi512_si128(x));
        _mm_storeu_si128(to.add(stride).cast(), _mm512_extracti32x4_epi32::<1>(x));
        _mm_storeu_si128(to.add(2 * stride).cast(), _mm512_extracti32x4_epi32::<2>(x));
        _mm_storeu_si128(to.add(3 * stride).cast(), _mm512_extracti32x4_epi32::<3>(x));
    },
    |x, y| _mm512_movm_epi64(_mm512_cmpeq_epi64_mask(x, y)),
    |x, y| _mm512_movm_epi64(_mm512_cmpgt_epi64_mask(x, y)),
    |from| {
        let words = _mm512_castsi256_si512(_mm256_loadu_si256(from.cast()));
        _mm512_maskz_permutexvar_epi64(0b1010_1010, _mm512_set_epi64(3, 0, 2, 0, 1, 0, 0, 0), words)
    },
    |from| {
        let bytes = _mm512_set1_epi32(from.cast::<i32>().read_unaligned());
        let third = 0x0303_0303_0303_0303;
        let places = _mm512_set_epi64(third, third, third * 2 / 3, third * 2 / 3, third / 3, third / 3, 0, 0);
        _mm512_sub_epi8(_mm512_setzero_si512(), _mm512_shuffle_epi8(bytes, places))
    },
    |from| _mm512_cvtepu32_epi64(_mm256_loadu_si256(from.cast())),
    |from, places| {
        let places = _mm512_loadu_si512(places.as_ptr().cast());
        _mm512_permutexvar_epi32(places, _mm512_loadu_si512(from.cast()))
    },
    |x, y| {
        let low = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
        let high = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
        (_mm512_permutex2var_epi64(x, low, y), _mm512_permutex2var_epi64(x, high, y))
    },
    |x| {
        let halves = _mm256_xor_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64::<1>(x));
        _mm_xor_si128(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves))
    },
    |sum, a, b| {
        let (a, b) = (_mm512_castsi512_pd(a), _mm512_castsi512_pd(b));
        _mm512_castpd_si512(_mm512_fmadd_pd(a, b, _mm512_castsi512_pd(sum)))
    },
    _mm512_add_epi64,
    _mm512_sub_epi64,
    _mm512_mul_epu32,
    _mm512_xor_si512,
    _mm512_and_si512,
    _mm512_shuffle_epi8,
    _mm512_unpacklo_epi8,
    _mm512_unpackhi_epi8,
    _mm512_shuffle_epi32,
    _mm512_slli_epi32,
    _mm512_srai_epi32,
    _mm512_aesenc_epi128,
    _mm512_aesenclast_epi128,
    _mm512_clmulepi64_epi128,
    _mm512_bslli_epi128,
    _mm512_bsrli_epi128,
    _mm512_sll_epi64,
    _mm512_srl_epi64,
    _mm512_unpacklo_epi64,
    _mm512_unpackhi_epi64,
    |from| {
        let words: *const __m512i = from.cast();
        let (x, y, z) =
            (_mm512_loadu_si512(words), _mm512_loadu_si512(words.add(1)), _mm512_loadu_si512(words.add(2)));
        // What x and y have of each, and then the rest.
        let first = _mm512_permutex2var_epi64(x, _mm512_set_epi64(0, 0, 15, 12, 9, 6, 3, 0), y);
        let second = _mm512_permutex2var_epi64(x, _mm512_set_epi64(0, 0, 0, 13, 10, 7, 4, 1), y);
        let third = _mm512_permutex2var_epi64(x, _mm512_set_epi64(0, 0, 0, 14, 11, 8, 5, 2), y);
        [
            _mm512_permutex2var_epi64(first, _mm512_set_epi64(13, 10, 5, 4, 3, 2, 1, 0), z),
            _mm512_permutex2var_epi64(second, _mm512_set_epi64(14, 11, 8, 4, 3, 2, 1, 0), z),
            _mm512_permutex2var_epi64(third, _mm512_set_epi64(15, 12, 9, 4, 3, 2, 1, 0), z),
        ]
    }
);
