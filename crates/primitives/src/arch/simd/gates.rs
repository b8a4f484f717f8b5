//! The hash of garbled gates: lanes are the gates whose keys are expanded, but the blocks of one gate are
//! each a vector of one lane.

use super::{Simd, aes, round_keys};
use crate::arch::gates::{BATCH, Rounds, Schedules, Tweaked};
use crate::field::F128;
use crate::hash::orthomorphism;

/// Vectors of keys expanded together: as many as a batch has at four lanes.
const FLIGHT: usize = 4;

/// 1 in each of four words.
const WORDS: u128 = 1 << 96 | 1 << 64 | 1 << 32 | 1;

/// The places of the last word's bytes, rotated by one, in each of four words.
const LAST_WORD_ROTATED: u128 = 0x0c0f_0e0d * WORDS;

#[inline(always)]
pub(in crate::arch) unsafe fn expand<V: Simd>(salt: F128, tweak: u128, rounds: &mut Rounds) {
    const { assert!(BATCH.is_multiple_of(FLIGHT * V::LANES)) };
    let rounds = rounds.as_flattened_mut().as_mut_ptr();
    // SAFETY: the caller upholds the condition of `Simd` and that the counter does not overflow. Each flight
    // is within the batch, and round r begins at r·BATCH.
    unsafe {
        let salt = V::splat(salt);
        for gate in (0..BATCH).step_by(FLIGHT * V::LANES) {
            let mut keys = [salt; FLIGHT];
            for (f, key) in keys.iter_mut().enumerate() {
                let gate = gate + f * V::LANES;
                *key = salt.xor(V::count(tweak + gate as u128));
                key.store(rounds.add(gate));
            }
            schedule(keys, rounds.add(gate), BATCH);
        }
    }
}

/// The round keys of one key.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub(in crate::arch) unsafe fn expand_key<V: Simd>(key: F128) -> [F128; 11] {
    let mut rounds = [key; 11];
    // SAFETY: the caller upholds the condition of `Simd`; a round is one element.
    unsafe { schedule([V::One::splat(key)], rounds.as_mut_ptr(), 1) };
    rounds
}

/// Writes the keys of all rounds after the first, each round's `stride` behind those of the one before.
#[inline(always)]
unsafe fn schedule<V: Simd, const N: usize>(mut keys: [V; N], rounds: *mut F128, stride: usize) {
    // SAFETY: the caller upholds the condition of `Simd`, and that `rounds` is valid for the keys of eleven.
    unsafe {
        next_round::<V, N, 0x01>(&mut keys, rounds.add(stride));
        next_round::<V, N, 0x02>(&mut keys, rounds.add(2 * stride));
        next_round::<V, N, 0x04>(&mut keys, rounds.add(3 * stride));
        next_round::<V, N, 0x08>(&mut keys, rounds.add(4 * stride));
        next_round::<V, N, 0x10>(&mut keys, rounds.add(5 * stride));
        next_round::<V, N, 0x20>(&mut keys, rounds.add(6 * stride));
        next_round::<V, N, 0x40>(&mut keys, rounds.add(7 * stride));
        next_round::<V, N, 0x80>(&mut keys, rounds.add(8 * stride));
        next_round::<V, N, 0x1b>(&mut keys, rounds.add(9 * stride));
        next_round::<V, N, 0x36>(&mut keys, rounds.add(10 * stride));
    }
}

/// Makes `keys` those of the next round, and writes them.
#[inline(always)]
unsafe fn next_round<V: Simd, const N: usize, const CONSTANT: u128>(keys: &mut [V; N], to: *mut F128) {
    // SAFETY: the caller upholds the condition of `Simd`, and that `to` is valid for the keys.
    unsafe {
        let (rotated, constant) = (V::splat(F128(LAST_WORD_ROTATED)), V::splat(F128(CONSTANT * WORDS)));
        for (n, key) in keys.iter_mut().enumerate() {
            // Where the four words are equal, the last round of AES only substitutes their bytes.
            let substituted = key.shuffle8(rotated).aes_last(constant);
            let sums = key.xor(key.up32());
            *key = sums.xor(sums.up64()).xor(substituted);
            key.store(to.add(n * V::LANES));
        }
    }
}

#[inline(always)]
unsafe fn multi_instance<V: Simd, const N: usize>(schedules: &mut Schedules, labels: [F128; N]) -> [F128; N] {
    let gate = schedules.next as usize % BATCH;
    schedules.next += 1;
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        let mut keys = [V::splat(F128(0)); 11];
        for (key, gates) in keys.iter_mut().zip(&schedules.rounds) {
            *key = V::load(&raw const gates[gate]);
        }
        let mut inputs = [keys[0]; N];
        for (input, label) in inputs.iter_mut().zip(labels) {
            *input = V::splat(orthomorphism(label));
        }
        let mut blocks = inputs;
        aes(&keys, &mut blocks);
        let mut hashes = [F128(0); N];
        for i in 0..N {
            blocks[i].xor(inputs[i]).store(&raw mut hashes[i]);
        }
        hashes
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn multi_instance_pair<V: Simd>(
    schedules: &mut Schedules,
    a: F128,
    delta: F128,
) -> [F128; 2] {
    // SAFETY: the caller's.
    unsafe { multi_instance::<V::One, 2>(schedules, [a, a ^ delta]) }
}

#[inline(always)]
pub(in crate::arch) unsafe fn multi_instance_one<V: Simd>(schedules: &mut Schedules, a: F128) -> F128 {
    // SAFETY: the caller's.
    unsafe { multi_instance::<V::One, 1>(schedules, [a])[0] }
}

#[inline(always)]
unsafe fn tweakable<V: Simd, const N: usize>(tweaked: &mut Tweaked, labels: [F128; N]) -> [F128; N] {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        let tweak = V::splat(F128(tweaked.first + u128::from(tweaked.next)));
        tweaked.next += 1;
        let keys = round_keys::<V>(&tweaked.key);
        let mut inner = [tweak; N];
        for (inner, label) in inner.iter_mut().zip(labels) {
            *inner = V::splat(label);
        }
        aes(&keys, &mut inner);
        let mut blocks = inner;
        for block in &mut blocks {
            *block = block.xor(tweak);
        }
        aes(&keys, &mut blocks);
        let mut hashes = [F128(0); N];
        for i in 0..N {
            blocks[i].xor(inner[i]).store(&raw mut hashes[i]);
        }
        hashes
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn tweakable_pair<V: Simd>(
    tweaked: &mut Tweaked,
    a: F128,
    delta: F128,
) -> [F128; 2] {
    // SAFETY: the caller's.
    unsafe { tweakable::<V::One, 2>(tweaked, [a, a ^ delta]) }
}

#[inline(always)]
pub(in crate::arch) unsafe fn tweakable_one<V: Simd>(tweaked: &mut Tweaked, a: F128) -> F128 {
    // SAFETY: the caller's.
    unsafe { tweakable::<V::One, 1>(tweaked, [a])[0] }
}
