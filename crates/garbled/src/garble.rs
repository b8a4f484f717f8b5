//! Garbled circuits: a program under keys that its garbler alone knows.
//!
//! [`privacy_free`] garbles and evaluates, gate by gate; the [`material`] that a garbled circuit consists of
//! flows between the two in pieces. All that a garbler does follows from a [`Secret`], so that it can be done
//! once more by whoever is told that secret; and [`seeds`] hands out the secrets of all clauses but one. What
//! the two parties say to one another when all is garbled is in [`exchange`].

pub mod exchange;
pub mod labels;
pub mod material;
pub mod privacy_free;
pub mod seeds;

mod secret;
#[cfg(test)]
pub mod trial;

pub use secret::{Key, Secret, Session};

use volery_channel::channel::Carried;
use volery_vole::ot::committing;

/// Bytes of a proof by so many transfers and ANDs, but for the verdict: up to its first gate, and from there
/// on.
pub fn traffic(transfers: u64, ands: u64) -> [Carried; 2] {
    let [set_up, messages] = committing::traffic(transfers);
    // The salt of gates and labels, and the material.
    let garbled = Carried::by_verifier(16) + Carried::by_verifier(16) * ands;
    [set_up, messages + garbled + exchange::TRAFFIC]
}
