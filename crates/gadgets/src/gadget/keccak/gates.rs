//! Keccak-f[1600] gate by gate: an AND for each bit and round.

use super::{IOTA, Lane, MOVES, Permutation, SIDE};
use crate::gadget::{Gates, Word};
use core::array;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::F2;

impl<B: Backend<F = F2>> Permutation<B> for Gates {
    fn permute(b: &mut B, state: &[Lane<B::Wire>; SIDE * SIDE], _: usize) -> Result<Vec<Lane<B::Wire>>> {
        let state = b.scope(|b| {
            let mut state = *state;
            for constant in IOTA {
                state = b.scope(|b| {
                    round(b, &mut state)?;
                    // ι
                    state[0] = state[0].xor(b, &Word::public(constant.into()));
                    Ok(state)
                })?;
            }
            Ok(state)
        })?;
        Ok(state.to_vec())
    }
}

/// A round of Keccak-f[1600] but for its constant.
fn round<B: Backend<F = F2>>(b: &mut B, state: &mut [Lane<B::Wire>; SIDE * SIDE]) -> Result<()> {
    // θ
    let columns: [Lane<B::Wire>; SIDE] =
        array::from_fn(|x| (1..5).fold(state[x], |sum, y| sum.xor(b, &state[x + 5 * y])));
    let sums: [Lane<B::Wire>; SIDE] =
        array::from_fn(|x| columns[(x + 4) % 5].xor(b, &columns[(x + 1) % 5].rotate_left(1)));
    for (i, lane) in state.iter_mut().enumerate() {
        *lane = lane.xor(b, &sums[i % 5]);
    }
    let moved = MOVES.map(|(from, by)| state[from].rotate_left(by));
    // χ
    for (i, lane) in state.iter_mut().enumerate() {
        let row = i - i % 5;
        let next = moved[row + (i + 1) % 5].not(b);
        let both = next.and(b, &moved[row + (i + 2) % 5])?;
        *lane = moved[i].xor(b, &both);
    }
    Ok(())
}
