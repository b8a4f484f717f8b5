//! Files of other tools: circuits, netlists, constraint systems and relations.
//!
//! Each is read as a stream, from bytes that nobody trusts, and pushes its gates into a
//! [`Backend`](volery_circuit::Backend) or a recorder; [`Export`] writes a circuit as one of them, and
//! [`Format`] tells which of them a file is. This crate promises nothing to others: use `volery`.
#![forbid(unsafe_code)]

mod aiger;
mod blif;
mod bristol;
mod export;
mod file;
mod format;
mod netlist;
mod r1cs;
mod sieve;
mod written;

pub use bristol::{Bristol, Dialect, PortBit};
pub use export::{Export, Order};
pub use file::experimental;
pub use format::Format;
pub use netlist::{Initial, Netlist, NetlistOptions, Pin, PinBit};
pub use r1cs::{R1cs, R1csShape, R1csWitness, public_json};
pub use sieve::{Sieve, SieveOfTwo, SieveStated, SieveStream, StreamKind};

/// Files that tests make up.
#[doc(hidden)]
pub mod testing {
    pub use crate::netlist::made::Aig;
}
