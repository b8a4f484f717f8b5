//! The hash of garbled gates, each under the tweak that follows the last.
//!
//! The labels of a gate come one gate at a time, and may depend on the gate before. The keys depend on public
//! values only: where each gate has its own, their schedules are expanded in batches.

use crate::aes::Aes128;
use crate::arch::{Arch, gates};
use crate::field::F128;
use gates::{BATCH, Schedules, Tweaked};

/// A tweakable circular correlation robust hash for garbled gates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Construction {
    /// `H(x, t) = E_{S ⊕ t}(σ(x)) ⊕ σ(x)` for a public salt S (Guo, Katz, Wang, Weng, Yu 2020): the bounds
    /// hold for many circuits under salts of their own. One AES, and a key schedule per gate.
    #[default]
    MultiInstance,
    /// `H(x, t) = π(π(x) ⊕ t) ⊕ π(x)`, where π is AES under the salt (Guo, Katz, Wang, Yu 2020), as
    /// [`Tweakable`](super::Tweakable). Two AES, one after the other.
    Tweakable,
}

impl Construction {
    /// All constructions.
    pub const ALL: [Self; 2] = [Self::MultiInstance, Self::Tweakable];

    /// The name used in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MultiInstance => "mitccrh",
            Self::Tweakable => "tmmo",
        }
    }
}

/// The gates that a [`GateHash`] has tweaks for.
const GATES: u64 = 1 << 40;

/// The hash of the gates of one circuit: gate g has the tweak `first + g`.
///
/// Time does not depend on labels. The salt is public; it must be fresh, and beyond the influence of whoever
/// gains from a collision.
pub struct GateHash {
    arch: Arch,
    salt: F128,
    first: u128,
    keys: Keys,
}

enum Keys {
    MultiInstance(Box<Schedules>),
    Tweakable(Box<Tweaked>),
}

impl GateHash {
    /// The hash by `construction` under `salt`, at gate 0 with the tweak `first`.
    ///
    /// # Panics
    /// Where the tweaks of 2^40 gates would leave the low 64 bits of `first`.
    pub fn new(arch: Arch, construction: Construction, salt: F128, first: u128) -> Self {
        assert!((first as u64).checked_add(GATES).is_some(), "no 2^40 tweaks follow {first:#x}");
        let keys = match construction {
            Construction::MultiInstance => {
                Keys::MultiInstance(Box::new(Schedules { rounds: [[F128(0); BATCH]; 11], next: 0 }))
            }
            Construction::Tweakable => {
                Keys::Tweakable(Box::new(Tweaked { key: Aes128::new(arch, salt), first, next: 0 }))
            }
        };
        Self { arch, salt, first, keys }
    }

    /// The hash at gate number `gate`, whatever this one has come to.
    ///
    /// # Panics
    /// Where a circuit has not so many gates.
    pub fn at(&self, gate: u64) -> Self {
        assert!(gate <= GATES, "a circuit may have 2^40 garbled gates");
        let keys = match &self.keys {
            Keys::MultiInstance(_) => {
                let mut schedules = Box::new(Schedules { rounds: [[F128(0); BATCH]; 11], next: gate });
                let first = gate - gate % BATCH as u64;
                if first < gate {
                    let first = self.first + u128::from(first);
                    gates::expand(self.arch, self.salt, first, &mut schedules.rounds);
                }
                Keys::MultiInstance(schedules)
            }
            Keys::Tweakable(tweaked) => {
                let (key, first) = (Aes128::new(self.arch, self.salt), tweaked.first);
                Keys::Tweakable(Box::new(Tweaked { key, first, next: gate }))
            }
        };
        Self { arch: self.arch, salt: self.salt, first: self.first, keys }
    }

    /// `[H(a), H(a ⊕ delta)]` under the tweak of the next gate.
    ///
    /// # Panics
    /// After 2^40 gates.
    #[inline]
    pub fn pair(&mut self, a: F128, delta: F128) -> [F128; 2] {
        match &mut self.keys {
            Keys::MultiInstance(schedules) if schedules.next.is_multiple_of(BATCH as u64) => {
                self.pair_of_batch(a, delta)
            }
            Keys::MultiInstance(schedules) => gates::multi_instance_pair(self.arch, schedules, a, delta),
            Keys::Tweakable(tweaked) => {
                check(tweaked.next);
                gates::tweakable_pair(tweaked, a, delta)
            }
        }
    }

    /// `H(a)` under the tweak of the next gate.
    ///
    /// # Panics
    /// After 2^40 gates.
    #[inline]
    pub fn one(&mut self, a: F128) -> F128 {
        match &mut self.keys {
            Keys::MultiInstance(schedules) if schedules.next.is_multiple_of(BATCH as u64) => {
                self.one_of_batch(a)
            }
            Keys::MultiInstance(schedules) => gates::multi_instance_one(self.arch, schedules, a),
            Keys::Tweakable(tweaked) => {
                check(tweaked.next);
                gates::tweakable_one(tweaked, a)
            }
        }
    }

    /// [`GateHash::pair`] of the first gate of a batch. It stands apart so that at all others, nothing
    /// outlives the call of a kernel, and no register need be saved for it.
    #[cold]
    #[inline(never)]
    fn pair_of_batch(&mut self, a: F128, delta: F128) -> [F128; 2] {
        let arch = self.arch;
        gates::multi_instance_pair(arch, self.expand(), a, delta)
    }

    /// [`GateHash::one`] of the first gate of a batch.
    #[cold]
    #[inline(never)]
    fn one_of_batch(&mut self, a: F128) -> F128 {
        let arch = self.arch;
        gates::multi_instance_one(arch, self.expand(), a)
    }

    /// Expands the keys of a batch.
    fn expand(&mut self) -> &mut Schedules {
        let Keys::MultiInstance(schedules) = &mut self.keys else { unreachable!("one key needs no batch") };
        check(schedules.next);
        gates::expand(self.arch, self.salt, self.first + u128::from(schedules.next), &mut schedules.rounds);
        schedules
    }
}

#[inline(always)]
fn check(gate: u64) {
    assert!(gate < GATES, "a circuit may have 2^40 garbled gates");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;
    use crate::prg::Prg;

    /// H by its formula.
    fn definition(construction: Construction, salt: F128, tweak: u128, x: F128) -> F128 {
        let encrypt = |key: F128, x: F128| {
            let mut block = [x];
            Aes128::new(Arch::PORTABLE, key).encrypt(&mut block);
            block[0]
        };
        match construction {
            Construction::MultiInstance => {
                let sigma = F128(((x.0 >> 64 ^ x.0 & u64::MAX as u128) << 64) | x.0 >> 64);
                encrypt(salt ^ F128(tweak), sigma) ^ sigma
            }
            Construction::Tweakable => {
                let inner = encrypt(salt, x);
                encrypt(salt, inner ^ F128(tweak)) ^ inner
            }
        }
    }

    fn random<const N: usize>(seed: u128) -> [F128; N] {
        let mut out = [F128::ZERO; N];
        Prg::new(Arch::PORTABLE, F128(seed)).fill(&mut out);
        out
    }

    /// Pairs and single hashes in any order take one tweak each, across the edges of batches.
    #[test]
    fn gates_equal_the_definition() {
        let [salt, delta] = random(1);
        let labels: [F128; 300] = random(2);
        let orders: [F128; 300] = random(3);
        for arch in Arch::available() {
            for construction in Construction::ALL {
                for first in [0, 1, 5 << 40, (7 << 64) + (1 << 32) - 77, u128::MAX - (1 << 40)] {
                    let mut hash = GateHash::new(arch, construction, salt, first);
                    for (gate, (&a, order)) in labels.iter().zip(orders).enumerate() {
                        let by_formula = |x| definition(construction, salt, first + gate as u128, x);
                        let place = format!("gate {gate} by {} on {}", construction.name(), arch.name());
                        if order.0 & 1 == 1 {
                            let expected = [a, a ^ delta].map(by_formula);
                            assert_eq!(hash.pair(a, delta), expected, "{place}");
                        } else {
                            assert_eq!(hash.one(a), by_formula(a), "{place}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn it_goes_on_at_any_gate() {
        let labels: [F128; 300] = random(2);
        for construction in Construction::ALL {
            let mut hash = GateHash::new(Arch::detect(), construction, F128(7), 5 << 40);
            for (gate, label) in labels.iter().enumerate() {
                let mut again = hash.at(gate as u64);
                assert_eq!(again.one(*label), hash.one(*label), "gate {gate}");
                assert_eq!(again.one(*label), hash.at(gate as u64 + 1).one(*label), "behind gate {gate}");
            }
        }
    }

    /// The hash of [`super::super::Tweakable`] is the same.
    #[test]
    fn tweakable_equals_the_one_of_many_blocks() {
        let mut blocks: [F128; 100] = random(4);
        let mut hash = GateHash::new(Arch::detect(), Construction::Tweakable, F128(9), 1000);
        let by_gates = blocks.map(|block| hash.one(block));
        super::super::Tweakable::new(Arch::detect(), F128(9)).apply(1000, &mut blocks);
        assert_eq!(by_gates, blocks);
    }

    #[test]
    #[should_panic(expected = "2^40 garbled gates")]
    fn gates_are_bounded_by_batch() {
        let mut hash = GateHash::new(Arch::PORTABLE, Construction::MultiInstance, F128(1), 1);
        let Keys::MultiInstance(schedules) = &mut hash.keys else { unreachable!() };
        schedules.next = GATES;
        hash.one(F128(2));
    }

    #[test]
    #[should_panic(expected = "2^40 garbled gates")]
    fn gates_are_bounded_one_by_one() {
        let mut hash = GateHash::new(Arch::PORTABLE, Construction::Tweakable, F128(1), 1);
        let Keys::Tweakable(tweaked) = &mut hash.keys else { unreachable!() };
        tweaked.next = GATES;
        hash.one(F128(2));
    }

    #[test]
    #[should_panic(expected = "tweaks follow")]
    fn tweaks_may_not_wrap() {
        GateHash::new(Arch::PORTABLE, Construction::Tweakable, F128(1), u128::MAX);
    }
}
