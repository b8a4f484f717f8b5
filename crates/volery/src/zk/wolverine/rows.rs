//! Rows of shares: where they come from, and where they wait for the end of a block.

use crate::channel::Channel;
use crate::error::Result;
use crate::vole::{BoxedVole, Share, Shares};
use zeroize::{DefaultIsZeroes, Zeroize, Zeroizing};

/// Rows of a tile: what is drawn, sent and weighed at a time.
pub(crate) const TILE: usize = 4096;

/// The stream of a VOLE's shares, cut to any length.
pub(super) struct Source<S: Share> {
    vole: BoxedVole<S>,
    block: Shares<S>,
    /// Rows of the block that are taken.
    taken: usize,
    /// Rows that were taken and given back: the next ones.
    back: Zeroizing<Vec<S::Row>>,
    /// Blocks drawn, and those whose messages of the peer were received.
    drawn: usize,
    heard: usize,
}

impl<S: Share> Source<S> {
    pub(super) fn new(vole: BoxedVole<S>) -> Self {
        // No more ever come back than two sections hold.
        let back = Zeroizing::new(Vec::with_capacity(2 * TILE));
        Self { vole, block: Shares::default(), taken: 0, back, drawn: 0, heard: 0 }
    }

    /// Fills `rows` with the next ones.
    ///
    /// # Errors
    /// Those of [`crate::vole::Vole::block`].
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

    /// Takes back the rows that were taken last, to be the next ones: they committed to nothing.
    pub(super) fn give_back(&mut self, rows: &[S::Row]) {
        self.back.splice(..0, rows.iter().copied());
    }

    /// Receives all that the peer's end has sent by now, so that what follows is something else.
    ///
    /// # Errors
    /// Those of [`crate::vole::Vole::receive`].
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

    /// The end of the statement, as [`crate::vole::Vole::check`].
    ///
    /// # Errors
    /// Those of [`crate::vole::Vole::check`].
    pub(super) fn check(self, channel: &mut Channel) -> Result<BoxedVole<S>> {
        self.vole.check(channel)
    }
}

/// Triples of rows in tiles, which are filled again for the next block and never moved. Wiped on drop.
pub(super) struct Tiles<R: DefaultIsZeroes> {
    /// [`TILE`] each, of which those beyond `length` are from before.
    tiles: Vec<Zeroizing<Vec<[R; 3]>>>,
    /// How many triples there are.
    length: usize,
}

impl<R: DefaultIsZeroes> Tiles<R> {
    pub(super) const fn new() -> Self {
        Self { tiles: Vec::new(), length: 0 }
    }

    pub(super) const fn len(&self) -> usize {
        self.length
    }

    /// Forgets all triples; their memory is kept.
    pub(super) const fn clear(&mut self) {
        self.length = 0;
    }

    /// Appends one.
    #[inline(always)]
    pub(super) fn push(&mut self, triple: [R; 3]) {
        if self.length == TILE * self.tiles.len() {
            self.grow();
        }
        self.tiles[self.length / TILE][self.length % TILE] = triple;
        self.length += 1;
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.tiles.push(Zeroizing::new(vec![[R::default(); 3]; TILE]));
    }

    /// Appends a tile of `count` triples, whatever is in them.
    ///
    /// # Panics
    /// Where there are more than [`TILE`], or a shorter one came before.
    pub(super) fn extend(&mut self, count: usize) -> &mut [[R; 3]] {
        assert!(count <= TILE && self.length.is_multiple_of(TILE), "a tile of {count} after {}", self.length);
        if self.length == TILE * self.tiles.len() {
            self.grow();
        }
        let tile = &mut self.tiles[self.length / TILE];
        self.length += count;
        &mut tile[..count]
    }

    /// The tiles, each with the number of triples before it.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &[[R; 3]])> {
        let starts = (0..self.length).step_by(TILE);
        starts.zip(&self.tiles).map(|(start, tile)| (start, &tile[..TILE.min(self.length - start)]))
    }
}
