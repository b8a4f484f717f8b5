//! Sums of fractions: what is looked up is a row of a public table, over odd p.

use super::{Party, invert_all};
use crate::circuit::memory::LOOKUPS;
use crate::error::Result;
use core::fmt::Display;
use core::ops::Range;
use volery_primitives::Field;
use zeroize::Zeroizing;

/// Demands that Σ 1/`looked(party, i)` over so many is `total`.
pub(in super::super) fn equal_sum<P: Party>(
    party: &mut P,
    count: usize,
    looked: impl Fn(&P, usize) -> P::Wide,
    total: P::Wide,
    name: &dyn Display,
) -> Result<()> {
    let most = 256;
    let blocks = count.div_ceil(LOOKUPS);
    let mut running = party.wide(P::E::ZERO);
    for first in (0..blocks).step_by(most) {
        let lanes = most.min(blocks - first);
        let committed = lanes - usize::from(first + lanes == blocks);
        let at = |lane: usize, i: usize| Some((first + lane) * LOOKUPS + i).filter(|at| *at < count);
        let (product, derivative) =
            fraction(party, lanes, 0..LOOKUPS, &|party, lane, i| at(lane, i).map(|i| looked(party, i)));
        let inverses = P::values(&product).map(|values| {
            let mut inverses = Zeroizing::new(values.to_vec());
            invert_all(&mut inverses);
            inverses
        });
        let mut sums = Zeroizing::new(Vec::with_capacity(lanes + 1));
        sums.push(running);
        let mut value = P::wide_value(running);
        for lane in 0..committed {
            let term = inverses.as_ref().zip(P::values(&derivative));
            value = value
                .zip(term)
                .map(|(value, (inverses, derivative))| value + inverses[lane] * derivative[lane]);
            sums.push(party.commit_wide(value)?);
        }
        if committed < lanes {
            sums.push(total);
        }
        let mut steps = Zeroizing::new(Vec::with_capacity(lanes));
        for pair in sums.windows(2) {
            steps.push(pair[1] - pair[0]);
        }
        let steps = party.wides(&steps);
        let zero = party.subtracted(&party.multiplied(&steps, &product), &derivative);
        party.vanish_wide(zero, name)?;
        running = sums[lanes];
    }
    Ok(())
}

/// The line of a lane at a place, if there is one.
type Lines<'l, P> = &'l dyn Fn(&P, usize, usize) -> Option<<P as Party>::Wide>;

/// The product of some lines of each lane, and its derivative, where a line that is not there is one whose
/// derivative is zero.
fn fraction<P: Party>(party: &P, lanes: usize, of: Range<usize>, line: Lines<'_, P>) -> (P::Wides, P::Wides) {
    if of.len() == 1 {
        let one = party.wide(P::E::ONE);
        let mut lines = Zeroizing::new(Vec::with_capacity(lanes));
        let mut there = Vec::with_capacity(lanes);
        for lane in 0..lanes {
            let line = line(party, lane, of.start);
            there.push(if line.is_some() { P::E::ONE } else { P::E::ZERO });
            lines.push(line.unwrap_or(one));
        }
        return (party.wides(&lines), party.elements(&there));
    }
    let middle = of.start + of.len().div_ceil(2);
    let (left, of_left) = fraction(party, lanes, of.start..middle, line);
    let (right, of_right) = fraction(party, lanes, middle..of.end, line);
    let first = party.multiplied(&of_left, &right);
    let second = party.multiplied(&of_right, &left);
    (party.multiplied(&left, &right), party.added(&first, &second))
}

/// A shift Z that hits no row of a public table, and Σ count/(Z + row).
pub(in super::super) fn table_side<P: Party>(
    party: &P,
    rows: &[P::E],
    counts: &[P::Wire],
    draw: &mut dyn FnMut(&mut [P::E]),
) -> (P::E, P::Wide) {
    let mut shift = P::E::ZERO;
    loop {
        draw(core::slice::from_mut(&mut shift));
        if rows.iter().all(|row| *row + shift != P::E::ZERO) {
            break;
        }
    }
    let mut inverses = rows.to_vec();
    for row in &mut inverses {
        *row += shift;
    }
    invert_all(&mut inverses);
    (shift, party.weighed(&inverses, counts))
}
