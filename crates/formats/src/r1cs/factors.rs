//! Factors by their numbers: those that were asked for last, since few numbers make most factors.

use super::prime::{Limbs, ONE, Prime};

/// Results for numbers, as far as they are kept.
pub(super) struct Factors<T> {
    minus_one: Limbs,
    /// The results for one and minus one.
    units: [T; 2],
    known: Vec<Option<(Limbs, T)>>,
}

/// How many are kept, as a power of two.
const KEPT: u32 = 12;

impl<T: Copy> Factors<T> {
    /// A set with the factors one and minus one alone.
    pub(super) fn new(prime: &Prime, units: [T; 2]) -> Self {
        Self { minus_one: prime.minus_one(), units, known: vec![None; 1 << KEPT] }
    }

    /// The result of `make` for `number`.
    #[inline]
    pub(super) fn get(&mut self, number: &Limbs, make: impl FnOnce(&Limbs) -> T) -> T {
        if *number == ONE {
            return self.units[0];
        }
        if *number == self.minus_one {
            return self.units[1];
        }
        let mixed = number[0] ^ number[1].rotate_left(17) ^ number[2].rotate_left(31) ^ number[3];
        let place = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - KEPT);
        match &mut self.known[place as usize] {
            Some((known, made)) if known == number => *made,
            other => {
                let made = make(number);
                *other = Some((*number, made));
                made
            }
        }
    }
}
