//! Whole runs, and what is shared by those that go wrong.

mod cheats;
mod wires;

use super::*;
use std::thread;
use std::time::Duration;
use volery_channel::channel::{Link, Tape, pipe};
use volery_circuit::stream::AllShards;
use volery_circuit::stream::fingerprint;
use volery_circuit::{Backend, Need, Sharded, Sharding, Whole};
use volery_primitives::F2;
use volery_primitives::{F61, F61x2, F128, F256, F65537, F65537x4, Field};
use volery_proof::binary::Binary;
use volery_proof::over::{Over, ShortBinary};
use volery_proof::witness::{check, check_shards};
use volery_statements::{Arithmetic, Network, Parts};

/// Products of pairs of a witness, added up in each shard but the last, which adds up the sums: each shard but
/// the first takes those of all before, and the last asserts.
pub(super) struct Sums<F> {
    shards: usize,
    each: usize,
    total: F,
    /// The lie of a prover, and the shard in which it tells it.
    lie: Option<(usize, Lie)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lie {
    /// The first product is another one.
    Product,
    /// The sum that is handed on is one more.
    Sum,
    /// The total that is asserted is another one.
    Total,
}

impl<F: Field> Sums<F> {
    fn lies(&self, shard: usize, lie: Lie) -> bool {
        self.lie == Some((shard, lie))
    }
}

impl<F: Field> Sharding for Sums<F> {
    fn count(&self) -> usize {
        self.shards
    }
    fn needs(&self, shard: usize) -> Vec<Need> {
        (0..shard).map(|from| Need { from, wires: 0..2 }).collect()
    }
    fn outgoing(&self, shard: usize) -> usize {
        if shard + 1 < self.shards { 2 } else { 0 }
    }
}

impl<B: Backend> Sharded<B> for Sums<B::F> {
    fn run(&self, shard: usize, b: &mut B, incoming: &[B::Wire]) -> Result<Vec<B::Wire>> {
        let mut sum = b.constant(B::F::ZERO);
        for (x, y) in incoming.chunks_exact(2).map(|pair| (pair[0], pair[1])) {
            let product = b.mul(x, y)?;
            sum = b.add(sum, product);
        }
        for i in 0..self.each {
            let (x, y) = (b.witness()?, b.witness()?);
            let product = if i == 0 && self.lies(shard, Lie::Product) {
                b.hint(&[x, y], |of| of[0] * of[1] + B::F::ONE)?
            } else {
                b.mul(x, y)?
            };
            sum = b.add(sum, product);
        }
        if self.outgoing(shard) > 0 {
            let again = b.witness()?;
            if self.lies(shard, Lie::Sum) {
                let one = b.constant(B::F::ONE);
                sum = b.add(sum, one);
            }
            return Ok(vec![sum, again]);
        }
        // A sum that was one more makes another total.
        let lies = self.lies(shard, Lie::Total) || matches!(self.lie, Some((_, Lie::Sum)));
        let total = if lies { sum } else { b.constant(self.total) };
        let total = b.scale(total, -B::F::ONE);
        let difference = b.add(sum, total);
        b.assert_zero(difference, "total")?;
        Ok(vec![])
    }
}

/// The witnesses of all shards, and the total that they make.
fn witness<F: Field>(shards: usize, each: usize, seed: u8) -> (Vec<Vec<F>>, F) {
    let mut random = volery_channel::random::Random::from_seed(&[seed; 32]);
    let mut given: Vec<(F, F)> = Vec::new();
    let mut witnesses = Vec::new();
    let mut total = F::ZERO;
    for shard in 0..shards {
        let last = shard + 1 == shards;
        let count = 2 * each + usize::from(!last);
        let witness: Vec<F> = (0..count).map(|_| volery_vole::vole::subfield::uniform(&mut random)).collect();
        let mut sum: F = given.iter().map(|(x, y)| *x * *y).sum();
        sum += witness[..2 * each].chunks_exact(2).map(|pair| pair[0] * pair[1]).sum();
        given.extend((!last).then(|| (sum, witness[2 * each])));
        total = sum;
        witnesses.push(witness);
    }
    (witnesses, total)
}

fn seeded(seed: u8) -> Options {
    Options { seed: Some([seed; 32]), ..Options::default() }
}

/// The options of a party that may lie.
fn unchecked() -> Options {
    Options { check: false, ..seeded(3) }
}

pub(super) fn run_of<F: Field>(shards: &dyn ShardSource<F>, restarts: u32) -> Run {
    let id = Run::id_of(&[1; 32], &[2; 32]);
    let statement = fingerprint(shards).unwrap().1;
    Run { id, statement, shards: shards.count() as u32, restarts }
}

/// The state of both parties of a run so far.
struct Parties<S: Supported> {
    run: Run,
    delta: RunDelta,
    /// Ends of the prover, and of the verifier.
    ends: [Vec<Crossing>; 2],
    setting: core::marker::PhantomData<S>,
}

type Both = (Result<Report>, Result<(AcceptedShard, Report)>);

impl<S: Supported> Parties<S> {
    fn new(shards: &dyn ShardSource<S::F>, restarts: u32) -> Self {
        let run = run_of(shards, restarts);
        let delta = RunDelta::fresh::<S>(&run, &seeded(9)).unwrap();
        Self { run, delta, ends: Default::default(), setting: core::marker::PhantomData }
    }

    /// The crossings that go to a shard, as bytes there and back.
    fn taken(&self, party: usize, place: Place) -> Vec<Crossing> {
        let of_it = self.ends[party].iter().filter(|crossing| crossing.to() == place.shard);
        // Of attempts the last.
        let mut taken: Vec<Crossing> = Vec::new();
        for crossing in of_it.map(|crossing| Crossing::from_bytes(&crossing.to_bytes()).unwrap()) {
            taken.retain(|earlier| earlier.from() != crossing.from());
            taken.push(crossing);
        }
        taken
    }

    /// Runs both parties at a shard, and keeps the wires that cross.
    fn shard(&mut self, shards: &dyn ShardSource<S::F>, place: Place, witness: &[S::F]) -> Both {
        let incoming = [self.taken(0, place), self.taken(1, place)];
        let (run, delta) = (self.run, &self.delta);
        let (proved, verified) =
            at_shard::<S>([(&run, place); 2], [shards; 2], incoming, witness, delta, &seeded(3));
        let proved = proved.map(|(report, given)| {
            self.ends[0].extend(given);
            report
        });
        let verified = verified.map(|(accepted, report, given)| {
            self.ends[1].extend(given);
            (accepted, report)
        });
        (proved, verified)
    }
}

type AtShard = (Result<(Report, Vec<Crossing>)>, Result<(AcceptedShard, Report, Vec<Crossing>)>);

/// Runs both parties, each at a shard of its own.
fn at_shard<S: Supported>(
    places: [(&Run, Place); 2],
    shards: [&dyn ShardSource<S::F>; 2],
    [ends, keys]: [Vec<Crossing>; 2],
    witness: &[S::F],
    delta: &RunDelta,
    options: &Options,
) -> AtShard {
    let (here, there) = pipe(Duration::from_secs(10));
    over_links::<S>((here, there), places, shards, [ends, keys], witness, delta, options)
}

/// Runs a shard over these links.
fn over_links<S: Supported>(
    (here, there): (impl Link + 'static, impl Link + 'static),
    places: [(&Run, Place); 2],
    shards: [&dyn ShardSource<S::F>; 2],
    [ends, keys]: [Vec<Crossing>; 2],
    witness: &[S::F],
    delta: &RunDelta,
    options: &Options,
) -> AtShard {
    thread::scope(|scope| {
        let proving = scope.spawn(move || {
            let mut channel = Channel::new(Party::Prover, here);
            let witness = witness.iter().copied();
            prove_shard::<S>(places[0], shards[0], ends, witness, &mut channel, options)
        });
        let mut channel = Channel::new(Party::Verifier, there);
        let verified = verify_shard::<S>(places[1], shards[1], keys, delta, &mut channel, options);
        drop(channel);
        (proving.join().unwrap(), verified)
    })
}

fn agrees<S: Supported>(shards: usize, each: usize) {
    let (witnesses, total) = witness::<S::F>(shards, each, 5);
    let sums = Sums { shards, each, total, lie: None };
    check(&Whole(&sums), witnesses.concat()).unwrap();
    let by_shards =
        |sums: &Sums<S::F>| check_shards(sums, &|shard| Box::new(witnesses[shard].iter().copied()));
    by_shards(&sums).unwrap();
    let other = Sums { total: total + S::F::ONE, ..sums };
    assert!(matches!(by_shards(&other), Err(Error::Unsatisfied(name)) if name == "total"));
    let sums = Sums { total, ..other };
    let mut parties = Parties::<S>::new(&sums, 0);
    let mut verdict = Verdict::new(parties.run, Announced::of(&sums).unwrap()).unwrap();
    for (shard, witness) in (0..).zip(&witnesses) {
        let (proved, verified) = parties.shard(&sums, Place::first(shard), witness);
        let (accepted, report) = verified.unwrap();
        assert_eq!(report.statement, proved.unwrap().statement);
        assert!(report.security.statistical >= S::facts().security());
        verdict.add(AcceptedShard::from_bytes(&accepted.to_bytes()).unwrap()).unwrap();
    }
    let announced = Announced::of(&sums).unwrap();
    for (party, ends) in [Party::Prover, Party::Verifier].into_iter().zip(&parties.ends) {
        for crossing in ends {
            let wires = announced.between(crossing.from() as usize, crossing.to() as usize);
            assert_eq!(crossing.to_bytes().len(), Crossing::length::<S>(party, wires));
        }
    }
    assert!(verdict.missing().is_empty());
    let (_accepted, worth) = verdict.finish(S::facts().security()).unwrap();
    assert!(worth >= S::facts().security());
}

#[test]
fn a_statement_in_shards_is_accepted_as_the_whole_is() {
    for shards in [1, 4] {
        agrees::<Binary>(shards, 5);
        agrees::<Over<F61>>(shards, 5);
    }
    agrees::<Over<F61, F61x2>>(3, 300);
    agrees::<Over<F65537, F65537x4>>(3, 300);
    agrees::<Over<F256, F128>>(3, 300);
}

#[test]
#[ignore = "slow"]
fn a_statement_in_more_shards_is_accepted_as_the_whole_is() {
    for shards in [2, 8] {
        agrees::<Binary>(shards, 5);
        agrees::<Over<F61>>(shards, 5);
    }
}

/// A digest of all that both parties of a run have said.
fn tape<S: Supported>(shards: usize, each: usize) -> String {
    let (witnesses, total) = witness::<S::F>(shards, each, 5);
    let sums = Sums { shards, each, total, lie: None };
    let mut parties = Parties::<S>::new(&sums, 1);
    let mut hasher = blake3::Hasher::new();
    for (shard, witness) in (0..).zip(&witnesses) {
        let place = Place::first(shard);
        let (here, there) = pipe(Duration::from_secs(10));
        let ((here, said), (there, answered)) = (Tape::new(here, None), Tape::new(there, None));
        let incoming = [parties.taken(0, place), parties.taken(1, place)];
        let (run, delta) = (parties.run, &parties.delta);
        let both = [(&run, place); 2];
        let (proved, verified) =
            over_links::<S>((here, there), both, [&sums; 2], incoming, witness, delta, &seeded(3));
        parties.ends[0].extend(proved.unwrap().1);
        parties.ends[1].extend(verified.unwrap().2);
        for message in said.messages().into_iter().chain(answered.messages()) {
            hasher.update(&(message.len() as u64).to_le_bytes()).update(&message);
        }
    }
    hasher.finalize().to_hex()[..32].to_string()
}

#[test]
fn tapes_are_pinned() {
    let tapes = [tape::<Binary>(3, 200), tape::<Over<F61>>(3, 200), tape::<Over<F256, F128>>(2, 20)];
    let pinned = [
        "045d82a8bdb70c17a677bf7a24481a99",
        "9b253f0e1b9196efef9fc8fd913b6bc6",
        "7a27239fd12a09e2150ae7f89857b157",
    ];
    assert_eq!(tapes, pinned);
}

#[test]
fn generated_networks_fall_into_networks() {
    networks_fall_into([1, 4]);
    assert!(Parts::of(3, 4, Network::new).is_err() && Parts::of(3, 0, Network::new).is_err());
}

#[test]
#[ignore = "slow"]
fn generated_networks_fall_into_other_numbers_of_networks() {
    networks_fall_into([2, 8]);
}

fn networks_fall_into(numbers: [usize; 2]) {
    fn agrees<S: Supported>(parts: &dyn ShardSource<S::F>, witnesses: &[Vec<S::F>]) {
        check(&AllShards(parts), witnesses.concat()).unwrap();
        let mut parties = Parties::<S>::new(parts, 0);
        for (shard, witness) in (0..).zip(witnesses) {
            let (proved, verified) = parties.shard(parts, Place::first(shard), witness);
            proved.unwrap();
            let _ = verified.unwrap();
        }
    }
    for shards in numbers {
        let parts = Parts::of(5000, shards, Network::new).unwrap();
        let gates: u64 = parts.networks().iter().map(Network::gates).sum();
        assert_eq!(gates, 5000);
        let witness = |network: &Network| network.witness([4; 32]).collect::<Vec<F2>>();
        agrees::<Binary>(&parts, &parts.networks().iter().map(witness).collect::<Vec<_>>());
        let parts = Parts::of(5000, shards, Arithmetic::<F61>::new).unwrap();
        let witness = |network: &Arithmetic<F61>| network.witness([4; 32]).collect::<Vec<F61>>();
        agrees::<Over<F61>>(&parts, &parts.networks().iter().map(witness).collect::<Vec<_>>());
    }
}

#[test]
fn bits_with_short_macs_agree() {
    for shards in [1, 4] {
        agrees::<ShortBinary>(shards, 5);
    }
    agrees::<ShortBinary>(3, 3000);
}
