//! How fast the kernels over 2^61 − 1 are on a card.

use super::{Iteration, OnCard, Rows};
use crate::card::Gpu;
use crate::speeds::{TILES, rate};
use std::sync::Arc;
use volery_channel::channel::Party;
use volery_channel::error::Result;
use volery_circuit::stream::straight::{Kind, Step};
use volery_primitives::F128;
use volery_proof::device::{PlanOfElements, Run, WalkOfElements as _};
use volery_vole::vole::device::{Held, OriginOfElements, Tile, TreesOfElements};
use volery_vole::vole::lpn::{Sets, TILE};

/// The kernels by name, with what each makes a second: rows of both parties by the set `mid`, and products of a prover, their
/// sums included, by so many lanes.
///
/// # Errors
/// `Device`.
pub(crate) fn speeds(gpu: &Arc<Gpu>, lanes: usize) -> Result<Vec<(&'static str, f64)>> {
    let params = Sets::LARGE.mid;
    let rows = |trees, table: usize| {
        let table = vec![1; table];
        let origin = OriginOfElements { params, matrix: F128(3), table: &table, forest: F128(4), trees };
        let held: Arc<dyn Held> = Arc::new(Iteration::new(gpu, &origin)?);
        let tiles: Vec<Tile> = (0..TILES).map(|number| Tile { held: held.clone(), number }).collect();
        let rows = Rows::new(gpu, TILES)?;
        rate(gpu, TILES * TILE, |encoder| rows.expand(gpu, encoder, &tiles))
    };
    let siblings = vec![F128(2); params.trees * (params.depth - 1)];
    let (sides, ends) = (vec![0; params.trees], vec![1; 4 * params.trees]);
    let paths = TreesOfElements::Paths { siblings: &siblings, sides: &sides, ends: &ends };
    let roots = TreesOfElements::Roots { seed: &F128(5), salt: 6, offset: &F128(7) };
    Ok(vec![
        ("rows of a prover over 2^61 − 1", rows(paths, 2 * params.secret)?),
        ("rows of a verifier over 2^61 − 1", rows(roots, params.secret)?),
        ("products over 2^61 − 1", products(gpu, lanes)?),
    ])
}

/// The products a second of a prover's walk, which are weighed.
fn products(gpu: &Arc<Gpu>, lanes: usize) -> Result<f64> {
    const PRODUCTS: u32 = 32;
    const SLOTS: u32 = 512;
    let step = |i: u32| {
        let kind = if i.is_multiple_of(3) { Kind::Mul } else { Kind::Add };
        let slot = |number: u32| number.wrapping_mul(0x9e37_79b9) >> 23;
        Step { kind, out: slot(3 * i), a: slot(3 * i + 1), b: slot(3 * i + 2), c: 0 }
    };
    let steps: Vec<Step> = (0..3 * PRODUCTS).map(step).collect();
    let shares = (PRODUCTS as usize * lanes).next_multiple_of(TILE);
    let plan = PlanOfElements {
        steps: &steps,
        constants: &[],
        slots: SLOTS as usize,
        party: Party::Prover,
        one: &[1, 0],
        lanes,
        shares,
    };
    let mut card = OnCard::new(gpu, &plan)?;
    card.begin(0, lanes, &mut [].into_iter(), &[])?;
    let run = Run { wave: 0, steps: 0..steps.len(), shares: 0..PRODUCTS as usize * lanes, done: 0 };
    card.rate(shares, &[run])
}
