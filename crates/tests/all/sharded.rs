//! Statements in shards, by name over every setting, and over every kind of correlations.

use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;
use volery::channel::{Channel, Party, pipe};
use volery::circuit::stream::{ShardSource, fingerprint};
use volery::circuit::{Announced, Arithmetic, Network, Parts, PortValue, Relation, Value, Values, Written};
use volery::sharded::{Crossing, Place, Run, RunDelta, Verdict, prove_shard, verify_shard};
use volery::{
    AnyClaim, AnySetting, AnyStatement, Binary, Correlations, F61, Named, Options, Over, setting, settings,
};

fn seeded(seed: u8) -> Options {
    Options { seed: Some([seed; 32]), ..Options::default() }
}

/// Takes the crossings that go to a shard, as bytes there and back.
fn take(crossings: &mut Vec<Crossing>, shard: u32) -> Vec<Crossing> {
    let taken = crossings.extract_if(.., |crossing| crossing.to() == shard);
    taken.map(|crossing| Crossing::from_bytes(&crossing.to_bytes()).unwrap()).collect()
}

/// A run of a statement by name, shard by shard: what it is worth.
fn run_by_name(
    setting: &dyn AnySetting,
    (statement, claim): (&dyn AnyStatement, &dyn AnyClaim),
    shards: u32,
) -> u32 {
    let in_shards = statement.in_shards(shards as usize).unwrap();
    let run = Run { id: [5; 32], statement: in_shards.digest, shards, restarts: 2 };
    let delta = setting.run_delta(&run, &seeded(1)).unwrap();
    let delta = setting.load_run_delta(&run, &delta.to_bytes()).unwrap();
    let mut verdict = Verdict::new(run, in_shards.announced.clone()).unwrap();
    let (mut ends, mut keys) = (Vec::new(), Vec::new());
    for shard in 0..shards {
        let at = (&run, Place::first(shard));
        let (ours, theirs) = (take(&mut ends, shard), take(&mut keys, shard));
        for (party, crossings) in [(Party::Prover, &ours), (Party::Verifier, &theirs)] {
            for crossing in crossings {
                let wires = in_shards.announced.between(crossing.from() as usize, shard as usize);
                assert_eq!(crossing.to_bytes().len(), setting.crossing_length(party, wires));
            }
        }
        let (here, there) = pipe(Duration::from_secs(60));
        thread::scope(|scope| {
            let proving = scope.spawn(|| {
                let mut channel = Channel::new(Party::Prover, here);
                claim.prove_shard(at, ours, &mut channel, &seeded(2))
            });
            let mut channel = Channel::new(Party::Verifier, there);
            let verified = statement.verify_shard(at, theirs, &delta, &mut channel, &seeded(3));
            let (accepted, _, taken) = verified.unwrap();
            verdict.add(accepted).unwrap();
            keys.extend(taken);
            ends.extend(proving.join().unwrap().unwrap().1);
        });
    }
    let (_accepted, worth) = verdict.finish(setting.security()).unwrap();
    assert!(setting.privacy(&in_shards.announced, 2) >= 55, "{}", setting.name());
    worth
}

/// The statement of `spec` with that output, and the claim with these inputs.
fn named(
    setting: &dyn AnySetting,
    spec: &str,
    output: (&str, &str),
    inputs: &[(&str, &str)],
) -> (Box<dyn AnyStatement>, Box<dyn AnyClaim>) {
    let stated = || {
        let mut relation = setting.open(spec, None).unwrap();
        relation.public().read(output.0, Written::Text(output.1.as_bytes())).unwrap();
        relation.state().unwrap()
    };
    let mut claimed = stated();
    for (name, value) in inputs {
        claimed.private().read(name, Written::Text(value.as_bytes())).unwrap();
    }
    (stated(), claimed.claim().unwrap())
}

#[test]
fn a_product_of_matrices_over_every_setting() {
    for &setting in settings() {
        // Of ones, and one zero: 1·1 + 1·0 in each row.
        let [a, b, c] = match setting.wires() {
            "f2" => ["0b11111111", "0b10", "0b1111"],
            _ => ["1,1,1,1,1,1,1,1", "1,0", "1,1,1,1"],
        };
        let spec = "builtin:matmul?rows=4&inner=2&columns=1";
        let (statement, claim) = named(setting, spec, ("c", c), &[("a", a), ("b", b)]);
        let worth = run_by_name(setting, (&*statement, &*claim), 3);
        assert!(worth >= setting.security(), "{}", setting.name());
    }
}

/// The root of so many leaves in shards is that of all.
fn merkle_root(depth: u32, shards: u32) {
    let text: String = (0..64_u64 << depth).map(|i| format!("{:02x}", i * 11 % 253)).collect();
    let leaves = format!("0x{text}");
    let relation = Relation::open(&format!("builtin:merkle-root?depth={depth}"), None).unwrap();
    let mut values = Values::new();
    values.insert("leaves", Value::from_text(leaves.as_bytes()).unwrap()).unwrap();
    let root = relation.evaluate(values).unwrap().remove(0).to_text();
    let setting = setting("f2").unwrap();
    let spec = format!("builtin:merkle-root?depth={depth}&holes=1");
    let (statement, claim) = named(setting, &spec, ("root", &root), &[("leaves", &leaves)]);
    run_by_name(setting, (&*statement, &*claim), shards);
}

#[test]
fn a_merkle_root() {
    merkle_root(4, 8);
}

#[test]
#[ignore = "slow"]
fn a_merkle_root_of_many_leaves() {
    merkle_root(14, 8);
}

/// A run over these correlations, by so many threads of each party.
fn accepted<S: Named>(
    parts: &dyn ShardSource<S::F>,
    witnesses: &[Vec<S::F>],
    correlations: Correlations,
    threads: usize,
) {
    let options = |seed| Options {
        threads: NonZeroUsize::new(threads).unwrap(),
        ..seeded(seed).with_correlations(correlations)
    };
    let shards = witnesses.len() as u32;
    let run = Run { id: [6; 32], statement: fingerprint(parts).unwrap().1, shards, restarts: 0 };
    let delta = RunDelta::fresh::<S>(&run, &seeded(1)).unwrap();
    let mut verdict = Verdict::new(run, Announced::of(parts).unwrap()).unwrap();
    let (mut ends, mut keys) = (Vec::new(), Vec::new());
    for (shard, witness) in (0..).zip(witnesses) {
        let at = (&run, Place::first(shard));
        let (ours, theirs) = (take(&mut ends, shard), take(&mut keys, shard));
        let (here, there) = pipe(Duration::from_secs(20));
        thread::scope(|scope| {
            let proving = scope.spawn(move || {
                let mut channel = Channel::new(Party::Prover, here);
                let witness = witness.iter().copied();
                prove_shard::<S>(at, parts, ours, witness, &mut channel, &options(2))
            });
            let mut channel = Channel::new(Party::Verifier, there);
            let verified = verify_shard::<S>(at, parts, theirs, &delta, &mut channel, &options(3));
            let (accepted, _, taken) = verified.unwrap();
            verdict.add(accepted).unwrap();
            keys.extend(taken);
            ends.extend(proving.join().unwrap().unwrap().1);
        });
    }
    let (_accepted, _) = verdict.finish(40).unwrap();
}

/// Across a refill, too, where the last messages of a shard stand behind those of the next iteration.
#[test]
fn every_kind_of_correlations() {
    let parts = Parts::of(220_000, 2, Network::new).unwrap();
    let of = |network: &Network| network.witness([3; 32]).collect::<Vec<_>>();
    let witnesses: Vec<_> = parts.networks().iter().map(of).collect();
    for (correlations, threads) in
        [(Correlations::SOFTSPOKEN4, 1), (Correlations::SOFTSPOKEN8, 2), (Correlations::TINY, 1)]
    {
        accepted::<Binary>(&parts, &witnesses, correlations, threads);
    }
    let parts = Parts::of(6_000, 2, Arithmetic::<F61>::new).unwrap();
    let of = |network: &Arithmetic<F61>| network.witness([3; 32]).collect::<Vec<_>>();
    let witnesses: Vec<_> = parts.networks().iter().map(of).collect();
    accepted::<Over<F61>>(&parts, &witnesses, Correlations::DIRECT, 1);
    let parts = Parts::of(160_000, 2, Arithmetic::<F61>::new).unwrap();
    let witnesses: Vec<_> = parts.networks().iter().map(of).collect();
    accepted::<Over<F61>>(&parts, &witnesses, Correlations::TINY, 2);
}
