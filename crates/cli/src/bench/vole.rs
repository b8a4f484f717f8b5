//! `volery bench vole-f2`: correlations drawn on both sides, and nothing else.
//!
//! There is no handshake; set-up, checks and refills are those of a proof. Each side adds what it draws up to a few
//! shares, and those of the two sides must belong together at the end.

use super::Plan;
use crate::failure::{Failure, Fault, Result};
use crate::print::{self, count, human, seconds};
use crate::progress::Counter;
use crate::report::{peak_rss, table};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use volery::channel::{Channel, Traffic};
use volery::random::Random;
use volery::vole::{BoxedVole, Delta, Key, Mac, Share, Shares};
use volery::{Binary, Choice, Correlations, F2, Field, Reason, Setting};

/// What auto takes loopback for, in Mbit/s: nothing is measured without a handshake.
const LOOPBACK: f64 = 10_000.0;

/// What one side did.
struct Drawn<S: Share> {
    sums: Shares<S>,
    correlations: u64,
    traffic: Traffic,
    setup_traffic: Traffic,
    setup: Duration,
    online: Duration,
}

/// Draws so many correlations, or up to a block more.
pub(super) fn f2(plan: &Plan, correlations: u64) -> Result<()> {
    if correlations == 0 {
        return Err(Failure::usage("bench vole-f2: 0 correlations: choose 1 or more"));
    }
    let settings = &plan.settings;
    let choice = choose(settings.correlations, correlations, settings.bandwidth);
    let (kind, arch) = (choice.correlations, settings.arch);
    let delta = Delta::random(&mut Random::from_system()?);
    let prover = |channel: &mut Channel, done: &Counter| {
        let started = Instant::now();
        let random = &mut Random::from_system()?;
        let vole = Binary::prover_end(kind, channel, arch, random)?;
        draw(channel, vole, correlations, started, Some(done))
    };
    let verifier = |channel: &mut Channel| {
        let started = Instant::now();
        let random = &mut Random::from_system()?;
        let vole = Binary::verifier_end(kind, channel, arch, &delta, random)?;
        draw(channel, vole, correlations, started, None)
    };
    let (macs, keys) = plan.task("correlations", correlations).run(prover, verifier)?;
    if macs.correlations != keys.correlations || !delta.relates(&macs.sums, &keys.sums) {
        return Err(Failure::new(Fault::Bug, "the two sides' correlations do not belong together"));
    }
    let outcome = Outcome { choice, macs, keys, total: plan.started.elapsed() };
    if settings.json {
        print::result(outcome.json(plan.parameters(("gates", correlations))))
    } else {
        print::result(outcome.table())
    }
}

/// What was asked for; otherwise what a handshake would settle on over such a link.
fn choose(given: Option<Correlations>, correlations: u64, bandwidth: Option<f64>) -> Choice {
    if let Some(correlations) = given {
        return Choice { correlations, reason: Reason::Given };
    }
    Choice::fastest::<Binary>(correlations, bandwidth.unwrap_or(LOOPBACK))
}

fn draw<S: Share>(
    channel: &mut Channel,
    mut vole: BoxedVole<S>,
    correlations: u64,
    started: Instant,
    done: Option<&Counter>,
) -> volery::Result<Drawn<S>> {
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
    Ok(Drawn {
        sums,
        correlations: drawn,
        traffic: channel.traffic(),
        setup_traffic,
        setup: begun - started,
        online: begun.elapsed(),
    })
}

/// What is reported.
struct Outcome {
    choice: Choice,
    macs: Drawn<Mac>,
    keys: Drawn<Key>,
    total: Duration,
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

    /// In both directions, after the set-up.
    fn online_bytes(&self) -> u64 {
        let (sent, received) = (&self.macs, &self.keys);
        sent.traffic.sent - sent.setup_traffic.sent + received.traffic.sent - received.setup_traffic.sent
    }

    fn bytes_each(&self) -> f64 {
        self.online_bytes() as f64 / self.macs.correlations as f64
    }

    fn json(&self, parameters: Value) -> Value {
        let (setup, online) = self.seconds();
        json!({
            "name": "vole-f2",
            "parameters": parameters,
            "verdict": null,
            "role": null,
            "system": null,
            "field": F2::NAME,
            "vole": self.choice.correlations.name(),
            "vole_reason": self.choice.reason.to_string(),
            "statement": null,
            "gates": {"mul": null, "add": null, "assert": null},
            "inputs": null,
            "correlations": self.macs.correlations,
            "bytes": {"sent": self.macs.traffic.sent, "received": self.keys.traffic.sent},
            "online_bytes": self.online_bytes(),
            "bytes_per_correlation": self.bytes_each(),
            "rounds": self.keys.traffic.rounds,
            "seconds": {"setup": setup, "online": online, "total": self.total.as_secs_f64()},
            "mul_gates_per_second": null,
            "correlations_per_second": self.rate(),
            "peak_rss_bytes": peak_rss(),
            "threads": 1,
            "security": {
                "computational_bits": Binary::computational_bits(self.choice.correlations),
                "statistical_bits": null,
            },
            "runs": [{"setup": setup, "online": online}],
        })
    }

    fn table(&self) -> String {
        let (setup, online) = self.seconds();
        let traffic = format!(
            "{}B prover to verifier, {}B verifier to prover, {:.3} bytes for each correlation after set-up",
            human(self.macs.traffic.sent as f64),
            human(self.keys.traffic.sent as f64),
            self.bytes_each()
        );
        table(&[
            (
                "drawn",
                format!("{} correlations over {}, checked", count(self.macs.correlations as f64), F2::NAME),
            ),
            ("role", "both, one thread each".into()),
            ("correlations", format!("{}, {}", self.choice.correlations, self.choice.reason)),
            ("traffic", traffic),
            (
                "time",
                format!(
                    "{} set-up, {} online, {} in all",
                    seconds(setup),
                    seconds(online),
                    seconds(self.total.as_secs_f64())
                ),
            ),
            ("speed", format!("{} correlations/s", count(self.rate()))),
            ("memory", peak_rss().map_or("-".into(), |bytes| format!("{}B at most", human(bytes as f64)))),
            (
                "security",
                format!("{} bits computational", Binary::computational_bits(self.choice.correlations)),
            ),
        ])
    }
}
