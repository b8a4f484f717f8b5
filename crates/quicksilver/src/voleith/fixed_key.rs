//! Trees of seeds over AES, with a commitment to each leaf, opened but for one leaf that all may know.
//!
//! | what | from | how |
//! |---|---|---|
//! | child on side s of a node x at level l of tree i | K_{i,l,s} | π(x) ⊕ x |
//! | commitment to a leaf r of tree i, 32 bytes | A_i, B_i | (π_A(r) ⊕ r) ‖ (π_B(r) ⊕ r) |
//! | key of what a leaf of tree i expands to in blocks 8·g … 8·g + 7 | C_i | π(g) |
//!
//! π is AES-128 under the key that is named. All keys are public, and drawn from a salt by BLAKE3 in the
//! order of the trees, those of a tree by level, side 0 first, then A_i, B_i and C_i. Level l follows bit
//! depth − l − 1 of the place of a leaf, so that leaf y is the y-th from the left.
//!
//! **Hiding**: whoever lacks a leaf lacks one node at each level, and under each key π(x) ⊕ x of one unknown
//! x is known at most; so a table of AES under one key has one target, and a salt that is fresh for each set
//! of trees makes such a table useless for the next. **Binding**: two leaves with one commitment are a
//! collision on 256 bits. In the ideal cipher model the leaf behind a commitment can be read off the queries
//! to A_i and B_i before anything is opened, and a commitment without such queries is opened with probability
//! 2^-128 for each query. Depths may differ among trees: keys of different trees are independent.

use volery_primitives::F128;
use volery_primitives::aes::Aes128;
use volery_primitives::arch::Arch;
use zeroize::Zeroizing;

/// The bytes of a commitment to a leaf.
pub(super) const COMMITMENT: usize = 32;

/// The bytes of a salt.
pub(super) const SALT: usize = 32;

/// Leaves, in the order of their places. Wiped on drop.
pub(super) type Leaves = Zeroizing<Vec<F128>>;

/// Leaves that are committed to at a time.
const TILE: usize = 256;

/// The public keys of one tree.
pub(super) struct Tree {
    /// The keys of left and right children, for each level.
    sides: Vec<[Aes128; 2]>,
    commitment: [Aes128; 2],
    expansion: Aes128,
}

/// The keys of trees of these depths.
pub(super) fn trees(arch: Arch, salt: &[u8; SALT], depths: &[usize]) -> Vec<Tree> {
    let mut hasher = blake3::Hasher::new_derive_key("volery voleith v1, tree keys");
    hasher.update(salt);
    let mut stream = hasher.finalize_xof();
    let mut key = || {
        let mut bytes = [0; 16];
        stream.fill(&mut bytes);
        Aes128::new(arch, F128::from_bytes(bytes))
    };
    let mut tree = |depth: usize| Tree {
        sides: (0..depth).map(|_| [key(), key()]).collect(),
        commitment: [key(), key()],
        expansion: key(),
    };
    depths.iter().map(|depth| tree(*depth)).collect()
}

/// π(x) ⊕ x for each x of `from`, into `to`.
fn hash(key: &Aes128, from: &[F128], to: &mut [F128]) {
    to.copy_from_slice(from);
    key.encrypt(to);
    to.iter_mut().zip(from).for_each(|(to, from)| *to ^= *from);
}

impl Tree {
    fn depth(&self) -> usize {
        self.sides.len()
    }

    /// The children of the nodes of `level`, twice as many.
    fn children(&self, level: usize, nodes: &[F128]) -> Leaves {
        let mut side = Zeroizing::new(vec![F128::default(); nodes.len()]);
        let mut children = Zeroizing::new(vec![F128::default(); 2 * nodes.len()]);
        for (s, key) in self.sides[level].iter().enumerate() {
            hash(key, nodes, &mut side);
            children.iter_mut().skip(s).step_by(2).zip(&*side).for_each(|(child, node)| *child = *node);
        }
        children
    }

    /// All leaves of the tree with this `root`.
    pub(super) fn leaves(&self, root: F128) -> Leaves {
        (0..self.depth()).fold(Zeroizing::new(vec![root]), |nodes, level| self.children(level, &nodes))
    }

    /// The nodes that give away all leaves under `root` but that at `hidden`, which is public: for each level
    /// the sibling of its ancestor, the root's child first.
    pub(super) fn siblings(&self, root: F128, hidden: usize) -> Vec<F128> {
        let mut path = Zeroizing::new(root);
        let levels = (0..self.depth()).map(|level| {
            let children = self.children(level, &[*path]);
            let side = hidden >> (self.depth() - 1 - level) & 1;
            *path = children[side];
            children[side ^ 1]
        });
        levels.collect()
    }

    /// The leaves that `siblings`, one for each level, give away. Place `hidden` holds zero.
    ///
    /// # Panics
    /// Where there are not as many as levels.
    pub(super) fn opened(&self, siblings: &[F128], hidden: usize) -> Leaves {
        assert_eq!(siblings.len(), self.depth());
        let mut nodes = Zeroizing::new(vec![F128::default()]);
        for (level, &sibling) in siblings.iter().enumerate() {
            nodes = self.children(level, &nodes);
            let path = hidden >> (self.depth() - 1 - level);
            (nodes[path], nodes[path ^ 1]) = (F128::default(), sibling);
        }
        nodes
    }

    /// The commitments to `leaves`.
    pub(super) fn commitments(&self, leaves: &[F128]) -> Vec<[u8; COMMITMENT]> {
        let mut all = Vec::with_capacity(leaves.len());
        let mut halves = [[F128::default(); TILE]; 2];
        for leaves in leaves.chunks(TILE) {
            for (key, half) in self.commitment.iter().zip(&mut halves) {
                hash(key, leaves, &mut half[..leaves.len()]);
            }
            let [a, b] = &halves;
            let join = |(a, b): (&F128, &F128)| {
                let mut commitment = [0; COMMITMENT];
                commitment[..16].copy_from_slice(&a.to_bytes());
                commitment[16..].copy_from_slice(&b.to_bytes());
                commitment
            };
            all.extend(a[..leaves.len()].iter().zip(b).map(join));
        }
        all
    }

    /// The key that leaves expand by in the blocks of this `group`.
    pub(super) fn expansion(&self, group: u64) -> F128 {
        let mut key = [F128(group.into())];
        self.expansion.encrypt(&mut key);
        key[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn siblings_open_all_leaves_but_one() {
        for (i, tree) in trees(Arch::detect(), &[7; 32], &[1, 2, 3, 5]).iter().enumerate() {
            let root = F128(99 + i as u128);
            let leaves = tree.leaves(root);
            assert_eq!(leaves.len(), 1 << tree.depth());
            for hidden in 0..leaves.len() {
                let siblings = tree.siblings(root, hidden);
                let mut expected = leaves.to_vec();
                expected[hidden] = F128::default();
                assert_eq!(*tree.opened(&siblings, hidden), expected);
                // No node on the way to the hidden leaf, nor the leaf, is among them.
                assert!(!siblings.contains(&leaves[hidden]) && !siblings.contains(&root));
                // One wrong sibling is another tree.
                for level in 0..siblings.len() {
                    let mut other = siblings.clone();
                    other[level] ^= F128(1);
                    assert_ne!(*tree.opened(&other, hidden), expected);
                }
            }
        }
    }

    /// A node, a leaf, and a commitment by the cipher itself: level, side and order of keys are pinned.
    #[test]
    fn trees_are_what_the_table_says() {
        let mut hasher = blake3::Hasher::new_derive_key("volery voleith v1, tree keys");
        hasher.update(&[9; 32]);
        let mut keys = [0; 16 * 16];
        hasher.finalize_xof().fill(&mut keys);
        let keys: Vec<Aes128> = keys
            .as_chunks()
            .0
            .iter()
            .map(|key| Aes128::new(Arch::PORTABLE, F128::from_bytes(*key)))
            .collect();
        let pi = |key: usize, x: F128| {
            let mut block = [x];
            keys[key].encrypt(&mut block);
            block[0]
        };
        let trees = trees(Arch::detect(), &[9; 32], &[2, 3]);
        // Tree 1 begins behind the 2·2 + 3 keys of tree 0; its leaf 5 is at 1, 0, 1.
        let step = |key, x| pi(key, x) ^ x;
        let leaf = step(7 + 5, step(7 + 2, step(7 + 1, F128(3))));
        assert_eq!(trees[1].leaves(F128(3))[5], leaf);
        let commitment = trees[1].commitments(&[leaf])[0];
        assert_eq!(commitment[..16], step(7 + 6, leaf).to_bytes());
        assert_eq!(commitment[16..], step(7 + 7, leaf).to_bytes());
        assert_eq!(trees[1].expansion(4), pi(7 + 8, F128(4)));
    }

    #[test]
    fn no_key_is_used_twice_and_all_follow_from_the_salt() {
        let probe = |salt: u8| -> Vec<F128> {
            let mut seen = vec![];
            for tree in trees(Arch::PORTABLE, &[salt; 32], &[3, 3, 2]) {
                for key in tree.sides.iter().flatten().chain(&tree.commitment).chain([&tree.expansion]) {
                    let mut block = [F128(1)];
                    key.encrypt(&mut block);
                    seen.push(block[0]);
                }
            }
            seen
        };
        let all: Vec<F128> = [probe(1), probe(2)].concat();
        assert_eq!(all.iter().map(|block| block.0).collect::<HashSet<_>>().len(), all.len());
        assert_eq!(all.len(), 2 * (9 + 9 + 7));
        assert_eq!(probe(1), all[..25]);
    }

    #[test]
    fn commitments_differ_and_do_not_depend_on_the_instruction_set() {
        let leaves: Vec<F128> = (0..600).map(F128).collect();
        let of = |arch| trees(arch, &[1; 32], &[4])[0].commitments(&leaves);
        let expected = of(Arch::PORTABLE);
        assert_eq!(expected.iter().collect::<HashSet<_>>().len(), 600);
        Arch::available().into_iter().for_each(|arch| assert_eq!(of(arch), expected, "{}", arch.name()));
    }
}
