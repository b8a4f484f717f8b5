//! Statements over F_2 send what was foretold.

use super::counted::by_quicksilver;
use crate::session::Analysed as _;
use volery_circuit::Size;
use volery_proof::binary::Binary;
use volery_proof::correlations::Correlations;
use volery_statements::Network;
use volery_vole::macs::BitMacs;
use volery_vole::vole::extend::Schedule;
use volery_vole::vole::lpn::{Params, TILE};

/// Networks with so many commitments: 600 to 767, or 2048 and more.
#[track_caller]
fn assert_foretold(correlations: Correlations, sizes: impl IntoIterator<Item = u64>) {
    for commitments in sizes {
        let width = if commitments < 1024 { 256 } else { 1024 };
        let network = Network::new(commitments - width).unwrap();
        assert_eq!(network.width() as u64, width);
        let witness = network.witness([1; 32]).collect();
        let (sent, gates) = by_quicksilver::<Binary, _>(correlations, &network, witness);
        assert_eq!(gates.size().commitments, commitments);
        let foretold = BitMacs::traffic(correlations, Size::gates(commitments), None);
        assert_eq!(foretold, sent, "{commitments} over {correlations:?}");
    }
}

/// Around every chunk's end, and beyond the longest.
#[test]
fn softspoken_sends_what_was_foretold() {
    let around = [4096, 8192, 16_384, 24_576].into_iter();
    let around = around.flat_map(|end| [end - 128, end - 127, end, end + 1]);
    let sizes = || [600, 2048, 2049, 100_000].into_iter().chain(around.clone());
    for correlations in [Correlations::SOFTSPOKEN4, Correlations::SOFTSPOKEN8] {
        assert_foretold(correlations, sizes());
    }
}

/// Around the end of a tile, and at every stage of a refill, in the first iteration and the second.
#[test]
fn refills_send_what_was_foretold() {
    let schedule = Schedule::new(Params::TINY);
    let (draws, checked) = (schedule.draws() as u64, schedule.checked() as u64);
    let stages = [1, 6, 7, 13, 14, checked - 1, checked, draws - 1, draws, draws + 1, draws + 9, 2 * draws];
    let tile = TILE as u64;
    let sizes = stages.into_iter().flat_map(|tiles| {
        let beyond = [tile * tiles - 128, tile * tiles - 127];
        if tiles == draws { beyond.to_vec() } else { beyond[..1].to_vec() }
    });
    assert_foretold(Correlations::TINY, [3000].into_iter().chain(sizes));
}

#[test]
fn every_set_sends_what_was_foretold() {
    let draws = |params| TILE as u64 * Schedule::new(params).draws() as u64;
    assert_foretold(Correlations::SMALL, [5000, draws(Params::SMALL) / 2, draws(Params::SMALL) + 1]);
    assert_foretold(Correlations::L2, [20_000, draws(Params::L2) * 4 / 5, draws(Params::L2) + 300_000]);
    assert_foretold(Correlations::MID, [300_000, draws(Params::MID) / 3]);
    assert_foretold(Correlations::WAN, [1_000_000]);
}

/// Sides that know how many shares there will be make no other iteration ready before these are
/// drawn; a statement that takes more makes it ready then.
#[test]
fn what_is_not_expected_is_not_sent() {
    let mid = Correlations::MID;
    let spared = |size| {
        let expecting = |shares| BitMacs::traffic(mid, size, shares).total.sum();
        expecting(None) - expecting(Some(size.commitments))
    };
    assert!(spared(Size::gates(300_000)) > 0 && spared(Size::gates(2_000_000)) > 400_000);
    assert_eq!(spared(Size::gates(4_000_000)), 0, "too late to begin then");
}
