//! Integers as elements.

use volery_circuit::Sequence;
use volery_primitives::{F61, Field};
use zeroize::Zeroizing;

/// The element of an integer, below 2^60 in magnitude.
pub(crate) fn element(integer: i64) -> F61 {
    let magnitude = F61::new(integer.unsigned_abs());
    if integer < 0 { -magnitude } else { magnitude }
}

/// The integer of an element, which is the one that is nearest to zero; in the same time for all.
pub fn integer(element: F61) -> i64 {
    const PRIME: i64 = (1 << 61) - 1;
    let word = element.to_integer().low() as i64;
    // All ones where it is above the half.
    let above = (PRIME / 2 - word) >> 63;
    word - (PRIME & above)
}

/// The bytes of integers as a statement's ports take them: those of their elements.
pub fn encoded(integers: impl ExactSizeIterator<Item = i64>) -> Zeroizing<Vec<u8>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(integers.len() * F61::BYTES));
    for integer in integers {
        bytes.extend_from_slice(&element(integer).to_integer().to_bytes()[..F61::BYTES]);
    }
    bytes
}

/// The first integer of a sequence from `first` on, of `count`, that has more than so many bits, with its place.
pub(super) fn beyond(values: &dyn Sequence<F61>, first: u64, count: usize, bits: u32) -> Option<(u64, i64)> {
    let half = 1i64 << (bits - 1);
    (0..count as u64)
        .map(|i| (i, integer(values.element(first + i))))
        .find(|(_, value)| !(-half..half).contains(value))
}
