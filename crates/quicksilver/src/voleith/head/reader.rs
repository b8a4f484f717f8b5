//! The verifier's end, which has the opening first.

use super::dealer::commitments;
use super::expansion::{BLOCK, Chunk, Coefficients, Expansion, Forest, Hash, add};
use super::{HASH, Key, Shares, opening_bytes, places};
use crate::voleith::fixed_key::{self, COMMITMENT, SALT};
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_channel::pool::Pool;
use volery_primitives::{Arch, F128};
use zeroize::Zeroizing;

/// Trees that were opened but for one leaf each.
pub(crate) struct OpenedTrees {
    digest: [u8; 32],
}

impl OpenedTrees {
    /// The trees that `opening` gives away under this Δ, and their reader, for a statement of this many
    /// commitments. Step 5 says how long an opening is.
    ///
    /// # Panics
    /// Where the length differs.
    pub(crate) fn new(
        (arch, pool): (Arch, &Pool),
        depths: &[usize],
        (salt, delta): (&[u8; SALT], F128),
        opening: &[u8],
        commitments: u64,
    ) -> (Self, Reader) {
        assert_eq!(opening.len(), opening_bytes(depths));
        let mut rest = opening;
        let mut growing = Vec::with_capacity(depths.len());
        for ((tree, depth), place) in
            fixed_key::trees(arch, salt, depths).into_iter().zip(depths).zip(places(depths, delta))
        {
            let (siblings, behind) = rest.split_at(16 * depth);
            let (hidden, behind) = behind.split_first_chunk::<COMMITMENT>().expect("counted");
            rest = behind;
            let siblings: Vec<F128> =
                siblings.as_chunks().0.iter().map(|node| F128::from_bytes(*node)).collect();
            let hidden = *hidden;
            growing.push(pool.run(move || {
                let mut opened = tree.opened(&siblings, place);
                let mut commitments = tree.commitments(&opened);
                commitments[place] = hidden;
                shift(&mut opened, place);
                (tree, opened, commitments)
            }));
        }
        let mut hasher = self::commitments();
        let (mut trees, mut leaves) = (Vec::new(), Vec::new());
        for growing in growing {
            let (tree, opened, commitments) = growing.wait();
            hasher.update(commitments.as_flattened());
            trees.push(tree);
            leaves.push(opened);
        }
        let forest = Forest { arch, trees, depths: depths.to_vec(), leaves };
        let reader = Reader { expansion: Expansion::new(forest, commitments), delta };
        (Self { digest: hasher.finalize().into() }, reader)
    }

    /// The digest of all commitments.
    pub(crate) const fn digest(&self) -> &[u8; 32] {
        &self.digest
    }
}

/// Moves each leaf x to place x ⊕ `to`, which is public.
fn shift(leaves: &mut [F128], to: usize) {
    for x in 0..leaves.len() {
        if x < x ^ to {
            leaves.swap(x, x ^ to);
        }
    }
}

/// The verifier's end.
pub(crate) struct Reader {
    expansion: Expansion,
    delta: F128,
}

impl Reader {
    pub(super) fn share_work(&mut self, pool: &Pool) {
        self.expansion.share_work(pool);
    }

    pub(super) fn skip(&mut self, count: usize) {
        self.expansion.skip(count);
    }

    /// The shares of the next block.
    pub(crate) fn next_shares(&self) -> usize {
        self.expansion.next_shares()
    }

    /// Takes step 1: gives the values at Δ of `lines` lines.
    ///
    /// # Errors
    /// Link errors.
    pub(crate) fn masks(&mut self, channel: &mut Channel, lines: usize) -> Result<Zeroizing<Vec<F128>>> {
        let mut chunk = self.expansion.expand(lines + 2);
        self.correct(channel, 16 * lines + HASH, &mut chunk)?;
        chunk.cut(BLOCK * (lines + 1) + 16);
        self.expansion.begin_hashes(lines, &mut chunk);
        let arch = self.expansion.arch();
        let coefficients = Coefficients::draw(channel, arch, lines);
        let mut rows = Zeroizing::default();
        chunk.rows(arch, BLOCK * lines, &mut rows);
        self.expansion.hash(coefficients, chunk);
        self.expansion.align();
        Ok(Zeroizing::new(rows.chunks_exact(BLOCK).map(F128::pack).collect()))
    }

    /// Takes step 2.
    pub(super) fn block(&mut self, channel: &mut Channel, block: &mut Shares<Key>) -> Result<()> {
        let shares = self.expansion.begin();
        if shares == 0 {
            block.rows_mut().clear();
            return Ok(());
        }
        let mut chunk = self.expansion.expand(shares.div_ceil(BLOCK));
        self.correct(channel, shares / 8, &mut chunk)?;
        chunk.cut(shares);
        let arch = self.expansion.arch();
        let coefficients = Coefficients::draw(channel, arch, chunk.blocks());
        chunk.rows(arch, shares, block.rows_mut());
        self.expansion.hash(coefficients, chunk);
        Ok(())
    }

    /// Receives the first `length` bytes of each c_i, and adds Δ_{i,m}·c_i to the columns of each tree but
    /// the first.
    fn correct(&self, channel: &mut Channel, length: usize, chunk: &mut Chunk) -> Result<()> {
        let depths = &self.expansion.forest.depths;
        let mut bytes = vec![0; (depths.len() - 1) * length];
        channel.recv(&mut bytes)?;
        let block = |bytes: &[u8]| {
            let mut block = [0; 16];
            block[..bytes.len()].copy_from_slice(bytes);
            F128::from_bytes(block)
        };
        let delta = self.delta.0;
        let mut columns = chunk.columns_mut().skip(depths[0]);
        for (depth, bytes) in depths[1..].iter().zip(bytes.chunks_exact(length)) {
            let correction: Vec<F128> = bytes.chunks(16).map(block).collect();
            for (number, column) in columns.by_ref().take(*depth) {
                if delta >> number & 1 == 1 {
                    add(column, &correction);
                }
            }
        }
        Ok(())
    }

    /// Takes step 4: computes Ṽ from ũ.
    pub(crate) fn hashes(&mut self, u: [u8; HASH]) -> Vec<u8> {
        self.expansion.gather(0);
        let u = Hash::from_bytes(u);
        let columns = self.expansion.hashes.iter().enumerate().skip(1);
        let masked = columns.map(|(number, hash)| {
            let mut hash = *hash;
            hash.add(u.times(self.delta.0 >> number & 1 == 1));
            hash.bytes()
        });
        masked.collect::<Vec<_>>().into_flattened()
    }
}
