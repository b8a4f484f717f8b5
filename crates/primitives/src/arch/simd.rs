//! The kernels over vectors of 128-bit lanes, written once for every width.
//!
//! Lanes are independent: they hold consecutive elements, and nothing crosses from one to another but in
//! [`Simd::part`] and the last xor of a sum. Every function here is inlined into one with the right
//! `target_feature`; that is the one condition under which the operations of [`Simd`] may be called. Loops
//! stand open: a closure that is not inlined would keep the intrinsics from being inlined into it, at
//! twenty times the cost.

pub(super) mod binary;
mod bits;
pub(super) mod f256;
pub(super) mod f61;
pub(super) mod f61x2;
pub(super) mod f64;
pub(super) mod gates;
pub(super) mod leaves;
pub(super) mod level;
mod matrix;
pub(super) mod prime;
pub(super) mod q32;
mod sums;
mod transpose;
mod trees;

pub(super) use bits::{add_rows, add_where, bit_products};
pub(super) use matrix::add_tile;
pub(super) use sums::{
    add_products, add_scaled, add_sums, combine, dot, inner_product, multiply, opened_sums,
    prover_column_sums, prover_sums, set_sums, triple_sums, verifier_column_sums, verifier_sums, weigh,
};
pub(super) use transpose::transpose;
pub(super) use trees::{encode, fold_leaves, grow_with, hash, puncture, sum_rows};

use crate::aes::Aes128;
use crate::field::F128;

/// A vector of 128-bit lanes.
///
/// # Safety
/// Every method may be called only where the CPU has the instructions of the implementing vector.
pub(crate) trait Simd: Copy {
    /// Lanes in a vector.
    const LANES: usize;
    /// The vector of one lane, for the ends of slices.
    type One: Simd;
    /// Whether products of 128 bits are made of three carry-less ones, by Karatsuba, instead of four: that
    /// pays where these are slow beside shuffles, as on 256 bits they are.
    const THREE: bool = Self::LANES == 2;

    /// Makes the compiler compute all of these vectors before anything that depends on one of them. It would
    /// otherwise finish one chain of instructions after the other, to save registers, and each would wait for
    /// itself.
    unsafe fn abreast(vectors: &mut [Self; FLIGHT]);
    /// Prefetches `at`, which is soon to be read, into the second-level cache.
    unsafe fn prefetch(at: *const F128);
    /// Reads `LANES` elements; `from` must be valid for that.
    unsafe fn load(from: *const F128) -> Self;
    /// Writes `LANES` elements; `to` must be valid for that.
    unsafe fn store(self, to: *mut F128);
    /// Reads lane l from `from + l·stride`, each of which must be valid.
    unsafe fn gather(from: *const F128, stride: usize) -> Self;
    /// Writes lane l to `to + l·stride`, each of which must be valid.
    unsafe fn scatter(self, to: *mut F128, stride: usize);
    /// A vector with `element` in every lane.
    unsafe fn splat(element: F128) -> Self;
    /// `start, start + 1, …`; the low 64 bits must not overflow.
    unsafe fn count(start: u128) -> Self;
    /// Reads `LANES` words, each into the high half of a lane, above zero; `from` must be valid for that.
    unsafe fn load_high(from: *const u64) -> Self;
    /// All ones in the lanes whose byte is one, zero in those whose byte is zero; `from` must be valid
    /// for `LANES` such bytes.
    unsafe fn masks(from: *const u8) -> Self;
    /// Reads 2·`LANES` words, each into the low 32 bits of a half, below zero; `from` must be valid for that.
    unsafe fn load_words(from: *const u32) -> Self;
    /// Reads 4·`LANES` words, each to be there thrice: this is vector `PART` of the three that this makes.
    /// `from` must be valid for that.
    unsafe fn load_thrice<const PART: usize>(from: *const u32) -> Self;
    /// Reads 2·`LANES` triples of words: the vector of the first words, of the second and of the third. `from`
    /// must be valid for that.
    #[inline(always)]
    unsafe fn load_triples(from: *const [u64; 3]) -> [Self; 3] {
        let lanes: *const F128 = from.cast();
        // SAFETY: the caller's; three lanes are two triples.
        unsafe {
            let (ab, ca) = (Self::gather(lanes, 3), Self::gather(lanes.add(1), 3));
            let bc = Self::gather(lanes.add(2), 3);
            [
                ab.low_halves(ca.swap_halves()),
                ab.swap_halves().low_halves(bc),
                ca.low_halves(bc.swap_halves()),
            ]
        }
    }
    unsafe fn xor(self, other: Self) -> Self;
    unsafe fn and(self, other: Self) -> Self;
    /// All ones in the 64-bit halves that are equal, zero in the others.
    unsafe fn equal(self, other: Self) -> Self;
    /// Each lane with its 64-bit halves swapped.
    unsafe fn swap_halves(self) -> Self;
    /// Bytes shuffled within each lane: those at the places below 16 that the bytes of `places` say.
    unsafe fn shuffle8(self, places: Self) -> Self;
    /// Bytes interleaved within each lane: the first bytes of `self` and `other` in turn, then their last
    /// bytes in turn.
    unsafe fn interleave8(self, other: Self) -> (Self, Self);
    /// All ones in the lanes whose lowest bit is set, zero in the others.
    unsafe fn bit0_mask(self) -> Self;
    unsafe fn aes_round(self, key: Self) -> Self;
    unsafe fn aes_last(self, key: Self) -> Self;
    /// Encrypts each block under the round keys.
    #[inline(always)]
    unsafe fn aes<const N: usize>(keys: &[Self; 11], blocks: &mut [Self; N]) {
        // SAFETY: the caller's.
        unsafe {
            for block in blocks.iter_mut() {
                *block = block.xor(keys[0]);
            }
            for key in &keys[1..10] {
                for block in blocks.iter_mut() {
                    *block = block.aes_round(*key);
                }
                if let Some(flight) = blocks.first_chunk_mut::<FLIGHT>() {
                    Self::abreast(flight);
                }
            }
            for block in blocks.iter_mut() {
                *block = block.aes_last(keys[10]);
            }
        }
    }
    /// Carry-less product of the 64-bit halves that `HALVES` names, as PCLMULQDQ does.
    unsafe fn clmul<const HALVES: i32>(self, other: Self) -> Self;
    /// Each lane shifted up by 32 bits.
    unsafe fn up32(self) -> Self;
    /// Each lane shifted down by 32 bits.
    unsafe fn down32(self) -> Self;
    /// Each lane shifted up by 64 bits.
    unsafe fn up64(self) -> Self;
    /// Each lane shifted down by 64 bits.
    unsafe fn down64(self) -> Self;
    /// The sums of the 64-bit halves, without carries between them.
    unsafe fn add(self, other: Self) -> Self;
    /// The differences of the 64-bit halves, without carries between them.
    unsafe fn sub(self, other: Self) -> Self;
    /// All ones in the 64-bit halves that are greater than those of `other`, as integers with a sign.
    unsafe fn greater(self, other: Self) -> Self;
    /// All ones in the 64-bit halves whose highest bit is set, zero in the others.
    unsafe fn sign(self) -> Self;
    /// The products of the low 32 bits of the 64-bit halves.
    unsafe fn multiply32(self, other: Self) -> Self;
    /// `self + a·b` of the 64-bit halves as floating-point numbers, rounded once or twice.
    unsafe fn add_product(self, a: Self, b: Self) -> Self;
    /// Each 64-bit half shifted up.
    unsafe fn shl<const BITS: u32>(self) -> Self;
    /// Each 64-bit half shifted down.
    unsafe fn shr<const BITS: u32>(self) -> Self;
    /// The low half of `self`, then the low half of `other`, in each lane.
    unsafe fn low_halves(self, other: Self) -> Self;
    /// The high half of `self`, then the high half of `other`, in each lane.
    unsafe fn high_halves(self, other: Self) -> Self;
    /// The low halves of all lanes of `self` and then of `other`, and the high halves of the two in the same
    /// order.
    unsafe fn part(self, other: Self) -> (Self, Self);
    /// The xor of all lanes.
    unsafe fn fold(self) -> F128;
}

/// The places that the words of vector `part` come from, where each of N words is there thrice.
pub(super) const fn thrice<const N: usize>(part: usize) -> [u32; N] {
    let mut places = [0; N];
    let mut i = 0;
    while i < N {
        places[i] = ((N * part + i) / 3) as u32;
        i += 1;
    }
    places
}

/// Vectors in flight: enough to hide the latency of an AES round, few enough for the register file.
pub(super) const FLIGHT: usize = 8;

#[inline(always)]
unsafe fn round_keys<V: Simd>(key: &Aes128) -> [V; 11] {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        let mut keys = [V::splat(F128(0)); 11];
        for (key, round) in keys.iter_mut().zip(key.rounds()) {
            *key = V::splat(*round);
        }
        keys
    }
}

#[inline(always)]
unsafe fn aes<V: Simd, const N: usize>(keys: &[V; 11], blocks: &mut [V; N]) {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe { V::aes(keys, blocks) }
}

/// Encrypts each block in place, or where `COUNT` is set, the blocks `start`, `start + 1`, … instead.
#[inline(always)]
unsafe fn encrypt_or_count<V: Simd, const COUNT: bool>(key: &Aes128, start: u128, out: &mut [F128]) {
    let length = out.len();
    let out = out.as_mut_ptr();
    let mut i = 0;
    // SAFETY: the caller upholds the condition of `Simd`, and checked that the counter does not overflow;
    // every access stays below `length`.
    unsafe {
        let keys = round_keys::<V>(key);
        let (mut count, step) = (V::count(start), V::splat(F128(V::LANES as u128)));
        while i + FLIGHT * V::LANES <= length {
            let mut blocks = [keys[0]; FLIGHT];
            for (f, block) in blocks.iter_mut().enumerate() {
                *block = if COUNT { count } else { V::load(out.add(i + f * V::LANES)) };
                count = count.add(step);
            }
            aes(&keys, &mut blocks);
            for (f, block) in blocks.into_iter().enumerate() {
                block.store(out.add(i + f * V::LANES));
            }
            i += FLIGHT * V::LANES;
        }
        let keys = round_keys::<V::One>(key);
        while i < length {
            let mut block = [if COUNT { V::One::count(start + i as u128) } else { V::One::load(out.add(i)) }];
            aes(&keys, &mut block);
            block[0].store(out.add(i));
            i += 1;
        }
    }
}

#[inline(always)]
pub(super) unsafe fn encrypt<V: Simd>(key: &Aes128, blocks: &mut [F128]) {
    // SAFETY: the caller's.
    unsafe { encrypt_or_count::<V, false>(key, 0, blocks) }
}

#[inline(always)]
pub(super) unsafe fn counter<V: Simd>(key: &Aes128, start: u128, out: &mut [F128]) {
    // SAFETY: the caller's.
    unsafe { encrypt_or_count::<V, true>(key, start, out) }
}
