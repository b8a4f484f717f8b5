//! Lines of tuples that wait for their challenge, and what is made of them under it.

use super::Party;
use core::ops::Range;
use volery_primitives::{Field, SecretVec};

/// Tuples of so many lines each, by columns: a piece has one column after the other, of each line one for
/// each of its parts ([`Party::PARTS`]).
pub(super) struct Waiting<E: Field> {
    columns: usize,
    tuples: usize,
    lengths: Lengths,
    pub(super) pieces: Vec<SecretVec<E>>,
}

/// How long pieces are, which do not move as their number grows: the first is short, for memories with few
/// accesses, and each of the next is twice as long, up to the longest. All are powers of two.
#[derive(Clone, Copy)]
struct Lengths {
    /// The logarithm of the first, and how often it doubles.
    first: u32,
    doublings: u32,
}

/// Tuples to the first piece, and to the longest ones, at most.
pub(super) const FIRST: usize = 1 << 6;
pub(super) const LONGEST: usize = 1 << 12;

/// Elements of these, at most, where tuples are long, unless one alone has more.
const OF_FIRST: usize = 1 << 14;
const OF_LONGEST: usize = 1 << 20;

impl<E: Field> Waiting<E> {
    pub(super) fn new<P: Party<E = E>>(lines: usize) -> Self {
        Self::expecting::<P>(lines, FIRST)
    }

    /// The same for so many tuples, and perhaps more.
    pub(super) fn expecting<P: Party<E = E>>(lines: usize, tuples: usize) -> Self {
        let columns = lines * P::PARTS;
        let most = |tuples: usize, elements: usize| tuples.min(elements / columns.max(1)).max(1).ilog2();
        let first = most(FIRST.min(tuples.next_power_of_two()), OF_FIRST);
        let doublings = most(LONGEST, OF_LONGEST) - first;
        Self { columns, tuples: 0, lengths: Lengths { first, doublings }, pieces: Vec::new() }
    }

    /// How many lines a tuple has.
    pub(super) fn lines<P: Party<E = E>>(&self) -> usize {
        self.columns / P::PARTS
    }

    /// How many tuples wait.
    pub(super) fn tuples(&self) -> usize {
        self.tuples
    }

    /// Adds a tuple, as many lines as each has.
    #[inline]
    pub(super) fn push<P: Party<E = E>>(&mut self, lines: impl IntoIterator<Item = P::Wide>) {
        let (piece, at) = self.lengths.place(self.tuples);
        self.grow(piece);
        let length = self.lengths.of(piece);
        let mut lines = lines.into_iter();
        for columns in self.pieces[piece].chunks_exact_mut(P::PARTS * length) {
            let line = lines.next().expect("all lines of a tuple");
            for (part, column) in columns.chunks_exact_mut(length).enumerate() {
                column[at] = P::part(line, part);
            }
        }
        debug_assert!(lines.next().is_none(), "more lines than a tuple has");
        self.tuples += 1;
    }

    /// Adds so many: `line(j, i)` is line j of the i-th.
    pub(super) fn extend<P: Party<E = E>>(&mut self, count: usize, line: impl Fn(usize, usize) -> P::Wide) {
        for (piece, places, first) in self.lengths.segments(self.tuples, count) {
            self.grow(piece);
            let length = self.lengths.of(piece);
            for (j, columns) in self.pieces[piece].chunks_exact_mut(P::PARTS * length).enumerate() {
                for (part, column) in columns.chunks_exact_mut(length).enumerate() {
                    for (i, place) in column[places.clone()].iter_mut().enumerate() {
                        *place = P::part(line(j, first + i), part);
                    }
                }
            }
        }
        self.tuples += count;
    }

    /// Makes room for tuples in this piece.
    #[inline]
    fn grow(&mut self, piece: usize) {
        if piece == self.pieces.len() {
            self.pieces.push(vec![E::ZERO; self.columns * self.lengths.of(piece)].into());
        }
    }

    /// A part of line `j` of tuple `i`.
    #[inline]
    pub(super) fn part<P: Party<E = E>>(&self, i: usize, j: usize, part: usize) -> E {
        debug_assert!(i < self.tuples);
        let (piece, at) = self.lengths.place(i);
        self.pieces[piece][(j * P::PARTS + part) * self.lengths.of(piece) + at]
    }

    /// Adds to each lane of `sums` the lines of one tuple, from number `first` on, each by its weight, which
    /// is public.
    ///
    /// # Panics
    /// Where there are fewer tuples.
    pub(super) fn add_to<P: Party<E = E>>(
        &self,
        party: &P,
        first: usize,
        weights: impl Iterator<Item = (usize, E)> + Clone,
        sums: &mut Lines<'_, E>,
    ) {
        // None are wanted where others stand before all of them.
        assert!(sums.len() <= self.tuples.saturating_sub(first), "tuples that wait");
        for (piece, places, at) in self.lengths.segments(first, sums.len()) {
            let length = self.lengths.of(piece);
            let column = |column: usize| &self.pieces[piece][column * length..][places.clone()];
            for part in 0..P::PARTS {
                let terms = weights.clone().map(|(line, weight)| (column(line * P::PARTS + part), weight));
                let sums = &mut sums.part(part)[at..][..places.len()];
                party.add_weighed(&terms.collect::<Vec<_>>(), sums);
            }
        }
    }

    /// Leaves none.
    pub(super) fn clear(&mut self) {
        self.pieces.clear();
        self.tuples = 0;
    }
}

impl Lengths {
    /// Tuples to a piece.
    #[inline]
    fn of(self, piece: usize) -> usize {
        1 << (self.first + (piece as u32).min(self.doublings))
    }

    /// The piece of tuple number `i`, and its number there.
    #[inline]
    fn place(self, i: usize) -> (usize, usize) {
        // As long as lengths double, first·(2^piece − 1) are in the pieces before.
        let (first, doublings) = (1 << self.first, self.doublings as usize);
        let piece = ((i >> self.first) + 1).ilog2() as usize;
        if piece < doublings {
            return (piece, i + first - (first << piece));
        }
        let (others, longest) = (i + first - (first << doublings), self.first + self.doublings);
        (doublings + (others >> longest), others & ((1 << longest) - 1))
    }

    /// The pieces in which so many tuples from number `first` on lie: each with their places there, and how
    /// many of them come before.
    fn segments(self, first: usize, count: usize) -> impl Iterator<Item = (usize, Range<usize>, usize)> {
        let mut done = 0;
        core::iter::from_fn(move || {
            let (piece, at) = self.place(first + done);
            let before = done;
            done += (self.of(piece) - at).min(count - done);
            (done > before).then(|| (piece, at..at + done - before, before))
        })
    }
}

/// Lines that are being added up, a lane each, and what is public of them.
pub(in super::super) struct Lines<'l, E> {
    /// Their parts ([`Party::PARTS`]), one after the other, and what is public, of all lanes.
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

    /// What is public of all.
    pub(super) fn public(&mut self) -> &mut [E] {
        &mut self.public[self.lanes.clone()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zk::quicksilver::arithmetic::Verifier;
    use volery_primitives::F61;

    type Keys = Verifier<'static, F61, F61>;

    #[test]
    fn tuples_stand_in_pieces_that_do_not_move() {
        let line = |i: usize, j: usize| F61::new((3 * i + j) as u64);
        for (expected, first) in [(FIRST, FIRST), (5, 8), (1, 1)] {
            let mut waiting = Waiting::expecting::<Keys>(3, expected);
            let mut firsts = vec![];
            while waiting.tuples() < 3 * LONGEST {
                let i = waiting.tuples();
                waiting.push::<Keys>((0..3).map(|j| line(i, j)));
                let count = (i % 300).min(3 * LONGEST - i - 1);
                waiting.extend::<Keys>(count, |j, k| line(i + 1 + k, j));
                while firsts.len() < waiting.pieces.len() {
                    firsts.push(waiting.pieces[firsts.len()].as_ptr());
                }
            }
            let lengths: Vec<usize> = waiting.pieces.iter().map(|piece| piece.len() / 3).collect();
            let doubling: Vec<usize> = core::iter::successors(Some(first), |length| Some(2 * length))
                .take_while(|l| *l < LONGEST)
                .collect();
            assert_eq!(lengths[..doubling.len()], doubling);
            assert!(lengths[doubling.len()..].iter().all(|length| *length == LONGEST));
            for i in 0..3 * LONGEST {
                assert!((0..3).all(|j| waiting.part::<Keys>(i, j, 0) == line(i, j)));
            }
            assert!(waiting.pieces.iter().zip(firsts).all(|(piece, first)| piece.as_ptr() == first));
            let segments: Vec<_> = waiting.lengths.segments(first - 1, 5000).collect();
            assert_eq!(segments[..2], [(0, first - 1..first, 0), (1, 0..2 * first, 1)]);
            assert_eq!(segments.iter().map(|(_, places, _)| places.len()).sum::<usize>(), 5000);
        }
    }

    /// Long tuples have pieces of fewer, and one alone at least.
    #[test]
    fn pieces_of_long_tuples_are_no_longer() {
        for (lines, first, longest) in [(1, 64, 4096), (256, 64, 4096), (1 << 12, 4, 256), (1 << 21, 1, 1)] {
            let lengths = Waiting::new::<Keys>(lines).lengths;
            assert_eq!((lengths.of(0), lengths.of(usize::MAX >> 32)), (first, longest));
        }
    }
}
