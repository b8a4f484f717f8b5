//! Runs whose shards prove nothing, but say what a session is bound to.

mod runs;
mod schedules;
mod shards;
