//! What a session will send, from the size of its statement alone.
//!
//! Every message of a session has a length that both sides know beforehand. They are added up here from the message
//! tables at the head of the files that send them: `channel/handshake.rs`, `ot/base.rs`, `ot/pprf.rs`,
//! `ot/softspoken.rs`, `ot/committing.rs`, `vole/extend.rs` and `zk/{quicksilver,jko,stack,wolverine}.rs`. The tests hold the sums
//! against runs, to the byte.

mod garbled;
mod over;
#[cfg(test)]
mod polynomials;
pub(super) mod wolverine;

use super::correlations::{PROBE, WARM_UP};
use super::{Binary, BitCorrelations};
use crate::circuit::Size;
use crate::ot::softspoken::{self, BLOCK, Depth};
use crate::vole::extend::Schedule;
use crate::vole::lpn::{Params, TILE};
use crate::vole::vope;
use crate::zk::quicksilver::degree_of_check;
use core::ops::AddAssign;

/// Bytes of each party.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// From the prover to the verifier.
    pub prover: u64,
    /// From the verifier to the prover.
    pub verifier: u64,
}

/// What a session of one statement sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Before the first gate: but shares straight from transfers, which are drawn there too where both parties chose them
    /// for the size of the statement, stand in the total alone.
    pub setup: Carried,
    /// In all.
    pub total: Carried,
}

/// Opening and hello.
const HANDSHAKE: Carried = Carried { prover: 12 + 176, verifier: 12 + 176 };
/// The longest chunk of SoftSpoken in blocks.
const LONGEST_CHUNK: u64 = softspoken::LONGEST_CHUNK as u64;

impl Binary {
    /// What a session of one statement of this size sends over these correlations, where they were given; see
    /// [`Estimate::measured`] for the rest. A batch that ends early, for a matrix product or very many polynomials,
    /// leaves a part of a block unused that is not counted.
    pub fn traffic(correlations: BitCorrelations, size: Size) -> Estimate {
        let masks = Masks::of(&size, 128);
        let mut setup = HANDSHAKE;
        let online = match correlations {
            BitCorrelations::SoftSpoken(depth) => {
                setup += softspoken_setup(depth);
                softspoken(depth, size.commitments, masks)
            }
            BitCorrelations::Lpn(params) => {
                setup += lpn_setup(params);
                lpn(params, size.commitments, masks)
            }
        };
        let mut total = setup;
        total += online;
        // U_0, …, U_{d-1} and the digest of asserted wires; the verdict.
        total += Carried { prover: 16 * degree_of_check(size.degree) as u64 + 32, verifier: 1 };
        Estimate { setup, total }
    }
}

/// What masks the check of QuickSilver: lines, and the shares to each.
#[derive(Clone, Copy)]
struct Masks {
    lines: u64,
    shares: u64,
}

impl Masks {
    fn of(size: &Size, shares: u64) -> Self {
        Self { lines: vope::lines(degree_of_check(size.degree) - 1) as u64, shares }
    }

    /// The lengths of the blocks that are drawn for masks where the last one has so many shares to `spare`, and further
    /// ones have lengths by `next`.
    fn blocks(self, mut spare: u64, mut next: impl FnMut() -> u64) -> Vec<u64> {
        let mut blocks = Vec::new();
        for _ in 0..self.lines {
            if spare < self.shares {
                spare = next();
                blocks.push(spare);
            }
            spare -= self.shares;
        }
        blocks
    }
}

impl Estimate {
    /// The same where the bandwidth was measured to choose the correlations.
    pub fn measured(mut self) -> Self {
        let probe = Carried { prover: (WARM_UP + PROBE) as u64, verifier: 4 };
        self.setup += probe;
        self.total += probe;
        self
    }
}

impl Carried {
    /// Both directions.
    pub const fn sum(self) -> u64 {
        self.prover + self.verifier
    }
}

impl AddAssign for Carried {
    fn add_assign(&mut self, other: Self) {
        self.prover += other.prover;
        self.verifier += other.verifier;
    }
}

/// Base transfers, the verifier being their receiver; corrections, sums and digest of the trees.
fn softspoken_setup(depth: Depth) -> Carried {
    let (k, trees) = (depth.bits() as u64, depth.trees() as u64);
    let dealt = 32 * (k - 1) * trees + 32 * trees + 32;
    Carried { prover: 32 * 128 + dealt, verifier: 64 * 128 }
}

/// Chunks with `blocks` blocks in all, and one check.
fn chunks_and_check(depth: Depth, blocks: u64) -> u64 {
    16 * (depth.trees() as u64 - 1) * (blocks + 1) + 48
}

/// The set-up of `correlations`, and drawing so many shares, over F_2.
pub(super) fn share_traffic(correlations: BitCorrelations, shares: u64) -> [Carried; 2] {
    match correlations {
        BitCorrelations::SoftSpoken(depth) => {
            let prover = chunks_and_check(depth, Chunks::cover(shares).blocks);
            [softspoken_setup(depth), Carried { prover, verifier: 0 }]
        }
        BitCorrelations::Lpn(params) => [lpn_setup(params), lpn_draws(params, shares.div_ceil(TILE as u64))],
    }
}

fn softspoken(depth: Depth, commitments: u64, masks: Masks) -> Carried {
    let Chunks { blocks, mut next } = Chunks::cover(commitments);
    let chunk = || {
        let chunk = next;
        next = (2 * next).min(LONGEST_CHUNK);
        chunk * BLOCK as u64
    };
    let mask_shares: u64 = masks.blocks(BLOCK as u64 * blocks - commitments, chunk).iter().sum();
    let mask_blocks = mask_shares / BLOCK as u64;
    let corrections = BLOCK as u64 / 8 * blocks;
    Carried { prover: chunks_and_check(depth, blocks + mask_blocks) + corrections, verifier: 0 }
}

/// SoftSpoken's part, and the first iteration's corrections and check.
fn lpn_setup(params: Params) -> Carried {
    let mut setup = softspoken_setup(Depth::Eight);
    let Chunks { blocks, .. } = Chunks::cover(params.consumed() as u64);
    setup.prover += chunks_and_check(Depth::Eight, blocks);
    setup += iteration(params, params.tiles(), true);
    setup
}

/// Draws of a tile each, and its corrections.
fn lpn(params: Params, commitments: u64, masks: Masks) -> Carried {
    let tile = TILE as u64;
    let tiles = commitments.div_ceil(tile);
    let mut online =
        lpn_draws(params, tiles + masks.blocks(tile * tiles - commitments, || tile).len() as u64);
    online.prover += tile / 8 * tiles;
    online
}

/// So many draws, every one with its part for the next iteration.
fn lpn_draws(params: Params, draws: u64) -> Carried {
    let schedule = Schedule::new(params);
    let (iterations, rest) = (draws / schedule.draws() as u64, (draws % schedule.draws() as u64) as usize);
    let whole = iteration(params, params.tiles(), true);
    let mut online = iteration(params, schedule.planted(rest), rest >= schedule.checked());
    online += Carried { prover: whole.prover * iterations, verifier: whole.verifier * iterations };
    online
}

/// The corrections of the trees in so many `tiles`, and their check where it was `checked`.
fn iteration(params: Params, tiles: usize, checked: bool) -> Carried {
    let tile = 16 * (params.trees_per_tile() * params.depth) as u64;
    let check = if checked { Carried { prover: 16, verifier: 32 } } else { Carried::default() };
    Carried { verifier: tile * tiles as u64 + check.verifier, ..check }
}

/// The blocks of SoftSpoken that hold so many shares.
struct Chunks {
    blocks: u64,
    /// Those of the chunk after them.
    next: u64,
}

impl Chunks {
    /// Chunks of 8, 8, 16, 32 and then always 64 blocks.
    fn cover(shares: u64) -> Self {
        let block = BLOCK as u64;
        let (mut blocks, mut next) = (0, 8);
        while block * blocks < shares {
            if blocks >= LONGEST_CHUNK {
                let chunk = block * LONGEST_CHUNK;
                blocks += (shares - block * blocks).div_ceil(chunk) * LONGEST_CHUNK;
            } else {
                blocks += next;
                next = blocks.min(LONGEST_CHUNK);
            }
        }
        Self { blocks, next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::{Channel, Party, Traffic, pipe, side_by_side};
    use crate::circuit::Network;
    use crate::session::{Options, Provable, Report, Setting, prove_over, verify_over};
    use std::time::Duration;

    /// What the verifier reports of a network with so many commitments: 600 to 767, or 2048 and more.
    fn run(commitments: u64, correlations: Option<BitCorrelations>) -> Report {
        let width = if commitments < 1024 { 256 } else { 1024 };
        let network = Network::new(commitments - width).unwrap();
        assert_eq!(network.width() as u64, width);
        let options = Options {
            correlations: correlations.map(Into::into),
            statement: Some(network.digest()),
            size: Some(Size::gates(commitments)),
            check: false,
            ..Options::default()
        };
        proved::<Binary, _>(&network, network.witness([1; 32]).collect(), &options)
    }

    /// What the verifier reports of a session.
    pub(super) fn proved<S: Setting, C>(circuit: &C, witness: Vec<S::F>, options: &Options) -> Report
    where
        C: Provable<S> + Sync,
    {
        let (here, there) = pipe(Duration::from_secs(60));
        let prover = || {
            let mut channel = Channel::new(Party::Prover, here);
            prove_over::<S>(circuit, witness, &mut channel, options).unwrap();
        };
        let verifier = || {
            let mut channel = Channel::new(Party::Verifier, there);
            verify_over::<S>(circuit, &mut channel, options).unwrap().1
        };
        side_by_side(prover, verifier).1
    }

    /// What the verifier's report says was sent.
    pub(super) fn ran(report: &Report) -> Estimate {
        let carried = |traffic: Traffic| Carried { prover: traffic.received, verifier: traffic.sent };
        Estimate { setup: carried(report.setup_traffic), total: carried(report.traffic) }
    }

    #[track_caller]
    fn assert_foretold(correlations: BitCorrelations, sizes: impl IntoIterator<Item = u64>) {
        for commitments in sizes {
            let ran = ran(&run(commitments, Some(correlations)));
            assert_eq!(
                Binary::traffic(correlations, Size::gates(commitments)),
                ran,
                "{commitments} over {correlations:?}"
            );
        }
    }

    /// Around every chunk's end, and beyond the longest.
    #[test]
    fn softspoken_sends_what_was_foretold() {
        let around = [4096, 8192, 16_384, 24_576].into_iter();
        let around = around.flat_map(|end| [end - 128, end - 127, end, end + 1]);
        let sizes = || [600, 2048, 2049, 100_000].into_iter().chain(around.clone());
        for depth in [Depth::Four, Depth::Eight] {
            assert_foretold(BitCorrelations::SoftSpoken(depth), sizes());
        }
    }

    /// Around the end of a tile, and at every stage of a refill, in the first iteration and the second.
    #[test]
    fn refills_send_what_was_foretold() {
        let schedule = Schedule::new(Params::TINY);
        let (draws, checked) = (schedule.draws() as u64, schedule.checked() as u64);
        let stages =
            [1, 6, 7, 13, 14, checked - 1, checked, draws - 1, draws, draws + 1, draws + 9, 2 * draws];
        let tile = TILE as u64;
        let sizes = stages.into_iter().flat_map(|tiles| {
            let beyond = [tile * tiles - 128, tile * tiles - 127];
            if tiles == draws { beyond.to_vec() } else { beyond[..1].to_vec() }
        });
        assert_foretold(BitCorrelations::Lpn(Params::TINY), [3000].into_iter().chain(sizes));
    }

    #[test]
    fn every_set_sends_what_was_foretold() {
        let draws = |params| TILE as u64 * Schedule::new(params).draws() as u64;
        assert_foretold(
            BitCorrelations::Lpn(Params::SMALL),
            [5000, draws(Params::SMALL) / 2, draws(Params::SMALL) + 1],
        );
        assert_foretold(
            BitCorrelations::Lpn(Params::L2),
            [20_000, draws(Params::L2) * 4 / 5, draws(Params::L2) + 300_000],
        );
        assert_foretold(BitCorrelations::Lpn(Params::MID), [300_000, draws(Params::MID) / 3]);
        assert_foretold(BitCorrelations::Lpn(Params::WAN), [1_000_000]);
    }

    #[test]
    fn the_probe_is_counted() {
        let commitments = Binary::SMALL_STATEMENT + 1;
        let report = run(commitments, None);
        let chosen = report.choice.unwrap().correlations.over::<Binary>().unwrap();
        let foretold = Binary::traffic(chosen, Size::gates(commitments)).measured();
        assert_eq!(foretold, ran(&report));
    }
}
