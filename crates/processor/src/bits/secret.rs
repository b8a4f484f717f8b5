//! A word of which some bits are known to both parties, and the others on wires.

use crate::decode::{Condition, Sign, Width};
use crate::words::plain;
use volery::circuit::gadget::{Bit, Word};
use volery::circuit::stream::Handle;

/// 32 bits, least significant first.
#[derive(Clone, Copy)]
pub(super) struct Secret {
    /// The wires of the bits that are not known.
    wires: [Handle; 32],
    /// The mask of the bits that are known.
    pub(super) known: u32,
    /// The values of the bits that are known, and zeros.
    pub(super) value: u32,
}

impl Secret {
    /// The word that both parties know to be `value`.
    #[inline]
    pub(super) fn public(value: u32) -> Self {
        Self { wires: [Handle::default(); 32], known: u32::MAX, value }
    }

    /// Bit `i`.
    #[inline(always)]
    pub(super) fn bit(&self, i: usize) -> Bit<Handle> {
        if self.known >> i & 1 == 1 {
            Bit::Public(self.value >> i & 1 == 1)
        } else {
            Bit::Wire(self.wires[i])
        }
    }

    /// Replaces bit `i`.
    #[inline(always)]
    pub(super) fn set(&mut self, i: usize, bit: Bit<Handle>) {
        let place = 1 << i;
        match bit {
            Bit::Public(bit) => {
                self.known |= place;
                self.value = self.value & !place | u32::from(bit) << i;
            }
            Bit::Wire(wire) => {
                self.known &= !place;
                self.value &= !place;
                self.wires[i] = wire;
            }
        }
    }

    /// The wires of the bits that are not known, the lowest first.
    #[inline]
    pub(super) fn wires(&self) -> impl Iterator<Item = Handle> {
        let mut left = !self.known;
        core::iter::from_fn(move || {
            let i = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            self.wires.get(i as usize).copied()
        })
    }

    /// Writes those on wires to the beginning of `to`, and gives their number.
    #[inline]
    pub(super) fn wires_to(&self, to: &mut [Handle]) -> usize {
        if self.known == 0 {
            to[..32].copy_from_slice(&self.wires);
            return 32;
        }
        to.iter_mut().zip(self.wires()).map(|(place, wire)| *place = wire).count()
    }

    /// Puts `wires` in the place of bits that are not known.
    #[inline]
    pub(super) fn fill(&mut self, wires: &[Handle]) {
        if let (0, Some(all)) = (self.known, wires.first_chunk()) {
            self.wires = *all;
            return;
        }
        let mut left = !self.known;
        for wire in wires {
            self.wires[left.trailing_zeros() as usize] = *wire;
            left &= left - 1;
        }
    }

    /// The word that a gadget gave.
    pub(super) fn of(word: &Word<Handle, 32>) -> Self {
        let mut this = Self::public(0);
        word.bits().iter().enumerate().for_each(|(i, bit)| this.set(i, *bit));
        this
    }

    /// The number that the lowest `bits` bits make, if all of them are known.
    pub(super) fn low(&self, bits: u32) -> Option<u32> {
        let mask = u32::MAX >> (32 - bits);
        (self.known & mask == mask).then_some(self.value & mask)
    }

    /// Shifted towards the more significant end.
    #[inline]
    pub(super) fn shift_left(&self, by: usize) -> Self {
        let mut this = Self::public(0);
        this.wires[by..].copy_from_slice(&self.wires[..32 - by]);
        this.known = !(!self.known << by);
        this.value = self.value << by;
        this
    }

    /// Shifted towards the less significant end, with `sign` above.
    #[inline]
    pub(super) fn shift_right(&self, by: usize, sign: Sign) -> Self {
        let mut this = Self::public(0);
        this.wires[..32 - by].copy_from_slice(&self.wires[by..]);
        this.known = !(!self.known >> by);
        this.value = self.value >> by;
        if sign == Sign::Signed {
            let top = self.bit(31);
            (32 - by..32).for_each(|i| this.set(i, top));
        }
        this
    }

    /// The part of the word that [`Words::part`](crate::words::Words::part) gives.
    pub(super) fn part(&self, at: u32, width: Width, sign: Sign) -> Self {
        let above = 32 - 8 * width.bytes();
        self.shift_left((above - 8 * at) as usize).shift_right(above as usize, sign)
    }

    /// The word with a part replaced, as [`Words::with_part`](crate::words::Words::with_part) gives it.
    pub(super) fn with_part(&self, at: u32, width: Width, part: &Self) -> Self {
        let (from, length) = (8 * at as usize, 8 * width.bytes() as usize);
        let mut this = *self;
        this.wires[from..from + length].copy_from_slice(&part.wires[..length]);
        this.known = plain::with_part(self.known, at, width, part.known);
        this.value = plain::with_part(self.value, at, width, part.value);
        this
    }
}

/// Whether `condition` holds, where the bits that are known decide it.
pub(super) fn holds(condition: Condition, x: &Secret, y: &Secret) -> Option<bool> {
    match condition {
        Condition::Eq => equal(x, y),
        Condition::Ne => equal(x, y).map(|equal| !equal),
        Condition::Ltu => less(x, y, 0),
        Condition::Geu => less(x, y, 0).map(|less| !less),
        Condition::Lt => less(x, y, 1 << 31),
        Condition::Ge => less(x, y, 1 << 31).map(|less| !less),
    }
}

/// Whether the words are equal: known where they are the same wires, or two bits that are known differ.
fn equal(x: &Secret, y: &Secret) -> Option<bool> {
    if (x.value ^ y.value) & x.known & y.known != 0 {
        return Some(false);
    }
    let same = |i: usize| match (x.bit(i), y.bit(i)) {
        (Bit::Public(_), Bit::Public(_)) => true,
        (Bit::Wire(x), Bit::Wire(y)) => x.slot() == y.slot(),
        _ => false,
    };
    (0..32).all(same).then_some(true)
}

/// Whether `x` is less once the bits of `turned` are turned over in both, where the least and the largest that
/// they can be decide it.
fn less(x: &Secret, y: &Secret, turned: u32) -> Option<bool> {
    let least = |word: &Secret| (word.value ^ turned) & word.known;
    let most = |word: &Secret| least(word) | !word.known;
    if most(x) < least(y) {
        Some(true)
    } else if least(x) >= most(y) {
        Some(false)
    } else {
        None
    }
}
