//! Records of polynomials.

use super::Recorder;
use crate::stream::argues;
use crate::stream::block::{KEPT, Op, number, words_of};
use crate::stream::frame::{Handle, VectorHandle};
use crate::{
    Backend, Bilinear, Entries, Lists, Matrix, Polynomials, check_sizes, common_lanes, degree_of_product,
};
use core::fmt::Display;
use std::rc::Rc;
use volery_channel::error::Result;
use volery_primitives::Field;

impl<F: Field> Recorder<'_, F> {
    /// Adds 1 and the list of entries on wires, or 0 and the entries themselves.
    fn list_entries(&mut self, entries: Entries<F, Handle>) {
        let block = &mut self.frame.block;
        match entries {
            Entries::Wires(wires) => {
                block.words.push(1);
                self.frame.list(wires);
            }
            Entries::Public(values) => {
                block.words.push(0);
                block.constants.extend_from_slice(values);
            }
        }
    }
}

impl<F: Field> Polynomials for Recorder<'_, F> {
    type Vector = VectorHandle;

    fn lanes_of(&self, a: &VectorHandle) -> usize {
        a.0.count
    }
    fn public(&mut self, values: &[F]) -> VectorHandle {
        if self.by_lanes() {
            let wires = self.constants(values);
            return self.made(wires, 0);
        }
        let (vector, slot) = self.frame.take_vector(values.len(), 0);
        let block = &mut self.frame.block;
        let at = block.next_constant();
        block.constants.extend_from_slice(values);
        self.push_long(Op::Public, slot, at, number(values.len()));
        vector
    }
    fn vector(&mut self, wires: &[Handle]) -> VectorHandle {
        if self.by_lanes() {
            return self.frame.hold(wires.to_vec(), 1);
        }
        let (vector, slot) = self.frame.take_vector(wires.len(), 1);
        let at = self.frame.block.next_word();
        self.frame.list(wires);
        self.push_long(Op::Vector, slot, at, 0);
        vector
    }
    fn sum(&mut self, a: &VectorHandle, b: &VectorHandle) -> VectorHandle {
        let degree = a.0.degree.max(b.0.degree);
        if self.by_lanes() {
            let sums = self.lanes_by([a, b], |recorder, a, b| Ok(recorder.add(a, b)));
            return self.made(sums.expect("sums do not fail"), degree);
        }
        let (vector, slot) = self.frame.take_vector(common_lanes(a.0.count, b.0.count), degree);
        let (a, b) = (self.frame.vector(a), self.frame.vector(b));
        self.push(Op::Sum, slot, a, b);
        vector
    }
    fn product(&mut self, a: &VectorHandle, b: &VectorHandle) -> Result<VectorHandle> {
        let degree = degree_of_product(a.0.degree, b.0.degree)?;
        if self.by_lanes() {
            let products = self.lanes_by([a, b], |recorder, a, b| recorder.mul(a, b))?;
            return Ok(self.made(products, degree));
        }
        let (vector, slot) = self.frame.take_vector(common_lanes(a.0.count, b.0.count), degree);
        let (a, b) = (self.frame.vector(a), self.frame.vector(b));
        self.push(Op::Product, slot, a, b);
        self.outcome()?;
        Ok(vector)
    }
    fn combination(
        &mut self,
        products: &[(&VectorHandle, &VectorHandle)],
        terms: &[(F, &VectorHandle)],
        constant: F,
    ) -> Result<VectorHandle> {
        let factors = products.iter().flat_map(|(a, b)| [*a, *b]);
        let of = factors.chain(terms.iter().map(|(_, vector)| *vector));
        let lanes = of.fold(1, |lanes, vector| common_lanes(lanes, vector.0.count));
        let mut degree = terms.iter().map(|(_, vector)| vector.0.degree).max().unwrap_or(0);
        for (a, b) in products {
            degree = degree.max(degree_of_product(a.0.degree, b.0.degree)?);
        }
        if self.by_lanes() {
            let sums = self.lanes_combined(products, terms, (constant, lanes))?;
            return Ok(self.made(sums, degree));
        }
        let (sum, slot) = self.frame.take_vector(lanes, degree);
        let (at, constants) = (self.frame.block.next_word(), self.frame.block.constant(constant));
        self.frame.block.words.push(number(2 * products.len()));
        for (a, b) in products {
            let pair = [self.frame.vector(a), self.frame.vector(b)];
            self.frame.block.words.extend(pair);
        }
        self.frame.block.words.push(number(terms.len()));
        for (factor, vector) in terms {
            let vector = self.frame.vector(vector);
            self.frame.block.words.push(vector);
            self.frame.block.constant(*factor);
        }
        self.push_long(Op::Combination, slot, at, constants);
        self.outcome()?;
        Ok(sum)
    }
    fn gather(&mut self, a: &VectorHandle, lanes: &[Option<usize>]) -> VectorHandle {
        assert!(lanes.iter().flatten().all(|lane| *lane < a.0.count), "a lane that is not there");
        if self.by_lanes() {
            return self.lanes_gathered(a, lanes);
        }
        let (vector, slot) = self.frame.take_vector(lanes.len(), a.0.degree);
        let a = self.frame.vector(a);
        let block = &mut self.frame.block;
        let at = block.next_word();
        block.words.push(number(lanes.len()));
        block.words.extend(lanes.iter().map(|lane| lane.map_or(0, |lane| number(lane + 1))));
        self.push_long(Op::Gather, slot, a, at);
        vector
    }
    fn total(&mut self, a: &VectorHandle) -> VectorHandle {
        if self.by_lanes() {
            return self.lanes_added(a);
        }
        let (vector, slot) = self.frame.take_vector(1, a.0.degree);
        let a = self.frame.vector(a);
        self.push(Op::Total, slot, a, 0);
        vector
    }
    fn inner_product(&mut self, a: &[Handle], b: &[Handle]) -> Result<VectorHandle> {
        assert_eq!(a.len(), b.len());
        if self.by_lanes() {
            let sum = self.sum_of_products(a, b)?;
            return Ok(self.made(vec![sum], 2));
        }
        let (vector, slot) = self.frame.take_vector(1, 2);
        let at = self.frame.block.next_word();
        [a, b].into_iter().for_each(|wires| self.frame.list(wires));
        self.push_long(Op::Inner, slot, at, 0);
        self.outcome()?;
        Ok(vector)
    }
    fn commit(&mut self, a: &VectorHandle) -> Result<Vec<Handle>> {
        if self.by_lanes() {
            return self.lanes_released(a);
        }
        let wires = self.frame.take_many(a.0.count);
        let at = self.frame.block.next_word();
        self.frame.list(&wires);
        let a = self.frame.vector(a);
        self.push_long(Op::Commit, 0, a, at);
        self.outcome()?;
        Ok(wires)
    }
    fn assert_zeroes(&mut self, a: VectorHandle, name: impl Display) -> Result<()> {
        if self.by_lanes() {
            if let [wire] = a.wires() {
                return self.assert_zero(*wire, name);
            }
            let mut lanes = a.wires().iter().enumerate();
            return lanes
                .try_for_each(|(lane, wire)| self.assert_zero(*wire, format_args!("{name}[{lane}]")));
        }
        self.asserted(&name)?;
        let kept = if Rc::strong_count(&a.0) > 1 { KEPT } else { 0 };
        let slot = self.frame.vector(&a);
        self.push(Op::AssertZeroes, kept, slot, 0);
        self.outcome()
    }
    fn assert_product(&mut self, a: Handle, b: Handle, c: Handle, name: impl Display) -> Result<()> {
        if self.by_lanes() {
            return self.assert_product_by_gates([a, b, c], &name);
        }
        self.asserted(&name)?;
        let [a, b, c] = [a, b, c].map(|wire| self.frame.slot(wire));
        self.push(Op::AssertProduct, c, a, b);
        self.outcome()
    }
    fn assert_matrix_product(
        &mut self,
        a: Matrix<Handle>,
        b: Matrix<Handle>,
        c: Entries<F, Handle>,
        name: impl Display,
    ) -> Result<()> {
        check_sizes(&a, &b, c.len());
        self.frame.lowers = true;
        if self.argues.polynomials == argues::Polynomials::None {
            return self.assert_matrix_by_gates(a, b, c, &name);
        }
        self.asserted(&name)?;
        let columns = [a.columns(), b.columns()].map(number);
        let block = &mut self.frame.block;
        let (at, constants) = (block.next_word(), block.next_constant());
        block.words.extend(columns);
        [a, b].into_iter().for_each(|factor| self.frame.list(factor.entries()));
        self.list_entries(c);
        self.push_long(Op::AssertMatrix, 0, at, constants);
        self.outcome()
    }
    fn assert_bilinear(
        &mut self,
        form: &Bilinear,
        (first, second, result): Lists<'_, F, Handle>,
        name: impl Display,
    ) -> Result<()> {
        form.validate()?;
        form.check([first.len(), second.len(), result.len()]);
        if self.by_lanes() {
            return self.assert_bilinear_by_gates(form, (first, second, result), &name);
        }
        self.asserted(&name)?;
        let block = &mut self.frame.block;
        let (at, constants) = (block.next_word(), block.next_constant());
        let words = words_of(form);
        block.words.extend_from_slice(&words);
        [first, result].into_iter().for_each(|list| self.frame.list(list));
        self.list_entries(second);
        self.push_long(Op::AssertBilinear, constants, at, number(words.len()));
        self.outcome()
    }
}
