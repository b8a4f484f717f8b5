//! Statements over other fields than F_2 send what was foretold.

use super::counted::by_quicksilver;
use crate::session::Analysed as _;
use crate::session::Registered;
use volery_circuit::Size;
use volery_primitives::{F2, F61, F61x2, F64, F128, F256, F65537, F65537x4, Field, MacField};
use volery_proof::correlations::Correlations;
use volery_proof::over::Over;
use volery_proof::setting::Setting as _;
use volery_statements::Arithmetic;
use volery_vole::macs::FieldMacs;
use volery_vole::vole::extend::Schedule;
use volery_vole::vole::lpn::{Sets, TILE};

/// A network with so many commitments: 256 to 383, 512 to 767, or 1024 and more.
fn network<B: Field>(commitments: u64) -> Arithmetic<B> {
    let of_width = |bits: u32| {
        let network = Arithmetic::<B>::new(commitments.checked_sub(1 << bits)?).ok()?;
        (network.width() == 1 << bits).then_some(network)
    };
    (2..10).find_map(of_width).expect("a network with so many commitments")
}

#[track_caller]
fn assert_foretold<B: Field, E: MacField<B>>(name: &str, sizes: impl IntoIterator<Item = u64>)
where
    Over<B, E>: Registered,
{
    let correlations = Correlations::named::<Over<B, E>>(name).unwrap();
    for commitments in sizes {
        let foretold = FieldMacs::<B, E>::traffic(correlations, Size::gates(commitments), None);
        let network = network::<B>(commitments);
        let witness = network.witness([1; 32]).collect();
        let (sent, gates) = by_quicksilver::<Over<B, E>, _>(correlations, &network, witness);
        assert_eq!(gates.size().commitments, commitments);
        assert_eq!(foretold, sent, "{commitments} over {name} of {}", Over::<B, E>::name());
    }
}

/// The shares of so many tiles, less what their masks take.
fn tiles<B: Field, E: MacField<B>>(number: usize) -> u64 {
    (TILE * number) as u64 - u64::from(E::degree())
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
    let schedule = Schedule::over::<F61>(Sets::LARGE.tiny, 1);
    let (draws, checked, opened) = (schedule.draws(), schedule.checked(), schedule.opened());
    let stages = [1, 2, 3, 4, 8, 9, 13, checked - 1, checked, opened - 1, opened, draws, draws + 1];
    let sizes = stages.into_iter().map(tiles::<F61, F61>);
    let beyond = [1, draws, 2 * draws + 4].map(|number| tiles::<F61, F61>(number) + 1);
    assert_foretold::<F61, F61>("tiny", sizes.chain(beyond));
}

#[test]
fn every_field_sends_what_was_foretold() {
    fn sizes<B: Field, E: MacField<B>>() -> [u64; 5] {
        let draws = Schedule::over::<B>(Sets::of::<B>().tiny, E::degree() as usize).draws();
        [1, 2, draws / 2, draws - 1, draws].map(|number| tiles::<B, E>(number) + u64::from(number > 1))
    }
    assert_foretold::<F61, F61x2>("tiny", sizes::<F61, F61x2>());
    assert_foretold::<F65537, F65537x4>("tiny", sizes::<F65537, F65537x4>());
    assert_foretold::<F256, F128>("tiny", sizes::<F256, F128>());
    assert_foretold::<F2, F64>("tiny", sizes::<F2, F64>());
}

/// Bits with MACs of 64 bits, straight from transfers: around the ends of blocks that grow, of sections, and of
/// batches.
#[test]
fn bits_send_what_was_foretold() {
    let ends = [2048, 4096, 8192, 16_384, 24_576, 40_960, 65_536];
    let around = ends.into_iter().flat_map(|end| [end - 64, end - 63, end, end + 1]);
    for name in ["softspoken4", "softspoken8"] {
        assert_foretold::<F2, F64>(name, [300, 600].into_iter().chain(around.clone()));
    }
}

#[test]
fn larger_sets_send_what_was_foretold() {
    let draws = Schedule::over::<F61>(Sets::LARGE.l2, 1).draws();
    assert_foretold::<F61, F61>("l2", [tiles::<F61, F61>(draws + 3)]);
    assert_foretold::<F61, F61>("mid", [5000]);
}

/// 10^12 gates are not walked through.
#[test]
fn the_largest_statements_are_estimated_at_once() {
    let setting = Over::<F61>::facts();
    for correlations in setting.correlations() {
        let started = std::time::Instant::now();
        let estimate = FieldMacs::<F61, F61>::traffic(correlations, Size::gates(1_000_000_000_000), None);
        assert!(started.elapsed().as_secs() < 2, "{correlations:?}");
        assert!(estimate.total.prover > 8_000_000_000_000, "{estimate:?}");
    }
}
