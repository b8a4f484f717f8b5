//! The expansion of trees into shares, as both ends run it, and the hashes of its columns.

use super::{HASH, LONGEST};
use crate::voleith::fixed_key::{Leaves, Tree};
use std::sync::Arc;
use volery_channel::channel::{Channel, Party};
use volery_channel::pool::{Pool, Task, Tasks};
use volery_primitives::aes::Aes128;
use volery_primitives::arch::{Arch, dot, fold_leaves, transpose};
use volery_primitives::prg::{Prg, Seed};
use volery_primitives::{F128, Field};
use zeroize::Zeroizing;

/// The shares of a block of u.
pub(super) const BLOCK: usize = 128;
/// The blocks that a tree's leaves expand to under one key. A prover knows as many outputs of the hidden leaf
/// by its witness.
const GROUP: usize = 8;
/// Leaves that are summed together by one kernel call.
const PIECE: usize = 1 << 8;

/// The leaves of all trees. The reader has the hidden leaf of each at place 0.
pub(super) struct Forest {
    pub(super) arch: Arch,
    pub(super) trees: Vec<Tree>,
    pub(super) depths: Vec<usize>,
    pub(super) leaves: Vec<Leaves>,
}

/// A change that the dealer of a test makes in a chunk.
#[cfg(test)]
pub(super) type Cheat = Box<dyn FnMut(&mut Chunk)>;

/// A run of consecutive blocks of all trees.
pub(super) struct Chunk {
    /// The totals u_i of the trees, one after the other: the sums of all leaves' outputs.
    pub(super) totals: Zeroizing<Vec<F128>>,
    /// 128 columns, one after the other: bit m of a tree's leaf numbers has one, the sum of the outputs of
    /// the leaves whose number has that bit. The first column is zero until u goes there.
    pub(super) columns: Zeroizing<Vec<F128>>,
}

impl Chunk {
    fn new(trees: usize) -> Self {
        let blocks = LONGEST / BLOCK;
        Self {
            totals: Zeroizing::new(Vec::with_capacity(trees * blocks)),
            columns: Zeroizing::new(Vec::with_capacity(128 * blocks)),
        }
    }

    /// The blocks of the chunk.
    pub(super) fn blocks(&self) -> usize {
        self.columns.len() / 128
    }

    /// The columns of all trees, each with its number, from 1 on.
    pub(super) fn columns_mut(&mut self) -> impl Iterator<Item = (usize, &mut [F128])> {
        let blocks = self.blocks();
        self.columns.chunks_exact_mut(blocks).enumerate().skip(1)
    }

    /// Adds an error to tree `i`'s total in block `at`, and to the columns as if the tree's part of Δ were
    /// `guess`.
    #[cfg(test)]
    pub(super) fn err(&mut self, depths: &[usize], i: usize, (at, error): (usize, F128), guess: usize) {
        let blocks = self.blocks();
        self.totals[i * blocks + at] ^= error;
        let first = 1 + depths[..i].iter().sum::<usize>();
        for m in (0..depths[i]).filter(|m| guess >> m & 1 == 1) {
            self.columns[(first + m) * blocks + at] ^= error;
        }
    }

    /// Clears the bits after the first `shares` shares, which end in the last block.
    pub(super) fn cut(&mut self, shares: usize) {
        let blocks = self.blocks();
        let spare = BLOCK * blocks - shares;
        if spare > 0 {
            let mask = u128::MAX >> spare;
            let last = self.totals.chunks_exact_mut(blocks).chain(self.columns.chunks_exact_mut(blocks));
            last.for_each(|blocks| blocks.last_mut().expect("some").0 &= mask);
        }
    }

    /// Writes the rows of the chunk's first `shares` shares.
    pub(super) fn rows(&self, arch: Arch, shares: usize, rows: &mut Zeroizing<Vec<F128>>) {
        if rows.capacity() < self.columns.len() {
            // What has to move would leave a copy behind.
            *rows = Zeroizing::new(Vec::with_capacity(self.columns.len()));
        }
        rows.resize(self.columns.len(), F128::ZERO);
        transpose(arch, &self.columns, rows);
        rows.truncate(shares);
    }
}

impl Forest {
    /// K, the number of Δ's bits that the trees own.
    pub(super) fn bits(&self) -> usize {
        self.depths.iter().sum()
    }

    /// Expands the `blocks` blocks from number `first` on.
    fn expand(&self, first: u64, blocks: usize, chunk: &mut Chunk) {
        for (part, length) in [(&mut chunk.totals, self.trees.len()), (&mut chunk.columns, 128)] {
            part.clear();
            part.resize(length * blocks, F128::ZERO);
        }
        let mut columns = &mut chunk.columns[blocks..];
        let totals = chunk.totals.chunks_exact_mut(blocks);
        for (((tree, leaves), depth), total) in
            self.trees.iter().zip(&self.leaves).zip(&self.depths).zip(totals)
        {
            let (own, others) = columns.split_at_mut(depth * blocks);
            fold((self.arch, tree), leaves, first, total, own);
            columns = others;
        }
    }
}

/// Adds the total and the columns of one tree, for the blocks from number `first` on.
fn fold((arch, tree): (Arch, &Tree), leaves: &[F128], first: u64, total: &mut [F128], columns: &mut [F128]) {
    let blocks = total.len();
    let low = leaves.len().min(PIECE).ilog2() as usize;
    let mut sum = Zeroizing::new([F128::ZERO; GROUP]);
    let mut planes = Zeroizing::new([F128::ZERO; 8 * GROUP]);
    let mut at = 0;
    while at < blocks {
        let block = first + at as u64;
        let group = GROUP as u64;
        let count = ((group - block % group) as usize).min(blocks - at);
        let key = Aes128::new(arch, tree.expansion(block / group));
        for (number, piece) in leaves.chunks(PIECE).enumerate() {
            let (sum, planes) = (&mut sum[..count], &mut planes[..low * count]);
            fold_leaves(&key, piece, block.into(), sum, planes);
            add(&mut total[at..], sum);
            for (m, column) in columns.chunks_exact_mut(blocks).enumerate() {
                if m < low {
                    add(&mut column[at..], &planes[m * count..][..count]);
                } else if number >> (m - low) & 1 == 1 {
                    add(&mut column[at..], sum);
                }
            }
        }
        at += count;
    }
}

/// Adds `from`, element by element, to the beginning of `to`.
pub(super) fn add(to: &mut [F128], from: &[F128]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to ^= *from);
}

/// The hash of a column: 128 bits, and 16 bits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Hash(pub(super) F128, pub(super) u16);

impl zeroize::DefaultIsZeroes for Hash {}

impl Hash {
    pub(super) fn add(&mut self, other: Self) {
        self.0 ^= other.0;
        self.1 ^= other.1;
    }

    /// The product with a public bit.
    pub(super) fn times(self, bit: bool) -> Self {
        if bit { self } else { Self::default() }
    }

    pub(super) fn bytes(self) -> [u8; HASH] {
        let mut bytes = [0; HASH];
        bytes[..16].copy_from_slice(&self.0.to_bytes());
        bytes[16..].copy_from_slice(&self.1.to_le_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: [u8; HASH]) -> Self {
        let (low, high) = bytes.split_at(16);
        let low = F128::from_bytes(low.try_into().expect("16 bytes"));
        Self(low, u16::from_le_bytes(high.try_into().expect("two bytes")))
    }
}

/// Hashes of columns. The dealer's first one is that of u; the reader's is zero.
pub(super) type Hashes = Zeroizing<Vec<Hash>>;

/// The coefficients of the columns' hashes, for a run of blocks.
pub(super) struct Coefficients {
    phi: Vec<F128>,
    short: Vec<F128>,
}

impl Coefficients {
    /// Draws the coefficients of `blocks` blocks, after all their corrections c_i were sent.
    pub(super) fn draw(channel: &mut Channel, arch: Arch, blocks: usize) -> Self {
        let seeds = Seed::two_of_challenge(&channel.challenge(Party::Prover, "voleith columns"));
        let [phi, short] = seeds.map(|seed| {
            let mut coefficients = vec![F128::ZERO; blocks];
            Prg::new(arch, seed).fill(&mut coefficients);
            coefficients
        });
        Self { phi, short }
    }

    /// The hash of a column.
    pub(super) fn hash(&self, arch: Arch, column: &[F128]) -> Hash {
        Hash(dot(arch, &self.phi, column), dot(arch, &self.short, column).0 as u16)
    }
}

/// The state of the expansion at one end.
pub(super) struct Expansion {
    pub(super) forest: Arc<Forest>,
    pool: Pool,
    /// The number of the next block. No number is used twice.
    next: u64,
    /// Shares that the statement still takes; and of the open block, those that the statement takes, and all.
    left: u64,
    open: (u64, u64),
    /// Tasks for chunks of the longest kind, from the next block on.
    growing: Tasks<Chunk>,
    folding: Tasks<(Hashes, Chunk)>,
    spare: Vec<Chunk>,
    pub(super) hashes: Hashes,
}

impl Expansion {
    /// An expansion for a statement of this many commitments.
    pub(super) fn new(forest: Forest, commitments: u64) -> Self {
        let hashes = Zeroizing::new(vec![Hash::default(); forest.bits() + 1]);
        Self {
            forest: Arc::new(forest),
            pool: Pool::default(),
            next: 0,
            left: commitments,
            open: (0, 0),
            growing: Tasks::default(),
            folding: Tasks::default(),
            spare: Vec::new(),
            hashes,
        }
    }

    pub(super) fn share_work(&mut self, pool: &Pool) {
        self.pool = pool.clone();
    }

    pub(super) fn arch(&self) -> Arch {
        self.forest.arch
    }

    /// Shares of the next block: a multiple of 8, so that each of its bytes is full.
    pub(super) fn next_shares(&self) -> usize {
        self.left.min(LONGEST as u64).next_multiple_of(8) as usize
    }

    /// Opens the next block, and gives its number of shares.
    pub(super) fn begin(&mut self) -> usize {
        let shares = self.next_shares();
        let of_statement = self.left.min(LONGEST as u64);
        self.left -= of_statement;
        self.open = (of_statement, shares as u64);
        shares
    }

    /// Leaves the last `count` shares of the open block unused.
    pub(super) fn skip(&mut self, count: usize) {
        let (of_statement, shares) = core::mem::take(&mut self.open);
        self.left += of_statement.saturating_sub(shares - count as u64);
    }

    /// Expands the next `blocks` blocks.
    pub(super) fn expand(&mut self, blocks: usize) -> Chunk {
        const FULL: usize = LONGEST / BLOCK;
        if blocks != FULL {
            // What was begun of these blocks is no part of anything, and forgotten.
            self.growing = Tasks::default();
        }
        if self.growing.len() == 0 {
            let next = self.grow(self.next, blocks);
            self.growing.push(next);
        }
        let chunk = self.growing.next().expect("begun");
        self.next += blocks as u64;
        while blocks == FULL
            && self.growing.len() < self.pool.ahead()
            && self.left >= ((self.growing.len() + 1) * LONGEST) as u64
        {
            let following = self.grow(self.next + (self.growing.len() * FULL) as u64, FULL);
            self.growing.push(following);
        }
        chunk
    }

    /// Starts a task that expands the `blocks` blocks from number `first` on.
    fn grow(&mut self, first: u64, blocks: usize) -> Task<Chunk> {
        let mut chunk = self.spare.pop().unwrap_or_else(|| Chunk::new(self.forest.trees.len()));
        let forest = self.forest.clone();
        self.pool.run(move || {
            forest.expand(first, blocks, &mut chunk);
            chunk
        })
    }

    /// Moves on to the beginning of a group, which has a key of its own.
    pub(super) fn align(&mut self) {
        self.next = self.next.next_multiple_of(GROUP as u64);
    }

    /// Starts a task that hashes all columns of a chunk.
    pub(super) fn hash(&mut self, coefficients: Coefficients, chunk: Chunk) {
        let (arch, columns) = (self.arch(), self.hashes.len());
        self.folding.push(self.pool.run(move || {
            let columns = chunk.columns.chunks_exact(chunk.blocks()).take(columns);
            let hashes = columns.map(|column| coefficients.hash(arch, column)).collect();
            (Zeroizing::new(hashes), chunk)
        }));
        self.gather(self.pool.ahead());
    }

    /// Adds the hashes of finished tasks, until `ahead` tasks are left.
    pub(super) fn gather(&mut self, ahead: usize) {
        while let Some((hashes, chunk)) = self.folding.next_beyond(ahead) {
            self.hashes.iter_mut().zip(&*hashes).for_each(|(sum, hash)| sum.add(*hash));
            self.spare.push(chunk);
        }
    }

    /// Splits a chunk of masks: its first `lines` blocks stay in it, and the 144 bits behind them mask the
    /// hashes.
    pub(super) fn begin_hashes(&mut self, lines: usize, chunk: &mut Chunk) {
        let blocks = chunk.blocks();
        let columns = chunk.columns.chunks_exact(blocks);
        for (hash, column) in self.hashes.iter_mut().zip(columns) {
            *hash = Hash(column[lines], column[lines + 1].0 as u16);
        }
        for number in 0..128 {
            chunk.columns.copy_within(number * blocks..number * blocks + lines, number * lines);
        }
        chunk.columns.truncate(128 * lines);
    }
}
