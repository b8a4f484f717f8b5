//! x86-64: AES-NI with PCLMULQDQ, and VAES with VPCLMULQDQ on 256 and 512 bits; with the
//! latter, AVX-512 IFMA.

mod ifma;
mod vectors;

use super::simd::level::kernels;
use super::{Level, portable};
use crate::field::F128;
use core::arch::x86_64::*;

/// See [`super::has_tls_instructions`].
pub(super) fn has_tls_instructions() -> bool {
    is_x86_feature_detected!("aes")
        && is_x86_feature_detected!("pclmulqdq")
        && is_x86_feature_detected!("ssse3")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("adx")
        && is_x86_feature_detected!("avx")
        && is_x86_feature_detected!("avx2")
}

/// The levels this CPU has, the slowest first.
pub(super) fn levels() -> Vec<Level> {
    let mut levels = Vec::new();
    if is_x86_feature_detected!("aes")
        && is_x86_feature_detected!("pclmulqdq")
        && is_x86_feature_detected!("ssse3")
        && is_x86_feature_detected!("sse4.1")
        && is_x86_feature_detected!("sse4.2")
    {
        levels.push(Level::Aesni);
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
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

kernels!(
    /// One lane: AES-NI and PCLMULQDQ.
    aesni, __m128i, portable, "aes,pclmulqdq,ssse3,sse4.1,sse4.2"
);
kernels!(
    /// Two lanes: VAES and VPCLMULQDQ on 256 bits.
    vaes256, __m256i, portable, "aes,pclmulqdq,avx2,fma,vaes,vpclmulqdq"
);
kernels!(
    /// Four lanes: VAES and VPCLMULQDQ on 512 bits.
    vaes512, __m512i, ifma, "aes,pclmulqdq,avx2,fma,vaes,vpclmulqdq,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma"
);
