//! Two products that are equal.

use super::Party;
use crate::circuit::memory::{factors, is_binary};
use crate::error::Result;
use core::fmt::Display;
use volery_primitives::Field;
use zeroize::Zeroizing;

/// Demands that the products over both sides of so many factors are equal: `factor(party, side, i)`.
pub(in super::super) fn equal<P: Party>(
    party: &mut P,
    count: usize,
    factor: impl Fn(&P, usize, usize) -> P::Wide,
    name: &dyn Display,
) -> Result<()> {
    let factors = factors(is_binary::<P::F>());
    // Lanes that stay in the cache with their coefficients.
    let most = (1 << 12) / factors;
    let blocks = count.div_ceil(factors).max(1);
    let one = party.wide(P::E::ONE);
    let mut running = [one, one];
    let mut ends = Vec::with_capacity(2);
    for first in (0..blocks).step_by(most) {
        let lanes = most.min(blocks - first);
        let is_last = first + lanes == blocks;
        let committed = lanes - usize::from(is_last);
        for (side, running) in running.iter_mut().enumerate() {
            let line = |party: &P, lane: usize, i: usize| match (first + lane) * factors + i {
                at if at < count => factor(party, side, at),
                _ => one,
            };
            let product = product(party, lanes, 0..factors, &line);
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
                let zero = party.subtracted(&party.part(&after, 0, committed), &to);
                party.vanish_wide(zero, name)?;
            }
            if is_last {
                ends.push(party.part(&after, committed, 1));
            } else {
                *running = starts[lanes];
            }
        }
    }
    let zero = party.subtracted(&ends[0], &ends[1]);
    party.vanish_wide(zero, name)
}

/// The products of some lines of each lane.
fn product<P: Party>(
    party: &P,
    lanes: usize,
    of: core::ops::Range<usize>,
    line: &dyn Fn(&P, usize, usize) -> P::Wide,
) -> P::Wides {
    if of.len() == 1 {
        let lines: Vec<P::Wide> = (0..lanes).map(|lane| line(party, lane, of.start)).collect();
        return party.wides(&Zeroizing::new(lines));
    }
    let middle = of.start + of.len().div_ceil(2);
    let left = product(party, lanes, of.start..middle, line);
    let right = product(party, lanes, middle..of.end, line);
    party.multiplied(&left, &right)
}
