//! Bytes of the messages of [`super`], those of trees and of their check included.

use crate::ot::softspoken::traffic::{self, Trees};
use crate::ot::softspoken::{BLOCK, Depth, LONGEST_CHUNK};
use crate::vole::extend::Schedule;
use crate::vole::extend::traffic::iterations;
use crate::vole::lpn::{Params, Sets};
use crate::vole::subfield::base;
use volery_channel::channel::Carried;
use volery_primitives::bits::Row as _;
use volery_primitives::{F64, Field, MacField};

/// The transfers that are the first shares over F_2.
const BITS: Trees = Trees { depth: Depth::Eight, columns: F64::COLUMNS };

/// The set-up: SoftSpoken's part, the first shares, and an iteration of each set on the way.
pub fn set_up<B: Field, E: MacField<B>>(params: Params) -> Carried {
    let chain = Sets::of::<B>().chain(params);
    let first = chain[0].consumed_over::<B>(E::degree() as usize) as u64;
    let mut set_up = traffic::set_up(Depth::Eight);
    set_up += if B::BITS == 1 {
        traffic::set_up(BITS) + traffic::rows(BITS, first, Some(first))
    } else {
        base::set_up_traffic::<B, E>() + base::traffic::<B, E>(first, 1)
    };
    let mut drawn = 0;
    for set in chain {
        let before = drawn;
        while (drawn - before) * (BLOCK as u64) < transfers(set) {
            // Each chunk is as long as all before.
            drawn += drawn.clamp(8, LONGEST_CHUNK as u64);
        }
        set_up += traffic::checked(Depth::Eight, drawn - before);
        set_up += trees::<E>(set, set.tiles(), set.tiles()) + exchange::<E>() * 2;
    }
    set_up
}

/// Bytes of so many draws of a tile each, every one with its part for the next iteration, where this many
/// shares may be expected. The set-up has come to the longest chunks.
pub fn draws<B: Field, E: MacField<B>>(params: Params, draws: u64, expected: Option<u64>) -> Carried {
    let schedule = Schedule::over::<B>(params, E::degree() as usize);
    let schedule = expected.map_or(schedule, |shares| schedule.expecting(shares));
    iterations(schedule, draws, |draws| iteration::<E>(params, schedule, draws))
}

/// The work of so many `draws` of one iteration.
fn iteration<E: Field>(params: Params, schedule: Schedule, draws: usize) -> Carried {
    let longest = LONGEST_CHUNK as u64;
    let chunks = transfers(params).div_ceil(BLOCK as u64 * longest);
    let mut carried = trees::<E>(params, schedule.planted(draws), schedule.fixed(draws));
    // One chunk while a tile is set aside, and with the last of these tiles all that are missing.
    let aside = schedule.set_aside(draws) as u64;
    carried += if schedule.has_set_aside(draws) || aside >= chunks {
        traffic::checked(Depth::Eight, chunks * longest)
    } else {
        traffic::chunks(Depth::Eight, aside * longest)
    };
    carried + exchange::<E>() * schedule.exchanges(draws) as u64
}

/// The transfers that an iteration of this set takes.
const fn transfers(params: Params) -> u64 {
    (params.trees * params.depth) as u64
}

/// The corrections of the trees of `planted` tiles, and the coins of `fixed` ones.
fn trees<E: Field>(params: Params, planted: usize, fixed: usize) -> Carried {
    let tile = params.trees_per_tile() * (16 * (params.depth - 1) + 3 * E::BYTES);
    Carried { prover: 16 * fixed as u64, verifier: (tile * planted) as u64 }
}

/// x and the commitment to V, or V and the opening.
fn exchange<E: Field>() -> Carried {
    Carried { prover: E::BYTES as u64, verifier: 32 }
}
