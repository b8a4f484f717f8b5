//! Shares of sparse vectors: one random place in each tree carries a random value, all others zero.
//!
//! Wolverine, figure 7, on the half-trees of [`half_tree`](super::super::half_tree) with a **last level of
//! its own**. The nodes of a half-tree sum to the transfers' Δ'; were the leaves such nodes, their public
//! sums would be linear in it, and 65 trees would give Δ away. So a leaf is a hash of its parent on its side,
//! under keys used nowhere else, and the last level takes a transfer of two messages instead of one.
//!
//! | from | message | bytes | figure 7 |
//! |---|---|---|---|
//! | verifier | c_i for each level but the last of each tree of a tile | 16·(h−1)·(trees) | 2 |
//! | verifier | c⁰ = (sum of the left leaves) + H(K), c¹ = (sum of the right ones) + H(K ⊕ Δ') for each tree | 2·b'·(trees) | 2 |
//! | verifier | s = k_β − Σ leaves for each tree | b'·(trees) | 3 |
//! | prover | seed of the tile's coefficients χ | 16 | 5 |
//! | prover | x = Σ χ_α·β + Σ a_h·X^h over all trees, masked by r shares | b' | 5, batched |
//! | verifier | commitment to V = Σ χ_j·k_j + Σ b_h·X^h − x·Δ | 32 | 6, 𝓕_EQ |
//! | prover | its V = Σ χ_j·m_j + Σ c_h·X^h | b' | 6 |
//! | verifier | the opening, once they are equal | 32 | 6 |
//!
//! K is the key of the transfer behind the last level, K ⊕ u·Δ' its MAC: the prover opens c⁰ where u is zero
//! and c¹ where it is one, and gets the leaf beside its own. Leaf j is the key of value e_j, and the MAC
//! where e_j is zero; at α the prover computes m = m_β − s − Σ (other leaves), so that k_α = m + β·Δ. The
//! noise β is the value of a share of its own, zero with probability 1/|B|: step 1 sends nothing. Over F_2 it is one,
//! whose key is Δ. Where tags leave coordinates free leaves are zero there, and what c⁰, c¹ and s have there is
//! dropped.
//!
//! The seed χ is a coin of the **prover**, sent when the tile's corrections have arrived: the verifier is the
//! party under test, and could search for a transcript. What it chooses for later tiles may depend on earlier
//! χ; that helps nothing, since each leaf has a coefficient of its own. V is compared behind a commitment
//! because Δ may be short: a digest of V would let a prover that sends a false x try all Δ offline, for it
//! knows V up to a multiple of it. So it gets one guess, and a wrong one ends Δ. A verifier that leaves
//! between the first coin and its opening may have seen that its leaves do not fit: the prover says that it
//! counts.
//!
//! What the check promises: a verifier that sends wrong corrections passes with probability 1/|E|, or where α
//! agrees with a guess that it had to make: that it passed tells it one predicate of a few places in few
//! trees, and the assumption bears such leakage ([`super::super::lpn`]). Where it does not pass it has seen a
//! V that depends on α and β of each tree it corrupted; the session ends then, this iteration was not drawn
//! from, and what it started from is used for nothing else.

use super::super::device::TreesOfElements;
use super::super::half_tree::{Forest, Roots};
use super::super::lpn::{Params, TILE};
use super::words;
use core::marker::PhantomData;
use std::sync::Arc;
use volery_primitives::arch::Arch;
use volery_primitives::hash::{Circular, Tweakable};
use volery_primitives::mac::Holes;
use volery_primitives::{F128, Field, MOST_WORDS, MacField, Tag as _};
use zeroize::Zeroizing;

/// Slots of a tile's keys behind those of its levels: the leaves' keys, and that of the last level's
/// transfers.
const LEAF_KEYS: usize = 64;
const TRANSFER_KEY: usize = 128;

/// Grows the last level, for either party.
fn grow_leaves<B: Field, E: MacField<B>>(
    forest: &Forest,
    tile: usize,
    parents: &mut [F128],
    leaves: &mut [E],
) {
    E::grow_leaves(&leaf_hashes::<E>(forest, tile), parents, leaves);
}

fn leaf_hashes<E: Field>(forest: &Forest, tile: usize) -> Vec<Circular> {
    (0..E::SAMPLE).map(|j| Circular::new(forest.arch, forest.key(tile, LEAF_KEYS + j))).collect()
}

/// Masks of the messages of the last level's transfers in a tile, for keys or MACs in the order of trees.
fn transfer_masks<B: Field, E: MacField<B>>(
    forest: &Forest,
    tile: usize,
    keys: &[F128],
) -> Zeroizing<Vec<E>> {
    let hash = Tweakable::new(forest.arch, forest.key(tile, TRANSFER_KEY));
    let mut words = Zeroizing::new(vec![[0; MOST_WORDS.next_multiple_of(2)]; keys.len()]);
    for half in 0..E::SAMPLE.div_ceil(2) {
        let mut blocks = Zeroizing::new(keys.to_vec());
        hash.apply((half as u128) << 64, &mut blocks);
        for (words, block) in words.iter_mut().zip(blocks.iter()) {
            [words[2 * half], words[2 * half + 1]] = [block.0 as u64, (block.0 >> 64) as u64];
        }
    }
    Zeroizing::new(words.iter().map(|words| E::sample(&words[..E::SAMPLE])).collect())
}

/// The sums of the left and of the right leaves of each tree.
fn sides<B: Field, E: MacField<B>>(forest: &Forest, leaves: &[E]) -> [Zeroizing<Vec<E>>; 2] {
    let (left, right) = leaves.split_at(leaves.len() / 2);
    [left, right].map(|leaves| {
        let mut sums = Zeroizing::new(vec![E::ZERO; forest.width()]);
        E::sum_rows(forest.arch, leaves, &mut sums);
        sums
    })
}

/// The verifier's message for the trees of a tile.
#[derive(Clone, Default)]
pub(in crate::vole) struct Corrections<E> {
    /// The corrections of all levels but the last, level by level.
    pub(super) levels: Vec<F128>,
    /// c⁰ of each tree, then c¹, then s.
    pub(super) leaves: Vec<E>,
}

impl<E: Field> Corrections<E> {
    /// Zeros as many as a tile has corrections, to receive them into.
    pub(super) fn expected(params: Params) -> Self {
        let trees = params.trees_per_tile();
        Self { levels: vec![F128::ZERO; trees * (params.depth - 1)], leaves: vec![E::ZERO; 3 * trees] }
    }
}

/// Buffers for growing a tile.
pub struct Scratch<E: Field> {
    nodes: Zeroizing<Vec<F128>>,
    pub(super) leaves: Zeroizing<Vec<E>>,
}

impl<E: Field> Default for Scratch<E> {
    fn default() -> Self {
        let nodes = Zeroizing::new(vec![F128::ZERO; TILE / 2]);
        Self { nodes, leaves: Zeroizing::new(vec![E::ZERO; TILE]) }
    }
}

/// The verifier's trees.
pub struct Verifier<B, E> {
    roots: Roots,
    /// Δ' of the transfers.
    offset: Zeroizing<F128>,
    fields: PhantomData<(B, E)>,
}

impl<B: Field, E: MacField<B>> Verifier<B, E> {
    /// The trees of an iteration whose hashes come from the public key `key`, from the secret `seed`, on
    /// transfers under `offset`.
    pub(super) fn new(arch: Arch, params: Params, key: F128, offset: F128, seed: F128) -> Self {
        let roots = Roots::new(arch, params, key, offset, seed);
        Self { roots, offset: Zeroizing::new(offset), fields: PhantomData }
    }

    /// The corrections of the trees of `tile`, under the transfers' `keys`, level by level, and
    /// the keys of the noise.
    pub(super) fn plant(
        &self,
        tile: usize,
        keys: &[F128],
        noise: &[E],
        scratch: &mut Scratch<E>,
    ) -> Corrections<E> {
        let forest = &self.roots.forest;
        let (width, depth) = (forest.width(), forest.params.depth);
        assert_eq!((keys.len(), noise.len()), (width * depth, width));
        let mut corrections = Corrections { levels: Vec::new(), leaves: Vec::with_capacity(3 * width) };
        let (keys, last) = keys.split_at(width * (depth - 1));
        self.roots.plant(tile, depth - 1, keys, &mut scratch.nodes, &mut corrections.levels);
        grow_leaves::<B, E>(forest, tile, &mut scratch.nodes, &mut scratch.leaves);
        let sums = sides::<B, E>(forest, &scratch.leaves);
        let other: Zeroizing<Vec<F128>> =
            Zeroizing::new(last.iter().map(|key| *key ^ *self.offset).collect());
        for (sums, keys) in sums.iter().zip([last, &other]) {
            let masks = transfer_masks::<B, E>(forest, tile, keys);
            corrections.leaves.extend(sums.iter().zip(masks.iter()).map(|(sum, mask)| *sum + *mask));
        }
        let [left, right] = &sums;
        let totals = left.iter().zip(right.iter()).map(|(left, right)| *left + *right);
        corrections.leaves.extend(noise.iter().zip(totals).map(|(noise, total)| *noise - total));
        corrections
    }

    /// The numbers of the set, the public key of the hashes' keys, and the trees, for a device.
    pub(super) fn roots(&self) -> (Params, F128, TreesOfElements<'_>) {
        let (seed, salt, offset) = self.roots.origin();
        (self.roots.forest.params, self.roots.forest.key, TreesOfElements::Roots { seed, salt, offset })
    }

    /// Grows the trees of `tile` again.
    pub(super) fn regrow(&self, tile: usize, scratch: &mut Scratch<E>) {
        let forest = &self.roots.forest;
        self.roots.regrow(tile, forest.params.depth - 1, &mut scratch.nodes);
        grow_leaves::<B, E>(forest, tile, &mut scratch.nodes, &mut scratch.leaves);
    }
}

/// The prover's trees of an iteration: the siblings by which all leaves but the one at α grow, and the noise
/// at α.
pub struct Prover<B: Field, E: MacField<B>> {
    forest: Arc<Forest>,
    /// The siblings of the paths, level by level but for the last, for each tile.
    siblings: Zeroizing<Vec<F128>>,
    /// The bits u_i of each tree, which are the sides of the siblings; bit i-1 for level i.
    sides: Zeroizing<Vec<u32>>,
    /// The corrections of the left and the right leaf below the zero node where the path of each tree ends.
    ends: Ends<B, E>,
}

/// The data that the prover keeps of a tile's trees.
pub(in crate::vole) struct Fixed<B: Field, E: MacField<B>> {
    siblings: Zeroizing<Vec<F128>>,
    sides: Zeroizing<Vec<u32>>,
    ends: Ends<B, E>,
}

/// Corrections of the left and of the right leaf at the end of each path.
type Ends<B, E> = [Zeroizing<Vec<<E as MacField<B>>::Tag>>; 2];

/// Grows the prover's trees of `tile` from the received corrections, which the transfers' `macs` open;
/// `noise` are the shares of β. The leaves stay in `rows`.
pub(super) fn fix<B: Field, E: MacField<B>>(
    forest: &Forest,
    tile: usize,
    (macs, noise): (&[F128], &[E::Tag]),
    corrections: &Corrections<E>,
    scratch: &mut Scratch<E>,
    rows: &mut [E::Tag],
) -> Fixed<B, E> {
    let (width, depth) = (forest.width(), forest.params.depth);
    assert_eq!((macs.len(), noise.len(), rows.len()), (width * depth, width, TILE));
    let mut siblings = Zeroizing::new(corrections.levels.clone());
    let path = forest.fix(tile, depth - 1, macs, &mut siblings, &mut scratch.nodes);
    grow_leaves::<B, E>(forest, tile, &mut scratch.nodes, &mut scratch.leaves);
    // The leaves that grow below the zero nodes on the paths, which are not the verifier's.
    let mut below_zero = [E::ZERO; 2];
    E::grow_leaves(&leaf_hashes::<E>(forest, tile), &mut [F128::ZERO], &mut below_zero);

    let [left, right] = sides::<B, E>(forest, &scratch.leaves);
    let last = &macs[width * (depth - 1)..];
    let masks = transfer_masks::<B, E>(forest, tile, last);
    let (opened, totals) = corrections.leaves.split_at(2 * width);
    let mut ends = [(); 2].map(|()| Zeroizing::new(Vec::with_capacity(width)));
    for g in 0..width {
        let side = last[g].bit0().mask() as u64;
        let choose = |zero: E, one: E| zero.masked(!side) + one.masked(side);
        let below_hole = choose(below_zero[0], below_zero[1]);
        let known = choose(left[g], right[g]) - below_hole;
        let sibling = choose(opened[g], opened[width + g]) - masks[g] - known;
        let others = left[g] + right[g] - below_zero[0] - below_zero[1] + sibling;
        let hole = noise[g].mac() - totals[g] - others;
        let hole = hole - choose(below_zero[1], below_zero[0]);
        let sibling = sibling - below_hole;
        for (end, here) in ends.iter_mut().zip([side, !side]) {
            // The hole is opposite the sibling.
            let mac = hole.masked(here) + sibling.masked(!here);
            end.push(E::Tag::new(noise[g].value().masked(here), mac));
        }
    }
    puncture(forest, &path.row, ends.each_ref().map(|ends| &ends[..]), scratch, rows);
    let bits =
        |g: usize| (0..depth).map(move |level| (macs[width * level + g].bit0().to_word() as u32) << level);
    let sides = Zeroizing::new((0..width).map(|g| bits(g).sum()).collect());
    Fixed { siblings, sides, ends }
}

/// Writes the leaves, corrected below the ends of the paths.
fn puncture<B: Field, E: MacField<B>>(
    forest: &Forest,
    row: &[F128],
    [left, right]: [&[E::Tag]; 2],
    scratch: &Scratch<E>,
    rows: &mut [E::Tag],
) {
    let row: Zeroizing<Vec<u64>> = Zeroizing::new(row.iter().map(|row| row.0 as u64).collect());
    E::puncture(forest.arch, &scratch.leaves, Holes { row: &row, left, right }, rows);
}

impl<B: Field, E: MacField<B>> Prover<B, E> {
    /// Trees of an iteration whose hash has the public key `key`, none of them fixed yet.
    pub(super) fn new(arch: Arch, params: Params, key: F128) -> Self {
        let forest = Arc::new(Forest::new(arch, params, key));
        let siblings = Zeroizing::new(Vec::with_capacity(params.trees * (params.depth - 1)));
        let sides = Zeroizing::new(Vec::with_capacity(params.trees));
        let ends = [(); 2].map(|()| Zeroizing::new(Vec::with_capacity(params.trees)));
        Self { forest, siblings, sides, ends }
    }

    /// The parameters of the trees, which [`fix`] takes.
    pub(super) fn forest(&self) -> Arc<Forest> {
        self.forest.clone()
    }

    /// The numbers of the set, the public key of the hashes' keys, and the trees, for a device. `ends` is memory.
    pub(super) fn paths<'a>(
        &'a self,
        ends: &'a mut Zeroizing<Vec<u64>>,
    ) -> (Params, F128, TreesOfElements<'a>) {
        let [left, right] = self.ends.each_ref().map(|ends| words::of_tags::<B, E>(ends));
        *ends = Zeroizing::new(Vec::with_capacity(2 * left.len()));
        for (left, right) in left.chunks_exact(2).zip(right.chunks_exact(2)) {
            ends.extend_from_slice(left);
            ends.extend_from_slice(right);
        }
        let trees = TreesOfElements::Paths { siblings: &self.siblings, sides: &self.sides, ends };
        (self.forest.params, self.forest.key, trees)
    }

    /// Keeps the data of the next tile.
    pub(super) fn keep(&mut self, fixed: &Fixed<B, E>) {
        self.siblings.extend_from_slice(&fixed.siblings);
        self.sides.extend_from_slice(&fixed.sides);
        self.ends.iter_mut().zip(&fixed.ends).for_each(|(ends, of_tile)| ends.extend_from_slice(of_tile));
    }

    /// Grows the trees of `tile`, whose data is kept, into `rows` again.
    pub(super) fn regrow(&self, tile: usize, scratch: &mut Scratch<E>, rows: &mut [E::Tag]) {
        let (width, depth) = (self.forest.width(), self.forest.params.depth);
        let siblings = &self.siblings[width * (depth - 1) * tile..][..width * (depth - 1)];
        let sides = &self.sides[width * tile..][..width];
        let side = |level: usize, g: usize| volery_primitives::F2::low_bit((sides[g] >> (level - 1)).into());
        let path = self.forest.regrow(tile, depth - 1, siblings, side, &mut scratch.nodes);
        grow_leaves::<B, E>(&self.forest, tile, &mut scratch.nodes, &mut scratch.leaves);
        let ends = self.ends.each_ref().map(|ends| &ends[width * tile..][..width]);
        puncture(&self.forest, &path.row, ends, scratch, rows);
    }
}

#[cfg(test)]
mod tests;
