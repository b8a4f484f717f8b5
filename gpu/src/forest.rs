//! Trees of the extension: grown in the card's memory, where their leaves stay for the iteration.

use crate::card::Gpu;
use crate::expand::{Iteration, Keys, SHARE};
use crate::memory::{Memory, Reading};
use std::sync::Arc;
use volery_channel::error::Result;
use volery_primitives::F128;
use volery_primitives::prg::Seed;
use volery_vole::vole::device::{Forest, Growing, Held, Trees, Weighed};
use volery_vole::vole::lpn::{Params, TILE};
use zeroize::Zeroizing;

/// The tiles whose leaves are in one piece of memory: 64 MB, as cards with small buffers have them. In tests few, so that there
/// are seams.
pub(crate) const TILES: usize = if cfg!(test) { 16 } else { 1024 };

/// The tiles that are grown or weighed at a time, of one piece.
const AT_ONCE: usize = if cfg!(test) { 5 } else { 512 };

/// The bytes of the round keys of a bit-sliced cipher.
pub(crate) const EXPANDED: u64 = 22 * SHARE;

/// The keys of trees as such: of the keys of hashes, and of the verifier's roots.
const KEYS: u64 = 2;

/// The leaves of tiles, piece by piece.
pub(crate) struct Leaves(pub(crate) Vec<Memory>);

/// Trees on the card.
pub(crate) struct Grown {
    gpu: Arc<Gpu>,
    params: Params,
    party: PartyTrees,
    leaves: Leaves,
    /// The keys of the trees, and those of the levels of some tiles.
    keys: Memory,
    /// The tiles that have grown, and that are weighed.
    grown: usize,
    weighed: usize,
    check: Check,
}

/// The trees of one party.
enum PartyTrees {
    Roots { salt: u64, delta: Memory, sums: Memory, reading: Option<Reading> },
    Paths { siblings: Memory, sides: Memory, open: bool },
}

/// The memory of the check: coefficients of some tiles, and the sums of all.
struct Check {
    seeds: Keys,
    chi: Memory,
    sums: Memory,
    reading: Option<Reading>,
}

impl Grown {
    /// Trees that grow as far as they can.
    pub(crate) fn new(gpu: &Arc<Gpu>, forest: &Forest<'_>) -> Result<Self> {
        let Params { trees, depth, .. } = forest.params;
        let (tiles, all) = (forest.params.tiles(), forest.params.trees as u64 * depth as u64);
        let mut seed = F128(0);
        let party = match forest.trees {
            Trees::Roots { seed: secret, salt, delta } => {
                seed = *secret;
                let delta = Memory::with_elements(gpu, core::slice::from_ref(delta))?;
                PartyTrees::Roots { salt, delta, sums: Memory::new(gpu, SHARE * all)?, reading: None }
            }
            Trees::Paths { siblings, sides } => {
                let siblings = Memory::with_elements(gpu, siblings)?;
                PartyTrees::Paths { siblings, sides: Memory::with(gpu, sides)?, open: true }
            }
            Trees::Closed => {
                let siblings = Memory::new(gpu, SHARE * (all + trees as u64))?;
                PartyTrees::Paths { siblings, sides: Memory::new(gpu, 4 * trees as u64)?, open: false }
            }
        };
        let pieces = (0..tiles).step_by(TILES).map(|first| (tiles - first).min(TILES) * TILE);
        let leaves = pieces.map(|leaves| Memory::new(gpu, SHARE * leaves as u64)).collect::<Result<_>>()?;
        let some = tiles.min(AT_ONCE);
        let keys = Memory::new(gpu, EXPANDED * (KEYS + (some * (depth - 1)) as u64))?;
        expand_keys(gpu, &keys, &*Zeroizing::new([forest.key, seed]))?;
        let check = Check {
            seeds: Keys::of_seeds(gpu, some)?,
            chi: Memory::new(gpu, SHARE * (some * TILE) as u64)?,
            sums: Memory::new(gpu, 2 * SHARE * tiles as u64)?,
            reading: None,
        };
        let (gpu, params, leaves) = (gpu.clone(), forest.params, Leaves(leaves));
        let mut grown = Self { gpu, params, party, leaves, keys, grown: 0, weighed: 0, check };
        if !matches!(grown.party, PartyTrees::Paths { open: false, .. }) {
            grown.grow(tiles);
        }
        if let PartyTrees::Roots { sums, reading, .. } = &mut grown.party {
            let all = [(&**sums, 0, sums.size())];
            *reading = Some(Reading::begin(&grown.gpu, grown.gpu.encoder(), &all));
        }
        Ok(grown)
    }

    /// Grows the tiles before number `end`.
    fn grow(&mut self, end: usize) {
        while self.grown < end {
            let count = pieces(self.grown, end);
            let mut encoder = self.gpu.encoder();
            self.grow_some(&mut encoder, count);
            self.gpu.submit(encoder);
            self.grown += count;
        }
    }

    /// Has the next tile to grow be the first.
    pub(crate) fn begin_again(&mut self) {
        self.grown = 0;
    }

    /// Grows the next so many tiles, which are of one piece.
    pub(crate) fn grow_some(&self, encoder: &mut wgpu::CommandEncoder, count: usize) {
        let (gpu, kernels) = (&self.gpu, &self.gpu.kernels);
        let (depth, width) = (self.params.depth, self.params.trees_per_tile());
        let levels = depth - 1;
        let [piece, to] = [self.grown / TILES, self.grown % TILES * TILE];
        let parameters = [count, self.grown, levels, KEYS as usize].map(|number| number as u32);
        let groups = (count * levels).div_ceil(128);
        kernels.level_keys.run(gpu, encoder, groups, &parameters, &[(1, &*self.keys)]);
        let [first, width, depth, to] = [self.grown, width, depth, to].map(|number| number as u32);
        let all = [(1, &*self.keys), (2, &*self.leaves.0[piece])];
        let (kernel, [low, high, opens], buffers) = match &self.party {
            PartyTrees::Roots { salt, delta, sums, .. } => {
                let salt = [*salt as u32, (salt >> 32) as u32];
                (&kernels.verifier_trees, [salt[0], salt[1], 0], [(3, &**sums), (4, &**delta)])
            }
            PartyTrees::Paths { siblings, sides, open } => {
                (&kernels.prover_trees, [0, 0, u32::from(!open)], [(3, &**siblings), (4, &**sides)])
            }
        };
        let parameters = [first, width, depth, to, low, high, KEYS as u32, opens];
        kernel.run(gpu, encoder, count, &parameters, &[all, buffers].concat());
    }
}

/// How many tiles are done at a time, of those from number `first` to `end`: they are of one piece.
fn pieces(first: usize, end: usize) -> usize {
    (end - first).min(AT_ONCE).min(TILES - first % TILES)
}

/// These keys, expanded for ciphers that are bit-sliced.
pub(crate) fn expanded(gpu: &Arc<Gpu>, keys: &[F128]) -> Result<Memory> {
    let memory = Memory::new(gpu, EXPANDED * keys.len() as u64)?;
    expand_keys(gpu, &memory, keys)?;
    Ok(memory)
}

/// Expands these keys, bit-sliced, into the first of `to`.
fn expand_keys(gpu: &Arc<Gpu>, to: &Memory, keys: &[F128]) -> Result<()> {
    let raw = Memory::with_elements(gpu, keys)?;
    let mut encoder = gpu.encoder();
    let buffers = [(1, &**to), (2, &*raw)];
    gpu.kernels.expand_keys.run(gpu, &mut encoder, 1, &[keys.len() as u32, 0, 0, 0], &buffers);
    gpu.submit(encoder);
    Ok(())
}

impl Growing for Grown {
    fn sums(&mut self) -> Result<Zeroizing<Vec<F128>>> {
        let PartyTrees::Roots { reading, .. } = &mut self.party else { unreachable!("a verifier's trees") };
        reading.take().expect("sums that were not asked for yet").wait_for_elements()
    }

    fn open(&mut self, sums: &[F128], sides: &[u32]) -> Result<()> {
        let PartyTrees::Paths { siblings, sides: all, open: false } = &self.party else {
            unreachable!("a prover's trees, whose siblings are not known yet")
        };
        let (width, depth) = (self.params.trees_per_tile(), self.params.depth);
        // A place is left in each tile for the leaves on the paths.
        let mut placed = Zeroizing::new(Vec::with_capacity(sums.len() / depth * (depth + 1)));
        for sums in sums.chunks(width * depth) {
            placed.extend_from_slice(sums);
            placed.extend(core::iter::repeat_n(F128(0), width));
        }
        let first = (self.grown * width) as u64;
        siblings.write_elements(SHARE * first * (depth as u64 + 1), &placed);
        all.write(4 * first, sides);
        self.grow(self.grown + sides.len() / width);
        Ok(())
    }

    fn weigh(&mut self, seeds: &[Seed]) -> Result<()> {
        let (gpu, Check { seeds: keys, chi, sums, .. }) = (&self.gpu, &self.check);
        let mut seeds = seeds;
        while !seeds.is_empty() {
            let count = pieces(self.weighed, self.weighed + seeds.len());
            let (some, others) = seeds.split_at(count);
            let mut encoder = gpu.encoder();
            keys.generate(gpu, &mut encoder, (some, TILE), chi);
            let leaves = &self.leaves.0[self.weighed / TILES];
            let parameters = [(self.weighed % TILES) as u32, self.weighed as u32];
            let buffers = [(1, &**leaves), (2, &**chi), (3, &**sums)];
            gpu.kernels.weigh.run(gpu, &mut encoder, count, &parameters, &buffers);
            gpu.submit(encoder);
            self.weighed += count;
            seeds = others;
        }
        if self.weighed == self.params.tiles() {
            let mut pieces = vec![(&**sums, 0, sums.size())];
            if let PartyTrees::Paths { siblings, .. } = &self.party {
                pieces.push((siblings, 0, siblings.size()));
            }
            self.check.reading = Some(Reading::begin(gpu, gpu.encoder(), &pieces));
        }
        Ok(())
    }

    fn weighed(&mut self) -> Result<Weighed> {
        let mut read = self.check.reading.take().expect("all tiles weighed").wait_for_elements()?;
        let siblings = Zeroizing::new(read.split_off(2 * self.params.tiles()));
        let (mut leaves, mut values) = (Zeroizing::new(F128(0)), Zeroizing::new(F128(0)));
        for tile in read.chunks_exact(2) {
            *leaves += tile[0];
            *values += tile[1];
        }
        Ok(Weighed { leaves, values, siblings })
    }

    fn hold(self: Box<Self>, matrix: F128, table: &[F128]) -> Result<Arc<dyn Held>> {
        assert_eq!(self.grown, self.params.tiles(), "all trees have grown");
        Ok(Arc::new(Iteration::new(&self.gpu, self.params, self.leaves, (matrix, table))?))
    }
}
