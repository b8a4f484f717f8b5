//! Common parts of the tests of garbling, and of the systems made of it: circuits at random, and both parties
//! of a proof in one process.

mod circuits;
mod parties;

pub(crate) use circuits::{Arbitrary, Several, strings};
pub(crate) use parties::{Outcome, both, revealed};

/// Bytes of so many transfers in both directions, as the header of [`committing`](crate::ot::committing)
/// says, without their ciphertexts and the opening.
pub(crate) fn bytes_of_transfers(count: usize) -> usize {
    let mut blocks = 0;
    for chunk in [8, 8, 16, 32, 64, 64] {
        if 128 * blocks < count {
            blocks += chunk;
        }
    }
    assert!(count <= 128 * 192, "longer than any test");
    8224 + 4128 + 240 * blocks + 288 + count.div_ceil(8)
}
