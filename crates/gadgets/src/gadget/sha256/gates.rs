//! The compression function gate by gate.

use super::{Compression, LOWER_0, LOWER_1, ROUND, UPPER_0, UPPER_1, Word32};
use crate::gadget::hash::fips_180::{choose, majority};
use crate::gadget::{Word, function_of_words};
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::F2;

/// Gate by gate: each ch, maj and carry is one AND.
pub enum Gates {}

impl<B: Backend<F = F2>> Compression<B> for Gates {
    const BLOCK: &'static str = "sha256 of a block";

    fn compress(
        b: &mut B,
        state: &[Word32<B::Wire>; 8],
        block: &[Word32<B::Wire>; 16],
    ) -> Result<[Word32<B::Wire>; 8]> {
        b.scope(|b| {
            // The working variables, and the last 16 words of the message schedule, W_t at index t mod 16.
            let mut words = [&state[..], block].concat();
            for first in (0..ROUND.len()).step_by(16) {
                let name = format!("SHA-256, 16 rounds from {first}");
                words = function_of_words(b, &name, &words, |b, words| rounds(b, first, words))?;
            }
            let mut sum = *state;
            for (sum, word) in sum.iter_mut().zip(&words) {
                *sum = sum.add(b, word)?;
            }
            Ok(sum)
        })
    }
}

/// Sixteen rounds from number `first` on: the working variables and the schedule behind them.
fn rounds<B: Backend<F = F2>>(
    b: &mut B,
    first: usize,
    words: &[Word32<B::Wire>],
) -> Result<Vec<Word32<B::Wire>>> {
    let (state, schedule) = words.split_first_chunk::<8>().expect("eight working variables");
    let (mut s, mut schedule) = (*state, *schedule.first_chunk::<16>().expect("a block"));
    for (t, &constant) in ROUND.iter().enumerate().skip(first).take(16) {
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
    Ok([&s[..], &schedule].concat())
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
