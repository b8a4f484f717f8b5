//! Tiles of the extension: an iteration in the card's memory, and its rows.

use crate::card::Gpu;
use crate::memory::Memory;
use core::any::Any;
use core::ops::Range;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_primitives::F128;
use volery_vole::vole::device::{Held, Origin, Tile, Trees};
use volery_vole::vole::lpn::{Params, TILE};
use zeroize::Zeroizing;

/// The bytes of a share, of a key, and of an expanded key.
pub(crate) const SHARE: u64 = 16;
const EXPANDED: u64 = 22 * SHARE;

/// The keys of an iteration: of the code's matrix, of the keys of hashes, and of the verifier's roots.
const KEYS: u64 = 3;

/// The words of these elements, for the card.
pub(crate) fn words(elements: &[F128]) -> Zeroizing<Vec<u128>> {
    Zeroizing::new(elements.iter().map(|element| element.to_word()).collect())
}

/// An iteration as the card holds it.
pub(crate) struct Iteration {
    params: Params,
    /// Expanded.
    keys: Memory,
    table: Memory,
    trees: Planted,
}

enum Planted {
    Roots { salt: u64, delta: Memory },
    Paths { siblings: Memory, sides: Memory },
}

impl Held for Iteration {}

impl Iteration {
    pub(crate) fn new(gpu: &Arc<Gpu>, origin: &Origin) -> Result<Self> {
        let (trees, seed) = match origin.trees {
            Trees::Roots { seed, salt, delta } => {
                let delta = Memory::with(gpu, &words(core::slice::from_ref(delta)))?;
                (Planted::Roots { salt, delta }, seed)
            }
            Trees::Paths { siblings, sides } => {
                let siblings = Memory::with(gpu, &words(siblings))?;
                (Planted::Paths { siblings, sides: Memory::with(gpu, sides)? }, &F128(0))
            }
        };
        let keys = Zeroizing::new(vec![origin.matrix, origin.forest, *seed]);
        let keys = expanded(gpu, &keys)?;
        Ok(Self { params: origin.params, keys, table: Memory::with(gpu, &words(origin.table))?, trees })
    }
}

/// These keys, expanded.
pub(crate) fn expanded(gpu: &Arc<Gpu>, keys: &[F128]) -> Result<Memory> {
    let raw = Memory::with(gpu, &words(keys))?;
    let memory = Memory::new(gpu, EXPANDED * keys.len() as u64)?;
    let (count, mut encoder) = (keys.len(), gpu.encoder());
    let parameters = [count as u32, 0, 0, 0];
    let buffers = [(1, &*memory), (2, &*raw)];
    gpu.kernels.expand_keys.run(gpu, &mut encoder, count.div_ceil(128), &parameters, &buffers);
    gpu.queue.submit([encoder.finish()]);
    Ok(memory)
}

/// Memory in which tiles are expanded: their keys, and their numbers.
pub(crate) struct Scratch {
    keys: Memory,
    numbers: Memory,
}

impl Scratch {
    /// Memory for so many tiles, of any set.
    pub(crate) fn new(gpu: &Arc<Gpu>, tiles: usize) -> Result<Self> {
        // A tree is no higher than a tile.
        let keys = EXPANDED * (KEYS + tiles as u64 * u64::from(TILE.ilog2()));
        Ok(Self { keys: Memory::new(gpu, keys)?, numbers: Memory::new(gpu, 4 * tiles as u64)? })
    }

    /// Takes the numbers of these tiles.
    pub(crate) fn name(&self, tiles: &[Tile]) {
        let numbers: Vec<u32> = tiles.iter().map(|tile| tile.number as u32).collect();
        self.numbers.write_public(0, &numbers);
    }
}

/// Expands `tiles` into `rows`, one after the other, behind what `encoder` has. Their numbers are in `scratch`.
pub(crate) fn expand(
    gpu: &Gpu,
    encoder: &mut wgpu::CommandEncoder,
    tiles: &[Tile],
    rows: &wgpu::Buffer,
    scratch: &Scratch,
) {
    let mut first = 0;
    for tiles in tiles.chunk_by(|a, b| Arc::ptr_eq(&a.held, &b.held)) {
        let held: &dyn Any = &*tiles[0].held;
        let iteration: &Iteration = held.downcast_ref().expect("an iteration of a card");
        iteration.expand(gpu, encoder, first..first + tiles.len(), rows, scratch);
        first += tiles.len();
    }
}

impl Iteration {
    /// Expands the tiles with these places among those that are named.
    fn expand(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        places: Range<usize>,
        rows: &wgpu::Buffer,
        Scratch { keys, numbers }: &Scratch,
    ) {
        let (width, depth) = (self.params.trees_per_tile(), self.params.depth);
        let (levels, count) = (depth - 1, places.len());
        encoder.copy_buffer_to_buffer(&self.keys, 0, keys, 0, EXPANDED * KEYS);
        let [first, tiles, at] = [places.start, count, places.start * TILE].map(|number| number as u32);
        let Gpu { kernels, .. } = gpu;
        let parameters = [tiles, first, levels as u32, KEYS as u32];
        let groups = (count * levels).div_ceil(128);
        kernels.level_keys.run(gpu, encoder, groups, &parameters, &[(1, &**keys), (2, &**numbers)]);
        let mut parameters = [first, width as u32, depth as u32, at, 0, 0, KEYS as u32, 0];
        let all = [(1, &**keys), (2, rows), (5, &**numbers)];
        match &self.trees {
            Planted::Roots { salt, delta } => {
                (parameters[4], parameters[5]) = (*salt as u32, (salt >> 32) as u32);
                let buffers = [&all[..], &[(3, delta)]].concat();
                kernels.roots.run(gpu, encoder, count, &parameters, &buffers);
            }
            Planted::Paths { siblings, sides } => {
                let buffers = [&all[..], &[(3, siblings), (4, sides)]].concat();
                kernels.paths.run(gpu, encoder, count, &parameters, &buffers);
            }
        }
        let parameters = [first, tiles * TILE as u32, at, self.params.secret as u32];
        let buffers = [(1, &**keys), (2, rows), (3, &*self.table), (4, &**numbers)];
        kernels.encode.run(gpu, encoder, (count * TILE).div_ceil(4 * 128), &parameters, &buffers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Reading;
    use crate::testing::{card, talk};
    use volery_channel::random::Random;
    use volery_primitives::arch::Arch;
    use volery_vole::vole::device::Expander;
    use volery_vole::vole::{Delta, Share, Vole, extend};

    /// The rows of `tiles`.
    fn rows(gpu: &Arc<Gpu>, tiles: &[Tile]) -> Vec<u128> {
        let shares = (tiles.len() * TILE) as u64;
        let rows = Memory::new(gpu, SHARE * shares).unwrap();
        let scratch = Scratch::new(gpu, tiles.len()).unwrap();
        scratch.name(tiles);
        let mut encoder = gpu.encoder();
        expand(gpu, &mut encoder, tiles, &rows, &scratch);
        Reading::begin(gpu, encoder, &[(&rows, 0, SHARE * shares)]).wait().unwrap().to_vec()
    }

    /// Draws so many blocks, and says which rows they have by the processor, and by the card, some tiles at a time.
    fn drawn<S: Share<Row = F128>>(
        mut vole: impl Vole<Share = S>,
        channel: &mut volery_channel::channel::Channel,
        blocks: usize,
    ) -> Result<()> {
        let card = Arc::new(card());
        let device: Arc<dyn Expander> = card.clone();
        assert!(vole.expand_by(&device));
        let (mut tiles, mut expected) = (vec![], vec![]);
        for _ in 0..blocks {
            let (shares, tile) = vole.begin_tile(channel)?;
            assert_eq!(shares, TILE);
            tiles.push(tile);
            expected.extend(vole.rows_of_tile().iter().map(|row| row.to_word()));
        }
        channel.flush()?;
        for (tiles, expected) in tiles.chunks(13).zip(expected.chunks(13 * TILE)) {
            assert!(rows(card.gpu(), tiles) == expected);
        }
        Ok(())
    }

    /// Both parties' rows, across a refill, and of the set whose trees are as high as a tile.
    #[test]
    fn rows_are_those_of_the_processor() {
        for (params, blocks) in [(Params::TINY, 40), (Params::L2, 3)] {
            talk(
                |channel| {
                    let random = &mut Random::from_seed(&[1; 32]);
                    drawn(extend::Prover::new(channel, Arch::detect(), params, random)?, channel, blocks)
                },
                |channel| {
                    let random = &mut Random::from_seed(&[2; 32]);
                    let delta = Delta::random(random);
                    let vole = extend::Verifier::new(channel, Arch::detect(), params, &delta, random)?;
                    drawn(vole, channel, blocks)
                },
            );
        }
    }

    /// A thread has two keys or blocks: each number of them, to the last.
    #[test]
    fn generators_are_those_of_the_processor() {
        use volery_primitives::prg::Prg;

        let card = card();
        let gpu = card.gpu();
        for count in [1, 2, 127, 128, 1001] {
            let keys = expanded(gpu, &[F128(3 << 100 | 77)]).unwrap();
            let out = Memory::new(gpu, SHARE * count as u64).unwrap();
            let mut encoder = gpu.encoder();
            let buffers = [(1, &*keys), (2, &*out)];
            gpu.kernels.counter.run(
                gpu,
                &mut encoder,
                usize::div_ceil(count, 128),
                &[count as u32, 0, 0, 0],
                &buffers,
            );
            let made =
                Reading::begin(gpu, encoder, &[(&out, 0, SHARE * count as u64)]).wait::<u128>().unwrap();
            let mut expected = vec![F128(0); count];
            Prg::new(Arch::detect(), F128(3 << 100 | 77)).fill(&mut expected);
            assert!(made.iter().zip(&expected).all(|(made, expected)| F128(*made) == *expected), "{count}");
        }
    }
}
