//! Shares of sparse vectors: one random place in each tree carries a one, all others zero.
//!
//! Half-trees (Guo, Yang, Wang, Zhang, Xie, Liu, Zhao, EUROCRYPT 2023), with the malicious check of Ferret (Yang, Weng,
//! Lan, Zhang, Wang, CCS 2020, appendix C). The verifier grows t binary trees whose levels each sum to Δ; leaf j is the
//! key of value e_j. The prover learns all leaves but the one at its secret place α, and there `key ⊕ Δ`: the MAC of
//! one.
//!
//! | from | message | bytes |
//! |---|---|---|
//! | verifier | c_i = (sum of the left nodes of level i) ⊕ (key of a share), for each level of each tree of a tile | 16·h·(trees) |
//! | prover | x = φ ⊕ u*, where φ = Σ χ_j·e_j over all leaves, masked by 128 shares packed into u* | 16 |
//! | verifier | H(Σ χ_j·key_j ⊕ key* ⊕ x·Δ) | 32 |
//!
//! The share behind c_i has a random bit u_i: adding its MAC to c_i gives the prover the sum over the left nodes where
//! u_i is zero and over the right ones where it is one. So the prover's path turns away from u_i at level i, α is as
//! random as the bits, and nothing else need be said. At the last level bit 0 of every leaf is cleared, so that bit 0
//! of the prover's word is its value, as everywhere in [`crate::vole`].
//!
//! Children are H(x) and x ⊕ H(x) for the circular correlation robust H of [`volery_primitives::hash::Circular`], under
//! a public key of its own for each level of each tile: the prover sees a hash of a node that differs from a known one
//! by Δ at each level of each tree, and one trial of Δ tests those of one level of one tile, 64 at most
//! ([`Params::tree_bits`]). Roots come from a secret seed and a counter that starts at a public salt, so that no table
//! of counters helps to find a seed.
//!
//! The coefficients χ of a tile come from the transcript after its corrections: the **verifier** is the party under
//! test here. What it chooses for later tiles may depend on earlier χ; that helps nothing, since each leaf has a
//! coefficient of its own, and so the last wrong tile is weighed by fresh ones. The check's masks are shares of the
//! iteration before.
//!
//! What the check promises: a verifier that sends wrong corrections is caught but for those α that agree with a guess
//! it had to make, so that an abort, or its absence, tells it one predicate of a few places in few trees. The
//! assumption bears such leakage ([`super::lpn`]). Before the check has passed, nothing that depends on the leaves is
//! sent but x, which is masked. A prover that sends a false x gets the digest of a sum that is off by a multiple of Δ:
//! an offline test of one key at a hash each.
//!
//! Time and memory accesses do not depend on α: each level is swept, and the sibling set where a mask says so.
//!
//! Trees of a tile stand side by side: node y of tree g is at y·G + g, and the children of node y are y and, in the
//! second half of the level, m + y. So the leaves are in bit-reversed order of paths, which is one fixed public order.

use super::lpn::{Params, TILE};
use volery_primitives::aes::Aes128;
use volery_primitives::arch::{Arch, Punctures, grow, puncture, sum_rows};
use volery_primitives::{Extension, F2, F128, Field};
use zeroize::Zeroizing;

/// What both parties know of the trees of one iteration.
struct Forest {
    arch: Arch,
    params: Params,
    /// Gives the keys of all levels of all tiles.
    keys: Aes128,
}

/// The hash of one level of a tile.
struct Level(Aes128);

impl Forest {
    /// The trees side by side in a tile.
    fn width(&self) -> usize {
        self.params.trees_per_tile()
    }

    fn new(arch: Arch, params: Params, key: F128) -> Self {
        Self { arch, params, keys: Aes128::new(arch, key) }
    }

    fn hash(&self, tile: usize, level: usize) -> Level {
        let mut key = [F128((tile as u128) << 8 | level as u128)];
        self.keys.encrypt(&mut key);
        Level(Aes128::new(self.arch, key[0]))
    }

    /// Grows level `level` from the one above: all of its nodes, with bit 0 cleared where they are leaves.
    fn level<'n>(&self, hash: &Level, level: usize, leaves: &'n mut [F128]) -> &'n mut [F128] {
        let nodes = &mut leaves[..self.width() << level];
        grow(&hash.0, nodes);
        if level == self.params.depth {
            nodes.iter_mut().for_each(|leaf| leaf.0 &= !1);
        }
        nodes
    }

    /// Both children of a zero node at `level`.
    fn ghost(&self, hash: &Level, level: usize) -> F128 {
        let mut zero = [F128::ZERO; 2];
        grow(&hash.0, &mut zero);
        if level == self.params.depth { F128(zero[0].0 & !1) } else { zero[0] }
    }
}

/// The verifier's trees: a root of each is all it keeps.
pub(super) struct Verifier {
    forest: Forest,
    roots: Aes128,
    /// Where the counter of the roots starts.
    salt: u64,
    delta: Zeroizing<F128>,
}

impl Verifier {
    /// The trees of an iteration whose hashes come from the public key `key`, from the secret `seed`.
    pub(super) fn new(arch: Arch, params: Params, key: F128, delta: F128, seed: F128) -> Self {
        let roots = Aes128::new(arch, seed);
        // Any public value that no other iteration has.
        let salt = (key.0 >> 64) as u64;
        Self { forest: Forest::new(arch, params, key), roots, salt, delta: Zeroizing::new(delta) }
    }

    /// Grows the trees of `tile` into `leaves`, and appends their corrections under `keys`, level by level.
    pub(super) fn plant(&self, tile: usize, keys: &[F128], leaves: &mut [F128], corrections: &mut Vec<F128>) {
        let width = self.forest.width();
        let mut sums = Zeroizing::new(vec![F128::ZERO; width]);
        let mut correct = |nodes: &[F128], keys: &[F128]| {
            sum_rows(self.forest.arch, &nodes[..nodes.len() / 2], &mut sums);
            corrections.extend(sums.iter().zip(keys).map(|(sum, key)| *sum ^ *key));
        };
        let mut keys = keys.chunks_exact(width);
        self.root(tile, leaves);
        correct(&leaves[..2 * width], keys.next().expect("a key for each level of each tree"));
        for level in 2..=self.forest.params.depth {
            let nodes = self.forest.level(&self.forest.hash(tile, level), level, leaves);
            correct(nodes, keys.next().expect("a key for each level of each tree"));
        }
    }

    /// Grows the trees of `tile` into `leaves` again.
    pub(super) fn regrow(&self, tile: usize, leaves: &mut [F128]) {
        self.root(tile, leaves);
        for level in 2..=self.forest.params.depth {
            self.forest.level(&self.forest.hash(tile, level), level, leaves);
        }
    }

    /// Level 1: two nodes that sum to Δ.
    fn root(&self, tile: usize, leaves: &mut [F128]) {
        assert_eq!(leaves.len(), TILE);
        let width = self.forest.width();
        let (left, rest) = leaves.split_at_mut(width);
        self.roots.counter(u128::from(self.salt) << 64 | (tile * width) as u128, left);
        rest.iter_mut().zip(left).for_each(|(right, left)| *right = *left ^ *self.delta);
    }
}

/// The prover's trees: what it takes to grow all leaves but the one at α, and the MAC there.
pub(super) struct Prover {
    forest: Forest,
    /// For each tile: the siblings of the paths, level by level, and the MACs at α.
    siblings: Zeroizing<Vec<F128>>,
    /// For each tree the bits u_i, which are the sides of the siblings; bit i-1 for level i.
    sides: Zeroizing<Vec<u32>>,
}

impl Prover {
    /// Trees of an iteration whose hash has the public key `key`, none of them fixed yet.
    pub(super) fn new(arch: Arch, params: Params, key: F128) -> Self {
        let forest = Forest::new(arch, params, key);
        let siblings = Zeroizing::new(Vec::with_capacity(params.trees * (params.depth + 1)));
        let sides = Zeroizing::new(Vec::with_capacity(params.trees));
        Self { forest, siblings, sides }
    }

    /// Fixes the trees of the next tile by the corrections received, which are opened by `macs`, and leaves their
    /// leaves in `leaves`.
    pub(super) fn fix(&mut self, macs: &[F128], corrections: &[F128], leaves: &mut [F128]) {
        let (width, depth) = (self.forest.width(), self.forest.params.depth);
        assert_eq!((macs.len(), corrections.len(), leaves.len()), (width * depth, width * depth, TILE));
        let tile = self.sides.len() / width;
        let side = |level: usize, g: usize| macs[width * (level - 1) + g].bit0();
        // c ⊕ MAC: the sum over the sibling's side of the level.
        let mut siblings: Zeroizing<Vec<F128>> =
            Zeroizing::new(corrections.iter().zip(macs).map(|(c, mac)| *c ^ *mac).collect());
        let mut holes = Zeroizing::new(vec![F128::ZERO; width]);
        let mut path = Path::new(width);
        path.root(leaves, &siblings[..width], |g| side(1, g));
        let [mut left, mut right] = [(); 2].map(|()| Zeroizing::new(vec![F128::ZERO; width]));
        for level in 2..=depth {
            let hash = self.forest.hash(tile, level);
            let nodes = self.forest.level(&hash, level, leaves);
            let (lefts, rights) = nodes.split_at(nodes.len() / 2);
            sum_rows(self.forest.arch, lefts, &mut left);
            sum_rows(self.forest.arch, rights, &mut right);
            let last = level == depth;
            let ghost = self.forest.ghost(&hash, level);
            let siblings = &mut siblings[width * (level - 1)..][..width];
            for g in 0..width {
                // The zero node at the hole has its ghost of a child on each side, which is not the verifier's.
                let known = left[g] ^ (left[g] ^ right[g]).scale(side(level, g)) ^ ghost;
                siblings[g] ^= known;
                if last {
                    siblings[g].0 &= !1;
                    holes[g] = left[g] ^ right[g] ^ siblings[g] ^ F128::ONE;
                }
            }
            path.step(self.forest.arch, nodes, ghost, siblings, &holes, |g| side(level, g));
        }
        self.siblings.extend_from_slice(&siblings);
        self.siblings.extend_from_slice(&holes);
        for g in 0..width {
            let bits = (1..=depth).map(|level| (side(level, g).to_word() as u32) << (level - 1));
            self.sides.push(bits.sum());
        }
    }

    /// Grows the trees of `tile`, which is fixed, into `leaves` again.
    pub(super) fn regrow(&self, tile: usize, leaves: &mut [F128]) {
        let (width, depth) = (self.forest.width(), self.forest.params.depth);
        assert_eq!(leaves.len(), TILE);
        let stored = &self.siblings[width * (depth + 1) * tile..][..width * (depth + 1)];
        let (siblings, holes) = stored.split_at(width * depth);
        let sides = &self.sides[width * tile..][..width];
        let side = |level: usize, g: usize| F2::low_bit((sides[g] >> (level - 1)).into());
        let mut path = Path::new(width);
        let mut siblings = siblings.chunks_exact(width);
        path.root(leaves, siblings.next().expect("a level"), |g| side(1, g));
        let nothing = Zeroizing::new(vec![F128::ZERO; width]);
        for level in 2..=depth {
            let hash = self.forest.hash(tile, level);
            let nodes = self.forest.level(&hash, level, leaves);
            let ghost = self.forest.ghost(&hash, level);
            let holes = if level == depth { holes } else { &nothing[..] };
            let siblings = siblings.next().expect("a level");
            path.step(self.forest.arch, nodes, ghost, siblings, holes, |g| side(level, g));
        }
    }
}

/// The paths to the holes of the trees of a tile, as far as they are grown.
struct Path {
    /// The hole's place in its level, in both 64-bit halves.
    row: Zeroizing<Vec<F128>>,
    left: Zeroizing<Vec<F128>>,
    right: Zeroizing<Vec<F128>>,
}

impl Path {
    fn new(width: usize) -> Self {
        let [row, left, right] = [(); 3].map(|()| Zeroizing::new(vec![F128::ZERO; width]));
        Self { row, left, right }
    }

    /// Level 1: the sibling on the side that `side` says, and zero in the hole.
    fn root(&mut self, leaves: &mut [F128], siblings: &[F128], side: impl Fn(usize) -> F2) {
        let width = siblings.len();
        for (g, sibling) in siblings.iter().enumerate() {
            leaves[g] = sibling.scale(side(g) + F2::ONE);
            leaves[width + g] = sibling.scale(side(g));
            self.turn(g, 1, side(g));
        }
    }

    /// A level whose nodes are right but for the two children of the hole above, both `ghost`: puts the siblings on the
    /// sides that `side` says, and `holes` on the others.
    fn step(
        &mut self,
        arch: Arch,
        nodes: &mut [F128],
        ghost: F128,
        siblings: &[F128],
        holes: &[F128],
        side: impl Fn(usize) -> F2,
    ) {
        for g in 0..siblings.len() {
            let (sibling, hole) = (siblings[g] ^ ghost, holes[g] ^ ghost);
            let swap = (sibling ^ hole).scale(side(g));
            self.left[g] = sibling ^ swap;
            self.right[g] = hole ^ swap;
        }
        puncture(arch, nodes, Punctures { row: &self.row, left: &self.left, right: &self.right });
        let rows = nodes.len() / (2 * siblings.len());
        (0..siblings.len()).for_each(|g| self.turn(g, rows, side(g)));
    }

    /// The path turns away from the sibling's side, at a level of `rows` parents.
    fn turn(&mut self, g: usize, rows: usize, side: F2) {
        let right = (rows as u128) | (rows as u128) << 64;
        self.row[g].0 += right & (side + F2::ONE).mask();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const DELTA: F128 = F128(0x8123_4567_89ab_cdef_fedc_ba98_7654_3211);

    /// Keys of shares and their MACs, whose bits are random.
    fn shares(random: &mut Random, length: usize) -> (Vec<F128>, Vec<F128>) {
        let keys: Vec<F128> = (0..length).map(|_| F128(random.word().0 & !1)).collect();
        let macs = keys.iter().map(|key| *key ^ DELTA.scale(random.word().bit0())).collect();
        (keys, macs)
    }

    /// Two tiles of each set, on each instruction set: one noisy leaf in each tree, at the place the bits say, and the
    /// same leaves when grown again.
    #[test]
    fn one_leaf_in_each_tree_is_noisy() {
        for (params, arch) in Params::ALL.into_iter().zip(Arch::available().into_iter().cycle()) {
            let mut random = Random::from_seed(&[params.depth as u8; 32]);
            let (width, depth) = (params.trees_per_tile(), params.depth);
            let verifier = Verifier::new(arch, params, F128(5), DELTA, random.word());
            let mut prover = Prover::new(Arch::detect(), params, F128(5));
            let (mut keys, mut macs) = (vec![F128::ZERO; TILE], vec![F128::ZERO; TILE]);
            for tile in 0..2 {
                let (key_rows, mac_rows) = shares(&mut random, width * depth);
                let mut corrections = vec![];
                verifier.plant(tile, &key_rows, &mut keys, &mut corrections);
                prover.fix(&mac_rows, &corrections, &mut macs);
                let mut noisy = vec![0; width];
                for (j, (key, mac)) in keys.iter().zip(&macs).enumerate() {
                    assert_eq!(*key, *mac ^ DELTA.scale(mac.bit0()), "{} leaf {j}", params.name);
                    assert_eq!(key.bit0(), F2::ZERO);
                    if mac.bit0() == F2::ONE {
                        let (y, g) = (j / width, j % width);
                        noisy[g] += 1;
                        let turn = |level: usize| mac_rows[width * (level - 1) + g].bit0() + F2::ONE;
                        let place = (1..=depth).map(|level| (turn(level).to_word() as usize) << (level - 1));
                        assert_eq!(y, place.sum::<usize>());
                    }
                }
                assert_eq!(noisy, vec![1; width]);

                let mut again = vec![F128::ZERO; TILE];
                verifier.regrow(tile, &mut again);
                assert_eq!(again, keys);
                prover.regrow(tile, &mut again);
                assert_eq!(again, macs);
            }
        }
    }

    #[test]
    fn no_two_leaves_are_equal() {
        let params = Params::TINY;
        let verifier = Verifier::new(Arch::detect(), params, F128(5), DELTA, F128(77));
        let mut seen = std::collections::HashSet::new();
        let mut leaves = vec![F128::ZERO; TILE];
        for tile in 0..params.tiles() {
            verifier.regrow(tile, &mut leaves);
            assert!(leaves.iter().all(|leaf| seen.insert(*leaf)));
        }
    }

    #[test]
    fn a_wrong_correction_spoils_its_tree_alone() {
        let params = Params::L2;
        let mut random = Random::from_seed(&[1; 32]);
        let (width, depth) = (params.trees_per_tile(), params.depth);
        let verifier = Verifier::new(Arch::detect(), params, F128(5), DELTA, random.word());
        let (key_rows, mac_rows) = shares(&mut random, width * depth);
        let (mut keys, mut macs, mut corrections) = (vec![F128::ZERO; TILE], vec![F128::ZERO; TILE], vec![]);
        verifier.plant(0, &key_rows, &mut keys, &mut corrections);
        corrections[width * 3 + 2] ^= F128(1 << 77);
        Prover::new(Arch::detect(), params, F128(5)).fix(&mac_rows, &corrections, &mut macs);
        let wrong = |g: usize| {
            (0..TILE).filter(|j| j % width == g).any(|j| keys[j] != macs[j] ^ DELTA.scale(macs[j].bit0()))
        };
        let wrong: Vec<usize> = (0..width).filter(|&g| wrong(g)).collect();
        assert_eq!(wrong, [2]);
    }
}
