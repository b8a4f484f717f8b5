//! Events of a run in shards, as Python receives them.

use serde_json::{Value, json};
use volery_cli::print::hex;
use volery_cli::report::shards::figures;
use volery_cluster::News;

/// An event of a run, as an object whose `event` says what it is.
pub(super) fn of(news: &News) -> Value {
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
        News::Accepted { shard, figures: of } => {
            json!({"event": "accepted", "shard": shard, "figures": figures(of)})
        }
        _ => json!({"event": "other"}),
    }
}
