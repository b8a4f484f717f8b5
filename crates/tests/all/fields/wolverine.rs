//! Sessions over all fields by Wolverine, by each check that a field has.

use super::{
    assert_agrees, assert_tampering_fails, builtin, named, over_fields_of_every_system, run_honestly,
    serve_many,
};
use crate::kit::{self, by_wolverine, run_by};
use volery::CheckedBy::{Buckets, Interpolation, Sacrifice};
use volery::circuit::{Arithmetic, Size};
use volery::zk::wolverine::BLOCK;
use volery::{
    Checked, CheckedBy, Correlations, Error, F61, F61x2, F128, F256, F65537, F65537x4, Field, Goldilocks,
    Goldilocksx2, LONGEST_BLOCK, Named, Options, Over, Q32, Q32x2, Reason, System, Wolverine,
};

/// Wolverine with the correlations called `name`, for as much security as this check gives over the field.
fn by<S: Named>(name: &str, by: CheckedBy, block: impl Into<Option<u64>>) -> Options {
    let security = (by == Sacrifice && S::F::BITS < 48).then_some(S::F::BITS - 3);
    Options { security, ..by_wolverine(by, block).with_correlations(named::<S>(name)) }
}

fn arithmetic<F: Field>(gates: u64) -> (Arithmetic<F>, Vec<F>) {
    let network = Arithmetic::new(gates).unwrap();
    let witness = network.witness([7; 32]).collect();
    (network, witness)
}

#[test]
#[ignore = "slow"]
fn networks_around_blocks_by_every_check() {
    fn test<F: Field, S: Named<F = F>>() {
        for check in CheckedBy::ALL {
            for (gates, name, block) in [
                (1, "direct", None),
                (100, "direct", Some(100)),
                (300, "direct", Some(90)),
                (400, "direct", Some(350)),
                (4000, "tiny", Some(900)),
            ] {
                let (network, witness) = arithmetic::<F>(gates);
                let options = by::<S>(name, check, block);
                assert_agrees::<S>(&format!("{gates} by {check}"), &network, &witness, &options);
            }
        }
    }
    over_fields_of_every_system!(test);
}

/// More than an iteration of `tiny`, of some 120,000 shares, whose refill comes amid the coins of blocks: a gate takes
/// three shares and more.
#[test]
fn networks_around_refills() {
    refilled::<Over<F61>>(60_000, "tiny", Sacrifice, Some(30_000));
    refilled::<Over<F61>>(60_000, "tiny", Sacrifice, None);
    refilled::<Over<F61>>(60_000, "tiny", Interpolation, Some(30_000));
    refilled::<Over<F61>>(60_000, "tiny", Buckets, Some(25_000));
    refilled::<Over<F61>>(30_000, "l2", Sacrifice, Some(10_000));
    refilled::<Over<F61, F61x2>>(60_000, "tiny", Interpolation, Some(30_000));
}

#[test]
#[ignore = "slow"]
fn networks_around_more_refills() {
    refilled::<Over<F61>>(260_000, "tiny", Sacrifice, Some(30_000));
    refilled::<Over<F61>>(260_000, "tiny", Sacrifice, None);
    refilled::<Over<F61>>(260_000, "tiny", Interpolation, Some(30_000));
    refilled::<Over<F61>>(260_000, "tiny", Buckets, Some(50_000));
    refilled::<Over<F61>>(260_000, "l2", Sacrifice, Some(100_000));
    refilled::<Over<F61, F61x2>>(260_000, "tiny", Interpolation, None);
    refilled::<Over<F61, F61x2>>(260_000, "tiny", Interpolation, Some(30_000));
}

fn refilled<S: Named<F = F61>>(gates: u64, name: &str, check: CheckedBy, block: Option<u64>) {
    let (network, witness) = arithmetic::<F61>(gates);
    assert_agrees::<S>("refilled", &network, &witness, &by::<S>(name, check, block));
}

#[test]
fn one_set_up_serves_many_statements_by_wolverine() {
    for block in [Some(1000), None] {
        serve_many::<Over<F61>>(&by::<Over<F61>>("tiny", Sacrifice, block));
        serve_many::<Over<F61, F61x2>>(&by::<Over<F61, F61x2>>("tiny", Interpolation, block));
    }
}

/// Over a field that no name gives it: as a type, and else the error says over which it is.
#[test]
fn wolverine_proves_over_other_fields_as_a_type() {
    type S = Over<Goldilocks, Goldilocksx2>;
    let (network, witness) = arithmetic::<Goldilocks>(300);
    let options = by::<S>("direct", Interpolation, Some(100));
    let session = run_by::<S>(&Wolverine::<S>::OVER, &network, &witness, &options);
    let (proved, (_, verified)) = (session.proved.unwrap(), session.verified.unwrap());
    let checked = verified.of::<Checked>().unwrap();
    assert_eq!((Some(checked), checked.blocks), (proved.of::<Checked>(), 3));
    let session = run_honestly::<S>(&network, &witness, &options);
    let why = session.proved.unwrap_err().to_string();
    assert!(
        why.contains("wolverine is over f2, f61, f61x2, f65537, q32, and not over goldilocksx2: take"),
        "{why}"
    );
}

/// Every check is that of its field where none is named, its blocks are counted, and a statement
/// without products has none.
#[test]
fn reports_say_what_was_checked_over_every_field() {
    fn test<F: Field, S: Named<F = F>>() {
        let (network, witness) = arithmetic::<F>(100);
        for (block, blocks) in [(None, 1), (Some(100), 1), (Some(33), 4)] {
            let options = by_wolverine(None, block).with_correlations(named::<S>("direct"));
            let (_, report) = run_honestly::<S>(&network, &witness, &options).verified.unwrap();
            let checked = report.of::<Checked>().unwrap();
            // With MACs in itself.
            let short = S::name() == "f61";
            assert_eq!(checked.by, if short { Sacrifice } else { Interpolation }, "{}", S::name());
            assert_eq!((checked.block, checked.blocks), (block.unwrap_or(BLOCK), blocks));
            assert_eq!((checked.bucket, checked.opened), (1, 0));
            assert!(report.security.statistical >= 40);
        }
    }
    over_fields_of_every_system!(test);
    let public = [("matrix", "1,0,1, 0,1,0"), ("b", "8,7")];
    let (linear, witness) = builtin::<F61>("linear?rows=2&columns=3", &public, &[("x", "3,7,5")]);
    let session = run_honestly::<Over<F61>>(linear.source(), &witness, &by_wolverine(None, None));
    let verified = session.verified.unwrap().1;
    let checked = verified.of::<Checked>();
    assert_eq!(checked, session.proved.unwrap().of::<Checked>());
    assert_eq!(checked.map(|checked| checked.blocks), Some(0));
}

/// Two blocks of sacrifice take 2912 shares, and 21 messages of COPEe; three of interpolation 1656, and 12.
#[test]
fn nothing_tampered_with_is_accepted_by_wolverine() {
    tampering_fails_by_wolverine(10);
}

#[test]
#[ignore = "slow"]
fn nothing_tampered_with_anywhere_is_accepted_by_wolverine() {
    tampering_fails_by_wolverine(1);
}

fn tampering_fails_by_wolverine(step: usize) {
    // What is to be checked, and how, comes between hello and points.
    let direct = |check, block: u64| by::<Over<F61>>("direct", check, block);
    assert_tampering_fails(direct(Sacrifice, 400), 3, 2 + 2 + 3 + 5 + 9, step);
    assert_tampering_fails(direct(Interpolation, 250), 3, 2 + 2 + 3 + 5, step);
}

/// The prover's end and the verifier's refuse these settings, and say so.
#[track_caller]
fn assert_refused<F: Field, S: Named<F = F>>(options: &Options, part: &str) {
    let (network, witness) = arithmetic::<F>(100);
    let session = run_by::<S>(&Wolverine::<S>::OVER, &network, &witness, options);
    for error in [session.proved.unwrap_err(), session.verified.map(drop).unwrap_err()] {
        assert!(matches!(&error, Error::Invalid(why) if why.contains(part)), "{error}");
    }
    assert!(session.from_prover.messages().is_empty() && session.from_verifier.messages().is_empty());
}

#[test]
fn less_than_asked_for_is_refused_by_wolverine() {
    type Short = Over<F61>;
    let asked = |options, security| Options { security, ..options };
    let q32 = by::<Over<Q32, Q32x2>>("direct", Sacrifice, None);
    assert_refused::<Q32, Over<Q32, Q32x2>>(
        &asked(q32.clone(), None),
        "sacrifice with direct over q32 gives 3",
    );
    assert_refused::<Q32, Over<Q32, Q32x2>>(&asked(q32, Some(33)), "33 bits");
    let f61 = |check| by::<Short>("direct", check, None);
    assert_refused::<F61, Short>(&asked(f61(Sacrifice), Some(60)), "gives 4");
    assert_refused::<F61, Short>(&asked(f61(Interpolation), Some(60)), "gives 4");
    assert_refused::<F61, Short>(&asked(f61(Buckets), Some(60)), "gives 4");
    let f256 = by::<Over<F256, F128>>("direct", Buckets, None);
    assert_refused::<F256, Over<F256, F128>>(&asked(f256.clone(), Some(129)), "buckets give 128 at most");
    // The transfers themselves give less.
    assert_refused::<F256, Over<F256, F128>>(&asked(f256, Some(128)), "gives 1");
    // More shares than the bound bears, were they as many as announced.
    let announced = Options { size: Some(Size::gates(1 << 50)), ..f61(Sacrifice) };
    assert_refused::<F61, Short>(&announced, "gives ");
}

#[test]
fn blocks_that_nobody_can_check_are_refused() {
    for block in [0, LONGEST_BLOCK + 1, u64::MAX] {
        assert_refused::<F61, Over<F61>>(&by_wolverine(None, block), "take 1 to 16777216");
        assert_refused::<F256, Over<F256, F128>>(&by_wolverine(Buckets, block), "take 1 to 16777216");
    }
    let (network, witness) = arithmetic::<F61>(100);
    let longest = by_wolverine(None, LONGEST_BLOCK);
    assert_agrees::<Over<F61>>("the longest", &network, &witness, &longest);
}

#[test]
fn checks_that_are_not_for_bits_are_refused() {
    let (network, witness) = kit::network(10);
    for check in [Sacrifice, Interpolation] {
        for security in [None, Some(1)] {
            let insecure_parameters = security.is_some();
            let options = Options { security, insecure_parameters, ..by_wolverine(check, None) };
            let session = kit::run_honestly(&network, &witness, &options);
            for error in [session.proved.unwrap_err(), session.verified.map(drop).unwrap_err()] {
                assert!(matches!(&error, Error::Invalid(why) if why.contains("take buckets")), "{error}");
            }
        }
    }
    let session = kit::run_honestly(&network, &witness, &by_wolverine(Buckets, 5));
    assert_eq!(session.verified.unwrap().1.of::<Checked>().unwrap().blocks, 2);
}

#[test]
fn wolverine_without_coins_takes_a_long_extension() {
    type Short = Over<F61>;
    type Long = Over<F61, F61x2>;
    let one_way = |options| Options { non_interactive: true, ..options };
    for check in CheckedBy::ALL {
        assert_refused::<F61, Short>(&one_way(by::<Short>("direct", check, None)), "searched offline");
    }
    assert_refused::<F61, Long>(&one_way(by::<Long>("direct", Sacrifice, None)), "searched offline");
    let q32 = by::<Over<Q32, Q32x2>>("direct", Interpolation, None);
    assert_refused::<Q32, Over<Q32, Q32x2>>(&one_way(q32), "searched offline");
    let (network, witness) = arithmetic::<F61>(700);
    for (check, name) in [(Buckets, "direct"), (Interpolation, "direct"), (Interpolation, "tiny")] {
        let options = Options { security: Some(100), ..one_way(by::<Long>(name, check, 300)) };
        let session = run_honestly::<Long>(&network, &witness, &options);
        let (_, report) = session.verified.unwrap();
        assert!(report.security.statistical >= 100 && report.security.computational >= 110, "{report:?}");
        assert_eq!(session.proved.unwrap().security, report.security);
    }
}

/// Shares of triples count where correlations are chosen; those straight from transfers are
/// drawn ahead, all of them.
#[test]
fn wolverine_chooses_for_all_its_shares_over_other_fields() {
    let (network, witness) = arithmetic::<F61>(600);
    for (system, chosen) in [(System::QUICKSILVER, "direct"), (System::WOLVERINE, "tiny")] {
        let options = Options { method: system.into(), ..by_wolverine(None, None) };
        let session = run_honestly::<Over<F61>>(&network, &witness, &options);
        let (proved, (_, verified)) = (session.proved.unwrap(), session.verified.unwrap());
        assert_eq!(proved.choice, verified.choice);
        let choice = verified.choice.unwrap();
        assert_eq!((choice.correlations.name(), choice.reason), (chosen, Reason::Small));
    }
    // One section holds the 64 inputs and the products.
    let (network, witness) = arithmetic::<F61>(100);
    let session = run_honestly::<Over<F61>>(&network, &witness, &by_wolverine(None, None));
    let (_, report) = session.verified.unwrap();
    assert_eq!(report.choice.unwrap().correlations, Correlations::DIRECT);
    let online = report.traffic.since(report.setup_traffic);
    // Corrections, three elements to a triple, the sum and two digests; two coins and the verdict.
    let elements = 256 + 3 * 100 + 1;
    assert_eq!((online.received, online.sent), (8 * elements + 2 * 32, 2 * 16 + 33));
}

/// Shares that the last section has too many belong to the set-up, too.
#[test]
fn shares_straight_from_transfers_are_drawn_ahead() {
    type S = Over<F61>;
    let (network, witness) = arithmetic::<F61>(100);
    let options = by::<S>("direct", Sacrifice, Some(60)).with_correlations(None);
    let (_, report) = run_honestly::<S>(&network, &witness, &options).verified.unwrap();
    assert_eq!(report.choice.unwrap().correlations, Correlations::DIRECT);
    let online = report.traffic.since(report.setup_traffic);
    // Sections of two blocks, three elements for each gate, two sums and two digests; two coins a
    // block and the verdict.
    let sections = (network.width() + 60).next_power_of_two().max(256) + 256;
    assert_eq!(online.received, 8 * (sections as u64 + 3 * 100 + 2) + 2 * 32);
    assert_eq!(online.sent, 2 * 2 * 16 + 33);
}
