//! Shares of sparse vectors: one random place in each tree carries a one, all others zero.
//!
//! The half-trees of `half_tree`, with the malicious check of Ferret (Yang, Weng, Lan, Zhang, Wang, CCS 2020,
//! appendix C). The verifier grows t binary trees whose levels each sum to Δ; leaf j is the key of value e_j.
//! The prover learns all leaves but the one at its secret place α, and there `key ⊕ Δ`: the MAC of one.
//!
//! | from | message | bytes |
//! |---|---|---|
//! | verifier | c_i = (sum of the left nodes of level i) ⊕ (key of a share), for each level of each tree of a tile | 16·h·(trees) |
//! | prover | x = φ ⊕ u*, where φ = Σ χ_j·e_j over all leaves, masked by 128 shares packed into u* | 16 |
//! | verifier | H(Σ χ_j·key_j ⊕ key* ⊕ x·Δ) | 32 |
//!
//! The path turns away from the bit u_i of the share behind c_i at level i: α is as random as the bits, and
//! nothing else need be said. At the last level bit 0 of every leaf is cleared, so that bit 0 of the prover's
//! word is its value, as everywhere in [`crate::vole`].
//!
//! The coefficients χ of a tile come from the transcript after its corrections: the **verifier** is the party
//! under test here. What it chooses for later tiles may depend on earlier χ; that helps nothing, since each
//! leaf has a coefficient of its own, and so the last wrong tile is weighed by fresh ones. The check's masks
//! are shares of the iteration before.
//!
//! What the check promises: a verifier that sends wrong corrections is caught but for those α that agree with
//! a guess it had to make, so that an abort, or its absence, tells it one predicate of a few places in few
//! trees. The assumption bears such leakage ([`super::lpn`]). Before the check has passed, nothing that
//! depends on the leaves is sent but x, which is masked. A prover that sends a false x gets the digest of a
//! sum that is off by a multiple of Δ: an offline test of one key at a hash each.

use super::device::{Forest as Sown, Trees};
use super::empty;
use super::half_tree::{Forest, Roots};
use super::lpn::{Params, TILE};
use std::sync::Arc;
use volery_primitives::arch::Arch;
use volery_primitives::{F2, F128, Field};
use zeroize::Zeroizing;

/// The bits of leaves that are kept. The prover's words carry values in the other one.
const PINNED: F128 = F128(!1);

/// The verifier's trees of an iteration.
pub struct Verifier(Roots);

impl Verifier {
    /// The trees of an iteration whose hashes come from the public key `key`, from the secret `seed`.
    pub(super) fn new(arch: Arch, params: Params, key: F128, delta: F128, seed: F128) -> Self {
        Self(Roots::new(arch, params, key, delta, seed))
    }

    /// Grows the trees of `tile` into `leaves`, and appends their corrections under `keys`, level by level.
    pub(super) fn plant(&self, tile: usize, keys: &[F128], leaves: &mut [F128], corrections: &mut Vec<F128>) {
        let (forest, depth) = (&self.0.forest, self.0.forest.params.depth);
        let (inner, last) = keys.split_at(forest.width() * (depth - 1));
        self.0.plant(tile, depth - 1, inner, leaves, corrections);
        self.leaves(tile, leaves);
        self.0.correct(leaves, last, corrections);
    }

    /// Grows the trees of `tile` into `leaves` again.
    pub(super) fn regrow(&self, tile: usize, leaves: &mut [F128]) {
        self.0.regrow(tile, self.0.forest.params.depth - 1, leaves);
        self.leaves(tile, leaves);
    }

    /// The trees, for a device.
    pub(super) fn sown(&self) -> Sown<'_> {
        let (seed, salt, delta) = self.0.origin();
        self.0.forest.sown(Trees::Roots { seed, salt, delta })
    }

    /// Grows the last level.
    fn leaves(&self, tile: usize, leaves: &mut [F128]) {
        assert_eq!(leaves.len(), TILE);
        let (forest, depth) = (&self.0.forest, self.0.forest.params.depth);
        forest.grow(&forest.level(tile, depth).keep(PINNED), leaves);
    }
}

/// The prover's trees of an iteration: the siblings by which all leaves but the one at α grow, and the MAC at
/// α.
pub struct Prover {
    forest: Arc<Forest>,
    /// The siblings of the paths, level by level, and the MACs at α, for each tile.
    siblings: Zeroizing<Vec<F128>>,
    /// The bits u_i of each tree, which are the sides of the siblings; bit i-1 for level i.
    sides: Zeroizing<Vec<u32>>,
}

/// The data that the prover keeps of a tile's trees.
#[derive(Default)]
pub(super) struct Fixed {
    siblings: Zeroizing<Vec<F128>>,
    sides: Zeroizing<Vec<u32>>,
}

/// Grows the prover's trees of `tile` from the received corrections, which `macs` open. The leaves stay in
/// `leaves`, and what is to be kept is put into `fixed`, whose memory it takes.
pub(super) fn fix(
    forest: &Forest,
    tile: usize,
    macs: &[F128],
    corrections: &[F128],
    leaves: &mut [F128],
    Fixed { siblings, sides }: &mut Fixed,
) {
    let (width, depth) = (forest.width(), forest.params.depth);
    assert_eq!((macs.len(), corrections.len(), leaves.len()), (width * depth, width * depth, TILE));
    empty(siblings, width * (depth + 1));
    siblings.extend_from_slice(corrections);
    let mut path = forest.fix(tile, depth - 1, macs, siblings, leaves);

    let side = |level: usize, g: usize| macs[width * (level - 1) + g].bit0();
    let last = &mut siblings[width * (depth - 1)..];
    last.iter_mut().zip(&macs[width * (depth - 1)..]).for_each(|(c, mac)| *c ^= *mac);
    let level = forest.level(tile, depth).keep(PINNED);
    let (nodes, zero_child) = forest.open(&level, &path, last, leaves, |g| side(depth, g));
    // All leaves of a tree but the hole's, and one: what Δ leaves of the sum of a level.
    let mut holes = path.sum.clone();
    for (hole, sibling) in holes.iter_mut().zip(&*last) {
        *hole = F128(hole.0 & PINNED.0) ^ *sibling ^ F128::ONE;
    }
    path.set_corrections(zero_child, last, &holes, |g| side(depth, g));
    path.apply_corrections(forest.arch, nodes, |g| side(depth, g));

    siblings.extend_from_slice(&holes);
    empty(sides, width);
    sides.extend(sides_of(forest.params, macs));
}

/// The sides of the siblings of a tile's trees: bit i-1 for level i, whose MACs these are.
pub(super) fn sides_of(params: Params, macs: &[F128]) -> impl Iterator<Item = u32> {
    let width = params.trees_per_tile();
    let bit = move |level: usize, g: usize| macs[width * level + g].bit0().to_word() as u32;
    (0..width).map(move |g| (0..params.depth).map(|level| bit(level, g) << level).sum())
}

impl Prover {
    /// Trees of an iteration whose hash has the public key `key`, none of them fixed yet.
    pub(super) fn new(arch: Arch, params: Params, key: F128) -> Self {
        let forest = Arc::new(Forest::new(arch, params, key));
        let siblings = Zeroizing::new(Vec::with_capacity(params.trees * (params.depth + 1)));
        let sides = Zeroizing::new(Vec::with_capacity(params.trees));
        Self { forest, siblings, sides }
    }

    /// The parameters of the trees, which [`fix`] takes.
    pub(super) fn forest(&self) -> Arc<Forest> {
        self.forest.clone()
    }

    /// The trees, for a device: all of them are fixed, or none.
    pub(super) fn sown(&self) -> Sown<'_> {
        self.forest.sown(match self.siblings.is_empty() {
            true => Trees::Closed,
            false => Trees::Paths { siblings: &self.siblings, sides: &self.sides },
        })
    }

    /// Keeps the data of all tiles, which a device has fixed.
    pub(super) fn keep_all(&mut self, siblings: Zeroizing<Vec<F128>>, sides: Zeroizing<Vec<u32>>) {
        assert_eq!((siblings.len(), sides.len()), (self.siblings.capacity(), self.sides.capacity()));
        (self.siblings, self.sides) = (siblings, sides);
    }

    /// Keeps the data of the next tile.
    pub(super) fn keep(&mut self, fixed: &Fixed) {
        self.siblings.extend_from_slice(&fixed.siblings);
        self.sides.extend_from_slice(&fixed.sides);
    }

    /// Grows the trees of `tile`, whose data is kept, into `leaves` again.
    pub(super) fn regrow(&self, tile: usize, leaves: &mut [F128]) {
        let (width, depth) = (self.forest.width(), self.forest.params.depth);
        assert_eq!(leaves.len(), TILE);
        let stored = &self.siblings[width * (depth + 1) * tile..][..width * (depth + 1)];
        let (siblings, last) = stored.split_at(width * (depth - 1));
        let (sibling, holes) = last.split_at(width);
        let sides = &self.sides[width * tile..][..width];
        let side = |level: usize, g: usize| F2::low_bit((sides[g] >> (level - 1)).into());
        let mut path = self.forest.regrow(tile, depth - 1, siblings, side, leaves);
        let level = self.forest.level(tile, depth).keep(PINNED);
        self.forest.regrow_level(&level, &mut path, sibling, holes, |g| side(depth, g), leaves);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_channel::random::Random;
    use volery_primitives::Extension;

    const DELTA: F128 = F128(0x8123_4567_89ab_cdef_fedc_ba98_7654_3211);

    /// Keys of shares and their MACs, whose bits are random.
    fn shares(random: &mut Random, length: usize) -> (Vec<F128>, Vec<F128>) {
        let keys: Vec<F128> = (0..length).map(|_| F128(random.word().0 & !1)).collect();
        let macs = keys.iter().map(|key| *key ^ DELTA.scale(random.word().bit0())).collect();
        (keys, macs)
    }

    /// Two tiles of each set, on each instruction set: one noisy leaf in each tree, at the place the bits
    /// say, and the same leaves when grown again.
    #[test]
    fn one_leaf_in_each_tree_is_noisy() {
        for (params, arch) in Params::ALL.into_iter().zip(Arch::available().into_iter().cycle()) {
            let mut random = Random::from_seed(&[params.depth as u8; 32]);
            let (width, depth) = (params.trees_per_tile(), params.depth);
            let verifier = Verifier::new(arch, params, F128(5), DELTA, random.word());
            let mut prover = Prover::new(Arch::detect(), params, F128(5));
            let (mut keys, mut macs) = (vec![F128::ZERO; TILE], vec![F128::ZERO; TILE]);
            let mut fixed = Fixed::default();
            for tile in 0..2 {
                let (key_rows, mac_rows) = shares(&mut random, width * depth);
                let mut corrections = vec![];
                verifier.plant(tile, &key_rows, &mut keys, &mut corrections);
                fix(&prover.forest(), tile, &mac_rows, &corrections, &mut macs, &mut fixed);
                prover.keep(&fixed);
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
        let forest = Forest::new(Arch::detect(), params, F128(5));
        fix(&forest, 0, &mac_rows, &corrections, &mut macs, &mut Fixed::default());
        let wrong = |g: usize| {
            (0..TILE).filter(|j| j % width == g).any(|j| keys[j] != macs[j] ^ DELTA.scale(macs[j].bit0()))
        };
        let wrong: Vec<usize> = (0..width).filter(|&g| wrong(g)).collect();
        assert_eq!(wrong, [2]);
    }
}
