//! The parties' run of a circuit over F_2, all views of all repetitions side by side.
//!
//! A wire is a [`Word`]: bit 0 is its value, where that is known, and each other bit is the share that
//! one view has of it. Additions are local. The shares of inputs and of products come from tapes, a
//! **tile** at a time; what happens to them, to the factors of products, and to what is asserted, is the
//! business of [`Tiles`].

use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_circuit::stream::{Executor, GatesAlone};
use volery_circuit::{Backend, Circuit};
use volery_primitives::{F2, F128};
use zeroize::Zeroizing;

/// Bits of a word: the value, and 255 views.
pub(super) const WORD_BITS: usize = 256;

/// Products, or inputs, in a tile.
pub(super) const TILE: usize = 4096;

/// Assertions in a batch.
pub(super) const ASSERTIONS: usize = 128;

/// A wire, shared among views.
pub(super) type Word = [F128; WORD_BITS / 128];

/// The source of shares, and their destination. Words are as [`Views`] has them.
pub(super) trait Tiles {
    /// The next [`TILE`] inputs, or all that remain: fills `words` with their values and shares.
    ///
    /// # Errors
    /// `Invalid` where none remain; link errors.
    fn inputs(&mut self, words: &mut Vec<Word>) -> Result<()>;

    /// The next [`TILE`] products, or all that remain: fills `words` with their shares; bit 0 is zero.
    ///
    /// # Errors
    /// As for [`Tiles::inputs`].
    fn products(&mut self, words: &mut Vec<Word>) -> Result<()>;

    /// Takes the factors of all products of the last tile, with zeros behind where the circuit ended before.
    ///
    /// # Errors
    /// Link errors.
    fn multiplied(&mut self, a: &[Word], b: &[Word]) -> Result<()>;

    /// Takes at most [`ASSERTIONS`] wires that must be zero.
    fn asserted(&mut self, words: &[Word]);
}

/// The backend of all views.
pub struct Views<'a> {
    /// The wire of the public one: its value, and a share of one for the views that hold party 0.
    one: Word,
    inputs: Tile,
    products: Tile,
    /// The factors of the tile's products so far.
    a: Zeroizing<Vec<Word>>,
    b: Zeroizing<Vec<Word>>,
    asserted: Zeroizing<Vec<Word>>,
    tiles: &'a mut dyn Tiles,
}

/// The words of a tile that are still to be handed out.
#[derive(Default)]
struct Tile {
    words: Zeroizing<Vec<Word>>,
    /// The number of words handed out.
    taken: usize,
}

impl Tile {
    #[inline(always)]
    fn next(&mut self) -> Option<Word> {
        let word = self.words.get(self.taken).copied();
        self.taken += usize::from(word.is_some());
        word
    }
}

impl<'a> Views<'a> {
    /// Runs `circuit` over `tiles`, where `one` is a wire that carries one.
    ///
    /// # Errors
    /// Those of the circuit and of the tiles; `Invalid` where the circuit has fewer inputs or
    /// products than these.
    pub(super) fn run(circuit: &dyn Circuit<Self>, one: Word, tiles: &'a mut dyn Tiles) -> Result<()> {
        let mut views = Self {
            one,
            inputs: Tile::default(),
            products: Tile::default(),
            a: Zeroizing::default(),
            b: Zeroizing::default(),
            asserted: Zeroizing::new(Vec::with_capacity(ASSERTIONS)),
            tiles,
        };
        circuit.run(&mut views)?;
        if views.products.taken != views.products.words.len()
            || views.inputs.taken != views.inputs.words.len()
        {
            return Err(miscounted());
        }
        views.multiplied()?;
        views.tiles.asserted(&views.asserted);
        Ok(())
    }

    /// Hands the factors of a whole tile on.
    fn multiplied(&mut self) -> Result<()> {
        let taken = self.products.taken;
        if taken > 0 {
            self.tiles.multiplied(&self.a[..taken], &self.b[..taken])?;
        }
        Ok(())
    }

    #[cold]
    fn next_products(&mut self) -> Result<()> {
        self.multiplied()?;
        self.tiles.products(&mut self.products.words)?;
        self.products.taken = 0;
        self.a.resize(self.products.words.len(), Word::default());
        self.b.resize(self.products.words.len(), Word::default());
        Ok(())
    }

    #[cold]
    fn next_inputs(&mut self) -> Result<Word> {
        self.tiles.inputs(&mut self.inputs.words)?;
        self.inputs.taken = 0;
        self.inputs.next().ok_or_else(miscounted)
    }

    #[cold]
    fn pass_on(&mut self) {
        self.tiles.asserted(&self.asserted);
        self.asserted.clear();
    }
}

/// The error of a circuit with other gates than were counted.
pub(super) fn miscounted() -> Error {
    Error::invalid(
        "the circuit has other gates than when they were counted: it must be the same each time it is run",
    )
}

#[inline(always)]
fn masked(word: Word, bit: F2) -> Word {
    word.map(|part| F128(part.0 & bit.mask()))
}

impl Backend for Views<'_> {
    type F = F2;
    type Wire = Word;

    #[inline]
    fn constant(&mut self, c: F2) -> Word {
        masked(self.one, c)
    }
    #[inline]
    fn add(&mut self, a: Word, b: Word) -> Word {
        [a[0] ^ b[0], a[1] ^ b[1]]
    }
    #[inline]
    fn scale(&mut self, a: Word, c: F2) -> Word {
        masked(a, c)
    }
    #[inline]
    fn witness(&mut self) -> Result<Word> {
        match self.inputs.next() {
            Some(word) => Ok(word),
            None => self.next_inputs(),
        }
    }
    fn hint(&mut self, _: &[Word], _: impl Fn(&[F2]) -> F2 + Send + Sync + 'static) -> Result<Word> {
        self.witness()
    }
    fn hints(
        &mut self,
        _: &[Word],
        count: usize,
        _: impl Fn(&[F2]) -> Vec<F2> + Send + Sync + 'static,
    ) -> Result<Vec<Word>> {
        (0..count).map(|_| self.witness()).collect()
    }
    #[inline]
    fn mul(&mut self, a: Word, b: Word) -> Result<Word> {
        if self.products.taken == self.products.words.len() {
            self.next_products()?;
        }
        let at = self.products.taken;
        (self.a[at], self.b[at]) = (a, b);
        self.products.taken = at + 1;
        let mut product = self.products.words[at];
        product[0].0 |= a[0].0 & b[0].0 & 1;
        Ok(product)
    }
    fn assert_zero(&mut self, a: Word, _: impl Display) -> Result<()> {
        self.asserted.push(a);
        if self.asserted.len() == ASSERTIONS {
            self.pass_on();
        }
        Ok(())
    }
}

impl Executor for Views<'_> {
    type Beyond = GatesAlone;
}
