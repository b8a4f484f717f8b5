//! The kernels on garbled gates: key schedules of many gates at a time, and blocks of one gate at a
//! time, since its labels may depend on the gate before. What they compute,
//! [`GateHash`](crate::hash::GateHash) says.
//!
//! Labels and what they hash to stay in registers: an argument in memory would be written in halves and read
//! whole, and wait for that.

use super::{Arch, Level, check_counter, dispatch, portable};
use crate::aes::Aes128;
use crate::field::F128;

/// Gates whose key schedules are expanded together.
pub(crate) const BATCH: usize = 16;

/// The round keys of a batch: number r of gate g at `[r][g]`, on [`Arch::PORTABLE`] only for r = 0.
pub(crate) type Rounds = [[F128; BATCH]; 11];

/// The key schedules of gates that follow one another.
#[repr(align(64))]
pub(crate) struct Schedules {
    pub(crate) rounds: Rounds,
    /// The gate whose turn it is. Each hash advances it.
    pub(crate) next: u64,
}

/// The hash of gates under one key, with a tweak for each gate.
pub(crate) struct Tweaked {
    pub(crate) key: Aes128,
    /// The tweak of gate 0.
    pub(crate) first: u128,
    /// The gate whose turn it is. Each hash advances it.
    pub(crate) next: u64,
}

/// Expands the keys `salt ⊕ tweak`, `salt ⊕ (tweak + 1)`, ….
///
/// # Panics
/// Where the tweak would leave its low 64 bits.
pub(crate) fn expand(arch: Arch, salt: F128, tweak: u128, rounds: &mut Rounds) {
    check_counter(tweak, BATCH);
    dispatch!(arch, gates::expand(salt, tweak, rounds))
}

#[inline(always)]
pub(crate) fn multi_instance_pair(arch: Arch, schedules: &mut Schedules, a: F128, delta: F128) -> [F128; 2] {
    dispatch!(arch, gates::multi_instance_pair(schedules, a, delta))
}

#[inline(always)]
pub(crate) fn multi_instance_one(arch: Arch, schedules: &mut Schedules, a: F128) -> F128 {
    dispatch!(arch, gates::multi_instance_one(schedules, a))
}

#[inline(always)]
pub(crate) fn tweakable_pair(tweaked: &mut Tweaked, a: F128, delta: F128) -> [F128; 2] {
    dispatch!(tweaked.key.arch(), gates::tweakable_pair(tweaked, a, delta))
}

#[inline(always)]
pub(crate) fn tweakable_one(tweaked: &mut Tweaked, a: F128) -> F128 {
    dispatch!(tweaked.key.arch(), gates::tweakable_one(tweaked, a))
}
