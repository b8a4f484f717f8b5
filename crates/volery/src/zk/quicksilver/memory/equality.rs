//! Two products that are equal.

use super::{Lines, Party};
use crate::circuit::memory::{factors, is_binary};
use crate::error::Result;
use core::fmt::Display;
use volery_primitives::Field;
use zeroize::Zeroizing;

/// Factors whose polynomials stay in the cache.
const MOST: usize = 1 << 12;

/// Demands that the products over both sides of so many factors are equal: `fill(party, side, i, lines)` adds
/// those from number `i` on to lines of zero, and sets what is public of each.
///
/// Of each [`MOST`] or so, block number b of n has the factors b, n + b, 2n + b, …: so those of all blocks stand
/// side by side.
pub(in super::super) fn equal<P: Party>(
    party: &mut P,
    count: usize,
    fill: impl Fn(&P, usize, usize, &mut Lines<'_, P::E>),
    name: &dyn Display,
) -> Result<()> {
    let factors = factors(is_binary::<P::F>());
    let most = MOST / factors;
    let blocks = count.div_ceil(factors).max(1);
    let one = party.wide(P::E::ONE);
    let mut running = [one, one];
    let mut ends = Vec::with_capacity(2);
    for first in (0..blocks).step_by(most) {
        let lanes = most.min(blocks - first);
        let is_last = first + lanes == blocks;
        let committed = lanes - usize::from(is_last);
        for (side, running) in running.iter_mut().enumerate() {
            let at = first * factors;
            let filled = (lanes * factors).min(count - at);
            let of =
                party.lanes(lanes * factors, |lines| fill(party, side, at, &mut lines.within(0..filled)));
            let product = product(party, of, factors, lanes);
            let mut starts = Zeroizing::new(Vec::with_capacity(lanes + 1));
            starts.push(*running);
            let mut value = P::wide_value(*running);
            for lane in 0..committed {
                value = value.zip(P::values(&product)).map(|(value, blocks)| value * blocks[lane]);
                starts.push(party.commit_wide(value)?);
            }
            let before = party.wides(&starts[..lanes]);
            let after = party.multiplied(&before, &product);
            if committed > 0 {
                let to = party.wides(&starts[1..=committed]);
                let zero = party.subtracted(&party.lanes_from(&after, 0, committed), &to);
                party.vanish_wide(zero, name)?;
            }
            if is_last {
                ends.push(party.lanes_from(&after, committed, 1));
            } else {
                *running = starts[lanes];
            }
        }
    }
    let zero = party.subtracted(&ends[0], &ends[1]);
    party.vanish_wide(zero, name)
}

/// The products of so many factors in each lane: of each factor those of all lanes, and then the next.
fn product<P: Party>(party: &P, of: P::Wides, factors: usize, lanes: usize) -> P::Wides {
    if factors == 1 {
        return of;
    }
    let half = factors / 2;
    let products = product(party, party.halves_multiplied(&of, half * lanes), half, lanes);
    if factors.is_multiple_of(2) {
        return products;
    }
    party.multiplied(&products, &party.lanes_from(&of, 2 * half * lanes, lanes))
}
