//! Tiles of the extension over 2^61 − 1: an iteration in the card's memory, and its rows.
//!
//! A row has 16 bytes: a prover's value and MAC, or a verifier's key and zeroes.

mod speeds;
mod walk;

pub(crate) use speeds::speeds;
pub(crate) use walk::OnCard;

use crate::card::Gpu;
use crate::expand::SHARE;
use crate::forest::{EXPANDED, expanded};
use crate::memory::Memory;
use core::any::Any;
use core::ops::Range;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_primitives::F128;
use volery_vole::vole::device::{Held, OriginOfElements, Tile, TreesOfElements};
use volery_vole::vole::lpn::{Params, TILE};
use zeroize::Zeroizing;

/// The keys of an iteration: of the code's matrix, of the keys of hashes, and of the verifier's roots.
const KEYS: u64 = 3;

/// An iteration as the card holds it.
pub(crate) struct Iteration {
    params: Params,
    /// Expanded: of the code's matrix, of the keys of hashes, and of the verifier's roots.
    keys: Memory,
    table: Memory,
    trees: Planted,
}

enum Planted {
    Roots { salt: u64, offset: Memory },
    Paths { siblings: Memory, sides: Memory, ends: Memory },
}

impl Held for Iteration {}

impl Iteration {
    pub(crate) fn new(gpu: &Arc<Gpu>, origin: &OriginOfElements) -> Result<Self> {
        let (trees, seed) = match origin.trees {
            TreesOfElements::Roots { seed, salt, offset } => {
                let offset = Memory::with_elements(gpu, core::slice::from_ref(offset))?;
                (Planted::Roots { salt, offset }, seed)
            }
            TreesOfElements::Paths { siblings, sides, ends } => {
                let siblings = Memory::with_elements(gpu, siblings)?;
                let (sides, ends) = (Memory::with(gpu, sides)?, Memory::with(gpu, ends)?);
                (Planted::Paths { siblings, sides, ends }, &F128(0))
            }
        };
        let keys = Zeroizing::new(vec![origin.matrix, origin.forest, *seed]);
        let keys = expanded(gpu, &keys)?;
        Ok(Self { params: origin.params, keys, table: Memory::with(gpu, origin.table)?, trees })
    }
}

/// Memory in which tiles are expanded: their keys, their numbers, and their rows.
struct Rows {
    keys: Memory,
    numbers: Memory,
    rows: Memory,
}

impl Rows {
    /// Memory for so many tiles, of any set.
    fn new(gpu: &Arc<Gpu>, tiles: usize) -> Result<Self> {
        // A tree is no higher than a tile.
        let keys = EXPANDED * (KEYS + tiles as u64 * u64::from(TILE.ilog2()));
        let numbers = Memory::new(gpu, 4 * tiles as u64)?;
        Ok(Self {
            keys: Memory::new(gpu, keys)?,
            numbers,
            rows: Memory::new(gpu, SHARE * (tiles * TILE) as u64)?,
        })
    }

    /// Expands these tiles, one after the other, behind what `encoder` has.
    fn expand(&self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, tiles: &[Tile]) {
        let numbers: Vec<u32> = tiles.iter().map(|tile| tile.number as u32).collect();
        self.numbers.write_public(0, &numbers);
        let mut first = 0;
        for tiles in tiles.chunk_by(|a, b| Arc::ptr_eq(&a.held, &b.held)) {
            let held: &dyn Any = &*tiles[0].held;
            let iteration: &Iteration = held.downcast_ref().expect("an iteration of a card over elements");
            iteration.expand(gpu, encoder, first..first + tiles.len(), self);
            first += tiles.len();
        }
    }
}

impl Iteration {
    /// Expands the tiles with these places among those that are named.
    fn expand(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        places: Range<usize>,
        Rows { keys, numbers, rows }: &Rows,
    ) {
        let (width, depth) = (self.params.trees_per_tile(), self.params.depth);
        let (levels, count) = (depth - 1, places.len());
        encoder.copy_buffer_to_buffer(&self.keys, 0, keys, 0, EXPANDED * KEYS);
        let [first, tiles, at] = [places.start, count, places.start * TILE].map(|number| number as u32);
        let Gpu { kernels, .. } = gpu;
        let parameters = [tiles, first, levels as u32, KEYS as u32];
        let groups = (count * levels).div_ceil(128);
        kernels.leaf_keys.run(gpu, encoder, groups, &parameters, &[(1, &**keys), (2, &**numbers)]);
        let mut parameters = [first, width as u32, depth as u32, at, 0, 0, KEYS as u32, 0];
        let all = [(1, &**keys), (2, &**rows), (5, &**numbers)];
        let encode = match &self.trees {
            Planted::Roots { salt, offset } => {
                (parameters[4], parameters[5]) = (*salt as u32, (salt >> 32) as u32);
                let buffers = [&all[..], &[(3, offset)]].concat();
                kernels.leaf_roots.run(gpu, encoder, count, &parameters, &buffers);
                &kernels.encode_keys
            }
            Planted::Paths { siblings, sides, ends } => {
                let buffers = [&all[..], &[(3, siblings), (4, sides), (6, ends)]].concat();
                kernels.leaf_paths.run(gpu, encoder, count, &parameters, &buffers);
                &kernels.encode_tags
            }
        };
        let parameters = [first, tiles * TILE as u32, at, self.params.secret as u32];
        let buffers = [(1, &**keys), (2, &**rows), (3, &*self.table), (4, &**numbers)];
        encode.run(gpu, encoder, (count * TILE).div_ceil(4 * 128), &parameters, &buffers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Reading;
    use crate::testing::{card, talk};
    use volery_channel::random::Random;
    use volery_primitives::arch::Arch;
    use volery_primitives::{F61, Tagged};
    use volery_vole::vole::device::Expander;
    use volery_vole::vole::lpn::Sets;
    use volery_vole::vole::subfield::{Delta, extend};
    use volery_vole::vole::{Share, Vole};

    /// Draws so many blocks, and says which rows they have by the processor, and by the card, some tiles at a time.
    fn drawn<S: Share>(
        mut vole: impl Vole<Share = S>,
        channel: &mut volery_channel::channel::Channel,
        blocks: usize,
        words: fn(S::Row) -> [u64; 2],
    ) -> Result<()> {
        let card = Arc::new(card());
        let device: Arc<dyn Expander> = card.clone();
        assert!(vole.expand_by(&device));
        let (mut tiles, mut expected) = (vec![], vec![]);
        for _ in 0..blocks {
            let (shares, tile) = vole.begin_tile(channel)?;
            assert_eq!(shares, TILE);
            tiles.push(tile);
            expected.extend(vole.rows_of_tile().iter().map(|row| words(*row)));
        }
        channel.flush()?;
        let rows = Rows::new(card.gpu(), 13)?;
        for (tiles, expected) in tiles.chunks(13).zip(expected.chunks(13 * TILE)) {
            let mut encoder = card.gpu().encoder();
            rows.expand(card.gpu(), &mut encoder, tiles);
            let bytes = SHARE * expected.len() as u64;
            let reading = Reading::begin(card.gpu(), encoder, &[(&rows.rows, 0, bytes)]);
            assert!(reading.wait::<[u64; 2]>()? == expected);
        }
        Ok(())
    }

    /// Rows of both parties, across a refill, and of all sets.
    #[test]
    fn rows_are_those_of_the_processor() {
        let sets = Sets::LARGE;
        for (params, blocks) in [(sets.tiny, 40), (sets.l2, 3), (sets.mid, 2), (sets.wan, 2)] {
            talk(
                |channel| {
                    let random = &mut Random::from_seed(&[1; 32]);
                    let vole =
                        extend::Prover::<F61, F61>::new(channel, Arch::detect(), sets, params, random)?;
                    drawn(vole, channel, blocks, |Tagged { value, mac }| [value.get(), mac.get()])
                },
                |channel| {
                    let random = &mut Random::from_seed(&[2; 32]);
                    let delta = Delta::random(random);
                    let vole = extend::Verifier::<F61, F61>::new(
                        channel,
                        Arch::detect(),
                        sets,
                        params,
                        &delta,
                        random,
                    )?;
                    drawn(vole, channel, blocks, |key| [key.get(), 0])
                },
            );
        }
    }
}
