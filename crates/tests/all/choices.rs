//! Choices are worth what is asked for, whatever was measured: over each field, by each system that draws
//! correlations, for statements of all kinds.

use std::time::Duration;
use volery::{Named, prove_over, verify_over};
use volery_channel::channel::{Channel, Party, pipe, side_by_side};
use volery_channel::error::{Disagreement, Error, Result};
use volery_circuit::Size;
use volery_primitives::{F61, RuntimeExtension, RuntimePrime, RuntimePrime256, U256, with_fields};
use volery_proof::analysis::{Analysis, excluded};
use volery_proof::binary::Binary;
use volery_proof::correlations::{
    Automatic, Choice, Correlations, Demand, Excluded, Line, Pace, Proposal, Use,
};
use volery_proof::method::Method;
use volery_proof::options::Options;
use volery_proof::over::{Over, ShortBinary};
use volery_proof::report::Report;
use volery_proof::setting::Setting;
use volery_proof::system::System;
use volery_quicksilver::session::{Analysed as _, Quicksilver};
use volery_statements::Arithmetic;
use volery_vole::vole::subfield::choose_prime;
use volery_wolverine::session::Wolverine;
use volery_wolverine::{CheckedBy, Checking};

/// Runs a test over every setting.
macro_rules! over_every_setting {
    ($test:ident) => {{
        choose_prime();
        RuntimePrime256::choose(U256::ones(127)).unwrap();
        with_fields!(over_every_setting [$test])
    }};
    ($test:tt $($values:ident: $($macs:ident)+;)+) => {
        [
            over_every_setting!(@ $test Binary),
            over_every_setting!(@ $test ShortBinary),
            $($(over_every_setting!(@ $test Over<volery_primitives::$values, volery_primitives::$macs>),)+)+
            over_every_setting!(@ $test Over<RuntimePrime, RuntimeExtension>),
            over_every_setting!(@ $test Over<RuntimePrime256>),
        ]
    };
    (@ [$test:ident] $setting:ty) => { $test::<$setting>() };
}

/// The analysis of a choice of correlations. By name Wolverine is over few fields, and as a Rust type over
/// any.
fn analysis<S: Named>(options: &Options) -> Result<Box<dyn Analysis>> {
    match options.system() {
        System::WOLVERINE => Wolverine::<S>::analyse(options),
        _ => Quicksilver::<S>::analyse(options),
    }
}

/// The bits that are asked for, or those of the setting.
const ASKED: [Option<u32>; 8] =
    [None, Some(43), Some(47), Some(50), Some(57), Some(111), Some(120), Some(125)];

/// Sizes around the ends of what is small, and far beyond; the first of them where time is short.
const COMMITMENTS: [u64; 9] = [700, 2048, 2049, 200_000, 200_001, 1 << 24, 1, (1 << 18) + 1, 1 << 31];
const SOME: usize = 6;

/// Statements with so many commitments, of all kinds.
fn sizes(commitments: u64) -> Vec<Size> {
    let plain = Size::gates(commitments);
    let mut sizes = vec![plain];
    for many in [1, 90, 2_000, 40_000] {
        sizes.push(Size { matrices: many, degree: 2, ..plain });
        sizes.push(Size { epochs: many, tuples: 3_000 * many, longest: 3_000, ..plain });
        sizes.push(Size { clauses: many, ..plain });
        sizes.push(Size { late: commitments / 2, clauses: many, epochs: many, ..plain });
        for degree in [2, 17, 128] {
            sizes.push(Size { polynomials: 100 * many, degree, ..plain });
        }
    }
    sizes
}

/// Ways to prove, by whatever draws correlations.
fn methods() -> Vec<Method> {
    let by = |by| Method::from(Checking { by, ..Checking::default() });
    let checked = [None].into_iter().chain(CheckedBy::ALL.map(Some)).map(by);
    [System::QUICKSILVER.into()].into_iter().chain(checked).collect()
}

/// The paces that two parties can measure over `S` at the extremes: all the same, or one kind as fast as can
/// be and all others as slow.
fn paces<S: Named>() -> Vec<Vec<Pace>> {
    let [fast, slow] = [Pace { share: 0, setup: 0 }, Pace { share: u32::MAX, setup: u32::MAX }];
    let [fast, slow] = [fast, slow].map(Pace::within_reason);
    let number = S::facts().correlations().len();
    let one = (0..number).map(|one| (0..number).map(|kind| if kind == one { fast } else { slow }).collect());
    [vec![fast; number], vec![slow; number]].into_iter().chain(one).collect()
}

const LINES: [Line; 3] = [
    Line { forward: 1e6, backward: 1e6, round_trip: Duration::ZERO },
    Line { forward: 0.1, backward: 0.1, round_trip: Duration::from_secs(10) },
    Line { forward: 0.1, backward: 1e6, round_trip: Duration::ZERO },
];

/// Does what both parties do, once they have measured, and what an estimate does: whether something else would
/// have been chosen by time alone. One size in `step` is tried for each number of bits that is asked, other ones
/// for the next.
fn chosen_is_worth_it<S: Named>(number: usize, step: usize) -> bool {
    let (mut chosen, mut refused, mut missed) = (0, 0, 0);
    let (setting, all) = (S::facts(), S::facts().correlations());
    for method in methods() {
        for (at, security) in ASKED.into_iter().enumerate() {
            let options = Options { security, ..Options::by(method.clone()) };
            // Where a plan of buckets gives so much at all.
            let Ok(analysis) = analysis::<S>(&options) else { continue };
            let asked = analysis.asked(&options).unwrap();
            let sizes = COMMITMENTS.into_iter().take(number).flat_map(sizes);
            for size in sizes.skip(at % step).step_by(step) {
                let bits: Vec<_> = all.iter().map(|one| analysis.statistical_bits(*one, size)).collect();
                let most = *bits.iter().max().unwrap();
                let of = |one| bits[all.iter().position(|each| *each == one).unwrap()];
                let excluded = match excluded(setting, asked, "statement", &of) {
                    // Any will do.
                    Ok(Excluded::NONE) => {
                        assert!(bits.iter().all(|bits| *bits >= asked));
                        continue;
                    }
                    Ok(excluded) => excluded,
                    Err(refusal) => {
                        assert!(most < asked, "{size:?}: {refusal}");
                        let told = refusal.to_string();
                        assert!(told.contains(&format!("{asked} bits")), "{told}");
                        assert!(told.contains(&format!("more than {most} to")), "{told}");
                        assert!(analysis.choose(&options, size, 1e3).is_err());
                        refused += 1;
                        continue;
                    }
                };
                let enough = |choice: Choice| {
                    let bits = of(choice.correlations);
                    assert!(
                        bits >= asked,
                        "{bits} bits of {asked} over {} for {size:?}: {choice:?}",
                        S::name()
                    );
                };
                for bandwidth in [0.1, 1e6] {
                    enough(analysis.choose(&options, size, bandwidth).unwrap());
                }
                let shares = analysis.shares(size);
                if setting.small(shares).is_some() {
                    enough(Choice::small(setting, shares, excluded).unwrap());
                    let whatever = Choice::small(setting, shares, Excluded::NONE).unwrap().correlations;
                    missed += u32::from(of(whatever) < asked);
                }
                let demand = Demand { shares, purpose: analysis.purpose() };
                for paces in paces::<S>() {
                    for line in LINES {
                        let but =
                            |excluded| Choice::of(setting, demand, excluded, [&paces; 2], line).unwrap();
                        enough(but(excluded));
                        chosen += 1;
                        missed += u32::from(of(but(Excluded::NONE).correlations) < asked);
                    }
                }
            }
        }
    }
    let tried =
        format!("over {}: {chosen} chosen, {missed} of these otherwise, {refused} refused", S::name());
    assert!((chosen > 0) == (missed > 0) && refused > 0, "{tried}");
    missed > 0
}

/// Settings over which time alone would choose what is not worth enough: with MACs of 240 bits and more all
/// correlations are worth what the trees are.
const MISSED: [bool; 13] = [true, false, true, true, true, true, true, true, true, false, false, false, true];

#[test]
fn what_is_chosen_is_worth_what_is_asked_for() {
    fn some<S: Named>() -> bool {
        chosen_is_worth_it::<S>(SOME, 11)
    }
    assert_eq!(over_every_setting!(some), MISSED);
}

#[test]
#[ignore = "slow"]
fn what_is_chosen_is_worth_it_at_every_size() {
    fn all<S: Named>() -> bool {
        chosen_is_worth_it::<S>(COMMITMENTS.len(), 1)
    }
    assert_eq!(over_every_setting!(all), MISSED);
}

/// The choice of two parties that measure these paces and ask for so many bits.
fn resolved<S: Named>(
    size: Size,
    asked: [u32; 2],
    paces: &[Pace],
    bandwidth: f64,
) -> [Result<Correlations>; 2] {
    let proposal = |asked| {
        let worth = |one| S::Macs::statistical_bits(one, size);
        let excluded = excluded(S::facts(), asked, "statement", &worth).unwrap();
        let (shares, bandwidth) = (size.commitments, Some(bandwidth));
        Proposal::Auto(Automatic { shares, degree: 2, bandwidth, excluded })
    };
    let [proving, verifying] = asked.map(proposal);
    let (here, there) = pipe(Duration::from_secs(20));
    let resolve = |channel: &mut Channel, ours: Proposal, theirs: Proposal| {
        let choice = ours.resolve(S::facts(), &theirs.text(), Use::Proof, channel, paces);
        channel.flush().unwrap();
        choice.map(|choice| choice.correlations)
    };
    let (proved, verified) = side_by_side(
        || resolve(&mut Channel::new(Party::Prover, here), proving, verifying),
        || resolve(&mut Channel::new(Party::Verifier, there), verifying, proving),
    );
    [proved, verified]
}

/// Parties of which one asks for more come to the same choice, which is worth it to both.
fn both_come_to_the_same<S: Named>() {
    for commitments in [2_000, 150_000, 1 << 23] {
        let size = Size { matrices: 900, ..Size::gates(commitments) };
        let bits = |one| S::Macs::statistical_bits(one, size);
        let bits_of_all: Vec<_> = S::facts().correlations().into_iter().map(bits).collect();
        let [least, most] = [bits_of_all.iter().min(), bits_of_all.iter().max()].map(|bits| *bits.unwrap());
        for asked in [[least, most], [most, least]] {
            for paces in paces::<S>() {
                for bandwidth in [1.0, 9e6] {
                    let [proved, verified] =
                        resolved::<S>(size, asked, &paces, bandwidth).map(Result::unwrap);
                    assert_eq!(proved, verified);
                    let bits = bits(proved);
                    assert!(bits >= most, "{bits} bits of {asked:?} over {}: {proved}", S::name());
                }
            }
        }
    }
}

#[test]
fn both_exclude_what_either_does() {
    let _: [(); 13] = over_every_setting!(both_come_to_the_same);
}

/// Two parties who count different statements under one name may leave nothing together.
#[test]
fn where_nothing_is_left_both_say_so() {
    type S = Over<F61>;
    let auto = |excluded| Automatic { shares: 100, degree: 2, bandwidth: None, excluded };
    let setting = S::facts();
    let but = |kept: &str| Excluded::of(setting, &mut |one| one.name() == kept);
    let (here, _there) = pipe(Duration::from_secs(20));
    let channel = &mut Channel::new(Party::Prover, here);
    let [ours, theirs] = ["direct", "wan"].map(|kept| Proposal::Auto(auto(but(kept))));
    let refused = ours.resolve(setting, &theirs.text(), Use::Proof, channel, &[]).unwrap_err();
    assert!(
        matches!(&refused, Error::Disagreed(Disagreement::Correlations(sides))
            if [sides.ours, sides.theirs] == ["direct", "wan"]),
        "{refused}"
    );
}

/// Proves a network over F_{2^61-1} that is announced as one with many products of matrices: over shares
/// straight from transfers each of them is a check.
fn announced_with(matrices: u64, security: [Option<u32>; 2]) -> [Result<Report>; 2] {
    let network = Arithmetic::<F61>::new(500).unwrap();
    let size = Size { matrices, ..Size::gates(500 + network.width() as u64) };
    let options = |security| Options {
        statement: Some(network.digest()),
        size: Some(size),
        security,
        check: false,
        ..Options::default()
    };
    let witness: Vec<F61> = network.witness([1; 32]).collect();
    let (here, there) = pipe(Duration::from_secs(60));
    let (proved, verified) = side_by_side(
        || {
            let mut channel = Channel::new(Party::Prover, here);
            prove_over::<Over<F61>>(&network, witness, &mut channel, &options(security[0]))
        },
        || {
            let mut channel = Channel::new(Party::Verifier, there);
            verify_over::<Over<F61>>(&network, &mut channel, &options(security[1])).map(|(_, report)| report)
        },
    );
    [proved, verified]
}

#[test]
fn sessions_take_what_is_worth_enough() {
    for (matrices, security, expected) in [
        (0, [None; 2], "direct"),
        (5_000, [None; 2], "tiny"),
        (100, [None; 2], "direct"),
        (100, [Some(46), None], "tiny"),
        (100, [None, Some(46)], "tiny"),
    ] {
        for report in announced_with(matrices, security) {
            assert_eq!(
                report.unwrap().choice.unwrap().correlations.name(),
                expected,
                "{matrices}, {security:?}"
            );
        }
    }
    let [refused, _] = announced_with(100, [Some(60); 2]);
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("which tiny does") && refused.contains("take a larger extension"), "{refused}");
}
