//! The parties' run of a circuit over a large field, some views side by side.
//!
//! A wire is a [`Shared`]: its value, where that is known, and the share that each of some views has of it.
//! Additions are local. The shares of inputs and of products come from tapes, a **tile** at a time; what
//! happens to them, to the two sides of each claim, and to what is asserted, is the business of [`Tiles`].

use crate::simulation::miscounted;
use core::array::from_fn;
use core::fmt::Display;
use volery_channel::error::Result;
use volery_circuit::stream::{Executor, Sums, SumsOfProducts};
use volery_circuit::{Backend, Circuit, Entries, Matrix, check_sizes};
use volery_primitives::Field;
use zeroize::{DefaultIsZeroes, Zeroizing};

/// Views that are followed side by side.
pub(super) const SLOTS: usize = 16;

/// Products, inputs or entries in a tile.
pub(super) const TILE: usize = 512;

/// Assertions in a batch.
const ASSERTIONS: usize = 128;

/// A wire, shared among views.
#[derive(Clone, Copy)]
pub struct Shared<B> {
    /// The plain value, where it is known.
    pub(super) value: B,
    /// The share of each view.
    pub(super) shares: [B; SLOTS],
}

impl<B: Field> Default for Shared<B> {
    fn default() -> Self {
        Self::ZERO
    }
}

impl<B: Field> DefaultIsZeroes for Shared<B> {}

impl<B: Field> Shared<B> {
    pub(super) const ZERO: Self = Self { value: B::ZERO, shares: [B::ZERO; SLOTS] };

    /// The public `value`. A view holds it, or zero, as its bits in `holds` are all ones, or zeroes.
    pub(super) fn public(value: B, holds: &[u64; SLOTS]) -> Self {
        Self { value, shares: from_fn(|slot| value.masked(holds[slot])) }
    }
}

/// The source of shares, and their destination.
pub(super) trait Tiles<B> {
    /// The next [`TILE`] inputs, or all that remain: fills `wires`.
    ///
    /// # Errors
    /// `Invalid` where none remain; link errors.
    fn inputs(&mut self, wires: &mut Vec<Shared<B>>) -> Result<()>;

    /// The next [`TILE`] products, or all that remain: fills `wires` with their shares; the values are zero.
    ///
    /// # Errors
    /// As for [`Tiles::inputs`].
    fn products(&mut self, wires: &mut Vec<Shared<B>>) -> Result<()>;

    /// Takes the values of all products of the last tile.
    fn multiplied(&mut self, values: &[B]);

    /// Takes entries: the left and right factors of each, and the number of the product that it is a term of.
    fn entries(&mut self, sides: [&[Shared<B>]; 2], products: &[u64]);

    /// Takes a product of matrices; as many entries follow as a row of `a` has.
    fn matrices(&mut self, a: Matrix<Shared<B>>, b: Matrix<Shared<B>>, c: Entries<B, Shared<B>>);

    /// Takes wires that must be zero.
    fn asserted(&mut self, wires: &[Shared<B>]);
}

/// The backend of some views, over any field but F_2.
pub struct ArithmeticViews<'a, B: Field> {
    /// All ones for views that hold party 0.
    holds: [u64; SLOTS],
    inputs: Tile<B>,
    products: Tile<B>,
    /// The values of this tile's products so far.
    values: Zeroizing<Vec<B>>,
    /// Products in tiles before this one.
    before: u64,
    sides: [Zeroizing<Vec<Shared<B>>>; 2],
    /// For each open entry the product that it is a term of.
    terms: Vec<u64>,
    asserted: Zeroizing<Vec<Shared<B>>>,
    tiles: &'a mut dyn Tiles<B>,
}

/// The wires of a tile that are still to be handed out.
struct Tile<B: Field> {
    wires: Zeroizing<Vec<Shared<B>>>,
    /// The number of wires handed out.
    taken: usize,
}

impl<B: Field> Tile<B> {
    fn empty() -> Self {
        Self { wires: Zeroizing::default(), taken: 0 }
    }

    #[inline(always)]
    fn next(&mut self) -> Option<Shared<B>> {
        let wire = self.wires.get(self.taken).copied();
        self.taken += usize::from(wire.is_some());
        wire
    }

    fn is_used_up(&self) -> bool {
        self.taken == self.wires.len()
    }
}

impl<'a, B: Field> ArithmeticViews<'a, B> {
    /// Runs `circuit` over `tiles`. The views for which `holds` is all ones hold party 0, and with
    /// it public constants.
    ///
    /// # Errors
    /// Those of the circuit and of the tiles; `Invalid` where the circuit has fewer inputs or
    /// products than these.
    pub(super) fn run(
        circuit: &dyn Circuit<Self>,
        holds: [u64; SLOTS],
        tiles: &'a mut dyn Tiles<B>,
    ) -> Result<()> {
        let room = || Zeroizing::new(Vec::with_capacity(TILE));
        let mut views = Self {
            holds,
            inputs: Tile::empty(),
            products: Tile::empty(),
            values: Zeroizing::new(Vec::with_capacity(TILE)),
            before: 0,
            sides: [room(), room()],
            terms: Vec::with_capacity(TILE),
            asserted: Zeroizing::new(Vec::with_capacity(ASSERTIONS)),
            tiles,
        };
        circuit.run(&mut views)?;
        if !views.products.is_used_up() || !views.inputs.is_used_up() {
            return Err(miscounted());
        }
        views.pass_entries_on();
        views.tiles.multiplied(&views.values);
        views.tiles.asserted(&views.asserted);
        Ok(())
    }

    /// Takes the next product, sets its value, and gives its number.
    #[inline]
    fn product(&mut self, value: B) -> Result<(u64, Shared<B>)> {
        if self.products.is_used_up() {
            self.next_products()?;
        }
        let number = self.before + self.products.taken as u64;
        let mut wire = self.products.next().ok_or_else(miscounted)?;
        wire.value = value;
        self.values.push(value);
        Ok((number, wire))
    }

    #[inline]
    fn entry(&mut self, product: u64, a: Shared<B>, b: Shared<B>) {
        let [left, right] = &mut self.sides;
        left.push(a);
        right.push(b);
        self.terms.push(product);
        if self.terms.len() == TILE {
            self.pass_entries_on();
        }
    }

    #[cold]
    fn next_products(&mut self) -> Result<()> {
        self.tiles.multiplied(&self.values);
        self.before += self.values.len() as u64;
        self.values.clear();
        self.products.taken = 0;
        self.tiles.products(&mut self.products.wires)
    }

    #[cold]
    fn next_inputs(&mut self) -> Result<Shared<B>> {
        self.inputs.taken = 0;
        self.tiles.inputs(&mut self.inputs.wires)?;
        self.inputs.next().ok_or_else(miscounted)
    }

    #[cold]
    fn pass_entries_on(&mut self) {
        let Self { sides: [left, right], terms, tiles, .. } = self;
        if !terms.is_empty() {
            tiles.entries([left, right], terms);
        }
        left.clear();
        right.clear();
        terms.clear();
    }

    #[cold]
    fn pass_assertions_on(&mut self) {
        self.tiles.asserted(&self.asserted);
        self.asserted.clear();
    }
}

impl<B: Field> Backend for ArithmeticViews<'_, B> {
    type F = B;
    type Wire = Shared<B>;

    #[inline]
    fn constant(&mut self, c: B) -> Shared<B> {
        Shared::public(c, &self.holds)
    }
    #[inline]
    fn add(&mut self, a: Shared<B>, b: Shared<B>) -> Shared<B> {
        Shared { value: a.value + b.value, shares: from_fn(|slot| a.shares[slot] + b.shares[slot]) }
    }
    #[inline]
    fn scale(&mut self, a: Shared<B>, c: B) -> Shared<B> {
        Shared { value: a.value * c, shares: a.shares.map(|share| share * c) }
    }
    #[inline]
    fn witness(&mut self) -> Result<Shared<B>> {
        match self.inputs.next() {
            Some(wire) => Ok(wire),
            None => self.next_inputs(),
        }
    }
    fn hint(&mut self, _: &[Shared<B>], _: impl Fn(&[B]) -> B + Send + Sync + 'static) -> Result<Shared<B>> {
        self.witness()
    }
    fn hints(
        &mut self,
        _: &[Shared<B>],
        count: usize,
        _: impl Fn(&[B]) -> Vec<B> + Send + Sync + 'static,
    ) -> Result<Vec<Shared<B>>> {
        (0..count).map(|_| self.witness()).collect()
    }
    #[inline]
    fn mul(&mut self, a: Shared<B>, b: Shared<B>) -> Result<Shared<B>> {
        let (number, product) = self.product(a.value * b.value)?;
        self.entry(number, a, b);
        Ok(product)
    }
    fn assert_zero(&mut self, a: Shared<B>, _: impl Display) -> Result<()> {
        self.asserted.push(a);
        if self.asserted.len() == ASSERTIONS {
            self.pass_assertions_on();
        }
        Ok(())
    }
}

impl<B: Field> Executor for ArithmeticViews<'_, B> {
    type Beyond = SumsOfProducts;
}

impl<B: Field> Sums for ArithmeticViews<'_, B> {
    /// Takes one product whose entries are those of the two vectors.
    fn sum_of_products(&mut self, a: &[Shared<B>], b: &[Shared<B>]) -> Result<Shared<B>> {
        assert_eq!(a.len(), b.len());
        if a.is_empty() {
            return Ok(Shared::ZERO);
        }
        let value = a.iter().zip(b).map(|(a, b)| a.value * b.value).sum();
        let (number, product) = self.product(value)?;
        a.iter().zip(b).for_each(|(&a, &b)| self.entry(number, a, b));
        Ok(product)
    }

    fn assert_matrix(
        &mut self,
        a: Matrix<Shared<B>>,
        b: Matrix<Shared<B>>,
        c: Entries<B, Shared<B>>,
        _: &dyn Display,
    ) -> Result<()> {
        check_sizes(&a, &b, c.len());
        self.pass_entries_on();
        self.tiles.matrices(a, b, c);
        Ok(())
    }
}
