//! 64-bit ARM: NEON, with the instructions for AES and for carry-less products (PMULL).
//!
//! Sums of products over F_{2^61-1} and its square stay in plain Rust: NEON multiplies words of 32 bits, the
//! scalar instructions words of 64.

mod vectors;

use super::simd::level::kernels;
use super::{Level, portable, simd};
use crate::field::F128;
use core::arch::aarch64::uint64x2_t;
use std::arch::is_aarch64_feature_detected;

/// See [`super::has_tls_instructions`].
pub(super) fn has_tls_instructions() -> bool {
    is_aarch64_feature_detected!("neon")
        && is_aarch64_feature_detected!("aes")
        && is_aarch64_feature_detected!("pmull")
        && is_aarch64_feature_detected!("sha2")
}

/// The levels this CPU has.
pub(super) fn levels() -> Vec<Level> {
    // Vectors read words of 128 bits as two of 64, the low one first.
    let has = cfg!(target_endian = "little")
        && is_aarch64_feature_detected!("neon")
        && is_aarch64_feature_detected!("aes")
        && is_aarch64_feature_detected!("pmull");
    if has { vec![Level::Neon] } else { Vec::new() }
}

/// The round keys of AES-128.
///
/// # Safety
/// The CPU must have NEON and AES.
#[target_feature(enable = "neon,aes")]
pub(super) unsafe fn expand_key(key: F128) -> [F128; 11] {
    // SAFETY: this function names the instructions of the vector.
    unsafe { simd::gates::expand_key::<uint64x2_t>(key) }
}

kernels!(
    /// One lane: NEON with AES and PMULL, which `aes` names too.
    neon, uint64x2_t, portable, "neon,aes"
);
