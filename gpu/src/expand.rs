//! Tiles of the extension: an iteration in the card's memory, and its rows.

use crate::card::Gpu;
use crate::forest::{Leaves, TILES};
use crate::memory::{Memory, Reading};
use core::any::Any;
use core::ops::Range;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_primitives::F128;
use volery_primitives::prg::Seed;
use volery_vole::vole::device::{Expanding, Held, Tile};
use volery_vole::vole::lpn::{Params, TILE};

/// The bytes of a share, of a key, and of the round keys of one that is public.
pub(crate) const SHARE: u64 = 16;
const ROUND_KEYS: u64 = 11 * SHARE;

/// Public keys, and their round keys.
pub(crate) struct Keys {
    raw: Memory,
    rounds: Memory,
    /// The blocks of `raw` to each.
    every: u32,
}

impl Keys {
    /// Memory for the keys and nonces of so many seeds.
    pub(crate) fn of_seeds(gpu: &Arc<Gpu>, seeds: usize) -> Result<Self> {
        let seeds = seeds as u64;
        Ok(Self {
            raw: Memory::new(gpu, 2 * SHARE * seeds)?,
            rounds: Memory::new(gpu, ROUND_KEYS * seeds)?,
            every: 2,
        })
    }

    /// A key.
    fn of_key(gpu: &Arc<Gpu>, key: F128) -> Result<Self> {
        let raw = Memory::with_elements(gpu, &[key])?;
        let keys = Self { raw, rounds: Memory::new(gpu, ROUND_KEYS)?, every: 1 };
        let mut encoder = gpu.encoder();
        keys.schedule(gpu, &mut encoder, 1);
        gpu.submit(encoder);
        Ok(keys)
    }

    fn schedule(&self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, count: usize) {
        let buffers = [(1, &*self.rounds), (2, &*self.raw), (9, &gpu.columns)];
        gpu.kernels.public_keys.run(gpu, encoder, count.div_ceil(64), &[count as u32, self.every], &buffers);
    }

    /// Fills `blocks` with so many blocks of each seed, an even number unless there is but one, behind what `encoder` has and
    /// all that was submitted.
    pub(crate) fn generate(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (seeds, each): (&[Seed], usize),
        blocks: &wgpu::Buffer,
    ) {
        let parts = seeds.iter().flat_map(|seed| {
            let (key, nonce) = seed.parts();
            [key.to_word(), u128::from(nonce)]
        });
        self.raw.write_public(0, &parts.collect::<Vec<u128>>());
        self.schedule(gpu, encoder, seeds.len());
        let count = seeds.len() * each;
        let buffers = [(1, &*self.rounds), (2, blocks), (3, &*self.raw), (9, &gpu.columns)];
        let groups = count.div_ceil(4 * 1024);
        gpu.kernels.counter.run(gpu, encoder, groups, &[count as u32, each as u32], &buffers);
    }
}

/// An iteration as the card holds it.
pub(crate) struct Iteration {
    gpu: Arc<Gpu>,
    params: Params,
    /// That of the code's matrix.
    key: Keys,
    table: Memory,
    leaves: Leaves,
}

impl Held for Iteration {
    fn begin_rows(&self, numbers: &[usize]) -> Result<Option<Box<dyn Expanding>>> {
        let gpu = &self.gpu;
        let rows = Memory::new(gpu, SHARE * (numbers.len() * TILE) as u64)?;
        let named = Numbers::new(gpu, numbers.len())?;
        named.name(numbers.iter().copied());
        let (mut encoder, mut first) = (gpu.encoder(), 0);
        for some in numbers.chunk_by(|a, b| a / TILES == b / TILES) {
            let places = first..first + some.len();
            first = places.end;
            self.encode(gpu, &mut encoder, (places, some[0] / TILES), &rows, &named);
        }
        let reading = Reading::begin(gpu, encoder, &[(&rows, 0, rows.size())]);
        Ok(Some(Box::new(Rows(reading))))
    }
}

/// Rows on their way to the processor.
struct Rows(Reading);

impl Expanding for Rows {
    fn wait(self: Box<Self>, take: &mut dyn FnMut(&[F128])) -> Result<()> {
        self.0.wait_for_pieces(take)
    }
}

impl Iteration {
    /// An iteration with these leaves, and the code with this matrix and secret.
    pub(crate) fn new(
        gpu: &Arc<Gpu>,
        params: Params,
        leaves: Leaves,
        (matrix, table): (F128, &[F128]),
    ) -> Result<Self> {
        let (key, table) = (Keys::of_key(gpu, matrix)?, Memory::with_elements(gpu, table)?);
        Ok(Self { gpu: gpu.clone(), params, key, table, leaves })
    }
}

/// The numbers of tiles that are expanded, for the card.
pub(crate) struct Numbers(Memory);

impl Numbers {
    /// Memory for so many.
    pub(crate) fn new(gpu: &Arc<Gpu>, tiles: usize) -> Result<Self> {
        Ok(Self(Memory::new(gpu, 4 * tiles as u64)?))
    }

    /// Takes these numbers.
    pub(crate) fn name(&self, numbers: impl Iterator<Item = usize>) {
        let numbers: Vec<u32> = numbers.map(|number| number as u32).collect();
        self.0.write_public(0, &numbers);
    }
}

/// Expands `tiles`, which are named in `numbers`, into `rows`, one after the other, behind what `encoder` has.
pub(crate) fn expand(
    gpu: &Gpu,
    encoder: &mut wgpu::CommandEncoder,
    tiles: &[Tile],
    rows: &wgpu::Buffer,
    numbers: &Numbers,
) {
    let mut first = 0;
    let are_together =
        |a: &Tile, b: &Tile| Arc::ptr_eq(&a.held, &b.held) && a.number / TILES == b.number / TILES;
    for tiles in tiles.chunk_by(are_together) {
        let held: &dyn Any = &*tiles[0].held;
        let iteration: &Iteration = held.downcast_ref().expect("an iteration of a card");
        let piece = tiles[0].number / TILES;
        iteration.encode(gpu, encoder, (first..first + tiles.len(), piece), rows, numbers);
        first += tiles.len();
    }
}

impl Iteration {
    /// Encodes the tiles with these places among those that are named, whose leaves are in this piece.
    fn encode(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (places, piece): (Range<usize>, usize),
        rows: &wgpu::Buffer,
        numbers: &Numbers,
    ) {
        let count = places.len() * TILE;
        let parameters = [places.start, count, places.start * TILE, self.params.secret, piece * TILES];
        let parameters = parameters.map(|number| number as u32);
        let buffers = [
            (1, &*self.key.rounds),
            (2, rows),
            (3, &*self.table),
            (4, &*numbers.0),
            (5, &*self.leaves.0[piece]),
            (9, &gpu.columns),
        ];
        gpu.kernels.encode.run(gpu, encoder, count.div_ceil(4 * 1024), &parameters, &buffers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{card, talk};
    use volery_channel::random::Random;
    use volery_primitives::arch::Arch;
    use volery_vole::vole::device::Expander;
    use volery_vole::vole::{Delta, Share, Vole, extend};

    /// The rows of `tiles`.
    fn rows(gpu: &Arc<Gpu>, tiles: &[Tile]) -> Vec<u128> {
        let shares = (tiles.len() * TILE) as u64;
        let rows = Memory::new(gpu, SHARE * shares).unwrap();
        let numbers = Numbers::new(gpu, tiles.len()).unwrap();
        numbers.name(tiles.iter().map(|tile| tile.number));
        let mut encoder = gpu.encoder();
        expand(gpu, &mut encoder, tiles, &rows, &numbers);
        Reading::begin(gpu, encoder, &[(&rows, 0, SHARE * shares)]).wait().unwrap().to_vec()
    }

    /// Draws so many blocks, and says which rows they have by the processor, and by the card, some tiles at a time. Where
    /// the card comes `late`, it gets trees that the processor has begun with.
    fn drawn<S: Share<Row = F128>>(
        mut vole: impl Vole<Share = S>,
        channel: &mut volery_channel::channel::Channel,
        (blocks, late): (usize, usize),
    ) -> Result<()> {
        for _ in 0..late {
            vole.block(channel, &mut volery_vole::vole::Shares::default())?;
        }
        let card = Arc::new(card());
        let device: Arc<dyn Expander> = card.clone();
        assert!(vole.expand_by(&device));
        let (mut tiles, mut expected) = (vec![], vec![]);
        for block in 0..blocks {
            if block % 7 == 3 {
                // Gates draw blocks in between.
                vole.block(channel, &mut volery_vole::vole::Shares::default())?;
                continue;
            }
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

    /// Both parties' rows, across refills, by trees that the card has grown at one of them or both, and of trees as high as a
    /// tile.
    #[test]
    fn rows_are_those_of_the_processor() {
        // As high as a tile, and of no security.
        const TALL: Params = Params { name: "tall", secret: 8_704, trees: 64, depth: 12, security: 0 };
        for (params, blocks, late) in [
            (Params::TINY, 60, [0, 0]),
            (Params::TINY, 40, [0, 2]),
            (Params::TINY, 40, [3, 0]),
            (Params::L2, 3, [0, 0]),
            (TALL, 100, [0, 0]),
        ] {
            talk(
                |channel| {
                    let random = &mut Random::from_seed(&[1; 32]);
                    let vole = extend::Prover::new(channel, Arch::detect(), params, random)?;
                    drawn(vole, channel, (blocks + late[1], late[0]))
                },
                |channel| {
                    let random = &mut Random::from_seed(&[2; 32]);
                    let delta = Delta::random(random);
                    let vole = extend::Verifier::new(channel, Arch::detect(), params, &delta, random)?;
                    drawn(vole, channel, (blocks + late[0], late[1]))
                },
            );
        }
    }

    /// A thread has four blocks: each number of them, to the last.
    #[test]
    fn generators_are_those_of_the_processor() {
        use volery_primitives::prg::Prg;

        let card = card();
        let gpu = card.gpu();
        let challenge = core::array::from_fn(|i| i as u8);
        let seeds = [Seed::from(F128(3 << 100 | 77)), Seed::of_challenge(&challenge)];
        for (count, each) in [(1, 1), (1, 2), (1, 3), (1, 127), (2, 1024), (1, 4097), (2, 4098)] {
            let (keys, seeds) = (Keys::of_seeds(gpu, count).unwrap(), &seeds[..count]);
            let blocks = count * each;
            let out = Memory::new(gpu, SHARE * blocks as u64).unwrap();
            let mut encoder = gpu.encoder();
            keys.generate(gpu, &mut encoder, (seeds, each), &out);
            let read = [(&*out, 0, SHARE * blocks as u64)];
            let made = Reading::begin(gpu, encoder, &read).wait::<u128>().unwrap();
            let mut expected = vec![F128(0); blocks];
            for (seed, expected) in seeds.iter().zip(expected.chunks_mut(each)) {
                Prg::new(Arch::detect(), *seed).fill(expected);
            }
            assert!(made.iter().zip(&expected).all(|(made, expected)| F128(*made) == *expected), "{each}");
        }
    }
}
