//! The check of lookups in a public table, over odd p: two sums of fractions are equal.

use super::{Lines, Party, Ring, invert_all, number};
use core::fmt::Display;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_circuit::accounting::LOOKUPS;
use volery_primitives::Field;
use zeroize::Zeroizing;

/// A function that writes looked-up lines, for tasks: `fill(ring, i, lines)` adds those from number `i` on to
/// lines of zero, and sets their public parts.
type Fill<R> = dyn Fn(&R, usize, &mut Lines<'_, <R as Ring>::E>) + Send + Sync;

/// Demands that Σ 1/line over the `count` lines that `fill` writes is `total`.
///
/// Blocks share out what is looked up as those of [`equal`](super::equality::equal) do, and tasks make one
/// fraction of each. The last is filled with ones, for which there is a one more each in the total.
pub(crate) fn equal_sum<P: Party>(
    party: &mut P,
    count: usize,
    fill: Arc<Fill<P::Ring>>,
    total: P::Wide,
    name: &dyn Display,
) -> Result<()> {
    let ring = party.ring();
    let of_tasks = ring.apart();
    let most = party.remembered().parameters.fractions / LOOKUPS;
    let blocks = count.div_ceil(LOOKUPS);
    let mut fractions = party.pool().results((0..blocks).step_by(most).map(|first| {
        let (ring, fill) = (of_tasks.clone(), fill.clone());
        move || {
            let (lanes, at) = (most.min(blocks - first), first * LOOKUPS);
            let filled = (lanes * LOOKUPS).min(count - at);
            let of = ring.lanes(lanes * LOOKUPS, &|lines| fill(&ring, at, &mut lines.within(0..filled)));
            fraction(&ring, of, lanes)
        }
    }));
    let ones = number::<P::F, P::E>((blocks * LOOKUPS - count) as u64);
    let total = total + party.wide(ones);
    let mut running = party.wide(P::E::ZERO);
    for first in (0..blocks).step_by(most) {
        let lanes = most.min(blocks - first);
        let committed = lanes - usize::from(first + lanes == blocks);
        let (product, derivative) = fractions.next().expect("one for each");
        let inverses = P::Ring::values(&product).map(|values| {
            let mut inverses = Zeroizing::new(values.to_vec());
            invert_all(&mut inverses);
            inverses
        });
        let mut sums = Zeroizing::new(Vec::with_capacity(lanes + 1));
        sums.push(running);
        let mut value = P::wide_value(running);
        for lane in 0..committed {
            let term = inverses.as_ref().zip(P::Ring::values(&derivative));
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
        let steps = ring.list(&steps);
        let zero = ring.subtracted(&ring.multiplied(&steps, &product), &derivative);
        party.vanish_wide(zero, name)?;
        running = sums[lanes];
    }
    Ok(())
}

const _: () = assert!(LOOKUPS.is_power_of_two() && LOOKUPS >= 4, "a tree");

/// The product of several lines in each lane, and its derivative: the denominator and the numerator of Σ
/// 1/line.
fn fraction<R: Ring>(ring: &R, lines: R::Wides, lanes: usize) -> (R::Wides, R::Wides) {
    let mut half = lanes * LOOKUPS / 2;
    let (mut products, mut derivatives) =
        (ring.halves_multiplied(&lines, half), ring.halves_added(&lines, half));
    while half > lanes {
        half /= 2;
        derivatives = ring.halves_crossed(&derivatives, &products, half);
        products = ring.halves_multiplied(&products, half);
    }
    (products, derivatives)
}

/// Rows of a public table that are inverted together.
const ROWS: usize = 1 << 10;

/// A shift Z that hits no row of a public table, and Σ count/(Z + row). `rows(i, out)` sets all of `out` to
/// the rows from number `i` on.
pub(crate) fn table_side<P: Party>(
    party: &P,
    rows: &dyn Fn(usize, &mut [P::E]),
    counts: &[P::Wire],
    draw: &mut dyn FnMut(&mut [P::E]),
) -> (P::E, P::Wide) {
    loop {
        let mut shift = P::E::ZERO;
        draw(core::slice::from_mut(&mut shift));
        if let Some(total) = shifted_side(party, shift, rows, counts) {
            return (shift, total);
        }
    }
}

/// Σ count/(shift + row), or `None` where a denominator is zero.
fn shifted_side<P: Party>(
    party: &P,
    shift: P::E,
    rows: &dyn Fn(usize, &mut [P::E]),
    counts: &[P::Wire],
) -> Option<P::Wide> {
    let mut total = party.wide(P::E::ZERO);
    let mut inverses = vec![P::E::ZERO; ROWS.min(counts.len())];
    for (first, counts) in (0..).step_by(ROWS).zip(counts.chunks(ROWS)) {
        let inverses = &mut inverses[..counts.len()];
        rows(first, inverses);
        inverses.iter_mut().for_each(|row| *row += shift);
        if inverses.contains(&P::E::ZERO) {
            return None;
        }
        invert_all(inverses);
        total = total + party.weighed(inverses, counts);
    }
    Some(total)
}
