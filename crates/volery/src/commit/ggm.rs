//! Trees of Goldreich, Goldwasser and Micali: a node is hashed into its two children.
//!
//! Who knows the root knows all leaves; who knows, of each level, the sum of the nodes on the side of the path's sibling
//! knows all leaves but the one at the end of the path. Levels count from the root, whose level is 0, and level j follows
//! bit depth−j of the place of the leaf, so that leaf y is the y-th from the left.

use subtle::{ConditionallySelectable, ConstantTimeEq};
use volery_primitives::F128;
use volery_primitives::hash::Keyed;
use zeroize::Zeroizing;

/// The hash of the nodes of one tree among several of a session.
pub(crate) struct Tree {
    hash: Keyed,
    index: u32,
}

impl Tree {
    /// Tree number `index` of the session `sid`.
    pub(crate) fn new(sid: [u8; 32], index: usize) -> Self {
        Self { hash: Keyed::new(sid), index: index as u32 }
    }

    /// `N` bytes of the hash of a node at `level`.
    pub(super) fn hash<const N: usize>(&self, level: usize, node: F128) -> [u8; N] {
        let mut input = [0; 32];
        input[..16].copy_from_slice(&node.to_bytes());
        input[16..20].copy_from_slice(&self.index.to_le_bytes());
        input[20..24].copy_from_slice(&(level as u32).to_le_bytes());
        self.hash.hash(&input)
    }

    /// The children of the nodes of `level`, twice as many.
    pub(crate) fn children(&self, level: usize, nodes: &[F128]) -> Zeroizing<Vec<F128>> {
        let mut children = Zeroizing::new(Vec::with_capacity(2 * nodes.len()));
        for &node in nodes {
            let pair: [u8; 32] = self.hash(level, node);
            children.extend(pair.as_chunks().0.iter().map(|half| F128::from_bytes(*half)));
        }
        children
    }

    /// The leaves but for that at `hole`, where any value stands. `sums` has for each level from 1 on the sum of the nodes
    /// on the side of the sibling of the path to `hole`. Time does not depend on `hole`.
    pub(crate) fn punctured(&self, sums: &[F128], hole: u64) -> Zeroizing<Vec<F128>> {
        // The path so far: the hole among the nodes of this level.
        let mut path = 0;
        let mut nodes = Zeroizing::new(vec![F128::default()]);
        for (level, &sum) in (1..).zip(sums) {
            let mut children = self.children(level - 1, &nodes);
            let turn = hole >> (sums.len() - level) & 1;
            let sibling = 2 * path + (1 - turn);
            // Without the children of the hole, which are not those of the tree.
            let mut sum = sum;
            for (x, &child) in children.iter().enumerate() {
                let counts = (x as u64 & 1).ct_ne(&turn) & (x as u64 / 2).ct_ne(&path);
                sum.0.conditional_assign(&(sum ^ child).0, counts);
            }
            for (x, child) in children.iter_mut().enumerate() {
                child.0.conditional_assign(&sum.0, (x as u64).ct_eq(&sibling));
            }
            path = 2 * path + turn;
            nodes = children;
        }
        nodes
    }
}

/// The xor of the nodes at even or odd places.
pub(crate) fn side(nodes: &[F128], side: usize) -> F128 {
    nodes.iter().skip(side).step_by(2).fold(F128::default(), |sum, &node| sum ^ node)
}
