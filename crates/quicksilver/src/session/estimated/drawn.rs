//! Ends of every kind of correlations send what was foretold of so many shares, by themselves, in blocks of the
//! lengths that are counted.

use crate::session::Registered;
use std::time::Duration;
use volery_channel::channel::{Channel, Party, pipe, side_by_side};
use volery_channel::random::Random;
use volery_primitives::{Arch, F2, F61, F61x2, F128, F256, F65537, F65537x4, Field, MacField};
use volery_proof::binary::Binary;
use volery_proof::correlations::Correlations;
use volery_proof::over::{Over, ShortBinary};
use volery_proof::testing::Dealt;
use volery_vole::vole::extend::Schedule;
use volery_vole::vole::lpn::{Params, Sets};
use volery_vole::vole::{BoxedVole, Share, Shares};

/// The bytes that a party has sent before each block, and when all are drawn and checked.
struct Sent {
    blocks: Vec<u64>,
    all: u64,
}

/// Draws as many blocks as there are `lengths`.
fn draw<S: Share + 'static>(channel: &mut Channel, mut vole: BoxedVole<S>, lengths: &[usize]) -> Sent {
    let (mut blocks, mut block) = (Vec::new(), Shares::default());
    for length in lengths {
        blocks.push(channel.traffic().sent);
        vole.block(channel, &mut block).unwrap();
        assert_eq!(block.len(), *length);
    }
    blocks.push(channel.traffic().sent);
    vole.check(channel).unwrap();
    channel.flush().unwrap();
    Sent { blocks, all: channel.traffic().sent }
}

/// Compares what both ends send for so many blocks with what is foretold; and for any number up to that, where
/// no check is left to their end.
#[track_caller]
fn assert_foretold<S: Dealt>(name: &str, number: usize) {
    let correlations = Correlations::named::<S>(name).unwrap();
    let mut next = S::lengths(correlations);
    let lengths: Vec<_> = (0..number).map(|_| next()).collect();
    let (here, there) = pipe(Duration::from_secs(60));
    let prover = || {
        let channel = &mut Channel::new(Party::Prover, here);
        let random = &mut Random::from_seed(&[1; 32]);
        let vole = S::ends().prover_end(correlations, channel, Arch::detect(), random).unwrap();
        draw(channel, vole, &lengths)
    };
    let verifier = || {
        let channel = &mut Channel::new(Party::Verifier, there);
        let random = &mut Random::from_seed(&[2; 32]);
        let delta = S::delta(random);
        let vole = S::ends().verifier_end(correlations, channel, Arch::detect(), &delta, random).unwrap();
        draw(channel, vole, &lengths)
    };
    let (prover, verifier) = side_by_side(prover, verifier);
    let of = |shares: usize| {
        let [set_up, drawn] = S::facts().share_traffic(correlations, shares as u64, None);
        let carried = set_up + drawn;
        [carried.prover, carried.verifier]
    };
    let case = format!("{number} blocks over {name} of {}", S::name());
    assert_eq!(of(lengths.iter().sum()), [prover.all, verifier.all], "{case}");
    // With no share, a statement by transfers alone still has its check.
    let [set_up, _] = S::facts().share_traffic(correlations, 0, None);
    assert_eq!([set_up.prover, set_up.verifier], [prover.blocks[0], verifier.blocks[0]], "{case}");
    if !name.starts_with("softspoken") {
        for (drawn, sent) in prover.blocks.iter().zip(&verifier.blocks).enumerate() {
            let shares = lengths[..drawn].iter().sum();
            assert_eq!(of(shares), [*sent.0, *sent.1], "{drawn} of {case}");
        }
    }
}

/// Chunks up to the longest, and beyond.
#[test]
fn transfers_send_what_was_foretold() {
    for name in ["softspoken4", "softspoken8"] {
        for blocks in [1, 2, 4, 5, 7] {
            assert_foretold::<Binary>(name, blocks);
        }
    }
}

/// Every stage of a refill, in the first iteration and the second, and into the third.
#[test]
fn bits_send_what_was_foretold() {
    assert_foretold::<Binary>("tiny", 2 * Schedule::new(Params::TINY).draws() + 9);
    assert_foretold::<Binary>("small", Schedule::new(Params::SMALL).draws() + 1);
}

#[test]
fn elements_send_what_was_foretold() {
    fn test<B: Field, E: MacField<B>>()
    where
        Over<B, E>: Registered,
    {
        assert_foretold::<Over<B, E>>("direct", 6);
        let schedule = Schedule::over::<B>(Sets::of::<B>().tiny, E::degree() as usize);
        assert_foretold::<Over<B, E>>("tiny", 2 * schedule.draws() + 5);
    }
    test::<F61, F61>();
    test::<F61, F61x2>();
    test::<F65537, F65537x4>();
    test::<F256, F128>();
}

#[test]
fn bits_with_short_macs_send_what_was_foretold() {
    for depth in ["softspoken4", "softspoken8"] {
        for draws in [1, 3, 9] {
            assert_foretold::<ShortBinary>(depth, draws);
        }
    }
    let schedule = Schedule::over::<F2>(Sets::F2.tiny, 64);
    assert_foretold::<ShortBinary>("tiny", 2 * schedule.draws() + 5);
    assert_foretold::<ShortBinary>("mid", 2);
}

/// Draws beyond the first iteration, or a part of it where that is long.
#[test]
fn larger_sets_send_what_was_foretold() {
    assert_foretold::<Binary>("l2", Schedule::new(Params::L2).draws() + 75);
    assert_foretold::<Binary>("mid", Schedule::new(Params::MID).draws() / 3);
    assert_foretold::<Binary>("wan", 245);
    assert_foretold::<Over<F61>>("l2", Schedule::over::<F61>(Sets::LARGE.l2, 1).draws() + 3);
    assert_foretold::<Over<F61>>("mid", 2);
}
