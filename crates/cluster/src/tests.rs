//! Whole runs: of shards that prove nothing, but say what a session is bound to, and of statements.

mod runs;
mod schedules;
mod shards;
mod work;
