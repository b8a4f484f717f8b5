//! How fast the kernels are on a card.

use crate::card::{Card, Gpu};
use crate::expand::{Keys, Numbers, SHARE, expand};
use crate::forest::Grown;
use crate::memory::Memory;
use crate::walk::products;
use std::sync::Arc;
use std::time::Instant;
use volery_channel::error::Result;
use volery_primitives::F128;
use volery_primitives::prg::Seed;
use volery_proof::device::Device as _;
use volery_vole::vole::device::{Forest, Growing as _, Tile, Trees};
use volery_vole::vole::lpn::{Params, TILE};

/// The tiles that are expanded at a time.
pub(crate) const TILES: usize = 256;

impl Card {
    /// The kernels by name, with what each makes a second: blocks of AES by tables; leaves of both parties' trees, and rows, by
    /// the set `mid`; and products of a walk by as many lanes as suit it, four sums to each; then those over 2^61 − 1, two
    /// sums to each product.
    ///
    /// # Errors
    /// `Device`.
    pub fn speeds(&self) -> Result<Vec<(&'static str, f64)>> {
        let (gpu, params) = (self.gpu(), Params::MID);
        let shares = TILES * TILE;
        let grown = |trees| Grown::new(gpu, &Forest { params, key: F128(4), trees });
        let leaves = |trees| {
            let mut closed = grown(trees)?;
            closed.begin_again();
            rate(gpu, shares, |encoder| closed.grow_some(encoder, TILES))
        };
        let (seed, delta) = (&F128(5), &F128(7));
        let verifiers = leaves(Trees::Roots { seed, salt: 6, delta })?;
        let provers = leaves(Trees::Closed)?;
        let grown = Box::new(grown(Trees::Roots { seed, salt: 6, delta })?);
        let held = grown.hold(F128(3), &vec![F128(1); params.secret])?;
        let tiles: Vec<Tile> = (0..TILES).map(|number| Tile { held: held.clone(), number }).collect();
        let (rows, numbers) = (Memory::new(gpu, SHARE * shares as u64)?, Numbers::new(gpu, TILES)?);
        numbers.name(0..TILES);
        let expanded = rate(gpu, shares, |encoder| expand(gpu, encoder, &tiles, &rows, &numbers))?;
        let seeds = Keys::of_seeds(gpu, 1)?;
        let some = [Seed::from(F128(8))];
        let blocks = rate(gpu, shares, |encoder| seeds.generate(gpu, encoder, (&some, shares), &rows))?;
        let lanes = self.lanes() as usize;
        let mut speeds = vec![
            ("blocks of AES", blocks),
            ("leaves of a prover", provers),
            ("leaves of a verifier", verifiers),
            ("rows", expanded),
            ("products", products(gpu, lanes)?),
        ];
        speeds.extend(crate::elements::speeds(gpu, lanes)?);
        Ok(speeds)
    }
}

/// How many of `units` are made a second by what `work` encodes.
pub(crate) fn rate(gpu: &Arc<Gpu>, units: usize, work: impl Fn(&mut wgpu::CommandEncoder)) -> Result<f64> {
    // What is written waits for a submission.
    gpu.submit(gpu.encoder());
    let run = |times: usize| {
        let mut encoder = gpu.encoder();
        (0..times).for_each(|_| work(&mut encoder));
        let work = encoder.finish();
        let begun = Instant::now();
        gpu.queue.submit([work]);
        gpu.wait(None)?;
        Ok(begun.elapsed().as_secs_f64())
    };
    // The first compiles.
    run(1)?;
    let once: f64 = run(1)?;
    let times = (0.05 / once).clamp(1.0, 1000.0) as usize;
    Ok((units * times) as f64 / run(times)?)
}
