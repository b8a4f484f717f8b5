//! The base shares of an iteration, from which it is extended.

use super::super::lpn::{CHECK_MASKS, Params, noise};
use volery_primitives::arch::advise_huge_pages;
use volery_primitives::{F128, Field};
use zeroize::{DefaultIsZeroes, Zeroize, Zeroizing};

/// How many shares and transfers an iteration takes.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    pub(in crate::vole) params: Params,
    /// The shares that mask the check.
    masks: usize,
    /// The shares of each tree.
    shares: usize,
    /// The transfers of each tree, under an offset of their own.
    transfers: usize,
}

impl Start {
    /// The start over F_2: a share for each level of each tree, whose bit says where the path turns.
    pub(super) fn bits(params: Params) -> Self {
        Self { params, masks: CHECK_MASKS, shares: params.depth, transfers: 0 }
    }

    /// The start where trees are walked by transfers, with MACs of this degree: a share for each tree, which is its
    /// noise, or none where that is one.
    pub(in crate::vole) fn over<B: Field>(params: Params, degree: usize) -> Self {
        Self { params, masks: degree, shares: noise::<B>(), transfers: params.depth }
    }

    /// M, the number of shares.
    pub(in crate::vole) fn consumed(self) -> usize {
        self.params.secret + self.masks + self.shares * self.params.trees
    }
}

/// The shares and transfers from which an iteration starts, in the order in which they are used.
pub struct Base<R: DefaultIsZeroes> {
    pub(in crate::vole) start: Start,
    shares: Zeroizing<Vec<R>>,
    transfers: Zeroizing<Vec<F128>>,
}

impl<R: DefaultIsZeroes> Base<R> {
    /// A base with no shares yet.
    pub(in crate::vole) fn new(start: Start) -> Self {
        let transfers = Zeroizing::new(Vec::with_capacity(start.transfers * start.params.trees));
        Self { start, shares: Zeroizing::default(), transfers }
    }

    /// Takes over memory of an earlier iteration, while this base is empty.
    pub(in crate::vole) fn reuse(&mut self, mut memory: Zeroizing<Vec<R>>) {
        memory.zeroize();
        self.shares = memory;
    }

    /// Takes the shares that are still missing from `shares`, and says whether all are there.
    pub(in crate::vole) fn collect(&mut self, shares: &[R]) -> bool {
        if self.shares.capacity() < self.start.consumed() {
            // Nothing is there yet: what has to move would leave a copy behind.
            self.shares = Zeroizing::new(Vec::with_capacity(self.start.consumed()));
            advise_huge_pages(&mut self.shares);
        }
        let missing = self.start.consumed() - self.shares.len();
        self.shares.extend_from_slice(&shares[..missing.min(shares.len())]);
        self.is_full()
    }

    /// Whether all shares are there.
    pub(in crate::vole) fn is_full(&self) -> bool {
        self.shares.len() == self.start.consumed()
    }

    /// Takes the transfers that are still missing from `transfers`, and says whether all are there.
    pub(in crate::vole) fn collect_transfers(&mut self, transfers: &[F128]) -> bool {
        let missing = self.start.transfers * self.start.params.trees - self.transfers.len();
        self.transfers.extend_from_slice(&transfers[..missing.min(transfers.len())]);
        self.has_transfers()
    }

    /// Whether all transfers are there.
    pub(in crate::vole) fn has_transfers(&self) -> bool {
        self.transfers.len() == self.start.transfers * self.start.params.trees
    }

    /// The masks of the check.
    pub(in crate::vole) fn masks(&self) -> &[R] {
        &self.shares[self.start.params.secret..][..self.start.masks]
    }

    /// The shares of a tile's trees.
    pub(in crate::vole) fn shares(&self, tile: usize) -> &[R] {
        let length = self.start.shares * self.start.params.trees_per_tile();
        &self.shares[self.start.params.secret + self.start.masks + length * tile..][..length]
    }

    /// The transfers behind the corrections of a tile, level by level.
    pub(in crate::vole) fn transfers(&self, tile: usize) -> &[F128] {
        let length = self.start.transfers * self.start.params.trees_per_tile();
        &self.transfers[length * tile..][..length]
    }

    /// The shares of the secret. All others are used up once the trees are checked.
    pub(in crate::vole) fn into_table(mut self) -> Zeroizing<Vec<R>> {
        self.shares[self.start.params.secret..].zeroize();
        self.shares.truncate(self.start.params.secret);
        self.shares
    }
}
