//! Devices that expand shares of bits in memory of their own, as a graphics processor does.
//!
//! Whoever draws from an iteration gets, in the place of rows, a [`Tile`]: by what the device [holds](Expander::hold)
//! of the iteration, and a number, the device makes the same rows. All messages stay with the thread that draws, and so
//! does the growing of trees whose corrections are to be sent or taken up.

use super::lpn::Params;
use core::any::Any;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_primitives::F128;

/// A device that expands tiles.
pub trait Expander: Send + Sync {
    /// Takes what an iteration over F_2 is expanded from.
    ///
    /// # Errors
    /// `Device` where the device fails, or has no memory for it.
    fn hold(&self, origin: &Origin) -> Result<Arc<dyn Held>>;
}

/// An iteration as a device holds it. What is secret of it is wiped where this is dropped.
pub trait Held: Any + Send + Sync {}

/// The values that an iteration over F_2 is expanded from: its rows are leaves of trees, to which the encoded secret is
/// added.
pub struct Origin<'a> {
    /// The numbers of the set.
    pub params: Params,
    /// The public key of the code's matrix.
    pub matrix: F128,
    /// The secret of the code.
    pub table: &'a [F128],
    /// The public key of the keys of the trees' hashes.
    pub forest: F128,
    /// The trees, as one party has them.
    pub trees: Trees<'a>,
}

/// The trees of one party.
pub enum Trees<'a> {
    /// A verifier's, all of whose roots follow from a seed.
    Roots {
        /// The secret key of the cipher that roots come from.
        seed: &'a F128,
        /// The first value of its counter.
        salt: u64,
        /// The sum of each level.
        delta: &'a F128,
    },
    /// A prover's, which lack a path each.
    Paths {
        /// The siblings of the paths and the leaves at their ends, of each tile: level by level, tree by tree.
        siblings: &'a [F128],
        /// The sides of the siblings of each tree; bit i-1 for level i.
        sides: &'a [u32],
    },
}

/// A tile of an iteration: [`TILE`](super::lpn::TILE) shares in a row.
#[derive(Clone)]
pub struct Tile {
    /// The iteration.
    pub held: Arc<dyn Held>,
    /// The number of the tile in it.
    pub number: usize,
}
