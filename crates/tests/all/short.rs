//! Sessions over F_2 with MACs of 64 bits: statements of all kinds over every source of shares, nothing changed on the
//! way is accepted, and bytes are pinned for every number of threads.

use crate::compiled::Lanes;
use crate::kit::{
    ABC, Mixed, Ones, Session, both, disagreements, network, preimage, run_compiled, run_over, seeded,
};
use crate::memory::notes;
use crate::tapes::{digest, ways};
use std::num::NonZeroUsize;
use volery::channel::{Flip, Party};
use volery::circuit::stream::Source;
use volery::circuit::{Dimensions, InnerProduct, MatrixProduct, Reduction};
use volery::error::{Disagreement, Sides};
use volery::{
    Arch, Correlations, Error, F2, Field as _, Options, ProverSession, Setting as _, ShortBinary,
    VerifierSession, prove_one_of_over, prove_over, prove_to_over, setting, verify_one_of_over, verify_over,
};

fn by(correlations: Correlations) -> Options {
    seeded(1).with_correlations(correlations)
}

fn honest(statement: &dyn Source<F2>, witness: &[F2], options: &Options) -> Session {
    run_over::<ShortBinary>((statement, witness, options), (statement, options), None)
}

/// Asserts that both accept, count the same gates, and say 40 bits and more.
fn assert_agrees(what: &str, statement: &dyn Source<F2>, witness: &[F2], options: &Options) {
    let session = honest(statement, witness, options);
    let proved = session.proved.unwrap_or_else(|error| panic!("{what}: {error}"));
    let (_, verified) = session.verified.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!((proved.gates, proved.statement), (verified.gates, verified.statement), "{what}");
    assert!((40..=61).contains(&verified.security.statistical), "{what}: {:?}", verified.security);
}

/// Networks around the ends of blocks and across a refill, over every source.
#[test]
fn networks_agree_over_every_source() {
    let sizes = [(Correlations::SOFTSPOKEN4, 40_000), (Correlations::SOFTSPOKEN8, 9_000)];
    let sets = [Correlations::TINY, Correlations::L2, Correlations::MID, Correlations::WAN];
    let sets = sets.map(|set| (set, if set == Correlations::TINY { 110_000 } else { 5_000 }));
    for (correlations, gates) in sizes.into_iter().chain(sets) {
        let (network, witness) = network(gates);
        assert_agrees(correlations.name(), &network, &witness, &by(correlations));
    }
    let names: Vec<_> = ShortBinary::facts().correlations().into_iter().map(Correlations::name).collect();
    assert_eq!(names, ["softspoken4", "softspoken8", "tiny", "l2", "mid", "wan"]);
}

#[test]
fn statements_of_all_kinds_agree() {
    let options = by(Correlations::SOFTSPOKEN8);
    let (statement, message) = preimage(b"abc", ABC);
    assert_agrees("a preimage", statement.source(), &message, &options);
    let mixed = Mixed { bits: 300 };
    let ones: Vec<F2> = (0..300).map(|i| F2::from(i % 3 > 0)).collect();
    assert_agrees("hints", &mixed, &ones, &options);
    let (memory, witness) = notes::<F2>(40, 2);
    assert_agrees("a memory", &memory, &witness, &options);
    for length in [1, 700] {
        let z = InnerProduct::product_of(length, [7; 32]);
        let statement = InnerProduct::new(length, z).unwrap();
        let witness: Vec<F2> = statement.witness([7; 32]).collect();
        assert_agrees("an inner product", &statement, &witness, &options);
    }
    let dimensions = Dimensions { rows: 9, inner: 14, columns: 11 };
    let product = MatrixProduct::<F2>::product_of(dimensions, [7; 32]);
    for reduction in [Reduction::Random, Reduction::InnerProducts] {
        let statement = MatrixProduct::new(dimensions, Some(&product), reduction).unwrap();
        let witness: Vec<F2> = statement.witness([7; 32]).collect();
        assert_agrees("matrices", &statement, &witness, &options);
    }
}

#[test]
fn one_of_several_holds() {
    let clauses = Ones(vec![5, 40, 2]);
    for chosen in 0..3 {
        for correlations in [Correlations::SOFTSPOKEN4, Correlations::TINY] {
            let options = by(correlations);
            let session = both(
                |channel| {
                    let witness = clauses.witness(chosen);
                    prove_one_of_over::<ShortBinary>(&clauses, chosen, witness, channel, &options)
                },
                |channel| verify_one_of_over::<ShortBinary>(&clauses, channel, &options),
                None,
            );
            session.proved.unwrap();
            assert!(session.verified.is_ok());
        }
    }
}

/// Several statements on one set-up.
#[test]
fn sessions_go_on() {
    for correlations in [Correlations::SOFTSPOKEN4, Correlations::TINY] {
        let ((network, witness), (preimage, message)) = (network(30_000), preimage(b"abc", ABC));
        let options = by(correlations);
        let session = both(
            |channel| {
                let mut session = ProverSession::<ShortBinary>::over(channel, options.clone());
                session.prove(&network, witness.clone())?;
                session.prove(preimage.source(), message.clone())?;
                session.prove(&network, witness.clone())
            },
            |channel| {
                let mut session = VerifierSession::<ShortBinary>::over(channel, options.clone());
                let _ = session.verify(&network)?;
                let _ = session.verify(preimage.source())?;
                session.verify(&network)
            },
            None,
        );
        session.proved.unwrap();
        assert!(session.verified.is_ok());
    }
}

/// A false witness is not proved, whatever the prover looked at before.
#[test]
fn a_false_witness_is_not_proved() {
    let (statement, mut message) = preimage(b"abc", ABC);
    message[9] += F2::ONE;
    let options = Options { check: false, ..by(Correlations::SOFTSPOKEN8) };
    let session = honest(statement.source(), &message, &options);
    assert!(matches!(session.proved, Err(Error::Unsatisfied(_))));
    assert!(session.verified.is_err());
}

/// Flips a bit of some messages in turn; two of each where all are asked for.
fn flipped(step: usize) {
    let (network, witness) = network(1500);
    for correlations in [Correlations::SOFTSPOKEN4, Correlations::SOFTSPOKEN8, Correlations::TINY] {
        let options = by(correlations);
        let clean = honest(&network, &witness, &options);
        assert!(clean.verified.is_ok());
        let numbers = [
            (Party::Prover, clean.from_prover.messages().len()),
            (Party::Verifier, clean.from_verifier.messages().len()),
        ];
        for (party, messages) in numbers {
            // The last ones all.
            let some = (0..messages).filter(|message| message % step == 0 || message + 12 > messages);
            for message in some {
                let bits = [0, 1 << 6 | 5];
                for bit in if step == 1 { &bits[..] } else { &bits[message % 2..][..1] } {
                    let bit = *bit;
                    let flip = Some((party, Flip { message, bit }));
                    let proving = (&network as &dyn Source<F2>, &witness[..], &options);
                    let session = run_over::<ShortBinary>(proving, (&network, &options), flip);
                    let case =
                        format!("{correlations}, message {message} of the {}, bit {bit}", party.name());
                    let verdict = party == Party::Verifier && message == messages - 1;
                    assert!(session.proved.is_err(), "{case}");
                    assert_eq!(session.verified.is_ok(), verdict, "{case}");
                }
            }
        }
    }
}

#[test]
fn flipped_bits_are_found() {
    flipped(307);
}

#[test]
#[ignore = "slow"]
fn a_flipped_bit_in_any_message_is_found() {
    flipped(1);
}

/// MACs of other lengths are another setting: neither begins.
#[test]
fn parties_name_their_macs() {
    let (network, witness) = network(100);
    let options = by(Correlations::SOFTSPOKEN8);
    let session = both(
        |channel| prove_over::<ShortBinary>(&network, witness.clone(), channel, &options),
        |channel| verify_over::<volery::Binary>(&network, channel, &options),
        None,
    );
    for disagreement in disagreements(session.proved, session.verified) {
        let Disagreement::Field(Sides { ours, theirs }) = disagreement else { panic!("{disagreement:?}") };
        assert!([&*ours, &*theirs].contains(&"f2x64") && [&*ours, &*theirs].contains(&"f2"));
    }
}

#[test]
fn more_than_they_are_worth_is_refused() {
    let (network, witness) = network(100);
    let asking = Options { security: Some(64), ..by(Correlations::SOFTSPOKEN8) };
    let refused = honest(&network, &witness, &asking);
    let why = refused.proved.unwrap_err().to_string();
    assert!(why.contains("f2x64 gives 6") && why.contains("ask for fewer"), "{why}");
    let one_way = Options { non_interactive: true, ..by(Correlations::SOFTSPOKEN8) };
    assert!(honest(&network, &witness, &one_way).proved.is_err());
    let file = prove_to_over::<ShortBinary>(&network, witness, &mut vec![], &seeded(1));
    assert!(file.unwrap_err().to_string().contains("is not over f2x64"));
}

#[test]
fn the_setting_has_a_name() {
    let named = setting("f2x64").unwrap();
    assert_eq!((&*named.name(), named.wires(), named.security()), ("f2x64", "f2", 40));
    assert!(named.bound_by_size() && !named.non_interactive());
}

/// Bytes on the wire, for every instruction set and several numbers of threads.
#[test]
fn pinned() {
    let (small, state) = network(20_000);
    let (refilled, start) = network(110_000);
    for (arch, threads) in ways() {
        let options = |correlations| Options { arch, threads, ..seeded(42).with_correlations(correlations) };
        let tape = |network, state: &[F2], correlations| {
            digest(run_compiled::<ShortBinary>(network, state, &options(correlations), None))
        };
        let tapes = [
            tape(&small, &state, Correlations::SOFTSPOKEN4),
            tape(&small, &state, Correlations::SOFTSPOKEN8),
            tape(&refilled, &start, Correlations::TINY),
        ];
        let pinned = [
            "47f084cce72b3f883f30e46f55ff10cd",
            "205f302b73069187eda6069c4ff915f8",
            "a8e16ae3bbfdfde71680b11d84a1a9c4",
        ];
        assert_eq!(tapes, pinned, "{threads} threads, {}", arch.name());
    }
    // The shape of trees where one fills a tile.
    let wan = seeded(42).with_correlations(Correlations::WAN);
    let wan = digest(run_compiled::<ShortBinary>(&small, &state, &wan, None));
    assert_eq!(wan, "9cfe66d0008d14341ec2c16bf124753f");
}

/// Maps, whose turns are handed to threads.
#[test]
fn pinned_maps() {
    let statement = Lanes { lanes: 600, products: 250 };
    let witness = [F2::ZERO; 1200];
    for (threads, arch) in [2, 16].into_iter().cycle().zip(Arch::available()) {
        let threads = NonZeroUsize::new(threads).unwrap();
        let tapes = [Correlations::SOFTSPOKEN4, Correlations::TINY].map(|correlations| {
            let options = Options { arch, threads, ..seeded(42).with_correlations(correlations) };
            digest(run_compiled::<ShortBinary>(&statement, &witness, &options, None))
        });
        let pinned = ["c634ff959aefb268d1caa1afabcb6855", "fe30029808a0a2ee6dc04e51645d1d6a"];
        assert_eq!(tapes, pinned, "{threads} threads, {}", arch.name());
    }
}
