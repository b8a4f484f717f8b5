//! Rows of shares: where they are drawn, and where triples wait for the end of a block.

use core::iter::from_fn;
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_channel::pool::Pool;
use volery_primitives::arch::advise_huge_pages;
use volery_vole::vole::{BoxedVole, Share, Shares};
use zeroize::{DefaultIsZeroes, Zeroize, Zeroizing};

/// Rows of a tile, the unit that is drawn, sent and combined.
pub(crate) const TILE: usize = 4096;

/// The stream of a VOLE's shares, cut to any length.
pub(super) struct Source<S: Share> {
    vole: BoxedVole<S>,
    block: Shares<S>,
    /// Rows of the VOLE's open block that are used.
    taken: usize,
    /// Rows that were given back, and come next.
    back: Zeroizing<Vec<S::Row>>,
    /// Blocks drawn, and those for which the peer's messages were received.
    drawn: usize,
    heard: usize,
}

impl<S: Share> Source<S> {
    pub(super) fn new(vole: BoxedVole<S>) -> Self {
        // No more ever come back than two sections hold.
        let back = Zeroizing::new(Vec::with_capacity(2 * TILE));
        Self { vole, block: Shares::default(), taken: 0, back, drawn: 0, heard: 0 }
    }

    /// Lets the VOLE hand work out to `pool` from here on.
    pub(super) fn share_work(&mut self, pool: &Pool) {
        self.vole.share_work(pool);
    }

    /// Fills `rows` with the next rows.
    ///
    /// # Errors
    /// Those of [`volery_vole::vole::Vole::block`].
    pub(super) fn fill(&mut self, channel: &mut Channel, rows: &mut [S::Row]) -> Result<()> {
        let again = rows.len().min(self.back.len());
        let (first, mut rows) = rows.split_at_mut(again);
        first.copy_from_slice(&self.back[..again]);
        self.back[..again].zeroize();
        self.back.drain(..again);
        while !rows.is_empty() {
            if self.taken == self.block.len() {
                self.hear((self.drawn + 1).saturating_sub(self.vole.lag()), channel)?;
                self.vole.block(channel, &mut self.block)?;
                self.drawn += 1;
                self.taken = 0;
            }
            let left = &self.block.rows(self.taken);
            let count = rows.len().min(left.len());
            rows[..count].copy_from_slice(&left[..count]);
            self.taken += count;
            rows = &mut rows[count..];
        }
        Ok(())
    }

    /// Takes back the rows that were drawn last, and committed to nothing. They come next.
    pub(super) fn give_back(&mut self, rows: &[S::Row]) {
        self.back.splice(..0, rows.iter().copied());
    }

    /// Receives all that the peer's VOLE has sent by now, so that the next message received is another.
    ///
    /// # Errors
    /// Those of [`volery_vole::vole::Vole::receive`].
    pub(super) fn catch_up(&mut self, channel: &mut Channel) -> Result<()> {
        self.hear(self.drawn, channel)
    }

    fn hear(&mut self, blocks: usize, channel: &mut Channel) -> Result<()> {
        while self.heard < blocks {
            self.vole.receive(channel)?;
            self.heard += 1;
        }
        Ok(())
    }

    /// The end of the statement, as [`volery_vole::vole::Vole::check`].
    ///
    /// # Errors
    /// Those of [`volery_vole::vole::Vole::check`].
    pub(super) fn check(self, channel: &mut Channel) -> Result<BoxedVole<S>> {
        self.vole.check(channel)
    }
}

/// Makes room for `length` elements in all, and wipes the memory that they lay in before.
pub(super) fn reserve<T: Zeroize + Copy>(elements: &mut Zeroizing<Vec<T>>, length: usize) {
    if length > elements.capacity() {
        let mut larger = Zeroizing::new(Vec::with_capacity(length.max(2 * elements.capacity())));
        larger.extend_from_slice(elements);
        *elements = larger;
    }
}

/// Triples of an arena, a piece of memory: enough to fill huge pages, which are touched one after the other.
const ARENA: usize = 128 * TILE;
/// Triples of an arena that starts small, of a huge page or two.
const FEW: usize = 8 * TILE;

/// Triples of rows in tiles, which never move. Their memory is used again for the next block, and wiped on
/// drop.
pub(super) struct Tiles<R: DefaultIsZeroes> {
    /// Arenas of [`ARENA`] triples. The last one grows by tiles. Triples beyond `length` are from an earlier
    /// block.
    arenas: Vec<Vec<[R; 3]>>,
    /// Triples in use, and triples that fit.
    length: usize,
    room: usize,
}

impl<R: DefaultIsZeroes> Tiles<R> {
    pub(super) const fn new() -> Self {
        Self { arenas: Vec::new(), length: 0, room: 0 }
    }

    pub(super) const fn len(&self) -> usize {
        self.length
    }

    /// Forgets all triples, and keeps their memory.
    pub(super) const fn clear(&mut self) {
        self.length = 0;
    }

    /// Appends a triple.
    #[inline(always)]
    pub(super) fn push(&mut self, triple: [R; 3]) {
        if self.length == self.room {
            self.grow();
        }
        self.arenas[self.length / ARENA][self.length % ARENA] = triple;
        self.length += 1;
    }

    /// Makes room for another tile.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        if self.room.is_multiple_of(ARENA) {
            self.arenas.push(Vec::with_capacity(ARENA));
        }
        let arena = self.arenas.last_mut().expect("pushed where there was none");
        let length = arena.len();
        // Where nobody asks, a short statement takes no whole huge page.
        if self.room == FEW || self.room > FEW && length == 0 {
            advise_huge_pages(arena);
        }
        arena.resize(length + TILE, [R::default(); 3]);
        self.room += TILE;
    }

    /// Appends a tile of `count` triples with whatever values, and lends it.
    ///
    /// # Panics
    /// Where there are more than [`TILE`], or a shorter one came before.
    pub(super) fn extend(&mut self, count: usize) -> &mut [[R; 3]] {
        assert!(count <= TILE && self.length.is_multiple_of(TILE), "a tile of {count} after {}", self.length);
        if self.length == self.room {
            self.grow();
        }
        let tile = &mut self.arenas[self.length / ARENA][self.length % ARENA..];
        self.length += count;
        &mut tile[..count]
    }

    /// The tiles, each with the number of triples before it.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &[[R; 3]])> {
        self.since(0)
    }

    /// The tiles without the first `start` triples, which may cut the first tile short.
    pub(super) fn since(&self, start: usize) -> impl Iterator<Item = (usize, &[[R; 3]])> {
        let mut start = start;
        from_fn(move || {
            let end = self.length.min((start / TILE + 1) * TILE);
            let before = core::mem::replace(&mut start, end);
            (before < end).then(|| (before, &self.arenas[before / ARENA][before % ARENA..][..end - before]))
        })
    }
}

impl<R: DefaultIsZeroes> Drop for Tiles<R> {
    /// Wipes all that was written. Memory that was not stays untouched.
    fn drop(&mut self) {
        self.arenas.iter_mut().for_each(|arena| arena.as_flattened_mut().zeroize());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_primitives::{F61, Field};

    fn triple(number: usize) -> [F61; 3] {
        [0, 1, 2].map(|i| F61::sample(&[(3 * number + i) as u64; 4]))
    }

    /// Triples lie where they were put, over the edges of tiles and arenas and in memory
    /// that held others before.
    #[test]
    fn tiles_keep_their_triples() {
        let mut tiles = Tiles::new();
        for (length, by_tiles) in
            [(ARENA + TILE + 5, false), (ARENA + 7, true), (2 * ARENA + 1, false), (0, true)]
        {
            tiles.clear();
            while tiles.len() < length {
                let next = tiles.len();
                if by_tiles {
                    let tile = tiles.extend(TILE.min(length - next)).iter_mut();
                    tile.zip(next..).for_each(|(place, number)| *place = triple(number));
                } else {
                    tiles.push(triple(next));
                }
            }
            for start in [0, 1, TILE - 1, TILE, ARENA - 1, ARENA, length.saturating_sub(1), length] {
                let mut next = start.min(length);
                for (before, tile) in tiles.since(next) {
                    assert!(before == next && !tile.is_empty() && tile.len() <= TILE - before % TILE);
                    assert!(tile.iter().zip(next..).all(|(found, number)| *found == triple(number)));
                    next += tile.len();
                }
                assert_eq!(next, length);
            }
            assert!(tiles.iter().all(|(before, _)| before.is_multiple_of(TILE)));
        }
    }

    #[test]
    fn what_is_reserved_keeps_its_elements() {
        let mut elements = Zeroizing::new(vec![F61::ONE; 3]);
        for length in [2, 3, 100, 7] {
            reserve(&mut elements, length);
            assert!(elements.capacity() >= length);
            assert_eq!(*elements, [F61::ONE; 3]);
        }
    }
}
