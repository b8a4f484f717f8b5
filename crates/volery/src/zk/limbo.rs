//! Limbo.
pub mod parameters;
