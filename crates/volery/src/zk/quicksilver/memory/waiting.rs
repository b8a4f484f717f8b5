//! Lines of tuples that wait for their challenge, and what is made of them under it.

use super::columns::Columns;
use super::{Party, Ring};
use core::ops::Range;
use volery_primitives::Field;

/// Tuples of so many lines each: of each line one column for each of its parts ([`Party::PARTS`]).
pub(super) struct Waiting<E: Field>(Columns<E>);

impl<E: Field> Waiting<E> {
    pub(super) fn new<P: Party<E = E>>(lines: usize) -> Self {
        Self::of::<P::Ring>(lines)
    }

    pub(super) fn of<R: Ring<E = E>>(lines: usize) -> Self {
        Self(Columns::new(lines * R::PARTS))
    }

    /// An empty list for so many tuples, and perhaps more.
    pub(super) fn expecting<P: Party<E = E>>(lines: usize, tuples: usize) -> Self {
        Self(Columns::expecting(lines * P::PARTS, tuples))
    }

    /// How many lines a tuple has.
    pub(super) fn lines<R: Ring<E = E>>(&self) -> usize {
        self.0.columns() / R::PARTS
    }

    /// How many tuples wait.
    pub(super) fn tuples(&self) -> usize {
        self.0.tuples()
    }

    /// Adds a tuple, as many lines as each has.
    #[inline]
    pub(super) fn push<P: Party<E = E>>(&mut self, lines: impl IntoIterator<Item = P::Wide>) {
        let mut elements = self.0.push();
        for line in lines {
            for part in 0..P::PARTS {
                *elements.next().expect("no more lines than a tuple has") = P::part(line, part);
            }
        }
        assert!(elements.next().is_none(), "fewer lines than a tuple has");
    }

    /// Adds so many: `line(j, i)` is line j of the i-th.
    pub(super) fn extend<P: Party<E = E>>(&mut self, count: usize, line: impl Fn(usize, usize) -> P::Wide) {
        let line = &line;
        self.0.extend(count, |column, run| {
            run.map(move |i| P::part(line(column / P::PARTS, i), column % P::PARTS))
        });
    }

    /// A part of line `j` of tuple `i`.
    #[inline]
    pub(super) fn part<R: Ring<E = E>>(&self, i: usize, j: usize, part: usize) -> E {
        self.0.element(i, j * R::PARTS + part)
    }

    /// Adds to each lane of `sums` lines of one tuple, from number `first` on, each by its weight, which is
    /// public: `weights` are numbers of lines, each with that.
    ///
    /// # Panics
    /// Where there are fewer tuples.
    pub(super) fn add_to<R: Ring<E = E>>(
        &self,
        ring: &R,
        first: usize,
        weights: &[(usize, E)],
        sums: &mut Lines<'_, E>,
    ) {
        for (run, at) in self.0.runs(first, sums.len()) {
            for part in 0..R::PARTS {
                let term = |(line, weight): &(usize, E)| (run.column(line * R::PARTS + part), *weight);
                let terms: Vec<_> = weights.iter().map(term).collect();
                ring.add_weighed(&terms, &mut sums.part(part)[at..][..run.len()]);
            }
        }
    }

    /// The parts that there is room for.
    #[cfg(test)]
    pub(super) fn room(&self) -> usize {
        self.0.room()
    }
}

/// Lines that are being added up, a lane each, and what is public of them.
pub(in super::super) struct Lines<'l, E> {
    /// The parts of all lines ([`Party::PARTS`]), one after the other, and what is public of them.
    parts: &'l mut [E],
    public: &'l mut [E],
    /// The lanes that are meant.
    lanes: Range<usize>,
}

impl<'l, E> Lines<'l, E> {
    pub(in super::super) fn new(parts: &'l mut [E], public: &'l mut [E]) -> Self {
        let lanes = 0..public.len();
        Self { parts, public, lanes }
    }

    /// How many lanes there are.
    pub(super) fn len(&self) -> usize {
        self.lanes.len()
    }

    /// Some of the lanes.
    pub(super) fn within(&mut self, lanes: Range<usize>) -> Lines<'_, E> {
        let first = self.lanes.start;
        assert!(lanes.end <= self.len());
        Lines { parts: self.parts, public: self.public, lanes: first + lanes.start..first + lanes.end }
    }

    /// One part of all.
    pub(super) fn part(&mut self, part: usize) -> &mut [E] {
        let stride = self.public.len();
        &mut self.parts[part * stride..][self.lanes.clone()]
    }

    /// The public part of all lines.
    pub(super) fn public(&mut self) -> &mut [E] {
        &mut self.public[self.lanes.clone()]
    }
}
