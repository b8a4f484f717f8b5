//! Correlated transfers as a stream: SoftSpokenOT (Roy, CRYPTO 2022) with malicious
//! security, for k = 4 and 8, with rows of c = 128 bits, or of 64 ([`Row`]).
//!
//! Every row j satisfies `q_j = t_j ⊕ u_j·Δ`: the receiver holds the bit u_j and the row t_j, the sender q_j
//! and Δ. Bit 0 of Δ is public, and bit 0 of the rows is pinned: t_j carries u_j there and q_j zero. In rows of 128
//! bits it is one, so that the equation holds there, too; in those of 64 it is zero, and the equation is one on the
//! other bits.
//!
//! Set-up, once: [`base`] and [`pprf`] give the receiver the 2^k leaves of each of τ = c/k trees, and the
//! sender all of them but leaf α_i of tree i, where Δ = Σ α_i·2^{k·i}. Then, all from the receiver:
//!
//! | message | bytes | when |
//! |---|---|---|
//! | d_i = u ⊕ u_i for i = 1…τ−1 over the B blocks of a chunk (128·B rows) | 16·(τ−1)·B | each chunk |
//! | d_i of one mask block, a chunk whose rows nobody uses | 16·(τ−1) | each check |
//! | x = φ(u), and H(φ(v_0) … φ(v_{c-1})) | 48 | each check |
//!
//! A leaf r of tree i expands to G(r, b) = π(r ⊕ b) ⊕ r ⊕ b for the running block number b, which is never
//! used twice; π is AES under a public key of its own for each tree and chunk, so that whoever learns outputs
//! of an unknown leaf has at most 64 of them to hold against one table. Tree i gives u_i = ⊕_y G(r_y), and
//! for each m < k the column v_{i,m} = ⊕_{y: bit m of y} G(r_y). The sender keeps leaf y at place y ⊕ α_i,
//! with the unknown one at place 0, where it enters no column; the same sums are then w_{i,m} = v_{i,m} ⊕
//! α_{i,m}·u_i, and adding α_{i,m}·d_i makes all trees speak of the same u = u_0.
//!
//! The check is **column-wise**: c equations φ(w_p) = φ(v_p) ⊕ Δ_p·x, one for each bit of Δ, where φ(X) =
//! Σ_b χ_b·X_b over F_{2^128} with independent χ_b, over all chunks and the mask block. One equation on rows
//! packed into field elements would not do: errors in different columns can be placed to cancel, and Δ then
//! leaks after one lucky guess of k bits (`packed_check_attack` in the tests). The χ of a chunk come from the
//! transcript after the chunk's d_i, **those of the mask block too**: a mask with a known coefficient, sent
//! last, could take back every error before it (`late_mask_attack`). The receiver may use its rows at once,
//! while the sender must reveal nothing that depends on Δ before [`Sender::check`] has passed.
//!
//! Soundness: a receiver that deviates in n trees passes with probability at most 2^{-kn} (2^{-kn+1} where
//! tree 0 is one of them, since its lowest bit is public), and then all rows are correct for an adjusted u
//! and it has guessed those slices of Δ: guessing the rest is as hard as before. To this adds the collision
//! of two error vectors under φ, C(τ,2)·2^-128 for each transcript that it tries: however short the rows, φ is over
//! columns. The sender says nothing that depends on Δ, which a search could be held against. What an abort leaks: that
//! such a guess was wrong; Δ must not be used again, and a failed check consumes the sender.
//!
//! Privacy: x hides φ(u) but with probability 2^-128 (a zero coefficient of the mask). A sender that sets up
//! dishonestly gains nothing: whatever its base choices, they name some α for each tree, of which it lacks
//! that leaf; a Δ with the other bit 0 is as good as its own, since bit 0 of the rows is pinned; and
//! the digest holds only what follows from x and what the sender has.
//!
//! Deviations: the trees' check fails at once, before the first chunk, and not together with the columns'.

mod sample;
pub mod traffic;

pub use sample::Sample;

use super::{base, pprf};
use core::marker::PhantomData;
use core::ops::Range;
use core::{iter, mem};
use std::collections::VecDeque;
use std::sync::Arc;
use subtle::ConstantTimeEq;
use volery_channel::channel::{Channel, Deferred, Message, Party};
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_channel::pool::{Pool, Spare, Task, Tasks};
use volery_channel::random::Random;
use volery_primitives::aes::Aes128;
use volery_primitives::arch::{Arch, dot, fold_leaves};
use volery_primitives::bits::{self, Row as _};
use volery_primitives::hash::Digest;
use volery_primitives::prg::{Prg, Seed};
use volery_primitives::secret::verdict;
use volery_primitives::{F2, F64, F128, Field, U256};
use zeroize::{Zeroize, Zeroizing};

/// The rows of a block.
pub const BLOCK: usize = 128;
/// The blocks of the first chunk. Chunks double until the longest, so that small statements waste little.
const FIRST_CHUNK: usize = 8;
/// The blocks of the longest chunk: its columns and rows fit in the second-level cache together.
pub const LONGEST_CHUNK: usize = 64;

/// The rows of the longest chunk.
pub const LONGEST: usize = BLOCK * LONGEST_CHUNK;

/// The chunks that are shorter than the longest.
pub const RAMP: u64 = 2 + (LONGEST_CHUNK / FIRST_CHUNK).ilog2() as u64 - 1;

/// The rows of the chunk after `drawn` rows, where no number of them is expected.
pub const fn next(drawn: usize) -> usize {
    let first = BLOCK * FIRST_CHUNK;
    if drawn < first {
        first
    } else if drawn < LONGEST {
        drawn
    } else {
        LONGEST
    }
}

/// The depth of the trees: more leaves, less traffic, more work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// 32 trees of 16 leaves: 31 bits and 4 AES per row. Half of both where rows have 64 bits.
    Four,
    /// 16 trees of 256 leaves: 15 bits and 32 AES per row. Half of both where rows have 64 bits.
    Eight,
}

impl Depth {
    /// k, the depth of a tree.
    pub const fn bits(self) -> usize {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
        }
    }

    /// τ, the number of trees, for rows of so many bits.
    pub const fn trees(self, columns: usize) -> usize {
        columns / self.bits()
    }

    /// The statistical security of the consistency check for one transcript, in bits: log2(2^128 / C(τ,2)), for rows
    /// of 128 bits. Shorter ones have no less.
    pub fn security(self) -> f64 {
        let trees = self.trees(F128::COLUMNS) as f64;
        128.0 - (trees * (trees - 1.0) / 2.0).log2()
    }
}

/// A row, with a bit for each bit of Δ.
pub trait Row: bits::Row + Into<U256> {
    /// Bit 0 of Δ.
    const LOWEST: F2;
    /// Whether rows are too short, as MACs, for challenges of the transcript: these are coins then.
    const COINS: bool;
}

impl Row for F128 {
    const LOWEST: F2 = F2::ONE;
    const COINS: bool = false;
}

impl Row for F64 {
    const LOWEST: F2 = F2::ZERO;
    const COINS: bool = true;
}

/// The leaves and their running counter, which both parties advance alike. It is not `Clone`: the output of
/// each block number is used once. Chunks that were expanded ahead of a check are discarded, and expanded
/// again after it.
struct Expansion<R> {
    leaves: Arc<Leaves>,
    /// The next block number.
    block: u64,
    /// The length of the next chunk in blocks, where as many are still expected.
    chunk: usize,
    /// The block number after which no more blocks are expected. Once it is reached, any number may follow.
    expected: u64,
    pool: Pool,
    /// Tasks for chunks of the longest kind, from the next block on.
    growing: Tasks<Chunk>,
    folding: Tasks<ColumnSums>,
    spare: Spare<Chunk>,
    /// Σ χ·column over all chunks since the last check, for each column.
    sums: ColumnSums,
    checks: u64,
    row: PhantomData<R>,
}

/// The end of the transfers that a party has.
#[derive(Clone, Copy)]
enum Role {
    /// Bit 0 of its rows is u, and it corrects.
    Receiver,
    /// Bit 0 of its rows is zero.
    Sender,
}

/// The leaves of all trees, from which chunks are expanded.
struct Leaves {
    arch: Arch,
    depth: Depth,
    sid: [u8; 32],
    leaves: pprf::Leaves,
    /// The end that expands them.
    role: Role,
}

/// An element for each column.
type ColumnSums = Zeroizing<Vec<F128>>;

/// A chunk, and memory for another.
struct Chunk {
    /// τ totals u_i, one after the other.
    totals: Zeroizing<Vec<F128>>,
    /// The columns, one after the other, but in the place of the first bit 0 of each row.
    columns: Zeroizing<Vec<F128>>,
    /// The first column.
    first: Zeroizing<Vec<F128>>,
    /// The corrections d_i, one after the other, as they are sent. Where they never are, what they hide is used for
    /// nothing.
    corrections: Message,
}

/// Rows, one after the other.
type Rows<R> = Zeroizing<Vec<R>>;

/// A block of all columns at a time, in the first-level cache.
const TILE: usize = 8;

impl Chunk {
    /// The blocks.
    fn blocks(&self) -> usize {
        self.first.len()
    }

    /// Computes d_i = u ⊕ u_i for all trees but the first.
    fn correct(&mut self) {
        let (u, others) = self.totals.split_at(self.blocks());
        let mut bytes = Vec::from(mem::take(&mut self.corrections));
        bytes.resize(16 * others.len(), 0);
        let words = bytes.as_chunks_mut().0.chunks_exact_mut(u.len());
        for (words, total) in words.zip(others.chunks_exact(u.len())) {
            for ((word, total), u) in words.iter_mut().zip(total).zip(u) {
                *word = (*total ^ *u).to_bytes();
            }
        }
        self.corrections = bytes.into();
    }

    /// The corrections d_i of tree `tree`, unless it is the first: those of blocks `blocks`.
    fn corrections_of(&self, tree: usize, blocks: Range<usize>) -> Option<impl Iterator<Item = F128>> {
        let words = &self.corrections.bytes().as_chunks().0[tree.checked_sub(1)? * self.blocks()..];
        Some(words[blocks].iter().map(|word| F128::from_bytes(*word)))
    }

    /// Transposes the columns into rows.
    fn transpose<R: Row>(&self, arch: Arch, rows: &mut [R]) {
        R::transpose(arch, &self.columns, rows);
    }

    /// The columns as they are checked, hashed.
    fn fold(&self, arch: Arch, chi: &[F128]) -> ColumnSums {
        let others = self.columns.chunks_exact(self.blocks()).skip(1);
        let columns = iter::once(&self.first[..]).chain(others);
        Zeroizing::new(columns.map(|column| dot(arch, chi, column)).collect())
    }
}

// A sender's, under Δ, of which each tree has k bits.
impl Chunk {
    /// Transposes the columns p, each with Δ_p·d_i of its tree added, into rows.
    fn transpose_corrected<R: Row>(&self, arch: Arch, (delta, k): (&U256, usize), rows: &mut [R]) {
        let blocks = self.blocks();
        let mut tile = Zeroizing::new(Vec::with_capacity(R::COLUMNS * TILE));
        for (start, rows) in (0..blocks).step_by(TILE).zip(rows.chunks_mut(BLOCK * TILE)) {
            let range = start..blocks.min(start + TILE);
            tile.clear();
            for (p, column) in self.columns.chunks_exact(blocks).enumerate() {
                let column = &column[range.clone()];
                match self.corrections_of(p / k, range.clone()) {
                    None => tile.extend_from_slice(column),
                    Some(d) => {
                        let mask = column_mask(delta, p);
                        tile.extend(column.iter().zip(d).map(|(w, d)| F128(w.0 ^ d.0 & mask)));
                    }
                }
            }
            R::transpose(arch, &tile, rows);
        }
    }

    /// The columns as they are checked, each with Δ_p·d_i of its tree added, hashed.
    fn fold_corrected(&self, arch: Arch, (delta, k): (&U256, usize), chi: &[F128]) -> ColumnSums {
        let mut sums = self.fold(arch, chi);
        for (tree, sums) in sums.chunks_exact_mut(k).enumerate() {
            let Some(d) = self.corrections_of(tree, 0..self.blocks()) else { continue };
            let d = dot(arch, chi, &d.collect::<Vec<_>>());
            for (m, sum) in sums.iter_mut().enumerate() {
                sum.0 ^= d.0 & column_mask(delta, tree * k + m);
            }
        }
        sums
    }
}

/// All ones where bit p of Δ is one, zero where it is zero.
fn column_mask(delta: &U256, p: usize) -> u128 {
    F2::low_bit(delta.low() >> p).mask()
}

/// The name of the challenge after the corrections of a chunk.
const OF_CHUNK: &str = "softspoken chunk";

/// The coefficients χ of the blocks of a chunk, from the transcript's challenge after its corrections.
fn coefficients(arch: Arch, challenge: &[u8; 32], blocks: usize) -> Vec<F128> {
    let mut chi = vec![F128::ZERO; blocks];
    Prg::new(arch, Seed::of_challenge(challenge)).fill(&mut chi);
    chi
}

/// Gives back the memory of a chunk, if nobody else has it.
fn give_back(chunk: Arc<Chunk>, spare: &Spare<Chunk>) {
    if let Some(chunk) = Arc::into_inner(chunk) {
        spare.give(chunk);
    }
}

impl Leaves {
    /// Expands the `blocks` blocks from number `first` on.
    fn expand(&self, first: u64, blocks: usize, chunk: &mut Chunk) {
        let k = self.depth.bits();
        let trees = self.leaves.len() >> k;
        chunk.totals.resize(trees * blocks, F128::ZERO);
        chunk.columns.resize(trees * k * blocks, F128::ZERO);
        let digest = Digest::new("volery softspoken v1, expansion keys").field(&self.sid).number(first);
        let mut keys = vec![F128::ZERO; trees];
        Prg::new(self.arch, F128::from_bytes(digest.finish())).fill(&mut keys);
        let parts = chunk.totals.chunks_exact_mut(blocks).zip(chunk.columns.chunks_exact_mut(k * blocks));
        for ((leaves, key), (total, columns)) in self.leaves.chunks_exact(1 << k).zip(keys).zip(parts) {
            fold_leaves(&Aes128::new(self.arch, key), leaves, first.into(), total, columns);
        }
        let lowest = &mut chunk.columns[..blocks];
        chunk.first.resize(blocks, F128::ZERO);
        chunk.first.copy_from_slice(lowest);
        match self.role {
            Role::Receiver => {
                lowest.copy_from_slice(&chunk.totals[..blocks]);
                chunk.correct();
            }
            Role::Sender => lowest.fill(F128::ZERO),
        }
    }
}

impl<R: Row> Expansion<R> {
    fn new(channel: &mut Channel, arch: Arch, depth: Depth, (role, leaves): (Role, pprf::Leaves)) -> Self {
        Self::of(arch, depth, channel.checkpoint("softspoken"), (role, leaves))
    }

    fn of(arch: Arch, depth: Depth, sid: [u8; 32], (role, leaves): (Role, pprf::Leaves)) -> Self {
        Self {
            leaves: Arc::new(Leaves { arch, depth, sid, leaves, role }),
            block: 0,
            chunk: FIRST_CHUNK,
            expected: 0,
            pool: Pool::default(),
            growing: Tasks::default(),
            folding: Tasks::default(),
            spare: Spare::default(),
            sums: Zeroizing::new(vec![F128::ZERO; R::COLUMNS]),
            checks: 0,
            row: PhantomData,
        }
    }

    fn arch(&self) -> Arch {
        self.leaves.arch
    }

    /// Blocks of the next chunk: as many as all before, up to the longest, and up to the last expected.
    fn next_chunk(&mut self) -> usize {
        let blocks = self.chunk;
        if self.block >= blocks as u64 {
            self.chunk = (2 * blocks).min(LONGEST_CHUNK);
        }
        match self.expected.saturating_sub(self.block) {
            0 => blocks,
            left => blocks.min(usize::try_from(left).unwrap_or(usize::MAX)),
        }
    }

    fn expect(&mut self, rows: u64) {
        self.expected = self.block + rows.div_ceil(BLOCK as u64);
    }

    /// Starts a task that expands the `blocks` blocks from number `first` on.
    fn begin(&mut self, first: u64, blocks: usize) -> Task<Chunk> {
        let mut chunk = self.spare.take().unwrap_or_else(|| Chunk {
            totals: Zeroizing::new(Vec::with_capacity(self.leaves.depth.trees(R::COLUMNS) * LONGEST_CHUNK)),
            columns: Zeroizing::new(Vec::with_capacity(R::COLUMNS * LONGEST_CHUNK)),
            first: Zeroizing::new(Vec::with_capacity(LONGEST_CHUNK)),
            corrections: Message::default(),
        });
        let leaves = self.leaves.clone();
        self.pool.run(move || {
            leaves.expand(first, blocks, &mut chunk);
            chunk
        })
    }

    /// Expands the next `blocks` blocks.
    fn expand(&mut self, blocks: usize) -> Chunk {
        if blocks != LONGEST_CHUNK {
            // What was begun of these blocks is no part of anything, and forgotten.
            self.growing = Tasks::default();
        }
        if self.growing.len() == 0 {
            let next = self.begin(self.block, blocks);
            self.growing.push(next);
        }
        let chunk = self.growing.next().expect("begun");
        self.block += blocks as u64;
        while blocks == LONGEST_CHUNK && self.growing.len() < self.pool.ahead() {
            let following = self.begin(self.block + (self.growing.len() * blocks) as u64, blocks);
            self.growing.push(following);
        }
        chunk
    }

    /// Has a chunk transposed into rows by `transpose`. `rows` is memory for them.
    fn transpose(
        &self,
        chunk: Arc<Chunk>,
        mut rows: Rows<R>,
        transpose: impl FnOnce(&Chunk, Arch, &mut [R]) + Send + 'static,
    ) -> (usize, Task<Rows<R>>) {
        let (arch, spare, length) = (self.arch(), self.spare.clone(), BLOCK * chunk.blocks());
        let transposing = self.pool.run(move || {
            resize(&mut rows, length);
            transpose(&chunk, arch, &mut rows);
            give_back(chunk, &spare);
            rows
        });
        (length, transposing)
    }

    /// Has a chunk hashed by `fold`, and adds that to the columns' hashes.
    fn fold(&mut self, chunk: Arc<Chunk>, fold: impl FnOnce(&Chunk, Arch) -> ColumnSums + Send + 'static) {
        let (arch, spare) = (self.arch(), self.spare.clone());
        self.folding.push(self.pool.run(move || {
            let folded = fold(&chunk, arch);
            give_back(chunk, &spare);
            folded
        }));
        self.gather(self.pool.ahead());
    }

    /// Adds the hashes of finished chunks, until `ahead` tasks are left.
    fn gather(&mut self, ahead: usize) {
        while let Some(folded) = self.folding.next_beyond(ahead) {
            self.sums.iter_mut().zip(&*folded).for_each(|(sum, folded)| *sum += *folded);
        }
    }

    /// Ends a check: takes the columns' hashes, and starts the next.
    fn take_sums(&mut self) -> ColumnSums {
        self.gather(0);
        self.checks += 1;
        mem::replace(&mut self.sums, Zeroizing::new(vec![F128::ZERO; R::COLUMNS]))
    }

    /// The digest of the columns' hashes in this check.
    fn digest(&self, sums: &[F128]) -> [u8; 32] {
        let sid = &self.leaves.sid;
        let digest = Digest::new("volery softspoken v1, check").field(sid).number(self.checks);
        let mut bytes: Zeroizing<Vec<u8>> = Zeroizing::new(Vec::with_capacity(16 * sums.len()));
        bytes.extend(sums.iter().flat_map(|sum| sum.to_bytes()));
        digest.field(&bytes).finish()
    }
}

const IN_ORDER: &str = "what was drawn early is sent before anything else";

/// The receiver of correlated transfers: bits and rows.
pub struct Receiver<R: Row = F128> {
    expansion: Expansion<R>,
    /// Chunks whose corrections are still to be sent.
    unsent: VecDeque<Arc<Chunk>>,
    /// Σ χ·u over all chunks since the last check.
    sum: F128,
}

impl<R: Row> Receiver<R> {
    /// Sets up: base transfers as their sender, then the trees as their dealer.
    ///
    /// # Errors
    /// `Misbehaved` where the peer breaks the base transfers; link errors.
    pub fn new(channel: &mut Channel, arch: Arch, depth: Depth, random: &mut Random) -> Result<Self> {
        let pairs = base::send(channel, R::COLUMNS, random)?;
        Self::over(channel, arch, depth, &pairs)
    }

    /// Sets up over base transfers whose sender this party was.
    ///
    /// # Errors
    /// Link errors.
    pub(super) fn over(channel: &mut Channel, arch: Arch, depth: Depth, pairs: &base::Pairs) -> Result<Self> {
        let leaves = pprf::deal(channel, pairs, depth.bits())?;
        Ok(Self::of(Expansion::new(channel, arch, depth, (Role::Receiver, leaves))))
    }

    fn of(expansion: Expansion<R>) -> Self {
        Self { expansion, unsent: VecDeque::new(), sum: F128::ZERO }
    }

    /// Hands out to `pool`, from here on, all work that can be shared.
    pub fn share_work(&mut self, pool: &Pool) {
        self.expansion.pool = pool.clone();
    }

    /// Announces that no more than `rows` rows are expected from here on, so that chunks are no longer than
    /// that.
    pub fn expect(&mut self, rows: u64) {
        self.expansion.expect(rows);
    }

    /// The rows that are best drawn before anything is sent for them.
    pub(crate) fn early(&self) -> usize {
        LONGEST * self.expansion.pool.ahead()
    }

    /// The rows t of the next chunk, their bits u in bit 0.
    ///
    /// # Errors
    /// Link errors.
    pub fn extend(&mut self, channel: &mut Channel, rows: &mut Rows<R>) -> Result<()> {
        *rows = self.begin(channel, mem::take(rows))?.1.wait();
        Ok(())
    }

    /// Sends what belongs to the next chunk, and gives the number of its rows, and a task that makes them in
    /// `rows`.
    ///
    /// # Errors
    /// Link errors.
    ///
    /// # Panics
    /// Where chunks were drawn before, and not sent.
    pub(crate) fn begin(&mut self, channel: &mut Channel, rows: Rows<R>) -> Result<(usize, Task<Rows<R>>)> {
        assert!(self.unsent.is_empty(), "{IN_ORDER}");
        let drawn = self.draw(rows);
        self.send(channel)?;
        Ok(drawn)
    }

    /// Draws the next chunk, and gives the number of its rows, and a task that makes them in `rows`. What belongs to
    /// it is still to be [sent](Self::send).
    pub(crate) fn draw(&mut self, rows: Rows<R>) -> (usize, Task<Rows<R>>) {
        let blocks = self.expansion.next_chunk();
        let chunk = Arc::new(self.expansion.expand(blocks));
        self.unsent.push_back(chunk.clone());
        self.expansion.transpose(chunk, rows, Chunk::transpose)
    }

    /// Sends what belongs to the first chunk that was drawn and for which nothing was sent yet.
    ///
    /// # Errors
    /// Link errors.
    ///
    /// # Panics
    /// Where there is none.
    pub(crate) fn send(&mut self, channel: &mut Channel) -> Result<()> {
        let chunk = self.unsent.pop_front().expect("a chunk that was drawn");
        let chi = self.correct(channel, &chunk)?;
        self.add(chi, chunk);
        Ok(())
    }

    /// Sends a chunk's corrections, and gives its coefficients in the check.
    fn correct(&self, channel: &mut Channel, chunk: &Chunk) -> Result<Vec<F128>> {
        channel.send_message(&chunk.corrections)?;
        let challenge = channel.challenge(Party::Prover, OF_CHUNK);
        Ok(coefficients(self.expansion.arch(), &challenge, chunk.blocks()))
    }

    /// Adds a chunk to the check.
    fn add(&mut self, chi: Vec<F128>, chunk: Arc<Chunk>) {
        self.sum += dot(self.expansion.arch(), &chi, &chunk.totals[..chi.len()]);
        self.expansion.fold(chunk, move |chunk, arch| chunk.fold(arch, &chi));
    }

    /// Proves that all rows so far are consistent; the rows themselves stay as they are.
    ///
    /// # Errors
    /// Link errors.
    ///
    /// # Panics
    /// Where chunks were drawn, and not sent.
    pub fn check(&mut self, channel: &mut Channel) -> Result<()> {
        assert!(self.unsent.is_empty(), "{IN_ORDER}");
        let mask = self.expansion.expand(1);
        let chi = self.correct(channel, &mask)?;
        self.add(chi, mask.into());
        let x = mem::take(&mut self.sum);
        let sums = self.expansion.take_sums();
        channel.send_words(&[x])?;
        channel.send(&self.expansion.digest(&sums))
    }
}

impl<R: Row> Drop for Receiver<R> {
    fn drop(&mut self) {
        self.sum.zeroize();
    }
}

/// The sender of correlated transfers: Δ and rows.
pub struct Sender<R: Row = F128> {
    expansion: Expansion<R>,
    delta: Arc<Zeroizing<U256>>,
    /// Chunks that are to be added to the check, each with the challenge that its coefficients come from.
    unfolded: VecDeque<(Arc<Chunk>, Deferred)>,
}

impl<R: Row> Sender<R> {
    /// Sets up: base transfers as their receiver, then the trees as their puncturer.
    ///
    /// # Errors
    /// `Misbehaved` where the peer breaks the base transfers or the trees; link errors.
    ///
    /// # Panics
    /// Where bit 0 of `delta` is not [`Row::LOWEST`].
    pub fn new(
        channel: &mut Channel,
        arch: Arch,
        depth: Depth,
        delta: R,
        random: &mut Random,
    ) -> Result<Self> {
        let choices = choices(delta, depth);
        let keys = base::receive(channel, *choices, R::COLUMNS, random)?;
        Self::over(channel, arch, depth, delta, &keys)
    }

    /// Sets up over base transfers whose receiver this party was, with the choices that
    /// [`pprf::choices_among`] names.
    ///
    /// # Errors
    /// As for [`Sender::new`].
    ///
    /// # Panics
    /// As for [`Sender::new`].
    pub(super) fn over(
        channel: &mut Channel,
        arch: Arch,
        depth: Depth,
        delta: R,
        keys: &base::Chosen,
    ) -> Result<Self> {
        let (delta, k) = (checked(delta), depth.bits());
        let mut leaves = pprf::puncture(channel, keys, *delta, k)?;
        for (i, leaves) in leaves.chunks_exact_mut(1 << k).enumerate() {
            shift(leaves, pprf::slice(*delta, i, k));
        }
        Ok(Self::of(Expansion::new(channel, arch, depth, (Role::Sender, leaves)), delta))
    }

    fn of(expansion: Expansion<R>, delta: Zeroizing<U256>) -> Self {
        Self { expansion, delta: delta.into(), unfolded: VecDeque::new() }
    }

    /// Hands out to `pool`, from here on, all work that can be shared.
    pub fn share_work(&mut self, pool: &Pool) {
        self.expansion.pool = pool.clone();
    }

    /// Announces that no more than `rows` rows are expected from here on, as the receiver does.
    pub fn expect(&mut self, rows: u64) {
        self.expansion.expect(rows);
    }

    /// The rows q of the next chunk.
    ///
    /// # Errors
    /// Link errors.
    pub fn extend(&mut self, channel: &mut Channel, rows: &mut Rows<R>) -> Result<()> {
        *rows = self.begin(channel, mem::take(rows))?.1.wait();
        Ok(())
    }

    /// Receives what belongs to the next chunk, and gives the number of its rows, and a task that makes them
    /// in `rows`.
    ///
    /// # Errors
    /// Link errors.
    pub(crate) fn begin(&mut self, channel: &mut Channel, rows: Rows<R>) -> Result<(usize, Task<Rows<R>>)> {
        let blocks = self.expansion.next_chunk();
        let chunk = self.chunk(channel, blocks)?;
        let (delta, k) = (self.delta.clone(), self.expansion.leaves.depth.bits());
        Ok(self.expansion.transpose(chunk, rows, move |chunk, arch, rows| {
            chunk.transpose_corrected(arch, (&delta, k), rows);
        }))
    }

    /// Expands a chunk, and receives its corrections. It is added to the check once the challenge after them is drawn:
    /// not before tasks have made the digests of all corrections up to its own.
    fn chunk(&mut self, channel: &mut Channel, blocks: usize) -> Result<Arc<Chunk>> {
        let mut chunk = self.expansion.expand(blocks);
        let depth = self.expansion.leaves.depth;
        let corrections = 16 * (depth.trees(R::COLUMNS) - 1) * blocks;
        let memory = Vec::from(mem::take(&mut chunk.corrections));
        chunk.corrections = channel.recv_message(corrections, memory)?;
        let chunk = Arc::new(chunk);
        self.unfolded.push_back((chunk.clone(), channel.defer_challenge(OF_CHUNK)));
        while self.unfolded.front().is_some_and(|(_, challenge)| challenge.get().is_some()) {
            self.fold_first(channel);
        }
        Ok(chunk)
    }

    /// Adds the first chunk that is not folded to the check, by the challenge after its corrections.
    fn fold_first(&mut self, channel: &mut Channel) {
        let (chunk, challenge) = self.unfolded.pop_front().expect("a chunk");
        let challenge = channel.draw(&challenge);
        let (delta, k) = (self.delta.clone(), self.expansion.leaves.depth.bits());
        self.expansion.fold(chunk, move |chunk, arch| {
            let chi = coefficients(arch, &challenge, chunk.blocks());
            chunk.fold_corrected(arch, (&delta, k), &chi)
        });
    }

    /// Checks that all rows so far are consistent, and gives the sender back where they are.
    ///
    /// # Errors
    /// `Misbehaved` where they are not, and Δ must not be used again; link errors.
    pub fn check(mut self, channel: &mut Channel) -> Result<Self> {
        self.chunk(channel, 1)?;
        while !self.unfolded.is_empty() {
            self.fold_first(channel);
        }
        let mut sums = self.expansion.take_sums();
        let mut x = [F128::ZERO];
        channel.recv_words(&mut x)?;
        let expected: [u8; 32] = channel.recv_array()?;
        for (p, sum) in sums.iter_mut().enumerate() {
            sum.0 ^= x[0].0 & column_mask(&self.delta, p);
        }
        if verdict(self.expansion.digest(&sums).ct_eq(&expected)) {
            Ok(self)
        } else {
            Err(Error::Misbehaved(Misbehaviour::CorrelatedTransfers))
        }
    }
}

/// Δ, whose bit 0 is as it must be, before a byte is sent for it.
fn checked<R: Row>(delta: R) -> Zeroizing<U256> {
    let delta: Zeroizing<U256> = Zeroizing::new(delta.into());
    assert!(F2::low_bit(delta.low()) == R::LOWEST, "bit 0 of Δ must be {}", R::LOWEST.to_word());
    delta
}

/// The choices of the base transfers.
fn choices<R: Row>(delta: R, depth: Depth) -> Zeroizing<U256> {
    Zeroizing::new(pprf::choices_among(*checked(delta), depth.bits(), R::COLUMNS))
}

/// Makes `rows` as long as `length`. Where that moves it, its old memory is wiped.
fn resize<R: Row>(rows: &mut Rows<R>, length: usize) {
    if rows.capacity() < length {
        *rows = Zeroizing::new(Vec::with_capacity(length));
    }
    rows.resize(length, R::default());
}

/// Moves the leaf at y to y ⊕ `alpha`, in time that does not depend on `alpha`.
fn shift(leaves: &mut [F128], alpha: u64) {
    for m in 0..leaves.len().ilog2() {
        let mask = F2::low_bit((alpha >> m).into()).mask();
        for y in (0..leaves.len()).filter(|y| y >> m & 1 == 0) {
            let swap = F128((leaves[y].0 ^ leaves[y | 1 << m].0) & mask);
            leaves[y] ^= swap;
            leaves[y | 1 << m] ^= swap;
        }
    }
}

#[cfg(test)]
mod tests;
