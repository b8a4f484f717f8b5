//! Statements in shards, by name over every setting, and over every kind of correlations.

use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;
use volery::channel::{Channel, Party, pipe};
use volery::circuit::stream::{ShardSource, fingerprint};
use volery::circuit::{Announced, Arithmetic, Network, Parts, Written};
use volery::sharded::{Crossing, Place, Run, RunDelta, Verdict, prove_shard, verify_shard};
use volery::{Binary, Correlations, F61, Options, Over, Setting, setting, settings};

fn seeded(seed: u8) -> Options {
    Options { seed: Some([seed; 32]), ..Options::default() }
}

/// Those that go to a shard, as bytes there and back.
fn take(crossings: &mut Vec<Crossing>, shard: u32) -> Vec<Crossing> {
    let taken = crossings.extract_if(.., |crossing| crossing.to() == shard);
    taken.map(|crossing| Crossing::from_bytes(&crossing.to_bytes()).unwrap()).collect()
}

#[test]
fn a_product_of_matrices_over_every_setting() {
    for setting in settings() {
        let spec = "builtin:matmul?rows=4&inner=2&columns=1";
        let bits = setting.wires() == "f2";
        // Of ones, and one zero: 1·1 + 1·0 in each row.
        let [a, b, c] =
            if bits { ["0b11111111", "0b10", "0b1111"] } else { ["1,1,1,1,1,1,1,1", "1,0", "1,1,1,1"] };
        let stated = || {
            let mut relation = setting.open(spec, None).unwrap();
            relation.public().read("c", Written::Text(c.as_bytes())).unwrap();
            relation.state().unwrap()
        };
        let (statement, mut claimed) = (stated(), stated());
        claimed.private().read("a", Written::Text(a.as_bytes())).unwrap();
        claimed.private().read("b", Written::Text(b.as_bytes())).unwrap();
        let claim = claimed.claim().unwrap();
        let in_shards = statement.in_shards(3).unwrap();
        let run = Run { id: [5; 32], statement: in_shards.digest, shards: 3, restarts: 2 };
        let delta = setting.run_delta(&run, &seeded(1)).unwrap();
        let delta = setting.load_run_delta(&run, &delta.to_bytes()).unwrap();
        let mut verdict = Verdict::new(run, in_shards.announced.clone()).unwrap();
        let (mut ends, mut keys) = (Vec::new(), Vec::new());
        for shard in 0..3 {
            let at = (&run, Place::first(shard));
            let (ours, theirs) = (take(&mut ends, shard), take(&mut keys, shard));
            for (party, crossings) in [(Party::Prover, &ours), (Party::Verifier, &theirs)] {
                for crossing in crossings {
                    assert_eq!(crossing.to_bytes().len(), setting.crossing_length(party, 2));
                }
            }
            let (here, there) = pipe(Duration::from_secs(20));
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
        assert!(worth >= setting.security(), "{}", setting.name());
        assert!(setting.privacy(&in_shards.announced, 2) >= 55, "{}", setting.name());
    }
    assert!(setting("f2").is_ok());
}

/// A run over these correlations, by so many threads of each party.
fn accepted<S: Setting>(
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
