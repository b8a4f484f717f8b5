//! `volery bench shards`: the circuit of `boolean` or `arithmetic` in shards, each in a session of its own, one
//! after the other, beside the same number of multiplications in one.

mod simulated;

use crate::args::{GATES, of_gates, size};
use crate::bench::Run;
use crate::generated::circuit::Chosen;
use crate::plan::Plan;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::fs;
use volery::channel::Party;
use volery::circuit::stream::ShardSource;
use volery::circuit::{Announced, Arithmetic, Network, Parts, Reversible};
use volery::random::Random;
use volery::sharded::{self, Crossing, Place, RunDelta, Verdict};
use volery::{Named, Report};
use volery_cli::both::Reports;
use volery_cli::failure::{Failure, Result};
use volery_cli::fields::{has_bits, is_boolean};
use volery_cli::print::human;

/// Shards where none are asked for, and the most.
const SHARDS: u64 = 8;
const MOST: u64 = 1024;

/// Proves a network over any field in shards.
pub(crate) fn shards<S: Named>(run: &Run) -> Result<()> {
    if is_boolean(run.field()?) {
        return measure::<volery::Binary, Network>(run);
    }
    if has_bits(run.field()?) {
        return measure::<volery::ShortBinary, Network>(run);
    }
    measure::<S, Arithmetic<S::F>>(run)
}

/// The measurement of a run.
struct Measured {
    reports: Reports,
    /// Seconds of processors, of both parties together.
    cpu: Option<f64>,
    /// Wires that cross, and the bytes of both parties for them.
    wires: u64,
    bytes: u64,
    worth: u32,
}

fn measure<S: Named, N: Chosen<S::F> + Reversible>(run: &Run) -> Result<()>
where
    Parts<N>: ShardSource<S::F>,
{
    if run.typed.replay {
        return Err(Failure::usage("bench shards has no --replay: leave it out"));
    }
    let plan = Plan::new(run)?;
    let gates = size("--gates", run.typed.gates.as_deref(), GATES)?;
    let count = size("--shards", run.typed.shards.as_deref(), SHARDS)?;
    if !(1..=MOST).contains(&count) {
        return Err(Failure::usage(format_args!("--shards: {count}: choose from 1 to {MOST}")));
    }
    let parts = |count| Parts::<N>::of(gates, count, N::new).map_err(of_gates);
    let one = all::<S, N>(&plan, &parts(1)?, gates)?;
    let many = all::<S, N>(&plan, &parts(count as usize)?, gates)?;
    print(&plan, run.typed.simulate, gates, count, [one, many])
}

/// Prints a run in many shards, beside one in a single one.
fn print(plan: &Plan, simulate: bool, gates: u64, count: u64, [one, many]: [Measured; 2]) -> Result<()> {
    let mut outcome = plan.outcome(("gates", gates), &many.reports);
    let of_setup = |of: fn(&Report) -> f64| many.reports.verifier.iter().map(of).fold(0.0, f64::max);
    let seconds = of_setup(|report| report.setup.as_secs_f64());
    let bytes = of_setup(|report| (report.setup_traffic.sent + report.setup_traffic.received) as f64);
    outcome.more("shards", json!(count), count.to_string());
    outcome.more("run_bits", json!(many.worth), format!("{} bits of statistical security", many.worth));
    let each = |measured: &Measured| measured.cpu.map(|cpu| 1e9 * cpu / gates as f64);
    let ratio = each(&many).zip(each(&one)).map(|(many, one)| many / one);
    let text =
        |number: Option<f64>, unit: &str| number.map_or("-".into(), |number| format!("{number:.2}{unit}"));
    outcome.more("cpu_nanoseconds_per_gate", json!(each(&many)), text(each(&many), " ns, of both parties"));
    outcome.more("cpu_of_one_shard", json!(each(&one)), text(each(&one), " ns"));
    outcome.more("cpu_ratio", json!(ratio), text(ratio, " times that of one shard"));
    outcome.more("setup_of_a_shard", json!(seconds), format!("{:.1} ms at most", 1e3 * seconds));
    outcome.more("setup_bytes_of_a_shard", json!(bytes), format!("{}B at most", human(bytes)));
    let per_wire = (many.wires > 0).then(|| many.bytes as f64 / many.wires as f64);
    outcome.more("wires_that_cross", json!(many.wires), many.wires.to_string());
    outcome.more(
        "bytes_per_wire",
        json!(per_wire),
        text(per_wire, ", of both parties, and none between them"),
    );
    if simulate {
        let bandwidth = plan.settings.bandwidth;
        for (name, value, text) in simulated::of(&many.reports, many.cpu, (seconds, bytes), bandwidth) {
            outcome.more(name, value, text);
        }
    }
    plan.print(&outcome)
}

/// A run of all shards, one after the other, in this process.
fn all<S: Named, N: Chosen<S::F> + Reversible>(plan: &Plan, parts: &Parts<N>, gates: u64) -> Result<Measured>
where
    Parts<N>: ShardSource<S::F>,
{
    let announced = Announced::of(parts)?;
    let mut random = Random::from_system()?;
    let mut digest = announced.digest();
    for network in parts.networks() {
        let hasher = Sha256::new_with_prefix("volery bench shards").chain_update(digest);
        digest = hasher.chain_update(network.digest()).finalize().into();
    }
    let id = sharded::Run::id_of(&random.bytes(), &random.bytes());
    let run = sharded::Run { id, statement: digest, shards: announced.count() as u32, restarts: 0 };
    let options = plan.settings.options(digest, None)?;
    let delta = RunDelta::fresh::<S>(&run, &options)?;
    let mut verdict = Verdict::new(run, announced.clone())?;
    let mut reports = Reports { prover: Vec::new(), verifier: Vec::new() };
    let (mut ends, mut keys): (Vec<Crossing>, Vec<Crossing>) = (Vec::new(), Vec::new());
    let (mut wires, mut bytes) = (0, 0);
    let before = cpu_seconds();
    let task = plan.task("gates", gates / u64::from(run.shards));
    for (shard, network) in (0..run.shards).zip(parts.networks()) {
        let place = (&run, Place::first(shard));
        let witness = network.witness(random.bytes());
        let mut taken = [take(&mut ends, shard), take(&mut keys, shard)];
        let [ours, theirs] = taken.each_mut().map(|crossings| crossings as &mut Vec<Crossing>);
        let (proved, verified) = task.run(
            |channel, done| {
                let options = done.counting(options.clone());
                let ours = core::mem::take(ours);
                sharded::prove_shard::<S>(place, parts, ours, witness.iter().copied(), channel, &options)
            },
            |channel| {
                let theirs = core::mem::take(theirs);
                sharded::verify_shard::<S>(place, parts, theirs, &delta, channel, &options)
            },
        )?;
        let (report, given) = proved;
        let (accepted, verified, taken) = verified;
        verdict.add(accepted)?;
        for crossing in &given {
            let crossed = announced.between(shard as usize, crossing.to() as usize);
            wires += crossed as u64;
            for party in [Party::Prover, Party::Verifier] {
                bytes += Crossing::length::<S>(party, crossed) as u64;
            }
        }
        ends.extend(given);
        keys.extend(taken);
        reports.prover.push(report);
        reports.verifier.push(verified);
    }
    let cpu = before.zip(cpu_seconds()).map(|(before, after)| after - before);
    let (_accepted, worth) = verdict.finish(0)?;
    Ok(Measured { reports, cpu, wires, bytes, worth })
}

/// Takes the crossings that go to a shard.
fn take(crossings: &mut Vec<Crossing>, shard: u32) -> Vec<Crossing> {
    crossings.extract_if(.., |crossing| crossing.to() == shard).collect()
}

/// Seconds that processors have worked for this process, to a hundredth, where the system tells.
fn cpu_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may have spaces and brackets.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks = |field: Option<&str>| field?.parse::<f64>().ok();
    Some((ticks(fields.next())? + ticks(fields.next())?) / 100.0)
}
