//! Statements that have names, in shards.

use core::marker::PhantomData;
use std::thread;
use std::time::Duration;
use volery::{AnyClaim, AnySetting, AnyStatement, prove, verify};
use volery_channel::channel::{Channel, Party, pipe};
use volery_channel::error::{Error, Result};
use volery_circuit::{Circuit, Crossings, PortValue as _, Value, Values, Written};
use volery_primitives::{F61, Field};
use volery_proof::binary::Binary;
use volery_proof::options::Options;
use volery_proof::over::Over;
use volery_proof::system::System;
use volery_quicksilver::sharded::{Crossing, Place, Run, Verdict};
use volery_statements::Relation;

fn seeded(seed: u8) -> Options {
    Options { seed: Some([seed; 32]), ..Options::default() }
}

/// The options of a party that may lie.
fn unchecked() -> Options {
    Options { check: false, ..seeded(3) }
}

/// Settings, as if they were found by their names.
const BITS: &dyn AnySetting = &PhantomData::<Binary>;
const ELEMENTS: &dyn AnySetting = &PhantomData::<Over<F61>>;

/// Statement and claim of a relation over `field`.
fn of(
    setting: &dyn AnySetting,
    spec: &str,
    public: &[(&str, &str)],
    private: &[(&str, &str)],
) -> (Box<dyn AnyStatement>, Box<dyn AnyClaim>) {
    let stated = || {
        let mut relation = setting.open(spec, None).unwrap();
        for (name, value) in public {
            relation.public().read(name, Written::Text(value.as_bytes())).unwrap();
        }
        relation.state().unwrap()
    };
    let mut claimed = stated();
    for (name, value) in private {
        claimed.private().read(name, Written::Text(value.as_bytes())).unwrap();
    }
    (stated(), claimed.claim().unwrap())
}

/// A run of both, shard by shard: where the verifier says no, and why.
fn run(
    setting: &dyn AnySetting,
    (statement, claim): (&dyn AnyStatement, &dyn AnyClaim),
    shards: usize,
) -> core::result::Result<(), (u32, Error)> {
    let in_shards = statement.in_shards(shards).unwrap();
    assert_eq!(in_shards.announced.count(), shards);
    let (id, statement_digest) = (Run::id_of(&[3; 32], &[4; 32]), in_shards.digest);
    let run = Run { id, statement: statement_digest, shards: shards as u32, restarts: 0 };
    let delta = setting.run_delta(&run, &seeded(5)).unwrap();
    let mut verdict = Verdict::new(run, in_shards.announced).unwrap();
    let (mut ends, mut keys): (Vec<Crossing>, Vec<Crossing>) = Default::default();
    for shard in 0..run.shards {
        let at = (&run, Place::first(shard));
        let (here, there) = pipe(Duration::from_secs(10));
        let take =
            |from: &mut Vec<Crossing>| from.extract_if(.., |one| one.to() == shard).collect::<Vec<_>>();
        let (of_prover, of_verifier) = (take(&mut ends), take(&mut keys));
        let (proved, verified) = thread::scope(|scope| {
            let proving = scope.spawn(move || {
                let mut channel = Channel::new(Party::Prover, here);
                // By a worker that has its share alone, and by one that has all.
                if shard % 2 == 0 {
                    let share = claim.share(shards, shard as usize)?;
                    statement.prove_share(at, of_prover, &share, &mut channel, &unchecked())
                } else {
                    claim.prove_shard(at, of_prover, &mut channel, &unchecked())
                }
            });
            let mut channel = Channel::new(Party::Verifier, there);
            let verified = statement.verify_shard(at, of_verifier, &delta, &mut channel, &seeded(6));
            drop(channel);
            (proving.join().unwrap(), verified)
        });
        let given = proved.map_err(|why| (shard, why))?.1;
        let (accepted, _, taken) = verified.map_err(|why| (shard, why))?;
        ends.extend(given);
        keys.extend(taken);
        verdict.add(accepted).unwrap();
    }
    let (_accepted, _) = verdict.finish(40).map_err(|why| (run.shards, why))?;
    Ok(())
}

#[test]
fn a_merkle_root_falls_into_subtrees() {
    merkle_roots(2, [&[1, 5], &[3]]);
}

#[test]
#[ignore = "slow"]
fn a_merkle_root_falls_into_any_number_of_subtrees() {
    merkle_roots(3, [&[1, 2, 4, 8, 9], &[3, 8]]);
}

/// Gate by gate and with holes, in so many shards.
fn merkle_roots(depth: usize, numbers: [&[usize]; 2]) {
    let leaves: Vec<u8> = (0..64 << depth).map(|i| (i * 7 % 251) as u8).collect();
    let text: String = leaves.iter().map(|byte| format!("{byte:02x}")).collect();
    let leaves = format!("0x{text}");
    for (holes, numbers) in numbers.into_iter().enumerate() {
        let spec = format!("builtin:merkle-root?depth={depth}&holes={holes}");
        let relation = Relation::open(&format!("builtin:merkle-root?depth={depth}"), None).unwrap();
        let mut values = Values::new();
        values.insert("leaves", Value::from_text(leaves.as_bytes()).unwrap()).unwrap();
        let root = relation.evaluate(values).unwrap().remove(0).to_text();
        let (statement, claim) = of(BITS, &spec, &[("root", &root)], &[("leaves", &leaves)]);
        claim.check().unwrap();
        for &shards in numbers {
            run(BITS, (&*statement, &*claim), shards).unwrap();
        }
        let refused = statement.in_shards(10).unwrap_err().to_string();
        let few = format!("does not fall into 10 shards: it has {} leaves", 1 << depth);
        assert!(refused.contains(&few), "{refused}");
        // Every leaf is read once.
        let reads = statement.in_shards(4).unwrap().reads;
        let places: Vec<_> = reads.iter().flatten().map(|(_, places)| places.clone()).collect();
        assert!(places.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!((places[0].start, places.last().unwrap().end), (0, (8 * 64) << depth));
        // Another leaf: the shard that asserts says which bit of the root is wrong.
        let wrong = leaves.replacen("0x00", "0x01", 1);
        let (statement, claim) = of(BITS, &spec, &[("root", &root)], &[("leaves", &wrong)]);
        let (shard, why) = run(BITS, (&*statement, &*claim), 5).unwrap_err();
        assert_eq!(shard, 4);
        assert!(matches!(&why, Error::Unsatisfied(name) if name.starts_with("root[")), "{why}");
    }
}

#[test]
fn a_product_of_matrices_falls_into_blocks_of_rows() {
    for random in [0, 1] {
        let spec = format!("builtin:matmul?rows=3&inner=2&columns=2&random={random}");
        let private = [("a", "1,2,3,4,5,6"), ("b", "1,0,2,1")];
        let (statement, claim) = of(ELEMENTS, &spec, &[("c", "5,2,11,4,17,6")], &private);
        claim.check().unwrap();
        for shards in 1..=4 {
            run(ELEMENTS, (&*statement, &*claim), shards).unwrap();
        }
        assert!(statement.in_shards(5).is_err() && statement.in_shards(0).is_err());
        // A public factor is no part of a witness.
        let public = [("c", "5,2,11,4,17,6"), ("b", "1,0,2,1")];
        let (statement, claim) = of(ELEMENTS, &spec, &public, &private[..1]);
        run(ELEMENTS, (&*statement, &*claim), 3).unwrap();
        let (statement, claim) = of(ELEMENTS, &spec, &[("c", "5,2,11,5,17,6")], &private);
        let (shard, why) = run(ELEMENTS, (&*statement, &*claim), 4).unwrap_err();
        assert_eq!(shard, 2);
        assert!(matches!(&why, Error::Unsatisfied(_) | Error::Rejected(_)), "{why}");
    }
    let bits = [("a", "0b1101"), ("b", "0b1011")];
    let (statement, claim) = of(BITS, "builtin:matmul", &[("c", "0b0111")], &bits);
    claim.check().unwrap();
    run(BITS, (&*statement, &*claim), 3).unwrap();
}

#[test]
fn others_do_not_fall_into_shards() {
    let (statement, _) = of(ELEMENTS, "builtin:power", &[("y", "32")], &[("x", "2")]);
    assert_eq!(statement.in_shards(1).unwrap().announced.count(), 1);
    let refused = statement.in_shards(2).unwrap_err().to_string();
    assert!(refused.contains("builtin:power?exponent=5 does not fall into 2 shards"), "{refused}");
    let relation = BITS.open("builtin:aes128", None).unwrap();
    let names: Vec<String> = relation.inputs().iter().map(|port| port.name.clone()).collect();
    assert!(!names.is_empty());
}

/// A shard of a run of another statement is not begun.
#[test]
fn a_run_is_of_the_statement_that_is_proved() {
    let (statement, claim) = of(ELEMENTS, "builtin:power", &[("y", "32")], &[("x", "2")]);
    let run = Run { id: [0; 32], statement: statement.digest(), shards: 1, restarts: 0 };
    let (here, _there) = pipe(Duration::from_secs(1));
    let mut channel = Channel::new(Party::Prover, here);
    let proved = claim.prove_shard((&run, Place::first(0)), vec![], &mut channel, &seeded(1));
    assert!(matches!(proved, Err(Error::Invalid(why)) if why.contains("another statement")));
    assert!(claim.share(1, 1).is_err() && claim.share(2, 0).is_err());
    let run = Run { statement: statement.in_shards(1).unwrap().digest, ..run };
    let proved = statement.prove_share((&run, Place::first(0)), vec![], &[0; 9], &mut channel, &seeded(1));
    assert!(matches!(proved, Err(Error::Invalid(why)) if why.contains("a share of a witness of 8 bytes")));
}

/// A statement that is no shard, and asks for wires, or gives some.
struct Asks(bool);

impl<B: Crossings> Circuit<B> for Asks {
    fn run(&self, b: &mut B) -> Result<()> {
        let wire = if self.0 { b.incoming(1)?[0] } else { b.constant(B::F::ZERO) };
        if !self.0 {
            b.outgoing(&[wire])?;
        }
        b.assert_zero(wire, "nothing")
    }
}

#[test]
fn where_nothing_crosses_wires_do_not() {
    for asks in [Asks(true), Asks(false)] {
        for system in [System::QUICKSILVER, System::WOLVERINE, System::LIMBO] {
            let options = Options { check: false, ..Options::by(system) };
            let (here, there) = pipe(Duration::from_secs(10));
            thread::scope(|scope| {
                let (asks, options) = (&asks, &options);
                scope.spawn(move || {
                    let mut channel = Channel::new(Party::Prover, here);
                    let proved = prove(asks, [], &mut channel, options);
                    assert!(matches!(proved, Err(Error::Invalid(_))), "{system}: {proved:?}");
                });
                let mut channel = Channel::new(Party::Verifier, there);
                let verified = verify(asks, &mut channel, options);
                let error = verified.err();
                let ended = matches!(&error, Some(error) if error.is_of_link());
                assert!(ended || matches!(error, Some(Error::Invalid(_))), "{system}: {error:?}");
            });
        }
    }
}
