//! `volery bench jko` and `stack`: generated circuits, garbled.

use crate::args::{GATES, of_gates, size};
use crate::bench::Run;
use crate::plan::Plan;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::time::{Duration, Instant};
use volery::circuit::{Alternatives, Branch, Clauses, Network, Size};
use volery::garble::Key;
use volery::garble::labels::Labels;
use volery::garble::material::{Held, Sink};
use volery::garble::privacy_free::{Evaluator, Garbler, Inputs};
use volery::pool::Pool;
use volery::random::Random;
use volery::{Backend, Binary, Circuit, F2, F128, Garbling, Report};
use volery_cli::failure::{Failure, Result};
use volery_cli::print::{count, human, seconds};
use volery_cli::report::Outcome;

/// Clauses of `stack`, and ANDs of each, where no numbers are given: those of the paper.
const CLAUSES: u64 = 15;
const GATES_OF_CLAUSE: u64 = 500_000;

/// The sizes of `branches`.
const BRANCHES: u64 = 64;
const GATES_OF_BRANCH: u64 = 100_000;

/// The most clauses.
const MOST_CLAUSES: u64 = 1 << 20;

/// ANDs whose garbling and evaluation are timed alone, and how often.
const ALONE: u64 = 1 << 19;
const ALONE_RUNS: usize = 5;

/// Proves --gates of a generated circuit by JKO, and times garbling and evaluation without a peer.
pub(crate) fn jko(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let gates = plan.gates.unwrap_or(GATES);
    let network = Network::new(gates).map_err(of_gates)?;
    let options =
        plan.settings.options(network.digest(), Some(Size::gates(network.width() as u64 + gates)))?;
    let witness: Vec<F2> = network.witness(Random::from_system()?.bytes()).collect();
    let witness = witness.iter().copied();
    let mut outcome = plan.prove::<Binary, _>(("gates", gates), &network, witness, gates, &options)?;
    let alone = Network::new(gates.min(ALONE)).map_err(of_gates)?;
    let [garbled, evaluated] = rates(&plan, &alone)?;
    outcome.more("garbled_per_second", json!(garbled), format!("{}/s, without a peer", count(garbled)));
    outcome.more("evaluated_per_second", json!(evaluated), format!("{}/s, without a peer", count(evaluated)));
    plan.print(&outcome)
}

/// A sink that keeps the material for which it has room.
struct Kept(Vec<F128>);

impl Sink for Kept {
    fn take(&mut self, blocks: &[F128]) -> volery::Result<()> {
        let room = self.0.capacity() - self.0.len();
        self.0.extend_from_slice(&blocks[..room.min(blocks.len())]);
        Ok(())
    }
}

/// ANDs that are garbled in a second, and evaluated: the best of a few runs each.
fn rates(plan: &Plan, network: &Network) -> volery::Result<[f64; 2]> {
    let mut random = Random::from_system()?;
    let Garbling { construction } = plan.settings.method.of();
    let key = Key { arch: plan.settings.arch, construction, salt: random.word() };
    let (seed, gates) = (random.word(), network.gates());
    let mut kept = Kept(Vec::with_capacity(gates as usize));
    let garbled = Garbler::garble(&key, (0, seed), network, &mut kept, None, &Pool::ALONE)?.output;
    let values: Vec<F2> = network.witness(random.bytes()).collect();
    let labels = Labels::new(&key, seed);
    let delta = labels.delta();
    let labels: Vec<F128> =
        labels.zip(&values).map(|(label, value)| F128(label.0 ^ delta.0 & value.mask())).collect();

    let mut least = [Duration::MAX; 2];
    for _ in 0..ALONE_RUNS {
        let begun = Instant::now();
        let again =
            Garbler::garble(&key, (0, seed), network, &mut Kept(Vec::new()), None, &Pool::ALONE)?.output;
        least[0] = least[0].min(begun.elapsed());
        let inputs = Inputs { labels: &labels, values: &values };
        let begun = Instant::now();
        let evaluated =
            Evaluator::evaluate(&key, 0, network, inputs, (gates, &mut Held(&kept.0)), None, &Pool::ALONE)?;
        least[1] = least[1].min(begun.elapsed());
        assert!(again == garbled && evaluated == garbled, "the network holds");
    }
    Ok(least.map(|time| gates as f64 / time.as_secs_f64()))
}

/// "I know a witness of one of so many networks", which differ in their wiring: that of clause i begins with
/// the bits of i.
pub struct Networks {
    clauses: usize,
    network: Network,
}

impl Networks {
    /// Clauses that are networks of so many gates each, so many.
    ///
    /// # Errors
    /// `Invalid` where there are no gates, or too many.
    pub fn new(clauses: usize, gates: u64) -> volery::Result<Self> {
        Ok(Self { clauses, network: Network::new(gates)? })
    }

    /// The bits of a clause's number.
    fn bits(&self) -> usize {
        self.clauses.next_power_of_two().ilog2() as usize
    }

    /// The witness of one clause, which satisfies no other.
    pub fn witness(&self, clause: usize, seed: [u8; 32]) -> Vec<F2> {
        let number = (0..self.bits()).map(|bit| F2::from(clause >> bit & 1 == 1));
        number.chain(self.network.witness(seed)).collect()
    }

    fn digest(&self) -> [u8; 32] {
        let hasher = Sha256::new_with_prefix("volery bench stack").chain_update(self.clauses.to_le_bytes());
        hasher.chain_update(self.network.digest()).finalize().into()
    }
}

impl Alternatives for Networks {
    fn count(&self) -> usize {
        self.clauses
    }
    fn like(&self, _: usize) -> usize {
        0
    }
}

impl<B: Backend<F = F2>> Clauses<B> for Networks {
    fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> volery::Result<()> {
        for bit in 0..self.bits() {
            let (read, expected) = (b.witness()?, b.constant(F2::from(clause >> bit & 1 == 1)));
            let difference = b.add(read, expected);
            b.assert_zero(difference, format_args!("bit {bit} of the clause's number"))?;
        }
        self.network.variant(clause as u64).run(b)
    }
}

/// Proves one of --clauses generated clauses of --gates each, one of them at random.
pub(crate) fn stack(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let outcome = one_of(&plan, clauses(run, CLAUSES)?, GATES_OF_CLAUSE)?;
    plan.print(&outcome)
}

/// Measures one of many clauses beside one clause alone, or many claims beside one.
pub(crate) fn branches(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let (clauses, claims) =
        (clauses(run, BRANCHES)?, size("--count", run.typed.count.as_deref(), 1)?.max(1) as usize);
    if claims > 1 {
        return plan.print(&each_of(&plan, clauses, claims)?);
    }
    let one = one_of(&plan, 1, GATES_OF_BRANCH)?;
    let mut outcome = one_of(&plan, clauses, GATES_OF_BRANCH)?;
    let [alone, all] = [&one, &outcome].map(|outcome| {
        let Report { setup, online, traffic, .. } = outcome.report;
        ((setup + online).as_secs_f64(), traffic.sent + traffic.received)
    });
    let object = json!({
        "seconds": alone.0,
        "bytes": alone.1,
        "times_as_long": all.0 / alone.0,
        "times_as_many_bytes": all.1 as f64 / alone.1 as f64,
    });
    let text = format!(
        "{} and {}B: all take {:.2} times as long, and {:.2} times as many bytes",
        seconds(alone.0),
        human(alone.1 as f64),
        all.0 / alone.0,
        all.1 as f64 / alone.1 as f64
    );
    outcome.more("one_clause", object, text);
    plan.print(&outcome)
}

/// The number of --clauses, or this where it is not given.
fn clauses(run: &Run, otherwise: u64) -> Result<u64> {
    let clauses = size("--clauses", run.typed.clauses.as_deref(), otherwise)?;
    if (1..=MOST_CLAUSES).contains(&clauses) {
        return Ok(clauses);
    }
    Err(Failure::usage(format_args!("--clauses: {clauses}: choose from 1 to {MOST_CLAUSES}")))
}

/// Proves claims by generated clauses, and one of them alone.
fn each_of(plan: &Plan, clauses: u64, claims: usize) -> Result<Outcome> {
    let one = one_of(plan, clauses, GATES_OF_BRANCH)?;
    let gates = plan.gates.unwrap_or(GATES_OF_BRANCH);
    let networks = Networks::new(clauses as usize, gates).map_err(of_gates)?;
    let mut random = Random::from_system()?;
    let mut claim = || -> Result<_> {
        let chosen = (u64::from_le_bytes(random.bytes()) % clauses) as usize;
        Ok((chosen, networks.witness(chosen, random.bytes())))
    };
    let all = (0..claims).map(|_| claim()).collect::<Result<Vec<_>>>()?;
    let options = plan.settings.options(networks.digest(), None)?;
    let task = plan.task("gates", clauses.saturating_mul(gates).saturating_mul(claims as u64));
    let reports = task.prove_each_of(&networks, &all, &options, plan.repeat)?;
    let mut outcome = plan.outcome(("gates", gates), &reports);
    outcome.clauses = Some(clauses);
    let each = |outcome: &Outcome, claims: usize| {
        let Report { setup, online, traffic, .. } = outcome.report;
        let bytes = (traffic.sent + traffic.received) as f64;
        ((setup + online).as_secs_f64() / claims as f64, bytes / claims as f64)
    };
    let (alone, of_all) = (each(&one, 1), each(&outcome, claims));
    let object = json!({
        "claims": claims,
        "seconds": of_all.0,
        "bytes": of_all.1,
        "alone": {"seconds": alone.0, "bytes": alone.1},
    });
    let text = format!(
        "of {claims}: {} and {}B, set-up included; of one alone {} and {}B",
        seconds(of_all.0),
        human(of_all.1),
        seconds(alone.0),
        human(alone.1)
    );
    outcome.more("each_claim", object, text);
    Ok(outcome)
}

/// Proves one of so many generated clauses of --gates each, or of this many.
fn one_of(plan: &Plan, clauses: u64, gates: u64) -> Result<Outcome> {
    let gates = plan.gates.unwrap_or(gates);
    let networks = Networks::new(clauses as usize, gates).map_err(of_gates)?;
    let mut random = Random::from_system()?;
    let chosen = (u64::from_le_bytes(random.bytes()) % clauses) as usize;
    let witness = networks.witness(chosen, random.bytes());
    let options = plan.settings.options(networks.digest(), None)?;
    let task = plan.task("gates", clauses.saturating_mul(gates));
    let reports = task.prove_one_of(&networks, (chosen, witness), &options, plan.repeat)?;
    let mut outcome = plan.outcome(("gates", gates), &reports);
    outcome.clauses = Some(clauses);
    Ok(outcome)
}
