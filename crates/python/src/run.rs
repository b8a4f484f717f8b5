//! Objects that a Python function has in hand while it runs: the run, its values, and their kinds.

mod inputs;
pub(crate) mod map;
pub(crate) mod pass;
pub(crate) mod shard;
pub(crate) mod types;
pub(crate) mod wire;
