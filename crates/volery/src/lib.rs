//! volery: zero-knowledge proofs that stream.
#![forbid(unsafe_code)]

pub mod circuit;
pub mod error;

pub use error::{Error, Result};
