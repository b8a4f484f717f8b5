//! The check of two multisets: the products of (X + element) over either are equal.

use super::{Lines, Party, Ring};
use core::fmt::Display;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_circuit::accounting::factors;
use volery_circuit::memory::is_binary;
use volery_primitives::{Field, SecretVec};
use zeroize::Zeroizing;

/// A function that writes factors, for tasks: `fill(ring, side, i, lines)` adds those of one side, from
/// number `i` on, to lines of zero, and sets their public parts.
type Fill<R> = dyn Fn(&R, usize, usize, &mut Lines<'_, <R as Ring>::E>) + Send + Sync;

/// Demands that both products of `count` factors, which `fill` writes, are equal.
///
/// Of each [`Parameters::factors`] or so, block number b of n has the factors b, n + b, 2n + b, …: so those of all
/// blocks stand side by side. Tasks multiply them.
///
/// [`Parameters::factors`]: volery_circuit::accounting::Parameters::factors
pub(crate) fn equal<P: Party>(
    party: &mut P,
    count: usize,
    fill: Arc<Fill<P::Ring>>,
    name: &dyn Display,
) -> Result<()> {
    let ring = party.ring();
    let of_tasks = ring.apart();
    let factors = factors(is_binary::<P::F>());
    let most = party.remembered().parameters.factors / factors;
    let blocks = count.div_ceil(factors).max(1);
    let pieces = (0..blocks).step_by(most).flat_map(|first| [(first, 0), (first, 1)]);
    let mut products = party.pool().results(pieces.map(|(first, side)| {
        let (ring, fill) = (of_tasks.clone(), fill.clone());
        move || {
            let (lanes, at) = (most.min(blocks - first), first * factors);
            let filled = (lanes * factors).min(count - at);
            let of =
                ring.lanes(lanes * factors, &|lines| fill(&ring, side, at, &mut lines.within(0..filled)));
            product(&ring, of, factors, lanes)
        }
    }));
    let one = party.wide(P::E::ONE);
    let mut running = [one, one];
    let mut ends = Vec::with_capacity(2);
    for first in (0..blocks).step_by(most) {
        let lanes = most.min(blocks - first);
        let is_last = first + lanes == blocks;
        let committed = lanes - usize::from(is_last);
        for running in &mut running {
            let product = products.next().expect("one for each side");
            let mut starts = Zeroizing::new(Vec::with_capacity(lanes + 1));
            starts.push(*running);
            let mut values = SecretVec::from(P::Ring::values(&product).map_or_else(Vec::new, <[_]>::to_vec));
            let mut value = P::wide_value(*running);
            for block in values.iter_mut() {
                value = value.map(|value| value * *block);
                *block = value.expect("known where products are");
            }
            party.commit_wides(committed, &values, &mut starts)?;
            let before = ring.list(&starts[..lanes]);
            let after = ring.multiplied(&before, &product);
            if committed > 0 {
                let to = ring.list(&starts[1..=committed]);
                let zero = ring.subtracted(&ring.lanes_from(&after, 0, committed), &to);
                party.vanish_wide(zero, name)?;
            }
            if is_last {
                ends.push(ring.lanes_from(&after, committed, 1));
            } else {
                *running = starts[lanes];
            }
        }
    }
    let zero = ring.subtracted(&ends[0], &ends[1]);
    party.vanish_wide(zero, name)
}

/// The product of `factors` factors in each lane. They come factor by factor, each with all its lanes.
fn product<R: Ring>(ring: &R, of: R::Wides, factors: usize, lanes: usize) -> R::Wides {
    if factors == 1 {
        return of;
    }
    let half = factors / 2;
    let products = product(ring, ring.halves_multiplied(&of, half * lanes), half, lanes);
    if factors.is_multiple_of(2) {
        return products;
    }
    ring.multiplied(&products, &ring.lanes_from(&of, 2 * half * lanes, lanes))
}
