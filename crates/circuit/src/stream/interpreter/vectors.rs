//! Vectors of polynomials, by their slots.

use super::{Frame, Wires, operands};
use crate::Polynomials;
use crate::stream::block::{Block, KEPT, Op, Record};
use volery_channel::error::Result;
use volery_primitives::Field;
use zeroize::Zeroize;

/// Arithmetic of vectors: what of [`Polynomials`] commits to nothing and demands nothing. Each function is as there.
pub trait Arithmetic {
    /// The field of the wires' values.
    type F: Field;
    /// A wire, as this party holds it.
    type Wire: Copy + Default + Zeroize;
    /// A vector of polynomials, as this party holds it.
    type Vector: Clone;

    /// A vector of public values.
    fn public(&mut self, values: &[Self::F]) -> Self::Vector;
    /// A vector of wires.
    fn vector(&mut self, wires: &[Self::Wire]) -> Self::Vector;
    /// `a + b` in each lane.
    fn sum(&mut self, a: &Self::Vector, b: &Self::Vector) -> Self::Vector;
    /// `a · b` in each lane.
    ///
    /// # Errors
    /// As for [`Polynomials::product`].
    fn product(&mut self, a: &Self::Vector, b: &Self::Vector) -> Result<Self::Vector>;
    /// The sum `Σ a·b + Σ factor·vector + constant` in each lane.
    ///
    /// # Errors
    /// As for [`Polynomials::combination`].
    fn combination(
        &mut self,
        products: &[(&Self::Vector, &Self::Vector)],
        terms: &[(Self::F, &Self::Vector)],
        constant: Self::F,
    ) -> Result<Self::Vector>;
    /// A vector with these lanes of `a`, or zero for `None`.
    fn gather(&mut self, a: &Self::Vector, lanes: &[Option<usize>]) -> Self::Vector;
    /// The sum of all lanes, in one.
    fn total(&mut self, a: &Self::Vector) -> Self::Vector;
    /// `Σ a[i]·b[i]`, in one lane.
    ///
    /// # Errors
    /// As for [`Polynomials::inner_product`].
    fn inner_product(&mut self, a: &[Self::Wire], b: &[Self::Wire]) -> Result<Self::Vector>;
}

impl<B: Polynomials> Arithmetic for B {
    type F = B::F;
    type Wire = B::Wire;
    type Vector = B::Vector;

    fn public(&mut self, values: &[B::F]) -> B::Vector {
        Polynomials::public(self, values)
    }
    fn vector(&mut self, wires: &[B::Wire]) -> B::Vector {
        Polynomials::vector(self, wires)
    }
    fn sum(&mut self, a: &B::Vector, b: &B::Vector) -> B::Vector {
        Polynomials::sum(self, a, b)
    }
    fn product(&mut self, a: &B::Vector, b: &B::Vector) -> Result<B::Vector> {
        Polynomials::product(self, a, b)
    }
    fn combination(
        &mut self,
        products: &[(&B::Vector, &B::Vector)],
        terms: &[(B::F, &B::Vector)],
        constant: B::F,
    ) -> Result<B::Vector> {
        Polynomials::combination(self, products, terms, constant)
    }
    fn gather(&mut self, a: &B::Vector, lanes: &[Option<usize>]) -> B::Vector {
        Polynomials::gather(self, a, lanes)
    }
    fn total(&mut self, a: &B::Vector) -> B::Vector {
        Polynomials::total(self, a)
    }
    fn inner_product(&mut self, a: &[B::Wire], b: &[B::Wire]) -> Result<B::Vector> {
        Polynomials::inner_product(self, a, b)
    }
}

/// The lanes that are gathered, in memory that serves one record after the other.
#[derive(Default)]
struct Gathered(Vec<Option<usize>>);

impl Gathered {
    /// The most lanes for which memory is kept for longer.
    const KEPT: usize = 1 << 12;

    /// Lists the lanes of a record, of which 0 stands for none.
    fn list(&mut self, lanes: &[u32]) -> &[Option<usize>] {
        if self.0.capacity() > Self::KEPT {
            self.0 = Vec::new();
        }
        self.0.clear();
        self.0.extend(lanes.iter().map(|&lane| (lane as usize).checked_sub(1)));
        &self.0
    }
}

/// The vectors of all frames that are open.
pub(super) struct Slots<V> {
    vectors: Vec<Option<V>>,
    gathered: Gathered,
}

impl<V> Default for Slots<V> {
    fn default() -> Self {
        Self { vectors: Vec::new(), gathered: Gathered::default() }
    }
}

impl<V: Clone> Slots<V> {
    /// Makes room for `vectors` vectors.
    pub(super) fn open(&mut self, vectors: usize) {
        if vectors > self.vectors.len() {
            self.vectors.resize(vectors, None);
        }
    }

    /// Drops the vectors from number `vectors` on.
    pub(super) fn close(&mut self, vectors: usize) {
        self.vectors.truncate(vectors);
    }

    /// The vector on a slot.
    pub(super) fn vector(&self, place: usize) -> &V {
        self.vectors[place].as_ref().expect("a vector that was made")
    }

    /// Takes the vector on a slot, which is read again where it is [`KEPT`].
    pub(super) fn take(&mut self, place: usize, kept: u32) -> V {
        let vector = self.vectors[place].take().expect("a vector that was made");
        if kept == KEPT {
            self.vectors[place] = Some(vector.clone());
        }
        vector
    }

    /// Executes a record that makes a vector, or ends one.
    ///
    /// # Errors
    /// Those of the arithmetic.
    ///
    /// # Panics
    /// Where it is another.
    pub(super) fn execute<A: Arithmetic<Vector = V>>(
        &mut self,
        by: &mut A,
        (block, record): (&Block<A::F>, Record),
        frame: Frame,
        Wires { places, operands: [beside, second, _] }: &mut Wires<A::Wire>,
    ) -> Result<()> {
        let Record { op, out, a, b } = record;
        let at = |slot: u32| frame.vectors + slot as usize;
        let (place, left, right) = (at(out), at(a), at(b));
        let made = match op {
            Op::Public => by.public(&block.constants[a as usize..][..b as usize]),
            Op::Vector => by.vector(operands(places, beside, block.read(a).list(), frame)),
            Op::Sum => by.sum(self.vector(left), self.vector(right)),
            Op::Product => by.product(self.vector(left), self.vector(right))?,
            Op::Combination => {
                let mut words = block.read(a);
                let count = words.next();
                let products = words.take(count).as_chunks().0.iter();
                let products: Vec<_> =
                    products.map(|[a, b]| (self.vector(at(*a)), self.vector(at(*b)))).collect();
                let count = words.next();
                let slots = words.take(count).iter();
                let (constant, factors) = block.constants[b as usize..].split_first().expect("what is added");
                let terms: Vec<_> =
                    factors.iter().copied().zip(slots.map(|slot| self.vector(at(*slot)))).collect();
                by.combination(&products, &terms, *constant)?
            }
            Op::Gather => {
                let mut words = block.read(b);
                let count = words.next();
                let vector = self.vectors[left].as_ref().expect("a vector that was made");
                by.gather(vector, self.gathered.list(words.take(count)))
            }
            Op::Total => by.total(self.vector(left)),
            Op::Inner => {
                let mut words = block.read(a);
                let x = operands(places, beside, words.list(), frame);
                let y = operands(places, second, words.list(), frame);
                by.inner_product(x, y)?
            }
            Op::Drop => {
                self.vectors[left] = None;
                return Ok(());
            }
            op => super::beyond::unexpected(op),
        };
        self.vectors[place] = Some(made);
        Ok(())
    }
}

/// The wires and vectors of one lane, whose polynomials are computed by themselves.
pub struct OneLane<A: Arithmetic> {
    wires: Wires<A::Wire>,
    vectors: Slots<A::Vector>,
}

impl<A: Arithmetic> Default for OneLane<A> {
    fn default() -> Self {
        Self { wires: Wires::default(), vectors: Slots::default() }
    }
}

impl<A: Arithmetic> OneLane<A> {
    /// Takes the wires of a lane.
    pub(in crate::stream) fn load(&mut self, wires: impl ExactSizeIterator<Item = A::Wire>) {
        let places = &mut self.wires.places;
        places.reserve(wires.len());
        places.0.iter_mut().zip(wires).for_each(|(place, wire)| *place = wire);
    }

    /// Executes a block of records on vectors of these wires. Each vector that is to be zero goes to `vanish`, with
    /// what stands behind it in its record.
    ///
    /// # Panics
    /// Where the block has other records. It was recorded, so that none of its degrees is too high.
    pub(in crate::stream) fn run(
        &mut self,
        by: &mut A,
        block: &Block<A::F>,
        mut vanish: impl FnMut(&mut A, A::Vector, u32),
    ) {
        self.vectors.open(block.vectors as usize);
        for record in &block.records {
            if record.op == Op::AssertZeroes {
                let vector = self.vectors.take(record.a as usize, record.out);
                vanish(by, vector, record.b);
                continue;
            }
            self.execute(by, (block, *record));
        }
    }

    /// Executes such a block, of whose vectors each has one lane, on `lanes` lanes together: a vector of one wire is one
    /// of the wire's column. Each vector that is to be zero goes to `vanish`.
    ///
    /// # Panics
    /// As for [`Self::run`].
    pub(in crate::stream) fn run_on_columns(
        &mut self,
        by: &mut A,
        block: &Block<A::F>,
        (columns, lanes): (&[A::Wire], usize),
        mut vanish: impl FnMut(&mut A, A::Vector),
    ) {
        self.vectors.open(block.vectors as usize);
        for record in &block.records {
            match record.op {
                Op::AssertZeroes => {
                    let vector = self.vectors.take(record.a as usize, record.out);
                    vanish(by, vector);
                }
                Op::Vector => {
                    let slot = block.read(record.a).list().iter().next().expect("a wire");
                    let vector = by.vector(&columns[slot as usize * lanes..][..lanes]);
                    self.vectors.vectors[record.out as usize] = Some(vector);
                }
                _ => self.execute(by, (block, *record)),
            }
        }
        self.vectors.close(0);
    }

    fn execute(&mut self, by: &mut A, record: (&Block<A::F>, Record)) {
        let frame = Frame { wires: 0, vectors: 0 };
        self.vectors.execute(by, record, frame, &mut self.wires).expect("vectors that were recorded");
    }
}
