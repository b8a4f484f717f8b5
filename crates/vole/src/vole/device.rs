//! Devices that grow trees and expand shares in memory of their own, as a graphics processor does: of bits, and of elements
//! of the field of 2^61 − 1 under MACs of the same, whose trees the processor grows.
//!
//! A device grows the trees of an iteration, and weighs their leaves for the check, while the thread that speaks to the peer
//! sends or takes up their corrections ([`Growing`]). Whoever draws from the iteration then gets, in the place of rows, a
//! [`Tile`]: by what the device [holds](Growing::hold) of it, and a number, the device makes the same rows. All messages and
//! challenges stay with that thread.

use super::lpn::Params;
use core::any::Any;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_primitives::F128;
use volery_primitives::prg::Seed;
use zeroize::Zeroizing;

/// A device that expands tiles.
pub trait Expander: Send + Sync {
    /// Begins to grow trees over F_2.
    ///
    /// # Errors
    /// `Device` where the device fails, or has no memory for them.
    fn grow(&self, forest: &Forest<'_>) -> Result<Box<dyn Growing>>;

    /// Takes what an iteration over 2^61 − 1 is expanded from.
    ///
    /// # Errors
    /// As for [`Expander::grow`].
    fn hold_elements(&self, origin: &OriginOfElements) -> Result<Arc<dyn Held>>;
}

/// The trees of an iteration over F_2 as one party has them, with what is public of them.
pub struct Forest<'a> {
    /// The numbers of the set.
    pub params: Params,
    /// The public key of the keys of the trees' hashes.
    pub key: F128,
    /// The secrets that the trees grow from.
    pub trees: Trees<'a>,
}

/// The secrets that the trees of one party grow from.
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
    /// A prover's, whose siblings are not known yet: they follow from [sums](Growing::open).
    Closed,
}

/// Trees that grow on a device. Where their corrections were made before, all of them have grown. What is secret of them is
/// wiped where this is dropped. Errors are `Device`.
pub trait Growing: Send {
    /// Waits for the sum of the left nodes of each level of each tree, of all tiles, at a verifier: level by level, tree by
    /// tree.
    ///
    /// # Errors
    /// See the trait.
    fn sums(&mut self) -> Result<Zeroizing<Vec<F128>>>;

    /// Grows the next tiles, at a prover: `sums` has for each level of each tree the sum of the nodes on the side of the
    /// sibling, and `sides` these sides, as [`Trees::Paths`] has them.
    ///
    /// # Errors
    /// See the trait.
    fn open(&mut self, sums: &[F128], sides: &[u32]) -> Result<()>;

    /// Weighs the next tiles, whose coefficients come from a seed each.
    ///
    /// # Errors
    /// See the trait.
    fn weigh(&mut self, seeds: &[Seed]) -> Result<()>;

    /// Waits for the sums of the check, once all tiles are weighed.
    ///
    /// # Errors
    /// See the trait.
    fn weighed(&mut self) -> Result<Weighed>;

    /// Takes the code whose encoded secret is added to the leaves: the public key of its matrix, and the shares of the secret.
    ///
    /// # Errors
    /// See the trait.
    fn hold(self: Box<Self>, matrix: F128, table: &[F128]) -> Result<Arc<dyn Held>>;
}

/// The leaves of an iteration, weighed.
pub struct Weighed {
    /// The sum of all leaves times their coefficients.
    pub leaves: Zeroizing<F128>,
    /// The sum of the coefficients of leaves whose bit 0 is one.
    pub values: Zeroizing<F128>,
    /// The siblings as [`Trees::Paths`] has them, at a prover.
    pub siblings: Zeroizing<Vec<F128>>,
}

/// An iteration as a device holds it. What is secret of it is wiped where this is dropped.
pub trait Held: Any + Send + Sync {
    /// Begins to expand the tiles with these numbers for the processor, if the device does so.
    ///
    /// # Errors
    /// `Device`.
    fn begin_rows(&self, _numbers: &[usize]) -> Result<Option<Box<dyn Expanding>>> {
        Ok(None)
    }
}

/// Rows of bits on their way from a device.
pub trait Expanding: Send {
    /// Waits for them, and hands them out piece by piece.
    ///
    /// # Errors
    /// `Device`.
    fn wait(self: Box<Self>, take: &mut dyn FnMut(&[F128])) -> Result<()>;
}

/// The values that an iteration over 2^61 − 1 is expanded from: its rows are leaves of trees, to which the encoded secret is
/// added. An element is the integer below 2^61 − 1.
pub struct OriginOfElements<'a> {
    /// The numbers of the set.
    pub params: Params,
    /// The public key of the code's matrix.
    pub matrix: F128,
    /// The secret of the code: a verifier's keys, or a prover's values, each before its MAC.
    pub table: &'a [u64],
    /// The public key of the keys of the trees' hashes.
    pub forest: F128,
    /// The trees, as one party has them.
    pub trees: TreesOfElements<'a>,
}

/// The trees of one party, whose last level has leaves of its own.
pub enum TreesOfElements<'a> {
    /// A verifier's, all of whose roots follow from a seed.
    Roots {
        /// The secret key of the cipher that roots come from.
        seed: &'a F128,
        /// The first value of its counter.
        salt: u64,
        /// The sum of each level but the last.
        offset: &'a F128,
    },
    /// A prover's, which lack a path each.
    Paths {
        /// The siblings of the paths, level by level but for the last, tree by tree, of each tile.
        siblings: &'a [F128],
        /// The sides of the siblings of each tree; bit i-1 for level i.
        sides: &'a [u32],
        /// The values and MACs that are added to the left and the right leaf at the end of each path.
        ends: &'a [u64],
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
