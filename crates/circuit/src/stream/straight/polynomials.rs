//! Polynomials of a function that is written without calls: vectors of its wires, and what is made of them.
//!
//! They commit to nothing, so that it does not matter when they are computed, once their wires are there. Those that
//! depend on each other are one step, behind the last of them: who walks many lanes computes them lane by lane, and
//! what lies between stays in a cache. A value of a vector that is committed to is a hint, of which a
//! polynomial says that it is right.

use crate::stream::block::{Block, HintFunction, KEPT, List, Op, Record, number};
use crate::stream::interpreter::{Arithmetic, OneLane};
use crate::{Clear, common_lanes};
use core::{iter, mem};
use std::collections::HashMap;
use std::sync::Arc;
use volery_primitives::Field;
use zeroize::Zeroizing;

/// The number of the assertion of a polynomial that no statement asserts.
const UNNAMED: u32 = u32::MAX;

/// Polynomials in some wires of a function, and which of them are to be zero.
pub struct Polynomials<F> {
    /// Records on vectors alone. Their slots of wires are the places in `of`.
    block: Arc<Block<F>>,
    /// The slots of the wires.
    pub of: Vec<u32>,
    /// The lanes of each vector that is to be zero, in their order.
    pub lanes: Vec<usize>,
    /// The coefficients of these vectors below the highest.
    pub coefficients: u64,
}

impl<F> core::fmt::Debug for Polynomials<F> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "polynomials in {:?}", self.of)
    }
}

impl<F: Field> Polynomials<F> {
    /// Computes them in one lane, whose wires on the slots of these are `wires`. Each vector that is to be zero goes to
    /// `vanish`, with the number of its assertion, if it is one. `memory` is for what lies between.
    pub fn compute<A: Arithmetic<F = F>>(
        &self,
        by: &mut A,
        memory: &mut OneLane<A>,
        wires: impl ExactSizeIterator<Item = A::Wire>,
        mut vanish: impl FnMut(&mut A, A::Vector, Option<u32>),
    ) {
        memory.load(wires);
        memory.run(by, &self.block, |by, vector, number| {
            vanish(by, vector, Some(number).filter(|number| *number != UNNAMED));
        });
    }
}

/// Lanes of a vector, and their degree.
#[derive(Clone, Copy, Default)]
struct Size {
    lanes: usize,
    degree: usize,
}

impl Size {
    /// The coefficients below the highest, as those of a polynomial that is to be zero are counted.
    fn coefficients(self) -> u64 {
        self.lanes as u64 * self.degree.max(1) as u64
    }
}

/// The number and size of a function's polynomials.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    /// Polynomials that are to be zero.
    pub count: u64,
    /// The coefficients of all below the highest.
    pub coefficients: u64,
    /// The highest degree.
    pub degree: u64,
    /// The most coefficients of one vector.
    pub largest: u64,
    /// The most coefficients between two commitments.
    pub most: u64,
    /// The coefficients since the last commitment.
    since: u64,
}

impl Extent {
    /// Counts the lanes of a vector that are to be zero.
    pub(super) fn add(&mut self, lanes: usize, degree: usize) {
        self.count += lanes as u64;
        let coefficients = Size { lanes, degree }.coefficients();
        self.coefficients += coefficients;
        self.degree = self.degree.max(degree.max(1) as u64);
    }

    /// Counts the coefficients of polynomials that are computed together.
    pub(super) fn compute(&mut self, coefficients: u64) {
        self.since += coefficients;
        self.most = self.most.max(self.since);
    }

    /// Counts a commitment.
    pub(super) fn commit(&mut self) {
        self.since = 0;
    }
}

/// The vectors of a function of which some are still to be read.
#[derive(Default)]
pub(super) struct Open<F> {
    block: Block<F>,
    /// The values of wires in them, and the place of each.
    of: Vec<u32>,
    places: HashMap<u32, u32>,
    /// The vectors, by their slots, and the slots that are free.
    vectors: Vec<Size>,
    free: Vec<u32>,
    /// The lanes of those that are to be zero, and their coefficients.
    vanishing: Vec<usize>,
    coefficients: u64,
    /// The words that hints have, and that were given up.
    copied: usize,
}

impl<F: Field> Open<F> {
    /// Appends a record on vectors alone of `block`, whose wires are these values `on` slots, and whose vectors are
    /// these `of` slots. Gives `None` where it is none.
    pub(super) fn push(
        &mut self,
        block: &Block<F>,
        record: Record,
        on: &[u32],
        vectors: &mut [Option<u32>],
        extent: &mut Extent,
    ) -> Option<()> {
        let Record { op, out, a, b } = record;
        let vector = |slot: u32| vectors[slot as usize].expect("a vector that was made");
        let made = match op {
            Op::Public => {
                let constants = &block.constants[a as usize..][..b as usize];
                let at = self.block.next_constant();
                self.block.constants.extend_from_slice(constants);
                let out = self.take(Size { lanes: constants.len(), degree: 0 }, extent);
                self.block.push(op, out, at, b);
                out
            }
            Op::Vector => {
                let list = block.read(a).list();
                let at = self.block.next_word();
                self.list(list, on);
                let out = self.take(Size { lanes: list.len(), degree: 1 }, extent);
                self.block.push(op, out, at, 0);
                out
            }
            Op::Sum | Op::Product => {
                let [a, b] = [a, b].map(vector);
                let [left, right] = [a, b].map(|vector| self.vectors[vector as usize]);
                let degree = match op {
                    Op::Sum => left.degree.max(right.degree),
                    _ => left.degree + right.degree,
                };
                let lanes = common_lanes(left.lanes, right.lanes);
                let out = self.take(Size { lanes, degree }, extent);
                self.block.push(op, out, a, b);
                out
            }
            Op::Combination => {
                let mut words = block.read(a);
                let count = words.next();
                let products = words.take(count).iter().map(|slot| vector(*slot)).collect::<Vec<_>>();
                let count = words.next();
                let terms = words.take(count).iter().map(|slot| vector(*slot)).collect::<Vec<_>>();
                let size = |vector: &u32| self.vectors[*vector as usize];
                let all = products.iter().chain(&terms);
                let lanes = all.fold(1, |lanes, vector| common_lanes(lanes, size(vector).lanes));
                let of_products =
                    products.as_chunks::<2>().0.iter().map(|[a, b]| size(a).degree + size(b).degree);
                let degree = terms.iter().map(|term| size(term).degree).chain(of_products).max().unwrap_or(0);
                let (at, constants) = (self.block.next_word(), self.block.next_constant());
                self.block.constants.extend_from_slice(&block.constants[b as usize..][..1 + terms.len()]);
                for list in [products, terms] {
                    self.block.words.push(number(list.len()));
                    self.block.words.extend(list);
                }
                let out = self.take(Size { lanes, degree }, extent);
                self.block.push(op, out, at, constants);
                out
            }
            Op::Gather => {
                let a = vector(a);
                let mut words = block.read(b);
                let count = words.next();
                let at = self.block.next_word();
                self.block.words.push(count);
                self.block.words.extend(words.take(count));
                let size = Size { lanes: count as usize, ..self.vectors[a as usize] };
                let out = self.take(size, extent);
                self.block.push(op, out, a, at);
                out
            }
            Op::Total => {
                let a = vector(a);
                let out = self.take(Size { lanes: 1, ..self.vectors[a as usize] }, extent);
                self.block.push(op, out, a, 0);
                out
            }
            Op::Inner => {
                let mut words = block.read(a);
                let at = self.block.next_word();
                for list in [words.list(), words.list()] {
                    self.list(list, on);
                }
                let out = self.take(Size { lanes: 1, degree: 2 }, extent);
                self.block.push(op, out, at, 0);
                out
            }
            Op::Drop => {
                self.leave(vectors[a as usize].take());
                return Some(());
            }
            _ => return None,
        };
        // One that is written over is read no more.
        self.leave(vectors[out as usize].replace(made));
        Some(())
    }

    /// Demands that a vector of the function is zero, as assertion `number`. Where it is not `kept` it is read no
    /// more.
    pub(super) fn vanish(
        &mut self,
        vector: &mut Option<u32>,
        (number, kept): (u32, bool),
        extent: &mut Extent,
    ) {
        let of = vector.expect("a vector that was made");
        let Size { lanes, degree } = self.vectors[of as usize];
        extent.add(lanes, degree);
        self.vanishing.push(lanes);
        self.coefficients += Size { lanes, degree }.coefficients();
        // Whoever computes it takes it, and gives its slot back by itself.
        self.block.push(Op::AssertZeroes, if kept { KEPT } else { 0 }, of, number);
        if !kept {
            *vector = None;
            self.free.push(of);
        }
    }

    /// The hint of the values of a vector, from those of the wires that have a place now.
    pub(super) fn hint(&mut self, vector: u32) -> (HintFunction<F>, &[u32]) {
        let mut block = self.block.clone();
        block.records = self.leading_to(vector);
        block.push(Op::AssertZeroes, KEPT, vector, UNNAMED);
        self.copied += block.size();
        let values = move |values: &[F]| {
            let (mut by, mut memory) = (Clear::new(iter::empty()), OneLane::default());
            memory.load(values.iter().copied());
            let mut made = Zeroizing::default();
            memory.run(&mut by, &block, |_, vector, _| made = vector);
            mem::take(&mut *made)
        };
        (Arc::new(values), &self.of)
    }

    /// The records that make a vector, and those that it is made of.
    fn leading_to(&self, vector: u32) -> Vec<Record> {
        let mut wanted = vec![false; self.vectors.len()];
        wanted[vector as usize] = true;
        let mut records = Vec::new();
        for record in self.block.records.iter().rev() {
            let Record { op, out, a, b } = *record;
            if matches!(op, Op::AssertZeroes | Op::Drop) || !wanted[out as usize] {
                continue;
            }
            wanted[out as usize] = false;
            records.push(*record);
            match op {
                Op::Sum | Op::Product => [a, b].into_iter().for_each(|of| wanted[of as usize] = true),
                Op::Gather | Op::Total => wanted[a as usize] = true,
                Op::Combination => {
                    let mut words = self.block.read(a);
                    for _ in 0..2 {
                        let count = words.next();
                        words.take(count).iter().for_each(|of| wanted[*of as usize] = true);
                    }
                }
                _ => {}
            }
        }
        records.reverse();
        records
    }

    /// The words of all that is open, and of its hints: what is written without calls is as large as all of them.
    pub(super) fn size(&self) -> usize {
        self.block.size() + self.copied
    }

    /// The lanes of a vector.
    pub(super) fn lanes(&self, vector: u32) -> usize {
        self.vectors[vector as usize].lanes
    }

    /// Demands that the values of a vector are those of these wires, which were hinted.
    pub(super) fn equal(&mut self, vector: u32, wires: &[u32], extent: &mut Extent) {
        let at = self.block.next_word();
        let places = wires.iter().map(|value| self.place(*value)).collect::<Vec<_>>();
        self.block.list(places);
        let committed = self.take(Size { lanes: wires.len(), degree: 1 }, extent);
        self.block.push(Op::Vector, committed, at, 0);
        let (at, constants) = (self.block.next_word(), self.block.constant(F::ZERO));
        self.block.words.extend([0, 2, vector, committed]);
        self.block.constants.extend([F::ONE, -F::ONE]);
        let size = self.vectors[vector as usize];
        let difference = self.take(Size { degree: size.degree.max(1), ..size }, extent);
        self.block.push(Op::Combination, difference, at, constants);
        self.leave(Some(committed));
        self.vanish(&mut Some(difference), (UNNAMED, false), extent);
    }

    /// Gives all up once none is read any more, if any of them was to be zero.
    pub(super) fn take_ended(&mut self, extent: &mut Extent) -> Option<Polynomials<F>> {
        if self.vectors.is_empty() || self.free.len() < self.vectors.len() {
            return None;
        }
        let Self { block, of, vanishing: lanes, coefficients, copied, .. } = mem::take(self);
        self.copied = copied + block.size();
        extent.compute(coefficients);
        (!lanes.is_empty()).then(|| Polynomials { block: Arc::new(block), of, lanes, coefficients })
    }

    /// Ends vectors of a function, with that.
    pub(super) fn leave_all(&mut self, vectors: impl IntoIterator<Item = Option<u32>>) {
        vectors.into_iter().for_each(|vector| self.leave(vector));
    }

    /// Gives a slot to a new vector.
    fn take(&mut self, size: Size, extent: &mut Extent) -> u32 {
        extent.largest = extent.largest.max(size.coefficients());
        if let Some(slot) = self.free.pop() {
            self.vectors[slot as usize] = size;
            return slot;
        }
        self.vectors.push(size);
        self.block.vectors += 1;
        self.block.vectors - 1
    }

    /// Ends a vector.
    fn leave(&mut self, vector: Option<u32>) {
        if let Some(slot) = vector {
            self.block.push(Op::Drop, 0, slot, 0);
            self.free.push(slot);
        }
    }

    /// Lists the places of the values on the slots of `list`.
    fn list(&mut self, list: List<'_>, on: &[u32]) {
        let places = list.iter().map(|slot| self.place(on[slot as usize])).collect::<Vec<_>>();
        self.block.list(places);
    }

    /// The place of a value.
    fn place(&mut self, value: u32) -> u32 {
        *self.places.entry(value).or_insert_with(|| {
            self.of.push(value);
            self.block.slots += 1;
            self.block.slots - 1
        })
    }
}
