//! Polynomials gate by gate, for backends that have no other way.

use super::{Entries, Matrix, Polynomials, check_sizes, common_lanes};
use crate::circuit::{Backend, Scans};
use crate::error::Result;
use core::fmt::Display;
use volery_primitives::Field;

/// A backend to which polynomials are gates: each lane is a wire, and a product costs a multiplication. It
/// may know something cheaper for sums of products.
pub(crate) trait ByGates: Backend {
    /// [`Polynomials::inner_product`], on a wire.
    fn sum_of_products(&mut self, a: &[Self::Wire], b: &[Self::Wire]) -> Result<Self::Wire> {
        assert_eq!(a.len(), b.len());
        let mut sum = self.constant(Self::F::ZERO);
        for (&a, &b) in a.iter().zip(b) {
            let product = self.mul(a, b)?;
            sum = self.add(sum, product);
        }
        Ok(sum)
    }

    /// [`Polynomials::assert_matrix_product`].
    fn assert_matrix(
        &mut self,
        a: Matrix<Self::Wire>,
        b: Matrix<Self::Wire>,
        c: Entries<Self::F, Self::Wire>,
        name: impl Display,
    ) -> Result<()> {
        check_sizes(&a, &b, c.len());
        for j in 0..b.columns() {
            let column = b.column(j);
            for (i, row) in a.rows().enumerate() {
                let product = self.sum_of_products(row, &column)?;
                let expected = match &c {
                    Entries::Public(c) => self.constant(c[i * b.columns() + j]),
                    Entries::Wires(c) => c[i * b.columns() + j],
                };
                let minus = self.scale(expected, -Self::F::ONE);
                let difference = self.add(product, minus);
                self.assert_zero(difference, format_args!("{name}[{i}][{j}]"))?;
            }
        }
        Ok(())
    }
}

impl<B: ByGates> Polynomials for B {
    type Vector = Vec<B::Wire>;

    fn lanes_of(&self, a: &Vec<B::Wire>) -> usize {
        a.len()
    }
    fn public(&mut self, values: &[B::F]) -> Vec<B::Wire> {
        let mut wires = Vec::with_capacity(values.len());
        for value in values {
            wires.push(self.constant(*value));
        }
        wires
    }
    fn vector(&mut self, wires: &[B::Wire]) -> Vec<B::Wire> {
        wires.to_vec()
    }
    fn sum(&mut self, a: &Vec<B::Wire>, b: &Vec<B::Wire>) -> Vec<B::Wire> {
        let (mut wires, of) = (Vec::new(), lanes(a, b));
        for (a, b) in of {
            wires.push(self.add(a, b));
        }
        wires
    }
    fn product(&mut self, a: &Vec<B::Wire>, b: &Vec<B::Wire>) -> Result<Vec<B::Wire>> {
        let (mut wires, of) = (Vec::new(), lanes(a, b));
        for (a, b) in of {
            wires.push(self.mul(a, b)?);
        }
        Ok(wires)
    }
    fn combination(
        &mut self,
        products: &[(&Vec<B::Wire>, &Vec<B::Wire>)],
        terms: &[(B::F, &Vec<B::Wire>)],
        constant: B::F,
    ) -> Result<Vec<B::Wire>> {
        let products = products.iter().map(|(a, b)| self.product(a, b)).collect::<Result<Vec<_>>>()?;
        let products = products.iter().map(|product| (B::F::ONE, product));
        let terms: Vec<_> = products.chain(terms.iter().copied()).collect();
        let count = terms.iter().fold(1, |lanes, (_, vector)| common_lanes(lanes, vector.len()));
        let (mut factors, one) = (vec![constant], self.constant(B::F::ONE));
        factors.extend(terms.iter().map(|(factor, _)| *factor));
        let (mut sums, mut wires) = (Vec::with_capacity(count), Vec::with_capacity(factors.len()));
        for lane in 0..count {
            wires.clear();
            wires.push(one);
            wires.extend(terms.iter().map(|(_, vector)| vector[lane % vector.len()]));
            sums.push(self.linear(&factors, &wires));
        }
        Ok(sums)
    }
    fn gather(&mut self, a: &Vec<B::Wire>, lanes: &[Option<usize>]) -> Vec<B::Wire> {
        let zero = self.constant(B::F::ZERO);
        let mut wires = Vec::with_capacity(lanes.len());
        for lane in lanes {
            wires.push(lane.map_or(zero, |lane| a[lane]));
        }
        wires
    }
    fn total(&mut self, a: &Vec<B::Wire>) -> Vec<B::Wire> {
        let Some((first, others)) = a.split_first() else { return vec![self.constant(B::F::ZERO)] };
        let mut sum = *first;
        for wire in others {
            sum = self.add(sum, *wire);
        }
        vec![sum]
    }
    fn inner_product(&mut self, a: &[B::Wire], b: &[B::Wire]) -> Result<Vec<B::Wire>> {
        Ok(vec![self.sum_of_products(a, b)?])
    }
    /// Wires are committed to as they are.
    fn commit(&mut self, a: &Vec<B::Wire>) -> Result<Vec<B::Wire>> {
        Ok(a.clone())
    }
    fn assert_zeroes(&mut self, a: Vec<B::Wire>, name: impl Display) -> Result<()> {
        // A name may take long to make, and few are asked for.
        if let [wire] = a[..] {
            return self.assert_zero(wire, name);
        }
        for (lane, wire) in a.into_iter().enumerate() {
            self.assert_zero(wire, format_args!("{name}[{lane}]"))?;
        }
        Ok(())
    }
    fn assert_product(&mut self, a: B::Wire, b: B::Wire, c: B::Wire, name: impl Display) -> Result<()> {
        let product = self.mul(a, b)?;
        let minus = self.scale(c, -B::F::ONE);
        let difference = self.add(product, minus);
        self.assert_zero(difference, name)
    }
    fn assert_matrix_product(
        &mut self,
        a: Matrix<B::Wire>,
        b: Matrix<B::Wire>,
        c: Entries<B::F, B::Wire>,
        name: impl Display,
    ) -> Result<()> {
        self.assert_matrix(a, b, c, name)
    }
}

impl<B: ByGates> Scans for B {}

/// The lanes of two vectors side by side, where one lane stands for any number.
fn lanes<'a, W: Copy>(a: &'a [W], b: &'a [W]) -> impl Iterator<Item = (W, W)> + use<'a, W> {
    let lane = |x: &'a [W], i: usize| if x.len() == 1 { x[0] } else { x[i] };
    (0..common_lanes(a.len(), b.len())).map(move |i| (lane(a, i), lane(b, i)))
}
