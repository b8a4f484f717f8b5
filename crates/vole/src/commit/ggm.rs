//! Trees of Goldreich, Goldwasser and Micali: a node is hashed into its two children.
//!
//! Two ways to give away all leaves but one: by sums, to somebody whose leaf is not known
//! ([`Tree::punctured`], behind transfers), and by siblings, where all may know which it
//! is ([`Tree::opened`]).
//!
//! Who knows the root knows all leaves; who knows, of each level, the sum of the nodes on the side of
//! the path's sibling knows all leaves but the one at the end of the path. Levels count from the
//! root, whose level is 0, and level j follows bit depth−j of the place of the leaf, so that leaf y
//! is the y-th from the left.

use subtle::{ConditionallySelectable, ConstantTimeEq};
use volery_primitives::F128;
use volery_primitives::hash::Keyed;
use zeroize::Zeroizing;

/// The hash of the nodes of one tree among several of a session.
pub struct Tree {
    hash: Keyed,
    index: u32,
}

impl Tree {
    /// Tree number `index` of the session `sid`.
    pub fn new(sid: [u8; 32], index: usize) -> Self {
        Self { hash: Keyed::new(sid), index: index as u32 }
    }

    /// `N` bytes of the hash of a node at `level`.
    pub(crate) fn hash<const N: usize>(&self, level: usize, node: F128) -> [u8; N] {
        let mut input = [0; 32];
        input[..16].copy_from_slice(&node.to_bytes());
        input[16..20].copy_from_slice(&self.index.to_le_bytes());
        input[20..24].copy_from_slice(&(level as u32).to_le_bytes());
        self.hash.hash(&input)
    }

    /// The children of the nodes of `level`, twice as many.
    pub fn children(&self, level: usize, nodes: &[F128]) -> Zeroizing<Vec<F128>> {
        let mut children = Zeroizing::new(Vec::with_capacity(2 * nodes.len()));
        for &node in nodes {
            let pair: [u8; 32] = self.hash(level, node);
            children.extend(pair.as_chunks().0.iter().map(|half| F128::from_bytes(*half)));
        }
        children
    }

    /// All leaves but the one at `hole`, where an arbitrary value stands. `sums` holds, for each level from 1
    /// on, the sum of the nodes on the side of the sibling of the path to `hole`. Time does not depend on
    /// `hole`.
    pub fn punctured(&self, sums: &[F128], hole: u64) -> Zeroizing<Vec<F128>> {
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

    /// The nodes that give away all leaves under `root` at `depth` but that at `hidden`: for each level from
    /// 1 on the sibling of its ancestor.
    pub fn siblings(&self, root: F128, depth: usize, hidden: u64) -> Vec<F128> {
        let mut nodes = Zeroizing::new(vec![root]);
        let sibling = |level: usize| (hidden >> (depth - level)) as usize ^ 1;
        let levels = (1..=depth).map(|level| {
            nodes = self.children(level - 1, &nodes);
            nodes[sibling(level)]
        });
        levels.collect()
    }

    /// The leaves under `root` at `depth`.
    pub fn leaves(&self, root: F128, depth: usize) -> Zeroizing<Vec<F128>> {
        (0..depth).fold(Zeroizing::new(vec![root]), |nodes, level| self.children(level, &nodes))
    }

    /// The leaves that `siblings`, one for each level, give away. Place `hidden`, which is public, holds
    /// zero.
    pub fn opened(&self, siblings: &[F128], hidden: u64) -> Zeroizing<Vec<F128>> {
        let mut nodes = Zeroizing::new(vec![F128::default()]);
        for (level, &sibling) in (1..).zip(siblings) {
            nodes = self.children(level - 1, &nodes);
            let path = (hidden >> (siblings.len() - level)) as usize;
            (nodes[path], nodes[path ^ 1]) = (F128::default(), sibling);
        }
        nodes
    }

    /// The commitment to a leaf at `depth`, binding and hiding, and key material. To a party that does not
    /// know the leaf the two are independent.
    pub fn leaf(&self, depth: usize, leaf: F128) -> ([u8; 32], Zeroizing<[u8; 32]>) {
        let both: [u8; 64] = self.hash(depth, leaf);
        let both = Zeroizing::new(both);
        let (commitment, key) = both.split_at(32);
        (commitment.try_into().expect("32 bytes"), Zeroizing::new(key.try_into().expect("32 bytes")))
    }
}

/// The xor of the nodes at even or odd places.
pub fn side(nodes: &[F128], side: usize) -> F128 {
    nodes.iter().skip(side).step_by(2).fold(F128::default(), |sum, &node| sum ^ node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn siblings_open_all_leaves_but_one() {
        let tree = Tree::new([7; 32], 3);
        for depth in [1, 2, 5] {
            let leaves = tree.leaves(F128(99), depth);
            assert_eq!(leaves.len(), 1 << depth);
            for hidden in 0..1 << depth {
                let siblings = tree.siblings(F128(99), depth, hidden);
                assert_eq!(siblings.len(), depth);
                let mut expected = leaves.to_vec();
                expected[hidden as usize] = F128::default();
                assert_eq!(*tree.opened(&siblings, hidden), expected);
                // The sums that a receiver of transfers has give the same.
                let mut nodes = Zeroizing::new(vec![F128(99)]);
                let sums: Vec<F128> = (1..=depth)
                    .map(|level| {
                        nodes = tree.children(level - 1, &nodes);
                        side(&nodes, 1 - (hidden >> (depth - level) & 1) as usize)
                    })
                    .collect();
                let mut punctured = tree.punctured(&sums, hidden);
                punctured[hidden as usize] = F128::default();
                assert_eq!(*punctured, expected);
            }
        }
    }

    #[test]
    fn a_leaf_depends_on_salt_tree_and_depth() {
        let leaf = Tree::new([7; 32], 3).leaf(4, F128(5));
        for other in [
            Tree::new([8; 32], 3).leaf(4, F128(5)),
            Tree::new([7; 32], 2).leaf(4, F128(5)),
            Tree::new([7; 32], 3).leaf(5, F128(5)),
            Tree::new([7; 32], 3).leaf(4, F128(6)),
        ] {
            assert_ne!(leaf.0, other.0);
            assert_ne!(leaf.1, other.1);
        }
    }
}
