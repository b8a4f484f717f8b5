//! The kernels on garbled gates in plain Rust, by the definitions. The cipher expands its keys itself. What
//! each gate calls stays out of line, so that it adds nothing where a fast kernel is called.

use super::encrypt;
use crate::aes::Aes128;
use crate::arch::Arch;
use crate::arch::gates::{BATCH, Rounds, Schedules, Tweaked};
use crate::field::F128;
use crate::hash::feed_forward;

pub(in crate::arch) fn expand(salt: F128, tweak: u128, rounds: &mut Rounds) {
    for (key, tweak) in rounds[0].iter_mut().zip(tweak..) {
        *key = salt ^ F128(tweak);
    }
}

fn multi_instance<const N: usize>(schedules: &mut Schedules, mut labels: [F128; N]) -> [F128; N] {
    let key = Aes128::new(Arch::PORTABLE, schedules.rounds[0][schedules.next as usize % BATCH]);
    schedules.next += 1;
    feed_forward(&mut labels, |blocks| encrypt(&key, blocks));
    labels
}

#[inline(never)]
pub(in crate::arch) fn multi_instance_pair(schedules: &mut Schedules, a: F128, delta: F128) -> [F128; 2] {
    multi_instance(schedules, [a, a ^ delta])
}

#[inline(never)]
pub(in crate::arch) fn multi_instance_one(schedules: &mut Schedules, a: F128) -> F128 {
    multi_instance(schedules, [a])[0]
}

fn tweakable<const N: usize>(tweaked: &mut Tweaked, mut labels: [F128; N]) -> [F128; N] {
    let tweak = F128(tweaked.first + u128::from(tweaked.next));
    tweaked.next += 1;
    encrypt(&tweaked.key, &mut labels);
    let inner = labels;
    labels = labels.map(|block| block ^ tweak);
    encrypt(&tweaked.key, &mut labels);
    core::array::from_fn(|i| labels[i] ^ inner[i])
}

#[inline(never)]
pub(in crate::arch) fn tweakable_pair(tweaked: &mut Tweaked, a: F128, delta: F128) -> [F128; 2] {
    tweakable(tweaked, [a, a ^ delta])
}

#[inline(never)]
pub(in crate::arch) fn tweakable_one(tweaked: &mut Tweaked, a: F128) -> F128 {
    tweakable(tweaked, [a])[0]
}
