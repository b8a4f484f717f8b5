//! How fast the kernels are on a card.

use crate::card::{Card, Gpu};
use crate::expand::{Iteration, SHARE, Scratch, expand, expanded};
use crate::memory::Memory;
use crate::walk::products;
use std::sync::Arc;
use std::time::Instant;
use volery_channel::error::Result;
use volery_primitives::F128;
use volery_proof::device::Device as _;
use volery_vole::vole::device::{Held, Origin, Tile, Trees};
use volery_vole::vole::lpn::{Params, TILE};

/// The tiles that are expanded at a time.
const TILES: usize = 256;

impl Card {
    /// The kernels by name, with what each makes a second: blocks of AES, rows of both parties by the set
    /// `mid`, and products of a walk by as many lanes as suit it, four sums to each.
    ///
    /// # Errors
    /// `Device`.
    pub fn speeds(&self) -> Result<Vec<(&'static str, f64)>> {
        let (gpu, params) = (self.gpu(), Params::MID);
        let table = vec![F128(1); params.secret];
        let siblings = vec![F128(2); params.trees * (params.depth + 1)];
        let sides = vec![0; params.trees];
        let held = |trees| {
            let origin = Origin { params, matrix: F128(3), table: &table, forest: F128(4), trees };
            Ok(Arc::new(Iteration::new(gpu, &origin)?) as Arc<dyn Held>)
        };
        let roots = held(Trees::Roots { seed: &F128(5), salt: 6, delta: &F128(7) })?;
        let paths = held(Trees::Paths { siblings: &siblings, sides: &sides })?;
        let (rows, scratch) = (Memory::new(gpu, SHARE * (TILES * TILE) as u64)?, Scratch::new(gpu, TILES)?);
        let all = |held: &Arc<dyn Held>| {
            let tiles: Vec<Tile> = (0..TILES).map(|number| Tile { held: held.clone(), number }).collect();
            scratch.name(&tiles);
            rate(gpu, TILES * TILE, |encoder| expand(gpu, encoder, &tiles, &rows, &scratch))
        };
        let key = expanded(gpu, &[F128(8)])?;
        let blocks = rate(gpu, TILES * TILE, |encoder| {
            let parameters = [(TILES * TILE) as u32, 0, 0, 0];
            let buffers = [(1, &*key), (2, &*rows)];
            gpu.kernels.counter.run(gpu, encoder, TILES * TILE / 128, &parameters, &buffers);
        })?;
        Ok(vec![
            ("blocks of AES", blocks),
            ("rows of a prover", all(&paths)?),
            ("rows of a verifier", all(&roots)?),
            ("products", products(gpu, self.lanes() as usize)?),
        ])
    }
}

/// How many of `units` are made a second by what `work` encodes.
pub(crate) fn rate(gpu: &Arc<Gpu>, units: usize, work: impl Fn(&mut wgpu::CommandEncoder)) -> Result<f64> {
    let run = |times: usize| {
        let begun = Instant::now();
        let mut encoder = gpu.encoder();
        (0..times).for_each(|_| work(&mut encoder));
        gpu.queue.submit([encoder.finish()]);
        gpu.wait(None)?;
        Ok(begun.elapsed().as_secs_f64())
    };
    // The first compiles.
    run(1)?;
    let once: f64 = run(1)?;
    let times = (0.05 / once).clamp(1.0, 1000.0) as usize;
    Ok((units * times) as f64 / run(times)?)
}
