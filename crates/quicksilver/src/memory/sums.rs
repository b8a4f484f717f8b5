//! The check of lookups in a public table, over odd p: two sums of fractions are equal.

use super::{Lines, Party, Ring, invert_all, number};
use std::sync::Arc;
use volery_channel::error::Result;
use volery_circuit::accounting::LOOKUPS;
use volery_primitives::{Field, SecretVec};
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
    name: &'static str,
) -> Result<()> {
    let of_tasks = party.ring().apart();
    let most = party.remembered().parameters.fractions / LOOKUPS;
    let blocks = count.div_ceil(LOOKUPS);
    let mut fractions = party.pool().results((0..blocks).step_by(most).map(|first| {
        let (ring, fill) = (of_tasks.clone(), fill.clone());
        move || {
            let (lanes, at) = (most.min(blocks - first), first * LOOKUPS);
            let filled = (lanes * LOOKUPS).min(count - at);
            let of = ring.lanes(lanes * LOOKUPS, &|lines| fill(&ring, at, &mut lines.within(0..filled)));
            Fractions::of(&ring, of, lanes)
        }
    }));
    let ones = number::<P::F, P::E>((blocks * LOOKUPS - count) as u64);
    let mut running = party.wide(P::E::ZERO);
    for first in (0..blocks).step_by(most) {
        let lanes = most.min(blocks - first);
        let is_last = first + lanes == blocks;
        let Fractions { numerators, denominators, mut values } = fractions.next().expect("one for each");
        let mut sum = P::wide_value(running);
        for value in values.iter_mut() {
            sum = sum.map(|sum| sum + *value);
            *value = sum.expect("known where fractions are");
        }
        let mut sums = Zeroizing::new(Vec::with_capacity(lanes + 1));
        sums.push(running);
        party.commit_wides(lanes - usize::from(is_last), &values, &mut sums)?;
        if is_last {
            sums.push(total + party.wide(ones));
        }
        running = sums[lanes];
        let ring = of_tasks.clone();
        let zero = move || ring.steps_less(&sums, &denominators, &numerators);
        party.vanish_computed([lanes, LOOKUPS + 1], zero, name)?;
    }
    Ok(())
}

const _: () = assert!(LOOKUPS.is_power_of_two() && LOOKUPS >= 4, "a tree");

/// Σ 1/line over several lines in each lane: the derivative of their product, over that.
struct Fractions<R: Ring> {
    numerators: R::Wides,
    denominators: R::Wides,
    /// The values of the fractions, where they are known.
    values: SecretVec<R::E>,
}

impl<R: Ring> Fractions<R> {
    fn of(ring: &R, lines: R::Wides, lanes: usize) -> Self {
        let mut half = lanes * LOOKUPS / 2;
        let (mut denominators, mut numerators) =
            (ring.halves_multiplied(&lines, half), ring.halves_added(&lines, half));
        while half > lanes {
            half /= 2;
            numerators = ring.halves_crossed(&numerators, &denominators, half);
            denominators = ring.halves_multiplied(&denominators, half);
        }
        let mut values = SecretVec::from(R::values(&denominators).map_or_else(Vec::new, <[_]>::to_vec));
        invert_all(&mut values);
        for (value, numerator) in values.iter_mut().zip(R::values(&numerators).into_iter().flatten()) {
            *value *= *numerator;
        }
        Self { numerators, denominators, values }
    }
}

/// Rows of a public table that are inverted together.
const ROWS: usize = 1 << 10;

/// A function that sets all of a slice to the rows of a public table from some number on, for tasks.
type ToRows<E> = dyn Fn(usize, &mut [E]) + Send + Sync;

/// A shift Z that hits no row of a public table, and Σ count/(Z + row).
pub(crate) fn table_side<P: Party>(
    party: &P,
    rows: &Arc<ToRows<P::E>>,
    counts: &Arc<Zeroizing<Vec<P::Wire>>>,
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
    rows: &Arc<ToRows<P::E>>,
    counts: &Arc<Zeroizing<Vec<P::Wire>>>,
) -> Option<P::Wide> {
    let arch = party.arch();
    let mut sums = party.pool().results((0..counts.len()).step_by(ROWS).map(|first| {
        let (rows, counts) = (rows.clone(), counts.clone());
        move || {
            let counts = &counts[first..counts.len().min(first + ROWS)];
            let mut inverses = vec![P::E::ZERO; counts.len()];
            rows(first, &mut inverses);
            inverses.iter_mut().for_each(|row| *row += shift);
            if inverses.contains(&P::E::ZERO) {
                return None;
            }
            invert_all(&mut inverses);
            Some(P::weighed_by(arch, &inverses, counts))
        }
    }));
    sums.try_fold(party.wide(P::E::ZERO), |total, sum| Some(total + sum?))
}
