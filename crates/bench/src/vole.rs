//! `volery bench vole-f2` and `vole-f61`: correlations drawn on both sides, and nothing else.
//!
//! There is no handshake; set-up, checks and refills are those of a proof. Each side adds what it draws up to
//! a few shares, and those of the two sides must belong together at the end.

use crate::bench::Run;
use crate::plan::Plan;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use volery::channel::{Channel, Traffic};
use volery::circuit::Size;
use volery::pool::Pool;
use volery::random::Random;
use volery::vole::{BoxedVole, Share, Shares};
use volery::{Choice, Correlations, Field, Named, Use};
use volery_cli::failure::{Failure, Fault, Result};
use volery_cli::fields::BOOLEAN;
use volery_cli::print::{self, count, human, seconds, table};
use volery_cli::progress::Counter;
use volery_cli::report::peak_rss;

/// Correlations over F_2, where no number is given.
const OF_BITS: u64 = 100_000_000;
/// Over other fields: as many as the Wolverine paper counts for one extension.
const OF_ELEMENTS: u64 = 10_000_000;

/// The most correlations that can be asked for. Memory does not grow with their number, but at tens of
/// millions a second these take a day.
const MOST: u64 = 1 << 40;

/// The bandwidth that auto takes loopback for, in Mbit/s: nothing is measured without a handshake.
const LOOPBACK: f64 = 10_000.0;

/// The counts and times of one side.
struct Drawn {
    correlations: u64,
    traffic: Traffic,
    setup_traffic: Traffic,
    setup: Duration,
    online: Duration,
}

/// Draws as many correlations over `S` as asked for, or up to a block more.
pub(crate) fn vole<S: Named>(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let few = if S::F::NAME == BOOLEAN { OF_BITS } else { OF_ELEMENTS };
    let correlations = plan.gates.unwrap_or(few);
    if !(1..=MOST).contains(&correlations) {
        return Err(Failure::usage(format_args!(
            "--gates: {correlations} correlations: choose from 1 to 2^{}, which take a day or more",
            MOST.ilog2()
        )));
    }
    let settings = &plan.settings;
    let choice = choose::<S>(settings.correlations, correlations, settings.bandwidth)?;
    let (kind, arch) = (choice.correlations, settings.arch);
    let delta = S::delta(&mut Random::from_system()?);
    let threads = plan.settings.threads;
    let prover = |channel: &mut Channel, done: &Counter| {
        let started = Instant::now();
        let (random, pool) = (&mut Random::from_system()?, Pool::new(threads)?);
        channel.share_work(&pool);
        let mut vole = S::ends().prover_end(kind, channel, arch, random)?;
        vole.share_work(&pool);
        draw(channel, vole, correlations, started, Some(done))
    };
    let verifier = |channel: &mut Channel| {
        let started = Instant::now();
        let (random, pool) = (&mut Random::from_system()?, Pool::new(threads)?);
        channel.share_work(&pool);
        let mut vole = S::ends().verifier_end(kind, channel, arch, &delta, random)?;
        vole.share_work(&pool);
        draw(channel, vole, correlations, started, None)
    };
    let ((sums_of_macs, macs), (sums_of_keys, keys)) =
        plan.task("correlations", correlations).run(prover, verifier)?;
    if macs.correlations != keys.correlations || !S::relates(&delta, &sums_of_macs, &sums_of_keys) {
        return Err(Failure::new(Fault::Bug, "the two sides' correlations do not belong together"));
    }
    let outcome = Outcome {
        name: plan.name,
        threads: threads.get(),
        field: S::name(),
        choice,
        computational_bits: S::facts().computational_bits(kind, Size::default()),
        macs,
        keys,
        total: plan.started.elapsed(),
    };
    if settings.json {
        print::result(outcome.json(plan.parameters(("gates", correlations))))
    } else {
        print::result(outcome.table())
    }
}

/// The correlations that were asked for; otherwise those on which a handshake would settle over such a link.
fn choose<S: Named>(
    given: Option<Correlations>,
    correlations: u64,
    bandwidth: Option<f64>,
) -> Result<Choice, Failure> {
    if let Some(given) = given {
        return Ok(Choice::given(S::facts().named(given.name())?));
    }
    Ok(Choice::fastest::<S>(correlations, Use::Alone, bandwidth.unwrap_or(LOOPBACK)))
}

/// Draws, and adds up what is drawn.
fn draw<S: Share>(
    channel: &mut Channel,
    mut vole: BoxedVole<S>,
    correlations: u64,
    started: Instant,
    done: Option<&Counter>,
) -> volery::Result<(Shares<S>, Drawn)> {
    let (setup_traffic, begun) = (channel.traffic(), Instant::now());
    let (mut sums, mut block, mut drawn) = (Shares::default(), Shares::default(), 0);
    while drawn < correlations {
        vole.block(channel, &mut block)?;
        sums.fold(&block);
        drawn += block.len() as u64;
        if let Some(done) = done {
            done.now.store(drawn, Ordering::Relaxed);
        }
    }
    let _ = vole.check(channel)?;
    channel.flush()?;
    let drawn = Drawn {
        correlations: drawn,
        traffic: channel.traffic(),
        setup_traffic,
        setup: begun - started,
        online: begun.elapsed(),
    };
    Ok((sums, drawn))
}

/// The figures that are reported.
struct Outcome {
    name: &'static str,
    threads: usize,
    field: String,
    choice: Choice,
    computational_bits: u32,
    macs: Drawn,
    keys: Drawn,
    total: Duration,
}

/// The cost of one correlation, in both directions and by the slower side.
struct Each {
    nanoseconds: f64,
    bits: f64,
}

impl Outcome {
    /// The slower side's set-up, and its draws with their check.
    fn seconds(&self) -> (f64, f64) {
        let (setup, online) = (self.macs.setup.max(self.keys.setup), self.macs.online.max(self.keys.online));
        (setup.as_secs_f64(), online.as_secs_f64())
    }

    fn rate(&self) -> f64 {
        self.macs.correlations as f64 / self.seconds().1
    }

    /// The bytes in both directions, of the set-up and after it.
    fn bytes(&self) -> (u64, u64) {
        let setup = self.macs.setup_traffic.sent + self.keys.setup_traffic.sent;
        (setup, self.macs.traffic.sent + self.keys.traffic.sent - setup)
    }

    fn each(&self, seconds: f64, bytes: u64) -> Each {
        let correlations = self.macs.correlations as f64;
        Each { nanoseconds: 1e9 * seconds / correlations, bits: 8.0 * bytes as f64 / correlations }
    }

    /// The figures after the set-up, and those with it.
    fn marginal_and_whole(&self) -> (Each, Each) {
        let ((setup, online), (setup_bytes, online_bytes)) = (self.seconds(), self.bytes());
        (self.each(online, online_bytes), self.each(setup + online, setup_bytes + online_bytes))
    }

    fn json(&self, parameters: Value) -> Value {
        let ((setup, online), (setup_bytes, online_bytes)) = (self.seconds(), self.bytes());
        let (marginal, whole) = self.marginal_and_whole();
        json!({
            "name": self.name,
            "parameters": parameters,
            "verdict": null,
            "role": null,
            "system": null,
            "field": self.field,
            "vole": self.choice.correlations.name(),
            "vole_reason": self.choice.reason.to_string(),
            "statement": null,
            "gates": {"mul": null, "add": null, "assert": null},
            "inputs": null,
            "correlations": self.macs.correlations,
            "bytes": {"sent": self.macs.traffic.sent, "received": self.keys.traffic.sent},
            "setup_bytes": setup_bytes,
            "online_bytes": online_bytes,
            "bytes_per_correlation": marginal.bits / 8.0,
            "bits_per_correlation": marginal.bits,
            "nanoseconds_per_correlation": marginal.nanoseconds,
            "with_setup": {
                "bits_per_correlation": whole.bits,
                "nanoseconds_per_correlation": whole.nanoseconds,
            },
            "rounds": self.keys.traffic.rounds,
            "seconds": {"setup": setup, "online": online, "total": self.total.as_secs_f64()},
            "mul_gates_per_second": null,
            "correlations_per_second": self.rate(),
            "peak_rss_bytes": peak_rss(),
            "threads": self.threads,
            "security": {
                "computational_bits": self.computational_bits,
                "statistical_bits": null,
            },
            "runs": [{"setup": setup, "online": online}],
        })
    }

    fn table(&self) -> String {
        let ((setup, online), (setup_bytes, _)) = (self.seconds(), self.bytes());
        let (marginal, whole) = self.marginal_and_whole();
        table(&[
            (
                "drawn",
                format!("{} correlations over {}, checked", count(self.macs.correlations as f64), self.field),
            ),
            ("role", "both, one thread each".into()),
            ("correlations", format!("{}, {}", self.choice.correlations, self.choice.reason)),
            (
                "traffic",
                format!(
                    "{}B prover to verifier, {}B verifier to prover, {}B of both in the set-up",
                    human(self.macs.traffic.sent as f64),
                    human(self.keys.traffic.sent as f64),
                    human(setup_bytes as f64)
                ),
            ),
            (
                "time",
                format!(
                    "{} set-up, {} online, {} in all",
                    seconds(setup),
                    seconds(online),
                    seconds(self.total.as_secs_f64())
                ),
            ),
            (
                "each",
                format!(
                    "{:.1} ns and {:.3} bits after the set-up, {:.1} ns and {:.3} bits with it",
                    marginal.nanoseconds, marginal.bits, whole.nanoseconds, whole.bits
                ),
            ),
            ("speed", format!("{} correlations/s", count(self.rate()))),
            ("memory", peak_rss().map_or("-".into(), |bytes| format!("{}B at most", human(bytes as f64)))),
            ("security", format!("{} bits computational", self.computational_bits)),
        ])
    }
}
