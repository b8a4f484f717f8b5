//! Committed tuples that wait for a challenge, and their combination under it.

use super::columns::Columns;
use super::{Party, Ring};
use core::ops::Range;
use volery_primitives::Field;

/// A list of tuples of committed lines. Each line has a column for its MAC and one for its value, or one for
/// its key ([`Party::PARTS`]).
pub(super) struct Waiting<E: Field>(Columns<E>);

impl<E: Field> Waiting<E> {
    pub(super) fn new<P: Party<E = E>>(lines: usize) -> Self {
        Self::of::<P::Ring>(lines)
    }

    pub(super) fn of<R: Ring<E = E>>(lines: usize) -> Self {
        Self(Columns::new(lines * R::PARTS))
    }

    /// An empty list for about `tuples` tuples of `lines` lines.
    pub(super) fn expecting<P: Party<E = E>>(lines: usize, tuples: usize) -> Self {
        Self(Columns::expecting(lines * P::PARTS, tuples))
    }

    /// Lines of a tuple.
    pub(super) fn lines<R: Ring<E = E>>(&self) -> usize {
        self.0.columns() / R::PARTS
    }

    /// Tuples in the list.
    pub(super) fn tuples(&self) -> usize {
        self.0.tuples()
    }

    /// Appends a tuple.
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

    /// Appends `count` tuples: `line(j, i)` is line j of the i-th.
    pub(super) fn extend<P: Party<E = E>>(&mut self, count: usize, line: impl Fn(usize, usize) -> P::Wide) {
        let line = &line;
        self.0.extend(count, |column, run| {
            run.map(move |i| P::part(line(column / P::PARTS, i), column % P::PARTS))
        });
    }

    /// One part of line `j` of tuple `i`.
    #[inline]
    pub(super) fn part<R: Ring<E = E>>(&self, i: usize, j: usize, part: usize) -> E {
        self.0.element(i, j * R::PARTS + part)
    }

    /// Adds to lane i of `sums` the public linear combination of tuple `first + i`: `weights` names the
    /// lines, each with its coefficient.
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

    /// The number of elements that fit without another piece.
    #[cfg(test)]
    pub(super) fn room(&self) -> usize {
        self.0.room()
    }
}

/// Lines that are being summed, one to a lane, and the public term of each.
pub(crate) struct Lines<'l, E> {
    /// The lines' parts ([`Party::PARTS`]), first one part of all lanes, then the next; and the public terms.
    parts: &'l mut [E],
    public: &'l mut [E],
    /// The lanes that are written to.
    lanes: Range<usize>,
}

impl<'l, E> Lines<'l, E> {
    pub(crate) fn new(parts: &'l mut [E], public: &'l mut [E]) -> Self {
        let lanes = 0..public.len();
        Self { parts, public, lanes }
    }

    /// The number of lanes.
    pub(super) fn len(&self) -> usize {
        self.lanes.len()
    }

    /// A range of the lanes.
    pub(super) fn within(&mut self, lanes: Range<usize>) -> Lines<'_, E> {
        let first = self.lanes.start;
        assert!(lanes.end <= self.len());
        Lines { parts: self.parts, public: self.public, lanes: first + lanes.start..first + lanes.end }
    }

    /// One part of each line.
    pub(super) fn part(&mut self, part: usize) -> &mut [E] {
        let stride = self.public.len();
        &mut self.parts[part * stride..][self.lanes.clone()]
    }

    /// The public term of each line.
    pub(super) fn public(&mut self) -> &mut [E] {
        &mut self.public[self.lanes.clone()]
    }
}
