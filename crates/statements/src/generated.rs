//! Circuits that are computed from a number or a seed, and one that is several copies of another.

mod arithmetic;
mod network;
mod parts;

pub use arithmetic::Arithmetic;
pub use network::Network;
pub use parts::{Parts, Reversible, Turned};
