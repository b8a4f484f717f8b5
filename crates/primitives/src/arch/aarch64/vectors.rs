//! The vector of one lane.

use crate::arch::simd::{FLIGHT, Simd, thrice};
use crate::field::F128;
use core::arch::aarch64::*;
use core::arch::asm;

impl Simd for uint64x2_t {
    const LANES: usize = 1;
    type One = Self;

    #[inline(always)]
    unsafe fn abreast([a, b, c, d, e, f, g, h]: &mut [Self; FLIGHT]) {
        // SAFETY: a comment, between values in the same registers.
        unsafe {
            asm!(
                "/* {0:q} {1:q} {2:q} {3:q} {4:q} {5:q} {6:q} {7:q} */",
                inout(vreg) * a,
                inout(vreg) * b,
                inout(vreg) * c,
                inout(vreg) * d,
                inout(vreg) * e,
                inout(vreg) * f,
                inout(vreg) * g,
                inout(vreg) * h,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
    }
    #[inline(always)]
    unsafe fn prefetch(at: *const F128) {
        // SAFETY: a hint, which reads nothing that is seen.
        unsafe { asm!("prfm pldl2keep, [{}]", in(reg) at, options(readonly, nostack, preserves_flags)) }
    }
    #[inline(always)]
    unsafe fn load(from: *const F128) -> Self {
        // SAFETY: the caller's.
        unsafe { vld1q_u64(from.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut F128) {
        // SAFETY: the caller's.
        unsafe { vst1q_u64(to.cast(), self) }
    }
    #[inline(always)]
    unsafe fn gather(from: *const F128, _: usize) -> Self {
        // SAFETY: the caller's.
        unsafe { Self::load(from) }
    }
    #[inline(always)]
    unsafe fn scatter(self, to: *mut F128, _: usize) {
        // SAFETY: the caller's.
        unsafe { self.store(to) }
    }
    #[inline(always)]
    unsafe fn splat(element: F128) -> Self {
        // SAFETY: the caller's; an `F128` is 16 bytes.
        unsafe { Self::load(&raw const element) }
    }
    #[inline(always)]
    unsafe fn count(start: u128) -> Self {
        // SAFETY: the caller's.
        unsafe { Self::splat(F128(start)) }
    }
    #[inline(always)]
    unsafe fn load_high(from: *const u64) -> Self {
        // SAFETY: the caller's.
        unsafe { vcombine_u64(vdup_n_u64(0), vld1_u64(from)) }
    }
    #[inline(always)]
    unsafe fn masks(from: *const u8) -> Self {
        // SAFETY: the caller's.
        unsafe { vreinterpretq_u64_u8(vdupq_n_u8((*from).wrapping_neg())) }
    }
    #[inline(always)]
    unsafe fn load_words(from: *const u32) -> Self {
        // SAFETY: the caller's.
        unsafe { vmovl_u32(vld1_u32(from)) }
    }
    #[inline(always)]
    unsafe fn load_thrice<const PART: usize>(from: *const u32) -> Self {
        let [a, b, c, d] = const { thrice::<4>(PART) };
        // SAFETY: the caller's; the places are below four.
        unsafe {
            let words = from.cast::<[u32; 4]>().read_unaligned();
            let thrice = [words[a as usize], words[b as usize], words[c as usize], words[d as usize]];
            vreinterpretq_u64_u32(vld1q_u32(thrice.as_ptr()))
        }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller's.
        unsafe { veorq_u64(self, other) }
    }
    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: the caller's.
        unsafe { vandq_u64(self, other) }
    }
    #[inline(always)]
    unsafe fn equal(self, other: Self) -> Self {
        // SAFETY: the caller's.
        unsafe { vceqq_u64(self, other) }
    }
    #[inline(always)]
    unsafe fn swap_halves(self) -> Self {
        // SAFETY: the caller's.
        unsafe { vextq_u64::<1>(self, self) }
    }
    #[inline(always)]
    unsafe fn shuffle8(self, places: Self) -> Self {
        // SAFETY: the caller's.
        unsafe { vreinterpretq_u64_u8(vqtbl1q_u8(vreinterpretq_u8_u64(self), vreinterpretq_u8_u64(places))) }
    }
    #[inline(always)]
    unsafe fn interleave8(self, other: Self) -> (Self, Self) {
        // SAFETY: the caller's.
        unsafe {
            let (x, y) = (vreinterpretq_u8_u64(self), vreinterpretq_u8_u64(other));
            (vreinterpretq_u64_u8(vzip1q_u8(x, y)), vreinterpretq_u64_u8(vzip2q_u8(x, y)))
        }
    }
    #[inline(always)]
    unsafe fn bit0_mask(self) -> Self {
        // SAFETY: the caller's.
        unsafe { vdupq_laneq_u64::<0>(vshlq_n_u64::<63>(self)).sign() }
    }
    #[inline(always)]
    unsafe fn aes_round(self, key: Self) -> Self {
        // SAFETY: the caller's.
        unsafe { aes_round(self, Self::splat(F128(0))).xor(key) }
    }
    #[inline(always)]
    unsafe fn aes_last(self, key: Self) -> Self {
        // SAFETY: the caller's.
        unsafe { aes_last(self, Self::splat(F128(0))).xor(key) }
    }
    /// Encrypts blocks. A round begins with the key here, by which other instruction sets end the round
    /// before.
    #[inline(always)]
    unsafe fn aes<const N: usize>(keys: &[Self; 11], blocks: &mut [Self; N]) {
        // SAFETY: the caller's.
        unsafe {
            for key in &keys[..9] {
                for block in blocks.iter_mut() {
                    *block = aes_round(*block, *key);
                }
                if let Some(flight) = blocks.first_chunk_mut::<FLIGHT>() {
                    Self::abreast(flight);
                }
            }
            for block in blocks.iter_mut() {
                *block = aes_last(*block, keys[9]).xor(keys[10]);
            }
        }
    }
    #[inline(always)]
    unsafe fn clmul<const HALVES: i32>(self, other: Self) -> Self {
        // SAFETY: the caller's.
        unsafe {
            // There are instructions for both low halves and for both high ones.
            match HALVES {
                0x00 => multiply_low(self, other),
                0x11 => multiply_high(self, other),
                0x01 => multiply_high(self, other.swap_halves()),
                0x10 => multiply_low(self, other.swap_halves()),
                _ => unreachable!(),
            }
        }
    }
    #[inline(always)]
    unsafe fn up32(self) -> Self {
        // SAFETY: the caller's.
        unsafe { vreinterpretq_u64_u32(vextq_u32::<3>(vdupq_n_u32(0), vreinterpretq_u32_u64(self))) }
    }
    #[inline(always)]
    unsafe fn down32(self) -> Self {
        // SAFETY: the caller's.
        unsafe { vreinterpretq_u64_u32(vextq_u32::<1>(vreinterpretq_u32_u64(self), vdupq_n_u32(0))) }
    }
    #[inline(always)]
    unsafe fn up64(self) -> Self {
        // SAFETY: the caller's.
        unsafe { vextq_u64::<1>(vdupq_n_u64(0), self) }
    }
    #[inline(always)]
    unsafe fn down64(self) -> Self {
        // SAFETY: the caller's.
        unsafe { vextq_u64::<1>(self, vdupq_n_u64(0)) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the caller's.
        unsafe { vaddq_u64(self, other) }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: the caller's.
        unsafe { vsubq_u64(self, other) }
    }
    #[inline(always)]
    unsafe fn greater(self, other: Self) -> Self {
        // SAFETY: the caller's.
        unsafe { vcgtq_s64(vreinterpretq_s64_u64(self), vreinterpretq_s64_u64(other)) }
    }
    #[inline(always)]
    unsafe fn sign(self) -> Self {
        // SAFETY: the caller's.
        unsafe { vreinterpretq_u64_s64(vshrq_n_s64::<63>(vreinterpretq_s64_u64(self))) }
    }
    #[inline(always)]
    unsafe fn multiply32(self, other: Self) -> Self {
        // SAFETY: the caller's.
        unsafe { vmull_u32(vmovn_u64(self), vmovn_u64(other)) }
    }
    #[inline(always)]
    unsafe fn add_product(self, a: Self, b: Self) -> Self {
        // SAFETY: the caller's.
        unsafe {
            let (a, b) = (vreinterpretq_f64_u64(a), vreinterpretq_f64_u64(b));
            vreinterpretq_u64_f64(vfmaq_f64(vreinterpretq_f64_u64(self), a, b))
        }
    }
    #[inline(always)]
    unsafe fn shl<const BITS: u32>(self) -> Self {
        // SAFETY: the caller's.
        unsafe { vshlq_u64(self, vdupq_n_s64(i64::from(BITS))) }
    }
    #[inline(always)]
    unsafe fn shr<const BITS: u32>(self) -> Self {
        // SAFETY: the caller's; a shift by less than nothing goes down.
        unsafe { vshlq_u64(self, vdupq_n_s64(-i64::from(BITS))) }
    }
    #[inline(always)]
    unsafe fn low_halves(self, other: Self) -> Self {
        // SAFETY: the caller's.
        unsafe { vzip1q_u64(self, other) }
    }
    #[inline(always)]
    unsafe fn high_halves(self, other: Self) -> Self {
        // SAFETY: the caller's.
        unsafe { vzip2q_u64(self, other) }
    }
    #[inline(always)]
    unsafe fn part(self, other: Self) -> (Self, Self) {
        // SAFETY: the caller's.
        unsafe { (self.low_halves(other), self.high_halves(other)) }
    }
    #[inline(always)]
    unsafe fn fold(self) -> F128 {
        let mut element = F128(0);
        // SAFETY: the caller's; an `F128` is 16 bytes.
        unsafe { self.store(&raw mut element) };
        element
    }
}

// What is not on all CPUs with NEON. The compiler does not make AES or PMULL part of a function that names
// neither.

/// A round of AES that begins with its key.
#[inline]
#[target_feature(enable = "neon,aes")]
fn aes_round(block: uint64x2_t, key: uint64x2_t) -> uint64x2_t {
    vreinterpretq_u64_u8(vaesmcq_u8(vaeseq_u8(vreinterpretq_u8_u64(block), vreinterpretq_u8_u64(key))))
}

/// The last one, but for the last key.
#[inline]
#[target_feature(enable = "neon,aes")]
fn aes_last(block: uint64x2_t, key: uint64x2_t) -> uint64x2_t {
    vreinterpretq_u64_u8(vaeseq_u8(vreinterpretq_u8_u64(block), vreinterpretq_u8_u64(key)))
}

/// The carry-less product of the low halves.
#[inline]
#[target_feature(enable = "neon,aes")]
fn multiply_low(x: uint64x2_t, y: uint64x2_t) -> uint64x2_t {
    let (x, y) = (vreinterpretq_p64_u64(x), vreinterpretq_p64_u64(y));
    vreinterpretq_u64_p128(vmull_p64(vgetq_lane_p64::<0>(x), vgetq_lane_p64::<0>(y)))
}

/// The carry-less product of the high halves.
#[inline]
#[target_feature(enable = "neon,aes")]
fn multiply_high(x: uint64x2_t, y: uint64x2_t) -> uint64x2_t {
    vreinterpretq_u64_p128(vmull_high_p64(vreinterpretq_p64_u64(x), vreinterpretq_p64_u64(y)))
}
