//! Sets of bytes, and gates that tell whether a byte is in one.
//!
//! **Indicators.** A set is told by the decomposition of Shannon: by the highest bit of a byte on which it depends, and
//! two smaller functions of those below, as one AND. Of a byte something is known beforehand, so that functions are
//! partial: where both halves can be one function, or one and its complement, the bit takes no AND. What has been made
//! is not made again.

use std::collections::{BTreeMap, HashMap};
use volery::F2;
use volery::circuit::gadget::{Bit, Word};
use volery::circuit::stream::{Handle, Recorder};

/// The most ANDs of an indicator: one for each node down to functions of two bits, since those of one are sums.
pub(super) const MOST_ANDS: u64 = (1 << 7) - 1;

/// A set of bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ByteSet([u128; 2]);

impl ByteSet {
    /// The bytes from `low` to `high`.
    pub(super) fn range(low: u8, high: u8) -> Self {
        (low..=high).fold(Self::default(), |Self(mut bits), byte| {
            bits[usize::from(byte >> 7)] |= 1 << (byte & 127);
            Self(bits)
        })
    }

    pub(super) const fn has(self, byte: u8) -> bool {
        self.0[(byte >> 7) as usize] >> (byte & 127) & 1 == 1
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }

    pub(super) const fn without(self, other: Self) -> Self {
        Self([self.0[0] & !other.0[0], self.0[1] & !other.0[1]])
    }

    pub(super) fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// The value of a bit, where all its bytes have the same.
    fn common(self, bit: usize) -> Option<bool> {
        let mut values = (0..=255).filter(|byte| self.has(*byte)).map(|byte: u8| byte >> bit & 1 == 1);
        let first = values.next()?;
        values.all(|value| value == first).then_some(first)
    }
}

/// A function of the lower bits of a byte, by their value: `None` where it does not matter.
type Function = Vec<Option<bool>>;

/// Indicators of a byte.
pub(super) struct Indicators<'w> {
    byte: &'w Word<Handle, 8>,
    /// The bytes that it can be.
    possible: ByteSet,
    /// Indicators that have been made, by their sets.
    of_sets: BTreeMap<ByteSet, Bit<Handle>>,
    /// Functions that have been made, each zero where it first matters.
    made: HashMap<Function, Bit<Handle>>,
}

impl<'w> Indicators<'w> {
    /// Indicators of a byte that is known to be one of `possible`.
    pub(super) fn new(byte: &'w Word<Handle, 8>, possible: ByteSet) -> Self {
        Self { byte, possible, of_sets: BTreeMap::new(), made: HashMap::new() }
    }

    fn function(&self, set: ByteSet) -> Function {
        (0..=255).map(|byte| self.possible.has(byte).then(|| set.has(byte))).collect()
    }

    /// Whether the byte is in a set.
    pub(super) fn is_in(&mut self, b: &mut Recorder<'_, F2>, set: ByteSet) -> volery::Result<Bit<Handle>> {
        if let Some(made) = self.of_sets.get(&set) {
            return Ok(*made);
        }
        let function = self.function(set);
        let made = self.make(b, &function)?;
        self.of_sets.insert(set, made);
        Ok(made)
    }

    /// Demands that the byte is in a set of possible ones, which is not empty. From then on it is known to be.
    pub(super) fn demand(
        &mut self,
        b: &mut Recorder<'_, F2>,
        set: ByteSet,
        name: &str,
    ) -> volery::Result<()> {
        let mut function = self.function(set);
        // A bit that all bytes of the set have in common takes no AND.
        for (i, bit) in self.byte.bits().iter().enumerate() {
            if self.possible.common(i).is_none()
                && let Some(common) = set.common(i)
            {
                bit.assert_equal(b, Bit::Public(common), name)?;
                let others =
                    function.iter_mut().enumerate().filter(|(byte, _)| (byte >> i & 1 == 1) != common);
                others.for_each(|(_, value)| *value = None);
            }
        }
        if function.contains(&Some(false)) {
            self.make(b, &function)?.assert_equal(b, Bit::Public(true), name)?;
        }
        self.possible = set;
        self.of_sets.clear();
        self.made.clear();
        Ok(())
    }

    fn make(&mut self, b: &mut Recorder<'_, F2>, function: &[Option<bool>]) -> volery::Result<Bit<Handle>> {
        let Some(first) = function.iter().flatten().next() else { return Ok(Bit::Public(false)) };
        if function.iter().flatten().all(|value| value == first) {
            return Ok(Bit::Public(*first));
        }
        if *first {
            return Ok(self.make(b, &complement(function))?.not(b));
        }
        if let Some(made) = self.made.get(function) {
            return Ok(*made);
        }
        let (low, high) = function.split_at(function.len() / 2);
        let bit = self.byte.bits()[low.len().ilog2() as usize];
        let made = if let Some(both) = merged(low, high) {
            self.make(b, &both)?
        } else if let Some(both) = merged(low, &complement(high)) {
            self.make(b, &both)?.xor(b, bit)
        } else {
            let (low, high) = (self.make(b, low)?, self.make(b, high)?);
            bit.select(b, high, low)?
        };
        self.made.insert(function.to_vec(), made);
        Ok(made)
    }
}

fn complement(function: &[Option<bool>]) -> Function {
    function.iter().map(|value| value.map(|value| !value)).collect()
}

/// The function that is both of these, wherever each matters.
fn merged(one: &[Option<bool>], other: &[Option<bool>]) -> Option<Function> {
    let is_one =
        |(one, other): (&Option<bool>, &Option<bool>)| one.is_none() || other.is_none() || one == other;
    let both = one.iter().zip(other);
    both.clone().all(is_one).then(|| both.map(|(one, other)| one.or(*other)).collect())
}
