//! Bytes of the messages of `binary`, and the sum over iterations for any field.

use super::Schedule;
use crate::ot::softspoken::{Depth, traffic};
use crate::vole::lpn::Params;
use volery_channel::channel::Carried;

/// The set-up: SoftSpoken's part, and the corrections and check of an iteration of each set on the way.
pub fn set_up(params: Params) -> Carried {
    let chain = params.chain();
    let rows = chain[0].consumed() as u64;
    let rows = traffic::rows(Depth::Eight, rows, Some(rows));
    chain.into_iter().fold(traffic::set_up(Depth::Eight) + rows, |carried, set| {
        let schedule = Schedule::new(set);
        carried + iteration(set, schedule, schedule.draws())
    })
}

/// Bytes of `draws` draws of a tile each, with their parts for the next iteration, where this many shares may
/// be expected.
pub fn draws(params: Params, draws: u64, expected: Option<u64>) -> Carried {
    let schedule = Schedule::new(params);
    let schedule = expected.map_or(schedule, |shares| schedule.expecting(shares));
    iterations(schedule, draws, |draws| iteration(params, schedule, draws))
}

/// Bytes of `draws` draws, where `iteration` gives those of the first draws of an iteration.
pub(in crate::vole) fn iterations(
    schedule: Schedule,
    draws: u64,
    iteration: impl Fn(usize) -> Carried,
) -> Carried {
    let each = schedule.draws() as u64;
    iteration(schedule.draws()) * (draws / each) + iteration((draws % each) as usize)
}

/// The corrections of trees within the first `draws` draws of one iteration, and their check.
fn iteration(params: Params, schedule: Schedule, draws: usize) -> Carried {
    let tile = Carried::by_verifier(16 * (params.trees_per_tile() * params.depth) as u64);
    let check = Carried { prover: 16, verifier: 32 };
    tile * schedule.planted(draws) as u64 + check * schedule.exchanges(draws) as u64
}
