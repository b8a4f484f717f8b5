//! Tuples that wait for a challenge, stored by columns, in pieces that do not move: growing leaves no copy of
//! a secret behind.

use core::ops::Range;
use volery_primitives::SecretVec;
use zeroize::DefaultIsZeroes;

/// A list of tuples, of one column for each element of a tuple. A piece of the list holds one column after
/// the other.
pub(super) struct Columns<T: DefaultIsZeroes> {
    columns: usize,
    tuples: usize,
    lengths: Lengths,
    pieces: Vec<SecretVec<T>>,
}

/// The lengths of the pieces, all powers of two: the first is short, for memories with few accesses, and each
/// of the next is twice as long, up to the longest.
#[derive(Clone, Copy)]
struct Lengths {
    /// The logarithm of the first length, and how often it doubles.
    first: u32,
    doublings: u32,
}

/// Tuples in the first piece, and in the longest ones, at most.
pub(super) const FIRST: usize = 1 << 6;
const LONGEST: usize = 1 << 12;

/// Elements in the first piece, and in the longest ones, at most, where tuples are long; one tuple always
/// fits.
const OF_FIRST: usize = 1 << 14;
const OF_LONGEST: usize = 1 << 20;

impl<T: DefaultIsZeroes> Columns<T> {
    pub(super) fn new(columns: usize) -> Self {
        Self::expecting(columns, FIRST)
    }

    /// An empty list for about `tuples` tuples of `columns` elements.
    pub(super) fn expecting(columns: usize, tuples: usize) -> Self {
        let most = |tuples: usize, elements: usize| tuples.min(elements / columns.max(1)).max(1).ilog2();
        let first = most(FIRST.min(tuples.next_power_of_two()), OF_FIRST);
        let doublings = most(LONGEST, OF_LONGEST) - first;
        Self { columns, tuples: 0, lengths: Lengths { first, doublings }, pieces: Vec::new() }
    }

    /// Elements of a tuple.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Tuples in the list.
    pub(super) fn tuples(&self) -> usize {
        self.tuples
    }

    /// Appends a tuple of zeroes, and lends its elements.
    #[inline]
    pub(super) fn push(&mut self) -> impl Iterator<Item = &mut T> {
        let (piece, at) = self.lengths.place(self.tuples);
        self.grow(piece);
        self.tuples += 1;
        let length = self.lengths.of(piece);
        self.pieces[piece].chunks_exact_mut(length).map(move |column| &mut column[at])
    }

    /// Appends `count` tuples: `column(j, run)` gives element j of the new tuples in the range `run`.
    #[inline]
    pub(super) fn extend<I: Iterator<Item = T>>(
        &mut self,
        count: usize,
        column: impl Fn(usize, Range<usize>) -> I,
    ) {
        for (piece, places, first) in self.lengths.segments(self.tuples, count) {
            self.grow(piece);
            let length = self.lengths.of(piece);
            for (j, to) in self.pieces[piece].chunks_exact_mut(length).enumerate() {
                let elements = column(j, first..first + places.len());
                to[places.clone()].iter_mut().zip(elements).for_each(|(place, element)| *place = element);
            }
        }
        self.tuples += count;
    }

    /// Makes room for tuples in this piece.
    #[inline]
    fn grow(&mut self, piece: usize) {
        if piece == self.pieces.len() {
            self.pieces.push(vec![T::default(); self.columns * self.lengths.of(piece)].into());
        }
    }

    /// Element `j` of tuple `i`.
    #[inline]
    pub(super) fn element(&self, i: usize, j: usize) -> T {
        debug_assert!(i < self.tuples);
        let (piece, at) = self.lengths.place(i);
        self.pieces[piece][j * self.lengths.of(piece) + at]
    }

    /// The tuples from `first` to `first + count`, as runs that lie in one piece each, with the number of
    /// tuples before each run.
    ///
    /// # Panics
    /// Where there are fewer.
    pub(super) fn runs(&self, first: usize, count: usize) -> impl Iterator<Item = (TupleRun<'_, T>, usize)> {
        // None are wanted where others stand before all of them.
        assert!(count <= self.tuples.saturating_sub(first), "tuples that wait");
        self.lengths.segments(first, count).map(|(piece, places, before)| {
            (TupleRun { piece: &self.pieces[piece], length: self.lengths.of(piece), places }, before)
        })
    }

    /// The number of elements that fit without another piece.
    #[cfg(test)]
    pub(super) fn room(&self) -> usize {
        self.pieces.iter().map(|piece| piece.len()).sum()
    }
}

/// Tuples that lie in one piece, one after the other.
pub(super) struct TupleRun<'c, T> {
    piece: &'c [T],
    length: usize,
    places: Range<usize>,
}

impl<'c, T> TupleRun<'c, T> {
    /// Tuples of the run.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Element `j` of each tuple of the run.
    #[inline]
    pub(super) fn column(&self, j: usize) -> &'c [T] {
        &self.piece[j * self.length..][self.places.clone()]
    }
}

impl Lengths {
    /// Tuples in a piece.
    #[inline]
    fn of(self, piece: usize) -> usize {
        1 << (self.first + (piece as u32).min(self.doublings))
    }

    /// The piece of tuple `i`, and the tuple's place in it.
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

    /// The ranges of tuples, one for each piece, that make up `count` tuples from number `first` on, each
    /// with the number of tuples before it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuples_stand_in_pieces_that_do_not_move() {
        let element = |i: usize, j: usize| (3 * i + j) as u32;
        for (expected, first) in [(FIRST, FIRST), (5, 8), (1, 1)] {
            let mut waiting = Columns::expecting(3, expected);
            let mut firsts = vec![];
            while waiting.tuples() < 3 * LONGEST {
                let i = waiting.tuples();
                waiting.push().enumerate().for_each(|(j, place)| *place = element(i, j));
                let count = (i % 300).min(3 * LONGEST - i - 1);
                waiting.extend(count, |j, run| run.map(move |k| element(i + 1 + k, j)));
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
                assert!((0..3).all(|j| waiting.element(i, j) == element(i, j)));
            }
            assert!(waiting.pieces.iter().zip(firsts).all(|(piece, first)| piece.as_ptr() == first));
            let mut runs = 0;
            for (run, before) in waiting.runs(first - 1, 5000) {
                assert_eq!(before, runs);
                for j in 0..3 {
                    let column = (0..run.len()).map(|k| element(first - 1 + before + k, j));
                    assert!(run.column(j).iter().copied().eq(column));
                }
                runs += run.len();
            }
            assert_eq!(runs, 5000);
            let segments: Vec<_> = waiting.lengths.segments(first - 1, 5000).collect();
            assert_eq!(segments[..2], [(0, first - 1..first, 0), (1, 0..2 * first, 1)]);
        }
    }

    /// Tuples that are long have pieces of fewer, and of one at least.
    #[test]
    fn pieces_of_long_tuples_are_no_longer() {
        for (columns, first, longest) in [(1, 64, 4096), (256, 64, 4096), (1 << 12, 4, 256), (1 << 21, 1, 1)]
        {
            let lengths = Columns::<u32>::new(columns).lengths;
            assert_eq!((lengths.of(0), lengths.of(usize::MAX >> 32)), (first, longest));
        }
    }
}
