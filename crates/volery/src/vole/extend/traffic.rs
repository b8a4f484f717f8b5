//! What the messages of [`super`] carry.

use super::Schedule;
use crate::channel::Carried;
use crate::ot::softspoken::{Depth, traffic};
use crate::vole::lpn::Params;

/// The set-up: SoftSpoken's part, and the first iteration's corrections and check.
pub(crate) fn set_up(params: Params) -> Carried {
    let seed = traffic::set_up(Depth::Eight) + traffic::rows(Depth::Eight, params.consumed() as u64);
    seed + iteration(params, params.tiles(), true)
}

/// So many draws of a tile each, every one with its part for the next iteration.
pub(crate) fn draws(params: Params, draws: u64) -> Carried {
    let schedule = Schedule::new(params);
    let (iterations, rest) = (draws / schedule.draws() as u64, (draws % schedule.draws() as u64) as usize);
    let whole = iteration(params, params.tiles(), true);
    whole * iterations + iteration(params, schedule.planted(rest), rest >= schedule.checked())
}

/// The corrections of the trees in so many `tiles`, and their check where it was `checked`.
fn iteration(params: Params, tiles: usize, checked: bool) -> Carried {
    let tile = Carried::by_verifier(16 * (params.trees_per_tile() * params.depth) as u64);
    let check = if checked { Carried { prover: 16, verifier: 32 } } else { Carried::default() };
    tile * tiles as u64 + check
}
