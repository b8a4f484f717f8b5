//! The prover's end, the dealer of the correlation.

use super::expansion::{BLOCK, Chunk, Coefficients, Expansion, Forest, add};
use super::{HASH, Mac, Shares, places};
use crate::voleith::fixed_key::{self, COMMITMENT, SALT, Tree};
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_channel::pool::Pool;
use volery_channel::random::Random;
use volery_primitives::{Arch, F128};
use zeroize::Zeroizing;

/// The hasher of all commitments, tree by tree.
pub(super) fn commitments() -> blake3::Hasher {
    blake3::Hasher::new_derive_key("volery voleith v1, commitments")
}

/// The roots of trees that were grown and committed to.
pub(crate) struct Dealt {
    roots: Zeroizing<Vec<F128>>,
    digest: [u8; 32],
}

impl Dealt {
    /// Fresh trees of these depths, whose keys follow from `salt`, and their dealer, for a statement of this
    /// many commitments.
    pub(crate) fn new(
        by: (Arch, &Pool),
        depths: &[usize],
        salt: &[u8; SALT],
        random: &mut Random,
        commitments: u64,
    ) -> (Self, Dealer) {
        Self::deal((by, depths), salt, random, commitments, |_, _, _| ())
    }

    /// Deals as [`Dealt::new`] does. `alter` may change the commitment to a leaf before it is digested.
    pub(super) fn deal(
        ((arch, pool), depths): ((Arch, &Pool), &[usize]),
        salt: &[u8; SALT],
        random: &mut Random,
        commitments: u64,
        mut alter: impl FnMut(usize, usize, &mut [u8; COMMITMENT]),
    ) -> (Self, Dealer) {
        let roots: Zeroizing<Vec<F128>> = Zeroizing::new(depths.iter().map(|_| random.word()).collect());
        let grow = |(tree, root): (Tree, &F128)| {
            let root = Zeroizing::new(*root);
            pool.run(move || {
                let leaves = tree.leaves(*root);
                let commitments = tree.commitments(&leaves);
                (tree, leaves, commitments)
            })
        };
        let mut growing: Vec<_> =
            fixed_key::trees(arch, salt, depths).into_iter().zip(&*roots).map(grow).collect();
        let mut hasher = self::commitments();
        let (mut trees, mut leaves) = (Vec::new(), Vec::new());
        for (i, growing) in growing.drain(..).enumerate() {
            let (tree, grown, mut commitments) = growing.wait();
            commitments.iter_mut().enumerate().for_each(|(place, commitment)| alter(i, place, commitment));
            hasher.update(commitments.as_flattened());
            trees.push(tree);
            leaves.push(grown);
        }
        let forest = Forest { arch, trees, depths: depths.to_vec(), leaves };
        let dealer = Dealer {
            expansion: Expansion::new(forest, commitments),
            #[cfg(test)]
            cheat: None,
        };
        (Self { roots, digest: hasher.finalize().into() }, dealer)
    }

    /// The digest of all commitments.
    pub(crate) const fn digest(&self) -> &[u8; 32] {
        &self.digest
    }
}

/// The prover's end.
pub(crate) struct Dealer {
    expansion: Expansion,
    /// A cheating dealer's change of its corrections, which stand in the place of u_i, and of its columns.
    #[cfg(test)]
    pub(super) cheat: Option<super::expansion::Cheat>,
}

impl Dealer {
    pub(super) fn share_work(&mut self, pool: &Pool) {
        self.expansion.share_work(pool);
    }

    pub(super) fn skip(&mut self, count: usize) {
        self.expansion.skip(count);
    }

    /// Takes step 1: gives m and u of `lines` lines m + u·X.
    ///
    /// # Errors
    /// Link errors.
    pub(crate) fn masks(
        &mut self,
        channel: &mut Channel,
        lines: usize,
    ) -> Result<Zeroizing<Vec<(F128, F128)>>> {
        let mut chunk = self.expansion.expand(lines + 2);
        chunk.cut(BLOCK * (lines + 1) + 16);
        self.correct(channel, 16 * lines + HASH, &mut chunk)?;
        self.expansion.begin_hashes(lines, &mut chunk);
        let arch = self.expansion.arch();
        let coefficients = Coefficients::draw(channel, arch, lines);
        let mut rows = Zeroizing::default();
        chunk.rows(arch, BLOCK * lines, &mut rows);
        self.expansion.hash(coefficients, chunk);
        self.expansion.align();
        let line = |rows: &[F128]| {
            let values: Zeroizing<Vec<F128>> =
                Zeroizing::new(rows.iter().map(|row| row.bit0().into()).collect());
            (F128::pack(rows), F128::pack(&values))
        };
        Ok(Zeroizing::new(rows.chunks_exact(BLOCK).map(line).collect()))
    }

    /// Takes step 2.
    pub(super) fn block(&mut self, channel: &mut Channel, block: &mut Shares<Mac>) -> Result<()> {
        let shares = self.expansion.begin();
        if shares == 0 {
            block.rows_mut().clear();
            return Ok(());
        }
        let mut chunk = self.expansion.expand(shares.div_ceil(BLOCK));
        chunk.cut(shares);
        self.correct(channel, shares / 8, &mut chunk)?;
        let arch = self.expansion.arch();
        let coefficients = Coefficients::draw(channel, arch, chunk.blocks());
        chunk.rows(arch, shares, block.rows_mut());
        self.expansion.hash(coefficients, chunk);
        Ok(())
    }

    /// Sends the first `length` bytes of c_i = u ⊕ u_i for all trees but the first, and makes u the first
    /// column.
    fn correct(&mut self, channel: &mut Channel, length: usize, chunk: &mut Chunk) -> Result<()> {
        let blocks = chunk.blocks();
        let (u, others) = chunk.totals.split_at_mut(blocks);
        others.chunks_exact_mut(blocks).for_each(|total| add(total, u));
        chunk.columns[..blocks].copy_from_slice(u);
        #[cfg(test)]
        if let Some(cheat) = &mut self.cheat {
            cheat(chunk);
        }
        let others = &chunk.totals[blocks..];
        let mut bytes = Vec::with_capacity(others.len() * 16);
        for total in others.chunks_exact(blocks) {
            let end = bytes.len() + length;
            total.iter().for_each(|block| bytes.extend_from_slice(&block.to_bytes()));
            bytes.truncate(end);
        }
        channel.send(&bytes)
    }

    /// The depths of the trees.
    pub(crate) fn depths(&self) -> &[usize] {
        &self.expansion.forest.depths
    }

    /// Takes steps 3 and 4: gives ũ and Ṽ.
    pub(crate) fn hashes(&mut self) -> ([u8; HASH], Vec<u8>) {
        self.expansion.gather(0);
        let (u, v) = self.expansion.hashes.split_first().expect("u is there");
        (u.bytes(), v.iter().flat_map(|hash| hash.bytes()).collect())
    }

    /// Takes step 5: the opening of all leaves but those that Δ hides.
    pub(crate) fn open(&self, dealt: &Dealt, delta: F128) -> Vec<u8> {
        let forest = &self.expansion.forest;
        let mut bytes = Vec::with_capacity(super::opening_bytes(&forest.depths));
        let trees = forest.trees.iter().zip(&forest.leaves).zip(&*dealt.roots);
        for (((tree, leaves), root), place) in trees.zip(places(&forest.depths, delta)) {
            tree.siblings(*root, place).iter().for_each(|node| bytes.extend_from_slice(&node.to_bytes()));
            bytes.extend_from_slice(tree.commitments(&leaves[place..=place]).as_flattened());
        }
        bytes
    }
}
