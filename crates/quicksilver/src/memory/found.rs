//! Lookups that wait for their challenge.

use super::columns::Columns;
use super::{Lines, MAC, Party, Ring, VALUE};
use core::mem;
use volery_circuit::NO_ROW;
use volery_primitives::secret::verdict;
use volery_primitives::{Field, SecretVec};

/// Lookups that wait for a challenge. Only the MAC of each line is kept, or its key: the number of the row
/// that was found says what the values are.
pub(super) struct Found<E: Field> {
    /// Part [`MAC`] of each line.
    macs: Columns<E>,
    /// The number of each lookup's row, where that is known: [`NO_ROW`] for strays.
    rows: Columns<u32>,
    /// Values of the strays: lookups that found no row, each with the lookup's number, in ascending order. An honest
    /// prover has none.
    strays: Vec<(usize, SecretVec<E>)>,
}

impl<E: Field> Found<E> {
    pub(super) fn new(lines: usize) -> Self {
        Self { macs: Columns::new(lines), rows: Columns::new(1), strays: Vec::new() }
    }

    /// Lines of a lookup.
    pub(super) fn lines(&self) -> usize {
        self.macs.columns()
    }

    /// Takes all lookups that wait: none is left.
    pub(super) fn take(&mut self) -> Self {
        mem::replace(self, Self::new(self.lines()))
    }

    /// Adds a lookup, as many lines as each has. Where rows are known its values are those of row number `row`,
    /// but for that of a stray.
    pub(super) fn push<P: Party<E = E>>(
        &mut self,
        lines: impl IntoIterator<Item = P::Wide> + Clone,
        row: Option<u32>,
    ) {
        if row == Some(NO_ROW) {
            let values = lines.clone().into_iter().map(|line| P::part(line, VALUE)).collect();
            self.strays.push((self.macs.tuples(), values));
        }
        let mut macs = self.macs.push();
        for line in lines {
            *macs.next().expect("no more lines than a lookup has") = P::part(line, MAC);
        }
        assert!(macs.next().is_none(), "fewer lines than a lookup has");
        if let Some(row) = row {
            self.rows.push().for_each(|place| *place = row);
        }
    }

    /// Adds `count` lookups, as [`Found::push`] adds one: `part(j, i, part)` is a part of line j of the i-th. `rows`
    /// are their rows, where these are known.
    #[inline]
    pub(super) fn extend(&mut self, count: usize, rows: &[u32], part: impl Fn(usize, usize, usize) -> E) {
        // As good as never, but where a prover is about to fail.
        if !verdict(rows.iter().fold(true, |all, row| all & (*row != NO_ROW))) {
            for (i, _) in rows.iter().enumerate().filter(|(_, row)| **row == NO_ROW) {
                let values = (0..self.lines()).map(|j| part(j, i, VALUE)).collect();
                self.strays.push((self.macs.tuples() + i, values));
            }
        }
        let part = &part;
        self.macs.extend(count, |j, run| run.map(move |i| part(j, i, MAC)));
        self.rows.extend(rows.len(), |_, run| rows[run].iter().copied());
    }

    /// Adds to lane i of `sums` the lines of lookup `first + i`, combined with public `weights`. `value(row)`
    /// is the combination of a row's own values.
    ///
    /// # Panics
    /// Where there are fewer lookups.
    pub(super) fn add_to<R: Ring<E = E>>(
        &self,
        ring: &R,
        first: usize,
        weights: &[E],
        value: impl Fn(usize) -> E,
        sums: &mut Lines<'_, E>,
    ) {
        for (run, at) in self.macs.runs(first, sums.len()) {
            let terms = weights.iter().enumerate().map(|(line, weight)| (run.column(line), *weight));
            let sums = &mut sums.part(MAC)[at..][..run.len()];
            ring.add_weighed(&terms.collect::<Vec<_>>(), sums);
        }
        if !R::KNOWS {
            return;
        }
        for (run, at) in self.rows.runs(first, sums.len()) {
            let sums = sums.part(VALUE)[at..].iter_mut();
            for (sum, row) in sums.zip(run.column(0)) {
                *sum += if *row == NO_ROW { E::ZERO } else { value(*row as usize) };
            }
        }
        let strays = &self.strays[self.strays.partition_point(|(lookup, _)| *lookup < first)..];
        let end = first + sums.len();
        for (lookup, values) in strays.iter().take_while(|(lookup, _)| *lookup < end) {
            for (value, weight) in values.iter().zip(weights) {
                sums.part(VALUE)[lookup - first] += *value * *weight;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::Prover;
    use std::time::Duration;
    use volery_channel::channel::{Channel, Party as Role, pipe};
    use volery_primitives::{Arch, F61, F61x2, Lanes, MacField, Tag as _};
    use volery_vole::vole::subfield;

    const LOOKUPS: usize = 300;

    fn test<E: MacField<F61> + Lanes<F61>>(lines: usize) {
        let f = |number: usize| F61::new(number as u64);
        let row = |i: usize| if i % 7 == 3 { NO_ROW } else { i as u32 % 5 };
        let value = |i: usize, j: usize| f(if row(i) == NO_ROW { 1000 + i } else { i % 5 * 10 } + j);
        let wire = |i: usize, j: usize| E::Tag::new(value(i, j), E::from(f(i * i + j)));
        let mut found = Found::new(lines);
        let mut channel = Channel::new(Role::Prover, pipe(Duration::from_secs(60)).0);
        let vole = Box::new(subfield::ideal::Prover::<F61, E>::new(3, 1 << 12));
        let party = Prover::<F61, E>::new(&mut channel, vole, Arch::detect(), []);
        let weights: Vec<E> = (0..lines).map(|j| E::from(f(11 + 2 * j))).collect();
        let weighed = |part: &dyn Fn(usize) -> E| {
            weights.iter().enumerate().fold(E::ONE, |sum, (j, weight)| sum + part(j) * *weight)
        };
        let rows: Vec<E> = (0..5).map(|row| weighed(&|j| E::from(f(10 * row + j))) - E::ONE).collect();
        for _ in 0..2 {
            for i in 0..4 {
                let lines = (0..lines).map(|j| Prover::<'_, F61, E>::widened(wire(i, j)));
                found.push::<Prover<'_, F61, E>>(lines, Some(row(i)));
            }
            let others: Vec<_> = (4..LOOKUPS).map(row).collect();
            found.extend(others.len(), &others, |j, i, part| {
                Prover::<'_, F61, E>::part(Prover::<'_, F61, E>::widened(wire(4 + i, j)), part)
            });
            for (first, count) in [(0, LOOKUPS), (3, 1), (60, 8), (127, 150), (LOOKUPS, 0)] {
                let (mut parts, mut public) = (vec![E::ONE; 2 * count], vec![E::ZERO; count]);
                let mut sums = Lines::new(&mut parts, &mut public);
                found.add_to(&party.ring(), first, &weights, |row| rows[row], &mut sums);
                for i in 0..count {
                    assert_eq!(sums.part(MAC)[i], weighed(&|j| wire(first + i, j).mac()));
                    assert_eq!(sums.part(VALUE)[i], weighed(&|j| E::from(value(first + i, j))));
                }
            }
            found.take();
            assert_eq!((found.macs.tuples(), found.rows.tuples(), found.strays.len()), (0, 0, 0));
        }
    }

    /// Lines read back with the values that were put in, whether these are a row's or not, and whether
    /// lookups come one by one or many at a time.
    #[test]
    fn values_are_those_of_rows_or_their_own() {
        test::<F61>(2);
        test::<F61x2>(300);
    }
}
