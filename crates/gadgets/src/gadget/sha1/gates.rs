//! The compression function gate by gate.

use super::{ROUND, ROUNDS, Sha1Compression, expand};
use crate::gadget::hash::fips_180::{Word32, choose, majority};
use crate::gadget::{Gates, Word};
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::F2;

impl<B: Backend<F = F2>> Sha1Compression<B> for Gates {
    fn compress_sha1(
        b: &mut B,
        state: &[Word32<B::Wire>; 5],
        block: &[Word32<B::Wire>; 16],
    ) -> Result<[Word32<B::Wire>; 5]> {
        b.scope(|b| {
            let mut state = *state;
            rounds(b, &mut state, block)?;
            Ok(state)
        })
    }
}

/// The rounds, and what they are added to.
fn rounds<B: Backend<F = F2>>(
    b: &mut B,
    state: &mut [Word32<B::Wire>; 5],
    block: &[Word32<B::Wire>; 16],
) -> Result<()> {
    // The last 16 words of the message schedule, W_t at index t mod 16.
    let mut schedule = *block;
    let mut s = *state;
    for t in 0..ROUNDS {
        if t >= 16 {
            schedule[t % 16] = expand(b, &schedule, t);
        }
        let [a, b0, c, d, e] = s;
        let mixed = match t / 20 {
            0 => choose(b, &b0, &c, &d)?,
            2 => majority(b, &b0, &c, &d)?,
            _ => b0.xor(b, &c).xor(b, &d),
        };
        let constant = Word::public(ROUND[t / 20].into());
        let sum = Word::sum(b, &[a.rotate_left(5), mixed, e, constant, schedule[t % 16]])?;
        s = [sum, a, b0.rotate_left(30), c, d];
    }
    for (sum, word) in state.iter_mut().zip(&s) {
        *sum = sum.add(b, word)?;
    }
    Ok(())
}
