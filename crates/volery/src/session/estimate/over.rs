//! The same over any field but F_2.

use super::Estimate;
use crate::channel::Carried;
use crate::circuit::Size;
use crate::session::{FieldCorrelations, Over};
use crate::vole::lpn::TILE;
use crate::vole::subfield::{base, direct, extend::traffic as lpn};
use crate::vole::vope::Masks;
use crate::zk::quicksilver::arithmetic::traffic::{Blocks, proof};
use crate::zk::quicksilver::traffic::masks;
use volery_primitives::{Field, MacField};

impl<B: Field, E: MacField<B>> Over<B, E> {
    /// What a session of one statement of this size sends over these correlations, where they were given.
    /// Matrix products are taken for the last of each batch, and of the statement: what a batch that ends
    /// early otherwise leaves unused of a section, for an epoch of a memory or table say, and its coins, are
    /// not counted; but for the coins of epochs.
    pub fn traffic(correlations: FieldCorrelations, size: Size) -> Estimate {
        Self::traffic_expecting(correlations, size, None)
    }

    /// The same where so many shares may be expected.
    pub(in super::super) fn traffic_expecting(
        correlations: FieldCorrelations,
        size: Size,
        expected: Option<u64>,
    ) -> Estimate {
        let blocks = Self::blocks(correlations, size, masks(size, E::DEGREE.into()));
        let [setup, drawn] = Self::draw(correlations, &blocks, expected);
        Estimate::of(setup, drawn + proof::<B, E>(&blocks, size))
    }

    /// The set-up, and drawing so many shares.
    pub(in super::super) fn traffic_of_shares(
        correlations: FieldCorrelations,
        shares: u64,
        expected: Option<u64>,
    ) -> [Carried; 2] {
        let none = Masks { lines: 0, shares: 0 };
        Self::draw(correlations, &Self::blocks(correlations, Size::gates(shares), none), expected)
    }

    /// The blocks that a statement of this size draws.
    fn blocks(correlations: FieldCorrelations, size: Size, masks: Masks) -> Blocks {
        match correlations {
            FieldCorrelations::Direct => Blocks::cover(size, masks, direct::LONGEST, direct::next),
            FieldCorrelations::Lpn(_) => Blocks::cover(size, masks, TILE, |_| TILE),
        }
    }

    /// The set-up, and drawing these blocks.
    fn draw(correlations: FieldCorrelations, blocks: &Blocks, expected: Option<u64>) -> [Carried; 2] {
        match correlations {
            FieldCorrelations::Direct => {
                [base::set_up_traffic::<B, E>(), base::traffic::<B, E>(blocks.shares(), blocks.number())]
            }
            FieldCorrelations::Lpn(params) => {
                [lpn::set_up::<B, E>(params), lpn::draws::<B, E>(params, blocks.number(), expected)]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{proved, ran};
    use super::*;
    use crate::circuit::Arithmetic;
    use crate::session::Registered;
    use crate::session::{Correlations, Options, Report, Setting};
    use crate::vole::extend::Schedule;
    use crate::vole::lpn::Sets;
    use volery_primitives::{F61, F61x2, F128, F256, F65537, F65537x4};

    /// What the verifier reports of a network with so many commitments: 256 to 383, 512 to
    /// 767, or 1024 and more.
    fn run<B: Field, E: MacField<B>>(commitments: u64, correlations: FieldCorrelations) -> Report
    where
        Over<B, E>: Registered,
    {
        let of_width = |bits: u32| {
            let network = Arithmetic::<B>::new(commitments.checked_sub(1 << bits)?).ok()?;
            (network.width() == 1 << bits).then_some(network)
        };
        let network = (2..10).find_map(of_width).expect("a network with so many commitments");
        let options = Options {
            statement: Some(network.digest()),
            size: Some(Size::gates(commitments)),
            check: false,
            ..Options::default().with_correlations(Correlations::from(correlations))
        };
        proved::<Over<B, E>, _>(&network, network.witness([1; 32]).collect(), &options)
    }

    #[track_caller]
    fn assert_foretold<B: Field, E: MacField<B>>(name: &str, sizes: impl IntoIterator<Item = u64>)
    where
        Over<B, E>: Registered,
    {
        let correlations = Correlations::named::<Over<B, E>>(name).unwrap();
        for commitments in sizes {
            let foretold = Over::<B, E>::traffic(correlations, Size::gates(commitments));
            let ran = ran(&run::<B, E>(commitments, correlations));
            assert_eq!(foretold, ran, "{commitments} over {name} of {}", Over::<B, E>::name());
        }
    }

    /// So many tiles, less what their masks take.
    fn tiles<B: Field, E: MacField<B>>(number: usize) -> u64 {
        (TILE * number) as u64 - u64::from(E::DEGREE)
    }

    /// Around the ends of blocks, and of a batch of them.
    #[test]
    fn direct_sends_what_was_foretold() {
        let ends = [256, 512, 1024, 2048, 4096, 10_240];
        let around = ends.into_iter().flat_map(|end| [end - 2, end - 1, end, end + 1]);
        assert_foretold::<F61, F61>(
            "direct",
            around.filter(|size| ![254, 255, 510, 511, 1022, 1023].contains(size)),
        );
        assert_foretold::<F61, F61x2>("direct", [256, 1024, 2046, 2047]);
        assert_foretold::<F65537, F65537x4>("direct", [300, 2044, 2045]);
        assert_foretold::<F256, F128>("direct", [300, 2032, 2033]);
    }

    /// Around the end of a tile, and at every stage of a refill, in the first iteration and the second.
    #[test]
    fn refills_send_what_was_foretold() {
        let schedule = Schedule::over(Sets::LARGE.tiny, 1);
        let (draws, checked, opened) = (schedule.draws(), schedule.checked(), schedule.opened());
        let stages = [1, 2, 3, 4, 8, 9, 13, checked - 1, checked, opened - 1, opened, draws, draws + 1];
        let sizes = stages.into_iter().map(tiles::<F61, F61>);
        let beyond = [1, draws, 2 * draws + 4].map(|number| tiles::<F61, F61>(number) + 1);
        assert_foretold::<F61, F61>("tiny", sizes.chain(beyond));
    }

    #[test]
    fn every_field_sends_what_was_foretold() {
        fn sizes<B: Field, E: MacField<B>>() -> [u64; 5] {
            let draws = Schedule::over(Sets::of::<B>().tiny, E::DEGREE as usize).draws();
            [1, 2, draws / 2, draws - 1, draws].map(|number| tiles::<B, E>(number) + u64::from(number > 1))
        }
        assert_foretold::<F61, F61x2>("tiny", sizes::<F61, F61x2>());
        assert_foretold::<F65537, F65537x4>("tiny", sizes::<F65537, F65537x4>());
        assert_foretold::<F256, F128>("tiny", sizes::<F256, F128>());
    }

    #[test]
    fn larger_sets_send_what_was_foretold() {
        let draws = Schedule::over(Sets::LARGE.l2, 1).draws();
        assert_foretold::<F61, F61>("l2", [tiles::<F61, F61>(draws + 3)]);
        assert_foretold::<F61, F61>("mid", [5000]);
    }

    /// 10^12 gates are not walked through.
    #[test]
    fn the_largest_statements_are_estimated_at_once() {
        for correlations in Over::<F61>::correlations() {
            let started = std::time::Instant::now();
            let estimate = Over::<F61>::traffic(correlations, Size::gates(1_000_000_000_000));
            assert!(started.elapsed().as_secs() < 2, "{correlations:?}");
            assert!(estimate.total.prover > 8_000_000_000_000, "{estimate:?}");
        }
    }
}
