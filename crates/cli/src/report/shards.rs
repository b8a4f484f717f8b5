//! A proof in shards, as one proof with figures for each shard.

use super::Outcome;
use crate::print::hex;
use crate::settings::Settings;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use volery::channel::Party;
use volery::{Gates, Report, Security, System};
use volery_cluster::{Figures, Outcome as Ran, ShardOutcome};

impl Outcome {
    /// The outcome of a run in shards that was accepted. `worth` is its statistical security in bits, where a
    /// verifier has computed it; a prover knows what each shard is worth, less the run's share. The set-up is
    /// the time `before` the coordinators had a link.
    pub fn of_shards(
        settings: &Settings,
        party: Party,
        ran: &Ran,
        worth: Option<u32>,
        (started, before): (Instant, Duration),
    ) -> Self {
        let sum = |of: fn(&Figures) -> u64| ran.shards.iter().map(|shard| of(&shard.figures)).sum::<u64>();
        let least = |of: fn(&Figures) -> u64| ran.shards.iter().map(|shard| of(&shard.figures)).min();
        let least = |of| least(of).unwrap_or(0) as u32;
        let mut traffic = ran.traffic;
        traffic.sent += sum(|of| of.sent);
        traffic.received += sum(|of| of.received);
        traffic.rounds += sum(|of| of.rounds);
        let report = Report {
            statement: ran.statement,
            system: System::QUICKSILVER,
            gates: Gates {
                inputs: sum(|of| of.inputs),
                mul: sum(|of| of.mul),
                add: sum(|of| of.add),
                assert: sum(|of| of.assert),
                ..Gates::default()
            },
            choice: None,
            details: None,
            security: Security {
                computational: least(|of| of.computational),
                statistical: worth.unwrap_or(least(|of| of.statistical)),
            },
            traffic,
            setup_traffic: Default::default(),
            setup: before,
            online: ran.elapsed,
        };
        let mut outcome = Self::new(settings, Some(party), &[report], started);
        outcome.more("run", json!(hex(&ran.run)), hex(&ran.run));
        outcome
    }
}

/// The figures of a shard, by the names of those of a proof.
pub fn figures(of: &Figures) -> Value {
    json!({
        "gates": {"mul": of.mul, "add": of.add, "assert": of.assert},
        "inputs": of.inputs,
        "bytes": {"sent": of.sent, "received": of.received},
        "setup_bytes": of.setup_bytes,
        "rounds": of.rounds,
        "seconds": {"setup": of.setup as f64 / 1e9, "online": of.online as f64 / 1e9},
        "peak_rss_bytes": Some(of.peak).filter(|peak| *peak > 0),
        "security": {"computational_bits": of.computational, "statistical_bits": of.statistical},
    })
}

/// The shards of a run in order, each with its number, its attempts and its figures.
pub fn listed(shards: &[ShardOutcome]) -> Value {
    let one = |(shard, of): (usize, &ShardOutcome)| {
        let Value::Object(figures) = figures(&of.figures) else { unreachable!("an object") };
        let mut object = serde_json::Map::new();
        object.insert("shard".into(), json!(shard));
        object.insert("attempts".into(), json!(of.attempts));
        object.extend(figures);
        Value::Object(object)
    };
    Value::Array(shards.iter().enumerate().map(one).collect())
}
