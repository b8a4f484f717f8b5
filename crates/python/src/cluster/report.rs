//! What a run in shards is reported as: the object of a proof, with one for each shard.

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use volery::channel::Party;
use volery::cluster::{Figures, News, Outcome as Ran, ShardOutcome};
use volery::{Details, Gates, Report, Security, System};
use volery_cli::print::hex;
use volery_cli::report::Outcome;
use volery_cli::settings::Settings;

/// The object of a run that was accepted, by the names of the command line's. `worth` is its statistical
/// security in bits where a verifier has computed it; a prover knows the least of its shards, each less the
/// share of the run. Set-up is what came `before` the coordinators had a link.
pub(super) fn of_run(
    ran: &Ran,
    (party, settings): (Party, &Settings),
    worth: Option<u32>,
    (started, before, warnings): (Instant, Duration, Vec<String>),
) -> Value {
    let sum = |of: fn(&Figures) -> u64| ran.shards.iter().map(|shard| of(&shard.figures)).sum::<u64>();
    let least =
        |of: fn(&Figures) -> u64| ran.shards.iter().map(|shard| of(&shard.figures)).min().unwrap_or(0) as u32;
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
        details: Details::None,
        security: Security {
            computational: least(|of| of.computational),
            statistical: worth.unwrap_or(least(|of| of.statistical)),
        },
        traffic,
        setup_traffic: Default::default(),
        setup: before,
        online: ran.elapsed,
    };
    let mut outcome = Outcome::new(settings, Some(party), &[report], started);
    outcome.warnings = warnings;
    outcome.more("run", json!(hex(&ran.run)), String::new());
    outcome.more("restarts", json!(ran.restarts), String::new());
    let listed: Vec<_> = ran.shards.iter().enumerate().map(|(shard, of)| of_shard(shard, of)).collect();
    outcome.more("shards", Value::Array(listed), String::new());
    outcome.json()
}

fn of_shard(shard: usize, of: &ShardOutcome) -> Value {
    let Value::Object(mut object) = of_figures(&of.figures) else { unreachable!("an object") };
    object.insert("shard".into(), json!(shard));
    object.insert("attempts".into(), json!(of.attempts));
    Value::Object(object)
}

fn of_figures(of: &Figures) -> Value {
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

/// What happens in a run, as an object whose `event` says what it is.
pub(super) fn of_news(news: &News) -> Value {
    match news {
        News::Agreed { run } => json!({"event": "agreed", "run": hex(run)}),
        News::Joined { shard } => json!({"event": "joined", "shard": shard}),
        News::TurnedAway { why } => json!({"event": "turned_away", "why": why}),
        News::Open { shard, attempt } => json!({"event": "open", "shard": shard, "attempt": attempt}),
        News::Begun { shard, attempt } => json!({"event": "begun", "shard": shard, "attempt": attempt}),
        News::Working { shard, gates } => json!({"event": "working", "shard": shard, "gates": gates}),
        News::Lost { shard, attempt, why } => {
            json!({"event": "lost", "shard": shard, "attempt": attempt, "why": why})
        }
        News::Accepted { shard, figures } => {
            json!({"event": "accepted", "shard": shard, "figures": of_figures(figures)})
        }
        _ => json!({"event": "other"}),
    }
}
