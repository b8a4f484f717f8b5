//! What a session will send, from the size of its statement alone.
//!
//! Every message of a session has a length that both sides know beforehand. Each protocol says what
//! its messages carry, beside the table of them; here this is put together. The tests hold the sums
//! against runs, to the byte.

#[cfg(test)]
mod clauses;
mod garbled;
#[cfg(test)]
mod memories;
mod over;
#[cfg(test)]
mod polynomials;
mod wolverine;

use super::correlations::{EXCHANGED, PROBES};
use super::{Binary, BitCorrelations, voleith};
use crate::channel::{Carried, HANDSHAKE};
use crate::circuit::Size;
use crate::error::Result;
use crate::ot::softspoken::BLOCK;
use crate::ot::softspoken::traffic::{self as softspoken, Chunks};
use crate::vole::extend::traffic as lpn;
use crate::vole::lpn::TILE;
use crate::zk::quicksilver::traffic as quicksilver;
use crate::zk::voleith::{Parameters, Wishes};

/// What a session of one statement sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Before the first gate: but shares straight from transfers, which are drawn there too where both
    /// parties chose them for the size of the statement, stand in the total alone.
    pub setup: Carried,
    /// In all.
    pub total: Carried,
}

impl Estimate {
    /// What a session carries besides its handshake: before the first gate, and from there on.
    fn of(setup: Carried, online: Carried) -> Self {
        let setup = HANDSHAKE + setup;
        Self { setup, total: setup + online }
    }

    /// A file by VOLE in the head, of a statement of this size with a label of so many bytes, worth so many
    /// bits where they are asked for. To the byte, but for statements whose batches end early, for a matrix
    /// product or very many polynomials: they send no more.
    ///
    /// # Errors
    /// `Invalid` where no parameters are so.
    pub fn voleith(size: Size, security: Option<u32>, wishes: &Wishes, label: usize) -> Result<Self> {
        let bytes = Parameters::choose(size, security, wishes)?.bytes(size) + voleith::header_bytes(label);
        Ok(Self { setup: Carried::default(), total: Carried::by_prover(bytes) })
    }

    /// The same where the correlations were chosen by what the parties measured of each other, and of a link
    /// whose bandwidth neither knew.
    pub fn measured(self) -> Self {
        self.beginning(EXCHANGED + PROBES)
    }

    /// The same where one knew the bandwidth.
    pub fn measured_but_for_bandwidth(self) -> Self {
        self.beginning(EXCHANGED)
    }

    fn beginning(self, more: Carried) -> Self {
        Self { setup: self.setup + more, total: self.total + more }
    }
}

impl Binary {
    /// What a session of one statement of this size sends over these correlations, where they were given. A
    /// batch that ends early, for a matrix product, an epoch of a memory or table, or very many polynomials,
    /// leaves a part of a block unused that is not counted.
    pub fn traffic(correlations: BitCorrelations, size: Size) -> Estimate {
        Self::traffic_expecting(correlations, size, None)
    }

    /// The same where so many shares may be expected.
    pub(super) fn traffic_expecting(
        correlations: BitCorrelations,
        size: Size,
        expected: Option<u64>,
    ) -> Estimate {
        // What comes after the challenge to a tape is in blocks of its own.
        let (late, masks) = (size.late, quicksilver::masks(size, 128));
        let commitments = size.commitments - late;
        let behind = |shares: u64, mut next: &mut dyn FnMut() -> u64| {
            let mut more = 0;
            while more < late {
                more += next();
            }
            let spare = if late > 0 { more - late } else { shares - commitments };
            (more, masks.blocks(spare, &mut next))
        };
        let (setup, drawn, shares) = match correlations {
            BitCorrelations::SoftSpoken(depth) => {
                let expected = expected.map(|shares| shares + masks.in_all());
                let mut chunks = Chunks::cover(commitments, expected);
                let (shares, block) = (chunks.blocks * BLOCK as u64, BLOCK as u64);
                let (more, masks) = behind(shares, &mut || chunks.next_rows());
                let (shares, masks) = (shares + more, masks.iter().sum::<u64>());
                (softspoken::set_up(depth), softspoken::checked(depth, (shares + masks) / block), shares)
            }
            BitCorrelations::Lpn(params) => {
                let tile = TILE as u64;
                let shares = commitments.next_multiple_of(tile);
                let (more, masks) = behind(shares, &mut || tile);
                let (shares, masks) = (shares + more, masks.len() as u64);
                (lpn::set_up(params), lpn::draws(params, shares / tile + masks, expected), shares)
            }
        };
        Estimate::of(setup, drawn + quicksilver::proof(shares, size))
    }
}

/// The set-up of `correlations`, and drawing so many shares, over F_2, where this many may be expected.
pub(super) fn share_traffic(
    correlations: BitCorrelations,
    shares: u64,
    expected: Option<u64>,
) -> [Carried; 2] {
    match correlations {
        BitCorrelations::SoftSpoken(depth) => {
            [softspoken::set_up(depth), softspoken::rows(depth, shares, expected)]
        }
        BitCorrelations::Lpn(params) => {
            [lpn::set_up(params), lpn::draws(params, shares.div_ceil(TILE as u64), expected)]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::{Channel, Party, Traffic, pipe, side_by_side};
    use crate::circuit::Network;
    use crate::ot::softspoken::Depth;
    use crate::session::{Options, Provable, Report, Setting, prove_over, verify_over};
    use crate::vole::extend::Schedule;
    use crate::vole::lpn::Params;
    use std::time::Duration;

    /// What the verifier reports of a network with so many commitments: 600 to 767, or 2048 and more.
    fn run(commitments: u64, correlations: Option<BitCorrelations>) -> Report {
        run_over(None, commitments, correlations)
    }

    /// The same over a link of this bandwidth.
    fn run_over(bandwidth: Option<f64>, commitments: u64, correlations: Option<BitCorrelations>) -> Report {
        let width = if commitments < 1024 { 256 } else { 1024 };
        let network = Network::new(commitments - width).unwrap();
        assert_eq!(network.width() as u64, width);
        let options = Options {
            statement: Some(network.digest()),
            size: Some(Size::gates(commitments)),
            check: false,
            ..Options::default().with_correlations(correlations.map(Into::into)).with_bandwidth(bandwidth)
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

    /// Where both sides know how many shares there will be, they make no other iteration ready before these are
    /// drawn; a statement that takes more makes it ready then.
    #[test]
    fn what_is_not_expected_is_not_sent() {
        let mid = BitCorrelations::Lpn(Params::MID);
        let spared = |size| {
            let given = Binary::traffic(mid, size).total;
            given.sum() - Binary::traffic_where_chosen(mid, size).total.sum()
        };
        assert!(spared(Size::gates(300_000)) > 0 && spared(Size::gates(2_000_000)) > 400_000);
        assert_eq!(spared(Size::gates(4_000_000)), 0, "too late to begin then");
    }

    #[test]
    fn what_is_measured_is_counted() {
        let commitments = Binary::SMALL_STATEMENT + 1;
        for bandwidth in [None, Some(500.0)] {
            let report = run_over(bandwidth, commitments, None);
            let chosen = report.choice().unwrap().correlations.over::<Binary>().unwrap();
            let foretold = Binary::traffic_where_chosen(chosen, Size::gates(commitments));
            let foretold = match bandwidth {
                None => foretold.measured(),
                Some(_) => foretold.measured_but_for_bandwidth(),
            };
            assert_eq!(foretold, ran(&report), "{bandwidth:?}");
        }
    }
}
