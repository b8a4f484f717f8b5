//! x86-64: AES-NI with PCLMULQDQ, and VAES with VPCLMULQDQ on 256 and 512 bits; with the latter, AVX-512 IFMA.

mod ifma;

use super::simd::{self, Simd};
use super::{Level, Punctures, Triple, portable};
use crate::aes::Aes128;
use crate::field::F128;
use core::arch::x86_64::*;

/// The levels this CPU has, the slowest first.
pub(super) fn levels() -> Vec<Level> {
    let mut levels = Vec::new();
    if is_x86_feature_detected!("aes")
        && is_x86_feature_detected!("pclmulqdq")
        && is_x86_feature_detected!("ssse3")
        && is_x86_feature_detected!("sse4.1")
    {
        levels.push(Level::Aesni);
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("vaes")
            && is_x86_feature_detected!("vpclmulqdq")
        {
            levels.push(Level::Vaes256);
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512ifma")
            {
                levels.push(Level::Vaes512);
            }
        }
    }
    levels
}

/// The round keys of AES-128.
///
/// # Safety
/// The CPU must have AES-NI.
#[target_feature(enable = "aes,sse2")]
pub(super) unsafe fn expand_key(key: F128) -> [F128; 11] {
    #[target_feature(enable = "aes,sse2")]
    fn next<const CONSTANT: i32>(key: __m128i) -> __m128i {
        let mut x = key;
        for _ in 0..3 {
            x = _mm_xor_si128(key, _mm_slli_si128::<4>(x));
        }
        _mm_xor_si128(x, _mm_shuffle_epi32::<0xff>(_mm_aeskeygenassist_si128::<CONSTANT>(key)))
    }
    let mut round = [F128(0); 11];
    // SAFETY: an `F128` is 16 bytes, and unaligned loads and stores are used.
    let (load, store) = unsafe {
        (_mm_loadu_si128((&raw const key).cast()), |to: &mut F128, x| {
            _mm_storeu_si128(core::ptr::from_mut(to).cast(), x)
        })
    };
    let k1 = next::<0x01>(load);
    let k2 = next::<0x02>(k1);
    let k3 = next::<0x04>(k2);
    let k4 = next::<0x08>(k3);
    let k5 = next::<0x10>(k4);
    let k6 = next::<0x20>(k5);
    let k7 = next::<0x40>(k6);
    let k8 = next::<0x80>(k7);
    let k9 = next::<0x1b>(k8);
    let k10 = next::<0x36>(k9);
    for (round, k) in round.iter_mut().zip([load, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10]) {
        store(round, k);
    }
    round
}

/// Implements [`Simd`] for one vector type by its intrinsics, named in the order of the trait. Those of more than one are
/// written like closures, but substituted.
macro_rules! simd {
    ($vector:ty, $lanes:literal, $load:ident, $store:ident, |$splat_x:ident| $splat:expr,
     |$count_start:ident| $count:expr, |$gather_from:ident, $gather_stride:pat_param| $gather:expr,
     |$scatter_x:ident, $scatter_to:ident, $scatter_stride:pat_param| $scatter:expr,
     |$equal_x:ident, $equal_y:ident| $equal:expr, |$high_from:ident| $load_high:expr,
     |$part_x:ident, $part_y:ident| $part:expr, |$fold_x:ident| $fold:expr,
     $add:ident, $xor:ident, $and:ident, $shuffle32:ident, $slli32:ident, $srai32:ident, $aesenc:ident,
     $aesenclast:ident, $clmul:ident, $bslli:ident, $bsrli:ident, $sll64:ident, $srl64:ident, $unpacklo:ident,
     $unpackhi:ident) => {
        impl Simd for $vector {
            const LANES: usize = $lanes;
            type One = __m128i;

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

#[inline(always)]
unsafe fn lane(element: u128) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_set_epi64x((element >> 64) as i64, element as i64) }
}

simd!(
    __m128i,
    1,
    _mm_loadu_si128,
    _mm_storeu_si128,
    |x| x,
    |start| lane(start),
    |from, _| _mm_loadu_si128(from.cast()),
    |x, to, _| _mm_storeu_si128(to.cast(), x),
    |x, y| _mm_cmpeq_epi64(x, y),
    |from| _mm_bslli_si128::<8>(_mm_loadl_epi64(from.cast())),
    |x, y| (_mm_unpacklo_epi64(x, y), _mm_unpackhi_epi64(x, y)),
    |x| x,
    _mm_add_epi64,
    _mm_xor_si128,
    _mm_and_si128,
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
    |from| {
        let words = _mm256_castsi128_si256(_mm_loadu_si128(from.cast()));
        _mm256_bslli_epi128::<8>(_mm256_permute4x64_epi64::<0b00_01_00_00>(words))
    },
    |x, y| {
        let (low, high) = (_mm256_unpacklo_epi64(x, y), _mm256_unpackhi_epi64(x, y));
        (_mm256_permute4x64_epi64::<0b11_01_10_00>(low), _mm256_permute4x64_epi64::<0b11_01_10_00>(high))
    },
    |x| _mm_xor_si128(_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x)),
    _mm256_add_epi64,
    _mm256_xor_si256,
    _mm256_and_si256,
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
    |from| {
        let words = _mm512_castsi256_si512(_mm256_loadu_si256(from.cast()));
        _mm512_maskz_permutexvar_epi64(0b1010_1010, _mm512_set_epi64(3, 0, 2, 0, 1, 0, 0, 0), words)
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
    _mm512_add_epi64,
    _mm512_xor_si512,
    _mm512_and_si512,
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
    _mm512_unpackhi_epi64
);

/// Names the instructions of each kernel, and inlines its generic body.
macro_rules! forward {
    ($features:literal: $(fn $kernel:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? = $body:path;)*) => {
        $(
            #[target_feature(enable = $features)]
            pub(in crate::arch) unsafe fn $kernel($($argument: $type),*) $(-> $result)? {
                // SAFETY: this function names the instructions of the body. Some bodies are plain Rust.
                #[allow(unused_unsafe)]
                unsafe { $body($($argument),*) }
            }
        )*
    };
}

/// The kernels of one level, those on products over F_{2^61-1} by the module `$products`.
macro_rules! kernels {
    ($(#[$doc:meta])* $level:ident, $vector:ty, $products:ident, $features:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The CPU must have the instructions of the level.
        pub(super) mod $level {
            use super::*;

            forward! { $features:
                fn encrypt(key: &Aes128, blocks: &mut [F128]) = simd::encrypt::<$vector>;
                fn counter(key: &Aes128, start: u128, out: &mut [F128]) = simd::counter::<$vector>;
                fn fold_leaves(
                    key: &Aes128,
                    leaves: &[F128],
                    start: u128,
                    total: &mut [F128],
                    planes: &mut [F128]
                ) = simd::fold_leaves::<$vector>;
                fn grow(key: &Aes128, nodes: &mut [F128]) = simd::grow::<$vector>;
                fn sum_rows(nodes: &[F128], sums: &mut [F128]) = simd::sum_rows::<$vector>;
                fn puncture(nodes: &mut [F128], punctures: Punctures) = simd::puncture::<$vector>;
                fn encode(key: &Aes128, first: u64, table: &[F128], rows: &mut [F128]) =
                    simd::encode::<$vector>;
                fn weigh(chi: &[F128], words: &[F128]) -> (F128, F128) = simd::weigh::<$vector>;
                fn dot(a: &[F128], b: &[F128]) -> F128 = simd::dot::<$vector>;
                fn multiply(a: &[F128], b: &[F128], out: &mut [F128]) = simd::multiply::<$vector>;
                fn prover_sums(chi: &[F128], triples: &[Triple]) -> (F128, F128) =
                    simd::prover_sums::<$vector>;
                fn verifier_sums(chi: &[F128], triples: &[Triple]) -> (F128, F128) =
                    simd::verifier_sums::<$vector>;
                fn transpose(columns: &[F128], rows: &mut [F128]) = simd::transpose::<$vector>;
            }

            pub(in super::super) mod f61 {
                use super::*;
                use crate::arch::f61::{Gate, Row};
                use crate::field::F61;
                use crate::mac::Holes;

                forward! { $features:
                    fn grow_leaves(key: &Aes128, parents: &mut [F128], leaves: &mut [F61]) =
                        simd::f61::grow_leaves::<$vector>;
                    fn sum_rows(nodes: &[F61], sums: &mut [F61]) = simd::f61::sum_rows::<$vector>;
                    fn puncture(leaves: &[F61], holes: Holes<F61, F61>, rows: &mut [Row]) =
                        simd::f61::puncture::<$vector>;
                    fn encode_keys(matrix: &Aes128, first: u64, table: &[F61], rows: &mut [F61]) =
                        simd::f61::encode_keys::<$vector>;
                    fn encode_tagged(matrix: &Aes128, first: u64, table: &[Row], rows: &mut [Row]) =
                        simd::f61::encode_tagged::<$vector>;
                    fn sample_all(blocks: &[F128], out: &mut [F61]) = simd::f61::sample_all::<$vector>;
                    fn weigh(chi: &[F61], rows: &[Row]) -> (F61, F61) = $products::f61::weigh;
                    fn dot(a: &[F61], b: &[F61]) -> F61 = $products::f61::dot;
                    fn products(gates: &[Gate<Row>], constant: &mut [F61], linear: &mut [F61]) =
                        $products::f61::products;
                    fn verifier_sums(chi: &[F61], gates: &[Gate<F61>]) -> (F61, F61) =
                        $products::f61::verifier_sums;
                    fn correct(keys: &mut [F61], corrections: &[F61], delta: F61) = $products::f61::correct;
                }
            }

            pub(in super::super) mod f61x2 {
                use super::*;
                use crate::arch::f61::Gate;
                use crate::arch::f61x2::Row;
                use crate::field::{F61, F61x2};

                forward! { $features:
                    fn encode_tagged(matrix: &Aes128, first: u64, table: &[Row], rows: &mut [Row]) =
                        simd::f61x2::encode_tagged::<$vector>;
                    fn weigh(chi: &[F61x2], rows: &[Row]) -> (F61x2, F61x2) = $products::f61x2::weigh;
                    fn dot(a: &[F61x2], b: &[F61x2]) -> F61x2 = $products::f61x2::dot;
                    fn products(gates: &[Gate<Row>], constant: &mut [F61x2], linear: &mut [F61x2]) =
                        $products::f61x2::products;
                    fn verifier_sums(chi: &[F61x2], gates: &[Gate<F61x2>]) -> (F61x2, F61x2) =
                        $products::f61x2::verifier_sums;
                    fn correct(keys: &mut [F61x2], corrections: &[F61], delta: F61x2) =
                        $products::f61x2::correct;
                }
            }
        }
    };
}

kernels!(
    /// One lane: AES-NI and PCLMULQDQ.
    aesni, __m128i, portable, "aes,pclmulqdq,ssse3,sse4.1"
);
kernels!(
    /// Two lanes: VAES and VPCLMULQDQ on 256 bits.
    vaes256, __m256i, portable, "aes,pclmulqdq,avx2,vaes,vpclmulqdq"
);
kernels!(
    /// Four lanes: VAES and VPCLMULQDQ on 512 bits.
    vaes512, __m512i, ifma, "aes,pclmulqdq,avx2,vaes,vpclmulqdq,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma"
);
