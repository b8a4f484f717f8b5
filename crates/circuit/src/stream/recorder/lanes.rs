//! Polynomials as gates, for backends that have no proof for them: each lane of a vector is a wire, and a
//! product costs a multiplication.
//!
//! A vector is used as long as it is there, whatever becomes of the wires that it was made of. So its frame counts
//! who is on a wire, and gives the slot again when nobody is.

use super::Recorder;
use crate::stream::argues;
use crate::stream::block::Op;
use crate::stream::frame::{Handle, VectorHandle};
use crate::{Backend, Bilinear, Entries, Lists, Matrix, Polynomials, check_sizes, common_lanes};
use core::fmt::Display;
use volery_channel::error::Result;
use volery_primitives::Field;

impl<F: Field> Recorder<'_, F> {
    /// Whether vectors are wires.
    pub(super) fn by_lanes(&mut self) -> bool {
        self.frame.lowers = true;
        self.argues.polynomials != argues::Polynomials::All
    }

    /// A vector on wires that were made for it.
    pub(super) fn made(&mut self, wires: Vec<Handle>, degree: usize) -> VectorHandle {
        let vector = self.frame.hold(wires, degree);
        self.forget(vector.wires());
        vector
    }

    /// A wire for each of `values`.
    pub(super) fn constants(&mut self, values: &[F]) -> Vec<Handle> {
        values.iter().map(|value| self.constant(*value)).collect()
    }

    /// Applies `gate` to each pair of lanes of two vectors.
    pub(super) fn lanes_by(
        &mut self,
        [a, b]: [&VectorHandle; 2],
        gate: impl Fn(&mut Self, Handle, Handle) -> Result<Handle>,
    ) -> Result<Vec<Handle>> {
        let (a, b) = (a.wires(), b.wires());
        let lane = |x: &[Handle], i: usize| if x.len() == 1 { x[0] } else { x[i] };
        (0..common_lanes(a.len(), b.len())).map(|i| gate(self, lane(a, i), lane(b, i))).collect()
    }

    /// Computes the lanes of [`Polynomials::combination`].
    pub(super) fn lanes_combined(
        &mut self,
        products: &[(&VectorHandle, &VectorHandle)],
        terms: &[(F, &VectorHandle)],
        (constant, lanes): (F, usize),
    ) -> Result<Vec<Handle>> {
        let products = products.iter().map(|(a, b)| self.product(a, b)).collect::<Result<Vec<_>>>()?;
        let one = self.constant(F::ONE);
        let mut factors = vec![constant];
        factors.extend(products.iter().map(|_| F::ONE));
        factors.extend(terms.iter().map(|(factor, _)| *factor));
        let vectors: Vec<_> = products.iter().chain(terms.iter().map(|(_, vector)| *vector)).collect();
        let mut wires = Vec::with_capacity(factors.len());
        let mut sums = Vec::with_capacity(lanes);
        for lane in 0..lanes {
            wires.clear();
            wires.push(one);
            wires.extend(vectors.iter().map(|vector| vector.wires()[lane % vector.wires().len()]));
            sums.push(self.linear(&factors, &wires));
        }
        self.forget(&[one]);
        Ok(sums)
    }

    /// Gathers lanes: see [`Polynomials::gather`].
    pub(super) fn lanes_gathered(&mut self, a: &VectorHandle, lanes: &[Option<usize>]) -> VectorHandle {
        let zero = self.constant(F::ZERO);
        let wires = lanes.iter().map(|lane| lane.map_or(zero, |lane| a.wires()[lane])).collect();
        let vector = self.frame.hold(wires, a.0.degree);
        self.forget(&[zero]);
        vector
    }

    /// The sum of all lanes.
    pub(super) fn lanes_added(&mut self, a: &VectorHandle) -> VectorHandle {
        let Some((first, others)) = a.wires().split_first() else {
            let zero = self.constant(F::ZERO);
            return self.made(vec![zero], a.0.degree);
        };
        let mut sums = Vec::with_capacity(others.len());
        let mut sum = *first;
        for wire in others {
            sum = self.add(sum, *wire);
            sums.push(sum);
        }
        let vector = self.frame.hold(vec![sum], a.0.degree);
        self.forget(&sums);
        vector
    }

    /// The lanes as wires of their own, which outlive the vector.
    pub(super) fn lanes_released(&mut self, a: &VectorHandle) -> Result<Vec<Handle>> {
        let (mut wires, shared) = self.frame.release(a);
        // Within a function no wire is given again before its end.
        if self.in_statement() && !shared.is_empty() {
            let of: Vec<_> = shared.iter().map(|lane| wires[*lane]).collect();
            for (lane, copy) in shared.into_iter().zip(self.copy(&of, &[])?) {
                wires[lane] = copy;
            }
        }
        Ok(wires)
    }

    /// The wire of `Σ a[i]·b[i]`.
    pub(super) fn sum_of_products(&mut self, a: &[Handle], b: &[Handle]) -> Result<Handle> {
        if self.argues.polynomials == argues::Polynomials::Sums {
            let at = self.frame.block.next_word();
            [a, b].into_iter().for_each(|wires| self.frame.list(wires));
            let wire = self.frame.take();
            self.push_long(Op::SumOfProducts, wire.slot, at, 0);
            self.outcome()?;
            return Ok(wire);
        }
        let mut sum = self.constant(F::ZERO);
        for (&a, &b) in a.iter().zip(b) {
            let product = self.mul(a, b)?;
            let before = sum;
            sum = self.add(before, product);
            self.forget(&[before, product]);
        }
        Ok(sum)
    }

    /// Demands that `a · b = c`.
    pub(super) fn assert_product_by_gates(
        &mut self,
        [a, b, c]: [Handle; 3],
        name: &dyn Display,
    ) -> Result<()> {
        let product = self.mul(a, b)?;
        self.assert_equal(product, c, name)?;
        self.forget(&[product]);
        Ok(())
    }

    /// Demands that two wires carry the same value.
    fn assert_equal(&mut self, a: Handle, b: Handle, name: impl Display) -> Result<()> {
        let minus = self.scale(b, -F::ONE);
        let difference = self.add(a, minus);
        self.assert_zero(difference, name)?;
        self.forget(&[minus, difference]);
        Ok(())
    }

    /// Demands a product of matrices entry by entry: see [`Polynomials::assert_matrix_product`].
    pub(super) fn assert_matrix_by_gates(
        &mut self,
        a: Matrix<Handle>,
        b: Matrix<Handle>,
        c: Entries<F, Handle>,
        name: &dyn Display,
    ) -> Result<()> {
        check_sizes(&a, &b, c.len());
        for j in 0..b.columns() {
            let column = b.column(j);
            for (i, row) in a.rows().enumerate() {
                let product = self.sum_of_products(row, &column)?;
                let expected = match c {
                    Entries::Public(c) => self.constant(c[i * b.columns() + j]),
                    Entries::Wires(c) => c[i * b.columns() + j],
                };
                self.assert_equal(product, expected, format_args!("{name}[{i}][{j}]"))?;
                self.forget(&[product]);
                if let Entries::Public(_) = c {
                    self.forget(&[expected]);
                }
            }
        }
        Ok(())
    }

    /// Demands the result of a bilinear form entry by entry: see [`Polynomials::assert_bilinear`].
    pub(super) fn assert_bilinear_by_gates(
        &mut self,
        form: &Bilinear,
        (first, second, result): Lists<'_, F, Handle>,
        name: &dyn Display,
    ) -> Result<()> {
        let (mut xs, mut ys, mut factors) = (Vec::new(), Vec::new(), Vec::new());
        form.entries(&mut |entry, products| {
            xs.clear();
            xs.extend(products.iter().map(|(x, _)| first[*x]));
            let sum = match second {
                Entries::Public(second) => {
                    factors.clear();
                    factors.extend(products.iter().map(|(_, y)| second[*y]));
                    self.linear(&factors, &xs)
                }
                Entries::Wires(second) => {
                    ys.clear();
                    ys.extend(products.iter().map(|(_, y)| second[*y]));
                    self.sum_of_products(&xs, &ys)?
                }
            };
            self.assert_equal(sum, result[entry], format_args!("{name}[{entry}]"))?;
            self.forget(&[sum]);
            Ok(())
        })
    }
}
