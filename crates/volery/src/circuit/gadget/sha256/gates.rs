//! The compression function gate by gate.

use super::{Compression, LOWER_0, LOWER_1, ROUND, UPPER_0, UPPER_1, Word32};
use crate::circuit::Backend;
use crate::circuit::gadget::hash::fips_180::{choose, majority};
use crate::circuit::gadget::{Word, function_of_words};
use crate::error::Result;
use volery_primitives::F2;

/// Gate by gate: each ch, maj and carry is one AND.
pub enum Gates {}

impl<B: Backend<F = F2>> Compression<B> for Gates {
    fn compress(
        b: &mut B,
        state: &[Word32<B::Wire>; 8],
        block: &[Word32<B::Wire>; 16],
    ) -> Result<[Word32<B::Wire>; 8]> {
        let words = [&state[..], block].concat();
        let digest = function_of_words(b, "SHA-256 compression", &words, |b, words| {
            let (state, block) = words.split_first_chunk().expect("eight words of state");
            Ok(rounds(b, state, block.first_chunk().expect("a block"))?.to_vec())
        })?;
        Ok(*digest.first_chunk().expect("eight words"))
    }
}

/// The rounds, and what they are added to.
fn rounds<B: Backend<F = F2>>(
    b: &mut B,
    state: &[Word32<B::Wire>; 8],
    block: &[Word32<B::Wire>; 16],
) -> Result<[Word32<B::Wire>; 8]> {
    // The last 16 words of the message schedule, W_t at index t mod 16.
    let mut schedule = *block;
    let mut s = *state;
    for (t, &constant) in ROUND.iter().enumerate() {
        if t >= 16 {
            schedule[t % 16] = expand(b, &schedule, t)?;
        }
        let [a, b0, c, d, e, f, g, h] = s;
        let sigma1 = rotations(b, &e, UPPER_1);
        let sigma0 = rotations(b, &a, UPPER_0);
        let ch = choose(b, &e, &f, &g)?;
        let maj = majority(b, &a, &b0, &c)?;
        let t1 = Word::sum(b, &[h, sigma1, ch, Word::public(constant.into()), schedule[t % 16]])?;
        let next_a = Word::sum(b, &[t1, sigma0, maj])?;
        s = [next_a, a, b0, c, d.add(b, &t1)?, e, f, g];
    }
    let mut sum = *state;
    for (sum, word) in sum.iter_mut().zip(&s) {
        *sum = sum.add(b, word)?;
    }
    Ok(sum)
}

/// `W_t` from the 16 words before it.
pub(super) fn expand<B: Backend<F = F2>>(
    b: &mut B,
    schedule: &[Word32<B::Wire>; 16],
    t: usize,
) -> Result<Word32<B::Wire>> {
    let before = |by: usize| &schedule[(t - by) % 16];
    let (early, late) = (before(15), before(2));
    let sigma0 = rotations_and_shift(b, early, LOWER_0);
    let sigma1 = rotations_and_shift(b, late, LOWER_1);
    Word::sum(b, &[sigma1, *before(7), sigma0, *before(16)])
}

/// The xor of three rotations of `word`.
fn rotations<B: Backend<F = F2>>(b: &mut B, word: &Word32<B::Wire>, by: [usize; 3]) -> Word32<B::Wire> {
    let [x, y, z] = by.map(|by| word.rotate_right(by));
    x.xor(b, &y).xor(b, &z)
}

/// The xor of two rotations and a shift of `word`.
fn rotations_and_shift<B: Backend<F = F2>>(
    b: &mut B,
    word: &Word32<B::Wire>,
    (by, shift): ([usize; 2], usize),
) -> Word32<B::Wire> {
    let [x, y] = by.map(|by| word.rotate_right(by));
    x.xor(b, &y).xor(b, &word.shift_right(shift))
}
