//! Half-trees (Guo, Yang, Wang, Zhang, Xie, Liu, Zhao, EUROCRYPT 2023) side by side, down to some level.
//!
//! The verifier grows binary trees whose levels each sum to Δ. For each level it sends c = (sum of the left
//! nodes) ⊕ (key of a share); the share behind it has a random bit u, and adding its MAC to c gives the
//! prover the sum over the left nodes where u is zero and over the right ones where it is one. So the
//! prover learns all nodes but those on a path that turns away from u at each level, and on the path it
//! knows each node up to Δ.
//!
//! Children are H(x) and x ⊕ H(x) for the circular correlation robust H of
//! [`volery_primitives::hash::Circular`], under a public key of its own for each level of each tile: the
//! prover sees a hash of a node that differs from a known one by Δ at each level of each tree, and one trial
//! of Δ tests those of one level of one tile ([`Params::tree_bits`]). Roots come from a secret seed and a
//! counter that starts at a public salt, so that no table of counters helps to find a seed.
//!
//! Time and memory accesses do not depend on the path: each level is swept, and the sibling set
//! where a mask says so.
//!
//! Trees of a tile stand side by side: node y of tree g is at y·G + g, and the children of node y are y
//! and, in the second half of the level, m + y. So the leaves are in bit-reversed order of paths, which is
//! one fixed public order.

use super::device::{Forest as Sown, Trees};
use super::lpn::Params;
use volery_primitives::aes::Aes128;
use volery_primitives::arch::{Arch, Punctures, grow_with, puncture, sum_rows};
use volery_primitives::{Extension, F2, F128, Field};
use zeroize::Zeroizing;

/// Public parameters of the trees of one iteration.
pub(super) struct Forest {
    pub(super) arch: Arch,
    pub(super) params: Params,
    /// The public key of the cipher that makes the keys of all levels of all tiles.
    pub(super) key: F128,
    keys: Aes128,
}

/// One level of a tile: its hash, its number, and the bits of nodes that it keeps.
pub(super) struct Level {
    hash: Aes128,
    number: usize,
    /// The bits that are kept of each node.
    keep: F128,
}

impl Forest {
    /// Trees whose hashes come from the public key `key`.
    pub(super) fn new(arch: Arch, params: Params, key: F128) -> Self {
        Self { arch, params, key, keys: Aes128::new(arch, key) }
    }

    /// The trees, for a device.
    pub(super) fn sown<'a>(&self, trees: Trees<'a>) -> Sown<'a> {
        Sown { params: self.params, key: self.key, trees }
    }

    /// The trees side by side in a tile.
    pub(super) fn width(&self) -> usize {
        self.params.trees_per_tile()
    }

    /// Public key number `slot`, below 256, of a tile. The slots up to the depth are for the levels' hashes.
    pub(super) fn key(&self, tile: usize, slot: usize) -> F128 {
        let mut key = [F128((tile as u128) << 8 | slot as u128)];
        self.keys.encrypt(&mut key);
        key[0]
    }

    /// Level `number` of a tile.
    pub(super) fn level(&self, tile: usize, number: usize) -> Level {
        let hash = Aes128::new(self.arch, self.key(tile, number));
        Level { hash, number, keep: F128(u128::MAX) }
    }

    /// Grows all nodes of a level from the level above, in place: `nodes` begins with the parents.
    pub(super) fn grow<'n>(&self, level: &Level, nodes: &'n mut [F128]) -> &'n mut [F128] {
        let nodes = &mut nodes[..self.width() << level.number];
        grow_with(&level.hash, nodes, level.keep, None);
        nodes
    }

    /// Grows the prover's levels up to `last` of a tile. It opens the verifier's `corrections` by `macs`,
    /// level by level, and leaves the siblings of the paths in their place. All nodes of the last level, zero
    /// on the paths, come first in `nodes`.
    pub(super) fn fix(
        &self,
        tile: usize,
        last: usize,
        macs: &[F128],
        corrections: &mut [F128],
        nodes: &mut [F128],
    ) -> Path {
        let width = self.width();
        let side = |level: usize, g: usize| macs[width * (level - 1) + g].bit0();
        // c ⊕ MAC: the sum over the sibling's side of the level.
        let sums = corrections.iter_mut().zip(macs).take(width * last);
        sums.for_each(|(c, mac)| *c ^= *mac);
        let mut path = Path::new(width);
        path.root(nodes, &corrections[..width], |g| side(1, g));
        for number in 2..=last {
            let siblings = &mut corrections[width * (number - 1)..][..width];
            let (level, side) = (self.level(tile, number), |g| side(number, g));
            let (nodes, zero_child) = self.open(&level, &path, siblings, nodes, side);
            path.set_corrections(zero_child, siblings, &path.nothing(), side);
            path.apply_corrections(self.arch, nodes, side);
        }
        path
    }

    /// Grows a level whose parents are zero on the paths, and turns `sums`, the sums over the siblings'
    /// sides, into the siblings. Gives the level's nodes, where both children of a zero parent are still its
    /// hash, and that hash.
    pub(super) fn open<'n>(
        &self,
        level: &Level,
        path: &Path,
        sums: &mut [F128],
        nodes: &'n mut [F128],
        side: impl Fn(usize) -> F2,
    ) -> (&'n mut [F128], F128) {
        let nodes = self.grow(level, nodes);
        let zero_child = level.zero_child();
        let mut left = Zeroizing::new(vec![F128::ZERO; self.width()]);
        sum_rows(self.arch, &nodes[..nodes.len() / 2], &mut left);
        for g in 0..self.width() {
            // Children sum to their parent. The zero node at the hole has a zero child on each side,
            // which is not the verifier's.
            sums[g] ^= left[g] ^ path.sum[g].scale(side(g)) ^ zero_child;
            sums[g].0 &= level.keep.0;
        }
        (nodes, zero_child)
    }

    /// Grows the prover's levels up to `last` of a tile again, from the `siblings` of the paths and the
    /// `side` of each.
    pub(super) fn regrow(
        &self,
        tile: usize,
        last: usize,
        siblings: &[F128],
        side: impl Fn(usize, usize) -> F2,
        nodes: &mut [F128],
    ) -> Path {
        let mut path = Path::new(self.width());
        let mut siblings = siblings.chunks_exact(self.width());
        path.root(nodes, siblings.next().expect("a level"), |g| side(1, g));
        for (number, siblings) in (2..=last).zip(siblings) {
            let holes = path.nothing();
            self.regrow_level(
                &self.level(tile, number),
                &mut path,
                siblings,
                &holes,
                |g| side(number, g),
                nodes,
            );
        }
        path
    }

    /// Grows one level again: `siblings` go next to the paths, and `holes` on them.
    pub(super) fn regrow_level(
        &self,
        level: &Level,
        path: &mut Path,
        siblings: &[F128],
        holes: &[F128],
        side: impl Fn(usize) -> F2,
        nodes: &mut [F128],
    ) {
        path.set_corrections(level.zero_child(), siblings, holes, &side);
        let nodes = &mut nodes[..self.width() << level.number];
        grow_with(&level.hash, nodes, level.keep, Some(path.punctures()));
        path.descend_all(nodes.len(), side);
    }
}

impl Level {
    /// The level with only these bits of each node kept.
    pub(super) fn keep(self, keep: F128) -> Self {
        Self { keep, ..self }
    }

    /// The left child of a zero node, and its right child, which is equal.
    fn zero_child(&self) -> F128 {
        let mut zero = [F128::ZERO; 2];
        grow_with(&self.hash, &mut zero, self.keep, None);
        zero[0]
    }
}

/// The verifier's trees of an iteration. It keeps no nodes: roots follow from a seed.
pub(super) struct Roots {
    pub(super) forest: Forest,
    seed: Zeroizing<F128>,
    seeds: Aes128,
    /// The first value of the seeds' counter.
    salt: u64,
    delta: Zeroizing<F128>,
}

impl Roots {
    /// The trees of an iteration whose hashes come from the public key `key`, from the secret `seed`.
    pub(super) fn new(arch: Arch, params: Params, key: F128, delta: F128, seed: F128) -> Self {
        let seeds = Aes128::new(arch, seed);
        // Any public value that no other iteration has.
        let salt = (key.0 >> 64) as u64;
        let forest = Forest::new(arch, params, key);
        Self { forest, seed: Zeroizing::new(seed), seeds, salt, delta: Zeroizing::new(delta) }
    }

    /// The secret seed, the first value of its counter, and Δ.
    pub(super) fn origin(&self) -> (&F128, u64, &F128) {
        (&self.seed, self.salt, &self.delta)
    }

    /// Grows the levels up to `last` of `tile`, and appends their corrections under `keys`, level by level.
    pub(super) fn plant(
        &self,
        tile: usize,
        last: usize,
        keys: &[F128],
        nodes: &mut [F128],
        corrections: &mut Vec<F128>,
    ) {
        let width = self.forest.width();
        let mut keys = keys.chunks_exact(width);
        self.root(tile, nodes);
        for number in 1..=last {
            let nodes = match number {
                1 => &nodes[..2 * width],
                _ => self.forest.grow(&self.forest.level(tile, number), nodes),
            };
            self.correct(nodes, keys.next().expect("a key for each level of each tree"), corrections);
        }
    }

    /// Appends the corrections of one level: the sums of its left nodes, under `keys`.
    pub(super) fn correct(&self, nodes: &[F128], keys: &[F128], corrections: &mut Vec<F128>) {
        let mut sums = Zeroizing::new(vec![F128::ZERO; keys.len()]);
        sum_rows(self.forest.arch, &nodes[..nodes.len() / 2], &mut sums);
        corrections.extend(sums.iter().zip(keys).map(|(sum, key)| *sum ^ *key));
    }

    /// Grows the levels up to `last` of `tile` again.
    pub(super) fn regrow(&self, tile: usize, last: usize, nodes: &mut [F128]) {
        self.root(tile, nodes);
        for number in 2..=last {
            self.forest.grow(&self.forest.level(tile, number), nodes);
        }
    }

    /// Sets level 1: two nodes that sum to Δ.
    fn root(&self, tile: usize, nodes: &mut [F128]) {
        let width = self.forest.width();
        let (left, right) = nodes[..2 * width].split_at_mut(width);
        self.seeds.counter(u128::from(self.salt) << 64 | (tile * width) as u128, left);
        right.iter_mut().zip(left).for_each(|(right, left)| *right = *left ^ *self.delta);
    }
}

/// The paths to the holes of the trees of a tile, down to the level grown last. A hole is the node that the
/// prover does not know.
pub(super) struct Path {
    /// The number of the hole in its level, in both 64-bit halves.
    pub(super) row: Zeroizing<Vec<F128>>,
    /// The sum of all known nodes of the level, which is the sum of the siblings so far.
    pub(super) sum: Zeroizing<Vec<F128>>,
    left: Zeroizing<Vec<F128>>,
    right: Zeroizing<Vec<F128>>,
}

impl Path {
    fn new(width: usize) -> Self {
        let [row, sum, left, right] = [(); 4].map(|()| Zeroizing::new(vec![F128::ZERO; width]));
        Self { row, sum, left, right }
    }

    /// Zeros for the holes of all trees.
    fn nothing(&self) -> Vec<F128> {
        vec![F128::ZERO; self.row.len()]
    }

    /// Sets level 1: the sibling on its `side`, and zero in the hole.
    fn root(&mut self, leaves: &mut [F128], siblings: &[F128], side: impl Fn(usize) -> F2) {
        let width = siblings.len();
        for (g, sibling) in siblings.iter().enumerate() {
            leaves[g] = sibling.scale(side(g) + F2::ONE);
            leaves[width + g] = sibling.scale(side(g));
            self.sum[g] = *sibling;
            self.descend(g, 1, side(g));
        }
    }

    /// Computes the corrections of the level below: both children of the hole are `zero_child` there, and are
    /// to be the sibling on its `side` and `holes` on the other.
    pub(super) fn set_corrections(
        &mut self,
        zero_child: F128,
        siblings: &[F128],
        holes: &[F128],
        side: impl Fn(usize) -> F2,
    ) {
        for g in 0..siblings.len() {
            let (sibling, hole) = (siblings[g] ^ zero_child, holes[g] ^ zero_child);
            let swap = (sibling ^ hole).scale(side(g));
            self.left[g] = sibling ^ swap;
            self.right[g] = hole ^ swap;
            self.sum[g] ^= siblings[g];
        }
    }

    /// Applies the corrections to a level's `nodes`, and moves all paths down to it.
    pub(super) fn apply_corrections(&mut self, arch: Arch, nodes: &mut [F128], side: impl Fn(usize) -> F2) {
        puncture(arch, nodes, self.punctures());
        self.descend_all(nodes.len(), side);
    }

    fn punctures(&self) -> Punctures<'_> {
        Punctures { row: &self.row, left: &self.left, right: &self.right }
    }

    /// Moves all paths down to a level of `nodes` nodes.
    fn descend_all(&mut self, nodes: usize, side: impl Fn(usize) -> F2) {
        let width = self.row.len();
        (0..width).for_each(|g| self.descend(g, nodes / (2 * width), side(g)));
    }

    /// Moves the path of tree `g` down from a level with `rows` nodes of each tree, away from the sibling's side.
    fn descend(&mut self, g: usize, rows: usize, side: F2) {
        let right = (rows as u128) | (rows as u128) << 64;
        self.row[g].0 += right & (side + F2::ONE).mask();
    }
}
